"""The one place that imports MuPDF: untyped (its stubs cover half of it), and silent from the first moment on.

Its libraries name thousands of each other's functions: these are looked for when they are first called, not all of them
before a page is read.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final

_flags = sys.getdlopenflags()
sys.setdlopenflags(os.RTLD_LAZY)
pymupdf: Final[Any] = __import__("pymupdf")
sys.setdlopenflags(_flags)

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)
