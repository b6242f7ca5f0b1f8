"""What the readers of the image do with the kernel, library by library, on documents made here. Test image only.

The system call list is made from a trace of this (``scripts/seccomp_from_strace.py``), and a test runs it under that list.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined"
from __future__ import annotations

import bz2
import datetime as dt
import gc
import hashlib
import io
import lzma
import mmap
import os
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from typing import Final


def _standard_library() -> None:
    assert zlib.decompress(zlib.compress(b"x" * 100_000)) == b"x" * 100_000
    assert lzma.decompress(lzma.compress(b"x" * 100_000)) == b"x" * 100_000
    assert bz2.decompress(bz2.compress(b"x" * 100_000)) == b"x" * 100_000
    hashlib.sha256(os.urandom(100_000)).hexdigest()
    dt.datetime.now(dt.UTC).astimezone().isoformat()
    time.sleep(0.001)
    held = [bytearray(8 * 1024 * 1024) for _ in range(4)]
    del held
    gc.collect()
    page = mmap.mmap(-1, 65536)
    page.write(b"x")
    page.close()


def _files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a")  # noqa: PTH118 - the calls as libraries make them
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(b"x" * 1000)
        os.rename(path, path + "b")  # noqa: PTH104
        assert os.stat(path + "b").st_size == 1000  # noqa: PTH116
        with open(path + "b", "r+b") as again, mmap.mmap(again.fileno(), 0) as mapped:  # noqa: PTH123
            assert mapped[:1] == b"x"
            again.truncate(500)
            os.fsync(again.fileno())
    with tempfile.TemporaryFile() as unnamed:
        unnamed.write(b"x")
    with tempfile.SpooledTemporaryFile(max_size=10) as spooled:
        spooled.write(b"x" * 100)


def _threads() -> None:
    lock, done = threading.Lock(), []

    def work() -> None:
        with lock:
            done.append(1)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(5)
    assert len(done) == 8


def _lxml() -> None:
    from lxml import etree, html  # noqa: PLC0415

    assert etree.fromstring(b"<a><b>1</b></a>").findtext("b") == "1"
    assert html.fromstring("<p>x<b>y</b>").text_content() == "xy"


def _docx() -> None:
    import docx  # noqa: PLC0415

    document, data = docx.Document(), io.BytesIO()
    document.add_heading("a", 1)
    document.add_table(2, 2)
    document.save(data)
    assert docx.Document(io.BytesIO(data.getvalue())).paragraphs[0].text == "a"


def _xlsx() -> None:
    import openpyxl  # noqa: PLC0415

    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"] = 1.5
    book.save(data)
    assert openpyxl.load_workbook(io.BytesIO(data.getvalue()), read_only=True).active["A1"].value == 1.5


def _pptx() -> None:
    import pptx  # noqa: PLC0415

    show, data = pptx.Presentation(), io.BytesIO()
    show.slides.add_slide(show.slide_layouts[0]).shapes.title.text = "a"
    show.save(data)
    assert len(pptx.Presentation(io.BytesIO(data.getvalue())).slides) == 1


def _pdf() -> None:
    import pymupdf  # noqa: PLC0415

    made = pymupdf.open()
    page = made.new_page()
    page.insert_text((72, 72), "hello")
    page.insert_image((100, 100, 150, 150), stream=page.get_pixmap(dpi=20).tobytes("png"))
    read = pymupdf.open(stream=made.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="p", owner_pw="o"), filetype="pdf")
    assert read.authenticate("p")
    assert "hello" in read[0].get_text("dict")["blocks"][0]["lines"][0]["spans"][0]["text"]
    read[0].get_pixmap(dpi=50).tobytes("jpeg")
    read[0].find_tables()


def _images() -> None:
    from PIL import Image  # noqa: PLC0415

    for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP"):
        data = io.BytesIO()
        Image.new("RGB", (64, 64), "red").save(data, kind)
        Image.open(io.BytesIO(data.getvalue())).resize((8, 8)).load()


def _old_office() -> None:
    import olefile  # noqa: PLC0415
    import xlrd  # noqa: PLC0415

    assert not olefile.isOleFile(b"no ole at all" * 200)
    try:
        xlrd.open_workbook(file_contents=b"no workbook")
    except xlrd.XLRDError:
        return
    raise AssertionError("xlrd read what is no workbook")


def _archives() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", "x" * 1000)
    with zipfile.ZipFile(io.BytesIO(data.getvalue())) as archive:
        assert archive.read("a") == b"x" * 1000


PARTS: Final[dict[str, Callable[[], None]]] = {
    "standard library": _standard_library,
    "files": _files,
    "threads": _threads,
    "lxml": _lxml,
    "docx": _docx,
    "xlsx": _xlsx,
    "pptx": _pptx,
    "pdf": _pdf,
    "images": _images,
    "old office": _old_office,
    "archives": _archives,
}


def run() -> list[str]:
    """Run every part; the names of those that passed, and of those that did not with what happened."""
    said = []
    for name, part in PARTS.items():
        try:
            part()
        except Exception as error:  # noqa: BLE001 - the test wants to see each
            said.append(f"{name} FAILED ({type(error).__name__}: {error})"[:200])
        else:
            said.append(name)
    return said
