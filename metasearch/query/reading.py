"""What the readers of foreign syntaxes share: what they give, how trees are put together, caps,
notes and errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import And, Not, Or, Query, Term, Years, conjunction, searches
from metasearch.query.blanks import is_blank
from metasearch.query.dois import bare_doi
from metasearch.query.simple import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, said_only
from metasearch.query.years import BadYears, read_years

_ROUNDS = 8
#: Characters of a text that is mended more than once: each round reads all of it.
_MENDED = 2_000
_ADVICE = "Write one or more words to look for."
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ISBN = re.compile(r"(?:97[89][- ]?)?(?:[0-9][- ]?){9}[0-9Xx]")
_ISSN = re.compile(r"[0-9]{4}-[0-9]{3}[0-9Xx]")
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DATE = re.compile(
    rf"([0-9]{{4}})(?:[-/.]({_MONTH})(?:[-/.]{_DAY})?|((?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])))?"
)


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that was read from text.

    Attributes:
        query: What it means.
        syntax: The syntax it was read in, a key of `metasearch.query.syntaxes.SYNTAXES`.
        notes: One sentence for each thing that the text says and `query` does not say as exactly.
    """

    query: Query
    syntax: str
    notes: tuple[str, ...] = ()


class Reader:
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
                f"The query is longer than {MAX_LENGTH:,} characters",
                MAX_LENGTH,
                MAX_LENGTH + 1,
                advice="Split it into several searches.",
            )
        if bad := _SURROGATE.search(text):
            raise self.error(
                "The query holds a byte that is not text", *bad.span(), fix=self.cut(*bad.span())
            )
        if all(map(is_blank, text)):
            raise self.error("The query is empty", 0, 1, advice=_ADVICE)

    def note(self, sentence: str) -> None:
        """Tell something that the tree does not say as the text does; the same sentence is told
        once.
        """
        self._notes[sentence] = None

    def counted(self, start: int, end: int) -> None:
        """Another word, phrase or range was read."""
        self.read += 1
        if self.read > MAX_TERMS:
            reason = f"The query has more than {MAX_TERMS} words and phrases"
            raise self.error(reason, start, end, advice="Split it into several searches.")

    def not_too_deep(self, depth: int, at: int) -> None:
        """Refuse the bracket at `at` where it is the last straw."""
        if depth >= MAX_DEPTH:
            reason = f"Brackets are nested more than {MAX_DEPTH} deep"
            raise self.error(reason, at, at + 1, advice="Write the query with fewer brackets.")

    def whole_number(self, field: str, start: int, end: int) -> QuerySyntaxError:
        """A star in what is looked for among identifiers."""
        fix = self.put(start, end, self.text[start:end].replace("*", ""))
        return self.error(
            f"Of a {field} there is no beginning to look for, only all of it", start, end, fix=fix
        )

    def finished(self, query: Query) -> ReadQuery:
        """The query, if it can be searched for.

        Raises:
            QuerySyntaxError: It names nothing to look for, or its operators alternate too often.
        """
        start, length = len(self.text) - len(self.text.lstrip()), len(self.text.strip())
        if not searches(query):
            reason = f"The query says only {said_only(query)}"
            raise self.error(reason, start, start + length, advice="Add a word to look for.")
        self.not_tangled(query)
        return ReadQuery(query, self.syntax, tuple(self._notes))

    def not_tangled(self, query: Query) -> None:
        """Refuse operators that alternate too often: a tree stays so shallow that whoever walks it
        may recurse.
        """
        if _nesting(query) > MAX_DEPTH:
            start, length = len(self.text) - len(self.text.lstrip()), len(self.text.strip())
            reason = f"AND, OR and NOT alternate more than {MAX_DEPTH} deep"
            raise self.error(
                reason, start, start + length, advice="Group what belongs together with brackets."
            )

    def error(
        self,
        reason: str,
        start: int,
        end: int,
        *,
        fix: str | None = None,
        advice: str | None = None,
    ) -> QuerySyntaxError:
        """An error at text[start:end]; `fix` mends this one mistake only."""
        return QuerySyntaxError(
            reason,
            text=self.text,
            position=start,
            length=end - start,
            suggestion=fix,
            advice=advice,
            syntax=self.syntax,
        )

    def cut(self, start: int, end: int) -> str:
        """The text without a part."""
        return f"{self.text[:start]} {self.text[end:]}"

    def put(self, start: int, end: int, instead: str) -> str:
        """The text with another part."""
        return f"{self.text[:start]}{instead}{self.text[end:]}"


def attempt(read: Callable[[str], ReadQuery], text: str) -> ReadQuery:
    """Read a text; a suggestion that an error brings can be read, too.

    Args:
        read: Reads one text; the suggestions of its errors mend one mistake each.
        text: As typed.
    """
    try:
        return read(text)
    except QuerySyntaxError as error:
        suggestion = _mended(read, error.suggestion)
        raise QuerySyntaxError(
            error.reason,
            text=text,
            position=error.position,
            length=error.length,
            suggestion=suggestion,
            advice=_ADVICE if error.suggestion else error.advice,
            syntax=error.syntax,
        ) from None


