"""Serial numbers as dates and times: both date systems, and Excel's own calendar with its 29 February 1900."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final

from fumehood_sandbox.extractors.numfmt.locales import Locale
from fumehood_sandbox.extractors.numfmt.parse import Section

_DAY: Final = 86_400
_MAX_SERIAL: Final = 2_958_466  # 1 January 10000
_EPOCH_SHIFT_1904: Final = 1462


@dataclass(frozen=True, slots=True)
class Moment:
    """A serial number taken apart. ``weekday`` counts from Sunday; ``second`` has its fraction in ``fraction``."""

    year: int
    month: int
    day: int
    weekday: int
    hour: int
    minute: int
    second: int
    fraction: float


def from_serial(serial: float, *, date1904: bool = False, places: int = 0) -> Moment | None:
    """The moment of *serial*, its seconds rounded to *places*; None outside of Excel's calendar."""
    shifted = serial + _EPOCH_SHIFT_1904 if date1904 else serial
    if not 0 <= shifted < _MAX_SERIAL or (date1904 and serial < 0):
        return None
    day = math.floor(shifted)
    seconds = (shifted - day) * _DAY
    unit = 10**places
    ticks = math.floor(seconds * unit + 0.5 + 1e-6)
    if ticks >= _DAY * unit:
        day, ticks = day + 1, 0
    whole, rest = divmod(ticks, unit)
    year, month, day_of_month = _calendar(day)
    return Moment(
        year, month, day_of_month, (day - 1) % 7, whole // 3600, whole // 60 % 60, whole % 60, rest / unit
    )  # fmt: skip


def _calendar(day: int) -> tuple[int, int, int]:
    if day == 0:
        return 1900, 1, 0
    if day == 60:
        return 1900, 2, 29
    found = date(1899, 12, 31 if day < 60 else 30) + timedelta(days=day)
    return found.year, found.month, found.day


@lru_cache(maxsize=4096)
def iso(serial: float, *, date1904: bool = False) -> str | None:
    """*serial* in ISO 8601: a date, a date and time, or below one a time; None outside of the calendar."""
    moment = from_serial(serial, date1904=date1904)
    if moment is None:
        return None
    clock = f"{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"
    if 0 <= serial < 1 and not date1904:
        return clock
    day = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
    return day if clock == "00:00:00" else f"{day}T{clock}"


def elapsed_iso(serial: float) -> str:
    """A stretch of time as hours, which may exceed a day."""
    seconds = math.floor(abs(serial) * _DAY + 0.5)
    return f"{'-' if serial < 0 else ''}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def iso_serial(text: str, *, date1904: bool = False) -> float | None:
    """The serial number of a date in ISO 8601; its zone is left out of account, as Excel does."""
    try:
        moment = datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    except ValueError:
        return None
    since = moment - (datetime(1904, 1, 1) if date1904 else datetime(1899, 12, 30))  # noqa: DTZ001 - serials have no zone
    serial = since.days + since.seconds / _DAY + since.microseconds / _DAY / 1_000_000
    return serial - 1 if not date1904 and 0 < serial < 61 else serial


def show_date(section: Section, serial: float, *, date1904: bool = False) -> str | None:
    """What a date section shows for *serial*; None where Excel shows only ####."""
    tokens = section.tokens
    places = min(max((len(t.text) for t in tokens if t.kind == "subsecond"), default=0), 3)
    is_elapsed = any(t.kind == "elapsed" for t in tokens)
    if serial < 0 and not is_elapsed:
        return None
    moment = from_serial(abs(serial), date1904=date1904 and serial >= 0, places=places)
    if moment is None:
        return None
    unit = 10**places
    ticks = math.floor(abs(serial) * _DAY * unit + 0.5 + 1e-6)
    twelve = any(t.kind == "ampm" for t in tokens)
    out = ["-"] if serial < 0 else []
    for token in tokens:
        if token.kind == "date":
            out.append(_field(token.text, moment, section, twelve=twelve))
        elif token.kind == "elapsed":
            total = ticks // unit // {"h": 3600, "m": 60, "s": 1}[token.text[0]]
            out.append(str(total).zfill(len(token.text)))
        elif token.kind == "ampm":
            half = token.text.split("/")[moment.hour >= 12]
            out.append(section.locale.noon(after=moment.hour >= 12) if half.upper() in {"AM", "PM"} else half)
        elif token.kind == "subsecond":
            digits = f"{moment.fraction:.{places}f}"[2:]
            out.append("." + digits.ljust(len(token.text), "0"))
        elif token.kind in {"general", "text"}:
            continue
        else:
            out.append(token.text)
    return "".join(out)


def _field(letters: str, moment: Moment, section: Section, *, twelve: bool) -> str:
    letter, width, locale = letters[0], len(letters), section.locale
    match letter:
        case "y" | "e" | "b" | "g":
            return _year(letter, width, moment, locale)
        case "m" if width > 2:
            beside_day = any(t.kind == "date" and t.text in {"d", "dd"} for t in section.tokens)
            return locale.month(moment.month, width, beside_day=beside_day)
        case "m":
            return str(moment.month).zfill(width)
        case "d":
            return str(moment.day).zfill(width) if width <= 2 else locale.day(moment.weekday % 7, width)
        case "a":  # a day as East Asian editions write it
            return locale.day(moment.weekday % 7, width)[-1 if width == 3 and locale.language.startswith("zh") else 0 :]
        case "h":
            hour = (moment.hour - 1) % 12 + 1 if twelve else moment.hour
            return str(hour).zfill(min(width, 2))
        case "n":
            return str(moment.minute).zfill(min(width, 2))
        case "s":
            return str(moment.second).zfill(min(width, 2))
        case _:
            return ""


def _year(letter: str, width: int, moment: Moment, locale: Locale) -> str:
    if letter == "b":
        return f"{(moment.year + 543) % 100:02d}" if width <= 2 else str(moment.year + 543)
    era = locale.era(moment.year, moment.month, moment.day) if letter in {"e", "g"} else None
    if letter == "g":
        return era[1][max(0, 3 - width)] if era else ""
    if era:
        return str(era[0]).zfill(min(width, 2))
    year = locale.year(moment.year)
    return f"{year % 100:02d}" if letter == "y" and width <= 2 else f"{year:04d}"
