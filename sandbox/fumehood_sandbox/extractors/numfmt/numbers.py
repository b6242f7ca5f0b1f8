"""What a section of digits shows: placeholders, thousands, percent, exponents, fractions."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from fumehood_sandbox.extractors.numfmt.general import general, is_clear, round_to
from fumehood_sandbox.extractors.numfmt.parse import Section, Token

_MAX_PLACES: Final = 30


class NumberSection:
    """A section made ready. ``show`` takes the absolute value; the sign is the caller's."""

    def __init__(self, section: Section) -> None:
        tokens = list(section.tokens)
        self._percent = sum(t.kind == "percent" for t in tokens)
        self._tokens, self._thousands, self._scale = _commas(tokens)
        kinds = [t.kind for t in self._tokens]
        self._slash = _fraction_at(self._tokens)
        self._exp = kinds.index("exp") if "exp" in kinds else None
        end = len(kinds) if self._exp is None else self._exp
        self._point = kinds.index("point") if "point" in kinds[:end] else None
        whole_end = end if self._point is None else self._point
        self._whole = [i for i in range(whole_end) if kinds[i] == "digit"]
        self._places = [i for i in range(whole_end, end) if kinds[i] == "digit"]
        self._power = [i for i in range(end, len(kinds)) if kinds[i] == "digit"]
        self._shift = 2 * self._percent - 3 * self._scale
        self.shows_digits = bool(self._whole or self._places)
        self._simple = self._plan()

    def _plan(self) -> tuple[str, str, str, int] | None:
        """(before, Python format, after, places) of a section that is one plain number among literals; None for others."""
        at = [*self._whole, *([self._point] if self._point is not None else []), *self._places]
        whole = "".join(self._tokens[i].text for i in self._whole)
        if (
            self._slash is not None
            or self._exp is not None
            or not whole.endswith("0")
            or whole[:-1].strip("#")
            or any(self._tokens[i].text != "0" for i in self._places)
            or (self._point is not None and not self._places)
            or at != list(range(at[0], at[0] + len(at)))
            or any(t.kind in {"general", "text"} for t in self._tokens)
            or len(self._places) > _MAX_PLACES
        ):
            return None
        before = "".join(t.text for t in self._tokens[: at[0]])
        after = "".join(t.text for t in self._tokens[at[-1] + 1 :])
        return before, f"{',' if self._thousands else ''}.{len(self._places)}f", after, len(self._places)

    def show_clear(self, value: float) -> str | None:
        """What `show` gives for a *value* without a sign, by binary arithmetic; None where only decimals tell, and for sections of
        other kinds.
        """
        if self._simple is None:
            return None
        before, code, after, count = self._simple
        shifted = value * 10.0**self._shift if self._shift else value
        if not is_clear(shifted * 10**count):
            return None
        return f"{before}{shifted:{code}}{after}"

    def is_nothing(self, value: float) -> bool:
        """Whether a *value* without a sign may round to zero here."""
        return self._simple is None or value * 10.0 ** (self._shift + self._simple[3]) < 1

    def show(self, number: Decimal) -> tuple[str, bool]:
        """The text, and whether the number that it shows is zero."""
        if self._shift:
            number = number.scaleb(self._shift)
        if self._simple is not None:
            before, code, after, count = self._simple
            number = round_to(number, count)
            return f"{before}{number:{code}}{after}", not number
        if self._slash is not None:
            return self._show_fraction(number), False
        digits: dict[int, str] = {}
        if self._exp is not None:
            number, power = self._mantissa(number)
            sign = "-" if power < 0 else "+" if self._tokens[self._exp].text == "+" else ""
            digits.update(_fill(self._tokens, self._power, str(abs(power))))
            digits[self._exp] = "E" + sign
        rounded = round_to(number, min(len(self._places), _MAX_PLACES))
        whole, _, places = f"{rounded:f}".partition(".")
        whole = whole.lstrip("0")
        digits.update(_fill(self._tokens, self._whole, whole, thousands=self._thousands))
        digits.update(_fill_places(self._tokens, self._places, places))
        if not self._whole and self._point is not None:
            digits[self._point] = whole + "."
        out = []
        for i, token in enumerate(self._tokens):
            if i in digits:
                out.append(digits[i])
            elif token.kind in {"general", "text"}:
                out.append(general(float(number)))
            else:
                out.append(token.text)
        return "".join(out), not rounded

    def _mantissa(self, number: Decimal) -> tuple[Decimal, int]:
        if not number:
            return number, 0
        width = max(1, len(self._whole))
        power = number.adjusted() // width * width
        mantissa = number.scaleb(-power)
        if round_to(mantissa, len(self._places)) >= Decimal(10) ** width:
            power += width
            mantissa = number.scaleb(-power)
        return mantissa, power

    def _show_fraction(self, number: Decimal) -> str:
        tokens, slash = self._tokens, self._slash
        assert slash is not None
        top_start = slash
        while top_start and tokens[top_start - 1].kind == "digit":
            top_start -= 1
        bottom_end = slash + 1
        while bottom_end < len(tokens) and (tokens[bottom_end].kind == "digit" or tokens[bottom_end].text.isdecimal()):
            bottom_end += 1
        written = "".join(t.text for t in tokens[slash + 1 : bottom_end])
        whole_at = [i for i in range(top_start) if tokens[i].kind == "digit"]
        from fractions import Fraction  # noqa: PLC0415 - seldom needed, and larger than all of this package

        exact = Fraction(number)
        whole = int(exact) if whole_at else 0
        rest = exact - whole
        if written.isdecimal() and int(written):
            bottom = int(written)
            top = int(rest * bottom + Fraction(1, 2))
        else:
            near = rest.limit_denominator(10 ** min(max(len(written), 1), 7) - 1)
            top, bottom = near.numerator, near.denominator
        if whole_at and top == bottom:
            whole, top = whole + 1, 0
        out = []
        whole_text = _fill(tokens, whole_at, str(whole) if whole else ("0" if not top else ""))
        for i, token in enumerate(tokens):
            if i in whole_text:
                out.append(whole_text[i])
            elif top_start <= i < bottom_end:
                if i == slash:
                    width = bottom_end - slash - 1
                    shown = f"{str(top).rjust(slash - top_start)}/{str(bottom).ljust(width)}"
                    out.append(shown if top or not whole_at else " " * len(shown))
            else:
                out.append(token.text)
        return "".join(out)


