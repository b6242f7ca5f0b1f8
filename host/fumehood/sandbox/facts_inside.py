"""The facts that the probe saw from inside the container."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final

from fumehood.sandbox.evidence import Evidence, Observation, shown
from fumehood.sandbox.fact import REFUSED, Fact, Finding, either, equal, inside
from fumehood.sandbox.policy import ENVIRONMENT, create_request

_UID: Final = 65532
_FIRST: Final = 1  # the id of a container's first process, as its own processes see it
SCRATCH: Final = "/tmp"  # noqa: S108 - inside the container
_SECCOMP_HINT: Final = "The engine does not enforce our seccomp profile: use one whose kernel and runtime support seccomp."

#: Device nodes that every runtime makes.
DEVICES: Final = frozenset({"console", "full", "null", "ptmx", "random", "tty", "urandom", "zero"})

#: What the engine mounts itself: kernel file systems anywhere, and these few files of its own.
_KERNEL_FILE_SYSTEMS: Final = frozenset({"proc", "sysfs", "devpts", "mqueue", "cgroup", "cgroup2"})
_ENGINE_FILES: Final = frozenset({"/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/run/.containerenv"})
_ENGINE_FOLDERS: Final = ("/dev", "/proc", "/sys")

_NAMESPACES: Final = ("cgroup", "ipc", "mnt", "net", "pid", "uts")


def _host_config(evidence: Evidence) -> dict[str, Any]:
    config: dict[str, Any] = create_request(evidence.spec)["HostConfig"]
    return config


def _wrong(answers: dict[str, str], allowed: frozenset[str]) -> dict[str, str]:
    return {name: answer for name, answer in answers.items() if answer not in allowed}


# -- network ----------------------------------------------------------------------------------------------------------


def _network(seen: Observation, _: Evidence) -> Finding:
    reached = seen.connect in {"ok", "ETIMEDOUT", "ECONNREFUSED", "EHOSTUNREACH", "timeout"}
    found = f"{', '.join(seen.interfaces) or 'none'}; connect: {seen.connect}"
    return Finding("lo; connect fails at once", found, seen.interfaces == ["lo"] and not reached)


def _resolver(seen: Observation, _: Evidence) -> Finding:
    quiet = seen.resolver_bytes <= 0 and seen.hosts_bytes <= 0
    fails = seen.resolve.startswith(("EAI", "EPERM", "SIGSYS"))
    found = f"resolv.conf {seen.resolver_bytes} bytes, hosts {seen.hosts_bytes} bytes; look-up: {seen.resolve}"
    return Finding("both empty or absent; a look-up fails", found, quiet and fails)


def sockets(seen: Observation, _: Evidence) -> Finding:
    wrong = _wrong(seen.sockets, frozenset({"EPERM", "SIGSYS"}))
    return Finding("EPERM for every kind", shown(wrong or "EPERM for every kind"), bool(seen.sockets) and not wrong)


# -- who it is --------------------------------------------------------------------------------------------------------


def _user(seen: Observation, _: Evidence) -> Finding:
    ids = {*seen.uids, *seen.gids, *seen.groups}
    found = f"uid {seen.uids}, gid {seen.gids}, groups {seen.groups}"
    return Finding(f"{_UID} throughout", found, ids == {_UID} and len(seen.uids) == len(seen.gids) == 3)


def _capabilities(seen: Observation, _: Evidence) -> Finding:
    held = {name: f"{mask:x}" for name, mask in seen.capabilities.items() if mask}
    return Finding("none, in all five sets", shown(held or "none, in all five sets"), len(seen.capabilities) == 5 and not held)


def calls(seen: Observation, _: Evidence) -> Finding:
    wrong = _wrong(seen.syscalls, REFUSED)
    count = len(seen.syscalls)
    return Finding("all refused", shown(wrong) if wrong else f"all {count} refused", count >= 40 and not wrong)


def _other_doors(seen: Observation, _: Evidence) -> Finding:
    if seen.machine == "aarch64":
        return Finding("closed", "aarch64 has none", ok=True)
    closed = {"int80": {"SIGSYS", "SIGSEGV"}, "x32": {"SIGSYS", "ENOSYS"}}
    ok = set(seen.foreign) == set(closed) and all(seen.foreign[name] in words for name, words in closed.items())
    return Finding("int80: SIGSYS, x32: SIGSYS", ", ".join(f"{k}: {v}" for k, v in seen.foreign.items()) or "not tried", ok)


def _first_process(seen: Observation, _: Evidence) -> Finding:
    return first_process(seen, {"no"})


def first_process(seen: Observation, stops: Container[str]) -> Finding:
    """Whether the first process is the reader's supervisor and out of its reach; *stops*: what may come of stopping it."""
    ours = seen.pid1.startswith("python") and seen.parent == _FIRST
    closed = seen.first_memory in {"EACCES", "EPERM"}
    found = (
        f"{seen.pid1 or 'unknown'}{'' if ours else ', not ours'}; stopped: {seen.first_stopped}, memory: {seen.first_memory}"
    )
    return Finding("our supervisor; stopped: no, memory: EACCES", found, ours and closed and seen.first_stopped in stops)


