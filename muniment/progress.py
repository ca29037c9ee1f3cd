"""Where progress goes: one observer per process, set by whoever shows it (the command line)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Observer = Callable[[str, int, int], None]

_observers: list[Observer] = []


def report(stage: str, done: int, total: int) -> None:
    """Tell the observer that `done` of `total` items of a stage are finished."""
    for observer in _observers:
        observer(stage, done, total)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Send progress of this process to `observer` for the length of the block."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)
