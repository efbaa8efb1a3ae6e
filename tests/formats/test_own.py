"""What metasearch writes as JSON is read again: records exactly, streams and answers as their
hits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.field_limits import Cuts
from metasearch.events import Added, Finished, Grown, Joined, Order, Started
from metasearch.formats import answer as answers
from metasearch.formats import own
from metasearch.formats import own as records
from metasearch.formats.events import ndjson
from metasearch.formats.own import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.record import TYPES, Author, Record
from tests.cases import each
from tests.formats.reading.samples import read, told
from tests.formats.reading.structured import CSL_JSON, OWN
from tests.formats.samples import MERGED, answer, hit

OTHER = hit("pubmed:1", source="pubmed", title="Another work", year=2001, score=0.5, rank=2)
ANSWER = answer(MERGED, OTHER)


def test_records_come_back_as_they_were() -> None:
    """Source, position and all; the database is the source."""
    written = records.write(MERGED.records)
    reading = read_bytes(written, "kept.ndjson")

    assert (reading.format, reading.problems) == ("ndjson", [])
    assert list(reading.records) == list(MERGED.records)
    assert [(it.line, it.database) for it in reading.entries] == [(1, "arxiv"), (2, "crossref")]


#: What `formats/text.py` drops.
_DROPPED = [
    *range(0x2028, 0x202F),
    *range(0x2066, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    0xFFFE,
    0xFFFF,
]
_DROPPED += range(0xE0000, 0xE0080)
_CHARACTERS = st.characters(
    exclude_categories=("Cs", "Cc"), exclude_characters=[chr(it) for it in _DROPPED]
)
_TEXT = st.text(_CHARACTERS, min_size=1, max_size=20)
_MAYBE = st.none() | _TEXT
_LIST = st.lists(_TEXT, max_size=3).map(tuple)
_AUTHORS = st.lists(st.builds(Author, _TEXT, _MAYBE, _MAYBE, _MAYBE), max_size=3).map(tuple)
RECORDS = st.builds(
    Record, source=_TEXT, source_id=st.just("") | _TEXT, position=st.integers(0, 10**6), url=_MAYBE,
    title=st.just("") | _TEXT, subtitle=_MAYBE, titles=_LIST, authors=_AUTHORS,
    year=st.none() | st.integers(1, 3000),
    date=_MAYBE, venue=_MAYBE, publisher=_MAYBE, edition=_MAYBE, volume=_MAYBE, issue=_MAYBE,
    pages=_MAYBE, doi=_TEXT,
    ids=st.dictionaries(_TEXT, _TEXT, max_size=2), isbn=_LIST, issn=_LIST,
    type=st.none() | st.sampled_from(TYPES),
    language=_MAYBE, abstract=_MAYBE, keywords=_LIST, citations=st.none() | st.integers(0, 10**9),
    pdf_url=_MAYBE,
)  # fmt: skip


@given(found=st.lists(RECORDS, max_size=4))
def test_any_record_comes_back(found: list[Record]) -> None:
    """Exactly."""
    assert list(read_bytes(records.write(found), "a", format="ndjson").records) == found


def test_an_answer_gives_its_hits() -> None:
    """One record each, named after the file, under the hit's id; on one line or on many."""
    written = answers.write(ANSWER)
    for data in (written, json.dumps(json.loads(written), indent=2).encode()):
        reading = read_bytes(data, "answer.json")
        first, second = reading.records

        assert (reading.format, reading.problems) == ("ndjson", [])
        assert (first.source, first.source_id, first.position) == ("answer.json", MERGED.id, 1)
        for name in (
            "title",
            "authors",
            "year",
            "date",
            "venue",
            "doi",
            "ids",
            "issn",
            "keywords",
            "abstract",
            "type",
        ):
            assert getattr(first, name) == getattr(MERGED.record, name)
        assert (second.title, second.position) == ("Another work", 2)
        assert [it.database for it in reading.entries] == [None, "pubmed"]


