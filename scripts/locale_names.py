# /// script
# requires-python = ">=3.11"
# dependencies = ["babel==2.19.0"]
# ///
"""Write the names of months and days that number formats show, from the Unicode CLDR as Babel has it.

`pipx run scripts/locale_names.py` (or `uv run`) writes ``sandbox/fumehood_sandbox/extractors/numfmt/locale_names.py``. It is run by hand
when the CLDR has changed what matters: nothing else needs Babel.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from babel import Locale

TARGET = Path(__file__).resolve().parents[1] / "sandbox/fumehood_sandbox/extractors/numfmt/locale_names.py"
# The languages of [MS-LCID] that the CLDR has names for, but English.
LANGUAGES = [
    "af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "es", "et", "eu", "fa", "fi", "fo", "fr", "ga", "gl",
    "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "kn", "ko", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "nb",
    "nl", "nn", "pa", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sr_Latn", "sv", "sw", "ta", "te", "th", "tr", "uk", "ur", "uz", "vi",
    "zh", "zh_Hant",
]  # fmt: skip
# Windows, whose names Excel shows, writes no dots behind its short names but in French and Thai, and shortens some otherwise.
DOTTED = {"fr", "th"}
OWN = {
    "de": {"Mär": "Mrz"},
    "ru": {"февр": "фев", "март": "мар", "июнь": "июн", "июль": "июл", "сент": "сен", "нояб": "ноя"},
}


def main() -> None:
    """Write the module."""
    lines = [
        f'"""Names of months and days by language, from the Unicode CLDR as Babel {version("babel")} has it: scripts/locale_names.py writes this.',
        "",
        "Five fields, names divided by bars: months, months beside a day, short months, days from Sunday, short days.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        "NAMES: Final[dict[str, tuple[str, str, str, str, str]]] = {",
    ]
    for language in LANGUAGES:
        lines.append(f"    {language.replace('_', '-')!r}: (")
        lines.extend(f"        {row!r}," for row in rows(language))
        lines.append("    ),")
    lines.append("}")
    TARGET.write_text("\n".join(lines).replace("'", '"') + "\n", "utf-8")
    print(f"wrote {TARGET}")


def rows(language: str) -> list[str]:
    """The five fields of *language*, names divided by bars."""
    locale = Locale.parse(language)
    months, days = locale.months, locale.days
    return [
        _row(months["stand-alone"]["wide"], range(1, 13)),
        _row(months["format"]["wide"], range(1, 13)),
        _short(language, _row(months["stand-alone"]["abbreviated"], range(1, 13))),
        _row(days["stand-alone"]["wide"], (6, 0, 1, 2, 3, 4, 5)),
        _short(language, _row(days["stand-alone"]["abbreviated"], (6, 0, 1, 2, 3, 4, 5))),
    ]


def _row(names: dict[int, str], order: range | tuple[int, ...]) -> str:
    return "|".join(names[i].replace("'", "\u2019") for i in order)


def _short(language: str, row: str) -> str:
    if language not in DOTTED:
        row = "|".join(name.removesuffix(".") for name in row.split("|"))
    for theirs, own in OWN.get(language, {}).items():
        row = row.replace(theirs, own)
    return row


if __name__ == "__main__":
    main()
