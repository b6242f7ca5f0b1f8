"""Comments of slides: the older parts (19.4) and the threaded ones of newer versions ([MS-PPTX] 2.16)."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Comment
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.drawing import paragraphs
from fumehood_sandbox.extractors.ooxml.tree import inside
from fumehood_sandbox.extractors.pptx.names import P
from fumehood_sandbox.opc import Package

_P15: Final = "{http://schemas.microsoft.com/office/powerpoint/2012/main}"
_P188: Final = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"


class Comments:
    """Reads the comment parts of slides."""

    def __init__(self, x: Extraction, package: Package, main: str) -> None:
        self._x = x
        self._package = package
        self._authors: dict[str, tuple[str, str]] = {}
        self.count = 0
        for kind, tag in (("commentAuthors", P + "cmAuthor"), ("authors", _P188 + "author")):
            root = package.optional_xml(package.related(main, kind))
            for element in () if root is None else root.iter(tag):
                self._authors[element.get("id") or ""] = (element.get("name") or "", element.get("initials") or "")

    def read(self, part: str, slide: int) -> None:
        """Send the comments of the slide in *part*."""
        where = f"slide {slide}"
        for relation in self._package.relationships(part).values():
            if relation.kind != "comments" or relation.external:
                continue
            root = self._package.optional_xml(relation.target)
            if root is not None:
                self._old(root, where)
                self._new(root, where)

    def _old(self, root: Any, where: str) -> None:
        ids: dict[tuple[str, str], str] = {}
        for element in root.iter(P + "cm"):
            author, index = element.get("authorId") or "", element.get("idx") or ""
            comment = self._comment(author, element.get("dt"), element.findtext(P + "text") or "", where)
            parent = next(element.iter(_P15 + "parentCm"), None)
            if parent is not None:
                comment.parent_id = ids.get((parent.get("authorId") or "", parent.get("idx") or ""))
            ids[author, index] = comment.id
            self._x.add("comments", comment)

    def _new(self, root: Any, where: str) -> None:
        for element in root.iter(_P188 + "cm"):
            comment = self._modern(element, where)
            comment.resolved = element.get("status") in {"resolved", "closed"}
            self._x.add("comments", comment)
            for reply in inside(element, _P188 + "replyLst", _P188 + "reply"):
                answer = self._modern(reply, where)
                answer.parent_id = comment.id
                self._x.add("comments", answer)

    def _modern(self, element: Any, where: str) -> Comment:
        body = element.find(_P188 + "txBody")
        text = "\n".join(p.text for p in paragraphs(body)) if body is not None else ""
        return self._comment(element.get("authorId") or "", element.get("created"), text, where)

    def _comment(self, author: str, date: str | None, text: str, where: str) -> Comment:
        self.count += 1
        name, initials = self._authors.get(author, ("", ""))
        return Comment(self._x.next_id("c"), name, initials or None, date, cut(self._x, text, where), where=where)
