"""Numbers in words and numerals of other scripts: how languages of East Asia count, Hebrew, Thai and Vietnamese ones."""

# ruff: noqa: RUF001 - characters that look like others are what this module is about

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CJK: Final = "〇一二三四五六七八九"
STEMS: Final = "甲乙丙丁戊己庚辛壬癸"
BRANCHES: Final = "子丑寅卯辰巳午未申酉戌亥"
_HEBREW: Final = "אבגדהוזחטיכלמנסעפצקרשת"
_HEBREW_HUNDREDS: Final = "קרשתךםןףץ"
_THAI_DIGITS: Final = ["ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"]
_VIETNAMESE: Final = ["không", "một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín"]
_KOREAN_UNITS: Final = ["", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉"]
_KOREAN_TENS: Final = ["", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"]
#: The letter at the end of a Hebrew number is repeated this often at most: a number comes from outside.
_MOST_ROUNDS: Final = 60


@dataclass(frozen=True, slots=True)
class Counting:
    """How a language of East Asia counts: digits, the signs of 10, 100, 1000 and 10,000, and two habits."""

    digits: str
    signs: str
    one: bool = False
    """Whether "one" stands before a sign (一百), beyond a first ten."""
    first_one: bool = False
    """Whether it does before a first ten too."""
    zero: str = ""
    """What stands for places that are skipped."""

    def __call__(self, n: int) -> str:
        if not 0 < n < 100_000_000:
            return str(n)
        myriads, rest = divmod(n, 10_000)
        if not myriads:
            return self._below(n, leads=True)
        out = self._below(myriads, leads=True) + self.signs[3]
        if rest:
            out += (self.zero if rest < 1000 else "") + self._below(rest, leads=False)
        return out

    def _below(self, n: int, *, leads: bool) -> str:
        """*n* below 10,000; *leads* when nothing stands before it."""
        out, skipped = "", False
        for place, sign in ((1000, self.signs[2]), (100, self.signs[1]), (10, self.signs[0]), (1, "")):
            digit, n = divmod(n, place)
            if not digit:
                skipped = bool(out)
                continue
            bare = digit == 1 and place > 1 and not (self.one and (self.first_one or place > 10 or bool(out) or not leads))
            out += (self.zero if skipped else "") + ("" if bare else self.digits[digit]) + sign
            skipped = False
        return out


CHINESE: Final = Counting(CJK, "十百千万", one=True, zero="零")
TAIWANESE: Final = Counting(CJK, "十百千萬", one=True, zero="零")
JAPANESE: Final = Counting(CJK, "十百千万")
KOREAN: Final = Counting("영일이삼사오육칠팔구", "십백천만")
SIMPLIFIED_LEGAL: Final = Counting("零壹贰叁肆伍陆柒捌玖", "拾佰仟万", one=True, first_one=True, zero="零")
TRADITIONAL_LEGAL: Final = Counting("零壹貳參肆伍陸柒捌玖", "拾佰仟萬", one=True, first_one=True, zero="零")
JAPANESE_LEGAL: Final = Counting("零壱弐参四伍六七八九", "拾百阡萬", one=True, first_one=True)


def hebrew_numeral(n: int) -> str:
    """By the values of the letters; 15 and 16 are written as nine and a part, lest they spell a name."""
    if not 0 < n < 1000:
        return str(n)
    hundreds, rest = divmod(n, 100)
    out = _HEBREW_HUNDREDS[hundreds - 1] if hundreds else ""
    if rest in {15, 16}:
        return out + "ט" + _HEBREW[rest - 10]
    tens, units = divmod(rest, 10)
    return out + (_HEBREW[8 + tens] if tens else "") + (_HEBREW[units - 1] if units else "")


def hebrew_letter(n: int) -> str:
    """The alphabet, then each letter with one more tav before the next round."""
    if n <= 0:
        return str(n)
    rounds, at = divmod(n - 1, len(_HEBREW))
    return _HEBREW[at] + "ת" * min(rounds, _MOST_ROUNDS)


def stems_and_branches(n: int) -> str:
    return STEMS[(n - 1) % 10] + BRANCHES[(n - 1) % 12] if n > 0 else str(n)


def korean_native(n: int) -> str:
    return _KOREAN_TENS[n // 10] + _KOREAN_UNITS[n % 10] if 0 < n < 100 else str(n)


def thai_words(n: int) -> str:
    if not 0 < n < 100:
        return str(n)
    tens, units = divmod(n, 10)
    if not tens:
        return _THAI_DIGITS[units]
    lead = {1: "", 2: "ยี่"}.get(tens, _THAI_DIGITS[tens])
    return f"{lead}สิบ" + ({0: "", 1: "เอ็ด"}.get(units, _THAI_DIGITS[units]))


def vietnamese_words(n: int) -> str:
    if not 0 < n < 100:
        return str(n)
    tens, units = divmod(n, 10)
    if not tens:
        return _VIETNAMESE[units]
    last = {0: "", 1: "mốt" if tens > 1 else "một", 5: "lăm"}.get(units, _VIETNAMESE[units])
    return (f"{_VIETNAMESE[tens]} mươi" if tens > 1 else "mười") + (f" {last}" if last else "")
