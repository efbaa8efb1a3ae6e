"""Names of people and bodies in every script: what each export writes, its reader reads back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metasearch.bib.bylines import natural_order
from metasearch.bib.names import display_name
from metasearch.formats.reference import family_first
from metasearch.record import Author, Record
from tests.cases import each
from tests.examples import examples
from tests.formats.exported import hits_of, read_back
from tests.formats.test_round_trips import LEFT_OUT

#: Family names and given ones, script by script.
_SCRIPTS = {
    "Latin": (
        ("Falk", "van der Hoven", "de la Mar", "O’Neil", "García-López", "Ortega Ruiz", "al-Bahr"),
        ("Greta", "G.", "Ann-Marie", "Jan Pieter", "J. A.", "KA", "Rosa M."),
    ),
    "Cyrillic": (("Озерова", "Римский-Корсаков"), ("Анна", "А. Б.", "Пётр Ильич")),
    "Greek": (("Λιμνιώτης", "Παπαδόπουλος"), ("Γιώργος", "Γ.")),
    "Arabic": (("البحري", "ابن النهر"), ("محمد", "ليلى")),
    "Han": (("王", "欧阳", "陳", "司馬"), ("小明", "伟", "修")),
    "Japanese": (
        ("佐々木", "田中", "山田", "長谷川", "なかむら", "ナガノ"),
        ("花子", "太郎", "ユキ", "はな"),
    ),
    "Korean": (("김", "남궁", "박"), ("민수", "서연", "현")),
}  # fmt: skip
_SUFFIXES = (None, None, "Jr.", "Sr.", "II", "III", "IV")
_BODIES = (
    "World Health Organization",
    "Centers for Tide Control and Prevention",
    "Ministry of Boats, Harbours and Kites",
    "Brine & Sons",
    "Falk and Marin",
    "Falk & Marin, Inc.",
    "Kites, Boats and Harbours",
    "Brine, Falk & Marin",
    "Deep Water and Open Sea",
    "Lakes; Rivers",
    "NASA",
    "NASA and ESA",
    "The ATLAS Collaboration",
    "Tide Working Group III",
    "国家图书馆",
    "국립중앙도서관",
)
#: Persons whose names no source has divided.
_UNDIVIDED = ("王小明", "欧阳修", "山田 太郎", "김민수", "Greta Falk", "Ludwig van Hoven", "Greta")


def _person(family: str, given: str, suffix: str | None) -> Author:
    name = display_name(given, family)
    return Author(f"{name} {suffix}" if suffix else name, family, given, suffix=suffix)


def persons() -> st.SearchStrategy[Author]:
    def made(script: str) -> st.SearchStrategy[Author]:
        families, given_names = _SCRIPTS[script]
        suffixes = st.sampled_from(_SUFFIXES) if script == "Latin" else st.none()
        return st.builds(
            _person,
            st.sampled_from(families),
            st.sampled_from(given_names),
            suffixes,
        )

    return st.sampled_from(sorted(_SCRIPTS)).flatmap(made)


_PEOPLE = st.lists(
    persons()
    | st.sampled_from(_BODIES).map(lambda name: Author(name, collective=True))
    | st.sampled_from(_UNDIVIDED).map(Author),
    min_size=1,
    max_size=4,
    unique_by=lambda author: author.name,
)


def _record(authors: Iterable[Author], editors: Iterable[Author] = ()) -> Record:
    return Record(
        source="crossref", source_id="1", position=1, title="Kites", type="book", year=2001,
        authors=tuple(authors), editors=tuple(editors),
    )  # fmt: skip


def _parts(author: Author) -> tuple[str | None, ...]:
    return author.name, family_first(author), author.family, author.given, author.suffix


def _kept(people: Iterable[Author], name: str) -> list[Author]:
    """Those that the format keeps."""
    return [author for author in people if name not in ("csv", "xlsx") or ";" not in author.name]


def _expected(people: Iterable[Author], name: str) -> list[tuple[str | None, ...]]:
    """The parts of names; BibTeX's rule divides those of persons, where none of a list is divided.
    Beside names that are, one that is not is taken for a body's, and stands in braces.
    """
    found = list(people)
    if name == "bibtex" and not any(one.family for one in found):
        found = [one if one.collective else natural_order(one.name) or one for one in found]
    return list(map(_parts, found))


@pytest.mark.slow
@each("name", sorted(LEFT_OUT))
def test_every_name_comes_back(name: str) -> None:
    """Each alone, and all of a script together, as authors and as editors."""
    whole = [Author(body, collective=True) for body in _BODIES] + [Author(it) for it in _UNDIVIDED]
    groups = [
        [
            _person(family, given, suffix)
            for family, given in product(families, given_names)
            for suffix in (dict.fromkeys(_SUFFIXES) if script == "Latin" else (None,))
        ]
        for script, (families, given_names) in _SCRIPTS.items()
    ]
    records = [_record([one], [one]) for group in [*groups, whole] for one in _kept(group, name)]
    records += [_record(group, group[:1]) for group in groups]

    back = read_back(name, hits_of(records)).records

    for record, read in zip(records, back, strict=True):
        assert list(map(_parts, read.authors)) == _expected(record.authors, name)
        assert list(map(_parts, read.editors)) == _expected(record.editors, name)


@pytest.mark.parametrize("name", sorted(LEFT_OUT))
@examples(0.5)
@given(authors=_PEOPLE, editors=_PEOPLE)
def test_names_come_back(name: str, authors: list[Author], editors: list[Author]) -> None:
    """Family name, given name and suffix of authors and editors, and bodies as they are printed."""
    authors, editors = _kept(authors, name), _kept(editors, name)
    assume(authors)

    (read,) = read_back(name, hits_of([_record(authors, editors)])).records

    assert list(map(_parts, read.authors)) == _expected(authors, name)
    assert list(map(_parts, read.editors)) == _expected(editors, name)
