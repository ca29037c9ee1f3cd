"""Where things stand under MUNIMENT_HOME: one object, no knowledge of what is inside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """The folders of a home. Nothing is made until `create`."""

    root: Path

    @property
    def originals(self) -> Path:
        """Content-addressed originals."""
        return self.root / "originals"

    @property
    def warehouses(self) -> Path:
        """Warehouse folders; CURRENT names the published one."""
        return self.root / "warehouses"

    @property
    def indexes(self) -> Path:
        """Index folders; CURRENT names the published one."""
        return self.root / "indexes"

    @property
    def work(self) -> Path:
        """Files between processes; may be emptied when nothing runs."""
        return self.root / "work"

    @property
    def reports(self) -> Path:
        """Loss reports as CSV and HTML."""
        return self.root / "reports"

    @property
    def dagster(self) -> Path:
        """The Dagster instance."""
        return self.root / "dagster"

    @property
    def current(self) -> Path:
        """The pointer to the published generation."""
        return self.root / "CURRENT"

    def create(self) -> None:
        """Make the folders, private to their owner."""
        for folder in (
            self.root,
            self.originals,
            self.warehouses,
            self.indexes,
            self.work,
            self.reports,
            self.dagster,
        ):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
