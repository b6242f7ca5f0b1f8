"""Where a click on words or a shape leads, and what it would start (19.2, 20.1.2.2.23): named, followed never."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import ActiveContent, Link
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.drawing import R
from fumehood_sandbox.opc import Package, Relationship

_TARGET: Final = 4096
_DETAIL: Final = 512
_ACTION: Final = "ppaction://"
#: Actions that start something, and what they are called in ``active_content``.
_STARTS: Final = {"program": "launch", "ole": "launch", "macro": "macro"}


class Links:
    """Lists the links of a presentation. *slides* are the numbers of its slides by the names of their parts."""

    def __init__(self, x: Extraction, package: Package, slides: dict[str, int]) -> None:
        self._x = x
        self._package = package
        self._slides = slides
        self._known: dict[str, set[str]] = {}
        """The relationships that were told of, by the part that has them."""
        self.count = 0

    def target(self, part: str, element: Any, where: str, words: str = "") -> str | None:
        """Where *element* (``a:hlinkClick`` or a kin of it) in *part* leads; it is listed, as a link or as what it would start.

        A link's text are the *words* it stands on, else what it shows when one points at it.
        """
        action, relation_id = element.get("action") or "", element.get(R + "id") or ""
        relation = self._package.relationships(part).get(relation_id)
        self._known.setdefault(part.lower(), set()).add(relation_id)
        verb = action.removeprefix(_ACTION).partition("?")[0] if action.startswith(_ACTION) else ""
        if verb in _STARTS:
            started = (relation.target if relation is not None else "") or action
            self._x.add("active_content", ActiveContent(_STARTS[verb], where, started[:_DETAIL]))
            return started[:_TARGET]
        return self._list(relation, words.strip() or element.get("tooltip") or "", where) if relation is not None else None

    def rest(self) -> None:
        """List the outside links of parts whose shapes were not walked: diagrams, charts, masters."""
        for part, relation in self._package.all_relationships():
            is_known = relation.id in self._known.get(part, ())
            if relation.kind == "hyperlink" and relation.external and not is_known:
                self._list(relation, "", part)

    def _list(self, relation: Relationship, text: str, where: str) -> str | None:
        target = relation.target
        if not relation.external:
            number = self._slides.get(target.lower())
            if number is None:
                return None
            target = f"#slide-{number}"
        if not target:
            return None
        self.count += 1
        self._x.add("links", Link(target[:_TARGET], text[:1024], "external" if relation.external else "internal", where))
        return target[:_TARGET]
