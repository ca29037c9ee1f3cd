"""Numbers as a spreadsheet program shows them: percent, currency, thousands, negatives in brackets, dates.

Covers the number format codes of ECMA-376 part 1, section 18.8.31: up to four sections, digits, percent, thousands and
scaling commas, literals, fractions as decimals, dates, times and elapsed times. Colours and widths are dropped.
"""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

_QUOTED = re.compile(r'"[^"]*"|\\.')
_DROPPED = re.compile(r"\[(?:Black|Blue|Cyan|Green|Magenta|Red|White|Yellow|Color\s?\d+)\]|_.|\*.", re.IGNORECASE)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?[\d.]+)\]")
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_DATE_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<elapsed>\[(?:h+|m+|s+)\])|(?P<half>AM/PM|A/P)|'
    r"(?P<token>y+|m+|d+|h+|s+)|(?P<fraction>\.0+)|(?P<other>.)",
    re.IGNORECASE,
)
_NUMBER_TOKEN = re.compile(
    r"[0#?](?:[0#?,]*[0#?])?(?P<scale>,*)(?:\.(?P<decimals>[0#?]*))?(?P<more>,*)(?P<exponent>[Ee][+-]?0+)?"
    r"|\.(?P<only>[0#?]+)"
)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def shown(value: object, code: str) -> str:
    """Text of a stored value under a number format; dates are Python dates, times and durations."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)):
        return _shown_date(value, code)
    if isinstance(value, (int, float)):
        return _shown_number(value, code or "General")
    return str(value)


def hides(value: object, code: str) -> bool:
    """Whether the format shows nothing for a number (`;;;`)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or ";" not in code:
        return False
    section, _ = _section(Decimal(str(value)), code)
    return section.strip() == ""


def _sections(code: str) -> list[str]:
    parts, current, quoted, escaped = [], "", False, False
    for character in code:
        if escaped or character == "\\":
            escaped = not escaped
        elif character == '"':
            quoted = not quoted
        elif character == ";" and not quoted:
            parts.append(current)
            current = ""
            continue
        current += character
    return [*parts, current]


def _holds(value: Decimal, condition: re.Match[str]) -> bool:
    limit, operator = Decimal(condition.group(2)), condition.group(1)
    return {
        "<": value < limit, ">": value > limit, "=": value == limit,
        "<=": value <= limit, ">=": value >= limit, "<>": value != limit,
    }[operator]  # fmt: skip


def _section(value: Decimal, code: str) -> tuple[str, bool]:
    """The section that applies, and whether it writes the sign of a negative number itself."""
    sections = _sections(code)
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=True):
            if condition is None or _holds(value, condition):
                return _CONDITION.sub("", section), False
        return sections[-1], False
    if value < 0 and len(sections) > 1:
        return sections[1], True
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], False


def general(value: int | float) -> str:
    """A number under the format General: up to 11 significant digits, as the program shows it."""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**11 else _scientific(Decimal(value), 5)
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value == 0:
        return "0"
    if abs(value) >= 1e11 or abs(value) < 1e-9:
        return _scientific(Decimal(repr(value)), 5)
    text = f"{value:.10g}"
    return f"{Decimal(text):f}"


def _scientific(value: Decimal, decimals: int) -> str:
    text = f"{value:.{decimals}E}"
    mantissa, _, exponent = text.partition("E")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"


def _shown_number(value: int | float, code: str) -> str:
    if code.lower() in ("general", "@", ""):
        return general(value)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    if not number.is_finite():
        return str(value)
    section, signed = _section(number, code)
    section = _CURRENCY.sub(lambda match: f'"{match.group(1)}"' if match.group(1) else "", section)
    section = _DROPPED.sub("", section)
    if "general" in section.lower():
        text = general(abs(value) if signed else value)
        return _literals(re.sub("general", lambda _: f'"{text}"', section, flags=re.IGNORECASE))
    return _fill(number, section, signed)


def _literals(text: str) -> str:
    return _QUOTED.sub(lambda match: match.group().strip('"') if match.group()[0] == '"' else match.group()[1:], text)


def _fill(number: Decimal, section: str, signed: bool) -> str:
    literals: list[str] = []

    def keep(match: re.Match[str]) -> str:
        literals.append(match.group()[1:-1] if match.group()[0] == '"' else match.group()[1:])
        return chr(0xE000 + len(literals) - 1)

    bare = _QUOTED.sub(keep, section)
    match = _NUMBER_TOKEN.search(bare)
    percent = bare.count("%")
    scaled = number * (Decimal(100) ** percent)
    if match is None:
        text = bare if bare.strip() else ""
    elif "/" in bare[match.end() :]:  # fractions: the value itself is kept, as a decimal
        return general(float(number))
    else:
        digits = _digits(abs(scaled), match)
        sign = "-" if number < 0 and not signed and digits.strip("0.,") else ""
        text = sign + bare[: match.start()] + digits + _rest(bare[match.end() :])
    for index, literal in enumerate(literals):
        text = text.replace(chr(0xE000 + index), literal)
    return text.strip()


