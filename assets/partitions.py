"""The partition set of the local stages: one key per ingest batch, sortable by time.

It stands with the assets, which it partitions; `pipelines` imports it.
"""

from __future__ import annotations

import dagster as dg

INGEST_BATCHES = dg.DynamicPartitionsDefinition(name="ingest_batches")
