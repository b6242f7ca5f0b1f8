"""Documents in documents: found by their relationships, unpacked out of OLE objects, read within bounds."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from builders import xlsb
from builders.damage import rewritten
from builders.docx import MAIN_TYPE, PNG, TYPES, docx, p
from builders.docx import package as zipped
from builders.ole import compound, packager
from builders.pdf import pdf, show, stream
from builders.pptx import presentation, shape, slide
from builders.xlsx import relationships, workbook
from fumehood_sandbox import attachments, detect, methods, nest
from fumehood_sandbox.contract import Attachment, Document, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.nest import MAX_DEPTH, Nest
from fumehood_sandbox.ole_objects import packager_file, unpack

PDF = pdf(
    {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        4: stream(show("inside a pdf")),
        5: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
)
SHEET = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>{}</t></is></c></row></sheetData>'


def read(data: bytes, **request: object) -> Document:
    found = detect.detect(data)
    return methods.run(data, Request(**request), found, lambda _, document: CollectingSink(document)).document  # type: ignore[arg-type]


def embedding(*parts: tuple[str, bytes], body: str = "") -> bytes:
    """A Word document that holds these parts."""
    rels = [
        (f"r{i}", "oleObject" if name.endswith(".bin") else "package", f"embeddings/{name}")
        for i, (name, _) in enumerate(parts, 1)
    ]
    return docx(body or p("outer"), rels=rels, more={f"word/embeddings/{name}": data for name, data in parts})


def with_types(data: bytes) -> bytes:
    """*data* with a content type for every ending, as the libraries want it."""
    endings = "".join(
        f'<Default Extension="{ending}" ContentType="application/x-{ending}"/>' for ending in ("docx", "csv", "rels")
    )
    return rewritten(
        data,
        lambda name, content: (
            name,
            content.replace(b"</Types>", f"{endings}</Types>".encode()) if "Types" in name else content,
        ),
    )


def texts(document: Document | None) -> list[str]:
    assert document is not None
    return [block.text for block in document.blocks if block.text]


def codes(document: Document) -> list[tuple[str, str | None]]:
    return [(warning.code, warning.where) for warning in document.warnings]


def only(document: Document) -> Attachment:
    (attachment,) = document.attachments
    return attachment


def test_objects_stand_in_the_order_of_the_text() -> None:
    objects = "".join(f"<w:object><o:OLEObject ProgID='Package' r:id='{r}'/></w:object>" for r in ("r2", "r1"))
    document = read(
        embedding(("a.bin", bytes(40)), ("b.bin", bytes(41)), ("c.bin", bytes(42)), body=p(f"<w:r>{objects}</w:r>"))
    )
    assert [a.name for a in document.attachments] == ["b.bin", "a.bin", "c.bin"]


def test_an_embedded_package_is_a_document_of_its_own() -> None:
    inner = docx(p("inner"))
    found = only(read(embedding(("Report.docx", inner))))
    assert (found.name, found.bytes) == ("Report.docx", len(inner))
    assert found.mime.endswith("wordprocessingml.document")
    assert texts(found.document) == ["inner"]
    assert found.document is not None
    assert [m.name for m in found.document.methods] == ["ooxml"]


def test_attachments_of_workbooks_and_presentations() -> None:
    inner = docx(p("inner"))
    book = workbook(
        SHEET.format("cell"),
        sheet_rels={1: relationships(("r1", "package", "../embeddings/a.docx"))},
        more={"xl/embeddings/a.docx": inner},
    )
    show_ = presentation(
        slide(shape("hello")),
        slide_rels={1: (("r1", "oleObject", "../embeddings/o.bin"),)},
        more={"ppt/embeddings/o.bin": compound({"Package": inner})},
    )
    binary = xlsb.workbook(
        xlsb.sheet_part(),
        sheet_rels={1: relationships(("r1", "package", "../embeddings/b.xlsb"))},
        more={"xl/embeddings/b.xlsb": xlsb.workbook(xlsb.sheet_part(xlsb.row(1, xlsb.text(1, "inner cell"))))},
    )
    assert texts(only(read(book)).document) == ["inner"]
    inside = only(read(binary)).document
    assert inside is not None
    assert [cell.text for cell in inside.sheets[0].cells] == ["inner cell"]
    found = only(read(show_))
    assert (found.name, found.bytes, texts(found.document)) == ("o.docx", len(inner), ["inner"])


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("family", ["docx", "xlsx", "pptx"])
def test_the_other_methods_attach_them_too(family: str, step: int) -> None:
    inner = docx(p("inner"))
    rels = relationships(("r1", "package", "../embeddings/a.docx"))
    data = {
        "docx": embedding(("a.docx", inner)),
        "xlsx": workbook(
            SHEET.format("cell"), sheet_rels={1: rels}, more={"xl/embeddings/a.docx": inner}, shared="", styles=""
        ),
        "pptx": presentation(
            slide(shape("hello")),
            slide_rels={1: (("r1", "package", "../embeddings/a.docx"),)},
            more={"ppt/embeddings/a.docx": inner},
        ),
    }[family]
    chain = methods.CHAINS[family][step : step + 1]
    data = with_types(data)
    found = detect.detect(data)
    document = methods.run(data, Request(), found, lambda _, made: CollectingSink(made), chain=chain).document
    attachment = only(document)
    assert (attachment.name, attachment.bytes, texts(attachment.document)) == ("a.docx", len(inner), ["inner"])


def test_the_choice_of_method_is_that_of_the_document_alone() -> None:
    document = read(with_types(embedding(("a.docx", docx(p("inner"))), ("b.csv", b"a,b\n1,2\n"))), method="fallback")
    assert [m.name for m in document.methods] == ["python-docx"]
    assert [[m.name for m in a.document.methods] for a in document.attachments if a.document] == [["ooxml"], ["delimited"]]


@pytest.mark.parametrize(
    ("streams", "name", "mime", "text"),
    [
        ({"\1Ole10Native": packager(b"plain words", "C:\\Users\\x\\Notes.txt")}, "Notes.txt", "text/plain", "plain words"),
        (
            {"\1Ole10Native": packager(b"plain words", "No~1.txt", wide="Nötes 三.txt")},
            "Nötes 三.txt",
            "text/plain",
            "plain words",
        ),
        ({"\1CompObj": b"x" * 90, "CONTENTS": PDF}, "object.pdf", "application/pdf", "inside a pdf"),
        ({"Package": docx(p("in ole"))}, "object.docx", None, "in ole"),
    ],
)
def test_the_file_in_an_ole_object(streams: dict[str, bytes], name: str, mime: str | None, text: str) -> None:
    document = read(embedding(("object.bin", compound(streams))))
    found = only(document)
    assert (found.name, texts(found.document)) == (name, [text])
    assert mime is None or found.mime == mime
    assert found.bytes is not None
    assert found.bytes < len(compound(streams))
    assert ("embedded_file", "object.bin") in [(a.type, a.where) for a in document.active_content]


def test_what_is_no_document_is_listed_only() -> None:
    parts = [
        ("a.bin", compound({"\1Ole10Native": packager(b"\x89PNG\r\n\x1a\n" + bytes(40), "dot.png")})),
        ("b.bin", compound({"Equation Native": b"abc"})),
        ("c.bin", bytes(64)),
    ]
    document = read(embedding(*parts))
    assert [(a.name, a.mime, a.bytes, a.document) for a in document.attachments] == [
        ("dot.png", "image/png", 48, None),
        ("b.bin", "application/x-ole-storage", len(parts[1][1]), None),
        ("c.bin", "application/octet-stream", 64, None),
    ]
    assert document.warnings == []


def test_each_failure_is_a_warning_of_its_own() -> None:
    good = docx(p("good"))
    encrypted = compound({"EncryptionInfo": b"x", "EncryptedPackage": b"y"})
    broken = zipped(
        {"[Content_Types].xml": "<Types/>", "_rels/.rels": relationships(("r", "officeDocument", "word/document.xml"))}
    )
    cut = good[: len(good) // 2]
    document = read(embedding(("e.docx", encrypted), ("b.docx", broken), ("c.docx", cut), ("g.docx", good)))
    assert [bool(a.document) for a in document.attachments] == [False, False, False, True]
    assert texts(document)[:1] == ["outer"]
    assert {("attachment-unreadable", "e.docx"), ("attachment-unreadable", "c.docx")} <= set(codes(document))


def test_the_same_bytes_are_read_once() -> None:
    inner = docx(p("inner"))
    document = read(embedding(("a.docx", inner), ("b.docx", inner)))
    assert [bool(a.document) for a in document.attachments] == [True, False]
    assert codes(document) == [("attachment-repeated", "b.docx")]


def nested(depth: int) -> bytes:
    data = docx(p("level 0"))
    for level in range(1, depth + 1):
        data = embedding(("in.docx", data), body=p(f"level {level}"))
    return data


def test_the_workbook_behind_a_chart_is_listed_only() -> None:
    """The chart has what it shows of it. The same workbook dropped into the document is read."""
    book = workbook(SHEET.format("cell"))
    rels = (("rC", "chart", "charts/chart1.xml"), ("rP", "package", "embeddings/dropped.xlsx"))
    chart_rels = relationships(("r1", "package", "../embeddings/behind.xlsx"))
    more = {
        "word/charts/chart1.xml": "<c/>",
        "word/charts/_rels/chart1.xml.rels": chart_rels,
        "word/embeddings/behind.xlsx": book,
        "word/embeddings/dropped.xlsx": book,
    }
    document = read(docx(p("outer"), rels=rels, more=more))
    found = {one.name: one for one in document.attachments}
    assert (found["behind.xlsx"].document, found["behind.xlsx"].bytes) == (None, len(book))
    assert found["dropped.xlsx"].document is not None
    assert [(one.type, one.where) for one in document.active_content] == [("embedded_file", "dropped.xlsx")]


def test_a_workbook_with_macros_behind_a_chart_is_active_content() -> None:
    more: dict[str, str | bytes] = {
        "word/charts/chart1.xml": "<c/>",
        "word/charts/_rels/chart1.xml.rels": relationships(("r1", "package", "../embeddings/behind.xlsm")),
        "word/embeddings/behind.xlsm": workbook(SHEET.format("cell")),
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="xlsm" ContentType="application/vnd.ms-excel.sheet.macroEnabled.12"/>'
        f'<Override PartName="/word/document.xml" ContentType="{MAIN_TYPE}"/></Types>',
    }
    document = read(docx(p("outer"), rels=(("rC", "chart", "charts/chart1.xml"),), more=more))
    assert [(one.type, one.where) for one in document.active_content] == [("embedded_file", "behind.xlsm")]


def test_nesting_ends_at_its_depth() -> None:
    document: Document | None = read(nested(MAX_DEPTH + 1))
    seen = []
    while document is not None:
        seen.append(texts(document)[0])
        last, document = document, only(document).document
    assert seen == [f"level {level}" for level in range(MAX_DEPTH + 1, 0, -1)]
    assert codes(last) == [("attachments-limit", "in.docx")]


def test_no_more_documents_than_allowed_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Nest, "__init__", _with(documents=2))
    document = read(embedding(*((f"{i}.docx", docx(p(f"text {i}"))) for i in range(4))))
    assert [bool(a.document) for a in document.attachments] == [True, True, False, False]
    assert codes(document) == [("attachments-limit", "2.docx"), ("attachments-limit", "3.docx")]


def test_no_more_bytes_than_allowed_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = docx(p("small")), docx(p("large"), more={"word/x.bin": bytes(range(256)) * 40})
    monkeypatch.setattr(Nest, "__init__", _with(input=len(small) + 10))
    document = read(embedding(("large.docx", large), ("small.docx", small)))
    assert [bool(a.document) for a in document.attachments] == [False, True]
    assert codes(document) == [("attachments-limit", "large.docx")]


def _with(**fields: int):
    original = Nest.__init__

    def init(self: Nest, *args: object, **more: object) -> None:
        original(self, *args, **more)  # type: ignore[arg-type]
        for name, value in fields.items():
            setattr(self, name, value)

    return init


def test_no_document_is_begun_when_its_share_of_the_time_is_over() -> None:
    document = read(embedding(("a.docx", docx(p("inner")))), deadline_s=0.0)
    assert only(document).document is None
    assert codes(document) == [("attachments-limit", "a.docx")]


def test_what_does_not_fit_a_frame_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nest, "_FRAME_BYTES", 60_000)
    inner = docx("".join(p(f"paragraph {i} " + "x" * 100) for i in range(1000)))
    after = docx(p("after"))
    document = read(embedding(("long.docx", inner), ("after.docx", after)))
    cut = document.attachments[0].document
    assert cut is not None
    assert cut.partial
    assert 100 < len(cut.blocks) < 1000
    assert texts(cut)[0].startswith("paragraph 0 ")
    assert texts(document.attachments[1].document) == ["after"]
    assert codes(document) == [("attachment-cut", "long.docx")]


def test_properties_that_do_not_fit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nest, "_FRAME_BYTES", 20_000)
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{"t" * 60_000}</dc:title></cp:coreProperties>'
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
        '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="core.xml"/>'
        "</Relationships>"
    )
    document = read(embedding(("a.docx", docx(p("inner"), more={"_rels/.rels": rels, "core.xml": core}))))
    inner = only(document).document
    assert texts(inner) == ["inner"]
    assert inner is not None
    assert inner.metadata == {}
    assert codes(document) == [("attachment-cut", "a.docx")]


def test_a_bomb_inside_is_the_insides_failure() -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with zipfile.ZipFile(BytesIO(docx(p("x")))) as small:
            for name in small.namelist():
                if name != "word/document.xml":
                    archive.writestr(name, small.read(name))
        archive.writestr("word/document.xml", bytes(20 * 1024 * 1024))
    document = read(embedding(("bomb.docx", out.getvalue()), ("good.docx", docx(p("good")))))
    assert [bool(a.document) for a in document.attachments] == [False, True]
    (warning,) = document.warnings
    assert (warning.code, warning.where) == ("attachment-unreadable", "bomb.docx")
    assert "limit" in warning.message


def test_an_embedded_package_has_narrower_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def extract(x: Extraction) -> None:
        seen.append(x.zip_limits)
        if len(seen) == 1:
            attachments.attach(x, "in.docx", "", docx(p("inner")))

    monkeypatch.setattr("fumehood_sandbox.extractors.docx.extract", extract)
    read(docx(p("outer")))
    assert seen[0] is None
    assert seen[1] is not None
    assert seen[1].total_bytes == 96 * 1024 * 1024


def test_images_of_an_embedded_document_are_listed_without_their_bytes() -> None:
    from builders.small import PNG, docx_with_image

    data = embedding(("a.docx", docx_with_image()))
    document = Document(detect.detect(data))
    sink = CollectingSink(document)
    methods.run(data, Request(assets=True), document.format, lambda _, made: setattr(sink, "document", made) or sink)
    inner = only(sink.document).document
    assert inner is not None
    assert [image.bytes for image in inner.images] == [len(PNG)]
    assert sink.assets == {}


def test_an_embedded_part_that_cannot_be_read_is_listed() -> None:
    data = embedding(("a.docx", docx(p("inner"))))
    entry = data.index(b"word/embeddings/a.docx") - 30  # its local header
    broken = data[:entry] + b"PK\x03\x05" + data[entry + 4 :]
    document = read(broken)
    assert (only(document).name, only(document).document) == ("a.docx", None)
    assert codes(document) == [("attachment-unreadable", "a.docx")]


@pytest.mark.parametrize(
    ("native", "found"),
    [
        (packager(b"data", "a.txt"), (b"data", "a.txt")),
        (packager(b"data", "", "D:\\f\\b.txt"), (b"data", "b.txt")),
        (packager(b"data", "a.txt")[:-2], None),
        (b"\x05\0\0\0abcde", (b"abcde", "")),
        (b"\x02\0\0\0\x02\0", (b"\x02\0", "")),
    ],
)
def test_native_streams(native: bytes, found: tuple[bytes, str] | None) -> None:
    packed = packager_file(native)
    if found is None:  # cut short: its bytes as they are, without a name
        assert packed is not None
        assert packed.name == ""
    else:
        assert packed is not None
        assert (packed.data, packed.name) == found


@pytest.mark.parametrize("data", [b"", b"PK", compound({}), compound({"CONTENTS": b"own"}), compound({"\1Ole10Native": b"\1"})])
def test_what_holds_no_file(data: bytes) -> None:
    assert unpack(data) is None


def test_the_list_of_attachments_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MAX_LISTED", 2)
    document = read(embedding(*((f"{i}.bin", bytes([i]) * 40) for i in range(4))))
    assert len(document.attachments) == 2
    assert [(w.code, w.count) for w in document.warnings] == [("attachments-cut", 2)]


def test_a_limit_of_the_inside_names_itself() -> None:
    full = Nest(0.0, room=10, keys=1, output=100)
    with pytest.raises(ExtractError) as caught:
        full.take(b'{"a":1,"b":2}')
    assert (caught.value.code, caught.value.kind) == ("limit", "output")


def test_an_embedded_archive_is_its_files() -> None:
    archive = zipped({"a/notes.txt": "in a zip", "b.docx": docx(p("in a docx in a zip")), "c.png": PNG, "a/": ""})
    document = read(embedding(("o.bin", compound({"\1Ole10Native": packager(archive, "all.zip")}))))
    found = only(document)
    assert (found.name, found.mime, found.bytes) == ("all.zip", "application/zip", len(archive))
    assert found.document is not None
    assert found.document.counts == {"members": 3}
    assert [(a.name, a.mime) for a in found.document.attachments] == [
        ("a/notes.txt", "text/plain"),
        ("b.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("c.png", "image/png"),
    ]
    assert [texts(a.document) for a in found.document.attachments[:2]] == [["in a zip"], ["in a docx in a zip"]]


def test_an_archive_that_holds_archives_ends() -> None:
    data: bytes = zipped({"deep.txt": "deep"})
    for _ in range(20):
        data = zipped({"in.zip": data})
    found: Document | None = read(embedding(("a.zip", data)))
    depth = 0
    while found is not None:
        last, depth = found, depth + 1
        found = only(found).document
    assert depth == 1 + MAX_DEPTH
    assert codes(last) == [("attachments-limit", "in.zip")]


def test_files_of_an_archive_that_cannot_be_read_are_listed() -> None:
    data = zipped({"good.txt": "good", "bad.txt": "bad bad"})
    at = data.index(b"bad.txt") - 30
    found = only(read(embedding(("a.zip", data[:at] + b"PK\x03\x05" + data[at + 4 :])))).document
    assert found is not None
    assert [(a.name, a.bytes, bool(a.document)) for a in found.attachments] == [("good.txt", 4, True), ("bad.txt", 7, False)]
    assert codes(found) == [("attachment-unreadable", "bad.txt")]


def test_an_archive_is_no_document_of_its_own_yet() -> None:
    with pytest.raises(ExtractError, match="not read yet"):
        read(zipped({"a.txt": "x"}))
