"""The syntax tree of CQL: clauses, and the operators between them."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.query.cql.tokens import CqlToken


@dataclass(frozen=True, slots=True)
class Modifier:
    """`/name`, or `/name=value` with any comparison."""

    name: str
    comparison: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """What is to hold between an index and a term.

    Attributes:
        index: As written, with its prefix.
        name: A sign, or a word in small letters.
        at: Where the relation begins.
    """

    index: str
    name: str
    modifiers: tuple[Modifier, ...]
    start: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A term, with a relation unless the server may choose; `prefixes`: (name, URI)."""

    relation: Relation | None
    term: CqlToken
    prefixes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Boolean:
    """Two trees and what joins them."""

    operator: str
    modifiers: tuple[Modifier, ...]
    left: Tree
    right: Tree
    start: int
    end: int


Tree = Clause | Boolean


@dataclass(frozen=True, slots=True)
class Sorted:
    """A whole query; `keys` are the indexes that it is to be sorted by, each with its modifiers."""

    tree: Tree
    keys: tuple[tuple[str, tuple[Modifier, ...]], ...] = ()