def _namespaces(seen: Observation, evidence: Evidence) -> Finding:
    return namespaces_of({name: seen.namespaces.get(name, -1) for name in _NAMESPACES}, seen, evidence)


def namespaces_of(found: dict[str, int], seen: Observation, evidence: Evidence) -> Finding:
    """Whether each of *found* was seen (-1: it was not) and is none of the host's, and the container has its own name."""
    shared = [n for n in _NAMESPACES if n in found and found[n] in {-1, evidence.host_namespaces.get(n)}]
    if not shared and seen.hostname != create_request(evidence.spec)["Hostname"]:
        return Finding("none shared with the host", f"called {seen.hostname}, not as asked", ok=False)
    return Finding(
        "none shared with the host", f"shared: {', '.join(shared)}" if shared else "none shared with the host", not shared
    )


def _user_namespace(seen: Observation, _: Evidence) -> Finding:
    mapped = bool(seen.uid_map) and seen.uid_map[0][:2] != [0, 0]
    return Finding("container users are mapped to others", f"uid map {seen.uid_map}", mapped)


def _environment(seen: Observation, evidence: Evidence) -> Finding:
    known = {item.partition("=")[0] for item in ENVIRONMENT} | {"HOSTNAME", "container"}
    foreign = sorted(set(seen.environment) - known)
    found = f"foreign variables: {', '.join(foreign)}" if foreign else f"no foreign variable; folder {seen.working_directory}"
    config = evidence.stored.get("Config") or {}
    clean = not (config.get("Volumes") or config.get("OnBuild"))
    return Finding(
        "no foreign variable; folder /",
        found if clean else "the image brings volumes",
        clean and not foreign and seen.working_directory == "/",
    )


def _confinement(seen: Observation, evidence: Evidence) -> Finding:
    present = [name for name in ("apparmor", "selinux") if any(name in option for option in evidence.info.security_options)]
    if not present:
        return Finding(
            "the distribution's profile, where it has one", "the engine reports neither AppArmor nor SELinux", ok=True
        )
    return Finding(f"a label of {present[0]}", seen.label or "no label", seen.label not in {"", "unconfined"})


# -- files ------------------------------------------------------------------------------------------------------------


def _read_only(seen: Observation, _: Evidence) -> Finding:
    # The user may write next to nothing anyway, so its failure alone would not show a writable root.
    sealed = "ro" in mount_options(seen, "/")
    found = f"root {'read-only' if sealed else 'writable'}; files could be made in {', '.join(seen.writable) or 'no folder'}"
    return Finding(f"root read-only; files could be made in {SCRATCH}", found, sealed and seen.writable == [SCRATCH])


def mount_options(seen: Observation, point: str) -> list[str]:
    return next((options for place, _, options in reversed(seen.mounts) if place == point), [])


