"""Chinese text (and, where it falls out, Japanese and Korean), to compare records: forms of one
character made equal.

Pure functions; each file `chinese_*` is imported where it is needed, because nothing of them is for
text without such characters.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from metasearch.bib import normalise
from metasearch.late_pattern import late_pattern

# Characters: traditional, simplified and variant forms of one character made equal, for
# comparison.
#
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


def simplified(text: str) -> str:
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
    return simplified(normalise.normalize("NFKC", text))


def table_lines(name: str) -> list[str]:
    """The lines of a data file of this package, without its comments."""
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
