"""The tools as a client meets them: signatures, fields, pages, errors, and what hostile text may not do."""

from __future__ import annotations

import base64
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from builders.documents import FakeReader, Stored, ferry, hostile, prose, slides, workbook
from fumehood.documents.boundary import Boundary
from fumehood.errors import FumehoodError, make_error
from fumehood.tools.context import ToolContext
from fumehood.tools.registry import TOOLS, ToolSpec, find, of_toolsets
from fumehood_sandbox.contract import Document, Format

SIGNATURES = {
    "read_docx_accepted_text": {"file_path": ..., "start": 0, "limit": 100, "view": "accepted"},
    "find_docx_term": {"file_path": ..., "pattern": ..., "ignore_case": True, "context_chars": 80, "max_results": 50},
    "check_docx_term_variants": {"file_path": ..., "variants": ..., "whole_word": True, "ignore_case": True},
    "get_docx_structure_stats": {"file_path": ...},
    "scan_docx_meta_notes": {"file_path": ..., "markers": None, "where": "anywhere"},
    "list_docx_paragraph_range": {"file_path": ..., "start_index": ..., "end_index": ...},
    "list_docx_revisions": {"file_path": ..., "start": 0, "limit": 100},
    "list_docx_comments": {"file_path": ...},
    "extract_text": {"file_path": ..., "preserve_formatting": False, "include_metadata": True, "method": "auto"},
    "convert_to_markdown": {
        "file_path": ..., "include_images": True, "image_mode": "files", "max_image_size": 1048576, "preserve_structure": True,
        "page_range": "", "bookmark_name": "", "chapter_name": "", "summary_only": False, "output_dir": "", "limit": 50,
        "cursor_id": None, "session_id": None, "return_all": False,
    },
    "extract_metadata": {"file_path": ...},
    "detect_office_format": {"file_path": ...},
    "analyze_document_health": {"file_path": ...},
    "get_supported_formats": {},
}  # fmt: skip

