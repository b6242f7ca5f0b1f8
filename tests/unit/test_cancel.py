"""Cancel tokens, and what a cancelled call does to the proof of the sandbox that it runs for all."""

from __future__ import annotations

import os
import select
import threading
from typing import Any

import pytest

from builders.hoods import FakeSandbox
from fumehood.errors import FumehoodError, make_error
from fumehood.readiness import Machine, Ready
from fumehood.sandbox.cancel import CancelToken


def awake(token: CancelToken) -> bool:
    return bool(select.select([token], [], [], 0)[0])


def test_a_token_wakes_whoever_watches_it_and_stays_cancelled() -> None:
    with CancelToken() as token:
        assert not awake(token)
        for _ in range(3):
            token.cancel()
            assert token.cancelled
            assert awake(token)
    token.cancel()


def test_a_cancellation_is_passed_on() -> None:
    with CancelToken() as first, CancelToken() as second, CancelToken() as third:
        first.pass_on(second)
        assert not second.cancelled
        first.cancel()
        assert second.cancelled
        assert awake(second)
        first.pass_on(third)
        assert awake(third), "also when it had happened already"


def test_a_closed_token_writes_to_nobody_elses_descriptor() -> None:
    with CancelToken() as first:
        with CancelToken() as second:
            first.pass_on(second)
        reader, writer = os.pipe()
        try:
            first.cancel()
            assert select.select([reader], [], [], 0)[0] == []
        finally:
            os.close(reader)
            os.close(writer)


def test_cancelling_and_closing_at_once_never_write_elsewhere() -> None:
    for _ in range(200):
        token = CancelToken()
        canceller = threading.Thread(target=token.cancel)
        canceller.start()
        token.close()
        pipes = [os.pipe() for _ in range(3)]  # very likely the descriptors just closed
        canceller.join(30)
        try:
            assert select.select([reader for reader, _ in pipes], [], [], 0)[0] == []
        finally:
            for pair in pipes:
                for descriptor in pair:
                    os.close(descriptor)


class Proofs:
    """A preparation that lasts until it is cancelled, the first time."""

    def __init__(self) -> None:
        self.begun: list[CancelToken] = []
        self.running = threading.Event()

    def prepare(self, stop: CancelToken) -> Ready:
        self.begun.append(stop)
        if len(self.begun) > 1:
            return FakeSandbox().ready()
        self.running.set()
        assert select.select([stop], [], [], 60)[0], "it was never cancelled"
        raise make_error("cancelled", "the proof of the sandbox was cancelled")


def test_a_cancelled_call_ends_its_proof_and_who_waits_begins_another() -> None:
    proofs = Proofs()
    machine = Machine(proofs.prepare)
    ended: dict[str, Any] = {}

    def ask(name: str, token: CancelToken) -> None:
        try:
            ended[name] = machine.ready(token)
        except FumehoodError as error:
            ended[name] = error.code

    with CancelToken() as first, CancelToken() as second:
        threads = [threading.Thread(target=ask, args=("first", first))]
        threads[0].start()
        assert proofs.running.wait(60)
        threads.append(threading.Thread(target=ask, args=("second", second)))
        threads[1].start()
        first.cancel()
        for thread in threads:
            thread.join(60)
    assert ended["first"] == "cancelled"
    assert isinstance(ended["second"], Ready), ended["second"]


def test_closing_ends_a_proof_for_all() -> None:
    proofs = Proofs()
    machine = Machine(proofs.prepare)
    with CancelToken() as token:
        codes: list[str] = []

        def ask() -> None:
            with pytest.raises(FumehoodError) as caught:
                machine.ready(token)
            codes.append(caught.value.code)

        caller = threading.Thread(target=ask)
        caller.start()
        assert proofs.running.wait(60)
        machine.close()
        caller.join(60)
    assert codes == ["cancelled"]
    assert len(proofs.begun) == 1
