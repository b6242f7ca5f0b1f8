"""How an extraction fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fumehood_sandbox.contract import SandboxErrorCode


class ExtractError(Exception):
    """A document cannot be read, for a reason of the closed list. *detail* quotes no content of the document."""

    def __init__(self, code: SandboxErrorCode, detail: str = "", *, kind: str | None = None) -> None:
        super().__init__(detail or code)
        self.code = code
        self.detail = detail
        self.kind = kind


def is_panic(error: BaseException) -> bool:
    """Whether native code written in Rust gave up: what it raises is no `Exception`, and of a module that cannot be imported."""
    return type(error).__name__ == "PanicException"
