"""Word documents through python-docx: the second method of the family docx.

Simpler than the first (`extractors.docx`), and right about text: both sides of every revision are kept, so that the views
agree. It knows body paragraphs, headings by style name, tables and metadata. The package's bounds are proved first, since
the library unpacks whatever it is given.
"""

from __future__ import annotations

import io
from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, Run, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts
from fumehood_sandbox.opc import Package

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_P: Final = _W + "p"
_TBL: Final = _W + "tbl"
_TEXT: Final = {_W + "t", _W + "delText", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}
_SIGNS: Final = {
    _W + "tab": "\t", _W + "ptab": "\t", _W + "br": "\n", _W + "cr": "\n", _W + "noBreakHyphen": "\u2011",
    _W + "softHyphen": "\u00ad",
}  # fmt: skip
_OUT: Final = {
    _W + "del": (False, True),
    _W + "moveFrom": (False, True),
    _W + "ins": (True, False),
    _W + "moveTo": (True, False),
}
_UNREAD: Final = {_W + "pPr", _W + "rPr", _MC + "Fallback", _W + "instrText", _W + "delInstrText", _W + "sdtPr", _W + "tcPr"}
_MOST_DEPTH: Final = 200

Views = tuple[bool, bool]


def extract(x: Extraction) -> None:
    """Read the document in ``x.data``.

    Raises:
        ExtractError: ``corrupt`` for whatever the library cannot read, or what `Package` says.
    """
    package = Package(x.data, x.warn, x.zip_limits)
    for name in package.names:
        for _ in package.chunks(name):
            pass  # real bytes are counted before the library unpacks them
        if name.endswith((".xml", ".rels")):
            package.optional_xml(name)
    import docx  # noqa: PLC0415 - a quarter of a second that only the second method pays

    try:
        document = docx.Document(io.BytesIO(x.data))
        _Model(x, document).read()
        _metadata(x, document.core_properties)
    except ExtractError:
        raise
    except RecursionError:
        raise ExtractError("limit", "elements nested too deeply", kind="depth") from None
    except Exception as error:  # noqa: BLE001 - a library of this size raises anything; only the kind of it is passed on
        raise ExtractError("corrupt", f"python-docx: {type(error).__name__}") from None
    attach_parts(x, package, embedded_parts(package))


class _Model:
    """The body of one document."""

    def __init__(self, x: Extraction, document: Any) -> None:
        self._x = x
        self._body = document.element.body
        self._styles = {style.style_id: style.name for style in document.styles}
        self._index = 0

    def read(self) -> None:
        if self._body is None:
            raise ExtractError("corrupt", "the document has no body")
        self._blocks(self._body, None, (True, True), 0)
        self._x.document.counts["paragraphs"] = self._index
        self._x.warn("less-detail", "read by the simpler method: no notes, comments, headers, lists of revisions or images")

    def _blocks(self, container: Any, place: tuple[str, int, int] | None, views: Views, depth: int) -> list[str]:
        """Emit what stands in *container*; the text of its paragraphs."""
        if depth > _MOST_DEPTH:
            raise ExtractError("limit", "elements nested too deeply", kind="depth")
        lines: list[str] = []
        for child in container:
            if child.tag == _P:
                lines.append(self._paragraph(child, place, views, depth))
            elif child.tag == _TBL:
                self._table(child, views, depth)
            elif child.tag not in _UNREAD and len(child):
                lines += self._blocks(child, place, _within(child.tag, views), depth + 1)
        return lines

    def _paragraph(self, p: Any, place: tuple[str, int, int] | None, views: Views, depth: int) -> str:
        block = Block(self._x.next_id("b"), para_index=self._index)
        self._index += 1
        inner: list[Any] = []
        runs: list[Run] = []
        self._runs(p, (True, True), runs, inner, depth)
        block.text = "".join(run.text for run in runs)
        block.runs = runs if any(not (r.in_accepted and r.in_original) for r in runs) else []
        block.in_accepted, block.in_original = views
        self._look(block, p)
        if place is not None:
            block.table_id, block.row, block.col = place
        self._x.block(block)
        for nested in inner:
            self._paragraph(nested, None, views, depth + 1)
        return block.text

    def _look(self, block: Block, p: Any) -> None:
        """Style, heading level, and in which views the paragraph's mark is."""
        properties = p.find(_W + "pPr")
        named = properties.find(_W + "pStyle") if properties is not None else None
        block.style = self._styles.get(named.get(_W + "val")) if named is not None else None
        name = (block.style or "").lower()
        if name.startswith("heading ") and name[8:].isdigit() and block.text.strip():
            block.type, block.level = "heading", int(name[8:])
        mark = properties.find(_W + "rPr") if properties is not None else None
        for child in mark if mark is not None else ():
            block.mark_in_accepted, block.mark_in_original = _within(
                child.tag, (block.mark_in_accepted, block.mark_in_original)
            )
        if p.getnext() is None:
            block.mark_in_accepted = block.mark_in_original = True

    def _runs(self, element: Any, views: Views, runs: list[Run], inner: list[Any], depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise ExtractError("limit", "elements nested too deeply", kind="depth")
        for child in element:
            tag = child.tag
            if tag == _P:
                inner.append(child)
                continue
            text = (child.text or "") if tag in _TEXT else _SIGNS.get(tag)
            if text:
                if runs and (runs[-1].in_accepted, runs[-1].in_original) == views:
                    runs[-1].text += text
                else:
                    runs.append(Run(text, in_accepted=views[0], in_original=views[1]))
            elif tag not in _UNREAD:
                self._runs(child, _within(tag, views), runs, inner, depth + 1)

    def _table(self, element: Any, views: Views, depth: int) -> None:
        table = Table(self._x.next_id("t"))
        self._x.block(Block(self._x.next_id("b"), "table", table_id=table.id, in_accepted=views[0], in_original=views[1]))
        for tr in element.iter(_W + "tr"):
            if next(tr.iterancestors(_TBL)) is not element:
                continue
            table.n_rows += 1
            properties = tr.find(_W + "trPr")
            state = views
            for child in properties if properties is not None else ():
                state = _within(child.tag, state)
            column = 1
            for tc in tr.iter(_W + "tc"):
                if next(tc.iterancestors(_W + "tr")) is not tr:
                    continue
                span = tc.find(f"{_W}tcPr/{_W}gridSpan")
                width = max(1, min(int(span.get(_W + "val") or 1), 1000)) if span is not None else 1
                lines = self._blocks(tc, (table.id, table.n_rows, column), state, depth + 1)
                table.cells.append(
                    Cell(table.n_rows, column, 1, width, "\n".join(lines), in_accepted=state[0], in_original=state[1])
                )
                column += width
            table.n_cols = max(table.n_cols, column - 1)
        self._x.table(table)


def _within(tag: Any, views: Views) -> Views:
    """The views of what stands inside an element *tag*."""
    kept = _OUT.get(tag)
    return views if kept is None else (views[0] and kept[0], views[1] and kept[1])


def _metadata(x: Extraction, core: Any) -> None:
    found = x.document.metadata
    for key, name in (("title", "title"), ("author", "author"), ("subject", "subject"), ("keywords", "keywords")):
        if value := getattr(core, name):
            found[key] = str(value)
    for key in ("created", "modified"):
        if (moment := getattr(core, key)) is not None:
            found[key] = moment.isoformat()
