"""What counts as text in a paragraph, and what of it."""

from __future__ import annotations

import pytest

from builders.docx import docx, markdown, p, read, style, t, texts
from fumehood_sandbox.contract import Run


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
        (t("a") + "<w:r><w:ptab w:alignment='right'/><w:t>b</w:t></w:r>", "a\tb"),
        (t("a") + "<w:r><w:br w:type='column'/><w:t>b</w:t><w:br w:type='textWrapping'/></w:r>" + t("c"), "a\nb\nc"),
        ("<w:bookmarkStart w:id='0' w:name='b'/>" + t("in") + "<w:bookmarkEnd w:id='0'/><w:proofErr w:type='spellStart'/>", "in"),
        ("<w:permStart w:id='1' w:edGrp='everyone'/>" + t("allowed") + "<w:permEnd w:id='1'/>", "allowed"),
        ("<w:r><w:lastRenderedPageBreak/><w:t>no break</w:t></w:r>", "no break"),
        ("<w:r><w:footnoteRef/><w:annotationRef/><w:separator/><w:continuationSeparator/></w:r>" + t("x"), "x"),
        ("<w:r><w:t xml:space='preserve'> </w:t></w:r>" + t("x"), " x"),
        ("<w:r><w:t>a&#160;b&#8203;c&#x1F600;</w:t></w:r>", "a\u00a0b\u200bc\U0001f600"),
        ("<w:r><w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr><w:sym w:font='Symbol' w:char='F0B3'/></w:r>", "≥"),
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


@pytest.mark.parametrize("look", ["<w:caps/>", "<w:smallCaps/>"])
def test_capitals_are_a_look_and_the_text_stays_as_typed(look: str) -> None:
    """17.3.2.5: "This property does not affect any non-alphabetic character in this run, and does not change the Unicode character"."""
    assert one(t("Harbour office", look)) == "Harbour office"


@pytest.mark.parametrize(
    ("rpr", "bold", "italic"),
    [
        ("<w:b/><w:i/>", True, True),
        ("<w:bCs/><w:iCs/>", False, False),
        ("<w:rtl/><w:bCs/><w:iCs/>", True, True),
        ("<w:cs/><w:b/><w:iCs/>", False, True),
        ("<w:rtl w:val='0'/><w:b/>", True, False),
    ],
)
def test_right_to_left_runs_have_a_weight_of_their_own(rpr: str, bold: bool, italic: bool) -> None:
    """17.3.2.2, 17.3.2.30: complex script runs are bold by ``w:bCs``; the text stays in the order in which it is read."""
    block = read(docx(p("a", t("שלום", rpr), ppr="<w:bidi/>"))).blocks[0]
    assert block.text == "aשלום"
    assert [(r.bold, r.italic) for r in block.runs or [Run()]][-1] == (bold, italic)


def test_formatting_by_run_by_style_and_switched_off() -> None:
    styles = style("Strong", "Strong", "<w:rPr><w:b/></w:rPr>", kind="character")
    body = p(
        t("b", "<w:b/>"), t("i", "<w:i/>"), t("u", "<w:u w:val='single'/>"), t("s", "<w:strike/>"), t("d", "<w:dstrike/>"),
        t("up", "<w:vertAlign w:val='superscript'/>"), t("down", "<w:vertAlign w:val='subscript'/>"),
        t("style", "<w:rStyle w:val='Strong'/>"), t("off", "<w:rStyle w:val='Strong'/><w:b w:val='0'/>"), t("none", "<w:u w:val='none'/>"),
    )  # fmt: skip
    said = [
        (r.text, [n for n in ("bold", "italic", "underline", "strike", "vertical") if getattr(r, n)])
        for r in read(docx(body, styles=styles)).blocks[0].runs
    ]
    assert said == [
        ("b", ["bold"]), ("i", ["italic"]), ("u", ["underline"]), ("sd", ["strike"]), ("up", ["vertical"]), ("down", ["vertical"]),
        ("style", ["bold"]), ("offnone", []),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["HTML Code", "Verbatim Char", "Source Text", "Inline Code", "HTML Preformatted Char"])
def test_a_character_style_for_code_is_code(name: str) -> None:
    data = docx(p("run ", t("make", "<w:rStyle w:val='C'/>")), styles=style("C", name, kind="character"))
    assert [(r.text, r.code) for r in read(data).blocks[0].runs] == [("run ", False), ("make", True)]
    assert markdown(data) == "run `make`"


def test_a_style_based_on_one_for_code_is_code() -> None:
    styles = style("C", "HTML Code", kind="character") + style("D", "Keyword", kind="character", based_on="C")
    assert [r.code for r in read(docx(p(t("x", "<w:rStyle w:val='D'/>")), styles=styles)).blocks[0].runs] == [True]
