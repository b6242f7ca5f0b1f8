"""Numbers as Word writes them in a list label (``w:numFmt``, ECMA-376 part 1, 17.18.59)."""

# ruff: noqa: RUF001, RUF003 - characters that look like others are what this module is about

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from fumehood_sandbox.extractors.ooxml.counting import (
    BRANCHES,
    CHINESE,
    CJK,
    JAPANESE,
    JAPANESE_LEGAL,
    KOREAN,
    SIMPLIFIED_LEGAL,
    STEMS,
    TAIWANESE,
    TRADITIONAL_LEGAL,
    hebrew_letter,
    hebrew_numeral,
    korean_native,
    stems_and_branches,
    thai_words,
    vietnamese_words,
)

_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"),
    (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_UNITS: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS: Final = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS: Final = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_ARABIC: Final = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_ABJAD: Final = "أبجدهوزحطيكلمنسعفصقرشتثخذضغظ"
_GANADA: Final = "가나다라마바사아자차카타파하"
_CHOSUNG: Final = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_AIUEO: Final = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_AIUEO_HALF: Final = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_IROHA: Final = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_IROHA_HALF: Final = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ"
_THAI: Final = "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"
_HINDI_CONSONANTS: Final = "कखगघङचछजझञटठडढणतथदधनऩपफबभमयरऱलळऴवशषसह"
_HINDI_VOWELS: Final = ["अ", "आ", "इ", "ई", "उ", "ऊ", "ऋ", "ऌ", "ऍ", "ऎ", "ए", "ऐ", "ऑ", "ऒ", "ओ", "औ", "अं", "अः"]
_CHICAGO: Final = "*†‡§"
_MOST: Final = 32_767
#: A letter that is repeated is repeated this often at most: a number comes from outside.
_REPEATED: Final = 60


def roman(n: int) -> str:
    if not 0 < n <= _MOST:
        return str(n)
    out = []
    for value, letters in _ROMAN:
        count, n = divmod(n, value)
        out.append(letters * count)
    return "".join(out)


def letter(n: int) -> str:
    """A … z, then aa, bb … as Word repeats them."""
    return _repeat("abcdefghijklmnopqrstuvwxyz")(n)


def _cycle(letters: Sequence[str]) -> Callable[[int], str]:
    """*letters* in turn, from the start again after the last."""
    return lambda n: letters[(n - 1) % len(letters)] if n > 0 else str(n)


def _repeat(letters: Sequence[str]) -> Callable[[int], str]:
    """*letters* in turn, twice each after the last, then three times each."""
    size = len(letters)
    return lambda n: letters[(n - 1) % size] * min((n - 1) // size + 1, _REPEATED) if 0 < n <= _MOST else str(n)


def ordinal(n: int) -> str:
    suffix = "th" if n % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def cardinal(n: int) -> str:
    """English words, below a million."""
    if not 0 <= n < 1_000_000:
        return str(n)
    if n < 20:
        return _UNITS[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_UNITS[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{_UNITS[n // 100]} hundred" + (f" {cardinal(n % 100)}" if n % 100 else "")
    return f"{cardinal(n // 1000)} thousand" + (f" {cardinal(n % 1000)}" if n % 1000 else "")


def ordinal_words(n: int) -> str:
    words = cardinal(n)
    if words.isdigit() or words.startswith("-"):
        return ordinal(n)
    at = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[at:]
    if last in _ORDINALS:
        return words[:at] + _ORDINALS[last]
    return words[:at] + (last[:-1] + "ieth" if last.endswith("y") else last + "th")


def _digits(digits: str) -> Callable[[int], str]:
    return lambda n: "".join(digits[int(c)] if c.isdigit() else c for c in str(n))


def _tens_then_digits(digits: str) -> Callable[[int], str]:
    """十一, 二十 below a hundred, then digit by digit: 一○一."""
    return lambda n: CHINESE(n) if 0 < n < 100 else _digits(digits)(n)


def _enclosed(first: int, most: int) -> Callable[[int], str]:
    """The characters from *first* on, as far as there are any; decimal beyond."""
    return lambda n: chr(first + n - 1) if 0 < n <= most else str(n)


def padded(width: int) -> Callable[[int], str]:
    """Decimal numbers with zeros in front up to *width* digits."""
    return lambda n: f"{n:0{width}d}"


_FORMATS: Final[dict[str, Callable[[int], str]]] = {
    "decimal": str,
    "decimalHalfWidth": str,
    "decimalZero": padded(2),
    "lowerRoman": roman,
    "upperRoman": lambda n: roman(n).upper(),
    "lowerLetter": letter,
    "upperLetter": lambda n: letter(n).upper(),
    "ordinal": ordinal,
    "cardinalText": lambda n: cardinal(n).capitalize(),
    "ordinalText": lambda n: ordinal_words(n).capitalize(),
    "hex": lambda n: f"{n:X}",
    "chicago": _repeat(_CHICAGO),
    "numberInDash": lambda n: f"- {n} -",
    "decimalEnclosedCircle": _enclosed(0x2460, 20),
    "decimalEnclosedCircleChinese": _enclosed(0x2460, 20),
    "decimalEnclosedParen": _enclosed(0x2474, 20),
    "decimalEnclosedFullstop": _enclosed(0x2488, 20),
    "ideographEnclosedCircle": _enclosed(0x3280, 10),
    "decimalFullWidth": _digits("０１２３４５６７８９"),
    "decimalFullWidth2": _digits("０１２３４５６７８９"),
    "ideographDigital": _digits(CJK),
    "japaneseDigitalTenThousand": _digits(CJK),
    "taiwaneseDigital": _digits("○一二三四五六七八九"),
    "koreanDigital": _digits("영일이삼사오육칠팔구"),
    "koreanDigital2": _digits("零一二三四五六七八九"),
    "hindiNumbers": _digits("०१२३४५६७८९"),
    "thaiNumbers": _digits("๐๑๒๓๔๕๖๗๘๙"),
    "chineseCounting": _tens_then_digits("○一二三四五六七八九"),
    "taiwaneseCounting": _tens_then_digits("○一二三四五六七八九"),
    "chineseCountingThousand": CHINESE,
    "taiwaneseCountingThousand": TAIWANESE,
    "japaneseCounting": JAPANESE,
    "koreanCounting": KOREAN,
    "koreanLegal": korean_native,
    "chineseLegalSimplified": SIMPLIFIED_LEGAL,
    "ideographLegalTraditional": TRADITIONAL_LEGAL,
    "japaneseLegal": JAPANESE_LEGAL,
    "ideographTraditional": _cycle(STEMS),
    "ideographZodiac": _cycle(BRANCHES),
    "ideographZodiacTraditional": stems_and_branches,
    "ganada": _cycle(_GANADA),
    "chosung": _cycle(_CHOSUNG),
    "aiueo": _cycle(_AIUEO_HALF),
    "aiueoFullWidth": _cycle(_AIUEO),
    "iroha": _cycle(_IROHA_HALF),
    "irohaFullWidth": _cycle(_IROHA),
    "russianLower": _repeat(_RUSSIAN),
    "russianUpper": _repeat(_RUSSIAN.upper()),
    "hebrew1": hebrew_numeral,
    "hebrew2": hebrew_letter,
    "arabicAlpha": _repeat(_ARABIC),
    "arabicAbjad": _repeat(_ABJAD),
    "hindiVowels": _repeat(_HINDI_CONSONANTS),  # the two names are each other's, as Word has them
    "hindiConsonants": _repeat(_HINDI_VOWELS),
    "thaiLetters": _repeat(_THAI),
    "thaiCounting": thai_words,
    "vietnameseCounting": vietnamese_words,
    "none": lambda _n: "",
    "bullet": lambda _n: "",
}
#: What a custom format counts by, by the first of its examples (``w:format="α, β, γ, ..."``); numbers count by their zeros.
_CUSTOM: Final[dict[str, Callable[[int], str]]] = {
    "α": _repeat("αβγδεζηθικλμνξοπρστυφχψω"),
    "Α": _repeat("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
}


def format_number(n: int, kind: str) -> str:
    """*n* in the number format *kind*; decimal where the format is not known."""
    if kind.startswith("custom "):
        known = kind.removeprefix("custom ")
        return padded(int(known))(n) if known.isdecimal() else _CUSTOM.get(known, str)(n)
    return _FORMATS.get(kind, str)(n)


def custom_format(examples: str) -> str:
    """The name by which `format_number` knows the custom format (``w:numFmt`` ``custom``) of these *examples*."""
    first = examples.split(",", 1)[0].strip()
    if first.isdecimal() and first.isascii():
        return f"custom {min(len(first), 9)}"
    return f"custom {first}" if first in _CUSTOM else "decimal"
