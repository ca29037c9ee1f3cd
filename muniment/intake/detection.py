"""The document type of a stored original, from its content and the name it came with."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from muniment.extraction.detect import detect

#: Bytes looked at from the start of a file.
HEAD_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class DetectedType:
    """Type by content; `finding` says what a person should know (unsupported kind, wrong name)."""

    doc_type: str
    finding: str | None


def detect_stored(path: Path, name: str) -> DetectedType:
    """Type of a stored original; `name` is the file name in its source."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)

    def zip_members() -> list[str]:
        try:
            with zipfile.ZipFile(path) as archive:
                return archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError):
            return []

    detected = detect(head, name, path.stat().st_size, zip_members)
    finding = detected.detail if detected.mismatch or detected.doc_type == "unsupported" else None
    return DetectedType(detected.doc_type, finding)
