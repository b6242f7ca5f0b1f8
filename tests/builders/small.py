"""Small whole files, made by hand, for tests that look at the way around the readers."""

from __future__ import annotations

import io
import struct
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c489 0000000d49444154789c6360606060000000050001"
    "a5f64540 0000000049454e44ae426082".replace(" ", "")
)

INLINE_IMAGE = (
    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
    '<wp:extent cx="9525" cy="9525"/><wp:docPr id="1" name="x" descr="a dot"/>'
    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">'
    '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
    f'<a:blip xmlns:r="{R}" r:embed="rIdImage"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
)


def long_docx(count: int) -> bytes:
    """*count* paragraphs of twenty words that do not pack away, so that reading them takes its time."""
    words = [f"{number * 2654435761 % 2**32:08x}" for number in range(count + 20)]
    return docx(paragraphs(*(f"word {number} " + " ".join(words[number : number + 20]) for number in range(count))))


def paragraphs(*texts: str) -> str:
    return "".join(f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>' for text in texts)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return data.getvalue()


def docx(body: str, *, relationships: str = "", doctype: str = "", more: dict[str, str | bytes] | None = None) -> bytes:
    """A Word document with *body* in its main part, and *relationships* of that part."""
    return zipped({
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="png" ContentType="image/png"/>'
        f'<Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{R}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{relationships}</Relationships>',
        "word/document.xml": f'<?xml version="1.0" encoding="UTF-8"?>{doctype}'
        f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>',
        **(more or {}),
    })  # fmt: skip


def docx_with_image() -> bytes:
    return docx(
        paragraphs("before") + INLINE_IMAGE,
        relationships=f'<Relationship Id="rIdImage" Type="{R}/image" Target="media/image1.png"/>',
        more={"word/media/image1.png": PNG},
    )


def encrypted_docx() -> bytes:
    """What Word writes for a document with a password: a compound file with two streams ([MS-OFFCRYPTO] 2.3)."""
    free, end, fat_sector = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD

    def entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
        raw = (name + "\0").encode("utf-16-le") if name else b""
        return struct.pack("<64sHBB3I16sIQQIQ", raw, len(raw), kind, 1, free, right, child, b"", 0, 0, 0, start, size)

    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, end, 0, end, 0)
    header += struct.pack("<109I", 0, *[free] * 108)
    chains = [fat_sector, end, *range(3, 10), end, *range(11, 18), end]
    directory = (
        entry("Root Entry", 5, free, 1, end, 0)
        + entry("EncryptionInfo", 2, 2, free, 2, 4096)
        + entry("EncryptedPackage", 2, free, free, 10, 4096)
        + bytes(128)
    )
    return header + struct.pack("<128I", *chains, *[free] * (128 - len(chains))) + directory + bytes(8192)
