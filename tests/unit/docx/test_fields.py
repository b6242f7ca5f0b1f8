"""Fields: the result is text, the instruction is kept beside it, what reaches outside is listed."""

from __future__ import annotations

import pytest

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


BOX = "<w:checkBox><w:default w:val='0'/>{}</w:checkBox>"
DROP = "<w:ddList>{}<w:listEntry w:val='a'/><w:listEntry w:val='b'/></w:ddList>"


@pytest.mark.parametrize(
    "separator", ["", "<w:r><w:fldChar w:fldCharType='separate'/></w:r>"], ids=["no result", "an empty result"]
)
@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (BOX.format("<w:checked/>"), "☒"),
        (BOX.format(""), "☐"),
        (BOX.format("<w:checked w:val='0'/>"), "☐"),
        (DROP.format("<w:result w:val='1'/>"), "b"),
        (DROP.format("<w:default w:val='0'/>"), "a"),
        (DROP.format("<w:result w:val='7'/>"), ""),
    ],
)
def test_form_fields_show_their_state(data: str, shown: str, separator: str) -> None:
    """17.16.17: a box and a list store their state in the field's data; Word writes an empty result behind it."""
    begin = f"<w:r><w:fldChar w:fldCharType='begin'><w:ffData>{data}</w:ffData></w:fldChar></w:r>"
    instruction = "<w:r><w:instrText> FORM </w:instrText></w:r>"
    end = "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    assert one(t("[") + begin + instruction + separator + end + t("]")) == f"[{shown}]"


def test_a_form_field_shows_the_result_that_it_stores() -> None:
    begin = f"<w:r><w:fldChar w:fldCharType='begin'><w:ffData>{DROP.format('')}</w:ffData></w:fldChar></w:r>"
    assert one(begin + field("FORMTEXT", t("written")).split("</w:r>", 1)[1]) == "written"


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


@pytest.mark.parametrize(
    ("instruction", "target"),
    [
        ("HYPERLINK http://a.example/", "http://a.example/"),
        ('hyperlink "http://a.example/a b"', "http://a.example/a b"),
        ('HYPERLINK \\l "there"', "#there"),
        ('HYPERLINK "http://a.example/" \\l "there" \\o "a tip" \\t "_blank"', "http://a.example/#there"),
        ('HYPERLINK \\n \\h "http://a.example/"', "http://a.example/"),
        ('HYPERLINK "\\\\\\\\srv\\\\share\\\\a.docx"', "\\\\srv\\share\\a.docx"),
        ("HYPERLINK “http://a.example/”", "http://a.example/"),
        ("HYPERLINK", None),
    ],
)
def test_the_target_of_a_link_field(instruction: str, target: str | None) -> None:
    """17.16.5.25."""
    document = read(docx(p(field(instruction, t("there")))))
    assert [r.link for r in document.blocks[0].runs] == ([target] if target else [])
    assert [link.target for link in document.links] == ([target] if target else [])


def kept(body: str) -> list[tuple[str, str | None]]:
    """Each run of the first paragraph with the field that it is the result of."""
    return [(r.text, r.instruction) for r in read(docx(body)).blocks[0].runs]


def test_the_instruction_of_a_field_is_kept_with_its_result() -> None:
    assert kept(p("p. ", field(" PAGE  \\* MERGEFORMAT ", t("7")), "!")) == [
        ("p. ", None), ("7", "PAGE  \\* MERGEFORMAT"), ("!", None),
    ]  # fmt: skip
    assert kept(p("<w:fldSimple w:instr=' AUTHOR '>" + t("Ann") + "</w:fldSimple>", "!")) == [("Ann", "AUTHOR"), ("!", None)]


def test_an_instruction_in_pieces_is_one() -> None:
    split = "TI</w:instrText></w:r><w:r><w:rPr><w:b/></w:rPr><w:instrText>ME"
    assert kept(p(field(split, t("10:00")))) == [("10:00", "TIME")]


def test_of_nested_fields_the_inner_one_is_kept_and_a_link_is_a_link() -> None:
    inside = t("Intro ") + field("PAGEREF _Toc1 \\h", t("3"))
    document = read(docx(p(field("TOC \\o", field('HYPERLINK \\l "_Toc1"', inside)), "after")))
    assert [(r.text, r.instruction, r.link) for r in document.blocks[0].runs] == [
        ("Intro ", "TOC \\o", "#_Toc1"), ("3", "PAGEREF _Toc1 \\h", "#_Toc1"), ("after", None, None),
    ]  # fmt: skip


def test_a_field_that_shows_nothing_is_kept_where_it_stands() -> None:
    mark = (
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> XE \"ferry\" </w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )
    assert kept(p("the ", mark, "ferry")) == [("the ", None), ("", 'XE "ferry"'), ("ferry", None)]


def test_the_fields_of_a_text_box_are_its_own() -> None:
    box = f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{p('inside')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    blocks = read(docx(p(field("REF a", t("x") + box), "y"))).blocks
    assert [(b.text, [r.instruction for r in b.runs]) for b in blocks] == [("xy", ["REF a", None]), ("inside", [])]


def test_a_simple_field_around_an_unfinished_one_ends_with_its_element() -> None:
    begun = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>X</w:instrText></w:r>"
    assert one(f"<w:fldSimple w:instr='REF a'>{t('in')}{begun}</w:fldSimple>" + t(" out")) == "in out"


def test_an_instruction_of_any_length_is_cut() -> None:
    long = kept(p(field("REF " + "x" * 100_000, t("r"))))[0][1]
    assert long is not None
    assert len(long) <= 4096
