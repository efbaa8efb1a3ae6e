"""What the exports write, our own readers read back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import WRITABLE
from metasearch.record import Record
from tests.examples import examples
from tests.formats.exported import hits_of, read_back, records, said
from tests.formats.losses import LOST

#: Format of records -> fields that it has no place for, or that its reader does not take.
LEFT_OUT: dict[str, set[str]] = {
    name: {"titles", "pdf_url"} & lost
    for name, lost in LOST.items()
    if WRITABLE[name].unit == "hits"
}
#: Their readers do not say what contains a Chinese thesis; Parquet holds the record as it was.
NO_THESES = ("nbib", "marc", "marcxml", "mods", "parquet")


def expected(record: Record, name: str) -> dict[str, Any]:
    told = said(record)
    if (
        name not in NO_THESES
        and record.type == "thesis"
        and record.venue is None
        and (record.publisher or "")[:1] > "\u4e00"
    ):
        told["venue"] = f"{record.publisher}学位论文"  # what contains a thesis, to the readers
    if name == "csl-json" and record.type == "preprint" and record.publisher == record.venue:
        told["publisher"] = None  # said twice, because programs look for the repository there
    return {field: value for field, value in told.items() if field not in LEFT_OUT[name]}


@pytest.mark.parametrize("name", sorted(LEFT_OUT))
@examples(0.5)
@given(found=st.lists(records(), min_size=1, max_size=3))
def test_every_field_comes_back(name: str, found: list[Record]) -> None:
    reading = read_back(name, hits_of(found))

    for record, read in zip(found, reading.records, strict=True):
        want = expected(record, name)
        got = {field: value for field, value in said(read).items() if field in want}
        assert got == want
