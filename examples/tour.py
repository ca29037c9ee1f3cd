"""The tour behind `make run`: ingest the example corpus, print what was lost, search twice, make one slice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "examples" / "corpus"

#: Exit codes of `muniment ingest` that mean: done.
DONE = (0, 4)


def main() -> int:
    """Run the tour; returns an exit code."""
    if not CORPUS.is_dir():
        subprocess.run([sys.executable, str(ROOT / "examples" / "make_corpus.py"), str(CORPUS)], check=True)
    muniment = [str(Path(sys.executable).parent / "muniment")]
    code = subprocess.run([*muniment, "ingest", str(CORPUS), "--source", "examples"]).returncode
    if code not in DONE:
        return code
    from muniment.api import Muniment

    with Muniment.open(os.environ.get("MUNIMENT_HOME")) as opened:
        for question in QUESTIONS:
            print(f"\n$ muniment search {question!r}\n{opened.search(question, limit=3)}")
        operation, request = SLICE
        print(f"\n$ muniment slice {operation} {request!r}\n{opened.slice(operation, request, budget_tokens=1500)}")
    print("\nThe Dagster UI of this home: make ui")
    return 0


QUESTIONS = ("Who owns the telemetry gateway?", "How long are operational logs retained?")
SLICE = ("dependencies", "What depends on the telemetry gateway?")

if __name__ == "__main__":
    sys.exit(main())
