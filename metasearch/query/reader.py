"""A text while it is read in any syntax: how much of it was read, and what is wrong at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.clauses import Clause, exact
from metasearch.query.tree import (
    FIELD_WORDS,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TERMS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    conjunction,
    corrections,
    disjunction,
    is_blank,
    plain,
    searches,
    without_words,
)
from metasearch.query.values import BadYears, bare_doi, code_of_word

#: Where a sign or word stood.
Span = tuple[int, int]
_SURROGATE = late_pattern(r"[\ud800-\udfff]")


class QueryText:
    """One text, in one syntax, and the bounds that hold for all of them."""

    def __init__(self, text: str, syntax: str) -> None:
        self.text = text
        self.syntax = syntax
        self.read = 0

    def check(self) -> None:
        """Raises QuerySyntaxError: the text is too long, or no text."""
        if len(self.text) > MAX_LENGTH:
            raise self.error(
                message(
                    "The query is longer than {max_length} characters", max_length=f"{MAX_LENGTH:,}"
                ),
                MAX_LENGTH,
                MAX_LENGTH + 1,
                advice=message("Split it into several searches."),
                kind="length",
            )
        if bad := _SURROGATE.search(self.text):
            reason = message("The query contains a byte that is not text")
            raise self.needless(reason, *bad.span())

    def count(self, start: int, end: int) -> None:
        """Count another word, phrase or range. Raises QuerySyntaxError: there are too many."""
        self.read += 1
        if self.read > MAX_TERMS:
            reason = message(
                "The query has more than {max_terms} words and phrases", max_terms=MAX_TERMS
            )
            advice = message("Split it into several searches.")
            raise self.error(reason, start, end, advice=advice, kind="terms")

    def check_depth(self, depth: int, at: int) -> None:
        """Check that a bracket may open at `at`, inside `depth` others. Raises QuerySyntaxError:
        brackets are nested too deep.
        """
        if depth >= MAX_DEPTH:
            reason = message("Brackets are nested more than {max_depth} deep", max_depth=MAX_DEPTH)
            advice = message("Write the query with fewer brackets.")
            raise self.error(reason, at, at + 1, advice=advice, kind="parentheses")

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

    def needless(
        self, reason: str, start: int, end: int, *, kind: QueryFault = "syntax"
    ) -> QuerySyntaxError:
        """Returns the error of text[start:end], without which the text is right."""
        return self.error(reason, start, end, fix=self.without(start, end), kind=kind)

    def lacks(self, sign: Span, side: str) -> QuerySyntaxError:
        """There is nothing "before" or "after" a sign."""
        shown = self.text[slice(*sign)]
        reason = (
            message("{sign} needs something to look for before it", sign=shown)
            if side == "before"
            else message("{sign} needs something to look for after it", sign=shown)
        )
        return self.needless(reason, *sign)

    def no_opening(self, at: int, *, kind: QueryFault = "syntax") -> QuerySyntaxError:
        """The bracket at `at` closes nothing."""
        return self.needless(message("This bracket has no opening bracket"), at, at + 1, kind=kind)

    def no_closing(
        self, opening: int, count: int, *, kind: QueryFault = "syntax"
    ) -> QuerySyntaxError:
        """Nothing closes the bracket at `opening`. `count`: brackets that are open at the end."""
        reason, fix = message("This bracket is never closed"), self.text + ")" * count
        return self.error(reason, opening, opening + 1, fix=fix, kind=kind)

    def without(self, start: int, end: int) -> str:
        return f"{self.text[:start]} {self.text[end:]}"

    def with_replacement(self, start: int, end: int, instead: str) -> str:
        return f"{self.text[:start]}{instead}{self.text[end:]}"


# What the readers of all foreign syntaxes share: the result with its notes, limits and errors,
# brackets and quotes, and how trees are put together; and how an error is shown.

T = TypeVar("T")

_ADVICE = message("Write one or more words to look for.")


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that was read from text.

    Attributes:
        query: What it means.
        syntax: The syntax it was read in, a key of `metasearch.query.syntaxes.SYNTAXES`.
        notes: One sentence for each part of the text that `query` does not express exactly.
        bounds: What it means where that is not exact; None where it is.
        of_sources: Those of the notes that say what sources cannot be asked, though `query` holds
            it.
    """

    query: Query
    syntax: str
    notes: tuple[str, ...] = ()
    bounds: Clause | None = None
    of_sources: frozenset[str] = frozenset()

    @property
    def losses(self) -> tuple[str, ...]:
        """The notes but those of sources: what a translation loses before it is written."""
        return tuple(note for note in self.notes if note not in self.of_sources)

    @property
    def clause(self) -> Clause:
        return self.bounds or exact(self.query)


