"""What a fork server loads once, so that each child starts with warm readers."""

from __future__ import annotations

import importlib

from muniment.extraction import engine
from muniment.extraction.formats import MODULES

#: True once `warm` has run in this process; children inherit it.
WARM = False

_MODULES = (
    "lxml.html",
    "markdown_it",
    "yaml",
    "charset_normalizer",
    "unstructured.partition.text",
    "openpyxl",
    "pypdfium2",
    "pdfplumber",
    "mistune",
    "muniment.extraction.entry",
    *(f"muniment.extraction.{module}" for module in MODULES.values()),
)


def warm() -> None:
    """Switch telemetry off, import readers and engines, and classify one text so that its model is loaded.

    Raises what an import raises: a fork server without readers would make every document slow.
    """
    global WARM
    engine.prepare()
    for name in _MODULES:
        importlib.import_module(name)
    from unstructured.partition.text import partition_text

    partition_text(text="Article 1\n\nThe parties agree on the terms set out below.")
    WARM = True
