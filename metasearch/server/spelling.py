"""Words that a misspelt query may mean: those of titles that searches have found here, and a list
of English ones. Chinese is compared by its sound, since a wrong character mostly sounds like the
right one; what is typed in pinyin is found so, too.

All is in memory and bounded. A word of a title is offered once two works have it: one alone may be
a misprint, or tell what somebody else has looked for.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, product
from typing import Final

from metasearch.bib.chinese_names import readings
from metasearch.bib.word_list import word_list
from metasearch.query import Query, Term, to_text
from metasearch.query.tree import with_leaves
from metasearch.record import Record

#: Fields of a query whose words are those of titles.
_FIELDS: Final = frozenset({"any", "title", "abstract", "subject"})
#: Titles of one answer that are read, and characters of each.
_TITLES, _LONGEST = 50, 200
#: Letters of a word that is compared. Shorter ones are near to too many others.
_LEAST, _MOST = 4, 30
#: Words of a query that are compared; each takes some milliseconds.
_COMPARED = 8
#: Characters of a stretch of Chinese, and ways to read it aloud that are kept.
_STRETCH, _READINGS = range(2, 7), 8
_WORD = re.compile(r"[A-Za-z]+")
_HAN = re.compile("[\u4e00-\u9fff]{2,}")


class Spelling:
    """The words that are known here. `most_words`, `most_stretches`: of Latin letters, and of
    Chinese, that are remembered.
    """

    def __init__(self, most_words: int = 20_000, most_stretches: int = 60_000) -> None:
        self._most_words, self._most_stretches = most_words, most_stretches
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._by_sound: OrderedDict[str, str] = OrderedDict()
        self._stretches: OrderedDict[str, int] = OrderedDict()

    @property
    def size(self) -> int:
        """How many words and stretches of Chinese are remembered."""
        return len(self._counts) + len(self._stretches)

    def learn(self, records: Iterable[Record]) -> None:
        """Remembers the words of titles; those that came up longest ago are forgotten first."""
        for record in islice(records, _TITLES):
            title = (record.title or "")[:_LONGEST]
            for word in {word.lower() for word in _WORD.findall(title)}:
                _count(self._counts, word, self._most_words)
            for stretch in set(_stretches(title)):
                if _count(self._stretches, stretch, self._most_stretches) > 1:
                    self._keep_sounds(stretch)

    def correct(self, query: Query) -> Query | None:
        """The query with known words in place of unknown ones; None where nothing is to change."""
        left = _COMPARED

        def better(leaf: Query) -> Query:
            nonlocal left
            if not isinstance(leaf, Term) or leaf.field not in _FIELDS or leaf.truncated:
                return leaf
            words = leaf.text.split(" ")
            compared = [self._word(word) for word in words[:left]]
            text = " ".join([*compared, *words[left:]])
            left -= len(compared)
            return Term(text, leaf.field, leaf.phrase, heading=leaf.heading)

        corrected = self._from_pinyin(query) or with_leaves(query, better)
        return None if corrected is None or to_text(corrected) == to_text(query) else corrected

    def _word(self, word: str) -> str:
        if _HAN.search(word):
            return _HAN.sub(lambda run: self._run(run.group()), word[:_MOST]) + word[_MOST:]
        letters = word.lower()
        if not _LEAST <= len(letters) <= _MOST or not _WORD.fullmatch(letters):
            return word
        if letters in self._counts or letters in word_list(1).places:
            return word
        return self._nearest(letters) or word

    def _nearest(self, word: str) -> str | None:
        """The known word with the fewest changes; of several the one that keeps the most letters,
        because a letter is left out more often than another one is typed, then the usual one.
        """
        from rapidfuzz.distance import OSA, LCSseq
        from rapidfuzz.process import extract

        places = word_list(1).places
        known = [*places, *(each for each, count in self._counts.items() if count > 1)]
        allowed = 1 if len(word) < 6 else 2
        near = extract(word, known, scorer=OSA.distance, score_cutoff=allowed, limit=None)
        if not near:
            return None

        def price(found: tuple[str, float, int]) -> tuple[float, float, int, int, str]:
            other, changes, _ = found
            kept = LCSseq.similarity(word, other) - 2 * (other[0] != word[0])
            return changes, -kept, -self._counts.get(other, 0), places.get(other, 99), other

        return min(near, key=price)[0]

    def _run(self, run: str) -> str:
        """A run of Chinese with known stretches in place of those that sound alike."""
        for length in reversed(_STRETCH):
            for start in range(len(run) - length + 1):
                part = run[start : start + length]
                known = next(filter(None, map(self._by_sound.get, _sounds(part))), part)
                if part not in self._stretches and known != part:
                    return self._run(run[:start]) + known + self._run(run[start + length :])
        return run

    def _from_pinyin(self, query: Query) -> Query | None:
        """The Chinese words that are typed in pinyin; None for any other query."""
        if not isinstance(query, Term) or query.field not in _FIELDS:
            return None
        known = self._by_sound.get(query.text.replace(" ", "").replace("'", "").lower())
        return Term(known, query.field) if known else None

    def _keep_sounds(self, stretch: str) -> None:
        for sound in _sounds(stretch):
            self._by_sound[sound] = stretch
            self._by_sound.move_to_end(sound)
            if len(self._by_sound) > self._most_stretches:
                self._by_sound.popitem(last=False)


def _count(counts: OrderedDict[str, int], name: str, most: int) -> int:
    counts[name] = counts.get(name, 0) + 1
    counts.move_to_end(name)
    if len(counts) > most:
        counts.popitem(last=False)
    return counts.get(name, 0)


def _stretches(title: str) -> Iterator[str]:
    for run in _HAN.findall(title):
        for length in _STRETCH:
            for start in range(len(run) - length + 1):
                yield run[start : start + length]


# Titles of one search come again in the next ones, and each answer of the server is learnt from.
@lru_cache(maxsize=20_000)
def _sounds(stretch: str) -> tuple[str, ...]:
    """The ways to write a stretch in pinyin, without tones and blanks."""
    each = map(_syllables, stretch)
    return tuple(map("".join, islice(product(*each), _READINGS)))


@lru_cache(maxsize=8_000)
def _syllables(char: str) -> tuple[str, ...]:
    return tuple(sorted(readings(char)))
