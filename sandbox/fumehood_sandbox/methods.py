"""Which methods read a family, in which order, and what became of each.

Every attempt starts with an empty document and a sink of its own number, so that what a failed method had already sent
is dropped. Extractors are imported when they are called: one that is missing or broken is a failed method, no more.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.contract import Document, Format, Method, Request, SandboxErrorCode
from fumehood_sandbox.errors import is_panic
from fumehood_sandbox.extraction import ExtractError, Extraction, Sink
from fumehood_sandbox.plain import replace

if TYPE_CHECKING:
    from fumehood_sandbox.nest import Nest


@dataclass(frozen=True, slots=True)
class Step:
    """A method of a chain: its name in `Document.methods`, and where it stands as ``module:function``."""

    name: str
    target: str


_IN: Final = "fumehood_sandbox.extractors."

#: The last method of every Office format: it knows least of each and gives up last.
_GENERAL: Final = Step("anydoc", _IN + "general:extract")

CHAINS: Final[dict[str, tuple[Step, ...]]] = {
    "docx": (Step("ooxml", _IN + "docx:extract"), Step("python-docx", _IN + "docx_model:extract"), _GENERAL),
    "xlsx": (Step("ooxml", _IN + "xlsx:extract"), Step("openpyxl", _IN + "xlsx_model:extract"), _GENERAL),
    "xlsb": (Step("biff12", _IN + "xlsb:extract"), Step("biff12-sheets", _IN + "xlsb.loose:extract"), _GENERAL),
    "pptx": (Step("ooxml", _IN + "pptx:extract"), Step("python-pptx", _IN + "pptx_model:extract"), _GENERAL),
    "pdf": (Step("pymupdf", _IN + "pdf:extract"), Step("pypdfium2", _IN + "pdfium:extract")),
    "csv": (Step("delimited", _IN + "delimited:extract"),),
    "text": (Step("text", _IN + "text:extract"),),
}

#: What `Request.pages` chooses from: pages and slides.
_PAGED: Final = frozenset({"pdf", "pptx"})
#: Another method would meet the same wall.
_FINAL: Final[frozenset[SandboxErrorCode]] = frozenset(
    {"encrypted", "wrong-password", "limit", "needs-ocr", "out-of-memory", "empty"}
)
_QUOTED: Final = re.compile(r"""'[^']*'?|"[^"]*"?|\u201c[^\u201d]*\u201d?|b'[^']*'?""")
_REASON_LIMIT: Final = 160

SinkFactory = Callable[[int, Document], Sink]


class ChainError(ExtractError):
    """No method could read the document. *tried* has one entry for each, with its reason."""

    def __init__(
        self,
        code: SandboxErrorCode,
        detail: str,
        *,
        kind: str | None,
        tried: list[Method],
        stopped_at: dict[str, int] | None,
    ) -> None:
        super().__init__(code, detail, kind=kind)
        self.tried = tried
        self.stopped_at = stopped_at


class _TooDeepError(ExtractError):
    """A method's own recursion gave out: the next method may read the document with another."""


def run(
    data: bytes,
    request: Request,
    found: Format,
    sink_for: SinkFactory,
    *,
    chain: tuple[Step, ...] | None = None,
    nest: Nest | None = None,
) -> Extraction:
    """Read *data* by the first method of the family's chain that can, of those that the request's ``method`` leaves.

    *sink_for* makes the sink of an attempt, from its number (from 1) and its document; *nest* is that of the documents around
    it. The result's document has ``methods`` filled in. Raises `ChainError`.
    """
    steps = CHAINS[found.family] if chain is None else chain
    is_passed_over = request.method == "fallback" and len(steps) > 1
    if is_passed_over:
        steps = steps[1:]
    elif request.method == "primary":
        steps = steps[:1]
    tried: list[Method] = []
    failures: list[ExtractError] = []
    stopped_at = None
    for attempt, step in enumerate(steps, 1):
        document = Document(format=replace(found))
        x = Extraction(data, request, document, sink_for(attempt, document), nest)
        _warn(x, found)
        if tried:
            why = f"because {tried[0].name} failed: {tried[0].reason}"
            x.warn("fallback", f"read by another method, with less detail, {why}")
        elif is_passed_over:
            x.warn("fallback", "read by another method than the first, with less detail, as asked")
        elif request.method == "fallback":
            x.warn("method-ignored", f"this format has one method, {step.name}; it was read by that")
        failure = _attempt(x, step)
        if failure is None:
            document.methods = [*tried, Method(step.name)]
            return x
        tried.append(Method(step.name, ok=False, reason=_reason(failure)))
        failures.append(failure)
        stopped_at = x.stopped_at
        if failure.code in _FINAL and not isinstance(failure, _TooDeepError):
            break
    about_it = [f for f in failures if f.code != "internal"] or failures
    telling = next((f for f in failures if f.code in _FINAL), about_it[0])
    raise ChainError(telling.code, telling.detail, kind=telling.kind, tried=tried, stopped_at=stopped_at)


def _warn(x: Extraction, found: Format) -> None:
    if found.mismatch:
        x.warn(
            "type-mismatch",
            f"the name says {found.declared_extension}, the content is: {found.name}; it was read by its content",
        )
    if x.request.pages is not None and found.family not in _PAGED:
        x.warn("pages-ignored", "this format has no pages to choose from; all of it was read")


def imported(name: str) -> Any:
    """The module *name*, without the module ``importlib`` for it."""
    __import__(name)
    return sys.modules[name]


def load(family: str) -> None:
    """Import the first method of *family*'s chain ahead of its document."""
    module = CHAINS[family][0].target.partition(":")[0]
    try:  # noqa: SIM105 - contextlib is a long import
        imported(module)
    except Exception:  # noqa: BLE001, S110 - then it is a failed method, should a document need it
        pass


def _attempt(x: Extraction, step: Step) -> ExtractError | None:
    """Run one method; what went wrong, or None."""
    try:
        module, _, function = step.target.partition(":")
        getattr(imported(module), function)(x)
    except ExtractError as error:
        return error
    except MemoryError:
        return ExtractError("out-of-memory", "the document needs more memory than it may have")
    except RecursionError:
        return _TooDeepError("limit", "the document nests too deeply", kind="depth")
    except ImportError as error:  # the image is at fault, not the document
        return ExtractError("internal", describe(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a parser may raise anything: that is a failed method
        return ExtractError("corrupt", describe(error))
    except BaseException as error:
        if not is_panic(error):
            raise
        return ExtractError("corrupt", describe(error))
    return None


def _reason(failure: ExtractError) -> str:
    return f"{failure.code}: {failure.detail}" if failure.detail else failure.code


def describe(error: BaseException) -> str:
    """An exception as a short reason: its class and its message without what it quotes (that is the document's text)."""
    name = type(error).__name__
    if isinstance(error, (KeyError, UnicodeError)):
        return name
    message = _QUOTED.sub("…", str(error).splitlines()[0] if str(error) else "")
    message = "".join(c if " " <= c <= "~" or c == "…" else "?" for c in message)[:_REASON_LIMIT].strip()
    return f"{name}: {message}" if message else name
