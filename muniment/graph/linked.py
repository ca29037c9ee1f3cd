"""Claims with the entities that their mentions name: the input of merging and of conflict finding."""

from __future__ import annotations

import polars as pl

from muniment.nlp.names import normalise
from muniment.resolution.entity_types import GENERIC_TYPE

#: Types of words that speak of many things at once: suppliers, system owners.
CLASS_TYPES = (GENERIC_TYPE, "role")

#: Kinds of aliases that name an entity within one document only ("the Supplier").
_LOCAL_ALIASES = ("defined_term", "short_form")


def linked_claims(
    claims: pl.DataFrame,
    mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    aliases: pl.DataFrame | None = None,
    canonical_entities: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """`claims` with subject_id and object_id (null: no entity), `said`, `written` and `subject_written`.

    said: the value, or the name of a value mention (a date, an amount). written, subject_written: object and
    subject as their text has them.
    With `aliases` and `canonical_entities`, a value in words that is an alias of exactly one named entity
    (a register's cell "Margit Osei") is that entity, and says nothing else.
    """
    entity = entity_mentions.select("mention_id", "entity_id")
    names = mentions.select(
        pl.col("mention_id").alias("object_mention_id"),
        pl.col("name").alias("_object_name"),
        pl.col("display_name").alias("_object_written"),
    )
    linked = (
        claims.join(
            entity.rename({"mention_id": "subject_mention_id", "entity_id": "subject_id"}),
            on="subject_mention_id",
            how="left",
        )
        .join(
            entity.rename({"mention_id": "object_mention_id", "entity_id": "object_id"}),
            on="object_mention_id",
            how="left",
        )
        .join(names, on="object_mention_id", how="left")
        .join(
            mentions.select(
                pl.col("mention_id").alias("subject_mention_id"), pl.col("display_name").alias("subject_written")
            ),
            on="subject_mention_id",
            how="left",
        )
        .with_columns(
            pl.coalesce("value", "_object_name").alias("said"), pl.coalesce("value", "_object_written").alias("written")
        )
        .drop("_object_name", "_object_written")
    )
    if aliases is None or canonical_entities is None:
        return linked
    return _values_that_name(linked, aliases, canonical_entities)


def _values_that_name(linked: pl.DataFrame, aliases: pl.DataFrame, canonical_entities: pl.DataFrame) -> pl.DataFrame:
    """Text values that are the alias of one named entity become that entity."""
    named = canonical_entities.filter(pl.col("entity_type") != GENERIC_TYPE).select("entity_id")
    unique = (
        aliases.filter(~pl.col("kind").is_in(_LOCAL_ALIASES) & pl.col("status").ne_missing("unconfirmed"))
        .group_by("alias")
        .agg(pl.col("entity_id").n_unique().alias("_entities"), pl.col("entity_id").min())
        .filter(pl.col("_entities") == 1)
        .join(named, on="entity_id", how="semi")
        .select("alias", pl.col("entity_id").alias("_named"))
    )
    in_words = pl.col("object_mention_id").is_null() & (pl.col("value_type") == "text").fill_null(value=False)
    words = linked.filter(in_words)["value"].drop_nulls().unique().sort()
    spelled = pl.DataFrame(
        {"value": words, "alias": [normalise(word) for word in words]},
        schema={"value": pl.String, "alias": pl.String},
    ).join(unique, on="alias")
    return (
        linked.join(spelled.select("value", "_named"), on="value", how="left")
        .with_columns(pl.when(in_words).then(pl.col("_named")).alias("_named"))
        .with_columns(
            pl.coalesce("object_id", "_named").alias("object_id"),
            pl.when(pl.col("_named").is_null()).then("said").alias("said"),
        )
        .drop("_named")
    )


def claim_counts(linked: pl.DataFrame) -> dict[str, int]:
    """What became of linked claims: every one is counted in exactly one of the parts, which add up to `claims`.

    relations (in relationship_claims), self_loops (both mentions name one entity: no relationship),
    attributes (a value, literal or mention), without_subject (the subject is a value), without_object.
    """
    part = (
        pl.when(pl.col("subject_id").is_null())
        .then(pl.lit("without_subject"))
        .when(pl.col("object_id") == pl.col("subject_id"))
        .then(pl.lit("self_loops"))
        .when(pl.col("object_id").is_not_null())
        .then(pl.lit("relations"))
        .when(pl.col("said").is_not_null())
        .then(pl.lit("attributes"))
        .otherwise(pl.lit("without_object"))
    )
    counted = dict(linked.group_by(part.alias("part")).len().iter_rows())
    parts = ("relations", "self_loops", "attributes", "without_subject", "without_object")
    return {"claims": linked.height, **{name: int(counted.get(name, 0)) for name in parts}}


def themes(linked: pl.DataFrame) -> pl.DataFrame:
    """claim_id, theme: what a claim with a preposition is said of besides its subject.

    "The Archive keeps raw readings for 13 months" is two claims, keep → raw readings and keep_for → 13 months;
    the raw readings are the theme of the second. Claims without such a sibling (same subject mention, polarity,
    and the verb alone) are absent. Themes are entity ids, or words where no entity is named.
    """
    siblings = (
        linked.filter(pl.coalesce("object_id", "said").is_not_null())
        .select(
            "subject_mention_id",
            "polarity",
            pl.col("predicate_raw").alias("_verb"),
            pl.coalesce("object_id", pl.col("said").str.to_lowercase()).alias("theme"),
            pl.col("claim_id").alias("_sibling"),
        )
        .unique(["subject_mention_id", "polarity", "_verb", "theme"])
    )
    raw = pl.col("predicate_raw").str.replace_all(" ", "_")
    verbs = linked.filter(raw.str.contains("_", literal=True)).select(
        "claim_id", "subject_mention_id", "polarity", raw.str.replace(r"_[^_]+$", "").alias("_verb")
    )
    return (
        verbs.join(siblings, on=["subject_mention_id", "polarity", "_verb"])
        .filter(pl.col("claim_id") != pl.col("_sibling"))
        .group_by("claim_id")
        .agg(pl.col("theme").unique().sort())
        .select("claim_id", pl.col("theme").list.join(" + "))
    )


def members_of_classes(
    linked: pl.DataFrame, mentions: pl.DataFrame, entity_mentions: pl.DataFrame, canonical_entities: pl.DataFrame
) -> pl.DataFrame:
    """class_id, member_id: named entities and the entities of CLASS_TYPES ("suppliers") that speak of them.

    An entity belongs to a class that a document says it is ("Brightwell is a supplier") or by whose word a
    document defines it (the "Supplier"); number is ignored.
    """
    generic = canonical_entities.filter(pl.col("entity_type").is_in(CLASS_TYPES)).select(
        pl.col("entity_id").alias("class_id"), singular(pl.col("name").str.to_lowercase()).alias("_word")
    )
    said = linked.filter(
        (pl.col("predicate") == "is_a")
        & (pl.col("polarity") == "positive")
        & pl.col("condition_text").is_null()
        & pl.col("object_id").is_not_null()
    ).join(generic, left_on="object_id", right_on="class_id")
    stated = said.select("_word", pl.col("subject_id").alias("member_id"))
    defined = (
        mentions.filter(pl.col("definition") == "defined_term")
        .select("mention_id", singular(pl.col("name")).alias("_word"))
        .join(entity_mentions.select("mention_id", pl.col("entity_id").alias("member_id")), on="mention_id")
        .select("_word", "member_id")
    )
    named = canonical_entities.filter(~pl.col("entity_type").is_in(CLASS_TYPES)).select(
        pl.col("entity_id").alias("member_id")
    )
    return (
        pl.concat([stated, defined])
        .join(named, on="member_id", how="semi")
        .join(generic, on="_word")
        .select("class_id", "member_id")
        .unique()
        .sort("class_id", "member_id")
    )


def singular(words: pl.Expr) -> pl.Expr:
    """Words without the s of a plural."""
    return words.str.replace(r"([^s])s$", "${1}")
