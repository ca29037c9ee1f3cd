"""What a warehouse table is: columns with types and roles, keys, and how rows are kept.

The definitions themselves stand in the sibling modules; `registry` collects them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

STRING = pl.String()
INTEGER = pl.Int64()
FLOAT = pl.Float64()
BOOLEAN = pl.Boolean()
DATE = pl.Date()
TIME = pl.Datetime("us", "UTC")
STRINGS = pl.List(pl.String())
INTEGERS = pl.List(pl.Int64())
VECTOR = pl.List(pl.Float32())

#: recorded: what happened and cannot be recomputed; derived: a pure function of recorded rows,
#: settings and code; operational: how work went (claims, states, clocks), never part of a digest.
Kind = Literal["recorded", "derived", "operational"]

#: local: rows of one version (the table has `version_id`); global: computed across versions at
#: publication; none: neither.
Scope = Literal["local", "global", "none"]


@dataclass(frozen=True)
class Column:
    """One column. `process` columns say when and by whom; digests leave them out."""

    name: str
    dtype: pl.DataType
    description: str
    nullable: bool = False
    process: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its columns in order, its key (unique over all rows), its kind and scope."""

    name: str
    kind: Kind
    scope: Scope
    stage: str
    key: tuple[str, ...]
    description: str
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pl.Schema:
        """Column names and polars types, in order."""
        return pl.Schema({column.name: column.dtype for column in self.columns})

    @property
    def content_columns(self) -> list[str]:
        """The columns that a digest covers."""
        return [column.name for column in self.columns if not column.process]

    @property
    def required_columns(self) -> list[str]:
        """Columns that may not be null."""
        return [column.name for column in self.columns if not column.nullable]

    def empty(self) -> pl.DataFrame:
        """A frame of this table without rows."""
        return pl.DataFrame(schema=self.schema)

    def frame(self, rows: list[dict[str, object]]) -> pl.DataFrame:
        """Rows as a frame of exactly this table's columns and types; an absent key is null."""
        return pl.DataFrame(rows, schema=self.schema, orient="row") if rows else self.empty()


def column(
    name: str,
    dtype: pl.DataType,
    description: str,
    *,
    null: bool = False,
    process: bool = False,
) -> Column:
    """Short form used by the definition modules."""
    return Column(name, dtype, description, nullable=null, process=process)
