"""Formats that ask for a language, a calendar or digits: ECMA-376 part 1, 18.8.31."""

from __future__ import annotations

import pytest

from fumehood_sandbox.extractors.numfmt import number_format
from fumehood_sandbox.extractors.numfmt.locale_names import NAMES
from fumehood_sandbox.extractors.numfmt.locales import _LANGUAGES, _WHOLE, locale

_5_MARCH_2012 = 40973.75  # a Monday, 18:00


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("[$-409]d mmmm yyyy", "5 March 2012"),
        ("[$-809]dddd d mmm yy", "Monday 5 Mar 12"),
        ("[$-40C]dddd d mmmm yyyy", "lundi 5 mars 2012"),
        ("[$-C0C]mmm\\-yy", "mars-12"),
        ("[$-407]ddd, dd. mmm yyyy", "Mo, 05. Mrz 2012"),
        ("[$-de-DE]mmmm", "März"),
        ("[$-de-CH,1]mmmm", "März"),
        ('[$-80A]d "de" mmmm', "5 de marzo"),
        ("[$-416]mmmmm", "m"),
        ("[$-415]d mmmm", "5 marca"),
        ("[$-415]mmmm yyyy", "marzec 2012"),
        ("[$-419]d mmmm", "5 март"),
        ("[$-FC19]d mmmm", "5 марта"),
        ("[$-41F]mmmm", "Mart"),
        ("[$-804]yyyy mmm dddd", "2012 3月 星期一"),
        ("[$-411]aaaa", "月曜日"),
        ("[$-411]AM/PM h:mm", "午後 6:00"),
        ("上午/下午 h:mm", "下午 6:00"),
        ("[$-409]h:mm AM/PM", "6:00 PM"),
        ("[$-407]h:mm A/P", "6:00 P"),
        ('[$-411]ggge"年"m"月"d"日"', "平成24年3月5日"),
        ("[$-ja-JP]gee", "H24"),
        ("[$-404]e/m/d", "101/3/5"),
        ("[$-412]e", "2012"),
        ("e", "2012"),
        ("[$-107041E]d mmm yyyy", "5 มี.ค. 2555"),
        ("[$-D00041E]0.00", "๔๐๙๗๓.๗๕"),
        ("[$-2000401]d/m/yyyy", "٥/٣/٢٠١٢"),
        ("[$-F800]", "Monday, March 05, 2012"),
        ("[$-x-sysdate]dddd", "Monday, March 05, 2012"),
        ("[$-F400]", "6:00:00 PM"),
        ("[$€-407]#,##0.00", "€40,973.75"),
        ("[$kr-nb-NO] 0", "kr 40974"),
        ("[$-xx-nowhere]mmmm", "March"),
        ("[$-FFFFFFFFFF]mmmm", "March"),
        ("[$-zz]mmmm", "March"),
    ],
)
def test_a_format_speaks_its_language(code: str, text: str) -> None:
    assert number_format(code).show(_5_MARCH_2012) == text


@pytest.mark.parametrize(
    ("serial", "text"),
    [(43_585, "平成31"), (43_586, "令和1"), (32_515, "昭和64"), (32_516, "平成1"), (4_594, "明治45"), (4_595, "大正1")],
)
def test_eras_begin_on_their_day(serial: int, text: str) -> None:
    assert number_format("[$-411]ggge").show(serial) == text


def test_every_language_has_all_its_names() -> None:
    assert set(NAMES) == {*_LANGUAGES.values(), *_WHOLE.values()}
    for language, rows in NAMES.items():
        assert [len(row.split("|")) for row in rows] == [12, 12, 12, 7, 7], language
        assert all(name for row in rows for name in row.split("|")), language


def test_languages_that_share_an_identifier() -> None:
    found = [
        locale(tag).language
        for tag in ("0404", "804", "zh-TW", "zh-Hans-CN", "41A", "81A", "C1A", "sr-Latn-RS", "414", "nn-NO")
    ]
    assert found == ["zh-Hant", "zh", "zh-Hant", "zh", "hr", "sr-Latn", "sr", "sr-Latn", "nb", "nn"]
