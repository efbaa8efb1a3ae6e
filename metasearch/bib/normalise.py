"""Words as they are compared: folded to one case, one width, letters without diacritics, and one
form of Chinese characters.

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

# Letters that are one for a reader who types without diacritics; NFKD leaves them whole. Comparison
# keys are folded by these tables here, queries in `query/match.py`. Comparison keys fold more: ß,
# ħ, more marks and signs. Queries get ß as "ss" from `str.casefold`, and leave ħ as it is.

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


# The normal forms of Unicode, in linear time. To sort the marks above and below a letter, as every
# normal form does, takes the square of their number; a text of 60,000 marks takes seconds. The
# Stream-Safe Text Format of UAX #15 allows 30 marks in a row, more than any language writes; here
# the rest of a longer row is left out, so that all else is sorted quickly.

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
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi",
    "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_FOLD = {**LETTERS, **APOSTROPHES, "ß": "ss", "ħ": "h", "&": " and ", "ʹ": "", "ʺ": "", "`": ""}
_FOLDED = re.compile("[" + "".join(_FOLD) + "]")
# The letter comes first in the pattern, because the rest of the text is then passed over quickly.
_SYMBOL_GREEK = late_pattern(r"[\u03b1-\u03c9](?<![\u0370-\u03ff].)(?![\u0370-\u03ff])")
_WORD = late_pattern(r"[^\W_]+")
#: One character of Chinese, Japanese or Korean.
CJK = late_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
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


def with_blanks(value: str) -> str:
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


# Chinese text (and, where it falls out, Japanese and Korean), to compare records: forms of one
# character made equal. Pure functions; each file `chinese_*` is imported where it is needed,
# because nothing of them is for text without such characters.

# Characters: traditional, simplified and variant forms of one character made equal, for comparison.
# The tables are data files, loaded at the first text that needs them; why not a library:
# docs/decisions/0007-chinese-tables.md. No class of all Chinese characters stands in a regular
# expression of this package, because compiling one takes longer than loading the tables.

#: Chinese numerals, as they stand in a character class.
NUMERALS = "〇零一二三四五六七八九十百"
_CIRCLE_AS_ZERO = late_pattern(rf"(?<=[{NUMERALS}])[○◯]|[○◯](?=[{NUMERALS}])")


def is_han(char: str) -> bool:
    """Whether this is a Chinese character (in Chinese, Japanese or Korean text)."""
    return (
        "\u4e00" <= char <= "\u9fff"
        or "\u3400" <= char <= "\u4dbf"
        or "\uf900" <= char <= "\ufaff"
        or char in "々〇"
        or (char >= "\U00020000")
    )


def is_cjk(char: str) -> bool:
    """Whether this is a Chinese character, kana or Hangul."""
    return "\u3041" <= char <= "\ud7af" or is_han(char)


def has_han(text: str) -> bool:
    """Whether Chinese characters occur."""
    return not text.isascii() and any(map(is_han, text))


def simplify(text: str) -> str:
    """The text with every character in the form that stands for all its forms: "臺灣錢鍾書" ->
    "台湾钱钟书".

    For comparison, not for people: it also joins what simplified writing keeps apart (像 and 象, 黏
    and 粘, 著 and 着), because databases do not. Character by character, so a part of a title gives
    the part of its form; Japanese forms are joined where they are no other Chinese character;
    Hangul and kana stay.
    """
    if text.isascii():
        return text
    text = text.translate(_variants())
    if "○" in text or "◯" in text:  # 二○二○年
        text = _CIRCLE_AS_ZERO.sub("〇", text)
    return text


@lru_cache(maxsize=512)  # one title is asked for many things
def plain(text: str) -> str:
    """Letters, digits and marks narrow (NFKC), and every character in one form."""
    if text.isascii():
        return text
    return simplify(normalize("NFKC", text))


def table_lines(name: str) -> list[str]:
    """The lines of a data file of this package, without its comments."""
    from pathlib import Path

    # Not by importlib.resources: it alone takes longer to load than all that is done here.
    text = Path(__file__).with_name("chinese").joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


@lru_cache(maxsize=1)
def _variants() -> dict[int, int]:
    lines = table_lines("variants.txt")
    return str.maketrans(
        "".join([line[1:] for line in lines]),
        "".join([line[0] * (len(line) - 1) for line in lines]),
    )
