"""A ZIP archive as a document of nothing but attachments: each of its files, read where it is a document that can be.

For archives that are embedded in other documents.
"""

from __future__ import annotations

from fumehood_sandbox.attachments import attach
from fumehood_sandbox.contract import Attachment
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.zipsafe import Archive


def extract(x: Extraction) -> None:
    """Attach every file of the archive in ``x.data``, under its path in the archive.

    Raises:
        ExtractError: ``corrupt`` or ``limit``, as `zipsafe` says.
    """
    archive = Archive(x.data, x.zip_limits, x.warn)
    files = [entry for entry in archive.entries if not entry.name.endswith(("/", "\\"))]
    x.document.counts["members"] = len(files)
    for entry in files:
        try:
            data = archive.read(entry)
        except ExtractError as error:
            if error.code == "limit":
                raise
            x.warn(
                "attachment-unreadable",
                f"a file of the archive cannot be read ({error.code}: {error.detail})",
                where=entry.name,
            )
            x.add("attachments", Attachment(entry.name[:255], bytes=entry.size))
        else:
            attach(x, entry.name, "", data)
