"""Claims of tables: registers, lists of fields, tables on their side, and what of a table says nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from table_documents import Grid, book, read_files, said, tabled

from muniment.domain.loading import load_domain
from muniment.domain.model import AttributeType, DomainSchema, EntityType, RelationType
from muniment.settings import DomainSettings, EntitySettings
from muniment.stages import StageOutput

SYSTEMS = Grid(
    [
        ["System", "Owner", "Retention (days)", "Availability", "Annual cost", "Last review", "Critical"],
        ["Telemetry Gateway", "Margit Osei", "90", "99.5 %", "£186,400", "2025-06-16", "yes"],
        ["Work Order Hub", "Daniel Ferreira", "30", "98.5 %", "n/a", "June 2025", "no"],
        ["Total", "", "120", "", "£186,400", "", ""],
    ]
)


def _claim(output: StageOutput, predicate: str, subject: str) -> dict[str, Any]:
    names = output.tables["mentions"].filter(text=subject)["mention_id"].implode()
    frame = output.tables["claims"].filter(
        (pl.col("predicate_raw") == predicate) & pl.col("subject_mention_id").is_in(names)
    )
    return frame.row(0, named=True)


def test_a_row_of_a_register_says_each_column_of_its_subject() -> None:
    output = tabled(SYSTEMS)
    assert said(output) == {
        ("Telemetry Gateway", "owner", "Margit Osei"),
        ("Telemetry Gateway", "retention", "90"),
        ("Telemetry Gateway", "availability", "99.5 %"),
        ("Telemetry Gateway", "annual_cost", "£186,400"),
        ("Telemetry Gateway", "last_review", "2025-06-16"),
        ("Telemetry Gateway", "critical", "yes"),
        ("Work Order Hub", "owner", "Daniel Ferreira"),
        ("Work Order Hub", "retention", "30"),
        ("Work Order Hub", "availability", "98.5 %"),
        ("Work Order Hub", "last_review", "June 2025"),
        ("Work Order Hub", "critical", "no"),
    }
    assert book(output, "table_cells") == (17, 13, {"cell_without_value": 1, "table_total_row": 3})


def test_cells_have_the_meaning_of_their_column_and_the_row_as_evidence() -> None:
    output = tabled(SYSTEMS)
    kept = _claim(output, "retention", "Telemetry Gateway")
    assert (kept["value_type"], kept["value_number"], kept["value_unit"]) == ("duration", 90, "day")
    cost = _claim(output, "annual_cost", "Telemetry Gateway")
    assert (cost["value_type"], cost["value_number"], cost["value_unit"]) == ("money", 186_400, "GBP")
    reviewed = _claim(output, "last_review", "Work Order Hub")
    assert (reviewed["value_date"], reviewed["value_precision"]) == (date(2025, 6, 1), "month")
    critical = _claim(output, "critical", "Work Order Hub")
    assert (critical["value_type"], critical["value_number"]) == ("boolean", 0)
    owned = _claim(output, "owner", "Telemetry Gateway")
    assert (owned["predicate"], owned["predicate_text"], owned["rule"]) == ("owned_by", "Owner", "T")
    quotes = dict(output.tables["claim_evidence"].select("claim_id", "quote").iter_rows())
    assert quotes[owned["claim_id"]] == "\t".join(SYSTEMS.rows[1])


def test_cells_that_name_something_are_mentions_and_the_header_says_their_type() -> None:
    rows = {row["text"]: row for row in tabled(SYSTEMS).tables["mentions"].to_dicts()}
    assert rows["Telemetry Gateway"]["source"] == "table_cell"
    assert rows["Telemetry Gateway"]["entity_type"] == "system"
    assert rows["Margit Osei"]["source"] == "table_cell"
    assert rows["Margit Osei"]["entity_type"] != "role"  # "Owner" says what she is to the system, not what she is
    assert "high" not in rows
    assert "Total" not in {row["text"] for row in rows.values() if row["source"] == "table_cell"}


def test_rows_of_a_read_table_make_no_claims_of_sentence_rules() -> None:
    output = tabled(
        ("paragraph", "Acme operates the Payment Gateway."),
        Grid([["System", "Purpose"], ["Payment Gateway", "Replacement of the field server at Stonebeck"]]),
    )
    rules = output.tables["claims"].group_by("rule").len().sort("rule").rows()
    assert [rule for rule, _ in rules if rule != "T"] == ["R4"]
    assert said(output) == {("Payment Gateway", "purpose", "Replacement of the field server at Stonebeck")}


def test_a_cell_that_is_a_sentence_is_read_as_one_too() -> None:
    output = tabled(
        Grid([["Control", "Finding"], ["Backup Control", "The Plant Data Archive depends on the Identity Service."]])
    )
    found = said(output, "R6")
    assert ("Plant Data Archive", "depend_on", "Identity Service") in found


def test_identifier_and_name_of_a_row_are_one_thing() -> None:
    output = tabled(Grid([["Control", "Name", "Owner"], ["BK-01", "Backup Control", "Margit Osei"]]))
    assert said(output) == {("Backup Control", "owner", "Margit Osei")}
    rows = {row["text"]: row["identifier"] for row in output.tables["mentions"].to_dicts()}
    assert rows["BK-01"] is not None
    assert rows["Backup Control"] == rows["BK-01"]


def test_a_short_name_is_what_the_row_is_called() -> None:
    output = tabled(Grid([["System", "Short name", "Owner"], ["Telemetry Gateway", "TGW", "Margit Osei"]]))
    rows = {row["text"]: row for row in output.tables["mentions"].to_dicts()}
    assert (rows["TGW"]["acronym_of"], rows["TGW"]["definition"]) == ("telemetry gateway", "acronym")
    assert rows["TGW"]["entity_type"] == "system"


def test_a_list_in_a_cell_is_several_objects_and_a_quantified_one_is_none() -> None:
    output = tabled(
        Grid(
            [
                ["Zone", "Systems"],
                ["Control zone", "Plant Data Archive; Identity Service"],
                ["Field zone", "all systems"],
            ]
        )
    )
    assert said(output) == {
        ("Control zone", "systems", "Plant Data Archive"),
        ("Control zone", "systems", "Identity Service"),
        ("Field zone", "systems", "all systems"),
    }
    values = output.tables["claims"].filter(pl.col("object_mention_id").is_null())["value"].to_list()
    assert values == ["all systems"]


def test_commas_part_a_list_only_of_names_that_are_known() -> None:
    output = tabled(
        Grid([["System", "Owner"], ["Plant Data Archive", "Ada Lovelace"], ["Identity Service", "Ada Lovelace"]]),
        Grid([["Zone", "Systems", "Place"], ["Inner zone", "Plant Data Archive, Identity Service", "Harnley, Elder"]]),
    )
    assert {("Inner zone", "systems", "Plant Data Archive"), ("Inner zone", "systems", "Identity Service")} <= said(
        output
    )
    assert not any(text in ("Harnley", "Elder") for _, _, text in said(output))


def test_a_header_states_unit_and_time() -> None:
    output = tabled(
        Grid([["System", "Owner until 2023", "2025 (£k)", "Sales (2024)"], ["Relay Hub", "Samir Wadi", "(41.2)", "7"]])
    )
    former = _claim(output, "owner", "Relay Hub")
    assert (former["valid_from"], former["valid_to"]) == (None, date(2024, 1, 1))
    assert (former["validity_basis"], former["validity_precision"], former["validity_text"]) == (
        "stated", "year", "until 2023",
    )  # fmt: skip
    cost = _claim(output, "amount", "Relay Hub")
    assert (cost["value_number"], cost["value_unit"]) == (-41_200, "GBP")
    assert (cost["valid_from"], cost["valid_to"]) == (date(2025, 1, 1), date(2026, 1, 1))
    assert _claim(output, "sales", "Relay Hub")["valid_from"] == date(2024, 1, 1)


def test_a_list_of_fields_is_about_its_section() -> None:
    fields = Grid(
        [["Field", "Value"], ["Owner", "Margit Osei"], ["Status", "approved"], ["Review date", "2026-01-31"],
         ["Note", "-"]]
    )  # fmt: skip
    output = tabled(("title", "Remote Access Policy"), fields)
    assert said(output) == {
        ("Remote Access Policy", "owner", "Margit Osei"),
        ("Remote Access Policy", "status", "approved"),
        ("Remote Access Policy", "review_date", "2026-01-31"),
    }
    below = tabled(("title", "Register"), ("heading", "1 Identity Service"), fields)
    assert ("Identity Service", "owner", "Margit Osei") in said(below)
    nowhere = tabled(fields)
    assert said(nowhere) == set()
    assert book(nowhere, "table_cells")[2] == {"table_without_subject": 4}


def test_fields_without_a_header_are_known_by_their_names() -> None:
    rows = [["Owner", "Margit Osei"], ["Status", "approved"], ["Version", "2.1"]]
    expected = {
        ("Backup Procedure", "owner", "Margit Osei"),
        ("Backup Procedure", "status", "approved"),
        ("Backup Procedure", "version", "2.1"),
    }
    for header_rows in (0, 1):  # Markdown has to call the first row a header
        assert said(tabled(("title", "Backup Procedure"), Grid(rows, header_rows))) == expected
    output = tabled(("title", "Backup Procedure"), Grid(rows, 0))
    version = _claim(output, "version", "Backup Procedure")
    assert (version["value_type"], version["value_number"]) == ("text", None)


def test_a_register_may_lie_on_its_side() -> None:
    output = tabled(
        Grid(
            [
                ["Property", "Telemetry Gateway", "Identity Service"],
                ["Owner", "Margit Osei", "Daniel Ferreira"],
                ["Status", "live", "planned"],
            ]
        )
    )
    assert said(output) == {
        ("Telemetry Gateway", "owner", "Margit Osei"),
        ("Telemetry Gateway", "status", "live"),
        ("Identity Service", "owner", "Daniel Ferreira"),
        ("Identity Service", "status", "planned"),
    }


def test_headers_of_two_rows_and_merged_cells_are_read_whole() -> None:
    output = tabled(
        Grid(
            [
                ["System", "Repair time", "", "Owner"],
                ["", "Priority 1", "Priority 2", ""],
                ["Telemetry Gateway", "8 hours", "2 days", "Margit Osei"],
                ["Identity Service", "4 hours", "1 day", ""],
            ],
            header_rows=2,
            spans={(0, 0): (2, 1), (0, 1): (1, 2), (0, 3): (2, 1), (2, 3): (2, 1)},
        )
    )
    assert ("Telemetry Gateway", "repair_time_priority_1", "8 hours") in said(output)
    assert ("Identity Service", "repair_time_priority_2", "1 day") in said(output)
    assert ("Telemetry Gateway", "owner", "Margit Osei") in said(output)


def test_a_first_row_that_is_not_marked_is_a_header_when_its_words_are_known() -> None:
    rows = [["System", "Depends on"], ["Plant Data Archive", "Telemetry Gateway"]]
    marked, unmarked = tabled(Grid(rows)), tabled(Grid(rows, 0))
    assert said(marked) == said(unmarked) == {("Plant Data Archive", "depends_on", "Telemetry Gateway")}
    assert unmarked.tables["claims"]["confidence"][0] < marked.tables["claims"]["confidence"][0]


@pytest.mark.parametrize(
    ("grid", "reason"),
    [
        (Grid([["a", "b"], ["c", "d"]], 0), "table_without_header"),
        (Grid([["x", "y"], ["1", "2"], ["3", "4"]]), "table_without_key"),
        (Grid([["Date", "Amount"], ["2025-01-01", "7"], ["2025-01-02", "8"]]), "table_without_key"),
        (Grid([["Note"], ["The Gateway"]]), "table_without_key"),
        (Grid([["System", "", ""], ["Relay Hub", "x", "y"], ["Core Hub", "z", "w"]]), "table_ragged"),
    ],
)
def test_a_table_that_is_not_read_is_counted_with_its_reason(grid: Grid, reason: str) -> None:
    output = tabled(grid)
    assert said(output) == set()
    expected, actual, lost = book(output, "table_cells")
    assert (actual, lost) == (0, {reason: expected})
    assert expected > 0


def test_rows_and_cells_that_say_nothing_of_a_thing_are_counted() -> None:
    prose = "word " * 30
    output = tabled(
        Grid(
            [
                ["No.", "System", "Status", "Comment", ""],
                ["1", "Relay Hub", "live", prose.strip(), ""],
                ["2", "Network services", "", "", ""],
                ["3", "Core Hub", "–", "", ""],
                ["4", "Edge Hub", "live", "", "stray"],
                ["5", "Old Hub", "live", "", ""],
                ["6", "New Hub", "live", "", ""],
                ["", "Grand total", "7", "", ""],
            ]
        )
    )
    assert {subject for subject, _, _ in said(output)} == {"Relay Hub", "Edge Hub", "Old Hub", "New Hub"}
    reasons = book(output, "table_cells")[2]
    assert reasons["cell_of_prose"] == reasons["cell_without_value"] == reasons["cell_without_label"] == 1
    assert reasons["table_total_row"] == 2


def test_rows_beyond_the_limit_are_counted() -> None:
    rows = [["System", "Status"], *[[f"Hub {name}", "live"] for name in ("Alpha", "Beta", "Gamma")]]
    output = tabled(Grid(rows), settings=EntitySettings(max_table_rows=2))
    assert {subject for subject, _, _ in said(output)} == {"Hub Alpha", "Hub Beta"}
    assert book(output, "table_cells") == (6, 4, {"table_rows_limit": 2})


def test_hidden_tables_and_columns_are_kept_apart() -> None:
    rows = [["System", "Owner", "Status"], ["Relay Hub", "Samir Wadi", "live"]]
    assert said(tabled(Grid(rows, hidden_columns={1}))) == {("Relay Hub", "status", "live")}
    whole = tabled(Grid(rows, hidden=True))
    assert said(whole) == set()
    assert book(whole, "table_cells") == (3, 0, {"hidden_text_kept_apart": 3})


def test_an_amount_is_no_object_of_a_relation_and_no_status() -> None:
    output = tabled(Grid([["System", "Owner", "Status"], ["Relay Hub", "12 %", "£4m"]]))
    predicates = set(output.tables["claims"].select("predicate_raw", "predicate").iter_rows())
    assert predicates == {("owner", "owner"), ("status", "status")}
    assert "owned_by" not in output.tables["claims"]["predicate"]


def test_digits_that_name_stay_text() -> None:
    output = tabled(Grid([["System", "Phone", "Cost code", "Seats"], ["Relay Hub", "5153435776", "4711", "4711"]]))
    kinds = dict(output.tables["claims"].select("predicate_raw", "value_type").iter_rows())
    assert (kinds["phone"], kinds["cost_code"], kinds["seats"]) == ("text", "text", "number")


def test_a_users_own_schema_names_columns() -> None:
    base = load_domain(DomainSettings())
    own = DomainSchema(
        packs=("own 1",),
        types={**base.types, "outstation": EntityType(name="outstation", heads=("outstation",))},
        relations={"fed_by": RelationType(name="fed_by", nouns=("feeder",))},
        attributes={"commissioned": AttributeType(name="commissioned", datatype="date", nouns=("in service",))},
        patterns={},
    )
    output = tabled(Grid([["Outstation", "Feeder", "In service"], ["Marrow Hill", "Elder Sands", "2015"]]), domain=own)
    rows = {row["predicate"]: row for row in output.tables["claims"].to_dicts()}
    assert rows["fed_by"]["object_mention_id"] is not None
    assert (rows["commissioned"]["value_date"], rows["commissioned"]["value_precision"]) == (date(2015, 1, 1), "year")
    assert output.tables["mentions"].filter(text="Marrow Hill")["entity_type"].to_list() == ["outstation"]


def _write_formats(folder: Path, rows: list[list[str]]) -> None:
    from docx import Document
    from openpyxl import Workbook

    (folder / "a.csv").write_text("\n".join(",".join(row) for row in rows), "utf-8")
    marks = ["| " + " | ".join(row) + " |" for row in rows]
    (folder / "b.md").write_text("\n".join([marks[0], "|---|---|---|", *marks[1:]]), "utf-8")
    html = "".join(
        "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in row) + "</tr>"
        for tag, row in zip(["th", *["td"] * (len(rows) - 1)], rows, strict=True)
    )
    (folder / "c.html").write_text(f"<html><body><table>{html}</table></body></html>", "utf-8")
    document = Document()
    table = document.add_table(rows=0, cols=len(rows[0]))
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(str(folder / "d.docx"))
    book = Workbook()
    sheet = book.worksheets[0]
    for row in rows:
        sheet.append(row)
    book.save(folder / "e.xlsx")


def test_every_format_says_the_same(tmp_path: Path) -> None:
    rows = [
        ["System", "Owner", "Depends on"],
        ["Telemetry Gateway", "Margit Osei", "Identity Service"],
        ["Work Order Hub", "Daniel Ferreira", "n/a"],
    ]
    _write_formats(tmp_path, rows)
    output = read_files(
        tmp_path, {"csv": "a.csv", "markdown": "b.md", "html": "c.html", "docx": "d.docx", "xlsx": "e.xlsx"}
    )
    names = dict(output.tables["mentions"].select("mention_id", "text").iter_rows())
    found: dict[str, set[tuple[str, str, str]]] = {}
    for row in output.tables["claims"].filter(rule="T").iter_rows(named=True):
        triple = (names[row["subject_mention_id"]], row["predicate"], names[row["object_mention_id"]])
        found.setdefault(row["version_id"], set()).add(triple)
    expected = {
        ("Telemetry Gateway", "owned_by", "Margit Osei"),
        ("Telemetry Gateway", "depends_on", "Identity Service"),
        ("Work Order Hub", "owned_by", "Daniel Ferreira"),
    }
    assert found == dict.fromkeys(("a.csv", "b.md", "c.html", "d.docx", "e.xlsx"), expected)