FIELDS = {
    "read_docx_accepted_text": "paragraphs total_paragraphs next_start next_cursor has_more total_chars",
    "find_docx_term": "total_hits hits truncated",
    "check_docx_term_variants": "counts occurrences consistent",
    "get_docx_structure_stats": "comment_count file_size_kb has_tracked_changes paragraph_count tracked_change_paragraph_count "
    "word_count_approx revision_counts authors notes word_count",
    "scan_docx_meta_notes": "notes",
    "list_docx_paragraph_range": "paragraphs",
    "list_docx_revisions": "revisions next_cursor has_more",
    "list_docx_comments": "comments",
    "extract_text": "text metadata document_metadata structure next_cursor has_more total_chars",
    "convert_to_markdown": "markdown metadata content_truncated images structure table_of_contents cursor_id pagination next_cursor "
    "has_more total_chars",
    "extract_metadata": "category extension type has_core_properties has_app_properties title subject keywords created modified "
    "extraction_info author comments paragraph_count section_count has_tables table_count",
    "detect_office_format": "file_path filename extension format_name category mime_type file_size created modified is_supported "
    "is_legacy is_modern supports_macros is_template is_encrypted version_info structure processing_hints primary_type "
    "document_class content_type estimated_purpose complexity_score processing_priority",
    "analyze_document_health": "overall_health validation format_info analysis_time recommendations",
    "get_supported_formats": "supported_extensions format_details categories total_formats",
}
NEEDED = {
    "find_docx_term": {"pattern": "ferry"},
    "check_docx_term_variants": {"variants": ["time table", "timetable"]},
    "list_docx_paragraph_range": {"start_index": 0, "end_index": 3},
    "extract_text": {"preserve_formatting": True},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.docx"
    path.write_bytes(b"PK\x03\x04" + b"0" * 2044)
    return path


def context(result: Document | FumehoodError | Stored, **options: Any) -> ToolContext:
    return ToolContext(FakeReader(result), **options)


def call(
    result: Document | FumehoodError | Stored, name: str, file: Path, options: dict[str, Any] | None = None, **arguments: Any
) -> dict[str, Any]:
    given = {"file_path": str(file)} if find(name).takes_file else {}
    return find(name).call(context(result, **(options or {})), {**given, **arguments})


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_signatures_are_the_promised_ones(spec: ToolSpec) -> None:
    promised = SIGNATURES[spec.name]
    ours = {p.name: ... if p.required else p.default for p in spec.parameters}
    assert list(ours)[: len(promised)] == list(promised)
    assert {name: ours[name] for name in promised} == promised
    if spec.takes_file:
        assert {"file_content", "password"} <= set(ours)


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_answers_have_the_promised_fields_and_fit_their_schema(spec: ToolSpec, file: Path) -> None:
    import jsonschema

    answer = call(ferry(), spec.name, file, **NEEDED.get(spec.name, {}))
    assert set(FIELDS[spec.name].split()) <= set(answer)
    assert isinstance(answer["provenance"], dict)
    assert answer["provenance"]
    jsonschema.validate(json.loads(json.dumps(answer)), spec.output_schema)


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_every_tool_says_what_it_does(spec: ToolSpec) -> None:
    assert len(spec.description) > 40
    assert spec.title
    assert spec.hints.open_world is False
    assert spec.hints.read_only is (spec.name != "convert_to_markdown")


def test_the_six_facts_come_first_and_are_right(file: Path) -> None:
    stats = call(ferry(), "get_docx_structure_stats", file)
    assert list(stats)[:6] == FIELDS["get_docx_structure_stats"].split()[:6]
    assert {name: stats[name] for name in list(stats)[:6]} == {
        "comment_count": 2,
        "file_size_kb": 2.0,
        "has_tracked_changes": True,
        "paragraph_count": 4,
        "tracked_change_paragraph_count": 1,
        "word_count_approx": 5 + 12 + 5 + 5,
    }
    assert stats["revision_counts"] == {"insert": 1, "delete": 1, "move": 0, "format": 0, "paragraph_mark": 0, "table_row": 0}
    assert (stats["authors"], stats["notes"]) == (["Editor"], 1)


def test_views(file: Path) -> None:
    def text(view: str) -> str:
        found = call(ferry(), "read_docx_accepted_text", file, start=1, limit=1, view=view)
        return str(found["paragraphs"][0]["text"])

    assert text("accepted") == "The ferry ran on forty days and gained passengers over the winter."
    assert text("original") == "The ferry ran on forty days and lost passengers over the winter."
    assert "lost" in text("markup")
    assert "gained" in text("markup")


def test_paragraphs_by_start_and_by_cursor(file: Path) -> None:
    first = call(ferry(), "read_docx_accepted_text", file, limit=3)
    assert [p["para_index"] for p in first["paragraphs"]] == [0, 1, 2]
    assert (first["next_start"], first["has_more"], first["total_paragraphs"]) == (3, True, 4)
    by_start = call(ferry(), "read_docx_accepted_text", file, limit=3, start=first["next_start"])
    by_cursor = call(ferry(), "read_docx_accepted_text", file, limit=3, cursor=first["next_cursor"])
    assert by_start["paragraphs"] == by_cursor["paragraphs"]
    assert [(p["para_index"], p["part"], p["in_table"]) for p in by_start["paragraphs"]] == [
        (3, "body", True),
        (None, "header", False),
        (None, "footnote", False),
    ]
    assert (by_start["next_start"], by_start["has_more"]) == (None, False)


def test_a_range_has_both_ends(file: Path) -> None:
    found = call(ferry(), "list_docx_paragraph_range", file, start_index=1, end_index=2)
    assert [p["para_index"] for p in found["paragraphs"]] == [1, 2]
    with pytest.raises(FumehoodError) as caught:
        call(ferry(), "list_docx_paragraph_range", file, start_index=4, end_index=9)
    assert caught.value.code == "not-in-document"
    with pytest.raises(FumehoodError) as caught:
        call(ferry(), "list_docx_paragraph_range", file, start_index=2, end_index=1)
    assert caught.value.code == "invalid-argument"


def test_find_does_not_see_deleted_text(file: Path) -> None:
    assert call(ferry(), "find_docx_term", file, pattern="lost")["total_hits"] == 0
    found = call(ferry(), "find_docx_term", file, pattern="time ?table", context_chars=4)
    assert [(h["para_index"], h["start"], h["end"], h["match"]) for h in found["hits"]] == [
        (2, 4, 14, "time table"),
        (3, 20, 29, "timetable"),
    ]
    assert found["hits"][0]["context"] == "The time table is …"


def test_find_counts_all_and_lists_some(file: Path) -> None:
    found = call(prose(300), "find_docx_term", file, pattern="lorem", max_results=7)
    assert (len(found["hits"]), found["truncated"]) == (7, True)
    assert found["total_hits"] == 299 * 13


def test_variants_and_notes(file: Path) -> None:
    found = call(ferry(), "check_docx_term_variants", file, variants=["time table", "timetable"])
    assert (found["counts"], found["consistent"]) == ({"time table": 1, "timetable": 1}, False)
    assert [(o["variant"], o["para_index"]) for o in found["occurrences"]] == [("time table", 2), ("timetable", 3)]
    notes = call(ferry(), "scan_docx_meta_notes", file)["notes"]
    assert [(n["para_index"], n["marker"], n["text"]) for n in notes] == [(0, "TODO", "TODO: ask the harbour office.")]


def test_revisions_and_comments(file: Path) -> None:
    revisions = call(ferry(), "list_docx_revisions", file)["revisions"]
    assert [(r["type"], r["before"], r["after"]) for r in revisions] == [
        ("delete", "and lost passengers ", None),
        ("insert", None, "and gained passengers "),
    ]
    comments = call(ferry(), "list_docx_comments", file)["comments"]
    assert [(c["anchor_text"], [r["text"] for r in c["replies"]]) for c in comments] == [("forty days", ["Yes."])]


def test_comments_that_answer_each_other_in_a_circle_end(file: Path) -> None:
    document = ferry()
    document.comments[0].parent_id = "c2"
    assert call(document, "list_docx_comments", file)["total_comments"] <= 2


@pytest.mark.parametrize("name", ["read_docx_accepted_text", "list_docx_comments", "get_docx_structure_stats"])
def test_review_tools_refuse_what_is_not_word(name: str, file: Path) -> None:
    with pytest.raises(FumehoodError) as caught:
        call(workbook(), name, file)
    assert caught.value.code == "unsupported"


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "body"), [("extract_text", "text"), ("convert_to_markdown", "markdown")])
@pytest.mark.parametrize("fenced", [True, False])
def test_pages_join_to_the_whole_and_never_pass_the_limit(name: str, body: str, fenced: bool, file: Path) -> None:
    whole = call(prose(330), name, file, {"page_chars": None})[body]
    joined, cursor, sizes = "", None, []
    while True:
        page = call(prose(330), name, file, {"fenced": fenced}, cursor=cursor)
        text = page[body]
        sizes.append(len(text))
        assert page["total_chars"] == len(whole)
        joined += Boundary(page["boundary"]).unfence(text) if fenced else text
        cursor = page["next_cursor"]
        assert page["has_more"] is (cursor is not None)
        if cursor is None:
            break
    assert len(sizes) > 2
    assert max(sizes) <= 40_000
    assert joined.replace("\n", "") == whole.replace("\n", "")


