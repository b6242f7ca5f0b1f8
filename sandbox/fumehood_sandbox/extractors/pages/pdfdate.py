"""The dates of PDFs."""

from __future__ import annotations

import re
from typing import Final

_DATE: Final = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Zz])(\d\d)?'?(\d\d)?)?")


def iso_date(date: str) -> str | None:
    """``D:20240131120000+01'00'`` (ISO 32000-1 7.9.4) as ``2024-01-31T12:00:00+01:00``; None when it is no date."""
    match = _DATE.match(date.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, sign, off_hour, off_minute = match.groups()
    month, day = month or "01", day or "01"
    if not ("01" <= month <= "12" and "01" <= day <= "31"):
        return None
    if hour is None:
        return f"{year}-{month}-{day}"
    zone = "" if sign is None else "Z" if sign in "Zz" else f"{sign}{off_hour or '00'}:{off_minute or '00'}"
    return f"{year}-{month}-{day}T{hour}:{minute or '00'}:{second or '00'}{zone}"
