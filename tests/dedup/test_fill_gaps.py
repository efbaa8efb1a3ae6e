"""One more record for a finished hit: it fills gaps, and changes nothing else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hypothesis import given

from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.hits import fill_gaps, merge
from metasearch.record import OPEN_ACCESS, Hit, Record, Version
from tests.cases import each
from tests.dedup.records import ARTICLE, record, records

DOI = "10.1000/one"


def hit_of(*rows: Record) -> Hit:
    """The hit of these records."""
    return merge([(row.key, row, fingerprint(row)) for row in rows])


def said(**values: Any) -> Record:
    """What an enricher says of the work."""
    return Record(source="oa", source_id=DOI, doi=DOI, **values)


def test_gaps_are_filled_and_told() -> None:
    """Fields and identifiers that the hit lacks, each with the name of the enricher."""
    hit = fill_gaps(
        hit_of(record("a", 1, **ARTICLE, doi=DOI, ids={"pmid": "5"})),
        said(
            pdf_url="https://oa.example/1.pdf", licence="cc-by", ids={"pmid": "6", "pmcid": "PMC1"}
        ),
    )

    assert (hit.record.pdf_url, hit.record.licence) == ("https://oa.example/1.pdf", "cc-by")
    assert hit.record.ids == {"pmid": "5", "pmcid": "PMC1"}
    assert {name for name, source in hit.provenance.items() if source == "oa"} == {
        "pdf_url",
        "licence",
        "ids.pmcid",
    }


@given(records(), records(most=1))
def test_nothing_is_replaced(rows: list[Record], others: list[Record]) -> None:
    """Whatever the records say: what the hit had, it has, but for a status that tells more."""
    (other,) = others
    before = hit_of(*rows)
    hit = fill_gaps(
        before,
        said(**{it.name: getattr(other, it.name) for it in fields(Record) if it.name not in NAMES}),
    )

    assert (hit.id, hit.rank, hit.score, hit.reasons) == (
        before.id,
        before.rank,
        before.score,
        before.reasons,
    )
    for it in fields(Record):
        if it.name not in ("ids", "open_access") and getattr(before.record, it.name):
            assert getattr(hit.record, it.name) == getattr(before.record, it.name)
    assert before.record.ids.items() <= hit.record.ids.items()
    assert len(hit.records) == len(before.records) + 1
    for name, source in hit.provenance.items():
        assert source == before.provenance.get(name, "oa")


NAMES = ("source", "source_id", "doi")


@each(
    ("known", "other", "becomes"),
    [
        (None, "closed", "closed"),
        ("closed", "green", "green"),
        ("open", "gold", "gold"),
        ("gold", "green", "gold"),
        ("green", "closed", "green"),
        ("gold", "open", "gold"),
    ],
)
def test_a_status_may_tell_more(known: str | None, other: str, becomes: str) -> None:
    """A colour instead of a mere "open", and either of these instead of "closed"."""
    assert {known, other, becomes} <= {None, *OPEN_ACCESS}
    hit = fill_gaps(
        hit_of(record("a", 1, **ARTICLE, doi=DOI, open_access=known)), said(open_access=other)
    )

    assert hit.record.open_access == becomes
    assert hit.provenance["open_access"] == ("a" if known == becomes else "oa")


def test_a_date_of_another_year_is_left_out() -> None:
    """The year stands; one of the same year makes it more precise."""
    article = {**ARTICLE, "year": 2020}
    for date, expected in (("2019-12-31", None), ("2020-01-15", "2020-01-15")):
        assert (
            fill_gaps(hit_of(record("a", 1, **article, doi=DOI)), said(date=date)).record.date
            == expected
        )


def test_it_belongs_to_the_version_with_the_doi() -> None:
    """Where a hit has several versions, and the match says with which record it goes."""
    versions = (Version("published", ("a:1",)), Version("preprint", ("b:1",)))
    rows = record("a", 1, **ARTICLE, doi=DOI), record("b", 1, **ARTICLE)
    before = hit_of(*rows)
    hit = fill_gaps(Hit(before.id, rows[0], rows, before.provenance, versions=versions), said())

    assert hit.versions == (
        Version("published", ("a:1", f"oa:{DOI}")),
        Version("preprint", ("b:1",)),
    )
    (match,) = hit.matches
    assert (match.matcher, match.left, match.right) == ("enrich", "a:1", f"oa:{DOI}")
