"""``fumehood image``: build, verify, list, save, load and pull the image that documents are read in.

Progress goes to stderr line by line; stdout holds the result: an id, a table, or JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from fumehood.config import load_settings
from fumehood.errors import EXIT_NO_SANDBOX, EXIT_OK, make_error
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.image_build import build_image, say_on_stderr
from fumehood.sandbox.image_recipe import load_recipe
from fumehood.sandbox.image_transfer import load_image, lock_beside, pull_image, save_image
from fumehood.sandbox.image_trust import (
    EXPECTED_CONFIG,
    LABEL_IMAGE,
    LABEL_RECIPE,
    LABEL_VERSION,
    config_of,
    differences,
    find_locked,
    layers_of,
    locked_images,
)

app = App(
    name="image",
    help="Build, verify, list, save, load or pull the sandbox image.",
    help_format="plaintext",
    result_action="return_value",
)

ImageName = Annotated[str, Parameter(name="--image", help="Which image; `core` is the one documents are read in.")]
Quiet = Annotated[bool, Parameter(name="--quiet", negative="", help="No progress on stderr.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Lock = Annotated[
    Path | None, Parameter(name="--lock", help="The lock that vouches for it; by default the local or the shipped one.")
]


@app.command
def build(
    *,
    image: ImageName = "core",
    force: Annotated[bool, Parameter(negative="", help="Build even though nothing changed.")] = False,
    fresh_base: Annotated[
        bool, Parameter(negative="", help="Make the Debian base anew, with today's security updates.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    """Build the image from the recipe in this installation, with no network, and write its lock. Skipped when it is there."""
    with _connected() as engine:
        locked = build_image(image, engine=engine, say=_silent if quiet else say_on_stderr, force=force, fresh_base=fresh_base)
    _print(locked.id)
    return EXIT_OK


@app.command
def verify(*, image: ImageName = "core", as_json: Json = False) -> int:
    """Compare the engine's image with the lock, layer by layer and field by field. Exit status 5 when they differ."""
    recipe = load_recipe(image)
    with _connected() as engine:
        locks = locked_images(recipe, engine.platform)
        if not locks:
            raise make_error("image-missing", "the sandbox image has not been built yet")
        locked, source = locks[0]
        inspected, _ = find_locked(engine.inspect, engine.find, locked)
    if inspected is None:
        raise make_error("image-missing", "the engine does not have the sandbox image")
    rows: list[dict[str, Any]] = [_row("recipe", recipe.hash[:12], locked.recipe[:12], locked.recipe == recipe.hash)]
    found_layers = layers_of(inspected)
    for number in range(max(len(locked.layers), len(found_layers))):
        wanted, found = (layers[number] if number < len(layers) else "none" for layers in (locked.layers, found_layers))
        rows.append(_row(f"layer {number + 1}", wanted[:19], found[:19], wanted == found))
    config = config_of(inspected)
    rows += [_row(key, expected, config[key], expected == config[key]) for key, expected in EXPECTED_CONFIG.items()]
    ok = not differences(inspected, locked) and locked.recipe == recipe.hash
    answer = {"ok": ok, "id": inspected["Id"], "lock_id": locked.lock_id, "source": source, "compared": rows}
    if as_json:
        _print(json.dumps(answer, indent=2))
    else:
        _print(f"{inspected['Id']} against lock {locked.lock_id} ({source})")
        _table(
            [("", "what", "lock", "engine")] + [("ok" if r["ok"] else "NO", r["what"], r["expected"], r["found"]) for r in rows]
        )
        _print(_verdict(same=not differences(inspected, locked), current=locked.recipe == recipe.hash))
    return EXIT_OK if ok else EXIT_NO_SANDBOX


@app.command(name="list")
def list_images(*, as_json: Json = False) -> int:
    """List the engine's sandbox images, newest first, and which of them a lock vouches for."""
    rows: list[dict[str, Any]] = []
    with _connected() as engine:
        platform = engine.platform
        for identity in engine.find({LABEL_IMAGE: ""}):
            inspected = engine.inspect(identity)
            if inspected is None:
                continue
            labels = inspected["Config"].get("Labels") or {}
            rows.append(
                {
                    "id": inspected["Id"],
                    "image": labels.get(LABEL_IMAGE, ""),
                    "recipe": labels.get(LABEL_RECIPE, "")[:12],
                    "version": labels.get(LABEL_VERSION, ""),
                    "bytes": inspected["Size"],
                    "trusted": _vouched_for(inspected, labels.get(LABEL_IMAGE, ""), platform),
                }
            )
    if as_json:
        _print(json.dumps(rows, indent=2))
    else:
        shown = [
            (r["id"][7:19], r["image"], r["recipe"], r["version"], f"{r['bytes'] / 1e6:.0f} MB", r["trusted"] or "no")
            for r in rows
        ]
        _table([("id", "image", "recipe", "version", "size", "trusted"), *shown])
    return EXIT_OK


@app.command
def save(file: Path, /, *, image: ImageName = "core") -> int:
    """Write the image to FILE and its lock to FILE.lock.json."""
    with _connected() as engine:
        saved, size = save_image(engine, file, image)
    say_on_stderr(
        f"{size / 1e6:.0f} MB; carry {lock_beside(file).name} along by a way you trust: `fumehood image load {file.name} --lock {lock_beside(file).name}`"
    )
    _print(saved.id)
    return EXIT_OK


@app.command
def load(file: Path, /, *, image: ImageName = "core", lock: Lock = None) -> int:
    """Load an image that `save` wrote. What no lock vouches for is refused and removed."""
    with _connected() as engine:
        _print(load_image(engine, file, say_on_stderr, name=image, lock=lock).id)
    return EXIT_OK


@app.command
def pull(reference: str, /, *, image: ImageName = "core", lock: Lock = None) -> int:
    """Pull the image REFERENCE names from a registry. What no lock vouches for is refused and removed."""
    with _connected() as engine:
        _print(pull_image(engine, reference, say_on_stderr, name=image, lock=lock).id)
    return EXIT_OK


def _verdict(*, same: bool, current: bool) -> str:
    if same and current:
        return "the image is the one of the lock"
    if same:
        return "the image is the one of the lock, but of another version of the recipe; run `fumehood image build`"
    return "the image is NOT the one of the lock and will not be used; run `fumehood image build`"


def _connected() -> ImageEngine:
    return ImageEngine.connect(load_settings().engine)


def _vouched_for(inspected: dict[str, Any], name: str, platform: Callable[[], str]) -> str:
    """``local``, ``shipped``, or nothing. A label names the image, so it may be one we do not know."""
    if name not in {"core", "test"}:
        return ""
    recipe = load_recipe(name)
    return next(
        (
            source
            for locked, source in locked_images(recipe, platform)
            if not differences(inspected, locked) and locked.recipe == recipe.hash
        ),
        "",
    )


def _row(what: str, expected: object, found: object, ok: bool) -> dict[str, Any]:
    return {"what": what, "expected": _plain(expected), "found": _plain(found), "ok": ok}


def _plain(value: object) -> str:
    return "nothing" if value is None else str(value)


def _table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        _print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print(line: str) -> None:
    sys.stdout.write("".join(c for c in line if c.isprintable() or c == "\n") + "\n")


def _silent(line: str) -> None:
    del line
