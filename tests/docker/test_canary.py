"""The canary on a real engine: all facts hold, and each can fail.

The second half breaks one field of the create request at a time and looks at what the proofs from inside then say. The
comparison with what the engine stored is taken away for that (it would notice every one of these), and tested by itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from builders.command import Command
from builders.probe_report import evidence
from fumehood.cli.main import main
from fumehood.config import Settings
from fumehood.errors import EnvironmentError_, SandboxError
from fumehood.limits import Limits
from fumehood.sandbox import canary, docker_engine, facts, policy, trials
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.docker_resolve import open_client
from fumehood.sandbox.docker_witness import DockerWitness
from fumehood.sandbox.engine import ContainerSpec
from fumehood.sandbox.evidence import Evidence, Trial
from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_trust import trusted_image
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox
from fumehood.sandbox.trials import Trials
from fumehood.sandbox.verdicts import Verdicts

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    client, _ = open_client()
    with ImageEngine(client) as images:
        build_image("core", engine=images, say=lambda _line: None)
        instance = Instance(tmp_path_factory.mktemp("state"))
        yield Sandbox(DockerEngine(client.api), trusted_image(engine=images, any_recipe=True), instance=instance)
        instance.close()


@pytest.fixture(autouse=True)
def nothing_left(sandbox: Sandbox) -> Iterator[None]:
    yield
    left = sandbox.engine.list_labelled({"app.instance": sandbox.instance.id})
    assert left == {}


# -- everything holds -------------------------------------------------------------------------------------------------


def test_every_required_fact_is_proved(sandbox: Sandbox) -> None:
    judged = facts.judge(canary.prove(sandbox))
    assert {fact.id: fact.found for fact in judged if fact.required and not fact.ok} == {}
    assert len(judged) == len(facts.FACTS)


@pytest.mark.parametrize(("memory", "scratch"), [("600 MB", "50 MB"), ("512 MiB", "1 MiB")])
def test_limits_written_for_people_are_proved(sandbox: Sandbox, memory: str, scratch: str) -> None:
    """Decimal megabytes are no number of pages, and the kernel rounds them, memory down and a tmpfs up.

    A small scratch folder is as large as one file may be: it is the folder that has to be full, not the file.
    """
    settings = Settings(limits={"memory_bytes": memory, "tmpfs_bytes": scratch})  # type: ignore[arg-type]
    assert not [
        fact.found for fact in facts.judge(canary.prove(sandbox, limits=settings.limits)) if fact.required and not fact.ok
    ]


def test_a_proof_that_is_cancelled_takes_its_containers_along_and_is_not_remembered(sandbox: Sandbox, tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path)
    with CancelToken() as token, ThreadPoolExecutor(1) as pool:
        proof = pool.submit(canary.attest, sandbox, verdicts=verdicts, cancel=token)
        while not sandbox.engine.list_labelled({"app.instance": sandbox.instance.id}):
            time.sleep(0.02)
        token.cancel()
        with pytest.raises(SandboxError) as caught:
            proof.result()
    assert caught.value.code == "cancelled"
    assert sandbox.engine.list_labelled({"app.instance": sandbox.instance.id}) == {}
    assert verdicts.get(verdicts.key(sandbox.engine.info(), sandbox.spec(Limits()))) is None


def test_a_remembered_verdict_takes_no_container(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    create = DockerEngine.create

    def counted(engine: DockerEngine, spec: ContainerSpec) -> Any:
        created = create(engine, spec)
        made.append(created.id)
        return created

    monkeypatch.setattr(DockerEngine, "create", counted)
    verdicts = Verdicts(tmp_path)
    assert canary.attest(sandbox, verdicts=verdicts).level == "full"
    assert len(made) == 4
    assert canary.attest(sandbox, verdicts=Verdicts(tmp_path)).level == "full"
    assert len(made) == 4
    assert verdicts.path.stat().st_mode & 0o777 == 0o600

    verdicts.path.write_text("{not json")
    assert canary.attest(sandbox, verdicts=verdicts).level == "full"
    assert len(made) == 8
    other_limits = replace(Limits(), pids=48)
    assert canary.attest(sandbox, limits=other_limits, verdicts=verdicts).level == "full"
    assert len(made) == 12


# -- each fact can fail -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken:
    """*changes* by path in the create request, and the facts that must fail from inside: those and no others."""

    name: str
    changes: dict[str, Any]
    fail: set[str]
    trial: str = "probe"


NNP = "no-new-privileges:true"
UNFILTERED = {"no-sockets", "denied-calls", "i386-dead"}
TMPFS = {"rw": "", "noexec": "", "nosuid": "", "nodev": "", "size": f"={64 * MIB}", "nr_inodes": "=4096", "mode": "=1777"}


def tmpfs(*left_out: str, exec_: bool = False) -> dict[str, str]:
    options = [name + value for name, value in TMPFS.items() if name not in left_out] + (["exec"] if exec_ else [])
    return {"/tmp": ",".join(options)}


def ulimits(*left_out: str) -> list[dict[str, Any]]:
    asked = {"nofile": 256, "fsize": 64 * MIB, "core": 0, "cpu": 35, "msgqueue": 0, "memlock": 65536}
    return [{"Name": name, "Soft": bound, "Hard": bound} for name, bound in asked.items() if name not in left_out]


BROKEN = [
    Broken("host network", {"HostConfig.NetworkMode": "host", "NetworkDisabled": False}, {"network-none", "no-resolver", "own-namespaces"}),
    Broken("resolver files", {"NetworkDisabled": False}, {"no-resolver"}),
    Broken("default filter", {"HostConfig.SecurityOpt": [NNP]}, UNFILTERED),
    Broken("no filter", {"HostConfig.SecurityOpt": [NNP, "seccomp=unconfined"]}, UNFILTERED | {"seccomp"}),
    # With our own filter and without this, runc itself cannot start the container.
    Broken("new privileges", {"HostConfig.SecurityOpt": ["seccomp=unconfined"]}, UNFILTERED | {"seccomp", "no-new-privileges"}),
    Broken("root", {"User": "0:0"}, {"user", "read-only-root"}),
    Broken("extra group", {"HostConfig.GroupAdd": ["0"]}, {"user"}),
    Broken("capabilities kept", {"HostConfig.CapDrop": []}, {"no-capabilities"}),
    Broken("capability added", {"HostConfig.CapAdd": ["SYS_ADMIN"]}, {"no-capabilities"}),
    Broken("writable root", {"HostConfig.ReadonlyRootfs": False}, {"read-only-root"}),
    Broken("more processes", {"HostConfig.PidsLimit": 500}, {"pids-limit"}),
    Broken("no process limit", {"HostConfig.PidsLimit": 0}, {"pids-limit"}),
    Broken("more memory", {"HostConfig.Memory": 1024 * MIB, "HostConfig.MemorySwap": 1024 * MIB}, {"memory-limit"}),
    Broken("no memory limit", {"HostConfig.Memory": 0, "HostConfig.MemorySwap": 0}, {"memory-limit"}),
    Broken("swap", {"HostConfig.MemorySwap": 1024 * MIB}, {"memory-limit"}),
    Broken("no memory limit, bomb", {"HostConfig.Memory": 0, "HostConfig.MemorySwap": 0}, {"memory-enforced"}, "memory"),
    Broken("all processors", {"HostConfig.NanoCpus": 0}, {"cpu-quota"}),
    Broken("two processors", {"HostConfig.NanoCpus": 2_000_000_000}, {"cpu-quota"}),
    Broken("no OOM preference", {"HostConfig.OomScoreAdj": 0}, {"oom-score"}),
    Broken("scratch runs code", {"HostConfig.Tmpfs": tmpfs("noexec", exec_=True)}, {"tmpfs-noexec"}),
    Broken("scratch without file bound", {"HostConfig.Tmpfs": tmpfs("nr_inodes")}, {"tmpfs-bounds"}),
    Broken("scratch without size", {"HostConfig.Tmpfs": tmpfs("size")}, {"tmpfs-bounds"}),
    Broken("no ulimits", {"HostConfig.Ulimits": []}, {"ulimits", "no-queues", "read-only-root"}),
    Broken("files of any size", {"HostConfig.Ulimits": ulimits("fsize")}, {"ulimits"}),
    Broken("many descriptors", {"HostConfig.Ulimits": ulimits("nofile")}, {"ulimits"}),
    Broken("message queues", {"HostConfig.Ulimits": ulimits("msgqueue")}, {"ulimits", "no-queues", "read-only-root"}),
    Broken("shared memory", {"HostConfig.IpcMode": "private"}, {"no-shared-memory", "read-only-root"}),
    Broken("host IPC", {"HostConfig.IpcMode": "host"}, {"own-namespaces", "no-shared-memory", "read-only-root"}),
    Broken("host processes", {"HostConfig.PidMode": "host"}, {"own-namespaces", "init"}),
    Broken("host name", {"HostConfig.UTSMode": "host", "Hostname": ""}, {"own-namespaces"}),
    Broken("host control groups", {"HostConfig.CgroupnsMode": "host"}, {"own-namespaces", "cgroup-namespace"}),
    Broken("the engine's init", {"HostConfig.Init": True}, {"init", "no-mounts"}),
    Broken("bind mount", {"HostConfig.Binds": ["/usr/lib/os-release:/mnt/release:ro"]}, {"no-mounts"}),
    Broken("volume", {"Volumes": {"/data": {}}}, {"no-mounts", "image-config"}),
    Broken("device", {"HostConfig.Devices": [{"PathOnHost": "/dev/kmsg", "PathInContainer": "/dev/kmsg", "CgroupPermissions": "r"}]}, {"no-devices"}),
    Broken("log", {"HostConfig.LogConfig": {"Type": "json-file", "Config": {}}}, {"no-log"}),
    Broken("environment", {"Env": ["PATH=/usr/bin:/bin", "LD_DEBUG=x"]}, {"image-config"}),
    Broken("working folder", {"WorkingDir": "/usr"}, {"image-config"}),
    Broken("unmasked", {"HostConfig.MaskedPaths": []}, {"masked-paths"}),
    Broken("no deadman", {"Entrypoint": ["/usr/bin/python3", "-I", "-S", "-B", "-c", "from fumehood_sandbox.worker import main; main()", "3600"]}, {"deadman"}, "deadman"),
    Broken("stdin stays open", {"StdinOnce": False}, {"host-death"}, "host_death"),
]  # fmt: skip

#: A warning of this machine's own (its versions, its users) is no matter of the broken field.
OF_THE_MACHINE = {"user-namespace", "runc-version", "engine-version", "confinement", "no-core-dump"}


def tampered(changes: dict[str, Any]) -> Any:
    """The policy module as the engine sees it, with *changes* made to each request."""

    def create_request(spec: ContainerSpec) -> dict[str, Any]:
        request = policy.create_request(spec)
        for path, value in changes.items():
            place = request
            *parents, name = path.split(".")
            for parent in parents:
                place = place[parent]
            place[name] = value
        return request

    return SimpleNamespace(create_request=create_request, differences=policy.differences)


def run_broken(sandbox: Sandbox, broken: Broken) -> Evidence:
    """Evidence of a real container for the trial that *broken* is about, and good evidence for the others."""
    assert isinstance(sandbox.engine, DockerEngine)
    spec = sandbox.spec(Limits())
    tries = Trials(DockerWitness(sandbox.engine), sandbox.instance, spec)
    good = evidence(spec=spec, info=sandbox.engine.info())
    if broken.trial != "probe":
        trial: Trial = getattr(tries, broken.trial)()
        return replace(good, **{broken.trial: trial})
    probed = tries.probe()
    observed, why, stored = probed.observed, probed.why, probed.stored
    differences = tuple(policy.differences(tries.probe_spec, stored))
    return replace(
        good, observed=observed, why=why, stored=stored, differences=differences, host_namespaces=canary.host_namespaces()
    )


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_a_broken_field_fails_its_facts_and_no_others(
    sandbox: Sandbox, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_engine, "policy", tampered(broken.changes))
    monkeypatch.setattr(trials, "_END_SECONDS", 8.0)  # a container that does not end by itself is waited for so long
    seen = run_broken(sandbox, broken)
    judged = facts.judge(replace(seen, differences=()))
    failing = {fact.id: fact.found for fact in judged if not fact.ok and fact.id not in OF_THE_MACHINE}
    assert set(failing) == broken.fail, f"{json.dumps(failing, indent=1)} {seen.why}"
    if broken.trial == "probe":
        assert seen.differences, "the read-back did not notice"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("HostConfig.Privileged", True),
        ("HostConfig.ReadonlyRootfs", False),
        ("HostConfig.PidsLimit", 65),
        ("HostConfig.Tmpfs", tmpfs("noexec")),
        ("HostConfig.Binds", ["/usr/lib/os-release:/mnt/release:ro"]),
        ("HostConfig.Sysctls", {"net.ipv4.ip_forward": "0"}),
        ("HostConfig.RestartPolicy", {"Name": "on-failure", "MaximumRetryCount": 1}),
        ("Env", ["PATH=/usr/bin:/bin"]),
        ("Tty", True),
    ],
)
def test_a_field_that_is_stored_otherwise_is_refused_before_it_runs(
    sandbox: Sandbox, path: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_engine, "policy", tampered({path: value}))
    with pytest.raises(EnvironmentError_) as caught:
        sandbox.engine.create(sandbox.spec(Limits()))
    assert caught.value.code == "sandbox-too-weak"
    assert path in caught.value.message


def test_a_terminal_leaves_nothing_proved(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker_engine, "policy", tampered({"Tty": True}))
    judged = facts.judge(run_broken(sandbox, Broken("terminal", {}, set())))
    failing = {fact.id for fact in judged if not fact.ok}
    assert {"no-tty", "network-none", "seccomp"} <= failing


def test_an_open_container_fails_across_the_board(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = {
        "User": "0:0",
        "HostConfig.CapDrop": [],
        "HostConfig.SecurityOpt": ["seccomp=unconfined"],
        "HostConfig.ReadonlyRootfs": False,
        "HostConfig.PidMode": "host",
        "HostConfig.MaskedPaths": [],
    }
    monkeypatch.setattr(docker_engine, "policy", tampered(opened))
    seen = run_broken(sandbox, Broken("open", {}, set()))
    assert seen.observed is not None, seen.why
    judged = facts.judge(replace(seen, differences=()))
    failing = {fact.id for fact in judged if not fact.ok}
    assert {"user", "no-capabilities", "no-new-privileges", "seccomp", "denied-calls", "no-sockets", "i386-dead"} <= failing
    assert {"read-only-root", "own-namespaces", "masked-paths"} <= failing


def test_too_weak_until_accepted_by_name(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker_engine, "policy", tampered({"HostConfig.OomScoreAdj": 0}))
    verdicts = Verdicts(tmp_path)
    with pytest.raises(EnvironmentError_) as caught:
        canary.attest(sandbox, verdicts=verdicts)
    assert caught.value.code == "sandbox-too-weak"
    assert "oom-score" in caught.value.message
    attestation = canary.attest(sandbox, accept_weaker=["oom-score"], verdicts=verdicts)
    assert (attestation.level, attestation.missing) == ("weakened", ("oom-score",))


def test_doctor_proves_the_sandbox_and_says_so(sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor", "--json", "--fix"])
    answer = json.loads(capsys.readouterr().out)
    assert status == 0
    assert answer["ok"] is True
    assert answer["engine"]["image"]["id"] == sandbox.image.id
    assert [fact["id"] for fact in answer["facts"]] == [fact.id for fact in facts.FACTS]
    assert all(fact["ok"] for fact in answer["facts"] if fact["required"])


def test_an_unknown_runtime_is_named(sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor", "--fix", "--runtime", "no-such-runtime"])
    out = capsys.readouterr().out
    assert status == 5
    assert "sandbox-too-weak" in out
    assert "no-such-runtime" in out


def test_a_document_is_not_read_under_another_runtime_than_the_one_named(command: Command, tmp_path: Path) -> None:
    document = tmp_path / "a.txt"
    document.write_text("text")
    status, out, err = command.run("extract", document, "--runtime", "no-such-runtime")
    assert (status, out) == (5, b"")
    assert "sandbox-too-weak" in err
    assert "no-such-runtime" in err
