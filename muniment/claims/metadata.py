"""Claims of metadata (rule M): what a document states of itself in front matter, properties and mail headers.

They are about what the document's title names; without such a mention there are none. Fields that say nothing of the
subject (the program that wrote the file, times of saving, identifiers of messages) make none. Each field is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from muniment.claims.assertion import Assertion, Quote, Span, Value
from muniment.claims.mentions import Mention, SentenceMentions
from muniment.claims.statements import Origin
from muniment.claims.values import read_value, says_nothing
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import plain, predicates_of
from muniment.extraction.metadata import field_of
from muniment.nlp.names import normalise

RULE = "M"
CONFIDENCE = 0.95
#: Name under which a field of the extraction is looked up in the schema.
_MEANING = {
    "author": "author",
    "published_on": "publication date",
    "valid_from": "effective date",
    "valid_to": "expiry date",
}
#: Fields whose value is read although the schema may not know them, and those whose value is a day.
_READ = frozenset(
    {"author", "owner", "status", "version", "classification", "confidentiality", "approver", "approved_by",
     "reviewer", "department", "publication_date", "effective_date", "expiry_date", "review_date", "next_review"}
)  # fmt: skip
_DAYS = re.compile(r"(?:^|_)(?:date|review|day|on)$")
#: Fields of the file, the mail or the program, not of what the document is about.
_SILENT = frozenset(
    {"title", "language", "created", "modified", "producer", "creator_tool", "creatortool", "generator",
     "application", "template", "message_id", "in_reply_to", "references", "from", "to", "cc", "bcc", "reply_to",
     "subject", "keywords", "tags", "charset", "viewport", "robots", "layout", "revision", "last_modified_by",
     "lastmodifiedby", "trapped", "description", "url", "canonical"}
)  # fmt: skip
#: What programs write where nobody has said who.
_NOBODY = frozenset(
    {"(unspecified)", "unspecified", "python-docx", "openpyxl", "administrator", "admin", "user", "author", "owner",
     "anonymous", "(anonymous)", "microsoft office user", "unknown", "root", "default"}
)  # fmt: skip
_ADDRESS = re.compile(r"\s*<[^<>]*@[^<>]*>\s*$|^\s*\S+@\S+\s*$")
#: Before the first word of a title: replies, numbering, articles.
_OPENING = re.compile(
    r"(?:(?:re|fw|fwd|aw|tr)\s?:\s*)*(?:[\d.]+\s+)?(?:(?:the|an?|le|la|les)\s+|l['’])?", re.IGNORECASE
)
_PEOPLE = frozenset({"author", "owner", "approver", "approved_by", "reviewer"})


def title_span(text: str, stated: Iterable[tuple[str, str]], elements: Iterable[tuple[int, int, str]]) -> Span | None:
    """Where the title stands: the stated one; where none is stated the first title or heading."""
    titles = [value.strip() for name, value in stated if field_of(name) == "title" and value.strip()]
    if titles:
        return next(((start, start + len(title)) for title in titles if (start := text.find(title)) >= 0), None)
    heads = sorted((start, end) for start, end, kind in elements if kind in ("title", "heading") and end > start)
    return heads[0] if heads else None


def metadata_claims(
    stated: Iterable[tuple[str, str]],
    elements: Iterable[tuple[int, int, str]],
    found: Iterable[SentenceMentions],
    origin: Origin,
    domain: DomainSchema,
    fates: Counter[str],
) -> Iterator[Assertion]:
    """Claims of stated (field, value) pairs. Evidence is the mail header in the text, else the value with its field.

    `fates` counts the fields by what became of them: claim, or the reason why there is none.
    """
    fields = [(name, value) for name, value in dict.fromkeys(stated) if value.strip()]
    places = list(elements)
    mentions = [mention for item in found for mention in item.mentions]
    span = title_span(origin.text, fields, places)
    subject = _title_mention(span, mentions, origin.text) if span else None
    headers = [(start, end) for start, end, kind in places if kind == "mail_header"]
    reader = _Reader(origin, domain, mentions, headers)
    for name, value in fields:
        said = _read_as(name, domain)
        if said is None:
            fates["metadata_of_file"] += 1
        elif says_nothing(value) or value.strip().lower() in _NOBODY:
            fates["metadata_without_value"] += 1
        elif subject is None:
            fates["metadata_without_subject"] += 1
        else:
            fates["claim"] += 1
            yield from reader.claims(subject, name, said, value)


def _read_as(name: str, domain: DomainSchema) -> str | None:
    """The field's name to look up in the schema; None for fields that say nothing of the subject."""
    said = _MEANING.get(field_of(name) or "", name)
    key = plain(said)
    if key in _SILENT or plain(name) in _SILENT:
        return None
    return key if key in _READ or predicates_of(domain).of_field(key) is not None else None


