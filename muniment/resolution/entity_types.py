"""Types of mentions as resolution sees them: values, opposed classes, majority.

The small language models tag one name now as organisation, now as person, now not at all; so types are
evidence to be weighed, not keys. Only pairs that no single thing can be are opposed.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

#: Mentions of these types are values of claims, never entities. A bare "Article 5" (type unit) names a
#: place in its own document: as an entity it would join equal numbers of different laws.
VALUE_TYPES = ("cardinal", "date", "money", "number", "ordinal", "percent", "quantity", "time", "unit")

#: Types that exclude one another. All others (organisation, product, system, concept, …) go with any:
#: taggers confuse an organisation with its founder, seat, product or statute too often to split on it.
OPPOSED_CLASSES = ("event", "law", "person", "place")

#: The type of a noun phrase that nothing names.
GENERIC_TYPE = "concept"

#: Types of proper names: no singular is made of them.
NAMED_TYPES = ("event", "law", "organisation", "person", "place")

#: A specific type beats the generic one from this share of the mentions on.
SPECIFIC_SHARE = 0.25


def is_value(column: str = "entity_type") -> pl.Expr:
    """Whether a mention names a value."""
    return pl.col(column).is_in(VALUE_TYPES)


def opposed_class(column: str) -> pl.Expr:
    """The class that excludes others, or null where the type goes with any."""
    return pl.when(pl.col(column).is_in(OPPOSED_CLASSES)).then(pl.col(column))


def majority_type(mentions: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """`keys`, entity_type, mentions (rows a key): the most frequent type, ties in alphabetical order.

    The generic type wins only where no other has `SPECIFIC_SHARE` of the mentions.
    """
    counted = mentions.group_by([*keys, "entity_type"]).agg(pl.len().alias("_of_type"))
    total = pl.col("_of_type").sum().over(keys)
    specific = (pl.col("entity_type") != GENERIC_TYPE) & (pl.col("_of_type") >= SPECIFIC_SHARE * total)
    return (
        counted.with_columns(specific.alias("_specific"), total.cast(pl.Int64).alias("mentions"))
        .sort([*keys, "_specific", "_of_type", "entity_type"], descending=[*[False] * len(keys), True, True, False])
        .unique(list(keys), keep="first", maintain_order=True)
        .select(*keys, "entity_type", "mentions")
    )


def value_mentions(mentions: pl.DataFrame) -> pl.DataFrame:
    """version_id, mentions: how many mentions of a version are values, and so no entities."""
    return (
        mentions.filter(is_value())
        .group_by("version_id")
        .agg(pl.len().cast(pl.Int64).alias("mentions"))
        .sort("version_id")
    )
