"""The facts that only the host can see: what the engine stored, how containers ended, and versions."""

from __future__ import annotations

import re
from typing import Final

from fumehood.sandbox import podman
from fumehood.sandbox.evidence import Evidence, is_gvisors, shown
from fumehood.sandbox.fact import Fact, Finding
from fumehood.sandbox.policy import POLICY
from fumehood.sandbox.runtimes import sounds_like_gvisor

_KILLED: Final = 137

#: First release of each line in which the escapes of November 2025 are mended (CVE-2025-31133, -52565, -52881).
_RUNC_FLOORS: Final = {(1, 2): (1, 2, 8), (1, 3): (1, 3, 3)}
_RUNC_FLOOR: Final = (1, 2, 8)
#: First release with the `docker cp` races mended (CVE-2026-41567, -41568, -42306). We copy nothing, so this is second-line.
_DOCKER_FLOOR: Final = (29, 5, 1)


def _stored(evidence: Evidence) -> Finding:
    if not evidence.stored:
        return Finding("as asked", evidence.why or "nothing was stored", ok=False)
    proved = {flag.path for flag in POLICY if flag.facts}
    unproved = [path for path in evidence.differences if path not in proved]
    return Finding("as asked", shown(", ".join(unproved) or "as asked"), not unproved)


def _warnings(evidence: Evidence) -> Finding:
    said = "; ".join(evidence.warnings)
    return Finding("none", shown(said or "none"), not said)


def _log(evidence: Evidence) -> Finding:
    driver = ((evidence.stored.get("HostConfig") or {}).get("LogConfig") or {}).get("Type")
    path = evidence.stored.get("LogPath")
    return Finding("driver none, no file", f"driver {driver}, {'a file' if path else 'no file'}", driver == "none" and not path)


def _kept(evidence: Evidence) -> Finding:
    removed = (evidence.stored.get("HostConfig") or {}).get("AutoRemove")
    code = evidence.memory.exit.code if evidence.memory.exit is not None else None
    return Finding("readable after the end", f"auto-remove {removed}, exit code {code}", removed is False and code is not None)


def _runtime(evidence: Evidence) -> Finding:
    """What the engine stored, and whether it is what its name makes people think: seen from inside."""
    asked = evidence.spec.runtime or evidence.info.default_runtime
    used = str((evidence.stored.get("HostConfig") or {}).get("Runtime") or "")
    if evidence.info.kind == podman.KIND and used == podman.ANY_RUNTIME and not evidence.spec.runtime:
        used = asked
    found, kept = used or "unknown", bool(used) and (used == asked or not asked)
    seen = evidence.observed
    if seen is None:
        return Finding(asked or "the engine's own", found, kept)
    there = is_gvisors(seen, evidence.info)
    if evidence.spec.gvisor or sounds_like_gvisor(used) or there:
        kernel = "gVisor's kernel" if there else f"kernel {seen.kernel.partition(' ')[0]}, not gVisor's"
        if not evidence.spec.gvisor:
            kernel += ", but registered as another program"
        return Finding(f"{asked}, on gVisor's kernel", f"{found}, on {kernel}", kept and there and evidence.spec.gvisor)
    return Finding(asked or "the engine's own", found, kept)


def _memory(evidence: Evidence) -> Finding:
    end = evidence.memory.exit
    killed = end is not None and end.oom_killed and end.code == _KILLED and evidence.memory.survived is None
    return Finding("exit 137, marked as out of memory", str(evidence.memory), killed)


def _deadman(evidence: Evidence) -> Finding:
    end = evidence.deadman.exit
    return Finding("exit 137 by itself", str(evidence.deadman), end is not None and end.code == _KILLED and not end.oom_killed)


def _host_death(evidence: Evidence) -> Finding:
    return Finding("ends by itself", str(evidence.host_death), evidence.host_death.exit is not None)


def _version(text: str) -> tuple[int, ...] | None:
    found = re.match(r"\D{0,20}(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?", text)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def _runc(evidence: Evidence) -> Finding:
    runtime = evidence.spec.runtime or evidence.info.default_runtime
    if not runtime.startswith(("runc", "io.containerd.runc")):
        return Finding("no runc, or a mended one", f"the runtime is {runtime or 'unknown'}", bool(runtime))
    version = _version(evidence.info.runtime_version)
    floor = _RUNC_FLOORS.get((version[0], version[1]), _RUNC_FLOOR) if version else _RUNC_FLOOR
    return Finding(
        f"runc {_dotted(floor)} or newer", evidence.info.runtime_version or "unknown", version is not None and version >= floor
    )


def _engine(evidence: Evidence) -> Finding:
    if evidence.info.kind != "docker":
        return Finding("a current release", f"{evidence.info.kind} {evidence.info.version}", ok=True)
    version = _version(evidence.info.version)
    return Finding(
        f"Docker {_dotted(_DOCKER_FLOOR)} or newer",
        evidence.info.version or "unknown",
        version is not None and version >= _DOCKER_FLOOR,
    )


PROBE: Final = Fact(
    "probe", "The probe reports", True,
    "without its report nothing that is seen from inside is proved", "The container did not run as it should; what was found says why.",
    lambda evidence: Finding("a report", "a report" if evidence.observed is not None else evidence.why or "no report", evidence.observed is not None),
)  # fmt: skip

FACTS: Final = (
    Fact("stored-as-asked", "The engine stored what was asked", True,
         "what counts is what the engine keeps, not what was sent", "The engine changes or drops settings; the found list names them.", _stored),
    Fact("engine-warnings", "The engine warned of nothing", True,
         "a warning at creation says that a limit will not be in force", "Do what the warning says; it is about this machine's kernel or the engine's configuration.", _warnings),
    Fact("no-log", "No log of the output", True,
         "else the document's text stays on the host's disk", "The engine ignores LogConfig none; use one that honours it.", _log),
    Fact("exit-readable", "Exit code can be read", True,
         "else a killed reader looks like an empty document", "The engine removes containers by itself; switch that off.", _kept),
    Fact("runtime", "The runtime that was chosen", True,
         "a stronger runtime must not be replaced in silence", "Register the runtime in the engine's daemon.json, or choose another with FUMEHOOD_RUNTIME.", _runtime),
    Fact("memory-enforced", "A memory bomb dies", True,
         "the limit bites, scratch files count towards it, and the engine tells", "The runtime does not enforce control groups (gVisor: remove --ignore-cgroups; rootless: delegate controllers).", _memory),
    Fact("deadman", "Ends without the host", True,
         "a dead host leaves no reader running", "The image's supervisor does not end the worker: build the image again with `fumehood image build`.", _deadman),
    Fact("host-death", "Ends when its stdin ends", True,
         "a reader whose host has died stops at once", "The engine keeps stdin open after the client is gone; Docker does not.", _host_death),
    Fact("runc-version", "runc without known escapes", False,
         "second line: nothing is mounted, but the runtime itself must hold", "Update runc to 1.2.8, 1.3.3 or newer (package runc or containerd.io), or choose the runtime runsc.", _runc),
    Fact("engine-version", "Engine without known escapes", False,
         "second line: nothing is copied in or out", "Update Docker to 29.5.1 or newer.", _engine),
)  # fmt: skip
