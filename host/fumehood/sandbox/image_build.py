"""Builds the sandbox image: base, wheels, context, build with no network, a try, and the local lock.

Every step says what it does and is skipped when it was done. ``python -m fumehood.sandbox.image_build [NAME]`` is the same
as ``fumehood image build``. Never called from a request: a missing image is an error that names the command.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from fumehood import __version__
from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.image_base import ensure_base
from fumehood.sandbox.image_lock import LockedImage, one_at_a_time, read_replaceable_lock, remember
from fumehood.sandbox.image_recipe import DOCKERFILE, Recipe, load_recipe, pack_context
from fumehood.sandbox.image_trust import (
    EXPECTED_CONFIG,
    LABEL_BASE,
    LABEL_IMAGE,
    LABEL_RECIPE,
    LABEL_VERSION,
    PYTHON,
    differences,
    find_locked,
    layers_of,
    platform_of,
)
from fumehood.sandbox.image_wheels import ensure_wheels

_MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
# What must load in the image; this is a script for a container, nothing of it is imported here.
_MODULES: Final = (
    "docx", "fumehood_sandbox.worker", "lxml.etree", "olefile", "openpyxl", "PIL.Image", "pptx", "pymupdf", "xlrd",
)  # fmt: skip
# Imports everything under the conditions of a real run and prints what the image is made of.
_TRY: Final = f"""
import {", ".join(_MODULES)}
print(open("/usr/share/fumehood/manifest.json").read())
"""


def say_on_stderr(line: str) -> None:
    """One line of progress. What a tool or a registry printed may hold anything, so only printable characters go out."""
    sys.stderr.write("".join(c for c in line if c.isprintable()) + "\n")
    sys.stderr.flush()


def build_image(
    name: str = "core",
    *,
    engine: ImageEngine | None = None,
    say: Callable[[str], None] = say_on_stderr,
    force: bool = False,
    fresh_base: bool = False,
) -> LockedImage:
    """The image *name*, built where the recipe changed or the engine has lost it; what the local lock now says of it.

    Raises:
        FumehoodError: ``engine-unreachable``, ``image-missing`` (a step failed, with a hint), ``image-mismatch``.
    """
    if engine is None:
        with ImageEngine.connect() as connected:
            return build_image(name, engine=connected, say=say, force=force, fresh_base=fresh_base)
    recipe = load_recipe(name)
    with one_at_a_time():
        locked = read_replaceable_lock().get(name)
        if locked is not None and locked.recipe == recipe.hash and not force and not fresh_base:
            inspected, differs = find_locked(engine.inspect, engine.find, locked)
            if inspected is not None and not differs:
                say(f"image {name}: {recipe.tag} is there and as locked, nothing to do")
                return locked
        return _build(engine, recipe, say, fresh_base=fresh_base)


def _build(engine: ImageEngine, recipe: Recipe, say: Callable[[str], None], *, fresh_base: bool) -> LockedImage:
    started = time.monotonic()
    say(f"image {recipe.name}: recipe {recipe.hash[:12]}, engine {engine.describe()}")
    platform = engine.platform()
    architecture = platform.partition("/")[2]
    if architecture not in _MACHINES and architecture not in _MACHINES.values():
        raise make_error(
            "image-missing", f"there is no image for {platform}", hint="The image is made for 64-bit Intel and ARM."
        )
    machine = _MACHINES.get(architecture, architecture)
    base = ensure_base(engine, recipe, machine, say, fresh=fresh_base)
    wheels = ensure_wheels(recipe, machine, say)
    context = pack_context(recipe, wheels)
    say(f"image {recipe.name}: building with no network, context {len(context) >> 20} MiB")
    engine.build(
        context,
        dockerfile=DOCKERFILE,
        tag=recipe.tag,
        arguments={"BASE_IMAGE": base.reference},
        labels={LABEL_IMAGE: recipe.name, LABEL_RECIPE: recipe.hash, LABEL_BASE: base.id, LABEL_VERSION: __version__},
        say=say,
    )
    locked = lock_entry(engine, recipe, recipe.tag, base_reference=base.reference, base_id=base.id)
    place = remember(locked)
    size = (engine.inspect(locked.id) or {}).get("Size", 0)
    say(
        f"image {recipe.name}: {recipe.tag} is ready, {size / 1e6:.0f} MB, {time.monotonic() - started:.0f} s; its lock is in {place}"
    )
    return locked


def lock_entry(engine: ImageEngine, recipe: Recipe, reference: str, *, base_reference: str, base_id: str) -> LockedImage:
    """Look at a freshly built image, try it out, and say what a lock has to say about it.

    Raises:
        FumehoodError: ``image-mismatch``, its config is not the expected one, or it does not run.
    """
    inspected = engine.inspect(reference)
    if inspected is None:
        raise make_error("image-missing", "the engine lost the image it had just built")
    manifest: dict[str, Any] = json.loads(engine.run_once(inspected["Id"], [PYTHON, "-I", "-B", "-c", _TRY]))
    locked = LockedImage(
        name=recipe.name,
        recipe=recipe.hash,
        platform=platform_of(inspected),
        layers=layers_of(inspected),
        config=EXPECTED_CONFIG,
        id=inspected["Id"],
        base=base_reference,
        base_id=base_id,
        python=manifest["python"],
        debian=manifest["debian"],
        wheels=manifest["wheels"],
    )
    differs = differences(inspected, locked)
    if differs:
        raise make_error("image-mismatch", "the built image is not what it should be: " + "; ".join(map(str, differs)))
    return locked


def main() -> int:
    try:
        for name in sys.argv[1:] or ["core"]:
            sys.stdout.write(build_image(name).id + "\n")
    except FumehoodError as error:
        say_on_stderr(f"{error.code}: {error.message}")
        say_on_stderr(f"hint: {error.hint}")
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
