"""An index folder: the engine's files, and a manifest that says what they are and what they hash to."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from muniment.ids import digest
from muniment.index import lexical
from muniment.index.edge import EdgeReader, index_digest
from muniment.index.port import IndexFolderError, IndexReader
from muniment.settings import IndexSettings

#: Raise when the payload or the layout of the folder changes.
LAYOUT = 1
_MANIFEST = "index.json"
_SHARD = "shard"


class Manifest(BaseModel):
    """What an index folder holds. Digests and counts only."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    configuration: str
    embedder_digest: str
    dimension: int
    points: int
    shard_digest: str


def configuration_digest(embedder_digest: str, settings: IndexSettings) -> str:
    """Digest of whatever makes two indexes of equal rows differ: only equal ones build on each other."""
    engine = importlib.metadata.version("qdrant-edge-py")
    terms = (lexical.VERSION, lexical.K1, lexical.B, settings.average_tokens)
    return digest("index", LAYOUT, engine, embedder_digest, *terms)


def shard_folder(folder: Path) -> Path:
    """Where the engine's files stand."""
    return folder / _SHARD


def views_folder(work: Path) -> Path:
    """Where readers keep their private views, under `home.work`: on the file system of the indexes."""
    return work / "index-views"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest; the folder is not published yet, so in place."""
    (folder / _MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder. Raises IndexFolderError when it is absent or not one of ours."""
    path = folder / _MANIFEST
    try:
        return Manifest.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise IndexFolderError(f"{path} is missing: not a finished index; publish again") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise IndexFolderError(f"{path} is not a manifest of this version ({error}); publish again") from error


def check_folder(folder: Path) -> Manifest:
    """The manifest, if the files are still those that were published; else IndexFolderError."""
    manifest = read_manifest(folder)
    actual = index_digest(shard_folder(folder))
    if actual != manifest.shard_digest:
        raise IndexFolderError(
            f"{folder}: its files were changed after publication (digest {actual[:12]} instead of "
            f"{manifest.shard_digest[:12]}); publish again"
        )
    return manifest


def open_index(folder: Path, work: Path, settings: IndexSettings, embedder_digest: str) -> IndexReader:
    """A reader of a published folder, with a private view under `work` (`home.work`). Close it.

    Raises IndexFolderError when the folder was built with another embedder or with other terms than
    the settings in force: vectors and terms of two configurations must not be compared.
    """
    manifest = read_manifest(folder)
    if manifest.embedder_digest != embedder_digest:
        raise IndexFolderError(
            f"{folder} was built with embedder {manifest.embedder_digest[:12]}, the question would be embedded with "
            f"{embedder_digest[:12]}; publish again or set index.embedder back"
        )
    if manifest.configuration != configuration_digest(embedder_digest, settings):
        raise IndexFolderError(
            f"{folder} was built with other index settings or versions; publish again or set [index] back"
        )
    return EdgeReader(shard_folder(folder), views_folder(work), exact_limit=settings.exact_limit)
