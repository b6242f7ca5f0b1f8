"""Pictures: inline, floating, VML, linked, in numbering and headers."""

from __future__ import annotations

from builders.docx import PNG, docx, p, read


def test_pictures_have_size_kind_alternative_text_and_bytes() -> None:
    drawing = "<w:r><w:drawing><wp:inline><wp:docPr id='1' name='n' descr='a dot'/><a:blip r:embed='r2'/></wp:inline></w:drawing></w:r>"
    data = docx(p(drawing) + p("see", drawing), rels=[("r2", "image", "media/i.bin")], more={"word/media/i.bin": PNG})
    document = read(data, assets=True)
    image = document.images[0]
    assert (image.mime, image.width, image.height, image.alt, image.bytes) == ("image/png", 3, 2, "a dot", len(PNG))
    assert len(document.images) == 1
    assert [(b.type, b.image_id) for b in document.blocks] == [("image", "i1"), ("paragraph", None)]
    assert document.blocks[1].runs[-1].image_id == "i1"
    assert document.counts["images"] == 2
