"""Which mentions of a document are short forms, and of what: defined ones, and "the Gateway" for its only long name.

"The Gateway" stands for "Telemetry Gateway" where that is the only longer name of the document with this head, named
before; with "Payment Gateway" beside it, or "a gateway" as a common noun, it stays what it is and is counted.
"This policy" is the document itself, where its title is a name with that head.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from muniment.claims.definitions import Definition
from muniment.claims.mentions import Mention, SentenceMentions
from muniment.nlp.names import display, normalise

_DEFINITE = re.compile(r"(?:\b(?:the|this|said|le|la|ce|cette|cet|der|die|das|dieser|diese|dieses)\s+|\bl['’])$", re.I)
_SELF = re.compile(r"\b(?:this|present|ce|cette|cet|présente?|dieser|diese|dieses)\s+$", re.I)
_INDEFINITE = re.compile(r"\b(?:an?|any|each|every|some|no|another|other|one|une?|chaque|tout|toute|aucune?)\s+$", re.I)
#: A name's own words end before these: Agency for Cybersecurity, Agreement of 1 April.
_TAIL = frozenset(
    {"of", "for", "on", "in", "to", "at", "from", "between", "with", "and", "de", "du", "des", "d'", "d’", "pour",
     "sur", "et", "für", "über", "von", "zur", "zum", "und"}
)  # fmt: skip
_NUMBERED = re.compile(r"[\W\d]*\d[\w./-]*|[IVXLC]+|[A-Z]|\(.*\)?|.*\)")
_HEAD = re.compile(r"[^\W\d_]{3,}")


@dataclass(slots=True)
class ShortForms:
    """Uses of heads that have a longer name in the document, and those that were given it."""

    used: int = 0
    resolved: int = 0


@dataclass(slots=True)
class _Head:
    """Longer names with one head, by core (the name without its tail); `rivals`: what else may be meant by it.

    `common`: the head is a common noun too ("a gateway", "gateways"), whose mentions would be taken along.
    """

    cores: dict[str, list[Mention]] = field(default_factory=dict)
    rivals: bool = False
    common: bool = False


@dataclass(frozen=True, slots=True)
class _Long:
    name: str
    start: int
    entity_type: str


def mark_defined(found: Iterable[SentenceMentions], text: str, definitions: Iterable[Definition]) -> None:
    """Set `definition` and `long_form` of mentions whose name is defined, written as the definition writes it.

    A term that a description defines has no long form.
    """
    named = {normalise(item.short): item for item in definitions if item.names or item.kind != "aka"}
    for mention in (mention for item in found for mention in item.mentions):
        written = display(text[mention.start : mention.end])
        item = named.get(normalise(written))
        if item is not None and _written_alike(written, item.short):
            long = normalise(item.long)
            mention.definition = item.kind
            mention.long_form = long if item.names and long != normalise(written) else None


def mark_short_forms(
    found: list[SentenceMentions],
    text: str,
    title: tuple[int, int] | None,
    definitions: Iterable[Definition],
    value_types: frozenset[str],
) -> ShortForms:
    """Mark undefined heads that can mean one longer name only, and give them its type.

    `title`: code points of the document's title. A head that prose alone calls a longer name (`aka`) is a short
    form where it is the head of that very name.
    """
    said = {normalise(item.short): item for item in definitions}
    heads = _heads(found, text, value_types)
    result = ShortForms()
    _mark_self(found, text, title, heads, result)
    for name, uses in sorted(_uses(found, text, value_types).items()):
        stated = said.get(name)
        if name not in heads or not heads[name].cores or (stated is not None and stated.kind != "aka"):
            continue
        uses = [mention for mention in uses if mention.definition in (None, "aka")]
        definite = [mention for mention in uses if _DEFINITE.search(text, max(0, mention.start - 12), mention.start)]
        result.used += len(definite)
        long = _long_name(heads[name], text)
        if long is None or not definite or (stated is not None and normalise(stated.long) != long.name):
            continue
        named_before = [mention for mention in uses if mention.start > long.start]
        for mention in named_before:
            mention.long_form, mention.definition, mention.entity_type = long.name, "short_form", long.entity_type
        result.resolved += sum(mention in definite for mention in named_before)
    return result


def _mark_self(
    found: Iterable[SentenceMentions],
    text: str,
    title: tuple[int, int] | None,
    heads: dict[str, _Head],
    result: ShortForms,
) -> None:
    """This policy, this Agreement: the document, by the one longer name in its title that has the head."""
    if title is None:
        return
    named: dict[str, Mention] = {}
    for name, head in heads.items():
        inside = [
            mention
            for mentions in head.cores.values()
            for mention in mentions
            if title[0] <= mention.start and mention.end <= title[1]
        ]
        if len(inside) == 1 and not head.common:
            named[name] = inside[0]
    for mention in (mention for item in found for mention in item.mentions):
        long = named.get(normalise(text[mention.start : mention.end]))
        if long is None or mention.definition is not None:
            continue
        if _SELF.search(text, max(0, mention.start - 12), mention.start):
            mention.long_form = normalise(text[long.start : long.end])
            mention.definition, mention.entity_type = "short_form", long.entity_type
            result.used += 1
            result.resolved += 1


def _uses(found: Iterable[SentenceMentions], text: str, value_types: frozenset[str]) -> dict[str, list[Mention]]:
    """Mentions of one capitalised word, by normalised name."""
    uses: dict[str, list[Mention]] = {}
    for mention in (mention for item in found for mention in item.mentions):
        written = display(text[mention.start : mention.end])
        capitalised = written[:1].isupper() and written[1:].islower()
        if capitalised and _HEAD.fullmatch(written) and mention.entity_type not in ("person", *value_types):
            uses.setdefault(normalise(written), []).append(mention)
    return uses


def _heads(found: Iterable[SentenceMentions], text: str, value_types: frozenset[str]) -> dict[str, _Head]:
    heads: dict[str, _Head] = {}
    plurals: set[str] = set()
    for item in found:
        for mention in item.mentions:
            if mention.entity_type in ("person", *value_types):
                continue
            words, number = _core(item, mention, text)
            if not words or not _HEAD.fullmatch(words[-1]):
                continue
            name = normalise(words[-1])
            head = heads.setdefault(name, _Head())
            if all(word[0].isupper() for word in words):
                if len(words) > 1:
                    head.cores.setdefault(normalise(" ".join([*words, *number])), []).append(mention)
                head.rivals |= len(words) == 1 and bool(number)  # "Gateway 2"
            elif len(words) > 1:
                head.rivals = True  # "payment gateway"
            else:
                head.common |= bool(_INDEFINITE.search(text, max(0, mention.start - 12), mention.start))
                plurals.add(name)
    for name, head in heads.items():
        head.common |= bool(plurals.intersection({f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies"}))
    return heads


def _core(item: SentenceMentions, mention: Mention, text: str) -> tuple[list[str], list[str]]:
    """The words of a name up to its first preposition, and the number behind them; leading adjectives in lower case
    are no part of it ("new Telemetry Gateway")."""
    sentence = item.sentence
    words: list[str] = []
    for token in range(mention.first, mention.last):
        word = text[max(sentence.token_starts[token], mention.start) : min(sentence.token_ends[token], mention.end)]
        describes = bool(sentence.pos) and sentence.pos[token] not in ("NOUN", "PROPN", "X")
        if words and (word.casefold() in _TAIL or word[:2].casefold() in ("d'", "d’")):
            break
        if words or not (word[:1].islower() and describes):
            words.append(word)
    count = len(words)
    while count > 1 and _NUMBERED.fullmatch(words[count - 1]):
        count -= 1
    return words[:count], words[count:]


def _long_name(head: _Head, text: str) -> _Long | None:
    """The only longer name: as its core where it stands alone, else as the only name with a tail."""
    if head.rivals or head.common or len(head.cores) != 1:
        return None
    ((core, mentions),) = head.cores.items()
    names = {normalise(text[mention.start : mention.end]) for mention in mentions}
    name = core if core in names else names.pop() if len(names) == 1 else None
    if name is None:
        return None
    first = min(mentions, key=lambda mention: mention.start)
    return _Long(name, first.start, first.entity_type)


def _written_alike(written: str, short: str) -> bool:
    """A capitalised term is meant only where it is capitalised, an acronym only in capitals."""
    capitals = sum(char.isupper() for char in short)
    if capitals > 1 and " " not in short:
        return sum(char.isupper() for char in written) >= min(capitals, 2)
    return capitals == 0 or written[:1].isupper()
