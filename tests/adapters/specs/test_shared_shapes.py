"""What sources that extend one another have in common is compiled once, and when it is needed."""

from __future__ import annotations

from typing import Any

import pytest

from metasearch.adapters.specs import spec_tables
from metasearch.adapters.specs.registry import Registry
from metasearch.errors import SpecError
from metasearch.settings import Settings

URL = "http://127.0.0.1/"


def registry(late: bool = True, **sources: dict[str, Any]) -> Registry:
    tables = {name: {"extends": "crossref", "url": URL, **own} for name, own in sources.items()}
    return Registry(Settings(sources=tables), late=late)


def test_shapes_with_the_same_tables_are_one() -> None:
    """Also in another registry, so that what is made of a shape is made once in a process."""
    own = {"fields": {"source_id": "own_id"}}
    first = registry(one=own, other=own)
    one, other = (first.spec(name).shapes[0].shape() for name in ("one", "other"))

    assert one is other
    assert one is registry(third=own).spec("third").shapes[0].shape()


def test_shapes_that_differ_are_two() -> None:
    """In a field, in a value of another kind, or in the order of their fields."""
    plain = registry(it={}).spec("it").shapes[0].shape()
    for number, fields in enumerate((
        {"source_id": "own_id"},
        {"venue": {"value": 1}},
        {"venue": {"value": True}},
        {"venue": {"value": 1.0}},
        {"venue": {"value": "1"}},
    )):  # fmt: skip
        shape = (
            registry(**{f"it{number}": {"fields": fields}}).spec(f"it{number}").shapes[0].shape()
        )
        assert shape is not plain
    table = {
        "url": URL,
        "parse": {"body": "json", "records": "items"},
    }
    orders = ({"title": "a", "venue": "b"}, {"venue": "b", "title": "a"})
    specs = Registry(
        Settings(sources={f"o{at}": {**table, "fields": each} for at, each in enumerate(orders)})
    )
    fields = [
        [rule.field for rule in specs.spec(f"o{at}").shapes[0].shape().rules] for at in (0, 1)
    ]
    assert [["title", "venue"], ["venue", "title"]] == fields


def test_a_shape_that_a_source_takes_over_is_compiled_when_it_is_needed() -> None:
    """Its own shape, which the user has changed, is compiled at once."""
    shapes = registry(own={"fields": {"source_id": "own_id"}}).spec("own").shapes

    assert [True, False, False, False] == [shape.ready is not None for shape in shapes]
    assert "xml" == shapes[1].shape().body


def test_where_all_is_checked_all_is_compiled() -> None:
    """As `metasearch sources check` does."""
    shapes = registry(late=False, own={}).spec("own").shapes

    assert all(shape.ready is not None for shape in shapes)


def test_a_changed_shape_is_checked_at_once() -> None:
    """An [[also]] of the user's, even if it looks like a shipped one."""
    also = [{"body": "xml", "records": "//a[", "fields": {"title": "b"}}]

    with pytest.raises(SpecError, match=r"also\[1\].records"):
        registry(own={"also": also}).spec("own")


def test_problems_are_told_of_each_source() -> None:
    """What is wrong is not kept as a shape."""
    own = {"fields": {"title": "a["}}
    specs = registry(one=own, other=own)

    for name in ("one", "other"):
        with pytest.raises(SpecError, match=r"fields\.title"):
            specs.spec(name)


def test_no_more_shapes_are_kept_than_a_process_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest goes first; it is compiled again if it is needed."""
    monkeypatch.setattr(spec_tables, "_SHAPES", {})
    monkeypatch.setattr(spec_tables, "_MOST_SHAPES", 2)
    sources = {f"own{at}": {"fields": {"source_id": f"id{at}"}} for at in range(4)}
    specs = registry(**sources)

    shapes = [specs.spec(name).shapes[0].shape() for name in sources]

    assert shapes[-2:] == list(spec_tables._SHAPES.values())
    again = registry(**sources)
    assert again.spec("own3").shapes[0].shape() is shapes[3]
    assert again.spec("own0").shapes[0].shape() is not shapes[0]
