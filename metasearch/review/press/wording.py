"""The words of a strategy where they stand, and what its terms cover, for the rules on words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from metasearch.query.match import fold
from metasearch.query.places import PlacedTerm
from metasearch.query.tree import terms
from metasearch.review.press.findings import Fix
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.vocabulary import is_word

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
#: Fields of our own whose texts are words of a language.
_OF_WORDS = frozenset({"any", "title", "abstract", "subject"})
#: Fields of types of works, also of types that no field of ours has.
_TYPES = frozenset({"pt", "dt", "ptyp", "publication type", "pt,mp"})
#: Databases that look for words as they are typed, by their guides; the others find forms and
#: spellings of a word by themselves where it is neither quoted nor cut, or their guides do not say.
_LITERAL = frozenset({"ovid", "pubmed", "embase"})
#: Those of the others that look for what is quoted or cut as it is typed.
_LITERAL_QUOTED = frozenset({"wos", "proquest", "cochrane"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a term.

    Attributes:
        text: In small letters.
        typed: As typed.
        start: Where it begins in the text of the strategy.
        end: Where it ends.
        term: The term that it stands in.
        line: The line of that.
        cut: Whether a sign for any letters ends it.
        is_part: Whether a hyphen joins it to another word.
        is_first, is_last: Whether its term begins, or ends, with it.
    """

    text: str
    typed: str
    start: int
    end: int
    term: PlacedTerm
    line: ReviewLine
    cut: bool
    is_part: bool = False
    is_first: bool = False
    is_last: bool = False

    @property
    def is_alone(self) -> bool:
        """Whether its term has no other words."""
        return self.is_first and self.is_last

    @property
    def is_english(self) -> bool:
        """Whether it has letters from a to z alone."""
        return self.text.isascii() and self.text.isalpha()


@dataclass(slots=True)
class _Held:
    """What is looked for in a part of a strategy: whole words, beginnings, and terms as they are,
    with a star behind the last word where a sign is.
    """

    whole: Counter[str] = field(default_factory=Counter)
    stems: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def holds_stem(self, stem: str) -> bool:
        return any(stem[:end] in self.stems for end in range(1, min(len(stem), _LONGEST) + 1))


#: Letters of a beginning; the time is linear in a text of one word.
_LONGEST = 60
#: Words of a line that is a list by itself; the concept of a shorter one goes on in others.
_LIST = 4


