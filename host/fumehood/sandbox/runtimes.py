"""Which container runtime documents are read under, and what counts as gVisor.

gVisor is judged by what the engine has registered, never by the name alone: anybody can call a runtime ``runsc``. What is
registered decides how a container is made (`ContainerSpec.gvisor`); that gVisor's kernel is really there is then seen from
inside (`fumehood.sandbox.facts_gvisor`), and without that none of the expectations for it apply.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final, Protocol, TypeVar

from fumehood.errors import FumehoodError
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.engine import EngineInfo

#: The setting that takes gVisor where the engine has it and it can be proved, and the engine's default runtime otherwise.
AUTO: Final = "auto"

#: containerd's name for gVisor's own shim.
_SHIM: Final = "io.containerd.runsc"

#: The entry that a daemon.json needs: we ask the engine for no network at all, and runsc does not start then without the option.
REGISTER_HINT: Final = (
    'Register gVisor in the engine\'s daemon.json as {"runtimes": {"runsc": {"path": "/usr/bin/runsc", '
    '"runtimeArgs": ["--network=none"]}}} and restart the engine.'
)


class Attested(Protocol):
    """What is made for a runtime (`fumehood.sandbox.runner.Sandbox`)."""

    attestation: Attestation | None


_T = TypeVar("_T", bound=Attested)


def is_gvisor(runtime: str | None, info: EngineInfo) -> bool:
    """Whether *runtime* (None: the engine's default) is registered as gVisor: by its program, or by containerd's name for it."""
    name = runtime or info.default_runtime
    registered = info.runtimes.get(name, "")
    return PurePosixPath(registered).name.startswith("runsc") or registered.startswith(_SHIM) or name.startswith(_SHIM)


def sounds_like_gvisor(runtime: str) -> bool:
    """Whether a person who reads *runtime* in a result would take it for gVisor."""
    return "runsc" in runtime.lower() or "gvisor" in runtime.lower()


def candidates(setting: str, info: EngineInfo) -> list[str | None]:
    """The runtimes to try, best first; None is the engine's default.

    Podman's socket runs every container under the service's own runtime, so there is nothing to choose there.
    """
    if setting != AUTO:
        return [setting]
    registered = sorted(name for name in info.runtimes if is_gvisor(name, info))
    if not registered or is_gvisor(None, info) or info.kind == "podman":
        return [None]
    return ["runsc" if "runsc" in registered else registered[0], None]


def settle(
    setting: str,
    info: EngineInfo,
    make: Callable[[str | None], _T],
    attest: Callable[[_T, bool], Attestation],
    passed_over: Callable[[str, FumehoodError], None] = lambda _runtime, _why: None,
) -> _T:
    """The first sandbox that can be proved, with its attestation; *make* makes one for a runtime.

    *attest* also gets whether another one would do: then an earlier verdict against it is believed. *passed_over* hears of
    a runtime that could not be proved.

    Raises:
        EnvironmentError_: ``sandbox-too-weak`` for the last one; anything else at once.
    """
    *others, last = candidates(setting, info)
    for runtime in others:
        sandbox = make(runtime)
        try:
            sandbox.attestation = attest(sandbox, True)
        except FumehoodError as error:
            if error.code != "sandbox-too-weak":
                raise
            passed_over(runtime or info.default_runtime, error)
        else:
            return sandbox
    sandbox = make(last)
    sandbox.attestation = attest(sandbox, False)
    return sandbox
