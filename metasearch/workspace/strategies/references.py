"""Trees in which a leaf may stand for an earlier step, and what they mean with the steps put in.

Such a leaf is a `Term` whose text begins with NUL. No reader makes one of a text: a control
character separates words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from metasearch.query.ast import And, Not, Or, Query, Term, conjunction
from metasearch.query.trees import disjunction, negation

_SIGN = "\0"


def reference(number: int) -> Term:
    """The leaf that stands for a step."""
    return Term(f"{_SIGN}{number}")


def number_of(query: Query) -> int | None:
    """The step that a leaf stands for; None where it is a word."""
    if isinstance(query, Term) and query.text.startswith(_SIGN):
        return int(query.text[1:])
    return None


def as_numbers(text: str) -> str:
    """A printed tree with `#1` in place of each leaf that stands for a step."""
    return re.sub(rf"\\?{_SIGN}([0-9])", r"#\1", text)


def leaves(query: Query, *, excluded: bool = False) -> Iterator[tuple[Query, bool]]:
    """Each leaf from left to right, and whether it is excluded."""
    match query:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part, excluded=excluded)
        case Not(part):
            yield from leaves(part, excluded=not excluded)
        case _:
            yield query, excluded


def numbers(query: Query) -> tuple[int, ...]:
    """The steps that a tree names, each once, in the order in which it names them."""
    found = (number_of(leaf) for leaf, _ in leaves(query))
    return tuple(dict.fromkeys(number for number in found if number is not None))


def size(query: Query, of_step: Callable[[int], int]) -> int:
    """How many words, phrases and ranges a tree has, when those of its steps are `of_step`."""
    total = 0
    for leaf, _ in leaves(query):
        number = number_of(leaf)
        if number is not None:
            total += of_step(number)
        elif isinstance(leaf, Term) and not leaf.phrase:
            total += leaf.text.count(" ") + 1
        else:
            total += 1
    return total


def replaced(query: Query, leaf: Callable[[Query], Query | None]) -> Query | None:
    """The tree with another one in place of each leaf; None takes the leaf out.

    What comes out is flat as a parser would have made it, alternatives stand once each.
    """
    match query:
        case And(parts):
            kept = [new for part in parts if (new := replaced(part, leaf)) is not None]
            return conjunction(*kept) if kept else None
        case Or(parts):
            kept = [new for part in parts if (new := replaced(part, leaf)) is not None]
            return disjunction(kept) if kept else None
        case Not(part):
            new = replaced(part, leaf)
            return None if new is None else negation(new)
    return leaf(query)


def substituted(query: Query, steps: Mapping[int, Query]) -> Query:
    """The tree with the queries of steps in place of their numbers."""

    def leaf(part: Query) -> Query:
        number = number_of(part)
        return part if number is None else steps[number]

    new = replaced(query, leaf)
    if new is None:
        raise ValueError("a tree has leaves")
    return new
