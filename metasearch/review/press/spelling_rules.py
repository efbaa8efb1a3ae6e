"""Words that are misspelt: in no list, and one slip away from one word that is usual."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from metasearch.bib.normalise import has_han
from metasearch.bib.word_list import word_list
from metasearch.dedup.words import MEDICINES, PREFIXES
from metasearch.message import message
from metasearch.query.word_forms import MOST
from metasearch.review.press.english import (
    COMBINING,
    EnglishWords,
    english_words,
    one_edit_away,
)
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.reading import ReviewedStrategy
from metasearch.review.press.vocabulary import spelling_key
from metasearch.review.press.wording import Word, Wording, wording_of

#: Letters of a word that may be misspelt; shorter ones are abbreviations and names.
_LEAST, _LEAST_SURE = 5, 6
_LONGEST = 30
#: Prefixes of two letters before a whole word: "upregulated", "coinfection".
_SHORT_PREFIXES = frozenset("bi co re un up".split())
#: How many words begin with a capital in a strategy where it says nothing: four of five.
_MOST_OF, _ALL_OF = 5, 4
#: Letters of a word without the ending of a form.
_LEAST_STEM = 4
#: Letters behind a combining form.
_LEAST_BEHIND = 5
#: Letters of a word of which a rare one may be misspelt, or one that the strategy alone has.
_LONG = 8
#: The part of a line's words, from so many on, of which no more may be unknown in English.
_UNKNOWN, _FEW = 0.4, 4
#: Words of a strategy that no list has and that are looked up: the time is bounded.
_MOST = 500
#: Endings of Latin words and of names of substances: what differs in its last letter alone is
#: another word ("pectin", "malariae").
_ENDINGS = (
    "a", "ae", "i", "us", "um", "is", "in", "ins", "ase", "ases", "ose", "ol", "yl", "ane", "ene",
    "one", "ide", "ite", "ate", "ine", "ium", "on", "en", "ans", "ens", "es", "os", "as", "y", "e",
    "al", "ic", "ica", "icus", "ing", "ed", "er", "ers", "s",
)  # fmt: skip
#: Endings of forms of a word that is known itself; a second s is none: "matress".
_FORMS = re.compile(
    r"(?:(?<!s)s|es|ed|d|ing|ly|er|ers|ness|able|ability|al|ally|like|less|wise|ian|ians|ic|ist|ists)\Z"
)


def misspellings(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Words that are one slip away from a usual word, or from another one of the strategy."""
    return misspellings_beside(strategy, frozenset())


def misspellings_beside(
    strategy: ReviewedStrategy, names: AbstractSet[str], *, headings: bool = True
) -> Iterator[Finding]:
    """The same where a vocabulary is known. `names`: its words, in small letters. `headings`:
    whether words of headings are looked at, too.
    """
    wording = wording_of(strategy)
    spelling = _Spelling(wording, names)
    for word in wording.words:
        if (headings or not word.term.heading) and (found := spelling.of(word)):
            yield found


