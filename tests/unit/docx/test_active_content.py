"""What a Word document would run, load or ask for: listed, never opened."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from builders.docx import docx, field, p, part, read, relationships, t
from fumehood_sandbox.contract import Document

OUT = "External"


def listed(document: Document) -> set[tuple[str, str]]:
    return {(a.type, a.detail) for a in document.active_content}


@pytest.mark.parametrize(
    ("body", "kind", "detail"),
    [
        (p(field('DDEAUTO c:\\\\x\\\\cmd.exe "/c calc"', t("!"))), "dde", "DDEAUTO c:\\\\x\\\\cmd.exe /c calc"),
        (p(field('DDE excel "book" r1c1', t("!"))), "dde", "DDE excel book r1c1"),
        (p("<w:fldSimple w:instr='DDE a b'>" + t("!") + "</w:fldSimple>"), "dde", "DDE a b"),
        (p("<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>DDEAUTO a b</w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"),
         "dde", "DDEAUTO a b"),
        (p(field("D</w:instrText></w:r><w:r><w:instrText>DE a b", t("!"))), "dde", "DDE a b"),
        (p(field('INCLUDEPICTURE "http://x.example/p.png" \\d', t("!"))), "external_link", "INCLUDEPICTURE http://x.example/p.png \\d"),
        (p(field('INCLUDETEXT "\\\\\\\\srv\\\\a.docx"', t("!"))), "external_link", "INCLUDETEXT \\\\srv\\a.docx"),
        (p(field('LINK Excel.Sheet.12 "c:\\\\b.xlsx"', t("!"))), "external_link", "LINK Excel.Sheet.12 c:\\b.xlsx"),
        (p(field("IMPORT a.gif", t("!"))), "external_link", "IMPORT a.gif"),
        (p(field("RD chapter.docx", t(""))), "external_link", "RD chapter.docx"),
        (p(field('DATABASE \\d "c:\\\\d.mdb"', t("!"))), "external_link", "DATABASE \\d c:\\d.mdb"),
        (p(field("MACROBUTTON Run me", t("!"))), "macro_button", "MACROBUTTON Run me"),
        (p(field("EMBED Package", t("!"))), "ole_object", "EMBED Package"),
        (p("<w:r><w:object><w:control w:name='Button1' r:id='r9'/></w:object></w:r>"), "activex", "Button1"),
        (p("<w:r><w:object><o:OLEObject Type='Embed' ProgID='Excel.Sheet.12'/></w:object></w:r>"), "ole_object", "Excel.Sheet.12"),
    ],
)  # fmt: skip
def test_what_the_text_would_start_or_fetch(body: str, kind: str, detail: str) -> None:
    found = [(a.type, a.where, a.detail) for a in read(docx(body)).active_content]
    assert found == [(kind, "body paragraph 0", detail)]


@pytest.mark.parametrize("instruction", ["PAGE", "DATE", "HYPERLINK http://a.example/", "REF DDE", "IF 1 = 1 DDE"])
def test_fields_that_reach_nowhere_are_not_listed(instruction: str) -> None:
    assert read(docx(p(field(instruction, t("x"))))).active_content == []


@pytest.mark.parametrize(
    ("rel", "kind"),
    [
        (("r2", "aFChunk", "http://x.example/c.html", OUT), "external_link"),
        (("r2", "mailMergeSource", "file:///c:/people.csv", OUT), "external_link"),
        (("r2", "header", "http://x.example/h.xml", OUT), "external_link"),
        (("r2", "attachedTemplate", "\\\\srv\\t.dotm", OUT), "external_template"),
    ],
)
def test_relationships_that_only_word_has(rel: Sequence[str], kind: str) -> None:
    document = read(docx(p("x"), rels=[rel]))
    assert listed(document) == {(kind, rel[2])}
    assert document.links == []


@pytest.mark.parametrize("owner", ["settings", "webSettings", "header1", "footnotes", "charts/chart1", "glossary/document"])
def test_relationships_of_any_part_are_looked_at(owner: str) -> None:
    folder, _, name = f"word/{owner}".rpartition("/")
    more: dict[str, str | bytes] = {
        f"{folder}/{name}.xml": part("x", ""),
        f"{folder}/_rels/{name}.xml.rels": relationships([("r1", "attachedTemplate", "http://evil.example/t.dotm", OUT)]),
    }
    found = read(docx(p("x"), more=more)).active_content
    assert [(a.type, a.where, a.detail) for a in found] == [
        ("external_template", f"word/{owner}.xml".lower(), "http://evil.example/t.dotm")
    ]


def test_words_own_template_and_hyperlinks_are_no_active_content() -> None:
    rels = [("r1", "attachedTemplate", "Normal.dotm", OUT), ("r2", "hyperlink", "http://a.example/", OUT)]
    document = read(docx(p("x"), rels=rels))
    assert document.active_content == []
    assert [(link.target, link.kind) for link in document.links] == [("http://a.example/", "external")]


def test_macros_and_what_belongs_to_them() -> None:
    more: dict[str, str | bytes] = {
        "word/vbaProject.bin": b"\xd0\xcf\x11\xe0",
        "word/_rels/vbaProject.bin.rels": relationships([("r1", "wordVbaData", "vbaData.xml")]),
        "word/vbaData.xml": part("vbaSuppData", ""),
        "word/customizations.xml": part("tcg", ""),
        "word/activeX/activeX1.xml": part("ocx", ""),
    }
    rels = [
        ("r1", "vbaProject", "vbaProject.bin"),
        ("r2", "keyMapCustomizations", "customizations.xml"),
        ("r3", "control", "activeX/activeX1.xml"),
    ]
    document = read(docx(p("x"), rels=rels, more=more))
    assert [(a.type, a.where) for a in document.active_content] == [
        ("vba", "word/vbaProject.bin"),
        ("customization", "word/customizations.xml"),
        ("activex", "word/activeX/activeX1.xml"),
        ("customization", "word/vbaData.xml"),
    ]
    assert document.format.macros


def test_a_master_document_names_its_parts() -> None:
    """17.17.2.2: a subdocument is another file, loaded where the element stands, in a paragraph of its own or in the text."""
    body = p("before") + "<w:subDoc r:id='r1'/>" + p("in ", "<w:subDoc r:id='r2'/>")
    rels = [("r1", "subDocument", "one.docx", OUT), ("r2", "subDocument", "two.docx", OUT)]
    document = read(docx(body, rels=rels))
    assert listed(document) == {("external_link", "one.docx"), ("external_link", "two.docx")}
    assert [w.code for w in document.warnings] == ["sub-document"]
    assert [b.text for b in document.blocks] == ["before", "in "]


def test_framesets_name_their_frames() -> None:
    """17.15.2.13: a frame of web settings loads a file, by a relationship."""
    more: dict[str, str | bytes] = {
        "word/webSettings.xml": part(
            "webSettings", "<w:frameset><w:frame><w:sourceFileName r:id='r1'/></w:frame></w:frameset>"
        ),
        "word/_rels/webSettings.xml.rels": relationships([("r1", "frame", "http://x.example/left.htm", OUT)]),
    }
    assert listed(read(docx(p("x"), more=more))) == {("external_link", "http://x.example/left.htm")}


def test_the_list_does_not_repeat_itself() -> None:
    body = p(field("DDE a b", t("1")), field("DDE a b", t("2")))
    assert [a.type for a in read(docx(body)).active_content] == ["dde"]
