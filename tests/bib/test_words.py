"""The tables of names: every reader of names knows the same words."""

from __future__ import annotations

from metasearch.bib import authors as converters
from metasearch.bib import bylines, name_words, names
from metasearch.bib.names import person, suffix_of
from metasearch.dedup import people
from metasearch.formats.reading import values
from metasearch.record import Author
from tests.cases import each


@each("degree", ["Ph.D.", "MD", "M.D."])
def test_degrees_behind_a_comma_are_no_given_names(degree: str) -> None:
    """Converters and bylines leave out the same degrees."""
    expected = (Author("Ada Byron", "Byron", "Ada"),)

    assert expected == converters.names(f"Byron, Ada, {degree}")
    assert expected == bylines.people_in(f"Byron, Ada, {degree}")
    assert person(f"Byron, {degree}") == Author(f"{degree} Byron", "Byron", degree)  # initials


@each(
    ("written", "suffix"),
    [
        ("Jr", "Jr."), ("Jr.", "Jr."), ("jr.", "Jr."), ("SR", "Sr."), ("Snr", "Sr."),
        ("II", "II"), ("2nd", "II"), ("iii", "III"), ("3rd", "III"), ("3d", "III"), ("4th", "IV"),
    ],
)  # fmt: skip
def test_generations_behind_a_comma_are_the_suffix(written: str, suffix: str) -> None:
    """One form of each word, and the same from converters, bylines and fields of files."""
    expected = (Author(f"Ada B. Byron {suffix}", "Byron", "Ada B.", suffix=suffix),)

    for value in (f"Byron, Ada B., {written}", f"Byron, {written}, Ada B."):
        assert expected == converters.names(value)
        assert expected == values.authors([value])
    assert expected == bylines.people_in(f"Byron, Ada B., {written}")
    assert expected == (person("", "Byron", "Ada B.", suffix=written),)


@each("suffix", ["Jr", "Sr.", "II", "IV", "2nd"])
def test_generations_without_a_comma_are_the_suffix(suffix: str) -> None:
    """Behind the given name, the family name, the whole name and initials."""
    found = [
        *values.authors([f"Byron, Ada B. {suffix}"]),
        *values.authors([f"Byron {suffix}, Ada B."]),
        *bylines.people_in(f"Byron AB {suffix}, Osei K"),
        person("", f"Byron {suffix}", "Ada B."),
        person(f"Ada B. Byron {suffix}"),
    ]
    names = [author for author in found if author and author.family != "Osei"]

    assert {author.suffix for author in names} == {suffix_of(suffix)}
    assert [author.family for author in names] == ["Byron"] * 4 + [None]


@each("name", ["Byron II", "Byron JR", "Van Der Berg II"])
def test_initials_are_no_suffix(name: str) -> None:
    """Behind a family name alone, capitals are initials."""
    (author,) = values.authors([name])

    assert (author.suffix, author.given) == (None, name.rpartition(" ")[2])


def test_a_body_has_no_suffix() -> None:
    """The number of a group is a part of its name."""
    assert person("Kites Working Group III") == Author("Kites Working Group III")


@each("degree", ["Ma", "Ba", "Rn"])
def test_degrees_that_may_be_given_names_stay(degree: str) -> None:
    """Behind a comma stands a given name, unless it can be none."""
    assert person(f"Lee, {degree}") == Author(f"{degree} Lee", "Lee", degree)


@each(
    "name", ["et al.", "et al", "Et al.", "et.al.", "others", "and others", "等", "等人", "+5 more"]
)
def test_further_authors_are_no_author(name: str) -> None:
    """Converters and readers of files leave out the same words for "and others"."""
    assert names.means_others(name)
    assert person(name) is None
    assert values.authors([name]) == ()


@each("name", ["Anonymous", "ANON.", "Anonyme", "Unbekannt", "佚名"])
def test_anonymous_authors_of_files_are_no_authors(name: str) -> None:
    """In every language that comparison knows."""
    assert values.authors([name]) == ()


def test_words_that_no_name_holds_include_those_for_anonymous() -> None:
    """What a reader leaves out, a comparison leaves out too."""
    people_ = [Author(name) for name in ("Anonymous", "佚名", "Editorial", "Ada Byron")]
    assert people.persons(tuple(people_)) == (people_[-1],)


def test_a_given_name_that_is_a_legal_form_stays() -> None:
    """A Dutch given name is written like the abbreviation of "company"."""
    assert person("Adriaanse, Co") == Author("Co Adriaanse", "Adriaanse", "Co")
    assert person("Apple Computer, Inc.") == Author("Apple Computer, Inc.")


@each(
    "name",
    ["Food and Drug Administration, Silver Spring", "World Survey, Geneva", "United Nations, Rome"],
)
def test_words_of_bodies_are_the_same_when_names_are_read_and_compared(name: str) -> None:
    """A name with such a word is not split as that of a person, and counts as a body."""
    assert person(name) == Author(name)
    assert people.is_body(Author(name))


@each("word", ["société", "Universität", "Ministère", "Academia"])
def test_bodies_are_known_in_every_language_when_they_are_compared(word: str) -> None:
    """With their accents, and without."""
    assert people.is_body(Author(f"{word} Test"))


def test_parts_of_roles_are_known_in_the_languages_of_catalogues() -> None:
    """A word that is cut off behind a name means the same in a relator field."""
    assert name_words.part_of("toimittaja") == name_words.part_of("redaktör") == "editor"
    assert name_words.part_of("kääntäjä") == name_words.part_of("översättare") == "translator"
    assert name_words.part_of("kuvittaja") == name_words.part_of("illustratör") == "helper"
    assert name_words.part_of("kustantaja") == name_words.part_of("prt") == "none"
    assert name_words.part_of("nobody knows this word") == "author"
