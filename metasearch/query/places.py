"""Where the parts of a text stand, for whoever looks at the text itself and not only at what it
means: reviews of strategies.

A reader that has a `Places` adds to it what it reads; without one it does nothing of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from metasearch.query.clauses import Clause
from metasearch.query.tree import Heading, Query, Term, is_blank

JoinOperator = Literal["AND", "OR", "NOT", "NEAR"]


@dataclass(frozen=True, slots=True)
class PlacedTerm:
    """A term where it stands.

    Attributes:
        start: Where it begins in the text, with its own field and quotes.
        end: Where it ends, with its own field.
        text: Its words as typed, without quotes, field and sign of truncation; of a heading its
            name.
        typed: All of it as typed.
        field: The field that holds for it, its own or that of a bracket, as typed, without signs
            around it: "tiab", ".ti,ab.", "TITLE-ABS-KEY", "" for none; "limit" for a limit.
        query: What it means, at its widest; None for what is ignored.
        quoted: Whether it stands in quotes.
        truncated: Whether a sign for any letters ends it.
    """

    start: int
    end: int
    text: str
    typed: str
    field: str
    query: Query | None
    truncated: bool = False
    quoted: bool = False
    heading: Heading = ""


@dataclass(frozen=True, slots=True)
class PlacedJoin:
    """One operator between operands of one bracket level.

    Attributes:
        start: Where the operator begins; where it ends, if nothing stands there.
        end: Where it ends.
        operands: Where the operands on its sides begin and end; one alone behind a NOT that begins
            a text. Of `or/1-4`, each time the whole.
        brackets: How many brackets are open there.
        group: A number that joins of one bracket level share, and no others of the text.
    """

    operator: JoinOperator
    start: int
    end: int
    operands: tuple[tuple[int, int], ...]
    brackets: int = 0
    group: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """The number of a line, where a text names it; of a range, the whole range."""

    number: int
    start: int
    end: int


@dataclass(slots=True)
class Places:
    """What was read so far, in the order in which it was read."""

    terms: list[PlacedTerm] = field(default_factory=list)
    joins: list[PlacedJoin] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)

    def __len__(self) -> int:
        """How many operands were read."""
        return len(self.terms) + len(self.references)

    def term(
        self,
        text: str,
        words: str,
        place: tuple[int, int],
        field: str,
        clause: Clause,
        *,
        quoted: bool = False,
        endless: str = "",
    ) -> None:
        """Add the term at `place` of `text`. `endless`: signs for any letters at the end of a
        word.
        """
        start, end = place
        while end > start and is_blank(text[end - 1]):
            end -= 1
        query = clause.widest
        heading = query.heading if isinstance(query, Term) else ""
        truncated = words[-1:] in tuple(endless) and words != ""
        bare = words.rstrip(endless) if truncated else words
        if heading and isinstance(query, Term):
            bare = query.text
        self.terms.append(
            PlacedTerm(
                start,
                end,
                bare,
                text[start:end],
                field.strip(" []()=:"),
                query,
                truncated,
                quoted,
                heading,
            )
        )

    def join_words(self, text: str, query: Query | None) -> None:
        """Put the last term into that before it: words side by side are one term."""
        last, before = self.terms.pop(), self.terms.pop()
        words = f"{before.text} {last.text}"
        typed = text[before.start : last.end]
        term = replace(before, end=last.end, text=words, typed=typed, query=query)
        self.terms.append(term)

    def join(
        self,
        operator: JoinOperator,
        place: tuple[int, int],
        operands: Sequence[tuple[int, int]],
        brackets: int,
        group: int,
    ) -> None:
        self.joins.append(PlacedJoin(operator, *place, tuple(operands), brackets, group))
