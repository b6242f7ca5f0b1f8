"""The fields that every answer shares, from a reading."""

from __future__ import annotations

from typing import Any, Final

from fumehood.tools.context import Reading, ToolContext
from fumehood.tools.models import Notable, Provenance

_MAX_WARNINGS: Final = 20
_MAX_MESSAGE: Final = 300
_MAX_PROPERTY: Final = 1_000


def about(context: ToolContext, reading: Reading) -> dict[str, Any]:
    """What every answer from *reading* has beside its own: where it comes from, and that it is only a part where it is."""
    document, error = reading.document, reading.source.error
    warnings = [
        Notable(code=w.code, message=context.show(w.message)[:_MAX_MESSAGE], count=w.count, where=w.where)
        for w in document.warnings[:_MAX_WARNINGS]
    ]
    if len(document.warnings) > _MAX_WARNINGS:
        warnings.append(
            Notable(code="more-warnings", message="there are more warnings", count=len(document.warnings) - _MAX_WARNINGS)
        )
    if error is not None:
        warnings.insert(0, Notable(code=error.code, message=error.advice))
    return {
        "provenance": Provenance.model_validate(dict(reading.source.provenance)),
        "warnings": warnings,
        # With an error beside it a document is a part, whatever it says of itself.
        "partial": document.partial or error is not None,
        "stopped_at": document.stopped_at,
        "error": error.as_dict() if error is not None else None,
        "notice": context.notice,
    }


def property_value(context: ToolContext, value: Any) -> Any:
    """A document's property as a caller may see it: text sanitised and cut, numbers as they are."""
    if not isinstance(value, str):
        return value
    shown = context.show(value)
    return shown if context.page_chars is None or len(shown) <= _MAX_PROPERTY else shown[:_MAX_PROPERTY] + "…"
