"""The names of a view, one row each, with what their comparison looks at."""

from __future__ import annotations

import polars as pl

from muniment.resolution.entity_types import GENERIC_TYPE, NAMED_TYPES, majority_type

#: Words by which documents name their parties and things: each means another in each document.
GENERIC_TERMS = frozenset(
    {"agency", "agent", "agreement", "annex", "applicant", "application", "assignee", "assignor", "authority",
     "bank", "board", "borrower", "business", "buyer", "chair", "client", "commission", "commissioner", "committee",
     "company", "consultant", "contract", "contractor", "control", "controller", "council", "court", "customer",
     "department", "directive", "director", "disclosing party", "distributor", "division", "employee", "employer",
     "executive", "facility", "firm", "gateway", "government", "group", "guarantor", "guideline", "inspectorate",
     "institution", "issuer", "landlord", "law", "lender", "lessee", "lessor", "licensee", "licensor", "management",
     "manager", "member", "minister", "ministry", "office", "operator", "organisation", "organization", "owner",
     "parent", "parties", "partner", "party", "plan", "plant", "platform", "policy", "portal", "president",
     "principal", "procedure", "processor", "product", "programme", "project", "provider", "provision", "purchaser",
     "receiving party", "recipient", "register", "regulation", "regulator", "requirement", "secretary", "section",
     "seller", "server", "service", "service provider", "services", "site", "software", "standard", "subcontractor",
     "supplier", "system", "team", "tenant", "trustee", "unit", "university", "user", "vendor", "website", "work",
     "works"}
)  # fmt: skip

#: From this share of its mentions on, a name that is written with a capital last word is a proper name.
PROPER_SHARE = 0.5


def _written_proper() -> pl.Expr:
    last = pl.col("display_name").str.extract(r"(\S+)$")
    return last.str.contains(r"\p{Lu}") | pl.col("entity_type").is_in(NAMED_TYPES) & ~last.str.contains(
        r"[\p{Lu}\p{Ll}]"
    )


def name_table(mentions: pl.DataFrame) -> pl.DataFrame:
    """All names, also the long forms that only a definition gives; by name.

    Columns: name, entity_type (majority), mentions, identifier (where all its mentions that have one have the
    same), proper (a proper name as written).
    """
    tagged = majority_type(mentions, ["name"]).join(
        mentions.group_by("name").agg(
            pl.when(pl.col("identifier").drop_nulls().n_unique() == 1)
            .then(pl.col("identifier").drop_nulls().first())
            .alias("identifier"),
            (_written_proper().mean() >= PROPER_SHARE).alias("proper"),
        ),
        on="name",
    )
    defined = (
        mentions.filter(pl.col("acronym_of").is_not_null())
        .select(pl.col("acronym_of").alias("name"))
        .unique()
        .join(tagged, on="name", how="anti")
        .select(
            "name",
            pl.lit(GENERIC_TYPE).alias("entity_type"),
            pl.lit(0, pl.Int64).alias("mentions"),
            pl.lit(None, pl.String).alias("identifier"),
            pl.lit(value=True).alias("proper"),
        )
    )
    return pl.concat([tagged, defined]).sort("name")


def generic() -> pl.Expr:
    """Whether a name is a word that means another thing in each document."""
    return pl.col("name").is_in(list(GENERIC_TERMS))
