"""An expression under construction: the pieces of its text, put together without copying a long one with each operator."""

from __future__ import annotations

from collections import deque
from typing import Final

from fumehood_sandbox.extractors.xlsb import references
from fumehood_sandbox.extractors.xlsb.fields import ERRORS, Fields
from fumehood_sandbox.extractors.xlsb.scope import UnreadableError

_MAX_ARRAY: Final = 65_536


def joined(left: deque[str], between: str, right: deque[str]) -> deque[str]:
    """The two as one: the shorter one is added to the longer."""
    if len(left) < len(right):
        right.appendleft(between)
        right.extendleft(reversed(left))
        return right
    left.append(between)
    left.extend(right)
    return left


def array(fields: Fields) -> str:
    """PtgExtraArray (2.5.97.39): constants in rows and columns."""
    rows, cols = fields.u32(), fields.u32()
    if not 0 < rows * cols <= _MAX_ARRAY:
        raise UnreadableError
    return "{" + ";".join(",".join(_constant(fields) for _ in range(cols)) for _ in range(rows)) + "}"


def _constant(fields: Fields) -> str:
    """SerAr (2.5.97.93): a value of an array."""
    kind = fields.u8()
    if kind == 0:
        return references.number(fields.f64())
    if kind == 1:
        return references.string(fields.chars(fields.u16()))
    if kind == 2:
        return boolean_text(fields.u8())
    if kind == 4:
        text = error_text(fields.u8())
        fields.take(3)
        return text
    raise UnreadableError


def boolean_text(value: int) -> str:
    return "TRUE" if value else "FALSE"


def error_text(code: int) -> str:
    if code not in ERRORS:
        raise UnreadableError
    return ERRORS[code]