class QueryReader(QueryText):
    """A text in a foreign syntax, and the notes on what is lost of it. Raises QuerySyntaxError: it
    is too long, empty, or no text.
    """

    def __init__(self, text: str, syntax: str) -> None:
        super().__init__(text, syntax)
        self._notes: dict[str, None] = {}
        self.check()
        if all(map(is_blank, text)):
            raise self.error(message("The query is empty"), 0, 1, advice=_ADVICE, kind="empty-term")

    def note(self, sentence: str) -> None:
        """Add a note about what the tree does not express; each sentence is added once."""
        self._notes[sentence] = None

    def star_in_number(self, field: str, start: int, end: int) -> QuerySyntaxError:
        """Returns the error for a star in an identifier."""
        fix = self.with_replacement(start, end, self.text[start:end].replace("*", ""))
        reason = message("{field} takes a whole number, without a star", field=field)
        return self.error(reason, start, end, fix=fix, kind="masking")

    def misread(
        self,
        bad: BadYears,
        start: int,
        end: int,
        advice: str,
        *,
        instead: Callable[[str], str] = str,
        kind: QueryFault = "syntax",
    ) -> QuerySyntaxError:
        """Returns the error for text[start:end], which is no years. `instead`: writes those that
        were probably meant; `advice`: for where none were.
        """
        fix = self.with_replacement(start, end, instead(bad.corrected)) if bad.corrected else None
        return self.error(
            bad.reason, start, end, fix=fix, advice=None if fix else advice, kind=kind
        )

    def code_term(self, text: str, field: str, where: Span, *, cut: bool = False) -> Term:
        """A type or language. Raises QuerySyntaxError: it is none, or only the beginning of one."""
        known = None if cut else code_of_word(field, text)
        if known is None:
            advice = (
                message("Write a code, such as en, or a name.")
                if field == "language"
                else message("Write a type, such as thesis.")
            )
            raise self.no_such_code(text[:30], field, where, advice, kind="term")
        return Term(known, field)

    def no_such_code(
        self, word: str, field: str, where: Span, advice: str, *, kind: QueryFault = "syntax"
    ) -> QuerySyntaxError:
        reason = message('"{word}" is no known {field}', word=word, field=FIELD_WORDS[field])
        return self.error(reason, *where, advice=advice, kind=kind)

    def finish(
        self, query: Query, bounds: Clause | None = None, of_sources: Iterable[str] = ()
    ) -> ReadQuery:
        """Returns the result. Raises QuerySyntaxError: the query names nothing to look for, or its
        operators alternate too often.
        """
        if not searches(query):
            reason = message(
                "The query has no word to look for, only {without_words}",
                without_words=without_words(query),
            )
            advice = message("Add a word to look for.")
            raise self.error(reason, *self._whole(), advice=advice, kind="feature")
        self.check_alternation(query)
        return ReadQuery(query, self.syntax, tuple(self._notes), bounds, frozenset(of_sources))

    def check_alternation(self, query: Query) -> None:
        """Check that a tree is shallow enough for recursive functions. Raises QuerySyntaxError:
        AND, OR and NOT alternate too often.
        """
        if nesting(query) > MAX_DEPTH:
            reason = message(
                "AND, OR and NOT alternate more than {max_depth} deep", max_depth=MAX_DEPTH
            )
            advice = message("Group what belongs together with brackets.")
            raise self.error(reason, *self._whole(), advice=advice, kind="parentheses")

    def check_clause(self, clause: Clause) -> None:
        """As `check_alternation`, of both bounds of a clause."""
        for bound in {id(query): query for query in (clause.widest, clause.narrowest)}.values():
            if bound is not None:
                self.check_alternation(bound)

    def _whole(self) -> tuple[int, int]:
        """Where the text begins and ends, without blanks around it."""
        start = len(self.text) - len(self.text.lstrip())
        return start, start + len(self.text.strip())


