"""Excel's number formats: what a cell shows for its value (ECMA-376 part 1, 18.8.30 and 18.8.31).

``NumberFormat(code)`` is parsed once and shows any number of values. The display language is US English, as the built-in
formats are defined; a locale tag of the format only chooses its currency sign.
"""

from fumehood_sandbox.extractors.numfmt.builtin import builtin_code
from fumehood_sandbox.extractors.numfmt.dates import from_serial, iso
from fumehood_sandbox.extractors.numfmt.format import NumberFormat, number_format
from fumehood_sandbox.extractors.numfmt.general import general

__all__ = ["NumberFormat", "builtin_code", "from_serial", "general", "iso", "number_format"]
