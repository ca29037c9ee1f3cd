"""unstructured without a network: the private name it takes its pipeline from, and its switches."""

from __future__ import annotations

import os

from muniment.extraction import engine


def test_unstructured_uses_the_installed_pipeline_and_sends_nothing() -> None:
    name = engine.prepare()
    import unstructured.nlp.tokenize as tokenize

    assert name == tokenize._SPACY_MODEL_NAME
    assert name in engine.PIPELINES
    assert os.environ["DO_NOT_TRACK"] and os.environ["SCARF_NO_ANALYTICS"]
    assert engine.category_of("Terms and Conditions") == "Title"
    assert engine.category_of("The seller delivers the goods within thirty days of the order.") == "NarrativeText"
