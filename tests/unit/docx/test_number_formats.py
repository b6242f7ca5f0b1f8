"""Numbers in the formats of ``w:numFmt`` (ECMA-376 part 1, 17.18.59), and symbol fonts as characters."""

from __future__ import annotations

import pytest

from builders.docx import abstract, docx, item, labels, level, num, p, read
from fumehood_sandbox.extractors.ooxml.labels import format_number


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("decimal", {1: "1", 10: "10"}),
        ("decimalZero", {1: "01", 9: "09", 10: "10", 100: "100"}),
        ("decimalHalfWidth", {12: "12"}),
        ("decimalFullWidth", {12: "１２"}),
        ("upperRoman", {4: "IV", 9: "IX", 1994: "MCMXCIV"}),
        ("lowerRoman", {4: "iv", 40: "xl", 3999: "mmmcmxcix"}),
        ("upperLetter", {1: "A", 26: "Z", 27: "AA", 52: "ZZ", 53: "AAA"}),
        ("lowerLetter", {1: "a", 26: "z", 27: "aa", 28: "bb", 0: "0"}),
        ("ordinal", {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 22: "22nd", 113: "113th"}),
        ("cardinalText", {1: "One", 21: "Twenty-one", 100: "One hundred", 342: "Three hundred forty-two"}),
        ("ordinalText", {1: "First", 12: "Twelfth", 21: "Twenty-first", 40: "Fortieth", 100: "One hundredth"}),
        ("hex", {9: "9", 255: "FF"}),
        ("chicago", {1: "*", 2: "†", 3: "‡", 4: "§", 5: "**"}),
        ("numberInDash", {7: "- 7 -"}),
        ("decimalEnclosedCircle", {1: "①", 20: "⑳", 21: "21"}),
        ("decimalEnclosedParen", {1: "⑴", 20: "⒇", 21: "21"}),
        ("decimalEnclosedFullstop", {1: "⒈", 20: "⒛"}),
        ("ideographEnclosedCircle", {1: "㊀", 10: "㊉", 11: "11"}),
        ("ideographDigital", {10: "一〇", 205: "二〇五"}),
        ("taiwaneseDigital", {10: "一○"}),
        ("koreanDigital", {10: "일영"}),
        ("koreanDigital2", {10: "一零"}),
        ("hindiNumbers", {12: "१२"}),
        ("thaiNumbers", {12: "๑๒"}),
        ("chineseCounting", {1: "一", 10: "十", 11: "十一", 20: "二十", 99: "九十九", 101: "一○一"}),
        ("taiwaneseCounting", {15: "十五", 110: "一一○"}),
        ("chineseCountingThousand", {10: "十", 15: "十五", 100: "一百", 101: "一百零一", 110: "一百一十", 205: "二百零五",
                                     1001: "一千零一", 1010: "一千零一十", 1234: "一千二百三十四", 10001: "一万零一",
                                     12345: "一万二千三百四十五"}),
        ("taiwaneseCountingThousand", {20000: "二萬"}),
        ("japaneseCounting", {1: "一", 10: "十", 15: "十五", 100: "百", 111: "百十一", 205: "二百五", 1000: "千", 10000: "一万"}),
        ("koreanCounting", {1: "일", 11: "십일", 100: "백", 205: "이백오"}),
        ("koreanLegal", {1: "하나", 11: "열하나", 20: "스물", 100: "100"}),
        ("chineseLegalSimplified", {2: "贰", 10: "壹拾", 23: "贰拾叁", 100: "壹佰"}),
        ("ideographLegalTraditional", {1: "壹", 23: "貳拾參"}),
        ("japaneseLegal", {1: "壱", 10: "壱拾", 23: "弐拾参"}),
        ("ideographTraditional", {1: "甲", 10: "癸", 11: "甲"}),
        ("ideographZodiac", {1: "子", 12: "亥", 13: "子"}),
        ("ideographZodiacTraditional", {1: "甲子", 11: "甲戌", 60: "癸亥", 61: "甲子"}),
        ("ganada", {1: "가", 3: "다"}),
        ("chosung", {1: "ㄱ", 14: "ㅎ"}),
        ("aiueo", {1: "ｱ", 3: "ｳ"}),
        ("aiueoFullWidth", {3: "ウ", 46: "ン"}),
        ("iroha", {1: "ｲ"}),
        ("irohaFullWidth", {2: "ロ"}),
        ("russianLower", {2: "б", 10: "к", 29: "я", 30: "аа"}),
        ("russianUpper", {1: "А"}),
        ("hebrew1", {1: "א", 10: "י", 11: "יא", 15: "טו", 16: "טז", 20: "כ", 115: "קטו"}),
        ("hebrew2", {1: "א", 22: "ת", 23: "את"}),
        ("arabicAlpha", {2: "ب", 3: "ت", 29: "أأ"}),
        ("arabicAbjad", {3: "ج", 4: "د"}),
        ("hindiVowels", {1: "क", 2: "ख"}),
        ("hindiConsonants", {1: "अ", 17: "अं"}),
        ("thaiLetters", {1: "ก", 2: "ข"}),
        ("thaiCounting", {1: "หนึ่ง", 10: "สิบ", 11: "สิบเอ็ด", 21: "ยี่สิบเอ็ด"}),
        ("vietnameseCounting", {5: "năm", 10: "mười", 15: "mười lăm", 21: "hai mươi mốt"}),
        ("none", {3: ""}),
        ("unheard of", {5: "5"}),
    ],
)  # fmt: skip
def test_number_formats(kind: str, written: dict[int, str]) -> None:
    assert {n: format_number(n, kind) for n in written} == written