def test_markdown_cursor_under_both_names_and_pagination(file: Path) -> None:
    first = call(prose(330), "convert_to_markdown", file)
    assert first["cursor_id"] == first["next_cursor"] == first["pagination"]["cursor_id"]
    assert first["pagination"]["page"] == 1
    second = call(prose(330), "convert_to_markdown", file, cursor_id=first["cursor_id"], session_id="anything")
    assert second["pagination"]["page"] == 2
    assert second["markdown"] != first["markdown"]
    assert first["table_of_contents"]["sections"][0]["title"] == "Opening"
    assert second["table_of_contents"] is None


def test_limit_lowers_a_page_and_never_raises_it(file: Path) -> None:
    assert len(call(prose(330), "convert_to_markdown", file, limit=1)["markdown"]) <= 4_000
    assert len(call(prose(330), "convert_to_markdown", file, limit=1000)["markdown"]) <= 40_000


@pytest.mark.parametrize("name", ["extract_text", "convert_to_markdown", "read_docx_accepted_text"])
def test_a_cursor_of_another_document_or_view_is_refused(name: str, file: Path, tmp_path: Path) -> None:
    cursor = call(prose(330), name, file)["next_cursor"]
    other = tmp_path / "other.docx"
    other.write_bytes(b"PK\x03\x04 other")
    for path, more in ((other, {}), (file, {"view": "original"})):
        with pytest.raises(FumehoodError) as caught:
            call(prose(330), name, path, cursor=cursor, **more)
        assert caught.value.code == "invalid-argument"


