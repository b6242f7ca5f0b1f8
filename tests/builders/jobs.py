"""Jobs for a sandbox, from plain bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fumehood.limits import Limits
from fumehood.sandbox.life import Job
from fumehood.sandbox.runner import Outcome
from fumehood_sandbox.contract import Request

Order = Callable[..., Outcome]


def job(
    body: bytes,
    *,
    seconds: float = 20.0,
    extension: str = "",
    limits: Limits | None = None,
    hint: str = "",
    settle: bool = True,
    **request: Any,
) -> Job:
    """A job over *body*; *seconds* or *limits* bound it, *request* are fields of the request."""
    base = limits or Limits(wall_seconds=seconds, wall_seconds_per_mib=0)
    asked = Request(declared_extension=extension, **request)
    return Job(asked, lambda: iter([body]), len(body), base.for_size(len(body)), hint, settle=settle)


def lowered(**changes: Any) -> Limits:
    """The default limits with *changes*; the size adds no time."""
    return replace(Limits(wall_seconds_per_mib=0), **changes)
