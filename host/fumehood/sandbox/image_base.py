"""The base of the image: the pinned one from a registry, or the same Debian release and Python made here.

Nothing of the base but its interpreter, a few libraries and ``timeout`` gets into the final image; the base is where the
image is put together. A pull that shows no progress for 15 seconds is given up, so that a machine without a registry in
reach goes on to ``mmdebstrap`` at once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.image_recipe import Recipe

PULL_SECONDS: Final = 15.0
MIRROR_VARIABLE: Final = "FUMEHOOD_DEBIAN_MIRROR"


class BaseEngine(Protocol):
    """What making a base asks of an engine."""

    def inspect(self, reference: str) -> dict[str, Any] | None: ...

    def pull(self, reference: str, say: Callable[[str], None], *, idle_seconds: float) -> None: ...

    def import_root(self, archive: Path, tag: str, labels: Mapping[str, str]) -> None: ...

    def remove(self, reference: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Base:
    """A base image the engine has."""

    reference: str
    id: str
    origin: Literal["registry", "debian"]


def ensure_base(engine: BaseEngine, recipe: Recipe, machine: str, say: Callable[[str], None], *, fresh: bool = False) -> Base:
    """The base of *recipe*, pulled or made where it is not there yet. *fresh* makes a Debian base anew (security updates).

    Raises:
        FumehoodError: ``image-missing``, no registry answers and a base cannot be made here; the hint says what to install.
    """
    made_here = f"fumehood-base:{recipe.debian}-python{recipe.python}-{machine}"
    present = _present(engine, recipe.base, "registry") or (None if fresh else _present(engine, made_here, "debian"))
    if present is not None:
        say(f"base: {present.reference.partition('@')[0]} is there")
        return present
    say(f"base: pulling {recipe.base.partition('@')[0]} by digest")
    try:
        engine.pull(recipe.base, say, idle_seconds=PULL_SECONDS)
    except FumehoodError as error:
        say(f"base: no registry gave it ({error.message})")
    pulled = _present(engine, recipe.base, "registry")
    if pulled is not None:
        return pulled
    say(
        f"base: making Debian {recipe.debian} with Python {recipe.python} from Debian's packages (mmdebstrap, about half a minute)"
    )
    with tempfile.TemporaryDirectory(prefix="fumehood-base-") as folder:
        archive = Path(folder) / "root.tar"
        make_debian_root(recipe.debian, archive, say)
        say(f"base: importing {archive.stat().st_size >> 20} MiB")
        engine.import_root(archive, made_here, {"fumehood.base": f"debian {recipe.debian}"})
    made = _present(engine, made_here, "debian")
    if made is None:
        raise make_error(
            "image-missing", "the engine lost the base image it had just imported", hint="Run `fumehood image build` again."
        )
    return made


def _present(engine: BaseEngine, reference: str, origin: Literal["registry", "debian"]) -> Base | None:
    inspected = engine.inspect(reference)
    return Base(reference, inspected["Id"], origin) if inspected else None


def debian_sources(release: str) -> list[str]:
    """The apt source lines for *release*: from the variable, or from the Debian mirrors this machine's own apt uses."""
    named = os.environ.get(MIRROR_VARIABLE)
    if named:
        return [f"deb {named} {release} main"]
    main = _apt_sites("Label: Debian")
    security = _apt_sites("Label: Debian-Security")
    if not main:
        raise make_error(
            "image-missing",
            "no registry answers, and this machine's apt knows no Debian mirror to make the base from",
            hint=f"Set {MIRROR_VARIABLE} to a Debian mirror, or `fumehood image load` an image made elsewhere.",
        )
    return [f"deb {main[0]} {release} main"] + [f"deb {site} {release}-security main" for site in security[:1]]


def _apt_sites(label: str) -> list[str]:
    if shutil.which("apt-get") is None:
        return []
    question = ["apt-get", "indextargets", "--format", "$(SITE)", label]
    answer = subprocess.run(question, capture_output=True, text=True, check=False)
    return list(dict.fromkeys(answer.stdout.split()))


def make_debian_root(release: str, archive: Path, say: Callable[[str], None]) -> None:
    """Write a tar of a minimal Debian *release* with python3 to *archive*."""
    sources = debian_sources(release)
    program = ensure_mmdebstrap(say)
    # libstdc++ is what several wheels link to; ldd names the rest from what these two bring.
    command = [program, "--variant=essential", "--include=python3,libstdc++6", release, str(archive), *sources]
    _run(command, say, "mmdebstrap could not make the base")


def ensure_mmdebstrap(say: Callable[[str], None]) -> str:
    """The program's path, installed first on Debian and Ubuntu where root runs this."""
    found = shutil.which("mmdebstrap")
    if found:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("base: installing mmdebstrap (apt-get)")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        packages = ["mmdebstrap", "debian-archive-keyring"]
        _run(["apt-get", "update", "-q"], say, "apt-get update failed", environment)
        _run(
            ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages],
            say,
            "apt-get could not install mmdebstrap",
            environment,
        )
        found = shutil.which("mmdebstrap")
        if found:
            return found
    raise make_error(
        "image-missing",
        "no registry answers, and mmdebstrap, which makes the base from Debian's packages, is not installed",
        hint="As root on Debian or Ubuntu: `apt-get install mmdebstrap debian-archive-keyring`; elsewhere `fumehood image load` an image made there.",
    )


def _run(
    command: Sequence[str], say: Callable[[str], None], trouble: str, environment: Mapping[str, str] | None = None
) -> None:
    """Run *command*, its lines of progress passed on, its last ones shown when it fails."""
    last: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("I: "):
                say("  " + line.removeprefix("I: ").strip())
            else:
                last = [*last[-8:], line.strip()]
    if process.returncode != 0:
        raise make_error(
            "image-missing",
            f"{trouble} (status {process.returncode}): {' | '.join(last)[-600:]}",
            hint="Mend that, then run `fumehood image build` again.",
        )
