"""What Podman's Docker-compatible socket wants asked otherwise, and spells otherwise when it tells what it stored.

Each spelling is one field, the one other way of saying the same that is accepted there, and why it is the same. A field that
Podman does not tell at all is accepted only where a fact proves from inside what it would have said; the reason names that
fact. None of this applies to any other engine.

What Podman's socket cannot be asked for at all is not made up for: ``nr_inodes`` of the scratch folder is left out, since it
refuses the option, and the fact ``tmpfs-bounds`` then fails until the user accepts that by its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from fumehood.sandbox.image_lock import state_refused
from fumehood.sandbox.policy import Spelling

KIND: Final = "podman"

#: What it tells as the runtime of every container: the one of its service, which `EngineInfo.default_runtime` names.
ANY_RUNTIME: Final = "oci"

#: What has to be there before a container of ours can run at all.
HINT: Final = (
    "Podman reads the list of system calls from a file of this user's state folder: its service must run on this very machine."
)

_INODES: Final = "nr_inodes="
#: What Podman gives a container of which nothing is asked: all of it is in the list of what was dropped.
_DEFAULT_CAPABILITIES: Final = frozenset({
    "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
})  # fmt: skip
_ADDED_OPTIONS: Final = frozenset({"rprivate", "tmpcopyup"})
_ADDED_VARIABLES: Final = frozenset({"container=podman", "HOSTNAME=x"})
_ADDED_LIMIT: Final = "RLIMIT_NPROC"
_SIGKILL: Final = 9


def adapted(request: dict[str, Any], profiles: Path) -> dict[str, Any]:
    """The create *request* as Podman takes it; the system call list goes into a file in *profiles*.

    Raises:
        EnvironmentError_: ``output-not-writable``, when that file cannot be written.
    """
    host = request["HostConfig"]
    host["SecurityOpt"] = [_by_path(option, profiles) for option in host["SecurityOpt"]]
    host["Tmpfs"] = {
        place: ",".join(option for option in options.split(",") if not option.startswith(_INODES))
        for place, options in host["Tmpfs"].items()
    }
    return request


def _by_path(option: str, profiles: Path) -> str:
    """Docker takes the JSON text; Podman's socket takes it for a file's name."""
    name, _, value = option.partition("=")
    return f"seccomp={_profile(value, profiles)}" if name == "seccomp" and value.startswith("{") else option


def _profile(text: str, profiles: Path) -> Path:
    path = profiles / _profile_name(text)
    with contextlib.suppress(OSError):
        if path.read_text(encoding="utf-8") == text:
            return path
    try:
        handle, name = tempfile.mkstemp(prefix=".seccomp.", dir=profiles)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError as error:
        raise state_refused(error.strerror) from error
    return path


def _profile_name(text: str) -> str:
    return f"seccomp-{hashlib.sha256(text.encode()).hexdigest()}.json"


def _image(asked: Any, _kept: Any, stored: Mapping[str, Any]) -> bool:
    return bool(stored.get("Image") == asked)


def _environment(asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    return isinstance(kept, list) and sorted(set(kept) - _ADDED_VARIABLES) == sorted(asked)


def _health(asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    return isinstance(kept, dict) and kept.get("Test") == asked["Test"] == ["NONE"]


def _no_capabilities(asked: Any, kept: Any, stored: Mapping[str, Any]) -> bool:
    added = (stored.get("HostConfig") or {}).get("CapAdd")
    return asked == ["ALL"] and isinstance(kept, list) and set(kept) >= _DEFAULT_CAPABILITIES and not added


def _security(asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    if not isinstance(kept, list) or len(kept) != len(asked):
        return False
    privileges, profile = asked
    named = _profile_name(profile.removeprefix("seccomp="))
    return privileges == "no-new-privileges:true" and kept[0] == "no-new-privileges" and Path(kept[1]).name == named


def _ulimits(asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    def listed(limits: Any, prefix: str) -> dict[str, tuple[int, int]]:
        return {prefix + str(u["Name"]).upper(): (u["Soft"], u["Hard"]) for u in limits}

    if not isinstance(kept, list):
        return False
    told = listed(kept, "")
    told.pop(_ADDED_LIMIT, None)
    return told == listed(asked, "RLIMIT_")


def _scratch(asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    def options(tmpfs: Any, place: str) -> list[str]:
        return sorted(set(str(tmpfs.get(place, "")).split(",")) - _ADDED_OPTIONS)

    return isinstance(kept, dict) and set(kept) == set(asked) and all(options(kept, p) == options(asked, p) for p in asked)


def _private(asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    return not asked and kept == "private"


def _untold(_asked: Any, kept: Any, _stored: Mapping[str, Any]) -> bool:
    return not kept


SPELLINGS: Final[Mapping[str, Spelling]] = {
    "Image": Spelling(_image, "it stores the image's name; the id that it resolved to stands beside, and is compared"),
    "Env": Spelling(_environment, "in another order, with two of its own that say nothing: container=podman and the host name"),
    "Healthcheck": Spelling(_health, "NONE, with times for a check that is never made"),
    "StopSignal": Spelling(lambda _asked, kept, _stored: str(kept) == str(_SIGKILL), "SIGKILL by its number"),
    "StdinOnce": Spelling(_untold, "not told; host-death proves it"),
    "AttachStdin": Spelling(_untold, "not told; without it there is no report at all"),
    "AttachStdout": Spelling(_untold, "not told; the same"),
    "AttachStderr": Spelling(_untold, "not told; what comes by it is no part of any answer"),
    "NetworkDisabled": Spelling(_untold, "not told; network-none and no-resolver prove it"),
    "HostConfig.CapDrop": Spelling(_no_capabilities, "ALL as the list of what it would have given; no-capabilities proves that none is left"),
    "HostConfig.SecurityOpt": Spelling(_security, "no-new-privileges without its value; the call list by the name of its file, which is its hash"),
    "HostConfig.Ulimits": Spelling(_ulimits, "the same limits under the kernel's names; once it runs, its own default for the number of a user's processes beside them"),
    "HostConfig.Tmpfs": Spelling(_scratch, "with two options that say how it is mounted; the image's folder is empty"),
    "HostConfig.PidMode": Spelling(_private, "a namespace of its own, by name"),
    "HostConfig.UTSMode": Spelling(_private, "the same"),
    "HostConfig.CgroupnsMode": Spelling(_untold, "not told; cgroup-namespace proves it"),
}  # fmt: skip
