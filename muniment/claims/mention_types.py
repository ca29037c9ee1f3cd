"""Types of a document's mentions, settled over the whole of it, and which mentions are subjects."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from muniment.claims.definitions import Definition
from muniment.claims.entity_spans import TITLES
from muniment.claims.mentions import Mention, SentenceMentions
from muniment.claims.subjects import heading_ranges
from muniment.claims.types import PERSON_LABELS, corporate_stem, entity_type
from muniment.domain.model import GENERIC_TYPE, DomainSchema
from muniment.domain.types import cues_of
from muniment.nlp.names import normalise

#: Titles that make a person of what follows only where they have a capital ("general terms", "major incident").
_CAPITAL_TITLES = frozenset(
    {"general", "gen", "major", "minister", "justice", "king", "queen", "prince", "miss", "hon"}
)


def settle(
    found: list[SentenceMentions],
    text: str,
    elements: tuple[tuple[int, int, str], ...],
    definitions: Iterable[Definition],
    domain: DomainSchema,
) -> None:
    """Types by text, label and context, one type a name within the document, and marks of subjects.

    What a pattern names has the pattern's type. A bare "Acme" is what "Acme Ltd" is, a bare "Brown" what
    "Alice Brown" is, a short form what its long form is; a name that is read in several ways has its most
    frequent type. Definitions are those that give a name.
    """
    headings = heading_ranges(elements)
    votes: dict[str, Counter[str]] = {}
    patterned: dict[str, Counter[str]] = {}
    for item in found:
        for mention in item.mentions:
            written = text[mention.start : mention.end]
            mention.label = mention.label or _label_below(item, mention, domain)
            if mention.source != "pattern":
                mention.entity_type = _type(item, mention, written, domain)
            place = bisect_right(headings, (mention.start, len(text))) - 1
            within = place >= 0 and mention.end <= headings[place][1]
            mention.is_subject = mention.source == "subject" or within
            if mention.entity_type not in domain.value_types:
                counted = patterned if mention.source == "pattern" else votes
                counted.setdefault(normalise(written), Counter())[mention.entity_type] += 1
    everything = [mention for item in found for mention in item.mentions]
    settled = {name: _winner(counter) for name, counter in {**votes, **patterned}.items()}
    fixed = set(patterned)
    _share(settled, everything, text, fixed, domain)
    for item in definitions:
        long, short = settled.get(normalise(item.long)), normalise(item.short)
        if long is not None and short in settled and short not in fixed:
            settled[short] = long
    for mention in everything:
        if mention.entity_type not in domain.value_types:
            mention.entity_type = settled[normalise(text[mention.start : mention.end])]


def _share(settled: dict[str, str], mentions: list[Mention], text: str, fixed: set[str], domain: DomainSchema) -> None:
    """The bare name of a company or person has the type of its full name; of both the company's."""
    cues = cues_of(domain)
    person, organisation = cues.of_label("PERSON"), cues.of_label("ORG")
    stems: set[str] = set()
    surnames: set[str] = set()
    for mention in mentions:
        written = text[mention.start : mention.end]
        stem = corporate_stem(written)
        if stem is not None:
            stems.add(normalise(stem))
        elif mention.label in PERSON_LABELS and " " in written and settled.get(normalise(written)) == person:
            surnames.add(normalise(written.split()[-1]))
    settled.update(dict.fromkeys((surnames & settled.keys()) - fixed, person))
    settled.update(dict.fromkeys((stems & settled.keys()) - fixed, organisation))


def _type(item: SentenceMentions, mention: Mention, written: str, domain: DomainSchema) -> str:
    found = entity_type(written, mention.label, domain)
    titled = mention.first > 0 and mention.source == "ner" and _is_title(item.sentence.token(mention.first - 1))
    return cues_of(domain).of_label("PERSON") if titled and found not in domain.value_types else found


def _is_title(word: str) -> bool:
    title = word.rstrip(".").casefold()
    return title in TITLES and (word[:1].isupper() or title not in _CAPITAL_TITLES)


def _label_below(item: SentenceMentions, mention: Mention, domain: DomainSchema) -> str | None:
    """For a name known otherwise: the label of the longest named entity mostly inside it that holds its last word.

    "Marv Albert voice" is no person, "United States competitors" no place; a complement may follow.
    """
    if mention.source in ("ner", "pattern"):
        return None
    first, last = mention.first, mention.last
    sentence = item.sentence
    inside = [
        span
        for span in sentence.entities
        if min(span.end, last) - max(span.start, first) > (last - first) / 2
        and (span.end >= last or not sentence.pos or sentence.pos[span.end] in ("ADP", "PUNCT", "NUM"))
        and entity_type(sentence.slice(span.start, span.end), span.label, domain) not in domain.value_types
    ]
    best = max(inside, key=lambda span: (span.end - span.start, -span.start), default=None)
    return best.label if best is not None else None


def _winner(counter: Counter[str]) -> str:
    """Most frequent type; the generic one only without another; ties by name."""
    named = {kind: count for kind, count in counter.items() if kind != GENERIC_TYPE} or dict(counter)
    return min(named, key=lambda kind: (-named[kind], kind))
