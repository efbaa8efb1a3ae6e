"""Concepts of a strategy that have no headings, or nothing but headings, and words that are missing
beside others that mean the same. This needs no vocabulary.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from metasearch.message import message
from metasearch.query.places import PlacedTerm, Reference
from metasearch.review.press.findings import Finding, Rule
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Leaf, Level, root
from metasearch.review.press.vocabulary import is_limit, is_word

#: Lines and terms that are looked at for all concepts: the time is bounded.
_MOST = 20_000
#: Fields of types of works.
_TYPES = frozenset({"pt", "ptyp", "publication type"})
#: Words of a concept that could well have a heading; a single one is often a name.
_LEAST = 2


@dataclass(slots=True)
class Concept:
    """What AND joins to other concepts.

    Attributes:
        terms: Its terms, of all lines that it names, each with the line that it stands in.
        is_whole: Whether it consists of words and headings alone.
        is_listed: Whether it is more than words near one another.
    """

    terms: list[tuple[PlacedTerm, ReviewLine]] = field(default_factory=list)
    is_whole: bool = True
    is_listed: bool = False

    @property
    def headings(self) -> list[tuple[PlacedTerm, ReviewLine]]:
        return [pair for pair in self.terms if pair[0].heading]

    @property
    def words(self) -> list[tuple[PlacedTerm, ReviewLine]]:
        return [pair for pair in self.terms if not pair[0].heading]


def concepts(strategy: ReviewedStrategy) -> list[Concept]:
    """The concepts, each once."""
    finder = _Finder(strategy)
    for line in strategy.lines:
        finder.in_line(line)
    return list(finder.found.values())


class _Finder:
    def __init__(self, strategy: ReviewedStrategy) -> None:
        self.strategy = strategy
        self.found: dict[tuple[int, int], Concept] = {}
        self.left = _MOST

    def in_line(self, line: ReviewLine) -> None:
        """The concepts that the line as a whole joins."""
        whole = root(line)
        if not isinstance(whole, Level) or whole.operator != "AND":
            return
        for operand in whole.operands:
            seen = {line.start}  # a line may name itself, or one that names it
            while isinstance(operand, Reference):
                named = self.strategy.by_number.get(operand.number)
                if named is None or named.start in seen:
                    break
                seen.add(named.start)
                top = root(named)
                if not isinstance(top, Reference):
                    self.add(top, named)
                    break
                operand = top
            else:
                self.add(operand, line)

    def add(self, top: Level | Leaf | None, line: ReviewLine) -> None:
        if top is None or (isinstance(top, Level) and top.operator == "AND"):
            return
        if isinstance(top, Level) and "AND" in top.operators | {"NOT"} & top.operators:
            return
        key = (line.start, top.start)
        if key not in self.found:
            self.found[key] = concept = Concept()
            self.fill(concept, top, line, set())

    def fill(
        self, concept: Concept, top: Level | Leaf | None, line: ReviewLine, seen: set[int]
    ) -> None:
        waiting: deque[tuple[Level | Leaf | None, ReviewLine]] = deque([(top, line)])
        while waiting and self.left > 0:
            part, where = waiting.popleft()
            self.left -= 1
            match part:
                case Level():
                    if part.operators & {"NOT"}:
                        concept.is_whole = False
                    concept.is_listed |= part.operators != {"NEAR"}
                    waiting.extendleft((one, where) for one in reversed(part.operands))
                case Reference():
                    named = self.strategy.by_number.get(part.number)
                    if named is not None and named.start not in seen and named is not where:
                        seen.add(named.start)
                        waiting.appendleft((root(named), named))
                case PlacedTerm() if is_word(part):
                    concept.terms.append((part, where))
                    if part.field.strip(".").casefold() in _TYPES:
                        concept.is_whole = False  # a filter of kinds of studies
                case _:
                    limited = isinstance(part, PlacedTerm) and is_limit(part)
                    concept.is_whole = concept.is_whole and not limited


def sides(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Concepts of headings alone, and of words alone, in a strategy that has both."""
    found = [concept for concept in concepts(strategy) if concept.is_whole and concept.terms]
    if not any(concept.headings for concept in found):
        return
    if not any(concept.words for concept in found):
        return
    for concept in found:
        term, line = concept.terms[0]
        if concept.headings and not concept.words:
            yield Finding(
                "heading-alone",
                message(
                    "{heading} and what stands beside it are headings alone: works without "
                    "headings, as new ones, are not found",
                    heading=term.text[:60],
                ),
                term.start,
                term.end,
                line.number,
            )
        elif len(concept.words) >= _LEAST and concept.is_listed and not concept.headings:
            yield Finding(
                "missing-heading",
                message(
                    "{word} and what stands beside it are words alone, while other concepts have "
                    "headings: is there one?",
                    word=term.text[:60],
                ),
                term.start,
                term.end,
                line.number,
            )


RULES: tuple[Rule, ...] = (sides,)
