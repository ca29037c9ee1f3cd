"""Which module reads which document type, and which types a file name promises.

Modules are imported when they are first asked for: a child that reads a mail loads no PDF engine.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from pathlib import PurePosixPath
from typing import cast

from muniment.extraction.model import FormatModule, ReadError

#: Module in this package for each document type.
MODULES = {
    "text": "text",
    "markdown": "markdown",
    "html": "html",
    "csv": "csv_table",
    "eml": "mail",
    "docx": "docx",
    "xlsx": "xlsx",
    "pptx": "pptx",
    "pdf": "pdf",
}

#: The type of files that no reader handles.
UNSUPPORTED = "unsupported"

#: Types whose small files may share a child: their readers are plain Python over text.
TEXT_TYPES = frozenset({"text", "markdown", "csv", "html", "eml"})

#: Document type that a suffix promises.
TYPE_BY_SUFFIX = {
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".eml": "eml",
    ".docx": "docx",
    ".docm": "docx",
    ".dotx": "docx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xltx": "xlsx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".potx": "pptx",
    ".ppsx": "pptx",
    ".pdf": "pdf",
}

#: Distributions whose versions belong to a reader's version, by document type.
ENGINES = {
    "text": ("unstructured", "charset-normalizer"),
    "markdown": ("markdown-it-py", "lxml", "PyYAML"),
    "html": ("lxml", "charset-normalizer"),
    "csv": ("charset-normalizer",),
    "eml": ("lxml", "charset-normalizer"),
    "docx": ("lxml",),
    "xlsx": ("lxml", "openpyxl"),
    "pptx": ("lxml",),
    "pdf": ("pypdfium2", "pdfplumber", "pdfminer.six"),
}


def promised_type(name: str) -> str | None:
    """The document type that a file name promises; None when its suffix promises none."""
    return TYPE_BY_SUFFIX.get(PurePosixPath(name).suffix.lower())


def module_of(doc_type: str) -> FormatModule:
    """The reader of a document type; ReadError("unsupported_type") when there is none."""
    if doc_type not in MODULES:
        raise ReadError("unsupported_type", f"no reader for document type {doc_type}; convert it to a supported one")
    return cast(FormatModule, importlib.import_module(f"muniment.extraction.{MODULES[doc_type]}"))


@functools.cache
def engine_versions(doc_type: str) -> str:
    """Names and versions of the distributions that take part in reading a type: "lxml 6.1.3, …"."""
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ENGINES.get(doc_type, ()))