class Wording:
    """The words of a strategy.

    Attributes:
        words: Those of its terms, headings too, from left to right.
        whole: Word -> how often it stands there whole, headings left out.
    """

    def __init__(self, strategy: ReviewedStrategy) -> None:
        self.strategy = strategy
        self.words: list[Word] = []
        self._all = _Held()
        self._lines: dict[int, _Held] = {}
        for line in strategy.lines:
            held = _Held()
            for term in line.terms:
                if is_word(term) and _is_of_words(term):
                    self._add(term, line, held)
            if len(held.whole) + len(held.stems) >= _LIST:
                self._lines[line.start] = held
            self._all.whole.update(held.whole)
            self._all.stems |= held.stems
            self._all.texts |= held.texts

    @cached_property
    def named(self) -> frozenset[str]:
        """Words of its headings that stand elsewhere or in another one, too, and any two words that
        follow one another, written in one.
        """
        of_headings = Counter(word.text for word in self.words if word.term.heading)
        twice = {word for word, times in of_headings.items() if times > 1 or word in self.whole}
        joined = {
            f"{one.text}{other.text}"
            for one, other in pairwise(self.words)
            if one.term is other.term and one.is_english and other.is_english and not one.cut
        }
        return frozenset(twice | joined)

    @property
    def whole(self) -> Counter[str]:
        return self._all.whole

    def _add(self, term: PlacedTerm, line: ReviewLine, held: _Held) -> None:
        words = list(_words(self.strategy.text, term, line))
        self.words += words
        if term.heading or not words:
            return
        held.texts.add(" ".join(word.text for word in words) + "*" * words[-1].cut)
        for word in words:
            if word.cut:
                held.stems.add(word.text)
            else:
                held.whole[word.text] += 1
        if _has_signs_inside(term) and term.query is not None:
            # tumo?r is tumor and tumour.
            for spelled in terms(term.query):
                *first, last = fold(spelled.text).split() or [""]
                held.whole.update(first)
                if spelled.truncated:
                    held.stems.add(last)
                else:
                    held.whole[last] += 1

    def held_beside(self, word: Word) -> _Held:
        """What is looked for beside a word: in its line, or in all where that is no list."""
        return self._lines.get(word.line.start, self._all)

    def holds(self, word: str, beside: Word | None = None) -> bool:
        """Whether a word is looked for, whole or by its beginning, in whatever term."""
        held = self._all if beside is None else self.held_beside(beside)
        return word in held.whole or held.holds_stem(word)

    def holds_text(self, text: str, beside: Word) -> bool:
        """Whether words that follow one another are looked for, the last perhaps by its
        beginning.
        """
        held = self.held_beside(beside)
        first = len(text) - len(text.split()[-1])
        return text in held.texts or any(
            f"{text[:end]}*" in held.texts
            for end in range(first + 1, min(len(text), first + _LONGEST) + 1)
        )

    def is_literal(self, word: Word) -> bool:
        """Whether the database looks for this very word alone."""
        syntax, term = self.strategy.syntax, word.term
        if syntax == "pubmed":  # without a tag it adds words, unless they are quoted or cut
            return bool(term.field) or term.quoted or word.cut
        return syntax in _LITERAL or (
            syntax in _LITERAL_QUOTED and (term.quoted or word.cut) and not term.heading
        )

    @cached_property
    def alternatives(self) -> frozenset[tuple[int, int]]:
        """Places of operands that OR alone joins to others in their bracket."""
        operators: dict[tuple[int, int, int], set[str]] = {}
        for line in self.strategy.lines:
            for join in line.joins:
                key = (line.start, join.brackets, join.group)
                operators.setdefault(key, set()).add(join.operator)
        return frozenset(
            operand
            for line in self.strategy.lines
            for join in line.joins
            if operators[line.start, join.brackets, join.group] == {"OR"}
            for operand in join.operands
        )

    @cached_property
    def left_operands(self) -> frozenset[tuple[int, int]]:
        """Places of what stands on the left of operators of proximity."""
        return frozenset(
            join.operands[0]
            for line in self.strategy.lines
            for join in line.joins
            if join.operator == "NEAR" and join.operands
        )

    @cached_property
    def _near(self) -> Sequence[tuple[int, int]]:
        """Places of what stands near other words, from left to right, none in another."""
        found: list[tuple[int, int]] = []
        for line in self.strategy.lines:
            near = (join for join in line.joins if join.operator == "NEAR")
            for start, end in sorted(operand for join in near for operand in join.operands):
                if not found or start >= found[-1][1]:
                    found.append((start, end))
                else:
                    found[-1] = (found[-1][0], max(found[-1][1], end))
        return found

    def is_near(self, word: Word) -> bool:
        """Whether others must stand near the word."""
        at = bisect_right(self._near, (word.start, len(self.strategy.text))) - 1
        return at >= 0 and word.end <= self._near[at][1]

    def with_others(self, word: Word, others: tuple[str, ...]) -> Fix:
        """A mend by which others are looked for in place of the word, too."""
        term = word.term
        begin, end = word.start - term.start, word.end - term.start
        made = [term.typed, *(term.typed[:begin] + one + term.typed[end:] for one in others)]
        joined = " OR ".join(made)
        if (term.start, term.end) not in self.alternatives:
            joined = f"({joined})"
        return Fix(term.start, term.end, joined)


@lru_cache(maxsize=1)
def wording_of(strategy: ReviewedStrategy) -> Wording:
    """The words of a strategy, of the last one again from memory: each rule asks for them."""
    return Wording(strategy)


def _is_of_words(term: PlacedTerm) -> bool:
    if term.field.strip(".:,").casefold() in _TYPES:
        return False
    named = next(iter(terms(term.query)), None) if term.query is not None else None
    return named is not None and named.field in _OF_WORDS


def _has_signs_inside(term: PlacedTerm) -> bool:
    return any(char in "?#$*" for char in term.text)


def _words(text: str, term: PlacedTerm, line: ReviewLine) -> Iterator[Word]:
    """Those of a term; none of those that have a sign for letters within."""
    begin = text.find(term.text, term.start, term.end)
    shown, begin = (term.text, begin) if begin >= 0 else (term.typed, term.start)
    last = len(shown.rstrip())
    bare = len(shown.rstrip("*$%:?#\"' "))
    for match in _TOKEN.finditer(shown):
        start, end = match.span()
        if shown[start - 1 : start] in tuple("?#$*") or shown[end : end + 1] in tuple("?#"):
            continue
        if shown[end : end + 1] in tuple("*$") and shown[end + 1 : end + 2].isalnum():
            continue
        cut = shown[end : end + 1] in tuple("*$%:") or (term.truncated and end == last)
        is_part = shown[start - 1 : start] in ("-", "‐") or shown[end : end + 1] in ("-", "‐")
        folded = fold(match[0]).strip()
        yield Word(
            folded,
            match[0],
            begin + start,
            begin + end,
            term,
            line,
            cut,
            is_part,
            is_first=not start,
            is_last=bare <= end,
        )