def _title_mention(span: Span, mentions: list[Mention], text: str) -> Mention | None:
    """The mention that the title begins with and that is most of it: "Minutes of the Board" are not the Board."""
    opening = _OPENING.match(text, *span)
    first = opening.end() if opening else span[0]
    inside = [item for item in mentions if span[0] <= item.start <= first and item.end <= span[1]]
    best = max(inside, key=lambda item: (item.end - item.start, -item.start), default=None)
    if best is None:
        return None
    letters = sum(char.isalnum() for char in text[slice(*span)])
    return best if sum(char.isalnum() for char in text[best.start : best.end]) * 2 > letters else None


@dataclass(slots=True)
class _Reader:
    origin: Origin
    domain: DomainSchema
    mentions: list[Mention]
    headers: list[Span]

    def claims(self, subject: Mention, name: str, said: str, value: str) -> Iterator[Assertion]:
        """One claim a value; several people are parted at semicolons."""
        predicate = predicates_of(self.domain).of_field(said)
        names_entity = said in _PEOPLE or (predicate is not None and predicate.kind == "relation")
        for part in [item for item in value.split(";") if item.strip()] if names_entity else [value]:
            word = _ADDRESS.sub("", part).strip(" \"'") if names_entity else part.strip()
            place = self._in_header(value, word) if word else None
            target = self._entity(word, place) if names_entity and word else None
            if target is subject:
                continue
            quoted = next(((start, end) for start, end in self.headers if place and start <= place[0] < end), None)
            yield Assertion(
                rule=RULE,
                subject=subject,
                predicate=said,
                predicate_spans=[],
                confidence=CONFIDENCE,
                quote=Quote(*quoted, self.origin.text[slice(*quoted)], name) if quoted else Quote(-1, -1, value, name),
                object=target,
                value=None if target is not None else self._value(word or part.strip(), place, said, names_entity),
                basis="explicit",
            )

    def _in_header(self, value: str, word: str) -> Span | None:
        """Where the value stands in a mail header that is part of the text."""
        for start, end in self.headers:
            whole = self.origin.text.find(value, start, end)
            if whole >= 0:
                inner = self.origin.text.find(word, whole, end)
                return inner, inner + len(word)
        return None

    def _entity(self, word: str, place: Span | None) -> Mention | None:
        """The mention at the place, else the first of the same name in the document."""
        if place is not None:
            here = [item for item in self.mentions if place[0] <= item.start and item.end <= place[1]]
            best = max(here, key=lambda item: (item.end - item.start, -item.start), default=None)
            if best is not None and (best.end - best.start) * 2 > len(word):
                return best
        name = normalise(word)
        same = [
            item
            for item in self.mentions
            if item.entity_type not in self.domain.value_types
            and normalise(self.origin.text[item.start : item.end]) == name
        ]
        return min(same, key=lambda item: item.start, default=None)

    def _value(self, word: str, place: Span | None, said: str, names_entity: bool) -> Value:
        start, end = place if place is not None and self.origin.text[slice(*place)] == word else (-1, -1)
        if names_entity or said == "version":  # "2" is the name of a version, no amount
            return Value(start, end, word, "text")
        return read_value(
            start, end, word, "date" if _DAYS.search(said) else "text", self.origin.conventions, cell=True
        )
