"""The parameters that several tools share, each with the sentence a client reads about it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fumehood_sandbox.contract import View

FilePath = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4096,
        description="The document: a path below an allowed folder or a file:// URI. With file_content, only its name.",
    ),
]
FileContent = Annotated[
    str | None,
    Field(description="Upload instead of reading a path: the bytes of the file, base64-encoded (at most 8 MiB decoded)."),
]
Password = Annotated[str | None, Field(max_length=1024, description="Opens an encrypted document. Kept in memory only.")]
Cursor = Annotated[
    str | None,
    Field(
        max_length=200,
        description="`next_cursor` of the previous answer, with the same file and parameters; none starts at the beginning.",
    ),
]
Limit = Annotated[int, Field(ge=1, le=1000, description="At most this many items on the page.")]
ViewName = Annotated[
    View,
    Field(description="accepted: as if every tracked change were accepted; original: all rejected; markup: both, marked."),
]

#: What models write for ``file_path``. Accepted when the right name is not given.
FILE_PATH_SLIPS = ("path", "filepath", "filename", "file_name", "file", "document", "document_path", "uri")
