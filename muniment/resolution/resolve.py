"""Resolution of a view: from its mentions to entities, aliases and the decisions behind them.

Steps: names → spelling variants → clusters → senses by document → acronyms → anchors and ids.
"""

from __future__ import annotations

import polars as pl

from muniment.resolution.acronyms import acronym_decisions, defined_units, definitions, global_units
from muniment.resolution.anchors import aliases, anchored, canonical_entities
from muniment.resolution.entity_types import is_value
from muniment.resolution.groups import DECISION_COLUMNS, clusters, name_table, type_decisions, units
from muniment.resolution.variants import decide_variants
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES

_UNIT = ["cluster", "document_id"]
_MENTION = [
    "mention_id", "version_id", "document_id", "start", "end", "name", "display_name", "entity_type", "acronym_of",
]  # fmt: skip


def resolve(
    mentions: pl.DataFrame, documents: pl.DataFrame, view_id: str, settings: ResolutionSettings
) -> dict[str, pl.DataFrame]:
    """Rows of canonical_entities, entity_mentions, aliases and pair_decisions.

    `mentions`: rows of the table, of the versions in scope only; `documents`: document_id, first_scan of at
    least their documents (ValueError otherwise). Mentions of values (dates, amounts, …) are no entities: see
    `entity_types.value_mentions`; every other mention has exactly one row in entity_mentions. Rows do not
    depend on the order of the input. pair_decisions has no view: rules whose outcome depends on what else
    the view holds have names of their own, so the rows of several views never contradict.
    """
    named = _with_order(mentions.select(_MENTION).filter(~is_value()), documents)
    if not settings.acronyms:
        named = named.with_columns(pl.lit(None, pl.String).alias("acronym_of"))
    names = name_table(named)
    spelling = decide_variants(names)
    name_clusters = clusters(names, spelling)
    named = named.join(name_clusters, on="name")
    sensed = units(named)
    stated = definitions(named, name_clusters)
    moved = defined_units(stated, sensed)
    taken, left = global_units(named, sensed, stated, moved)
    grouped = _grouped(named, sensed, pl.concat([moved, taken]))
    anchors = anchored(grouped)
    resolved = grouped.join(anchors.select("entity_key", "entity_id"), on="entity_key")
    decisions = pl.concat(
        [
            frame.select(DECISION_COLUMNS)
            for frame in (spelling, type_decisions(named, sensed), acronym_decisions(stated, names, taken, left))
        ]
    )
    return {
        "canonical_entities": canonical_entities(resolved, anchors, view_id),
        "entity_mentions": resolved.select(
            pl.lit(view_id).alias("view_id"), "mention_id", "entity_id", "version_id", "document_id"
        ).sort("mention_id"),
        "aliases": aliases(resolved, _defined_names(stated, resolved), view_id),
        "pair_decisions": decisions.unique(TABLES["pair_decisions"].key).sort(TABLES["pair_decisions"].key),
    }


def _with_order(mentions: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    ordered = mentions.join(documents.select("document_id", "first_scan"), on="document_id", how="left")
    unknown = ordered.filter(pl.col("first_scan").is_null())["document_id"].unique().sort()
    if len(unknown):
        raise ValueError(
            f"{len(unknown)} documents of mentions are not among the documents given, first {unknown[0]}: "
            "pass the first capture of every document in scope"
        )
    return ordered


def _grouped(named: pl.DataFrame, sensed: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Mentions with entity_key, and is_acronym where a definition gave them their entity."""
    keyed = sensed.join(moved, on=_UNIT, how="left").select(
        *_UNIT,
        pl.struct(
            pl.coalesce("long_cluster", "cluster").alias("cluster"), pl.coalesce("long_sense", "sense").alias("sense")
        ).alias("entity_key"),
        pl.col("long_cluster").is_not_null().alias("is_acronym"),
    )
    return named.join(keyed, on=_UNIT)


def _defined_names(stated: pl.DataFrame, resolved: pl.DataFrame) -> pl.DataFrame:
    """entity_id, alias: the long forms that documents define for an entity's short form."""
    accepted = stated.filter(pl.col("refused").is_null()).select(*_UNIT, pl.col("long_name").alias("alias"))
    return resolved.select(*_UNIT, "entity_id").unique().join(accepted, on=_UNIT).select("entity_id", "alias")
