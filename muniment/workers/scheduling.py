"""Which tasks go into which child and when: packs, second chances, the order of work."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from muniment.settings import WorkerSettings
from muniment.workers.tasks import DocumentTask


@dataclass(frozen=True, slots=True)
class Group:
    """Tasks for one child. `alone`: no other child may run, and there is no further chance."""

    tasks: tuple[DocumentTask, ...]
    alone: bool = False


def packed(tasks: Iterable[DocumentTask], settings: WorkerSettings) -> Iterator[Group]:
    """Groups of tasks: small packable ones together, each other one by itself."""
    pack: list[DocumentTask] = []
    for task in tasks:
        if not task.packable or task.size > settings.pack_file_bytes:
            yield Group((task,))
            continue
        pack.append(task)
        if len(pack) == settings.pack_files:
            yield Group(tuple(pack))
            pack = []
    if pack:
        yield Group(tuple(pack))


class Agenda:
    """Groups in the order in which they are to run. Tasks are drawn from their source when a child is free."""

    def __init__(self, groups: Iterator[Group]) -> None:
        self._groups = groups
        self._singles: deque[Group] = deque()
        self._alone: deque[Group] = deque()

    def unpack(self, group: Group) -> None:
        """Run the tasks of a failed pack one by one."""
        self._singles.extend(Group((task,)) for task in group.tasks)

    def run_alone(self, group: Group) -> None:
        """Run a group once more, when nothing else runs."""
        self._alone.append(replace(group, alone=True))

    def next(self, *, idle: bool) -> Group | None:
        """The next group to start; None when nothing is left or what is left must wait until all is `idle`."""
        if self._singles:
            return self._singles.popleft()
        group = next(self._groups, None)
        if group is not None:
            return group
        return self._alone.popleft() if idle and self._alone else None
