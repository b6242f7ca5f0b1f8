"""What kind of OLE compound file this is ([MS-CFB]), and whether it is encrypted.

A reader of its own, of the directory and of the first bytes of a few streams only: every chain is walked at most once
round and never past what is asked for, so that loops, huge declared sizes and missing sectors cost nothing. Where the
directory cannot be read, the names of well-known streams are searched for in the raw bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from fumehood_sandbox.contract import Format
from fumehood_sandbox.detect_table import BY_ENDING, KINDS
from fumehood_sandbox.errors import ExtractError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END = 0xFFFFFFFA  # sector numbers from here on are marks, not sectors
_MAX_ENTRIES = 65_536
_ENTRY = struct.Struct("<64sHBB3I16sIQQIQ")


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: int  # 1 storage, 2 stream, 5 root
    start: int
    size: int
    siblings: tuple[int, int]
    child: int


class OleDirectory:
    """The directory of a compound file. Raises ValueError when there is none to read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        if len(data) < 512 or data[:8] != MAGIC:
            raise ValueError("no OLE header")
        shift, mini_shift = struct.unpack_from("<HH", data, 30)
        if shift not in {9, 12} or mini_shift > shift:
            raise ValueError("bad sector size")
        self._shift, self._mini_shift = shift, mini_shift
        n_fat, directory, self._cutoff, self._minifat_start = struct.unpack_from("<II4xII", data, 44)
        self._fat_sectors = self._difat(min(n_fat, (len(data) >> shift) + 1))
        self.entries = self._read_entries(directory)
        if not self.entries:
            raise ValueError("empty directory")
        self._minifat: list[int] | None = None

    def _sector(self, number: int) -> bytes:
        at = (number + 1) << self._shift
        return self._data[at : at + (1 << self._shift)]

    def _difat(self, wanted: int) -> list[int]:
        """The sectors of the FAT: 109 in the header, the rest in a chain."""
        numbers = list(struct.unpack_from("<109I", self._data, 76))
        following = struct.unpack_from("<I", self._data, 68)[0]
        seen: set[int] = set()
        while following < _END and following not in seen and len(numbers) < wanted:
            seen.add(following)
            sector = self._sector(following)
            words = struct.unpack(f"<{len(sector) // 4}I", sector[: len(sector) // 4 * 4])
            if not words:
                break
            numbers.extend(words[:-1])
            following = words[-1]
        return [n for n in numbers if n < _END][:wanted]

    def _next(self, sector: int) -> int:
        per = 1 << (self._shift - 2)
        table, slot = divmod(sector, per)
        if table >= len(self._fat_sectors):
            return _END
        at = ((self._fat_sectors[table] + 1) << self._shift) + 4 * slot
        word = self._data[at : at + 4]
        return int.from_bytes(word, "little") if len(word) == 4 else _END

    def _chain(self, start: int, limit: int) -> bytes:
        """At most *limit* bytes of the chain that starts at a sector; a loop ends it."""
        out, seen, sector, size = [], set[int](), start, 0
        while sector < _END and sector not in seen and size < limit:
            seen.add(sector)
            piece = self._sector(sector)
            if not piece:
                break
            out.append(piece)
            size += len(piece)
            sector = self._next(sector)
        return b"".join(out)[:limit]

    def _read_entries(self, start: int) -> list[_Entry]:
        raw = self._chain(start, _MAX_ENTRIES * 128)
        entries = []
        for at in range(0, len(raw) - 127, 128):
            name, length, kind, _, left, right, child, *_, first, size = _ENTRY.unpack_from(raw, at)
            text = name[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace").lower()
            entries.append(_Entry(text, kind, first, size & 0xFFFFFFFF, (left, right), child))
        return entries

    @property
    def names(self) -> set[str]:
        """Every name, lower case (names are compared without regard to case, 2.6.4)."""
        return {entry.name for entry in self.entries if entry.kind in {1, 2}}

    def top(self) -> dict[str, _Entry]:
        """What stands directly in the root: not the streams of embedded objects. All there is, where the tree is broken."""
        root = next((e for e in self.entries if e.kind == 5), None)
        found: dict[str, _Entry] = {}
        seen: set[int] = set()
        todo = [root.child] if root is not None else []
        while todo:
            number = todo.pop()
            if number in seen or number >= len(self.entries):
                continue
            seen.add(number)
            entry = self.entries[number]
            found.setdefault(entry.name, entry)
            todo.extend(entry.siblings)
        return found or {e.name: e for e in self.entries if e.kind in {1, 2}}

    def head(self, name: str, limit: int = 8192) -> bytes:
        """The first bytes of the root's stream of that name (lower case); empty when it is not there."""
        entry = self.top().get(name)
        if entry is None or entry.kind != 2:
            return b""
        limit = min(limit, entry.size)
        if entry.size >= self._cutoff:
            return self._chain(entry.start, limit)
        root = next((e for e in self.entries if e.kind == 5), None)
        if root is None:
            return b""
        if self._minifat is None:
            table = self._chain(self._minifat_start, len(self._data))
            self._minifat = list(struct.unpack(f"<{len(table) // 4}I", table[: len(table) // 4 * 4]))
        ministream = self._chain(root.start, len(self._data))
        out, seen, sector, unit = b"", set[int](), entry.start, 1 << self._mini_shift
        while sector < len(self._minifat) and sector not in seen and len(out) < limit:
            seen.add(sector)
            out += ministream[sector * unit : (sector + 1) * unit]
            sector = self._minifat[sector]
        return out[:limit]


#: A stream or storage that only files of one kind have, most telling first.
_TELLING = (
    ("WordDocument", ".doc"), ("Workbook", ".xls"), ("Book", ".xls"), ("PowerPoint Document", ".ppt"), ("PP97_DUALSTORAGE", ".ppt"),
    ("PP40", ".ppt"), ("__properties_version1.0", ".msg"), ("__nameid_version1.0", ".msg"), ("VisioDocument", ".vsd"), ("Quill", ".pub"),
    ("Props12", ".mpp"), ("Props9", ".mpp"), ("Props14", ".mpp"), ("HwpSummaryInformation", ".hwp"), ("BodyText", ".hwp"), ("MatOST", ".wps"),
)  # fmt: skip


def identify_ole(data: bytes, declared: str) -> Format:
    """The format of an OLE compound file. Raises ExtractError ``corrupt`` when nothing can be made out."""
    try:
        directory = OleDirectory(data)
    except (ValueError, struct.error, IndexError, OverflowError):
        return _by_raw_names(data)
    top, names = directory.top(), directory.names
    if "encryptedpackage" in top or {"encryptioninfo", "\x06dataspaces"} <= set(top):
        return _encrypted_package(declared)
    for among in (set(top), names):  # in the root; else anywhere, for a damaged tree
        for stream, kind in _TELLING:
            if stream.lower() in among:
                found = KINDS[kind].format()
                found.encrypted = _is_encrypted(directory, kind)
                found.macros = bool(names & {"_vba_project", "_vba_project_cur"})
                return found
    return KINDS["ole"].format()


def _encrypted_package(declared: str) -> Format:
    """An Office document of the new formats, encrypted ([MS-OFFCRYPTO] 2.3): which one is only known inside."""
    family = BY_ENDING.get(declared, "")
    found = KINDS[declared if family in {"docx", "xlsx", "xlsb", "pptx"} else "ooxml"].format()
    found.name = "Encrypted Office document"
    found.encrypted = True
    return found


def _is_encrypted(directory: OleDirectory, kind: str) -> bool:
    if kind == ".doc":  # FibBase.fEncrypted, [MS-DOC] 2.5.2
        fib = directory.head("worddocument", 32)
        return len(fib) >= 12 and bool(fib[11] & 0x01)
    if kind == ".xls":
        return biff_has_filepass(directory.head("workbook") or directory.head("book"))
    if kind == ".ppt":  # CurrentUserAtom.headerToken, [MS-PPT] 2.3.2
        return directory.head("current user", 32)[12:16] == b"\xdf\xc4\xd1\xf3" or "encryptedsummary" in directory.names
    return False


def biff_has_filepass(stream: bytes) -> bool:
    """Whether a FILEPASS record stands among the first records of a workbook ([MS-XLS] 2.4.117)."""
    at = 0
    for _ in range(32):
        if at + 4 > len(stream):
            return False
        record, length = struct.unpack_from("<HH", stream, at)
        if record == 0x002F:
            return True
        at += 4 + length
    return False


def _by_raw_names(data: bytes) -> Format:
    for name, kind in (("EncryptedPackage", "ooxml"), *_TELLING[:6]):
        if name.encode("utf-16-le") in data:
            found = KINDS[kind].format()
            found.encrypted = kind == "ooxml"
            return found
    raise ExtractError("corrupt", "the directory of the OLE compound file cannot be read")