def read_or_suggest(read: Callable[[str], T], text: str) -> T:
    """Read a text; where an error has a suggestion, the suggestion can be read. `read`: reads one
    text; the suggestion of its error corrects one mistake. Raises QuerySyntaxError: as `read`.
    """
    try:
        return read(text)
    except QuerySyntaxError as error:
        raise error.with_changes(
            suggestion=correction(read, error.suggestion),
            advice=_ADVICE if error.suggestion else error.advice,
        ) from None


def correction(read: Callable[[str], object], candidate: str | None) -> str | None:
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
        case Near(parts):
            return max(nesting(part) + (not isinstance(part, Term)) for part in parts)
        case Or(parts):
            return max(map(nesting, parts))
        case Not(part):
            return nesting(part) + isinstance(part, And | Or)
    return 0


#: What stands in a text for `without_needless_brackets`: a quoted text, a bracket, or a word.
_PIECE = late_pattern(r'"[^"]*"|[()]|[^\s()"]+|"')


def without_needless_brackets(text: str) -> str:
    """A text with blanks in place of brackets that change nothing, where there are more than may
    stand in one another: a builder of queries puts one around each term and all before it. A
    bracket changes nothing where one operator alone, AND or OR, stands in it, and the same one or
    none beside it.
    """
    if text.count("(") <= MAX_DEPTH:
        return text
    needless: list[int] = []
    #: The brackets that are open: place, the operator before it, those in it.
    opened: list[tuple[int, str, set[str]]] = [(-1, "", set())]
    before, closed = "(", None
    for piece in [*_PIECE.finditer(text), None]:
        word = piece[0].upper() if piece else ")"
        if closed and word in ("AND", "OR", ")"):
            start, end, first, kinds = closed
            beside = {first, word} - {"(", ")"}
            if first in ("AND", "OR", "(") and len(beside | kinds) <= 1:
                needless += [start, end]
        closed = None
        if piece is None:
            break
        if word == "(":
            opened.append((piece.start(), before, set()))
        elif word == ")" and len(opened) > 1:
            start, first, kinds = opened.pop()
            closed = start, piece.start(), first, kinds
        elif word in ("AND", "OR", "NOT"):
            opened[-1][2].add(word)
        before = word
    chars = list(text)
    for at in needless:
        chars[at] = " "
    return "".join(chars)


class BracketReader(QueryReader):
    """A text with a place in it, and the brackets that are open there."""

    def __init__(self, text: str, syntax: str) -> None:
        super().__init__(without_needless_brackets(text), syntax)
        self.at = 0
        self.open: list[int] = []

    def here(self) -> str:
        """The next character that is no blank; "" at the end."""
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.text[self.at : self.at + 1]

    def all_of(self, read: Callable[[], T]) -> T:
        """What `read`, which stops at a bracket that closes, makes of the whole text."""
        query = read()
        if self.here() == ")":
            raise self.no_opening(self.at)
        return query

    def row_here(self) -> str:
        """The row that begins here, if one does."""
        at = self.at
        while at and is_blank(self.text[at - 1]):
            at -= 1
        if not set("\n\r").intersection(self.text[at : self.at]):
            return ""
        return plain(self.text[self.at : self.at + 60].splitlines()[0])

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
            raise self.needless(reason, opening, end)
        return opening

    def leave(self, opening: int) -> None:
        """Take the bracket that closes the one at `opening`."""
        if self.here() != ")":
            raise self.no_closing(opening, len(self.open))
        self.at += 1
        self.open.pop()

    def take_quote(self, closer: str) -> str:
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
            raise self.needless(reason, opening, end + 1)
        self.at = end + 1
        return text


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
    """All of (word, whether it is a beginning): plain ones side by side are one term."""
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


