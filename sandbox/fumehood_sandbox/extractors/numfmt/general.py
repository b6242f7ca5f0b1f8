"""The format General: the number as it is, in at most eleven characters, and how decimals are made of binary numbers."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Final

_WIDTH: Final = 11  # without the sign
_CLEAR: Final = 1e11
_MARGIN: Final = 1e-3


def to_decimal(value: float) -> Decimal:
    """*value* in the fifteen significant digits that Excel works with."""
    if isinstance(value, int):
        return Decimal(f"{value:.14e}") if abs(value) >= 10**15 else Decimal(value)
    return Decimal(f"{value:.14e}")


def round_to(number: Decimal, places: int) -> Decimal:
    """Rounded to *places* after the point, halves away from zero."""
    return number.quantize(_unit(places), rounding=ROUND_HALF_UP) if number.adjusted() + places < 27 else number


def is_clear(scaled: float) -> bool:
    """Whether a binary number rounds to the same whole one as its fifteen significant digits do: it is not too large, and no half.

    Those digits differ from the number itself by five of 10**15 at most, which is half of what is asked for here.
    """
    return scaled < _CLEAR and abs(scaled % 1 - 0.5) > _MARGIN


@lru_cache(maxsize=64)
def _unit(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def plain(number: Decimal) -> str:
    """The digits of *number* without exponent and without trailing zeros after the point."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def general(value: float) -> str:
    """What a cell of format General shows for a finite *value*."""
    if isinstance(value, int) and -(10**_WIDTH) < value < 10**_WIDTH:
        return str(value)
    written = repr(value)
    if value and len(written) <= _WIDTH + (value < 0) and "e" not in written:
        return written.removesuffix(".0")
    size = abs(value)
    if 1e-4 <= size < 1e10:
        places = 10 - len(str(int(size))) if size >= 1 else 9
        if is_clear(size * 10**places):
            shown = f"{value:.{places}f}"
            return shown.rstrip("0").rstrip(".") if places else shown
    number = to_decimal(value)
    if not number:
        return "0"
    sign, number = ("-" if number < 0 else ""), abs(number)
    exponent = number.adjusted()
    if exponent <= 10:
        short = plain(round_to(number, 12)) if exponent >= -9 else ""
        if short and short != "0" and len(short) <= _WIDTH:
            return sign + short
        if exponent >= -4:
            places = 9 if exponent < 0 else max(0, 9 - exponent)
            rounded = round_to(number, places)
            if rounded.adjusted() <= 10:
                return sign + plain(rounded)
    return sign + _scientific(number)


def _scientific(number: Decimal) -> str:
    """At most five digits after the point, fewer where a long exponent needs the room: 1.23457E+11, 1.2346E+100."""
    exponent = number.adjusted()
    places = 5 if abs(exponent) < 100 else 4
    mantissa = round_to(number.scaleb(-exponent), places)
    if mantissa >= 10:
        mantissa, exponent = mantissa / 10, exponent + 1
    return f"{plain(mantissa)}E{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
