"""Texts that only combine steps, and trees in which a leaf stands for an earlier step.

Such a leaf is a `Term` whose text begins with NUL. No reader makes one of a text: a control
character separates words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, either, every, exact, near, without
from metasearch.query.tree import (
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
    disjunction,
    leaves,
    negation,
)

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


def numbers(query: Query | None) -> tuple[int, ...]:
    """The steps that a tree names, each once, in the order in which it names them."""
    if query is None:
        return ()
    found = (number_of(leaf) for leaf, _ in leaves(query))
    return tuple(dict.fromkeys(number for number in found if number is not None))


def size(query: Query | None, of_step: Callable[[int], int]) -> int:
    """How many words, phrases and ranges a tree has, when those of its steps are `of_step`."""
    total = 0
    if query is None:
        return total
    for leaf, _ in leaves(query):
        number = number_of(leaf)
        if number is not None:
            total += of_step(number)
        elif isinstance(leaf, Term) and not leaf.phrase:
            total += leaf.text.count(" ") + 1
        else:
            total += 1
    return total


def substitute(clause: Clause, steps: Mapping[int, Clause]) -> Clause:
    """The trees with what steps mean in place of their numbers."""

    def put_in(query: Query) -> Clause:
        match query:
            case And(parts):
                return every(list(map(put_in, parts)))
            case Or(parts):
                return either(list(map(put_in, parts)))
            case Near(parts, within, ordered):
                return near(list(map(put_in, parts)), within, ordered=ordered)
            case Not(part):
                return without(put_in(part))
        number = number_of(query)
        return exact(query) if number is None else steps[number]

    widest = None if clause.widest is None else put_in(clause.widest)
    if clause.is_exact and widest is not None:
        return widest
    narrowest = None if clause.narrowest is None else put_in(clause.narrowest)
    return Clause(
        None if widest is None else widest.widest,
        None if narrowest is None else narrowest.narrowest,
    )


# Signs of full width and quotes of any kind, as ASCII.

#: For `str.translate`; each sign becomes one, so that places stay what they are.
FLAT = str.maketrans(
    "（）＃＊＋－–—，／＝：％【】“”„＂‘’０１２３４５６７８９",
    '()#*+---,/=:%()""""\'\'0123456789',
)


# A text that only combines steps: `#1 AND #2`, `1 and 2`, `or/1-4`, `(#1+#2)*#3`.
#
#     query   = every { "OR" every }
#     every   = [ "NOT" ] operand { [ "AND" ] [ "NOT" ] operand }
#     operand = "(" query ")" | step [ "-" step ] | ( "or" | "and" ) "/" part { "," part }
#     part    = step [ "-" step ]
#     step    = [ "#" | "S" ] number
#
# Operators are read whatever their case; 与 或 非 and the signs `*` `+` `-` of Chinese databases
# are operators, too. A range stands for all its steps with OR between them. `#1-#4` is a range and
# `#1 -#4` is NOT, as everywhere in metasearch a minus excludes only after a blank or bracket; where
# both could be meant (`#1 - #4`, or a range beside `*` and `+`) it is an error.

#: The largest number of a step.
LARGEST = 9999
#: Steps of one range.
WIDEST = 1_000
_LIST = r"#?[0-9]{1,4}(?:\s?[-,]\s?#?[0-9]{1,4})*"
_TOKEN = re.compile(
    rf"(?P<list>(?:or|and)/\s?{_LIST}(?![\w#-]))"
    r"|(?P<reference>(?P<sign>[#Ss]?)(?P<number>[0-9]{1,4})(?![A-Za-z0-9_]))"
    r"|(?P<word>(?:and|or|not)(?![A-Za-z0-9_])|[与或非])"
    r"|(?P<mark>[*+()-])",
    re.IGNORECASE,
)
_TO = re.compile(r"(\s*)-(\s*)[#Ss]?([0-9]{1,4})(?![A-Za-z0-9_])")
_BLANKS = re.compile(r"\s*")
_OPERATORS = {"与": "AND", "或": "OR", "非": "NOT", "*": "AND", "+": "OR", "-": "NOT"}
_BARE_IN = frozenset({"auto", "ovid"})
_S_IN = frozenset({"auto", "ebsco", "proquest"})