def _mended(read: Callable[[str], ReadQuery], candidate: str | None) -> str | None:
    """A query that can be read, found by mending one mistake after the other, or None."""
    for _ in range(_ROUNDS if len(candidate or "") <= _MENDED else 1):
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


# --------------------------------------------------------------------------- trees


class LeftToRight:
    """Operands that operators join from left to right, without precedence; takes time linear in
    their number.

    Args:
        reader: Whose text it is; it refuses operators that alternate too often.
        first: The first operand.
    """

    def __init__(self, reader: Reader, first: Query) -> None:
        self._reader = reader
        self._parts = [first]
        self._either = False
        #: Whether an AND or NOT came after an OR.
        self.mixed = False

    def add(self, operator: str, right: Query) -> None:
        """Join another operand: "AND", "OR" or "NOT"."""
        either = operator == "OR"
        if either is not self._either:
            self.mixed = self.mixed or (self._either and len(self._parts) > 1)
            self._parts = [self.query()]
            self._either = either
        self._parts.append(negation(right) if operator == "NOT" else right)

    def query(self) -> Query:
        """All of them so far."""
        if len(self._parts) == 1:
            return self._parts[0]
        query = disjunction(self._parts) if self._either else conjunction(*self._parts)
        self._reader.not_tangled(query)
        return query


def disjunction(parts: Sequence[Query]) -> Query:
    """OR of the parts, flattened, each once; a single part stands for itself."""
    flat = dict.fromkeys(
        inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))
    )
    return next(iter(flat)) if len(flat) == 1 else Or(tuple(flat))


def negation(query: Query) -> Query:
    """NOT of it; two of them are none."""
    return query.part if isinstance(query, Not) else Not(query)


def in_fields(fields: Sequence[str], make: Callable[[str], Query]) -> Query:
    """What is looked for in one of several fields."""
    return disjunction([make(field) for field in fields])


def words(text: str, field: str, *, phrase: bool = False) -> Query:
    """A term for words without any signs; a DOI is known as one."""
    if (
        field in ("any", "doi")
        and (doi := bare_doi(text)) is not None
        and not any(map(is_blank, text))
    ):
        return Term(doi, "doi")
    return Term(text, field, phrase=phrase)


def truncatable(texts: Sequence[tuple[str, bool]], field: str) -> Query:
    """All of several words, (word, whether it is a mere beginning): plain ones next to each other
    are a term.
    """
    parts: list[Query] = []
    run: list[str] = []
    for word, truncated in [*texts, ("", True)]:
        if not truncated:
            run.append(word)
            continue
        if run:
            parts.append(words(" ".join(run), field))
            run = []
        if word:
            parts.append(Term(word, field, truncated=True))
    return conjunction(*parts)


def identifier_field(text: str) -> str | None:
    """The field of an identifier, as its form tells: "doi", "isbn", "issn", or None."""
    if bare_doi(text) is not None:
        return "doi"
    if _ISSN.fullmatch(text):
        return "issn"
    return "isbn" if _ISBN.fullmatch(text) else None


def dated(text: str) -> tuple[Years, bool]:
    """The years of a date or range, and whether that is all that it says.

    Raises:
        BadYears: It is none.
    """
    if (date := _DATE.fullmatch(text)) is not None:
        return read_years(date[1]), date[2] is None and date[3] is None
    return read_years(text), True


def between(first: str, last: str) -> tuple[Years, bool]:
    """The years from one date to another, and whether that is all that they say; the year 3000 is
    the open end.

    Raises:
        BadYears: One is no date, or the last is before the first.
    """
    (begin, whole), (end, also_whole) = dated(first), dated(last)
    exact = (whole or bool(re.search(r"\D0?1(?:\D0?1)?$", first))) and (
        also_whole or bool(re.search(r"\D12(?:\D31)?$", last))
    )
    if begin.first is None or end.last is None:
        raise BadYears("A range of years has a year at both ends")
    if end.last >= 3000:
        return Years(begin.first, None), exact
    if begin.first > end.last:
        raise BadYears("The range ends before it begins", f"{end.last:04d}-{begin.first:04d}")
    return Years(begin.first, end.last), exact


def plain(text: str) -> str:
    """Single blanks between words, and nothing that cannot be seen."""
    return " ".join("".join(" " if is_blank(char) else char for char in text).split())


def _nesting(query: Query) -> int:
    """Brackets inside brackets of the query in our own syntax."""
    match query:
        case And(parts):
            return max(_nesting(part) + isinstance(part, Or) for part in parts)
        case Or(parts):
            return max(map(_nesting, parts))
        case Not(part):
            return _nesting(part) + isinstance(part, And | Or)
    return 0
