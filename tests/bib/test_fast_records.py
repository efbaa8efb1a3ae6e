"""Records that are made the quick way are records."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, asdict

import pytest

from metasearch.bib.fast_records import made_author, made_record
from metasearch.record import Author, Record


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


def test_they_are_frozen() -> None:
    """What was read is never edited."""
    with pytest.raises(FrozenInstanceError):
        made_record(source="a").title = "T"  # type: ignore[misc]


def test_each_has_identifiers_of_its_own() -> None:
    """A default that is a dictionary is made anew."""
    assert made_record(source="a").ids is not made_record(source="b").ids


def test_a_field_that_records_do_not_have_is_refused() -> None:
    """As the class refuses it."""
    with pytest.raises(TypeError, match="colour"):
        made_record(source="a", colour="red")  # type: ignore[call-arg]
