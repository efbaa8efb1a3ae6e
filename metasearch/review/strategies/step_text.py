"""The text of one step: the numbers of other steps in it, the tree that it is read as, and the same
text with other numbers.

Numbers of steps in syntaxes that have none: `#1 AND psilocybin`, `#1*水质`, `or/1-4 NOT mice`.

Each is replaced by a word that does not occur in the text and is as long as what it replaces, so
that a place in the text is the same before and after. The reader of the syntax takes it for a word;
in the tree, the reference is put back in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import map_values, message
from metasearch.query import CHOICES, read
from metasearch.query.characters import plain_characters
from metasearch.query.clauses import Clause, exact
from metasearch.query.detect import detect
from metasearch.query.reader import ReadQuery, read_or_suggest
from metasearch.query.scanner import EarlierLine, SyntaxLosses
from metasearch.query.strategy import line_reader
from metasearch.query.strategy_lines import has_numbers
from metasearch.query.syntaxes import DATABASES
from metasearch.query.tree import FIELD_WORDS, And, Query, Term, conjunction, is_blank, with_leaves
from metasearch.review.strategies.references import (
    FLAT,
    combination,
    number_of,
    numbers,
    reference,
)

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
class StepPlace:
    """Steps that are named at a place of a text."""

    start: int
    end: int
    query: Query
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepWords:
    """A text with words for the numbers of steps. `places`: word -> the steps it is for."""

    original: str
    text: str
    places: dict[str, StepPlace] = field(default_factory=dict)

    def back(self, text: str) -> str:
        """A sentence or suggestion about `text`, about the text as typed."""
        if not any(word in text for word in self.places):
            return text
        return map_values(text, self._back)

    def _back(self, text: str) -> str:
        for word, place in self.places.items():
            text = text.replace(word, self.original[place.start : place.end])
        return text

    def error(self, error: QuerySyntaxError) -> QuerySyntaxError:
        """The same error, of the text as typed."""
        suggestion = error.suggestion and self._back(error.suggestion)
        return error.with_changes(
            self.back(error.reason),
            text=self.original,
            suggestion=suggestion,
            advice=self.back(error.advice),
        )

    def put_back(self, query: Query, syntax: str) -> Query:
        """The tree of `text` with references in place of the words. Raises QuerySyntaxError: one of
        them is in quotes, in a field or beside a sign for letters.
        """
        new = with_leaves(query, lambda leaf: self._leaf(leaf, syntax))
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
            raise self._place_error(found, message("a phrase or a sign for letters"), syntax)
        if leaf.field != "any" and syntax != "cnki":
            field_name = FIELD_WORDS.get(leaf.field, leaf.field)
            raise self._place_error(found, message("the field {field}", field=field_name), syntax)
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

    def _place_error(self, place: StepPlace, what: str, syntax: str) -> QuerySyntaxError:
        return misplaced_error(self.original, place.start, place.end, what, syntax)


def misplaced_error(text: str, start: int, end: int, what: str, syntax: str) -> QuerySyntaxError:
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
        for start_end in _places_of_steps(flat, _DOUBLE)
    )


def check_fields(text: str, syntax: str) -> None:
    """Check that no field stands directly at the number of a step, in any syntax. Raises
    QuerySyntaxError: one does.
    """
    flat = text.translate(FLAT)
    for start, end in _places_of_steps(flat, quotes_of(syntax)):
        after = flat[end : end + 1]
        if after in (".", "[", ":", "/") and flat[end + 1 : end + 2].isalpha():
            raise misplaced_error(text, start, end, message("a field"), syntax)
        if _FIELD_BEFORE.search(flat, max(0, start - 6), start):
            raise misplaced_error(text, start, end, message("a field"), syntax)
        if after and after in "*?" and syntax != "cnki":
            raise misplaced_error(text, start, end, message("a sign for letters"), syntax)


def with_sign(text: str, sign: str) -> str:
    """The text with another sign in place of `#` before the numbers of steps."""
    pieces = list(text)
    for start, _ in _places_of_steps(text.translate(FLAT), _DOUBLE):
        if pieces[start] in "#＃":
            pieces[start] = sign
    return "".join(pieces)


def check_taken(text: str, taken: Sequence[int], syntax: str) -> None:
    """Check that a reader that knows numbers of lines has taken each `#1` for one. Raises
    QuerySyntaxError: one is a word for it.
    """
    flat = text.translate(FLAT)
    for start, end in _places_of_steps(flat, quotes_of(syntax)):
        shown = flat[start:end]
        if shown[0] != "#":
            continue
        if "-" in shown or int(shown[1:]) not in taken:
            raise _unreadable(text, start, end, syntax)


def with_words(text: str, syntax: str) -> StepWords:
    """The text with words in place of the numbers of steps. `syntax`: "simple", "cql", "ccl" or
    "cnki". Raises QuerySyntaxError: a range is none, or a field stands at a number.
    """
    check_fields(text, syntax)
    flat = text.translate(FLAT)
    used = set(text)
    letters = (chr(code) for code in chain(*_LETTERS) if chr(code) not in used)
    fielded = list(_in_field(flat)) if syntax == "cnki" else []
    places: dict[str, StepPlace] = {}
    out, at = [], 0
    for start, end in _places_of_steps(flat, quotes_of(syntax)):
        if syntax == "cnki" and any(first < start < last for first, last in fielded):
            raise misplaced_error(text, start, end, message("a field"), syntax)
        letter = next(letters, None)
        _check_apart(text, flat, (start, end), syntax)
        if letter is None:
            raise QuerySyntaxError(
                message("The text names too many steps"), text=text, position=start, syntax=syntax
            )
        made = _steps(text, start, end, syntax)
        word = letter * (end - start)
        places[word] = StepPlace(start, end, *made)
        out += [text[at:start], word]
        at = end
    out.append(text[at:])
    new = "".join(out)
    if syntax == "simple":
        new = _with_capitals(new, places)
    return StepWords(text, new, places)


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


def _places_of_steps(flat: str, quotes: re.Pattern[str]) -> Iterator[tuple[int, int]]:
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


#: Syntaxes whose readers know numbers of lines.
_LINED = frozenset({*DATABASES, "pubmed"})
#: What is put beside a text that only narrows, to read it; as no step has this word in its text.
_BESIDE = {"simple": "({text}\n) {word}", "cnki": "({text}\n) AND {word}"}
_BESIDE_ELSE = "({text}\n) and {word}"


@dataclass(frozen=True, slots=True)
class StepText:
    """What a step says.

    Attributes:
        clause: Its trees; some of their leaves may be references. Nothing of it can be asked where
            there is no widest one.
        numbers: The steps that it names, each once.
        syntax: A key of `metasearch.query.SYNTAXES`; "" of a combination.
    """

    clause: Clause
    numbers: tuple[int, ...]
    syntax: str
    notes: tuple[str, ...]

    @property
    def query(self) -> Query | None:
        """What is looked for, at its widest."""
        return self.clause.widest


class _AnyLine(Mapping[int, EarlierLine]):
    """A line for every number: whether there is such a step is asked when all are known."""

    def __getitem__(self, number: int) -> EarlierLine:
        return EarlierLine(exact(reference(number)), 1)

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def get(self, number: int, default: object = None) -> EarlierLine:
        return self[number]


@lru_cache(maxsize=256)
def read_step(text: str, syntax: str = "auto") -> StepText:
    """Read the text of a step.

    `syntax`: one of `metasearch.query.CHOICES`. Raises QuerySyntaxError: it cannot be read; the
    place is that in the text of the error. Raises UsageError: there is no such syntax.
    """
    text = plain_characters(text)
    try:
        return _read_step(text, syntax)
    except QuerySyntaxError as error:
        raise _of_text(error, text, syntax) from None


def _of_text(error: QuerySyntaxError, text: str, syntax: str) -> QuerySyntaxError:
    """The error, of the text as typed, with its suggestion only where a step can say it."""
    suggestion = error.suggestion
    if suggestion is not None:
        try:
            _read_step(suggestion, syntax)
        except QuerySyntaxError:
            suggestion = None
    if suggestion == error.suggestion and error.text == text:
        return error
    return error.with_changes(
        text=text,
        suggestion=suggestion,
        advice=message("Correct this place.") if error.suggestion else error.advice,
    )


def _read_step(text: str, syntax: str) -> StepText:
    if syntax not in CHOICES:
        read(text, syntax)
    syntax = "cnki" if syntax == "expert" else syntax
    if has_numbers(text):  # a strategy of its own, with numbers of its own
        whole = read(text, syntax)
        return StepText(whole.clause, (), whole.syntax, whole.notes)
    combined = combination(text, syntax)
    if combined is not None:
        return StepText(exact(combined.query), numbers(combined.query), "", combined.notes)
    chosen = _syntax_of(text) if syntax == "auto" else syntax
    one = _in_lines(text, chosen) if chosen in _LINED else _with_words(text, chosen)
    if syntax == "auto" and chosen in DATABASES:
        note = message("recognised as the syntax {syntax}", syntax=chosen)
        one = replace(one, notes=(note, *one.notes))
    return one


def _syntax_of(text: str) -> str:
    """The syntax by the text's marks, such as the signs of Chinese databases at a step."""
    syntax = detect(text)
    return "cnki" if syntax == "simple" and expert_signs(text) else syntax


