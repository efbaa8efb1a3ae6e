"""The closed lists of types and languages."""

from __future__ import annotations

from metasearch.bib.languages import SCHEMES, language_code, language_table, languages
from metasearch.query.values import (
    NARROWER,
    TYPE_NAMES,
    TYPE_WORDS,
    code_of_word,
    codes_near,
)
from metasearch.record import TYPES
from tests.cases import each


def test_the_types_are_those_of_records() -> None:
    """Queries and records stand on one floor and do not import one another, so the list is held
    together here."""
    assert set(TYPES) == set(TYPE_NAMES)
    assert {name for names in NARROWER.values() for name in names} <= set(TYPES)


def test_no_word_means_two_types() -> None:
    """Each word stands once."""
    words = [word for name, others in TYPE_NAMES.items() for word in (name, *others.split())]

    assert len(words) == len(set(words)) == len(TYPE_WORDS)


def test_the_languages_have_all_their_codes() -> None:
    """ISO 639-1 has 183 living entries; each has one or two codes of three letters."""
    found = languages()

    assert len(found) == 183
    assert all(
        len(it.code) == 2 and len(it.bibliographic) == len(it.terminological) == 3
        for it in found.values()
    )
    assert sum(it.bibliographic != it.terminological for it in found.values()) == 20
    assert (
        len(
            {it.bibliographic for it in found.values()}
            | {it.terminological for it in found.values()}
        )
        == 203
    )


def test_every_code_and_name_of_a_language_is_understood() -> None:
    """In every scheme that databases use."""
    for code in languages():
        for words in language_table(tuple(SCHEMES))[code], (code.upper(), f"{code}-XX"):
            assert {language_code(word) for word in words} == {code}


def test_schemes_can_be_joined() -> None:
    """Each word once."""
    assert language_table(("iso639-1", "iso639-2b", "iso639-2t"))["zh"] == ("zh", "chi", "zho")
    assert language_table(("iso639-2b", "iso639-2t"))["en"] == ("eng",)


@each("text", ["", "*", "-", "art", "e", "xx", "🙂", "a" * 3_000])
def test_what_is_unknown_is_none(text: str) -> None:
    """And has few near misses, whatever it is."""
    for field in ("type", "language"):
        assert code_of_word(field, text) is None
        assert len(codes_near(field, text)) <= 3
