"""Documents made to hurt their reader, through the real container: each is answered with the code of its attack class.

Hardening, attack classes 1 (expanding entities), 5 (giant strings), 6 (a sparse sheet) and 11 (what is packed far too well). Each
file is made here; the sandbox reads an honest document after them.
"""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from builders import docx, hostile_files, office, pptx, xlsx
from builders.jobs import job
from fumehood.limits import MIB, Limits
from fumehood.sandbox.runner import Outcome, Sandbox

ENTITIES = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
LAUGHS = f'<!DOCTYPE x [<!ENTITY l0 "ha">{ENTITIES}]>'
EMPTY_LAUGHS = LAUGHS.replace('"ha"', '""')


def read(sandbox: Sandbox, data: bytes, extension: str) -> Outcome:
    return sandbox.run(job(data, extension=extension, limits=Limits()))


def laughing(family: str, doctype: str, part: str) -> bytes:
    """A document in whose *part* (``main`` or one that nothing shows) an entity grows tenfold nine times."""
    if part != "main":
        return office.office(family, more={"customXml/item1.xml": f"{doctype}<x>&l9;</x>"})
    match family:
        case "docx":
            return docx.docx(docx.p("&l9;"), doctype=doctype)
        case "xlsx":
            sheet = f'{doctype}<worksheet xmlns="{xlsx.MAIN}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&l9;</t></is></c></row></sheetData></worksheet>'
            return xlsx.workbook("", more={"xl/worksheets/sheet1.xml": sheet})
        case _:
            return pptx.presentation(doctype + pptx.slide(pptx.shape("&l9;")))


@pytest.mark.parametrize("family", office.FAMILIES)
@pytest.mark.parametrize("doctype", [LAUGHS, EMPTY_LAUGHS], ids=["a word", "nothing"])
@pytest.mark.parametrize("part", ["main", "a part that is not shown"])
def test_row_1_entities_that_expand(sandbox: Sandbox, family: str, doctype: str, part: str) -> None:
    outcome = read(sandbox, laughing(family, doctype, part), f".{family}")
    assert outcome.error is not None, outcome.document
    assert (outcome.error.code, outcome.error.kind) == ("limit", "xml-entity")


def giant_cell() -> bytes:
    """One cell of twelve million letters that do not pack."""
    text = random.Random(5).randbytes(6_000_000).hex()
    return xlsx.workbook(
        '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>', shared=f"<si><t>{text}</t></si>"
    )


@pytest.mark.parametrize(
    ("make", "kind"),
    [(giant_cell, "text"), (lambda: hostile_files.repeated_string(5).data, "output")],
    ids=["one cell", "one string in many cells"],
)
def test_row_5_giant_strings(sandbox: Sandbox, make: Callable[[], bytes], kind: str) -> None:
    outcome = read(sandbox, make(), ".xlsx")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.kind) == ("limit", kind)


def test_row_5_a_long_string_that_excel_could_show_is_read(sandbox: Sandbox) -> None:
    text = random.Random(5).randbytes(16_383).hex()
    book = xlsx.workbook(
        '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>', shared=f"<si><t>{text}</t></si>"
    )
    outcome = read(sandbox, book, ".xlsx")
    assert outcome.error is None
    assert outcome.document is not None
    assert outcome.document.sheets[0].cells[0].text == text


def test_row_6_a_sheet_of_two_cells_at_its_far_ends(sandbox: Sandbox) -> None:
    """Whatever dimension it declares: seventeen thousand million cells would be walked."""
    data = hostile_files.sparse(6).data
    outcome = read(sandbox, data, ".xlsx")
    assert outcome.error is None
    assert outcome.document is not None
    assert [(c.ref, c.text) for c in outcome.document.sheets[0].cells] == [("A1", "6"), ("XFD1048576", "far away")]
    assert outcome.document.counts["cells"] == 2
    assert outcome.provenance.peak_memory_mb is not None
    assert outcome.provenance.peak_memory_mb < 256


def packed(family: str, size: int, *, claimed: int | None = None) -> bytes:
    """A document whose slide, sheet or text is *size* zeros and says that it is *claimed* bytes."""
    part = {"docx": "word/document.xml", "xlsx": "xl/worksheets/sheet1.xml", "pptx": "ppt/slides/slide1.xml"}[family]
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(office.office(family))) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            if name != part:
                target.writestr(name, source.read(name))
        with target.open(part, "w") as file:
            for _ in range(size // MIB):
                file.write(bytes(MIB))
    data = bytearray(out.getvalue())
    if claimed is not None:
        at = data.rfind(b"PK\x01\x02", 0, data.rfind(part.encode()))
        struct.pack_into("<L", data, at + 24, claimed)
    return bytes(data)


@pytest.mark.parametrize("family", office.FAMILIES)
@pytest.mark.parametrize("claimed", [None, 10], ids=["honest", "lying"])
def test_row_11_far_too_well_packed(sandbox: Sandbox, family: str, claimed: int | None) -> None:
    data = packed(family, (600 if family == "xlsx" else 64) * MIB, claimed=claimed)
    assert len(data) < MIB
    outcome = read(sandbox, data, f".{family}")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.kind) == ("limit", "ratio")


@pytest.mark.parametrize("family", office.FAMILIES)
def test_the_next_document_is_read(sandbox: Sandbox, family: str) -> None:
    outcome = read(sandbox, office.office(family), f".{family}")
    assert outcome.error is None
    assert outcome.document is not None
    assert office.words(outcome.document) == ["hello"]
