"""A hit that was written is read back as it was, or refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from metasearch.formats import hits as kept_hits
from metasearch.message import TextList, join_texts, message, message_n, message_to_json
from metasearch.record import Author, Hit, Match, Reason, Record, Version
from tests.cases import each
from tests.engine.hits import hits

FULL = Hit(
    id="h0123456789ab",
    record=Record(
        source="a",
        source_id="1",
        position=3,
        title="Iron \ud800 lakes",  # a lone surrogate
        titles=("Eisen", "鉄"),
        authors=(Author("Ann Berg", "Berg", "Ann", orcid="0000-0001-2345-6789"),),
        editors=(Author("WHO", collective=True),),
        year=2020,
        ids={"pmid": "1"},
        isbn=("9780000000002",),
        retracted=False,
    ),
    records=(Record(source="a", source_id="1", position=3), Record(source="b", citations=0)),
    provenance={"title": "a", "ids.pmid": "b"},
    matches=(Match("doi", "same", 1.0, "same DOI", "a:1", "b#0"),),
    versions=(Version("preprint", ("a:1",)), Version("published", ("b#0",))),
    score=0.1 + 0.2,
    rank=7,
    reasons=(Reason("a ranks it 3", 1 / 61, "a"), Reason("title", 0.1)),
    also=("hba9876543210",),
)


def test_every_field_comes_back() -> None:
    """Also False, 0, and text that UTF-8 cannot hold."""
    assert kept_hits.read(kept_hits.write(FULL)) == FULL


@given(drawn=hits())
def test_any_hits_come_back(drawn: list[Hit]) -> None:
    """Whatever they hold."""
    assert [kept_hits.read(kept_hits.write(hit)) for hit in drawn] == drawn


@each(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b'{"shape":0}',
        b'{"shape":1}',
        b"[" * 100_000,
        kept_hits.write(FULL)[:-2],
        kept_hits.write(FULL).replace(b'"year":2020', b'"decade":2020'),
        kept_hits.write(FULL).replace(b'"name":"Ann Berg"', b'"called":"Ann Berg"'),
        json.dumps(json.loads(kept_hits.write(FULL)) | {"records": 5}).encode(),
    ],
)
def test_damaged_bytes_are_refused(data: bytes) -> None:
    """And those of another release: fields come and go."""
    with pytest.raises(ValueError, match="not a hit as this release writes it"):
        kept_hits.read(data)


def test_messages_come_back() -> None:
    """So that a page can show them in another language; beside them stands the English text."""
    because = join_texts(
        "; ", [message("same {what}", what=message("DOI")), "as another release says"]
    )
    hit = replace(
        FULL,
        matches=(Match("doi", "same", 1.0, because, "a:1", "b#0"),),
        reasons=(Reason(message_n("{count} source", "{count} sources", 2), 0.5),),
    )
    read = kept_hits.read(kept_hits.write(hit))
    match, reason = read.matches[0].because, read.reasons[0].text

    assert read == hit
    assert json.loads(kept_hits.write(hit))["matches"][0]["because"] == because
    assert isinstance(match, TextList)
    assert message_to_json(match) == message_to_json(because)
    assert message_to_json(reason) == message_to_json(hit.reasons[0].text)