def _rest(text: str) -> str:
    return re.sub(r"[#?]", "", text)


def _digits(value: Decimal, match: re.Match[str]) -> str:
    whole, only = match.group(), match.group("only")
    decimals = only or match.group("decimals") or ""
    value = value / (Decimal(1000) ** len((match.group("scale") or "") + (match.group("more") or "")))
    if match.group("exponent"):
        return _exponent(value, decimals)
    quantum = Decimal(1).scaleb(-len(decimals))
    try:
        rounded = value.quantize(quantum, rounding=ROUND_HALF_UP)
    except InvalidOperation:
        return f"{value:f}"
    integer, _, fraction = f"{rounded:f}".partition(".")
    optional = len(decimals) - len(decimals.rstrip("#?"))
    while optional and fraction.endswith("0"):
        fraction, optional = fraction[:-1], optional - 1
    pattern = "" if only else whole.partition(".")[0].rstrip(",")
    least = pattern.count("0")
    integer = integer.zfill(least) if integer != "0" or least else ""
    if "," in pattern and integer:
        integer = f"{int(integer):,}" if least < 4 else re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", integer)
    return f"{integer}.{fraction}" if decimals and (fraction or "0" in decimals) else integer


def _exponent(value: Decimal, decimals: str) -> str:
    mantissa, _, exponent = f"{value:.{len(decimals)}E}".partition("E")
    return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"


def _shown_date(value: datetime.datetime | datetime.date | datetime.time | datetime.timedelta, code: str) -> str:
    section = _CURRENCY.sub(lambda match: match.group(1), _sections(code)[0])
    section = _DROPPED.sub("", section)
    if isinstance(value, datetime.timedelta):
        moment, seconds = datetime.datetime(1900, 1, 1) + value, value.total_seconds()
    elif isinstance(value, datetime.time):
        moment = datetime.datetime.combine(datetime.date(1900, 1, 1), value)
        seconds = (moment - datetime.datetime(1900, 1, 1)).total_seconds()
    else:
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
        seconds = (moment - datetime.datetime(1899, 12, 30)).total_seconds()
    tokens = list(_DATE_TOKEN.finditer(section))
    if not any(match.group("token") or match.group("elapsed") for match in tokens):
        return moment.isoformat(sep=" ")
    half = any(match.group("half") for match in tokens)
    text = "".join(_date_part(tokens, index, moment, seconds, half) for index in range(len(tokens)))
    return text.strip()


def _date_part(tokens: list[re.Match[str]], index: int, moment: datetime.datetime, seconds: float, half: bool) -> str:
    match = tokens[index]
    if match.group("half"):
        text = "AM" if moment.hour < 12 else "PM"
        return text if match.group("half").upper() == "AM/PM" else text[0]
    if match.group("elapsed"):
        unit = match.group("elapsed")[1].lower()
        return str(int(seconds // {"h": 3600, "m": 60, "s": 1}[unit])).zfill(len(match.group("elapsed")) - 2)
    if match.group("token"):
        return _moment_part(match.group("token").lower(), _is_minute(tokens, index), moment, half)
    if match.group("fraction"):
        digits = len(match.group("fraction")) - 1
        return f".{moment.microsecond:06d}"[: digits + 1]
    return match.group("quoted") or match.group("escaped") or match.group("other") or ""


def _is_minute(tokens: list[re.Match[str]], index: int) -> bool:
    """`m` is a minute after hours or before seconds."""

    def near(indices: range) -> str:
        for other in indices:
            found = tokens[other].group("token") or tokens[other].group("elapsed")
            if found:
                return found.strip("[]").lower()[0]
        return ""

    return near(range(index - 1, -1, -1)) == "h" or near(range(index + 1, len(tokens))) == "s"


def _moment_part(token: str, minute: bool, moment: datetime.datetime, half: bool) -> str:
    kind, width = token[0], len(token)
    if kind == "y":
        return f"{moment.year:04d}" if width > 2 else f"{moment.year % 100:02d}"
    if kind == "m" and not minute:
        name = _MONTHS[moment.month - 1]
        names = {3: name[:3], 4: name, 5: name[0]}
        return names.get(width, f"{moment.month:0{min(width, 2)}d}")
    if kind == "d" and width > 2:
        day = _DAYS[moment.weekday()]
        return day[:3] if width == 3 else day
    hour = (moment.hour % 12 or 12) if half else moment.hour
    amount = {"d": moment.day, "h": hour, "m": moment.minute, "s": moment.second}[kind]
    return f"{amount:0{min(width, 2)}d}"
