"""Resolution of a view: from its mentions to entities, aliases and the decisions behind them.

Steps: names → pair decisions → clusters → senses by document → short forms → judgements → anchors and ids.
"""

from __future__ import annotations

from functools import partial

import polars as pl

from muniment.resolution.acronyms import (
    defined_units,
    definition_decisions,
    definitions,
    family_units,
    global_units,
    oriented,
    with_sense,
)
from muniment.resolution.aliases import aliases
from muniment.resolution.anchors import anchored, canonical_entities
from muniment.resolution.blocking import Embed, nearest
from muniment.resolution.clustering import cluster_names
from muniment.resolution.decisions import DECISION_COLUMNS, decide, exclusions, seen_together
from muniment.resolution.entity_types import GENERIC_TYPE, is_value
from muniment.resolution.groups import document_scopes, type_decisions, units
from muniment.resolution.judged import judged_decisions, with_judgements
from muniment.resolution.names import name_table
from muniment.resolution.variants import variant_keys
from muniment.resolution.within import within_documents
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES

_UNIT = ["cluster", "document_id"]
_MENTION = [
    "mention_id", "version_id", "document_id", "start", "end", "name", "display_name", "entity_type", "source",
    "acronym_of", "definition", "identifier",
]  # fmt: skip

#: Kinds of aliases that undefined short forms are, by the rule that found them.
_SHORT_KINDS = {"same_document_initials": "acronym"}


def resolve(
    mentions: pl.DataFrame,
    documents: pl.DataFrame,
    view_id: str,
    settings: ResolutionSettings,
    *,
    judged: pl.DataFrame | None = None,
    embed: Embed | None = None,
) -> dict[str, pl.DataFrame]:
    """Rows of canonical_entities, entity_mentions, aliases and pair_decisions.

    `mentions`: rows of the table, of the versions in scope only; `documents`: document_id, first_scan and, where
    known, family_id (documents that are not independent evidence; by default each is its own) of at least their
    documents (ValueError otherwise). `judged`: left_mention_id, right_mention_id, decision (same, different),
    judgement_id, without contradictions; they stand above every rule. `embed`: vectors of proper names, whose
    neighbours are only proposed.

    Mentions of values (dates, amounts, …) are no entities: see `entity_types.value_mentions`; every other mention
    has exactly one row in entity_mentions. Rows do not depend on the order of the input. pair_decisions has no
    view: rules whose outcome depends on what else the view holds have names of their own, so the rows of several
    views never contradict.
    """
    named = _with_order(mentions.select(_MENTION).filter(~is_value()), documents)
    if not settings.acronyms:
        named = named.with_columns(pl.lit(None, pl.String).alias("acronym_of"))
    names = name_table(named)
    keyed = variant_keys(names)
    found = decide(keyed, settings, _neighbours(names, settings, embed))
    found = seen_together(found, named, settings.merge_from)
    exclude = partial(exclusions, keyed=keyed, support=settings.bridge_from)
    name_clusters, spelling = cluster_names(names, found, exclude, settings.max_cluster)
    named = named.join(name_clusters, on="name")
    sensed = units(named)
    stated = definitions(named, name_clusters)
    moved, scoped_decisions = _moves(named, names, keyed, sensed, stated, settings)
    grouped = _grouped(named, sensed, moved)
    if judged is not None and not judged.is_empty():
        grouped = with_judgements(grouped, judged)
        scoped_decisions = [*scoped_decisions, judged_decisions(named, judged)]
    anchors = anchored(grouped)
    resolved = grouped.join(anchors.select("entity_key", "entity_id"), on="entity_key")
    # initials that some document defines are no question
    known = stated["name"].unique().implode()
    spelling = spelling.filter(
        (pl.col("rule") != "initials") | ~(pl.col("left_name").is_in(known) | pl.col("right_name").is_in(known))
    )
    decisions = pl.concat(
        [frame.select(DECISION_COLUMNS) for frame in (spelling, type_decisions(named, sensed), *scoped_decisions)]
    )
    key = TABLES["pair_decisions"].key
    return {
        "canonical_entities": canonical_entities(resolved, anchors, view_id),
        "entity_mentions": resolved.select(
            pl.lit(view_id).alias("view_id"), "mention_id", "entity_id", "version_id", "document_id"
        ).sort("mention_id"),
        "aliases": aliases(resolved, stated, view_id),
        "pair_decisions": decisions.sort(*key, "score", descending=[False] * len(key) + [True], maintain_order=True)
        .unique(key, keep="first", maintain_order=True)
        .sort(key),
    }


