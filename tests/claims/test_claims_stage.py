"""The stage `entities`: mentions, types, evidence, books, and that nothing but the document decides."""

from __future__ import annotations

import dataclasses
from datetime import date
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from claims_documents import Corpus, Parts, claims, corpus, entities, mentions, read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.claims.stage import producer
from muniment.settings import EntitySettings
from muniment.workers.pool import open_pool

CONTRACT: Parts = [
    ("title", "Master Services Agreement"),
    ("heading", "1. Payment Gateway"),
    (
        "paragraph",
        'Acme Holdings Limited (the "Supplier") shall operate the Payment Gateway for Delta GmbH. The Supplier '
        "shall not disclose the data unless Delta GmbH agrees. Acme is a company. It pays EUR 5,000 by 1 July 2026.",
    ),
    ("heading", "Article 2 Introduction"),
    (
        "paragraph",
        "The European Union Agency for Cybersecurity (ENISA) was founded in 2004. ENISA supports Member States, and "
        "the Commission's report describes its three services.\nSee Article 5(2) of Regulation (EU) 2019/881.",
    ),
    ("table", "Owner\tSystem\nAlice Brown\tThe Billing System is maintained by Acme Holdings Limited\nBob\t12"),
    ("code", "if unless: return 'Acme'"),
]


def _contract(**extraction: Any) -> Corpus:
    return corpus({"v1": (CONTRACT, "en")}, **extraction)


def test_everything_is_verbatim_and_every_claim_stands_on_mentions() -> None:
    source = _contract()
    output = entities(source)
    text = source.text()
    rows = output.tables["mentions"].to_dicts()
    assert rows
    assert all(text[row["start"] : row["end"]] == row["text"] for row in rows)
    evidence = output.tables["claim_evidence"].to_dicts()
    assert all(text[row["start"] : row["end"]] == row["quote"] for row in evidence)
    known = set(output.tables["mentions"]["mention_id"])
    found = output.tables["claims"]
    assert set(found["subject_mention_id"]) | set(found["object_mention_id"].drop_nulls()) <= known
    assert set(output.tables["claim_evidence"]["claim_id"]) == set(found["claim_id"])


def test_the_quote_is_the_sentence_and_in_a_row_of_cells_only_the_words_of_the_claim() -> None:
    output = entities(_contract())
    quotes = dict(output.tables["claim_evidence"].select("claim_id", "quote").iter_rows())
    by_predicate = {row["predicate_raw"]: quotes[row["claim_id"]] for row in claims(output)}
    assert by_predicate["disclose"] == "The Supplier shall not disclose the data unless Delta GmbH agrees."
    assert by_predicate["maintain"] == "Billing System is maintained by Acme Holdings Limited"


def test_mentions_do_not_overlap() -> None:
    spans = entities(_contract()).tables["mentions"].sort("start").select("start", "end").rows()
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_types_come_from_labels_and_better_cues() -> None:
    found = {name: row["entity_type"] for name, row in mentions(entities(_contract())).items()}
    expected = {
        "Acme Holdings Limited": "organisation",
        "Delta GmbH": "organisation",
        "Payment Gateway": "system",
        "Billing System": "system",
        "European Union Agency for Cybersecurity": "organisation",
        "ENISA": "organisation",
        "Article 5(2) of Regulation (EU) 2019/881": "provision",
        "EUR 5,000": "money",
        "1 July 2026": "date",
        "Master Services Agreement": "contract",
    }
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("sentence", "name", "kind"),
    [
        ("The bank follows the Information Security Policy.", "Information Security Policy", "policy"),
        ("The auditor tests the access controls.", "access controls", "control"),
        ("Beta signed the Framework Agreement.", "Framework Agreement", "contract"),
        ("Paris hosts the fair.", "Paris", "place"),
        ("The report cites Article 9.", "Article 9", "unit"),
        ("The bank kept 250 records for two weeks.", "two weeks", "quantity"),
        ("The board admired the weather.", "weather", "concept"),
    ],
)
def test_types_of_single_names(sentence: str, name: str, kind: str) -> None:
    assert mentions(read(sentence))[name]["entity_type"] == kind


def test_a_bare_name_is_the_organisation_that_the_document_names_in_full() -> None:
    found = mentions(read("Acme signed the deal. Acme Ltd is based in Dublin. Acme grew."))
    assert found["Acme"]["entity_type"] == "organisation"


