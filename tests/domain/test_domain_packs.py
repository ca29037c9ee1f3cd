"""What the shipped packs must hold: the types of the plan, old meanings of predicates, identifiers of many kinds."""

from __future__ import annotations

import polars as pl
import pytest
from domain_packs import shipped

from muniment.domain.predicates import predicates_of
from muniment.domain.types import cues_of
from muniment.graph.predicates import dependency, functional, inverse_functional, plain

_WANTED_TYPES = (
    *("system", "component", "policy", "control", "obligation", "requirement", "decision", "event", "organisation"),
    *("person", "role", "product", "place", "contract", "law", "provision", "risk", "metric", "concept"),
)


def test_the_types_of_the_plan_are_there_and_broader_types_are_known() -> None:
    schema = shipped()
    assert [name for name in _WANTED_TYPES if name not in schema.types] == []
    assert schema.is_a("standard", "document")
    assert schema.is_a("team", "organisation")
    assert schema.value_types == {"date", "money", "percent", "quantity"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("log retention policy", "policy"),
        ("politiques", "policy"),
        ("Duty Manager", "role"),
        ("Data Protection Officer", "role"),
        ("Security Committee", "organisation"),
        ("the committee", "team"),
        ("Harnley data centre", "place"),
        ("risk of unauthorised access", "risk"),
        ("the Act", "law"),
        ("an act", None),
        ("système de facturation", "system"),
        ("outages", "incident"),
        ("Margit Osei", None),
    ],
)
def test_the_last_words_of_a_phrase_show_its_type(name: str, kind: str | None) -> None:
    assert cues_of(shipped()).of_head(name) == kind


@pytest.mark.parametrize(
    ("raw", "expected", "inverse"),
    [
        ("own", "owned_by", True),
        ("be_own_by", "owned_by", False),
        ("be_propriétaire_du", "owned_by", True),
        ("depend_on", "depends_on", False),
        ("dépendre_de", "depends_on", False),
        ("consist_of", "part_of", True),
        ("receive_from", "sends_to", True),
        ("be_host_on", "runs_on", False),
        ("supersede", "replaces", False),
        ("abroger", "repeals", False),
        ("be_locate_in", "located_in", False),
        ("be_party_to", "party_to", False),
    ],
)
def test_ways_of_saying_one_thing_meet(raw: str, expected: str, inverse: bool) -> None:
    found = predicates_of(shipped()).of_verb(raw, has_value=False)
    assert (found.name, found.inverse) == (expected, inverse)


def test_a_server_runs_an_application_and_a_team_runs_a_service() -> None:
    lookup = predicates_of(shipped())
    assert lookup.of_verb("run", has_value=False, subject_type="infrastructure").name == "runs_on"
    assert lookup.of_verb("run", has_value=False, subject_type="team").name == "operated_by"


def test_being_in_a_place_is_a_location_and_being_in_scope_is_not() -> None:
    lookup = predicates_of(shipped())
    assert lookup.of_verb("be_in", has_value=False, object_type="site").name == "located_in"
    assert lookup.of_verb("be_in", has_value=False, object_type="concept").kind == "raw"


@pytest.mark.parametrize(
    ("field", "predicate"),
    [
        ("Owner", "owned_by"), ("System owner", "owned_by"), ("Effective date", "effective_date"),
        ("Retention", "retention_period"), ("Durée de conservation", "retention_period"), ("Supplier", "provides"),
        ("RTO", "recovery_time_objective"), ("Status", "status"), ("Approved by", "approves"),
        ("Contract end date", "expiry_date"), ("Uptime", "availability"), ("Supersedes", "replaces"),
    ],
)  # fmt: skip
def test_columns_of_registers_are_known(field: str, predicate: str) -> None:
    found = predicates_of(shipped()).of_field(field)
    assert found is not None
    assert found.name == predicate


