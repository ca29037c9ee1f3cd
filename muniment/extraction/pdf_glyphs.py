"""Glyphs of a PDF page from pdfium, in content order, upright: text, box, style, and whether they are seen."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]

_LIGATURES = {chr(0xFB00 + i): text for i, text in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
_TINY = 1.0  # points: smaller text cannot be read
_WHITE = 250


@dataclass(slots=True)
class Glyph:
    """One character with its box in points from the top left of the upright page."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    bold: bool
    turn: int  # quarter turns clockwise against the page; -1 for any other angle
    hidden: str | None  # why it is not seen
    spaced: bool  # white space stands before it


@dataclass(slots=True)
class _Style:
    size: float
    bold: bool
    turn: int
    hidden: str | None
    white: bool


class Frame:
    """Maps page space to points from the top left of the page as it is shown."""

    def __init__(self, crop: Box, rotation: int) -> None:
        self.left, self.bottom, self.right, self.top = crop
        self.rotation = rotation % 360
        wide, high = self.right - self.left, self.top - self.bottom
        self.width, self.height = (high, wide) if self.rotation in (90, 270) else (wide, high)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point of page space, upright, from the top left."""
        if self.rotation == 90:
            return y - self.bottom, x - self.left
        if self.rotation == 180:
            return self.right - x, y - self.bottom
        if self.rotation == 270:
            return self.top - y, self.right - x
        return x - self.left, self.top - y

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A box of page space, upright."""
        (xa, ya), (xb, yb) = self.point(left, bottom), self.point(right, top)
        return min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)


def frame_of(page: Any) -> Frame:
    """Frame of a pdfium page: its crop box and rotation."""
    left, bottom, right, top = page.get_bbox()  # crop box within media box, inherited ones too
    if right - left < 1 or top - bottom < 1:
        left, bottom, right, top = 0.0, 0.0, *page.get_size()
    return Frame((left, bottom, right, top), page.get_rotation())


def glyphs(page: Any, frame: Frame) -> list[Glyph]:
    """All characters of a page but white space."""
    import pypdfium2.raw as pdfium

    text_page = page.get_textpage()
    try:
        return _Reader(pdfium, page, text_page.raw, frame).read()
    finally:
        text_page.close()


class _Reader:
    def __init__(self, pdfium: Any, page: Any, text_page: Any, frame: Frame) -> None:
        self._pdfium = pdfium
        self._page = page
        self._text_page = text_page
        self._frame = frame
        self._styles: dict[int | None, _Style] = {}
        self._dark: list[Box] | None = None

    def read(self) -> list[Glyph]:
        pdfium, found, spaced = self._pdfium, [], False
        rectangle = pdfium.FS_RECTF()
        pending = 0  # first half of a surrogate pair
        for index in range(max(pdfium.FPDFText_CountChars(self._text_page), 0)):
            code = pdfium.FPDFText_GetUnicode(self._text_page, index)
            if 0xD800 <= code < 0xDC00:
                pending = code
                continue
            if pending and 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((pending - 0xD800) << 10) + (code - 0xDC00)
            pending = 0
            text = _character(code)
            if text.isspace():
                spaced = True
                continue
            pdfium.FPDFText_GetLooseCharBox(self._text_page, index, rectangle)
            style = self._style(index)
            box = self._frame.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            hidden = style.hidden or self._place(box, style)
            found.append(Glyph(text, *box, style.size, style.bold, style.turn, hidden, spaced))
            spaced = False
        return found

    def _place(self, box: Box, style: _Style) -> str | None:
        x0, top, x1, bottom = box
        if x1 < 0 or bottom < 0 or x0 > self._frame.width or top > self._frame.height:
            return "off_page"
        if style.white and not self._on_dark((x0 + x1) / 2, (top + bottom) / 2):
            return "white"
        return None

    def _on_dark(self, x: float, y: float) -> bool:
        if self._dark is None:
            self._dark = backgrounds(self._page, self._frame)
        return any(x0 <= x <= x1 and top <= y <= bottom for x0, top, x1, bottom in self._dark)

    def _style(self, index: int) -> _Style:
        pdfium = self._pdfium
        handle = pdfium.FPDFText_GetTextObject(self._text_page, index)
        key = ctypes.cast(handle, ctypes.c_void_p).value
        known = self._styles.get(key)
        if known is None:
            known = self._styles[key] = self._read_style(handle, index) if key else _Style(10.0, False, 0, None, False)
        return known

    def _read_style(self, handle: Any, index: int) -> _Style:
        pdfium = self._pdfium
        size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
        pdfium.FPDFTextObj_GetFontSize(handle, size)
        pdfium.FPDFText_GetMatrix(self._text_page, index, matrix)
        scale = math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c)) or 1.0
        real = abs(size.value) * scale
        mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        read = pdfium.FPDFPageObj_GetStrokeColor if mode == 1 else pdfium.FPDFPageObj_GetFillColor
        coloured = bool(read(handle, red, green, blue, alpha))
        white = coloured and min(red.value, green.value, blue.value) >= _WHITE
        hidden = None
        if mode in (3, 7) or (coloured and alpha.value == 0):
            hidden = "invisible"
        elif real < _TINY:
            hidden = "tiny"
        return _Style(real, self._bold(handle), self._turn(index), hidden, white)

    def _bold(self, handle: Any) -> bool:
        pdfium = self._pdfium
        font = pdfium.FPDFTextObj_GetFont(handle)
        if not font:
            return False
        buffer = ctypes.create_string_buffer(256)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, 256)
        name = buffer.value.decode("utf-8", "replace").lower()
        return any(word in name for word in ("bold", "black", "heavy", "demi", "cmbx")) or (
            pdfium.FPDFFont_GetWeight(font) >= 600
        )

    def _turn(self, index: int) -> int:
        angle = math.degrees(self._pdfium.FPDFText_GetCharAngle(self._text_page, index)) + self._frame.rotation
        quarter = round(angle / 90)
        return quarter % 4 if abs(angle - 90 * quarter) < 3 else -1


def _character(code: int) -> str:
    """pdfium writes a hyphen at a line's end as U+0002 or U+FFFE, and 0 for a glyph without Unicode value."""
    if code in (0x02, 0xFFFE):
        return "-"
    if code in (0, 0xFFFF) or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return "\ufffd"
    if code < 0x20 or code == 0x7F:
        return " " if code in (9, 10, 13) else "\ufffd"
    character = chr(code)
    return _LIGATURES.get(character, character)


def backgrounds(page: Any, frame: Frame) -> list[Box]:
    """Boxes that something other than white fills: paths, pictures and shadings."""
    import pypdfium2.raw as pdfium

    found = []
    kinds = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING)
    for item in page.get_objects(filter=kinds, max_depth=4):
        if item.type == pdfium.FPDF_PAGEOBJ_PATH and not _fills(pdfium, item.raw):
            continue
        found.append(frame.box(*item.get_bounds()))
    return found


def _fills(pdfium: Any, handle: Any) -> bool:
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(handle, mode, stroke)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    coloured = pdfium.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha)
    return bool(mode.value and coloured and alpha.value and min(red.value, green.value, blue.value) < _WHITE)
