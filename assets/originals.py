"""Asset `originals`: what the sources hold, stored unchanged; captures, documents, versions, batches."""

import dagster as dg
from pydantic import Field

from assets.describing import OWNER, definition_metadata
from muniment.processing.intake import take_in
from resources.muniment import MunimentResource


class IntakeConfig(dg.Config):
    """Which sources to scan."""

    sources: list[str] = Field(default_factory=list)


@dg.asset(
    group_name="intake",
    owners=[OWNER],
    kinds={"python", "ducklake"},
    code_version="originals-1",
    metadata=definition_metadata("captures"),
)
def originals(config: IntakeConfig, muniment: MunimentResource) -> dg.MaterializeResult:
    """Scans sources, stores new bytes, decides new / changed / renamed / gone, and plans batches."""
    total = take_in(muniment.run, config.sources or None)
    return dg.MaterializeResult(
        metadata={
            "files": total.files,
            "unchanged": total.unchanged,
            "gone": total.gone,
            "batches": len(total.batches),
            **{
                change: total.changes.get(change, 0)
                for change in (
                    "new",
                    "changed",
                    "reverted",
                    "renamed",
                    "reappeared",
                    "refused",
                )
            },
        }
    )
