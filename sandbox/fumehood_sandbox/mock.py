"""A hostile reader: obeys orders, to prove that the boundary holds. Only the test image has it.

An order is a JSON object, either the document itself (``{"mock": "flood-stdout"}``) or, where it must act before the
document is read, ``options`` of the request, or the document's ending (``a.neverread``).
A document that is no order is read as the real worker reads it; so is one whose order has been carried out and returns.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Final

from fumehood_sandbox import mock_answers, mock_deeds, mock_outlive, worker
from fumehood_sandbox.contract import Request
from fumehood_sandbox.frames import FrameType
from fumehood_sandbox.mock_answers import Order
from fumehood_sandbox.wire import Answer

_ORDER: Final = b'{"mock"'


class Mock:
    """The worker's hooks."""

    def before_body(self, request: Request, answer: Answer) -> None:
        """Orders in the request's options: the document is still on its way."""
        match request.options.get("mock") or request.declared_extension:
            case "never-read" | ".neverread":
                time.sleep(3600)
            case "answer-early" | ".early":
                answer.frame(FrameType.ERROR, b'{"code":"unsupported","detail":"answered before the document was read"}')
                answer.end()
                os._exit(0)
            case "close-stdin" | ".closestdin":
                os.close(0)
                time.sleep(3600)
            case _:
                return

    def before_work(self, request: Request, body: bytes, answer: Answer) -> None:
        """An order that is the document."""
        del request
        if body.startswith(_ORDER):
            order: Order = json.loads(body)
            mock_answers.read_some(answer, order)
            ORDERS[order["mock"]](answer, order)


ORDERS: Final[dict[str, Callable[[Answer, Order], None]]] = {
    "fail": mock_answers.fail,
    "hang": mock_deeds.hang,
    "spin": mock_deeds.spin,
    "hold-lock": mock_deeds.hold_lock,
    "outlive": mock_outlive.outlive,
    "cpu-limit": mock_deeds.cpu_limit,
    "drip": mock_answers.drip,
    "progress": mock_answers.progress,
    "flood-stdout": mock_answers.flood_stdout,
    "flood-parts": mock_answers.flood_parts,
    "flood-stderr": mock_answers.flood_stderr,
    "abort": mock_deeds.abort,
    "segv": mock_deeds.segv,
    "overflow": mock_deeds.overflow,
    "exit": mock_deeds.leave,
    "kill-self": mock_deeds.kill_self,
    "raw": mock_answers.raw,
    "half-frame": mock_answers.half_frame,
    "giant-frame": mock_answers.giant_frame,
    "wrong-hash": mock_answers.wrong_hash,
    "no-end": mock_answers.no_end,
    "after-end": mock_answers.after_end,
    "linger": mock_answers.linger,
    "two-results": mock_answers.two_results,
    "result-json": mock_answers.result_json,
    "part-json": mock_answers.part_json,
    "memory-bomb": mock_deeds.memory_bomb,
    "child-memory-bomb": mock_deeds.child_memory_bomb,
    "immune-child": mock_deeds.immune_child,
    "zombies": mock_deeds.zombies,
    "fork-bomb": mock_deeds.fork_bomb,
    "fill-tmp": mock_deeds.fill_tmp,
    "fill-inodes": mock_deeds.fill_inodes,
    "fill-descriptors": mock_deeds.fill_descriptors,
    "big-file": mock_deeds.big_file,
    "prints": mock_answers.prints,
    "foreign-call": mock_deeds.foreign_call,
    "workload": mock_deeds.workload,
}


def main() -> None:
    """Be the worker, with orders."""
    worker.main(Mock())


if __name__ == "__main__":
    main()
