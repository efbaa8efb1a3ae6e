"""Records that are made the quick way are records."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from operator import attrgetter
from typing import Any

import pytest

from metasearch.record import (
    Author,
    Hit,
    Match,
    Reason,
    Record,
    fields_getter,
    made_author,
    made_hit,
    made_match,
    made_reason,
    made_record,
)


def test_they_cannot_be_told_from_others() -> None:
    """Type, equality, hash, text and pickle are those of the class itself."""
    author, usual = made_author("Ada Byron", "Byron", "Ada"), Author("Ada Byron", "Byron", "Ada")
    record = made_record(source="a", title="T", authors=(author,))

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
    found = made_hit(*hit, rank=3, reasons=(made_reason(*reason),))
    usual = Hit(*hit, rank=3, reasons=(Reason(*reason),))

    assert type(found) is Hit
    assert type(found.reasons[0]) is Reason
    assert type(made_match(*match)) is Match
    assert (found, repr(found), asdict(found)) == (usual, repr(usual), asdict(usual))
    assert made_match(*match) == Match(*match) == pickle.loads(pickle.dumps(made_match(*match)))
    assert hash(made_match(*match)) == hash(Match(*match))
    assert found.sources == usual.sources == ("a",)
    assert found.sources is found.sources
    assert pickle.loads(pickle.dumps(found)) == usual
    assert replace(found, rank=4) == replace(usual, rank=4)


def test_they_are_frozen() -> None:
    """What was read is never edited."""
    with pytest.raises(FrozenInstanceError):
        made_record(source="a").title = "T"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        made_hit("h1", made_record(source="a"), (), {}).rank = 1  # type: ignore[misc]


def test_each_has_identifiers_of_its_own() -> None:
    """A default that is a dictionary is made anew."""
    assert made_record(source="a").ids is not made_record(source="b").ids


def test_a_field_that_records_do_not_have_is_refused() -> None:
    """As the class refuses it."""
    with pytest.raises(TypeError, match="colour"):
        made_record(source="a", colour="red")  # type: ignore[call-arg]


def test_fields_of_a_record() -> None:
    """They are those of `attrgetter`, one of them as a tuple, too; there are no others."""
    record = Record(source="a", title="T", year=1999)
    names = [field.name for field in fields(Record)]

    assert fields_getter(names)(record) == attrgetter(*names)(record)
    assert fields_getter(["year"])(record) == (1999,)
    with pytest.raises(ValueError, match="rank"):
        fields_getter(["rank"])
