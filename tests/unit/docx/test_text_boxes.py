"""Text boxes, in DrawingML and VML: blocks of part ``textbox`` after the paragraph that they hang on, read once."""

from __future__ import annotations

import pytest

from builders.docx import deleted, docx, markdown, p, read, t, table, texts


def drawn(inner: str) -> str:
    return f"<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>"


def vml(inner: str) -> str:
    return f"<w:pict><v:shape><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></v:shape></w:pict>"


def both(inner: str) -> str:
    """What Word writes: the same box twice, for newer and for older programs."""
    return f"<mc:AlternateContent><mc:Choice Requires='wps'>{drawn(inner)}</mc:Choice><mc:Fallback>{vml(inner)}</mc:Fallback></mc:AlternateContent>"


def run(inner: str) -> str:
    return f"<w:r>{inner}</w:r>"


@pytest.mark.parametrize("box", [drawn, vml, both])
def test_a_box_is_read_once_and_after_its_paragraph(box: object) -> None:
    assert callable(box)
    data = docx(p("host ", run(box(p("in the box") + p("second"))), "goes on") + p("after"))
    document = read(data)
    assert [(b.part, b.text, b.para_index) for b in document.blocks] == [
        ("body", "host goes on", 0), ("textbox", "in the box", 1), ("textbox", "second", 2), ("body", "after", 3),
    ]  # fmt: skip
    assert document.counts["paragraphs"] == 4
    assert document.warnings == []
    assert markdown(data) == "host goes on\n\n**Text box:**\n\nin the box\n\nsecond\n\nafter"


def test_boxes_in_groups_canvases_boxes_and_cells() -> None:
    group = (
        f"<w:drawing><wp:inline><wpg:wgp xmlns:wpg='urn:g'>{drawn(p('one'))}{drawn(p('two'))}</wpg:wgp></wp:inline></w:drawing>"
    )
    nested = both(p("outer ", run(both(p("inner")))))
    document = read(docx(p(run(group)) + p("x", run(nested)) + table([p("cell", run(vml(p("boxed"))))])))
    assert [(b.part, b.text) for b in document.blocks if b.text] == [
        ("textbox", "one"), ("textbox", "two"), ("body", "x"), ("textbox", "outer "), ("textbox", "inner"), ("body", "cell"), ("textbox", "boxed"),
    ]  # fmt: skip
    assert document.tables[0].cells[0].text == "cell"


def test_a_box_holds_what_a_page_holds() -> None:
    document = read(docx(p(run(both(p("a", ppr="<w:outlineLvl w:val='0'/>") + table(["cell"]) + p(t("b", "<w:b/>")))))))
    assert [(b.type, b.part) for b in document.blocks if b.part == "textbox"] == [
        ("heading", "textbox"), ("table", "textbox"), ("paragraph", "textbox"), ("paragraph", "textbox"),
    ]  # fmt: skip
    assert document.tables[0].part == "textbox"
    assert document.outline == []


def test_a_deleted_box_is_gone_and_a_box_with_a_deletion_loses_it() -> None:
    gone = f"<w:del w:id='1' w:author='Ann'>{run(vml(p('box')))}</w:del>"
    assert texts(docx(p("a", gone) + p("b", run(vml(p("kept ", deleted("lost"))))))) == ["a", "b", "kept "]
    assert texts(docx(p("a", gone)), "original") == ["a", "box"]


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("<w:pict><v:shape><v:textpath string='CONFIDENTIAL'/></v:shape></w:pict>", "CONFIDENTIAL"),
        ("<w:drawing><wp:inline><a:graphic><a:graphicData><a:sp><a:txBody><a:p><a:r><a:t>locked</a:t></a:r></a:p></a:txBody></a:sp></a:graphicData></a:graphic></wp:inline></w:drawing>", "locked"),
        ("<w:pict><v:group><v:rect><v:textbox><w:txbxContent>" + p("old") + "</w:txbxContent></v:textbox></v:rect></v:group></w:pict>", "old"),
    ],
)  # fmt: skip
def test_words_of_drawings_that_are_no_boxes(shape: str, text: str) -> None:
    assert [(b.part, b.text) for b in read(docx(p("x", run(shape)))).blocks] == [("body", "x"), ("textbox", text)]


def test_a_box_in_a_header_is_of_the_header() -> None:
    document = read(docx(p("x"), header=p("top", run(both(p("boxed"))))))
    assert [(b.part, b.text) for b in document.blocks] == [("body", "x"), ("header", "top"), ("header", "boxed")]
