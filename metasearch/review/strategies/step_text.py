"""Numbers of steps in syntaxes that have none: `#1 AND psilocybin`, `#1*水质`, `or/1-4 NOT mice`.

Each is replaced by a word that does not occur in the text and is as long as what it replaces, so
that a place in the text is the same before and after. The reader of the syntax takes it for a word;
in the tree, the reference is put back in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from metasearch.errors import QuerySyntaxError
from metasearch.message import changed, message
from metasearch.query.ast import FIELD_WORDS, Query, Term, conjunction
from metasearch.query.blanks import is_blank
from metasearch.workspace.strategies.combine import combination
from metasearch.workspace.strategies.references import replaced
from metasearch.workspace.strategies.signs import FLAT

#: Signs of dead scripts: letters for every reader, and no word of any query that is searched for.
_LETTERS = range(0x12000, 0x12390), range(0x13000, 0x13420)
_REFERENCE = re.compile(
    r"(?<![A-Za-z0-9_\\#&/])(?:"
    r"(?:or|and)/\s?#?[0-9]{1,4}(?:\s?[-,]\s?#?[0-9]{1,4})*|#[0-9]{1,4}(?:-#?[0-9]{1,4})?)"
    r"(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
#: What may stand before and behind the number of a step, beside blanks, in the Chinese syntax and
#: in others.
_BEFORE = {True: "(+*-^", False: "(-"}
_BEHIND = {True: ")+*", False: ")"}
_DOUBLE = re.compile(r'\\.|"(?:\\.|[^"\\])*"', re.DOTALL)
_BOTH = re.compile(r"\"[^\"]*\"|(?<![A-Za-z])'[^']*'", re.DOTALL)
_FIELD_BEFORE = re.compile(r"[=:%<>]\s{0,5}\Z")
_EXPERT_BESIDE = re.compile(r"[*+]\s?\Z"), re.compile(r"\s?[*+]\s?\S")


@dataclass(frozen=True, slots=True)
class Place:
    """Steps that are named at a place of a text."""

    start: int
    end: int
    query: Query
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text with words for the numbers of steps. `places`: word -> the steps it is for."""

    original: str
    text: str
    places: dict[str, Place] = field(default_factory=dict)

    def back(self, text: str) -> str:
        """A sentence or suggestion about `text`, about the text as typed."""
        if not any(word in text for word in self.places):
            return text
        return changed(text, self._back)

    def _back(self, text: str) -> str:
        for word, place in self.places.items():
            text = text.replace(word, self.original[place.start : place.end])
        return text

    def error(self, error: QuerySyntaxError) -> QuerySyntaxError:
        """The same error, of the text as typed."""
        suggestion = error.suggestion and self._back(error.suggestion)
        return QuerySyntaxError(
            self.back(error.reason),
            text=self.original,
            position=error.position,
            length=error.length,
            suggestion=suggestion,
            advice=self.back(error.advice),
            syntax=error.syntax,
            kind=error.kind,
        )

    def put_back(self, query: Query, syntax: str) -> Query:
        """The tree of `text` with references in place of the words. Raises QuerySyntaxError: one of
        them is in quotes, in a field or beside a sign for letters.
        """
        new = replaced(query, lambda leaf: self._leaf(leaf, syntax))
        if new is None:
            raise ValueError("a tree has leaves")
        return new

    def _leaf(self, leaf: Query, syntax: str) -> Query:
        if not isinstance(leaf, Term):
            return leaf
        words = leaf.text.split(" ")
        found = next((self.places[word] for word in words if word in self.places), None)
        if found is None:
            if glued := next((it for word, it in self.places.items() if word in leaf.text), None):
                raise _unreadable(self.original, glued.start, glued.end, syntax)
            return leaf
        if leaf.truncated or leaf.phrase:
            raise self._misplaced(found, message("a phrase or a sign for letters"), syntax)
        if leaf.field != "any" and syntax != "cnki":
            field_name = FIELD_WORDS.get(leaf.field, leaf.field)
            raise self._misplaced(found, message("the field {field}", field=field_name), syntax)
        parts: list[Query] = []
        run: list[str] = []
        for word in [*words, ""]:
            place = self.places.get(word)
            if word and place is None:
                run.append(word)
                continue
            if run:
                parts.append(Term(" ".join(run), leaf.field))
                run = []
            if place is not None:
                parts.append(place.query)
        return conjunction(*parts)

    def _misplaced(self, place: Place, what: str, syntax: str) -> QuerySyntaxError:
        return misplaced(self.original, place.start, place.end, what, syntax)


