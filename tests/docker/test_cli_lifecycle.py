"""How the command line ends: interrupted while the sandbox is proved or a document is read, or killed; and what the next one removes."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import small
from builders.command import Command

pytestmark = pytest.mark.timeout(400)

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.fixture
def long(command: Command, tmp_path: Path) -> Path:
    """Takes seconds to read, on a busy machine many."""
    command.environment["FUMEHOOD_LIMITS__WALL_SECONDS"] = "250"
    path = tmp_path / "long.docx"
    path.write_bytes(small.long_docx(10_000))
    return path


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short.txt"
    path.write_bytes(b"all is well\n")
    return path


@pytest.fixture
def state(command: Command, tmp_path: Path) -> Path:
    """A state folder that knows the image and no verdict: the next command proves the sandbox."""
    known = Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local" / "state")) / "fumehood" / "image-lock.json"
    folder = tmp_path / "state" / "fumehood"
    folder.mkdir(parents=True, mode=0o700)
    shutil.copy2(known, folder)
    command.environment["XDG_STATE_HOME"] = str(tmp_path / "state")
    return folder


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def ended(process: subprocess.Popen[bytes], seconds: float = 60) -> tuple[int, bytes, bytes]:
    """Exit status, stdout and stderr. One that does not end is killed: else it would wait for ever for us to read."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err or b""


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_signal_ends_the_proof_of_the_sandbox_on_the_way(
    command: Command, state: Path, short: Path, number: signal.Signals, status: int
) -> None:
    with command.start("extract", short, short, "--jobs", "2") as process:
        wait_for(command.containers, process)
        process.send_signal(number)
        code, out, err = ended(process)
    assert (code, out) == (status, b"")
    assert b"Traceback" not in err
    assert command.containers() == set()
    assert list((state / "instances").iterdir()) == []
    assert not (state / "canary.json").exists(), "the proof was waited for"


def test_a_tool_is_interrupted_too(command: Command, state: Path, short: Path) -> None:
    with command.start("tool", "extract_text", short) as process:
        wait_for(command.containers, process)
        process.send_signal(signal.SIGINT)
        assert ended(process)[0] == 130
    assert command.containers() == set()
    assert not (state / "canary.json").exists()


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_signal_while_documents_are_read_and_others_wait(
    command: Command, long: Path, short: Path, number: signal.Signals, status: int
) -> None:
    command.run("extract", short)  # the sandbox is proved
    with command.start("extract", *[long] * 6, "--jobs", "2", "--format", "json") as process:
        wait_for(command.containers, process)
        process.send_signal(number)
        code, _, err = ended(process)
    assert code == status
    assert b"Traceback" not in err
    assert command.containers() == set()


def leave_a_container(command: Command, long: Path, short: Path) -> None:
    """By a command that is killed while it reads."""
    command.run("extract", short)
    with command.start("extract", long) as process:
        wait_for(command.containers, process)
        process.kill()
        process.wait(60)


def test_what_a_killed_command_left_is_gone_after_the_next(command: Command, long: Path, short: Path) -> None:
    leave_a_container(command, long, short)
    assert command.containers(), "nobody has removed it"
    status, out, _ = command.run("extract", short)
    assert (status, out) == (0, b"all is well\n")
    assert command.containers() == set()


def test_doctor_names_what_it_removes(command: Command, long: Path, short: Path) -> None:
    leave_a_container(command, long, short)
    (container,) = command.containers()
    status, _, err = command.run("doctor", "--fix")
    assert status == 0, err
    assert f"removed the left-over container {container[:12]}: its process is gone" in err
    assert command.containers() == set()


# -- on a terminal ----------------------------------------------------------------------------------------------------


class Screen:
    """A terminal of 100 columns that a command has as its stderr and its keyboard."""

    def __init__(self) -> None:
        self.keyboard, self.side = os.openpty()
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.text = ""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        seen = b""
        while True:
            try:
                data = os.read(self.keyboard, 65536)
            except OSError:  # nobody has the other side open any more
                return
            seen += data
            self.text = seen.decode("utf-8", "replace")

    def start(self, command: Command, *arguments: str | Path) -> subprocess.Popen[bytes]:
        """*command* with this as its controlling terminal: what is typed as Ctrl-C is a signal for it."""
        command.environment |= {"TERM": "xterm", "NO_COLOR": "", "CI": "", "COLUMNS": "100"}
        tty = os.ttyname(self.side)
        script = f"import os,sys; os.setsid(); os.close(os.open({tty!r}, os.O_RDWR)); os.execv(sys.argv[1], sys.argv[1:])"
        process = command.start(*arguments, stderr=self.side, stdin=self.side, prefix=(sys.executable, "-c", script))
        os.close(self.side)
        return process

    def close(self) -> None:
        self._reader.join(30)
        os.close(self.keyboard)


@pytest.fixture
def screen() -> Iterator[Screen]:
    opened = Screen()
    yield opened
    opened.close()


def test_a_terminal_sees_what_is_waited_for_and_then_how_far_it_is(
    command: Command, state: Path, long: Path, screen: Screen
) -> None:
    with screen.start(command, "extract", long) as process:
        status, out, _ = ended(process, 250)
    assert status == 0, screen.text[-1500:]
    assert out.count(b"word ") == 10_000, "nothing of the line is in the output"
    assert "proving the sandbox" in screen.text, "its verdict was not known"
    counted = [int(number) for number in re.findall(r"reading: block (\d+)", screen.text)]
    assert counted, screen.text[-500:]
    assert counted == sorted(counted)
    assert "\x1b[?25l" in screen.text
    assert screen.text.rstrip().endswith(("\x1b[?25h", "\x1b[2K")), "the line is gone, and the cursor back"


def test_ctrl_c_in_a_terminal(command: Command, long: Path, short: Path, screen: Screen) -> None:
    command.run("extract", short)
    with screen.start(command, "extract", long, long, "--jobs", "1") as process:
        wait_for(lambda: "reading document 1 of 2" in screen.text, process)
        os.write(screen.keyboard, b"\x03")
        status, out, _ = ended(process)
    assert (status, out) == (130, b"")
    assert command.containers() == set()
    assert screen.text.rfind("\x1b[?25h") > screen.text.rfind("\x1b[?25l"), "the cursor is back"
    assert "Traceback" not in screen.text
