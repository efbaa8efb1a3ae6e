"""Frozen dataclasses that are quick to define.

A search loads more than a hundred of them. `dataclasses` compiles six functions for each, which
takes a sixth of the CPU of a small search from the command line. Here only `__init__` is compiled;
the other functions are shared, or need no source text. Where a module is loaded by few commands,
`@dataclass(frozen=True, slots=True)` does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

_Class = TypeVar("_Class", bound=type)
_Values = Callable[[Any], tuple[Any, ...]]


@overload
def frozen(cls: _Class, /) -> _Class: ...
@overload
def frozen(*, kw_only: bool = False) -> Callable[[_Class], _Class]: ...
@overload
def frozen(cls: _Class, /, *, kw_only: bool) -> _Class: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """A class decorator: as `dataclass(frozen=True, slots=True, kw_only=kw_only)`.

    `InitVar` and the option `hash` of a field are not known here, and a class that inherits from
    one of these is one of these.

    Args:
        cls: The class; functions that it has itself are kept.
        kw_only: Whether all values are passed by name.
    """
    if cls is None:
        return partial(frozen, kw_only=kw_only)
    own = {name for name, value in vars(cls).items() if value is not None}
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    for name, function in _functions(made).items():
        if name not in own:
            setattr(made, name, function)
    made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    return made


def _functions(cls: Any) -> dict[str, Callable[..., Any]]:
    """The functions of a dataclass, by their names."""
    values = _values([each.name for each in fields(cls) if each.compare])

    def equal(self: Any, other: Any) -> Any:
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    return {
        "__init__": _init(cls),
        "__eq__": equal,
        "__hash__": lambda self: hash(values(self)),
        "__repr__": _shown,
        "__getstate__": _state,
        "__setstate__": _restore,
    }


def _values(names: Sequence[str]) -> _Values:
    """What takes the values of these fields from an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


class _Factory:
    """Where a value is left out that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"  # as in the signatures of `dataclasses`


def _init(cls: Any) -> Callable[..., None]:
    """The `__init__` of a class, as `dataclasses` writes it."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_factory": _Factory()}
    by_place, by_name = ["self"], list[str]()
    body: list[str] = []
    annotations = {}
    for each in fields(cls):
        name = value = parameter = each.name
        default = f"_default_{name}"
        if each.default_factory is not MISSING:
            known[default] = each.default_factory
            parameter = f"{name}=_factory"
            value = f"{default}()"
            if each.init:
                value += f" if {name} is _factory else {name}"
        elif each.default is not MISSING:
            known[default] = each.default
            parameter = f"{name}={default}"
            value = name if each.init else default
        elif not each.init:  # `__post_init__` sets this field
            continue
        if each.init:
            (by_name if each.kw_only else by_place).append(parameter)
            annotations[name] = each.type
        body.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*by_place, "*", *by_name] if by_name else by_place)
    # The text holds names of fields, which are names of Python, and nothing else from outside.
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), known)  # noqa: S102
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    init.__annotations__ = {**annotations, "return": None}
    return init


@recursive_repr()
def _shown(self: Any) -> str:
    shown = ", ".join(
        f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr
    )
    return f"{self.__class__.__qualname__}({shown})"


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: Sequence[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


def _refuse_to_set(_self: Any, name: str, _value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


__all__ = ["frozen"]
