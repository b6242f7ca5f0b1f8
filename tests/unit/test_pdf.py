"""PDF at its first level: order, kinds of page, passwords, damage, what would act."""

from __future__ import annotations

import pytest

from builders.pdf import SCAN, document, lines, pdf, show, stream
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors.pages.layout import in_reading_order, join_lines, paragraphs
from fumehood_sandbox.extractors.pages.model import Group, Line
from fumehood_sandbox.extractors.pages.pdfdate import iso_date
from fumehood_sandbox.extractors.pdf import extract
from fumehood_sandbox.extractors.pdf.facts import number_as

pymupdf = pytest.importorskip("pymupdf")

WORDS = "the quick brown fox jumps over dogs"


def read(data, **request):
    doc = Document(Format("pdf"))
    sink = CollectingSink(doc)
    x = Extraction(data, Request(declared_extension=".pdf", **request), doc, sink)
    extract(x)
    return doc, sink


def texts(doc):
    return [block.text for block in doc.blocks if block.type != "image"]


def fails(data, **request):
    with pytest.raises(ExtractError) as caught:
        read(data, **request)
    return caught.value.code


def codes(doc):
    return {warning.code for warning in doc.warnings}


def test_lines_become_paragraphs_with_place_and_page():
    doc, sink = read(
        document(
            [lines(["This is the first line of a para-", "graph and its second line."]) + show("Next.", y=600), show("Two.")]
        )
    )
    assert texts(doc) == ["This is the first line of a paragraph and its second line.", "Next.", "Two."]
    assert [block.page for block in doc.blocks] == [1, 1, 2]
    assert 70 < doc.blocks[0].bbox[0] < 74
    assert [(p.index, p.kind, p.width, p.height) for p in doc.pages] == [(1, "text", 612.0, 792.0), (2, "text", 612.0, 792.0)]
    assert [(p.done, p.total, p.unit) for p in sink.progressed] == [(1, 2, "page"), (2, 2, "page")]
    assert doc.counts["pages"] == 2


def test_columns_are_read_one_after_the_other_below_what_spans_them():
    left = [f"left {i} {WORDS}"[:40] for i in range(8)]
    right = [f"right {i} {WORDS}"[:40] for i in range(8)]
    rows = "".join(
        show(a, 72, 650 - 13 * i) + show(b, 330, 650 - 13 * i) for i, (a, b) in enumerate(zip(left, right, strict=True))
    )
    doc, _ = read(document([show("A title over both of the columns that is long enough to span", 72, 720, 14) + rows]))
    whole = " ".join(texts(doc))
    assert (
        whole.index("title") < whole.index("left 0") < whole.index("left 7") < whole.index("right 0") < whole.index("right 7")
    )


def test_headings_by_size_and_bullets_as_list_items():
    body = lines([WORDS] * 12, y=600)
    doc, _ = read(
        document([show("Big", y=720, size=22) + show("Smaller", y=680, size=15.5) + show("\x95 point", y=640) + body])
    )
    found = [(b.type, b.level, b.text) for b in doc.blocks[:3]]
    assert found == [("heading", 1, "Big"), ("heading", 2, "Smaller"), ("list_item", None, "point")]
    assert doc.blocks[2].list.label == "•"


def test_numbered_items_begin_paragraphs_and_a_lone_number_does_not():
    held = [
        "Find, for the particle:",
        "a. its velocity after one second, and where it",
        "then is.",
        "b. its speed.",
        "c. its weight in",
        "3. this year.",
    ]
    doc, _ = read(document([lines(held)]))
    assert texts(doc) == [
        "Find, for the particle:",
        "a. its velocity after one second, and where it then is.",
        "b. its speed.",
        "c. its weight in 3. this year.",
    ]


def test_what_cannot_be_seen_is_marked():
    content = show("seen") + show("outside", y=-60) + show("tiny", y=500, size=0.5) + show("unseen", y=700, extra="3 Tr")
    doc, _ = read(document([content]))
    assert {b.text: b.hidden for b in doc.blocks} == {
        "seen": None,
        "outside": "off_page",
        "tiny": "tiny",
        "unseen": "invisible",
    }


def test_a_text_layer_over_a_scan_is_the_text_of_the_page():
    doc, _ = read(document([SCAN + show("recognised", extra="3 Tr")]))
    assert [(b.text, b.hidden) for b in doc.blocks if b.text] == [("recognised", None)]
    assert doc.pages[0].kind == "mixed"


