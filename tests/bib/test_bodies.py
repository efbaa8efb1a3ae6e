"""Names with commas: those of bodies stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from metasearch.bib.authors import names, names_catalogue, person
from metasearch.bib.names import is_body
from metasearch.record import Author
from tests.cases import each
from tests.growth import MOST, growth


@each(
    "name",
    [
        "Association for Computing Machinery, Special Interest Group",
        "Association for Computing Machinery, Special Interest Group on Computer Graphics",
        "Environmental Sciences Division, Oak Ridge National Laboratory",
        "Oak Ridge National Laboratory, Tennessee",
        "Sheridan Libraries @ Columbia, DC & Montgomery Campuses",
        "Universität Wien, Institut für Germanistik",
        "Oxfam, Research Department",
        "Unesco, Division of Water Sciences",
        "Museo Nacional, Buenos Aires",
        "Bibliothèque nationale, Paris",
        "National Park Service, Alaska Region",
        "Royal Society, London",
        "Ministry of Education, Science and Culture",
        "Microsoft Research, Cambridge",
        "Northern Lakes, Group",
    ],
)
def test_issue_14_19_names_of_bodies_with_commas_stay_as_they_are(name: str) -> None:
    """Open Library and Europeana write them so; neither part is a family name."""
    assert names([name]) == names_catalogue([name]) == (Author(name),)


@each(
    ("name", "shown"),
    [
        ("Byron, Ada", "Ada Byron"),
        ("van der Berg, Anna Maria", "Anna Maria van der Berg"),
        ("García Márquez, Gabriel José", "Gabriel José García Márquez"),
        ("Wit, Pierre J. G. M. de", "Pierre J. G. M. de Wit"),
        ("Service, Robert W.", "Robert W. Service"),
        ("Press, William H.", "William H. Press"),
        ("Bureau, Jacques Marie", "Jacques Marie Bureau"),
        ("Le Bureau, Jacques Marie", "Jacques Marie Le Bureau"),
        ("Ortega y Gasset, José", "José Ortega y Gasset"),
        (
            "Chesterfield, Philip Dormer Stanhope, Earl of",
            "Philip Dormer Stanhope Chesterfield",
        ),
        ("Post, Andrew A.", "Andrew A. Post"),
        ("Law, John, Jr.", "John Law Jr."),
        ("Sanz-Andrés, A.", "A. Sanz-Andrés"),
    ],
)
def test_issue_14_19_names_of_persons_are_still_turned_round(name: str, shown: str) -> None:
    """Also where a family name is a word of institutions, or a title holds "of"."""
    author = person(name)

    assert author is not None
    assert (author.name, author.family) == (shown, name.partition(",")[0])


def test_issue_14_19_where_a_person_works_is_no_given_name() -> None:
    """It stands behind the given name in catalogues of reports."""
    author = person("Wilhite, Stephen C., Widener University")

    assert author == Author(
        "Stephen C. Wilhite", "Wilhite", "Stephen C.", affiliation="Widener University"
    )


@pytest.mark.slow
def test_a_name_is_judged_in_linear_time() -> None:
    """Four times the length takes about four times as long."""

    def judging(words: int) -> Callable[[], object]:
        return partial(is_body, "a b", ", c." * words)

    assert growth(judging, 10_000) <= MOST
