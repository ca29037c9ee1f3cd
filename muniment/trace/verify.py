"""Looking a text up in the original again, with the counter's engine, which shares nothing with the reader.

What the reader changed on purpose stands in `text_edits` with both sides: where the text is not found as it
is, list numbers that it added and hyphens that it joined are undone and it is looked up once more.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from muniment.extraction.formats import MODULES, module_of
from muniment.extraction.model import ReadError, ReadOptions
from muniment.home import Home
from muniment.settings import Settings
from muniment.store.originals import OriginalStore
from muniment.store.rows import Rows
from muniment.trace.comparison import compare
from muniment.trace.model import Trace, Verification
from muniment.trace.shown import shows

#: Edits whose source text stands in the original as it is written in `text_edits`.
_UNDONE = ("list_number", "joined_hyphen")
#: How control characters are written there (see `canonical.printable`).
_CONTROL = re.compile(r"U\+(00[01][0-9A-F]|007F|00[89][0-9A-F])")


def verify_trace(trace: Trace, rows: Rows, home: Home, settings: Settings) -> Trace:
    """The trace with its verification: the original is opened again at the trace's place.

    not_checked when there is no text, no reader of the type, or the engine cannot open the file; `verified_by`
    then names the reason.
    """
    version = next((step for step in trace.back if step.table == "document_versions"), None)
    if trace.text is None or version is None or version.facts["doc_type"] not in MODULES:
        return trace.model_copy(update={"verification": "not_checked"})
    doc_type = str(version.facts["doc_type"])
    path = OriginalStore(home.originals).path(str(version.facts["sha256"]))
    options = ReadOptions(**settings.extraction.model_dump())
    texts = [trace.text, as_in_source(trace, rows)]
    verification, engine = verify_texts(texts, path, doc_type, trace.locator or {}, options)
    return trace.model_copy(update={"verification": verification, "verified_by": engine})


def verify_texts(
    texts: list[str], path: Path, doc_type: str, locator: dict[str, Any], options: ReadOptions
) -> tuple[Verification, str]:
    """The verification of the first of `texts` that stands in the file at the locator, and the engine.

    `texts` are forms of one text; only the first can be exact.
    """
    module = module_of(doc_type)
    try:
        source = module.source_text(path, locator, options)
    except ReadError as error:
        return "not_checked", error.reason_code
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - engines raise anything on damaged files; said in the answer
        return "not_checked", f"{type(error).__name__} in {module.COUNTER}"
    compared = shows if doc_type == "xlsx" else None
    verification = compare(texts[0], source, compared)
    if verification == "not_found" and any(compare(text, source, compared) != "not_found" for text in texts[1:]):
        verification = "normalised"
    return verification, module.COUNTER


def as_in_source(trace: Trace, rows: Rows) -> str:
    """The trace's text with the reader's edits undone: list numbers left out, hyphens put back."""
    text, span = trace.text or "", (trace.locator or {}).get("characters")
    extraction = next((step for step in trace.back if step.table == "extractions"), None)
    if span is None or extraction is None:
        return text
    start, end = span
    edits = rows.read(
        'SELECT start, "end", source_text FROM text_edits WHERE extraction_id = ? AND start >= ? AND "end" <= ? '
        "AND kind IN (SELECT unnest(?)) ORDER BY start DESC",
        [extraction.id, start, end, list(_UNDONE)],
    )
    for first, last, source in edits.iter_rows():
        written = _CONTROL.sub(lambda match: chr(int(match[1], 16)), source)
        text = text[: first - start] + written + text[last - start :]
    return text