@pytest.mark.parametrize(
    ("text", "name", "pattern"),
    [
        ("as Control BK-01 asks", "BK-01", "control_named"),
        ("see AC-2(1)", "AC-2(1)", "nist_control"),
        ("change CHG-1077 is closed", "CHG-1077", "change_id"),
        ("ISO/IEC 27001:2022 certified", "ISO/IEC 27001:2022", "standard_number"),
        ("CVE-2021-44228", "CVE-2021-44228", "cve"),
        ("in RFC 2119", "RFC 2119", "rfc"),
        ("under POL-014", "POL-014", "policy_id"),
        ("Article 5(2) of Regulation (EU) 2019/881", "Article 5(2) of Regulation (EU) 2019/881", "provision_of_eu_act"),
        ("la loi n° 78-17 du 6 janvier 1978", "loi n° 78-17 du 6 janvier 1978", "fr_act"),
        ("45 C.F.R. § 164.312(a)(1) and", "45 C.F.R. § 164.312(a)(1)", "us_regulation"),
        ("the Data Protection Act 2018 applies", "Data Protection Act 2018", "uk_act"),
        ("for 30 jours ouvrés", "30 jours ouvrés", "duration_in_units"),
        ("pays £186,400 yearly", "£186,400", "money_code_first"),
        ("of 99.5 %", "99.5 %", "percentage"),
        ("clause 12.3(b) says", "clause 12.3(b)", "clause_number"),
    ],
)
def test_identifiers_citations_and_amounts_are_found_whole(text: str, name: str, pattern: str) -> None:
    found = shipped().patterns[pattern].compiled.search(text)
    assert found is not None
    assert found.group("name" if "name" in found.re.groupindex else 0) == name


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("COVID-19", "control_named"), ("10.20.0.0.1", "ip_address"), ("version 27001:2022", "standard_number"),
        ("chapter 12 verses", "clause_number"), ("3.5", "percentage"), ("the Act of God", "us_act"),
        ("12 of 2024-05", "iso_date"), ("10 minutess", "duration_in_units"),
    ],
)  # fmt: skip
def test_what_only_looks_like_one_is_left(text: str, pattern: str) -> None:
    assert shipped().patterns[pattern].compiled.search(text) is None


def test_each_pattern_shows_what_it_is_for_and_one_priority_order_holds() -> None:
    patterns = shipped().patterns.values()
    assert [item.name for item in patterns if not item.examples] == []


#: Meanings that the graph gave these predicates before there was a schema.
_ONE_VALUE = ("apply from", "be due by", "be govern by", "be keep for", "be manage by", "be own by", "be retain for",
              "be succeed by", "be version", "cost", "deadline", "end on", "enter into force on", "expire on",
              "have owner", "owner", "report to", "retain for", "start on", "take effect on", "version")  # fmt: skip
_NEEDS_OBJECT = ("be base on", "be connect to", "be host by", "be store in", "call", "consume", "contain", "depend on",
                 "import from", "import", "include", "integrate with", "need", "query", "read from", "receive from",
                 "rely on", "require", "run on", "subscribe to", "use", "utilize", "write to")  # fmt: skip
_NEEDED_BY_OBJECT = ("deliver to", "export to", "feed", "host", "power", "provide", "publish to", "run", "send to",
                     "serve", "store", "supply", "support")  # fmt: skip


def test_predicates_keep_the_direction_of_dependence_named_or_raw() -> None:
    found = dependency(shipped())
    assert [word for word in _NEEDS_OBJECT if word not in found.on_object] == []
    assert [word for word in _NEEDED_BY_OBJECT if word not in found.on_subject] == []
    assert {"depends on", "uses", "runs on"} <= found.on_object
    assert {"sends to", "part of", "provides"} <= found.on_subject
    assert not found.on_object & found.on_subject
    assert not {"own", "owned by", "operate"} & (found.on_object | found.on_subject)  # ownership is no dependence


def test_predicates_with_one_value_stay_so() -> None:
    schema = shipped()
    assert [word for word in _ONE_VALUE if word not in functional(schema)] == []
    assert {"own", "operate", "be owner of", "be successor of"} <= inverse_functional(schema)
    assert "located in" not in functional(schema)  # a thing is in a town and in a country


def test_a_predicate_of_a_row_is_written_as_the_sets_are() -> None:
    frame = pl.DataFrame({"predicate": ["owned_by", "Depend_on", "be base on"]})
    assert frame.select(plain())["predicate"].to_list() == ["owned by", "depend on", "be base on"]