def test_a_stream_gives_the_hits_that_it_leaves() -> None:
    """Replaced, absorbed and ranked as the last event says."""
    early = hit("arxiv:9907.00001", source="arxiv", title="Early")
    gone = hit("x:1", source="x", title="Gone")
    stream = [
        Started("s", "q", ("a",), 8.0), Added(OTHER), Added(early), Added(gone), Grown(early),
        Joined(MERGED, ("x:1",)),
        Order((MERGED.id, OTHER.id)), Finished(ANSWER),
    ]  # fmt: skip
    data = b"".join(map(ndjson, stream))
    reading = read_bytes(data, "a.ndjson")

    assert not reading.problems
    assert [record.title for record in reading.records] == [MERGED.record.title, "Another work"]

    twice = read_bytes(data + data, "a.ndjson")
    assert len(twice.entries) == 4

    cut = read_bytes(b"".join(map(ndjson, stream[:4])), "a.ndjson")
    assert [record.title for record in cut.records] == ["Another work", "Early", "Gone"]
    assert told(cut) == [
        (0, "the stream of events breaks off before its end; the hits so far were read")
    ]


def test_hits_a_line() -> None:
    """As `jq -c .hits[]` cuts them out of an answer."""
    data = b"\n".join(json.dumps(it).encode() for it in json.loads(answers.write(ANSWER))["hits"])

    assert [record.title for record in read_bytes(data, "a.jsonl").records] == [
        MERGED.record.title,
        "Another work",
    ]


def test_a_bad_line_is_told_and_costs_no_other() -> None:
    """What is no JSON, no object, no record; and lines that have lost the end between them."""
    lines = [
        '{"source": "a", "title": "A"}', "garbage", "5", '{"x": 1}', '{"source": "a", "title": "B"',
        '{"source": "a", "title": "C"}{"source": "a", "title": "D"}', "",
        '{"source": "a", "position": 9}',
        '{"event": "hit", "id": 5}', '{"source": "a", "title": "E"}',
    ]  # fmt: skip
    reading = read("\n".join(lines), "ndjson")

    assert [record.title for record in reading.records][:1] == ["A"]
    assert [record.title for record in reading.records][-1] == "E"
    assert {problem.line for problem in reading.problems if problem.lost} >= {2, 3, 4, 5, 8, 9}


def test_fields_of_another_kind_are_left_out() -> None:
    """One odd field costs neither its record nor the others; keys of nobody are told once."""
    text = (
        '{"source": "a", "title": "A", "year": "1999", "authors": [{"family": "X"}], "isbn": [1], '
        '"ids": {"a": 1}, '
        '"type": "novel", "venue": ["J"], "mine": 1}\n{"title": "B", "source": "b", "year": true, '
        '"mine": 2}\n'
    )
    reading = read(text, "ndjson")

    assert [
        (r.title, r.year, r.authors, r.isbn, r.ids, r.type, r.venue) for r in reading.records
    ] == [
        ("A", None, (), (), {}, None, None),
        ("B", None, (), (), {}, None, None),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [(0, 0)] + [
        (1, 0)
    ] * 6 + [(2, 0)]
    assert told(reading)[0] == (0, "keys that a record does not have were passed over: mine")


def test_a_record_without_place_gets_that_in_the_file() -> None:
    """For lines that somebody wrote by hand."""
    reading = read('{"source": "a", "title": "A"}\n{"source": "", "title": "B"}\n', "ndjson")

    assert [(record.source, record.position) for record in reading.records] == [("a", 1), ("", 2)]


def test_deep_nesting_raises_nothing() -> None:
    """A hundred thousand brackets are one line that cannot be read."""
    reading = read(
        '{"source": "a", "x": ' + "[" * 100_000 + "\n" + '{"source": "a", "title": "A"}\n', "ndjson"
    )

    assert [record.title for record in reading.records] == ["A"]
    assert reading.lost == 1


@each(
    ("head", "is_ours"),
    [
        (OWN, True),
        ('{"event":"start","id":"1"', True),
        ('{"query":"q","complete":true,"counts":{', True),
        ('[{"source":"a","position":1', True),
        (CSL_JSON, False),
        ("source: a", False),
    ],
)
def test_detection(head: str, is_ours: bool) -> None:
    """By the first keys, which we write first."""
    assert looks_like(head) is is_ours


def test_a_record_that_provokes_a_surprise_costs_only_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a record raises is told with its line, and its neighbours are read."""
    whole = own.cut_fields

    def cut_fields(values: dict[str, Any], cuts: Cuts) -> dict[str, Any]:
        if values["title"] == "B":
            raise RuntimeError("odd")
        return whole(values, cuts)

    monkeypatch.setattr(own, "cut_fields", cut_fields)
    reading = read("".join(f'{{"source": "a", "title": "{title}"}}\n' for title in "ABC"), "ndjson")

    assert [record.title for record in reading.records] == ["A", "C"]
    assert told(reading) == [
        (2, "the record could not be read and was left out: RuntimeError: odd")
    ]
    assert reading.lost == 1
