"""Whether a cell shows a stored value: equal text, or a number, date or truth value as a format shows it.

The reader applies number formats; here nothing of a format is known. What is shown must agree with what is
stored: a number after rounding to the digits shown (a percentage times 100); a date or time with the parts of
the moment that the stored serial number stands for (ECMA-376 part 1, 18.17.4.1), in a usual order. A format
that adds digits or words of its own is not recognised: such a cell is not found.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta

_NUMBER = re.compile(r"\d[\d,.'’ \u00a0\u202f]*(?:[eE][+-]?\d+)?")
_EPOCHS = (datetime(1899, 12, 30), datetime(1904, 1, 1))
_LAST_DAY = 2_958_466  # 31 December 9999 and a day
#: Orders of year, month, day, hour, minute and second in a date, a time, or both.
_DATES, _TIMES = ("YMD", "DMY", "MDY", "MY", "YM", "DM", "MD"), ("hm", "hms", "ms")
_ORDERS = (
    *_DATES,
    *_TIMES,
    *(both for date in _DATES[:3] for time in _TIMES[:2] for both in (date + time, time + date)),
)
_MARKS = {"t", "z", "h", "m", "s", "am", "pm"}
_TRUTH = {"1": "TRUE", "0": "FALSE"}


def shows(shown: str, stored: str) -> bool:
    """Whether `shown` is how some format shows the stored value."""
    if shown == stored or _TRUTH.get(stored) == shown.strip().upper():
        return True
    try:
        value = float(stored)
    except ValueError:
        return _is_moment(shown, _iso(stored))
    if not math.isfinite(value):
        return False
    return _is_number(shown, value) or (
        0 <= value < _LAST_DAY and any(_is_moment(shown, _moment(value, epoch)) for epoch in _EPOCHS)
    )


def _is_number(shown: str, value: float) -> bool:
    found = _NUMBER.findall(shown)
    if len(found) != 1:
        return False
    digits, _, exponent = re.sub(r"[,'’ \u00a0\u202f]", "", found[0]).lower().rstrip(".").partition("e")
    if digits.count(".") > 1:
        return False
    power = int(exponent or 0)
    figure = float(digits) * 10.0**power
    step = 10.0 ** (power - len(digits.partition(".")[2]))
    expected = abs(value) * (100 if "%" in shown else 1)
    # 1e-9: a stored 0.285 is a little less than it is written
    return abs(figure - expected) <= step / 2 + 1e-9 * max(1.0, expected)


def _iso(stored: str) -> datetime | None:
    try:
        return datetime.fromisoformat(stored)
    except ValueError:
        return None


def _moment(serial: float, epoch: datetime) -> datetime:
    return epoch + timedelta(seconds=round(serial * 86_400))


def _is_moment(shown: str, moment: datetime | None) -> bool:
    """Whether numbers and names of months are, in their order, a date, a time, or one and the other."""
    if moment is None:
        return False
    tokens = re.findall(r"\d+|[^\W\d_]+", shown.lower())
    parts = _parts(moment)
    said = [token for token in tokens if token.isdigit() or token in parts["M"]]
    rest = set(tokens) - set(said) - _MARKS - {moment.strftime(form).lower() for form in ("%A", "%a", "%p")}
    return not rest and any(
        len(order) == len(said)
        and all(token.lstrip("0") in parts[part] for token, part in zip(said, order, strict=True))
        for order in _ORDERS
    )


def _parts(moment: datetime) -> dict[str, set[str]]:
    """How each part of a moment may be written, without leading zeros."""
    hours = int((moment - _EPOCHS[0]).total_seconds() // 3600)
    numbers = {
        "Y": (moment.year, moment.year % 100),
        "M": (moment.month,),
        "D": (moment.day,),
        "h": (moment.hour, moment.hour % 12 or 12, hours),
        "m": (moment.minute,),
        "s": (moment.second,),
    }
    written = {part: {str(value).lstrip("0") for value in values} for part, values in numbers.items()}
    written["M"] |= {moment.strftime(form).lower() for form in ("%B", "%b")}
    return written
