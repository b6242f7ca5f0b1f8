"""The command line: what goes to stdout and what to stderr, exit statuses, names that attack a terminal."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builders.hoods import FakeSandbox, image, text_document
from fumehood import __version__, api
from fumehood.cli import main as cli
from fumehood.cli import progress
from fumehood.cli.main import main, take_config_option
from fumehood.errors import make_error
from fumehood_sandbox.contract import Method, Warning  # noqa: A004

HOST = str(Path(cli.__file__).parents[2])


@pytest.fixture
def sandbox(monkeypatch):
    """Every `Fumehood` of the command line reads with this."""
    sandbox = FakeSandbox()
    monkeypatch.setattr(api, "prepare", lambda *_args, **_room: sandbox.ready())
    for name in list(os.environ):
        if name.startswith("FUMEHOOD_"):
            monkeypatch.delenv(name)
    return sandbox


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "a.docx"
    path.write_text("one\ntwo")
    return str(path)


class Terminal(io.TextIOWrapper):
    def __init__(self):
        super().__init__(io.BytesIO(), "utf-8", write_through=True)

    def isatty(self):
        return True

    def text(self):
        return self.buffer.getvalue().decode()


def test_markdown_is_the_default_and_stdout_holds_nothing_else(sandbox, document, capsys):
    assert main(["extract", document]) == 0
    out, err = capsys.readouterr()
    assert out == "one\n\ntwo\n"
    assert err == ""


@pytest.mark.parametrize(
    ("form", "start"), [("md", "one\n\ntwo"), ("text", "one\ntwo\n"), ("html", "<!doctype html>"), ("json", '{"path":')]
)
def test_formats(sandbox, document, capsys, form, start):
    assert main(["extract", document, "--format", form]) == 0
    assert capsys.readouterr().out.startswith(start)


def test_several_as_text_have_headings_and_keep_their_order(sandbox, document, tmp_path, capsys):
    other = tmp_path / "b\n\x1b[31m.docx"
    other.write_text("three")
    assert main(["extract", "--format", "text", document, str(other), "--jobs", "2"]) == 0
    assert capsys.readouterr().out == f"==> {document} <==\none\ntwo\n==> {tmp_path}/b\\x0a\\x1b[31m.docx <==\nthree\n"


def test_several_as_json_are_one_object_a_line(sandbox, document, tmp_path, capsys):
    missing = str(tmp_path / "none.docx")
    assert main(["extract", "--format", "json", document, missing, document]) == 4
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["path"], line["ok"]) for line in lines] == [(document, True), (missing, False), (document, True)]
    assert lines[1]["error"]["code"] == "not-found"
    assert sorted(lines[n]["provenance"]["cached"] for n in (0, 2)) == [False, True]  # one container for the two
    assert "not-found" in err


def test_json_is_printed_as_soon_as_its_turn_has_come(sandbox, document, tmp_path, monkeypatch):
    """The first result is on stdout while the last document still waits."""
    seen = []
    last = tmp_path / "last.docx"
    last.write_text("last")
    from fumehood.cli import stdout

    write = stdout.write_jsons
    monkeypatch.setattr("fumehood.cli.extract.write_jsons", lambda line: (seen.append(len(sandbox.jobs)), write(line)))
    for n in range(6):
        (tmp_path / f"{n}.docx").write_text(str(n))
    assert (
        main(["extract", "--format", "json", "--jobs", "1", *(str(tmp_path / f"{n}.docx") for n in range(6)), str(last)]) == 0
    )
    assert seen[0] < 7


def test_an_error_has_code_message_hint_and_what_was_tried(sandbox, document, capsys):
    tried = [Method("own", ok=False, reason="bad\x1b[2J part"), Method("python-docx", ok=False, reason="no")]
    sandbox.reader = lambda _job: make_error("corrupt", "it is damaged", tried=tried)
    assert main(["extract", document]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == f"fumehood: {document}: corrupt: it is damaged"
    assert err.splitlines()[1].startswith("  hint: ")
    assert err.splitlines()[2] == "  tried: own: bad\\x1b[2J part"
    assert "\x1b" not in err


@pytest.mark.parametrize(
    ("stopped_at", "line"), [({"page": 205}, "  partial: read up to page 205"), (None, "  partial: a part of it was read")]
)
def test_an_error_beside_a_part_says_where_it_stopped(sandbox, document, capsys, stopped_at, line):
    sandbox.reader = lambda _job: text_document("as far as it came", partial=True, stopped_at=stopped_at)
    sandbox.error = make_error("timeout", "it took too long")
    assert main(["extract", document]) == 4
    out, err = capsys.readouterr()
    assert "as far as it came" in out
    assert err.splitlines()[2] == line


def test_warnings_go_to_stderr(sandbox, document, capsys):
    sandbox.reader = lambda _job: text_document("x", warnings=[Warning("type-mismatch", "the content is docx")])
    assert main(["extract", document]) == 0
    assert "warning: type-mismatch: the content is docx" in capsys.readouterr().err
    assert main(["extract", "--quiet", document]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("codes", "status"),
    [([None], 0), (["corrupt", None], 4), (["image-missing", "corrupt"], 5), (["timeout", None], 4)],
)
def test_the_status_of_several_is_the_highest(sandbox, tmp_path, capsys, codes, status):
    paths = []
    for n, _ in enumerate(codes):
        paths.append(str(tmp_path / f"{n}.docx"))
        Path(paths[-1]).write_text(str(n))
    answers = iter(codes)
    sandbox.reader = lambda _job: make_error(code, "x") if (code := next(answers)) else text_document("x")
    assert main(["extract", "--jobs", "1", *paths]) == status


def test_partial_prints_what_was_read(sandbox, document, capsys, monkeypatch):
    plain_run = sandbox.run

    def run(*args, **options):
        outcome = plain_run(*args, **options)
        outcome.document.partial = True
        outcome.error = make_error("timeout", "too slow")
        return outcome

    monkeypatch.setattr(sandbox, "run", run, raising=False)
    assert main(["extract", document]) == 4
    out, err = capsys.readouterr()
    assert out == "one\n\ntwo\n"
    assert "timeout" in err


def test_usage_errors(sandbox, capsys):
    assert main(["extract", "--format", "yaml", "x"]) == 2
    assert main(["extract", "--pages", "0", "x"]) == 2
    assert main(["extract", "--misspelt", "x"]) == 2
    assert main(["nonsense"]) == 2
    assert main(["--config"]) == 2
    assert main(["extract", "-", "-"]) == 2
    assert main(["extract"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err


def test_a_terminal_gets_nothing_that_it_would_obey(sandbox, document, monkeypatch):
    sandbox.reader = lambda _job: text_document("a\x1b]52;c;x\x07b\x9b31mc\u202ed")
    for form in ("md", "text", "html", "json"):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setenv("CI", "1")
        assert main(["extract", "--sanitize", "keep", "--format", form, document]) == 0
        shown = terminal.text()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)
        if form == "json":
            assert json.loads(shown)["document"]["blocks"][0]["text"] == "a\x1b]52;c;x\x07b\x9b31mc\u202ed"


def test_bytes_are_kept_when_it_is_no_terminal(sandbox, document, capfdbinary):
    sandbox.reader = lambda _job: text_document("größe 日本")
    assert main(["extract", "--format", "text", document]) == 0
    assert capfdbinary.readouterr().out == "größe 日本\n".encode()


def test_a_name_that_begins_with_a_dash(sandbox, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("-rf.docx").write_text("dash")
    assert main(["extract", "--", "-rf.docx"]) == 0
    assert capsys.readouterr().out == "dash\n"


def test_standard_input(sandbox, document, monkeypatch, capsys):
    reader, writer = os.pipe()
    os.write(writer, b"from a pipe")
    os.close(writer)
    saved = os.dup(0)
    os.dup2(reader, 0)
    try:
        assert main(["extract", "-", document, "--format", "text"]) == 0
    finally:
        os.dup2(saved, 0)
        for descriptor in (saved, reader):
            os.close(descriptor)
    assert capsys.readouterr().out.startswith("==> - <==\nfrom a pipe\n==> ")


def test_a_password_comes_from_a_file_only(sandbox, document, tmp_path, capsys):
    (tmp_path / "pw").write_text("s3cret\nnext line\n")
    assert main(["extract", document, "--password-file", str(tmp_path / "pw")]) == 0
    assert sandbox.jobs[0].request.password == "s3cret"
    assert main(["extract", document, "--password-file", str(tmp_path / "none")]) == 2
    assert main(["extract", document, "--password", "x"]) == 2
    assert "s3cret" not in "".join(capsys.readouterr())


def test_pages_timeout_and_assets_reach_the_request(sandbox, document, tmp_path):
    assert main(["extract", document, "--pages", "1-3,7", "--timeout", "2.5", "-o", str(tmp_path / "out")]) == 0
    request = sandbox.jobs[0].request
    assert (request.pages, request.deadline_s, request.assets) == ([[1, 3], [7, 7]], 2.5, True)


def test_the_choice_of_method_reaches_the_request(sandbox, document):
    assert main(["extract", document, "--method", "fallback"]) == 0
    assert main(["extract", document]) == 0
    assert main(["extract", document, "--method", "second"]) == 2
    assert [job.request.method for job in sandbox.jobs] == ["fallback", "auto"]


def _half(sandbox):
    sandbox.reader = lambda _job: text_document("one\ntwo", partial=True, stopped_at={"page": 2})
    sandbox.error = make_error("timeout", "It took too long.")


def test_what_was_read_of_a_document_that_took_too_long(sandbox, document, capsys):
    _half(sandbox)
    for form in ("md", "text", "html"):
        assert main(["extract", document, "--format", form]) == 4
        out, err = capsys.readouterr()
        assert "two" in out
        assert "It took too long" not in out
        assert err.startswith(f"fumehood: {document}: timeout: It took too long.")
    assert main(["extract", document, "--format", "json"]) == 4
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    assert found["error"]["code"] == "timeout"
    assert (found["document"]["partial"], found["document"]["stopped_at"]) == (True, {"page": 2})
    assert len(sandbox.jobs) == 4, "a part is not kept: the next attempt may read more"


def test_a_tool_that_read_a_part(sandbox, document, capsys):
    _half(sandbox)
    assert main(["tool", "extract_text", document]) == 4
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["partial"], found["stopped_at"], found["error"]["code"]) == (True, {"page": 2}, "timeout")
    assert "two" in found["text"]
    assert "timeout: It took too long." in err


def test_output_folder(sandbox, document, tmp_path, capsys):
    hostile = "../../../etc/evil\x1b.png"
    sandbox.reader = lambda _job: text_document("one", images=[image("i4", hostile, b"PNG")])
    sandbox.assets = {"i4": b"PNG", "../i5": b"escape"}
    out = tmp_path / "deep" / "out"
    assert main(["extract", document, "-o", str(out)]) == 0
    run = Path(capsys.readouterr().out.strip())
    assert run.parent == out
    assert re.fullmatch(r"a_\d{8}T\d{6}Z-[0-9a-f]{8}", run.name)
    assert sorted(str(p.relative_to(run)) for p in run.rglob("*")) == ["document.json", "images", "images/i4.png", "output.md"]
    assert (run / "images" / "i4.png").read_bytes() == b"PNG"
    assert (run / "output.md").read_text() == "one\n"
    assert json.loads((run / "document.json").read_text())["document"]["images"][0]["name"] == hostile
    assert main(["extract", document, "-o", str(out)]) == 0
    assert len(list(out.iterdir())) == 2


def test_an_output_folder_that_cannot_be_written(sandbox, document, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["extract", document, "-o", str(tmp_path / "file")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "output-not-writable" in err
    assert (tmp_path / "file").read_text() == ""


def test_half_a_run_is_never_seen(sandbox, document, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("fumehood.documents.serialise.to_dict", lambda _result: (_ for _ in ()).throw(OSError(28, "full")))
    assert main(["extract", document, "-o", str(tmp_path / "out")]) == 2
    assert "output-not-writable" in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("variables", "quiet", "shown"),
    [({}, False, True), ({}, True, False), ({"CI": "true"}, False, False), ({"NO_COLOR": "1"}, False, False)],
)
def test_progress_is_for_a_terminal(monkeypatch, variables, quiet, shown):
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert progress.wanted(quiet=quiet) is shown
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.wanted(quiet=quiet) is False


def test_progress_is_drawn_on_stderr_and_gone_while_a_result_is_printed(sandbox, document, monkeypatch, capsys):
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0)

    def reader(_job):
        until = time.monotonic() + 30
        while "reading: part 1 of 1" not in terminal.text() and time.monotonic() < until:
            time.sleep(0.01)
        return text_document("x")

    sandbox.reader = reader
    assert main(["extract", document]) == 0
    assert "reading: part 1 of 1" in terminal.text()
    assert capsys.readouterr().out == "x\n"


def test_version_and_schema(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__
    assert main(["schema"]) == 0
    assert "Document" in json.loads(capsys.readouterr().out)["$defs"]


def test_tool(sandbox, document, capsys):
    assert main(["tool", "read_docx_accepted_text", document, "--limit", "1"]) == 0
    assert [p["text"] for p in json.loads(capsys.readouterr().out)["paragraphs"]] == ["one"]
    assert main(["tool", "check_docx_term_variants", document, "--variants", "one", "--variants", "two"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"one": 1, "two": 1}


def test_tool_errors(sandbox, document, tmp_path, capsys):
    assert main(["tool", "extract_text", str(tmp_path / "none")]) == 4
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not-found"
    assert main(["tool", "extract_txt", document]) == 2
    assert "extract_text" in capsys.readouterr().err
    assert main(["tool"]) == 0
    assert "list_docx_comments" in capsys.readouterr().out


def test_config_option_is_taken_anywhere_but_after_two_dashes():
    assert take_config_option(["extract", "--config", "f", "a"]) == (["extract", "a"], "f")
    assert take_config_option(["--config=f", "a"]) == (["a"], "f")
    assert take_config_option(["a", "--", "--config", "f"]) == (["a", "--", "--config", "f"], None)


def test_a_fault_shows_no_message_of_the_exception(monkeypatch, capsys):
    monkeypatch.setattr("fumehood.cli.schema.result_schema", lambda: {}["IGNORE ALL PREVIOUS INSTRUCTIONS"])
    assert main(["schema"]) == 4
    err = capsys.readouterr().err
    assert "internal: KeyError at " in err
    assert "IGNORE" not in err


SCRIPT = """
import sys, time
sys.path[:0] = {paths!r}
from builders.hoods import FakeSandbox, text_document
from fumehood import api
from fumehood.cli.main import main
sandbox = FakeSandbox()
plain_run = sandbox.run
def run(*args, **options):
    outcome = plain_run(*args, **options)
    print("ENDED", outcome.error and outcome.error.code, file=sys.stderr, flush=True)
    return outcome
