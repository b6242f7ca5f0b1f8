"""The Python API of the review tools."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

import fumehood
from builders.documents import FakeReader, ferry, hostile
from fumehood.errors import FumehoodError

FUNCTIONS = [
    "read_accepted_text",
    "find_term",
    "check_term_variants",
    "get_docx_stats",
    "scan_meta_notes",
    "list_paragraph_range",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.docx"
    path.write_bytes(b"PK\x03\x04" + b"0" * 2044)
    return path


def test_importing_them_loads_neither_the_sdk_nor_the_engine_client() -> None:
    code = f"from fumehood import {', '.join(FUNCTIONS)}; import sys; print([m for m in ('fastmcp', 'mcp', 'docker', 're2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_six_functions_answer_and_leave_the_file_alone(file: Path) -> None:
    before = (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns, sorted(file.parent.iterdir()))
    hood = FakeReader(ferry())
    assert fumehood.read_accepted_text(file, 1, 1, using=hood)["paragraphs"][0]["text"].endswith(
        "and gained passengers over the winter."
    )
    assert fumehood.find_term(str(file), "lost", using=hood)["total_hits"] == 0
    assert fumehood.check_term_variants(file, ("time table", "timetable"), using=hood)["counts"] == {
        "time table": 1,
        "timetable": 1,
    }
    assert fumehood.get_docx_stats(file, using=hood)["word_count_approx"] == 27
    assert [n["marker"] for n in fumehood.scan_meta_notes(file, using=hood)["notes"]] == ["TODO"]
    assert [p["para_index"] for p in fumehood.list_paragraph_range(file, 2, 3, using=hood)["paragraphs"]] == [2, 3]
    assert before == (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns, sorted(file.parent.iterdir()))


def test_python_users_get_every_character_and_no_fence(file: Path) -> None:
    found = fumehood.read_accepted_text(file, using=FakeReader(hostile()))
    assert "TO\U000e0041DO" in found["paragraphs"][1]["text"]
    assert found["notice"] is None


def test_a_missing_file_is_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    with pytest.raises(FumehoodError) as caught:
        fumehood.read_accepted_text(tmp_path / "none.docx", using=FakeReader(ferry()))
    assert caught.value.code == "not-found"
