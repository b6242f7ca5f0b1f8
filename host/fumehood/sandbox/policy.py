"""The sandbox policy: every field of the create request beside its reason and the facts that prove it.

`POLICY` is the list; `create_request` is the one function that turns it into a request, used by extractions and by the
canary alike; `differences` compares what the engine stored with it. Whoever removes a field removes its reason too.

The facts named here are those of ``fumehood doctor`` (`fumehood.sandbox.facts`): each is proved from inside a container
that this module made.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from fumehood.sandbox.engine import ContainerSpec

#: A user that no password file names: its number means nothing anywhere else in the image.
USER: Final = "65532:65532"

#: The whole environment of the worker. The thread counts keep numeric libraries from starting a pool of threads each.
ENVIRONMENT: Final = ("PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")

#: gVisor's own threads count against the pids limit: with 64 it does not start, and a reader needs room beside them.
_GVISOR_PIDS: Final = 256


@dataclass(frozen=True, slots=True)
class Flag:
    """One field of the create request: where it goes, what it says, why, and the facts that prove it.

    The first of the *facts* answers for the field when the engine stored something else: accepting it, and no other, accepts that.
    """

    path: str
    value: Callable[[ContainerSpec], Any]
    reason: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spelling:
    """Another way in which an engine says that it stored what was asked (`fumehood.sandbox.podman`), and why it is the same.

    *same* is asked with what the policy asks, what the engine kept, and all that the engine tells.
    """

    same: Callable[[Any, Any, Mapping[str, Any]], bool]
    reason: str


def _always(value: Any) -> Callable[[ContainerSpec], Any]:
    return lambda _spec: copy.deepcopy(value)  # a request's own: nobody else's list


def worker_command(spec: ContainerSpec) -> list[str]:
    """The worker below its supervisor, which takes the deadman's seconds.

    Isolated mode, no search for more packages, no bytecode written.
    """
    return [spec.python, "-I", "-S", "-B", "-c", f"from {spec.module} import main; main()", str(spec.outer_seconds)]


def _pids(spec: ContainerSpec) -> int:
    return max(spec.limits.pids, _GVISOR_PIDS) if spec.gvisor else spec.limits.pids


def _ulimits(spec: ContainerSpec) -> list[dict[str, Any]]:
    cpu = spec.cpu_seconds if spec.cpu_seconds is not None else math.ceil(spec.limits.wall_seconds) + 5
    size = spec.file_bytes if spec.file_bytes is not None else spec.limits.tmpfs_bytes
    bounds = {"nofile": (256, 256), "fsize": (size, size), "core": (0, 0), "cpu": (cpu, cpu + 1), "msgqueue": (0, 0)}
    bounds["memlock"] = (65536, 65536)
    return [{"Name": name, "Soft": soft, "Hard": hard} for name, (soft, hard) in bounds.items()]


def _tmpfs(spec: ContainerSpec) -> dict[str, str]:
    size, inodes = spec.limits.tmpfs_bytes, spec.limits.tmpfs_inodes
    return {"/tmp": f"rw,noexec,nosuid,nodev,size={size},nr_inodes={inodes},mode=1777"}  # noqa: S108 - inside the container


POLICY: Final[tuple[Flag, ...]] = (
    # What runs
    Flag("Image", lambda s: s.image_id, "by id, never by a name that can be moved to other content", ("image-config",)),
    Flag("Entrypoint", worker_command, "a deadman in the container: it ends the work even when the host is dead", ("deadman",)),
    Flag("Cmd", _always([]), "nothing of the image decides what runs", ("image-config",)),
    Flag("Env", _always(list(ENVIRONMENT)), "nothing of the host's or the image's environment reaches a parser", ("image-config",)),
    Flag("WorkingDir", _always("/"), "the image's own could name a leaked descriptor (CVE-2024-21626)", ("image-config",)),
    Flag("Hostname", _always("x"), "the default is the container's id", ("own-namespaces",)),
    Flag("Labels", lambda s: dict(s.labels), "how a sweep finds what a dead host left, and only that", ()),
    Flag("Healthcheck", _always({"Test": ["NONE"]}), "an image's health check would run beside the worker", ("image-config",)),
    Flag("StopSignal", _always("SIGKILL"), "no image decides how the container is stopped", ()),
    # Streams
    Flag("Tty", _always(False), "a terminal rewrites bytes, merges streams and lets TIOCSTI type into them", ("no-tty",)),
    Flag("OpenStdin", _always(True), "the document comes in here, and only here", ()),
    Flag("StdinOnce", _always(True), "when the host goes away the worker sees the end of stdin and is ended", ("host-death",)),
    Flag("AttachStdin", _always(True), "attached before the start, so that no byte is lost", ()),
    Flag("AttachStdout", _always(True), "the answer's only way out", ()),
    Flag("AttachStderr", _always(True), "what libraries print; capped, never part of the answer", ()),
    Flag("HostConfig.LogConfig", _always({"Type": "none", "Config": {}}), "else the document's text is kept in a log on the host's disk", ("no-log",)),
    # Network
    Flag("HostConfig.NetworkMode", _always("none"), "a parser must reach nothing: no exfiltration, no request on its behalf", ("network-none",)),
    Flag("NetworkDisabled", _always(True), "without it the host's resolver and hosts file are written into the container", ("no-resolver",)),
    Flag("HostConfig.PortBindings", _always({}), "no port, and none by default", ("network-none",)),
    Flag("HostConfig.PublishAllPorts", _always(False), "an image's EXPOSE must open nothing", ("network-none",)),
    Flag("HostConfig.ExtraHosts", _always([]), "no name resolves", ("no-resolver",)),
    Flag("HostConfig.Links", _always([]), "no other container is in reach", ("network-none",)),
    # Who runs
    Flag("User", _always(USER), "root in a read-only container can still write /dev and owns the image's files", ("user",)),
    Flag("HostConfig.GroupAdd", _always([]), "no group beside it", ("user",)),
    Flag("HostConfig.Privileged", _always(False), "would undo everything below", ("no-capabilities", "seccomp")),
    Flag("HostConfig.CapDrop", _always(["ALL"]), "no capability, not even in the bounding set", ("no-capabilities",)),
    Flag("HostConfig.CapAdd", _always([]), "and none back", ("no-capabilities",)),
    Flag(
        "HostConfig.SecurityOpt",
        lambda s: ["no-new-privileges:true", f"seccomp={s.seccomp}"],
        "no setuid file gains anything; only the system calls that our own readers make (as JSON text: an engine elsewhere cannot read our path)",
        ("no-new-privileges", "seccomp", "no-sockets", "i386-dead", "denied-calls"),
    ),
    Flag("HostConfig.UsernsMode", _always(""), "never the host's when the engine maps users", ("user-namespace",)),
    # Resources
    Flag("HostConfig.Memory", lambda s: s.limits.memory_bytes, "a bomb dies in its own container", ("memory-limit", "memory-enforced")),
    Flag("HostConfig.MemorySwap", lambda s: s.limits.memory_bytes, "equal to the memory: no swap, else the host thrashes", ("memory-limit",)),
    Flag("HostConfig.OomScoreAdj", _always(1000), "when the host itself is short of memory, the reader goes first", ("oom-score",)),
    Flag("HostConfig.PidsLimit", _pids, "a fork bomb ends here (a ulimit would count per user over all containers)", ("pids-limit",)),
    Flag("HostConfig.NanoCpus", _always(1_000_000_000), "one processor: the host stays responsive", ("cpu-quota",)),
    Flag(
        "HostConfig.Ulimits",
        _ulimits,
        "descriptors, file size, no core dumps of a document, processor time when the host is dead, no message queues",
        ("ulimits", "cpu-limit", "file-size-limit", "no-core-dump", "no-queues"),
    ),
    # Files
    Flag("HostConfig.ReadonlyRootfs", _always(True), "nothing persists, the host's disk cannot be filled", ("read-only-root",)),
    Flag("HostConfig.Tmpfs", _tmpfs, "the one writable place: bounded in bytes and in files, and nothing in it runs", ("tmpfs-bounds", "tmpfs-noexec")),
    Flag("HostConfig.Binds", _always([]), "no path of the host: nothing to follow, relabel or leak", ("no-mounts",)),
    Flag("HostConfig.Mounts", _always([]), "the same", ("no-mounts",)),
    Flag("HostConfig.VolumesFrom", _always([]), "the same", ("no-mounts",)),
    Flag("Volumes", _always({}), "a VOLUME of the image is a writable folder on the host's disk", ("no-mounts", "image-config")),
    Flag("HostConfig.Devices", _always([]), "no device of the host", ("no-devices",)),
    Flag("HostConfig.DeviceRequests", _always([]), "no accelerator either", ("no-devices",)),
    Flag("HostConfig.DeviceCgroupRules", _always([]), "and no rule that would let one be made", ("no-devices",)),
    # Namespaces
    Flag("HostConfig.IpcMode", _always("none"), "no shared memory folder at all", ("no-shared-memory",)),
    Flag("HostConfig.PidMode", _always(""), "sees its own processes only", ("own-namespaces",)),
    Flag("HostConfig.UTSMode", _always(""), "has a name of its own", ("own-namespaces",)),
    Flag("HostConfig.CgroupnsMode", _always("private"), "the default of cgroup v1 shows the container's id and the host's slices", ("cgroup-namespace",)),
    Flag("HostConfig.Sysctls", _always({}), "no kernel setting is changed", ()),
    # Life
    Flag("HostConfig.Init", _always(False), "the supervisor is the first process itself: no signal from inside can stop or end it", ("init",)),
    Flag("HostConfig.AutoRemove", _always(False), "else the exit code and the OOM mark are gone before they are read", ("exit-readable",)),
    Flag("HostConfig.RestartPolicy", _always({"Name": "no"}), "used once", ()),
    Flag("HostConfig.Runtime", lambda s: s.runtime or "", "the engine's own, or a stronger one that the user chose", ("runtime",)),
)  # fmt: skip


def create_request(spec: ContainerSpec) -> dict[str, Any]:
    """The body of the create request for *spec*. Pure."""
    request: dict[str, Any] = {"HostConfig": {}}
    for flag in POLICY:
        place = request
        *parents, name = flag.path.split(".")
        for parent in parents:
            place = place[parent]
        place[name] = flag.value(spec)
    return request


def policy_hash(spec: ContainerSpec) -> str:
    """What the canary's verdict holds for: the request without the labels and numbers that differ between documents."""
    request = create_request(spec)
    request["Labels"] = sorted(request["Labels"])
    text = json.dumps(request, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()


def differences(
    spec: ContainerSpec,
    stored: Mapping[str, Any],
    *,
    accepted: Collection[str] = (),
    spellings: Mapping[str, Spelling] = MappingProxyType({}),
) -> list[str]:
    """The fields in which what the engine stored (its inspect answer) is not what *spec* asks.

    An empty value and an absent one are the same. Beyond the policy's own fields, anything mounted is a difference. A field
    whose first fact the user *accepted* to be weaker, by name, is left out. *spellings* are the engine's own, by field.
    """
    config, host = stored.get("Config") or {}, stored.get("HostConfig") or {}
    wrong: list[str] = []
    for flag in POLICY:
        name = flag.path.removeprefix("HostConfig.")
        kept = host.get(name) if flag.path.startswith("HostConfig.") else config.get(name)
        asked = flag.value(spec)
        if flag.path == "HostConfig.Runtime" and not asked:
            continue  # the engine's own default, named
        if flag.path == "Labels":  # the image's own labels are merged in
            kept = {label: value for label, value in (kept or {}).items() if label in asked}
        if _same(asked, kept) or (flag.facts and flag.facts[0] in accepted):
            continue
        spelling = spellings.get(flag.path)
        if spelling is None or not spelling.same(asked, kept, stored):
            wrong.append(flag.path)
    if stored.get("Image") not in {None, spec.image_id}:
        wrong.append("Image (resolved)")
    if stored.get("Mounts") and "no-mounts" not in accepted:
        wrong.append("Mounts")
    wrong.extend(f"HostConfig.{name}" for name in ("MaskedPaths", "ReadonlyPaths") if host.get(name, True) == [])
    if host.get("OomKillDisable"):
        wrong.append("HostConfig.OomKillDisable")
    return wrong


def _same(asked: Any, kept: Any) -> bool:
    if not asked and not kept:
        return True
    if isinstance(asked, dict) and isinstance(kept, dict):
        extra = any(value for key, value in kept.items() if key not in asked)
        return not extra and all(_same(value, kept.get(key)) for key, value in asked.items())
    if isinstance(asked, list) and isinstance(kept, list):
        return len(asked) == len(kept) and all(_same(a, k) for a, k in zip(asked, kept, strict=True))
    return bool(asked == kept)
