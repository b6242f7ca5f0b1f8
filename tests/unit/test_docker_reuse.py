"""What docker-py does with its connections to a unix socket, as we have it."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
import requests

import docker
from fumehood.sandbox.docker_reuse import reuse_connections


def test_a_refused_connection_leaves_no_descriptor(tmp_path: Path) -> None:
    api = docker.APIClient(f"unix://{tmp_path}/nobody.sock", version="1.41")
    reuse_connections(api)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a path object for each descriptor would be one more
    gc.disable()
    try:
        errors = []
        for _ in range(5):
            with pytest.raises(requests.ConnectionError) as refused:
                api.ping()
            errors.append(refused.value)  # held, as a kept failure is
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - the same
    finally:
        gc.enable()
        api.close()
