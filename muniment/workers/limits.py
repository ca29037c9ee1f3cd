"""Resource limits of a child, and what it has used."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path

from muniment.settings import WorkerSettings

#: Open files of a child at most (reliability-ecosystem, section 2.1).
OPEN_FILES = 256

#: CPU seconds between the soft limit, whose signal a reader can ignore, and the hard one, which kills.
CPU_GRACE = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one child. Seconds and bytes."""

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int
    output_bytes: int
    require_isolation: bool

    @classmethod
    def of(cls, settings: WorkerSettings) -> Limits:
        """The limits that the settings give."""
        return cls(
            settings.wall_seconds,
            settings.cpu_seconds,
            settings.memory_bytes,
            settings.output_bytes,
            settings.require_isolation,
        )


def address_space() -> int:
    """Bytes of address space that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_rss() -> int:
    """Largest resident size of this process so far, in bytes.

    VmHWM: ru_maxrss of a forked child includes the peak of its parent. The pages that the fork
    server loaded are shared, and counted.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cpu_used() -> float:
    """CPU seconds of this process and the children that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _limit(kind: int, soft: int, hard: int) -> None:
    present = resource.getrlimit(kind)[1]
    if present != resource.RLIM_INFINITY:
        soft, hard = min(soft, present), min(hard, present)
    resource.setrlimit(kind, (soft, hard))


def apply(limits: Limits) -> None:
    """Set the limits on this process and on all that it forks."""
    memory = address_space() + limits.memory_bytes
    _limit(resource.RLIMIT_CORE, 0, 0)
    _limit(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + CPU_GRACE)
    _limit(resource.RLIMIT_FSIZE, limits.output_bytes, limits.output_bytes)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES)
    _limit(resource.RLIMIT_AS, memory, memory)
