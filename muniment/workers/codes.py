"""Exit codes and file names by which a child tells the executor how it went."""

from __future__ import annotations

#: The reports are written.
DONE = 0
#: The reader ended its own process.
ENDED_ITSELF = 90
#: The child could not be set up; see the file PROBLEM.
SETUP_FAILED = 91
#: The fork server is not prepared; see the file PROBLEM.
NOT_PRELOADED = 92
#: Namespaces are required and refused; see the file ISOLATION.
NOT_ISOLATED = 93
WALL_LIMIT = 94
CPU_LIMIT = 95
OUTPUT_LIMIT = 96
#: SIGNALLED + n: the reader was killed by signal n.
SIGNALLED = 100

REPORTS = "reports.json"
ISOLATION = "isolation.txt"
PROBLEM = "problem.txt"
