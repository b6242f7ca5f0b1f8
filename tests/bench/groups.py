"""What is measured. Each function is one group: it sets things side by side and returns what their comparison gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bench.measure import Group
from bench.reading import corpus, extractions
from bench.setting import Setting
from bench.single import cold_commands, warm, warm_against_docker_run, without_a_spare
from bench.sizes import memory, time_by_size, validation
from bench.stages import stages
from bench.starts import imports, worker_start
from bench.throughput import sustained

ALL: Final[dict[str, Callable[[Setting], Group]]] = {
    "warm": warm,
    "docker-run": warm_against_docker_run,
    "cold": cold_commands,
    "second": without_a_spare,
    "sustained": sustained,
    "memory": memory,
    "sizes": time_by_size,
    "validation": validation,
    "extraction": extractions,
    "corpus": corpus,
    "stages": stages,
    "worker": worker_start,
    "imports": imports,
}
