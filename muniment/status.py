"""What a home holds: manifest by state and type, rows of every table, pending work, the generation."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from muniment.home import Home
from muniment.settings import Settings
from muniment.store.current import read_current
from muniment.store.opening import open_warehouse
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES


class Status(BaseModel):
    """Counts of a home. `manifest` maps state to document type to captures; `held` state to what sources still hold."""

    model_config = ConfigDict(frozen=True)

    home: str
    generation_id: str | None
    content_digest: str | None
    published_at: str | None
    manifest: dict[str, dict[str, int]]
    held: dict[str, int]
    tables: dict[str, int]
    batches: dict[str, int]
    stages: dict[str, dict[str, int]]

    def __str__(self) -> str:
        lines = [f"home        {self.home}", f"generation  {self.generation_id or 'none published'}"]
        if self.published_at:
            lines.append(f"published   {self.published_at}")
        for state, types in sorted(self.manifest.items()):
            counts = ", ".join(f"{name} {count}" for name, count in sorted(types.items()))
            total, held = sum(types.values()), self.held.get(state, 0)
            gone = f", {total - held} no longer held by their source" if held < total else ""
            lines.append(f"{state:<11} {total}{gone} ({counts})")
        for stage, states in sorted(self.stages.items()):
            lines.append(f"{stage:<22} " + ", ".join(f"{state} {count}" for state, count in sorted(states.items())))
        waiting = self.batches.get("planned", 0)
        lines.append(f"batches     {waiting} waiting, {self.batches.get('done', 0)} done")
        return "\n".join([*lines, *_table_lines(self.tables)])


def _table_lines(tables: dict[str, int]) -> list[str]:
    """Rows of the tables that have any, by the stage that makes them."""
    stages: dict[str, list[str]] = {}
    for name, table in TABLES.items():
        if tables.get(name):
            stages.setdefault(table.stage, []).append(f"{name} {tables[name]:,}")
    return ["rows by stage", *(f"  {stage:<22} {', '.join(counts)}" for stage, counts in stages.items())]


def read_status(home: Home, settings: Settings) -> Status:
    """Status from the newest state (pending work) and the published generation (manifest, tables).

    Raises WarehouseError when the home is not initialised.
    """
    current = read_current(home)
    warehouse = open_warehouse(home, settings.store)
    try:
        latest: Rows = warehouse.latest()
        published: Rows = warehouse.at(current.snapshot_id) if current is not None else latest
        generation = (
            latest.read("SELECT * FROM generations WHERE generation_id = ?", [current.generation_id])
            if current is not None
            else None
        )
        row = generation.row(0, named=True) if generation is not None and generation.height else None
        return Status(
            home=str(home.root),
            generation_id=current.generation_id if current else None,
            content_digest=row["content_digest"] if row else None,
            published_at=row["published_at"].isoformat(timespec="seconds") if row else None,
            manifest=_nested(
                published, "SELECT state, coalesce(doc_type, 'none'), count(*) FROM manifest GROUP BY ALL"
            ),
            held=dict(
                published.read("SELECT state, count(*) FROM manifest WHERE held GROUP BY ALL ORDER BY ALL").rows()
            ),
            tables={name: published.read(f"SELECT count(*) FROM {name}").item() for name in sorted(TABLES)},
            batches=dict(latest.read("SELECT state, count(*) FROM batches GROUP BY ALL ORDER BY ALL").rows()),
            stages=_nested(latest, "SELECT stage, state, count(*) FROM stage_status GROUP BY ALL"),
        )
    finally:
        warehouse.close()


def _nested(rows: Rows, sql: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for outer, inner, count in sorted(rows.read(sql).rows()):
        found.setdefault(outer, {})[inner] = count
    return found
