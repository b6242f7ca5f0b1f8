"""Comments: their text as blocks and as a list, whom they answer, whether they are resolved, and what they are about.

``word/comments.xml`` holds them, ``commentsExtended.xml`` ([MS-DOCX] 2.5.4) the threads, by the id of each comment's last
paragraph; the ranges stand in the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.contract import Comment
from fumehood_sandbox.extractors.docx.story import Story
from fumehood_sandbox.extractors.ooxml.names import AUTHOR, DATE, ID, W14, W15, P, W
from fumehood_sandbox.extractors.ooxml.tree import Parents

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.reader import Reader

_MOST: Final = 20_000


@dataclass(slots=True)
class Anchor:
    """What a comment is about: the text of its range."""

    comment_id: str
    para_index: int | None = None
    length: int = 0
    _all: list[str] = field(default_factory=list)
    _accepted: list[str] = field(default_factory=list)

    def add(self, text: str, *, accepted: bool) -> None:
        if self.length < _MOST:
            self.length += len(text)
            self._all.append(text)
            if accepted:
                self._accepted.append(text)

    @property
    def text(self) -> str:
        """The accepted text; where nothing of it is accepted, what was there."""
        return "".join(self._accepted).strip() or "".join(self._all).strip()


class Comments:
    """The comments of a document. *root* is the comments part, None when there is none."""

    def __init__(self, reader: Reader, name: str | None) -> None:
        self._reader = reader
        self._name = name or ""
        root = reader.package.optional_xml(name)
        self._elements = [] if root is None else root.findall(W + "comment")
        self._parents = Parents(root)
        self.count = len(self._elements)
        self._anchors: dict[str, Anchor] = {}
        for element in self._elements:
            if (source_id := element.get(ID) or "") not in self._anchors:
                self._anchors[source_id] = Anchor(reader.x.next_id("c"))

    def anchor(self, source_id: str, para_index: int | None) -> Anchor | None:
        """The anchor of a comment that the text refers to at *para_index*; None when there is no such comment."""
        anchor = self._anchors.get(source_id)
        if anchor is not None and anchor.para_index is None:
            anchor.para_index = para_index
        return anchor

    def read(self) -> None:
        """Emit the comments."""
        reader = self._reader
        parents, resolved = self._threads()
        by_paragraph: dict[str, str] = {}
        known: list[tuple[Any, str, str]] = []
        """Each comment with its id and the id of its last paragraph: one may answer a later one."""
        given: set[str] = set()
        for element in self._elements:
            source_id = element.get(ID) or ""
            comment_id = self._anchors[source_id].comment_id if source_id not in given else reader.x.next_id("c")
            given.add(source_id)
            last = ""
            for p in element.iter(P):
                last = (p.get(W14 + "paraId") or "").upper()
                if last:
                    by_paragraph[last] = comment_id
            known.append((element, comment_id, last))
        for element, comment_id, last in known:
            anchor = self._anchors[element.get(ID) or ""]
            story = Story(reader, "comment", self._name, element, comment_id=comment_id, parents=self._parents)
            comment = Comment(
                comment_id,
                element.get(AUTHOR) or "",
                element.get(W + "initials"),
                element.get(DATE),
                story.said(element),
                anchor.text,
                anchor.para_index,
                resolved.get(last, False),
                by_paragraph.get(parents.get(last, "")),
            )
            reader.x.add("comments", comment)
            reader.flush()

    def _threads(self) -> tuple[dict[str, str], dict[str, bool]]:
        """``(paragraph id of the comment answered, resolved)`` by the id of a comment's last paragraph."""
        reader = self._reader
        root = reader.package.optional_xml(reader.package.related(reader.main, "commentsExtended"))
        parents: dict[str, str] = {}
        resolved: dict[str, bool] = {}
        for element in () if root is None else root.iter(W15 + "commentEx"):
            para = _hex(element, "paraId")
            parents[para] = _hex(element, "paraIdParent")
            resolved[para] = element.get(W15 + "done") in {"1", "true", "on"}
        return parents, resolved


def _hex(element: Any, name: str) -> str:
    return (element.get(W15 + name) or "").upper()
