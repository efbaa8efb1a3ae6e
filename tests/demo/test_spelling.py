"""The works of a given catalogue are spread over the databases, each of which spells them so."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from metasearch.demo import catalogue_file
from metasearch.demo.catalogue import CatalogueWork
from metasearch.demo.catalogue_file import read_catalogue
from metasearch.demo.databases import databases
from metasearch.demo.databases.spelling import short_venue, spread
from tests.cases import each

OWN = read_catalogue(Path(catalogue_file.__file__).with_name("catalogue.jsonl"))
RIGHT = {work.id: work for work in OWN}
FACTS = {"authors": 1 / 3, "venue": 1 / 3, "year": 0.1, "doi": 0.2, "full_title": 0.1}


@cache
def copies() -> dict[str, dict[str, CatalogueWork]]:
    """Work -> database -> its copy."""
    made: dict[str, dict[str, CatalogueWork]] = defaultdict(dict)
    for name, held in spread(OWN, databases(given=True, faults=None)).items():
        for work in held:
            made[work.id][name] = work
    return made


def test_a_work_is_in_one_to_four_databases() -> None:
    """Of those that can hold it; none is lost."""
    counts = {len(held) for held in copies().values()}

    assert copies().keys() == RIGHT.keys()
    assert counts == {1, 2, 3, 4}


@each("fact", FACTS)
def test_no_fact_is_wrong_in_all_copies(fact: str) -> None:
    """Whatever a copy lacks or has otherwise, another one has right; so a single copy is right."""
    for key, held in copies().items():
        right = getattr(RIGHT[key], fact)
        assert not right or right in {getattr(work, fact) for work in held.values()}


@each("fact", FACTS)
def test_a_database_has_so_many_records_otherwise(fact: str) -> None:
    """Of those that could be; a third has initials and short venues, a tenth other years."""
    name = "demo-openalex"
    own = {key: held[name] for key, held in copies().items() if name in held}
    other = sum(
        getattr(work, fact) != right
        for key, work in own.items()
        if (right := getattr(RIGHT[key], fact))
    )
    could = {
        "venue": lambda work: short_venue(work.venue) != work.venue or work.abbrev,
        "doi": lambda work: work.doi,
        "full_title": lambda work: ": " in work.full_title or "：" in work.full_title,
        "authors": lambda work: any(given.strip(".")[1:] for _, given in work.authors),
        "year": lambda work: True,
    }[fact]
    able = sum(bool(could(RIGHT[key])) for key in own)

    assert other / able == pytest.approx(FACTS[fact], abs=0.1)


def test_crossref_names_its_records_by_doi() -> None:
    """None of them lacks its DOI."""
    held = [each["demo-crossref"] for each in copies().values() if "demo-crossref" in each]

    assert held
    assert all(work.doi for work in held)


def test_arxiv_alone_holds_nothing_but_preprints() -> None:
    """It tells neither the venue nor the year of what was published elsewhere."""
    alone = [key for key, held in copies().items() if held.keys() == {"demo-arxiv"}]

    assert {RIGHT[key].type for key in alone} <= {"preprint"}


def test_a_work_is_spread_alike_on_every_day() -> None:
    again = spread(OWN, databases(given=True, faults=None))

    assert {name: len(list(held)) for name, held in again.items()} == {
        name: sum(name in held for held in copies().values()) for name in again
    }


@each(
    ("venue", "short"),
    [
        ("Journal of Gambling Studies", "J. Gambl. Stud."),
        ("Journal of Machine Learning Research", "J. Mach. Learn. Res."),
        ("IEEE Transactions on Neural Networks", "IEEE Trans. Neur. Netw."),
        ("The Lancet", "The Lancet"),
        ("Nature", "Nature"),
        ("CVPR", "CVPR"),
        ("J. Mach. Learn. Res.", "J. Mach. Learn. Res."),
        ("中国图书馆学报", "中国图书馆学报"),
        ("", ""),
    ],
)
def test_venues_are_abbreviated(venue: str, short: str) -> None:
    assert short_venue(venue) == short
