"""What `muniment entity` records: from the entities of the published generation to rows of judgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import polars as pl

from muniment.home import Home
from muniment.nlp.names import normalise
from muniment.publication.reader import NothingPublished
from muniment.publication.scope import OPERATOR_VIEW
from muniment.resolution.ambiguous import ambiguous_pairs, told_apart
from muniment.resolution.judgements import (
    WITNESSES,
    Judgement,
    JudgementError,
    Kind,
    Side,
    judgement_row,
    parsed,
    retraction_row,
)
from muniment.resolution.replay import texts_of
from muniment.resolution.selectors import Selector, SelectorError, Units, make_selectors
from muniment.settings import Settings
from muniment.store.changes import Append
from muniment.store.current import read_current
from muniment.store.opening import open_warehouse
from muniment.store.rows import Rows
from muniment.trace.entity import identify

_MENTIONS = """
SELECT m.mention_id, m.extraction_id, m.document_id, m.start, m."end", m.text, m.name, m.display_name, d.first_scan
FROM entity_mentions e JOIN mentions m USING (mention_id) JOIN documents d ON d.document_id = m.document_id
WHERE e.view_id = ? AND e.entity_id = ?
ORDER BY d.first_scan, m.document_id, m.start, m.mention_id
"""

#: Given the published rows and the judgements so far: the rows to add.
_Make = Callable[[Rows, pl.DataFrame], pl.DataFrame]


class Judging:
    """Judgements of one person at one moment. Each method records one and returns it; nothing is published."""

    def __init__(self, home: Home, settings: Settings, decided_by: str, decided_at: datetime) -> None:
        """`decided_at` is the time to record; the caller has the clock."""
        if not decided_by.strip():
            raise JudgementError("a judgement needs the name of who decides: give --by NAME")
        self._home, self._settings = home, settings
        self._by, self._at = decided_by, decided_at

    def merge(self, left: str, right: str) -> Judgement:
        """Two entities (ids or names) are one. Raises JudgementError where they are already, or are judged apart."""

        def make(rows: Rows, recorded: pl.DataFrame) -> pl.DataFrame:
            one, other = (identify(rows, OPERATOR_VIEW, named)[0] for named in (left, right))
            if one == other:
                raise JudgementError(f"{left!r} and {right!r} are one entity already: {one}")
            low, high = sorted((one, other))
            apart = told_apart(rows, OPERATOR_VIEW).filter((pl.col("left_id") == low) & (pl.col("right_id") == high))
            if apart.height:
                raise JudgementError(
                    f"a judgement tells {left!r} and {right!r} apart: undo it first (muniment entity list-judgements)"
                )
            return self._row(recorded, "same_entity", _whole(rows, one), _whole(rows, other))

        return self._record(make)

    def keep_apart(self, left: str, right: str) -> Judgement:
        """Two entities (ids or names) are not one, whatever resolution finds later."""

        def make(rows: Rows, recorded: pl.DataFrame) -> pl.DataFrame:
            one, other = (identify(rows, OPERATOR_VIEW, named)[0] for named in (left, right))
            if one == other:
                raise JudgementError(f"{left!r} and {right!r} are one entity: take it apart (muniment entity split)")
            return self._row(recorded, "different_entity", _whole(rows, one), _whole(rows, other))

        return self._record(make)

    def split(
        self,
        entity: str,
        *,
        mention_ids: Sequence[str] = (),
        document_ids: Sequence[str] = (),
        aliases: Sequence[str] = (),
    ) -> Judgement:
        """Some mentions of an entity name another thing than the rest.

        They are those of the ids, of the documents, and of the names, together. Raises JudgementError where none or
        all of the entity's mentions are meant, or where wording that repeats is meant in part.
        """

        def make(rows: Rows, recorded: pl.DataFrame) -> pl.DataFrame:
            entity_id = identify(rows, OPERATOR_VIEW, entity)[0]
            mentions = rows.read(_MENTIONS, [OPERATOR_VIEW, entity_id])
            meant = _meant(mentions, mention_ids, document_ids, aliases)
            rest = mentions.join(meant, on="mention_id", how="anti")
            if rest.is_empty():
                raise JudgementError(f"all {mentions.height} mentions of {entity!r} are meant: nothing to split off")
            units = Units(*texts_of(rows, mentions["document_id"]))
            subject = Side(_name(meant), tuple(_selectors(meant, units)), _names(meant))
            return self._row(recorded, "split_entity", subject, _side(rest, units))

        return self._record(make)

    def accept(self, pair_id: str) -> Judgement:
        """The two entities of a pair that resolution left open are one."""
        return self.merge(*self._pair(pair_id))

    def reject(self, pair_id: str) -> Judgement:
        """The two entities of a pair that resolution left open are two."""
        return self.keep_apart(*self._pair(pair_id))

    def undo(self, judgement_id: str) -> Judgement:
        """Take a judgement back; returns it."""
        taken: list[str] = []

        def make(rows: Rows, recorded: pl.DataFrame) -> pl.DataFrame:
            row, undone = retraction_row(recorded, judgement_id, self._by, self._at)
            taken[:] = [undone]
            return row

        recorded = self._commit(make)[1]
        return next(one for one in parsed(recorded) if one.judgement_id == taken[0])

    def _row(self, recorded: pl.DataFrame, kind: Kind, subject: Side, other: Side) -> pl.DataFrame:
        return judgement_row(recorded, kind, subject, other, self._by, self._at)

    def _pair(self, pair_id: str) -> tuple[str, str]:
        found = self._published(lambda rows: ambiguous_pairs(rows, OPERATOR_VIEW))
        chosen = found.filter(pl.col("pair_id").str.starts_with(pair_id))
        if chosen.height != 1 or len(pair_id) < 4:
            problem = "several open pairs have ids that begin so" if chosen.height > 1 else "no open pair has this id"
            raise JudgementError(f"{pair_id}: {problem}; see `muniment entity review`")
        left, right = chosen.select("left_id", "right_id").row(0)
        return left, right

    def _published(self, ask: Callable[[Rows], pl.DataFrame]) -> pl.DataFrame:
        warehouse = open_warehouse(self._home, self._settings.store)
        try:
            return ask(warehouse.at(self._snapshot()))
        finally:
            warehouse.close()

    def _snapshot(self) -> int:
        current = read_current(self._home)
        if current is None:
            raise NothingPublished(f"{self._home.root}: nothing is published; run `muniment ingest PATH`")
        return current.snapshot_id

    def _record(self, make: _Make) -> Judgement:
        return parsed(self._commit(make)[0])[0]

    def _commit(self, make: _Make) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Add what `make` makes of the published rows and of the newest judgements; returns it, and all of them."""
        warehouse = open_warehouse(self._home, self._settings.store)
        try:
            published = warehouse.at(self._snapshot())
            made: list[pl.DataFrame] = []

            def changes(newest: Rows) -> list[Append]:
                recorded = newest.table("judgements")
                made[:] = [make(published, recorded), recorded]
                return [Append("judgements", made[0])]

            warehouse.commit(changes, message="judgement")
            return made[0], pl.concat([made[1], made[0]])
        finally:
            warehouse.close()


