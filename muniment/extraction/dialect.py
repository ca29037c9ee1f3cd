"""Which delimiter and quote a delimited text has, and its rows.

Scores follow CleverCSV's pattern score (van den Burg, Nazábal, Sutton 2019, section 3.2): many rows of
one length, with more than one cell, times the share of cells that look like values or names.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass

_DELIMITERS = (",", ";", "\t", "|", "^", "~", ":", " ")
#: Delimiters that also occur in prose, and how much more convincing they must be.
_DOUBT = {":": 0.4, " ": 0.3, "^": 0.9, "~": 0.9}
_SAMPLE_CHARACTERS = 128 * 1024
_SAMPLE_ROWS = 400
_NUMBER = re.compile(r"[-+−(]?\s*[$€£¥]?\s*\d[\d.,'\s]*(?:[eE][-+]?\d+)?\s*[%€$£]?\)?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?\S*)?|\d{1,2}:\d{2}(?::\d{2})?")
_PLAIN = re.compile(r"[^\W\d_][\w .'&/()-]*|[\w.+-]+@[\w.-]+|https?://\S+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How rows and cells are marked. `quote` is "" when no cell is quoted; `escape` is "" or a backslash."""

    delimiter: str
    quote: str
    escape: str = ""


def sniff(text: str) -> Dialect:
    """The dialect with the best score on the first rows; a comma where nothing divides the rows."""
    sample = text[:_SAMPLE_CHARACTERS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_score = Dialect(",", '"' if '"' in sample else ""), 0.0
    for dialect in _candidates(sample):
        score = _score(sample, dialect)
        if score > best_score + 1e-9:
            best, best_score = dialect, score
    return best


def is_number(value: str) -> bool:
    """A number as people write it: sign, currency, thousands marks, decimal comma, percent."""
    return _NUMBER.fullmatch(value.strip()) is not None


def is_value(value: str) -> bool:
    """A number, a date or a time."""
    return is_number(value) or _DATE.fullmatch(value.strip()) is not None


def parse(text: str, dialect: Dialect) -> list[list[str]]:
    """Rows of cells; blank lines give no row. Never raises on content: an unclosed quote runs to the end."""
    csv.field_size_limit(max(len(text) + 1, 131_072))
    reader = csv.reader(
        _lines(text),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape or None,
        doublequote=not dialect.escape,
        strict=False,
    )
    return [row for row in reader if row]


def _lines(text: str) -> list[str]:
    """Lines with their ends, cut at line feeds only: other breaks may stand inside cells."""
    return [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def _candidates(sample: str) -> list[Dialect]:
    quotes = ['"'] if '"' in sample else []
    if _quoted_with(sample, "'") and not quotes:
        quotes.append("'")
    quotes = quotes or [""]
    found = []
    for delimiter in _DELIMITERS:
        if delimiter in sample:
            escaped = any('\\"' in sample and f'{mark}"' not in sample for mark in ('"',))
            found += [Dialect(delimiter, quote, "\\" if escaped and quote else "") for quote in quotes]
    return found


def _quoted_with(sample: str, quote: str) -> bool:
    """Whether cells begin and end with this quote, rather than words holding an apostrophe."""
    marks = "".join(re.escape(mark) for mark in _DELIMITERS[:4])
    pattern = rf"(?:^|[{marks}]){quote}[^{quote}\n]*{quote}(?=[{marks}\r]|$)"
    return len(re.findall(pattern, sample, re.MULTILINE)) * 2 >= sample.count(quote) * 0.8 > 0


def _score(sample: str, dialect: Dialect) -> float:
    rows = parse(sample, dialect)[:_SAMPLE_ROWS]
    if not rows:
        return 0.0
    lengths = Counter(len(row) for row in rows)
    pattern = sum(count * (length - 1) / length for length, count in lengths.items()) / len(lengths)
    modal = max(lengths.items(), key=lambda item: (item[1], item[0]))[0]
    if modal == 1 and len(lengths) > 1 and lengths[1] > len(rows) * 0.7:
        return 0.0
    cells = [cell.strip() for row in rows[:100] for cell in row[:50]]
    typed = sum(1 for cell in cells if not cell or is_value(cell) or _PLAIN.fullmatch(cell)) / max(len(cells), 1)
    return pattern * max(typed, 0.1) * _DOUBT.get(dialect.delimiter, 1.0)
