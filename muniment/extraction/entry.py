"""What runs in the isolated child: read one file, count it independently, write one JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muniment.extraction.formats import module_of
from muniment.extraction.model import FormatModule, ReadError, ReadOptions
from muniment.extraction.serial import ReadDocument, dump

#: Name under which the executor finds `read_document`.
ENTRY = "muniment.extraction.entry:read_document"


def read_document(payload: dict[str, Any], output: Path) -> None:
    """Read and count one file.

    `payload` has `path`, `name`, `doc_type` and `options` (fields of ReadOptions). ReadError of the
    reader propagates; an error of the counter is recorded beside the reading, never raised.
    """
    path = Path(payload["path"])
    options = ReadOptions(**payload["options"])
    module = module_of(payload["doc_type"])
    reading = module.read(path, options)
    counts, error = _counted(module, path, options)
    dump(ReadDocument(reading, module.COUNTER, counts, error), output)


def _counted(module: FormatModule, path: Path, options: ReadOptions) -> tuple[dict[str, int], str | None]:
    """Counts by unit, or why there are none. Messages of foreign errors may quote the file: names only."""
    try:
        return module.count(path, options), None
    except ReadError as error:
        return {}, f"{error.reason_code}: {error.detail}"
    except MemoryError:
        raise  # a limit of the child, not a fault of the counter
    except Exception as error:  # noqa: BLE001 - recorded as counter_failed by the stage
        return {}, f"{type(error).__name__} in the counter {module.COUNTER}"
