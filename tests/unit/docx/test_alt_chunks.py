"""Alternative format import: content of another format read where it stands, and pages of HTML as they are shown."""

from __future__ import annotations

import base64
from urllib.parse import quote_from_bytes

import pytest

from builders.docx import PNG, WHO, docx, ins, p, read, t, table, texts
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors.html_text import extract
from fumehood_sandbox.extractors.web_archive import extract as extract_archive


def chunked(part: bytes | str, name: str = "c.html", *, body: str = "", **more: str) -> bytes:
    chunk = "<w:altChunk r:id='r2'/>"
    whole = body.replace("CHUNK", chunk) if body else p("before") + chunk + p("after")
    return docx(whole, rels=[("r2", "aFChunk", name)], more={f"word/{name}": part}, **more)


def html(text: str | bytes) -> Document:
    document = Document(Format("html"))
    data = text.encode() if isinstance(text, str) else text
    extract(Extraction(data, Request(), document, CollectingSink(document)))
    return document


def said(document: Document) -> list[tuple[str, str]]:
    return [(block.type, block.text) for block in document.blocks]


def test_html_is_read_where_it_stands() -> None:
    data = chunked("<html><body><h2>Head</h2><p>some <b>bold</b>\n words</p><ul><li>one</ul></body></html>")
    document = read(data)
    assert said(document) == [
        ("paragraph", "before"), ("heading", "Head"), ("paragraph", "some bold words"), ("list_item", "one"), ("paragraph", "after"),
    ]  # fmt: skip
    assert [b.para_index for b in document.blocks] == [0, None, None, None, 1]
    assert [o.title for o in document.outline] == ["Head"]
    assert (document.warnings, document.attachments) == ([], [])
    assert document.counts["paragraphs"] == 2
    assert len({b.id for b in document.blocks}) == 5


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("<p>hi", "c.html"),
        (b"\xef\xbb\xbfhi\r\n", "c.txt"),
        (docx(p("hi")), "c.docx"),
        (b'MIME-Version: 1.0\nContent-Type: text/html; charset="utf-16le"\n\n' + "<p>hi</p>".encode("utf-16-le"), "c.mht"),
        (
            (
                "Subject: saved page\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n"
                "Content-Transfer-Encoding: quoted-printable\n\n<p>=68i</p>\n--b--\n"
            ),
            "c.mht",
        ),
    ],
)
def test_the_formats_that_are_read(part: bytes | str, name: str) -> None:
    assert texts(chunked(part, name)) == ["before", "hi", "after"]
    assert [w.code for w in read(chunked(part, name)).warnings if w.code != "encoding-guessed"] == []


def test_a_piece_of_html_under_another_name() -> None:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="dat" ContentType="text/html"/><Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    body = p("before") + "<w:altChunk r:id='r2'/>"
    data = docx(body, rels=[("r2", "aFChunk", "c.dat")], more={"[Content_Types].xml": types, "word/c.dat": "a <i>piece</i>"})
    assert texts(data) == ["before", "a piece"]


@pytest.mark.parametrize("part", ["{\\rtf1 words}", b"\xd0\xcf\x11\xe0", docx(p("x"))[:300], bytes(100)])
def test_what_cannot_be_read_is_attached_and_said(part: bytes | str) -> None:
    document = read(chunked(part, "c.bin"))
    assert texts(chunked(part, "c.bin")) == ["before", "after"]
    assert document.warnings[0].code == "alt-chunk"
    assert document.warnings[0].where == "word/c.bin"
    assert len(document.attachments) == 1


def test_chunks_that_are_not_there() -> None:
    body = p("x") + "<w:altChunk r:id='r2'/><w:altChunk r:id='r3'/><w:altChunk r:id='r4'/>"
    document = read(docx(body, rels=[("r2", "aFChunk", "gone.html"), ("r3", "aFChunk", "http://x/y", "External")]))
    assert [(w.code, w.count) for w in document.warnings if w.code == "alt-chunk"] == [("alt-chunk", 3)]
    assert ("external_link", "http://x/y") in [(a.type, a.detail) for a in document.active_content]


def test_a_chunk_that_holds_itself_ends() -> None:
    inner = docx(p("deep"))
    for level in range(6):
        inner = chunked(inner, "c.docx", body=p(f"level {level}") + "CHUNK")
    found = texts(inner)
    assert found == ["level 5", "level 4", "level 3", "level 2"]


