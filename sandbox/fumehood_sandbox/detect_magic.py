"""Formats that their first bytes name: images, archives, media, programs."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.detect_table import KINDS, Kind

#: First bytes, and the ending that stands for the kind in `detect_table.KINDS`.
_FIRST: Final = (
    (b"\x89PNG\r\n\x1a\n", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"GIF87a", ".gif"), (b"GIF89a", ".gif"), (b"II*\0", ".tiff"),
    (b"MM\0*", ".tiff"), (b"II+\0", ".tiff"), (b"MM\0+", ".tiff"), (b"\0\0\x01\0", ".ico"), (b"8BPS\0", ".psd"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", ".jp2"), (b"\xff\x4f\xff\x51", ".jp2"), (b"\xd7\xcd\xc6\x9a", ".wmf"), (b"AT&TFORM", ".djvu"),
    (b"\x1f\x8b", ".gz"), (b"BZh", ".bz2"), (b"\xfd7zXZ\0", ".xz"), (b"\x28\xb5\x2f\xfd", ".zst"), (b"7z\xbc\xaf\x27\x1c", ".7z"),
    (b"Rar!\x1a\x07", ".rar"), (b"MSCF\0\0\0\0", ".cab"), (b"{\\rtf", ".rtf"), (b"%!PS", ".ps"), (b"\xc5\xd0\xd3\xc6", ".ps"),
    (b"\x78\x9f\x3e\x22", ".tnef"), (b"\x7fELF", ".exe"), (b"MZ", ".exe"), (b"SQLite format 3\0", ".db"),
    (b"\0\x01\0\0Standard Jet DB", ".db"), (b"\0\x01\0\0Standard ACE DB", ".db"), (b"ID3", ".mp4"), (b"OggS\0", ".mp4"), (b"fLaC\0", ".mp4"),
    (b"\x1aE\xdf\xa3", ".mp4"),
)  # fmt: skip
#: Word for Windows 1, 2 and 6/95 files outside of OLE, and Write: the FIB's magic number alone.
_BARE_WORD: Final = (b"\x9b\xa5", b"\xdb\xa5", b"\xdc\xa5", b"\x31\xbe\0\0", b"\x32\xbe\0\0")
#: The BOF record of a workbook outside of OLE, BIFF2 to BIFF5, with its length ([MS-XLS] 2.4.21 and its forerunners).
_BARE_BIFF: Final = (
    b"\x09\0\x04\0",
    b"\x09\x02\x06\0",
    b"\x09\x04\x06\0",
    b"\x09\x08\x08\0",
    b"\x09\x08\x10\0",
    b"\x09\0\x06\0",
)
_FTYP: Final = {
    b"heic": ".heic",
    b"heix": ".heic",
    b"hevc": ".heic",
    b"mif1": ".heic",
    b"msf1": ".heic",
    b"avif": ".avif",
    b"avis": ".avif",
}


def identify_magic(data: bytes) -> Kind | None:
    """The kind that the first bytes name, or None."""
    for magic, ending in _FIRST:
        if data.startswith(magic):
            if ending == ".exe" and magic == b"MZ" and b"\0" not in data[:256]:
                continue
            return KINDS[ending]
    if data[:4] == b"RIFF":
        return KINDS[".webp" if data[8:12] == b"WEBP" else ".mp4"]
    if data[4:8] == b"ftyp":
        return KINDS[_FTYP.get(data[8:12], ".mp4")]
    if data[:2] == b"BM" and data[6:10] == b"\0\0\0\0" and data[10:14] != b"\0\0\0\0":
        return KINDS[".bmp"]
    if data[:4] == b"\x01\0\0\0" and data[40:44] == b" EMF":
        return KINDS[".emf"]
    if data[257:262] == b"ustar":
        return KINDS[".tar"]
    if data[:2] in _BARE_WORD[:3] or data[:4] in _BARE_WORD[3:]:
        return KINDS[".doc"]
    if data[:4] in _BARE_BIFF:
        return KINDS[".xls"]
    return None
