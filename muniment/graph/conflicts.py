"""Conflicts: claims that cannot all hold for the same time and scope. They are shown, never resolved here.

Claims on one question (`sides.KEY`) are gathered into classes of equal side, condition and validity, and classes
are compared, not claims. An unknown end of validity is open, and said (`undated`). Recency decides nothing:
methods.md, sections 7.1 and 7.2, whose classes these are.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.graph.linked import linked_claims, members_of_classes, themes
from muniment.graph.sides import KEY, OPPOSED_NORMS, sided_claims
from muniment.graph.values import compatible, with_identity
from muniment.ids import make_id
from muniment.tables.registry import TABLES

#: A subject with more values than this for a predicate with one value is a class of things ("the
#: company"), not one thing: `many_valued` lists it, no conflict is made of it.
MAX_VALUES = 20

#: A question with more classes (sides by conditions and validities) than this is listed likewise.
MAX_CLASSES = 400

#: An object is narrower than another that it stands to in one of these relations, in up to three steps.
NARROWER = ("part_of", "located_in", "is_a", "member_of")
_STEPS = 3

#: Kinds that enter the conflict list of a slice.
LISTED = ("contradiction",)

#: Bases of which two sides cannot be a list.
_DENIALS = ("polarity", "modality")

_BETWEEN = "\x1f"
_WHEN = ["valid_from", "valid_to"]
_SIDE = ["identity", "dimension", "low", "high", "condition"]


def find_conflicts(
    claims: pl.DataFrame,
    mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    canonical_entities: pl.DataFrame,
    view_id: str,
    *,
    domain: DomainSchema,
    evidence: pl.DataFrame,
    aliases: pl.DataFrame | None = None,
) -> dict[str, pl.DataFrame]:
    """Rows of conflicts and conflict_claims, from claims of held versions and their evidence.

    Kinds, of two classes on one question:
    `version_difference`: they differ, and stand in versions of one document;
    `variant`: two wordings of one definition;
    `succession`: they differ, and their validity does not meet;
    `different_scope`: they differ, and so do their conditions;
    `refinement`: both can hold, one says more ("2025" and "1 March 2025", a town and its country);
    `contradiction`: the rest. Values of one sentence or table are a list; where a list and another share a value,
    they are no conflict. So are values of two versions that share one, of predicates that the schema lacks.
    `duplicate`: one value of several documents, written differently.
    """
    linked = linked_claims(claims, mentions, entity_mentions, aliases, canonical_entities)
    return conflict_tables(compared(linked, mentions, entity_mentions, canonical_entities, evidence, domain), view_id)


@dataclass(frozen=True, slots=True)
class Compared:
    """Claims as sides of questions, and what tells how sides stand to one another."""

    sided: pl.DataFrame
    narrower: pl.DataFrame
    permanent: tuple[str, ...]


def compared(
    linked: pl.DataFrame,
    mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    canonical_entities: pl.DataFrame,
    evidence: pl.DataFrame,
    domain: DomainSchema,
) -> Compared:
    """The sides of linked claims (`linked.linked_claims`)."""
    linked = with_identity(linked)
    members = members_of_classes(linked, mentions, entity_mentions, canonical_entities)
    sided = sided_claims(linked, themes(linked), members, canonical_entities, evidence, domain)
    return Compared(
        sided,
        _narrower(linked, sided.filter(pl.col("basis") == "value")["side_id"].unique()),
        tuple(sorted(item.name for item in domain.relations.values() if not item.temporal)),
    )


def conflict_tables(given: Compared, view_id: str) -> dict[str, pl.DataFrame]:
    """Rows of conflicts and conflict_claims: what `find_conflicts` says."""
    return _tables(pl.concat([*_opposed(given), _duplicates(given.sided)]).unique(), view_id)


def many_valued(given: Compared) -> pl.DataFrame:
    """basis, topic (entity), predicate, values: too many of them (MAX_VALUES, MAX_CLASSES) to look for conflicts."""
    return (
        given.sided.group_by(KEY)
        .agg(pl.col("identity").n_unique().cast(pl.Int64).alias("values"), _crowded().alias("_crowded"))
        .filter("_crowded")
        .select("basis", "topic", "predicate", "values")
        .sort("basis", "topic", "predicate", "values")
    )


def _crowded() -> pl.Expr:
    classes = pl.struct("identity", "condition", *_WHEN).n_unique()
    return (pl.col("identity").n_unique() > MAX_VALUES) | (classes > MAX_CLASSES)


def _narrower(linked: pl.DataFrame, values: pl.Series) -> pl.DataFrame:
    """narrow, broad: of these entities those that documents say to be part of, in, or a kind of another."""
    stated = linked.filter(
        pl.col("predicate").is_in(NARROWER) & (pl.col("polarity") == "positive") & pl.col("object_id").is_not_null()
    )
    step = stated.select(pl.col("subject_id").alias("narrow"), pl.col("object_id").alias("broad")).unique()
    reached = step.filter(pl.col("narrow").is_in(values.implode()))
    for _ in range(_STEPS - 1):
        further = reached.join(step, left_on="broad", right_on="narrow", suffix="_next")
        reached = pl.concat([reached, further.select("narrow", pl.col("broad_next").alias("broad"))]).unique()
    return reached.filter((pl.col("narrow") != pl.col("broad")) & pl.col("broad").is_in(values.implode()))


def _overlap() -> pl.Expr:
    starts_before = (pl.col("valid_from") < pl.col("valid_to_right")).fill_null(value=True)
    ends_after = (pl.col("valid_from_right") < pl.col("valid_to")).fill_null(value=True)
    return starts_before & ends_after


def _opposed(given: Compared) -> list[pl.DataFrame]:
    """Frames of kind, KEY, scope, side and claim of all claims of a class that some other class opposes."""
    few = given.sided.filter((pl.col("identity").n_unique() > 1).over(KEY) & ~_crowded().over(KEY))
    within = few.filter(pl.col("single") | pl.col("basis").is_in(_DENIALS))
    # a list is what one sentence or table says; where the schema has no word, what a version says
    stands = pl.concat([_stands(few.filter("single"), ["place"]), _stands(few.filter(~pl.col("single")), [])])
    sentences = _stands(within, ["place"])
    return [
        _pass(stands, given, within=[], apart="document_id"),
        _pass(stands, given, within=["document_id"], apart="version_id"),
        _pass(sentences, given, within=["version_id"], apart="place"),
    ]


def _stands(sided: pl.DataFrame, part: list[str]) -> pl.DataFrame:
    """`sided` with `stand`: all that the version (or `part` of it) says on the question, sides in order."""
    on = [*KEY, "version_id", *part]
    said = sided.group_by(on).agg(pl.col("identity").unique().sort().str.join(_BETWEEN).alias("stand"))
    return sided.join(said, on=on)


def _pass(stands: pl.DataFrame, given: Compared, *, within: list[str], apart: str) -> pl.DataFrame:
    """Opposed classes that share `within` and have claims that differ in `apart`.

    A claim and its denial in one sentence oppose one another; values in one sentence are a list.
    """
    of_class = [*KEY, *within, *_SIDE, "stand", *_WHEN]
    classes = (
        stands.group_by(of_class)
        .agg(pl.col(apart).min().alias("_first"), pl.col(apart).n_unique().alias("_several"))
        .with_row_index("_class")
    )
    pairs = classes.join(classes, on=[*KEY, *within], suffix="_right").filter(
        pl.col("identity") < pl.col("identity_right")
    )
    one_sentence = (pl.lit(apart) == "place") & pl.col("basis").is_in(_DENIALS)
    differs = (pl.col("_first") != pl.col("_first_right")) | (pl.col("_several") > 1) | (pl.col("_several_right") > 1)
    pairs = pairs.filter((differs | one_sentence) & _opposes())
    kinds = _kinds(pairs, given, versions=apart == "version_id")
    either = pl.concat(
        [kinds.select("kind", "_class"), kinds.select("kind", pl.col("_class_right").alias("_class"))]
    ).unique()
    scope = pl.col("document_id") if apart == "version_id" else pl.lit("")
    return (
        stands.join(classes.select(*of_class, "_class"), on=of_class, nulls_equal=True)
        .join(either, on="_class")
        .select("kind", *KEY, scope.alias("scope"), "identity", "side_id", "words", "claim_id", *_WHEN)
    )


def _opposes() -> pl.Expr:
    """Whether two sides of a question go against one another; values only where neither version states both."""
    norms = pl.concat_str("identity", "identity_right", separator="|").is_in(["|".join(two) for two in OPPOSED_NORMS])
    disjoint = (
        pl.col("stand").str.split(_BETWEEN).list.set_intersection(pl.col("stand_right").str.split(_BETWEEN)).list.len()
        == 0
    )
    return (
        pl.when(pl.col("basis") == "modality")
        .then(norms)
        .when(pl.col("basis") == "polarity")
        .then(pl.lit(value=True))
        .otherwise(disjoint)
    )


def _kinds(pairs: pl.DataFrame, given: Compared, *, versions: bool) -> pl.DataFrame:
    """`pairs` with their kind; relations that do not hold in time have no succession."""
    either_way = pl.concat(
        [given.narrower, given.narrower.select(pl.col("broad").alias("narrow"), pl.col("narrow").alias("broad"))]
    ).unique()
    kind = (
        pl.when(pl.col("basis") == "definition")
        .then(pl.lit("variant"))
        .when(pl.lit(versions))
        .then(pl.lit("version_difference"))
        .when(~_overlap() & ~pl.col("predicate").is_in(given.permanent))
        .then(pl.lit("succession"))
        .when(pl.col("condition") != pl.col("condition_right"))
        .then(pl.lit("different_scope"))
        .when(compatible() | pl.col("_narrower").is_not_null())
        .then(pl.lit("refinement"))
        .otherwise(pl.lit("contradiction"))
    )
    return pairs.join(
        either_way.with_columns(pl.lit(1).alias("_narrower")),
        left_on=["identity", "identity_right"],
        right_on=["narrow", "broad"],
        how="left",
    ).with_columns(kind.alias("kind"))


def _duplicates(sided: pl.DataFrame) -> pl.DataFrame:
    """Claims of one value in several documents that write it differently: "30 days", "thirty days"."""
    on = [*KEY, "identity", "condition"]
    same = (
        sided.filter((pl.col("basis") == "value") & pl.col("written").is_not_null())
        .group_by(on)
        .agg(
            pl.col("document_id").n_unique().alias("_documents"),
            pl.col("written").str.to_lowercase().n_unique().alias("_spellings"),
        )
        .filter((pl.col("_documents") > 1) & (pl.col("_spellings") > 1))
    )
    return sided.join(same, on=on, how="semi").select(
        pl.lit("duplicate").alias("kind"),
        *KEY,
        pl.concat_str("identity", "condition", separator=_BETWEEN).alias("scope"),
        "identity",
        "side_id",
        "words",
        "claim_id",
        *_WHEN,
    )


def _tables(found: pl.DataFrame, view_id: str) -> dict[str, pl.DataFrame]:
    question = ["kind", *KEY, "scope"]
    # a side without an entity is called by the first of its wordings
    called = pl.coalesce("side_id", pl.col("words").min().over([*question, "identity"]), "identity")
    # "5" of a column in days and "5" of one in months: the words alone would be one side
    ambiguous = pl.col("identity").n_unique().over([*question, "side"]) > 1
    named = found.with_columns(called.alias("side")).with_columns(
        pl.when(ambiguous).then(pl.format("{} [{}]", "side", "identity")).otherwise("side").alias("side"),
        pl.all_horizontal(pl.col(bound).is_null() for bound in _WHEN).alias("undated"),
    )
    grouped = (
        named.sort("claim_id", "side")
        .group_by(question, maintain_order=True)
        .agg("claim_id", "side", pl.col("undated").any())
        .sort(question)
    )
    ids = [
        make_id("conflict", kind, basis, *claims)
        for kind, basis, claims in grouped.select("kind", "basis", "claim_id").iter_rows()
    ]
    rows = grouped.with_columns(
        pl.Series("conflict_id", ids, dtype=pl.String),
        pl.lit(view_id).alias("view_id"),
        pl.col("topic").alias("subject_id"),
        pl.when(pl.col("target") != "").then("target").alias("target"),
        pl.col("kind").is_in(LISTED).alias("listed"),
        pl.col("claim_id").list.n_unique().cast(pl.Int64).alias("claims"),
    )
    conflicts, members = TABLES["conflicts"], TABLES["conflict_claims"]
    return {
        "conflicts": rows.select(list(conflicts.schema)).sort(conflicts.key),
        "conflict_claims": rows.explode("claim_id", "side").select(list(members.schema)).sort(members.key),
    }