def _commas(tokens: list[Token]) -> tuple[list[Token], bool, int]:
    """*tokens* without the commas that mean something; whether thousands are set apart; how often to divide by 1000."""
    thousands, scale = False, 0
    kept: list[Token] = []
    seen_digit = seen_point = False
    for i, token in enumerate(tokens):
        if token.kind == "comma" and seen_digit:
            following = next((t.kind for t in tokens[i + 1 :] if t.kind != "comma"), "")
            if following == "digit" and not seen_point:
                thousands = True
            elif following == "digit":
                kept.append(Token("lit", ","))
            else:
                scale += 1
            continue
        seen_digit = seen_digit or token.kind == "digit"
        seen_point = seen_point or token.kind in {"point", "exp"}
        kept.append(Token("lit", ",") if token.kind == "comma" else token)
    return kept, thousands, scale


def _fraction_at(tokens: list[Token]) -> int | None:
    """Where the slash of a fraction stands: between placeholders, or a placeholder and a number."""
    for i in range(1, len(tokens) - 1):
        after = tokens[i + 1]
        if tokens[i].kind == "slash" and tokens[i - 1].kind == "digit" and (after.kind == "digit" or after.text.isdecimal()):
            return i
    return None


_EMPTY: Final = {"0": "0", "?": " ", "#": ""}


def _fill(tokens: list[Token], at: list[int], digits: str, *, thousands: bool = False) -> dict[int, str]:
    """*digits* set right-aligned into the placeholders at *at*; what is left over stands before the first."""
    out: dict[int, str] = {}
    for position, i in enumerate(reversed(at)):
        is_first = position == len(at) - 1
        if position < len(digits):
            piece = digits[: len(digits) - position] if is_first else digits[len(digits) - 1 - position]
        else:
            piece = _EMPTY[tokens[i].text]
        if thousands and piece.strip():
            piece = _grouped(piece, position)
        out[i] = piece
    return out


def _grouped(piece: str, position: int) -> str:
    """The digits of *piece*, whose last one stands at *position* from the right, with commas behind each third."""
    out = []
    for back, digit in enumerate(reversed(piece)):
        place = position + back
        out.append(digit + ("," if place and place % 3 == 0 else ""))
    return "".join(reversed(out))


def _fill_places(tokens: list[Token], at: list[int], digits: str) -> dict[int, str]:
    out: dict[int, str] = {}
    trailing = True
    for position in range(len(at) - 1, -1, -1):
        digit = digits[position] if position < len(digits) else "0"
        if digit != "0" or tokens[at[position]].text == "0":
            trailing = False
        out[at[position]] = _EMPTY[tokens[at[position]].text] if trailing else digit
    return out
