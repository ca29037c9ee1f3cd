"""Counts the text of a PDF with pdfminer.six, below its layout analysis: every glyph that a page's content shows.

Not pdfium, not the reader's code. Visibility is judged again here: render mode, white on no dark ground, size, place.
A glyph drawn twice at one place (false bold) counts once. Presentation forms count as the letters they stand for.
"""

from __future__ import annotations

import logging
import math
import struct
import unicodedata
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from muniment.extraction.counting import characters, count_visible
from muniment.extraction.model import ReadError, ReadOptions

COUNTER: str = f"pdfminer.six {version('pdfminer.six')} glyphs 1"

T = TypeVar("T")


class Glyph(NamedTuple):
    """One glyph in page space: origin, where the next one would begin, size, and what hides it."""

    text: str
    x: float
    y: float
    end: float
    size: float
    invisible: bool
    white: bool


_OVERPRINT = 0.12  # of the size: a second glyph this near is the same one, drawn twice
_WHITE = 0.98


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """chars_visible, chars_hidden, digits, percents, pages. May raise ReadError."""
    del options
    return with_document(path, _count)


def with_document(path: Path, use: Callable[[Any], T]) -> T:
    """What `use` makes of the opened document. Raises ReadError when the library cannot read it."""
    from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
    from pdfminer.pdfparser import PDFParser
    from pdfminer.psexceptions import PSException

    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    with path.open("rb") as file:
        try:
            return use(PDFDocument(PDFParser(file)))
        except (PDFPasswordIncorrect, PDFEncryptionError) as error:
            raise ReadError("password_protected", "the counter needs a password") from error
        except (PSException, ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError) as error:
            raise ReadError("corrupt_file", f"the counter cannot read it ({type(error).__name__})") from error
        except (RecursionError, ArithmeticError, struct.error) as error:
            raise ReadError("corrupt_file", f"the counter cannot read it ({type(error).__name__})") from error


def _count(document: Any) -> dict[str, int]:
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage

    totals: Counter[str] = Counter(dict.fromkeys(("chars_visible", "chars_hidden", "digits", "percents", "pages"), 0))
    manager = PDFResourceManager(caching=True)
    device = glyph_device(manager)
    interpreter = PDFPageInterpreter(manager, device)
    for page in PDFPage.create_pages(document):
        totals["pages"] += 1
        interpreter.process_page(page)
        visible, hidden = device.texts()
        totals.update(count_visible(visible))
        totals["chars_hidden"] += characters(hidden)
        totals.update(count_visible(annotation_texts(page)))
    totals.update(count_visible("\n".join(value for _, value in field_texts(document))))
    return dict(totals)


def glyph_device(manager: Any) -> Any:
    """A device of the library that collects the glyphs of a page, then tells which are seen."""
    from pdfminer.pdfdevice import PDFTextDevice
    from pdfminer.pdffont import PDFUnicodeNotDefined
    from pdfminer.utils import MATRIX_IDENTITY, apply_matrix_pt, apply_matrix_rect

    class GlyphDevice(PDFTextDevice):
        """Collects glyphs and grounds of a page in page space."""

        def begin_page(self, page: Any, ctm: Any) -> None:
            self.glyphs: list[Glyph] = []
            self.grounds: list[tuple[float, float, float, float]] = []
            self.mode = 0
            self.crop = apply_matrix_rect(ctm, page.cropbox)

        def render_string(self, textstate: Any, seq: Any, ncs: Any, graphicstate: Any) -> None:
            self.mode = textstate.render
            super().render_string(textstate, seq, ncs, graphicstate)

        def render_char(
            self,
            matrix: Any,
            font: Any,
            fontsize: float,
            scaling: float,
            rise: float,
            cid: int,
            ncs: Any,
            graphicstate: Any,
        ) -> float:
            try:
                text = font.to_unichr(cid)
            except PDFUnicodeNotDefined:
                text = "\ufffd"
            x, y = apply_matrix_pt(matrix, (0, rise))
            size = abs(fontsize) * math.sqrt(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]))
            stroked = self.mode == 1
            colour = graphicstate.scolor if stroked else graphicstate.ncolor
            white = _is_white(colour, graphicstate.scs if stroked else graphicstate.ncs)
            width = font.char_width(cid) * fontsize * scaling
            end = apply_matrix_pt(matrix, (width, rise))
            self.glyphs.append(Glyph(text, x, y, end[0], size, self.mode in (3, 7), white))
            return width

        def paint_path(self, graphicstate: Any, stroke: bool, fill: bool, evenodd: bool, path: Any) -> None:
            if not fill or _is_white(graphicstate.ncolor, graphicstate.ncs):
                return
            ctm = self.ctm or MATRIX_IDENTITY
            points = [apply_matrix_pt(ctm, point[-2:]) for point in path if len(point) > 2]
            if points:
                xs, ys = [p[0] for p in points], [p[1] for p in points]
                self.grounds.append((min(xs), min(ys), max(xs), max(ys)))

        def render_image(self, name: str, stream: Any) -> None:
            self.grounds.append(apply_matrix_rect(self.ctm or MATRIX_IDENTITY, (0, 0, 1, 1)))

        def sorted_out(self) -> list[tuple[Glyph, bool]]:
            """Glyphs of the page in the order they are drawn, each with whether it is seen."""
            return _sort_out(self.glyphs, self.grounds, self.crop)

        def texts(self) -> tuple[str, str]:
            """Visible and hidden text of the page."""
            glyphs = self.sorted_out()
            visible = " ".join(glyph.text for glyph, seen in glyphs if seen)
            return visible, " ".join(glyph.text for glyph, seen in glyphs if not seen)

    return GlyphDevice(manager)


