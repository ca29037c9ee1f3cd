"""The one code location: assets, checks, jobs, sensors, schedules and the run's resource."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg

from assets.annotations import annotations
from assets.chunks import chunks
from assets.communities import communities
from assets.contextualized_chunks import contextualized_chunks
from assets.entities import entities
from assets.generation import generation
from assets.indexes import indexes
from assets.loss_report import loss_report
from assets.merged_graph import merged_graph
from assets.originals import originals
from assets.review_queue import review_queue
from assets.structured_extraction import structured_extraction
from checks.registry import CHECKS
from pipelines.jobs import JOBS
from pipelines.schedules import SCHEDULES
from pipelines.sensors import SENSORS
from resources.muniment import MunimentResource

ASSETS = (
    originals,
    structured_extraction,
    annotations,
    chunks,
    contextualized_chunks,
    entities,
    merged_graph,
    communities,
    indexes,
    loss_report,
    review_queue,
    generation,
)


def build_defs(
    *, muniment: MunimentResource | None = None, sensors: Sequence[dg.SensorDefinition] | None = None
) -> dg.Definitions:
    """Fresh definitions; tests and the command line give their own resource or leave sensors out."""
    return dg.Definitions(
        assets=list(ASSETS),
        asset_checks=list(CHECKS),
        jobs=JOBS,
        sensors=list(SENSORS if sensors is None else sensors),
        schedules=SCHEDULES,
        resources={"muniment": muniment or MunimentResource()},
        executor=dg.in_process_executor,
    )


defs = build_defs()
