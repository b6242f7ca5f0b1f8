"""The language, calendar and digits that a format asks for in brackets: ``[$-40C]``, ``[$-D07041E]``, ``[$-de-DE]``.

ECMA-376 part 1, 18.8.31: behind the hyphen stands a hexadecimal number, of which the low 16 bits are a language ([MS-LCID]), the next
eight a calendar and the highest eight the shape of digits. Later versions of Excel write a BCP 47 tag as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

#: The low ten bits of a language identifier ([MS-LCID] 2.2).
_LANGUAGES: Final = {
    0x01: "ar", 0x02: "bg", 0x03: "ca", 0x04: "zh", 0x05: "cs", 0x06: "da", 0x07: "de", 0x08: "el", 0x0A: "es", 0x0B: "fi",
    0x0C: "fr", 0x0D: "he", 0x0E: "hu", 0x0F: "is", 0x10: "it", 0x11: "ja", 0x12: "ko", 0x13: "nl", 0x14: "nb", 0x15: "pl",
    0x16: "pt", 0x18: "ro", 0x19: "ru", 0x1A: "hr", 0x1B: "sk", 0x1C: "sq", 0x1D: "sv", 0x1E: "th", 0x1F: "tr", 0x20: "ur",
    0x21: "id", 0x22: "uk", 0x23: "be", 0x24: "sl", 0x25: "et", 0x26: "lv", 0x27: "lt", 0x29: "fa", 0x2A: "vi", 0x2B: "hy",
    0x2C: "az", 0x2D: "eu", 0x2F: "mk", 0x36: "af", 0x37: "ka", 0x38: "fo", 0x39: "hi", 0x3C: "ga", 0x3E: "ms", 0x3F: "kk",
    0x41: "sw", 0x43: "uz", 0x45: "bn", 0x46: "pa", 0x47: "gu", 0x49: "ta", 0x4A: "te", 0x4B: "kn", 0x4C: "ml", 0x4E: "mr",
    0x50: "mn", 0x52: "cy", 0x56: "gl",
}  # fmt: skip
#: Those that the low ten bits do not tell apart.
_WHOLE: Final = {
    0x0404: "zh-Hant", 0x0C04: "zh-Hant", 0x1404: "zh-Hant", 0x0814: "nn", 0x081A: "sr-Latn", 0x181A: "sr-Latn", 0x241A: "sr-Latn",
    0x0C1A: "sr", 0x1C1A: "sr", 0x281A: "sr", 0x141A: "bs", 0x201A: "bs",
}  # fmt: skip
_TRADITIONAL: Final = frozenset({"tw", "hk", "mo", "hant"})
#: The language identifiers from 0xFC00 ask for the case that a month has beside its day. In the other languages that have one, it is
#: what stands beside a day anyhow.
_BESIDE_A_DAY: Final = 0xFC00
_ONLY_WHEN_ASKED: Final = frozenset({"be", "ru", "uk"})
#: The zero of each set of digits, by its number in the format.
_ZEROS: Final = {
    0x02: 0x0660, 0x03: 0x06F0, 0x04: 0x0966, 0x05: 0x09E6, 0x06: 0x0A66, 0x07: 0x0AE6, 0x08: 0x0B66, 0x09: 0x0BE6, 0x0A: 0x0C66,
    0x0B: 0x0CE6, 0x0C: 0x0D66, 0x0D: 0x0E50, 0x0E: 0x0ED0, 0x0F: 0x0F20, 0x10: 0x1040, 0x12: 0x17E0, 0x13: 0x1810,
}  # fmt: skip
_NOON: Final = {"ja": ("午前", "午後"), "ko": ("오전", "오후"), "zh": ("上午", "下午"), "zh-Hant": ("上午", "下午")}
#: The first day of each Japanese era as year, month and day; its name, short name and letter.
_ERAS: Final = (
    ((2019, 5, 1), "令和", "令", "R"),
    ((1989, 1, 8), "平成", "平", "H"),
    ((1926, 12, 25), "昭和", "昭", "S"),
    ((1912, 7, 30), "大正", "大", "T"),
    ((1868, 10, 23), "明治", "明", "M"),
)
_JAPANESE, _TAIWANESE, _KOREAN, _BUDDHIST = 3, 4, 5, 7
_YEARS: Final = {_TAIWANESE: -1911, _KOREAN: 2333, _BUDDHIST: 543}


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one language. Months from January, days from Sunday."""

    months: tuple[str, ...]
    months_beside_a_day: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]


