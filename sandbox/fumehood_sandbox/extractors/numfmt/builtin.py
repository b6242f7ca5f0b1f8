"""The number formats that a file names by number only (18.8.30), as an Excel in US English shows them."""

from __future__ import annotations

from typing import Final

_DOLLAR_WHOLE = '"$"#,##0_);\\("$"#,##0\\)'
_DOLLAR_CENTS = '"$"#,##0.00_);\\("$"#,##0.00\\)'

_CODES: Final[dict[int, str]] = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: _DOLLAR_WHOLE,
    6: _DOLLAR_WHOLE.replace("\\(", "[Red]\\("),
    7: _DOLLAR_CENTS,
    8: _DOLLAR_CENTS.replace("\\(", "[Red]\\("),
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "m/d/yy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yy h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
#: The numbers that East Asian and Thai editions define: an English Excel shows the nearest of its own.
_LIKE: Final[dict[int, int]] = {
    **dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58, 71, 72), 14),
    **dict.fromkeys(range(32, 36), 21),
    **dict.fromkeys((55, 56), 14),
    59: 1, 60: 2, 61: 3, 62: 4, 67: 9, 68: 10, 69: 12, 70: 13, 73: 15, 74: 16, 75: 17, 76: 20, 77: 21, 78: 22, 79: 45, 80: 46, 81: 47,
}  # fmt: skip


def builtin_code(number: int) -> str:
    """The format code that *number* stands for; General for one that is not defined."""
    return _CODES.get(_LIKE.get(number, number), "General")
