"""A work keeps its id when other sources are asked, a file gets another name, or a feed is read
again."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from benchmarks import naming
from metasearch import formats
from metasearch.bulk import export
from metasearch.bulk.job import deduplicate, read_all
from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.dedup.pins import Pins
from metasearch.demo.server import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.events import Answer, Counts
from metasearch.formats.reading.files import gather
from metasearch.record import Hit
from tests.dedup.records import ARTICLE, record

#: Share of the works found again with fewer records that keep their id.
LEAST = 0.95


async def test_works_of_the_demo_keep_their_ids_in_every_subset_of_its_sources() -> None:
    """Of the works that some sources find again, with fewer records than all sources gave, at least
    95 % do."""
    total, kept = naming.shares(await naming.demo(naming.EXAMPLE_QUERIES[::2]))

    assert total > 300
    assert kept["as given"] >= LEAST
    assert kept["smallest record (before)"] < 0.6  # the measure tells ways of naming apart


@pytest.mark.slow
@pytest.mark.shared
async def test_works_of_the_simulated_databases_keep_their_ids(shared: Path) -> None:
    """The same of ten databases with misspelt, cut and incomplete records, over a sample of their
    subsets."""
    total, kept = naming.shares(await naming.mocked(naming.MOCK_QUERIES[:2]))

    assert total > 1_000
    assert kept["as given"] >= LEAST


async def test_a_search_without_one_source_shows_the_same_works_under_the_same_ids() -> None:
    """Asked for real, without the source whose records were the smallest."""
    async with (
        DemoDatabases(latency=0, faults=False) as databases,
        Engine(databases.settings()) as engine,
    ):
        whole = await engine.search("gambling harms", per_source=100)
        names = [report.source for report in whole.sources if report.source != "demo-crossref"]
        part = await engine.search("gambling harms", per_source=100, sources=names)

    home = {row.key: hit for hit in whole.hits for row in hit.records}
    again = [(home[hit.records[0].key], hit) for hit in part.hits]
    assert len(again) > 30
    assert sum(before.id == hit.id for before, hit in again) >= LEAST * len(again)
    assert all(whole.hit(hit.id) == before for before, hit in again)


async def test_an_answer_gives_the_hit_that_a_name_means() -> None:
    """By id, by the key of a record, by a DOI in any form; None for what is not there, an error for
    what is no name."""
    async with (
        DemoDatabases(latency=0, faults=False) as databases,
        Engine(databases.settings()) as engine,
    ):
        answer = await engine.search(
            "psilocybin depression", sources=["demo-crossref", "demo-pubmed"]
        )

    hit = answer.hits[1]
    doi = hit.record.doi
    assert doi is not None
    assert answer.hit(hit.id) is hit
    assert answer.hit(hit.id.upper()) is hit
    assert answer.hit(hit.records[0].key) is hit
    assert answer.hit(f"https://doi.org/{doi.upper()}") is hit
    assert answer.hit("h000000000000") is None
    assert answer.hit("10.1000/nowhere") is None
    with pytest.raises(UsageError, match="neither a DOI"):
        answer.hit("nothing at all")


def _exported(file: Path, form: str) -> bytes:
    inputs = gather([file])
    return b"".join(export.write(form, deduplicate(read_all(inputs.files), DEFAULT)))


def test_a_renamed_file_does_not_rename_its_works(tmp_path: Path) -> None:
    """`ID` of what `dedup` writes depends on the works, not on what their file is called."""
    text = "".join(
        f"TY  - JOUR\nTI  - {title}\nPY  - 2011\nER  - \n\n"
        for title in ("Sorption", "Desorption", "Editorial")
    )
    ids = []
    for name in ("b.ris", "a.ris"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        written = _exported(tmp_path / name, "ris").decode()
        ids.append([line for line in written.splitlines() if line.startswith("ID  - ")])

    assert len(ids[0]) == 3
    assert ids[0] == ids[1]


def test_a_feed_tells_the_ids_that_a_work_may_have_had() -> None:
    """An entry's own id is the same whoever found the work; those of its records alone stand beside
    it."""
    stage = OnlineDedup(DEFAULT)
    spellings = (
        ARTICLE,
        ARTICLE,
        {**ARTICLE, "title": "Sorptoin of phosphate on iron oxides in lake sediments"},
    )
    for number, values in enumerate(spellings):
        stage.insert(record("abc"[number], 1, doi="10.1000/one", **values))
    (hit,) = stage.hits()
    feed = etree.fromstring(formats.write("atom", _answer(hit)))

    names = {"a": "http://www.w3.org/2005/Atom", "m": "urn:metasearch:atom:1"}
    assert feed.xpath("string(//a:entry/a:id)", namespaces=names) == f"urn:metasearch:hit:{hit.id}"
    assert feed.xpath("//a:entry/m:also/@id", namespaces=names) == [
        f"urn:metasearch:hit:{it}" for it in hit.also
    ]
    assert len(hit.also) == 1


def _answer(*hits: Hit) -> Answer:
    return Answer("x", True, Counts(len(hits), len(hits), 0), hits, ())


def test_pins_take_the_ids_of_hits() -> None:
    """Works that were shown apart are joined by their ids, also in the form that feeds give
    them."""
    rows = [record("a", 1, **ARTICLE), record("b", 2, title="Something else entirely", year=1990)]
    apart = OnlineDedup(DEFAULT)
    for row in rows:
        apart.insert(row)
    one, other = apart.hits()

    pins = Pins.read(f"same {one.id} urn:metasearch:hit:{other.id}", "pins.txt")
    joined = OnlineDedup(DEFAULT.with_pins(pins))
    for row in rows:
        joined.insert(row)

    assert [len(hit.records) for hit in joined.hits()] == [2]
