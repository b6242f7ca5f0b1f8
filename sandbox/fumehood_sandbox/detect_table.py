"""The families of documents: what each is called, its MIME type and endings, and whether this version reads it.

Detection (`detect`) decides by content; the endings here only say whether the name agrees with what was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.contract import Format


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file. Several kinds share a family (docx, docm, dotx …)."""

    family: str
    name: str
    mime: str
    extension: str
    legacy: bool = False
    template: bool = False

    def format(self) -> Format:
        """A fresh `Format` of this kind."""
        return Format(self.family, self.name, self.mime, self.extension, legacy=self.legacy, template=self.template)


#: Families that an extractor of this version reads (`methods.CHAINS` has one chain for each).
READ: Final = frozenset({"docx", "xlsx", "xlsb", "pptx", "pdf", "csv", "text"})

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_CELL = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_SHOW = "application/vnd.openxmlformats-officedocument.presentationml."
_ODF = "application/vnd.oasis.opendocument."

_KINDS: Final = (
    Kind("docx", "Word document", _WORD + "document", ".docx"),
    Kind("docx", "Word document with macros", "application/vnd.ms-word.document.macroEnabled.12", ".docm"),
    Kind("docx", "Word template", _WORD + "template", ".dotx", template=True),
    Kind("docx", "Word template with macros", "application/vnd.ms-word.template.macroEnabled.12", ".dotm", template=True),
    Kind("xlsx", "Excel workbook", _CELL + "sheet", ".xlsx"),
    Kind("xlsx", "Excel workbook with macros", "application/vnd.ms-excel.sheet.macroEnabled.12", ".xlsm"),
    Kind("xlsx", "Excel template", _CELL + "template", ".xltx", template=True),
    Kind("xlsx", "Excel template with macros", "application/vnd.ms-excel.template.macroEnabled.12", ".xltm", template=True),
    Kind("xlsx", "Excel add-in", "application/vnd.ms-excel.addin.macroEnabled.12", ".xlam"),
    Kind("xlsb", "Excel binary workbook", "application/vnd.ms-excel.sheet.binary.macroEnabled.12", ".xlsb"),
    Kind("pptx", "PowerPoint presentation", _SHOW + "presentation", ".pptx"),
    Kind("pptx", "PowerPoint presentation with macros", "application/vnd.ms-powerpoint.presentation.macroEnabled.12", ".pptm"),
    Kind("pptx", "PowerPoint show", _SHOW + "slideshow", ".ppsx"),
    Kind("pptx", "PowerPoint show with macros", "application/vnd.ms-powerpoint.slideshow.macroEnabled.12", ".ppsm"),
    Kind("pptx", "PowerPoint template", _SHOW + "template", ".potx", template=True),
    Kind("pptx", "PowerPoint template with macros", "application/vnd.ms-powerpoint.template.macroEnabled.12", ".potm", template=True),
    Kind("pptx", "PowerPoint add-in", "application/vnd.ms-powerpoint.addin.macroEnabled.12", ".ppam"),
    Kind("visio", "Visio drawing", "application/vnd.ms-visio.drawing.main+xml", ".vsdx"),
    Kind("xps", "XPS document", "application/vnd.ms-xpsdocument", ".xps"),
    Kind("ooxml", "Office document", "application/vnd.openxmlformats-officedocument", ""),
    Kind("opc", "Open Packaging container", "application/zip", ""),
    Kind("odt", "OpenDocument text", _ODF + "text", ".odt"),
    Kind("odt", "OpenDocument text template", _ODF + "text-template", ".ott", template=True),
    Kind("ods", "OpenDocument spreadsheet", _ODF + "spreadsheet", ".ods"),
    Kind("ods", "OpenDocument spreadsheet template", _ODF + "spreadsheet-template", ".ots", template=True),
    Kind("odp", "OpenDocument presentation", _ODF + "presentation", ".odp"),
    Kind("odp", "OpenDocument presentation template", _ODF + "presentation-template", ".otp", template=True),
    Kind("odf", "OpenDocument file", "application/vnd.oasis.opendocument", ""),
    Kind("epub", "EPUB book", "application/epub+zip", ".epub"),
    Kind("iwork", "Apple iWork document", "application/vnd.apple.iwork", ""),
    Kind("zip", "ZIP archive", "application/zip", ".zip"),
    Kind("doc", "Word 97-2003 document", "application/msword", ".doc", legacy=True),
    Kind("xls", "Excel 97-2003 workbook", "application/vnd.ms-excel", ".xls", legacy=True),
    Kind("ppt", "PowerPoint 97-2003 presentation", "application/vnd.ms-powerpoint", ".ppt", legacy=True),
    Kind("msg", "Outlook message", "application/vnd.ms-outlook", ".msg"),
    Kind("visio", "Visio 2003 drawing", "application/vnd.visio", ".vsd", legacy=True),
    Kind("publisher", "Publisher document", "application/x-mspublisher", ".pub", legacy=True),
    Kind("project", "Microsoft Project file", "application/vnd.ms-project", ".mpp"),
    Kind("works", "Microsoft Works document", "application/vnd.ms-works", ".wps", legacy=True),
    Kind("hwp", "Hangul document", "application/x-hwp", ".hwp"),
    Kind("ole", "OLE compound file", "application/x-ole-storage", ""),
    Kind("pdf", "PDF document", "application/pdf", ".pdf"),
    Kind("postscript", "PostScript file", "application/postscript", ".ps"),
    Kind("rtf", "Rich Text document", "application/rtf", ".rtf"),
    Kind("html", "HTML page", "text/html", ".html"),
    Kind("mhtml", "Web archive (MHTML)", "multipart/related", ".mht"),
    Kind("eml", "E-mail message", "message/rfc822", ".eml"),
    Kind("mbox", "Mailbox file", "application/mbox", ".mbox"),
    Kind("tnef", "TNEF attachment (winmail.dat)", "application/ms-tnef", ".tnef"),
    Kind("xml", "XML file", "application/xml", ".xml"),
    Kind("wordml", "Word 2003 XML document", "application/xml", ".xml", legacy=True),
    Kind("spreadsheetml", "Excel 2003 XML spreadsheet", "application/xml", ".xml", legacy=True),
    Kind("flat-opc", "Office document in one XML file (flat OPC)", "application/xml", ".xml"),
    Kind("flat-odf", "OpenDocument in one XML file (flat ODF)", "application/xml", ".xml"),
    Kind("json", "JSON file", "application/json", ".json"),
    Kind("csv", "Table of separated values", "text/csv", ".csv"),
    Kind("text", "Plain text", "text/plain", ".txt"),
    Kind("text", "Markdown text", "text/markdown", ".md"),
    Kind("image", "PNG image", "image/png", ".png"),
    Kind("image", "JPEG image", "image/jpeg", ".jpg"),
    Kind("image", "GIF image", "image/gif", ".gif"),
    Kind("image", "TIFF image", "image/tiff", ".tiff"),
    Kind("image", "BMP image", "image/bmp", ".bmp"),
    Kind("image", "WebP image", "image/webp", ".webp"),
    Kind("image", "HEIC image", "image/heic", ".heic"),
    Kind("image", "AVIF image", "image/avif", ".avif"),
    Kind("image", "JPEG 2000 image", "image/jp2", ".jp2"),
    Kind("image", "Windows icon", "image/vnd.microsoft.icon", ".ico"),
    Kind("image", "Photoshop image", "image/vnd.adobe.photoshop", ".psd"),
    Kind("image", "Enhanced metafile", "image/emf", ".emf"),
    Kind("image", "Windows metafile", "image/wmf", ".wmf"),
    Kind("image", "SVG image", "image/svg+xml", ".svg"),
    Kind("djvu", "DjVu document", "image/vnd.djvu", ".djvu"),
    Kind("archive", "gzip file", "application/gzip", ".gz"),
    Kind("archive", "bzip2 file", "application/x-bzip2", ".bz2"),
    Kind("archive", "xz file", "application/x-xz", ".xz"),
    Kind("archive", "Zstandard file", "application/zstd", ".zst"),
    Kind("archive", "7-Zip archive", "application/x-7z-compressed", ".7z"),
    Kind("archive", "RAR archive", "application/vnd.rar", ".rar"),
    Kind("archive", "tar archive", "application/x-tar", ".tar"),
    Kind("archive", "Cabinet archive", "application/vnd.ms-cab-compressed", ".cab"),
    Kind("media", "Audio or video file", "application/octet-stream", ".mp4"),
    Kind("program", "Executable program", "application/octet-stream", ".exe"),
    Kind("database", "Database file", "application/octet-stream", ".db"),
    Kind("unknown", "Unknown binary data", "application/octet-stream", ""),
)  # fmt: skip