def _scratch_bounds(seen: Observation, evidence: Evidence) -> Finding:
    limits = evidence.spec.limits
    bytes_hold = seen.scratch_bytes_end == "ENOSPC" and 0 < seen.scratch_bytes <= limits.tmpfs_bytes
    inodes_hold = seen.scratch_inodes_end == "ENOSPC" and 0 < seen.scratch_inodes <= limits.tmpfs_inodes
    found = f"{seen.scratch_bytes} bytes ({seen.scratch_bytes_end}), {seen.scratch_inodes} files ({seen.scratch_inodes_end})"
    return Finding(f"full at {limits.tmpfs_bytes} bytes and at {limits.tmpfs_inodes} files", found, bytes_hold and inodes_hold)


def _scratch_exec(seen: Observation, _: Evidence) -> Finding:
    lacking = [o for o in ("noexec", "nosuid", "nodev") if o not in mount_options(seen, SCRATCH)]
    held = (
        seen.scratch_exec == "EACCES"
        and seen.scratch_map in {"EPERM", "EACCES"}
        and seen.scratch_loader not in {"exit 42", "exit 0"}
    )
    found = f"run: {seen.scratch_exec}, loader: {seen.scratch_loader}, map: {seen.scratch_map}" + (
        f"; lacks {', '.join(lacking)}" if lacking else ""
    )
    return Finding("run: EACCES, loader: exit 127, map: EPERM; noexec, nosuid, nodev", found, held and not lacking)


def _mounts(seen: Observation, evidence: Evidence) -> Finding:
    foreign = [point for point, kind, _ in seen.mounts if not _engines_own(point, kind)]
    listed = [str(mount.get("Destination")) for mount in evidence.stored.get("Mounts") or []]
    found = sorted({*foreign, *listed})
    return Finding("none", shown(", ".join(found) or "none"), bool(seen.mounts) and not found)


def _engines_own(point: str, kind: str) -> bool:
    if point in {"/", SCRATCH}:
        return True
    if kind in _KERNEL_FILE_SYSTEMS or point in _ENGINE_FILES:
        return True
    return kind in {"tmpfs", "devtmpfs"} and any(
        point == folder or point.startswith(folder + "/") for folder in _ENGINE_FOLDERS
    )


def _devices(seen: Observation, _: Evidence) -> Finding:
    foreign = sorted(set(seen.devices) - DEVICES)
    return Finding("the runtime's own", ", ".join(foreign) or "the runtime's own", bool(seen.devices) and not foreign)


def _masked(seen: Observation, _: Evidence) -> Finding:
    found = ", ".join(seen.masked_readable) or "masked"
    if seen.telling_readable:
        found += f" (also readable, and never passed on: {len(seen.telling_readable)} places that tell of the host)"
    return Finding("masked", found, not seen.masked_readable)


# -- limits -----------------------------------------------------------------------------------------------------------


def _memory(seen: Observation, evidence: Evidence) -> Finding:
    limit = evidence.spec.limits.memory_bytes
    if seen.memory is None and evidence.memory.exit is not None and evidence.memory.exit.oom_killed:
        return Finding(f"{limit} bytes, no swap", "not visible from inside, but enforced", ok=True)
    found = f"{seen.memory} bytes, swap {seen.swap}"
    return Finding(f"{limit} bytes, no swap", found, seen.memory == limit and seen.swap in {0, None})


def _pids(seen: Observation, evidence: Evidence) -> Finding:
    limit = int(_host_config(evidence)["PidsLimit"])
    ok = seen.forks_end == "EAGAIN" and 0 < seen.forks < limit and seen.pids in {limit, None}
    return Finding(f"refused before {limit}", f"{seen.forks} forks, then {seen.forks_end}; limit {seen.pids}", ok)


def _cpu_quota(seen: Observation, evidence: Evidence) -> Finding:
    milli = int(_host_config(evidence)["NanoCpus"]) // 1_000_000
    found = {None: "not visible from inside", -1: "none"}.get(seen.cpu_milli, f"{(seen.cpu_milli or 0) / 1000:g} CPU")
    return Finding(f"{milli / 1000:g} CPU", found, seen.cpu_milli == milli)


