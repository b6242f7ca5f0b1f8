"""Documents, templates, macro kinds and shows of one family, and its strict form: the same reading."""

from __future__ import annotations

import pytest

from builders.office import PROPERTIES, office, read, strict, words

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
CELL = "application/vnd.openxmlformats-officedocument.spreadsheetml."
SHOW = "application/vnd.openxmlformats-officedocument.presentationml."
MS = "application/vnd.ms-"

KINDS = [
    ("docx", ".docx", WORD + "document.main+xml", False),
    ("docx", ".docm", MS + "word.document.macroEnabled.main+xml", False),
    ("docx", ".dotx", WORD + "template.main+xml", True),
    ("docx", ".dotm", MS + "word.template.macroEnabledTemplate.main+xml", True),
    ("xlsx", ".xlsx", CELL + "sheet.main+xml", False),
    ("xlsx", ".xlsm", MS + "excel.sheet.macroEnabled.main+xml", False),
    ("xlsx", ".xltx", CELL + "template.main+xml", True),
    ("xlsx", ".xltm", MS + "excel.template.macroEnabled.main+xml", True),
    ("pptx", ".pptx", SHOW + "presentation.main+xml", False),
    ("pptx", ".pptm", MS + "powerpoint.presentation.macroEnabled.main+xml", False),
    ("pptx", ".potx", SHOW + "template.main+xml", True),
    ("pptx", ".potm", MS + "powerpoint.template.macroEnabled.main+xml", True),
    ("pptx", ".ppsx", SHOW + "slideshow.main+xml", False),
    ("pptx", ".ppsm", MS + "powerpoint.slideshow.macroEnabled.main+xml", False),
]


@pytest.mark.parametrize(("family", "ending", "main_type", "template"), KINDS, ids=[k[1] for k in KINDS])
def test_every_kind_is_read_as_its_family(family: str, ending: str, main_type: str, template: bool) -> None:
    document = read(office(family, main_type=main_type), ending)
    plain = read(office(family), f".{family}")
    assert (document.format.family, document.format.extension, document.format.template) == (family, ending, template)
    assert (document.format.mismatch, document.format.strict, document.format.macros) == (False, False, False)
    assert (document.blocks, document.sheets, document.slides) == (plain.blocks, plain.sheets, plain.slides)
    assert words(document) == ["hello"]
    assert document.counts == plain.counts
    assert [m.name for m in document.methods] == ["ooxml"]
    assert document.warnings == []


@pytest.mark.parametrize("family", ["docx", "xlsx", "pptx"])
def test_the_strict_form_is_read_as_the_transitional_one(family: str) -> None:
    app = '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Company>ACME</Company></Properties>'
    data = office(family, package_rels=PROPERTIES[1:2], more={"docProps/app.xml": app})
    document = read(strict(data), f".{family}")
    assert document.format.strict
    assert words(document) == ["hello"]
    assert document.counts == read(data).counts
    assert document.metadata["company"] == "ACME"


@pytest.mark.parametrize("family", ["docx", "xlsx", "pptx"])
def test_a_macro_project_is_what_makes_a_document_one_with_macros(family: str) -> None:
    """Whatever its name or its main part say."""
    folder = {"docx": "word", "xlsx": "xl", "pptx": "ppt"}[family]
    data = office(family, rels=[("v", "vbaProject", "vbaProject.bin")], more={f"{folder}/vbaProject.bin": b"x"})
    document = read(data, f".{family}")
    assert document.format.macros
    assert [a.type for a in document.active_content] == ["vba"]
