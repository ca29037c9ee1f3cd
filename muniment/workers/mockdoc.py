"""The mock document (`.mockdoc`): a file that says how its reader shall misbehave, after Apache Tika's MockParser.

It tries the walls around readers in tests, and in `doctor` on the machine where Muniment is to run. It
is not among the formats that are read, so no received file reaches it. One behaviour a line:

    text WORDS          the words become part of the result
    process             when the process started becomes part of the result: tells readers apart
    loop                compute for ever
    loop_unless PATH    the same, unless the file exists; it is made first, so that the next reading ends
    fork                start a descendant that loops for ever, in a session of its own
    touch PATH          make an empty file
    allocate BYTES      ask for that much memory
    write BYTES         make the result that large
    segfault            read at address 0
    abort               end by SIGABRT, as C libraries do
    exit CODE           end the own process without a result
    connect HOST PORT   try to connect; what came of it becomes part of the result
    refuse CODE DETAIL  refuse the file, as readers do
    raise               raise an error whose message quotes the file
    nothing             return without a result
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Name under which an executor finds `read`.
ENTRY = "muniment.workers.mockdoc:read"

_BLOCK = b"\0" * 65536


class MockRefusal(Exception):
    """A refusal with reason code and detail."""

    def __init__(self, reason_code: str, detail: str) -> None:
        super().__init__(f"{reason_code}: {detail}")
        self.reason_code = reason_code
        self.detail = detail


def read(payload: dict[str, Any], output: Path) -> None:
    """Do what the file at `payload["path"]` says; the result holds the texts, one a line."""
    said: list[str] = []
    for line in Path(payload["path"]).read_text(encoding="utf-8").splitlines():
        name, _, argument = line.strip().partition(" ")
        if name == "nothing":
            return
        if name == "write":
            _write(output, int(argument))
        elif name:
            said.append(_BEHAVIOURS[name](argument))
    with output.open("a", encoding="utf-8") as stream:
        stream.write("\n".join(text for text in said if text))


def warm() -> None:
    """Called by a fork server for mock documents; importing this module has loaded all there is."""


def _process(_: str) -> str:
    return Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]


def _loop(_: str) -> str:
    while True:
        pass


def _loop_unless(path: str) -> str:
    if Path(path).exists():
        return ""
    Path(path).touch()
    return _loop("")


def _fork(_: str) -> str:
    if os.fork() == 0:
        os.setsid()
        _loop("")
    return ""


def _touch(path: str) -> str:
    Path(path).touch()
    return ""


def _allocate(size: str) -> str:
    return f"allocated {len(bytearray(int(size)))}"


def _write(output: Path, size: int) -> None:
    with output.open("wb") as stream:
        for start in range(0, size, len(_BLOCK)):
            stream.write(_BLOCK[: size - start])


def _segfault(_: str) -> str:
    return str(ctypes.string_at(0))


def _abort(_: str) -> str:
    os.abort()


def _exit(code: str) -> str:
    os._exit(int(code))


def _connect(address: str) -> str:
    host, port = address.split()
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except OSError as error:
        return f"connect: {errno.errorcode.get(error.errno or 0, 'timeout')}"
    return "connect: connected"


def _refuse(argument: str) -> str:
    code, _, detail = argument.partition(" ")
    raise MockRefusal(code, detail)


def _raise(quotation: str) -> str:
    raise ValueError(f"unexpected text {quotation!r}")


_BEHAVIOURS: dict[str, Callable[[str], str]] = {
    "text": str,
    "process": _process,
    "loop": _loop,
    "loop_unless": _loop_unless,
    "fork": _fork,
    "touch": _touch,
    "allocate": _allocate,
    "segfault": _segfault,
    "abort": _abort,
    "exit": _exit,
    "connect": _connect,
    "refuse": _refuse,
    "raise": _raise,
}
