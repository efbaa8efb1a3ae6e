"""Each field and filter that the adapters of the simulated databases can send is understood by
them.

What there is to send is taken from the specs, so that a field that one of them learns is asked for
here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Request
from metasearch.adapters.translate.plan import all_names, plan
from metasearch.demo.catalogue import CatalogueWork, words
from metasearch.demo.catalogue import works as all_works
from metasearch.demo.databases import FAULTY, SOUND
from metasearch.demo.databases.database import SimulatedDatabase
from metasearch.query import parse as parse_query
from metasearch.query.tree import CODED_FIELDS, FIELDS, IDENTIFIERS
from tests.cases import each
from tests.demo.test_adapters import HOLDINGS, REGISTRY, answer

DATABASES = {
    database.name: database for database in (*SOUND, *FAULTY) if database.name != "demo-failing"
}
#: What tells a work in the records of a database.
IDS: dict[str, Callable[[CatalogueWork], str]] = {
    "demo-crossref": lambda work: work.doi,
    "demo-openalex": lambda work: f"W90000{work.id[1:]}",
    "demo-arxiv": lambda work: work.arxiv,
    "demo-pubmed": lambda work: work.pmid,
    "demo-library": lambda work: f"demo-{work.id}",
    "demo-slow": lambda work: f"demo/{work.id}",
}


@dataclass(frozen=True)
class Case:
    """A query, and which works of the holdings it asks for."""

    name: str
    query: str
    fits: Callable[[CatalogueWork], bool]


def _texts(work: CatalogueWork) -> dict[str, str]:
    return {
        "title": work.full_title,
        "author": " ".join(" ".join(name) for name in work.authors),
        "venue": f"{work.venue} {work.abbrev} {work.publisher}",
        "abstract": work.abstract,
        "subject": " ".join(work.keywords),
    }


def _holds(name: str, field: str, word: str) -> Callable[[CatalogueWork], bool]:
    def holds(work: CatalogueWork) -> bool:
        texts = _texts(work)
        # PubMed has one tag for titles and abstracts.
        told = (
            texts[field]
            + " "
            + (texts["title"] if (name, field) == ("demo-pubmed", "abstract") else "")
        )
        return word in words(told)

    return holds


def _a_word(field: str, works: tuple[CatalogueWork, ...]) -> str:
    """A word that some of the works have in a field and others have not."""
    counts: dict[str, int] = {}
    for work in works:
        for word in set(words(_texts(work)[field])):
            counts[word] = counts.get(word, 0) + 1
    usable = [
        it
        for it in counts
        if it.isascii() and it.isalpha() and len(it) > 4 and counts[it] < len(works)
    ]
    return max(usable, key=lambda it: (counts[it], it))


def _number(field: str, works: tuple[CatalogueWork, ...]) -> str:
    """One of the works', or else one that only works of other databases have."""
    values = [getattr(work, field) for work in (*works, *all_works())]
    return next(value if isinstance(value, str) else value[0] for value in values if value)


