"""Claims of metadata: what a document states of itself, about what its title names, with the field as evidence."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from table_documents import book, read_files, said, tabled

from muniment.domain.loading import load_domain
from muniment.domain.model import AttributeType, DomainSchema
from muniment.settings import DomainSettings
from muniment.stages import StageOutput

BODY = ("paragraph", "Priya Raman approved it. System owners must keep the logs.")


def _stated(**fields: str | list[str]) -> list[dict[str, Any]]:
    rows = []
    for name, values in fields.items():
        for ordinal, value in enumerate([values] if isinstance(values, str) else values):
            rows.append(
                {"version_id": "v1", "field": name.replace("__", "-"), "ordinal": ordinal, "value": value,
                 "basis": "explicit", "evidence": "{}"}
            )  # fmt: skip
    return rows


def _read(*, title: str = "Log Retention Policy", **fields: str | list[str]) -> StageOutput:
    return tabled(("title", title), BODY, metadata=_stated(title=title, **fields))


def _claims(output: StageOutput) -> dict[str, dict[str, Any]]:
    return {row["predicate_raw"]: row for row in output.tables["claims"].filter(rule="M").to_dicts()}


def test_fields_are_claims_about_what_the_title_names() -> None:
    output = _read(
        owner="Priya Raman", status="approved", version="2", effective_date="2025-07-01", valid_to="2026-07-01"
    )
    assert said(output, "M") == {
        ("Log Retention Policy", "owner", "Priya Raman"),
        ("Log Retention Policy", "status", "approved"),
        ("Log Retention Policy", "version", "2"),
        ("Log Retention Policy", "effective_date", "2025-07-01"),
        ("Log Retention Policy", "expiry_date", "2026-07-01"),
    }
    rows = _claims(output)
    assert {row["basis"] for row in rows.values()} == {"explicit"}
    assert (rows["owner"]["predicate"], rows["owner"]["predicate_text"]) == ("owned_by", "owner")
    assert rows["effective_date"]["value_date"] == date(2025, 7, 1)
    assert (rows["version"]["value_type"], rows["version"]["value_number"]) == ("text", None)


def test_the_evidence_of_what_stands_outside_the_text_is_the_field() -> None:
    output = _read(status="approved")
    (claim,) = output.tables["claims"].filter(rule="M").to_dicts()
    (evidence,) = output.tables["claim_evidence"].filter(claim_id=claim["claim_id"]).to_dicts()
    assert (evidence["start"], evidence["end"], evidence["quote"], evidence["field"]) == (-1, -1, "approved", "status")


def test_a_name_that_the_text_mentions_is_that_mention_and_another_stays_words() -> None:
    output = _read(owner=["Priya Raman", "Nobody Here"])
    owners = output.tables["claims"].filter(rule="M")
    assert owners.height == 2
    names = dict(output.tables["mentions"].select("mention_id", "text").iter_rows())
    linked = owners.filter(pl.col("object_mention_id").is_not_null())["object_mention_id"]
    assert [names[one] for one in linked] == ["Priya Raman"]
    assert owners["value"].drop_nulls().to_list() == ["Nobody Here"]


def test_several_people_of_one_field_are_several_claims() -> None:
    output = _read(author="Ada Byron; Grace Hopper")
    assert said(output, "M") == {
        ("Log Retention Policy", "author", "Ada Byron"),
        ("Log Retention Policy", "author", "Grace Hopper"),
    }


def test_fields_of_the_file_and_the_message_say_nothing_of_the_subject() -> None:
    output = _read(
        created="2025-11-03T09:00:00Z", modified="2025-11-03", producer="a program", generator="a tool", language="en",
        message__id="<1@x>", keywords="logs", from_="x@example.org", layout="post", author="python-docx", owner="-",
    )  # fmt: skip
    assert said(output, "M") == set()
    assert book(output, "metadata_fields")[2]["metadata_without_value"] == 2


@pytest.mark.parametrize(
    "title",
    [
        "Minutes of the Security Committee",
        "Amendment No. 1 to the Remote Access Policy",
        "Questions that the auditor asked and the owners of the systems have answered",
    ],
)
def test_a_title_that_is_more_than_a_name_is_no_subject_of_what_it_names(title: str) -> None:
    output = _read(title=title, status="approved")
    subjects = {subject for subject, _, _ in said(output, "M")}
    assert not subjects & {"Security Committee", "Remote Access Policy", "auditor"}


def test_without_a_mention_of_the_title_there_is_no_claim() -> None:
    output = tabled(("title", "Systems"), BODY, metadata=_stated(title="Governance register", status="approved"))
    assert said(output, "M") == set()
    assert book(output, "metadata_fields") == (2, 0, {"metadata_of_file": 1, "metadata_without_subject": 1})


def test_owner_and_status_hold_while_the_document_does_and_its_dates_always() -> None:
    output = tabled(
        ("title", "Log Retention Policy"),
        metadata=_stated(title="Log Retention Policy", owner="Priya Raman", version="1", valid_from="2024-01-01"),
        valid_from=date(2024, 1, 1),
    )
    rows = _claims(output)
    assert (rows["owner"]["valid_from"], rows["owner"]["validity_basis"]) == (date(2024, 1, 1), "metadata")
    assert rows["owner"]["validity_text"] == "2024-01-01"
    assert {rows[name]["validity_basis"] for name in ("version", "effective_date")} == {"unknown"}


def test_a_users_own_field_is_read_by_the_schema() -> None:
    domain = load_domain(DomainSettings())
    tier = AttributeType(name="tier", nouns=("flood class",))
    changed = DomainSchema(
        packs=(*domain.packs, "own 1"),
        types=domain.types,
        relations=domain.relations,
        attributes={**domain.attributes, "tier": tier},
        patterns=domain.patterns,
    )
    fields = _stated(title="Log Retention Policy", flood_class="gold")
    assert said(tabled(("title", "Log Retention Policy"), metadata=fields), "M") == set()
    known = tabled(("title", "Log Retention Policy"), metadata=fields, domain=changed)
    assert known.tables["claims"].filter(rule="M")["predicate"].to_list() == ["tier"]


def test_mail_headers_are_quoted_where_they_stand(tmp_path: Path) -> None:
    mail = (
        "From: Ada Lovelace <ada@example.org>\nTo: Bob <bob@example.org>\nDate: Mon, 18 Aug 2025 16:40:00 +0000\n"
        "Subject: Outage of the Telemetry Gateway\n\nThe Telemetry Gateway failed.\n"
    )
    (tmp_path / "a.eml").write_text(mail, "utf-8")
    output = read_files(tmp_path, {"eml": "a.eml"})
    rows = _claims(output)
    assert rows["publication_date"]["value_date"] == date(2025, 8, 18)
    evidence = output.tables["claim_evidence"].filter(claim_id=rows["author"]["claim_id"]).row(0, named=True)
    assert evidence["start"] >= 0
    assert (evidence["quote"], evidence["field"]) == ("From: Ada Lovelace <ada@example.org>", "author")
    names = dict(output.tables["mentions"].select("mention_id", "text").iter_rows())
    assert names[rows["author"]["object_mention_id"]] == "Ada Lovelace"
    assert {subject for subject, _, _ in said(output, "M")} == {"Outage of the Telemetry Gateway"}