def _in_lines(text: str, syntax: str) -> StepText:
    """Read a text in a syntax that has numbers of lines."""
    make = line_reader(syntax)
    check_fields(text, syntax)
    # The sign of EBSCO is S.
    written = with_sign(text, "S") if syntax == "ebsco" else text

    def one(candidate: str) -> StepText:
        losses = SyntaxLosses()
        reader = make(candidate, _AnyLine(), losses)
        clause = reader.tree()
        named = (*numbers(clause.widest), *numbers(clause.narrowest), *sorted(reader.used))
        return StepText(clause, tuple(dict.fromkeys(named)), syntax, losses.sentences())

    whole = read_or_suggest(one, written)
    if syntax != "cochrane":
        check_taken(text, whole.numbers, syntax)
    return whole


def _with_words(text: str, syntax: str) -> StepText:
    """Read a text in a syntax without numbers of lines."""
    put = with_words(text, syntax)
    try:
        one = read(put.text, syntax)
    except QuerySyntaxError as error:
        narrowing = _limits_only(put.text, syntax)
        if narrowing is None:
            raise put.error(error) from None
        one = narrowing
    notes = tuple(map(put.back, one.notes))
    said = tuple(note for place in put.places.values() for note in place.notes)
    clause = one.clause
    widest = put.put_back(one.query, syntax)
    narrowest = clause.narrowest and put.put_back(clause.narrowest, syntax)
    clause = exact(widest) if clause.is_exact else Clause(widest, narrowest)
    return StepText(clause, numbers(widest), syntax, (*notes, *said))


