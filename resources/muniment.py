"""One run's view of a home: settings, warehouse and worker processes, alive for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from pydantic import Field, PrivateAttr

from muniment import progress
from muniment.home import Home
from muniment.processing.context import RunContext, run_context
from muniment.settings import Settings, load_settings
from resources.warehouse import opened_warehouse


class MunimentResource(dg.ConfigurableResource):
    """The home that a run works on. With the in-process executor its worker processes serve all steps."""

    home: str | None = Field(default=None, description="MUNIMENT_HOME; by default what the settings say")
    _run: RunContext | None = PrivateAttr(default=None)

    def settings(self) -> Settings:
        """Settings of the home."""
        return load_settings({"home": Path(self.home)} if self.home else None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[MunimentResource]:
        """Open the warehouse for the run and close workers and warehouse after it."""
        settings = self.settings()
        home = Home(settings.home.resolve())
        run_id = context.run_id or "no-run"
        with (
            opened_warehouse(home, settings) as warehouse,
            run_context(home, settings, warehouse, run_id, progress.report) as run,
        ):
            self._run = run
            yield self

    @property
    def run(self) -> RunContext:
        """The run's context; raises RuntimeError outside a run."""
        if self._run is None:
            raise RuntimeError("MunimentResource.run is there only while a run executes")
        return self._run
