"""The tables of names: every reader of names knows the same words."""

from __future__ import annotations

import pytest

from metasearch.bib import authors as converters
from metasearch.bib import name_words
from metasearch.bib import names as byline
from metasearch.bib.names import person
from metasearch.dedup import people
from metasearch.formats.reading import values
from metasearch.record import Author


@pytest.mark.parametrize("suffix", ["Jr", "Jr.", "SR", "III", "iv", "3rd", "Ph.D.", "MD"])
def test_generations_and_degrees_behind_a_comma_are_no_given_names(suffix: str) -> None:
    """Converters and bylines leave out the same suffixes."""
    expected = (Author("Ada Byron", "Byron", "Ada"),)

    assert expected == converters.names(f"Byron, Ada, {suffix}")
    assert expected == byline.people_in(f"Byron, Ada, {suffix}")


@pytest.mark.parametrize("suffix", ["Jr", "Sr.", "II", "IV", "2nd"])
def test_generations_behind_a_given_name_are_left_out_of_a_files_field(suffix: str) -> None:
    """Reference managers write them without a comma, too."""
    assert values.authors([f"Byron, Ada {suffix}"]) == (Author("Ada Byron", "Byron", "Ada"),)


@pytest.mark.parametrize("degree", ["Ma", "Ba", "Rn"])
def test_degrees_that_may_be_given_names_stay(degree: str) -> None:
    """Behind a comma stands a given name, unless it can be none."""
    assert person(f"Lee, {degree}") == Author(f"{degree} Lee", "Lee", degree)


@pytest.mark.parametrize(
    "name", ["et al.", "et al", "Et al.", "others", "and others", "等", "等人"]
)
def test_further_authors_are_no_author(name: str) -> None:
    """Converters and readers of files leave out the same words for "and others"."""
    assert name_words.means_others(name)
    assert person(name) is None
    assert values.authors([name]) == ()


@pytest.mark.parametrize("name", ["Anonymous", "ANON.", "Anonyme", "Unbekannt", "佚名"])
def test_anonymous_authors_of_files_are_no_authors(name: str) -> None:
    """In every language that comparison knows."""
    assert values.authors([name]) == ()


def test_words_that_no_name_holds_include_those_for_anonymous() -> None:
    """What a reader leaves out, a comparison leaves out too."""
    assert name_words.ANONYMOUS <= name_words.NOT_IN_NAMES
    assert "editorial" in name_words.NOT_IN_NAMES - name_words.ANONYMOUS


def test_a_given_name_that_is_a_legal_form_stays() -> None:
    """A Dutch given name is written like the abbreviation of "company"."""
    assert person("Adriaanse, Co") == Author("Co Adriaanse", "Adriaanse", "Co")
    assert person("Apple Computer, Inc.") == Author("Apple Computer, Inc.")


@pytest.mark.parametrize(
    "name",
    ["Food and Drug Administration, Silver Spring", "World Survey, Geneva", "United Nations, Rome"],
)
def test_words_of_bodies_are_the_same_when_names_are_read_and_compared(name: str) -> None:
    """A name with such a word is not split as that of a person, and counts as a body."""
    assert person(name) == Author(name)
    assert people.is_body(Author(name))


@pytest.mark.parametrize("word", ["société", "Universität", "Ministère", "Academia"])
def test_bodies_are_known_in_every_language_when_they_are_compared(word: str) -> None:
    """With their accents, and without."""
    assert people.is_body(Author(f"{word} Test"))


def test_parts_of_roles_are_known_in_the_languages_of_catalogues() -> None:
    """A word that is cut off behind a name means the same in a relator field."""
    assert name_words.part_of("toimittaja") == name_words.part_of("redaktör") == "editor"
    assert name_words.part_of("kääntäjä") == name_words.part_of("översättare") == "helper"
    assert name_words.part_of("kustantaja") == name_words.part_of("prt") == "none"
    assert name_words.part_of("nobody knows this word") == "author"
