"""Mail: headers, both bodies, attachments, nested messages, bad charsets and dates."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest
from books_of import amounts, read, shape

from muniment.extraction.metadata import normalise
from muniment.extraction.model import Reading


def mail(subject: str = "Offer", date: str = "Thu, 11 Jun 2026 10:00:00 +0200") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ada Maier <ada@example.org>"
    message["To"] = "Bo <bo@example.org>"
    message["Subject"] = subject
    message["Date"] = date
    return message


def body(reading: Reading) -> list[tuple[str, str]]:
    return [item for item in shape(reading) if item[0] != "mail_header"]


def test_headers_are_elements_and_metadata(tmp_path: Path) -> None:
    message = mail("Angebot für März")
    message.set_content("The price is 100 EUR.\n")
    reading = read(tmp_path, "eml", bytes(message))
    assert shape(reading) == [
        ("mail_header", "From: Ada Maier <ada@example.org>"),
        ("mail_header", "To: Bo <bo@example.org>"),
        ("mail_header", "Date: Thu, 11 Jun 2026 10:00:00 +0200"),
        ("mail_header", "Subject: Angebot für März"),
        ("paragraph", "The price is 100 EUR."),
    ]
    found = normalise(reading, "")
    assert (found.title, str(found.published_on)) == ("Angebot für März", "2026-06-11")
    assert reading.elements[-1].mail_part == "1"


def test_an_equal_html_body_is_left_out_and_entered(tmp_path: Path) -> None:
    message = mail()
    message.set_content("The price is 100 EUR.\n")
    message.add_alternative("<p>The <b>price</b> is 100 EUR.</p>", subtype="html")
    reading = read(tmp_path, "eml", bytes(message))
    assert body(reading) == [("paragraph", "The price is 100 EUR.")]
    assert amounts(reading, "alternative_body") == {"chars_visible": 17, "digits": 3, "mail_parts": 1}


@pytest.mark.parametrize("other", ["The price is 250 EUR.", "The price is not 100 EUR."])
def test_a_body_that_says_something_else_is_kept(tmp_path: Path, other: str) -> None:
    message = mail()
    message.set_content("The price is 100 EUR.\n")
    message.add_alternative(f"<p>{other}</p>", subtype="html")
    reading = read(tmp_path, "eml", bytes(message))
    assert body(reading) == [("paragraph", "The price is 100 EUR."), ("paragraph", other)]
    assert amounts(reading, "alternative_body_differs") == {"bodies": 1}


def test_attachments_are_named_and_entered(tmp_path: Path) -> None:
    message = mail()
    message.set_content("See attachment.\n")
    message.add_attachment(b"%PDF-1.7 bytes", maintype="application", subtype="pdf", filename="Vertrag ä.pdf")
    reading = read(tmp_path, "eml", bytes(message))
    assert reading.elements[0].attributes["attachments"] == [
        {"part": "2", "name": "Vertrag ä.pdf", "type": "application/pdf", "bytes": 14}
    ]
    assert amounts(reading, "attachment_skipped") == {"mail_parts": 1}
    assert not any("Vertrag" in a.detail for a in reading.adjustments)


def test_a_nested_message_keeps_its_own_headers(tmp_path: Path) -> None:
    inner = mail("Inner")
    inner.set_content("Inner text with 7 items.\n")
    message = mail("Outer")
    message.set_content("Outer text.\n")
    message.add_attachment(inner)
    reading = read(tmp_path, "eml", bytes(message))
    parts = {e.text: e.mail_part for e in reading.elements}
    assert parts["Subject: Outer"] == "0" and parts["Subject: Inner"] == "2"
    assert parts["Outer text."] == "1" and parts["Inner text with 7 items."] == "2.1"


@pytest.mark.parametrize(
    ("charset", "content"),
    [
        ("iso-8859-1", "Gebühr fällig".encode("latin-1")),
        ("gb2312", "合同金额为五百元，付款期限三十天。".encode("gb2312")),
        ("iso-2022-jp", "契約金額は五百円です。".encode("iso-2022-jp")),
        ("foo", "Gebühr fällig".encode("latin-1")),
        ("", "Gebühr fällig".encode()),
    ],
)
def test_charsets_stated_wrong_or_not_at_all_are_read(tmp_path: Path, charset: str, content: bytes) -> None:
    header = f"Content-Type: text/plain; charset={charset}\r\n" if charset else ""
    data = f"From: a@b\r\nSubject: s\r\nDate: x\r\n{header}\r\n".encode() + content
    decoded = content.decode({"foo": "latin-1", "": "utf-8"}.get(charset, charset))
    assert body(read(tmp_path, "eml", data)) == [("paragraph", decoded)]


@pytest.mark.parametrize(
    ("date", "day"),
    [("2026-06-11T10:00:00Z", "2026-06-11"), ("31 Feb 2026 10:00:00 +0000", None), ("03/04/2026", None)],
)
def test_bad_dates_are_entered_and_never_guessed(tmp_path: Path, date: str, day: str | None) -> None:
    reading = read(tmp_path, "eml", f"From: a@b\nSubject: s\nDate: {date}\n\nText of it.\n")
    found = normalise(reading, "")
    assert (str(found.published_on) if found.published_on else None) == day
    assert len(found.problems) == (day is None)


def test_inline_answers_between_quotes_stay(tmp_path: Path) -> None:
    reading = read(tmp_path, "eml", "From: a@b\nSubject: s\n\n> Is it 5 EUR?\n\nNo, it is 6.\n\n> And when?\n\nNow.\n")
    assert body(reading) == [
        ("quote", "> Is it 5 EUR?"),
        ("paragraph", "No, it is 6."),
        ("quote", "> And when?"),
        ("paragraph", "Now."),
    ]
