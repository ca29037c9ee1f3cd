"""Closes the books of structured extraction for one version: what was counted against what was made."""

from __future__ import annotations

from muniment.extraction.canonical import Assembled, PlacedElement
from muniment.extraction.counting import characters, digits, percents
from muniment.extraction.metadata import normalise
from muniment.extraction.model import Adjustment, Reading
from muniment.extraction.serial import ReadDocument
from muniment.loss.ledger import Entry, Ledger
from muniment.reason_codes import Severity, reason
from muniment.settings import LossSettings

#: Units whose book is closed when the counter gives them, in the order they are written.
UNITS = (
    "chars_visible",
    "chars_hidden",
    "digits",
    "percents",
    "pages",
    "tables",
    "slides",
    "sheets",
    "mail_parts",
    "cells",
)


def actual_counts(reading: Reading, assembled: Assembled) -> dict[str, int]:
    """What the extraction has, recounted from its canonical text and elements.

    `pages`, `slides` and `sheets` are all `reading.pages`: a format has one of them. Digits and
    percent signs are counted in visible text. `cells` are those of all tables with text.
    """
    visible = [text for element in assembled.elements for text, hidden in _texts(assembled, element) if not hidden]
    hidden = [text for element in assembled.elements for text, hidden in _texts(assembled, element) if hidden]
    pages = reading.pages or 0
    parts = {e.element.mail_part for e in assembled.elements if e.element.kind != "mail_header"} - {None}
    return {
        "chars_visible": sum(characters(text) for text in visible),
        "chars_hidden": sum(characters(text) for text in hidden),
        "digits": sum(digits(text) for text in visible),
        "percents": sum(percents(text) for text in visible),
        "pages": pages,
        "tables": sum(1 for element in assembled.elements if element.element.grid is not None),
        "slides": pages,
        "sheets": pages,
        "mail_parts": len(parts),
        "cells": sum(characters(cell.text) > 0 for element in assembled.elements for cell in element.cells),
    }


def close_books(
    ledger: Ledger, version_id: str, document: ReadDocument, assembled: Assembled, settings: LossSettings
) -> bool:
    """Close every book that the counter opened and record losses; return whether the loss is critical.

    The book of `documents` says that the version was read; `close_failed` closes it for one that was not.

    Unexplained visible text is also a loss `text_missing` (or `text_invented`), critical above
    `critical_unexplained`, major above `major_loss`, else minor. Lost digits and percent signs
    are major. Adjustments in units that no counter counts are recorded as losses without a book.
    """
    reading = document.reading
    ledger.close(version_id, "documents", expected=1, actual=1)
    if document.count_error is not None:
        ledger.lose(version_id, "documents", Entry("counter_failed", 1, {}, document.count_error))
    for problem in normalise(reading, assembled.text).problems:
        ledger.lose(version_id, problem.unit, _entry(problem))
    actual = actual_counts(reading, assembled)
    critical = False
    for unit in UNITS:
        if unit not in document.counts:
            continue
        entries = [_entry(adjustment) for adjustment in reading.adjustments if adjustment.unit == unit]
        expected = document.counts[unit]
        rest = ledger.close(version_id, unit, expected=expected, actual=actual[unit], entries=entries)
        severity = _severity(unit, rest, expected, settings)
        if severity is not None:
            code = "text_missing" if rest > 0 else "text_invented"
            ledger.lose(version_id, unit, Entry(code, abs(rest), {}, _detail(rest, expected), severity))
        critical = critical or severity == "critical"
    for adjustment in reading.adjustments:
        if adjustment.unit not in document.counts and reason(adjustment.reason_code).use != "addition":
            ledger.lose(version_id, adjustment.unit, _entry(adjustment))
    if actual["chars_hidden"]:
        ledger.lose(version_id, "chars_hidden", Entry("hidden_text_kept_apart", actual["chars_hidden"]))
    return critical


def close_failed(ledger: Ledger, version_id: str, reason_code: str, detail: str) -> None:
    """Close the only book of a version that was not read: one document expected, none made, by a reason."""
    ledger.close(version_id, "documents", expected=1, actual=0, entries=[Entry(reason_code, 1, {}, detail)])


def _texts(assembled: Assembled, placed: PlacedElement) -> list[tuple[str, bool]]:
    element = placed.element
    if element.grid is None:
        return [(assembled.text[placed.start : placed.end], element.hidden)]
    return [(cell.text, element.hidden or cell.cell.hidden) for cell in placed.cells]


def _entry(adjustment: Adjustment) -> Entry:
    return Entry(adjustment.reason_code, adjustment.amount, adjustment.locator, adjustment.detail)


def _severity(unit: str, rest: int, expected: int, settings: LossSettings) -> Severity | None:
    """How bad an unexplained rest is; None when it is no loss of text."""
    if rest == 0:
        return None
    if unit in ("digits", "percents"):
        return "major" if rest > 0 else None
    if unit != "chars_visible":
        return None
    share = abs(rest) / max(expected, 1)
    if share > settings.critical_unexplained:
        return "critical"
    return "major" if share > settings.major_loss else "minor"


def _detail(rest: int, expected: int) -> str:
    return f"{abs(rest)} of {expected} counted ({abs(rest) / max(expected, 1):.2%}) without a reason"
