"""Records that are made the quick way are records."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, asdict, replace

import pytest

from metasearch.bib.fast_records import made_author, made_hit, made_reason, made_record
from metasearch.record import Author, Hit, Reason, Record


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


def test_hits_and_reasons_of_the_quick_way() -> None:
    """They are as others too, and a hit still keeps the names of its sources once it has them."""
    record, reason = Record(source="a"), Reason("a ranks it 1", 0.2, "a")
    made = made_hit("h1", record, (record,), {}, rank=1, reasons=(made_reason(*_parts(reason)),))
    usual = Hit("h1", record, (record,), {}, rank=1, reasons=(reason,))

    assert type(made) is Hit
    assert type(made.reasons[0]) is Reason
    assert (made, repr(made)) == (usual, repr(usual))
    assert made.sources is made.sources
    assert replace(made, rank=2) == replace(usual, rank=2)
    assert pickle.loads(pickle.dumps(made)) == usual
    with pytest.raises(FrozenInstanceError):
        made.rank = 3  # type: ignore[misc]


def _parts(reason: Reason) -> tuple[str, float, str | None]:
    return reason.text, reason.points, reason.source