def misplaced(text: str, start: int, end: int, what: str, syntax: str) -> QuerySyntaxError:
    """The error for a step inside something that holds for words only."""
    return QuerySyntaxError(
        message(
            "{step} is a whole search: {what} cannot be put on it",
            step=text[start:end].strip(),
            what=what,
        ),
        text=text,
        position=start,
        length=end - start,
        advice=message("Join it by AND, OR or NOT; put it in quotes to look for it as a word."),
        syntax=syntax,
    )


def expert_signs(text: str) -> bool:
    """Whether `*` or `+` joins the number of a step to something: the Chinese syntax."""
    flat = text.translate(FLAT)
    before, after = _EXPERT_BESIDE
    return any(
        after.match(flat, start_end[1]) or before.search(flat, 0, start_end[0])
        for start_end in _found(flat, _DOUBLE)
    )


def check_fields(text: str, syntax: str) -> None:
    """Check that no field stands directly at the number of a step, in any syntax. Raises
    QuerySyntaxError: one does.
    """
    flat = text.translate(FLAT)
    for start, end in _found(flat, quotes_of(syntax)):
        after = flat[end : end + 1]
        if after in (".", "[", ":", "/") and flat[end + 1 : end + 2].isalpha():
            raise misplaced(text, start, end, message("a field"), syntax)
        if _FIELD_BEFORE.search(flat, max(0, start - 6), start):
            raise misplaced(text, start, end, message("a field"), syntax)
        if after and after in "*?" and syntax != "cnki":
            raise misplaced(text, start, end, message("a sign for letters"), syntax)


def with_sign(text: str, sign: str) -> str:
    """The text with another sign in place of `#` before the numbers of steps."""
    pieces = list(text)
    for start, _ in _found(text.translate(FLAT), _DOUBLE):
        if pieces[start] in "#＃":
            pieces[start] = sign
    return "".join(pieces)


def check_taken(text: str, taken: Sequence[int], syntax: str) -> None:
    """Check that a reader that knows numbers of lines has taken each `#1` for one. Raises
    QuerySyntaxError: one is a word for it.
    """
    flat = text.translate(FLAT)
    for start, end in _found(flat, quotes_of(syntax)):
        shown = flat[start:end]
        if shown[0] != "#":
            continue
        if "-" in shown or int(shown[1:]) not in taken:
            raise _unreadable(text, start, end, syntax)


def with_words(text: str, syntax: str) -> Replaced:
    """The text with words in place of the numbers of steps. `syntax`: "simple", "cql", "ccl" or
    "cnki". Raises QuerySyntaxError: a range is none, or a field stands at a number.
    """
    check_fields(text, syntax)
    flat = text.translate(FLAT)
    used = set(text)
    letters = (chr(code) for code in chain(*_LETTERS) if chr(code) not in used)
    fielded = list(_in_field(flat)) if syntax == "cnki" else []
    places: dict[str, Place] = {}
    out, at = [], 0
    for start, end in _found(flat, quotes_of(syntax)):
        if syntax == "cnki" and any(first < start < last for first, last in fielded):
            raise misplaced(text, start, end, message("a field"), syntax)
        letter = next(letters, None)
        _check_apart(text, flat, (start, end), syntax)
        if letter is None:
            raise QuerySyntaxError(
                message("The text names too many steps"), text=text, position=start, syntax=syntax
            )
        made = _steps(text, start, end, syntax)
        word = letter * (end - start)
        places[word] = Place(start, end, *made)
        out += [text[at:start], word]
        at = end
    out.append(text[at:])
    new = "".join(out)
    if syntax == "simple":
        new = _with_capitals(new, places)
    return Replaced(text, new, places)


