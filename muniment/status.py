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
    """Counts of a home. `manifest` maps state to document type to captures."""

    model_config = ConfigDict(frozen=True)

    home: str
    generation_id: str | None
    content_digest: str | None
    published_at: str | None
    manifest: dict[str, dict[str, int]]
    tables: dict[str, int]
    batches: dict[str, int]
    stages: dict[str, dict[str, int]]

    def __str__(self) -> str:
        lines = [f"home        {self.home}", f"generation  {self.generation_id or 'none published'}"]
        if self.published_at:
            lines.append(f"published   {self.published_at}")
        for state, types in sorted(self.manifest.items()):
            counts = ", ".join(f"{name} {count}" for name, count in sorted(types.items()))
            lines.append(f"{state:<11} {sum(types.values())} ({counts})")
        for stage, states in sorted(self.stages.items()):
            lines.append(f"{stage:<22} " + ", ".join(f"{state} {count}" for state, count in sorted(states.items())))
        waiting = self.batches.get("planned", 0)
        lines.append(f"batches     {waiting} waiting, {self.batches.get('done', 0)} done")
        rows = ", ".join(f"{name} {count}" for name, count in sorted(self.tables.items()) if count)
        return "\n".join([*lines, f"rows        {rows}"])


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
