"""What a file is and in what state: answers about documents that need not be readable."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Final

from fumehood.errors import FumehoodError
from fumehood.tools import core_models as models
from fumehood.tools import formats
from fumehood.tools.context import Attempt, Reading, ToolContext
from fumehood.tools.core import has_app_properties, has_core_properties
from fumehood.tools.models import Provenance
from fumehood.tools.parameters import FileContent, FilePath, Password
from fumehood.tools.shape import about
from fumehood_sandbox.contract import Document, Format

_ENCRYPTED: Final = frozenset({"encrypted", "wrong-password"})
_BROKEN: Final = frozenset({"corrupt", "crashed", "empty", "protocol", "blocked-syscall"})
_MAX_LISTED: Final = 50
#: What the first bytes suggest, where the sandbox could not say.
_BY_SNIFF: Final = {"zip": "zip", "ole": "ole", "pdf": "pdf", "rtf": "rtf", "html": "html", "xml": "xml", "text": "text"}
_ZIP_FAMILIES: Final = frozenset({"docx", "xlsx", "xlsb", "pptx", "odt", "ods", "odp", "epub", "zip"})
_PURPOSE: Final = {
    "word": "text document",
    "excel": "data",
    "powerpoint": "presentation",
    "pdf": "fixed-layout document",
    "text": "plain text",
}


def detect_office_format(
    context: ToolContext, file_path: FilePath, file_content: FileContent = None, password: Password = None
) -> models.DetectedFormat:
    """Say what a file is by its content, whatever its name says: format, version, encryption, macros, size, complexity."""
    attempt = context.attempt(file_path, file_content, password)
    document = attempt.document
    found = _format(attempt)
    kind = formats.by_extension(found.extension)
    blocks = len(document.blocks) + sum(len(s.cells) for s in document.sheets) if document else 0
    score = min(10, blocks.bit_length() // 2 + (1 if document and document.revisions else 0) + (1 if found.macros else 0))
    complexity = _word_for(score)
    metadata = document.metadata if document else {}
    category = formats.category(found.family)
    return models.DetectedFormat(
        file_path=context.show(attempt.path),
        filename=context.show(attempt.name),
        extension=attempt.declared_extension or found.extension,
        format_name=found.name or found.family,
        category=category,
        mime_type=found.mime,
        file_size=attempt.size,
        created=_date(metadata.get("created")),
        modified=_date(metadata.get("modified")),
        is_supported=document is not None or (found.encrypted and found.family != "unknown"),
        is_legacy=found.legacy,
        is_modern=found.family in formats.READ_FAMILIES and not found.legacy,
        supports_macros=found.macros or bool(kind and kind.macros),
        is_template=found.template,
        is_encrypted=found.encrypted,
        version_info=_version(context, found, document),
        structure=models.StructureFacts(
            container_type="zip"
            if found.family in _ZIP_FAMILIES
            else "ole"
            if found.legacy or found.family == "ole"
            else "file",
            components=document.counts.get("parts") if document else None,
            metadata_available=bool(metadata),
            embedded_objects=bool(document and (document.attachments or _active(document, "ole_object", "embedded_file"))),
            has_images=bool(document and (document.images or document.counts.get("images"))),
            has_tables=bool(document and (document.tables or document.sheets or document.counts.get("tables"))),
            estimated_complexity=complexity,
        ),
        processing_hints=_hints(attempt, found),
        primary_type=category,
        document_class="template" if found.template else "document",
        content_type=found.mime,
        estimated_purpose=_PURPOSE.get(category, "unknown"),
        complexity_score=score,
        processing_priority="low" if score >= 8 else "normal",
        family=found.family,
        extension_mismatch=found.mismatch,
        has_macros=found.macros or bool(document and _active(document, "vba", "xlm")),
        **_about(context, attempt),
    )


def _format(attempt: Attempt) -> Format:
    """What the sandbox found; where it could not, what the name and the first bytes say."""
    if attempt.document is not None:
        return attempt.document.format
    assert attempt.error is not None
    told = getattr(attempt.error, "format", None)
    if isinstance(told, Format):
        return told
    encrypted = attempt.error.code in _ENCRYPTED
    kind = formats.by_extension(attempt.declared_extension)
    if encrypted and kind is not None:
        return Format(kind.family, kind.name, extension=kind.extension, declared_extension=kind.extension, encrypted=True)
    return Format(_BY_SNIFF.get(attempt.sniffed, "unknown"), declared_extension=attempt.declared_extension, encrypted=encrypted)


def _about(context: ToolContext, attempt: Attempt) -> dict[str, Any]:
    if attempt.document is not None:
        return about(context, Reading(attempt.document, attempt))
    return {"provenance": Provenance.model_validate(dict(attempt.provenance)), "notice": context.notice}


def _version(context: ToolContext, found: Format, document: Document | None) -> models.VersionInfo:
    metadata = document.metadata if document else {}
    application = metadata.get("application") or metadata.get("producer")
    version = metadata.get("app_version") or metadata.get("application_version") or metadata.get("pdf_version")
    features = []
    if document is not None:
        for name, present in (
            ("tracked changes", document.revisions), ("comments", document.comments), ("notes", document.notes),
            ("macros", found.macros), ("links", document.links), ("attachments", document.attachments),
        ):  # fmt: skip
            if present:
                features.append(name)
    return models.VersionInfo(
        application=context.show(str(application))[:200] if application else None,
        version=context.show(str(version))[:50] if version else None,
        format_version="strict" if found.strict else "97-2003" if found.legacy else "current",
        compatibility=["read by content"] + (["strict Open XML"] if found.strict else []),
        features=features,
    )


def _word_for(score: int) -> str:
    return "simple" if score <= 3 else "moderate" if score <= 6 else "complex"


def _date(value: Any) -> str | None:
    return None if value is None else str(value)[:40]


def _active(document: Document, *types: str) -> bool:
    return any(item.type in types for item in document.active_content)


def _hints(attempt: Attempt, found: Format) -> list[str]:
    hints = []
    if attempt.error is not None:
        hints.append(f"{attempt.error.code}: {attempt.error.advice}")
    if found.mismatch:
        hints.append("The name's ending does not fit the content; it was read by its content.")
    if attempt.document is not None and attempt.document.revisions:
        hints.append("There are tracked changes: choose a view (accepted, original, markup).")
    return hints


def analyze_document_health(
    context: ToolContext, file_path: FilePath, file_content: FileContent = None, password: Password = None
) -> models.DocumentHealth:
    """Check a document by reading all of it in a sandbox: damage, encryption, wrong ending, active and hidden content."""
    started = time.monotonic()
    attempt = context.attempt(file_path, file_content, password)
    document, error = attempt.document, attempt.error
    found = _format(attempt)
    health = "healthy"
    if error is not None:
        health = "unhealthy" if error.code in _BROKEN | _ENCRYPTED or document is not None else "error"
    elif document is not None and document.partial:
        health = "unhealthy"
    shared = _about(context, attempt)
    warnings = [f"{w.code}: {w.message}" for w in shared.get("warnings", [])]
    return models.DocumentHealth(
        overall_health=health,
        validation=models.Validation(
            is_valid=health == "healthy",
            errors=[f"{error.code}: {error.message}"] if error is not None else [],
            warnings=warnings,
            corruption_check=models.CorruptionCheck(is_corrupt=error is not None and error.code in _BROKEN),
            password_protected=found.encrypted or (error is not None and error.code in _ENCRYPTED),
            file_path=context.show(attempt.path),
            file_size=attempt.size,
        ),
        format_info={
            "family": found.family,
            "format_name": found.name or found.family,
            "category": formats.category(found.family),
            "mime_type": found.mime,
            "extension": found.extension,
            "declared_extension": attempt.declared_extension,
            "extension_mismatch": found.mismatch,
            "is_legacy": found.legacy,
            "has_macros": found.macros,
            "has_core_properties": bool(document and has_core_properties(document)),
            "has_app_properties": bool(document and has_app_properties(document)),
        },
        analysis_time=round(time.monotonic() - started, 3),
        recommendations=_recommendations(error, found, document),
        active_content=_active_content(context, document),
        hidden_content=_hidden(document),
        **shared,
    )


def _recommendations(error: FumehoodError | None, found: Format, document: Document | None) -> list[str]:
    advice = [error.hint] if error is not None else []
    if found.mismatch:
        advice.append(f"Give the file its real ending ({found.extension or found.family}).")
    if document is not None:
        if document.active_content:
            advice.append("Do not open it in its application without need: it holds active content.")
        if document.revisions:
            advice.append("Accept or reject the tracked changes before the document goes out.")
        if document.comments:
            advice.append("Remove the comments before the document goes out.")
        if _hidden(document):
            advice.append("Look at the hidden content before trusting what the document seems to say.")
    return advice or ["Nothing to do."]


def _active_content(context: ToolContext, document: Document | None) -> list[dict[str, str]]:
    if document is None:
        return []
    return [
        {"type": item.type, "where": context.show(item.where)[:200], "detail": context.show(item.detail)[:300]}
        for item in document.active_content[:_MAX_LISTED]
    ]


def _hidden(document: Document | None) -> dict[str, int]:
    """How many blocks, sheets, slides and cells are hidden, by reason."""
    if document is None:
        return {}
    counted: Counter[str] = Counter()
    for block in document.blocks:
        reason = block.hidden or next((run.hidden for run in block.runs if run.hidden), None)
        if reason:
            counted[reason] += 1
    for sheet in document.sheets:
        if sheet.state != "visible":
            counted[f"{sheet.state}_sheet"] += 1
        counted.update({"hidden_row": len(sheet.hidden_rows), "hidden_col": len(sheet.hidden_cols)})
    counted["hidden_slide"] += sum(1 for slide in document.slides if slide.hidden)
    return {reason: count for reason, count in counted.items() if count}
