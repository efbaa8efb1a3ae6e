"""Registration numbers of trials are identifiers that hold no records together."""

from __future__ import annotations

from metasearch.bib import work_ids
from metasearch.bib.work_ids import find
from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.hits import fill_gaps, merge, of_one
from metasearch.record import Author, Hit, Record


def _report(title: str, number: int, **fields: object) -> Record:
    return Record(
        source="pubmed",
        source_id=f"{number}",
        position=number,
        title=title,
        authors=(Author("Ada Brook", "Brook", "Ada"),),
        year=2019,
        **fields,  # type: ignore[arg-type]
    )


TRIAL = {"nct": "NCT03456789"}


def _hit(*records: Record) -> Hit:
    return merge([(record.key, record, Fingerprint(record)) for record in records])


def test_two_reports_of_one_trial_stay_two() -> None:
    first = _report("Warm baths for cold feet: main results", 1, venue="Feet", ids=TRIAL)
    second = _report("Costs of warm baths for cold feet", 2, venue="Feet", ids=TRIAL)
    hits = OnlineDedup(DEFAULT)
    for record in (first, second):
        hits.insert(record)

    assert sorted(hit.record.title for hit in hits.hits()) == sorted([first.title, second.title])


def test_reports_of_several_trials_are_not_kept_apart_by_them() -> None:
    title = "Warm baths for cold feet: a pooled analysis of two trials"
    first = _report(title, 1, doi="10.1000/feet.1", ids=TRIAL)
    second = _report(title, 2, doi="10.1000/feet.1", ids={"nct": "NCT01112223"})
    hits = OnlineDedup(DEFAULT)
    for record in (first, second):
        hits.insert(record)

    (hit,) = hits.hits()
    assert hit.record.ids == {"nct": "NCT03456789, NCT01112223"}


def test_a_number_is_no_name_of_a_work() -> None:
    untitled = _report("", 1, ids=TRIAL)

    assert Fingerprint(untitled).ids == frozenset()
    assert work_ids.identifiers(untitled) == []
    assert of_one([Fingerprint(untitled)]) == of_one([Fingerprint(_report("", 1))])


def test_each_work_of_a_trial_is_found_by_its_number() -> None:
    hits = [
        _hit(_report("Warm baths", 1, ids={"nct": "NCT01112223, NCT03456789"})),
        _hit(_report("Cold baths", 2, ids=TRIAL)),
        _hit(_report("Dry baths", 3)),
    ]

    assert find("nct:NCT03456789", hits) == hits[:2]


def test_a_record_that_fills_gaps_adds_its_numbers() -> None:
    hit = _hit(_report("Warm baths", 1, doi="10.1000/feet.1", ids=TRIAL | {"pmid": "1"}))
    more = Record(
        source="crossref",
        source_id="x",
        title="Warm baths",
        doi="10.1000/feet.1",
        ids={"nct": "NCT01112223", "isrctn": "ISRCTN24680135", "pmid": "2"},
    )

    whole = fill_gaps(hit, more)
    assert whole.record.ids == {
        "nct": "NCT03456789, NCT01112223",
        "pmid": "1",
        "isrctn": "ISRCTN24680135",
    }
    assert whole.provenance["ids.nct"] == "pubmed"
    assert whole.provenance["ids.isrctn"] == "crossref"
