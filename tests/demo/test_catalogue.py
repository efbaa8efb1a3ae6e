"""The catalogue's facts are well formed, and there is something to find."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cache, partial
from importlib.resources import files

from stdnum import isbn, issn

from metasearch.demo.catalogue import EXAMPLE_QUERIES, SUBJECTS, CatalogueWork, works
from metasearch.demo.databases import all_holdings
from metasearch.query import parse
from metasearch.record import TYPES
from tests.cases import each

WORKS = works()


def test_it_holds_a_few_hundred_works():
    """There are 350 to 550 works, each with an id and an identifying set of facts of its own."""
    assert 350 <= len(WORKS) <= 550
    assert len({work.id for work in WORKS}) == len(WORKS)
    assert len({(work.full_title.casefold(), work.authors) for work in WORKS}) == len(WORKS)


@each("scheme", ["doi", "arxiv", "pmid"])
def test_an_identifier_names_one_work(scheme: str):
    """No two works share a DOI, an arXiv id or a PMID."""
    found = [value for work in WORKS if (value := getattr(work, scheme))]

    assert len(set(found)) == len(found) >= 40


def test_every_subject_has_its_shelf_metre():
    """Each of the subjects has at least twenty works, and no work is of another subject."""
    counts = Counter(work.subject for work in WORKS)

    assert counts.keys() == SUBJECTS.keys()
    assert min(counts.values()) >= 20


def problems(work: CatalogueWork) -> Iterator[str]:
    """What is wrong with a work's facts."""
    texts = (
        work.title,
        work.subtitle,
        work.venue,
        work.publisher,
        *(name for author in work.authors for name in author),
    )
    rules = {
        "id": re.fullmatch(r"w\d{3}", work.id),
        "type": work.type in TYPES,
        "authors": work.authors and all(family for family, _ in work.authors),
        "year": 1450 <= work.year <= datetime.now(UTC).year,
        "language": re.fullmatch(r"[a-z]{2}", work.language),
        "doi": re.fullmatch(r"(10\.\d{4,9}/[-._;()/:a-z0-9]+)?", work.doi),
        "arxiv": re.fullmatch(r"(\d{4}\.\d{4,5})?", work.arxiv),
        "posted": bool(work.posted or work.date) if work.arxiv else not work.posted,
        "pmid": re.fullmatch(r"([1-9]\d{0,7})?", work.pmid),
        "isbn": all(isbn.is_valid(number) and len(number) == 13 for number in work.isbn),
        "issn": all(issn.is_valid(number) for number in work.issn),
        "date": not work.date or work.date.startswith(str(work.year)),
        "container": work.doi or work.arxiv or work.isbn or work.venue or work.publisher,
        "blanks": all(text == " ".join(text.split()) for text in texts),
        "markup": not any(re.search(r"&\w+;|</?\w+>|[ÃÂ][\x80-\xbf]", text) for text in texts),
    }
    yield from (f"{work.id} {rule}" for rule, kept in rules.items() if not kept)
    for day in filter(None, (work.date, work.posted)):
        date.fromisoformat(day + "-01"[: 10 - len(day)])


def test_the_facts_are_well_formed():
    """Identifiers have their syntax and check digits, dates lie in their year, texts are tidy,
    names are complete."""
    assert [problem for work in WORKS for problem in problems(work)] == []


def test_it_holds_facts_and_short_texts_of_our_own():
    """A line has the keys of a work and no others, and no long text; at least 250 works have an
    abstract."""
    known = set(CatalogueWork._fields)
    lines = (files("metasearch.demo") / "catalogue.jsonl").read_text(encoding="utf-8").splitlines()

    for line in lines:
        facts = json.loads(line)
        assert facts.keys() <= known
        assert all(len(value) <= 300 for value in facts.values() if isinstance(value, str))

    assert sum(bool(work.abstract) for work in WORKS) >= 250


_held = cache(partial(all_holdings, WORKS))


@each("query", EXAMPLE_QUERIES)
def test_an_example_query_finds_works_in_two_databases(query: str):
    """Each example finds something in at least two of the databases that answer in time."""
    held = _held()

    finders = [
        name
        for name, holdings in held.items()
        if name != "demo-slow" and holdings.find(parse(query))
    ]

    assert len(finders) >= 2


@each("subject", SUBJECTS)
def test_the_name_of_a_subject_finds_its_works(subject: str):
    """The first two words of a subject's name find at least twenty works on it, over all
    databases."""
    name = " ".join(SUBJECTS[subject].replace(",", "").split()[:2])

    found = {
        work.id
        for holdings in all_holdings(WORKS).values()
        for work in holdings.find(parse(name))
        if work.subject == subject
    }

    assert len(found) >= 20
