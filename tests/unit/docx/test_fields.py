"""Fields: the result is text, the instruction is kept beside it, what reaches outside is listed."""

from __future__ import annotations

from builders.docx import docx, field, p, read, t, texts


def one(inline: str, **parts: str) -> str:
    return read(docx(p(inline), **parts)).blocks[0].text


def test_a_fields_result_is_text_and_its_instruction_is_not() -> None:
    assert one(t("p. ") + field("PAGE", t("7")) + t("!")) == "p. 7!"
    nested = field("IF 1 = " + "</w:instrText></w:r>" + field("REF x", t("inner")) + "<w:r><w:instrText>", t("shown"))
    assert one(nested) == "shown"
    assert one("<w:fldSimple w:instr='AUTHOR'>" + t("Ann") + "</w:fldSimple>") == "Ann"


def test_a_field_may_span_paragraphs() -> None:
    body = (
        p(
            "<w:r><w:fldChar w:fldCharType='begin'/><w:instrText>TOC</w:instrText><w:fldChar w:fldCharType='separate'/></w:r>",
            "1",
        )
        + p("2")
        + p("<w:r><w:fldChar w:fldCharType='end'/></w:r>", "after")
    )
    assert texts(docx(body)) == ["1", "2", "after"]


def test_a_field_without_an_end_swallows_nothing_after_its_paragraph() -> None:
    document = read(docx(p("<w:r><w:fldChar w:fldCharType='begin'/><w:instrText>X</w:instrText></w:r>") + p("seen")))
    assert [b.text for b in document.blocks] == ["", "seen"]
    assert [w.code for w in document.warnings] == ["field-unclosed"]


def test_form_fields_show_their_state() -> None:
    box = "<w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData>"
    drop = "<w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='a'/><w:listEntry w:val='b'/></w:ddList></w:ffData>"
    for data, shown in ((box, "☒"), (drop, "b")):
        assert one(f"<w:r><w:fldChar w:fldCharType='begin'>{data}</w:fldChar><w:fldChar w:fldCharType='end'/></w:r>") == shown


def test_links_are_inert_data() -> None:
    body = p(
        "<w:hyperlink r:id='r9' w:anchor='x'>" + t("there") + "</w:hyperlink>",
        field('HYPERLINK "http://b.example/" \\l "s"', t("b")),
    )
    document = read(docx(body, rels=[("r9", "hyperlink", "http://a.example/", "External")]))
    assert [(r.text, r.link) for r in document.blocks[0].runs] == [
        ("there", "http://a.example/#x"),
        ("b", "http://b.example/#s"),
    ]
    assert {link.target for link in document.links} == {"http://a.example/#x", "http://b.example/#s", "http://a.example/"}
    assert document.active_content == []
