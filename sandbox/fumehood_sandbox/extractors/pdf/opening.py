"""Opening a PDF: quiet, by password where it needs one, and only if it has pages."""

from __future__ import annotations

import re
from typing import Any, Final

from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.pdf.mupdf import pymupdf

_MAX_OBJECTS: Final = 100_000


def open_document(x: Extraction) -> Any:
    """The opened and unlocked document.

    Raises:
        ExtractError: ``corrupt`` (no PDF structure, no pages), ``encrypted``, ``wrong-password``.
    """
    pymupdf.TOOLS.reset_mupdf_warnings()
    try:
        document = pymupdf.open(stream=x.data, filetype="pdf")
    except Exception as error:  # noqa: BLE001 - what MuPDF raises is no closed list
        said = str(error).lower()
        if "encrypt" in said or "password" in said or "security handler" in said:
            raise ExtractError("encrypted", "encrypted in a way that no password opens (such as by certificate)") from None
        raise ExtractError("corrupt", "it has no readable PDF structure") from None
    _unlock(x, document)
    if _pages(document) < 1:
        document = _with_pages_found(document)
        x.warn("repaired", "the page tree is damaged; the pages were searched for and put in the order of the file")
    return document


def _pages(document: Any) -> int:
    try:
        return int(document.page_count)
    except Exception:  # noqa: BLE001 - a broken page tree may raise anything
        return 0


def _with_pages_found(document: Any) -> Any:
    """The document with a new page tree over every page object that is in the file.

    Raises:
        ExtractError: ``corrupt`` when there is none, or no new tree can be made.
    """
    try:
        found = [n for n in range(1, min(document.xref_length(), _MAX_OBJECTS)) if _is_page(document, n)]
        if found:
            tree = document.get_new_xref()
            kids = " ".join(f"{n} 0 R" for n in found)
            document.update_object(tree, f"<</Type/Pages/Count {len(found)}/Kids[{kids}]>>")
            for number in found:
                document.xref_set_key(number, "Parent", f"{tree} 0 R")
            catalog = document.pdf_catalog()
            if document.xref_object(catalog) in {"null", ""}:
                document.update_object(catalog, f"<</Type/Catalog/Pages {tree} 0 R>>")
            else:
                document.xref_set_key(catalog, "Pages", f"{tree} 0 R")
            document = pymupdf.open(stream=document.tobytes(encryption=pymupdf.PDF_ENCRYPT_NONE), filetype="pdf")
    except Exception:  # noqa: BLE001 - the repair is a last attempt
        raise ExtractError("corrupt", "its page tree is damaged beyond repair") from None
    if _pages(document) < 1:
        raise ExtractError("corrupt", "it has no pages that can be found")
    return document


def _is_page(document: Any, number: int) -> bool:
    try:
        return bool(document.xref_get_key(number, "Type")[1] == "/Page")
    except Exception:  # noqa: BLE001 - an object that is broken is no page
        return False


def _unlock(x: Extraction, document: Any) -> None:
    if not document.needs_pass:
        if document.is_encrypted or (document.metadata or {}).get("encryption"):
            x.document.format.encrypted = True
            x.warn("owner-restricted", "the document is encrypted for its owner only: it opens without a password")
        return
    x.document.format.encrypted = True
    password = x.request.password
    if password is None:
        raise ExtractError("encrypted", "it needs a password")
    # Up to revision 4 the password is bytes in PDFDocEncoding, from 5 on UTF-8 (ISO 32000-2 7.6.4.3): MuPDF gets UTF-8
    # and, where that fails, the bytes that Latin-1 would have given.
    for attempt in (_text(password), _latin_1(password)):
        if attempt is not None and document.authenticate(attempt):
            return
    raise ExtractError("wrong-password", "the password does not open it")


def _text(password: str) -> str:
    """*password* as text, whatever it holds. Bytes that are no UTF-8, from a password file, are taken for Latin-1."""
    try:
        return password.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return password.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:  # other lone surrogates: no password at all
        return password.encode("utf-8", "replace").decode("utf-8")


def _latin_1(password: str) -> str | None:
    """*password* so that its UTF-8 bytes are those Latin-1 would give, where both fit into ASCII's complement."""
    try:
        return password.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return None


def shrink_store() -> None:
    """Give back what MuPDF keeps (decoded streams, fonts) of pages that are done: its cap is half of what the container has."""
    pymupdf.TOOLS.store_shrink(100)


def note_complaints(x: Extraction, document: Any) -> None:
    """What MuPDF said about the file, as counts: its words quote the document."""
    if document.is_repaired:
        x.warn("repaired", "the file's structure is damaged and was rebuilt; parts may be missing")
    said = pymupdf.TOOLS.mupdf_warnings(reset=True)
    complaints = len([line for line in said.splitlines() if line.strip()])
    for repeated in re.findall(r"repeated (\d+) times", said):
        complaints += int(repeated)
    if complaints:
        x.warn("pdf-syntax", "the parser found faults in the file and read on", count=complaints)
