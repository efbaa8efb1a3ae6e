"""A catalogue that somebody gives is read whole, or refused with the line that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metasearch.demo import catalogue_file
from metasearch.demo.catalogue import Holdings, works
from metasearch.demo.catalogue_file import read_catalogue
from metasearch.demo.databases import databases, given_holdings
from metasearch.errors import FileFormatError
from tests.cases import each
from tests.demo.given import catalogue


def test_a_work_needs_a_title_only(tmp_path: Path) -> None:
    """It is named after its line, and what is not known is empty."""
    (work,) = read_catalogue(catalogue(tmp_path, {"title": " Knots  &amp; links "}))

    assert (work.id, work.title, work.type) == ("line-1", "Knots & links", "other")
    assert (work.authors, work.year, work.subject, work.number) == ((), 0, "", 1)


def test_our_own_catalogue_can_be_given(tmp_path: Path) -> None:
    """Each work has the facts that the built-in one has."""
    file = Path(catalogue_file.__file__).with_name("catalogue.jsonl")

    read = read_catalogue(file)

    assert [work._replace(number=0) for work in read] == list(works())


def test_identifiers_are_read_as_they_are_compared(tmp_path: Path) -> None:
    (work,) = read_catalogue(
        catalogue(
            tmp_path,
            {
                "title": "x",
                "doi": "https://doi.org/10.1000/ABC",
                "arxiv": "arXiv:2104.12255v2",
                "isbn": ["0-306-40615-2", "no number"],
                "language": "eng",
                "date": "2021-03",
                "smell": "roses",
                "venue": None,
            },
        )
    )

    assert (work.doi, work.arxiv, work.language) == ("10.1000/abc", "2104.12255", "en")
    assert (work.isbn, work.year) == (("9780306406157", "no number"), 2021)


@each(
    ("line", "problem"),
    [
        ("{", "it is no JSON"),
        ("[]", "it is no JSON object"),
        ("\ud800", "it is no JSON"),
        ("{}", "the work has no title"),
        ('{"title": " "}', "the work has no title"),
        ('{"title": 7}', '"title" is no text'),
        ('{"title": "x\\u0000"}', '"title" holds control characters'),
        ('{"title": "x", "year": "2020"}', '"year" is no whole number'),
        ('{"title": "x", "year": true}', '"year" is no whole number'),
        ('{"title": "x", "year": 1e300}', '"year" is no whole number'),
        ('{"title": "x", "date": "2020-13"}', '"date" is no date'),
        ('{"title": "x", "isbn": "1"}', '"isbn" is no list'),
        ('{"title": "x", "isbn": [1]}', '"isbn" is no text'),
        ('{"title": "x", "notices": ["praised 2020"]}', '"notices" holds none such as'),
        ('{"title": "x", "authors": ["A B"]}', '"authors" is no list of [family, given]'),
        ('{"title": "x", "authors": [["A", "B", "C"]]}', '"authors" is no list of'),
        ('{"title": "x", "id": "first"}', "its id is that of line 1"),
        ("[" * 100_000, "it is no JSON"),
        (f'{{"title": "{"x" * 1_000_000}"}}', "it is longer than 1,000,000 bytes"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, problem: str) -> None:
    """And with what a line should look like."""
    file = tmp_path / "own.jsonl"
    file.write_bytes(b'{"id": "first", "title": "x"}\n\n' + line.encode("utf-8", "surrogatepass"))

    with pytest.raises(FileFormatError) as caught:
        read_catalogue(file)

    assert f"own.jsonl: line 3: {problem}" in str(caught.value)
    assert "Write one JSON object a line" in caught.value.advice


@each(("limit", "problem"), [("MAX_BYTES", "larger"), ("MAX_WORKS", "more than 1 works")])
def test_no_file_is_too_large_to_be_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, problem: str
) -> None:
    with monkeypatch.context() as limited:
        limited.setattr(catalogue_file, limit, 1)
        with pytest.raises(FileFormatError, match=problem):
            read_catalogue(catalogue(tmp_path))


@each("name", ["missing.jsonl", "."])
def test_what_is_no_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_catalogue(tmp_path / name)

    assert caught.value.advice


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_bytes(b"\n")

    with pytest.raises(FileFormatError, match="there is no work in it"):
        read_catalogue(tmp_path / "own.jsonl")


_VALUES = st.one_of(
    st.text(max_size=12),
    st.integers(-5, 10_000),
    st.lists(st.text(max_size=5), max_size=2),
    st.lists(st.lists(st.text(max_size=5), min_size=1, max_size=2), max_size=2),
    st.sampled_from(["book", "thesis", "preprint", "2020", "2020-03", "9780195037708", "zh", "ja"]),
)
_FACTS = st.sampled_from([*works()[0]._fields, "smell"])
_PATHS = ("", "/entrez/eutils/efetch.fcgi")


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(_FACTS, _VALUES, max_size=8))
def test_a_work_is_refused_or_told_by_every_database(
    tmp_path_factory: pytest.TempPathFactory, facts: dict[str, object]
) -> None:
    """Whatever a file says, no database breaks over it."""
    file = catalogue(tmp_path_factory.getbasetemp(), {"title": "x", "doi": "10.1000/1"} | facts)
    try:
        read = read_catalogue(file)
    except FileFormatError:
        return
    asked = {"term": "x", "query": "x", "version": "1.2", "search_query": "all:x", "q": "x"}
    asked |= {"format": "json", "id": read[0].pmid or "1"}

    for database in databases(given=True, faults=None):
        held = Holdings(database.name, map(database.tell, read), database.facets)
        if not database.fits(read[0]):
            continue
        for path in _PATHS:
            reply = database.answer(path or database.path, asked, held)
            assert reply.status in (200, 400)
            if reply.content_type == "application/json":
                json.loads(reply.body)
    assert sum(len(each.works) for each in given_holdings(read, databases(True, None)).values())
