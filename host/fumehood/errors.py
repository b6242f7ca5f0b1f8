"""Every error a user can meet, as one tree and one table.

::

    FumehoodError                 code, message, hint, tried, kind
    ├── InputError                the request or the file named by it, before any container
    ├── DocumentError             the document itself cannot be read
    ├── SandboxError              the container ended the work
    └── EnvironmentError_         the machine is not ready: engine, image, output folder

`TABLE` says for each code of the closed list its class, exit status and standing hint. Nothing of a document's text ever
stands in a message: details that come from a container are sanitised by ``documents.validate`` before they get here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from fumehood_sandbox.contract import ErrorCode, Method

EXIT_OK: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_USAGE: Final = 2
EXIT_NO_INPUT: Final = 3
EXIT_UNREAD: Final = 4
EXIT_NO_SANDBOX: Final = 5


class FumehoodError(Exception):
    """Base of all errors. *tried* lists the methods of the fallback chain with why each failed."""

    def __init__(
        self, code: ErrorCode, message: str, *, hint: str | None = None, tried: Sequence[Method] = (), kind: str | None = None
    ) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint if hint is not None else TABLE[code].hint
        self.tried = list(tried)
        self.kind = kind

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r})"

    @property
    def advice(self) -> str:
        """Message and hint as two sentences, for places that have one text."""
        return f"{self.message.rstrip('.')}. {self.hint}"

    @property
    def exit_status(self) -> int:
        return TABLE[self.code].exit_status

    def as_dict(self) -> dict[str, Any]:
        """``{code, message, hint, tried: [{method, reason}], kind?}``, the shape of every answer."""
        shape: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "tried": [{"method": m.name, "reason": m.reason or ""} for m in self.tried],
        }
        if self.kind is not None:
            shape["kind"] = self.kind
        return shape


class InputError(FumehoodError):
    """The request cannot be carried out: a path, an argument, an upload, a URL."""


class DocumentError(FumehoodError):
    """The document cannot be read, or not further."""


class SandboxError(FumehoodError):
    """The container ended the work: time, memory, crash, protocol."""


class EnvironmentError_(FumehoodError):  # noqa: N801, N818 - the builtin has the plain name
    """The machine is not ready to read documents safely."""


@dataclass(frozen=True, slots=True)
class _Row:
    error: type[FumehoodError]
    exit_status: int
    hint: str


TABLE: Final[dict[ErrorCode, _Row]] = {
    "not-found": _Row(InputError, EXIT_UNREAD, "Check the path; it is taken relative to the working directory."),
    "not-allowed": _Row(
        InputError, EXIT_UNREAD, "Allow its folder with FUMEHOOD_ALLOWED_ROOTS or `fumehood serve --allow DIR`; symbolic links are not followed."
    ),
    "not-a-file": _Row(InputError, EXIT_UNREAD, "Only regular files are read: no folder, pipe, device or socket."),
    "changed": _Row(InputError, EXIT_UNREAD, "The file changed while it was read; try again when nothing writes to it."),
    "empty": _Row(DocumentError, EXIT_UNREAD, "The file holds no bytes; fetch or save it again."),
    "too-large": _Row(InputError, EXIT_UNREAD, "Split the document, or raise `limits.input_bytes` in the configuration."),
    "unsupported": _Row(DocumentError, EXIT_UNREAD, "See `fumehood tool get_supported_formats` for what is read; convert the document first."),
    "type-mismatch": _Row(DocumentError, EXIT_UNREAD, "The content is not what the name says; give the file its real ending."),
    "encrypted": _Row(DocumentError, EXIT_UNREAD, "Give the password (`--password-file` on the command line, `password` in a tool call)."),
    "wrong-password": _Row(DocumentError, EXIT_UNREAD, "The password does not open the document; check case and keyboard layout."),
    "corrupt": _Row(DocumentError, EXIT_UNREAD, "The document is damaged; open and save it in its application, or fetch it again."),
    "needs-ocr": _Row(DocumentError, EXIT_UNREAD, "The pages are images without text; they need character recognition."),
    "limit": _Row(DocumentError, EXIT_UNREAD, "The document goes over a safety limit; see `docs/formats.md` for the limits and what raises them."),
    "timeout": _Row(SandboxError, EXIT_UNREAD, "Read fewer pages (`--pages`), or give it more time: `--timeout` where one was set, else `limits.wall_seconds` in the configuration."),
    "out-of-memory": _Row(SandboxError, EXIT_UNREAD, "Read fewer pages (`--pages`), or raise `limits.memory_bytes` in the configuration."),
    "crashed": _Row(SandboxError, EXIT_UNREAD, "The reader crashed on this document and was contained; please report the kind of document."),
    "blocked-syscall": _Row(
        SandboxError, EXIT_UNREAD, "The document made its reader call something forbidden; treat the document as hostile."
    ),
    "protocol": _Row(SandboxError, EXIT_UNREAD, "The container's answer broke the protocol and was dropped; treat the document as hostile."),
    "cancelled": _Row(SandboxError, EXIT_UNREAD, "The call was cancelled; nothing was kept."),
    "invalid-argument": _Row(InputError, EXIT_USAGE, "See the tool's parameters."),
    "not-in-document": _Row(InputError, EXIT_UNREAD, "The answer lists what the document has."),
    "url-refused": _Row(InputError, EXIT_UNREAD, "Download the document yourself and give its path."),
    "output-not-writable": _Row(EnvironmentError_, EXIT_USAGE, "Name a folder that can be written with `-o`."),
    "image-missing": _Row(EnvironmentError_, EXIT_NO_SANDBOX, "Build it once: `fumehood image build`."),
    "image-mismatch": _Row(
        EnvironmentError_, EXIT_NO_SANDBOX, "The image is not the one of the trusted lock; run `fumehood image verify`, then `fumehood image build`."
    ),
    "engine-unreachable": _Row(
        EnvironmentError_, EXIT_NO_SANDBOX, "Start Docker (or set DOCKER_HOST), then run `fumehood doctor`."
    ),
    "sandbox-too-weak": _Row(
        EnvironmentError_, EXIT_NO_SANDBOX, "`fumehood doctor` shows which proof failed and how to mend it; `--accept-weaker FACT` accepts one by name."
    ),
    "busy": _Row(EnvironmentError_, EXIT_NO_SANDBOX, "All sandboxes are in use; try again in a few seconds."),
    "internal": _Row(FumehoodError, EXIT_UNREAD, "This is a fault of fumehood; please report it with `fumehood --version` and the command."),
}  # fmt: skip

assert set(TABLE) == set(get_args(ErrorCode))


def make_error(
    code: ErrorCode, message: str, *, hint: str | None = None, tried: Sequence[Method] = (), kind: str | None = None
) -> FumehoodError:
    """The error of *code*, as the class that the table gives it."""
    return TABLE[code].error(code, message, hint=hint, tried=tried, kind=kind)


def as_value(error: FumehoodError) -> FumehoodError:
    """*error* to be kept: without the frames that it passed, and with them all that these had in hand. What caused it stays said."""
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    return error
