"""A run's folder: ``<stem>_<timestamp>-<id>/{output.md, document.json, images/}`` below a folder of the user's.

Written beside its final name and moved there whole, so that a reader never sees half of one, and never over an older
run. No name found in a document is used as a path: images are called by our ids, with the ending of their type.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import secrets
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fumehood.errors import EnvironmentError_
from fumehood.staging.names import folder_stem

if TYPE_CHECKING:
    from fumehood.results import ExtractResult, Sanitize
    from fumehood_sandbox.contract import Document


def write_run(result: ExtractResult, folder: Path, *, sanitize: Sanitize = "strip") -> Path:
    """Write *result* below *folder* (made if need be) and return the run's own folder.

    Raises:
        EnvironmentError_: ``output-not-writable``.
    """
    name = f"{folder_stem(result.name)}_{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
    final = folder / name
    partial = folder / f".{name}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        final.mkdir(mode=0o700)  # fails where a run of that name stands: the name is ours from here on
        try:
            partial.mkdir(mode=0o700)
            _fill(partial, result, sanitize)
            partial.chmod(0o755)
            partial.rename(final)  # rename(2): onto our own empty folder, all at once
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            final.rmdir()
            raise
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise EnvironmentError_("output-not-writable", f"the output folder cannot be written: {reason}") from None
    return final


def _fill(run: Path, result: ExtractResult, sanitize: Sanitize) -> None:
    from fumehood.documents.naming import image_file_names  # noqa: PLC0415 - only where files are written
    from fumehood.documents.pieces import texts  # noqa: PLC0415
    from fumehood.documents.render_markdown import render_pieces  # noqa: PLC0415
    from fumehood.documents.serialise import iter_json  # noqa: PLC0415

    images = run / "images"
    images.mkdir()
    document = _images_by_id(result.document)
    if document is not None:
        for image_id, file in image_file_names(document.images).items():
            if image_id in result.assets:
                _write(images / file, [result.assets[image_id]])
        markdown = texts(render_pieces(document, sanitize=sanitize, image_folder="images/"))
        _write(run / "output.md", (text.encode("utf-8", "backslashreplace") for text in markdown))
    _write(run / "document.json", itertools.chain(iter_json(result, indent=1), [b"\n"]))


def _images_by_id(document: Document | None) -> Document | None:
    """*document* with each image called by its id, for the files and the links to them."""
    if document is None:
        return None
    return dataclasses.replace(document, images=[dataclasses.replace(image, name=image.id) for image in document.images])


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    # "x": the folder is new and ours; whatever stands there already was put there by someone else.
    with path.open("xb") as file:
        for piece in pieces:
            file.write(piece)
