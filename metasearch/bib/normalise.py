"""Words as they are compared: folded to one case, one width and letters without diacritics.

Every function is pure and never raises on odd input.
"""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib import unicode_forms
from metasearch.bib.folding import APOSTROPHES, LETTERS, MARKS
from metasearch.bib.names.words import PARTICLES
from metasearch.late_pattern import late_pattern

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
    value = _MARKS.sub("", unicode_forms.normalize("NFKD", value).lower())
    if value.isascii():
        return value
    value = _SYMBOL_GREEK.sub(lambda m: _GREEK.get(m.group(), m.group()), value)
    # NFC, because NFKD tears Korean syllables apart.
    return unicode_forms.normalize("NFC", value)


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
