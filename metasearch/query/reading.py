"""What the readers of all foreign syntaxes share: the result, limits, notes and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.ast import And, Not, Or, Query, searches, without_words
from metasearch.query.blanks import is_blank, plain
from metasearch.query.limits import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, corrections

_ADVICE = message("Write one or more words to look for.")
_SURROGATE = late_pattern(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that was read from text.

    Attributes:
        query: What it means.
        syntax: The syntax it was read in, a key of `metasearch.query.syntaxes.SYNTAXES`.
        notes: One sentence for each part of the text that `query` does not express exactly.
    """

    query: Query
    syntax: str
    notes: tuple[str, ...] = ()


class QueryReader:
    """One text while it is read; the parsers of the foreign syntaxes extend it.

    Args:
        text: As typed.
        syntax: Its name.

    Raises:
        QuerySyntaxError: It is too long, empty, or no text.
    """

    def __init__(self, text: str, syntax: str) -> None:
        self.text = text
        self.syntax = syntax
        self.read = 0
        self._notes: dict[str, None] = {}
        if len(text) > MAX_LENGTH:
            raise self.error(
                message(
                    "The query is longer than {max_length} characters", max_length=f"{MAX_LENGTH:,}"
                ),
                MAX_LENGTH,
                MAX_LENGTH + 1,
                advice=message("Split it into several searches."),
                kind="length",
            )
        if bad := _SURROGATE.search(text):
            fix = self.without(*bad.span())
            raise self.error(
                message("The query contains a byte that is not text"), *bad.span(), fix=fix
            )
        if all(map(is_blank, text)):
            raise self.error(message("The query is empty"), 0, 1, advice=_ADVICE, kind="empty-term")

    def note(self, sentence: str) -> None:
        """Add a note about what the tree does not express; each sentence is added once."""
        self._notes[sentence] = None

    def count(self, start: int, end: int) -> None:
        """Count another word, phrase or range.

        Raises:
            QuerySyntaxError: There are too many.
        """
        self.read += 1
        if self.read > MAX_TERMS:
            reason = message(
                "The query has more than {max_terms} words and phrases", max_terms=MAX_TERMS
            )
            advice = message("Split it into several searches.")
            raise self.error(reason, start, end, advice=advice, kind="terms")

    def check_depth(self, depth: int, at: int) -> None:
        """Check that a bracket may open at `at`, inside `depth` others.

        Raises:
            QuerySyntaxError: Brackets are nested too deep.
        """
        if depth >= MAX_DEPTH:
            reason = message("Brackets are nested more than {max_depth} deep", max_depth=MAX_DEPTH)
            advice = message("Write the query with fewer brackets.")
            raise self.error(reason, at, at + 1, advice=advice, kind="parentheses")

    def truncated_number(self, field: str, start: int, end: int) -> QuerySyntaxError:
        """Returns the error for a star in an identifier."""
        fix = self.replaced(start, end, self.text[start:end].replace("*", ""))
        reason = message("{field} takes a whole number, without a star", field=field)
        return self.error(reason, start, end, fix=fix, kind="masking")

    def finished(self, query: Query) -> ReadQuery:
        """Returns the result, if the query can be searched for.

        Raises:
            QuerySyntaxError: It names nothing to look for, or its operators alternate too often.
        """
        if not searches(query):
            reason = message(
                "The query has no word to look for, only {without_words}",
                without_words=without_words(query),
            )
            advice = message("Add a word to look for.")
            raise self.error(reason, *self._whole(), advice=advice, kind="feature")
        self.check_alternation(query)
        return ReadQuery(query, self.syntax, tuple(self._notes))

    def check_alternation(self, query: Query) -> None:
        """Check that a tree is shallow enough for recursive functions.

        Raises:
            QuerySyntaxError: AND, OR and NOT alternate too often.
        """
        if nesting(query) > MAX_DEPTH:
            reason = message(
                "AND, OR and NOT alternate more than {max_depth} deep", max_depth=MAX_DEPTH
            )
            advice = message("Group what belongs together with brackets.")
            raise self.error(reason, *self._whole(), advice=advice, kind="parentheses")

    def _whole(self) -> tuple[int, int]:
        """Where the text begins and ends, without blanks around it."""
        start = len(self.text) - len(self.text.lstrip())
        return start, start + len(self.text.strip())

    def error(
        self,
        reason: str,
        start: int,
        end: int,
        *,
        fix: str | None = None,
        advice: str | None = None,
        kind: QueryFault = "syntax",
    ) -> QuerySyntaxError:
        """Returns an error at text[start:end]; `fix` is the text without this one mistake."""
        return QuerySyntaxError(
            reason,
            text=self.text,
            position=start,
            length=end - start,
            suggestion=fix,
            advice=advice,
            syntax=self.syntax,
            kind=kind,
        )

    def without(self, start: int, end: int) -> str:
        """The text without text[start:end]."""
        return f"{self.text[:start]} {self.text[end:]}"

    def replaced(self, start: int, end: int, instead: str) -> str:
        """The text with `instead` in place of text[start:end]."""
        return f"{self.text[:start]}{instead}{self.text[end:]}"


def read_or_suggest(read: Callable[[str], ReadQuery], text: str) -> ReadQuery:
    """Read a text; where an error has a suggestion, the suggestion can be read.

    Args:
        read: Reads one text; the suggestion of its error corrects one mistake.
        text: As typed.

    Raises:
        QuerySyntaxError: As `read`.
    """
    try:
        return read(text)
    except QuerySyntaxError as error:
        raise QuerySyntaxError(
            error.reason,
            text=text,
            position=error.position,
            length=error.length,
            suggestion=_corrected(read, error.suggestion),
            advice=_ADVICE if error.suggestion else error.advice,
            syntax=error.syntax,
            kind=error.kind,
        ) from None


def _corrected(read: Callable[[str], ReadQuery], candidate: str | None) -> str | None:
    """A query that can be read, found by correcting one mistake after the other, or None."""
    for _ in range(corrections(candidate)):
        if candidate is None:
            return None
        candidate = plain(candidate)
        try:
            read(candidate)
        except QuerySyntaxError as error:
            candidate = error.suggestion
        else:
            return candidate
    return None


def nesting(query: Query) -> int:
    """Brackets inside brackets of the query in our own syntax."""
    match query:
        case And(parts):
            return max(nesting(part) + isinstance(part, Or) for part in parts)
        case Or(parts):
            return max(map(nesting, parts))
        case Not(part):
            return nesting(part) + isinstance(part, And | Or)
    return 0
