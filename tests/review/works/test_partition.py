"""Records that are added bit by bit make the works that they make when all are there at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from benchmarks.generated import Library
from metasearch.dedup.pins import Pin, Pins
from metasearch.demo import catalogue
from metasearch.record import Author, Record, VersionsMode
from metasearch.review.store.database import Database
from metasearch.review.works import pins as project_pins
from tests.cases import sample
from tests.dedup.records import records
from tests.examples import examples
from tests.review.works.held import Held, at_once, paper

_VERDICTS: tuple[project_pins.Verdict, ...] = ("same", "different")
_QUICK = examples(1.5, suppress_health_check=[HealthCheck.function_scoped_fixture])


def shuffled(rows: list[Record], seed: int) -> list[list[Record]]:
    """The records in another order, in some chunks."""
    rng = random.Random(seed)
    rows = rng.sample(rows, len(rows))
    cuts = sorted(rng.sample(range(len(rows) + 1), min(len(rows), rng.randint(0, 6))))
    return [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


def unique(rows: list[Record]) -> list[Record]:
    """Records with keys of their own."""
    return list({row.key: row for row in rows}.values())


@_QUICK
@given(records(), st.integers(0, 99), st.sampled_from(["separate", "group", "merge"]))
def test_near_twins_in_any_order(
    db: Database, rows: list[Record], seed: int, versions: VersionsMode
) -> None:
    """Whatever agrees and contradicts, in any chunks and any order, in every versions mode."""
    rows = unique(rows)
    held = Held(db, works={"versions": versions})
    for some in shuffled(rows, seed):
        held.add(*some)
    assert held.clusters() == at_once(rows, versions=versions)


@pytest.mark.parametrize(("seed", "size"), sample([(0, 250), (1, 500)], 2))
def test_a_generated_library(db: Database, seed: int, size: int) -> None:
    """The same of hundreds of records of several databases, with editorials and typos."""
    rows = [row for _, row in Library(seed).records(size)]
    held = Held(db)
    for some in shuffled(rows, seed):
        held.add(*some)
    assert held.clusters() == at_once(rows)


@pytest.mark.parametrize(("seed", "every"), sample([(0, 6), (1, 1)], 2))
def test_the_catalogue_of_the_demo(db: Database, seed: int, every: int) -> None:
    """The same of the demo's works, as three databases describe them; Chinese ones, too."""
    rows = [
        _described(work, number, source)
        for number, work in enumerate(catalogue.works()[::every])
        for source in "abc"
    ]
    held = Held(db)
    for some in shuffled(rows, seed):
        held.add(*some)
    assert held.clusters() == at_once(rows)
    assert len(held.clusters()) < len(rows)


def _described(work: catalogue.CatalogueWork, number: int, source: str) -> Record:
    """The work as one of three databases has it: whole, in capitals without DOI, without people."""
    return Record(
        source=source,
        source_id=str(number),
        position=number + 1,
        title=work.full_title.upper() if source == "b" else work.full_title,
        authors=()
        if source == "c"
        else tuple(
            Author(f"{given} {family}".strip(), family, given) for family, given in work.authors
        ),
        year=work.year,
        venue=work.venue or None,
        volume=work.volume or None,
        pages=work.pages or None,
        doi=None if source == "b" else work.doi or None,
        type=work.type,
        language=work.language,
        abstract=work.abstract or None,
    )


def test_columns_that_show_late(db: Database) -> None:
    """A title that turns out to be that of a column parts the works that it had joined."""
    columns = [
        paper(
            "a",
            number,
            "From the editor's desk of practice",
            author="",
            year=2010 + number,
            volume=str(number),
            pages=None,
            venue="Clinical Practice",
        )
        for number in range(1, 6)
    ]
    twins = [
        paper(
            "b",
            number,
            "From the editor's desk of practice",
            author="",
            year=2010 + number,
            venue="Clinical Practice",
        )
        for number in range(1, 6)
    ]
    rows = [*columns[:1], *twins[:1], *columns[1:], *twins[1:]]
    held = Held(db)
    for row in rows:
        held.add(row)
    assert held.clusters() == at_once(rows)


@_QUICK
@given(records(8), st.data())
def test_pins_before_and_after(db: Database, rows: list[Record], data: st.DataObject) -> None:
    """Pins hold for records that are there, and for those that come later."""
    rows = unique(rows)
    held = Held(db)
    half = data.draw(st.integers(0, len(rows)))
    held.add(*rows[:half])
    lines: list[Pin] = []
    pairs = st.lists(st.sampled_from(rows), min_size=2, max_size=2, unique_by=lambda row: row.key)
    for number in range(data.draw(st.integers(0, 2)) if half > 1 else 0):
        a, b = data.draw(pairs.filter(lambda pair: all(row in rows[:half] for row in pair)))
        verdict = data.draw(st.sampled_from(_VERDICTS))
        if any({a.key, b.key} & set(pin.names) for pin in lines):
            continue
        project_pins.pin(held.project, verdict, a.key, b.key)
        lines.append(Pin(verdict, (a.key, b.key), number, "project"))
    held.add(*rows[half:])
    assert held.clusters() == at_once(rows, Pins(tuple(lines)))


def test_a_crowd_does_not_pull_in_all(db: Database) -> None:
    """Of hundreds with one title a few are compared, and the rest is counted."""
    rows = [
        paper(
            "a",
            number,
            "Annual report of the harbour authority",
            author="",
            year=2001,
            venue=f"Harbour {number}",
        )
        for number in range(250)
    ]
    held = Held(db)
    held.add(*rows)
    assert held.add(
        paper(
            "b", 1, "Annual report of the harbour authority", author="", year=2001, venue="Another"
        )
    ).passed_over
