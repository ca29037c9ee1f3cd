"""Make the example corpus: `python examples/make_corpus.py OUTPUT_FOLDER`.

The documents of an invented water company in all formats that Muniment reads, and some that it must
refuse. The bytes are the same in every run; what each file says stands in `texts/`, `registers.py` and `gold.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import office
import plain
import portable
import registers

COMPANY = "Aldermoor Water Company"
NAVIGATION = ("Home", "Operations", "Security", "People")
OUTAGE_ID = "<20250818.0714.tgw-outage@mail.aldermoor-water.example>"
MAIL_TO = "Operational Technology Board <ot-board@aldermoor-water.example>"


def _policy(version: str, valid_from: str, valid_to: str | None) -> dict[str, str]:
    stated = {"title": "Log Retention Policy", "version": version, "author": "Priya Raman", "valid_from": valid_from}
    return {**stated, "valid_to": valid_to} if valid_to else stated


def _retention(version: int) -> bytes:
    if version == 1:
        return plain.markdown("log-retention-v1", _policy("1", "2024-01-01", "2025-07-01"))
    return plain.markdown("log-retention-v2", _policy("2", "2025-07-01", None))


def _outage_mail() -> bytes:
    return plain.mail(
        "mail-outage",
        {
            "From": "Tomas Lindqvist <tomas.lindqvist@aldermoor-water.example>",
            "To": MAIL_TO,
            "Cc": "Helen Abara <helen.abara@aldermoor-water.example>",
            "Subject": "Outage of the Telemetry Gateway on 17 August",
            "Date": "Mon, 18 Aug 2025 07:14:00 +0000",
            "Message-ID": OUTAGE_ID,
        },
        attachment=("lost-readings.csv", plain.table_csv(registers.LOST_READINGS)),
    )


def _outage_reply() -> bytes:
    return plain.mail(
        "mail-outage-reply",
        {
            "From": "Margit Osei <margit.osei@aldermoor-water.example>",
            "To": "Tomas Lindqvist <tomas.lindqvist@aldermoor-water.example>",
            "Subject": "Re: Outage of the Telemetry Gateway on 17 August",
            "Date": "Mon, 18 Aug 2025 16:40:00 +0000",
            "Message-ID": "<20250818.1640.reply@mail.aldermoor-water.example>",
            "In-Reply-To": OUTAGE_ID,
            "References": OUTAGE_ID,
        },
        quoted="mail-outage",
    )


def _retention_mail() -> bytes:
    return plain.mail(
        "mail-retention",
        {
            "From": "Priya Raman <priya.raman@aldermoor-water.example>",
            "To": "Helen Abara <helen.abara@aldermoor-water.example>",
            "Subject": "Access logs of the billing system",
            "Date": "Wed, 08 Oct 2025 09:05:00 +0000",
            "Message-ID": "<20251008.0905.cbs@mail.aldermoor-water.example>",
        },
        with_html=True,
    )


def _contract() -> bytes:
    title = "Support Agreement for the Telemetry Gateway"
    return office.word("support-agreement", title=title, author=COMPANY, header="Contract C-2024-117")


def _letter(*, password: str | None = None) -> bytes:
    return portable.letter(
        "inspectorate-letter",
        title="Notice of Findings",
        author="Water Services Inspectorate",
        foot="Water Services Inspectorate",
        password=password,
    )


def _board_paper() -> bytes:
    title = "Board Paper: One Owner for Each Operational System"
    return portable.letter("board-paper", title=title, author="Ines Calloway", foot="OTB-2025-31", picture=True)


def _front(title: str, **more: str) -> dict[str, str]:
    return {"title": title, **more}


#: Every file by its path, with what makes its bytes. `gold.json` has an entry for each.
FILES: dict[str, Callable[[], bytes]] = {
    "architecture/telemetry-gateway-architecture.docx": partial(
        office.word, "gateway-architecture", title="Telemetry Gateway Architecture", author="Tomas Lindqvist"
    ),
    "architecture/plant-data-archive-design.md": partial(
        plain.markdown, "archive-design", _front("Plant Data Archive: Design Summary", published_on="2025-02-20")
    ),
    "changes/CHG-1042.txt": partial(plain.text, "chg-1042"),
    "changes/CHG-1077.md": partial(plain.markdown, "chg-1077"),
    "changes/change-log.csv": partial(plain.table_csv, registers.CHANGES),
    "contracts/brightwell-support-agreement.docx": _contract,
    "correspondence/inspectorate-notice.pdf": _letter,
    "decks/telemetry-roadmap-2026.pptx": partial(
        office.slides, "roadmap-deck", title="Telemetry Roadmap 2026", author="Margit Osei"
    ),
    "glossary.md": partial(plain.markdown, "glossary"),
    "governance/control-register.csv": partial(plain.table_csv, registers.CONTROLS),
    "governance/risk-assessment-identity-service.docx": partial(
        office.word, "risk-assessment", title="Risk Assessment of the Identity Service", author="Priya Raman"
    ),
    "governance/system-register.xlsx": partial(
        office.excel, registers.SYSTEM_REGISTER, title="Governance register", author="Ines Calloway"
    ),
    "intranet/incident-procedure.html": partial(
        plain.html,
        "incident-procedure",
        title="Incident Procedure for Operational Systems",
        meta={"author": "Margit Osei"},
        navigation=NAVIGATION,
    ),
    "intranet/network-zones.html": partial(
        plain.html,
        "network-zones",
        title="Network Zones of the Operational Estate",
        meta={"author": "Tomas Lindqvist"},
        navigation=NAVIGATION,
    ),
    "intranet/privacy-notice.html": partial(
        plain.html, "privacy-notice", title="Privacy Notice for Customers", meta={"author": "Helen Abara"}
    ),
    "inventory/outstations.xlsx": partial(
        office.excel, registers.OUTSTATIONS, title="Inventory of outstations", author="Tomas Lindqvist"
    ),
    "mail/2025-08-18-gateway-outage.eml": _outage_mail,
    "mail/2025-08-18-re-gateway-outage.eml": _outage_reply,
    "mail/2025-10-08-billing-logs.eml": _retention_mail,
    "minutes/2025-09-18-ot-board.docx": partial(
        office.word, "minutes-ot-board", title="Minutes of the Operational Technology Board", author="Ines Calloway"
    ),
    "minutes/2025-10-21-security-committee.txt": partial(plain.text, "minutes-security-committee"),
    "minutes/2025-11-13-board-paper.pdf": _board_paper,
    "policies/backup-procedure.txt": partial(plain.text, "backup-procedure"),
    "policies/copy of log-retention-policy-v2.md": partial(_retention, 2),
    "policies/log-retention-policy-v1.md": partial(_retention, 1),
    "policies/log-retention-policy-v2.md": partial(_retention, 2),
    "policies/remote-access-amendment-1.md": partial(
        plain.markdown,
        "remote-access-amendment",
        _front("Amendment No. 1 to the Remote Access Policy", valid_from="2026-01-01", published_on="2025-10-21"),
    ),
    "policies/remote-access-policy.docx": partial(
        office.word, "remote-access-policy", title="Remote Access Policy", author="Priya Raman"
    ),
    "reports/resilience-report-2025.pdf": partial(
        portable.report, "resilience-report", title="Resilience Report 2025", author=COMPANY
    ),
    "unreadable/board-pack.pdf": partial(_letter, password="harnley"),
    "unreadable/damaged-agreement.docx": lambda: _contract()[:9_000],
    "unreadable/damaged-notice.pdf": lambda: _letter()[:1_200],
    "unreadable/empty.txt": lambda: b"",
    "unreadable/logger-dump.xyz": lambda: bytes(range(256)) * 8,
    "unreadable/quarterly-figures.docx": lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    "unreadable/scanned-chart.pdf": portable.scan,
}


def make_corpus(folder: Path) -> list[Path]:
    """Write every file under `folder` and return the paths in order."""
    written: list[Path] = []
    for name, make in sorted(FILES.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())
        written.append(path)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the files of the example corpus.")
    parser.add_argument("folder", type=Path, help="where to; made if absent")
    target = parser.parse_args().folder
    print(f"{len(make_corpus(target))} files written to {target}")
