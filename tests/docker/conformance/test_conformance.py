"""The machine's engine against the list; `tests/engines` runs it against others."""

from __future__ import annotations

import pytest

from conformance import checks
from conformance.subject import CHECKS, Check, Subject

assert checks.PATIENCE  # importing it fills the list


@pytest.mark.parametrize("conforms", CHECKS, ids=lambda function: function.__name__)
def test_the_machines_engine(subject: Subject, conforms: Check) -> None:
    conforms(subject)
