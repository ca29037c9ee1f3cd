"""Tracing what something depends on, with evidence for each edge and nothing silently chosen or dropped."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from slice_rows import Fact, Shelf, words

from muniment.search.hits import SearchResult
from muniment.slices.assemble import build_slice
from muniment.slices.model import Conflict, ContextSlice, EntityCard, Excerpt, Relationship

_ARCHITECTURE = (
    Fact("Billing depends on Ledger.", "Billing", "depend on", "Ledger"),
    Fact("Ledger runs on Cluster.", "Ledger", "run on", "Cluster"),
    Fact("Cluster uses Vault.", "Cluster", "use", "Vault"),
    Fact("Portal calls Billing.", "Portal", "call", "Billing"),
    Fact("Gateway feeds Portal.", "Gateway", "feed", "Portal"),
    Fact("Billing resembles Invoicing.", "Billing", "resemble", "Invoicing"),
)


def _no_search(request: str, limit: int) -> SearchResult:
    raise AssertionError("dependencies needs no search")


def _slice(shelf: Shelf, request: str = "What does Billing depend on?", **options: Any) -> ContextSlice:
    layer = options.pop("entity_layer", True)
    return build_slice(
        shelf.rows(entity_layer=layer),
        "dependencies",
        request,
        search=_no_search,
        count_tokens=words,
        generation_id="g1",
        principal="ann",
        **options,
    )


def _edges(found: ContextSlice) -> list[tuple[str, str, str, int]]:
    return [(one.subject, one.object, one.direction, one.depth) for one in found.items if isinstance(one, Relationship)]


def test_dependencies_come_up_and_down_near_before_far_others_last() -> None:
    found = _slice(Shelf().add("arch", *_ARCHITECTURE))
    assert _edges(found) == [
        ("Billing", "Ledger", "upstream", 1),
        ("Portal", "Billing", "downstream", 1),
        ("Ledger", "Cluster", "upstream", 2),
        # the portal is fed by the gateway, so the gateway is upstream of the portal, not downstream of billing
        ("Billing", "Invoicing", "related", 1),
    ]
    assert _edges(_slice(Shelf().add("arch", *_ARCHITECTURE), depth=3))[3] == ("Cluster", "Vault", "upstream", 3)
    assert len(_edges(_slice(Shelf().add("arch", *_ARCHITECTURE), depth=1))) == 3


def test_an_edge_carries_its_exact_wording_and_where_it_stands() -> None:
    found = _slice(Shelf().add("arch", *_ARCHITECTURE))
    first = next(one for one in found.items if isinstance(one, Relationship))
    (evidence,) = first.claims[0].evidence
    assert (evidence.document_id, evidence.version_id, evidence.chunk_id) == ("arch", "v-arch", "k-arch-0")
    assert (evidence.start, evidence.end, evidence.quote) == (0, 26, "Billing depends on Ledger.")
    assert evidence.locator == '{"page": 3}'
    (excerpt, *_) = [one for one in found.items if isinstance(one, Excerpt)]
    assert excerpt.text == "Billing depends on Ledger."
    assert "> Billing depends on Ledger. [1]" in str(found)
    assert "[1] Title of arch, page 3; characters 0-26 of version v-arch" in str(found)
    assert found.citations[0].evidence == evidence


def test_every_item_says_why_and_the_six_steps_are_logged() -> None:
    found = _slice(Shelf().add("arch", *_ARCHITECTURE))
    assert all(item.why for item in found.items)
    assert [one.step for one in found.decision_log] == [
        "identify",
        "traverse",
        "select",
        "conflicts",
        "excerpts",
        "render",
    ]
    whys = [one.why for one in found.items if isinstance(one, Relationship)]
    assert whys[0] == "the focal entity depends on it"
    assert whys[2] == "the focal entity depends on it over 2 relationships"


def test_contested_edges_are_flagged_and_both_sides_are_quoted() -> None:
    shelf = Shelf().add("arch", *_ARCHITECTURE)
    shelf.add(
        "later", Fact("Billing no longer depends on Ledger.", "Billing", "depend on", "Ledger", polarity="negative")
    )
    found = _slice(shelf)
    (conflict,) = [one for one in found.items if isinstance(one, Conflict)]
    assert conflict.sides == {"negative": ("c-later-0",), "positive": ("c-arch-0",)}
    assert [one.quote for one in conflict.evidence] == [
        "Billing no longer depends on Ledger.",
        "Billing depends on Ledger.",
    ]
    between = [one for one in found.items if isinstance(one, Relationship) and one.object == "Ledger"]
    assert {one.polarity for one in between} == {"positive", "negative"}
    assert all(one.conflict_ids == (conflict.conflict_id,) for one in between)
    assert "Billing | depend on (denied) | Ledger" in str(found)


def test_a_denied_dependency_is_shown_but_not_followed() -> None:
    shelf = Shelf().add(
        "arch",
        Fact("Billing does not use Ledger.", "Billing", "use", "Ledger", polarity="negative"),
        Fact("Ledger runs on Cluster.", "Ledger", "run on", "Cluster"),
    )
    assert _edges(_slice(shelf)) == [("Billing", "Ledger", "upstream", 1)]


def test_conditions_are_part_of_the_edge() -> None:
    fact = Fact("Billing uses Ledger unless Cache is on.", "Billing", "use", "Ledger", condition="unless Cache is on")
    found = _slice(Shelf().add("arch", fact))
    assert "condition: unless Cache is on" in str(found)


def test_a_cycle_ends() -> None:
    shelf = Shelf().add(
        "arch",
        Fact("Billing uses Ledger.", "Billing", "use", "Ledger"),
        Fact("Ledger uses Billing.", "Ledger", "use", "Billing"),
    )
    assert sorted(_edges(_slice(shelf, depth=9))) == [
        ("Billing", "Ledger", "upstream", 1),
        ("Ledger", "Billing", "downstream", 1),
    ]


def test_close_homonyms_are_both_shown_and_reported() -> None:
    people, places = ("person", "system"), ("place", "system")
    shelf = Shelf().add("hr", Fact("Jordan uses Laptop.", "Jordan", "use", "Laptop", people))
    shelf.add("atlas", Fact("Jordan uses Dinar.", "Jordan", "use", "Dinar", places))
    found = _slice(shelf, "What does Jordan use?")
    (entity,) = found.entities
    assert entity.ambiguous
    assert [(one.entity_type, one.score) for one in entity.candidates] in (
        [("person", 0.5), ("place", 0.5)],
        [("place", 0.5), ("person", 0.5)],
    )
    assert len(entity.chosen) == 2
    assert any("may name 2 entities" in question for question in found.open_questions)
    assert "Ambiguous: 'jordan' may name" in str(found)


def test_a_clear_majority_is_taken_and_the_other_is_listed() -> None:
    shelf = Shelf().add("atlas", Fact("Jordan uses Dinar.", "Jordan", "use", "Dinar", ("place", "system")))
    shelf.add(
        "hr", *[Fact(f"Jordan uses Laptop{n}.", "Jordan", "use", f"Laptop{n}", ("person", "system")) for n in range(3)]
    )
    (entity,) = _slice(shelf, "What does Jordan use?").entities
    assert not entity.ambiguous
    assert [(one.entity_type, one.score) for one in entity.candidates] == [("person", 0.75), ("place", 0.25)]
    assert entity.chosen == (entity.candidates[0].entity_id,)


def test_the_longest_name_counts_and_generic_words_give_way() -> None:
    kinds = ("concept", "system")
    shelf = Shelf().add(
        "arch",
        Fact("The payment service uses Ledger.", "payment service", "use", "Ledger", kinds),
        Fact("A service needs Power.", "service", "need", "Power", kinds),
        Fact("A payment needs Consent.", "payment", "need", "Consent", kinds),
    )
    found = _slice(shelf, "Which systems does the Payment Service's team use?")
    assert [(one.text, bool(one.chosen)) for one in found.entities] == [("payment service", True)]
    both = _slice(shelf, "Does the payment service need consent as a service?")
    assert [(one.text, bool(one.chosen)) for one in both.entities] == [
        ("payment service", True),
        ("consent", True),
        ("service", False),
    ]


def test_a_request_that_names_nothing_gets_names_and_advice() -> None:
    found = _slice(Shelf().add("arch", *_ARCHITECTURE), "What does the Billing2 portals thing rely on, ledger-wise?")
    assert found.items == ()
    (question,) = found.open_questions
    assert "names no entity of this view" in question
    assert "`passages`" in question
    near = _slice(Shelf().add("arch", Fact("Old Billing uses Ledger.", "Old Billing", "use", "Ledger")))
    assert "Names that share a word with it: Old Billing." in near.open_questions[0]


def test_without_an_entity_layer_it_says_so() -> None:
    found = _slice(Shelf().add("arch", *_ARCHITECTURE), entity_layer=False)
    assert found.items == ()
    assert "no entity layer" in found.open_questions[0]
    assert "`passages`" in found.open_questions[0]
    assert len(found.decision_log) == 6


def test_other_views_are_not_looked_at() -> None:
    rows = Shelf().add("arch", *_ARCHITECTURE).rows("legal")
    options: dict[str, Any] = {"search": _no_search, "count_tokens": words, "generation_id": "g", "principal": None}
    assert build_slice(rows, "dependencies", "Billing", **options).items == ()
    assert build_slice(rows, "dependencies", "Billing", **options, view_id="legal").items != ()


def test_hidden_wording_is_not_quoted_and_the_edge_is_listed_as_left_out() -> None:
    shelf = Shelf().add(
        "arch",
        Fact("Billing uses Ledger.", "Billing", "use", "Ledger"),
        Fact("Billing uses Secret.", "Billing", "use", "Secret", hidden=True),
    )
    found = _slice(shelf)
    assert _edges(found) == [("Billing", "Ledger", "upstream", 1)]
    assert [(one.label, one.reason) for one in found.omitted] == [("Billing | use | Secret", "no_visible_evidence")]
    assert "Billing uses Secret." not in str(found)


@pytest.mark.parametrize("budget", [90, 150, 250, 400, 1000])
def test_the_budget_holds_and_what_does_not_fit_is_named(budget: int) -> None:
    shelf = Shelf().add("arch", *_ARCHITECTURE)
    found = _slice(shelf, budget_tokens=budget)
    assert found.used_tokens == words(str(found)) <= budget
    everything = _slice(shelf, budget_tokens=100_000)
    assert len(found.items) + len(found.omitted) == len(everything.items)
    assert all(one.reason == "token_budget" for one in found.omitted)
    # no passage without its edge
    edges = {one.relationship_id for one in found.items if isinstance(one, Relationship)}
    assert edges or not any(isinstance(one, Excerpt) for one in found.items)


def test_a_budget_below_the_frame_is_an_error() -> None:
    with pytest.raises(ValueError, match="a budget of 5 tokens is too small"):
        _slice(Shelf().add("arch", *_ARCHITECTURE), budget_tokens=5)


def test_equal_statements_are_shown_once_with_their_number() -> None:
    shelf = Shelf()
    for number in range(5):
        shelf.add(f"d{number}", Fact("Billing uses Ledger.", "Billing", "use", "Ledger"))
    found = _slice(shelf)
    (edge,) = [one for one in found.items if isinstance(one, Relationship)]
    assert (len(edge.claims), edge.claims_total, edge.documents) == (1, 5, 5)
    assert [(one.kind, one.label, one.reason) for one in found.omitted] == [
        ("claims", "4 claims of Billing | use | Ledger", "duplicate")
    ]


def test_the_order_of_documents_and_rows_changes_nothing() -> None:
    one = Shelf().add("arch", *_ARCHITECTURE).rows()
    texts = set()
    for order in itertools.islice(itertools.permutations(("claims", "claim_evidence", "relationships", "aliases")), 3):
        tables = {name: one.table(name) for name in ("mentions", "extractions", "chunks", "canonical_entities")}
        names = ("relationship_claims", "conflicts", "conflict_claims", *order)
        turned = type(one)({**tables, **{name: one.table(name).reverse() for name in names}})
        options: dict[str, Any] = {"search": _no_search, "count_tokens": words, "generation_id": "g", "principal": None}
        texts.add(build_slice(turned, "dependencies", "Billing", **options).model_dump_json())
        texts.add(build_slice(one, "dependencies", "Billing", **options).model_dump_json())
    assert len(texts) == 1


def test_a_card_shows_the_names_of_the_entity() -> None:
    shelf = Shelf().add("a", Fact("Acme uses Ledger.", "Acme", "use", "Ledger", ("organisation", "system")))
    shelf.add("b", Fact("Acme Ltd uses Vault.", "Acme Ltd", "use", "Vault", ("organisation", "system")))
    (card,) = [one for one in _slice(shelf, "acme").items if isinstance(one, EntityCard)]
    assert {card.name, *card.aliases} == {"Acme", "Acme Ltd"}
    assert (card.mentions, card.documents) == (2, 2)
