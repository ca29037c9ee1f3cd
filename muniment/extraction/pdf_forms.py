"""Annotations of PDF pages: notes, links, and the values of form fields."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from muniment.extraction.model import Element
from muniment.extraction.pdf_glyphs import Box, Frame

_LONGEST = 4 * 1024 * 1024


def _text(call: Callable[[Any, int], int]) -> str:
    """A text that pdfium writes into a buffer as UTF-16, asked for its size first."""
    size = min(call(None, 0), _LONGEST)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    call(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\x00")


def _each(pdfium: Any, page: Any) -> Iterator[Any]:
    for index in range(max(pdfium.FPDFPage_GetAnnotCount(page), 0)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            yield annotation
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _box(pdfium: Any, annotation: Any, frame: Frame) -> Box:
    rectangle = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, rectangle)
    x0, top, x1, bottom = frame.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
    return round(x0, 2), round(top, 2), round(x1, 2), round(bottom, 2)


def _value(pdfium: Any, annotation: Any, key: bytes) -> str:
    return _text(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def page_notes(page: Any, frame: Frame, number: int) -> list[Element]:
    """Contents of notes, free text and marks, as comments."""
    import pypdfium2.raw as pdfium

    elements = []
    passed_over = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_POPUP)
    for annotation in _each(pdfium, page.raw):
        if pdfium.FPDFAnnot_GetSubtype(annotation) in passed_over:
            continue
        text = _value(pdfium, annotation, b"Contents").strip()
        if text:
            author = _value(pdfium, annotation, b"T").strip()
            marks: dict[str, object] = {"author": author} if author else {}
            elements.append(
                Element("comment", text, page=number, box=_box(pdfium, annotation, frame), attributes=marks)
            )
    return elements


def links(page: Any, frame: Frame, document: Any) -> list[tuple[Box, str]]:
    """Addresses that areas of the page link to."""
    import pypdfium2.raw as pdfium

    found = []
    for annotation in _each(pdfium, page.raw):
        if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_LINK:
            continue
        link = pdfium.FPDFAnnot_GetLink(annotation)
        action = pdfium.FPDFLink_GetAction(link) if link else None
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        size = min(pdfium.FPDFAction_GetURIPath(document.raw, action, None, 0), _LONGEST)
        if size > 1:
            buffer = ctypes.create_string_buffer(size)
            pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, size)
            found.append((_box(pdfium, annotation, frame), buffer.value.decode("utf-8", "replace")))
    return found


def form_fields(document: Any) -> list[tuple[str, str, int]]:
    """(name, value, page) of text and choice fields with a value, each once, in the order of the pages."""
    import pypdfium2.raw as pdfium

    form = document.formenv
    if form is None:
        return []
    found: dict[str, tuple[str, str, int]] = {}
    kinds = (pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
    for index in range(len(document)):
        raw = pdfium.FPDF_LoadPage(document.raw, index)
        if not raw:
            continue
        for annotation in _each(pdfium, raw):
            if pdfium.FPDFAnnot_GetFormFieldType(form.raw, annotation) not in kinds:
                continue
            name, value = _field(pdfium, form.raw, annotation)
            if value.strip():
                found.setdefault(name or f"#{index}.{len(found)}", (name, value, index + 1))
        pdfium.FPDF_ClosePage(raw)
    return list(found.values())


def _field(pdfium: Any, form: Any, annotation: Any) -> tuple[str, str]:
    name = _text(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldName(form, annotation, buffer, size))
    value = _text(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))
    return name, value
