"""What the facts are judged by: the probe's report, validated, and what the engine says about its containers.

The probe is our own code in our own image, but it speaks from inside a container like anything else there: its report is
untrusted until it has the one shape below.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from fumehood.errors import make_error
from fumehood.sandbox.engine import ContainerSpec, EngineInfo, ExitInfo

_T = TypeVar("_T")

PROBE_VERSION: Final = 1
MAX_REPORT: Final = 128 * 1024

_Text = Annotated[str, StringConstraints(max_length=200, pattern=r"^[\x20-\x7e]*$")]
_Number = Annotated[int, Field(ge=-1, le=2**53)]
_Texts = Annotated[list[_Text], Field(max_length=60)]
_Numbers = Annotated[list[_Number], Field(max_length=50)]
_Answers = Annotated[dict[_Text, _Text], Field(max_length=100)]
_Counts = Annotated[dict[_Text, _Number], Field(max_length=20)]

_STRICT: Final = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One report of ``fumehood_sandbox.probe``. An answer is a word: ``ok``, an errno or a signal name, ``exit N``."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    probe: Literal[1]
    machine: _Text
    # who it is
    uids: _Numbers
    gids: _Numbers
    groups: _Numbers
    capabilities: _Counts
    no_new_privs: _Number
    seccomp: _Number
    uid_map: Annotated[list[_Numbers], Field(max_length=10)]
    oom_score_adj: Annotated[int, Field(ge=-1000, le=1000)]
    pid1: _Text
    ttys: Annotated[list[bool], Field(max_length=3)]
    namespaces: _Counts
    label: _Text
    environment: _Texts
    hostname: _Text
    working_directory: _Text
    # network
    interfaces: _Texts
    sockets: _Answers
    connect: _Text
    resolve: _Text
    resolver_bytes: _Number
    hosts_bytes: _Number
    # system calls
    syscalls: _Answers
    foreign: _Answers
    # files
    directories: _Number
    writable: _Texts
    setuid: _Texts
    devices: _Texts
    mounts: Annotated[list[tuple[_Text, _Text, _Texts]], Field(max_length=200)]
    shm: bool
    queue: _Text
    scratch_bytes: _Number
    scratch_bytes_end: _Text
    scratch_inodes: _Number
    scratch_inodes_end: _Text
    scratch_exec: _Text
    scratch_loader: _Text
    scratch_map: _Text
    masked_readable: _Texts
    telling_readable: _Texts
    # limits
    rlimits: Annotated[dict[_Text, _Numbers], Field(max_length=20)]
    memory: _Number | None
    swap: _Number | None
    pids: _Number | None
    cpu_milli: _Number | None
    cgroup_paths: _Texts
    forks: _Number
    forks_end: _Text
    descriptors: _Number
    descriptors_end: _Text
    file_size: _Text
    core_dumped: bool
    cpu: _Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Survived:
    """The report of a probe that ran over its memory limit and lived."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    probe: Literal[1]
    survived: _Number


def parse_observation(untrusted: bytes) -> Observation:
    """The report in *untrusted*.

    Raises:
        SandboxError: code ``protocol``, when it is not exactly of that shape.
    """
    return _parse(Observation, untrusted)


def parse_survived(untrusted: bytes) -> int:
    """How many bytes a probe held that should have been killed. Raises as `parse_observation`."""
    return _parse(Survived, untrusted).survived


def _parse(shape: type[_T], untrusted: bytes) -> _T:
    if len(untrusted) > MAX_REPORT:
        raise make_error("protocol", "The probe's report is longer than allowed.")
    try:
        # Built here and now: most processes go by a remembered verdict and never see a report.
        return TypeAdapter(shape).validate_json(untrusted)
    except ValidationError as error:
        places = {
            ".".join(str(part) for part in item["loc"][:1]) for item in error.errors(include_input=False, include_url=False)
        }
        raise make_error(
            "protocol", f"The probe's report has not the agreed shape: {', '.join(sorted(places))[:200]}"
        ) from None


@dataclass(frozen=True, slots=True)
class Trial:
    """How a small container of the canary ended, or why it could not be tried. *survived*: bytes held beyond a limit."""

    exit: ExitInfo | None
    why: str = ""
    survived: int | None = None

    def __str__(self) -> str:
        if self.survived is not None:
            return f"held {self.survived // (1024 * 1024)} MiB and lived"
        if self.exit is None:
            return self.why or "not tried"
        return f"exit {self.exit.code}" + (", marked as out of memory" if self.exit.oom_killed else "")


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the facts look at. *observed* is None when the probe gave no report; *why* then says what happened."""

    spec: ContainerSpec
    info: EngineInfo
    observed: Observation | None = None
    why: str = ""
    stored: Mapping[str, Any] = field(default_factory=dict)
    differences: tuple[str, ...] = ()
    """Fields that the engine stored otherwise than asked."""
    warnings: tuple[str, ...] = ()
    memory: Trial = Trial(None)
    deadman: Trial = Trial(None)
    host_death: Trial = Trial(None)
    host_namespaces: Mapping[str, int] = field(default_factory=dict)


def host_namespaces() -> dict[str, int]:
    """This process's own namespaces by name; empty where the system has none."""
    found = {}
    for name in ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"):
        try:
            found[name] = os.stat(f"/proc/self/ns/{name}").st_ino  # noqa: PTH116
        except OSError:
            continue
    return found


def shown(value: object) -> str:
    """*value* as a table shows it: short, and JSON where it is a structure."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 160 else text[:157] + "..."
