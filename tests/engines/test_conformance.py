"""Other engines and runtimes against the list of `tests/docker/conformance`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conformance import checks
from conformance.subject import CHECKS, Check, Subject

assert checks.PATIENCE  # importing it fills the list

pytestmark = pytest.mark.timeout(300)  # gVisor takes its time where the machine is busy


@pytest.fixture(autouse=True)
def nothing_is_left(subject: Subject) -> Iterator[None]:
    yield
    assert subject.engine.list_labelled({"app": "fumehood"}) == {}
    assert subject.engine.api.volumes()["Volumes"] in ([], None)


@pytest.mark.parametrize("conforms", CHECKS, ids=lambda function: function.__name__)
def test_an_engine(subject: Subject, conforms: Check) -> None:
    conforms(subject)
