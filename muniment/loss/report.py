"""The loss report: books and losses summed by document type, stage and unit, with a gate."""

from __future__ import annotations

import polars as pl

from muniment.settings import LossSettings
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

#: Stages in the order in which documents pass them, for sorting.
STAGE_ORDER = (
    "structured_extraction",
    "annotations",
    "chunks",
    "contextualized_chunks",
    "entities",
    "merged_graph",
    "communities",
    "indexes",
)

#: Fewer unread documents of a type than this say nothing about the type.
_ENOUGH = 5

_GROUP = ["doc_type", "stage", "unit"]

#: The type of files that no reader handles (extraction.formats, which this layer may not import).
_UNSUPPORTED = "unsupported"


def loss_by_type(rows: Rows, settings: LossSettings) -> pl.DataFrame:
    """`loss_by_type` rows over every version that has books (held or not).

    `set_aside` is the part of `explained` whose reasons have severity info: marks of the format, a second body
    that says the same; nothing said is lost by it. `loss_ratio` is (explained - set_aside + |unexplained|) /
    (expected + additions). The gate of a row is
    `error` where more than `gate_critical_share` of its documents have a critical loss in that
    stage and unit, `warn` where any has a major one, else `ok`. In the unit `documents` (unread ones are
    expected and not made) it is `error` where more than `gate_failed_share` of five or more are unread,
    but `warn` for files that no reader is there for: they say nothing about reading.
    """
    books = _books(rows)
    if books.is_empty():
        return TABLES["loss_by_type"].empty()
    summed = books.group_by(_GROUP).agg(
        pl.len().cast(pl.Int64).alias("documents"),
        (pl.col("lost") > 0).sum().cast(pl.Int64).alias("affected"),
        pl.col("due").sum().alias("expected"),
        pl.col("actual").sum(),
        pl.col("explained").sum(),
        pl.col("set_aside").sum(),
        pl.col("gap").sum().alias("unexplained"),
        (pl.col("expected") > pl.col("actual")).sum().alias("short"),
        pl.col("ratio").quantile(0.9, "higher").alias("worst_decile_ratio"),
    )
    worst = (
        books.filter(pl.col("ratio") > 0)
        .sort("ratio", "version_id", descending=[True, False])
        .unique(_GROUP, keep="first", maintain_order=True)
        .select(*_GROUP, pl.col("version_id").alias("worst_version_id"))
    )
    report = (
        summed.join(worst, on=_GROUP, how="left")
        .join(_reasons(rows), on=_GROUP, how="left")
        .join(_severities(rows), on=_GROUP, how="left")
        .with_columns(
            _gate(settings).alias("gate"),
            _ratio(pl.col("expected"), pl.col("explained") - pl.col("set_aside") + pl.col("unexplained")).alias(
                "loss_ratio"
            ),
            pl.col("top_reasons").fill_null(pl.lit([], dtype=pl.List(pl.String))),
        )
    )
    return report.select(list(TABLES["loss_by_type"].schema)).sort(_GROUP)


def _books(rows: Rows) -> pl.DataFrame:
    """The books with doc_type, due (expected and added), gap (unexplained either way), lost and ratio (lost of due)."""
    books = rows.read(
        "SELECT b.*, v.doc_type, coalesce(a.amount, 0)::BIGINT AS set_aside "
        "FROM stage_books b JOIN document_versions v USING (version_id) "
        "LEFT JOIN (SELECT version_id, stage, unit, sum(amount) AS amount FROM losses WHERE severity = 'info' "
        "GROUP BY ALL) a ON a.version_id = b.version_id AND a.stage = b.stage AND a.unit = b.unit"
    )
    counted = books.with_columns(
        pl.min_horizontal("set_aside", "explained"),  # a loss of another unit's book may stand beside it
        (pl.col("expected") + pl.col("additions")).alias("due"),
        pl.col("unexplained").abs().alias("gap"),
    ).with_columns((pl.col("explained") - pl.col("set_aside") + pl.col("gap")).alias("lost"))
    return counted.with_columns(_ratio(pl.col("due"), pl.col("lost")).alias("ratio"))


def _ratio(due: pl.Expr, lost: pl.Expr) -> pl.Expr:
    """Share lost; where nothing was due, 1 for anything that is out of balance."""
    return pl.when(due > 0).then(lost / due).when(lost > 0).then(1.0).otherwise(0.0)


def _gate(settings: LossSettings) -> pl.Expr:
    critical, major = pl.col("critical").fill_null(0), pl.col("major").fill_null(0)
    # a document that was not read has a critical loss of its own unit: that is what gate_failed_share is for
    fails = (
        pl.when(pl.col("unit") == "documents")
        .then(
            (pl.col("doc_type") != _UNSUPPORTED)
            & (pl.col("documents") >= _ENOUGH)
            & (pl.col("short") > settings.gate_failed_share * pl.col("documents"))
        )
        .otherwise(critical > settings.gate_critical_share * pl.col("documents"))
    )
    return (
        pl.when(fails)
        .then(pl.lit("error"))
        .when((critical > 0) | (major > 0))
        .then(pl.lit("warn"))
        .otherwise(pl.lit("ok"))
    )


def _losses(rows: Rows) -> pl.DataFrame:
    return rows.read("SELECT l.*, v.doc_type FROM losses l JOIN document_versions v USING (version_id)")


def _reasons(rows: Rows) -> pl.DataFrame:
    """Up to five reasons of each group, largest amount first, as reason=amount."""
    return (
        _losses(rows)
        .group_by("doc_type", "stage", "unit", "reason_code")
        .agg(pl.col("amount").sum())
        .sort("amount", "reason_code", descending=[True, False])
        .group_by("doc_type", "stage", "unit", maintain_order=True)
        .agg(pl.concat_str("reason_code", pl.lit("="), "amount").head(5).alias("top_reasons"))
    )


def _severities(rows: Rows) -> pl.DataFrame:
    """Versions with a major and with a critical loss, by group."""
    return (
        _losses(rows)
        .group_by("doc_type", "stage", "unit")
        .agg(
            pl.col("version_id").filter(pl.col("severity") == "major").n_unique().alias("major"),
            pl.col("version_id").filter(pl.col("severity") == "critical").n_unique().alias("critical"),
        )
    )


def text_loss_by_type(rows: Rows) -> pl.DataFrame:
    """What people ask first: documents and visible text received and kept, by document type.

    Columns: doc_type, received, indexed, partial, not_indexed, characters_expected, characters_kept,
    set_aside, lost_explained, lost_unexplained (share of expected), worst_decile (share), top_reasons.
    """
    manifest = rows.read(
        "SELECT coalesce(doc_type, 'refused') AS doc_type, count(*) AS received, "
        "count(*) FILTER (state = 'indexed') AS indexed, count(*) FILTER (state = 'partial') AS partial, "
        "count(*) FILTER (state NOT IN ('indexed', 'partial')) AS not_indexed "
        "FROM manifest GROUP BY 1"
    )
    text = rows.read(
        "SELECT doc_type, expected AS characters_expected, actual AS characters_kept, "
        "set_aside / greatest(expected, 1) AS set_aside, "
        "(explained - set_aside) / greatest(expected, 1) AS lost_explained, "
        "unexplained / greatest(expected, 1) AS lost_unexplained, worst_decile_ratio AS worst_decile, "
        "top_reasons FROM loss_by_type WHERE stage = 'structured_extraction' AND unit = 'chars_visible'"
    )
    return manifest.join(text, on="doc_type", how="left").sort("doc_type")