def test_determiners_pronouns_and_counts_are_no_part_of_names() -> None:
    found = mentions(read("The three suppliers sent it to their new bank. Annex 3 lists them."))
    assert {"suppliers", "new bank", "Annex 3"} <= set(found)
    assert not {"it", "them", "The three suppliers", "their new bank"} & set(found)


def test_subjects_are_the_names_in_title_and_headings_without_numbering() -> None:
    output = entities(_contract())
    subjects = {row["text"] for row in output.tables["mentions"].to_dicts() if row["is_subject"]}
    assert {"Master Services Agreement", "Payment Gateway"} <= subjects
    assert "Introduction" not in {
        row["text"] for row in output.tables["mentions"].to_dicts() if row["source"] == "subject"
    }
    gateway = output.tables["mentions"].filter(text="Payment Gateway").sort("start").to_dicts()
    assert (gateway[0]["source"], gateway[0]["is_subject"]) == ("subject", True)
    assert not gateway[1]["is_subject"]


def test_a_stated_subject_that_stands_in_the_text_is_a_subject() -> None:
    stated = {
        "version_id": "v1",
        "field": "subject",
        "ordinal": 0,
        "value": "Gateway Migration",
        "basis": "explicit",
        "evidence": "{}",
    }
    source = corpus({"v1": ([("mail_header", "Subject: Gateway Migration"), ("paragraph", "Hello.")], "en")}, [stated])
    assert mentions(entities(source))["Gateway Migration"]["source"] == "subject"


def test_defined_short_forms_point_to_their_long_form_everywhere_in_the_document() -> None:
    rows = entities(_contract()).tables["mentions"].to_dicts()
    short = [row["acronym_of"] for row in rows if row["name"] == "enisa"]
    assert short == ["european union agency for cybersecurity"] * 2
    assert {row["acronym_of"] for row in rows if row["name"] == "supplier"} == {"acme holdings limited"}


@pytest.mark.parametrize(
    "text",
    [
        "Газпром нефть подписала договор с Acme Ltd.",
        "Η Ελληνική Δημοκρατία και η Acme Ltd.",
        "وقعت Acme Ltd عقدا",
        "中国银行与 Acme Ltd 签约。",
    ],
)
def test_names_of_every_script_survive(text: str) -> None:
    source = corpus({"v1": ([("title", text.split(" Acme")[0])], "und")})
    rows = entities(source).tables["mentions"].to_dicts()
    names = [row["name"] for row in rows]
    assert names and all(names)
    assert all(row["text"] in source.text() for row in rows)


def test_german_without_pipeline_still_has_citations_and_amounts() -> None:
    output = read("Die Bank unterliegt der Verordnung (EU) 2019/881. Sie zahlt 5.000 EUR.", "de")
    assert {name: row["entity_type"] for name, row in mentions(output).items()} == {
        "Verordnung (EU) 2019/881": "law",
        "5.000 EUR": "money",
    }
    assert output.tables["claims"].is_empty()


def test_books_add_up_and_explain_what_is_left_out() -> None:
    source = _contract()
    output = entities(source)
    books = {row["unit"]: row for row in output.tables["stage_books"].to_dicts()}
    assert {row["unexplained"] for row in books.values()} == {0}
    spans = source.annotations.select("entity_starts", "noun_chunk_starts").rows()
    assert books["mentions"]["expected"] == sum(len(named) + len(chunks) for named, chunks in spans)
    assert books["mentions"]["actual"] == output.tables["mentions"].height
    verbs = source.annotations.filter(pl.col("pos").list.contains("VERB") | pl.col("pos").list.contains("AUX")).height
    assert books["sentences_with_verb"]["expected"] == verbs
    losses = output.tables["losses"].group_by("unit").agg(pl.col("amount").sum())
    assert dict(losses.iter_rows()) == {unit: row["explained"] for unit, row in books.items() if row["explained"]}


def test_a_sentence_that_says_nothing_of_a_name_is_counted() -> None:
    output = read("It rains. Acme Ltd owns Beta Ltd.")
    losses = output.tables["losses"].filter(reason_code="sentence_without_claim")["amount"].to_list()
    assert losses == [1]


