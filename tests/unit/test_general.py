"""The last method: what it keeps of a document, what it reads that nobody else does, and that it says what it leaves out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from anydoc import _anydoc

from builders import damage, xlsb
from builders.docx import PNG, deleted, docx, ins, p, t, table
from builders.pptx import NS, presentation, shape, slide
from builders.xlsx import workbook
from fumehood_sandbox import detect, methods
from fumehood_sandbox.contract import Document, ListInfo, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError
from fumehood_sandbox.extractors.ooxml.repair import repaired

SECTION = "<w:sectPr/>"
NUMBERS = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="lowerRoman"/>'
    '<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)


def read(data: bytes, **request: object) -> Document:
    """*data*, by the last method of its chain alone."""
    found = detect.detect(data)
    chain = methods.CHAINS[found.family][-1:]
    assert chain[0].name == "anydoc"
    return methods.run(data, Request(**request), found, lambda _, made: CollectingSink(made), chain=chain).document  # type: ignore[arg-type]


def by_chain(data: bytes) -> Document:
    return methods.run(data, Request(), detect.detect(data), lambda _, made: CollectingSink(made)).document


def item(text: str, level: int) -> str:
    return p(text, ppr=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>')


def words(document: Document) -> str:
    """All text that was read, with plain blanks."""
    found = [block.text for block in document.blocks]
    found += [cell.text for table in document.tables for cell in table.cells]
    found += [cell.text for sheet in document.sheets for cell in sheet.cells]
    return " ".join(" ".join(found).split())


def test_headings_lists_and_formatting() -> None:
    body = p("Head", ppr='<w:outlineLvl w:val="1"/>') + item("one", 0) + item("deep", 1) + item("two", 0)
    body += p("plain ", t("bold", "<w:b/>")) + SECTION
    document = read(docx(body, numbering=NUMBERS))
    assert [(b.type, b.text, b.level) for b in document.blocks] == [
        ("heading", "Head", 2),
        ("list_item", "one", None),
        ("list_item", "deep", None),
        ("list_item", "two", None),
        ("paragraph", "plain bold", None),
    ]
    assert [b.list for b in document.blocks[1:4]] == [
        ListInfo(1, True, "iii."),
        ListInfo(2, False, "•"),
        ListInfo(1, True, "iv."),
    ]
    assert [(run.text, run.bold) for run in document.blocks[4].runs] == [("plain ", False), ("bold", True)]
    assert [(entry.title, entry.level, entry.block_id) for entry in document.outline] == [("Head", 2, document.blocks[0].id)]


def test_tables_with_spans_and_tables_in_them() -> None:
    wide = "<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>"
    body = table([wide + p("wide")], ["a", table(["inner"]) + p("b") + p("c")]) + p("x") + SECTION
    document = read(docx(body))
    outer, inner = document.tables
    assert [(c.row, c.col, c.col_span, c.text) for c in outer.cells] == [(1, 1, 2, "wide"), (2, 1, 1, "a"), (2, 2, 1, "b\nc")]
    assert [(c.row, c.col, c.text) for c in inner.cells] == [(1, 1, "inner")]
    assert [b.table_id for b in document.blocks if b.type == "table"] == [outer.id, inner.id]
    assert document.counts["tables"] == 2


def test_links_notes_equations_and_images() -> None:
    picture = (
        "<w:r><w:drawing><wp:inline><wp:docPr id='1' name='p' descr='a dot'/><a:graphic><a:graphicData>"
        "<pic:pic><pic:blipFill><a:blip r:embed='i1'/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    body = p("see ", "<w:hyperlink r:id='h1'><w:r><w:t>there</w:t></w:r></w:hyperlink>")
    body += p("noted", "<w:r><w:footnoteReference w:id='1'/></w:r>") + p(picture) + SECTION
    data = docx(
        body,
        rels=[("h1", "hyperlink", "http://example.org/", "External"), ("i1", "image", "media/dot.png")],
        more={"word/media/dot.png": PNG},
        footnotes="<w:footnote w:id='1'><w:p><w:r><w:t>below</w:t></w:r></w:p></w:footnote>",
    )
    document = read(data)
    assert [(link.target, link.text, link.kind) for link in document.links] == [("http://example.org/", "there", "external")]
    (note,) = document.notes
    assert (note.type, note.text) == ("footnote", "below")
    assert [b.text for b in document.blocks if b.id == note.ref_block_id] == ["noted"]
    assert [b.note_id for b in document.blocks if b.part == "footnote"] == [note.id]
    (image,) = document.images
    assert (image.name, image.mime, image.width, image.height, image.alt) == ("dot.png", "image/png", 3, 2, "a dot")
    assert [b.image_id for b in document.blocks if b.type == "image"] == [image.id]


def test_images_are_sent_when_asked_for() -> None:
    blip = "<w:r><w:drawing><a:blip r:embed='i1'/></w:drawing></w:r>"
    data = docx(p("x", blip) + SECTION, rels=[("i1", "image", "media/dot.png")], more={"word/media/dot.png": PNG})
    sink = CollectingSink(Document(detect.detect(data)))
    chain = methods.CHAINS["docx"][-1:]
    methods.run(
        data, Request(assets=True), detect.detect(data), lambda _, made: setattr(sink, "document", made) or sink, chain=chain
    )
    assert list(sink.assets.values()) == [PNG]


def test_every_view_is_the_accepted_one_and_that_is_said() -> None:
    document = read(docx(p("kept ", ins("won"), deleted("lost")) + SECTION))
    assert words(document) == "kept won"
    (warning,) = [w for w in document.warnings if w.code == "less-detail"]
    assert "every view is the text with all changes accepted" in warning.message


def test_sheets_are_tables_and_hidden_ones_are_left_out() -> None:
    cells = "<sheetData><row r='3'><c r='C3'><v>1.5</v></c><c r='E3' t='inlineStr'><is><t>x</t></is></c></row></sheetData>"
    document = read(workbook(cells, cells, cells, names=("One", "Two", "Secret"), sheet_attributes={3: 'state="hidden"'}))
    assert [(b.type, b.text) for b in document.blocks] == [("heading", "One"), ("table", ""), ("heading", "Two"), ("table", "")]
    assert [(c.row, c.col, c.text) for c in document.tables[0].cells] == [(1, 1, "1.5"), (1, 3, "x")]
    (warning,) = [w for w in document.warnings if w.code == "less-detail"]
    assert "hidden rows, columns and sheets are left out" in warning.message


def test_a_large_sheet() -> None:
    rows = "".join(f"<row r='{r}'><c r='A{r}'><v>{r}</v></c></row>" for r in range(1, 3001))
    (found,) = read(workbook(f"<sheetData>{rows}</sheetData>")).tables
    assert [cell.text for cell in found.cells] == [str(r) for r in range(1, 3001)]


def test_binary_workbooks() -> None:
    sheet = xlsb.sheet_part(xlsb.row(1, xlsb.text(1, "binary")))
    assert words(read(xlsb.workbook(sheet))) == "binary"


def test_slides_with_their_notes() -> None:
    notes = f"<p:notes {NS}><p:cSld><p:spTree>{shape('say this', ph='body')}</p:spTree></p:cSld></p:notes>"
    data = presentation(
        slide(shape("Title", ph="title"), shape("body")),
        slide(shape("second")),
        slide_rels={1: (("n", "notesSlide", "../notesSlides/n.xml"),)},
        more={"ppt/notesSlides/n.xml": notes},
    )
    assert [(b.type, b.part, b.text) for b in read(data).blocks] == [
        ("heading", "body", "Title"),
        ("paragraph", "body", "body"),
        ("paragraph", "notes", "say this"),
        ("paragraph", "body", "second"),
    ]


@pytest.mark.parametrize("family", ["docx", "xlsx", "pptx"])
def test_what_ends_the_others_reading_does_not_end_its(family: str) -> None:
    document = by_chain(damage.foreign_entity(family))
    assert [m.name for m in document.methods] == [step.name for step in methods.CHAINS[family]]
    assert [m.ok for m in document.methods] == [False, False, True]
    assert all(m.reason and m.reason.startswith("corrupt: ") for m in document.methods[:2])
    assert words(document) == "before after"
    assert {"fallback", "less-detail"} <= {warning.code for warning in document.warnings}


@pytest.mark.parametrize("damaged", [damage.bare_ampersand, damage.broken_off])
@pytest.mark.parametrize("family", ["docx", "pptx"])
def test_what_ends_its_reading_is_repaired_and_that_is_said(family: str, damaged: Callable[[str], bytes]) -> None:
    document = by_chain(damaged(family))
    assert [m.ok for m in document.methods] == [False, False, True]
    assert words(document) == "before after"
    assert {"fallback", "less-detail", "repaired"} <= {warning.code for warning in document.warnings}


def test_a_sheet_is_repaired() -> None:
    assert words(by_chain(damage.bare_ampersand("xlsx"))) == "before after"


def test_nothing_is_repaired_in_a_whole_package() -> None:
    assert all(repaired(data) is None for data, _part in damage.WHOLE.values())


@pytest.mark.parametrize("family", ["docx", "xlsx", "pptx"])
def test_when_all_fail_each_says_why(family: str) -> None:
    with pytest.raises(methods.ChainError) as caught:
        by_chain(damage.headless(family))
    assert caught.value.code == "corrupt"
    assert [m.name for m in caught.value.tried] == [step.name for step in methods.CHAINS[family]]
    assert all(m.reason for m in caught.value.tried)
    assert str(caught.value.tried[2].reason).startswith("corrupt: anydoc: M")


@pytest.mark.parametrize("data", [damage.wide_characters(), damage.nameless_workbook()], ids=["docx", "xlsx"])
def test_it_is_not_asked_where_the_second_can(data: bytes) -> None:
    document = by_chain(data)
    assert [m.ok for m in document.methods] == [False, True]
    assert words(document) == "before after"


def test_a_broken_part_that_it_can_do_without() -> None:
    data = bytearray(docx(p("still here") + SECTION, more={"word/media/noise.bin": bytes(range(256)) * 4}))
    at = data.index(b"word/media/noise.bin") + len("word/media/noise.bin")
    data[at : at + 8] = b"\xff" * 8  # no deflated block begins so
    assert words(read(bytes(data))) == "still here"


def test_nothing_is_no_answer() -> None:
    with pytest.raises(ExtractError, match="found nothing") as caught:
        read(docx("<w:p/>" + SECTION))
    assert caught.value.code == "corrupt"


def test_bounds_are_proved_before_it_unpacks() -> None:
    with pytest.raises(ExtractError) as caught:
        read(docx(p("x") + SECTION, more={"word/media/zeros.bin": b"\0" * (12 << 20)}))
    assert (caught.value.code, caught.value.kind) == ("limit", "ratio")


def test_its_own_bounds_are_no_word_about_the_document() -> None:
    """Two cells in opposite corners, between which it would lay out every place."""
    corners = (
        "<sheetData><row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>2</v></c></row></sheetData>"
    )
    with pytest.raises(ExtractError) as caught:
        read(workbook(corners))
    assert (caught.value.code, caught.value.detail) == ("unsupported", "anydoc: more than it takes")


def test_a_panic_is_a_failed_method(monkeypatch: pytest.MonkeyPatch) -> None:
    panic = type("PanicException", (BaseException,), {})  # as the binding's own: no `Exception`

    def to_document(_data: bytes, _format: str) -> None:
        raise panic

    monkeypatch.setattr(_anydoc, "to_document", to_document)
    with pytest.raises(ExtractError, match="it panicked") as caught:
        read(docx(p("x") + SECTION))
    assert caught.value.code == "corrupt"


def test_a_long_string_that_many_cells_show_ends_at_its_limit() -> None:
    row = '<row r="{0}"><c r="A{0}" t="s"><v>0</v></c></row>'
    sheet = "".join(row.format(n) for n in range(1, 101))
    data = workbook(f"<sheetData>{sheet}</sheetData>", shared=f"<si><t>{'long ' * 200}</t></si>")
    assert len(read(data, max_output_bytes=400_000).tables[0].cells) == 100
    with pytest.raises(ExtractError) as caught:
        read(data, max_output_bytes=399_000)
    assert (caught.value.code, caught.value.kind) == ("limit", "output")
