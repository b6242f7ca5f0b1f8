"""The machine's own engine, with its default runtime."""

from __future__ import annotations

import pytest

from conformance.subject import Subject
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance


@pytest.fixture(scope="session")
def subject(engine: DockerEngine, core_image: TrustedImage, test_image: TrustedImage, instance: Instance) -> Subject:
    return Subject("machine", None, engine, core_image, test_image, instance)
