"""Which claims of a sentence its phrases of validity belong to, and what claims inherit from their document.

A phrase belongs to the verb that it hangs on, and so to the claims of that clause. A document whose metadata state
its validity states it for what it says: claims without a stated time of their own inherit it with the basis
`metadata`. Past events ("the Gateway failed") and dates that are themselves what is claimed inherit nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from muniment.claims.assertion import Assertion, Validity
from muniment.claims.drafts import ClaimDraft
from muniment.claims.mentions import tokens_of
from muniment.claims.trees import Tree
from muniment.claims.validity import Phrase, combined, phrases
from muniment.nlp.dates import DateOrder
from muniment.nlp.model import Sentence

#: Prepositions are part of predicates ("access_until"); a phrase hangs on the verb, for all claims of the clause.
_JOINING = frozenset({"ADP", "SCONJ", "PART", "DET", "PUNCT"})
_PAST = frozenset({"VBD"})
#: Fields of a document that hold whatever its validity is.
_TIMELESS = frozenset({"author", "version", "identifier", "published_on", "title"})


def document_validity(first: date | None, after: date | None, stated: Iterable[tuple[str, str]]) -> Validity:
    """What metadata state of the whole document; `text` are the fields' values."""
    if first is None and after is None:
        return Validity()
    words = [value for field, value in stated if field in ("valid_from", "valid_to")]
    return Validity(first, after, "day", "metadata", "; ".join(dict.fromkeys(words)) or None)


def validities(
    sentence: Sentence, drafts: list[ClaimDraft], events: Mapping[str, date], order: DateOrder | None
) -> list[Validity]:
    """Stated validity of each draft of one sentence."""
    found = phrases(sentence.text, events, order) if drafts else []
    if not found or not sentence.parsed:
        return [Validity() for _ in drafts]
    tree = Tree(sentence)
    verbs = {token for draft in drafts for token in draft.predicate_tokens if tree.pos(token) not in _JOINING}
    owners = [(phrase, _owner(sentence, tree, phrase, verbs)) for phrase in found]
    return [
        combined(
            (phrase for phrase, owner in owners if owner in draft.predicate_tokens),
            sentence.text,
            negative=draft.negative,
        )
        for draft in drafts
    ]


def inherit(
    item: Assertion, document: Validity, sentence: Sentence | None = None, draft: ClaimDraft | None = None
) -> None:
    """Give a claim without a time of its own that of its document; see the module's words."""
    if document.basis == "unknown" or item.validity != Validity():
        return
    if item.rule == "M" and (item.predicate in _TIMELESS or (item.value and item.value.day)):
        return
    if sentence is not None and draft is not None and _past(sentence, draft):
        return
    item.validity = document


def _past(sentence: Sentence, draft: ClaimDraft) -> bool:
    tags = [sentence.tags[token] for token in draft.predicate_tokens if token < len(sentence.tags)]
    return draft.modality == "is" and bool(_PAST & set(tags))


def _owner(sentence: Sentence, tree: Tree, phrase: Phrase, verbs: set[int]) -> int | None:
    """The token of a predicate that the phrase hangs on: inside it, or the nearest above it.

    A bare year after "in" or "from" must hang on the verb itself: "data from 2015" dates the data.
    """
    first, last = tokens_of(sentence, sentence.start + phrase.start, sentence.start + phrase.end)
    inside = [token for token in range(first, last) if token in verbs]
    if inside:
        return inside[0]
    tops = [token for token in range(first, last) if not first <= tree.head(token) < last]
    for token in tops:
        for step, above in enumerate(tree.ancestors(token)):
            if above in verbs:
                return above
            if tree.pos(above) in ("VERB", "AUX") or (phrase.loose and step == 0):
                break
    return None
