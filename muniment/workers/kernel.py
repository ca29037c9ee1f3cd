"""Calls of the Linux kernel that Python 3.11 does not offer: prctl and unshare."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _libc().prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def die_with_parent() -> None:
    """Have this process killed when the thread that started it ends. Undone by a change of credentials."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def no_new_privileges() -> None:
    """No later exec gains privileges (setuid programs)."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def unshare(flags: int) -> bool:
    """Leave namespaces; False when the kernel refuses, with nothing changed."""
    return _libc().unshare(flags) == 0
