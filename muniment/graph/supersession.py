"""Which claim of a conflict may have replaced which: candidates for people, never a decision by date.

A later source only makes a candidate that waits. What confirms one is the document's own word that it changes
the other ("Amendment No. 1 amends the Remote Access Policy").
"""

from __future__ import annotations

import polars as pl

from muniment.tables.registry import TABLES

#: Relations and raw predicates from what changes to what is changed.
AMENDING = (
    "amends",
    "amend",
    "replaces",
    "replace",
    "supersedes",
    "supersede",
    "repeals",
    "repeal",
    "change",
    "modify",
)

#: Kinds in which one claim may have replaced another.
_REPLACEABLE = ("contradiction", "version_difference", "succession", "variant")


def supersession_candidates(
    conflicts: pl.DataFrame,
    conflict_claims: pl.DataFrame,
    linked: pl.DataFrame,
    document_subjects: pl.DataFrame,
) -> pl.DataFrame:
    """Rows of supersession_candidates for conflicts of one view; linked: of `linked.linked_claims`.

    `later_source`: each claim with the next earlier one of another side, by the dates of their sources, or the
    first day of validity where a source has none (claims without either have no candidate); it waits.
    `stated_amendment`: claims of a document that says to amend, replace or repeal the document of the other;
    confirmed, with the claim that says so.
    """
    table = TABLES["supersession_candidates"]
    sides = (
        conflict_claims.join(
            conflicts.filter(pl.col("kind").is_in(_REPLACEABLE)).select("view_id", "conflict_id"),
            on=["view_id", "conflict_id"],
        )
        .join(
            linked.select(
                "claim_id", "document_id", "version_id", pl.coalesce("asserted_on", "valid_from").alias("on")
            ),
            on="claim_id",
        )
        .sort("claim_id")
        .unique(["view_id", "conflict_id", "side", "version_id"], keep="first", maintain_order=True)
    )
    found = pl.concat([_later(sides), _amending(sides, linked, document_subjects)])
    return found.select(list(table.schema)).unique(list(table.key), keep="any").sort(table.key)


def _later(sides: pl.DataFrame) -> pl.DataFrame:
    """Consecutive runs of one side in order of date; of each run the claim next to the other side."""
    conflict = ["view_id", "conflict_id"]
    dated = sides.filter(pl.col("on").is_not_null()).sort(*conflict, "on", "side", "claim_id")
    previous = {name: pl.col(name).shift(1).over(conflict) for name in ("side", "claim_id", "on")}
    return (
        dated.with_columns(
            previous["side"].alias("_side"),
            previous["claim_id"].alias("earlier_claim_id"),
            previous["on"].alias("earlier_on"),
        )
        .filter((pl.col("_side") != pl.col("side")) & (pl.col("earlier_on") < pl.col("on")))
        .select(
            *conflict,
            "earlier_claim_id",
            pl.col("claim_id").alias("later_claim_id"),
            pl.lit("later_source").alias("basis"),
            pl.lit("waiting").alias("status"),
            pl.lit(None, pl.String).alias("evidence_claim_id"),
            "earlier_on",
            pl.col("on").alias("later_on"),
        )
    )


def _amending(sides: pl.DataFrame, linked: pl.DataFrame, document_subjects: pl.DataFrame) -> pl.DataFrame:
    conflict = ["view_id", "conflict_id"]
    amended = amended_documents(linked, document_subjects)
    # by way of the few documents that change another: a conflict can have many claims a side
    pairs = (
        sides.join(amended, left_on="document_id", right_on="earlier_document_id")
        .join(sides, left_on=[*conflict, "later_document_id"], right_on=[*conflict, "document_id"], suffix="_right")
        .filter(pl.col("side") != pl.col("side_right"))
    )
    return pairs.select(
        *conflict,
        pl.col("claim_id").alias("earlier_claim_id"),
        pl.col("claim_id_right").alias("later_claim_id"),
        pl.lit("stated_amendment").alias("basis"),
        pl.lit("confirmed").alias("status"),
        "evidence_claim_id",
        pl.col("on").alias("earlier_on"),
        pl.col("on_right").alias("later_on"),
    )


def amended_documents(linked: pl.DataFrame, document_subjects: pl.DataFrame) -> pl.DataFrame:
    """earlier_document_id, later_document_id, evidence_claim_id: documents that another says to change.

    The changed document is the one whose title names the object. The changing one has the subject in its title,
    or, where no title has it ("this amendment"), says so itself. Denied, conditional and reported wishes count
    for nothing.
    """
    said = linked.filter(
        pl.col("predicate").is_in(AMENDING)
        & (pl.col("polarity") == "positive")
        & pl.col("modality").is_in(["is", "shall"])
        & pl.col("condition_text").is_null()
        & pl.col("object_id").is_not_null()
        & pl.col("subject_id").is_not_null()
    ).select("claim_id", "subject_id", "object_id", "document_id")
    titled = document_subjects.filter(pl.col("basis") == "title").select("document_id", "entity_id").unique()
    changing = said.join(
        titled.rename({"document_id": "_titled", "entity_id": "subject_id"}), on="subject_id", how="left"
    ).with_columns(pl.coalesce("_titled", "document_id").alias("later_document_id"))
    return (
        changing.join(titled.rename({"document_id": "earlier_document_id", "entity_id": "object_id"}), on="object_id")
        .filter(pl.col("earlier_document_id") != pl.col("later_document_id"))
        .group_by("earlier_document_id", "later_document_id")
        .agg(pl.col("claim_id").min().alias("evidence_claim_id"))
    )