#: By ending where there is one, else by family.
KINDS: Final[dict[str, Kind]] = {}
for _kind in _KINDS:
    KINDS.setdefault(_kind.extension or _kind.family, _kind)
    KINDS.setdefault(_kind.family, _kind)

#: Other endings of a family. Endings of text files are in `TEXT_ENDINGS`.
_MORE_ENDINGS: Final = {
    "xls": ".xlt .xla .xlm .xlw", "doc": ".dot .wri", "ppt": ".pps .pot", "html": ".htm .xhtml .xht .shtml", "mhtml": ".mhtml",
    "image": ".jpeg .jpe .tif .dib .heif .jpf .jpx .j2k .j2c .svgz .cur", "csv": ".tsv .tab", "archive": ".tgz .tbz2 .txz",
    "zip": ".jar .zipx", "xml": ".xsl .xslt .xsd .rss .atom .kml .plist", "postscript": ".eps .ai", "odf": ".odg .odf .odc .odm .odb",
    "visio": ".vsdm .vstx .vst", "media": ".mp3 .wav .avi .mov .mkv .webm .ogg .flac .m4a", "project": ".mpt", "flat-odf": ".fodt .fods .fodp",
    "iwork": ".pages .numbers .key", "database": ".sqlite .sqlite3 .mdb .accdb", "program": ".dll .so .elf .com .scr", "json": ".geojson .ipynb",
}  # fmt: skip

