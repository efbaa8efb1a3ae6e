"""A strategy as its reviewer sees it: lines with their terms, operators and references in place.

Unlike a search, a review reads on behind a line that cannot be read: what is wrong there is that
line's error. What other lines mean is a reference in a line's tree, so each line is read in time
linear in its own text; `metasearch.review.strategies.references` puts them in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from metasearch.errors import QuerySyntaxError
from metasearch.query.characters import plain_characters
from metasearch.query.clauses import Clause, exact
from metasearch.query.combinations import SignPiece, pieces_in_signs
from metasearch.query.detect import detect
from metasearch.query.places import PlacedJoin, PlacedTerm, Places, Reference
from metasearch.query.pubmed import as_lines
from metasearch.query.scanner import EarlierLine, SyntaxLosses
from metasearch.query.simple import read_places
from metasearch.query.strategy import line_reader
from metasearch.query.strategy_lines import (
    MOST_ROWS,
    NumberedLine,
    StrategyText,
    all_lines,
    numbered_lines,
    whole_text,
)
from metasearch.query.tree import MAX_LENGTH, is_blank
from metasearch.review.strategies.paste import syntax_of_lines
from metasearch.review.strategies.references import reference

__all__ = [
    "PlacedJoin",
    "PlacedTerm",
    "Reference",
    "ReviewLine",
    "ReviewedStrategy",
    "read",
]

_COMBINES = re.compile(r"(?:and|or|not|[#Ss]?[0-9]{1,4}|[\s()/,{}-])+", re.IGNORECASE)
_NUMBERS = re.compile(r"#?[0-9]{1,4}(?:\s?-\s?#?[0-9]{1,4})?")
#: Of a project's steps, which may each be in a syntax of their own: each line is read by its marks.
EACH = "each"
_NAMES_LINE = re.compile(r"#[0-9]{1,4}(?![0-9])")
#: Characters of a text that is reviewed, and its lines; the rest is not read.
LONGEST, MOST_LINES = 500_000, 2_000


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A line.

    Attributes:
        number: As printed; None where the strategy is one text without numbers.
        text: Its query.
        start: Where the query begins in the text of the strategy.
        end: Where it ends.
        hits: What the database said then, as printed; None where nothing stands there.
        terms: From left to right; their places are in the text of the strategy, as all are.
        joins: The operators in it.
        references: The lines that it names.
        clause: What it means; a leaf of its trees may be a reference. None where it cannot be read.
        error: Why it cannot be read.
        sign: What stands before its number: "#", "S" or "".
        at: How many lines are searched before it; a history may print the newest first.
        syntax: That it was read in.
        losses: What its tree does not say: kinds of `metasearch.query.scanner.SENTENCES`, each
            with the words that it concerns.
        cache: What rules have worked out of it and others need, too.
    """

    number: int | None
    text: str
    start: int
    end: int
    hits: int | None = None
    terms: tuple[PlacedTerm, ...] = ()
    joins: tuple[PlacedJoin, ...] = ()
    references: tuple[Reference, ...] = ()
    clause: Clause | None = None
    error: QuerySyntaxError | None = None
    sign: str = ""
    at: int = 0
    syntax: str = ""
    losses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cache: dict[str, object] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedStrategy:
    """A strategy.

    Attributes:
        text: As it was read, with plain characters: all places are in it.
        syntax: A key of `metasearch.query.syntaxes.SYNTAXES`.
        lines: Those that are searched first first.
        notes: What stands beside the queries and is not searched: (kind, words).
        original: As it was given.
        unread: Lines and rows that are not read, because there are too many.
    """

    text: str
    syntax: str
    lines: tuple[ReviewLine, ...]
    notes: tuple[tuple[str, str], ...] = ()
    original: str = ""
    unread: int = 0
    by_number: Mapping[int, ReviewLine] = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        """Whether its end is not read, because it is too large."""
        return self.unread > 0 or len(self.original) > LONGEST


