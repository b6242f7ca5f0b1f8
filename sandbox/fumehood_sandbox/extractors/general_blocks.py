"""What the general converter found, as blocks, tables, notes, links and images. Its model is described in its type stubs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from fumehood_sandbox import pictures
from fumehood_sandbox.contract import Block, BlockType, Cell, Image, Link, ListInfo, Note, OutlineItem, Part, Run, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.labels import letter, roman
from fumehood_sandbox.extractors.ooxml.names import NoteKind

_ASK_EVERY: Final = 500
_MAX_NAME: Final = 255
_MAX_TITLE: Final = 1024
_MAX_TARGET: Final = 2048


@dataclass(frozen=True, slots=True)
class _Place:
    """Where blocks stand."""

    part: Part = "body"
    type: BlockType = "paragraph"
    note_id: str | None = None
    depth: int = 0


class Writer:
    """Sends what the converter found."""

    def __init__(self, x: Extraction, source: Any) -> None:
        self._x = x
        self._source = source
        self._notes = {note.id: x.next_id("n") for note in source.notes}
        self._referring: dict[str, str] = {}
        self._images: dict[int, str] = {}
        self._tables = 0
        self._left = x.request.max_output_bytes // 4
        """Characters that the cells of tables may hold together."""
        self.has_content = False

    def write(self) -> None:
        blocks = self._source.blocks
        for done, block in enumerate(blocks, 1):
            self._block(block, _Place())
            if done % _ASK_EVERY == 0:
                self._x.progress(done, len(blocks), "block")
        for note in self._source.notes:
            note_id = self._notes[note.id]
            kind: NoteKind = "endnote" if note.kind == "endnote" else "footnote"
            lines = self._blocks(note.blocks, _Place(kind, note_id=note_id))
            self._x.add("notes", Note(note_id, kind, "\n".join(lines), self._referring.get(note_id)))
        self._x.document.counts.update(tables=self._tables, images=len(self._source.assets))

    def _blocks(self, blocks: Iterable[Any], place: _Place) -> list[str]:
        return [line for block in blocks for line in self._block(block, place)]

    def _block(self, source: Any, place: _Place) -> list[str]:
        """Send one block of the converter with all that stands in it; its lines of text."""
        match source.kind:
            case "heading":
                return self._heading(source, place)
            case "list":
                return self._list(source.list, place)
            case "table":
                return self._table(source.table, place)
            case "block_quote":
                # In a presentation that is how the converter sets off a slide's notes.
                is_notes = self._x.document.format.family == "pptx"
                inner = _Place("notes") if is_notes else _Place(place.part, "quote", place.note_id)
                return self._blocks(source.blocks, inner)
            case "rule":
                self._x.block(Block(self._x.next_id("b"), "thematic_break", part=place.part))
                return []
            case "code_block" | "math":
                block = self._new("code" if source.kind == "code_block" else "equation", source.text or "", place)
                block.latex = source.text if source.kind == "math" else None
                return self._send(block, [])
            case _:
                runs = self._runs(source.content or ())
                return self._send(self._new(place.type, "", place), runs)

    def _new(self, kind: BlockType, text: str, place: _Place) -> Block:
        return Block(self._x.next_id("b"), kind, text, place.part, note_id=place.note_id)

    def _send(self, block: Block, runs: list[Run]) -> list[str]:
        if runs:
            block.text = "".join(run.text for run in runs)
            block.runs = runs if any(run != Run(run.text) for run in runs) else []
        for run in runs:
            if run.note_id is not None:
                self._referring.setdefault(run.note_id, block.id)
        image = next((run.image_id for run in runs if run.image_id is not None), None)
        if not block.text.strip():
            if image is None:
                return []
            block.type, block.image_id = "image", image
        self.has_content = True
        self._x.block(block)
        return [block.text]

    def _heading(self, source: Any, place: _Place) -> list[str]:
        block = self._new("heading", "", place)
        block.level = source.level or 1
        lines = self._send(block, self._runs(source.content or ()))
        if lines and place.part == "body" and block.text.strip():
            self._x.add("outline", OutlineItem(block.text[:_MAX_TITLE], block.level, block.id))
        return lines

    def _list(self, source: Any, place: _Place) -> list[str]:
        lines: list[str] = []
        depth = place.depth + 1
        inner = _Place(place.part, place.type, place.note_id, depth)
        for number, item in enumerate(source.items, source.start):
            info: ListInfo | None = ListInfo(depth, source.marker != "bullet", _label(item, source.marker, number))
            for child in item.blocks:
                if info is not None and child.kind == "paragraph":
                    block = self._new("list_item", "", place)
                    block.list, info = info, None
                    lines += self._send(block, self._runs(child.content or ()))
                else:
                    lines += self._block(child, inner)
        return lines

    # -- tables ----------------------------------------------------------------------------------------------------------

    def _table(self, source: Any, place: _Place) -> list[str]:
        """Send a table; one that only lays out its text is that text."""
        grid = source.grid
        if source.kind == "layout":
            return [line for row in grid for slot in row if slot.cell for line in self._blocks(slot.cell.blocks, place)]
        self._tables += 1
        table = Table(self._x.next_id("t"), len(grid), max(map(len, grid), default=0), source.header_rows, part=place.part)
        block = self._new("table", "", place)
        block.table_id = table.id
        self._x.block(block)
        nested: list[Any] = []
        for row, slots in enumerate(grid, 1):
            for col, slot in enumerate(slots, 1):
                cell = slot.cell
                if cell is None:
                    continue
                text = "\n".join(self._lines(cell.blocks, nested))
                self._left -= len(text)
                if self._left < 0:  # one shared string may stand in any number of cells
                    raise ExtractError("limit", "the tables of the document hold too much text", kind="output")
                if text or cell.row_span > 1 or cell.col_span > 1:
                    table.cells.append(Cell(row, col, cell.row_span, cell.col_span, text))
                self.has_content = self.has_content or bool(text.strip())
        self._x.table(table)
        for inner in nested:
            self._table(inner, place)
        return [cell.text for cell in table.cells]

    def _lines(self, blocks: Iterable[Any], nested: list[Any]) -> list[str]:
        """The text of a cell, a line a paragraph; tables in it go to *nested*."""
        lines: list[str] = []
        for block in blocks:
            if block.kind == "table":
                nested.append(block.table)
            elif block.kind == "list":
                for number, item in enumerate(block.list.items, block.list.start):
                    inner = self._lines(item.blocks, nested)
                    lines += [f"{_label(item, block.list.marker, number)} {inner[0]}", *inner[1:]] if inner else []
            elif block.kind == "block_quote":
                lines += self._lines(block.blocks, nested)
            else:
                text = "".join(run.text for run in self._runs(block.content or ())) or block.text or ""
                lines += [text] if text else []
        return lines

    # -- what stands in a line -------------------------------------------------------------------------------------------

    def _runs(self, content: Iterable[Any], link: str | None = None) -> list[Run]:
        runs: list[Run] = []
        for inline in content:
            match inline.kind:
                case "text":
                    style = inline.style
                    runs.append(
                        Run(inline.text, style.bold, style.italic, strike=style.strike, code=style.code, link=link)
                        if style is not None
                        else Run(inline.text, link=link)
                    )
                case "link":
                    runs += self._link(inline)
                case "image":
                    runs.append(Run(image_id=self._image(inline), link=link))
                case "line_break":
                    runs.append(Run("\n", link=link))
                case "math":
                    runs.append(Run(inline.text or "", latex=inline.text))
                case "note_ref":
                    runs.append(Run(note_id=self._notes.get(inline.note_id)))
                case "checkbox":
                    runs.append(Run("\u2612" if inline.checked else "\u2610"))
                case _:  # a target of links inside the document has no text
                    pass
        return runs

    def _link(self, source: Any) -> list[Run]:
        is_inside = source.target.kind == "anchor"
        target = ("#" if is_inside else "") + source.target.value[: _MAX_TARGET - 1]
        runs = self._runs(source.content or (), target) or [Run(target, link=target)]
        text = "".join(run.text for run in runs)
        self._x.add("links", Link(target, text, "internal" if is_inside else "external"))
        return runs

    def _image(self, source: Any) -> str:
        """The id of an image, listed when it is met first."""
        asset_id = source.source.asset_id if source.source is not None else None
        if asset_id in self._images:
            return self._images[asset_id]
        image = Image(self._x.next_id("i"), alt=source.alt or None)
        if asset_id is None:
            image.external = source.source.url[:_MAX_TARGET] if source.source is not None and source.source.url else None
            self._x.image(image)
            return image.id
        asset = self._source.assets[asset_id]
        data = bytes(asset.data)
        picture = pictures.describe(data)
        image.name = posixpath.basename(asset.origin_part)[:_MAX_NAME]
        image.mime, image.width, image.height = picture.mime, picture.width, picture.height
        self._x.image(image, data)
        self._images[asset_id] = image.id
        return image.id


def _label(item: Any, marker: str, number: int) -> str:
    """An item's label: its own words, or by the kind of its list and its number."""
    if item.marker_label:
        return str(item.marker_label)
    if marker == "bullet":
        return "•"
    text = letter(number) if marker.endswith("_alpha") else roman(number) if marker.endswith("_roman") else str(number)
    return (text.upper() if marker.startswith("upper") else text) + "."