def _cases(database: SimulatedDatabase) -> Iterator[Case]:
    spec, works, name = REGISTRY.spec(database.name), HOLDINGS[database.name].works, database.name
    dialect = spec.query
    asked = {*dialect.fields, *all_names(spec.request)} & set(FIELDS)
    for field in sorted(asked - CODED_FIELDS - IDENTIFIERS - {"any", "subject"}):
        word = _a_word(field, works)
        yield Case(field, f"{field}:{word}", _holds(name, field, word))
    for field in sorted(asked & IDENTIFIERS & {*CatalogueWork._fields}):
        number = _number(field, works)
        yield Case(
            field, f"{field}:{number}", lambda work, f=field, n=number: n in getattr(work, f)
        )  # type: ignore[misc]
    for field, table in (("type", dialect.types), ("language", dialect.languages)):
        there = {database.facets(work)[field] for work in works}
        for ours, theirs in table.items():
            if there & set(theirs):
                yield Case(
                    f"{field} {ours}",
                    f"{field}:{ours}",
                    lambda work, f=field, t=theirs: database.facets(work)[f] in t,
                    # type: ignore[misc]
                )
        named = [ours for ours, theirs in table.items() if there & set(theirs)][:2]
        if len(named) == 2:
            both = {word for ours in named for word in table[ours]}
            yield Case(
                f"one of two {field}s",
                f"({field}:{named[0]} OR {field}:{named[1]})",
                lambda work, f=field, t=both: database.facets(work)[f] in t,  # type: ignore[misc]
            )
    years = sorted(work.year for work in works)
    first, last = years[len(years) // 4], years[len(years) * 3 // 4]
    if dialect.years.only or dialect.years.both:
        yield Case("one year", f"year:{first}", lambda work: work.year == first)
    if dialect.years.both:
        yield Case("years", f"year:{first}-{last}", lambda work: first <= work.year <= last)
        yield Case("since", f"year:{last}-", lambda work: work.year >= last)
        yield Case("until", f"year:-{first}", lambda work: work.year <= first)


CASES = [
    pytest.param(name, case, id=f"{name} {case.name}")
    for name, database in DATABASES.items()
    for case in _cases(database)
]


def ids(name: str, query: str) -> set[str]:
    """What the database answers, before anything is filtered here."""
    spec = REGISTRY.spec(name)
    request: Request | None = plan(parse_query(query), spec, 1000).request
    found: set[str] = set()
    while request is not None:
        parsed = parse(answer(request), spec)
        found |= {record.source_id.casefold() for record in parsed.records}
        request = parsed.next
    return found


@each(("name", "case"), CASES)
def test_what_an_adapter_sends_is_understood(name: str, case: Case):
    """A field or filter alone finds the works that it asks for, and no others; and so it does
    beside a word."""
    works, word = HOLDINGS[name].works, _a_word("title", HOLDINGS[name].works)
    expected = {IDS[name](work).casefold() for work in works if case.fits(work)}
    beside = {
        IDS[name](work).casefold()
        for work in works
        if case.fits(work) and word in words(_texts(work)["title"])
    }
    coded = case.query.strip("(").partition(":")[0] in {*CODED_FIELDS, "year"}

    found = ids(name, f"{case.query} AND title:{word}" if coded else case.query)

    assert expected or case.name in IDENTIFIERS
    if coded and ("title" in REGISTRY.spec(name).query.fields or name == "demo-crossref"):
        assert found == beside
    elif coded:
        assert beside <= found <= expected
    else:
        assert found == expected


def test_every_field_of_the_five_adapters_is_walked():
    """Each of them is asked for titles or words, a type or a language, and years."""
    walked = {
        name: {case.values[1].name for case in CASES if case.values[0] == name}
        for name in DATABASES
    }  # type: ignore[attr-defined]

    assert {"title", "author", "doi", "type article", "type conference-paper", "years"} <= walked[
        "demo-crossref"
    ]
    assert {"title", "abstract", "type book", "language fr", "one of two types", "since"} <= walked[
        "demo-openalex"
    ]
    assert {"title", "abstract", "author", "doi", "until"} <= walked["demo-arxiv"]
    assert {"title", "abstract", "type article", "language en", "one year"} <= walked["demo-pubmed"]
    assert {"title", "author", "isbn", "years"} <= walked["demo-library"]


@each("name", DATABASES)
def test_truncated_words_and_negations_are_understood(name: str):
    """Where the adapter can say them: a beginning finds what the whole word does, and NOT leaves
    out what it would."""
    spec, works = REGISTRY.spec(name), HOLDINGS[name].works
    word = _a_word("title", works)

    whole = ids(name, word)

    assert whole
    if spec.query.truncated:
        assert ids(name, f"{word[:-1]}*") >= whole
    if spec.query.negation:
        other = _a_word("author", works)
        assert ids(name, f"{word} NOT {other}") == whole - ids(name, other)