def test_values_are_mentions_but_neither_subjects_nor_objects() -> None:
    output = entities(_contract())
    values = output.tables["mentions"].filter(pl.col("entity_type").is_in(["date", "money", "percent", "quantity"]))
    assert values.height >= 3
    ends = set(output.tables["claims"]["subject_mention_id"]) | set(output.tables["claims"]["object_mention_id"])
    assert not ends & set(values["mention_id"])


def test_equal_statements_of_two_versions_share_their_statement_id_only() -> None:
    parts: Parts = [("paragraph", "Acme Ltd shall notify the Bank.")]
    source = corpus(
        {"v1": (parts, "en"), "v2": ([("paragraph", "Hello there. The ACME Ltd shall notify the bank.")], "en")}
    )
    found = entities(source).tables["claims"].filter(predicate_raw="notify")
    assert found.height == 2
    assert found["statement_id"].n_unique() == 1
    assert found["claim_id"].n_unique() == 2


@pytest.mark.parametrize(
    "other",
    [
        "Acme Ltd shall not notify the Bank.",
        "Acme Ltd may notify the Bank.",
        "Acme Ltd shall notify the Bank if Beta asks.",
    ],
)
def test_polarity_modality_and_condition_make_another_statement(other: str) -> None:
    base = read("Acme Ltd shall notify the Bank.").tables["claims"].filter(predicate_raw="notify")["statement_id"][0]
    assert read(other).tables["claims"].filter(predicate_raw="notify")["statement_id"][0] != base


def test_claims_carry_the_date_of_their_source() -> None:
    source = _contract(published_on=date(2026, 3, 1))
    assert entities(source).tables["claims"]["asserted_on"].unique().to_list() == [date(2026, 3, 1)]


def test_without_noun_phrases_only_names_are_mentions() -> None:
    output = read("The supplier of Acme Ltd keeps the register.", settings=EntitySettings(noun_phrases=False))
    assert set(mentions(output)) == {"Acme Ltd"}
    assert set(output.tables["stage_books"]["unexplained"]) == {0}


@pytest.mark.integration
def test_order_and_workers_change_nothing() -> None:
    documents = {
        "v1": (CONTRACT, "en"),
        "v2": ([("paragraph", "Le fournisseur doit notifier la banque.")], "fr"),
        "v3": ([("paragraph", " ".join(f"Bank {n} shall keep the register of Unit {n}." for n in range(450)))], "en"),
    }
    source = corpus(documents)
    inline = entities(source)
    shuffled = Corpus(
        *(frame.sample(fraction=1.0, shuffle=True, seed=7) for frame in dataclasses.astuple(source)),
    )
    with open_pool(2) as pool:
        parallel = entities(shuffled, pool=pool)
    for name, frame in inline.tables.items():
        assert frame.sort(frame.columns).equals(parallel.tables[name].sort(frame.columns)), name
    alone = entities(corpus({"v1": documents["v1"]}))
    claims_v1 = inline.tables["claims"].filter(version_id="v1")
    assert claims_v1.equals(alone.tables["claims"])


_TEXT = (
    "Acme Ltd the bank shall not may keep is owned by unless if register of Beta GmbH and or , ; ( ) EUR 5,000 "
    "1 July 2026 which supplier's Article 5 from until must be approved no they . ? Gateway System"
)
_WORDS = st.sampled_from(_TEXT.split())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_WORDS, min_size=1, max_size=30))
def test_any_text_keeps_the_invariants(words: list[str]) -> None:
    source = corpus({"v1": ([("heading", " ".join(words[:4])), ("paragraph", " ".join(words))], "en")})
    output = entities(source)
    text = source.text()
    assert set(output.tables["stage_books"]["unexplained"]) == {0}
    for row in output.tables["mentions"].to_dicts():
        assert text[row["start"] : row["end"]] == row["text"] and row["name"]
    for row in output.tables["claim_evidence"].to_dicts():
        assert text[row["start"] : row["end"]] == row["quote"]
    known = set(output.tables["mentions"]["mention_id"])
    for row in claims(output):
        assert {row["subject_mention_id"], row["object_mention_id"] or row["subject_mention_id"]} <= known
        assert not (row["object_mention_id"] and row["value"])


def test_a_version_without_text_fails_and_the_producer_has_a_version() -> None:
    source = _contract()
    source.canonical_texts = source.canonical_texts.head(0)
    output = entities(source)
    assert [(item.state, item.reason_code) for item in output.outcomes] == [("failed", "upstream_failed")]
    assert producer(EntitySettings()).startswith("entities-")
