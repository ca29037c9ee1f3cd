"""What the fork server does before it forks, and how a child knows that it was done.

multiprocessing swallows the ImportError of a preload module: without the check each document would
silently pay for its own imports (4.3 s instead of 25 ms, measured).
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import traceback
from dataclasses import dataclass

from muniment.workers import environment
from muniment.workers.kernel import die_with_parent


@dataclass(frozen=True, slots=True)
class Preloaded:
    """That a process prepared itself as fork server, and what went wrong."""

    pid: int
    problem: str | None


_state: Preloaded | None = None


def prepare(hook: str) -> None:
    """Make this process a fork server: it dies with the run, sends nothing home and has the readers loaded.

    `hook` is a module with a function `warm()`; one that does not exist is left out. An error is
    kept for the children, which report it.
    """
    global _state
    problem = None
    try:
        die_with_parent()
        environment.apply()
        importlib.import_module("muniment.workers.child")
        if importlib.util.find_spec(hook) is not None:
            importlib.import_module(hook).warm()
        gc.collect()
        gc.freeze()  # else a collection in a child writes to, and so copies, every page with an object
    except Exception:  # noqa: BLE001  # reported by the first child, which stops the run
        problem = traceback.format_exc()
    _state = Preloaded(os.getpid(), problem)


def problem_of(server_pid: int) -> str | None:
    """Why the process that forked this one is no prepared fork server; None when it is."""
    if _state is None or _state.pid != server_pid:
        return "its preload module was not imported (multiprocessing hides the ImportError)"
    return _state.problem
