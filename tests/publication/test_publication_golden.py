"""Golden digests: what a stage makes of fixed input may change only together with its code version.

Else homes would keep rows of the old code and call them up to date. Only tables that no numeric engine
enters are compared: taggers and embeddings may differ in the last place between processors.

To accept a change: raise the stage's CODE_VERSION, run this file with MUNIMENT_WRITE_GOLDEN=1, and read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from home_lab import HomeLab

from muniment.extraction import stage as extraction
from muniment.store.digests import table_digest
from muniment.tables.registry import TABLES

GOLDEN = Path(__file__).with_name("golden_digests.json")
WRITE = os.environ.get("MUNIMENT_WRITE_GOLDEN") == "1"

PAPERS = {
    "gateway.md": (
        "---\ntitle: Gateway Guide\nauthor: Anna Berg\neffective_date: 2026-01-01\n---\n\n# Gateway\n\n"
        "Anna Berg owns the *Telemetry Gateway*.\n\n- first\n- second\n\n| part | kg |\n|---|---|\n| rotor | -12.5 |\n"
    ),
    "page.html": (
        "<html><head><title>Page</title></head><body><nav>Home</nav><h1>Valves</h1><p>Carl owns 3&nbsp;valves.</p>"
        "<p style='display:none'>hidden words</p><table><tr><th>a</th><td>1</td></tr></table></body></html>"
    ),
    "register.csv": "system;owner\nGateway;Anna Berg\nArchive;Carl Dunn\n",
    "note.txt": "1 Scope\n\nThe Archive depends on the Gateway. It holds -5 °C readings, 7.5 %.\n",
    "mail.eml": (
        "From: anna@example.org\nTo: carl@example.org\nSubject: Valve\nDate: Mon, 5 Jan 2026 09:00:00 +0000\n"
        "Content-Type: text/plain; charset=utf-8\n\nThe valve is closed.\n"
    ),
    "broken.docx": "this is no archive",
}
COMPARED = (
    "extractions", "canonical_texts", "elements", "document_tables", "table_cells", "text_edits", "source_counts",
    "extracted_metadata",
)  # fmt: skip


@pytest.mark.integration
def test_extraction_changes_only_with_its_code_version(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_bytes(text.encode())
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    lab.scan(folder)
    lab.process()
    rows = lab.warehouse.latest()
    found = {
        "code_version": extraction.CODE_VERSION,
        "tables": {name: table_digest(rows, TABLES[name]) for name in COMPARED},
    }
    lab.close()
    if WRITE:
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n")
    known = json.loads(GOLDEN.read_text())
    changed = [name for name in COMPARED if known["tables"][name] != found["tables"][name]]
    assert not changed or known["code_version"] != found["code_version"], (
        f"{changed} differ and extraction.stage.CODE_VERSION is still {found['code_version']!r}: raise it"
    )
    assert known == found, "the code version was raised: write the golden digests anew (see the top of this file)"
