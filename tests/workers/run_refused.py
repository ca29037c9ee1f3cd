"""run_mock.py where the kernel refuses namespaces: in a user namespace that may hold no others.

Usage: run_refused.py NAMES WORK FOLDER [settings]; NAMES of net, pid, user, joined by commas. Exit code 77 when
that cannot be arranged here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from muniment.workers.kernel import CLONE_NEWUSER, unshare


def refuse(names: list[str]) -> bool:
    """Make the kernel refuse namespaces of these kinds to this process and its children."""
    user, group = os.getuid(), os.getgid()
    if not unshare(CLONE_NEWUSER):
        return False
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        for name in names:
            Path(f"/proc/sys/user/max_{name}_namespaces").write_text("0")
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return False
    return True


if __name__ == "__main__":
    if not refuse(sys.argv[1].split(",")):
        sys.exit(77)
    import run_mock

    sys.stdout.write("\n".join(run_mock.run(*sys.argv[2:])) + "\n")