def _check_apart(text: str, flat: str, where: tuple[int, int], syntax: str) -> None:
    """Check that the number of a step at a place is no part of a word."""
    start, end = where
    signs = syntax == "cnki"
    before, behind = flat[start - 1 : start], flat[end : end + 1]
    apart = not before or is_blank(before) or before in _BEFORE[signs]
    if not apart or not (not behind or is_blank(behind) or behind in _BEHIND[signs]):
        raise _unreadable(text, start, end, syntax)


def _unreadable(text: str, start: int, end: int, syntax: str) -> QuerySyntaxError:
    return QuerySyntaxError(
        message("{shown} cannot be read as a step here", shown=text[start:end]),
        text=text,
        position=start,
        length=end - start,
        advice=message(
            "Put blanks or brackets around it, or quotes to look for it as a word; write a range "
            "as #1 OR #2."
        ),
        syntax=syntax,
    )


def _steps(text: str, start: int, end: int, syntax: str) -> tuple[Query, tuple[str, ...]]:
    """What `#1`, `#1-#4` or `or/1-4` stands for."""
    try:
        read = combination(text[start:end])
    except QuerySyntaxError as error:
        raise QuerySyntaxError(
            error.reason,
            text=text,
            position=start + error.position,
            length=error.length,
            advice=error.advice,
            syntax=syntax,
        ) from None
    if read is None:
        raise AssertionError("what was found names steps")
    return read.query, read.notes


def _found(flat: str, quotes: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where steps are named outside quotes."""
    hidden = iter(
        [*((it.start(), it.end()) for it in quotes.finditer(flat)), (len(flat), len(flat))]
    )
    start, end = next(hidden)
    for match in _REFERENCE.finditer(flat):
        while end <= match.start() and start < len(flat):
            start, end = next(hidden)
        if match.end() <= start:
            yield match.start(), match.end()


def quotes_of(syntax: str) -> re.Pattern[str]:
    """Matches what stands in quotes, in a text whose signs are as `FLAT` makes them."""
    return _BOTH if syntax in ("cnki", "embase") else _DOUBLE


def _in_field(flat: str) -> Iterator[tuple[int, int]]:
    """The outermost brackets that have a field before them. A field that is named before a sign
    (`TI='a'*#1`) goes on to words only.
    """
    opened: list[tuple[int, bool]] = []
    fielded = 0
    for at, char in enumerate(flat):
        if char == "(":
            has_field = bool(_FIELD_BEFORE.search(flat, max(0, at - 6), at))
            opened.append((at, has_field))
            fielded += has_field
        elif char == ")" and opened:
            start, has_field = opened.pop()
            fielded -= has_field
            if has_field and not fielded:
                yield start, at


def _with_capitals(text: str, words: Iterable[str]) -> str:
    """The text with operators in capitals where they stand beside the word of a step."""
    letters = "".join(word[0] for word in words)
    if not letters:
        return text
    text = re.sub(
        rf"(?<=[{letters}])\s{{1,20}}(?:and\s{{1,20}}not|and|or|not)(?=[\s(])",
        lambda it: it[0].upper(),
        text,
        flags=re.IGNORECASE,
    )
    return re.sub(
        rf"(?<![^\s()])(?:and\s{{1,20}}not|and|or|not)(?=[\s(]{{1,20}}[{letters}])",
        lambda it: it[0].upper(),
        text,
        flags=re.IGNORECASE,
    )