class _Spelling:
    """What is known of words, for one strategy; each word is looked up once."""

    def __init__(self, wording: Wording, names: AbstractSet[str]) -> None:
        self.wording = wording
        # Words that a heading of the strategy has, and those that it writes apart, "salt marsh".
        self.names = names | wording.named
        self.english: EnglishWords = english_words()
        self.of_titles, self.titles, _ = word_list(MOST)
        self.names_in_order = sorted(self.names)
        self.known: dict[tuple[str, bool], bool] = {}
        self.meant: dict[tuple[str, bool], tuple[str, bool] | None] = {}
        self.foreign = self._foreign_lines()
        self.mixed = self._is_of_many_languages()
        self.capitals = self._is_in_capitals()

    # ---------------------------------------------------------------- what is known

    def is_known(self, word: str, *, cut: bool = False) -> bool:
        key = (word, cut)
        if len(word) > _LONGEST:
            return False
        if key not in self.known:
            self.known[key] = self._begins_any(word) if cut else self._is_word(word)
        return self.known[key]

    def _has(self, word: str) -> bool:
        return self.english.has(word) or word in self.titles or word in self.names

    def _is_usual(self, word: str) -> bool:
        return (
            word in self.english.frequent
            or word in self.english.usual
            or word in self.titles
            or word in self.names
        )

    def _is_word(self, word: str, depth: int = 0) -> bool:
        if self._has(word) or COMBINING.fullmatch(word):
            return True
        if depth > 1 or len(word) < _LEAST:
            return False
        stem = _FORMS.sub("", word)
        if (
            stem != word
            and len(stem) >= _LEAST_STEM
            and any(self._is_usual(stem + end) for end in ("", "e", "y", "a", "um"))
        ):
            return True
        before = COMBINING.match(word)
        if before and len(word) - before.end() >= _LEAST_BEHIND:
            return self._is_word(word[before.end() :], depth + 1)
        if word[:2] in _SHORT_PREFIXES and self._is_usual(word[2:]):
            return True
        return any(
            self._is_word(word[at:], depth + 1)
            for at in range(3, len(word) - 4)
            if word[:at] in PREFIXES
        ) or any(
            word[:at] in self.english.frequent and word[at:] in self.english.frequent
            for at in range(5, len(word) - 4)
        )

    def _begins_any(self, stem: str) -> bool:
        if self._is_word(stem):
            return True
        bare = COMBINING.sub("", stem, count=1)
        bare = bare if len(bare) >= _LEAST_BEHIND else stem
        return any(
            part and (self._begins_usual(part) or self._begins_title(part)) for part in {stem, bare}
        ) or any(
            self.english.beginning(stem[at:])
            for at in range(3, len(stem) - 3)
            if stem[:at] in PREFIXES
        )

    def _foreign_lines(self) -> set[int]:
        """Lines that are hardly English, by their starts."""
        known: dict[int, list[bool]] = {}
        for word in self.wording.words:
            if len(word.text) >= _LEAST - 1 and not word.text.isdigit():
                is_known = word.is_english and (
                    self.is_known(word.text, cut=word.cut) or _is_medicine(word.text)
                )
                known.setdefault(word.line.start, []).append(is_known)
        every = [one for line in known.values() for one in line]
        lines = {
            start
            for start, words in known.items()
            if len(words) >= _FEW and words.count(False) > _UNKNOWN * len(words)
        }
        if len(every) >= _FEW and every.count(False) > _UNKNOWN * len(every):
            return set(known)
        return lines

    def _is_of_many_languages(self) -> bool:
        """Whether it has words with other letters than English ones, or its database such works."""
        return self.wording.strategy.syntax == "vhl" or any(
            not word.typed.isascii() and not has_han(word.text) for word in self.wording.words
        )

    def _is_in_capitals(self) -> bool:
        """Whether so many words begin with a capital that it says nothing."""
        words = [word for word in self.wording.words if not word.term.heading and word.is_english]
        return sum(not word.typed.islower() for word in words) * _MOST_OF > len(words) * _ALL_OF

    # ---------------------------------------------------------------- what is meant

    def of(self, word: Word) -> Finding | None:
        if not self._may_be_misspelt(word):
            return None
        key = (word.text, word.cut)
        if key not in self.meant:
            self.meant[key] = self._meant(word) if len(self.meant) < _MOST else None
        if (meant := self.meant[key]) is None:
            return None
        right, sure = meant
        if self.mixed and not self.wording.holds(right):
            return None  # it may be a word of another language
        if not sure and _differ_at_end(word.text, right) and (word.term.heading or word.cut):
            return None  # Acne Vulgaris, passivat*
        if not sure and len(word.text) < _LEAST_SURE and not self.wording.holds(right):
            return None
        # Whoever looks for both spellings knows what they do.
        held = self.wording.held_beside(word)
        beside = right in held.stems if word.cut else right in held.whole
        is_name = not word.typed.islower() and not word.typed.isupper()
        sure = sure and not (beside or word.term.heading or self.mixed or is_name)
        fix = None
        if "/" not in right:
            fix = Fix(word.start, word.end, _as_typed(right, word.typed))
        text = message(
            "{word} is in no list of words: is {right} meant?", word=word.typed, right=right
        )
        return Finding("misspelling", text, word.start, word.end, word.line.number, fix, sure=sure)

    def _may_be_misspelt(self, word: Word) -> bool:
        if not _LEAST <= len(word.text) <= _LONGEST or not word.is_english:
            return False
        if not word.typed.islower() and not self.capitals:
            return bool(word.term.heading) and not self.is_known(word.text, cut=word.cut)
        if word.line.start in self.foreign:
            return False
        return not self.is_known(word.text, cut=word.cut)

    def _meant(self, word: Word) -> tuple[str, bool] | None:
        """The word that is meant, and whether that is sure."""
        if _is_medicine(word.text):
            return None
        find = self._whole_stem if word.cut else self._whole_word
        if meant := find(word.text):
            return meant
        before = COMBINING.match(word.text)
        rest = word.text[before.end() :] if before else ""
        if before is None or len(rest) < _LEAST_SURE or (meant := find(rest)) is None:
            return None
        return f"{before[0]}{meant[0]}", meant[1] and "/" not in meant[0]

    def _whole_word(self, word: str) -> tuple[str, bool] | None:
        edits = one_edit_away(word)
        near = [one for one in edits if self._is_usual(one) and self._is_other(word, one)]
        for is_likely in (self.wording.holds, self.titles.__contains__, self._is_frequent, bool):
            chosen = [one for one in near if is_likely(one)]
            if len(chosen) == 1:
                return chosen[0], len(near) < 3 and self._is_slip(word, chosen[0])
            if chosen:
                return " / ".join(sorted(chosen)[:3]), False
        if len(word) < _LONG:
            return None
        # Of two words that no list has, the one that stands there less is the slip. Rare words have
        # neighbours that are no slips: sternotomy, stereotomy.
        times = self.wording.whole
        rare = [one for one in edits if one in self.english.known or times[one] > times[word]]
        rare = [one for one in rare if self._is_other(word, one)]
        if len(rare) != 1:
            return None
        return rare[0], times[rare[0]] > times[word] and self._is_slip(word, rare[0])

    def _is_frequent(self, word: str) -> bool:
        return word in self.english.frequent

    def _is_other(self, word: str, right: str) -> bool:
        """Whether the two are no spellings or forms of one word."""
        if spelling_key(word) == spelling_key(right):
            return False
        return not (word[:-1] == right or word[:-1] == right[:-1]) or not word.endswith(_ENDINGS)

    def _is_slip(self, word: str, right: str) -> bool:
        """Whether a slip is likelier than a word that no list has."""
        if len(max(word, right, key=len)) < _LEAST_SURE:
            return False
        at_end = _differ_at_end(word, right)
        at_start = word[1:] in (right, right[1:])
        frequent = self._is_frequent(right) or right in self.titles or self.wording.holds(right)
        return not at_end and not at_start and (frequent or len(word) >= _LONG)

    def _begins_title(self, stem: str) -> bool:
        return _begin(self.of_titles, stem) or _begin(self.names_in_order, stem)

    def _begins_frequent(self, stem: str) -> bool:
        return any(map(self._is_frequent, self.english.beginning(stem)))

    def _begins_usual(self, stem: str) -> bool:
        return _begin(self.english.ordered, stem)

    def _whole_stem(self, stem: str) -> tuple[str, bool] | None:
        """The same for the beginning of a word."""
        if len(stem) < _LEAST_SURE:
            return None
        begun = [
            one
            for one in one_edit_away(stem)
            if (_begin(_all_words(), one) or _begin(self.names_in_order, one))
            and not stem.startswith(one)
        ]
        for begins in (self._begins_title, self._begins_frequent, self._begins_usual):
            near = list(filter(begins, begun))
            # Of "preganc": "pregnanc", not "pregnan", from which another letter is missing.
            whole = [one for one in near if one[-1] == stem[-1]] or near
            if any(spelling_key(one) == spelling_key(stem) for one in whole):
                return None
            if len(whole) == 1:
                sure = begins != self._begins_usual and len(stem) > _LEAST_SURE
                return whole[0], sure and whole[0][:-1] != stem[:-1]
            if whole:
                return " / ".join(sorted(whole)[:3]), False
        return None


@cache
def _all_words() -> Sequence[str]:
    """All frequent and usual words, and those of titles, from a to z."""
    return sorted({*english_words().ordered, *word_list(MOST).words})


def _begin(ordered: Sequence[str], start: str) -> bool:
    """Whether one of words in order begins so."""
    at = bisect_left(ordered, start)
    return at < len(ordered) and ordered[at].startswith(start)


def _is_medicine(word: str) -> bool:
    return word.rstrip("s").endswith(MEDICINES)


def _differ_at_end(word: str, right: str) -> bool:
    return word[: len(right) - 1] == right[:-1] or word == right[:-1]


def _as_typed(right: str, typed: str) -> str:
    if typed.isupper():
        return right.upper()
    return right.capitalize() if typed[0].isupper() else right


RULES: tuple[Rule, ...] = (misspellings,)
