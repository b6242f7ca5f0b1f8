"""What a cell shows for its value, as Excel in US English shows it."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood_sandbox.extractors.numfmt import NumberFormat, builtin_code, general, number_format
from fumehood_sandbox.extractors.numfmt.general import to_decimal
from fumehood_sandbox.extractors.numfmt.numbers import NumberSection
from fumehood_sandbox.extractors.numfmt.parse import sections


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", 0.1 + 0.2, "0.3"),
        ("General", 1 / 3, "0.333333333"),
        ("General", 123456789012, "1.23457E+11"),
        ("General", 12345678901.5, "12345678902"),
        ("General", -1234567.891234, "-1234567.891"),
        ("General", 1e-5, "0.00001"),
        ("General", 1.23456789e-5, "1.23457E-05"),
        ("General", 1.5e300, "1.5E+300"),
        ("General", 0.0, "0"),
        ("0", 2.5, "3"),
        ("0.00", 1.005, "1.01"),
        ("0.00", -0.001, "0.00"),
        ("#,##0", 1234567.5, "1,234,568"),
        ("#,##0.00_);[Red](#,##0.00)", -1234.567, "(1,234.57)"),
        ("#,##0.00_);[Red](#,##0.00)", 1234.567, "1,234.57 "),
        ("0%", 0.256, "26%"),
        ("0.0%", 0.075, "7.5%"),
        ("0.00E+00", 12345, "1.23E+04"),
        ("0.00E+00", 0.00012345, "1.23E-04"),
        ("##0.0E+0", 12345, "12.3E+3"),
        ("0E+0", 9.9, "1E+1"),
        ("# ?/?", 2.5, "2 1/2"),
        ("# ??/??", 0.333, "  1/3 "),
        ("?/?", 1.5, "3/2"),
        ("# ?/8", 1.3, "1 2/8"),
        ("# ?/?", 4, "4    "),
        ("0.##", 5, "5."),
        ("#.##", 0.5, ".5"),
        (".00", 12.345, "12.35"),
        ("00000", 123, "00123"),
        ("000-00-0000", 123456789, "123-45-6789"),
        (r"[<=9999999]###\-####;\(###\)\ ###\-####", 5551234567, "(555) 123-4567"),
        (r"[<=9999999]###\-####;\(###\)\ ###\-####", 5551234, "555-1234"),
        ('[>=100]"big";[<0]"low";"mid"', 50, "mid"),
        ('[>=100]"big";[<0]"low";"mid"', -1, "low"),
        ("#,##0,", 1234567, "1,235"),
        ('0.0,,"M"', 12345678, "12.3M"),
        (";;;", 5, ""),
        ('0;"minus "0;"none"', -5, "minus 5"),
        ('0;"minus "0;"none"', 0, "none"),
        ('0" days"', 3, "3 days"),
        ('"x"General', 5.5, "x5.5"),
        ("[$€-407] #,##0.00", -5.5, "-€ 5.50"),
        ("[$-409]0.0", 1, "1.0"),
        ('_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', 0, " $-   "),
        ("m/d/yy", 45000, "3/15/23"),
        ("d-mmm-yy", 60, "29-Feb-00"),
        ("d-mmm-yy", 59, "28-Feb-00"),
        ("d-mmm-yy", 61, "1-Mar-00"),
        ("dddd, mmmm d, yyyy", 1, "Sunday, January 1, 1900"),
        ("yyyy\\-mm\\-dd hh:mm:ss.000", 45000.123456, "2023-03-15 02:57:46.598"),
        ("[$-409]d/m/yy h:mm AM/PM;@", 45000.5, "15/3/23 12:00 PM"),
        ("h:mm AM/PM", 0.75, "6:00 PM"),
        ("h:mm:ss", 0.9999999, "0:00:00"),
        ("mm:ss.0", 0.0012345, "01:46.7"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("[mm]:ss", 1.5, "2160:00"),
        ("[$-F800]dddd\\, mmmm dd\\, yyyy", 45000, "Wednesday, March 15, 2023"),
        ("m/d/yy", -1, "#" * 255),
        ("@", 1.5, "1.5"),
    ],
)
def test_display(code: str, value: float, text: str) -> None:
    assert number_format(code).show(value) == text


def test_the_other_date_system() -> None:
    assert number_format("m/d/yyyy").show(0, date1904=True) == "1/1/1904"
    assert number_format("m/d/yyyy").show(1462, date1904=False) == "1/1/1904"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("General", "general"),
        ("0.00", "number"),
        ("m/d/yy", "date"),
        ("h:mm", "time"),
        ("[h]:mm", "time"),
        ("@", "text"),
        ('"day "0', "number"),
    ],
)
def test_kind(code: str, kind: str) -> None:
    assert number_format(code).kind == kind


def test_text_takes_the_text_section() -> None:
    assert number_format('0;-0;0;"<"@">"').show_text("x") == "<x>"
    assert number_format("0.00").show_text("x") == "x"
    assert number_format(";;;").show_text("x") == ""


def test_builtin_numbers() -> None:
    assert builtin_code(14) == "m/d/yy"
    assert builtin_code(44).count(";") == 3
    assert builtin_code(9999) == "General"


@given(
    st.text(alphabet='0#?.,;%/E+-@"\\_*[]$<>=hmsydGenral AMP/', max_size=40), st.floats(allow_nan=False, allow_infinity=False)
)
def test_no_code_and_no_value_raises(code: str, value: float) -> None:
    assert isinstance(number_format(code).show(value), str)


@pytest.mark.parametrize(
    "code", ["General", "0", "0.00", "#,##0", "#,##0.00", '"$"#,##0.00', "0.000000000000000", "0%", "0.0,", "0.00E+00"]
)
def test_the_short_way_shows_what_the_long_one_does(code: str) -> None:
    """Numbers that need no rounding take a way without decimals; every digit must be the same."""
    numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        0.1,
        1.005,
        2.675,
        1e10,
        1e11,
        12345678901.5,
        11342283.4233124,
        1e-4,
        1e-5,
        123456.789,
        -98.6,
        1e15,
        4.35,
    ]
    numbers += [
        random.Random(n).choice([1, -1]) * round(random.Random(n).uniform(0, 10 ** (n % 13)), n % 7) for n in range(3000)
    ]
    shown = NumberFormat(code)
    for value in numbers:
        want = _without_short_ways(code, value)
        assert (value, shown.show(value)) == (value, want)
        if value.is_integer():
            assert shown.show(int(value)) == want


def _without_short_ways(code: str, value: float) -> str:
    """What `NumberFormat` shows by decimals alone."""
    if code == "General":
        number = to_decimal(value)
        if not number:
            return "0"
        text = f"{abs(number):f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return ("-" if number < 0 else "") + text if len(text) <= 11 and abs(number) >= Decimal("1e-9") else general(value)
    section = NumberSection(sections(code)[0])
    text, is_zero = section.show(abs(to_decimal(value)))
    return "-" + text if value < 0 and not is_zero else text
