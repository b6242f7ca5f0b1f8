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


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ('0.00;(0.00);"-";"t:"@', 1.5, "1.50"),
        ('0.00;(0.00);"-";"t:"@', -1.5, "(1.50)"),
        ('0.00;(0.00);"-";"t:"@', 0, "-"),
        ("[>=100]0;[<10]0.00;0.0", 100, "100"),
        ("[>=100]0;[<10]0.00;0.0", 5, "5.00"),
        ("[>=100]0;[<10]0.00;0.0", 50, "50.0"),
        ("[>=100]0;[<10]0.00;0.0", -5, "-5.00"),
        ('[=1]"one";[=2]"two";"many"', 1, "one"),
        ('[=1]"one";[=2]"two";"many"', 2, "two"),
        ('[=1]"one";[=2]"two";"many"', 3, "many"),
        ("[Red]0;[Blue]-0;[Green]0", -3, "-3"),
        ("[Color10]0.0", 2, "2.0"),
        ("?/?", 0.5, "1/2"),
        ("# ??/16", 1.25, "1  4/16"),
        ("# ?/2", 1.5, "1 1/2"),
        ("# ??/100", 2.345, "2 35/100"),
        ("# ???/???", 3.14159, "3  16/113"),
        ("# ?/?", 0.25, " 1/4"),
        ("0 ?/?", 0.25, "0 1/4"),
        ("# ?/?", -1.5, "-1 1/2"),
        ("# ?/?", 0, "0    "),
        ("0.00E+00", 0, "0.00E+00"),
        ("0.00E+00", -12345, "-1.23E+04"),
        ("##0.0E+0", 123456, "123.5E+3"),
        ("##0.0E+0", 0.00012, "120.0E-6"),
        ("0.0E-0", 12345, "1.2E4"),
        ("0E+00", 1, "1E+00"),
        ("[h]:mm:ss", 1.0, "24:00:00"),
        ("[h]:mm", -0.5, "-12:00"),
        ("[m]", 0.5, "720"),
        ("[ss]", 0.001, "86"),
        ("[hh]:mm:ss.00", 0.1, "02:24:00.00"),
        ("[$-409]mmmm d, yyyy", 45000, "March 15, 2023"),
        ("[$-F800]", 45000, "Wednesday, March 15, 2023"),
        ("[$-F400]h:mm:ss AM/PM", 0.5, "12:00:00 PM"),
        ('_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', 1234.5, " 1,234.50 "),
        ('_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', -1234.5, " (1,234.50)"),
        ('_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', 0, " -   "),
        ("0%", 1.255, "126%"),
        ("0.00%", -0.12345, "-12.35%"),
        ("%0", 0.5, "%50"),
        ("0%%", 0.5, "5000%%"),
        ('#,##0,,"M"', 1500000, "2M"),
        ("0.0,", 1234, "1.2"),
        ("#,", 500, "1"),
        ("0,0", 1234, "1,234"),
        ("h:mm AM/PM", 0, "12:00 AM"),
        ("h AM/PM", 0.5, "12 PM"),
        ("h:mm A/P", 0.75, "6:00 P"),
        ("hh:mm:ss", 0.5, "12:00:00"),
        ("yyyy-mm-dd hh:mm", 45000.5, "2023-03-15 12:00"),
        ("mm:ss", 0.5, "00:00"),
        ("mm/dd", 45000, "03/15"),
        ("h:mm:ss.000", 0.123456789, "2:57:46.667"),
        ("ss.00", 1e-05, "00.86"),
        ("mmmmm", 45000, "M"),
        ("mmm", 45000, "Mar"),
        ("ddd", 45000, "Wed"),
        ("d", 45000, "15"),
        ("yy", 45000, "23"),
        ("yyy", 45000, "2023"),
        ("m", 45000, "3"),
        ("m/d/yyyy", 60, "2/29/1900"),
        ("m/d/yyyy", 0, "1/0/1900"),
        ("m/d/yyyy", 1, "1/1/1900"),
        ("yyyy-mm-dd", 2958465, "9999-12-31"),
        ("dddd", 1, "Sunday"),
        ("dddd", 60, "Wednesday"),
        ("dddd", 61, "Thursday"),
        ("General", 12345678901, "12345678901"),
        ("General", 123456789012, "1.23457E+11"),
        ("General", 0.1234567890123, "0.123456789"),
        ("General", 1234567.12345, "1234567.123"),
        ("General", 99999999999.5, "1E+11"),
        ("General", 1000000000000000.0, "1E+15"),
        ("General", 1.234567e-05, "1.23457E-05"),
        ("General", 1234567890.12, "1234567890"),
        ("General", 0.000123456789, "0.000123457"),
        ('General" units"', 5.25, "5.25 units"),
        ('"#"General', 5, "#5"),
        ('General;-General;"zero"', 0, "zero"),
        ("0;General", -5.5, "5.5"),
        ("@", 123.456, "123.456"),
        ("0.0#", 1.25, "1.25"),
        ("0.0#", 1, "1.0"),
        ("#.##", 0, "."),
        ("#", 0, ""),
        ("##", 0, ""),
        ("?", 0, " "),
        ("0.0?", 1.2, "1.2 "),
        ("???", 5, "  5"),
        ("?.?", 1.25, "1.3"),
        ("000", -5, "-005"),
        ("0.000", 1234.5678, "1234.568"),
        ("#,###", 0, ""),
        ("#,##0.###", 1234.5, "1,234.5"),
        ("#,##0.###", 1234, "1,234."),
        ("(000) 000-0000", 5551234567, "(555) 123-4567"),
        ("00-00-00", 123456, "12-34-56"),
        ("0\\.0", 12, "1.2"),
        ('0"x"0', 12, "1x2"),
        ("$#,##0.00", -5, "-$5.00"),
        ('"$"#,##0_);("$"#,##0)', -5, "($5)"),
        ("€ #,##0", 5, "€ 5"),
        ("#,##0 [$€-1]", 5, "5 €"),
        ("[$£-809]#,##0.00", 5.5, "£5.50"),
        ("[$USD] 0", 5, "USD 5"),
        ("0;;", -5, ""),
        ("0;;", 0, ""),
        ("0;;;", 5, "5"),
        ("0;-0;;@", 0, ""),
        (";;", 5, ""),
        ('"a";"b"', 0, "a"),
        ('"a";"b"', -1, "b"),
        ("0;0", -5, "5"),
        ("0_ ;[Red]-0 ", 5, "5 "),
        ("0_ ;[Red]\\-0\\ ", -5, "-5 "),
        ("* 0", 5, "5"),
        ("0*-", 5, "5"),
        ('d "de" mmmm', 45000, "15 de March"),
        ('yyyy"年"m"月"d"日"', 45000, "2023年3月15日"),
        ('[$-411]ggge"年"m"月"d"日"', 45000, "令和5年3月15日"),
        ("[$-804]aaaa", 45000, "星期三"),
        ("b", 45000, "66"),
        ("bbbb", 45000, "2566"),
        ('0.0 "k"', 1.25, "1.3 k"),
        ("[h]:mm:ss;@", 1.5, "36:00:00"),
        ("h:mm;@", 0.5, "12:00"),
        ("m/d/yyyy;@", 45000, "3/15/2023"),
        ("0.00", 1e20, "100000000000000000000.00"),
        ("#,##0", 1000000000000000.0, "1,000,000,000,000,000"),
        ("0", 123456789012345678, "123456789012346000"),
        ("0.00", -0.004, "0.00"),
        ("0", -0.4, "0"),
        ("[<1]0.00%;0", 0.5, "50.00%"),
        ('[<=100]"low";[>200]"high";"mid"', 150, "mid"),
        ('[>0]"pos";"other"', 0, "other"),
        ('[<>5]"no";"yes"', 5, "yes"),
    ],
)
def test_display_by_feature(code: str, value: float, text: str) -> None:
    """Sections, conditions, fractions, exponents, scaling, elapsed time, month or minute, fractions of seconds, the first days of 1900."""
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
