"""The result store: bounded, private to its principal, no password in it."""

from __future__ import annotations

import threading

import pytest

from fumehood.errors import FumehoodError
from fumehood.store.keys import StoreKey, store_key
from fumehood.store.results import ResultStore
from fumehood.store.weight import document_bytes
from fumehood_sandbox.contract import Block, Document, Format, Request, Sheet, SheetCell


def store(documents=3, size=1000):
    return ResultStore(documents, size, weigh=len, keep=lambda value: value != "bad")


def key(n, principal="local"):
    return StoreKey(f"{n:064x}", (), "sha256:1", principal)


def put(kept, n, value="value", principal="local"):
    return kept.get_or_run(key(n, principal), lambda: value)


def test_runs_once_and_remembers():
    kept = store()
    assert put(kept, 1, "a") == ("a", False)
    assert put(kept, 1, "b") == ("a", True)
    assert kept.get(key(1)) == "a"


def test_bounded_by_number_least_recently_used_first():
    kept = store(documents=3)
    for n in (1, 2, 3):
        put(kept, n)
    put(kept, 1)
    put(kept, 4)
    assert [kept.get(key(n)) is not None for n in (1, 2, 3, 4)] == [True, False, True, True]


def test_bounded_by_size():
    kept = store(documents=100, size=1000)
    for n in range(10):
        put(kept, n, "x" * 300)
    assert len(kept) == 3
    assert kept.total_bytes == 900
    put(kept, 50, "y" * 1001)
    assert kept.get(key(50)) is None
    assert len(kept) == 3


def test_a_store_of_nothing():
    kept = store(documents=0)
    put(kept, 1)
    assert len(kept) == 0
    assert kept.total_bytes == 0


def test_what_is_not_worth_keeping():
    kept = store()
    assert put(kept, 1, "bad") == ("bad", False)
    assert put(kept, 1, "good") == ("good", False)


def test_a_failure_leaves_no_trace():
    kept = store()

    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError):
        kept.get_or_run(key(1), fail)
    assert put(kept, 1, "good") == ("good", False)


def test_a_waiter_runs_itself_when_the_first_one_fails():
    kept = store()
    entered, go = threading.Event(), threading.Event()
    answers = []

    def slow():
        entered.set()
        go.wait(5)
        return "bad"

    first = threading.Thread(target=lambda: answers.append(kept.get_or_run(key(1), slow)))
    first.start()
    entered.wait(5)
    second = threading.Thread(target=lambda: answers.append(kept.get_or_run(key(1), lambda: "good")))
    second.start()
    go.set()
    first.join()
    second.join()
    assert sorted(answers) == [("bad", False), ("good", False)]


def test_a_cancelled_waiter_does_not_wait():
    kept = store()
    entered, go = threading.Event(), threading.Event()

    def slow():
        entered.set()
        go.wait(5)
        return "slow"

    first = threading.Thread(target=lambda: kept.get_or_run(key(1), slow))
    first.start()
    entered.wait(5)
    assert kept.get_or_run(key(1), lambda: "cancelled", cancelled=lambda: True) == ("cancelled", False)
    go.set()
    first.join()
    assert kept.get(key(1)) == "slow"


def test_principals_do_not_see_each_other():
    kept = store()
    put(kept, 1, "mine", "alice")
    assert kept.get(key(1, "bob")) is None
    assert kept.find(key(1).doc_id, "bob") == []
    assert kept.find(key(1).doc_id, "alice") == [key(1, "alice")]


def test_one_label_for_two_contents_is_an_error():
    kept = store()
    one, two = StoreKey("a" * 12 + "0" * 52, (), "i"), StoreKey("a" * 12 + "1" * 52, (), "i")
    for each in (one, two):
        kept.get_or_run(each, lambda: "v")
    with pytest.raises(FumehoodError) as caught:
        kept.find("a" * 12, "local")
    assert caught.value.code == "invalid-argument"


def test_what_changes_the_key():
    plain = store_key("a" * 64, Request(declared_extension=".docx"), "i1")
    assert plain == store_key("a" * 64, Request(declared_extension=".docx", deadline_s=5), "i1")
    others = [
        store_key("b" * 64, Request(declared_extension=".docx"), "i1"),
        store_key("a" * 64, Request(declared_extension=".pdf"), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx", pages=[[1, 2]]), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx", assets=True), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx", method="fallback"), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx", password="p"), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx", password="q"), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx", options={"x": 1}), "i1"),
        store_key("a" * 64, Request(declared_extension=".docx"), "i2"),
        store_key("a" * 64, Request(declared_extension=".docx"), "i1", "alice"),
    ]
    assert len({plain, *others}) == 11


def test_no_password_in_a_key():
    assert "hunter2" not in repr(store_key("a" * 64, Request(password="hunter2"), "i"))
    assert store_key("a" * 64, Request(password="p\udc80"), "i") == store_key("a" * 64, Request(password="p\udc80"), "i")


def test_weight_grows_with_the_document():
    small = Document(Format("docx"), blocks=[Block("b1", text="x")])
    large = Document(Format("xlsx"), sheets=[Sheet("s", cells=[SheetCell("A1", 1, 1, text="x" * 10)] * 1000)])
    assert document_bytes(small) < 2000
    assert document_bytes(large) > 200_000
