"""Rows of a large part, cut out as text before the parser sees them: making elements of a million cells takes most of the time.

What is cut out is text between ``<sheetData>`` and ``</sheetData>`` that ends behind a row. Whoever takes it reads what is
written in the usual way from the text itself, and has the rest parsed with the part's own root element around it
(`Stretch.parse`). What the parser refuses there goes back (`Stretch.refused`): the part's parser, which has seen no row so far,
reads on from that place, and comes to the same damage. So nothing is read that is not as well-formed as the parser wants it.
"""

from __future__ import annotations

from typing import Any, Final

#: A row of 16,384 cells with long formulas in each is shorter; a longer one is left to the parser.
_LONGEST: Final = 4 << 20
_CDATA: Final = b"<![CDATA["
#: Characters that XML does not have: those below the space, but for the tabulator and the ends of lines, and two more.
_NO_CHARACTERS: Final = bytes(c for c in range(32) if c not in b"\t\n\r")
_NO_CHARACTERS_EITHER: Final = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")


class Stretch:
    """Rows as ``text``: no comment, no CDATA section, no character that XML does not have, lines ended as XML has them."""

    __slots__ = ("_around", "head", "refused", "text")

    def __init__(self, text: str, head: str, around: tuple[str, str]) -> None:
        self.text = text
        self.head = head
        """The start tag of the part's root element."""
        self.refused = ""
        """Set it to the end of ``text`` from a row on that `parse` could not read."""
        self._around = around

    def whole(self, rows: str) -> bytes:
        """*rows* as a part of their own."""
        return f"{self._around[0]}{rows}{self._around[1]}".encode()


class RowCutter:
    """Cuts rows out of the bytes of one part, whose parser sees what is left: all of it, when anything is unusual."""

    __slots__ = ("_around", "_closing", "_container", "_head", "_held", "_state", "_tag")

    def __init__(self, tag: str, container: str, row: str) -> None:
        """*tag* is the container's name in ElementTree's spelling; *container* and *row* the names as they are usually written."""
        self._tag = tag
        self._container = f"<{container}>".encode()
        self._closing = f"</{row}>".encode()
        self._state = "before"
        self._held = b""
        self._head = b""
        self._around = ("", "")

    def before(self, text: bytes) -> tuple[bytes, bytes]:
        """What of *text* is for the parser at once, and what may be rows when the container has been opened there."""
        if self._state == "before":
            text, self._held = self._held + text, b""
            if not self._head:
                self._head = text[: text.find(b">") + 1]
            at = text.find(self._container)
            if not self._head or self._head[-2:] == b"/>" or _CDATA in text:
                self._state = "off"
            elif at >= 0:
                at += len(self._container)
                self._state = "opening"
                return text[:at], text[at:]
            else:  # the tag may stand in two pieces
                last = text.rfind(b"<")
                if self._container.startswith(text[last:]) and last > 0:
                    text, self._held = text[:last], text[last:]
        elif self._state == "in":
            return b"", text
        return text, b""

    def opened(self, root: Any | None) -> None:
        """The parser has read up to the container's start tag, and *root* is what it has built."""
        if self._state != "opening":
            return
        is_open = root is not None and len(root) > 0 and root[-1].tag == self._tag and not len(root[-1])
        self._state = "in" if is_open else "off"
        try:
            head = self._head.decode()
        except UnicodeDecodeError:
            self._state = "off"
        else:
            container = self._container.decode()
            name = head[1:-1].split(maxsplit=1)[0]
            self._around = (head + container, f"{container[0]}/{container[1:]}</{name}>")

    def cut(self, text: bytes) -> tuple[Stretch | None, bytes]:
        """The rows that are complete in *text* and what was held, and what of both is for the parser."""
        if self._state != "in":
            return None, text
        text = self._held + text
        self._held = b""
        end = text.find(b"</" + self._container[1:-1])
        if end >= 0:
            self._state = "off"
        rows_end = text.rfind(self._closing, 0, end if end >= 0 else len(text))
        rows_end = rows_end + len(self._closing) if rows_end >= 0 else 0
        rows, rest = text[:rows_end], text[rows_end:]
        stretch = self._stretch(rows) if rows else None
        if rows and stretch is None:
            self._state = "off"
            return None, text
        if self._state == "in" and len(rest) <= _LONGEST:
            self._held, rest = rest, b""
        else:
            self._state = "off"
        return stretch, rest

    def _stretch(self, rows: bytes) -> Stretch | None:
        if _CDATA in rows or b"]]>" in rows or any(no in rows for no in _NO_CHARACTERS_EITHER):
            return None
        if len(rows.translate(None, _NO_CHARACTERS)) != len(rows):
            return None
        try:
            text = rows.decode()
        except UnicodeDecodeError:
            return None
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return Stretch(text, self._around[0], self._around)

    def give_up(self, rest: bytes) -> bytes:
        """No more rows are cut out; what the parser has to read, *rest* first."""
        self._state = "off"
        rest, self._held = rest + self._held, b""
        return rest
