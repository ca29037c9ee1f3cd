"""Types of mentions come from the schema in force: its labels, its head words, and what a name itself shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from domain_packs import own_file, shipped, small

from muniment.claims.types import corporate_stem, entity_type


@pytest.mark.parametrize(
    ("text", "label", "kind"),
    [
        ("Security Committee", "PERSON", "organisation"),  # the head corrects the recogniser
        ("Acme Ltd", "PERSON", "organisation"),
        ("Margit Osei", "PERSON", "person"),
        ("Policy P-12", "IDENTIFIER", "policy"),
        ("Regulation (EU) 2019/881", "LAW", "law"),
        ("Article 5", None, "law"),
        ("90 days", "DATE", "quantity"),
        ("May 2024", "DATE", "date"),
        ("£5", "MONEY", "money"),
        ("something else", None, "concept"),
    ],
)
def test_head_words_beat_labels_and_forms_of_names_beat_both(text: str, label: str | None, kind: str) -> None:
    assert entity_type(text, label, shipped()) == kind


def test_an_own_type_with_its_head_word_is_given(tmp_path: Path) -> None:
    own = own_file(tmp_path, "types:", "  - {name: pump, parent: system, heads: [pump, booster set]}")
    assert entity_type("the booster sets of the works", None, shipped(own)) == "pump"
    assert entity_type("the booster sets of the works", None, shipped()) == "concept"


def test_a_schema_without_a_type_does_not_get_it() -> None:
    schema = small()
    assert entity_type("Paris", "GPE", schema) == "concept"
    assert entity_type("£5", "MONEY", schema) == "amount"
    assert schema.value_types == {"amount"}


def test_a_company_form_ends_a_name_and_is_no_name() -> None:
    assert corporate_stem("Acme Ltd.") == "Acme"
    assert corporate_stem("Acme") is None
    assert corporate_stem("Ltd") is None
