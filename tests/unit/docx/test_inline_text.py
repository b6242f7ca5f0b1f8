"""What counts as text in a paragraph, and what of it."""

from __future__ import annotations

import pytest

from builders.docx import docx, p, read, t, texts


def one(inline: str, **parts: str) -> str:
    return read(docx(p(inline), **parts)).blocks[0].text


@pytest.mark.parametrize(
    ("inline", "text"),
    [
        (t("a") + "<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:r>", "a\tb\nc\nd"),
        ("<w:r><w:t>no</w:t><w:noBreakHyphen/><w:t>break</w:t><w:softHyphen/><w:t>x</w:t></w:r>", "no\u2011break\u00adx"),
        ('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>', "α✓"),
        ('<w:r><w:sym w:font="Arial" w:char="00E9"/><w:sym w:char="zz"/></w:r>', "é"),
        ("<w:smartTag><w:smartTagPr/><w:customXml>" + t("tagged") + "</w:customXml></w:smartTag>", "tagged"),
        ("<w:sdt><w:sdtPr><w:tag w:val='no'/></w:sdtPr><w:sdtContent>" + t("held") + "</w:sdtContent></w:sdt>", "held"),
        ("<w:dir w:val='rtl'><w:bdo>" + t("way") + "</w:bdo></w:dir>", "way"),
        ("<w:r><w:t> trimmed </w:t></w:r><w:r><w:t xml:space='preserve'> kept </w:t></w:r>", "trimmed kept "),
        ("<w:r><w:t>two\nlines</w:t></w:r>", "two lines"),
        ("<w:ruby><w:rt>" + t("kana") + "</w:rt><w:rubyBase>" + t("字") + "</w:rubyBase></w:ruby>", "字(kana)"),
        ("<w:r><w:delText>nobody sees this</w:delText></w:r>", "nobody sees this"),
        ("<mc:AlternateContent><mc:Choice>" + t("choice") + "</mc:Choice><mc:Fallback>" + t("no") + "</mc:Fallback></mc:AlternateContent>", "choice"),
        ("<w:unheardOf>" + t("still text") + "</w:unheardOf>", "still text"),
    ],
)  # fmt: skip
def test_inline(inline: str, text: str) -> None:
    assert one(inline) == text


def test_deleted_text_outside_a_deletion_is_in_no_reading_but_the_original() -> None:
    data = docx(p("a", "<w:r><w:delText>b</w:delText></w:r>"))
    assert (texts(data), texts(data, "original")) == (["a"], ["ab"])


def test_plain_paragraphs_carry_no_runs() -> None:
    blocks = read(docx(p(t("a"), t("b")) + p(t("c", "<w:b/>"), "d"))).blocks
    assert blocks[0].runs == []
    assert [(r.text, r.bold) for r in blocks[1].runs] == [("c", True), ("d", False)]