def test_a_word_document_joins_with_all_it_has() -> None:
    image = (
        "<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri='x'><pic:pic><pic:blipFill><a:blip r:embed='r9'/></pic:blipFill>"
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    inner = docx(
        p("kept ", ins("new"), "<w:r><w:footnoteReference w:id='1'/></w:r>") + table(["cell"]) + p(image),
        rels=[("r9", "image", "media/a.png")],
        more={"word/media/a.png": PNG},
        footnotes=f"<w:footnote w:id='1'>{p('a note')}</w:footnote>",
    )
    outer = docx(
        p("outer", ins("x"), "<w:r><w:footnoteReference w:id='1'/></w:r>") + table(["outer cell"]) + "<w:altChunk r:id='r2'/>",
        rels=[("r2", "aFChunk", "c.docx")],
        more={"word/c.docx": inner},
        footnotes=f"<w:footnote w:id='1'>{p('outer note')}</w:footnote>",
    )
    document = read(outer, assets=True)
    for items in (document.blocks, document.tables, document.revisions, document.notes):
        assert len({item.id for item in items}) == len(items)  # type: ignore[attr-defined]
    assert sorted(n.text for n in document.notes) == ["a note", "outer note"]
    assert sorted(c.text for t in document.tables for c in t.cells) == ["cell", "outer cell"]
    place = next(b for b in document.blocks if b.text == "cell")
    assert place.table_id in {t.id for t in document.tables if t.cells[0].text == "cell"}
    (inserted,) = [r for r in document.revisions if r.text == "new"]
    block = next(b for b in document.blocks if b.text.startswith("kept"))
    assert [run.revision_ids for run in block.runs if run.text == "new"] == [[inserted.id]]
    assert inserted.para_index is None
    shown = next(b for b in document.blocks if b.type == "image")
    assert [i.id for i in document.images] == [shown.image_id]
    assert texts(outer, "original")[:1] == ["outer"]
    assert "kept " in texts(outer, "original")


def test_a_chunk_in_a_cell_stands_in_the_cell() -> None:
    cell = "<w:altChunk r:id='r2'/>" + p("end")
    document = read(chunked("<p>in the cell</p><table><tr><td>deeper</table>", body=table([cell])))
    outer = document.tables[-1]
    assert outer.cells[0].text == "in the cell\nend"
    inner = document.tables[0]
    assert (outer.cells[0].table_id, inner.cells[0].text) == (inner.id, "deeper")
    assert [(b.text, b.table_id) for b in document.blocks if b.type == "paragraph"] == [
        ("in the cell", outer.id), ("deeper", inner.id), ("end", outer.id),
    ]  # fmt: skip


def test_an_inserted_chunk_is_in_one_view() -> None:
    data = chunked("<p>new</p>", body=p("old") + f"<w:ins {WHO}>CHUNK</w:ins>")
    assert (texts(data), texts(data, "original")) == (["old", "new"], ["old"])


def test_headers_of_a_chunk_stay_out() -> None:
    inner = docx(
        p("inner") + "<w:sectPr><w:headerReference w:type='default' r:id='rId_header'/></w:sectPr>", header=p("running", t("!"))
    )
    assert texts(chunked(inner, "c.docx")) == ["before", "inner", "after"]


# --- HTML ------------------------------------------------------------------------------------------------------------


def test_a_row_of_far_too_many_cells_is_told_at_once() -> None:
    """Its cells take time by their number, not by its square, which would be minutes."""
    with pytest.raises(ExtractError, match="too many rows or columns"):
        html("<table><tr>" + "<td>x" * 120_000)


def test_html_tables_with_spans_and_nesting() -> None:
    document = html(
        "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>e<td><table><tr><td>in</table></table><p>after"
    )
    outer = next(t for t in document.tables if len(t.cells) > 1)
    assert [(c.row, c.col, c.row_span, c.col_span, c.text) for c in outer.cells] == [
        (1, 1, 2, 1, "a"), (1, 2, 1, 2, "b"), (2, 2, 1, 1, "c"), (2, 3, 1, 1, "d"), (3, 1, 1, 1, "e"), (3, 2, 1, 1, ""),
    ]  # fmt: skip
    assert (outer.n_rows, outer.n_cols, outer.header_rows) == (3, 3, 1)
    inner = next(t for t in document.tables if len(t.cells) == 1)
    assert outer.cells[-1].table_id == inner.id
    assert said(document)[-1] == ("paragraph", "after")


def test_html_lists_code_quotes_links_and_pictures() -> None:
    document = html(
        "<title>no</title><style>p{}</style><script>var x='<p>no</p>'</script>"
        "<ol start=3><li>three<ul><li>inner</ul><li>four</ol><pre>a  b\n c</pre><blockquote>said</blockquote>"
        "<p>see <a href='https://x/'>this page</a> and <a href=#y>that</a><br>next</p><img src=pic.png alt=Dot>&lt;end&gt;"
    )
    assert [(b.type, b.text, b.list and (b.list.depth, b.list.label)) for b in document.blocks] == [
        ("list_item", "three", (1, "3.")), ("list_item", "inner", (2, "•")), ("list_item", "four", (1, "4.")),
        ("code", "a  b\n c", None), ("quote", "said", None), ("paragraph", "see this page and that\nnext", None),
        ("image", "", None), ("paragraph", "<end>", None),
    ]  # fmt: skip
    assert [(k.target, k.text, k.kind) for k in document.links] == [
        ("https://x/", "this page", "external"), ("#y", "that", "internal"),
    ]  # fmt: skip
    assert [(i.external, i.alt) for i in document.images] == [("pic.png", "Dot")]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<meta charset=windows-1252><p>\x93caf\xe9\x94", "“café”"),
        ("<meta http-equiv=x content='text/html; charset=utf-8'><p>三".encode(), "三"),
        (b"<meta charset=iso-8859-1><p>\x80", "€"),
        (b"<meta charset=nonsense><p>\xe4\xb8\x89", "三"),
        (b"\xef\xbb\xbf<meta charset=windows-1252><p>\xe4\xb8\x89", "三"),
    ],
)
def test_html_encodings(data: bytes, text: str) -> None:
    assert [b.text for b in html(data).blocks] == [text]


