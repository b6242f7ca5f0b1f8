"""Looks into an image archive before the engine gets it: which image it holds, and under which names.

An engine loads whatever an archive says, other images' names included. So the archive is asked first, by its index and its
config alone; nothing is unpacked. The engine then checks the layers against that config itself.
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fumehood.errors import make_error

INDEX_BYTES: Final = 1 << 20
MEMBERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class ArchivedImage:
    """The one image of an archive."""

    names: tuple[str, ...]
    layers: tuple[str, ...]


def read_archive(path: Path) -> ArchivedImage:
    """What a tar written by ``docker save`` (either layout) holds.

    Raises:
        FumehoodError: ``image-mismatch``, it is no such archive or holds more than one image; ``not-found``.
    """
    try:
        index = _member(path, "manifest.json")
        if len(index) != 1:
            raise make_error(
                "image-mismatch",
                f"the archive holds {len(index)} images, one is expected",
                hint="Use a file that `fumehood image save` wrote.",
            )
        config = _member(path, index[0]["Config"])
        return ArchivedImage(names=tuple(index[0].get("RepoTags") or ()), layers=tuple(config["rootfs"]["diff_ids"]))
    except FileNotFoundError as error:
        raise make_error("not-found", f"there is no archive {path.name}") from error
    except (tarfile.TarError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise make_error(
            "image-mismatch", f"{path.name} is not an image archive", hint="Use a file that `fumehood image save` wrote."
        ) from error


def _member(path: Path, name: str) -> Any:
    with tarfile.open(path, mode="r:") as tar:
        for count, member in enumerate(tar):
            if count >= MEMBERS:
                break
            if member.name == name and member.isfile() and member.size <= INDEX_BYTES:
                file = tar.extractfile(member)
                assert file is not None
                return json.loads(file.read(INDEX_BYTES))
    raise KeyError(name)