def _limits_only(text: str, syntax: str) -> ReadQuery | None:
    """A text that names years, types or languages only, which a query of its own may not: it may
    narrow another step.
    """
    word = "metasearchsteps"
    if word in text:
        return None
    frame = _BESIDE.get(syntax, _BESIDE_ELSE)
    try:
        one = read(frame.format(text=text, word=word), syntax)
    except QuerySyntaxError:
        return None
    match one.query:
        case And((*rest, Term(text=last, field="any"))) if last == word and rest:
            query = rest[0] if len(rest) == 1 else And(tuple(rest))
            return replace(one, query=query, bounds=None)
    return None


# The same text with other numbers of steps: for copies in another order, and for lines whose
# numbers are taken. Places of numbers are found by their looks; that the new text says the same of
# the new numbers is then checked by reading it.

_LIST = r"#?[0-9]{1,4}(?:\s?[-,]\s?#?[0-9]{1,4})*"
_NUMBER = re.compile(
    rf"(?P<list>(?P<head>(?<!\w)(?:or|and)/\s?|\{{\s?(?:or|and)\s+)(?P<numbers>{_LIST})(?P<tail>\s?\}}|))"
    r"|(?P<range>(?P<sign>[#S])(?P<first>[0-9]{1,4})-[#S]?(?P<last>[0-9]{1,4})(?![A-Za-z0-9_]))"
    r"|(?P<before>(?:limit|from|dedup)\s+#?)(?P<after>[0-9]{1,4})(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_.#])(?P<mark>[#S]?)(?P<single>[0-9]{1,4})(?![A-Za-z0-9_])",
    re.IGNORECASE,
)


