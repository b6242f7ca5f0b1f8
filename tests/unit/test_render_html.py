"""HTML: a complete page in which nothing of a document is markup and nothing loads."""

from __future__ import annotations

from html.parser import HTMLParser

from fumehood.documents.render_html import render
from fumehood_sandbox.contract import Block, Cell, Document, Format, Image, ListInfo, Run, Sheet, SheetCell, Table

_VOID = {"meta", "br", "hr", "img"}


class _Checker(HTMLParser):
    """Tags in order; fails on an end tag that closes nothing or the wrong element."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(document):
    checker = _Checker()
    checker.feed(render(document))
    checker.close()
    assert checker.open == []
    return checker


HOSTILE = "</p><script>alert(1)</script><img src=x onerror=y>\"'&amp;"


def test_hostile_text_in_every_place_stays_text():
    document = Document(
        Format("docx", name=HOSTILE),
        metadata={"title": HOSTILE, "language": 'en"><script>'},
        blocks=[
            Block("b1", "heading", HOSTILE, level=99),
            Block("b2", text=HOSTILE, runs=[Run(HOSTILE, bold=True, link="javascript:" + HOSTILE)]),
            Block("b3", "code", HOSTILE),
            Block("b4", "equation", latex=HOSTILE),
            Block("b5", "image", image_id="i1"),
            Block("b6", "table", table_id="t1"),
            Block("b7", text="x", hidden=HOSTILE),
        ],
        images=[Image("i1", HOSTILE, HOSTILE, alt=HOSTILE)],
        tables=[Table("t1", cells=[Cell(1, 1, 10**9, 10**9, HOSTILE)], caption=HOSTILE)],
        sheets=[Sheet(HOSTILE, cells=[SheetCell("A1", 1, 1, text=HOSTILE, comment=HOSTILE)])],
    )
    checker = check(document)
    assert "script" not in checker.tags
    assert not any(name.startswith("on") for name, _ in checker.attributes)
    assert not any("javascript:" in (value or "") for name, value in checker.attributes if name == "href")
    assert ("colspan", "1000") in checker.attributes


def test_no_image_has_an_address():
    images = [Image("i1", "http://evil/x.png", "image/png"), Image("i2", "y", "image/png", external="http://evil/y.png")]
    blocks = [Block("b1", "image", image_id="i1"), Block("b2", "image", image_id="i2")]
    sources = [
        value for name, value in check(Document(Format("docx"), blocks=blocks, images=images)).attributes if name == "src"
    ]
    assert sources == ["x.png"]


def test_lists_nest_and_close():
    depths = [1, 3, 2, 1, 10**6, 1]
    blocks = [Block(f"b{i}", "list_item", "x", list=ListInfo(depth, i % 2 == 0, "1.")) for i, depth in enumerate(depths)]
    assert check(Document(Format("docx"), blocks=blocks)).tags.count("li") == 6


def test_paragraphs_that_go_on_stand_in_their_item():
    labels = [(1, "•"), (2, "☐"), (1, ""), (1, "•")]
    blocks = [
        Block(f"b{i}", "list_item", f"x{i}", list=ListInfo(depth, label=label)) for i, (depth, label) in enumerate(labels)
    ]
    shown = render(Document(Format("docx"), blocks=blocks))
    check(Document(Format("docx"), blocks=blocks))
    assert "<ul>\n<li>x0\n<ul>\n<li>☐ x1</li></ul>\n<p>x2</p></li>\n<li>x3</li></ul>" in shown


def test_empty_paragraphs_of_a_cell_do_not_show():
    said, empty = (Block(f"b{i}", text=text, table_id="t1", row=1, col=1) for i, text in enumerate(("Said", "")))
    table = Table("t1", n_rows=1, n_cols=1, cells=[Cell(1, 1, text="Said\n")])
    blocks = [Block("b", "table", table_id="t1"), said, empty]
    assert "<td>Said</td>" in render(Document(Format("docx"), blocks=blocks, tables=[table]))


def test_links_of_cells():
    links = {"A1": "https://x.org/", "B1": "#Sheet2!A1", "C1": "file:///etc/passwd"}
    cells = [SheetCell(ref, 1, col, text=ref, link=link) for col, (ref, link) in enumerate(links.items(), 1)]
    shown = render(Document(Format("xlsx"), sheets=[Sheet("S", cells=cells)]))
    assert '<td><a href="https://x.org/" rel="noopener noreferrer nofollow">A1</a></td>' in shown
    assert "<td>B1</td><td>C1 (<code>file:///etc/passwd</code>)</td>" in shown
