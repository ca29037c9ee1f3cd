"""Looking a text up in the original again, with the counter's engine, which shares nothing with the reader.

The declared normalisation, tried when the text does not stand there as it is: NFKC; no soft hyphens,
zero-width characters and white space; quotation marks and dashes of one kind. Numbers and signs stay.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from muniment.extraction.formats import MODULES, module_of
from muniment.extraction.model import ReadError, ReadOptions
from muniment.home import Home
from muniment.settings import Settings
from muniment.store.originals import OriginalStore
from muniment.store.rows import Rows
from muniment.trace.model import Trace, Verification

_DROPPED = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_UNIFIED = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
)


def normalise(text: str) -> str:
    """The declared normalisation."""
    folded = unicodedata.normalize("NFKC", text.translate(_DROPPED)).translate(_UNIFIED)
    return "".join(folded.split())


def compare(text: str, source: str) -> Verification:
    """Whether a text stands in the source text: as it is, after normalisation, or not."""
    if text in source:
        return "exact"
    return "normalised" if normalise(text) in normalise(source) else "not_found"


def verify_trace(trace: Trace, rows: Rows, home: Home, settings: Settings) -> Trace:
    """The trace with its verification: the original is opened again at the trace's place."""
    version = next((step for step in trace.back if step.table == "document_versions"), None)
    if trace.text is None or version is None or version.facts["doc_type"] not in MODULES:
        return trace.model_copy(update={"verification": "not_checked"})
    doc_type = str(version.facts["doc_type"])
    path = OriginalStore(home.originals).path(str(version.facts["sha256"]))
    options = ReadOptions(**settings.extraction.model_dump())
    module: Any = module_of(doc_type)
    try:
        source = module.source_text(path, trace.locator or {}, options)
    except ReadError as error:
        return trace.model_copy(update={"verification": "not_found", "verified_by": error.reason_code})
    return trace.model_copy(update={"verification": compare(trace.text, source), "verified_by": str(module.COUNTER)})
