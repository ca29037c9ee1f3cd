"""What a literal means: numbers with units, amounts with currencies, dates with their precision, yes and no.

`read_value` settles the kind. Equal meanings come out equal: "30 days", "thirty (30) days" and "30 calendar days"
are 30 day; "30 business days" is another unit. What can be read in two ways stays text: 05/06/2023 without a known
order, 1,234 without a known decimal mark, "thirty (60) days", ranges ("5 to 10 days"), versions ("v2.1"), quarters
("Q3 2025"). Words that bound a number ("at least 90 days", "about a month") stay in the text of the value beside
the number; whoever compares reads them there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from muniment.claims.assertion import Value
from muniment.claims.numbers import DecimalMark, decimal_mark, read_digits, read_words
from muniment.claims.units import MAGNITUDES, add_periods, canonical, currencies_in, find_currency, find_unit, is_period
from muniment.nlp.dates import DateOrder, ambiguous, date_order, read_date

_BOUND = re.compile(
    r"^(?:(?:at )?(?:least|most)|(?:a )?(?:minimum|maximum)(?: of)?|"
    r"(?:no|not) (?:more|less|fewer|longer|later|shorter|earlier) than|(?:more|less|fewer) than|up to|"
    r"within|over|under|above|below|about|around|approximately|approx\.?|roughly|"
    r"circa|c\.|nearly|almost|exactly|au (?:moins|plus|maximum|minimum)|plus de|moins de|environ|près de|"
    r"a (?:period|total|term) of|[<>≤≥~≈])(?![^\W\d_])\s*",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?<=[\d%])(?:\s?[*†‡§¹²³⁴⁵⁶⁷⁸⁹]+|\s?\[\d{1,2}\])$")
_ACCOUNTING = re.compile(
    r"^(?P<sign>[^\d\s(]{0,3})\s?\((?P<sign2>[^\d\s(]{0,3})\s?(?P<number>[\d.,\s'’]*\d)\s?(?P<rest>%?)\)$"
)
_DIGITS = r"(?:[+\-−–]\s?)?(?:\d(?:[\d.,'’\u00a0\u2009\u202f ]*\d)?(?:\s?[½¼¾])?|[½¼¾])"
_WORDS = r"[^\W\d_]+(?:[\s-]+[^\W\d_]+){0,6}?"
_WORD_DIGITS = re.compile(rf"^(?P<words>{_WORDS})\s\((?P<digits>\d[\d.,]*)\)(?P<rest>.*)$", re.DOTALL)
_DIGIT_WORDS = re.compile(rf"^(?P<digits>\d[\d.,]*)\s\((?P<words>{_WORDS})\)(?P<rest>.*)$", re.DOTALL)
_NUMBER = re.compile(rf"^(?P<number>{_DIGITS})(?P<rest>(?!\d).*)$", re.DOTALL)
_HYPHENED = re.compile(r"^([^\W\d_]+(?:-[^\W\d_]+)?)-(?=(?:day|week|month|year|hour|minute)s?\b)", re.IGNORECASE)
#: What may follow a period without changing its length.
_AFTER_PERIOD = re.compile(
    r"^(?P<unit>[^\W\d_]+(?:\s[^\W\d_]+)?)(?:['’]?\s(?:(?:prior|written|advance)\s)*notice|\s(?:of|after|before|from|"
    r"following|prior to|since|après|avant|à compter|à partir|suivant)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_COUNTED = re.compile(r"^[a-zà-ÿ][a-zà-ÿ-]+(?:\s[a-zà-ÿ][a-zà-ÿ-]+){0,2}$")
_NOT_COUNTED = frozenset(
    {"after", "and", "any", "as", "at", "before", "by", "each", "et", "for", "from", "hundred", "in", "more", "less",
     "of", "on", "or", "ou", "out", "par", "per", "than", "the", "thousand", "times", "to", "von", "with", "à", "de",
     "des", "du", "en", "pour", "que", "sur"}
)  # fmt: skip
_MAGNITUDE = re.compile(
    rf"^[\s-]?(?P<size>{'|'.join(sorted(map(re.escape, MAGNITUDES), key=len, reverse=True))})(?:\.|(?![^\W\d_]))\s?"
)
_SIGNED_FIRST = re.compile(
    r"^(?P<minus>[-−])?\s?(?P<sign>(?:US|USD|AU|CA|NZ|HK|A|C|S|R)?\$|[€£¥₹₽₺₴₪₩]|[A-Z]{3}(?![A-Z]))\s?(?P<rest>.*)$",
    re.DOTALL,
)
_YES = frozenset({"yes", "true", "oui", "ja", "✓", "✔", "☑", "vrai"})
_NO = frozenset({"no", "false", "non", "nein", "✗", "✘", "☐", "faux"})
#: Marks of a cell that has nothing to say.
_EMPTY = frozenset(
    {"", "-", "–", "—", "--", "---", "n/a", "n.a.", "na", "nil", "none", "null", "nan", "tbd", "tbc", "tba", "?",
     "…", "...", ".", "unknown", "not applicable", "not available", "s.o.", "sans objet", "néant", "inconnu",
     "keine", "k.a.", "#n/a", "*"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conventions:
    """How one source writes: order of numeric dates, decimal mark, currencies that it names."""

    order: DateOrder | None = None
    decimal: DecimalMark | None = "."
    currencies: frozenset[str] = frozenset()


def conventions_of(text: str, language: str, stated_languages: Iterable[str] = ()) -> Conventions:
    """Conventions by evidence in the whole text of a source, else by its language where it is stated."""
    stated = tuple(stated_languages)
    regions = sorted({tag.replace("_", "-").rpartition("-")[2].lower() for tag in stated if len(tag) > 2})
    return Conventions(date_order(text, stated), decimal_mark(text, language), currencies_in(text, regions))


def read_value(
    start: int,
    end: int,
    text: str,
    kind: str,
    conventions: Conventions = Conventions(),
    *,
    cell: bool = False,
    unit: str | None = None,
) -> Value:
    """The literal at code points start..end with its meaning and settled kind.

    kind is what the reader of the sentence took it for (date, number, money, …); `cell` allows what only tables
    write: yes and no, (1,200) for a negative number, marks of footnotes. `unit` is that of the column's header; a
    unit beside the number goes before it.
    """
    said = " ".join(text.split())
    if cell:
        said = _FOOTNOTE.sub("", said)
        if said.lower() in _YES or said.lower() in _NO:
            return Value(start, end, text, "boolean", number=float(said.lower() in _YES))
    found = read_date(_without_bound(said), conventions.order)
    if found is not None and (found.precision != "year" or kind == "date"):  # a bare year may be a number
        return Value(start, end, text, "date", day=found.day, precision=found.precision)
    if _version(said) or ambiguous(said):
        return Value(start, end, text, "text")
    amount = _accounting(said, conventions, unit) if cell else None
    amount = amount or _amount(_without_bound(said), conventions, unit)
    if amount is None:
        return Value(start, end, text, "text")
    number, name, settled = amount
    return Value(start, end, text, settled, number=round(float(number), 12), unit=name)


def says_nothing(text: str) -> bool:
    """Whether a cell is empty or says that there is no value: -, n/a, none, unknown."""
    return " ".join(text.split()).lower() in _EMPTY


def value_fate(text: str, kind: str) -> str:
    """What became of a claim's value, for the books: claim (read, or words only) or why its digits were not read."""
    if kind != "text" or not any(char.isdigit() for char in text):
        return "claim"
    return "value_ambiguous" if ambiguous(" ".join(text.split())) else "value_not_read"


