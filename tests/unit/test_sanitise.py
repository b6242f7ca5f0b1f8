"""Text hygiene: what is stripped, what is marked, what stays, and that it takes linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.documents.sanitise import escape_terminal, find_invisible, sanitise
from fumehood.documents.suspects import is_suspect
from fumehood_sandbox.contract import Attachment, Block, Document, Format, Sheet, SheetCell


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("a\U000e0041\U000e0042b", "ab"),  # tag letters outside a flag
        ("\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", None),  # the flag of Scotland
        ("\U0001f3f4" + "\U000e0069" * 12 + "\U000e007f", "\U0001f3f4"),  # a message that starts like a flag
        ("a\ufff9b\u2063c\u206ad\u115fe\u1160f\u3164g\uffa0h\u180ei", "abcdefghi"),
        ("a\x00\x07b\tc\nd\x7f", "ab\tc\nd"),
        ("a\x9b31mb\x85c", "abc"),  # C1: an 8-bit control sequence, next line
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b]8;;http://evil\x07link\x1b]8;;\x07", "alink"),
        ("a\x1b]0;never ends", "a0;never ends"),
        ("a\ud800b\ufdd0c\uffffd\U0001fffe", "abcd"),
        ("a\u200bb", "a b"),
        ("a\u202eb\u2066c", "a[U+202E]b[U+2066]c"),
        ("می\u200cخواهم \u200e\u200f\u061c", None),  # ZWNJ, LRM, RLM, ALM stay
        ("👩\u200d💻", None),
        ("a\u200d\u200c\u200db", "a\u200d[2 joiners]b"),
        ("❤\ufe0f", None),
        ("x\ufe01" + "\ufe02" * 3, "x\ufe01[3 variation-selectors]"),
        ("co\u00adoperate", "cooperate"),
        ("a\u034fb", "a[U+034F]b"),
        ("a\u2028b", "a\nb"),
    ],
)
def test_strip_removes_and_marks(text, stripped):
    assert sanitise(text)[0] == (text if stripped is None else stripped)


def test_counts_say_what_there_was():
    _, counts = sanitise("a\U000e0041\U000e0042\u202e\u202e\x1b[1m")
    assert counts == {"tag-characters": 2, "bidi-controls": 2, "escape-sequences": 4}


def test_escape_shows_everything_and_keep_changes_nothing():
    text = "a\x07\U000e0041\u200b\u00ad\x1b[1mb"
    assert sanitise(text, "escape")[0] == "a[U+0007][U+E0041][U+200B][U+00AD][U+001B][1mb"
    assert sanitise(text, "keep") == (text, {})


@pytest.mark.parametrize("unit", ["\x9d", "\x1b]", "\x1b[1;", "\ufe0f", "\u200d", "\U0001f3f4\U000e0061", "a"])
def test_long_runs_cost_no_more_than_their_length(unit):
    cleaned, _ = sanitise(unit * 200_000)  # quadratic time would run into the test's time limit
    assert len(cleaned) <= 200_000 * len(unit)


def test_find_invisible_counts_and_places():
    document = Document(Format("docx"))
    document.blocks = [Block("b1", text="plain"), Block("b2", text="a\U000e0041\U000e0042"), Block("b3", text="\u202ex\x07")]
    document.sheets = [Sheet("S", cells=[SheetCell("A1", 1, 1, text="\u200b")])]
    warnings = {warning.code: warning for warning in find_invisible(document)}
    assert set(warnings) == {"invisible-characters", "bidi-controls", "control-characters"}
    assert warnings["invisible-characters"].count == 3
    assert warnings["invisible-characters"].where == "b2"
    assert warnings["bidi-controls"].where == "b3"


def test_find_invisible_is_silent_about_honest_text():
    document = Document(Format("docx"), blocks=[Block("b1", text="می\u200cخواهم 👩\u200d💻 ❤\ufe0f co\u00adop")])
    assert find_invisible(document) == []


def test_terminal_escaping_leaves_nothing_to_obey():
    shown = escape_terminal("a\x1b]52;c;x\x07\x9b2J\u202e\tb\nc\r")
    assert shown == "a\\x1b]52;c;x\\x07\\x9b2J\\u202e\tb\nc\\x0d"


@given(
    st.text(
        alphabet=st.sampled_from("ab \n\té漢😀\x00\x1b\x7f\x9b\u200b\u200d\u202e\ufe0f\ufeff\U000e0041\U0001f3f4\uffff"),
        max_size=12,
    )
)
def test_what_is_not_suspect_is_left_as_it_is(text):
    shown, counts = sanitise(text, "escape")
    if not is_suspect(text):
        assert (shown, counts) == (text, {})


def test_documents_inside_are_looked_through_too():
    inner = Document(Format("text"), blocks=[Block("b1", text="a\u202eb")])
    outer = Document(
        Format("docx"),
        attachments=[Attachment("x", document=Document(Format("xlsx"), attachments=[Attachment("y", document=inner)]))],
    )
    assert [(w.code, w.where) for w in find_invisible(outer)] == [("bidi-controls", "attachments")]
