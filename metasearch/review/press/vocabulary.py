"""The words of terms and lines, as far as a review compares them: which are spellings of one word,
and which lines are about one concept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from metasearch.query.match import fold
from metasearch.query.places import PlacedTerm
from metasearch.query.tree import CODED_FIELDS, IDENTIFIERS, Term, Years, terms
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
#: Words that are in terms of any concept.
_COMMON = frozenset(
    "and or of the a an in on for to with by at from as non not disease diseases disorder "
    "disorders syndrome syndromes therapy treatment care health study studies human humans "
    "patient patients factor factors system systems use acute chronic".split()
)
#: Roots that name one thing in headings and in texts.
_ALIKE = {"neopl": "cance", "tumor": "cance", "tumou": "cance", "carci": "cance"}
#: Fields that hold values of a form or list.
_VALUES = CODED_FIELDS | IDENTIFIERS
#: Letters by which words of one concept are known.
_ROOT = 5
#: Words that one line has with those that it names.
_MOST = 3_000

#: British and American spellings of one word.
_SPELLINGS = (
    (re.compile(r"isation"), "ization"),
    (re.compile(r"is(?=e[ds]?\Z|ing\Z)"), "iz"),
    (re.compile(r"ys(?=e[ds]?\Z|ing\Z)"), "yz"),
    (re.compile(r"our(?=\Z|s|al|ed|ing|a)"), "or"),
    (re.compile(r"ae|oe"), "e"),
    (re.compile(r"tre\Z"), "ter"),
    (re.compile(r"ll(?=ed\Z|ing\Z)"), "l"),
)


@lru_cache(maxsize=20_000)
def spelling_key(text: str) -> str:
    """What spellings and forms of one word or phrase have in common: without hyphens and blanks,
    in American spelling, in the singular.
    """
    words = []
    for word in _WORD.findall(fold(text)):
        for pattern, instead in _SPELLINGS:
            word = pattern.sub(instead, word)
        if len(word) > 3:
            word = re.sub(r"(?<=[sxzh])es\Z|(?<=[^s])s\Z", "", re.sub(r"ies\Z", "y", word))
        words.append(word)
    return "".join(words)


@lru_cache(maxsize=20_000)
def roots(text: str) -> frozenset[str]:
    """The beginnings of its words that say what it is about; pairs of Chinese characters."""
    folded = fold(text)
    found = {
        _ALIKE.get(word[:_ROOT], word[:_ROOT])
        for word in _WORD.findall(folded)
        if word not in _COMMON and len(word) > 2 and not _HAN.search(word)
    }
    for run in _HAN.findall(folded):
        found |= {run[at : at + 2] for at in range(len(run) - 1)}
    return frozenset(found)


def is_word(term: PlacedTerm) -> bool:
    """Whether a term is words or a heading: no limit, number or what is ignored."""
    if term.field == "limit" or term.query is None or isinstance(term.query, Years):
        return False
    # Of alternatives, which are one text in several fields, the first stands for all.
    first = term.query if isinstance(term.query, Term) else next(terms(term.query), None)
    return first is not None and first.field not in _VALUES


def is_limit(term: PlacedTerm) -> bool:
    """Whether a term limits a search to years, types or languages, or by what is ignored."""
    if term.field == "limit" or term.query is None or isinstance(term.query, Years):
        return True
    return isinstance(term.query, Term) and term.query.field in CODED_FIELDS


class Vocabulary:
    """The roots of lines with all that they name, each line looked at once."""

    def __init__(self, strategy: ReviewedStrategy) -> None:
        self.strategy = strategy
        self._known: dict[int, frozenset[str]] = {}
        self._left = 200_000

    def of_line(self, line: ReviewLine) -> frozenset[str]:
        """Its roots and those of lines that it names, not more than a few thousand."""
        found: set[str] = set()
        waiting, seen = [line], {line.start}
        while waiting and len(found) < _MOST and self._left > 0:
            one = waiting.pop()
            own = self._known.get(one.start)
            if own is None:
                own = self._known[one.start] = roots_of(one.terms)
            found |= own
            self._left -= len(own) + len(one.references) + 1
            for named in self.named(one):
                if named.start not in seen:
                    seen.add(named.start)
                    waiting.append(named)
        return frozenset(found)

    def named(self, line: ReviewLine) -> Iterator[ReviewLine]:
        for one in line.references:
            named = self.strategy.by_number.get(one.number)
            if named is not None:
                yield named


def roots_of(terms_of_line: Iterable[PlacedTerm]) -> frozenset[str]:
    found: set[str] = set()
    for term in terms_of_line:
        if is_word(term):
            found |= roots(term.text)
    return frozenset(found)