#: Whatever text they hold, it is read as text: source code that starts like a web page or like JSON is still source code.
TEXT_ENDINGS: Final = frozenset(
    [
        ".txt",
        ".text",
        ".md",
        ".markdown",
        ".mdown",
        ".mkd",
        ".rst",
        ".adoc",
        ".asciidoc",
        ".org",
        ".tex",
        ".log",
        ".ini",
        ".cfg",
        ".conf",
        ".toml",
        ".yaml",
        ".yml",
        ".env",
        ".properties",
        ".py",
        ".pyi",
        ".js",
        ".mjs",
        ".ts",
        ".tsx",
        ".jsx",
        ".java",
        ".kt",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".cs",
        ".go",
        ".rs",
        ".rb",
        ".php",
        ".pl",
        ".pm",
        ".sh",
        ".bash",
        ".zsh",
        ".ps1",
        ".bat",
        ".cmd",
        ".sql",
        ".r",
        ".m",
        ".swift",
        ".scala",
        ".lua",
        ".vb",
        ".vbs",
        ".bas",
        ".css",
        ".scss",
        ".less",
        ".diff",
        ".patch",
        ".srt",
        ".vtt",
        ".nfo",
        ".asc",
        ".jsonl",
        ".ndjson",
    ]
)

#: The family that an ending promises.
BY_ENDING: Final[dict[str, str]] = {
    **{kind.extension: kind.family for kind in reversed(_KINDS) if kind.extension},
    **{ending: family for family, endings in _MORE_ENDINGS.items() for ending in endings.split()},
    **dict.fromkeys(TEXT_ENDINGS, "text"),
}

#: An ``.xml`` may hold any of these without its name being wrong.
XML_FAMILIES: Final = frozenset({"xml", "wordml", "spreadsheetml", "flat-opc", "flat-odf", "html"})
