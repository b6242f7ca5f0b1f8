"""A request only lowers limits, and what cannot be asked is refused before a container is."""

from __future__ import annotations

import pytest

from fumehood.errors import FumehoodError
from fumehood.limits import MIB, Limits
from fumehood.routing import LAST_PAGE, parse_pages, route
from fumehood.staging.staged import from_bytes


def staged(data=b"%PDF-1.7\n", name="a.pdf"):
    return from_bytes(data, name, limit=MIB)


def test_the_request_names_the_ending_and_nothing_else_of_the_name():
    way = route(staged(name="secret plan.PDF"), Limits(), password="pw", pages=[(1, 3)], assets=True)
    assert way.image == "core"
    assert way.sniffed == "pdf"
    assert way.request.declared_extension == ".pdf"
    assert way.request.pages == [[1, 3]]
    assert way.request.assets
    assert "secret" not in repr(way.request)


def test_an_empty_file_needs_no_container():
    with pytest.raises(FumehoodError) as caught:
        route(staged(b""), Limits())
    assert caught.value.code == "empty"
    assert caught.value.exit_status == 4


def test_a_timeout_lowers_the_deadline_and_never_raises_it():
    limits = Limits(wall_seconds=10)
    assert route(staged(), limits, timeout=2).request.deadline_s == 2
    assert route(staged(), limits, timeout=1000).request.deadline_s == pytest.approx(10, abs=0.01)


def test_the_choice_of_method():
    assert route(staged(), Limits()).request.method == "auto"
    assert route(staged(), Limits(), method="fallback").request.method == "fallback"
    with pytest.raises(FumehoodError, match="auto, primary, fallback") as caught:
        route(staged(), Limits(), method="second")
    assert caught.value.code == "invalid-argument"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_an_impossible_timeout(timeout):
    with pytest.raises(FumehoodError) as caught:
        route(staged(), Limits(), timeout=timeout)
    assert caught.value.code == "invalid-argument"


def test_a_password_fits_in_the_request_header():
    with pytest.raises(FumehoodError) as caught:
        route(staged(), Limits(), password="é" * 600)
    assert caught.value.code == "invalid-argument"


@pytest.mark.parametrize(
    ("text", "ranges"), [("1", [(1, 1)]), ("1-3,7", [(1, 3), (7, 7)]), (" 2 - 4 , 9-", [(2, 4), (9, LAST_PAGE)])]
)
def test_parse_pages(text, ranges):
    assert parse_pages(text) == ranges


@pytest.mark.parametrize("text", ["", "0", "3-1", "a", "1,,2", "-3", "1-2-3", "99999999", "١", ",".join(["1"] * 101)])
def test_pages_that_make_no_sense(text):
    with pytest.raises(FumehoodError) as caught:
        parse_pages(text)
    assert caught.value.code == "invalid-argument"