def _ulimits(seen: Observation, evidence: Evidence) -> Finding:
    asked = {str(u["Name"]): [int(u["Soft"]), int(u["Hard"])] for u in _host_config(evidence)["Ulimits"]}
    wrong = {n: seen.rlimits.get(n) for n, bound in asked.items() if not _within(seen.rlimits.get(n), bound)}
    if seen.descriptors_end != "EMFILE":
        wrong["descriptors"] = [seen.descriptors]
    return Finding(shown(asked), shown(wrong) if wrong else "as asked", not wrong)


def _within(found: list[int] | None, bound: list[int]) -> bool:
    return found is not None and len(found) == 2 and all(0 <= f <= b for f, b in zip(found, bound, strict=True))


FACTS: Final = (
    Fact("network-none", "No network", True,
         "nothing a document says can leave, and nothing is fetched for it", "The engine gave the container a network; use an engine that honours network mode none.", inside(_network)),
    Fact("no-resolver", "No resolver, no hosts file", True,
         "the host's resolver and names would be readable", "The engine ignores NetworkDisabled; Docker honours it.", inside(_resolver)),
    Fact("no-sockets", "No sockets", True,
         "a network of its own does not cover AF_VSOCK, which reaches the host of a virtual machine", _SECCOMP_HINT, inside(sockets)),
    Fact("user", "A user without a name or rights", True,
         "root in a read-only container still owns the image's files and can write /dev", "The engine ignores User; use one that honours it.", inside(_user)),
    Fact("no-capabilities", "No capabilities", True,
         "each is a part of root", "The engine adds capabilities of its own; remove them from its configuration.", inside(_capabilities)),
    Fact("no-new-privileges", "No new privileges", True,
         "no file of the image can raise rights", "Use an engine and a kernel (3.5 or newer) with no-new-privileges.", inside(lambda seen, _: equal("1", str(seen.no_new_privs)))),
    Fact("seccomp", "System call filter", True,
         "most of the kernel is out of reach", _SECCOMP_HINT, inside(lambda seen, _: equal("mode 2", f"mode {seen.seccomp}"))),
    Fact("denied-calls", "Forbidden system calls", True,
         "namespaces, mounts, keys, tracing, files in memory: what escapes are made of", _SECCOMP_HINT, inside(calls)),
    Fact("i386-dead", "Foreign system call entries", True,
         "the 32-bit entry would pass by a filter of 64-bit numbers", _SECCOMP_HINT, inside(_other_doors)),
    Fact("own-namespaces", "Own namespaces", True,
         "sees no process, mount or name of the host", "The engine shares namespaces by default; remove that from its configuration.", inside(_namespaces)),
    Fact("cgroup-namespace", "Own control group namespace", True,
         "the host's shows the container's id and the host's slices", "Needs Linux 4.6 and Docker 20.10 or newer.", inside(lambda seen, _: either("/", seen.cgroup_paths == ["/"], ", ".join(seen.cgroup_paths)))),
    Fact("user-namespace", "User namespace", False,
         "a way out of the container would end as a user of no rights", "Run rootless Docker, or set \"userns-remap\": \"default\" in the engine's daemon.json.", inside(_user_namespace)),
    Fact("confinement", "AppArmor or SELinux", False,
         "the distribution's own second wall", "The engine reports it but the container has no label; look at the engine's default profile.", inside(_confinement)),
    Fact("init", "Our supervisor is the first process", True,
         "code that took over a reader could stop what ends it when the host is dead", "The engine puts an init process of its own in front although it is asked not to; remove that from its configuration.", inside(_first_process)),
    Fact("no-tty", "No terminal", True,
         "a terminal rewrites bytes and takes injected input", "The engine ignores Tty; use one that honours it.", inside(lambda seen, _: either("no stream is one", seen.ttys == [False] * 3, "a stream is a terminal"))),
    Fact("image-config", "Nothing from the image's configuration", True,
         "an image decides nothing about how it is run", "Build the image again: `fumehood image build`.", inside(_environment)),
    Fact("read-only-root", "Read-only root", True,
         "nothing persists and the host's disk cannot be filled", "The engine ignores ReadonlyRootfs; use one that honours it.", inside(_read_only)),
    Fact("no-setuid", "No set-uid files", True,
         "the image offers no way to another user", "Build the image again: `fumehood image build`.", inside(lambda seen, _: either("none", seen.setuid == [], ", ".join(seen.setuid)))),
    Fact("tmpfs-bounds", "Scratch folder is bounded", True,
         "a size alone does not bound empty files", "The engine ignores the options of a tmpfs; use one that honours size and nr_inodes.", inside(_scratch_bounds)),
    Fact("tmpfs-noexec", "Nothing runs from the scratch folder", True,
         "a dropped program stays data", "The engine ignores the options of a tmpfs; use one that honours noexec, nosuid and nodev.", inside(_scratch_exec)),
    Fact("no-mounts", "No mounts from the host", True,
         "no path of the host to follow, change or learn", "Something mounts folders into every container (engine configuration, default volumes); remove it.", inside(_mounts)),
    Fact("no-devices", "No devices of the host", True,
         "drivers are kernel surface", "The engine adds devices to every container (a GPU runtime?); choose a plain runtime.", inside(_devices)),
    Fact("no-shared-memory", "No shared memory folder", True,
         "one writable place less", "The engine ignores IpcMode none; use one that honours it.", inside(lambda seen, _: either("absent", not seen.shm, "present"))),
    Fact("no-queues", "No message queues", True,
         "their folder is writable by all, even without shared memory", "The engine ignores ulimits; use one that honours msgqueue.",
         inside(lambda seen, _: Finding("refused", seen.queue, seen.queue != "ok"))),
    Fact("masked-paths", "Masked kernel folders", False,
         "they tell about the host", "The engine's masks are off; look for an unmask option in its configuration.", inside(_masked)),
    Fact("memory-limit", "Memory limit", True,
         "no swap, and no more than allowed", "The kernel does not limit memory for this engine: enable the memory controller (rootless: delegate it with systemd; cgroup v1: boot with cgroup_enable=memory swapaccount=1).", inside(_memory)),
    Fact("pids-limit", "Process limit", True,
         "a fork bomb ends in its container", "The kernel does not limit processes for this engine: rootless engines need cgroup v2 with the pids controller delegated.", inside(_pids)),
    Fact("cpu-quota", "Processor quota", True,
         "the host stays responsive", "The cpu controller is not available to the engine: rootless engines need it delegated by systemd.", inside(_cpu_quota)),
    Fact("ulimits", "Resource limits", True,
         "descriptors, files, dumps, queues and locked memory are bounded", "The engine ignores ulimits, or its own are lower; look at default-ulimits in daemon.json.", inside(_ulimits)),
    Fact("file-size-limit", "File size limit bites", True,
         "no file grows without end", "The kernel or runtime does not enforce RLIMIT_FSIZE; choose another runtime.", inside(lambda seen, _: equal("SIGXFSZ", seen.file_size))),
    Fact("cpu-limit", "Processor time limit bites", True,
         "the second line when the host is dead", "The kernel or runtime does not enforce RLIMIT_CPU; choose another runtime.", inside(lambda seen, _: equal("SIGXCPU", seen.cpu))),
    Fact("no-core-dump", "No core dump", False,
         "a dump holds the document", "kernel.core_pattern pipes dumps to a program, which ignores the limit: set it to a plain name.", inside(lambda seen, _: either("none", not seen.core_dumped, "the kernel dumped an aborted process"))),
    Fact("oom-score", "Dies first when memory is short", True,
         "the host's own programs come last", "The engine may not raise oom_score_adj; see its service file.", inside(lambda seen, _: equal("1000", str(seen.oom_score_adj)))),
)  # fmt: skip
