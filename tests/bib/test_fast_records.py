"""Records that are made the quick way are records."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any

import pytest

from metasearch.record import (
    Author,
    Hit,
    Match,
    Reason,
    Record,
    new_author,
    new_hit,
    new_match,
    new_reason,
    new_record,
)


def test_they_cannot_be_told_from_others() -> None:
    """Type, equality, hash, text and pickle are those of the class itself."""
    author, usual = new_author("Ada Byron", "Byron", "Ada"), Author("Ada Byron", "Byron", "Ada")
    record = new_record(source="a", title="T", authors=(author,))

    assert type(author) is Author
    assert type(record) is Record
    assert (author, hash(author), repr(author)) == (usual, hash(usual), repr(usual))
    assert (
        record
        == Record(source="a", title="T", authors=(usual,))
        == pickle.loads(pickle.dumps(record))
    )
    assert asdict(record) == asdict(Record(source="a", title="T", authors=(usual,)))


def test_hits_matches_and_reasons_cannot_be_told_from_others() -> None:
    """Nor can what is computed of a hit, which keeps it."""
    record = Record(source="a", source_id="1")
    reason = ("a ranks it 1", 0.2, "a")
    match = ("doi", "same", 0.9, "same DOI", "a:1", "b:1")
    hit: tuple[Any, ...] = ("h1", record, (record,), {"title": "a"})
    found = new_hit(*hit, rank=3, reasons=(new_reason(*reason),))
    usual = Hit(*hit, rank=3, reasons=(Reason(*reason),))

    assert type(found) is Hit
    assert type(found.reasons[0]) is Reason
    assert type(new_match(*match)) is Match
    assert (found, repr(found), asdict(found)) == (usual, repr(usual), asdict(usual))
    assert new_match(*match) == Match(*match) == pickle.loads(pickle.dumps(new_match(*match)))
    assert hash(new_match(*match)) == hash(Match(*match))
    assert found.sources == usual.sources == ("a",)
    assert found.sources is found.sources
    assert pickle.loads(pickle.dumps(found)) == usual
    assert replace(found, rank=4) == replace(usual, rank=4)


def test_they_are_frozen() -> None:
    """What was read is never edited."""
    with pytest.raises(FrozenInstanceError):
        new_record(source="a").title = "T"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        new_hit("h1", new_record(source="a"), (), {}).rank = 1  # type: ignore[misc]


def test_each_has_identifiers_of_its_own() -> None:
    """A default that is a dictionary is made anew."""
    assert new_record(source="a").ids is not new_record(source="b").ids


def test_a_field_that_records_do_not_have_is_refused() -> None:
    """As the class refuses it."""
    with pytest.raises(TypeError, match="colour"):
        new_record(source="a", colour="red")  # type: ignore[call-arg]
