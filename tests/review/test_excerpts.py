"""What is shown of a thing is what its excerpt names, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from metasearch.review.objects import Excerpt


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing with a secret."""

    id: int
    name: str
    secret: str
    tags: tuple[Mapping[str, int], ...]


THING = Thing(7, "one", "hidden", (MappingProxyType({"a": 1}),))


def test_what_is_not_named_is_not_shown():
    """In the order of the names, and of types that JSON has."""
    shown = Excerpt(Thing, "name tags")(THING)

    assert shown == {"name": "one", "tags": [{"a": 1}]}
    assert type(shown["tags"][0]) is dict


def test_members_that_the_thing_does_not_have():
    """Whoever makes the object gives their values."""
    excerpt = Excerpt(Thing, "by name", by=str)

    assert list(excerpt(THING, by="ada").items()) == [("by", "ada"), ("name", "one")]
    with pytest.raises(AttributeError):
        excerpt(THING)
