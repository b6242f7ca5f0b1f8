"""File names are data: shown on one line, never longer than 255 bytes, and never a path again."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.staging.names import declared_extension, display_name, escape_line, folder_stem, without_surrogates


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("report.docx", "report.docx"),
        ("/a/b/report.docx", "report.docx"),
        ("a\nb.docx", "a\\x0ab.docx"),
        ("\x1b[31mred.docx", "\\x1b[31mred.docx"),
        ("\x9b31m.docx", "\\x9b31m.docx"),
        ("gpj\u202excod.docx", "gpj\\u202excod.docx"),
        ("zero\u200bwidth.pdf", "zero\\u200bwidth.pdf"),
        ("tag\U000e0041.pdf", "tag\\U000e0041.pdf"),
        ("bad\udcff.docx", "bad\\xff.docx"),
        ("cafe\u0301.docx", "caf\u00e9.docx"),
        ("..", ".."),
        ("", "document"),
        ("folder/", "folder"),
        ("Отчёт 2026.docx", "Отчёт 2026.docx"),
    ],
)
def test_display_name(raw, shown):
    assert display_name(raw) == shown


def test_display_name_takes_bytes():
    assert display_name(b"/tmp/bad\xff\n.docx") == "bad\\xff\\x0a.docx"


def test_a_long_name_keeps_its_ending():
    shown = display_name("é" * 300 + ".docx")
    assert shown.endswith("….docx")
    assert len(shown.encode()) <= 255


@given(st.text(alphabet=st.characters(codec=None), max_size=400))
def test_display_name_is_one_harmless_line(raw):
    shown = display_name(raw)
    assert shown
    assert "/" not in shown
    assert len(shown.encode()) <= 255
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("A.DOCX", ".docx"),
        ("a.tar.gz", ".gz"),
        ("README", ""),
        (".docx", ""),
        ("a.", ""),
        ("a.d\no", ""),
        ("a.veryverylongending", ""),
    ],
)
def test_declared_extension(name, ending):
    assert declared_extension(name) == ending


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Annual report.docx", "Annual_report"),
        ("../../etc/passwd", "etc_passwd"),
        ("-rf", "rf"),
        ("..", "document"),
        ("日本.pdf", "日本"),
    ],
)
def test_folder_stem(name, stem):
    assert folder_stem(name) == stem


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_folder_stem_is_one_plain_component(name):
    stem = folder_stem(name)
    assert stem
    assert not stem.startswith((".", "-"))
    assert not set(stem) & set("/\\\0\n: ")
    assert len(stem.encode()) <= 80


def test_escape_line_and_surrogates_leave_honest_text_alone():
    assert escape_line("größer – 日本語 🙂") == "größer – 日本語 🙂"


def test_escape_line_leaves_one_line_and_nothing_to_obey():
    assert escape_line('a\n{"level":"x"}\x1b[1m\u202egpj\u2028\udc80') == 'a\\x0a{"level":"x"}\\x1b[1m\\u202egpj\\u2028\\x80'
    assert without_surrogates("a\nb\u202e") == "a\nb\u202e"
    assert without_surrogates("a\udcffb") == "a\\xffb"
