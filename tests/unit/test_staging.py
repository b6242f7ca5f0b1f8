"""Staging: one look, one open, below a root, regular files only (hardening 2.8; attack classes 29 and 30)."""

from __future__ import annotations

import base64
import os
import socket
import sys
from pathlib import Path

import pytest

from fumehood.errors import FumehoodError
from fumehood.limits import MIB
from fumehood.staging import paths
from fumehood.staging.paths import open_path, resolve_reference
from fumehood.staging.staged import PIECE, from_bytes, from_stream, too_large
from fumehood.staging.uploads import decode_base64

LIMIT = 256 * MIB


def refusal(path, roots=None, limit=LIMIT):
    with pytest.raises(FumehoodError) as caught:
        open_path(path, roots=roots, limit=limit)
    assert caught.value.hint
    return caught.value.code


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x03\x04" + bytes(1000))
    return path


def descriptors():
    return set(Path("/proc/self/fd").iterdir()) if sys.platform == "linux" else set()


def test_reads_a_file(document):
    with open_path(document, roots=None, limit=LIMIT) as staged:
        assert (staged.name, staged.declared_extension, staged.size) == ("a.docx", ".docx", 1004)
        assert staged.head == document.read_bytes()
        assert b"".join(staged.chunks()) == b"".join(staged.chunks()) == document.read_bytes()


def test_pieces_are_small(tmp_path):
    path = tmp_path / "big.bin"
    path.write_bytes(b"x" * (PIECE * 2 + 7))
    with open_path(path, roots=None, limit=LIMIT) as staged:
        assert [len(piece) for piece in staged.chunks()] == [PIECE, PIECE, 7]
        assert len(staged.head) == 8192


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket", "device"])
def test_only_regular_files(tmp_path, monkeypatch, kind):
    path = tmp_path / "it"
    if kind == "fifo":
        os.mkfifo(path)  # nobody writes: an open that waits would hang here
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as sock:
            monkeypatch.chdir(tmp_path)  # a socket's path is short
            sock.bind("it")
    else:
        path = Path("/dev/zero")
    before = descriptors()
    assert refusal(path) == "not-a-file"
    assert refusal(path, roots=[path.parent]) == "not-a-file"
    assert descriptors() == before


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and /sys are Linux's: elsewhere there is nothing to refuse")
@pytest.mark.parametrize(
    "path", [f"/proc/{os.getpid()}/mem", f"/proc/{os.getpid()}/environ", "/proc/version", "/sys/kernel/uevent_seqnum"]
)
def test_the_kernels_own_files(path):
    assert refusal(path) == "not-a-file"
    assert refusal(path, roots=[Path("/")]) == "not-a-file"


def test_a_link_as_the_last_component_is_refused(tmp_path, document):
    (tmp_path / "link.docx").symlink_to(document)
    assert refusal(tmp_path / "link.docx") == "not-allowed"
    assert refusal(tmp_path / "link.docx", roots=[tmp_path]) == "not-allowed"


def test_a_link_in_the_middle_is_refused_below_a_root(tmp_path, document):
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "inside").mkdir()
    (root / "in").symlink_to("inside")
    (root / "inside" / "b.txt").write_text("b")
    assert refusal(root / "out" / "a.docx", roots=[root]) == "not-allowed"
    assert refusal(root / "in" / "b.txt", roots=[root]) == "not-allowed"
    with open_path(root / "inside" / "b.txt", roots=[root], limit=LIMIT) as staged:
        assert staged.size == 1


def test_on_the_command_line_links_in_the_named_folder_are_the_users_own(tmp_path, document):
    (tmp_path / "sub").symlink_to(tmp_path)
    with open_path(tmp_path / "sub" / "a.docx", roots=None, limit=LIMIT) as staged:
        assert staged.size == 1004


def test_a_root_may_be_a_link_itself(tmp_path, document):
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    for named in (link / "a.docx", document):
        with open_path(named, roots=[link], limit=LIMIT) as staged:
            assert staged.size == 1004


