"""Images that come and go as files or through a registry: accepted only when a lock vouches for them.

The lock is the trust, the archive is not: ``save`` writes both, and whoever carries them to another machine gives the lock
to ``load --lock`` there. Without ``--lock`` the local lock or the one that came with this version has to fit. What does not
fit is refused before the engine sees it where that can be told, and removed again where it cannot.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.image_archive import read_archive
from fumehood.sandbox.image_lock import LockedImage, one_at_a_time, read_lock_file, remember, write_lock_file
from fumehood.sandbox.image_recipe import Recipe, load_recipe
from fumehood.sandbox.image_trust import Difference, TrustedImage, differences, layers_of, locked_images, trusted_image

PULL_IDLE_SECONDS: Final = 60.0
OUR_NAMES: Final = "fumehood-sandbox"


@dataclass(frozen=True, slots=True)
class _Voucher:
    lock: LockedImage
    source: Literal["local", "shipped", "file"]


def lock_beside(archive: Path) -> Path:
    """Where ``save`` puts the lock of *archive*."""
    return archive.with_name(archive.name + ".lock.json")


def save_image(engine: ImageEngine, target: Path, name: str = "core") -> tuple[TrustedImage, int]:
    """Write the trusted image *name* to *target* and its lock beside it; the image and the archive's size.

    Raises:
        FumehoodError: ``image-missing``, ``image-mismatch``, ``output-not-writable``.
    """
    image = trusted_image(name, engine=engine)
    locks = [locked for locked, _ in locked_images(load_recipe(name), engine.platform) if locked.lock_id == image.lock_id]
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        try:
            with part.open("xb") as file:
                size = engine.save(image.id, file)
            write_lock_file(lock_beside(target), {name: locks[0]})
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise make_error(
            "output-not-writable",
            f"{target.name} cannot be written: {error.strerror}",
            hint="Name a file in a folder that can be written.",
        ) from error
    return image, size


def load_image(
    engine: ImageEngine, archive: Path, say: Callable[[str], None], *, name: str = "core", lock: Path | None = None
) -> TrustedImage:
    """Load *archive* and accept it only as the image of a lock.

    Raises:
        FumehoodError: ``image-mismatch``, no lock vouches for it (it is not in the engine afterwards); ``not-found``.
    """
    recipe = load_recipe(name)
    with one_at_a_time():
        vouchers = _vouchers(engine, recipe, lock)
        held = read_archive(archive)
        if not any(voucher.lock.layers == held.layers for voucher in vouchers):
            raise _refusal([Difference("layers", _named(vouchers), "others")])
        foreign = [
            held_name
            for held_name in held.names
            if held_name.rpartition(":")[0].rpartition("/")[2].partition("-test")[0] != OUR_NAMES
        ]
        if foreign:
            raise make_error(
                "image-mismatch",
                "the archive would also take over the name of another image",
                hint="Use a file that `fumehood image save` wrote.",
            )
        say(f"loading {archive.stat().st_size >> 20} MiB")
        with archive.open("rb") as file:
            loaded = engine.load(file)
        return _accept(engine, recipe, loaded, vouchers)


def pull_image(
    engine: ImageEngine, reference: str, say: Callable[[str], None], *, name: str = "core", lock: Path | None = None
) -> TrustedImage:
    """Pull *reference* and accept it only as the image of a lock.

    Raises:
        FumehoodError: ``image-missing``, it could not be pulled; ``image-mismatch``, no lock vouches for it.
    """
    recipe = load_recipe(name)
    with one_at_a_time():
        vouchers = _vouchers(engine, recipe, lock)
        engine.pull(reference, say, idle_seconds=PULL_IDLE_SECONDS)
        return _accept(engine, recipe, [reference], vouchers)


def _vouchers(engine: ImageEngine, recipe: Recipe, lock: Path | None) -> list[_Voucher]:
    """The locks that may vouch, of this very recipe only."""
    vouchers: list[_Voucher] = []
    if lock is not None:
        try:
            entry = read_lock_file(lock).get(recipe.name)
        except OSError as error:
            raise make_error("not-found", f"the lock {lock.name} cannot be read: {error.strerror}") from error
        vouchers = [_Voucher(entry, "file")] if entry is not None else []
    else:
        vouchers = [_Voucher(locked, source) for locked, source in locked_images(recipe, engine.platform)]
    current = [voucher for voucher in vouchers if voucher.lock.recipe == recipe.hash]
    if current:
        return current
    if vouchers:
        raise make_error(
            "image-mismatch",
            "the lock is for another version of the recipe",
            hint="Use the same version of fumehood on both machines.",
        )
    raise make_error(
        "image-mismatch",
        "no lock vouches for such an image",
        hint="Give the lock that `fumehood image save` wrote beside the archive: `--lock FILE`.",
    )


def _accept(engine: ImageEngine, recipe: Recipe, references: list[str], vouchers: list[_Voucher]) -> TrustedImage:
    """The image among *references* that a lock vouches for; everything is removed when there is none."""
    wrong: list[Difference] = []
    for reference in references:
        inspected = engine.inspect(reference)
        if inspected is None:
            continue
        for voucher in vouchers:
            differs = differences(inspected, voucher.lock)
            if not differs:
                accepted = replace(voucher.lock, id=inspected["Id"])
                if voucher.source != "shipped":
                    remember(accepted)
                with contextlib.suppress(FumehoodError):
                    engine.tag(inspected["Id"], recipe.tag)
                return TrustedImage(
                    id=inspected["Id"],
                    lock_id=accepted.lock_id,
                    source="shipped" if voucher.source == "shipped" else "local",
                    name=recipe.name,
                    recipe=recipe.hash,
                    layers=layers_of(inspected),
                )
            wrong = wrong or differs
    for reference in references:
        engine.remove(reference)
    raise _refusal(wrong)


def _refusal(wrong: list[Difference]) -> FumehoodError:
    detail = "; ".join(map(str, wrong)) or "the engine did not keep it"
    return make_error(
        "image-mismatch",
        f"refused and removed, it is not the image of the lock: {detail}",
        hint="Get the image and its lock again from where it was made.",
    )


def _named(vouchers: list[_Voucher]) -> str:
    return " or ".join(f"those of lock {voucher.lock.lock_id}" for voucher in vouchers)