@pytest.mark.parametrize(
    ("examples", "written"),
    [
        ("001, 002, 003, ...", ["001.", "002."]),
        ("00001, 00002, 00003, ...", ["00001.", "00002."]),
        ("α, β, γ, ...", ["α.", "β."]),
        ("Α, Β, Γ, ...", ["Α.", "Β."]),
        ("a thing nobody knows", ["1.", "2."]),
    ],
)
def test_custom_formats_by_their_examples(examples: str, written: list[str]) -> None:
    """Word 2010 and later write ``custom`` for those who know it and decimal for the rest."""
    kind = (
        f"<mc:AlternateContent><mc:Choice Requires='w14'><w:numFmt w:val='custom' w:format='{examples}'/></mc:Choice>"
        "<mc:Fallback><w:numFmt w:val='decimal'/></mc:Fallback></mc:AlternateContent>"
    )
    numbering = abstract(0, f"<w:lvl w:ilvl='0'><w:start w:val='1'/>{kind}<w:lvlText w:val='%1.'/></w:lvl>") + num(1, 0)
    assert labels(item(1) + item(1), numbering) == written


@pytest.mark.parametrize(
    ("font", "char", "shown"),
    [
        ("Symbol", "\uf0b7", "•"),
        ("Symbol", "\uf02d", "−"),
        ("Symbol", "\u00b7", "•"),
        ("Wingdings", "\uf0a7", "▪"),
        ("Wingdings", "\uf0d8", "➢"),
        ("Wingdings", "\uf0fc", "✓"),
        ("Wingdings", "\uf076", "❖"),
        ("Wingdings", "\uf0a8", "◻"),
        ("Wingdings", "\uf028", "☎"),
        ("Wingdings 2", "\uf050", "✓"),
        ("Wingdings 2", "\uf098", "●"),
        ("Wingdings 3", "\uf07d", "▶"),
        ("Webdings", "\uf061", "✔"),
        ("Courier New", "o", "o"),
        ("Arial", "–", "–"),
        ("", "\uf0b7", "•"),
        ("Somebody's own", "\uf0b7", "•"),
    ],
)
def test_bullets_and_symbols_are_characters(font: str, char: str, shown: str) -> None:
    bullet = level(0, char, "bullet", f'<w:rPr><w:rFonts w:ascii="{font}" w:hAnsi="{font}"/></w:rPr>')
    assert labels(item(1), abstract(0, bullet) + num(1, 0)) == [shown]
    inline = p(f'<w:r><w:sym w:font="{font}" w:char="{ord(char):04X}"/></w:r>')
    assert read(docx(inline)).blocks[0].text == shown


@pytest.mark.parametrize("code", ["D800", "DFFF", "110000", "-1", "zz", ""])
def test_a_symbol_that_is_no_character_is_left_out(code: str) -> None:
    assert read(docx(p("a", f'<w:r><w:sym w:font="Symbol" w:char="{code}"/></w:r>'))).blocks[0].text == "a"
