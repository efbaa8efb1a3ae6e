"""Values of a search as JSON that two releases can be compared by."""

from __future__ import annotations

from inspect import signature
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from benchmarks.against import plain
from metasearch import events, record
from metasearch.adapters.parse.parse import PageContent, Unread
from metasearch.record import Author, Hit, Record
from tests.cases import each

TYPES = (
    {
        name: getattr(record, name, None) or getattr(events, name, None)
        for name in plain.FIELDS
        if name not in ("Unread", "Request")
    }
    | dict.fromkeys(("PageContent", "Parsed"), PageContent)
    | {"Unread": Unread}
)


@each(("name", "kind"), TYPES.items(), ids=str)
def test_every_field_is_compared(name: str, kind: type) -> None:
    """A field that is added must be added to the table, or no difference of it would be found."""
    assert set(plain.FIELDS[name]) == set(signature(kind).parameters)


def test_what_a_value_is_made_of_does_not_count() -> None:
    """A type of the same name with the same values gives the same bytes; so does a mapping of
    another type."""

    class Author:
        name, family, given = "Ada Byron", "Byron", "Ada"
        orcid = affiliation = None

        @property
        def collective(self) -> bool:
            return False

    plain_one = record.Author("Ada Byron", "Byron", "Ada")

    assert plain.written(Author()) == plain.written(plain_one)
    assert plain.written(MappingProxyType({"pmid": "1"})) == plain.written({"pmid": "1"})


def test_what_inherits_is_compared_as_its_base() -> None:
    """A hit that is computed when somebody looks at it is a hit."""

    class Late(Hit):
        pass

    values: dict[str, Any] = {"id": "a", "record": Record(source="x"), "records": ()}

    assert plain.written(Late(**values, provenance={})) == plain.written(
        Hit(**values, provenance={})
    )


def test_changes_say_what_they_are() -> None:
    """A hit that was added is not one that grew."""
    hit = Hit("a", Record(source="x"), (), {})

    assert plain.written(events.Added(hit)) != plain.written(events.Grown(hit))


def test_an_unknown_type_is_an_error() -> None:
    """What cannot be read field by field must not pass for equal."""
    with pytest.raises(TypeError):
        plain.written([object()])


@each(
    ("one", "other", "found"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, []),
        ({"a": [1, 2]}, {"a": [1, 3]}, [(".a[1]", 2, 3)]),
        ({"a": [1]}, {"a": [1, 2]}, [(".a[1]", "absent", 2)]),
        ({"a": 1}, {}, [(".a", 1, "absent")]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [(" (order of keys)", ["a", "b"], ["b", "a"])]),
        ({"a": 1}, {"a": 1.0}, [(".a", 1, 1.0)]),
        ({"a": 1}, {"a": True}, [(".a", 1, True)]),
        ({"a": None}, {"a": {}}, [(".a", None, {})]),
        (
            [{"a": 1, "b": [0]}, 5],
            [{"a": 2, "b": []}, 5],
            [("[0].a", 1, 2), ("[0].b[0]", 0, "absent")],
        ),
    ],
)
def test_differences(one: Any, other: Any, found: list[tuple[str, Any, Any]]) -> None:
    """Each place is told with both values; the order of keys counts, because JSON is written in
    it."""
    assert list(plain.differences(one, other)) == found


def test_equal_bytes_are_equal_values() -> None:
    """What differs in bytes differs in some place that can be told, also where only a type does."""
    one, other = Author("A", collective=True), Author("A")

    places = plain.differences(orjson.loads(plain.written(one)), orjson.loads(plain.written(other)))

    assert list(places) == [(".collective", True, False)]