def phrase_of(texts: Sequence[tuple[str, bool]], fields: Sequence[str]) -> Query:
    """(word, whether it is a beginning), one after the other, in one of several fields: a phrase,
    or words near one another where another than the last is a beginning.
    """
    if any(cut for _, cut in texts[:-1]):
        return Near(
            tuple(in_fields(fields, partial(truncatable, [text])) for text in texts),
            within=0,
            ordered=True,
        )
    joined, cut = " ".join(word for word, _ in texts), texts[-1][1]
    return in_fields(fields, lambda field: Term(joined, field, phrase=True, truncated=cut))


# A query error for a terminal: the query, a caret line, the reason, what to do.


def explain(error: QuerySyntaxError, width: int = 80) -> str:
    """Several lines for a fixed-width font, without a final newline.

        titel:drive AND gene
        ^^^^^
        There is no field "titel"; the fields are any, title, ...
        Try: title:drive AND gene

    Characters are counted as the columns they take: two for full-width ones, none for combining
    ones. A long query is shown around the mistake. Control characters are shown as blanks, so the
    text can do no harm to a terminal. `width`: columns of the query line, at least 20.
    """
    before, marked, after = window(error, width)
    carets = " " * _columns(before) + "^" * max(1, _columns(marked))
    lines = [f"{before}{marked}{after}", carets, f"{error.reason.rstrip('.')}."]
    if error.advice:
        lines.append(_visible(error.advice))
    return "\n".join(lines)


def window(error: QuerySyntaxError, width: int = 80) -> tuple[str, str, str]:
    """The query around the mistake, on one line: what stands before it, the mistake, what follows.

    The mistake is empty where something is missing at the end. Where the line is cut, an ellipsis
    stands. `width`: columns of all three, at least 20.
    """
    width = max(width, 20)
    position = min(max(error.position, 0), len(error.text))
    start = max(0, position - width)
    before = _visible(error.text[start:position])
    after = _visible(error.text[position : position + width])
    cut_left, cut_right = start > 0, position + width < len(error.text)
    if cut_left or cut_right or _columns(before + after) > width:
        room = width // 2
        left = _last(before, max(room - 1, width - 2 - _columns(after)))
        right = _first(after, width - 2 - _columns(left))
        cut_left, cut_right = cut_left or left != before, cut_right or right != after
        before, after = "…" * cut_left + left, right + "…" * cut_right
    marked = _first(after, max(1, width - _columns(before)))[: max(1, error.length)]
    return before, marked, after[len(marked) :]


def _visible(text: str) -> str:
    return "".join(
        "\ufffd" if "\ud800" <= char <= "\udfff" else " " if is_blank(char) else char
        for char in text
    )


def _columns(text: str) -> int:
    from wcwidth import wcswidth, wcwidth

    columns = wcswidth(text)
    return columns if columns >= 0 else sum(max(0, wcwidth(char)) for char in text)


def _first(text: str, columns: int) -> str:
    """As much of the beginning as fits."""
    from wcwidth import wcwidth

    used = 0
    for at, char in enumerate(text):
        used += max(0, wcwidth(char))
        if used > columns:
            return text[:at]
    return text


def _last(text: str, columns: int) -> str:
    """As much of the end as fits."""
    return _first(text[::-1], columns)[::-1]
