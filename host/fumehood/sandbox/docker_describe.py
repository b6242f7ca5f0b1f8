"""What the engine says about itself, as ``doctor`` shows it. None of it is believed: the canary proves what matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import docker
from fumehood.sandbox.docker_resolve import Endpoint


def describe(client: docker.DockerClient, endpoint: Endpoint) -> dict[str, Any]:
    """The engine behind *client* as plain values."""
    return told(client.api.info(), client.api.version(), endpoint)


def told(info: Mapping[str, Any], version: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """The answers to ``/info`` and ``/version``, as plain values. What an engine leaves out is None or empty."""
    parts = {str(part.get("Name")): str(part.get("Version", "")) for part in version.get("Components") or ()}
    options = [str(option) for option in info.get("SecurityOptions") or ()]
    return {
        "reachable": True,
        "endpoint": endpoint.host,
        "source": endpoint.source,
        "kind": "podman" if any("podman" in name.lower() for name in parts) else "docker",
        "version": info.get("ServerVersion"),
        "api_version": version.get("ApiVersion"),
        "id": info.get("ID"),
        "os": info.get("OperatingSystem"),
        "architecture": info.get("Architecture"),
        "kernel": info.get("KernelVersion"),
        "cgroup_version": info.get("CgroupVersion"),
        "cgroup_driver": info.get("CgroupDriver"),
        "storage_driver": info.get("Driver"),
        "runtimes": sorted(info.get("Runtimes") or {}),
        "default_runtime": info.get("DefaultRuntime"),
        "components": parts,
        "rootless": any("name=rootless" in option for option in options),
        "user_namespaces": any("name=userns" in option for option in options),
        "seccomp": any("name=seccomp" in option for option in options),
        "apparmor": any("name=apparmor" in option for option in options),
        "selinux": any("name=selinux" in option for option in options),
        "processors": info.get("NCPU"),
        "memory": info.get("MemTotal"),
        "warnings": [str(warning)[:300] for warning in info.get("Warnings") or ()],
    }
