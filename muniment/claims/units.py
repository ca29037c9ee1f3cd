"""Units and currencies by the names that people give them. Data and look-up only.

Measures of one dimension have one canonical unit. Periods keep the largest unit in which they are whole: 24 hours
are 1 day, 36 hours stay hours, 24 months are 2 years; a month is no number of days and a business day no day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

#: Units of periods: name → (chain, size in the chain's smallest).
_PERIODS: dict[str, tuple[str, int]] = {
    "second": ("clock", 1),
    "minute": ("clock", 60),
    "hour": ("clock", 3_600),
    "day": ("clock", 86_400),
    "week": ("clock", 604_800),
    "month": ("calendar", 1),
    "quarter": ("calendar", 3),
    "year": ("calendar", 12),
    "business day": ("business", 1),
    "working hour": ("working", 1),
    "jour ouvrable": ("ouvrable", 1),
}
#: Names that a period is given after; weeks are told in days, quarters in months.
_GIVEN = ("year", "month", "day", "hour", "minute", "second", "business day", "working hour", "jour ouvrable")
_PERIOD_NAMES = {
    "second": "s sec secs second seconds seconde secondes",
    "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours heure heures",
    "day": "d day days jour jours",
    "week": "week weeks wk wks semaine semaines",
    "month": "month months mois mo",
    "quarter": "trimestre trimestres",
    "year": "year years yr yrs an ans année années annum",
}
_PERIOD_PHRASES = {
    "business day": ("business day", "business days", "working day", "working days", "trading day", "trading days",
                     "jour ouvré", "jours ouvrés", "werktag", "werktage"),
    "jour ouvrable": ("jour ouvrable", "jours ouvrables"),
    "working hour": ("working hour", "working hours", "business hour", "business hours"),
    "day": ("calendar day", "calendar days", "consecutive day", "consecutive days", "jour calendaire",
            "jours calendaires", "clear days"),
    "month": ("calendar month", "calendar months"),
    "year": ("calendar year", "calendar years"),
}  # fmt: skip
#: Canonical unit → names with their size in it. Names of one or two letters are compared with their case.
_MEASURES: dict[str, dict[str, str]] = {
    "GB": {"B": "1e-9", "byte": "1e-9", "bytes": "1e-9", "kB": "1e-6", "KB": "1e-6", "MB": "1e-3", "megabyte": "1e-3",
           "megabytes": "1e-3", "Mo": "1e-3", "GB": "1", "Go": "1", "gigabyte": "1", "gigabytes": "1", "TB": "1e3",
           "To": "1e3", "terabyte": "1e3", "terabytes": "1e3", "PB": "1e6", "KiB": "1.024e-6", "MiB": "1.048576e-3",
           "GiB": "1.073741824", "TiB": "1099.511627776"},
    "Mbit/s": {"kbit/s": "1e-3", "kbps": "1e-3", "Mbit/s": "1", "Mbps": "1", "Gbit/s": "1e3", "Gbps": "1e3"},
    "m": {"mm": "1e-3", "cm": "1e-2", "m": "1", "metre": "1", "metres": "1", "meter": "1", "meters": "1",
          "mètre": "1", "mètres": "1", "km": "1e3", "kilometre": "1e3", "kilometres": "1e3", "kilometer": "1e3",
          "kilometers": "1e3", "kilomètre": "1e3", "kilomètres": "1e3", "ft": "0.3048", "feet": "0.3048",
          "foot": "0.3048", "mile": "1609.344", "miles": "1609.344"},
    "m²": {"m²": "1", "square metre": "1", "square metres": "1", "square meter": "1", "square meters": "1",
           "m2": "1", "sqm": "1", "km²": "1e6", "km2": "1e6", "ha": "1e4", "hectare": "1e4",
           "hectares": "1e4"},
    "m³": {"l": "1e-3", "L": "1e-3", "litre": "1e-3", "litres": "1e-3", "liter": "1e-3", "liters": "1e-3",
           "m³": "1", "cubic metre": "1", "cubic metres": "1",
           "cubic meter": "1", "cubic meters": "1", "mètre cube": "1", "mètres cubes": "1",
           "m3": "1", "hl": "0.1", "Ml": "1e3", "ML": "1e3", "megalitre": "1e3", "megalitres": "1e3"},
    "kg": {"mg": "1e-6", "g": "1e-3", "gram": "1e-3", "grams": "1e-3", "kg": "1", "kilogram": "1", "kilograms": "1",
           "kilogramme": "1", "kilogrammes": "1", "t": "1e3", "tonne": "1e3", "tonnes": "1e3"},
    "kW": {"W": "1e-3", "watt": "1e-3", "watts": "1e-3", "kW": "1", "kilowatt": "1", "kilowatts": "1", "MW": "1e3",
           "megawatt": "1e3", "megawatts": "1e3", "GW": "1e6"},
    "kWh": {"Wh": "1e-3", "kWh": "1", "MWh": "1e3", "GWh": "1e6", "TWh": "1e9"},
    "V": {"V": "1", "volt": "1", "volts": "1", "kV": "1e3"},
    "Hz": {"Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9"},
    "bar": {"mbar": "1e-3", "bar": "1", "kPa": "1e-2", "MPa": "10"},
    "km/h": {"km/h": "1", "kph": "1", "m/s": "3.6"},
    "°C": {"°C": "1", "degrees Celsius": "1"},
    "°F": {"°F": "1"},
    "dB": {"dB": "1"},
    "percentage point": {"pp": "1", "percentage point": "1", "percentage points": "1", "percentage-point": "1"},
    "basis point": {"bp": "1", "bps": "1", "basis point": "1", "basis points": "1"},
    "%": {"%": "1", "percent": "1", "per cent": "1", "pour cent": "1", "pct": "1", "‰": "0.1"},
}  # fmt: skip
#: ISO 4217 codes that are read; three capitals beside a number that are not here are no currency.
CURRENCIES = frozenset(
    {"AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
     "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "KWD", "MAD", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN",
     "PHP", "PKR", "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TND", "TRY", "TWD", "UAH", "USD",
     "VND", "XAF", "XOF", "ZAR"}
)  # fmt: skip
_CURRENCY_SIGNS = {"€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₺": "TRY", "₴": "UAH", "₪": "ILS", "₩": "KRW",
                   "zł": "PLN", "US$": "USD", "USD$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD",
                   "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL"}  # fmt: skip
_CURRENCY_NAMES = {"euro": "EUR", "euros": "EUR", "pounds sterling": "GBP", "pound sterling": "GBP",
                   "us dollars": "USD", "u.s. dollars": "USD", "swiss francs": "CHF", "francs suisses": "CHF",
                   "canadian dollars": "CAD", "australian dollars": "AUD"}  # fmt: skip
#: Signs and names of several currencies: the sign itself is the unit until the source says which.
_SHARED_SIGNS = {"$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD"), "¥": ("JPY", "CNY"), "kr": ("SEK", "NOK", "DKK")}
_SHARED_NAMES = {"dollar": "$", "dollars": "$", "yen": "JPY", "yuan": "CNY"}
_REGION_CURRENCY = {("$", "us"): "USD", ("$", "ca"): "CAD", ("$", "au"): "AUD", ("$", "nz"): "NZD", ("$", "sg"): "SGD",
                    ("$", "hk"): "HKD", ("¥", "jp"): "JPY", ("¥", "cn"): "CNY", ("kr", "se"): "SEK",
                    ("kr", "no"): "NOK", ("kr", "dk"): "DKK"}  # fmt: skip
MAGNITUDES = {"k": 10**3, "K": 10**3, "thousand": 10**3, "m": 10**6, "M": 10**6, "mn": 10**6, "mio": 10**6,
              "Mio": 10**6, "million": 10**6, "millions": 10**6, "bn": 10**9, "B": 10**9, "billion": 10**9,
              "Mrd": 10**9, "Md": 10**9, "milliard": 10**9, "milliards": 10**9, "trillion": 10**12}  # fmt: skip


def _by_name() -> dict[str, tuple[str, Decimal]]:
    found: dict[str, tuple[str, Decimal]] = {}
    for unit, names in _PERIOD_NAMES.items():
        found |= {name: (unit, Decimal(1)) for name in names.split()}
    for unit, phrases in _PERIOD_PHRASES.items():
        found |= {phrase: (unit, Decimal(1)) for phrase in phrases}
    for unit, sizes in _MEASURES.items():
        found |= {name: (unit, Decimal(size)) for name, size in sizes.items()}
    return found


_NAMES = _by_name()


def find_unit(name: str) -> tuple[str, Decimal] | None:
    """(unit, size of the named one in it): km → (m, 1000); None for words that are no unit."""
    key = " ".join(name.split()).strip(".")
    exact = _NAMES.get(key)
    if exact is not None or len(key) <= 2:
        return exact
    return _NAMES.get(key.lower())


def is_period(unit: str) -> bool:
    """Whether the unit measures time."""
    return unit in _PERIODS


def canonical(number: Decimal, unit: str) -> tuple[Decimal, str]:
    """The number in the unit that equal amounts share; units that are not known stay as they are."""
    if unit not in _PERIODS:
        return number, unit
    chain, size = _PERIODS[unit]
    amount = number * size
    choices = [name for name in _GIVEN if _PERIODS[name][0] == chain]
    for name in choices:
        whole = amount / _PERIODS[name][1]
        if whole == whole.to_integral_value() and (amount != 0 or name == choices[-1]):
            return whole, name
    return amount / _PERIODS[choices[-1]][1], choices[-1]


def add_periods(*parts: tuple[Decimal, str]) -> tuple[Decimal, str] | None:
    """The sum of periods of one kind; None across kinds (a month and three days)."""
    chains = {_PERIODS[unit][0] for _, unit in parts}
    if len(chains) != 1:
        return None
    smallest = next(name for name in reversed(_GIVEN) if _PERIODS[name] == (*chains, 1))
    return canonical(sum((number * _PERIODS[unit][1] for number, unit in parts), Decimal(0)), smallest)


def find_currency(name: str, known: frozenset[str] = frozenset()) -> str | None:
    """ISO 4217 code; a shared sign ($, ¥, kr) as itself unless exactly one of its currencies is in `known`."""
    key = name.strip()
    if key in CURRENCIES or key in _SHARED_SIGNS:
        return _settled(key, known)
    sign = _CURRENCY_SIGNS.get(key) or _CURRENCY_NAMES.get(key.lower()) or _SHARED_NAMES.get(key.lower())
    return _settled(sign, known) if sign else None


def currencies_in(text: str, regions: Iterable[str] = ()) -> frozenset[str]:
    """Currencies that a source names by code or unshared sign, and those of its stated regions where it names none."""
    codes = set(re.findall(r"(?<![A-Z])[A-Z]{3}(?![A-Z])", text)) & CURRENCIES
    codes |= {code for sign, code in _CURRENCY_SIGNS.items() if sign in text}
    codes |= {code for name, code in _CURRENCY_NAMES.items() if name in text.lower()}
    for sign, several in _SHARED_SIGNS.items():
        if not codes & set(several):
            codes |= {_REGION_CURRENCY[sign, region] for region in regions if (sign, region) in _REGION_CURRENCY}
    return frozenset(codes)


def _settled(sign: str, known: frozenset[str]) -> str:
    named = sorted(known & set(_SHARED_SIGNS.get(sign, ())))
    return named[0] if len(named) == 1 else sign