@pytest.mark.parametrize("name", ["read_docx_accepted_text", "list_docx_paragraph_range"])
def test_one_enormous_paragraph_comes_in_pieces(name: str, file: Path) -> None:
    document = prose(2)
    document.blocks[1].text = "word " * 50_000
    text, cursor = "", None
    while True:
        needed = {"start_index": 0, "end_index": 1} if name == "list_docx_paragraph_range" else {}
        page = call(document, name, file, cursor=cursor, **needed)
        pieces = [p for p in page["paragraphs"] if p["para_index"] == 1]
        assert sum(len(p["text"]) for p in page["paragraphs"]) <= 40_000
        for piece in pieces:
            assert piece["offset"] == len(text)
            text += piece["text"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert text == document.blocks[1].text


def test_the_whole_answer_stays_small(file: Path) -> None:
    for name, more in (
        ("convert_to_markdown", {}),
        ("extract_text", {"preserve_formatting": True}),
        ("read_docx_accepted_text", {"limit": 1000}),
    ):
        answer = call(prose(1200), name, file, {"fenced": True}, **more)
        assert len(json.dumps(answer, ensure_ascii=False)) < 60_000, name


# --- parts of a document -------------------------------------------------------------------------------------------


def test_markdown_of_some_slides_or_sheets(file: Path) -> None:
    second = call(slides(), "convert_to_markdown", file, page_range="2")
    assert "two" in second["markdown"]
    assert "one" not in second["markdown"]
    assert second["metadata"]["pages_processed"] == [2]
    sheet = call(workbook(), "convert_to_markdown", file, page_range="1")
    assert "Name" in sheet["markdown"]
    assert "secret" not in sheet["markdown"]
    with pytest.raises(FumehoodError) as caught:
        call(slides(), "convert_to_markdown", file, page_range="9")
    assert caught.value.code == "not-in-document"


def test_markdown_of_one_chapter(file: Path) -> None:
    found = call(slides(), "convert_to_markdown", file, chapter_name="second")
    assert "two" in found["markdown"]
    assert "one" not in found["markdown"]


def test_an_unknown_chapter_lists_those_there_are(file: Path) -> None:
    with_trace = context(slides())
    with pytest.raises(FumehoodError) as caught:
        find("convert_to_markdown").call(with_trace, {"file_path": str(file), "chapter_name": "Ninth"})
    assert caught.value.code == "not-in-document"
    assert "First" not in str(caught.value.as_dict()), "no document text in an error"
    assert with_trace.trace["available"] == {"headings": ["First", "Second"]}


def test_summary(file: Path) -> None:
    found = call(slides(), "convert_to_markdown", file, summary_only=True)
    assert found["markdown"] is None
    assert found["metadata"]["word_count"] > 0
    assert found["table_of_contents"]["available_headings"] == ["First", "Second"]


def test_parameters_that_do_nothing_here_say_so(file: Path) -> None:
    notes = call(slides(), "convert_to_markdown", file, return_all=True, output_dir="/tmp")["notes"]
    assert {note.split()[0] for note in notes} == {"return_all", "output_dir"}
    with pytest.raises(FumehoodError):
        call(slides(), "convert_to_markdown", file, bookmark_name="x")


# --- state of a document -------------------------------------------------------------------------------------------


def test_metadata_of_each_category(file: Path) -> None:
    excel = call(workbook(), "extract_metadata", file)
    assert excel["worksheet_names"] == ["Q1", "Notes"]
    assert {"creator", "description", "worksheet_count", "has_charts", "has_images"} <= set(excel)
    deck = call(slides(), "extract_metadata", file)
    assert deck["slide_count"] == 2
    assert {"author", "comments", "slide_layouts", "total_shapes", "slide_width", "slide_height"} <= set(deck)


def test_the_choice_of_method_goes_with_the_document_and_its_cursor(file: Path) -> None:
    reader = FakeReader(prose(400))
    first = find("extract_text").call(ToolContext(reader, page_chars=4000), {"file_path": str(file), "method": "fallback"})
    find("extract_text").call(ToolContext(reader), {"file_path": str(file)})
    assert reader.methods == ["fallback", "auto"]
    with pytest.raises(FumehoodError, match="cursor"):
        find("extract_text").call(ToolContext(reader), {"file_path": str(file), "cursor": first["next_cursor"]})


def test_methods_that_failed_are_named_with_their_reason(file: Path) -> None:
    facts = call(workbook(), "extract_text", file)["metadata"]
    assert facts["methods_tried"] == ["ooxml", "openpyxl"]
    assert facts["extraction_method"] == "openpyxl"
    assert facts["methods"][0]["reason"] == "corrupt: KeyError"


@pytest.mark.parametrize(
    ("code", "health", "encrypted", "corrupt"),
    [
        ("encrypted", "unhealthy", True, False),
        ("corrupt", "unhealthy", False, True),
        ("unsupported", "error", False, False),
        ("timeout", "error", False, False),
    ],
)
def test_health_of_what_cannot_be_read(code: Any, health: str, encrypted: bool, corrupt: bool, file: Path) -> None:
    found = call(make_error(code, "so it is"), "analyze_document_health", file)
    assert found["overall_health"] == health
    assert found["validation"]["is_valid"] is False
    assert found["validation"]["password_protected"] is encrypted
    assert found["validation"]["corruption_check"]["is_corrupt"] is corrupt
    assert found["validation"]["errors"] == [f"{code}: so it is"]
    assert found["recommendations"] != ["Nothing to do."]
    detected = call(make_error(code, "so it is"), "detect_office_format", file)
    assert detected["is_encrypted"] is encrypted


@pytest.mark.parametrize("code", ["engine-unreachable", "image-missing", "sandbox-too-weak", "changed"])
def test_health_and_detection_fail_when_nothing_is_known(code: Any, file: Path) -> None:
    for name in ("analyze_document_health", "detect_office_format", "extract_text"):
        with pytest.raises(FumehoodError) as caught:
            call(make_error(code, "no"), name, file)
        assert caught.value.code == code


def test_healthy_and_what_to_look_at(file: Path) -> None:
    found = call(hostile(), "analyze_document_health", file)
    assert found["overall_health"] == "healthy"
    assert found["hidden_content"] == {"vanish": 1}
    assert found["active_content"][0]["type"] == "vba"
    assert len(found["recommendations"]) >= 2


def test_a_partial_document_is_answered_and_says_so(file: Path) -> None:
    part = dataclasses.replace(prose(3), partial=True, stopped_at={"page": 12})
    sentence = call(Stored(part, make_error("timeout", "It took too long.", hint="Wait.")), "extract_text", file)
    assert sentence["warnings"][0]["message"] == "It took too long. Wait."
    found = call(Stored(part, make_error("timeout", "it took too long")), "extract_text", file)
    assert found["partial"] is True
    assert found["stopped_at"] == {"page": 12}
    assert (found["error"]["code"], found["error"]["message"]) == ("timeout", "it took too long")
    assert found["warnings"][0]["code"] == "timeout"
    assert "Paragraph 1" in found["text"]
    assert call(Stored(part, make_error("timeout", "x")), "analyze_document_health", file)["overall_health"] == "unhealthy"


def test_a_whole_answer_has_no_error_in_it(file: Path) -> None:
    found = call(ferry(), "extract_text", file)
    assert found["partial"] is False
    assert not {"error", "stopped_at"} & found.keys()


def test_format_mismatch_is_told(file: Path) -> None:
    document = dataclasses.replace(ferry(), format=Format("docx", "Word document", "m", ".docx", ".pdf", mismatch=True))
    found = call(document, "detect_office_format", file)
    assert found["extension_mismatch"] is True
    assert found["processing_hints"]


# --- arguments and files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slip", ["path", "filename", "filepath", "file"])
def test_what_models_write_for_file_path_is_taken(slip: str, file: Path) -> None:
    assert find("get_docx_structure_stats").call(context(ferry()), {slip: str(file)})["paragraph_count"] == 4


def test_wrong_arguments_name_the_right_one_and_are_not_quoted(file: Path) -> None:
    secret = "hunter2-" * 10
    for arguments in (
        {"file_path": str(file), "patern": secret},
        {"file_path": str(file), "pattern": "x", "password": 7, secret: 1},
    ):
        with pytest.raises(FumehoodError) as caught:
            find("find_docx_term").call(context(ferry()), arguments)
        assert caught.value.code == "invalid-argument"
        assert "hunter2-hunter2-hunter2-hunter2-hunter2-hunter2" not in str(caught.value.as_dict())
    with pytest.raises(FumehoodError, match="the name is `pattern`"):
        find("find_docx_term").call(context(ferry()), {"file_path": str(file), "patern": "x"})


@pytest.mark.parametrize("value", ["10", 10.5, True, [10]])
def test_arguments_are_not_coerced_over_mcp(value: Any, file: Path) -> None:
    with pytest.raises(FumehoodError):
        call(ferry(), "read_docx_accepted_text", file, limit=value)


def test_arguments_of_a_command_line_are_text(file: Path) -> None:
    spec = find("check_docx_term_variants")
    for variants in (["time table", "timetable"], '["time table", "timetable"]'):
        found = spec.call_with_strings(context(ferry()), {"file_path": str(file), "variants": variants, "whole_word": "false"})
        assert found["counts"] == {"time table": 1, "timetable": 1}
    found = find("read_docx_accepted_text").call_with_strings(context(ferry()), {"file_path": str(file), "limit": "1"})
    assert len(found["paragraphs"]) == 1


def test_uploads(tmp_path: Path) -> None:
    reader = FakeReader(ferry())
    content = base64.b64encode(b"PK\x03\x04 bytes").decode()
    arguments = {"file_path": "../up.docx", "file_content": content, "password": "open"}
    found = find("extract_text").call(ToolContext(reader, roots=()), arguments)
    assert found["metadata"]["original_file"] == "up.docx"
    assert reader.passwords == ["open"]
    with pytest.raises(FumehoodError) as caught:
        find("extract_text").call(ToolContext(reader, upload_bytes=4), arguments)
    assert caught.value.code == "too-large"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("https://example.com/a.docx", "url-refused"),
        ("/etc/hostname", "not-allowed"),
        ("a\0b", "invalid-argument"),
        ("file:///etc/hostname", "not-allowed"),
    ],
)
def test_paths_that_are_refused_before_anything_is_read(path: str, code: str, tmp_path: Path) -> None:
    reader = FakeReader(ferry())
    with pytest.raises(FumehoodError) as caught:
        find("extract_text").call(ToolContext(reader, roots=(tmp_path,)), {"file_path": path})
    assert (caught.value.code, reader.reads) == (code, 0)