_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_ENGLISH: Final = (
    _MONTHS,
    _MONTHS,
    "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec",
    "Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday",
    "Sun|Mon|Tue|Wed|Thu|Fri|Sat",
)


@dataclass(frozen=True, slots=True)
class Locale:
    """What a bracket asks for. ``language`` is a BCP 47 tag, "en" where none is known."""

    language: str = "en"
    calendar: int = 0
    zero: int = 0
    """The code point of its zero; 0 for European digits."""
    is_asked: bool = False
    """The case beside a day was asked for."""

    @property
    def names(self) -> Names:
        return _names(self.language)

    def month(self, month: int, letters: int, *, beside_day: bool) -> str:
        """The name of *month* (from 1) in three, four or five *letters* of the format."""
        names = self.names
        if letters == 3:
            return names.short_months[month - 1]
        beside_day = self.is_asked if self.language in _ONLY_WHEN_ASKED else beside_day
        name = (names.months_beside_a_day if beside_day and letters != 5 else names.months)[month - 1]
        return name[0] if letters == 5 else name

    def day(self, weekday: int, letters: int) -> str:
        """The name of *weekday* (from 0, Sunday) in three or more *letters*."""
        return (self.names.short_days if letters == 3 else self.names.days)[weekday]

    def noon(self, *, after: bool) -> str:
        """What stands for AM and PM."""
        return _NOON.get(self.language, ("AM", "PM"))[after]

    def year(self, year: int) -> int:
        """A year of the Christian era in the calendar that was asked for."""
        return year + _YEARS.get(self.calendar, 0)

    def era(self, year: int, month: int, day: int) -> tuple[int, tuple[str, str, str]] | None:
        """The year of its era, and the era's name, short name and letter; None where years are not counted by eras."""
        if self.language == "ja" or self.calendar == _JAPANESE:
            for first, *names in _ERAS:
                if (year, month, day) >= first:
                    return year - first[0] + 1, (names[0], names[1], names[2])
        if self.language == "zh-Hant" or self.calendar == _TAIWANESE:
            return (year - 1911, ("中華民國", "民國", "")) if year > 1911 else None
        return None

    def digits(self, text: str) -> str:
        """*text* with the digits that were asked for."""
        return text.translate({ord("0") + i: self.zero + i for i in range(10)}) if self.zero else text


PLAIN: Final = Locale()


@lru_cache(maxsize=256)
def locale(tag: str) -> Locale:
    """What *tag*, the text behind the hyphen, asks for: a hexadecimal number, or a BCP 47 tag (which may end in ``,`` and a number)."""
    try:
        number = int(tag, 16) if len(tag) <= 8 else -1
    except ValueError:
        number = -1
    if number < 0:
        return Locale(_from_tag(tag.partition(",")[0].lower()))
    identifier = number & 0xFFFF
    is_asked = identifier >= _BESIDE_A_DAY
    language = _WHOLE.get(identifier) or _LANGUAGES.get(identifier & 0x3FF, "en")
    return Locale(language, number >> 16 & 0xFF, _ZEROS.get(number >> 24, 0), is_asked)


def _from_tag(tag: str) -> str:
    first, *rest = tag.split("-")
    if first == "zh":
        return "zh-Hant" if _TRADITIONAL.intersection(rest) else "zh"
    if first == "sr" and "latn" in rest:
        return "sr-Latn"
    first = {"no": "nb"}.get(first, first)
    return first if first in _LANGUAGES.values() or first in _WHOLE.values() else "en"


@lru_cache(maxsize=8)
def _names(language: str) -> Names:
    rows = _ENGLISH
    if language != "en":
        from fumehood_sandbox.extractors.numfmt.locale_names import NAMES  # noqa: PLC0415 - long, and few formats want it

        rows = NAMES[language]
    return Names(*(tuple(row.split("|")) for row in rows))
