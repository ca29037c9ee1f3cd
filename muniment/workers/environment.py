"""The environment of worker processes: one thread an engine, no telemetry."""

from __future__ import annotations

import os

from muniment.telemetry import OPT_OUTS

#: Spin-waiting thread pools collapse when the other cores are busy: scale by processes, never by threads.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

WORKER_ENVIRONMENT = {**ONE_THREAD, **OPT_OUTS}


def apply() -> None:
    """Set the variables in this process; to be called before the heavy libraries are imported."""
    os.environ.update(WORKER_ENVIRONMENT)
