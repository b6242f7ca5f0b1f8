"""What a document shows or carries besides text: pictures, charts, diagrams, embedded and linked objects.

Nothing outside the package is opened: a linked picture or object is listed with its target as inert data.
"""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.contract import Image, PartKind, Progress
from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.extractors.docx.look import UNKNOWN_FILL
from fumehood_sandbox.extractors.ooxml.embedded import charts_data, embedded_parts, relations
from fumehood_sandbox.extractors.ooxml.names import DIAGRAM, PIC, RELATION_ID, WP, WPS, A, O, R, V, W, local
from fumehood_sandbox.extractors.ooxml.tree import Parents, descend
from fumehood_sandbox.pictures import describe

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.reader import Reader
    from fumehood_sandbox.extractors.docx.revisions import Revised
    from fumehood_sandbox.extractors.docx.story import Story
    from fumehood_sandbox.opc import Relationship

_MOST_REPEATED: Final = 64 * 1024 * 1024
"""Bytes of pictures sent again because they stand in the text under several alternative texts."""
_FRAMES: Final = frozenset({WP + "inline", WP + "anchor"})


class _BlocksInto:
    """A sink whose blocks take their place among the reader's own; everything else goes on as it is."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def items(self, kind: PartKind, items: list[Any], owner: int | str | None = None) -> None:
        if kind != "blocks":
            self._reader.x.sink.items(kind, items, owner)
            return
        for block in items:
            self._reader.emit(block)

    def asset(self, image_id: str, data: bytes) -> None:
        self._reader.x.sink.asset(image_id, data)

    def progress(self, progress: Progress) -> None:
        self._reader.x.sink.progress(progress)


class Objects:
    """The objects of a document, each part listed once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._images: dict[tuple[str, str | None], str | None] = {}
        self._read: dict[str, Image] = {}
        self._repeated = 0
        self._listed: set[str] = set()
        self.parts: list[str] = []
        """Embedded parts, in the order of the text where an object shows them."""

    def _relation(self, name: str, relation_id: str | None) -> Relationship | None:
        return self._reader.package.relationships(name).get(relation_id) if relation_id else None

    # --- pictures ---------------------------------------------------------------------------------------------------

    def picture(self, story: Story, element: Any) -> str | None:
        """The id of the image that a blip or ``v:imagedata`` shows; None when it refers to nothing."""
        embedded, linked = element.get(R + "embed"), element.get(R + "link") or element.get(R + "href")
        if local(element) == "imagedata":
            embedded = element.get(RELATION_ID) or element.get(O + "relid")
        relation = self._relation(story.name, embedded) or self._relation(story.name, linked)
        if relation is None:
            return None
        alt = _alt(element, story.parents)
        key = ("external " if relation.external else "") + relation.target, alt
        if key not in self._images:
            if relation.external:
                self._reader.active("external_image", story.where, relation.target)
            self._images[key] = self._again(story, relation, alt) or self._list(relation, alt, story.part, _anchor(story))
        return self._images[key]

    def _again(self, story: Story, relation: Relationship, alt: str | None) -> str | None:
        """A picture that was listed already, under another alternative text."""
        first = self._read.get(relation.target) if not relation.external else None
        if first is None:
            return None
        reader = self._reader
        image = replace(first, id=reader.x.next_id("i"), alt=alt, anchor=_anchor(story))
        self._repeated += first.bytes or 0
        if reader.x.request.assets and self._repeated <= _MOST_REPEATED:
            reader.x.image(image, reader.package.read(relation.target))
        else:
            reader.x.image(image)
        return image.id

    def _list(self, relation: Relationship, alt: str | None, where: str, anchor: str) -> str | None:
        reader = self._reader
        if relation.external:
            image = Image(reader.x.next_id("i"), posixpath.basename(relation.target)[:255], external=relation.target, alt=alt)
            reader.x.image(image)
            return image.id
        try:
            data = reader.package.read(relation.target)
        except ExtractError as error:
            if error.code not in {"corrupt", "unsupported"}:
                raise
            reader.x.warn("image-unreadable", "an image of the package cannot be read", where=where)
            return None
        kind = describe(data)
        mime = kind.mime
        if mime == "application/octet-stream":
            mime = reader.package.content_type(relation.target) or mime
        image = Image(
            reader.x.next_id("i"), posixpath.basename(relation.target), mime, width=kind.width, height=kind.height, alt=alt
        )
        image.anchor = anchor
        reader.x.image(image, data)
        self._read[relation.target] = image
        return image.id

    def other_pictures(self) -> None:
        """List the pictures of the package that no text showed: of bullets, backgrounds, charts, alternatives that are not read."""
        package = self._reader.package
        for owner, relation in relations(package):
            if relation.kind == "image" and relation.target not in self._read and relation.target in package:
                self._list(relation, None, owner, owner)

    # --- charts, diagrams -------------------------------------------------------------------------------------------

    def referred(self, story: Story, element: Any) -> None:
        """The text of a chart or a diagram, as blocks of that part after its host."""
        # Seldom there, and long imports.
        from fumehood_sandbox.extractors.ooxml.charts import read_chart, read_drawn_over  # noqa: PLC0415
        from fumehood_sandbox.extractors.ooxml.diagrams import diagram_root, read_diagram  # noqa: PLC0415

        package = self._reader.package
        if element.tag == DIAGRAM + "relIds":
            found = diagram_root(package, story.name, element)
        else:
            relation = self._relation(story.name, element.get(RELATION_ID))
            root = package.optional_xml(relation.target) if relation is not None and not relation.external else None
            found = None if relation is None or root is None else (relation.target, root)
        if found is None or found[0] in self._listed:
            return
        part, root = found
        self._listed.add(part)
        inner = replace(self._reader.x, sink=_BlocksInto(self._reader))
        if element.tag == DIAGRAM + "relIds":
            read_diagram(inner, root)
        else:
            read_chart(inner, root)
            read_drawn_over(inner, package, part)

    # --- objects ----------------------------------------------------------------------------------------------------

    def ole(self, story: Story, element: Any) -> None:
        """An embedded or linked OLE object."""
        program = (element.get("ProgID") or "")[:100]
        relation = self._relation(story.name, element.get(RELATION_ID))
        if relation is not None and relation.external:
            self._reader.active("external_link", story.where, f"{program} {relation.target}".strip())
            return
        self._reader.active("ole_object", story.where, program)
        if relation is not None:
            self._embedded(relation.target, program)

    def control(self, story: Story, element: Any) -> None:
        name = element.get(W + "name") or ""
        self._reader.active("activex", story.where, name)

    def alt_chunk(self, story: Story, relation_id: str | None, revised: Revised) -> None:
        """Content of another format that Word imports: read where it stands; what cannot be is embedded."""
        relation = self._relation(story.name, relation_id)
        if relation is None or relation.external or relation.target not in self._reader.package:
            self._reader.x.warn("alt-chunk", "content of another format is not in the document", where=story.part)
            if relation is not None and relation.external:
                self._reader.active("external_link", story.part, relation.target)
            return
        from fumehood_sandbox.extractors.docx.chunks import read_chunk  # noqa: PLC0415 - seldom there, and it reads documents

        if not read_chunk(story, relation.target, revised):
            self.parts.append(relation.target)

    def outside(self, name: str, kind: str, relation_id: str | None) -> None:
        relation = self._relation(name, relation_id)
        self._reader.active("external_link", kind, relation.target if relation is not None else "")
        self._reader.x.warn("sub-document", "a part of this document is another file, which was not opened")

    def _embedded(self, part: str, program: str) -> None:
        package = self._reader.package
        if part in self._listed or part not in package:
            return
        self._listed.add(part)
        self.parts.append(part)
        self._reader.active("embedded_file", posixpath.basename(part), program or package.content_type(part))

    def embedded_parts(self) -> None:
        """List what is embedded and no object in the text showed."""
        shown = charts_data(self._reader.package)
        for part in embedded_parts(self._reader.package):
            if part.lower() in shown:
                self.parts.append(part)
            else:
                self._embedded(part, "")