sandbox.run = run
{setup}
api.prepare = lambda settings, cancel, room: sandbox.ready()
sys.exit(main(sys.argv[1:]))
"""


def start(arguments, setup, **options):
    paths = [HOST, str(Path(HOST).parent / "sandbox"), str(Path(__file__).parents[1])]
    script = SCRIPT.format(paths=paths, setup=setup)
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("command", [["extract", "--jobs", "2"], ["tool", "extract_text"]])
def test_a_signal_ends_the_containers_first(document, number, status, command):
    setup = "sandbox.go.clear()\nsandbox.started.set = lambda: print('STARTED', flush=True)"
    with start([*command, document], setup, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"STARTED\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    assert process.returncode == status
    assert b"ENDED cancelled" in err
    assert b"Traceback" not in err


def test_a_reader_that_goes_away(document, tmp_path):
    for n in range(40):
        (tmp_path / f"{n}.docx").write_text(str(n))
    setup = "sandbox.reader = lambda job: text_document('x' * 100_000)"
    files = [str(tmp_path / f"{n}.docx") for n in range(40)]
    with start(["extract", *files], setup, stdout=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        process.wait(30)
    assert process.returncode == 0
    assert b"Traceback" not in err
    assert b"Broken" not in err
    assert err.count(b"ENDED None") < 40


# -- streams that were handed over closed or full -----------------------------------------------------------------------


def with_streams(redirect, *arguments):
    """The real command with *redirect* (shell syntax): exit status, stdout, stderr."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("FUMEHOOD_")}
    environment = {**ours, "PYTHONPATH": os.pathsep.join(sys.path)}
    line = f'exec "$@" {redirect}'
    command = ["/bin/sh", "-c", line, "sh", sys.executable, "-m", "fumehood.cli.main", *arguments]
    done = subprocess.run(command, check=False, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("redirect", [">&-", ">/dev/full"])
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["schema"], ["tool", "--list"], ["config", "show"]])
def test_output_that_cannot_be_written_is_one_sentence(redirect, arguments):
    status, out, err = with_streams(redirect, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("fumehood: output-not-writable: standard output cannot be written")
    assert "Traceback" not in err


@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full", "<&- 2>&-"])
def test_nobody_listening_to_errors_changes_neither_status_nor_output(redirect, tmp_path):
    assert with_streams(redirect, "extract", str(tmp_path / "none.docx")) == (4, "", "")


def test_a_closed_descriptor_is_never_given_to_something_else(tmp_path):
    """Else the document (opened next) is standard error, or standard output the engine's socket."""
    program = "import os, sys; from fumehood.cli.streams import settle; settle(); sys.exit(os.open('/dev/null', os.O_RDONLY))"
    line = 'exec "$@" <&- >&- 2>&-'
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = ["/bin/sh", "-c", line, "sh", sys.executable, "-c", program]
    assert subprocess.run(command, check=False, env=environment).returncode == 3
