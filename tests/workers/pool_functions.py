"""Functions for pools in tests; run as a script it is a run that loops in a pool until it is killed."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from muniment.extraction.model import ReadError

_calls: list[object] = []


def square(number: int) -> int:
    """A result that depends on the payload alone."""
    return number * number


def slow_first(number: int) -> int:
    """The first payload is ready last."""
    time.sleep(0.3 if number == 0 else 0)
    return number


def process_and_calls(payload: object) -> tuple[int, int]:
    """The process and how often it was called: what a worker keeps."""
    _calls.append(payload)
    return os.getpid(), len(_calls)


def environment(name: str) -> str | None:
    """A variable as the worker sees it."""
    return os.environ.get(name)


def echo(payload: bytes) -> bytes:
    """Large payloads travel both ways."""
    return payload


def divide(number: int) -> float:
    """Fails for 0."""
    return 1 / number


def refuse(payload: str) -> None:
    """Raises an error that does not survive pickling."""
    raise ReadError("corrupt_file", payload)


def end(how: str) -> None:
    """The worker dies."""
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)


def unpicklable(_: object) -> object:
    """A result that cannot travel."""
    return lambda: None


def loop(flag: str) -> None:
    """Never ends."""
    Path(flag).touch()
    while True:
        pass


if __name__ == "__main__":
    import pool_functions

    from muniment.workers.pool import open_pool

    with open_pool(2) as pool:
        list(pool.map(pool_functions.loop, sys.argv[1:]))
