"""What would act or reach out, by the relationships that the three families share: listed under one name, opened never."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from builders.office import FAMILIES, MAIN, office, read, words
from builders.xlsx import relationships
from fumehood_sandbox.opc import Package, Relationship

UI = "http://schemas.microsoft.com/office/2006/relationships/ui/extensibility"
UI_2007 = "http://schemas.microsoft.com/office/2007/relationships/ui/extensibility"
ADD_IN = "http://schemas.microsoft.com/office/2011/relationships/webextension"
MS = "http://schemas.microsoft.com/office/2006/relationships/"

#: type of the relationship, target, how it is listed
OUTSIDE = [
    ("image", "file:///etc/passwd", "external_image"),
    ("oleObject", "file:///server/share/book.xlsx", "external_link"),
    ("package", "https://x.example/p.xlsx", "external_link"),
    ("externalLinkPath", "https://x.example/b.xlsx", "external_link"),
    ("attachedTemplate", "https://x.example/t.dotm", "external_template"),
    ("subDocument", "https://x.example/s.docx", "external_link"),
    ("frame", "https://x.example/f.html", "external_link"),
    ("audio", "https://x.example/a.mp3", "external_media"),
    ("video", "https://x.example/v.mp4", "external_media"),
    ("http://schemas.microsoft.com/office/2007/relationships/media", "https://x.example/m.mp4", "external_media"),
    ("slideMaster", "https://x.example/m.xml", "external_link"),
    ("vbaProject", "https://x.example/v.bin", "external_link"),
    ("customXml", "https://x.example/c.xml", "external_link"),
    ("urn:somebody/elses", "https://x.example/e", "external_link"),
]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("kind", "target", "listed"), OUTSIDE, ids=[row[0].rpartition("/")[2] for row in OUTSIDE])
def test_every_external_relationship_is_listed(family: str, kind: str, target: str, listed: str) -> None:
    document = read(office(family, rels=[("x", kind, target, "External")]))
    assert [(a.type, a.where, a.detail) for a in document.active_content] == [(listed, MAIN[family], target)]
    assert words(document) == ["hello"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_link_waits_for_a_click_and_is_no_active_content(family: str) -> None:
    document = read(office(family, rels=[("x", "hyperlink", "https://x.example/", "External")]))
    assert document.active_content == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_reference_in_any_part_is_found(family: str) -> None:
    folder = MAIN[family].partition("/")[0]
    more: dict[str, str | bytes] = {
        f"{folder}/theme/theme1.xml": "<t/>",
        f"{folder}/theme/_rels/theme1.xml.rels": relationships(("i", "image", "https://x.example/i.png", "External")),
    }
    document = read(office(family, more=more))
    assert [(a.type, a.where) for a in document.active_content] == [("external_image", f"{folder}/theme/theme1.xml")]


CALLBACKS = '<customUI xmlns="http://schemas.microsoft.com/office/2006/01/customui" onLoad="Start"><button id="b" label="x" onAction="Go" getVisible="See"/></customUI>'
EXTENSION = '<we:webextension xmlns:we="http://schemas.microsoft.com/office/webextensions/webextension/2010/11" id="{1}"><we:reference id="wa104" version="1.0" store="en-US" storeType="OMEX"/></we:webextension>'

#: type of the relationship, the part it leads to and its content, how it is listed, what is said of it
INSIDE = [
    (MS + "vbaProject", "vbaProject.bin", b"x", "vba", "vbaProject.bin"),
    ("control", "activeX/activeX1.xml", "<ax/>", "activex", "activeX1.xml"),
    (UI, "customUI.xml", CALLBACKS, "custom_ui", "onLoad=Start, onAction=Go, getVisible=See"),
    (UI_2007, "customUI14.xml", CALLBACKS, "custom_ui", "onLoad=Start"),
    (ADD_IN, "webextension1.xml", EXTENSION, "web_extension", "wa104"),
    (MS + "attachedToolbars", "attachedToolbars.bin", b"x", "customization", "attachedToolbars"),
    (MS + "keyMapCustomizations", "customizations.xml", "<k/>", "customization", "customizations.xml"),
]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("kind", "part", "content", "listed", "said"), INSIDE, ids=[row[0].rpartition("/")[2] + row[1] for row in INSIDE]
)
def test_what_acts_inside_is_listed(family: str, kind: str, part: str, content: str | bytes, listed: str, said: str) -> None:
    folder = MAIN[family].partition("/")[0]
    document = read(office(family, rels=[("x", kind, part)], more={f"{folder}/{part}": content}))
    (found,) = document.active_content
    assert found.type == listed
    assert said in f"{found.where} {found.detail}"
    assert words(document) == ["hello"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_ribbon_of_the_package_itself(family: str) -> None:
    """Where Office writes it: a relationship of the package, not of the main part."""
    document = read(
        office(family, package_rels=[("u", UI, "customUI/customUI.xml")], more={"customUI/customUI.xml": CALLBACKS})
    )
    assert [(a.type, "onLoad=Start" in a.detail) for a in document.active_content] == [("custom_ui", True)]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_workbook_behind_a_chart_does_nothing_by_itself(family: str) -> None:
    folder = MAIN[family].partition("/")[0]
    more: dict[str, str | bytes] = {
        f"{folder}/charts/chart1.xml": "<c/>",
        f"{folder}/charts/_rels/chart1.xml.rels": relationships(("r1", "package", "../embeddings/b.xlsx")),
        f"{folder}/embeddings/b.xlsx": office("xlsx"),
    }
    document = read(office(family, rels=[("c", "chart", "charts/chart1.xml")], more=more))
    assert document.active_content == []
    assert [(a.name, a.document) for a in document.attachments] == [("b.xlsx", None)]


@pytest.mark.parametrize("family", FAMILIES)
def test_charts_are_looked_for_as_often_whatever_their_number(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[int] = []
    walk = Package.all_relationships

    def counted(package: Package) -> Iterator[tuple[str, Relationship]]:
        walks[-1] += 1
        return walk(package)

    monkeypatch.setattr(Package, "all_relationships", counted)
    folder = MAIN[family].partition("/")[0]
    for number in (1, 20):
        walks.append(0)
        more: dict[str, str | bytes] = {}
        for i in range(number):
            more[f"{folder}/charts/c{i}.xml"] = "<c/>"
            more[f"{folder}/charts/_rels/c{i}.xml.rels"] = relationships(("r1", "package", f"../embeddings/b{i}.xlsx"))
            more[f"{folder}/embeddings/b{i}.xlsx"] = b"PK"
        document = read(office(family, rels=[(f"c{i}", "chart", f"charts/c{i}.xml") for i in range(number)], more=more))
        assert document.active_content == []
    assert walks[0] == walks[1]


@pytest.mark.parametrize("family", FAMILIES)
def test_embedded_objects_are_listed_and_attached(family: str) -> None:
    folder = MAIN[family].partition("/")[0]
    more: dict[str, str | bytes] = {
        f"{folder}/embeddings/o.bin": b"\xd0\xcf\x11\xe0",
        f"{folder}/embeddings/p.xlsx": office("xlsx"),
    }
    document = read(
        office(family, rels=[("o", "oleObject", "embeddings/o.bin"), ("p", "package", "embeddings/p.xlsx")], more=more)
    )
    assert {a.type for a in document.active_content} >= {"embedded_file"}
    assert len(document.active_content) == 2
    assert len(document.attachments) == 2
    assert [words(a.document) for a in document.attachments if a.document is not None] == [["hello"]]
