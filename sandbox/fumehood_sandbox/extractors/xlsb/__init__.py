"""Binary workbooks (xlsb), read from their records ([MS-XLSB]).

What is read and how it is sent is the same as for a workbook in XML (`extractors.xlsx`), whose drawings, charts, properties and
threaded comments are the same parts here.
"""

from __future__ import annotations

from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.xlsb.workbook import BinaryWorkbookReader


def extract(x: Extraction) -> None:
    """Read the workbook in ``x.data``."""
    BinaryWorkbookReader(x).read()