def renumber(text: str, syntax: str, numbers: Mapping[int, int]) -> str:
    """The text with other numbers.

    `syntax`: one of `metasearch.query.CHOICES`. `numbers`: old -> new; those inside a range that
    have no new one are left out of it. Raises QuerySyntaxError: the text cannot be read;
    UsageError: the numbers cannot be changed safely.
    """
    text = plain_characters(text)
    own = read_step(text, syntax)
    if all(numbers.get(number, number) == number for number in own.numbers):
        return text
    wanted = [
        bound and with_leaves(bound, lambda leaf: _renumber_leaf(leaf, numbers))
        for bound in (own.clause.widest, own.clause.narrowest)
    ]
    flat = text.translate(FLAT)
    hidden = [match.span() for match in quotes_of(own.syntax).finditer(flat)]
    out, at, next_quote = [], 0, 0
    for match in _NUMBER.finditer(flat):
        while next_quote < len(hidden) and hidden[next_quote][1] <= match.start():
            next_quote += 1
        if next_quote < len(hidden) and hidden[next_quote][0] < match.end():
            continue
        new = _replacement(match, own, flat, numbers)
        if new is not None:
            out += [text[at : match.start()], new]
            at = match.end()
    new_text = "".join(out) + text[at:]
    try:
        moved = read_step(new_text, syntax).clause
        if [moved.widest, moved.narrowest] == wanted:
            return new_text
    except QuerySyntaxError:
        pass
    raise UsageError(
        message("The numbers of steps in {text} cannot be changed safely", text=repr(text[:60])),
        advice=message("Write each number with # and blanks around it, as in #1 AND #2."),
    )


def _renumber_leaf(leaf: Query, numbers: Mapping[int, int]) -> Query | None:
    number = number_of(leaf)
    if number is None:
        return leaf
    return reference(numbers[number]) if number in numbers else None


def _replacement(
    match: re.Match[str], own: StepText, flat: str, numbers: Mapping[int, int]
) -> str | None:
    """What stands in the place of a match; None where it is no number of a step."""
    if match["list"]:
        sign = "#" if "#" in match["numbers"] else ""
        moved = [numbers[one] for one in _spread(match["numbers"]) if one in numbers]
        return f"{match['head']}{_list(moved, sign)}{match['tail']}"
    if match["range"]:
        if not own.syntax and match["sign"] in "Ss" and "S" not in flat.upper():
            return None
        named = range(int(match["first"]), int(match["last"]) + 1)
        moved = [numbers[one] for one in named if one in numbers]
        if len(moved) > 1 and moved == list(range(moved[0], moved[-1] + 1)):
            return f"{match['sign']}{moved[0]}-{match['sign']}{moved[-1]}"
        return f"or/{_list(moved, '')}"
    if match["before"]:
        number = int(match["after"])
        is_step = own.syntax == "ovid" and number in own.numbers and number in numbers
        return f"{match['before']}{numbers[number]}" if is_step else None
    number, mark = int(match["single"]), match["mark"]
    if number not in own.numbers or number not in numbers:
        return None
    bare = own.syntax == "ovid" and _is_operand(flat, *match.span())
    as_s = own.syntax in ("ebsco", "proquest")
    if not own.syntax or mark == "#" or (mark in ("S", "s") and as_s) or (not mark and bare):
        return f"{mark}{numbers[number]}"
    return None


_STEP_BEFORE = re.compile(r"(?:\A|[(]|\b(?:and|or|not))\s*\Z", re.IGNORECASE)
_AFTER = re.compile(r"\s*(?:\Z|[)]|(?:and|or|not)\b)", re.IGNORECASE)


def _is_operand(flat: str, start: int, end: int) -> bool:
    return bool(_STEP_BEFORE.search(flat, max(0, start - 24), start) and _AFTER.match(flat, end))


def _spread(listed: str) -> list[int]:
    numbers: dict[int, None] = {}
    for part in listed.replace("#", "").split(","):
        first, _, last = ("".join(piece.split()) for piece in part.partition("-"))
        numbers |= dict.fromkeys(range(int(first), int(last or first) + 1))
    return list(numbers)


def _list(numbers: Sequence[int], sign: str) -> str:
    """`1-3,7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(
        f"{sign}{run[0]}-{sign}{run[-1]}" if len(run) > 1 else f"{sign}{run[0]}" for run in runs
    )