def _anchor(story: Story) -> str:
    return f"paragraph {story.para_index}" if story.para_index is not None else story.part


def _alt(element: Any, parents: Parents) -> str | None:
    """The alternative text of the drawing or shape around *element*."""
    parent = parents.of(element)
    fallback: str | None = None
    while parent is not None:
        if parent.tag in _FRAMES:
            props = parent.find(WP + "docPr")
            own = (props.get("descr") or props.get("title")) if props is not None else None
            return own or fallback
        if parent.tag == PIC + "pic" and fallback is None:
            inner = descend(parent, PIC + "nvPicPr", PIC + "cNvPr")
            fallback = inner.get("descr") or None if inner is not None else None
        if parent.tag.startswith(V) and fallback is None:
            fallback = parent.get("alt") or element.get(O + "title") or None
        parent = parents.of(parent)
    return fallback


def box_fill(content: Any, parents: Parents) -> str | None:
    """The colour of the shape around a text box's *content*; unknown unless it is plain or none."""
    shape = parents.of(content)
    while shape is not None and shape.tag != WPS + "wsp" and not shape.tag.startswith(V):
        shape = parents.of(shape)
    if shape is None:
        return None
    if shape.tag == WPS + "wsp":
        props = shape.find(WPS + "spPr")
        if props is not None and props.find(A + "noFill") is not None:
            return None
        solid = descend(props, A + "solidFill", A + "srgbClr")
        if solid is not None:
            return str(solid.get("val") or UNKNOWN_FILL)
        styled = descend(shape, WPS + "style", A + "fillRef")
        filled = props is not None and any(
            local(e) in {"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"} for e in props
        )
        return UNKNOWN_FILL if filled or (styled is not None and styled.get("idx") != "0") else None
    while shape.tag == V + "textbox" and (outer := parents.of(shape)) is not None:
        shape = outer
    if shape.get("filled") in {"f", "false", "0"}:
        return None
    color = shape.get("fillcolor")
    return None if color in {None, "white"} else color if color.startswith("#") and len(color) == 7 else UNKNOWN_FILL
