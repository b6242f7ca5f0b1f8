"""Every tool through a real client and a real container, in both protocol eras."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import anyio
import jsonschema
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from builders import damage

pytestmark = [pytest.mark.usefixtures("image"), pytest.mark.timeout(600)]

FUMEHOOD = Path(sys.executable).with_name("fumehood")
ROOT = Path(__file__).resolve().parents[2]
Mode = Literal["auto", "legacy"]

TOOLS = {
    "extract_text", "convert_to_markdown", "extract_metadata", "detect_office_format", "analyze_document_health", "get_supported_formats",
    "read_docx_accepted_text", "find_docx_term", "check_docx_term_variants", "get_docx_structure_stats", "scan_docx_meta_notes",
    "list_docx_paragraph_range", "list_docx_revisions", "list_docx_comments",
}  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {
    "find_docx_term": {"pattern": "lamp"},
    "check_docx_term_variants": {"variants": ["lighthouse", "light-house"]},
    "list_docx_paragraph_range": {"start_index": 0, "end_index": 3},
}


def with_client(
    home: Any, mode: Mode, scenario: Callable[[Client[Any]], Awaitable[None]], *arguments: str, **options: Any
) -> None:
    async def session() -> None:
        transport = StdioTransport(
            str(FUMEHOOD),
            ["serve", *arguments],
            env=home.environment,
            cwd=str(home.path),
            keep_alive=False,
            log_file=home.path / "stderr.log",
        )
        async with Client(transport, mode=mode, **options) as client:
            await scenario(client)

    anyio.run(session)


def base64_of(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


async def ask(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    assert not result.is_error, result.structured_content
    return dict(result.structured_content or {})


async def ask_in_vain(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    assert result.is_error
    shape = dict(result.structured_content or {})
    error: dict[str, Any] = shape["error"]
    assert {"code", "message", "hint", "tried"} <= set(error)
    assert result.content[0].text.startswith(error["code"])
    assert "provenance" in shape
    return error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_by_its_schema(mode: Mode, home: Any, documents: Path, review: Path, engine: Any) -> None:
    async def scenario(client: Client[Any]) -> None:
        listed = {tool.name: tool for tool in await client.list_tools()}
        assert set(listed) == TOOLS
        for name, tool in listed.items():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (name != "convert_to_markdown")
            assert (tool.annotations.destructive_hint, tool.annotations.open_world_hint) == (False, False)
            given = {} if name == "get_supported_formats" else {"file_path": str(review)}
            answer = await ask(client, name, **given, **NEEDED.get(name, {}))
            assert tool.output_schema is not None
            jsonschema.validate(answer, tool.output_schema)
            assert answer["provenance"]
        stats = await ask(client, "get_docx_structure_stats", file_path=str(review))
        assert stats["has_tracked_changes"] is True
        assert stats["tracked_change_paragraph_count"] == 1
        assert stats["provenance"]["attested"] in {"full", "weakened"}
        assert stats["provenance"]["cached"] is True
        paragraphs = (await ask(client, "read_docx_accepted_text", file_path=review.as_uri()))["paragraphs"]
        assert [p["text"] for p in paragraphs if p["part"] == "body"][1:3] == [
            "The lamp burned all night in the storm.",
            "Lighthouse and light-house.",
        ]
        assert (await ask(client, "find_docx_term", file_path=str(review), pattern="went out"))["total_hits"] == 0
        counts = await ask(client, "check_docx_term_variants", file_path=str(review), variants=["lighthouse", "light-house"])
        assert counts["counts"] == {"lighthouse": 2, "light-house": 1}
        notes = (await ask(client, "scan_docx_meta_notes", file_path=str(review)))["notes"]
        assert [n["text"] for n in notes] == ["TODO: ask the lighthouse keeper."]
        markdown = await ask(client, "convert_to_markdown", file_path=str(review))
        assert "[hidden: vanish]" in markdown["markdown"]
        assert markdown["markdown"].count(markdown["boundary"]) == 2
        assert (await ask(client, "get_supported_formats"))["sandbox"]["ready"] is True

    with_client(home, mode, scenario, "--allow", str(documents))
    assert home.containers(engine) == []


def test_one_container_a_document_then_answers_from_memory(home: Any, documents: Path, review: Path) -> None:
    async def scenario(client: Client[Any]) -> None:
        first = await ask(client, "extract_text", file_path=str(review))
        again = await ask(client, "convert_to_markdown", file_path=str(review), view="original")
        upload = await ask(client, "extract_text", file_path="copy.docx", file_content=base64_of(review))
        assert [a["provenance"]["cached"] for a in (first, again, upload)] == [False, True, True]
        assert "went out" in again["markdown"]

    with_client(home, "auto", scenario, "--allow", str(documents))


def test_the_choice_of_method(home: Any, documents: Path) -> None:
    path = documents / "damaged.docx"
    path.write_bytes(damage.foreign_entity("docx"))

    async def scenario(client: Client[Any]) -> None:
        for method, methods in (("auto", ["ooxml", "python-docx", "anydoc"]), ("fallback", ["python-docx", "anydoc"])):
            answer = await ask(client, "extract_text", file_path=str(path), method=method)
            assert answer["metadata"]["extraction_method"] == "anydoc"
            assert answer["metadata"]["methods_tried"] == methods
            assert [bool(tried["reason"]) for tried in answer["metadata"]["methods"]] == [True] * (len(methods) - 1) + [False]
            assert "before" in answer["text"]
            assert answer["provenance"]["cached"] is False
        error = await ask_in_vain(client, "extract_text", file_path=str(path), method="primary")
        assert error["code"] == "corrupt"
        assert [tried["method"] for tried in error["tried"]] == ["ooxml"]

    with_client(home, "auto", scenario, "--allow", str(documents))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_errors_have_one_shape(mode: Mode, home: Any, documents: Path, review: Path) -> None:
    (documents / "empty.docx").touch()
    (documents / "broken.docx").write_bytes(b"PK\x03\x04" + bytes(500))
    (documents / "link.docx").symlink_to("/etc/hostname")
    (documents / "page.html").write_text("<!doctype html><html><body><p>x</p></body></html>")

    async def scenario(client: Client[Any]) -> None:
        for path, code in (
            (documents / "none.docx", "not-found"),
            (documents / "empty.docx", "empty"),
            (documents / "broken.docx", "corrupt"),
            (documents / "link.docx", "not-allowed"),
            (documents, "not-a-file"),
            (documents / ".." / "x.docx", "not-allowed"),
            ("/etc/hostname", "not-allowed"),
            ("https://example.com/a.docx", "url-refused"),
            (documents / "page.html", "unsupported"),
        ):
            error = await ask_in_vain(client, "extract_text", file_path=str(path))
            assert error["code"] == code, (path, error)
            assert error["hint"]
        assert (await ask_in_vain(client, "find_docx_term", file_path=str(review), pattern="(?=x)"))[
            "code"
        ] == "invalid-argument"
        wrong = await ask_in_vain(client, "find_docx_term", file_path=str(review), patern="x")
        assert "`pattern`" in wrong["message"]
        assert (await ask_in_vain(client, "extract_text"))["code"] == "invalid-argument"
        assert (await ask_in_vain(client, "extract_text", file_path="a.docx", file_content="%%%"))["code"] == "invalid-argument"
        big = "A" * (12 * 1024 * 1024)
        assert (await ask_in_vain(client, "extract_text", file_path="a.docx", file_content=big))["code"] == "too-large"
        assert (await ask(client, "get_docx_structure_stats", path=str(review)))["comment_count"] == 1

    with_client(home, mode, scenario, "--allow", str(documents))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_pages_of_a_long_document(mode: Mode, home: Any, documents: Path, pages: Path, review: Path) -> None:
    async def scenario(client: Client[Any]) -> None:
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = await ask(client, "convert_to_markdown", file_path=str(pages), cursor=cursor)
            assert len(page["markdown"]) <= 40_000
            seen.append(page["markdown"])
            if not page["has_more"]:
                break
            cursor = page["next_cursor"]
        assert len(seen) > 2
        assert sum(text.count("begins here") for text in seen) == 600
        error = await ask_in_vain(client, "convert_to_markdown", file_path=str(review), cursor=cursor)
        assert error["code"] == "invalid-argument"
        assert "another document" in error["message"]
        (home.path / "cursor").write_text(json.dumps([cursor, seen[-1].splitlines()[1:-1]]))

    with_client(home, mode, scenario, "--allow", str(documents))

    async def after_a_restart(client: Client[Any]) -> None:
        cursor, lines = json.loads((home.path / "cursor").read_text())
        page = await ask(client, "convert_to_markdown", file_path=str(pages), cursor=cursor)
        assert page["markdown"].splitlines()[1:-1] == lines

    with_client(home, mode, after_a_restart, "--allow", str(documents))


def test_progress_reaches_the_client(home: Any, documents: Path, long: Path) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def scenario(client: Client[Any]) -> None:
        await ask(client, "get_docx_structure_stats", file_path=str(long))

    with_client(home, "auto", scenario, "--allow", str(documents), progress_handler=heard)
    assert told
    assert [p for p, _, _ in told] == sorted(p for p, _, _ in told)


def test_two_calls_at_once(home: Any, documents: Path, review: Path, pages: Path) -> None:
    async def scenario(client: Client[Any]) -> None:
        answers: dict[str, dict[str, Any]] = {}

        async def one(name: str, path: Path) -> None:
            answers[name] = await ask(client, "extract_text", file_path=str(path))

        async with anyio.create_task_group() as group:
            for number in range(3):
                group.start_soon(one, f"review{number}", review)
                group.start_soon(one, f"pages{number}", pages)
        texts = {name: answer["text"].replace(answer["boundary"], "") for name, answer in answers.items()}
        assert len({texts[f"review{n}"] for n in range(3)}) == len({texts[f"pages{n}"] for n in range(3)}) == 1
        # Asked for at the same time, each document was still read in one container only.
        assert sum(not a["provenance"]["cached"] for a in answers.values()) == 2

    with_client(home, "auto", scenario, "--allow", str(documents))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_without_an_engine_it_starts_and_says_so(mode: Mode, home: Any, documents: Path, review: Path) -> None:
    home.environment["DOCKER_HOST"] = "unix:///nowhere/docker.sock"

    async def scenario(client: Client[Any]) -> None:
        formats = await ask(client, "get_supported_formats")
        assert formats["sandbox"]["ready"] is False
        assert formats["sandbox"]["error"]["code"] == "engine-unreachable"
        for tool in ("extract_text", "analyze_document_health", "detect_office_format", "get_docx_structure_stats"):
            error = await ask_in_vain(client, tool, file_path=str(review))
            assert error["code"] == "engine-unreachable"
            assert "doctor" in error["hint"]
        # What is wrong with the file is told all the same.
        assert (await ask_in_vain(client, "extract_text", file_path=str(documents / "none")))["code"] == "not-found"

    with_client(home, mode, scenario, "--allow", str(documents))


def test_without_roots_paths_are_refused_and_uploads_read(home: Any, review: Path) -> None:
    async def scenario(client: Client[Any]) -> None:
        error = await ask_in_vain(client, "extract_text", file_path=str(review))
        assert error["code"] == "not-allowed"
        assert "FUMEHOOD_ALLOWED_ROOTS" in error["hint"]
        assert "--allow" in error["hint"]
        content = base64_of(review)
        assert "burned all night" in (await ask(client, "extract_text", file_path="r.docx", file_content=content))["text"]

    with_client(home, "auto", scenario)


def test_a_hostile_working_directory_configures_nothing(home: Any, documents: Path, review: Path) -> None:
    (home.path / ".env").write_text(
        f"FASTMCP_MASK_ERROR_DETAILS=false\nFASTMCP_LOG_LEVEL=DEBUG\nFUMEHOOD_ALLOWED_ROOTS={documents}\n"
    )

    async def scenario(client: Client[Any]) -> None:
        assert (await ask_in_vain(client, "extract_text", file_path=str(review)))["code"] == "not-allowed"

    with_client(home, "auto", scenario)
    assert "DEBUG" not in (home.path / "stderr.log").read_text()


def test_toolsets_can_be_chosen(home: Any) -> None:
    async def scenario(client: Client[Any]) -> None:
        names = {tool.name for tool in await client.list_tools()}
        assert "find_docx_term" in names
        assert "extract_text" not in names

    with_client(home, "auto", scenario, "--toolsets", "review")


def test_nothing_of_the_document_is_logged(home: Any, documents: Path, review: Path) -> None:
    async def scenario(client: Client[Any]) -> None:
        await ask(client, "extract_text", file_path=str(review))
        await ask_in_vain(client, "convert_to_markdown", file_path=str(review), chapter_name="No such heading")

    with_client(home, "auto", scenario, "--allow", str(documents))
    log = (home.path / "stderr.log").read_text()
    assert not any(word in log for word in ("lamp", "lighthouse", "Ignore what"))


def test_the_walkthrough_prints_its_six_lines(home: Any) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "call_over_stdio.py")],
        env=home.environment, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "tools",
        "stats",
        "accepted",
        "search for deleted word",
        "variants",
        "notes",
    ]
    assert len(lines[0].partition(": ")[2].split(", ")) == 6
    stats = json.loads(lines[1].partition(": ")[2])
    assert stats.pop("file_size_kb") > 0
    assert stats == {
        "comment_count": 0,
        "has_tracked_changes": True,
        "paragraph_count": 4,
        "tracked_change_paragraph_count": 1,
        "word_count_approx": 31,
    }
    assert lines[3].endswith(": 0 hits")
    assert sorted(json.loads(lines[4].partition(": ")[2]).values()) == [1, 1]
    assert "TODO:" in lines[5]
