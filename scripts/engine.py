"""Makes sure that a container engine answers: uses what is there, installs and starts Docker where it may.

What DOCKER_HOST, the docker context or the default socket names is used as it is. Where nobody answers on the default socket,
root on Debian or Ubuntu gets the package docker.io (asked first on a terminal; FUMEHOOD_YES=1 answers yes) and a running
dockerd; anyone else gets one sentence that says what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from fumehood.errors import FumehoodError
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.docker_resolve import Endpoint, endpoints

LOG = Path("/var/log/fumehood-dockerd.log")
WAIT_SECONDS = 60


def say(line: str) -> None:
    print(f"engine: {line}", file=sys.stderr, flush=True)


def answering() -> str | FumehoodError:
    try:
        with ImageEngine.connect() as engine:
            return engine.describe()
    except FumehoodError as error:
        return error


def main() -> int:
    found = answering()
    if isinstance(found, str):
        say(f"{found} answers and is used")
        return 0
    try:
        named = next((e for e in endpoints() if e.source != "usual place"), None)
    except FumehoodError as error:
        found, named = error, Endpoint("", "")
    if named is not None or os.geteuid() != 0:
        # Whoever chose an engine wants that one; whoever is not root cannot install one.
        say(found.message)
        say(
            found.hint
            if named is not None
            else "Install Docker (on Debian or Ubuntu: `sudo apt-get install docker.io`). " + found.hint
        )
        return 1
    if shutil.which("dockerd") is None and not install():
        return 1
    return start()


def install() -> bool:
    if shutil.which("apt-get") is None:
        say(
            "no container engine answers; install Docker Engine 20.10 or newer with your system's package manager, start it, then run this again"
        )
        return False
    if sys.stdin.isatty() and sys.stderr.isatty() and not os.environ.get("FUMEHOOD_YES"):
        print(
            "engine: no container engine answers. Install the package docker.io and start it? [y/N] ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            say("nothing was installed; start an engine of your choice, then run this again")
            return False
    say("installing docker.io (apt-get, about a minute)")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "--no-install-recommends", "docker.io"]):
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            say(f"{' '.join(command[:2])} failed: {' | '.join(done.stdout.strip().splitlines()[-5:])}")
            return False
    return True


def start() -> int:
    if Path("/run/systemd/system").is_dir():
        say("starting the service docker (systemctl)")
        subprocess.run(["systemctl", "start", "docker"], check=False)
        return 0 if wait(None) else trouble("journalctl -u docker says why")
    # The first try is Debian's own way. The second does without the bridge, which needs rights that a container or a small
    # virtual machine may lack; nothing here ever uses a container network.
    for options in ([], ["--bridge=none", "--iptables=false"]):
        say(f"starting dockerd {' '.join(options)}".rstrip() + f", its log is {LOG}")
        with LOG.open("ab") as log:
            daemon = subprocess.Popen(
                ["dockerd", *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )
        if wait(daemon):
            return 0
    return trouble(f"the last lines of {LOG}: {' | '.join(LOG.read_text(errors='replace').splitlines()[-3:])}")


def wait(daemon: subprocess.Popen[bytes] | None) -> bool:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        found = answering()
        if isinstance(found, str):
            say(f"{found} answers")
            return True
        if daemon is not None and daemon.poll() is not None:
            return False
        time.sleep(0.5)
    return False


def trouble(why: str) -> int:
    say(f"the engine did not start; {why}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
