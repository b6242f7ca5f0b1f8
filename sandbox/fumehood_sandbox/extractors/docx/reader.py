"""One document while it is read: its package, what its styles and numbering say, and what the stories hand in."""

from __future__ import annotations

from typing import Any, Final, Literal

from fumehood_sandbox.contract import ActiveContent, Block, Link, OutlineItem
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.docx import counts
from fumehood_sandbox.extractors.docx.building_blocks import read_building_blocks
from fumehood_sandbox.extractors.docx.comments import Comments
from fumehood_sandbox.extractors.docx.look import Setting, setting
from fumehood_sandbox.extractors.docx.notes import Notes
from fumehood_sandbox.extractors.docx.numbering import Counters, read_numbering
from fumehood_sandbox.extractors.docx.objects import Objects
from fumehood_sandbox.extractors.docx.paragraphs import read_properties
from fumehood_sandbox.extractors.docx.revisions import Recorder
from fumehood_sandbox.extractors.docx.story import Story
from fumehood_sandbox.extractors.docx.styles import LOOK_TAGS, Look, Style, Styles, read_look
from fumehood_sandbox.extractors.ooxml.names import NOTE_KINDS, RELATION_ID, VAL, NoteKind, W
from fumehood_sandbox.opc import Package

#: Blocks that are sent on at a time: few enough for the host to check some while the rest of a short document is read.
_BATCH: Final = 128
_MOST_LINKS: Final = 20_000
_STYLE: Final = W + "rStyle"
_SHADING, _COLOR, _FILL = W + "shd", W + "color", W + "fill"
#: What a setting depends on.
_SAID: Final = LOOK_TAGS | {_STYLE}
_RUNNING: Final = frozenset({W + "headerReference", W + "footerReference"})


class Looks:
    """The settings of runs in paragraphs of one look on one fill, each combination worked out once."""

    __slots__ = ("_base", "_fill", "_known", "_styles", "default")

    def __init__(self, styles: Styles, style: Style | None, fill: str | None) -> None:
        self._styles = styles
        self._base: Look = style.look.over(styles.look) if style is not None else styles.look
        self._fill = fill
        self._known: dict[tuple[str | None, ...], Setting] = {}
        self.default = setting(Look(), None, self._base, fill)

    def of(self, rpr: Any) -> Setting:
        """The setting that an ``w:rPr`` gives."""
        said: list[str | None] = []
        for child in rpr:
            tag = child.tag
            if tag in _SAID:
                said += (tag, child.get(VAL))
                if tag == _SHADING:
                    said += (child.get(_COLOR), child.get(_FILL))
        key = tuple(said)
        known = self._known.get(key)
        if known is None:
            named = rpr.find(_STYLE)
            style = self._styles.get(named.get(VAL)) if named is not None else None
            known = self._known[key] = setting(read_look(rpr), style, self._base, self._fill)
        return known


