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

PROBE_VERSION: Final = 3
#: What a fact says that hangs on another one: there was no report of the probe, or no container to try it in.
NO_REPORT: Final = "no report"
NO_TRIAL: Final = "not tried"
NOT_TRIED: Final = frozenset({NO_REPORT, NO_TRIAL})

MAX_REPORT: Final = 128 * 1024

#: The build that gVisor's kernel always says it is: its log, which also tells, cannot be read under our system call list.
_GVISOR_BUILD: Final = "#1 SMP Sun Jan 10 15:06:54 PST 2016"

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

    probe: Literal[3]
    machine: _Text
    # whose kernel it is
    kernel: _Text
    kernel_log: _Text
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
    parent: _Number
    first_stopped: _Text
    first_memory: _Text
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

    probe: Literal[3]
    survived: _Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """The report of a probe that made processes until it was refused one, or had more than there may be."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    probe: Literal[3]
    forks: _Number
    forks_end: _Text


def parse_observation(untrusted: bytes) -> Observation:
    """The report in *untrusted*.

    Raises:
        SandboxError: code ``protocol``, when it is not exactly of that shape.
    """
    return _parse(Observation, untrusted)


def parse_survived(untrusted: bytes) -> int:
    """How many bytes a probe held that should have been killed. Raises as `parse_observation`."""
    return _parse(Survived, untrusted).survived


def parse_forked(untrusted: bytes) -> Forked:
    """How many processes a probe could make. Raises as `parse_observation`."""
    return _parse(Forked, untrusted)


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
    """How a small container of the canary ended, or why it could not be tried.

    *survived*: what it had beyond its limit, bytes or *unit*.
    """

    exit: ExitInfo | None
    why: str = ""
    survived: int | None = None
    unit: Literal["MiB", "processes"] = "MiB"

    def __str__(self) -> str:
        if self.survived is not None:
            amount = self.survived // (1024 * 1024) if self.unit == "MiB" else self.survived
            return f"held {amount} {self.unit} and lived"
        if self.exit is None:
            return self.why or NO_TRIAL
        return f"exit {self.exit.code}" + (", marked as out of memory" if self.exit.oom_killed else "")


@dataclass(frozen=True, slots=True)
class Usage:
    """What the engine counts for a container, from the control group on its own machine; -1: it does not say."""

    memory_limit: int = -1
    pids_limit: int = -1
    cpu_periods: int = -1
    """Periods of the processor quota so far: without a quota there are none."""


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
    usage: Usage = field(default_factory=Usage)
    memory: Trial = Trial(None)
    processes: Trial = Trial(None)
    """Tried under gVisor only: the probe itself counts them elsewhere."""
    deadman: Trial = Trial(None)
    host_death: Trial = Trial(None)
    host_namespaces: Mapping[str, int] = field(default_factory=dict)

    @property
    def in_gvisor(self) -> bool:
        """Whether the container runs on gVisor's kernel: registered as that *and* seen from inside.

        The first alone may be a name for anything. The second alone is a runtime that nobody has said to be gVisor: then the
        expectations of an ordinary one stay, which it does not meet.
        """
        return self.spec.gvisor and self.observed is not None and is_gvisors(self.observed, self.info)


def is_gvisors(seen: Observation, info: EngineInfo) -> bool:
    """Whether *seen* was seen on gVisor's kernel: by what it writes into its log or calls itself, and it is not the engine's own.

    The probe is our own code and has met no document, so nothing but the runtime itself could forge this.
    """
    release = seen.kernel.partition(" ")[0]
    says_so = seen.kernel_log == "gVisor" or seen.kernel.endswith(_GVISOR_BUILD)
    return says_so and bool(info.kernel) and release != info.kernel


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
