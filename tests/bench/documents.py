"""The documents that are measured: made here, the same bytes every time, so that two runs measure the same work."""

from __future__ import annotations

from io import BytesIO

from pptx import Presentation

from builders import docx, pdf, xlsx

_WORDS = [
    "The",
    "seller",
    "delivers",
    "within",
    "fourteen",
    "days",
    "of",
    "a",
    "written",
    "order",
    "and",
    "carries",
    "the",
    "cost",
    "of",
    "the",
    "freight",
]

#: What `make` can make, by name: the family and how it is made.
SMALL = ("docx", "xlsx", "pptx", "pdf")
PLAIN = ("csv", "txt")
LARGE = ("xlsx-100k", "pdf-500")


def make(name: str) -> bytes:
    """The document of that name; ``xlsx-100k`` has 100,000 cells, ``xlsx-million`` 1,000,000, ``pdf-500`` 500 pages."""
    match name:
        case "docx":
            return _letter(300)
        case "xlsx":
            return _sheet(rows=40, columns=10)
        case "pptx":
            return _slides(12)
        case "pdf":
            return _pages(5)
        case "csv":
            return table_lines(20_000)
        case "txt":
            return prose(20_000)
        case "xlsx-100k":
            return _sheet(rows=5000, columns=20)
        case "xlsx-million":
            return _sheet(rows=50_000, columns=20)
        case "pdf-500":
            return _pages(500)
    raise ValueError(name)


def another(data: bytes, number: int) -> bytes:
    """The same document with other bytes, so that two of them are two to a store: an archive's first entry gets another time."""
    if data.startswith(b"PK"):
        return data[:10] + number.to_bytes(2, "little") + data[12:]
    return data + (b"%% %d\n" if data.startswith(b"%PDF") else b"\n%d\n") % number


def extension(name: str) -> str:
    return "." + name.partition("-")[0]


def table_lines(size: int) -> bytes:
    """About *size* bytes of CSV: four short columns and a remark of several sentences, one in ten quoted."""
    lines, length = ["number,customer,city,amount,remark"], 0
    while length < size:
        number = len(lines)
        remark = _sentence(number) * 8 if number % 10 else '"by hand, twice"'
        lines.append(f"{number},Customer {number % 997},City {number % 89},{number * 7 % 100_000 / 100:.2f},{remark}")
        length += len(lines[-1]) + 1
    return "\n".join(lines).encode() + b"\n"


def prose(size: int) -> bytes:
    """About *size* bytes of text: paragraphs of five sentences."""
    paragraphs, length = list[str](), 0
    while length < size:
        first = len(paragraphs) * 5
        paragraphs.append(" ".join(_sentence(number) for number in range(first, first + 5)))
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs).encode()


def _sentence(number: int) -> str:
    turned = number % len(_WORDS)
    return f"{number}. " + " ".join([*_WORDS[turned:], *_WORDS[:turned]]) + "."


def _letter(paragraphs: int) -> bytes:
    """Headings, plain and formatted text, one table: what an ordinary letter has."""
    body = []
    for number in range(paragraphs):
        if number % 25 == 0:
            body.append(docx.p(f"Part {number // 25 + 1}", ppr='<w:pStyle w:val="Heading1"/>'))
        elif number % 5 == 0:
            body.append(docx.p(docx.t(_sentence(number)), docx.t(" In bold.", "<w:b/>")))
        else:
            body.append(docx.p(_sentence(number)))
    body.append(docx.table(*((f"Item {row}", str(row * 7), str(row * 1200)) for row in range(1, 11)), grid=3))
    styles = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    return docx.docx("".join(body), styles=styles)


def _sheet(rows: int, columns: int) -> bytes:
    """Shared strings in the first column, numbers in the others; one row in ten with a formula."""
    shared = "".join(f"<si><t>Customer {row}</t></si>" for row in range(rows))
    lines = []
    for row in range(1, rows + 1):
        cells = [f'<c r="A{row}" t="s"><v>{row - 1}</v></c>']
        for column in range(1, columns):
            letter = chr(ord("A") + column)
            formula = f"<f>A{row}*2</f>" if row % 10 == 0 and column == columns - 1 else ""
            cells.append(f'<c r="{letter}{row}">{formula}<v>{row * column / 4}</v></c>')
        lines.append(f'<row r="{row}">{"".join(cells)}</row>')
    return xlsx.workbook(f"<sheetData>{''.join(lines)}</sheetData>", shared=shared, styles=xlsx.number_formats("0.00"))


def _slides(slides: int) -> bytes:
    """Titles and six points a slide, on the library's own master: the other reader opens nothing without one."""
    presentation = Presentation()
    for number in range(1, slides + 1):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = "\n".join(_sentence(number * 10 + line) for line in range(6))
    out = BytesIO()
    presentation.save(out)
    return out.getvalue()


def _pages(pages: int) -> bytes:
    return pdf.document([pdf.lines([_sentence(page * 40 + line)[:90] for line in range(40)]) for page in range(pages)])
