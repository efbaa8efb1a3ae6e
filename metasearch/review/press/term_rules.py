"""Rules of terms: what stands there twice, what another term or line includes, forms that one stem
would find.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from metasearch.message import message
from metasearch.query.match import fold
from metasearch.query.places import PlacedTerm, Reference
from metasearch.query.tree import And, Near, Or, Term
from metasearch.query.tree import terms as terms_of
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.line_rules import last_line
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Level, levels, root
from metasearch.review.press.vocabulary import is_word

_WORD = re.compile(r"[^\W_]+")
#: Words of a phrase whose parts are compared with other terms.
_LONGEST = 8
#: Letters that forms of one stem have in common at least, and forms that make it worth a hint.
_STEM, _FORMS = 5, 3


def _alternatives(level: Level, operator: str) -> list[tuple[PlacedTerm, Level, int]]:
    """The terms that one operator joins, those in brackets with the same operator as well: each
    with the level in which it stands, and its place there.
    """
    found: list[tuple[PlacedTerm, Level, int]] = []
    waiting = [level]
    while waiting:
        one = waiting.pop()
        for at, operand in enumerate(one.operands):
            if isinstance(operand, PlacedTerm):
                found.append((operand, one, at))
            elif isinstance(operand, Level) and operand.operator == operator:
                waiting.append(operand)
    return sorted(found, key=lambda item: item[0].start)


def _outermost(line: ReviewLine) -> Iterator[tuple[Level, str]]:
    """The levels of one operator, AND or OR, that are in no level of the same."""
    found = levels(line)
    inner = {
        id(operand)
        for level in found
        for operand in level.operands
        if isinstance(operand, Level) and operand.operator == level.operator
    }
    for level in found:
        if level.operator in ("AND", "OR") and id(level) not in inner:
            yield level, level.operator


def _without(level: Level, at: int) -> Fix | None:
    """Takes one operand out, with the operator before it."""
    if at == 0 or at >= len(level.places):
        return None
    return Fix(level.places[at - 1][1], level.places[at][1], "")


def same_terms(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A term that stands twice among the same alternatives."""
    for line in strategy.lines:
        for level, operator in _outermost(line):
            known: set[object] = set()
            for term, inner, at in _alternatives(level, operator):
                if not is_word(term):
                    continue
                key = _likeness(term)
                if key in known:
                    yield Finding(
                        "same-term",
                        message("{term} stands there twice", term=term.typed[:80]),
                        term.start,
                        term.end,
                        line.number,
                        _without(inner, at),
                    )
                known.add(key)


def _likeness(term: PlacedTerm) -> object:
    """What two terms that are one have in common, whatever their case."""
    phrase = term.quoted and " " in term.text
    return _place(term), term.heading, fold(term.text), term.truncated, phrase


def _field(term: PlacedTerm) -> str:
    return re.sub(r"\W", " ", term.field.casefold()).strip()


# ---------------------------------------------------------------- what another one includes


class _Index:
    """Terms of one kind of field, by which is found what includes another: a word, a stem or a
    phrase of it.
    """

    def __init__(self) -> None:
        self.words: dict[tuple[object, str], set[int]] = {}
        self.stems: dict[tuple[object, str], set[int]] = {}

    def add(self, key: object, words: tuple[str, ...], *, stem: bool, owner: int) -> None:
        table = self.stems if stem else self.words
        table.setdefault((key, " ".join(words)), set()).add(owner)

    def owners(self, key: object, words: tuple[str, ...], *, stem: bool) -> Iterator[int]:
        """Who has a term that includes these words, whose last may be a stem."""
        if len(words) > _LONGEST:
            return
        for first in range(len(words)):
            for last in range(first + 1, len(words) + 1):
                text = " ".join(words[first:last])
                whole = not (stem and last == len(words))
                if whole:
                    yield from self.words.get((key, text), ())
                # A stem includes every word that begins so, and itself.
                least = len(text) - len(words[last - 1]) + 2
                for end in range(least, len(text) + 1):
                    yield from self.stems.get((key, text[:end]), ())


def _words(term: PlacedTerm) -> tuple[str, ...] | None:
    """The words of a term that is words alone, one after the other; None where it is not."""
    if not is_word(term) or term.heading or term.query is None:
        return None
    if any(sign in term.text for sign in "*?$#%"):
        return None
    ones = term.query.parts if isinstance(term.query, Or) else (term.query,)
    if not all(isinstance(one, Term) for one in ones):
        return None
    words = tuple(_WORD.findall(fold(term.text)))
    several = len(words) > 1 and not all(isinstance(one, Term) and one.phrase for one in ones)
    return None if several or not words else words