def read(text: str, syntax: str | None = None) -> ReviewedStrategy:
    """Read a strategy for its review. `syntax`: one of `metasearch.query.CHOICES`; None or "auto"
    finds it by its marks, `EACH` that of each line. A line that cannot be read has an error;
    nothing is raised.
    """
    original, text = text, plain_characters(text[:LONGEST])
    rows = text.splitlines(keepends=True)
    text = "".join(rows[:MOST_ROWS])
    if syntax in (None, "auto", "pubmed"):
        text = _of_history(text)
    cut = numbered_lines(text) or _apart(text) or whole_text(text)
    if syntax in (None, "auto"):
        syntax = _syntax_of(text, cut)
    syntax = "cnki" if syntax == "expert" else str(syntax)
    lines = cut.lines[:MOST_LINES]
    reviewed = _Reader(cut, syntax).lines(lines)
    if syntax == EACH:
        syntaxes = {line.syntax for line in reviewed if line.terms}
        syntax = syntaxes.pop() if len(syntaxes) == 1 else "simple"
    by_number: dict[int, ReviewLine] = {}
    for line in reviewed:
        if line.number is not None:
            by_number.setdefault(line.number, line)
    return ReviewedStrategy(
        cut.text,
        syntax,
        tuple(reviewed),
        cut.losses,
        original,
        max(0, len(cut.lines) - len(lines)) + max(0, len(rows) - MOST_ROWS),
        by_number,
    )


def _of_history(text: str) -> str:
    """A file of PubMed's history as lines with numbers; any other text as it is."""
    try:
        return as_lines(text)
    except QuerySyntaxError:
        return text


def _apart(text: str) -> StrategyText | None:
    """Lines with numbers of which none names another; None where the text is no such."""
    cut = all_lines(text)
    numbers = [line.number for line in cut.lines]
    counted = numbers == list(range(1, len(numbers) + 1))
    first = text.lstrip("\ufeff \t\r\n")[:3].lstrip("#sS([")[:1]
    return cut if len(numbers) > 1 and counted and first == "1" else None


def _syntax_of(text: str, cut: StrategyText) -> str:
    found = detect(text) if len(text) <= MAX_LENGTH else "simple"
    if found == "simple" and len(cut.lines) > 1:
        found = syntax_of_lines(text, cut.lines)
    if found in ("auto", "simple") and len(cut.lines) > 1:
        # Plain words in lines with numbers: the sign of a number says whose lines they may be.
        return {"S": "ebsco", "#": "pubmed"}.get(cut.lines[0].sign, "ovid")
    return "simple" if found == "auto" else found


def _of_line(text: str) -> str:
    """The syntax of a line by its marks; what only names lines is in that which reads any sign."""
    found = detect(text) if len(text) <= MAX_LENGTH else "simple"
    return "pubmed" if found == "simple" and _NAMES_LINE.search(text) else found


