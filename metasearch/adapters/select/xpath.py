"""An XPath expression taken apart: the parts of a union, the steps and predicates of a path.

Only the forms in which selectors are usually written are known; of all others `location` returns
None, and libxml2 evaluates them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from metasearch.adapters.select.xml import NAMESPACES

#: A name without a prefix, as a pattern.
NAME = r"[A-Za-z_][\w.-]*"
_LOCAL = r"local-name\(\)\s*=\s*'"
_FIRST = re.compile(
    rf"""(?P<deep>\.//|\*\[local-name\(\)='(?P<within>{NAME})'\]//)?
         (?:(?P<name>{NAME}(?::{NAME})?)|\*\[(?P<locals>{_LOCAL}{NAME}'(?:\s+or\s+{_LOCAL}{NAME}')*)\])(?=[\[/]|$)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"'([^']*)'")
_STEP = re.compile(rf"//?(?:@?(?:{NAME}:)?(?:{NAME}|\*)|@\*)")
_ATTRIBUTE = re.compile(rf"/@(?P<name>{NAME}(?::{NAME})?)")


class Location(NamedTuple):
    """A location path whose first step names elements.

    Attributes:
        tag: "{namespace}name" that the first step names; "" if it names local names.
        names: The local names that the first step allows; empty if it names a tag.
        deep: Whether the first step names descendants, and not children.
        within: The local name of the children whose descendants the first step names; "" for none.
        predicates: What stands in the brackets of the first step.
        attribute: The attribute that is wanted of what the first step names; "" for none.
        ends: Whether nothing follows the first step but that attribute.
    """

    tag: str
    names: list[str]
    deep: bool
    within: str
    predicates: list[str]
    attribute: str
    ends: bool


def location(expression: str) -> Location | None:
    """The path that is written there; None for anything else, or another kind of first step."""
    first = _FIRST.match(expression)
    if first is None or (first["name"] and first["within"]):
        return None
    at, predicates = _predicates(expression, first.end())
    rest = expression[at:]
    while at < len(expression):
        step = _STEP.match(expression, at)
        if step is None:
            return None
        at, _ = _predicates(expression, step.end())
    attribute = _ATTRIBUTE.fullmatch(rest)
    return Location(
        tag=_tag(first["name"]) if first["name"] else "",
        names=[] if first["name"] else _QUOTED.findall(first["locals"]),
        deep=bool(first["deep"]),
        within=first["within"] or "",
        predicates=predicates,
        attribute=_tag(attribute["name"]) if attribute else "",
        ends=not rest or attribute is not None,
    )


def _tag(name: str) -> str:
    prefix, colon, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}" if colon else local


def _predicates(expression: str, at: int) -> tuple[int, list[str]]:
    """The place at which the predicates that begin at `at` end, and what is in their brackets."""
    predicates = []
    while expression[at : at + 1] == "[":
        end = closing(expression, at)
        if end < 0:
            break
        predicates.append(expression[at + 1 : end].strip())
        at = end + 1
    return at, predicates


def closing(expression: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`; -1 if there is none."""
    return next((i for i, depth in _depths(expression, at) if depth == 0), -1)


def alternatives(expression: str) -> list[str]:
    """The parts of a union."""
    return parts_of(expression, "|")


def _depths(expression: str, at: int = 0) -> list[tuple[int, int]]:
    """Each place outside of quotes, from `at` on, and how many brackets are open after it."""
    depths, depth, quote = [], 0, ""
    for i in range(at, len(expression)):
        character = expression[i]
        if quote:
            quote = "" if character == quote else quote
            continue
        if character in "'\"":
            quote = character
        depth += (character in "[(") - (character in "])")
        depths.append((i, depth))
    return depths


def parts_of(expression: str, between: str) -> list[str]:
    """The parts of an expression between separators that are outside of quotes and brackets."""
    if between not in expression:
        return [expression]
    places = [
        i for i, depth in _depths(expression) if depth == 0 and expression.startswith(between, i)
    ]
    starts = [0, *(i + len(between) for i in places)]
    return [expression[a:b] for a, b in zip(starts, [*places, len(expression)], strict=True)]
