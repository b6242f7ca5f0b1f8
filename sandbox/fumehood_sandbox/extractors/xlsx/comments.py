"""Comments of a sheet: notes (18.7) and threaded ones ([MS-XLSX] 2.6.205)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from fumehood_sandbox.contract import Comment
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT, cut
from fumehood_sandbox.extractors.ooxml.tree import inside
from fumehood_sandbox.extractors.xlsx.names import S, on, rich_text
from fumehood_sandbox.opc import Package

_T: Final = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


def read_persons(package: Package, main: str) -> dict[str, str]:
    """Display names of the authors of threaded comments."""
    root = package.optional_xml(package.related(main, "person"))
    return {p.get("id") or "": p.get("displayName") or "" for p in (() if root is None else root.iter(_T + "person"))}


Note = tuple[str, str, str]
"""A note's cell, its author, its text."""


def xml_notes(package: Package, part: str) -> Iterator[Note]:
    """The notes of the sheet in *part*, from their part in XML (18.7)."""
    root = package.optional_xml(package.related(part, "comments"))
    if root is None:
        return
    authors = [a.text or "" for a in inside(root, S + "authors", S + "author")]
    for element in root.iter(S + "comment"):
        body = element.find(S + "text")
        author = element.get("authorId") or ""
        name = authors[int(author)] if author.isdecimal() and len(author) < 7 and int(author) < len(authors) else ""
        yield element.get("ref") or "", name, rich_text(body) if body is not None else ""


def read_comments(
    x: Extraction, package: Package, part: str, sheet: str, persons: dict[str, str], notes: Iterable[Note]
) -> dict[str, str]:
    """Send the comments of the sheet in *part*, its *notes* among them; their texts by cell reference."""
    sent: dict[str, list[str]] = {}
    ids: dict[str, str] = {}
    root = package.optional_xml(package.related(part, "threadedComment"))
    for element in () if root is None else root.iter(_T + "threadedComment"):
        ref, text = element.get("ref") or "", cut(x, element.findtext(_T + "text") or "", sheet)
        comment = Comment(x.next_id("c"), persons.get(element.get("personId") or "", ""), text=text, where=f"{sheet}!{ref}")
        comment.date = element.get("dT")
        comment.resolved = on(element.get("done"))
        comment.parent_id = ids.get(element.get("parentId") or "")
        ids[element.get("id") or ""] = comment.id
        x.add("comments", comment)
        sent.setdefault(ref, []).append(text)
    threaded = set(sent)
    for ref, author, whole in notes:
        if ref in threaded:  # its note only repeats the thread for older versions
            continue
        text = cut(x, whole, sheet)
        x.add("comments", Comment(x.next_id("c"), author, text=text, where=f"{sheet}!{ref}"))
        sent.setdefault(ref, []).append(text)
    return {ref: "\n".join(texts)[:MAX_TEXT] for ref, texts in sent.items()}
