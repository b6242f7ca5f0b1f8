"""Word documents made by hand: raw XML parts in a ZIP, so that a test shows the markup it is about."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from fumehood.documents import render_markdown
from fumehood.documents.views import apply_view
from fumehood_sandbox.contract import Document, Format, Request, View
from fumehood_sandbox.extraction import CollectingSink, Extraction
from fumehood_sandbox.extractors.docx import extract

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)
WHO = 'w:id="1" w:author="Ann" w:date="2026-01-02T03:04:05Z"'
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x08\x06\x00\x00\x00"
    b"\x9d\x74\x66\x1a\x00\x00\x00\x00IEND\xaeB`\x82"
)

#: The root element of each kind of part that `docx` takes, and its relationship.
PARTS = {
    "styles": "styles",
    "numbering": "numbering",
    "comments": "comments",
    "commentsExtended": "commentsEx",
    "footnotes": "footnotes",
    "endnotes": "endnotes",
    "header": "hdr",
    "footer": "ftr",
}


def p(*runs: str, ppr: str = "") -> str:
    """A paragraph; what is no markup becomes a run."""
    inner = "".join(run if run.startswith("<") else t(run) for run in runs)
    return f"<w:p>{f'<w:pPr>{ppr}</w:pPr>' if ppr else ''}{inner}</w:p>"


def t(text: str, rpr: str = "") -> str:
    return f'<w:r>{f"<w:rPr>{rpr}</w:rPr>" if rpr else ""}<w:t xml:space="preserve">{text}</w:t></w:r>'


def ins(*runs: str) -> str:
    return f"<w:ins {WHO}>{''.join(r if r.startswith('<') else t(r) for r in runs)}</w:ins>"


def deleted(text: str) -> str:
    return f'<w:del {WHO}><w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def mark(kind: str) -> str:
    """Paragraph properties whose mark is tracked as *kind* (ins, del, moveFrom, moveTo)."""
    return f"<w:rPr><w:{kind} {WHO}/></w:rPr>"


def styled(style: str, text: str = "x", ppr: str = "") -> str:
    """A paragraph of *style*."""
    return p(text, ppr=f"<w:pStyle w:val='{style}'/>{ppr}")


def style(style_id: str, name: str, inner: str = "", *, kind: str = "paragraph", based_on: str = "") -> str:
    """A style; *inner* are its own properties (``w:pPr``, ``w:rPr``)."""
    base = f"<w:basedOn w:val='{based_on}'/>" if based_on else ""
    return f"<w:style w:type='{kind}' w:styleId='{style_id}'><w:name w:val='{name}'/>{base}{inner}</w:style>"


def field(instruction: str, result: str) -> str:
    """A complex field (ECMA-376 part 1, 17.16.18)."""
    return (
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r>"
        f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
        f"<w:r><w:fldChar w:fldCharType='separate'/></w:r>{result}<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )


def level(ilvl: int, text: str, kind: str = "decimal", more: str = "", start: int = 1) -> str:
    """A level of a numbering; *text* is its ``w:lvlText``, *kind* its ``w:numFmt``."""
    return (
        f"<w:lvl w:ilvl='{ilvl}'><w:start w:val='{start}'/><w:numFmt w:val='{kind}'/>{more}<w:lvlText w:val='{text}'/></w:lvl>"
    )


def abstract(number: int, *levels: str) -> str:
    """An abstract numbering."""
    return f"<w:abstractNum w:abstractNumId='{number}'>{''.join(levels)}</w:abstractNum>"


def num(number: int, of: int, more: str = "") -> str:
    """A numbering: an instance of the abstract one *of*; *more* are its overrides."""
    return f"<w:num w:numId='{number}'><w:abstractNumId w:val='{of}'/>{more}</w:num>"


def override(ilvl: int, start: int | None = None, more: str = "") -> str:
    """A ``w:lvlOverride``: another start, or another level (*more*)."""
    begin = "" if start is None else f"<w:startOverride w:val='{start}'/>"
    return f"<w:lvlOverride w:ilvl='{ilvl}'>{begin}{more}</w:lvlOverride>"


def item(number: int, ilvl: int = 0, text: str = "x", ppr: str = "") -> str:
    """A list item: a paragraph of a numbering."""
    return p(*([text] if text else []), ppr=f"<w:numPr><w:ilvl w:val='{ilvl}'/><w:numId w:val='{number}'/></w:numPr>{ppr}")


def table(*rows: Sequence[str], grid: int = 0) -> str:
    """A table; each cell is text, or markup that begins with ``<``."""
    out = ["<w:tbl><w:tblPr/><w:tblGrid>", "<w:gridCol/>" * grid, "</w:tblGrid>"]
    for row in rows:
        cells = "".join(f"<w:tc>{c if c.startswith('<') else p(c)}</w:tc>" for c in row if not c.startswith("<w:trPr"))
        out.append(f"<w:tr>{next((c for c in row if c.startswith('<w:trPr')), '')}{cells}</w:tr>")
    return "".join([*out, "</w:tbl>"])


def relationships(rows: Sequence[Sequence[str]]) -> str:
    items = "".join(
        f'<Relationship Id="{row[0]}" Type="{R}/{row[1]}" Target="{row[2]}"'
        + (f' TargetMode="{row[3]}"' if len(row) > 3 else "")
        + "/>"
        for row in rows
    )
    return f'<Relationships xmlns="{RELS}">{items}</Relationships>'


def package(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx(
    body: str,
    *,
    rels: Sequence[Sequence[str]] = (),
    more: dict[str, str | bytes] | None = None,
    doctype: str = "",
    before: str = "",
    main_type: str = MAIN_TYPE,
    **parts: str,
) -> bytes:
    """A document with *body* in its main part; *parts* are the inner XML of `PARTS`; *rels* of the main part; *before* stands before the body."""
    rows = [*rels]
    files: dict[str, str | bytes] = {}
    for name, inner in parts.items():
        rows.append((f"rId_{name}", name, f"{name}.xml"))
        files[f"word/{name}.xml"] = (
            f"<w15:{PARTS[name]} {NAMESPACES}>{inner}</w15:{PARTS[name]}>"
            if name == "commentsExtended"
            else f"<w:{PARTS[name]} {NAMESPACES}>{inner}</w:{PARTS[name]}>"
        )
    return package({
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/></Types>',
        "_rels/.rels": relationships([("rId1", "officeDocument", "word/document.xml")]),
        "word/document.xml": f"{doctype}<w:document {NAMESPACES}>{before}<w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relationships(rows),
        **files,
        **(more or {}),
    })  # fmt: skip


def read(data: bytes, *, assets: bool = False) -> Document:
    """What the first method makes of *data*: both sides of every revision."""
    document = Document(Format("docx"))
    extract(Extraction(data, Request(assets=assets), document, CollectingSink(document)))
    return document


def texts(data: bytes, view: View = "accepted") -> list[str]:
    """The paragraphs of *data* in a view, tables' own blocks and breaks left out."""
    blocks = apply_view(read(data), view).blocks
    return [block.text for block in blocks if block.type not in {"table", "page_break"}]


def labels(body: str, numbering: str, styles: str = "", view: View = "accepted") -> list[str]:
    """The list label of each paragraph, "-" where it has none."""
    blocks = apply_view(read(docx(body, numbering=numbering, styles=styles)), view).blocks
    return [b.list.label if b.list else "-" for b in blocks]


def markdown(data: bytes, view: View = "accepted") -> str:
    """*data* as Markdown, without the newline at its end."""
    return render_markdown.render(apply_view(read(data), view)).rstrip("\n")


def part(root: str, inner: str) -> str:
    """A part of WordprocessingML for ``more``: *root* is the name of its root element."""
    return f"<w:{root} {NAMESPACES}>{inner}</w:{root}>"
