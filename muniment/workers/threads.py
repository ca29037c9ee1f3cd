"""Starting processes from a thread that lasts: PDEATHSIG follows the thread that started them, not its process."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

R = TypeVar("R")


@functools.cache
def _keeper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="muniment-process-keeper")


def in_lasting_thread(function: Callable[[], R]) -> R:
    """Result of `function`, run in the main thread when called there, else in one that lives to the process's end."""
    if threading.current_thread() is threading.main_thread():
        return function()
    return _keeper().submit(function).result()
