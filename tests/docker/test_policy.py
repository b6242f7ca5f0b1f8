"""What a real engine keeps of the create request, and the system call list in force.

What the policy means inside a container is the canary's to prove (`test_canary`).
"""

from __future__ import annotations

from dataclasses import replace

import docker.errors
import pytest

from builders.jobs import job
from fumehood.limits import MIB, Limits
from fumehood.sandbox.box import Box
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.policy import POLICY, create_request, differences
from fumehood.sandbox.runner import Sandbox

SIZES = {"small": 1000, "large": 100 * MIB}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_everything_is_kept_and_nothing_warned_about(engine: DockerEngine, sandbox: Sandbox, size: int) -> None:
    spec = sandbox.spec(Limits().for_size(size))
    answer = engine.api.create_container_from_config(create_request(spec))
    try:
        assert not answer["Warnings"]
        stored = engine.inspect(answer["Id"])
        assert differences(spec, stored) == []
        assert stored["Mounts"] == []
        assert stored["HostConfig"]["Memory"] == spec.limits.memory_bytes
    finally:
        engine.remove(answer["Id"])


def test_while_it_runs_nothing_of_the_host_is_in_it(engine: DockerEngine, sandbox: Sandbox) -> None:
    with Box(engine, sandbox.spec(job(b"").limits), sandbox.instance) as box:
        box.start()
        described = box.inspect()
        assert described["State"]["Running"]
        assert described["Mounts"] == []
        assert set(described["NetworkSettings"]["Networks"]) <= {"none"}
        assert not described["NetworkSettings"]["IPAddress"]
        assert not described["NetworkSettings"]["Ports"]
        assert described["HostConfig"]["LogConfig"]["Type"] == "none"
        with pytest.raises(docker.errors.APIError):
            engine.api.logs(box.id)
        with pytest.raises(docker.errors.APIError):
            engine.api.put_archive(box.id, "/", b"")


def test_a_spare_container_waits_and_is_used_once(engine: DockerEngine, sandbox: Sandbox) -> None:
    """What the warm pool will do: started long before its document comes."""
    with Box(engine, sandbox.spec(job(b"").limits), sandbox.instance) as box:
        box.start()
        assert box.lived_seconds >= 0
        assert engine.inspect(box.id or "")["State"]["Running"]


def test_flags_can_be_told_apart(engine: DockerEngine, sandbox: Sandbox) -> None:
    """The comparison with what a real engine stored notices a change of any number or switch."""
    spec = sandbox.spec(Limits())
    created = engine.create(spec)
    try:
        stored = engine.inspect(created.id)
    finally:
        engine.remove(created.id)
    other = replace(
        spec,
        image_id="sha256:" + "1" * 64,
        limits=replace(spec.limits, memory_bytes=256 * MIB, tmpfs_bytes=MIB, pids=32),
        labels={**spec.labels, "app.req": "other"},
        seccomp="{}",
        outer_seconds=1,
        runtime="runsc",
    )
    assert set(differences(other, stored)) == {
        "Image", "Image (resolved)", "Entrypoint", "Labels", "HostConfig.SecurityOpt", "HostConfig.Memory", "HostConfig.MemorySwap",
        "HostConfig.PidsLimit", "HostConfig.Ulimits", "HostConfig.Tmpfs", "HostConfig.Runtime",
    }  # fmt: skip
    assert len(POLICY) > 40