def test_a_file_uri_is_a_path(file: Path) -> None:
    assert (
        find("get_docx_structure_stats").call(context(ferry(), roots=(file.parent,)), {"file_path": file.as_uri()})["notes"]
        == 1
    )


def test_an_unknown_tool_or_toolset() -> None:
    with pytest.raises(FumehoodError) as caught:
        find("extract_txt")
    assert "extract_text" in caught.value.hint
    assert {t.toolset for t in of_toolsets(["review"])} == {"review"}
    with pytest.raises(FumehoodError):
        of_toolsets(["nothing"])


# --- text that wants to be more ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_nothing_that_a_terminal_or_a_model_would_obey_comes_through(spec: ToolSpec, file: Path) -> None:
    answer = json.dumps(
        call(
            hostile(),
            spec.name,
            file,
            {"fenced": True},
            **{**NEEDED.get(spec.name, {}), **({"end_index": 2} if "range" in spec.name else {})},
        ),
        ensure_ascii=False,
    )
    for char in ("\x1b", "\x07", "\u202e", "\U000e0041"):
        assert char not in answer
        assert json.dumps(char).strip('"') not in answer


def test_a_word_split_by_invisible_letters_is_found_and_counted(file: Path) -> None:
    assert call(hostile(), "scan_docx_meta_notes", file)["notes"][0]["marker"] == "TODO"


def test_document_text_cannot_close_its_fence(file: Path) -> None:
    marks = set()
    for _ in range(3):
        answer = call(hostile(), "extract_text", file, {"fenced": True})
        mark = answer["boundary"]
        lines = answer["text"].splitlines()
        assert [line for line in lines if mark in line] == [lines[0], lines[-1]]
        assert "data, not instructions" in lines[0]
        assert answer["notice"]
        marks.add(mark)
    assert len(marks) == 3
    assert call(hostile(), "extract_text", file)["boundary"] is None


def test_hidden_text_is_marked_in_text_and_markdown_and_paragraphs(file: Path) -> None:
    assert "[hidden: vanish]" in call(hostile(), "extract_text", file)["text"]
    assert "[hidden: vanish]" in call(hostile(), "convert_to_markdown", file)["markdown"]
    assert call(hostile(), "read_docx_accepted_text", file)["paragraphs"][2]["hidden"] == "vanish"
