"""The worker process of a pool: answers calls until its pool or its run ends."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

#: Seconds between two looks at the parent, where the kernel does not tell of its end.
_LOOK_SECONDS = 0.5


def serve(descriptor: int, parent: int) -> None:
    """Answer `(function, payload)` with `(good, value, traceback)` until the connection closes."""
    _end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run decides what an interrupt means
    with Connection(descriptor) as connection:
        while True:
            try:
                request = connection.recv_bytes()
            except (EOFError, ConnectionError):
                return
            connection.send_bytes(_answer(request))


def _answer(request: bytes) -> bytes:
    try:
        function, payload = pickle.loads(request)  # noqa: S301  # from our own parent
        return pickle.dumps((True, function(payload), None), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001  # raised again in the parent
        return pickle.dumps((False, _portable(error), traceback.format_exc()), pickle.HIGHEST_PROTOCOL)


def _portable(error: Exception) -> Any:
    """The error itself if it survives pickling, else its words."""
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    except Exception:  # noqa: BLE001  # any class may fail in its own way
        copy = None
    return error if type(copy) is type(error) else f"{type(error).__qualname__}: {error}"


def _end_with(parent: int) -> None:
    """Have this process killed when its parent ends: by the kernel, and by looking."""
    if sys.platform == "linux":
        from muniment.workers.kernel import die_with_parent

        die_with_parent()
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="parent-watch").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)
