"""Roles, appositions, possessives, co-occurrence, and the full wording of arguments."""

from __future__ import annotations

import pytest
from claims_documents import claims, corpus
from claims_raw import raw_domain, read, triple, triples

from muniment.claims.clauses_clear import clauses
from muniment.claims.drafts import Scope
from muniment.claims.mentions import sentence_mentions
from muniment.claims.rules_verbs import verb_claims
from muniment.claims.trees import Tree
from muniment.domain.loading import load_domain
from muniment.nlp.convert import row_sentence
from muniment.settings import DomainSettings, EntitySettings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The owner of the Billing System is Alice Brown.",
            {("Alice Brown", "is_a", "owner"), ("Alice Brown", "be_owner_of", "Billing System")},
        ),
        (
            "Acme is Beta's supplier.",
            {("Acme", "is_a", "supplier"), ("Acme", "be_supplier_of", "Beta"), ("Beta", "have", "supplier")},
        ),
        (
            "Acme Ltd, Beta's supplier, delivers the servers.",
            {
                ("Acme Ltd", "is_a", "supplier"),
                ("Acme Ltd", "be_supplier_of", "Beta"),
                ("Beta", "have", "supplier"),
                ("Acme Ltd", "deliver", "servers"),
            },
        ),
        (
            "Alice Brown, Chief Executive of Acme Ltd, left.",
            {("Alice Brown", "is_a", "Chief Executive"), ("Alice Brown", "be_executive_of", "Acme Ltd")},
        ),
        # of two names one is no kind of the other, nor is one thing several
        (
            "Margit Osei, Tomas Lindqvist approved the plan.",
            {("Margit Osei", "approve", "plan"), ("Tomas Lindqvist", "approve", "plan")},
        ),
        # a label and its value are no apposition
        ("Author: Priya Raman.", set()),
        # a place in brackets is no kind of company
        ("Acme Ltd (Berlin) supplies Beta Ltd.", {("Acme Ltd", "supply", "Beta Ltd")}),
    ],
)
def test_roles_and_possessives(text: str, expected: set[tuple[str, str, str | None]]) -> None:
    assert triples(text) == expected


def co_occurring(text: str) -> set[tuple[str, str, str | None]]:
    settings = EntitySettings()
    return {triple(row) for row in claims(read(text, settings=settings)) if row["rule"] == "R12"}


def test_names_near_each_other_without_another_claim_are_weakly_related() -> None:
    text = "Acme Ltd announced a plan during talks with Beta Ltd."
    assert co_occurring(text) == {("Acme Ltd", "related_to", "Beta Ltd")}
    (row,) = [row for row in claims(read(text, settings=EntitySettings())) if row["rule"] == "R12"]
    assert (row["confidence"], row["polarity"], row["modality"]) == (0.4, "positive", "is")
    assert not [row for row in claims(read(text)) if row["rule"] == "R12"]  # switched off


@pytest.mark.parametrize(
    "text",
    [
        "Acme Ltd acquired Beta Ltd.",  # another claim says more
        "Acme Ltd and Beta Ltd announced a plan.",  # one list
        "The European Union Agency for Cybersecurity (ENISA) was founded by the bank.",  # one name and its short form
        "Does Acme Ltd know of the plans that Beta Ltd has?",  # a question
        "Acme Ltd announced a plan for the renewal of its old and slow server rooms, for new cables in the cellar, "
        "and for a new roof over the car park during talks with Beta Ltd.",  # too far
        "The vendor announced a plan during talks with the bank.",  # no names
    ],
)
def test_no_co_occurrence(text: str) -> None:
    assert co_occurring(text) == set()


def test_co_occurrence_is_no_dependency_and_never_functional() -> None:
    domain = load_domain(DomainSettings())
    relation = domain.relations.get("related_to")
    assert relation is None or (not relation.functional and relation.dependency == "none")


def test_a_draft_has_the_full_wording_of_its_arguments() -> None:
    text = "The new supplier of the bank shall deliver the annual report on all open risks."
    (row,) = corpus({"v1": ([("paragraph", text)], "en")}).annotations.to_dicts()
    sentence = row_sentence(row, text)
    tree = Tree(sentence)
    found = sentence_mentions(sentence, tree, (), noun_phrases=True, max_tokens=12)
    scope = Scope(sentence, tree, found, 12, raw_domain())
    (draft,) = [
        draft for clause in clauses(tree) for draft in verb_claims(scope, clause) if draft.predicate == "deliver"
    ]
    assert draft.subject_span is not None
    assert draft.object_span is not None
    assert text[slice(*draft.subject_span)] == "The new supplier of the bank"
    assert text[slice(*draft.object_span)] == "the annual report on all open risks"
