"""A formula's text from its tokens ([MS-XLSB] 2.5.97.16): an operand is put down, an operator takes what it needs.

The text is what a workbook in XML would hold, so that both kinds give the same. What has no text raises `UnreadableError`:
half a formula would be a wrong one.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from typing import Final

from fumehood_sandbox.extractors.xlsb import ftab, ptg, references
from fumehood_sandbox.extractors.xlsb.expression import array, boolean_text, error_text, joined
from fumehood_sandbox.extractors.xlsb.fields import Fields, MalformedError
from fumehood_sandbox.extractors.xlsb.scope import Scope, UnreadableError

#: The longest text there is. Excel's own bound is 8,192 characters.
_MAX_TEXT: Final = 65_536
_LOC: Final = struct.Struct("<IH").unpack_from
_TWO: Final = struct.Struct("<IIHH").unpack_from
_PTG_LIST: Final = struct.Struct("<HHIHH").unpack_from
#: PtgAttrSpaceType (2.5.97.34): what is before the next token, before its opening and before its closing parenthesis.
_BLANKS: Final = {0: (0, " "), 1: (0, "\n"), 2: (1, " "), 3: (1, "\n"), 4: (2, " "), 5: (2, "\n"), 6: (0, " ")}


def formula_text(scope: Scope, rgce: bytes, rgcb: bytes, base: tuple[int, int] = (0, 0)) -> str:
    """The text of the formula *rgce*, whose relative references start from the cell *base* (row and column from 0).

    Raises:
        UnreadableError: it has a token that no text is known for, or is no formula.
    """
    try:
        return _Reading(scope, rgce, rgcb, base).text()
    except (MalformedError, IndexError, ValueError):
        raise UnreadableError from None


class _Reading:
    """One formula."""

    def __init__(self, scope: Scope, rgce: bytes, rgcb: bytes, base: tuple[int, int]) -> None:
        self._scope = scope
        self._in = Fields(rgce)
        self._extra = Fields(rgcb)
        self._base = base
        self._stack: list[deque[str]] = []
        self._blanks = ["", "", ""]
        self._said = 0

    def text(self) -> str:
        source, stack = self._in, self._stack
        while source.left:
            token = source.u8()
            if token & 0x80:
                raise UnreadableError
            kind = token if token < 0x20 else token & 0x1F | 0x20
            if kind in ptg.BINARY:
                right = stack.pop()
                stack[-1] = joined(stack[-1], self._blank(0) + ptg.BINARY[kind], right)
            else:
                handler = _HANDLERS.get(kind)
                if handler is None:
                    raise UnreadableError
                handler(self, kind)
            self._said += 1
            if self._said > _MAX_TEXT:
                raise UnreadableError
        if len(stack) != 1:
            raise UnreadableError
        return "".join(stack[0])

    def _blank(self, place: int) -> str:
        blank, self._blanks[place] = self._blanks[place], ""
        return blank

    def _put(self, text: str) -> None:
        self._said += len(text)
        self._stack.append(deque((self._blank(0) + text,)))

    def unary(self, kind: int) -> None:
        self._stack[-1].appendleft(self._blank(0) + ptg.PREFIX[kind])

    def percent(self, _kind: int) -> None:
        self._stack[-1].append(self._blank(0) + "%")

    def paren(self, _kind: int) -> None:
        inner = self._stack[-1]
        inner.appendleft(self._blank(0) + self._blank(1) + "(")
        inner.append(self._blank(2) + ")")

    def missing(self, _kind: int) -> None:
        self._put("")

    def string(self, _kind: int) -> None:
        self._put(references.string(self._in.chars(self._in.u16())))

    def error(self, _kind: int) -> None:
        self._put(error_text(self._in.u8()))

    def boolean(self, _kind: int) -> None:
        self._put(boolean_text(self._in.u8()))

    def integer(self, _kind: int) -> None:
        self._put(str(self._in.u16()))

    def num(self, _kind: int) -> None:
        self._put(references.number(self._in.f64()))

    def attr(self, _kind: int) -> None:
        """Hints for a calculation, and what a person typed beside the formula (2.5.97.24 to 36)."""
        kind, at = self._in.u8(), self._in.u16()
        if kind & ptg.PtgAttrChoose:
            self._in.take(2 * (at + 1))
        elif kind & ptg.PtgAttrSum:
            self._call("SUM", 1)
        elif kind & ptg.PtgAttrSpace:
            place, blank = _BLANKS.get(at & 0xFF, (0, ""))
            self._blanks[place] += blank * (at >> 8)
            self._said += at >> 8

    def extended(self, _kind: int) -> None:
        if self._in.u8() != ptg.PtgList:
            raise UnreadableError
        self._put(self._scope.structured(*self._in.unpack(_PTG_LIST, 12)))

    def _call(self, name: str, count: int) -> None:
        stack = self._stack
        if count > len(stack):
            raise UnreadableError
        inner = deque() if not count else stack[-count]
        for argument in stack[len(stack) - count + 1 :] if count else ():
            inner = joined(inner, ",", argument)
        del stack[len(stack) - count :]
        inner.appendleft(self._blank(0) + name + self._blank(1) + "(")
        inner.append(self._blank(2) + ")")
        self._said += len(name)
        stack.append(inner)

    def func(self, _kind: int) -> None:
        known = ftab.FIXED.get(self._in.u16())
        if known is None:
            raise UnreadableError
        self._call(*known)

    def func_var(self, _kind: int) -> None:
        count, number = self._in.u8() & 0x7F, self._in.u16()
        if number == ftab.USER_DEFINED:
            if not 0 < count <= len(self._stack):
                raise UnreadableError
            self._call("".join(self._stack.pop(-count)), count - 1)
            return
        name = ftab.COMMANDS.get(number & 0x7FFF) if number & 0x8000 else ftab.FUNCTIONS.get(number)
        if name is None:
            raise UnreadableError
        self._call(name, count)

    def array(self, _kind: int) -> None:
        """PtgArray, whose values are a PtgExtraArray (2.5.97.39)."""
        self._in.take(14)
        self._put(array(self._extra))

    def name(self, _kind: int) -> None:
        self._put(self._scope.name(self._in.u32()))

    def name_x(self, _kind: int) -> None:
        ixti = self._in.u16()
        self._put(self._scope.external_name(ixti, self._in.u32()))

    def ref(self, _kind: int) -> None:
        self._put(references.cell(*self._loc()))

    def area(self, _kind: int) -> None:
        self._put(references.area(*self._two()))

    def ref_n(self, _kind: int) -> None:
        self._put(references.cell(*self._loc(), self._base))

    def area_n(self, _kind: int) -> None:
        self._put(references.area(*self._two(), self._base))

    def ref_3d(self, _kind: int) -> None:
        self._put(self._scope.sheet(self._in.u16()) + references.cell(*self._loc()))

    def area_3d(self, _kind: int) -> None:
        self._put(self._scope.sheet(self._in.u16()) + references.area(*self._two()))

    def ref_error(self, _kind: int) -> None:
        self._loc()
        self._put(references.REF_ERROR)

    def area_error(self, _kind: int) -> None:
        self._two()
        self._put(references.REF_ERROR)

    def ref_error_3d(self, _kind: int) -> None:
        prefix = self._scope.sheet(self._in.u16())
        self._loc()
        self._put(prefix + references.REF_ERROR)

    def area_error_3d(self, _kind: int) -> None:
        prefix = self._scope.sheet(self._in.u16())
        self._two()
        self._put(prefix + references.REF_ERROR)

    def memory(self, kind: int) -> None:
        """What the tokens that follow came to when they were last calculated: those have the text."""
        self._in.take(6 if kind != ptg.PtgMemFunc else 2)
        if kind == ptg.PtgMemArea:  # PtgMemArea has its areas as a PtgExtraMem (2.5.97.41)
            self._extra.take(16 * self._extra.u32())

    def _loc(self) -> tuple[int, int]:
        row, col = self._in.unpack(_LOC, 6)
        return row, col

    def _two(self) -> tuple[int, int, int, int]:
        first_row, last_row, first_col, last_col = self._in.unpack(_TWO, 12)
        return first_row, last_row, first_col, last_col


_HANDLERS: Final[dict[int, Callable[[_Reading, int], None]]] = {
    **dict.fromkeys(ptg.PREFIX, _Reading.unary),
    ptg.PtgPercent: _Reading.percent,
    ptg.PtgParen: _Reading.paren,
    ptg.PtgMissArg: _Reading.missing,
    ptg.PtgStr: _Reading.string,
    ptg.PtgExtended: _Reading.extended,
    ptg.PtgAttr: _Reading.attr,
    ptg.PtgErr: _Reading.error,
    ptg.PtgBool: _Reading.boolean,
    ptg.PtgInt: _Reading.integer,
    ptg.PtgNum: _Reading.num,
    ptg.PtgArray: _Reading.array,
    ptg.PtgFunc: _Reading.func,
    ptg.PtgFuncVar: _Reading.func_var,
    ptg.PtgName: _Reading.name,
    ptg.PtgRef: _Reading.ref,
    ptg.PtgArea: _Reading.area,
    **dict.fromkeys((ptg.PtgMemArea, ptg.PtgMemErr, ptg.PtgMemNoMem, ptg.PtgMemFunc), _Reading.memory),
    ptg.PtgRefErr: _Reading.ref_error,
    ptg.PtgAreaErr: _Reading.area_error,
    ptg.PtgRefN: _Reading.ref_n,
    ptg.PtgAreaN: _Reading.area_n,
    ptg.PtgNameX: _Reading.name_x,
    ptg.PtgRef3d: _Reading.ref_3d,
    ptg.PtgArea3d: _Reading.area_3d,
    ptg.PtgRefErr3d: _Reading.ref_error_3d,
    ptg.PtgAreaErr3d: _Reading.area_error_3d,
}