def test_scans_need_recognition_and_mixed_documents_say_so():
    doc = Document(Format("pdf"))
    with pytest.raises(ExtractError) as caught:
        extract(Extraction(document([SCAN, SCAN]), Request(), doc, CollectingSink(doc)))
    assert caught.value.code == "needs-ocr"
    assert [page.kind for page in doc.pages] == ["scan", "scan"]
    doc, _ = read(document([SCAN, show("text")]))
    assert [page.kind for page in doc.pages] == ["scan", "text"]
    assert "scanned-pages" in codes(doc)


def test_a_text_layer_without_readable_characters_is_not_passed_off_as_text():
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 101 0 R >>"
    to_private = stream(
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        "1 beginbfrange <20> <7E> <E020> endbfrange endcmap end"
    )
    data = document([show(WORDS)], extra={3: font, 101: to_private})
    assert fails(data) == "needs-ocr"


def test_an_empty_page_is_blank_not_a_scan():
    doc, _ = read(document([""]))
    assert doc.pages[0].kind == "blank"
    assert "no-text" in codes(doc)


@pytest.mark.parametrize(
    ("pages", "numbers"), [([[2, 3]], [2, 3]), ([[3, 3], [1, 1], [1, 1]], [1, 3]), ([[2, 10**9]], [2, 3]), ([[7, 9]], [])]
)
def test_page_ranges(pages, numbers):
    doc, _ = read(document([show(str(i)) for i in "abc"]), pages=pages)
    assert [page.index for page in doc.pages] == numbers
    assert ("pages-out-of-range" in codes(doc)) == (not numbers)


def _encrypted(user, owner, method):
    plain = pymupdf.open(stream=document([show("secret words")]), filetype="pdf")
    return plain.tobytes(encryption=method, user_pw=user, owner_pw=owner)


@pytest.mark.parametrize("method", [2, 3, 4, 5])  # RC4 40, RC4 128, AES 128, AES 256
def test_passwords(method):
    data = _encrypted("user", "owner", method)
    assert fails(data) == "encrypted"
    assert fails(data, password="wrong") == "wrong-password"
    for password in ("user", "owner"):
        doc, _ = read(data, password=password)
        assert texts(doc) == ["secret words"]
        assert doc.format.encrypted
    doc, _ = read(_encrypted("", "owner", method))
    assert texts(doc) == ["secret words"]
    assert "owner-restricted" in codes(doc)


@pytest.mark.parametrize("password", ["\udcff\udcfe", "\ud800", "\0", "x" * 1000])
def test_a_password_that_is_no_text_is_a_wrong_one(password):
    assert fails(_encrypted("user", "owner", 5), password=password) == "wrong-password"


def test_a_password_file_in_latin_1():
    doc, _ = read(_encrypted("\u00fcber", "owner", 5), password=b"\xfcber".decode("utf-8", "surrogateescape"))
    assert texts(doc) == ["secret words"]


def test_labels_outline_and_metadata():
    catalog = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) >>] >> /Outlines 100 0 R /Lang (de)"
    extra = {
        100: "<< /First 101 0 R /Last 101 0 R /Count 1 >>",
        101: "<< /Title (Chapter) /Parent 100 0 R /Dest [14 0 R /Fit] >>",
        102: "<< /Title (T) /Author (A) /Creator (App) /CreationDate (D:20240229103000+01'00') >>",
    }
    doc, _ = read(document([show("a"), show("b"), show("c")], catalog=catalog, extra=extra, trailer="/Info 102 0 R"))
    assert [page.label for page in doc.pages] == ["i", "ii", "A-1"]
    assert [(o.title, o.page, o.page_label) for o in doc.outline] == [("Chapter", 3, "A-1")]
    assert doc.metadata["title"] == "T"
    assert doc.metadata["application"] == "App"
    assert doc.metadata["created"] == "2024-02-29T10:30:00+01:00"
    assert doc.metadata["language"] == "de"


def test_what_would_act_is_listed():
    catalog = (
        "/OpenAction 100 0 R /Names << /JavaScript << /Names [(x) 101 0 R] >> /EmbeddedFiles << /Names [(f) 102 0 R] >> >>"
    )
    extra = {
        100: "<< /S /Launch /F (cmd.exe) >>",
        101: "<< /S /JavaScript /JS (app.alert(1)) >>",
        102: "<< /Type /Filespec /F (evil.exe) /UF (evil.exe) /EF << /F 103 0 R >> >>",
        103: stream("MZ", "/Type /EmbeddedFile"),
    }
    doc, _ = read(document([show("a")], catalog=catalog, extra=extra))
    kinds = {found.type for found in doc.active_content}
    assert {"open_action", "launch", "javascript", "embedded_file"} <= kinds
    assert [(a.name, a.bytes) for a in doc.attachments] == [("evil.exe", 2)]


