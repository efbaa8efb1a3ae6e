"""Why a request, or a part of it, is not answered: by number, as SRU lists them."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.formats.text import line
from metasearch.query.cql.diagnostics import MEANINGS, OF_QUERY

#: Characters of the details that a client gets.
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic. `number`: a key of `MEANINGS`. `details`: what it is about: the parameter,
    the index, the value.
    """

    number: int
    details: str = ""

    @property
    def uri(self) -> str:
        """Its name in every version of SRU."""
        return f"info:srw/diagnostic/1/{self.number}"

    @property
    def message(self) -> str:
        """What the number means."""
        return MEANINGS[self.number]


class Refused(Exception):
    """The request is answered by this diagnostic alone."""

    def __init__(self, number: int, details: str = "") -> None:
        self.diagnostic = Diagnostic(number, line(details)[:_MOST])
        super().__init__(self.diagnostic.message)


def of_query(error: QuerySyntaxError) -> Refused:
    """The diagnostic of an unreadable query: reason, place, and what can be read instead."""
    place = f"{error.reason} (at character {error.position + 1})"
    return Refused(OF_QUERY[error.kind], f"{place}. {error.advice}" if error.advice else place)