class Reader:
    """Reads a package into *x*. `read` does all of it."""

    def __init__(self, x: Extraction, package: Package) -> None:
        self.x = x
        self.package = package
        self._index = 0
        package.alive = self.alive
        self.main = package.main
        self.numbering = read_numbering(package.optional_xml(package.related(self.main, "numbering")))
        self.styles = Styles(package.optional_xml(package.related(self.main, "styles")), self.numbering)
        self.no_properties = read_properties(None, self.styles)
        self.accepted = Counters(self.numbering)
        self.original = Counters(self.numbering)
        self.revisions = Recorder(x)
        self.objects = Objects(self)
        self.note_blocks: dict[str, str] = {}
        self._notes = {kind: Notes(self, kind) for kind in NOTE_KINDS}
        self.comments = Comments(self, package.related(self.main, "comments"))
        self._looks: dict[tuple[str, str | None], Looks] = {}
        self._blocks: list[Block] = []
        self._unsettled: list[Block] = []
        self._tables = 0
        """Tables around the place that is being read."""
        self._sections: dict[str, None] = {}
        self._outline: list[OutlineItem] = []
        self._links: dict[tuple[str, str], Link] = {}
        self._active: dict[tuple[str, str, str], ActiveContent] = {}

    # --- what stories hand in ---------------------------------------------------------------------------------------

    def next_index(self) -> int:
        """The position of the next ``w:p`` of the body."""
        self._index += 1
        return self._index - 1

    @property
    def upcoming(self) -> int:
        """The position that the next ``w:p`` will have."""
        return self._index

    def emit(self, block: Block) -> None:
        self._blocks.append(block)

    def open_table(self, block: Block) -> None:
        """Take the *block* of a table whose rows come next; what is said in it may depend on them."""
        self._blocks.append(block)
        self._unsettled.append(block)
        self._tables += 1

    def settle(self, block: Block) -> None:
        """Nothing about the *block* of a table will change any more."""
        self._unsettled = [other for other in self._unsettled if other is not block]

    def close_table(self, block: Block) -> None:
        self.settle(block)
        self._tables -= 1

    def flush(self, *, all_: bool = False) -> None:
        """Send blocks on: between the blocks of a part or the rows of its tables, when no revision waits for its text."""
        if self._tables > 1 or not self._blocks or not (all_ or len(self._blocks) >= _BATCH):
            return
        ready = len(self._blocks)
        if self._unsettled:
            ready = next(at for at, block in enumerate(self._blocks) if block is self._unsettled[0])
        if ready:
            self.x.add("blocks", *self._blocks[:ready])
            del self._blocks[:ready]
            if self._outline:
                self.x.add("outline", *self._outline)
                self._outline = []
            self.revisions.flush()
        self.alive()

    def alive(self) -> None:
        """A sign of life."""
        self.x.progress(self._index, None, "block")

    def looks(self, style: Style | None, fill: str | None) -> Looks:
        key = style.id if style is not None else "", fill
        known = self._looks.get(key)
        if known is None:
            known = self._looks[key] = Looks(self.styles, style, fill)
        return known

    def note_id(self, kind: NoteKind, source_id: str) -> str | None:
        return self._notes[kind].note_id(source_id)

    def section(self, element: Any) -> None:
        """Remember the headers and footers that a ``w:sectPr`` names, in order."""
        for child in element:
            if child.tag not in _RUNNING:
                continue
            relation = self.package.relationships(self.main).get(child.get(RELATION_ID) or "")
            if relation is not None and not relation.external:
                self._sections.setdefault(relation.target)

    def outlined(self, block: Block) -> None:
        self._outline.append(OutlineItem(block.text.replace("\n", " ").strip(), block.level or 1, block.id))

    def linked(self, target: str, *, internal: bool, where: str) -> None:
        if len(self._links) < _MOST_LINKS:
            link = Link(target, kind="internal" if internal else "external", where=where)
            self._links.setdefault((target, where), link)

    def link_text(self, target: str, where: str, text: str) -> None:
        """What a link that is listed says."""
        link = self._links.get((target, where))
        if link is not None and not link.text:
            link.text = text[:400]

    def active(self, kind: str, where: str, detail: str) -> None:
        """List something that would act or reach outside in Word."""
        item = ActiveContent(kind, where, detail[:400])
        self._active.setdefault((kind, where, item.detail), item)

    # --- reading ----------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read every part into the document."""
        root = self.package.xml(self.main)
        tags = counts.tally(root)
        found = counts.measure(root, tags)
        body = Story(self, "body", self.main, root, indexed=True, tags=tags)
        for container in root.findall(W + "body"):
            self._top(body, container)
        self.flush(all_=True)
        self._compare(found)
        for kind in self._notes.values():
            kind.read()
        self._headers()
        self.comments.read()
        read_building_blocks(self)
        self.flush(all_=True)
        self.revisions.flush()
        found["footnotes"], found["endnotes"] = self._notes["footnote"].count, self._notes["endnote"].count
        found["comments"] = self.comments.count
        self.x.document.counts.update(found)
        self.objects.other_pictures()
        self.objects.embedded_parts()

    def finish(self) -> None:
        """Send the lists that grow to the end."""
        if self._links:
            self.x.add("links", *self._links.values())
        if self._active:
            self.x.add("active_content", *self._active.values())

    def _top(self, story: Story, container: Any) -> None:
        """Read the body child by child, so that what is finished can go out."""
        story.container = container
        for child in container:
            story.block(child)
            story.lines.clear()
            self.flush()

    def _compare(self, found: dict[str, int]) -> None:
        """Warn where the markup holds more than was read."""
        for name, kept in (("paragraphs", self._index), ("revisions", self.revisions.recorded)):
            if kept != found[name]:
                self.x.warn("count-mismatch", f"{found[name]} {name} in the source, {kept} read", where=name)

    def _headers(self) -> None:
        """Headers and footers: those that a section names in that order, then any others the package relates."""
        for relation in self.package.relationships(self.main).values():
            if relation.kind in {"header", "footer"} and not relation.external:
                self._sections.setdefault(relation.target)
        kinds = {r.target: r.kind for r in self.package.relationships(self.main).values()}
        for name in self._sections:
            root = self.package.optional_xml(name)
            if root is not None:
                part: Literal["header", "footer"] = "footer" if kinds.get(name) == "footer" else "header"
                Story(self, part, name, root).contained(root)
                self.flush()