def test_annotations_links_and_hidden_fields():
    annots = "/Annots [100 0 R 101 0 R 102 0 R]"
    extra = {
        100: "<< /Type /Annot /Subtype /Text /Rect [0 0 20 20] /Contents (a remark) /T (Ann) >>",
        101: "<< /Type /Annot /Subtype /Link /Rect [0 0 20 20] /A << /S /URI /URI (http://x.org/) >> >>",
        102: "<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (field value) /F 2 /Rect [0 0 9 9] >>",
    }
    doc, _ = read(document([show("a")], page_entries=annots, extra=extra))
    assert [(c.author, c.text, c.where) for c in doc.comments] == [("Ann", "a remark", "page 1")]
    assert [(link.target, link.kind) for link in doc.links] == [("http://x.org/", "external")]
    assert ("field value", "form_field") in [(b.text, b.hidden) for b in doc.blocks]


def test_images_are_listed_and_sent_only_when_asked_for():
    data = document([show("a") + "q 20 0 0 20 9 9 cm /Im1 Do Q"])
    doc, sink = read(data)
    assert [(i.width, i.height, i.page) for i in doc.images] == [(4, 4, 1)]
    assert sink.assets == {}
    doc, sink = read(data, assets=True)
    assert sink.assets["i1"].startswith(b"\x89PNG")
    assert doc.images[0].bytes == len(sink.assets["i1"])


def test_damage():
    good = document([lines([WORDS] * 5)])
    doc, _ = read(good.replace(b"startxref", b"startxxxx"))
    assert "repaired" in codes(doc)
    assert WORDS in texts(doc)[0]
    assert fails(b"%PDF-1.7\nnothing") == "corrupt"
    assert fails(b"no pdf at all") == "corrupt"
    assert fails(pdf({1: "<< /Type /Catalog >>"})) == "corrupt"


def test_lost_page_tree_is_rebuilt_from_the_pages_in_the_file():
    page = "<< /Type /Page /MediaBox [0 0 300 300] /Contents 5 0 R /Resources << /Font << /F1 6 0 R >> >> >>"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    doc, _ = read(pdf({1: "<< /Type /Catalog >>", 4: page, 5: stream(show("found", 20, 200)), 6: font}))
    assert texts(doc) == ["found"]
    assert "repaired" in codes(doc)


def test_promised_pages_that_are_not_there_do_not_hang():
    data = document([show("real")]).replace(b"/Count 1", b"/Count 2000000000")
    doc, _ = read(data)
    assert "real" in texts(doc)


def test_loops_end():
    kids = pdf({1: "<< /Type /Catalog /Pages 2 0 R >>", 2: "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 5 >>"})
    assert fails(kids) == "corrupt"
    outline = {100: "<< /First 101 0 R /Last 101 0 R >>", 101: "<< /Title (x) /Next 101 0 R /Parent 100 0 R /First 101 0 R >>"}
    doc, _ = read(document([show("a")], catalog="/Outlines 100 0 R", extra=outline))
    assert texts(doc) == ["a"]


def test_prints_nothing(capfd):
    read(document([show("a") + "BT ) garbage ] (x"]).replace(b"startxref", b"startxxxx"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ("exam-", "ple", "example"),
        ("exam-", "Ple", "exam- Ple"),
        ("ex\u00ad", "ample", "example"),
        ("a", "b", "a b"),
        ("日本", "語", "日本語"),
        ("–", "x", "– x"),
    ],
)
def test_join_lines(one, other, joined):
    assert join_lines(one, other) == joined


def test_order_of_many_scattered_blocks_takes_no_time():
    groups = [Group([Line("x", (i % 70 * 8.0, i // 70 * 9.0, i % 70 * 8.0 + 5, i // 70 * 9.0 + 7), 7.0)]) for i in range(3900)]
    assert len(in_reading_order(groups)) == 3900
    assert paragraphs(groups)


def test_dates_and_numbers():
    assert iso_date("D:20240131") == "2024-01-31"
    assert iso_date("20240131120000Z") == "2024-01-31T12:00:00Z"
    assert iso_date("yesterday") is None
    assert [number_as("r", 4), number_as("R", 1999), number_as("a", 28), number_as("D", 7), number_as("", 7)] == [
        "iv",
        "MCMXCIX",
        "bb",
        "7",
        "",
    ]


def test_type_larger_than_any_number_is_read() -> None:
    endless = "1000 0 0 1000 0 0 cm " * 9 + show("endless", size=10**20)
    doc, _ = read(document([show("before") + endless]))
    assert "before" in texts(doc)
