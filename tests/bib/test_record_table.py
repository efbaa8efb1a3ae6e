"""What is declared of the fields of a record reaches all that derives from it."""

from __future__ import annotations

from dataclasses import fields

from metasearch.bib.converters import DEFAULTS
from metasearch.formats.answer import hit_object
from metasearch.formats.csv import COLUMNS, cells
from metasearch.formats.csv_columns import FIELD_OF
from metasearch.formats.parquet import COLUMNS as PARQUET_COLUMNS
from metasearch.record import FIELDS, OF_THE_WORK, Record, fields_of
from metasearch.server.pages.environment import FIELD_WORDS
from metasearch.server.protocols.openapi.answers import HIT_PROPERTIES
from tests.dedup.test_merge import merged
from tests.formats.samples import hit

#: Shown with another field, or in a place of its own; references are shown as works.
WITHOUT_LABEL = {"source", "source_id", "position", "subtitle", "ids", "abstract", "references"}


def test_every_field_is_declared() -> None:
    assert [*FIELDS] == [each.name for each in fields(Record)]
    assert {name for name, each in FIELDS.items() if not each.label} == WITHOUT_LABEL
    assert {name for name, each in FIELDS.items() if each.words} == {*fields_of("word")}


def test_every_field_of_the_work_is_everywhere() -> None:
    """In the answer, in its schema, in the tables, on the page, and in specs."""
    named = {*OF_THE_WORK}

    assert named <= hit_object(hit()).keys() == HIT_PROPERTIES.keys()
    assert named <= {*PARQUET_COLUMNS}
    assert named - {*COLUMNS} == {"titles"}
    assert named <= {*FIELD_OF.values()}
    assert FIELD_WORDS.keys() == named - WITHOUT_LABEL
    assert DEFAULTS.keys() == (named | {"source_id"}) - {"ids"}


def test_funders() -> None:
    """A field of several texts needs nothing but its declaration: a hit has what any record has,
    and a table has them in one cell."""
    one = Record(source="a", source_id="1", title="Iron", funders=("NSF", "DFG"))
    other = Record(source="b", source_id="1", title="Iron", funders=("ERC", "DFG"))
    work = merged(one, other)

    assert work.record.funders == ("NSF", "DFG", "ERC")
    assert dict(zip(COLUMNS, cells(work), strict=True))["funders"] == "NSF; DFG; ERC"
