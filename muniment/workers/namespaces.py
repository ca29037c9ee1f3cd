"""Namespaces of a child: no network, and a process namespace whose end ends all that is in it."""

from __future__ import annotations

from dataclasses import dataclass

from muniment.workers.kernel import CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWUSER, unshare


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which namespaces were granted."""

    network: bool
    processes: bool

    @property
    def complete(self) -> bool:
        """Both were granted."""
        return self.network and self.processes

    def describe(self) -> str:
        """The words that stand on the row of a version."""
        if self.complete:
            return "network and process namespaces"
        missing = ", ".join(
            f"no {name} namespace"
            for name, granted in (("network", self.network), ("process", self.processes))
            if not granted
        )
        granted_one = "network namespace: " if self.network else "process namespace: " if self.processes else ""
        return f"{granted_one or 'rlimits only: '}{missing}"


#: From most to least. An ordinary user needs a user namespace first.
_ATTEMPTS = tuple(
    (user | flags, Isolation(bool(flags & CLONE_NEWNET), bool(flags & CLONE_NEWPID)))
    for flags in (CLONE_NEWNET | CLONE_NEWPID, CLONE_NEWPID, CLONE_NEWNET)
    for user in (0, CLONE_NEWUSER)
)


def enter() -> Isolation:
    """Leave the namespaces of network and processes, as far as the kernel allows.

    The process namespace holds for children forked from now on. Must be called single-threaded.
    """
    for flags, isolation in _ATTEMPTS:
        if unshare(flags):
            return isolation
    return Isolation(network=False, processes=False)