def _version(said: str) -> bool:
    """v2.1, 2.1.3, version 4, rev. B2: names of a state, not amounts; so is 1.2.3.4."""
    return bool(re.match(r"^(?:v|ver|version|rev|release|r)\.?\s?\d", said, re.IGNORECASE)) or bool(
        re.fullmatch(r"\d+(?:\.\d+){2,}[a-z]?", said) and not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", said)
    )


def _without_bound(said: str) -> str:
    bound = _BOUND.match(said)
    return said[bound.end() :] if bound else said


Amount = tuple[Decimal, str | None, str]


def _accounting(said: str, conventions: Conventions, unit: str | None) -> Amount | None:
    """(1,200) is negative; a single digit in brackets may be the mark of a note."""
    match = _ACCOUNTING.match(said)
    if match is None or len(match.group("number")) == 1:
        return None
    sign = match.group("sign") or match.group("sign2")
    amount = _amount(f"{sign}{match.group('number')}{match.group('rest')}", conventions, unit)
    return (-amount[0], amount[1], amount[2]) if amount else None


def _amount(said: str, conventions: Conventions, unit: str | None) -> Amount | None:
    """(number, unit, kind) of digits or words with what stands before and after them."""
    lead = _SIGNED_FIRST.match(said)
    currency = find_currency(lead.group("sign"), conventions.currencies) if lead else None
    if lead and currency:
        number = _number(lead.group("rest"), conventions)
        rest = number[1].strip(" .-–") if number else ""
        if number is None or (rest and rest not in MAGNITUDES):
            return None
        value = number[0] * MAGNITUDES.get(rest, 1)
        return (-value if lead.group("minus") else value), currency, "money"
    number = _number(said, conventions)
    if number is None:
        return None
    value, after = number
    rest = after.strip().strip(".").removeprefix("-")
    if not rest:
        return _plain(value, unit, conventions)
    found = _measured(value, rest, conventions) or _together(value, rest, conventions)
    apart = after[:1] == " " or not said[:1].isdigit()  # "1st" counts nothing
    return found or (_counted(value, rest) if apart else None)


