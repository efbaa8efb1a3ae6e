"""Letters that are one for a reader who types without diacritics; NFKD leaves them whole.

`normalise.py` folds by these tables for comparison keys, `query/record_texts.py` for queries.
Comparison keys fold more: ß, ħ, more marks and signs. Queries get ß as "ss" from `str.casefold`,
and leave ħ as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Lower case, as keys and queries both fold it.
LETTERS: Mapping[str, str] = {
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ı": "i",
}
#: Signs that are left out, so that "O'Neill" is one word.
APOSTROPHES: Mapping[str, str] = dict.fromkeys("'’‘ʼ", "")
#: Combining diacritics, as the inside of a character class.
MARKS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