def _place(term: PlacedTerm) -> object:
    """Where a term is looked for: terms of one place can be compared."""
    ones = term.query.parts if isinstance(term.query, Or) else (term.query,)
    if isinstance(term.query, And | Near):
        ones = tuple(terms_of(term.query))
    return frozenset(one.field for one in ones if isinstance(one, Term)), _field(term)


def idle_terms(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Alternatives that another one includes: "sleep disorders" beside "sleep"; and of terms that
    must all be there, the wider.
    """
    for line in strategy.lines:
        for level, operator in _outermost(line):
            terms = _alternatives(level, operator)
            index = _Index()
            known: set[object] = set()
            for at, (term, _, _) in enumerate(terms):
                if (words := _words(term)) and _likeness(term) not in known:
                    known.add(_likeness(term))
                    index.add(_place(term), words, stem=term.truncated, owner=at)
            for at, (term, inner, place) in enumerate(terms):
                words = _words(term)
                if words is None:
                    continue
                wider = next(
                    (
                        terms[owner]
                        for owner in index.owners(_place(term), words, stem=term.truncated)
                        if owner != at and _likeness(terms[owner][0]) != _likeness(term)
                    ),
                    None,
                )
                if wider is None:
                    continue
                if operator == "AND":  # the wider of the two says nothing
                    narrow, (term, inner, place) = term, wider
                else:
                    narrow, term = term, wider[0]
                idle = narrow if operator == "OR" else term
                yield Finding(
                    "idle-term",
                    message(
                        "{narrow} is found by {wide} as well, so {idle} changes nothing here",
                        narrow=narrow.typed[:80],
                        wide=term.typed[:80],
                        idle=idle.typed[:80],
                    ),
                    idle.start,
                    idle.end,
                    line.number,
                    _without(inner, place),
                )


def idle_lines(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Lines that a combination names without effect: another line that it names includes them."""
    includes = _Inclusion(strategy)
    last = last_line(strategy)
    for line in strategy.lines:
        level = root(line)
        if not isinstance(level, Level) or level.operator not in ("AND", "OR"):
            continue
        named = {
            one.number: (strategy.by_number[one.number], one)
            for one in level.operands
            if isinstance(one, Reference)
            and one.number in strategy.by_number
            and strategy.by_number[one.number].at < line.at
        }
        if len(named) < 2 or len(named) > 200 or last is None:
            continue
        for number, other in includes.pairs([one for one, _ in named.values()]):
            # Of two lines of which one includes the other, OR needs the wider, AND the narrower.
            narrow, wide = strategy.by_number[number], strategy.by_number[other]
            idle, kept = (narrow, wide) if level.operator == "OR" else (wide, narrow)
            at_line = level.operator == "OR" and not idle.references
            place = named[idle.number or 0][1]
            yield Finding(
                "idle-line",
                message(
                    "Line {idle} changes nothing in line {number}: {operator} with line {kept} "
                    "finds the same without it",
                    idle=idle.number,
                    number=line.number,
                    operator=level.operator,
                    kept=kept.number,
                ),
                idle.start if at_line else place.start,
                idle.end if at_line else place.end,
                idle.number if at_line else line.number,
            )


_NONE: frozenset[int] = frozenset()


class _Inclusion:
    """Which lines hold all that others hold, by what their trees say."""

    def __init__(self, strategy: ReviewedStrategy) -> None:
        self.strategy = strategy
        #: Line -> those that OR makes part of it; and those that it is a part of by AND.
        self.holds: dict[int, frozenset[int]] = {}
        self.within: dict[int, frozenset[int]] = {}
        #: How much is looked at, so that hostile strategies take no longer than others.
        self.left = 600_000
        for line in strategy.lines:
            if line.number is not None and line.number not in self.holds:
                self._add(line.number, line)

    def _add(self, number: int, line: ReviewLine) -> None:
        level = root(line)
        holds, within = {number}, {number}
        operator = level.operator if isinstance(level, Level) else ""
        if isinstance(level, Level):
            named = [one.number for one in level.operands if isinstance(one, Reference)]
        else:
            named = [level.number] if isinstance(level, Reference) else []
        if isinstance(level, Level) and operator == "NOT":
            named = [one.number for one in level.operands[:1] if isinstance(one, Reference)]
        limits = not isinstance(level, Level)
        for one in named if self.left > 0 else ():
            if operator == "OR" or (limits and not line.terms):
                holds |= self.holds.get(one, frozenset())
            if operator in ("AND", "NOT") or limits:
                within |= self.within.get(one, frozenset())
        if not isinstance(level, Level) and level is None and len(line.references) == 1:
            within |= self.within.get(line.references[0].number, frozenset())
        self.left -= len(holds) + len(within)
        self.holds[number], self.within[number] = frozenset(holds), frozenset(within)

    def pairs(self, lines: list[ReviewLine]) -> Iterator[tuple[int, int]]:
        """(number of a line, number of another that holds all of it); each line once."""
        index = _Index()
        own: dict[int, list[PlacedTerm]] = {}
        for line in lines:
            if (terms := _all_alternatives(line)) and line.number is not None:
                own[line.number] = terms
                for term in terms:
                    if words := _words(term):
                        index.add(_place(term), words, stem=term.truncated, owner=line.number)
        told: set[int] = set()
        numbers = [line.number for line in lines if line.number is not None]
        for number, other in self._nested(numbers):
            if number not in told and other not in told:
                told.add(number)
                yield number, other
        for number in numbers:
            if number in told or number not in own:
                continue
            holders = _holders(own[number], index, number)
            if holder := next((one for one in sorted(holders) if one not in told), None):
                told.add(number)
                yield number, holder

    def _nested(self, numbers: list[int]) -> Iterator[tuple[int, int]]:
        """(number of a line, number of another that holds it), by what names what."""
        there = set(numbers)
        for number in numbers:
            holds, within = self.holds.get(number, _NONE), self.within.get(number, _NONE)
            self.left -= min(len(holds), len(there)) + min(len(within), len(there))
            if self.left < 0:
                return
            yield from ((inner, number) for inner in sorted(holds & there) if inner != number)
            yield from ((number, outer) for outer in sorted(within & there) if outer != number)


def _holders(terms: list[PlacedTerm], index: _Index, number: int) -> set[int]:
    """The lines that include every one of some terms."""
    common: Counter[int] = Counter()
    for term in terms:
        words = _words(term)
        if words is None:
            return set()
        common.update(set(index.owners(_place(term), words, stem=term.truncated)) - {number})
    return {owner for owner, times in common.items() if times == len(terms)}


def _all_alternatives(line: ReviewLine) -> list[PlacedTerm]:
    """The terms of a line that is one term, or alternatives of terms alone."""
    level = root(line)
    if isinstance(level, PlacedTerm):
        return [level]
    if not isinstance(level, Level) or level.operators != {"OR"} or line.references:
        return []
    found = [term for term, _, _ in _alternatives(level, "OR")]
    return found if len(found) == len(line.terms) else []


# ---------------------------------------------------------------- forms


def forms_of_one_stem(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Several words that begin alike, none of them with a sign for any letters."""
    for line in strategy.lines:
        for level, operator in _outermost(line):
            if operator != "OR":
                continue
            groups: dict[object, list[PlacedTerm]] = {}
            for term, _, _ in _alternatives(level, operator):
                words = _words(term)
                if words and not term.truncated and len(words[0]) > _STEM and words[0].isascii():
                    groups.setdefault((_place(term), words[0][:_STEM]), []).append(term)
            for terms in groups.values():
                firsts = sorted({(_words(term) or ("",))[0] for term in terms})
                if len(firsts) < _FORMS:
                    continue
                yield Finding(
                    "stem-for-forms",
                    message(
                        "{words} begin alike: {stem}* would find them and other forms",
                        words=", ".join(firsts[:6]),
                        stem=_beginning(firsts),
                    ),
                    terms[0].start,
                    terms[0].end,
                    line.number,
                )


def _beginning(words: list[str]) -> str:
    """What some sorted words have in common at their beginnings."""
    first, last = words[0], words[-1]
    same = (at for at, char in enumerate(first) if last[at : at + 1] != char)
    return first[: next(same, len(first))]


def terms_without_field(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """The first term that names no field, where the database then decides itself where to look."""
    if strategy.syntax not in _FIELDLESS:
        return
    for line in strategy.lines:
        for term in line.terms:
            if is_word(term) and not term.field and not term.heading:
                yield Finding(
                    "no-field",
                    message(
                        "{term} has no field: the database decides where to look, and may add "
                        "words; a report cannot say what was searched",
                        term=term.typed[:80],
                    ),
                    term.start,
                    term.end,
                    line.number,
                )
                return


_FIELDLESS = frozenset({"pubmed", "ebsco", "wos", "proquest", "ieee", "acm", "vhl"})


def capitals(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """The first word in capitals of a query without fields: it may be meant as typed."""
    if any(term.field or term.heading for line in strategy.lines for term in line.terms):
        return
    for line in strategy.lines:
        for term in line.terms:
            word = term.text
            plain = not term.quoted and len(word) > 1 and word.isascii() and word.isalpha()
            if plain and word.isupper():
                yield Finding(
                    "capitals",
                    message(
                        "Databases do not tell {word} from {lower}: capitals change nothing",
                        word=term.text[:40],
                        lower=term.text[:40].lower(),
                    ),
                    term.start,
                    term.end,
                    line.number,
                    Fix(term.start, term.end, term.typed.lower()),
                )
                return


RULES: tuple[Rule, ...] = (
    same_terms,
    idle_terms,
    idle_lines,
    forms_of_one_stem,
    terms_without_field,
    capitals,
)
