"""Whether an image of the engine is the one of a lock: same layers in the same order, same config.

Layers are compared, not the id: the id is the config's digest in one image store and the manifest's in another, while the
layers' own hashes are the same in both (hardening 2.6). A container is made from the id that was inspected, never a tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from fumehood.errors import make_error
from fumehood.sandbox.image_lock import LockedImage, published_image, read_local_lock
from fumehood.sandbox.image_recipe import Recipe, load_recipe

PYTHON: Final = "/usr/bin/python3"
LABEL_IMAGE: Final = "fumehood.image"
LABEL_RECIPE: Final = "fumehood.recipe"
LABEL_BASE: Final = "fumehood.base"
LABEL_VERSION: Final = "fumehood.version"

# Every builder gives an image made from nothing this one variable, and every engine sets it in a container anyway.
BUILDERS_PATH: Final = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What an image may decide about the way it is run: a user that is no name, and nothing else.
EXPECTED_CONFIG: Final[Mapping[str, Any]] = {
    "User": "65532:65532",
    "Env": None,
    "Entrypoint": None,
    "Cmd": None,
    "Volumes": None,
    "WorkingDir": None,
    "Healthcheck": None,
    "ExposedPorts": None,
    "OnBuild": None,
    "Shell": None,
    "StopSignal": None,
}


class ImageStore(Protocol):
    """What trust asks an engine; ``docker_image.ImageEngine`` answers."""

    def platform(self) -> str: ...

    def inspect(self, reference: str) -> dict[str, Any] | None: ...

    def find(self, labels: Mapping[str, str]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class TrustedImage:
    """An image that was compared with a lock and found to be it. *id* is what containers are made from."""

    id: str
    lock_id: str
    source: Literal["local", "shipped"]
    python: str = PYTHON
    name: str = "core"
    recipe: str = ""
    layers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as the lock says."""

    what: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.what}: {self.expected} expected, {self.found} found"


def config_of(inspected: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an image's config that decide something, engines' ways of saying "nothing" made one."""
    config = inspected.get("Config") or {}
    found = {key: config.get(key) or None for key in EXPECTED_CONFIG}
    if found["Env"] == [BUILDERS_PATH]:
        found["Env"] = None
    if found["WorkingDir"] == "/":
        found["WorkingDir"] = None
    return found


def layers_of(inspected: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple((inspected.get("RootFS") or {}).get("Layers") or ())


def platform_of(inspected: Mapping[str, Any]) -> str:
    return f"{inspected.get('Os', '')}/{inspected.get('Architecture', '')}"


def differences(inspected: Mapping[str, Any], locked: LockedImage) -> list[Difference]:
    """What separates an inspected image from the locked one; empty when they are the same."""
    found: list[Difference] = []
    layers = layers_of(inspected)
    if layers != locked.layers:
        found.append(Difference("layers", _short(locked.layers), _short(layers)))
    config = config_of(inspected)
    found += [
        Difference(f"config {key}", str(expected), str(config[key]))
        for key, expected in EXPECTED_CONFIG.items()
        if config[key] != expected
    ]
    if platform_of(inspected) != locked.platform:
        found.append(Difference("platform", locked.platform, platform_of(inspected)))
    return found


def _short(layers: tuple[str, ...]) -> str:
    return " ".join(layer.removeprefix("sha256:")[:12] for layer in layers) or "none"


def locked_images(recipe: Recipe, platform: Callable[[], str]) -> list[tuple[LockedImage, Literal["local", "shipped"]]]:
    """The locks that may vouch for an image of *recipe*, the local one first."""
    locks: list[tuple[LockedImage, Literal["local", "shipped"]]] = []
    local = read_local_lock().get(recipe.name)
    if local is not None:
        locks.append((local, "local"))
    shipped = published_image(recipe.name, platform, recipe.root)
    if shipped is not None:
        locks.append((shipped, "shipped"))
    return locks


def trusted_image(name: str = "core", *, engine: ImageStore | None = None, any_recipe: bool = False) -> TrustedImage:
    """The image to run, by id, after its layers and config were compared with the lock.

    *any_recipe* accepts an image of an older recipe (the lock still has to match): a host and a sandbox of two versions may
    not understand each other, so only tools that look at the image itself want that.

    Raises:
        FumehoodError: ``image-missing`` (never built, or built from another recipe, or gone from the engine),
            ``image-mismatch`` (there, but not what the lock says), ``engine-unreachable``.
    """
    if engine is None:
        # Late: whoever brings an engine does not pay for a second client.
        from fumehood.sandbox.docker_image import ImageEngine  # noqa: PLC0415

        with ImageEngine.connect() as connected:
            return trusted_image(name, engine=connected, any_recipe=any_recipe)
    recipe = load_recipe(name)
    locks = locked_images(recipe, engine.platform)
    if not locks:
        raise make_error("image-missing", "the sandbox image has not been built yet")
    current = [(locked, source) for locked, source in locks if any_recipe or locked.recipe == recipe.hash]
    if not current:
        raise make_error("image-missing", "the sandbox image was built from another version of its recipe")
    return _first_match(engine, current)


def _first_match(engine: ImageStore, locks: list[tuple[LockedImage, Literal["local", "shipped"]]]) -> TrustedImage:
    wrong: list[Difference] = []
    for locked, source in locks:
        inspected, differs = find_locked(engine.inspect, engine.find, locked)
        if inspected is not None and not differs:
            return TrustedImage(
                id=inspected["Id"],
                lock_id=locked.lock_id,
                source=source,
                name=locked.name,
                recipe=locked.recipe,
                layers=locked.layers,
            )
        wrong = wrong or differs
    if wrong:
        raise make_error("image-mismatch", "the image is not the one of the lock: " + "; ".join(map(str, wrong)))
    raise make_error("image-missing", "the engine does not have the sandbox image")


def find_locked(
    inspect: Callable[[str], dict[str, Any] | None], find: Callable[[Mapping[str, str]], list[str]], locked: LockedImage
) -> tuple[dict[str, Any] | None, list[Difference]]:
    """The engine's image for a lock: by the id it had, or else by label. With what differs, for the nearest one."""
    nearest: tuple[dict[str, Any] | None, list[Difference]] = (None, [])

    def candidates() -> Iterator[str]:
        """Listing images is the slow question, so it is asked last."""
        if locked.id:
            yield locked.id
        yield from find({LABEL_IMAGE: locked.name, LABEL_RECIPE: locked.recipe})

    for reference in candidates():
        inspected = inspect(reference)
        if inspected is None:
            continue
        differs = differences(inspected, locked)
        if not differs:
            return inspected, []
        if nearest[0] is None:
            nearest = (inspected, differs)
    return nearest