class _Reader:
    """Reads the lines of one strategy, one after the other."""

    def __init__(self, cut: StrategyText, syntax: str) -> None:
        self.cut, self.syntax = cut, syntax
        self.known = Lines()
        #: Lines that broken lines may still name.
        self.left = 20_000

    def lines(self, lines: Sequence[NumberedLine]) -> list[ReviewLine]:
        many = len(lines) > 1
        reviewed: list[ReviewLine] = []
        for at, line in enumerate(lines):
            before = lines[at - 1].number if at else 0
            reviewed.append(self.line(line, at, before, numbered=many or line.number > 0))
            self.known.setdefault(line.number, self.known.get(line.number))
        return reviewed

    def line(self, line: NumberedLine, at: int, before: int, *, numbered: bool) -> ReviewLine:
        places, losses = Places(), SyntaxLosses()
        syntax = _of_line(line.text) if self.syntax == EACH else self.syntax
        pieces = pieces_in_signs(line.text, before, syntax) if numbered else None
        shown = line.text if pieces is None else "".join(piece for piece, _, _ in pieces)
        clause, error = None, None
        try:
            clause = self.clause(shown, syntax, places, losses, numbered=numbered)
        except QuerySyntaxError as raised:
            error = raised
        where = _Alignment(pieces or [(line.text, 0, len(line.text))], line, self.cut.text)
        return ReviewLine(
            line.number if numbered else None,
            line.text,
            line.start,
            line.end,
            line.hits,
            tuple(where.term(term) for term in places.terms),
            tuple(where.join(join) for join in places.joins),
            tuple(where.reference(one) for one in places.references)
            if error is None
            else self.references_in(line),
            clause,
            None if error is None else where.error(error, line),
            line.sign,
            at,
            syntax,
            losses.by_kind(),
        )

    def references_in(self, line: NumberedLine) -> tuple[Reference, ...]:
        """The lines that a combination names which cannot be read, so that what is wrong with it is
        told there alone.
        """
        named: list[Reference] = []
        if not _COMBINES.fullmatch(line.text):
            return ()
        for match in _NUMBERS.finditer(line.text):
            first, *rest = (int(number) for number in re.findall(r"[0-9]+", match[0]))
            place = line.start + match.start(), line.start + match.end()
            numbers = range(first, (rest[0] if rest else first) + 1)[: max(self.left, 1)]
            self.left -= len(numbers)
            named += [Reference(number, *place) for number in numbers]
        return tuple(named)

    def clause(
        self, text: str, syntax: str, places: Places, losses: SyntaxLosses, *, numbered: bool
    ) -> Clause | None:
        """What a line means. Raises QuerySyntaxError: it cannot be read."""
        if syntax == "simple":
            return exact(read_places(text, places))
        if syntax == "ccl":
            from metasearch.query.ccl import read_places as of_ccl

            return of_ccl(text, places)
        if syntax == "cql":
            from metasearch.query.cql import parse_cql

            return parse_cql(text).clause
        reader = line_reader(syntax)(text, self.known if numbered else None, losses)
        reader.places = places
        return reader.tree()


class Lines(dict[int, EarlierLine]):
    """The lines before one. Any number names a line, so that a wrong one does not end the reading;
    a number alone is that of a line only where there is one.
    """

    def get(self, number: int, default: object = None) -> EarlierLine:
        return EarlierLine(exact(reference(number)), 1)


class _Alignment:
    """Places in a line as its syntax writes it -> places in the text of the strategy."""

    def __init__(self, pieces: Sequence[SignPiece], line: NumberedLine, text: str) -> None:
        self.pieces, self.line, self.text = pieces, line.start, text
        self.same = all(len(piece) == end - begin for piece, begin, end in pieces)
        self.starts = [0, *accumulate(len(piece) for piece, _, _ in pieces)]

    def at(self, place: int, *, ends: bool = False) -> int:
        if self.same:
            return self.line + place
        for begin, (piece, start, end) in zip(self.starts, self.pieces, strict=False):
            inside = place - begin
            if inside < len(piece) or (ends and inside == len(piece)):
                exactly = len(piece) == end - start
                return self.line + (start + inside if exactly else end if ends else start)
        return self.line + self.pieces[-1][2]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where what stands there begins and ends, without blanks around it."""
        start, end = self.at(start), self.at(end, ends=True)
        while start < end and is_blank(self.text[start]):
            start += 1
        while end > start and is_blank(self.text[end - 1]):
            end -= 1
        return start, end

    def term(self, term: PlacedTerm) -> PlacedTerm:
        start, end = self.span(term.start, term.end)
        return replace(term, start=start, end=end)

    def join(self, join: PlacedJoin) -> PlacedJoin:
        start, end = self.span(join.start, join.end)
        operands = tuple(self.span(*operand) for operand in join.operands)
        return replace(join, start=start, end=end, operands=operands)

    def reference(self, named: Reference) -> Reference:
        start, end = self.span(named.start, named.end)
        return replace(named, start=start, end=end)

    def error(self, error: QuerySyntaxError, line: NumberedLine) -> QuerySyntaxError:
        """The error of a line as one of the text; its suggestion is still that of the line."""
        end = min(error.position + error.length, self.starts[-1])
        start, end = self.span(min(error.position, self.starts[-1]), end)
        suggestion = error.suggestion if self.same else None
        return error.with_changes(
            text=self.text,
            position=start,
            length=max(1, min(end, line.end) - start),
            suggestion=suggestion,
        )
