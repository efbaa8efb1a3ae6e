"""Of each record only some fields are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.bulk.evaluate.datasets import (
    read,
    record_fields,
    with_fields,
)
from metasearch.errors import UsageError
from metasearch.record import OF_THE_WORK, Author, Record
from tests.bulk.evaluate.samples import write


def test_only_what_is_named_is_kept(tmp_path: Path) -> None:
    """The fields that are named, and what names the record; the truth stays."""
    whole = read(write(tmp_path / "small"))

    part = with_fields(whole, ("title", "authors"))

    assert part.records[0] == Record(
        source="small",
        source_id="A1",
        title="Island mice and parasites",
        authors=(Author("Ada Byron", "Byron", "Ada"),),
    )
    assert [record.key for record in part.records] == [record.key for record in whole.records]
    assert (part.works, part.name) == (whole.works, "small")
    assert whole.records[0].doi == "10.5555/a"


def test_all_where_nothing_is_named(tmp_path: Path) -> None:
    """Nobody wants records that say nothing."""
    whole = read(write(tmp_path))

    assert with_fields(whole, ()) is whole


def test_names_of_fields() -> None:
    """Each once; one that a record does not have is told with those that it has."""
    assert record_fields(["title", "abstract", "title"]) == ("title", "abstract")
    assert {"title", "abstract", "doi"} < set(OF_THE_WORK)
    for name in ("headline", "source_id"):
        with pytest.raises(UsageError, match=f"no field called '{name}'") as caught:
            record_fields(["title", name])
        assert "title, subtitle," in caught.value.advice