def _sort_out(
    glyphs: list[Glyph], grounds: list[Any], crop: tuple[float, float, float, float]
) -> list[tuple[Glyph, bool]]:
    left, bottom, right, top = crop
    found: list[tuple[Glyph, bool]] = []
    drawn: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    for glyph in glyphs:
        text, x, y, _, size, invisible, white = glyph
        if not text.strip():
            continue
        if _is_overprint(drawn, text, x, y, max(size, 1.0) * _OVERPRINT):
            continue
        seen = (
            not invisible
            and size >= 1.0
            and left - size / 2 <= x <= right
            and bottom - 0.8 * size <= y <= top + size / 5
        )
        if seen and white:
            seen = any(
                x0 - 1 <= x + size / 4 <= x1 + 1 and y0 - 1 <= y + size / 4 <= y1 + 1 for x0, y0, x1, y1 in grounds
            )
        found.append((glyph._replace(text=_letters(text)), seen))
    return found


def _is_overprint(
    drawn: dict[tuple[str, int, int], list[tuple[float, float]]], text: str, x: float, y: float, near: float
) -> bool:
    cell = (text, int(x // 4), int(y // 4))
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            for other in drawn.get((text, cell[1] + dx, cell[2] + dy), ()):
                if abs(other[0] - x) <= near and abs(other[1] - y) <= near:
                    return True
    drawn.setdefault(cell, []).append((x, y))
    return False


def _letters(text: str) -> str:
    if all(character < "\ufb00" for character in text):
        return text
    return "".join(
        unicodedata.normalize("NFKC", c) if "\ufb00" <= c <= "\ufdff" or "\ufe70" <= c <= "\ufefc" else c for c in text
    )


def _is_white(colour: Any, space: Any) -> bool:
    """White in a space where numbers are light or ink; a tint of 1 in a Separation is full ink, not white."""
    parts = colour if isinstance(colour, (tuple, list)) else (colour,)
    if not parts or not all(isinstance(part, (int, float)) for part in parts):
        return False
    if getattr(space, "name", "DeviceGray") in ("Separation", "DeviceN", "Indexed", "Pattern", "Lab"):
        return False
    return max(parts) <= 1 - _WHITE if len(parts) == 4 else min(parts) >= _WHITE


def annotation_texts(page: Any) -> str:
    """Contents of annotations, but of links, fields and the windows of other annotations."""
    from pdfminer.pdftypes import dict_value, list_value, resolve1

    texts = []
    for item in list_value(page.annots) if page.annots else ():
        annotation = resolve1(item)
        if not isinstance(annotation, dict):
            continue
        subtype = getattr(resolve1(annotation.get("Subtype")), "name", "")
        if subtype not in ("Link", "Widget", "Popup"):
            texts.append(_string(dict_value(annotation).get("Contents")))
    return "\n".join(texts)


def field_texts(document: Any) -> list[tuple[str, str]]:
    """Full names and values of text and choice fields."""
    from pdfminer.pdftypes import resolve1

    form = resolve1(document.catalog.get("AcroForm"))
    if not isinstance(form, dict):
        return []
    texts: list[tuple[str, str]] = []
    todo = [(item, "", None, "") for item in _items(form.get("Fields"))]
    seen = 0
    while todo and seen < 100_000:
        seen += 1
        reference, kind, value, name = todo.pop()
        field = resolve1(reference)
        if not isinstance(field, dict):
            continue
        kind = getattr(resolve1(field.get("FT")), "name", "") or kind
        value = field.get("V", value)
        own = _string(field.get("T"))
        name = f"{name}.{own}" if name and own else name or own
        kids = [kid for kid in _items(field.get("Kids")) if isinstance(resolve1(kid), dict) and "T" in resolve1(kid)]
        if kids and seen + len(todo) < 100_000:
            todo.extend((kid, kind, value, name) for kid in kids)
        elif kind in ("Tx", "Ch"):
            texts.append((name, _string(value)))
    return texts


def _items(value: Any) -> list[Any]:
    from pdfminer.pdftypes import resolve1

    resolved = resolve1(value)
    return resolved if isinstance(resolved, list) else []


def _string(value: Any) -> str:
    from pdfminer.pdftypes import resolve1
    from pdfminer.utils import decode_text

    resolved = resolve1(value)
    if isinstance(resolved, list):
        return "\n".join(_string(item) for item in resolved)
    if isinstance(resolved, bytes):
        return decode_text(resolved)
    return resolved if isinstance(resolved, str) else ""
