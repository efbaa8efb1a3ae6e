"""Plain text: the quick looks at a text find what the slow ones find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib import isbd
from metasearch.bib.texts import abstract, is_printable, strings, text_list
from metasearch.bib.texts import plain_text as plain

#: What texts of databases hold, and what they should not hold.
_PIECES = st.sampled_from((
    "a", "words of a title ", " ", "  ", "\t", "\n", "\x7f", "é", "\xa0", "\u200b", "中", "\ud800",
    "<i>x</i>", "&amp;", "a < b", "\x85", "~", "\x1b",
))  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=8).map("".join)


@given(_TEXTS, st.integers(0, 80))
def test_printable_texts(text: str, length: int) -> None:
    """A text is printable where Python says so, however long."""
    for value in (text, "x" * length + text, text + "x" * length):
        assert is_printable(value) == value.isprintable()


def test_every_ascii_character_in_a_long_text() -> None:
    """Each of them is judged as Python does."""
    for number in range(128):
        value = "word " * 20 + chr(number)
        assert is_printable(value) == value.isprintable()


_ODD = st.one_of(_TEXTS, st.none(), st.integers(), st.fixed_dictionaries({"text": _TEXTS}))


@given(st.one_of(st.lists(_TEXTS, max_size=5), st.lists(_ODD, max_size=5), _ODD))
def test_a_list_of_texts(found: object) -> None:
    """Looked at together, texts give what each gives by itself."""
    each = [value for one in strings(found) if (value := plain(one))]

    assert text_list(found) == tuple(dict.fromkeys(each))


ENDS = [
    "etc",
    "vol",
    "approx",
    "aufl",
    "ausg",
    "Ed",
    "J",
    "..",
    "Au\u017fg",
    "_",
    " ",
    "-",
    "s",
    "9",
]


@given(parts=st.lists(st.sampled_from(ENDS) | st.text(max_size=3), max_size=4))
def test_a_stop_behind_a_plain_word_needs_no_pattern(parts: list[str]) -> None:
    """The pattern of abbreviations is asked where the last word may be one."""
    for text in ("".join(parts) + ".", "".join(parts).upper() + "."):
        tail = max(len(text) - isbd._LONGEST_ABBREVIATED, 0)

        assert isbd._is_abbreviated(text) == bool(isbd._ABBREVIATED.search(text, tail))


@given(st.lists(_PIECES | st.sampled_from(("<jats:p>", "</jats:p>", "Abstract: ")), max_size=6))
def test_an_abstract_of_one_paragraph(pieces: list[str]) -> None:
    """Its text is what is left of a list of one such text, which is cleaned piece by piece."""
    inside = "".join(pieces)
    for found in (inside, f"<jats:p>{inside}</jats:p>", f"<jats:p>{inside}"):
        assert abstract(found) == abstract([found])
