"""Copies of a record: records that say the same, whatever they are called."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup.online import Contents, content_of
from metasearch.record import Record

RECORDS = st.builds(
    Record,
    source=st.sampled_from("ab"),
    source_id=st.sampled_from(["1", "2", ""]),
    position=st.integers(1, 9),
    title=st.sampled_from(["Wings", "Stars"]),
    year=st.sampled_from([None, 1990]),
    ids=st.sampled_from(
        [{}, {"pmid": "1"}, {"pmid": "1", "arxiv": "2"}, {"arxiv": "2", "pmid": "1"}]
    ),
)


@given(st.lists(RECORDS, max_size=20))
def test_a_copy_is_told_by_all_that_a_record_says(records: list[Record]) -> None:
    """The first record of a content is named."""
    contents = Contents(records)
    first: dict[tuple[object, ...], int] = {}

    for number, record in enumerate(records):
        known = first.setdefault(content_of(record), number)

        assert contents.add(number) == (known if known != number else None)


def test_contents_of_one_hash_are_compared() -> None:
    """-1 and -2 have one hash."""
    one = Record(source="a", title="Wings", citations=-1)
    records = [one, replace(one, citations=-2), replace(one, citations=-1)]
    contents = Contents(records)

    assert hash(content_of(records[0])) == hash(content_of(records[1]))
    assert [contents.add(number) for number in range(3)] == [None, None, 0]


@given(st.lists(st.tuples(RECORDS, st.booleans(), st.booleans()), max_size=20))
def test_a_record_that_is_left_for_later_is_taken_in_as_ever(
    rows: list[tuple[Record, bool, bool]],
) -> None:
    """Where it is to be taken in, which is asked when its title comes again."""
    records = [record for record, _, _ in rows]
    known, contents = Contents[bool](records), Contents[bool](records)

    for number, (_, is_taken, later) in enumerate(rows):
        if later and contents.add_later(number, is_taken):
            if is_taken:
                known.add(number)
        else:
            assert contents.add(number, lambda _, taken: taken) == known.add(number)
