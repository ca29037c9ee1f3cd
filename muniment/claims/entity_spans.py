"""Named entities of the pipeline as names: faults of a small recogniser mended by what stands in and beside them.

Kinds of fault: titles of persons and prepositions taken along, brackets torn open, a year cut off its event, a
party or ministry cut off the country that tells it from others.
"""

from __future__ import annotations

from muniment.nlp.model import Sentence, Span

NamedSpan = tuple[int, int, str]

#: Before a person's name; no part of it.
TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "hon", "honourable",
     "honorable", "rev", "reverend", "judge", "justice", "captain", "capt", "colonel", "col", "general", "gen", "major",
     "sergeant", "lieutenant", "lt", "senator", "sen", "congressman", "congresswoman", "president", "chancellor",
     "minister", "ambassador", "mayor", "governor", "king", "queen", "prince", "princess", "pope", "monsieur", "madame",
     "mme", "m.", "mlle", "herr", "frau"}
)  # fmt: skip
#: Bodies that every country has: without its place the name is many.
_OF_A_PLACE = frozenset(
    {"party", "parliament", "government", "ministry", "bank", "senate", "court", "church", "embassy", "university",
     "republic", "kingdom", "commonwealth", "federation", "confederation", "union", "assembly", "congress"}
)  # fmt: skip
_PLACES = frozenset({"GPE", "LOC", "NORP"})
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})


def named_spans(sentence: Sentence) -> list[NamedSpan]:
    """(first, last, label) of the sentence's entities, mended, in order of place; parts of joined names are gone."""
    spans = [_mended(sentence, span) for span in sentence.entities]
    joined = [item for span in spans if (item := _of_place(sentence, span, spans)) is not None]
    kept = [
        span
        for span in spans
        if not any(first <= span[0] and span[1] <= last and span[:2] != (first, last) for first, last, _ in joined)
    ]
    return sorted({*kept, *joined})


def opens_name(sentence: Sentence, span: Span) -> bool:
    """Whether a date is a year that belongs to the name behind it: 2017 Czech legislative election."""
    word = sentence.slice(span.start, span.end)
    if span.end - span.start != 1 or len(word) != 4 or not word.isdigit():
        return False
    behind = span.end
    return any(
        chunk.start <= span.start and behind < chunk.end and sentence.token(behind)[:1].isupper()
        for chunk in sentence.noun_chunks
    )


def _mended(sentence: Sentence, span: Span) -> NamedSpan:
    first, last = _within_brackets(sentence, span.start, span.end)
    while last - first > 1 and sentence.token(last - 1) in _POSSESSIVES:
        last -= 1
    while last - first > 1 and _taken_along(sentence, first, span.label):
        first += 1
    if first > 0 and span.label == "EVENT":
        year = Span(first - 1, first, "DATE")
        first -= opens_name(sentence, year)
    return first, last, span.label


def _within_brackets(sentence: Sentence, first: int, last: int) -> tuple[int, int]:
    """Without what follows a bracket that is not closed, or one that was opened before."""
    texts = [sentence.token(index) for index in range(first, last)]
    if "(" in texts and ")" not in texts[texts.index("(") :]:
        last = first + texts.index("(")
    elif ")" in texts and "(" not in texts[: texts.index(")")]:
        last = first + texts.index(")")
    return first, max(last, first)


def _taken_along(sentence: Sentence, token: int, label: str) -> bool:
    """An article, a title before a person, or a preposition that only the sentence's start made a capital."""
    word = sentence.token(token)
    if label in ("PERSON", "PER", "ORG") and word.rstrip(".").casefold() in TITLES:
        return label != "ORG" or word.casefold() in ("honourable", "honorable", "mr", "mr.", "mrs", "mrs.", "dr", "dr.")
    if not sentence.pos:
        return False
    return sentence.pos[token] == "DET" or (token == 0 and sentence.pos[token] in ("ADP", "SCONJ"))


def _of_place(sentence: Sentence, place: NamedSpan, spans: list[NamedSpan]) -> NamedSpan | None:
    """Communist Party of Indonesia: one name, where the recogniser has two or only the place."""
    first, last, label = place
    before = first - 1
    if label not in _PLACES or not sentence.pos:
        return None
    if before > 0 and sentence.token(before).lower() == "the":
        before -= 1
    head = before - 1
    if head < 0 or sentence.token(before).lower() not in ("of", "de", "du"):
        return None
    if sentence.token(head).casefold() not in _OF_A_PLACE or not sentence.token(head)[:1].isupper():
        return None
    start = next((span[0] for span in spans if span[0] <= head < span[1]), head)
    while start > 0 and sentence.token(start - 1)[:1].isupper() and sentence.pos[start - 1] in ("PROPN", "ADJ", "NOUN"):
        start -= 1
    return start, last, "ORG"
