"""Words as they are compared: folded to one case, one width and letters without diacritics.

Every function is pure and never raises on odd input.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from metasearch.bib.name_words import PARTICLES
from metasearch.late_pattern import late_pattern

# Letters that are one for a reader who types without diacritics; NFKD leaves them whole.
#
# Comparison keys are folded by these tables here, queries in `query/match.py`.
# Comparison keys fold more: ß, ħ, more marks and signs. Queries get ß as "ss" from `str.casefold`,
# and leave ħ as it is.

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


# The normal forms of Unicode, in linear time.
#
# To sort the marks above and below a letter, as every normal form does, takes the square of their
# number; a text of 60,000 marks takes seconds. The Stream-Safe Text Format of UAX #15 allows 30
# marks in a row, more than any language writes; here the rest of a longer row is left out, so that
# all else is sorted quickly.

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


#: Words that are not ASCII and are remembered with their plain form; characters of one at most.
KEPT, LONGEST_KEPT = 2_000, 40

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma",
    "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_FOLD = {**LETTERS, **APOSTROPHES, "ß": "ss", "ħ": "h", "&": " and ", "ʹ": "", "ʺ": "", "`": ""}
_FOLDED = re.compile("[" + "".join(_FOLD) + "]")
# The letter comes first in the pattern, because the rest of the text is then passed over quickly.
_SYMBOL_GREEK = late_pattern(r"[\u03b1-\u03c9](?<![\u0370-\u03ff].)(?![\u0370-\u03ff])")
_WORD = late_pattern(r"[^\W_]+")
#: One character of Chinese, Japanese or Korean.
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_MARKS = re.compile(rf"[{MARKS}\ufe20-\ufe2f]")
# One pass over bytes for ASCII, which is nearly all text: lower case, apostrophes gone, everything
# that is no letter or digit a blank.
_ASCII_WORDS = bytes(i if chr(i).isalnum() else 32 for i in range(128)).lower() + bytes(128)
_ASCII_APOSTROPHES = b"'`"


def fold(value: str) -> str:
    """Lower case, one width, no diacritics, a lone Greek letter by name; the rest stays."""
    if value.isascii():
        value = value.lower()
    else:
        # Word by word: most words are ASCII, and the others are often the same ones.
        value = " ".join(
            [
                word.lower()
                if word.isascii()
                else _kept_plain(word)
                if len(word) <= LONGEST_KEPT
                else _plain(word)
                for word in value.split(" ")
            ]
        )
    return _FOLDED.sub(_other_spelling, value)


def _plain(value: str) -> str:
    """Lower case, one width, no diacritics, a lone Greek letter by its name."""
    value = _MARKS.sub("", normalize("NFKD", value).lower())
    if value.isascii():
        return value
    value = _SYMBOL_GREEK.sub(lambda m: _GREEK.get(m.group(), m.group()), value)
    # NFC, because NFKD tears Korean syllables apart.
    return normalize("NFC", value)


_kept_plain = lru_cache(maxsize=KEPT)(_plain)


def _other_spelling(found: re.Match[str]) -> str:
    return _FOLD[found.group()]


def words(value: str) -> list[str]:
    """The folded words: runs of letters and digits."""
    if not value.isascii():
        value = fold(value)
        if not value.isascii():
            return _WORD.findall(value)
    if "&" in value:
        value = value.replace("&", " and ")
    return value.encode().translate(_ASCII_WORDS, _ASCII_APOSTROPHES).decode().split()


def spaced(value: str) -> str:
    """The folded text, a blank for every character that is no letter or digit: quicker than
    `words`, for texts that are only searched.
    """
    if not value.isascii():
        value = fold(value)
        if not value.isascii():
            return " ".join(_WORD.findall(value))
    return value.encode().translate(_ASCII_WORDS, _ASCII_APOSTROPHES).decode()


def compact(value: str) -> str:
    """Letters and digits only, folded: two spellings of one title give one string."""
    return "".join(words(value))


def has_cjk(value: str) -> bool:
    """Whether Chinese, Japanese or Korean characters occur."""
    return not value.isascii() and CJK.search(value) is not None


def family_key(name: str) -> str:
    """The folded family name without particles: "van der Berg" -> "berg", "O'Neill" -> "oneill"."""
    parts = words(name)
    kept = [p for p in parts if p not in PARTICLES] or parts
    return "".join(kept)
