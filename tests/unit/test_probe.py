"""The probe's instruments, on this machine: what they measure must be what is there. No limit of this process is changed."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from pathlib import Path

import pytest

from fumehood.sandbox.evidence import Observation
from fumehood_sandbox import probe, probe_files, probe_limits, probe_syscalls
from fumehood_sandbox.probe_child import each_in_child, in_child


def refuse() -> None:
    raise PermissionError(1, "no")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_words() -> None:
    assert in_child(lambda: None) == "ok"
    assert in_child(refuse) == "EPERM"
    assert in_child(lambda: 42) == "42"
    assert in_child(die) == "SIGKILL"
    assert in_child(lambda: os._exit(3)) == "exit 3"
    assert in_child(lambda: time.sleep(20), 0.1) == "timeout"


def test_an_attempt_that_kills_costs_its_own_answer_only() -> None:
    attempts = {"a": lambda: None, "b": die, "c": refuse, "d": die, "e": die, "f": lambda: 1}
    assert each_in_child(attempts) == {"a": "ok", "b": "SIGKILL", "c": "EPERM", "d": "SIGKILL", "e": "SIGKILL", "f": "1"}


def test_an_attempt_that_hangs() -> None:
    assert each_in_child({"a": lambda: None, "b": lambda: time.sleep(20), "c": refuse}, 0.2) == {
        "a": "ok",
        "b": "timeout",
        "c": "EPERM",
    }


def test_no_attempt_leaves_a_child() -> None:
    each_in_child({"a": die, "b": lambda: None})
    in_child(die)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_walk_finds_what_can_be_written_and_what_raises_rights(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    tool = tmp_path / "inner" / "tool"
    tool.touch()
    tool.chmod(0o4755)
    (tmp_path / "link").symlink_to("/")
    found = probe_files.walk(str(tmp_path))
    assert found.directories == 2
    assert found.writable == [str(tmp_path), str(tmp_path / "inner")]
    assert found.setuid == [str(tool)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["inner", "link"]


def test_a_bound_on_one_file_is_not_taken_for_that_of_the_folder(tmp_path: Path) -> None:
    def fill_under_a_bound() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (probe_files.MIB, probe_files.MIB))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        filled, files = probe_files.fill_bytes(str(tmp_path), 3 * probe_files.MIB)
        return f"{filled.amount} in {len(files)}: {filled.end}"

    assert in_child(fill_under_a_bound) == f"{3 * probe_files.MIB} in 3: no end"


def test_filling_stops_and_cleans_up(tmp_path: Path) -> None:
    filled, files = probe_files.fill_bytes(str(tmp_path), 30 * probe_files.MIB)
    assert (filled.amount, filled.end) == (30 * probe_files.MIB, "no end")
    probe_files.remove(files)
    inodes = probe_files.fill_inodes(str(tmp_path), 50)
    assert (inodes.amount, inodes.end) == (50, "no end")
    assert list(tmp_path.iterdir()) == []


def test_running_from_a_folder_where_that_is_possible(tmp_path: Path) -> None:
    assert probe_files.run_script(str(tmp_path)) == "ENOENT"
    assert probe_files.map_code(str(tmp_path)) == "ok"
    assert list(tmp_path.iterdir()) == []


MOUNTS = """\
1 0 0:1 / / ro,relatime - overlay overlay rw,lowerdir=/secret/path,upperdir=/other
2 1 0:2 / /tmp rw,nosuid,nodev,noexec - tmpfs tmpfs rw,size=65536k,nr_inodes=4096
3 1 0:3 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory
4 1 0:4 / /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct
broken line
5 1 0:5 / /mnt ro master:1 - ext4 /dev/sda1 rw
"""


def test_mounts_keep_no_path_of_the_host(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    found = probe_files.mounts(str(table))
    assert [(point, kind) for point, kind, _ in found] == [
        ("/", "overlay"), ("/tmp", "tmpfs"), ("/sys/fs/cgroup/memory", "cgroup"), ("/sys/fs/cgroup/cpu,cpuacct", "cgroup"), ("/mnt", "ext4"),
    ]  # fmt: skip
    assert {"noexec", "size=65536k", "nr_inodes=4096"} <= set(found[1][2])
    assert "/secret" not in json.dumps(found)
    assert "/dev/sda1" not in json.dumps(found)


def test_controllers_of_version_1(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    places = probe_limits.cgroup_mounts(str(table))
    assert places["memory"] == "/sys/fs/cgroup/memory"
    assert places["cpu"] == "/sys/fs/cgroup/cpu,cpuacct"
    assert "2" not in places


def test_limits_of_version_1(tmp_path: Path) -> None:
    values = {
        "memory.limit_in_bytes": "536870912", "memory.memsw.limit_in_bytes": "536870912", "pids.max": "64", "cpu.cfs_quota_us": "100000",
        "cpu.cfs_period_us": "100000",
    }  # fmt: skip
    for name, value in values.items():
        (tmp_path / name).write_text(value + "\n")
    places = dict.fromkeys(("memory", "pids", "cpu"), str(tmp_path))
    assert probe_limits.cgroup_limits(places) == {"memory": 536870912, "swap": 0, "pids": 64, "cpu_milli": 1000}
    (tmp_path / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    (tmp_path / "pids.max").write_text("max\n")
    assert probe_limits.cgroup_limits(places) == {"memory": -1, "swap": -1, "pids": -1, "cpu_milli": -1}


def test_limits_of_version_2(tmp_path: Path) -> None:
    for name, value in {"memory.max": "536870912", "memory.swap.max": "0", "pids.max": "64", "cpu.max": "50000 100000"}.items():
        (tmp_path / name).write_text(value + "\n")
    assert probe_limits.cgroup_limits({"2": str(tmp_path)}) == {"memory": 536870912, "swap": 0, "pids": 64, "cpu_milli": 500}
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.swap.max").write_text("max\n")
    assert probe_limits.cgroup_limits({"2": str(tmp_path)}) == {"memory": 536870912, "swap": -1, "pids": 64, "cpu_milli": -1}


def test_limits_that_cannot_be_seen() -> None:
    assert probe_limits.cgroup_limits({}) == {"memory": None, "swap": None, "pids": None, "cpu_milli": None}


def test_lower_limits_bite_in_children_only(tmp_path: Path) -> None:
    before = probe_limits.rlimits()
    assert probe_limits.file_size(str(tmp_path)) == "SIGXFSZ"
    burning = probe_limits.start_cpu()
    assert burning is not None
    assert burning.wait(60) == "SIGXCPU"
    assert probe_limits.rlimits() == before
    assert list(tmp_path.iterdir()) == []


def test_counting_stops_where_it_should() -> None:
    assert (probe_limits.forks(5).amount, probe_limits.forks(5).end) == (5, "no end")
    assert (probe_limits.descriptors(5).amount, probe_limits.descriptors(5).end) == (5, "no end")


def test_every_call_has_arguments_that_do_no_harm() -> None:
    numbers = [row[0] for row in probe_syscalls.CALLS.values()]
    assert len(set(numbers)) == len(numbers)
    assert all(len(row[2]) <= 6 for row in probe_syscalls.CALLS.values())


def test_the_probe_runs_in_a_container_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "lexists", lambda _path: False)
    with pytest.raises(SystemExit, match="container"):
        probe.main()


def test_identity_has_the_agreed_names() -> None:
    assert set(probe._identity()) <= set(Observation.__dataclass_fields__)
    assert set(probe._limits({"pids": -8, "nofile": -8}, {})) <= set(Observation.__dataclass_fields__)