@dataclass(frozen=True, slots=True)
class Combination:
    """A combination of steps. `query`: a tree whose leaves are references. `notes`: how what could
    be meant in two ways is read.
    """

    query: Query
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # AND OR NOT ( ) steps
    start: int
    end: int
    numbers: tuple[int, ...] = ()
    every: bool = False  # of and/1-3


def combination(text: str, syntax: str = "auto") -> Combination | None:
    """Read a text that consists of numbers of steps and operators.

    `syntax`: one of `metasearch.query.CHOICES`. Bare numbers are steps in Ovid's syntax and where
    the syntax is found by marks, `S1` there and in EBSCO's and ProQuest's. Returns None where the
    text is a query of its own, or the order of its operators is for the reader of that syntax to
    decide. Raises QuerySyntaxError: it is a combination, but no valid one.
    """
    if len(text) > MAX_LENGTH:
        return None
    return _Reader(text, syntax).whole()


class _Reader:
    def __init__(self, text: str, syntax: str) -> None:
        self.text, self.syntax = text, syntax
        self.flat = text.translate(FLAT)
        self.tokens: list[_Token] = []
        self.at = 0
        self.depth = 0
        self.mixed = False
        self.notes: dict[str, None] = {}

    def whole(self) -> Combination | None:
        if not self.tokenize():
            return None
        query = self.query()
        if self.at < len(self.tokens):
            stray = self.tokens[self.at]
            self.fail(message("This bracket has no opening bracket"), stray.start, stray.end)
        if self.mixed and self.syntax != "auto":
            return None
        if self.mixed:
            note = message(
                "AND and NOT are read before OR; write brackets to be sure: other databases read "
                "from left to right"
            )
            self.notes[note] = None
        return Combination(query, tuple(self.notes))

    # ---------------------------------------------------------------- tokens

    def tokenize(self) -> bool:
        """Take the text apart; False where it is no combination."""
        at, clear, bare, operators, signs = 0, False, False, 0, False
        ranges: list[_Token] = []
        while (at := _end(_BLANKS, self.flat, at)) < len(self.flat):
            match = _TOKEN.match(self.flat, at)
            if match is None:
                return False
            start, at = at, match.end()
            if match["list"]:
                clear = True
                every = match[0][:1] in "aA"
                named = self.read_numbers(match["list"].partition("/")[2], start, at)
                self.tokens.append(_Token("steps", start, at, named, every))
            elif match["reference"]:
                sign = match["sign"].upper()
                if (sign == "S" and self.syntax not in _S_IN) or (
                    not sign and self.syntax not in _BARE_IN
                ):
                    return False
                if sign == "S" and self.syntax == "auto":
                    note = message(
                        "{word} is read as the number of a step; put it in quotes to look for the "
                        "word",
                        word=match[0],
                    )
                    self.notes[note] = None
                clear, bare = clear or bool(sign), bare or not sign
                to = _TO.match(self.flat, at)
                if to and not sign and not (to[1] or to[2]):
                    return False  # 2019-2021 are years
                if to and sign and not (to[1] and not to[2]):
                    at = to.end()
                    token = self.range(match, to, start)
                    ranges.append(token)
                    self.tokens.append(token)
                else:
                    number = int(match["number"])
                    self.tokens.append(_Token("steps", start, at, (number,)))
            elif match["word"]:
                operators += 1
                kind = _OPERATORS.get(match[0], match[0].upper())
                self.tokens.append(_Token(kind, start, at))
            else:
                signs = signs or match[0] in "*+"
                operators += match[0] in "*+-"
                self.tokens.append(_Token(_OPERATORS.get(match[0], match[0]), start, at))
            if len(self.tokens) > 4 * MAX_TERMS:
                self.fail(message("The combination is too long"), start, at)
        if not clear and not (bare and operators and self.only_words()):
            return False
        if signs and ranges:
            self.ambiguous(ranges[0].start, ranges[0].end)
        return True

    def only_words(self) -> bool:
        """Whether bare numbers are joined by words: 2*3 and 1-2 are no steps."""
        return not any(
            self.flat[token.start] in "*+-" for token in self.tokens if token.kind != "steps"
        )

    def range(self, first: re.Match[str], to: re.Match[str], start: int) -> _Token:
        if to[2]:
            self.ambiguous(start, to.end())
        numbers = self.spread(int(first["number"]), int(to[3]), start, to.end())
        shown = self.text[start : to.end()]
        note = message(
            "{range} is read as a range, with OR between its steps; write NOT to exclude one",
            range=shown,
        )
        self.notes[note] = None
        return _Token("steps", start, to.end(), numbers)

    def read_numbers(self, listed: str, start: int, end: int) -> tuple[int, ...]:
        numbers: dict[int, None] = {}
        for part in listed.replace("#", "").split(","):
            first, _, last = ("".join(piece.split()) for piece in part.partition("-"))
            if not (first.isdigit() and (last or first).isdigit()):
                self.fail(
                    message('"{part}" names no steps', part=part.strip()),
                    start,
                    end,
                    advice=message("Write or/1-4 or or/1,3."),
                )
            numbers |= dict.fromkeys(self.spread(int(first), int(last or first), start, end))
        return tuple(numbers)

    def spread(self, first: int, last: int, start: int, end: int) -> tuple[int, ...]:
        if last < first:
            self.fail(
                message("The range {part} ends before it begins", part=self.text[start:end]),
                start,
                end,
                advice=message(
                    "Write #{last}-#{first} for a range, or #{first} NOT #{last} to exclude.",
                    first=first,
                    last=last,
                ),
            )
        if last - first >= WIDEST:
            self.fail(
                message("The range {part} names too many steps", part=self.text[start:end]),
                start,
                end,
                advice=message("Write or/1-4."),
            )
        return tuple(range(first, last + 1))

    # ---------------------------------------------------------------- the grammar

    def peek(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def query(self) -> Query:
        parts, joined = [self.every()], False
        while self.peek() == "OR":
            self.at += 1
            part = self.every()
            parts.append(part)
        query, several = disjunction([part for part, _ in parts]), len(parts) > 1
        joined = any(many for _, many in parts)
        self.mixed = self.mixed or (several and joined)
        return query

    def every(self) -> tuple[Query, bool]:
        """What AND and NOT join, and whether they join anything."""
        parts = [self.read_negation()]
        while (kind := self.peek()) in ("AND", "NOT", "steps", "("):
            if kind == "AND":
                self.at += 1
            elif kind != "NOT":
                note = message("steps side by side are joined with AND")
                self.notes[note] = None
            parts.append(self.read_negation())
        return conjunction(*parts), len(parts) > 1

    def read_negation(self) -> Query:
        if self.peek() == "NOT":
            self.at += 1
            return negation(self.operand())
        return self.operand()

    def operand(self) -> Query:
        kind = self.peek()
        if kind == "steps":
            token = self.tokens[self.at]
            self.at += 1
            leaves = [reference(number) for number in token.numbers]
            return conjunction(*leaves) if token.every else disjunction(leaves)
        if kind == "(":
            return self.group()
        last = self.tokens[min(self.at, len(self.tokens) - 1)]
        if kind or last.kind in (")", "steps"):
            self.fail(
                message("{sign} needs a step before it", sign=self.text[last.start : last.end]),
                last.start,
                last.end,
            )
        return self.fail(
            message("{sign} needs a step after it", sign=self.text[last.start : last.end]),
            last.start,
            last.end,
        )

    def group(self) -> Query:
        opening = self.tokens[self.at]
        self.at += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(
                message("Brackets are nested more than {max_depth} deep", max_depth=MAX_DEPTH),
                opening.start,
                opening.end,
            )
        query = self.query()
        if self.peek() != ")":
            self.fail(message("This bracket is never closed"), opening.start, opening.end)
        self.at += 1
        self.depth -= 1
        return query

    # ---------------------------------------------------------------- errors

    def ambiguous(self, start: int, end: int) -> NoReturn:
        self.fail(
            message("{shown} may mean a range of steps or NOT", shown=self.text[start:end].strip()),
            start,
            end,
            advice=message("Write or/1-4 for a range, or #1 NOT #4 to exclude."),
        )

    def fail(self, reason: str, start: int, end: int, *, advice: str | None = None) -> NoReturn:
        raise QuerySyntaxError(
            reason,
            text=self.text,
            position=start,
            length=end - start,
            advice=advice or message("Write a combination such as (#1 OR #2) AND #3."),
        )


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
