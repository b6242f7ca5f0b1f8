"""The two locks. The shipped one says what is the same everywhere; the local one what this machine built or accepted.

* ``images/lock.json``, committed and in the wheel: base digest, wheel hashes by file and platform, the expected config, the
  recipe's hash, and the layers of published images, if any. Written by ``scripts/lock.py``, never by a command.
* ``<state>/image-lock.json``, mode 0600 in a folder of mode 0700: image id, ordered layers, config, Debian packages.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from platformdirs import user_state_path

from fumehood.errors import EnvironmentError_, FumehoodError, make_error
from fumehood.sandbox.image_recipe import LOCK_FILE, recipe_root

LOCAL_LOCK: Final = "image-lock.json"
FORMAT: Final = 1
_MAX_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LockedImage:
    """One image somebody vouches for: the recipe it was made from, its layers in order, its config."""

    name: str
    recipe: str
    platform: str
    layers: tuple[str, ...]
    config: Mapping[str, Any]
    id: str = ""
    base: str = ""
    base_id: str = ""
    python: str = ""
    debian: Mapping[str, str] = field(default_factory=dict)
    wheels: Mapping[str, str] = field(default_factory=dict)

    @property
    def lock_id(self) -> str:
        """A short name for exactly these layers under exactly this config; it stands in every result's provenance."""
        text = json.dumps([self.name, self.recipe, self.platform, list(self.layers), dict(self.config)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"layers": list(self.layers)}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> LockedImage:
        return cls(**{**table, "layers": tuple(table["layers"])})


def shipped_lock(root: Path | None = None) -> dict[str, Any]:
    """The lock that came with this version."""
    lock: dict[str, Any] = json.loads(((root or recipe_root()) / LOCK_FILE).read_text("utf-8"))
    return lock


def published_image(name: str, platform: Callable[[], str], root: Path | None = None) -> LockedImage | None:
    """The image of that name that this version's makers published for *platform* (asked only where there are any)."""
    published = shipped_lock(root)["images"].get(name, {}).get("published")
    entry = published.get(platform()) if published else None
    return LockedImage.from_dict(entry) if entry else None


def state_folder() -> Path:
    """The state folder, made with mode 0700 where it is not there.

    Raises:
        EnvironmentError_: ``output-not-writable``.
    """
    try:
        folder = user_state_path("fumehood")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise state_refused(error.strerror) from error
    except RuntimeError as error:
        raise state_refused("there is no home folder") from error
    return folder


def state_refused(why: str | None) -> FumehoodError:
    """The error for a state folder that cannot be used."""
    return make_error(
        "output-not-writable",
        f"the state folder cannot be written ({(why or 'unknown reason').lower()})",
        hint="Make ~/.local/state/fumehood writable, or set HOME or XDG_STATE_HOME to a folder that is.",
    )


class NoLock(EnvironmentError_):
    """``image-mismatch``: what stands in a lock's place is damaged, or of another version."""


def read_lock_file(path: Path) -> dict[str, LockedImage]:
    """The images of a lock file by name.

    Raises:
        FumehoodError: ``image-mismatch``, the file is not a lock (`NoLock`), or others may write it.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
                raise ValueError("no lock file at all")  # noqa: TRY301 - one answer for whatever is no lock
            if status.st_mode & 0o022 or status.st_uid not in {os.getuid(), 0}:
                raise make_error(
                    "image-mismatch", f"others may write the lock {path.name}; it cannot be trusted", hint=f"chmod 600 {path}"
                )
            table = json.loads(file.read(_MAX_BYTES))
        by_format = {FORMAT: table["images"]}
        return {name: LockedImage.from_dict(entry) for name, entry in by_format[table["format"]].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NoLock(
            "image-mismatch", f"{path.name} is not an image lock of this version", hint="Run `fumehood image build`."
        ) from error


def read_local_lock() -> dict[str, LockedImage]:
    """What this machine built or accepted, by image name; empty where nothing was."""
    path = state_folder() / LOCAL_LOCK
    try:
        return read_lock_file(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise make_error(
            "image-mismatch",
            f"the lock {path.name} cannot be read ({(error.strerror or '').lower()})",
            hint=f"chmod 600 {path}",
        ) from error


def write_lock_file(path: Path, images: Mapping[str, LockedImage]) -> None:
    """Replace *path* in one step, mode 0600."""
    text = json.dumps(
        {"format": FORMAT, "images": {name: image.as_dict() for name, image in images.items()}}, indent=1, sort_keys=True
    )
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def read_replaceable_lock() -> dict[str, LockedImage]:
    """The same for who is about to write it anew: a file that is no lock of this version vouches for nothing and is in nobody's way."""
    try:
        return read_local_lock()
    except NoLock:
        return {}


def remember(image: LockedImage) -> Path:
    """Put *image* into the local lock, in the place of an earlier one of its name; returns the file."""
    path = state_folder() / LOCAL_LOCK
    try:
        write_lock_file(path, {**read_replaceable_lock(), image.name: image})
    except OSError as error:
        raise state_refused(error.strerror) from error
    return path


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Held while an image is built, loaded or pulled: a second command waits and then finds the work done."""
    try:
        file = (state_folder() / "image-build.lock").open("w")
    except OSError as error:
        raise state_refused(error.strerror) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
