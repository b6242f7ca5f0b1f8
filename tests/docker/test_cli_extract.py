"""``fumehood extract`` on a real engine: documents in, text out, and no container left."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from builders import small
from builders.docx import docx, p
from builders.ole import compound, packager
from builders.pdf import lines, pdf, stream


def save(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_document_in_every_form(command, tmp_path):
    data = small.docx(small.paragraphs("First line", "größe 日本"))
    path = save(tmp_path, "report.docx", data)
    assert command.run("extract", path) == (0, "First line\n\ngröße 日本\n".encode(), "")
    assert command.run("extract", path, "--format", "text") == (0, "First line\ngröße 日本\n".encode(), "")
    status, out, _ = command.run("extract", path, "--format", "html")
    assert status == 0
    assert out.startswith(b"<!doctype html>")
    status, out, _ = command.run("extract", path, "--format", "json")
    result = json.loads(out)
    proof = result["provenance"]
    assert result["ok"]
    assert [block["text"] for block in result["document"]["blocks"]] == ["First line", "größe 日本"]
    assert proof["sha256"] == hashlib.sha256(data).hexdigest()
    assert proof["bytes"] == len(data)
    assert proof["image"].startswith("sha256:")
    assert proof["attested"] == "full"
    assert (proof["missing"], proof["exit_code"], proof["cached"], proof["container"]) == ([], 0, False, "used once")
    assert len(command.instances) == 4


def test_content_decides_and_the_wrong_ending_is_a_warning(command, tmp_path):
    path = save(tmp_path, "renamed.pdf", small.docx(small.paragraphs("still a docx")))
    status, out, err = command.run("extract", path)
    assert (status, out) == (0, b"still a docx\n")
    assert "warning: type-mismatch" in err
    status, out, _ = command.run("extract", path, "--format", "json")
    document = json.loads(out)["document"]
    assert status == 0
    assert document["format"]["mismatch"] is True
    assert (document["format"]["family"], document["format"]["declared_extension"]) == ("docx", ".pdf")
    assert "type-mismatch" in {warning["code"] for warning in document["warnings"]}


def test_documents_inside_a_document(command, tmp_path):
    page = (
        'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html; charset="utf-8"\n'
        "Content-Transfer-Encoding: quoted-printable\n\n<h2>Imp=6Frted</h2><table><tr><td>cell</table>\n--b--\n"
    )
    archive = small.zipped({"in.csv": "a,b\n1,2\n", "broken.docx": small.docx(small.paragraphs("x"))[:300]})
    data = docx(
        p("Outer") + "<w:altChunk r:id='r1'/>",
        rels=[("r1", "aFChunk", "page.mht"), ("r2", "oleObject", "o.bin"), ("r3", "package", "book.docx")],
        more={
            "word/page.mht": page,
            "word/o.bin": compound({"\1Ole10Native": packager(archive, "all.zip")}),
            "word/book.docx": small.docx_with_image(),
        },
    )
    path = save(tmp_path, "report.docx", data)
    status, out, _ = command.run("extract", path, "--format", "json")
    document = json.loads(out)["document"]
    assert status == 0
    assert [block["text"] for block in document["blocks"] if block["type"] != "table"] == ["Outer", "Imported", "cell"]
    zipped, book = document["attachments"]
    assert (zipped["name"], book["name"]) == ("all.zip", "book.docx")
    assert zipped["document"]["attachments"][0]["document"]["format"]["family"] == "csv"
    assert [w["code"] for w in zipped["document"]["warnings"]] == ["attachment-unreadable"]
    assert [block["text"] for block in book["document"]["blocks"]][:1] == ["before"]
    status, out, _ = command.run("extract", path, "--format", "text")
    assert status == 0
    assert "Attachments:\nall.zip (ZIP archive" in out.decode()
    assert "\nbefore\n" in out.decode()


def test_several_kinds_at_once_keep_their_order(command, tmp_path):
    page = pdf({
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        4: stream(lines(["Text of a page"])),
    })  # fmt: skip
    paths = [
        save(tmp_path, "a.docx", small.docx(small.paragraphs("Text of a docx"))),
        save(tmp_path, "b.pdf", page),
        save(tmp_path, "c.docx", small.docx(small.paragraphs("x"))[:300]),
        save(tmp_path, "d.csv", b"name,value\nTable,1\n"),
        save(tmp_path, "e.exe", b"MZ" + bytes(500)),
        save(tmp_path, "f.txt", b"Plain text\n"),
    ]
    status, out, err = command.run("extract", "--jobs", "3", "--format", "json", *paths)
    results = [json.loads(line) for line in out.splitlines()]
    assert status == 4
    assert [result["path"] for result in results] == [str(path) for path in paths]
    assert [result["ok"] for result in results] == [True, True, False, True, False, True]
    assert [results[n]["error"]["code"] for n in (2, 4)] == ["corrupt", "unsupported"]
    assert all(results[n]["error"]["hint"] for n in (2, 4))
    assert "c.docx: corrupt" in err
    status, out, _ = command.run("extract", "--format", "text", *paths)
    assert status == 4
    heads = [line for line in out.decode().splitlines() if line.startswith("==> ")]
    assert heads == [f"==> {paths[n]} <==" for n in (0, 1, 3, 5)]
    for text in (b"Text of a docx", b"Text of a page", b"Table", b"Plain text"):
        assert text in out


def test_views(command, tmp_path):
    body = (
        '<w:p><w:r><w:t xml:space="preserve">We sold </w:t></w:r>'
        '<w:del w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"><w:r><w:delText>ten</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="A" w:date="2026-01-01T00:00:00Z"><w:r><w:t>twelve</w:t></w:r></w:ins></w:p>'
    )
    path = save(tmp_path, "a.docx", small.docx(body))
    assert command.run("extract", path, "--format", "text")[1] == b"We sold twelve\n"
    assert command.run("extract", path, "--format", "text", "--view", "original")[1] == b"We sold ten\n"
    markup = command.run("extract", path, "--view", "markup")[1]
    assert b"ten" in markup
    assert b"twelve" in markup


def test_standard_input_from_a_pipe_and_from_a_file(command, tmp_path):
    data = small.docx(small.paragraphs("piped"))
    assert command.run("extract", "-", stdin=data) == (0, b"piped\n", "")
    with save(tmp_path, "a.docx", data).open("rb") as file, command.start("extract", "-", stdin=file) as process:
        assert process.communicate(timeout=120)[0] == b"piped\n"


def test_an_output_folder_holds_the_images(command, tmp_path):
    path = save(tmp_path, "Annual report.docx", small.docx_with_image())
    status, out, err = command.run("extract", path, "-o", tmp_path / "out")
    assert status == 0, err
    run = Path(out.decode().strip())
    assert run.name.startswith("Annual_report_")
    document = json.loads((run / "document.json").read_text())["document"]
    images = list((run / "images").iterdir())
    assert [image.read_bytes() for image in images] == [small.PNG]
    assert [image.stem for image in images] == [document["images"][0]["id"]]
    assert f"](images/{images[0].name})" in (run / "output.md").read_text()


def test_a_tool(command, tmp_path):
    path = save(tmp_path, "a.docx", small.docx(small.paragraphs("one", "two", "two")))
    status, out, _ = command.run("tool", "find_docx_term", path, "--pattern", "tw.")
    assert status == 0
    assert json.loads(out)["total_hits"] == 2


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_container(command, tmp_path, number, status):
    path = save(tmp_path, "long.docx", small.long_docx(60_000))
    command.run("extract", save(tmp_path, "warm.docx", small.docx("")))  # so that the canary is not what is interrupted
    with command.start("extract", path, path, path, "--format", "json") as process:
        until = time.monotonic() + 60
        while not command.containers() and time.monotonic() < until:
            time.sleep(0.01)
        assert command.containers(), process.poll()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert b"Traceback" not in err


def test_without_an_engine_nothing_is_read_and_input_errors_keep_their_code(command, tmp_path):
    command.environment = {"DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    path = save(tmp_path, "a.docx", small.docx(small.paragraphs("x")))
    os.mkfifo(tmp_path / "pipe")
    status, out, err = command.run("extract", path)
    assert (status, out) == (5, b"")
    assert "engine-unreachable" in err
    assert "hint: " in err
    status, out, err = command.run("extract", tmp_path / "pipe")
    assert (status, out) == (4, b"")
    assert "not-a-file" in err


def test_without_an_image_nothing_is_read(command, tmp_path):
    command.environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    status, out, err = command.run("extract", save(tmp_path, "a.docx", small.docx(small.paragraphs("x"))), "--format", "json")
    assert status == 5
    assert json.loads(out)["error"]["code"] == "image-missing"
    assert "fumehood image build" in err


def test_an_unknown_weakness_is_refused(command, tmp_path):
    path = save(tmp_path, "a.docx", small.docx(small.paragraphs("x")))
    status, out, err = command.run("extract", path, "--accept-weaker", "nonsense")
    assert (status, out) == (2, b"")
    assert "invalid-argument" in err
