"""Small PDFs written by hand: raw objects, so that a test shows the very structure it is about (ISO 32000-1 7.5)."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(objects: dict[int, str | bytes], root: int = 1, *, trailer: str = "") -> bytes:
    """A file of these indirect objects with a correct cross-reference table."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets: dict[int, int] = {}
    for number, body in objects.items():
        offsets[number] = len(out)
        raw = body.encode("latin-1") if isinstance(body, str) else body
        out += b"%d 0 obj\n" % number + raw + b"\nendobj\n"
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 00000 f \n"
    out += f"trailer\n<< /Size {size} /Root {root} 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode("latin-1")
    return bytes(out)


def stream(content: str | bytes, entries: str = "") -> bytes:
    raw = content.encode("latin-1") if isinstance(content, str) else content
    return f"<< /Length {len(raw)} {entries} >>\nstream\n".encode("latin-1") + raw + b"\nendstream"


def show(text: str, x: float = 72, y: float = 720, size: float = 11, *, extra: str = "") -> str:
    """Content operators that show one line of *text*."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf {extra} {x} {y} Td ({escaped}) Tj ET\n"


def lines(texts: Sequence[str], x: float = 72, y: float = 720, size: float = 11, leading: float = 13) -> str:
    return "".join(show(text, x, y - i * leading, size) for i, text in enumerate(texts))


IMAGE = stream(
    bytes(range(48)),
    "/Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceRGB /BitsPerComponent 8",
)


def document(
    pages: Sequence[str],
    *,
    catalog: str = "",
    page_entries: str = "",
    trailer: str = "",
    extra: dict[int, str | bytes] | None = None,
) -> bytes:
    """Pages with these content streams, Helvetica as /F1 and a 4 x 4 image as /Im1; *extra* objects from number 100."""
    objects: dict[int, str | bytes] = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        4: IMAGE,
    }
    kids = []
    for i, content in enumerate(pages):
        number = 10 + 2 * i
        kids.append(f"{number} 0 R")
        image = "/XObject << /Im1 4 0 R >>" if "/Im1" in content else ""
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> {image} >> {page_entries} >>"
        )
        objects[number + 1] = stream(content)
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return pdf({**objects, **(extra or {})}, trailer=trailer)


SCAN = "q 612 0 0 792 0 0 cm /Im1 Do Q\n"
"""A page that is one image."""