def test_html_that_is_broken_ends() -> None:
    assert said(html("</table></td></ul></li></pre><td>x</td><tr><li>y<table>z")) == [
        ("paragraph", "x"), ("list_item", "y"), ("table", ""), ("paragraph", "z"),
    ]  # fmt: skip


def test_a_web_archive_without_a_page() -> None:
    document = Document(Format("mhtml"))
    data = b"MIME-Version: 1.0\nContent-Type: text/plain\n\none\n\ntwo\n"
    extract_archive(Extraction(data, Request(), document, CollectingSink(document)))
    assert [b.text for b in document.blocks] == ["one", "two"]


WEB_ARCHIVE = (
    "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-Location: file:///c/page.htm\n\n"
    "{page}\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Location: {location}\nContent-ID: <dot@x>\n\n"
    "{png}\n--b--\n"
)


@pytest.mark.parametrize(
    ("source", "location"),
    [
        ("file:///c/dot.png", "file:///c/dot.png"),
        ("dot.png", "file:///c/dot.png"),
        ("pics/../dot.png", "dot.png"),
        ("cid:dot@x", ""),
        ("data:image/png;base64," + base64.b64encode(PNG).decode(), ""),
        ("data:image/png," + quote_from_bytes(PNG), ""),
    ],
)
def test_pictures_that_a_page_carries_with_it_are_pictures_of_the_document(source: str, location: str) -> None:
    page = f"<p>before</p><p><img src='{source}' alt='a dot'></p>"
    archive = WEB_ARCHIVE.format(page=page, location=location, png=base64.b64encode(PNG).decode())
    document = read(chunked(archive, "c.mht"), assets=True)
    assert [(i.mime, i.width, i.height, i.bytes, i.alt, i.external) for i in document.images] == [
        ("image/png", 3, 2, len(PNG), "a dot", None)
    ]
    assert [b.image_id for b in document.blocks if b.type == "image"] == [document.images[0].id]
    assert document.active_content == []


@pytest.mark.parametrize("source", ["http://x.example/p.png", "//x.example/p.png", "file:///c/other.png", "\\\\srv\\p.png"])
def test_a_picture_that_would_be_fetched_is_listed_as_that(source: str) -> None:
    """Word fetches it when it takes the page in."""
    document = read(chunked(f"<p>x<img src='{source}'></p>"))
    assert [(a.type, a.detail) for a in document.active_content] == [("external_image", source)]
    assert [i.external for i in document.images] == [source]


@pytest.mark.parametrize("source", ["data:", "data:image/png;base64,!!!", "data:image/png;base64", "cid:", "http://[", ""])
def test_a_picture_that_cannot_be_read_loses_nothing_else(source: str) -> None:
    document = read(chunked(f"<p>before <img src='{source}'> after</p>"))
    assert len(document.images) == 1
    assert [b.text for b in document.blocks if b.text][1] == "before after"
