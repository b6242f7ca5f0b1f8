"""What the canary found, remembered in the state folder for as long as nothing changes that it depends on.

A verdict holds for one boot of one engine of one version with one runtime, image and policy, and for a day at most. A file
that cannot be read, that others may write, or that has another shape is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as shape

from fumehood import __version__
from fumehood.sandbox import facts, policy
from fumehood.sandbox.engine import ContainerSpec, EngineInfo
from fumehood.sandbox.evidence import PROBE_VERSION
from fumehood.sandbox.facts import Judged
from fumehood.sandbox.image_lock import state_folder
from fumehood.sandbox.instance import boot_id

FILE: Final = "canary.json"
_FORMAT: Final = 1
_MAX_BYTES: Final = 1024 * 1024
_MAX_VERDICTS: Final = 16
_MAX_AGE: Final = 24 * 3600.0


@shape(config=ConfigDict(strict=True, extra="forbid"))
class _Verdict:
    at: float
    facts: list[Judged]


@shape(config=ConfigDict(strict=True, extra="forbid"))
class _File:
    format: int
    verdicts: dict[str, _Verdict]


_ADAPTER: Final = TypeAdapter(_File)


class Verdicts:
    """The remembered verdicts of one state folder (the user's own by default)."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @property
    def path(self) -> Path:
        return (self._folder if self._folder is not None else state_folder()) / FILE

    def key(self, info: EngineInfo, spec: ContainerSpec) -> str:
        """The name of everything that a verdict depends on."""
        depends = [
            _FORMAT, __version__, PROBE_VERSION, [fact.id for fact in facts.FACTS], boot_id(),
            info.kind, info.id, info.version, info.endpoint, info.kernel, info.default_runtime, info.runtime_version,
            sorted(info.runtimes.items()), sorted((name, list(given)) for name, given in info.runtime_arguments.items()), list(info.security_options), spec.runtime or "", spec.image_id, policy.policy_hash(spec),
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(depends).encode()).hexdigest()

    def get(self, key: str) -> list[Judged] | None:
        verdict = self._read().get(key)
        if verdict is None or not 0 <= time.time() - verdict.at < _MAX_AGE:
            return None
        if [fact.id for fact in verdict.facts] != [fact.id for fact in facts.FACTS]:
            return None
        return verdict.facts

    def put(self, key: str, judged: Sequence[Judged]) -> None:
        """Remember *judged*. A folder that cannot be written only means that the next run proves anew."""
        kept = self._read()
        kept[key] = _Verdict(time.time(), list(judged))
        newest = sorted(kept.items(), key=lambda item: item[1].at)[-_MAX_VERDICTS:]
        text = json.dumps({"format": _FORMAT, "verdicts": {name: asdict(verdict) for name, verdict in newest}})
        with contextlib.suppress(OSError):
            self._write(text.encode())

    def _write(self, data: bytes) -> None:
        handle, name = tempfile.mkstemp(prefix=f".{FILE}.", dir=self.path.parent)  # created with mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self.path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    def _read(self) -> dict[str, _Verdict]:
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return {}
        try:
            facts_of_file = os.fstat(handle)
            mine = facts_of_file.st_uid == os.geteuid() and not facts_of_file.st_mode & 0o022
            if not mine or not stat.S_ISREG(facts_of_file.st_mode):
                return {}
            data = os.read(handle, _MAX_BYTES + 1)
        finally:
            os.close(handle)
        try:
            read = _ADAPTER.validate_json(data) if len(data) <= _MAX_BYTES else None
        except ValidationError:
            return {}
        return read.verdicts if read is not None and read.format == _FORMAT else {}