def _with_order(mentions: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    family = pl.col("family_id") if "family_id" in documents.columns else pl.lit(None, pl.String)
    known = documents.select("document_id", "first_scan", pl.coalesce(family, "document_id").alias("family_id"))
    ordered = mentions.join(known, on="document_id", how="left")
    unknown = ordered.filter(pl.col("first_scan").is_null())["document_id"].unique().sort()
    if len(unknown):
        raise ValueError(
            f"{len(unknown)} documents of mentions are not among the documents given, first {unknown[0]}: "
            "pass the first capture of every document in scope"
        )
    return ordered


def _neighbours(names: pl.DataFrame, settings: ResolutionSettings, embed: Embed | None) -> pl.DataFrame | None:
    """Near names of things that are named, not of every noun phrase; names of persons have no meaning."""
    if embed is None or settings.embedding_neighbours == 0:
        return None
    likely = names.filter(pl.col("entity_type") != "person").filter(
        pl.col("proper") & (pl.col("entity_type") != GENERIC_TYPE) & pl.col("name").str.contains(" ")
    )
    likely = likely.sort("mentions", "name", descending=[True, False]).head(settings.embedding_names)
    return nearest(likely["name"].to_list(), embed, settings.embedding_neighbours, settings.embedding_similarity)


def _moves(
    named: pl.DataFrame,
    names: pl.DataFrame,
    keyed: pl.DataFrame,
    sensed: pl.DataFrame,
    stated: pl.DataFrame,
    settings: ResolutionSettings,
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """Units that go to a longer name's (cluster, document_id, long_cluster, long_sense, short_kind), and why.

    What a document says itself comes first, then its family, then what is known everywhere, then what its only
    longer name suggests.
    """
    here = defined_units(stated, sensed)
    family = family_units(stated, sensed)
    taken, left = global_units(named, sensed, stated, pl.concat([here, family]).unique())
    decisions = [definition_decisions(stated, names, taken, left, family)]
    moves = pl.concat([here, family, taken]).unique(_UNIT, keep="first", maintain_order=True)
    kinds = stated.group_by("cluster", "long_cluster").agg(
        pl.col("definition").fill_null("acronym").min().alias("short_kind")
    )
    moves = moves.join(kinds, on=["cluster", "long_cluster"], how="left", maintain_order="left")
    if settings.same_document:
        known = moves.select(_UNIT)
        refused = stated.select(_UNIT)
        suggested = within_documents(named, keyed).join(known, on=_UNIT, how="anti").join(refused, on=_UNIT, how="anti")
        kinds = suggested.group_by(*_UNIT, "long_cluster").agg(
            pl.col("rule")
            .replace_strict(_SHORT_KINDS, default="short_form", return_dtype=pl.String)
            .min()
            .alias("short_kind")
        )
        placed = with_sense(kinds.select(*_UNIT, "long_cluster"), sensed).join(kinds, on=[*_UNIT, "long_cluster"])
        moves = pl.concat([moves, _followed(placed, moves)])
        decisions.append(_suggested_decisions(suggested, names))
    return moves, decisions


def _followed(placed: pl.DataFrame, moves: pl.DataFrame) -> pl.DataFrame:
    """Moves to a unit that itself moves go where that goes."""
    onward = moves.select(
        pl.col("cluster").alias("long_cluster"),
        "document_id",
        pl.col("long_cluster").alias("_cluster"),
        pl.col("long_sense").alias("_sense"),
    )
    return placed.join(onward, on=["long_cluster", "document_id"], how="left").select(
        *_UNIT,
        pl.coalesce("_cluster", "long_cluster").alias("long_cluster"),
        pl.coalesce("_sense", "long_sense").alias("long_sense"),
        "short_kind",
    )


def _suggested_decisions(suggested: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    types = names.select("name", "entity_type")
    typed = suggested.join(types, on="name").join(
        types.rename({"name": "long_name", "entity_type": "long_type"}), on="long_name"
    )
    rows = typed.select(
        "name",
        pl.col("entity_type").alias("type"),
        "long_name",
        "long_type",
        pl.col("document_id").alias("scope"),
        "rule",
        pl.lit(0.92).alias("score"),
    )
    return oriented(rows)


def _grouped(named: pl.DataFrame, sensed: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Mentions with entity_key, and is_acronym where a longer name gave them their entity."""
    scoped = document_scopes(named).with_columns(pl.col("document_id").alias("_scope"))
    keyed = (
        sensed.join(moved, on=_UNIT, how="left")
        .join(scoped, on=_UNIT, how="left")
        .join(
            scoped.select(
                pl.col("cluster").alias("long_cluster"), "document_id", pl.col("_scope").alias("_long_scope")
            ),
            on=["long_cluster", "document_id"],
            how="left",
        )
    )
    taken = pl.col("long_cluster").is_not_null()
    scope = pl.when(taken).then("_long_scope").otherwise("_scope")
    sense = pl.concat_str(pl.coalesce("long_sense", "sense"), scope, separator=" of ", ignore_nulls=True)
    key = pl.struct(pl.coalesce("long_cluster", "cluster").alias("cluster"), sense.alias("sense"))
    units_keyed = keyed.select(*_UNIT, key.alias("entity_key"), taken.alias("is_acronym"), "short_kind")
    return named.join(units_keyed, on=_UNIT)