def test_outside_the_roots_nothing_is_looked_at(tmp_path, document, monkeypatch):
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.setattr(paths, "_open_root", lambda _: pytest.fail("looked outside the roots"))
    for path in (document, tmp_path / "missing", root / ".." / "a.docx", Path("/etc/passwd"), Path(f"{root}-other/x")):
        assert refusal(path, roots=[root]) == "not-allowed"


def test_without_roots_the_hint_says_how(document):
    with pytest.raises(FumehoodError) as caught:
        open_path(document, roots=[], limit=LIMIT)
    assert caught.value.code == "not-allowed"
    assert "FUMEHOOD_ALLOWED_ROOTS" in caught.value.hint
    assert "--allow" in caught.value.hint


def test_a_folder_swapped_for_a_link_does_not_lead_out(tmp_path, monkeypatch):
    """The race of attack class 29: the path is fine when it is resolved and a link when it is walked."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "sub").mkdir(parents=True)
    outside.mkdir()
    for folder, text in ((root / "sub", "in"), (outside, "secret")):
        (folder / "a.txt").write_text(text)
    opened = paths._open_root

    def swap(path):
        (root / "sub").rename(root / "moved")
        (root / "sub").symlink_to(outside)
        return opened(path)

    monkeypatch.setattr(paths, "_open_root", swap)
    assert refusal(root / "sub" / "a.txt", roots=[root]) == "not-allowed"


def test_a_file_replaced_between_look_and_open(document, monkeypatch):
    look = paths._require_plain

    def replace(status):
        look(status)
        document.rename(document.with_suffix(".old"))
        document.write_bytes(b"other")

    monkeypatch.setattr(paths, "_require_plain", replace)
    assert refusal(document) == "changed"


def test_missing_and_unreadable(tmp_path, document):
    assert refusal(tmp_path / "none.docx") == "not-found"
    assert refusal(tmp_path / "none" / "a.docx") == "not-found"
    assert refusal(document / "below") == "not-found"
    assert refusal(tmp_path / ("n" * 300)) == "not-found"
    assert refusal("a\0b") == "invalid-argument"
    assert refusal("") == "invalid-argument"


def test_a_sparse_file_is_too_large_without_being_read(tmp_path, monkeypatch):
    path = tmp_path / "sparse.docx"
    path.touch()
    os.truncate(path, 5 * 1024 * MIB)
    monkeypatch.setattr(os, "pread", lambda *_: pytest.fail("read"))
    assert refusal(path) == "too-large"


@pytest.mark.parametrize(
    ("limit", "said"), [(1, "1 bytes"), (MIB - 1, "1048575 bytes"), (MIB, "1 MiB"), (3 * MIB // 2, "1.5 MiB")]
)
def test_a_limit_is_said_in_its_own_size(limit, said):
    assert too_large(limit).message.endswith(f"the limit of {said}")


def test_a_growing_file_is_stopped(document):
    with open_path(document, roots=None, limit=2000) as staged:
        with document.open("ab") as file:
            file.write(bytes(5000))
        with pytest.raises(FumehoodError) as caught:
            list(staged.chunks())
    assert caught.value.code == "too-large"


@pytest.mark.parametrize("change", ["append", "truncate", "rewrite"])
def test_a_file_that_changes_while_it_is_read(tmp_path, change):
    path = tmp_path / "a.bin"
    path.write_bytes(b"a" * (PIECE + 10))
    with open_path(path, roots=None, limit=LIMIT) as staged:
        pieces = staged.chunks()
        next(pieces)
        if change == "append":
            with path.open("ab") as file:
                file.write(b"more")
        elif change == "truncate":
            os.truncate(path, PIECE + 1)
        else:
            path.write_bytes(b"b" * (PIECE + 10))
        with pytest.raises(FumehoodError) as caught:
            list(pieces)
    assert caught.value.code == "changed"


def test_a_file_that_changes_between_two_passes_although_its_times_do_not(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"a" * 100)
    with open_path(path, roots=None, limit=LIMIT) as staged:
        staged.sha256()
        path.write_bytes(b"b" * 100)
        staged._identity = None
        staged._check_unchanged = lambda _read: None
        with pytest.raises(FumehoodError) as caught:
            list(staged.chunks())
    assert caught.value.code == "changed"


@pytest.mark.parametrize(
    "name",
    [b"new\nline.docx", b"\x1b]8;;x\x07.docx", "\u202excod.docx".encode(), b"\xff\xfe.docx", b"-rf.docx", b"CON", b"a:b"],
)
def test_hostile_names_are_read_and_shown_escaped(tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(b"x")
    with open_path(path, roots=[tmp_path], limit=LIMIT) as staged:
        assert staged.size == 1
        assert staged.name.isprintable()


def test_nothing_stays_open(tmp_path, document):
    before = descriptors()
    with open_path(document, roots=[tmp_path], limit=LIMIT):
        pass
    refusal(document, limit=10)
    refusal(tmp_path / "none", roots=[tmp_path])
    assert descriptors() == before


def test_references(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.chdir(tmp_path)
    assert resolve_reference("~/a.docx") == "/home/someone/a.docx"
    assert resolve_reference("file:///tmp/a%20b.docx") == "/tmp/a b.docx"
    assert resolve_reference("file://localhost/tmp/a%2Fb") == "/tmp/a/b"
    assert resolve_reference("FILE:///tmp/%ff.docx") == "/tmp/\udcff.docx"
    assert resolve_reference("sub/../a.docx") == str(tmp_path / "a.docx")
    assert resolve_reference("/tmp/x%2e.docx") == "/tmp/x%2e.docx"


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (r"C:\Users\a.docx", "not-allowed"),
        ("d:/a.docx", "not-allowed"),
        (r"\\server\share\a.docx", "not-allowed"),
        (r"\\?\C:\a.docx", "not-allowed"),
        ("//server/share/a.docx", "not-allowed"),
        ("file://server/share/a.docx", "not-allowed"),
        ("file:////server/share", "not-allowed"),
        ("file:///tmp/a%00b", "not-allowed"),
        ("https://example.org/a.docx", "url-refused"),
        ("ftp://example.org/a.docx", "url-refused"),
    ],
)
def test_references_that_are_refused(reference, code):
    with pytest.raises(FumehoodError) as caught:
        resolve_reference(reference)
    assert caught.value.code == code


def test_double_encoding_stays_a_name(tmp_path):
    assert resolve_reference("file:///tmp/%252e%252e/etc") == "/tmp/%2e%2e/etc"


def test_bytes_and_uploads():
    text = base64.b64encode(b"\xfb\xefhello").decode()
    for form in (text, text.rstrip("="), text.replace("+", "-").replace("/", "_"), f"data:a/b;base64,{text}", "\n".join(text)):
        with decode_base64(form, "up.docx") as staged:
            assert b"".join(staged.chunks()) == b"\xfb\xefhello"
            assert staged.declared_extension == ".docx"


@pytest.mark.parametrize(
    ("content", "code"), [("!!!!", "invalid-argument"), ("A" * 100_000, "too-large"), ("A", "invalid-argument")]
)
def test_uploads_that_are_refused(content, code):
    with pytest.raises(FumehoodError) as caught:
        decode_base64(content, "a", limit=1000)
    assert caught.value.code == code


def test_bytes_over_the_limit():
    with pytest.raises(FumehoodError) as caught:
        from_bytes(b"12345", "a", limit=4)
    assert caught.value.code == "too-large"


def test_a_pipe_is_read_up_to_the_limit():
    reader, writer = os.pipe()
    os.write(writer, b"x" * 5000)
    os.close(writer)
    with pytest.raises(FumehoodError) as caught:
        from_stream(reader, "stdin", limit=4000)
    os.close(reader)
    assert caught.value.code == "too-large"


def test_a_pipe_is_read_to_its_end():
    reader, writer = os.pipe()
    os.write(writer, b"x" * 5000)
    os.close(writer)
    with from_stream(reader, "stdin", limit=LIMIT) as staged:
        assert (staged.name, staged.size) == ("stdin", 5000)
        assert b"".join(staged.chunks()) == b"x" * 5000
    os.close(reader)


def test_a_redirected_file_is_read_in_place(document):
    descriptor = os.open(document, os.O_RDONLY)
    with from_stream(descriptor, "stdin", limit=LIMIT) as staged:
        assert staged._data is None
        assert staged.size == 1004
    os.close(descriptor)
