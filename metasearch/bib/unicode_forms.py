"""The normal forms of Unicode, in linear time.

To sort the marks above and below a letter, as every normal form does, takes the square of their
number; a text of 60,000 marks takes seconds. The Stream-Safe Text Format of UAX #15 allows 30 marks
in a row, more than any language writes; here the rest of a longer row is left out, so that all else
is sorted quickly.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from metasearch.late_pattern import late_pattern

#: Marks in a row that are kept (https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format).
MOST_MARKS = 30
#: The half-width voiced marks of Japanese are letters, but become marks under a compatibility form.
_HALF_WIDTH_MARKS = "\uff9e\uff9f"
# Every mark is neither a letter nor a blank; what else is found is looked at more closely.
_MAY_BE_MARKS = late_pattern(rf"(?:[^\w\s]|[{_HALF_WIDTH_MARKS}]){{{MOST_MARKS + 1},}}")
# The same and blanks: of nearly all texts this says more quickly that there are none.
_NO_LETTERS = re.compile(rf"[\W{_HALF_WIDTH_MARKS}]{{{MOST_MARKS + 1}}}")


def normalize(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Like `unicodedata.normalize`, without the marks behind the thirtieth in a row."""
    if not text.isascii() and _NO_LETTERS.search(text):
        text = _MAY_BE_MARKS.sub(_without_excess, text)
    return unicodedata.normalize(form, text)


def _without_excess(found: re.Match[str]) -> str:
    kept: list[str] = []
    row = 0
    for character in found.group():
        row = row + 1 if unicodedata.combining(character) or character in _HALF_WIDTH_MARKS else 0
        if row <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)
