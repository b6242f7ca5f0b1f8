"""The second method reads the same text as the first, in every view, and fails in codes."""

from __future__ import annotations

import pytest

from builders.docx import WHO, deleted, docx, ins, mark, p, t, table, texts
from fumehood.documents.views import apply_view
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors.docx_model import extract


def read(data: bytes) -> Document:
    document = Document(Format("docx"))
    extract(Extraction(data, Request(), document, CollectingSink(document)))
    return document


DELETED_ROW = f"<w:trPr><w:del {WHO}/></w:trPr>"
SECTION = "<w:sectPr/>"


@pytest.mark.parametrize("view", ["accepted", "original"])
@pytest.mark.parametrize(
    "body",
    [
        p("plain", "<w:r><w:tab/><w:t>x</w:t></w:r>"),
        p("a", ins("b", deleted("c")), deleted("d")),
        p("one ", ppr=mark("del")) + p("two", ppr=mark("ins")) + p("three"),
        table(["1", "2"], [DELETED_ROW, "3", "4"]) + p("x"),
        table([table(["deep"]) + p("cell")]) + p("x"),
        f"<w:sdt><w:sdtContent>{p('held')}</w:sdtContent></w:sdt>",
        p(f"<w:moveFrom {WHO}>{t('m')}</w:moveFrom>") + p(f"<w:moveTo {WHO}>{t('m')}</w:moveTo>"),
    ],
)
def test_both_methods_agree(body: str, view: str) -> None:
    data = docx(body + SECTION)
    document = apply_view(read(data), view)  # type: ignore[arg-type]
    assert [b.text for b in document.blocks if b.type != "table"] == texts(data, view)  # type: ignore[arg-type]


def test_it_says_that_it_reads_less() -> None:
    assert [w.code for w in read(docx(p("x") + SECTION)).warnings] == ["less-detail"]


@pytest.mark.parametrize("data", [b"", b"no zip", docx("<w:p>")])
def test_every_failure_is_a_code(data: bytes) -> None:
    with pytest.raises(ExtractError) as caught:
        read(data)
    assert caught.value.code == "corrupt"


def test_bounds_are_proved_before_the_library_unpacks() -> None:
    with pytest.raises(ExtractError) as caught:
        read(docx(p("x"), more={"word/media/zeros.bin": b"\0" * (12 << 20)}))
    assert (caught.value.code, caught.value.kind) == ("limit", "ratio")