def _together(value: Decimal, rest: str, conventions: Conventions) -> Amount | None:
    """2 hours and 9 minutes; a period with what it is counted from: 30 days after publication."""
    parts = re.split(r"\s(?:and|et)\s|,\s", rest, maxsplit=1)
    if len(parts) == 2:
        first, second = find_unit(parts[0]), _number(parts[1], conventions)
        other = find_unit(second[1].strip()) if second else None
        if first and second and other and is_period(first[0]) and is_period(other[0]):
            total = add_periods((value, first[0]), (second[0], other[0]))
            return (*total, "duration") if total else None
    match = _AFTER_PERIOD.match(rest)
    found = find_unit(match.group("unit")) if match else None
    if found is None or not is_period(found[0]):
        return None
    return (*canonical(value, found[0]), "duration")


def _counted(value: Decimal, rest: str) -> Amount | None:
    """five failed attempts: what is counted is the unit, in the singular."""
    words = rest.split()
    if not _COUNTED.match(rest) or _NOT_COUNTED & set(words) or find_unit(words[0]) is not None:
        return None
    last = words[-1]
    if last.endswith("ies") and len(last) > 4:
        last = f"{last[:-3]}y"
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return value, " ".join([*words[:-1], last]), "quantity"


def _number(said: str, conventions: Conventions) -> tuple[Decimal, str] | None:
    """The number that the text begins with, magnitudes applied, and what follows it."""
    for pattern in (_WORD_DIGITS, _DIGIT_WORDS):
        if match := pattern.match(said):
            digits = read_digits(match.group("digits"), conventions.decimal)
            words = read_words(match.group("words"))
            return (digits, match.group("rest")) if digits is not None and digits == words else None
    if match := _NUMBER.match(said):
        value = read_digits(match.group("number"), conventions.decimal)
        return _magnified(value, match.group("rest")) if value is not None else None
    return _worded(said)


def _magnified(value: Decimal, rest: str) -> tuple[Decimal, str]:
    size = _MAGNITUDE.match(rest)
    if size is None:
        return value, rest
    written, after = size.group("size"), rest[size.end() :]
    letter = len(written) <= 2 and written not in ("mn", "bn")
    # a letter is a magnitude before a currency only: "5 m" is a length, "5 M€" and "1.2m EUR" are amounts
    if letter and not (after.strip() and find_currency(after.strip().strip("."))):
        return (
            (value * MAGNITUDES[written], "")
            if written in ("k", "K", "M", "B") and not rest[:1].isspace() and not after
            else (value, rest)
        )
    return value * MAGNITUDES[written], after


def _worded(said: str) -> tuple[Decimal, str] | None:
    """The longest run of number words at the beginning."""
    words = _HYPHENED.sub(r"\1 ", said).split(" ")
    if words[0].lower() == "half" and words[1:2] in (["a"], ["an"]) and _period(" ".join(words[2:])):
        return Decimal("0.5"), " ".join(words[2:])
    for count in range(min(len(words), 7), 0, -1):
        value = read_words(" ".join(words[:count]))
        if value is not None:
            return value, " ".join(words[count:])
    if words[0].lower() in ("a", "an", "one", "un", "une") and len(words) > 1 and _period(" ".join(words[1:])):
        return Decimal(1), " ".join(words[1:])
    return None


def _period(name: str) -> bool:
    found = find_unit(name)
    return found is not None and is_period(found[0])


def _plain(value: Decimal, unit: str | None, conventions: Conventions) -> Amount:
    """A number without a unit of its own has that of its column."""
    if unit is None:
        return value, None, "number"
    return _measured(value, unit, conventions) or (value, None, "number")


def _measured(value: Decimal, rest: str, conventions: Conventions) -> Amount | None:
    """The number in what follows it; None where that is no unit ("5 attempts" is text with a number in it)."""
    size = re.match(r"^([€£$¥])\s?(k|m|M|bn|K)$|^(k|M|m|bn|K)([€£$¥])$", rest)  # a header's £k, k€
    if size:
        sign, letter = size.group(1) or size.group(4), size.group(2) or size.group(3)
        currency = find_currency(sign, conventions.currencies)
        return (value * MAGNITUDES[letter], currency, "money") if currency else None
    currency = find_currency(rest, conventions.currencies)
    if currency:
        return value, currency, "money"
    name, _, tail = rest.partition(" of ") if " of " in rest else (rest, "", "")
    found = find_unit(name)
    if found is None or tail:
        return None
    number, unit = canonical(value * found[1], found[0])
    return number, unit, "percent" if unit == "%" else "duration" if is_period(unit) else "quantity"
