"""Counts the text of charts and diagrams, for the counters of office files; shares nothing with `charts`."""

from __future__ import annotations

import itertools

from muniment.extraction.ooxml_counter import Part


class ChartPart(Part):
    """Titles, series names, values, and each distinct set of categories once."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._series: list[dict[str, list[str]]] = []
        self._field: str | None = None
        self._buffer: list[str] | None = None
        self._extension = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Series, their fields, and texts."""
        self._extension += name == "c:extLst"
        if self._extension:
            return
        if name == "c:ser":
            self._series.append({})
        elif name in ("c:tx", "c:cat", "c:xVal", "c:val", "c:yVal", "c:bubbleSize") and self._path[-2] == "c:ser":
            self._field = "c:cat" if name == "c:xVal" else name
        elif name in ("a:t", "c:v"):
            self._buffer = []

    def text(self, text: str) -> None:
        """Only what stands in a text or a value."""
        if self._buffer is not None:
            self._buffer.append(text)

    def end(self, name: str) -> None:
        """Closes a text or a field of a series."""
        if name == "c:extLst":
            self._extension -= 1
        elif self._extension:
            return
        elif name in ("a:t", "c:v") and self._buffer is not None:
            self._close(name, "".join(self._buffer))
            self._buffer = None
        elif name in ("c:tx", "c:cat", "c:xVal", "c:val", "c:yVal", "c:bubbleSize") and self._path[-1:] == ["c:ser"]:
            self._field = None

    def _close(self, name: str, text: str) -> None:
        if name == "a:t":
            self.texts.append(text)
        elif self._field is not None and self._series:
            self._series[-1].setdefault(self._field, []).append(text)

    def _by_categories(self) -> dict[tuple[str, ...], list[str]]:
        tables: dict[tuple[str, ...], list[str]] = {}
        for series in self._series:
            categories = tuple(series.get("c:cat", ()))
            texts = tables.setdefault(categories, list(categories))
            texts += [text for field, values in series.items() if field != "c:cat" for text in values]
        return tables

    def rows(self) -> list[list[list[str]]]:
        """Tables as a program shows them: names of the series, then a row for each category."""
        tables: dict[tuple[str, ...], list[list[str]]] = {}
        for series in self._series:
            tables.setdefault(tuple(series.get("c:cat", ())), []).extend(
                [*series.get("c:tx", [""])[:1], *values]
                for field, values in series.items()
                if field not in ("c:cat", "c:tx")
            )
        return [
            [list(row) for row in itertools.zip_longest(["", *categories], *columns, fillvalue="")]
            for categories, columns in tables.items()
        ]

    def tables(self) -> int:
        """Tables with any text: one for each distinct set of categories."""
        return sum(1 for texts in self._by_categories().values() if "".join(texts))

    def all_texts(self) -> list[str]:
        """Titles and the texts of all series, categories once for each distinct set."""
        return self.texts + [text for texts in self._by_categories().values() for text in texts]


class DiagramPart(Part):
    """Texts of a diagram."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A text begins."""
        self._inside = name == "a:t"

    def text(self, text: str) -> None:
        """A piece of a text."""
        if self._inside:
            self.texts.append(text)

    def end(self, name: str) -> None:
        """A text ends."""
        self._inside = False

    def all_texts(self) -> list[str]:
        """The texts."""
        return self.texts

    def tables(self) -> int:
        """A diagram has none."""
        return 0
