"""`frozen` makes what `dataclasses` makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from math import nan
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.frozen import frozen

WAYS = {"frozen": frozen, "dataclass": dataclass(frozen=True, slots=True)}
VALUES = st.none() | st.integers(0, 2) | st.just(nan) | st.text("ab", max_size=1) | st.just([])
OPTIONS = st.fixed_dictionaries(
    {"repr": st.booleans(), "compare": st.booleans(), "kw_only": st.booleans()},
    optional={"default": st.sampled_from([1, "x", None]), "default_factory": st.just(list)},
).filter(lambda options: not {"default", "default_factory"} <= options.keys())


def made(options: list[dict[str, Any]], *, kw_only: bool) -> tuple[Any, Any]:
    """The same class in both ways. Fields without a default stand first."""
    ordered = sorted(options, key=lambda each: "default" in each or "default_factory" in each)

    def body() -> dict[str, Any]:
        names = [f"field_{number}" for number in range(len(ordered))]
        return {
            "__doc__": "Some fields.",
            "__qualname__": "Shop.Thing",
            "__annotations__": dict.fromkeys(names, "int"),
            **{name: field(**each) for name, each in zip(names, ordered, strict=True)},
        }

    plain = dataclass(frozen=True, slots=True, kw_only=kw_only)
    return frozen(type("Thing", (), body()), kw_only=kw_only), plain(type("Thing", (), body()))


def tried(function: Any, *args: Any, **named: Any) -> Any:
    """What a call returns; of one that fails the type of the error."""
    try:
        return function(*args, **named)
    except Exception as exc:
        return type(exc)


@given(st.lists(OPTIONS, max_size=4), st.booleans(), st.data())
def test_a_class_does_what_a_dataclass_does(
    options: list[dict[str, Any]], kw_only: bool, data: st.DataObject
) -> None:
    ours, theirs = made(options, kw_only=kw_only)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__slots__ == theirs.__slots__

    things = []
    for _ in range(2):
        args = data.draw(st.lists(VALUES, max_size=3))
        named = data.draw(st.dictionaries(st.sampled_from(["field_0", "field_2", "x"]), VALUES))
        both = tried(ours, *args, **named), tried(theirs, *args, **named)
        assert isinstance(both[0], ours) == isinstance(both[1], theirs)
        if not isinstance(both[0], ours):
            assert both[0] is both[1] is TypeError
            return
        things.append(both)
    (a, like_a), (b, like_b) = things

    assert repr(a) == repr(like_a)
    assert (a == b) == (like_a == like_b)
    assert (a == copy.copy(a)) == (like_a == copy.copy(like_a))
    assert tried(hash, a) == tried(hash, like_a)
    assert repr(dataclasses.asdict(a)) == repr(dataclasses.asdict(like_a))
    assert repr(dataclasses.replace(a)) == repr(a)
    assert a != like_a


@frozen
class Point:
    """A place.

    Attributes:
        ORIGIN: Not a field.
    """

    x: int
    y: int = 0
    seen: list[int] = field(default_factory=list, compare=False)
    ORIGIN: ClassVar[str] = "here"

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("left of everything")


@frozen(kw_only=True)
class Named(Point):
    """A place with a name."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name == self.name

    def __hash__(self) -> int:
        return 7


def test_nothing_can_be_changed() -> None:
    point = Point(1)

    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x  # type: ignore[misc]
    assert point == Point(1, 0)


def test_what_a_class_has_itself_is_kept() -> None:
    """Functions, class variables, and the fields of the class that it inherits from."""
    named = Named(1, name="home")

    assert (repr(named), hash(named), named.y, named.ORIGIN) == ("home", 7, 0, "here")
    assert named == Named(2, name="home") != Point(1)
    with pytest.raises(ValueError, match="left of everything"):
        Named(-1, name="away")


def test_each_object_has_its_own_list() -> None:
    one, other = Point(1), Point(1)
    one.seen.append(1)

    assert (one.seen, other.seen, Point(1, seen=[2]).seen) == ([1], [], [2])


def test_copies_are_equal() -> None:
    """Over a pipe to another process, too."""
    named = Named(1, 2, [3], name="home")

    for twin in (pickle.loads(pickle.dumps(named)), copy.deepcopy(named)):
        assert dataclasses.astuple(twin) == (1, 2, [3], "home")


def test_an_object_inside_itself_is_shown_once() -> None:
    point = Point(1)
    point.seen.append(point)  # type: ignore[arg-type]

    assert repr(point) == "Point(x=1, y=0, seen=[...])"