def _meant(
    mentions: pl.DataFrame, mention_ids: Sequence[str], document_ids: Sequence[str], aliases: Sequence[str]
) -> pl.DataFrame:
    names = [normalise(alias) for alias in aliases]
    for column, wanted, given in (
        ("mention_id", mention_ids, mention_ids),
        ("document_id", document_ids, document_ids),
        ("name", names, aliases),
    ):
        known = set(mentions[column])
        unknown = [shown for value, shown in zip(wanted, given, strict=True) if value not in known]
        if unknown:
            raise JudgementError(
                f"the entity has no {column.removesuffix('_id')} {unknown[0]!r}; see `muniment entity show`"
            )
    chosen = (
        pl.col("mention_id").is_in(list(mention_ids))
        | pl.col("document_id").is_in(list(document_ids))
        | pl.col("name").is_in(names)
    )
    meant = mentions.filter(chosen)
    if meant.is_empty():
        raise JudgementError("say what to split off: --mention ID, --document ID or --alias NAME")
    return meant


def _whole(rows: Rows, entity_id: str) -> Side:
    mentions = rows.read(_MENTIONS, [OPERATOR_VIEW, entity_id])
    return _side(mentions, Units(*texts_of(rows, mentions["document_id"])))


def _side(mentions: pl.DataFrame, units: Units) -> Side:
    """A side by its first mentions that can be told from all others: of each document one, then a second."""
    round_robin = mentions.with_columns(pl.int_range(pl.len()).over("document_id").alias("_round")).sort(
        "_round", maintain_order=True
    )
    found: list[Selector] = []
    for number in range(round_robin.height):
        if len(found) == WITNESSES:
            break
        try:
            found += make_selectors(round_robin[number], units)
        except SelectorError:
            continue  # another mention speaks for the entity
    if not found:
        raise JudgementError(
            f"no mention of {_name(mentions)!r} can be told from another place of its document that reads alike"
        )
    return Side(_name(mentions), tuple(found), _names(mentions))


def _selectors(meant: pl.DataFrame, units: Units) -> list[Selector]:
    try:
        return make_selectors(meant, units)
    except SelectorError as error:
        raise JudgementError(str(error)) from error


def _name(mentions: pl.DataFrame) -> str:
    """The most frequent written form; of equals the longer, then the first in the alphabet."""
    counted = mentions.group_by("display_name").len("_times")
    ordered = counted.sort(
        "_times", pl.col("display_name").str.len_chars(), "display_name", descending=[True, True, False]
    )
    return ordered["display_name"].item(0)


def _names(mentions: pl.DataFrame) -> tuple[str, ...]:
    return tuple(mentions["name"].unique().sort())
