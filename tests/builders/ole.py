"""Compound files ([MS-CFB]) and the objects in them, made by hand."""

from __future__ import annotations

import struct

_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_CUTOFF = 4096


def compound(streams: dict[str, bytes]) -> bytes:
    """A version 3 file with these streams in its root: those under 4,096 bytes in the mini stream, as they are in real files."""
    sectors: list[bytes] = [b""]  # the FAT, written last
    chains = [_FAT]

    def place(data: bytes) -> int:
        """*data* in sectors of its own; the first one's number."""
        if not data:
            return _END
        first, count = len(sectors), -(-len(data) // 512)
        sectors.extend(data[at : at + 512].ljust(512, b"\0") for at in range(0, len(data), 512))
        chains.extend([*range(first + 1, first + count), _END])
        return first

    mini, mini_chains, starts = b"", [], {}
    for name, data in streams.items():
        if len(data) >= _CUTOFF:
            starts[name] = place(data)
        elif data:
            starts[name], count = len(mini_chains), -(-len(data) // 64)
            mini += data.ljust(count * 64, b"\0")
            mini_chains += [*range(starts[name] + 1, starts[name] + count), _END]
    mini_fat = place(struct.pack(f"<{len(mini_chains)}I", *mini_chains))
    names = list(streams)
    entries = [_entry("Root Entry", 5, _FREE, 1 if names else _FREE, place(mini), len(mini))]
    for at, name in enumerate(names, 1):
        right = at + 1 if at < len(names) else _FREE
        entries.append(_entry(name, 2, right, _FREE, starts.get(name, _END), len(streams[name])))
    directory = place(b"".join(entries))
    sectors[0] = struct.pack("<128I", *chains, *[_FREE] * (128 - len(chains)))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9I", 0, 1, directory, 0, _CUTOFF, mini_fat, int(bool(mini)), _END, 0)
    return header + struct.pack("<109I", 0, *[_FREE] * 108) + b"".join(sectors)


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    raw = (name + "\0").encode("utf-16-le")
    return struct.pack("<64sHBB3I16sIQQIQ", raw, len(raw), kind, 1, _FREE, right, child, b"", 0, 0, 0, start, size)


def packager(data: bytes, label: str, path: str = "C:\\x\\y.bin", *, wide: str | None = None) -> bytes:
    r"""An ``\1Ole10Native`` stream as the Object Packager writes it; *wide* is the label in UTF-16 behind it."""
    native = b"\x02\0" + label.encode("cp1252") + b"\0" + path.encode("cp1252") + b"\0" + b"\0\0\x03\0"
    temporary = b"C:\\temp\\copy\0"
    native += struct.pack("<I", len(temporary)) + temporary + struct.pack("<I", len(data)) + data
    if wide is not None:
        for text in ("C:\\temp", wide, "C:\\x"):
            native += struct.pack("<I", len(text)) + text.encode("utf-16-le")
    return struct.pack("<I", len(native)) + native
