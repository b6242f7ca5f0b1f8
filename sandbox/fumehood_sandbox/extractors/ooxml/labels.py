"""Numbers as Word writes them in a list label (``w:numFmt``, ECMA-376 17.18.59), and symbol fonts as Unicode."""

# ruff: noqa: RUF001 - characters that look like others are what this module is about

from __future__ import annotations

from collections.abc import Callable
from typing import Final

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
_CJK: Final = "〇一二三四五六七八九"
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_HEBREW: Final = "אבגדהוזחטיכלמנסעפצקרשת"
_ARABIC: Final = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_GANADA: Final = "가나다라마바사아자차카타파하"
_CHOSUNG: Final = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_AIUEO: Final = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA: Final = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_STEMS: Final = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES: Final = "子丑寅卯辰巳午未申酉戌亥"
_CHICAGO: Final = "*†‡§"
_MOST: Final = 32_767


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
    if not 0 < n <= _MOST:
        return str(n)
    return chr(97 + (n - 1) % 26) * min((n - 1) // 26 + 1, 60)


def _cycle(letters: str) -> Callable[[int], str]:
    return lambda n: letters[(n - 1) % len(letters)] if n > 0 else str(n)


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


def _ideographs(n: int) -> str:
    """一, 十, 十一, 二十, 一百零一 up to 9999 (Chinese and Japanese counting)."""
    if not 0 < n < 10_000:
        return str(n)
    out, pending = "", False
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, unit)
        if digit:
            out += ("零" if pending and out else "") + ("" if digit == 1 and unit == 10 and not out else _CJK[digit]) + sign
            pending = False
        elif out:
            pending = n > 0
    return out


def _digits(digits: str) -> Callable[[int], str]:
    return lambda n: "".join(digits[int(c)] if c.isdigit() else c for c in str(n))


def _circled(n: int) -> str:
    return chr(0x2460 + n - 1) if 0 < n <= 20 else str(n)


_FORMATS: Final[dict[str, Callable[[int], str]]] = {
    "decimal": str,
    "decimalZero": lambda n: f"{n:02d}",
    "lowerRoman": roman,
    "upperRoman": lambda n: roman(n).upper(),
    "lowerLetter": letter,
    "upperLetter": lambda n: letter(n).upper(),
    "ordinal": ordinal,
    "cardinalText": lambda n: cardinal(n).capitalize(),
    "ordinalText": lambda n: ordinal_words(n).capitalize(),
    "hex": lambda n: f"{n:X}",
    "chicago": lambda n: _CHICAGO[(n - 1) % 4] * min((n - 1) // 4 + 1, 60) if n > 0 else str(n),
    "numberInDash": lambda n: f"- {n} -",
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "ideographEnclosedCircle": _circled,
    "decimalEnclosedParen": lambda n: f"({n})",
    "decimalEnclosedFullstop": lambda n: f"{n}.",
    "decimalFullWidth": _digits("０１２３４５６７８９"),
    "decimalFullWidth2": _digits("０１２３４５６７８９"),
    "ideographDigital": _digits(_CJK),
    "japaneseDigitalTenThousand": _digits(_CJK),
    "taiwaneseDigital": _digits("○一二三四五六七八九"),
    "koreanDigital": _digits("영일이삼사오육칠팔구"),
    "hindiNumbers": _digits("०१२३४५६७८९"),
    "thaiNumbers": _digits("๐๑๒๓๔๕๖๗๘๙"),
    "japaneseCounting": _ideographs,
    "chineseCounting": _ideographs,
    "chineseCountingThousand": _ideographs,
    "taiwaneseCounting": _ideographs,
    "taiwaneseCountingThousand": _ideographs,
    "ideographTraditional": _cycle(_STEMS),
    "ideographZodiac": _cycle(_BRANCHES),
    "ganada": _cycle(_GANADA),
    "chosung": _cycle(_CHOSUNG),
    "aiueo": _cycle(_AIUEO),
    "aiueoFullWidth": _cycle(_AIUEO),
    "iroha": _cycle(_IROHA),
    "irohaFullWidth": _cycle(_IROHA),
    "russianLower": _cycle(_RUSSIAN),
    "russianUpper": _cycle(_RUSSIAN.upper()),
    "hebrew1": _cycle(_HEBREW),
    "hebrew2": _cycle(_HEBREW),
    "arabicAlpha": _cycle(_ARABIC),
    "none": lambda _n: "",
    "bullet": lambda _n: "",
}


def format_number(n: int, kind: str) -> str:
    """*n* in the number format *kind*; decimal where the format is not known."""
    return _FORMATS.get(kind, str)(n)


# Adobe's Symbol encoding from 0x20 on: Greek in the order of the Latin letters, then operators.
_SYMBOL: Final[dict[int, str]] = dict(
    zip(
        (*range(0x20, 0x7F), *range(0xA1, 0xF0), *range(0xF1, 0xFF)),
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
        "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
_WINGDINGS: Final = {
    0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟",
    0x4A: "☺", 0x4C: "☹", 0x4E: "☠", 0x51: "✈", 0x52: "☼", 0x54: "❄", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "□",
    0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "⌧", 0x80: "⓪", 0x81: "①", 0x82: "②",
    0x83: "③", 0x84: "④", 0x85: "⑤", 0x86: "⑥", 0x87: "⑦", 0x88: "⑧", 0x89: "⑨", 0x8A: "⑩", 0x9E: "·", 0x9F: "•", 0xA0: "▪",
    0xA1: "○", 0xA3: "◉", 0xA4: "◎", 0xA7: "▪", 0xA8: "◻", 0xAA: "✦", 0xAB: "★", 0xAC: "✶", 0xB2: "⟡", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒",
    0xFE: "☑",
}  # fmt: skip


def symbol(code: int, font: str) -> str:
    """The character that a symbol font shows for *code* (0xF0xx is the same as 0xxx); the code itself where it is not known."""
    low = code & 0xFF if 0xF000 <= code <= 0xF0FF else code
    name = font.lower()
    if name.startswith("wingdings"):
        return _WINGDINGS.get(low, chr(code))
    if name == "symbol" or 0xF000 <= code <= 0xF0FF:
        return _SYMBOL.get(low, chr(code))
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code <= 0x10FFFF else ""


def symbols(text: str, font: str) -> str:
    """*text* of a list label with symbol-font characters as Unicode."""
    if not any(0xF000 <= ord(c) <= 0xF0FF for c in text) and font.lower() not in {"symbol", "wingdings"}:
        return text
    return "".join(symbol(ord(c), font) if font or ord(c) >= 0xF000 else c for c in text)
