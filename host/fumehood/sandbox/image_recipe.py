"""The recipe of an image: its files, one hash over them, and the build context packed in memory.

The recipe travels: in the checkout it lies at the top, in an installed wheel under ``fumehood/_image``. Both give the same
hash, so nothing that depends on the machine (file times, modes, bytecode an installer wrote) goes into it.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Final

from fumehood.errors import make_error

DOCKERFILE: Final = "Dockerfile.sandbox"
LOCK_FILE: Final = "images/lock.json"


def recipe_root() -> Path:
    """The folder that holds ``Dockerfile.sandbox``, ``images/`` and ``sandbox/``.

    Raises:
        FumehoodError: ``internal``, this copy of fumehood carries no recipe.
    """
    package = Path(str(files("fumehood")))
    for place in (package / "_image", package.parent.parent):
        if (place / DOCKERFILE).is_file():
            return place
    raise make_error(
        "internal", "this installation carries no image recipe", hint="Install fumehood again, from a wheel or a checkout."
    )


@dataclass(frozen=True)
class Recipe:
    """One ``images/NAME/image.toml``, resolved against the folder it lies in."""

    root: Path
    name: str
    base: str
    debian: str
    python: str
    context: tuple[str, ...]
    leave_out: frozenset[str]
    locks: tuple[str, ...]

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        """Name in the context to content, sorted by name. Read once: hash and context are of the very same bytes."""
        found: dict[str, bytes] = {}
        for entry in self.context:
            path = self.root / entry
            for part in path.rglob("*") if path.is_dir() else (path,):
                name = part.relative_to(self.root).as_posix()
                if part.is_file() and name not in self.leave_out and "__pycache__" not in part.parts and part.suffix != ".pyc":
                    found[name] = part.read_bytes()
        return dict(sorted(found.items()))

    @cached_property
    def hash(self) -> str:
        """SHA-256 (hex) over base, Python, names and contents: what decides whether an image must be built again."""
        digest = hashlib.sha256(f"{self.name}\0{self.base}\0{self.debian}\0{self.python}\0".encode())
        for name, content in self.files.items():
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()

    @property
    def tag(self) -> str:
        """The name a person sees in a list of images; never what a container is made from."""
        suffix = "" if self.name == "core" else f"-{self.name}"
        return f"fumehood-sandbox{suffix}:{self.hash[:12]}"


def load_recipe(name: str = "core", root: Path | None = None) -> Recipe:
    """The recipe *name*.

    Raises:
        FumehoodError: ``invalid-argument``, there is no such image.
    """
    root = root or recipe_root()
    path = root / "images" / name / "image.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.parent.name for p in root.glob("images/*/image.toml")))
        raise make_error(
            "invalid-argument", f"there is no image of that name; known: {known}", hint="Leave `--image` out for the usual one."
        )
    table = tomllib.loads(path.read_text("utf-8"))
    return Recipe(
        root=root,
        name=table["name"],
        base=table["base"],
        debian=table["debian"],
        python=table["python"],
        context=tuple(table["context"]),
        leave_out=frozenset(table["leave_out"]),
        locks=tuple(table["locks"]),
    )


def pack_context(recipe: Recipe, wheels: Iterable[Path]) -> bytes:
    """The build context as an uncompressed tar: sorted, no times, no owners, one mode. Same input, same bytes."""
    members = {**recipe.files, **{f"wheels/{wheel.name}": wheel.read_bytes() for wheel in wheels}}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in sorted(members.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()
