"""What readers share of syntaxes with brackets and quotes, read left to right without tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.blanks import plain
from metasearch.query.reading import QueryReader

T = TypeVar("T")

#: Where a sign or word stood.
Span = tuple[int, int]


class NestedReader(QueryReader, ABC):
    """A text with a place in it, and the brackets that are open there."""

    def __init__(self, text: str, syntax: str) -> None:
        super().__init__(text, syntax)
        self.at = 0
        self.open: list[int] = []

    @abstractmethod
    def here(self) -> str:
        """The next character that is no blank, as ASCII; "" at the end."""

    def all_of(self, read: Callable[[], T]) -> T:
        """What `read`, which stops at a bracket that closes, makes of the whole text."""
        query = read()
        if self.here() == ")":
            raise self.stray()
        return query

    def enter(self) -> int:
        """Take the bracket that opens; where it stood."""
        opening = self.at
        self.check_depth(len(self.open), opening)
        self.open.append(opening)
        self.at += 1
        if self.here() in ("", ")"):
            end = self.at + 1 if self.here() else opening + 1
            reason = (
                message("There is nothing between the brackets")
                if self.here()
                else message("There is nothing after this bracket")
            )
            raise self.error(reason, opening, end, fix=self.without(opening, end))
        return opening

    def leave(self, opening: int) -> None:
        """Take the bracket that closes the one at `opening`."""
        if self.here() != ")":
            fix = self.text + ")" * len(self.open)
            raise self.error(message("This bracket is never closed"), opening, opening + 1, fix=fix)
        self.at += 1
        self.open.pop()

    def stray(self) -> QuerySyntaxError:
        """The bracket that is next closes nothing."""
        return self.error(
            message("This bracket has no opening bracket"),
            self.at,
            self.at + 1,
            fix=self.without(self.at, self.at + 1),
        )

    def quoted_to(self, closer: str) -> str:
        """Take the quoted text that is next, up to the first sign that closes it."""
        opening = self.at
        end = self.text.find(closer, opening + 1)
        if end < 0:
            rest = self.text.rstrip()
            fix = rest + closer if len(rest) > opening + 1 else rest[:opening]
            raise self.error(message("This quote is never closed"), opening, opening + 1, fix=fix)
        return self.between_quotes(end)

    def between_quotes(self, end: int) -> str:
        """Take the quoted text that is next, whose closing sign stands at `end`."""
        opening = self.at
        text = plain(self.text[opening + 1 : end])
        if not text:
            reason = message("There is nothing between the quotes")
            raise self.error(reason, opening, end + 1, fix=self.without(opening, end + 1))
        self.at = end + 1
        return text

    def lacks(self, sign: Span, side: str) -> QuerySyntaxError:
        """There is nothing "before" or "after" a sign."""
        shown = self.text[slice(*sign)]
        reason = (
            message("{sign} needs something to look for before it", sign=shown)
            if side == "before"
            else message("{sign} needs something to look for after it", sign=shown)
        )
        return self.error(
            reason,
            *sign,
            fix=self.without(*sign),
        )
