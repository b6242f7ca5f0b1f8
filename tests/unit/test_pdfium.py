"""PDF by the second method: what both methods can say is the same, and what this one cannot is said."""

from __future__ import annotations

import pytest

from builders.pdf import SCAN, document, lines, show, stream
from fumehood_sandbox import methods
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError

pymupdf = pytest.importorskip("pymupdf")
pytest.importorskip("pypdfium2")

WORDS = "the quick brown fox jumps over dogs"
ROWS = (("Fruit", "2022", "2023"), ("Apples", "12.5", "13.0"), ("Pears", "8.1", "7.9"), ("Plums", "3", "4"))


def read(data: bytes, method: str = "fallback", **request: object) -> Document:
    found = Format("pdf")
    return methods.run(data, Request(method=method, **request), found, lambda _, made: CollectingSink(made)).document


def fails(data: bytes, **request: object) -> str:
    with pytest.raises(ExtractError) as caught:
        read(data, **request)
    return caught.value.code


def said(doc: Document) -> dict[str, object]:
    return {
        "blocks": [(b.type, b.text, b.level, b.part, b.page, b.row, b.col) for b in doc.blocks],
        "tables": [(t.n_rows, t.n_cols, t.header_rows, [(c.row, c.col, c.text) for c in t.cells]) for t in doc.tables],
        "pages": [(p.index, p.label, p.kind, p.width, p.height) for p in doc.pages],
        "outline": doc.outline,
        "links": doc.links,
        "images": [(i.width, i.height, i.page) for i in doc.images],
        "counts": doc.counts,
    }


def columns(left: str, right: str) -> str:
    rows = ((f"{left} {i} {WORDS}"[:40], f"{right} {i} {WORDS}"[:40]) for i in range(8))
    return "".join(show(a, 72, 650 - 13 * i) + show(b, 330, 650 - 13 * i) for i, (a, b) in enumerate(rows))


def table(y: float = 700) -> str:
    return "".join(show(text, 72 + 120 * j, y - 14 * i) for i, row in enumerate(ROWS) for j, text in enumerate(row))


LABELS = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) >>] >> /Outlines 100 0 R"
OUTLINE: dict[int, str | bytes] = {
    100: "<< /First 101 0 R /Last 101 0 R /Count 1 >>",
    101: "<< /Title (Chapter) /Parent 100 0 R /Dest [14 0 R /Fit] >>",
}
LINK: dict[int, str | bytes] = {
    100: "<< /Type /Annot /Subtype /Link /Rect [0 0 20 20] /A << /S /URI /URI (http://x.org/) >> >>",
}


@pytest.mark.parametrize(
    "data",
    [
        document([lines(["This is the first line of a para-", "graph and its second line."]) + show("Next.", y=600), show("Two.")]),
        document([show("A title over it", 72, 700, 22) + columns("left", "right")]),
        document([lines(["ordinary text of the page"] * 3) + show("Big", y=500, size=24) + show("Smaller", y=450, size=16)]),
        document([table() + show("After it a sentence.", y=500)]),
        document([show(f"Report, page {i}", y=760) + lines([f"text of page {i} that is", "long enough"], y=600) for i in range(1, 5)]),
        document([show(c) for c in "abc"], catalog=LABELS, extra=OUTLINE),
        document([show("a")], page_entries="/Annots [100 0 R]", extra=LINK),
        document([show("a") + "q 20 0 0 20 9 9 cm /Im1 Do Q"]),
        document([SCAN, show("text"), ""]),
        document([f"q 0 1 -1 0 612 0 cm {table(500)} Q"], page_entries="/Rotate 90"),
    ],
    ids=["paragraphs", "columns", "headings", "table", "running heads", "labels", "link", "image", "scan", "turned"],
)  # fmt: skip
def test_both_methods_say_the_same(data: bytes) -> None:
    assert said(read(data)) == said(read(data, "primary"))


@pytest.mark.parametrize("method", [2, 3, 4, 5])  # RC4 40, RC4 128, AES 128, AES 256
def test_passwords(method: int) -> None:
    plain = pymupdf.open(stream=document([show("secret words")]), filetype="pdf")
    data = plain.tobytes(encryption=method, user_pw="user", owner_pw="owner")
    assert fails(data) == "encrypted"
    assert fails(data, password="wrong") == "wrong-password"
    for password in ("user", "owner"):
        doc = read(data, password=password)
        assert [b.text for b in doc.blocks] == ["secret words"]
        assert doc.format.encrypted


def test_failures_are_those_of_the_first_method() -> None:
    assert fails(document([SCAN, SCAN])) == "needs-ocr"
    assert fails(b"%PDF-1.7\nnothing else") == "corrupt"
    assert fails(b"%PDF-1.7\n" + bytes(1000)) == "corrupt"
    assert [page.index for page in read(document([show(c) for c in "abc"]), pages=[[2, 3]]).pages] == [2, 3]


def test_what_it_leaves_out_is_said_and_what_would_act_is_listed() -> None:
    catalog = "/Names << /JavaScript << /Names [(x) 101 0 R] >> /EmbeddedFiles << /Names [(f) 102 0 R] >> >>"
    extra: dict[int, str | bytes] = {
        101: "<< /S /JavaScript /JS (app.alert(1)) >>",
        102: "<< /Type /Filespec /F (evil.exe) /UF (evil.exe) /EF << /F 103 0 R >> >>",
        103: stream("MZ", "/Type /EmbeddedFile"),
        104: "<< /Title (T) /CreationDate (D:20240229103000Z) >>",
    }
    doc = read(document([show("a")], catalog=catalog, extra=extra, trailer="/Info 104 0 R"))
    assert {w.code for w in doc.warnings} == {"fallback", "less-detail"}
    assert {found.type for found in doc.active_content} == {"javascript", "embedded_file"}
    assert [a.name for a in doc.attachments] == ["evil.exe"]
    assert (doc.metadata["title"], doc.metadata["created"]) == ("T", "2024-02-29T10:30:00Z")


def test_the_chain_goes_on_where_the_first_method_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr("fumehood_sandbox.extractors.pdf.extract", broken)
    doc = read(document([show("words")]), "auto")
    assert [(m.name, m.ok) for m in doc.methods] == [("pymupdf", False), ("pypdfium2", True)]
    assert [b.text for b in doc.blocks] == ["words"]


def test_an_attachment_that_is_not_there_ends_nothing() -> None:
    catalog = "/Names << /EmbeddedFiles << /Names [(f) 102 0 R (g) 103 0 R] >> >>"
    extra: dict[int, str | bytes] = {
        103: "<< /Type /Filespec /F (here.txt) /UF (here.txt) /EF << /F 104 0 R >> >>",
        104: stream("x"),
    }
    doc = read(document([show("a")], catalog=catalog, extra=extra))
    assert [block.text for block in doc.blocks] == ["a"]
    assert [a.name for a in doc.attachments] == ["here.txt"]
    assert "attachments-unreadable" in {w.code for w in doc.warnings}
