"""What the words of a hit, and its positions in the lists of the sources, are worth."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from metasearch.bib.normalise import CJK, has_cjk, with_blanks, words
from metasearch.late_pattern import late_pattern
from metasearch.query.match import matches
from metasearch.query.tree import CODED_FIELDS, Query, Term, terms
from metasearch.record import Record

# Work on a list that is done in steps: generators that yield after each stretch, so that a caller
# can do other work in between, and that return the result.

T = TypeVar("T")

#: Hits of a stretch: to merge and score so many takes about a millisecond.
STRETCH = 40


def stretches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items, `STRETCH` at a time."""
    return (items[start : start + STRETCH] for start in range(0, len(items), STRETCH))


def all_at_once(steps: Generator[None, None, T]) -> T:
    """The result of steps, which are taken one right after the other."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


# What the positions of a hit in the lists of the sources are worth. A hit scores n^0.25 times the
# sum of w / (5 + position) over the n sources that hold it. This is reciprocal rank fusion
# (Cormack, Clarke and Büttcher, SIGIR 2009) with three changes:
#
# - The constant is 5 and not 60, because sources here are cut to a few dozen records and none is
#   complete: a good first position is not outvoted by several middling ones.
# - n^0.25 rewards agreement beyond the sum, as CombMNZ does (Fox and Shaw, TREC-2, 1993), less
#   steeply.
# - w depends on how far the other sources agree with the first works of this source, which is the
#   idea of weighting systems by their mutual agreement (Wu and McClean, "Performance prediction of
#   data fusion for information retrieval", 2006), without scores or training.

#: Added to each position.
K = 5
#: Positions below this one add nothing: deep in a list, chance decides.
DEPTH = 100
#: A source's first works, by which its agreement with the others is measured.
FIRST = 10
#: With fewer sources than this every weight is 1: agreement of so few is chance.
LEAST_SOURCES = 5
#: Exponent of the number of sources that hold a hit.
AGREEMENT = 0.25


def best_positions(records: Sequence[Record]) -> dict[str, int]:
    """Source -> its best position for the hit that these records make, in the order of the names;
    from 1, at most DEPTH.
    """
    if len(records) == 1:  # as most hits have
        position = max(1, records[0].position)
        return {records[0].source: position} if position <= DEPTH else {}
    best: dict[str, int] = {}
    for record in records:
        position = max(1, record.position)
        if position <= DEPTH and position < best.get(record.source, DEPTH + 1):
            best[record.source] = position
    return dict(sorted(best.items())) if len(best) > 1 else best


def source_weights(hits: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """The weight of each source by its agreement with the others; 1.0 is the average.

    `hits`: for each hit, source -> position. Returns source -> weight from 0.5 upwards; empty where
    fewer than LEAST_SOURCES sources answered or no two of them agree.
    """
    sources = {source for positions in hits for source in positions}
    if len(sources) < LEAST_SOURCES:
        return {}
    gained: dict[str, list[float]] = {source: [] for source in sources}
    possible: dict[str, list[float]] = {source: [] for source in sources}
    for positions in hits:
        for source, position in positions.items():
            if position > FIRST:
                continue
            discount = 1 / math.log2(position + 1)
            others = [1 / (K + place) for name, place in positions.items() if name != source]
            gained[source].append(discount * math.fsum(others))
            possible[source].append(discount)
    # fsum, because its result does not depend on the order in which the hits arrived.
    shares = {
        source: math.fsum(gained[source]) / math.fsum(possible[source]) if gained[source] else 0.0
        for source in sources
    }
    mean = math.fsum(shares.values()) / len(shares)
    if not mean:
        return {}
    return {source: 0.5 + 0.5 * share / mean for source, share in shares.items()}


# What the words of a hit are worth for a query: BM25F, coverage of the title, neighbours.
# Statistics (how rare a word is, how long texts are) are those of the merged hits only, since
# nothing else is known of the databases. Sources: Robertson, Zaragoza and Taylor, "Simple BM25
# extension to multiple weighted fields" (CIKM 2004); the stems are those of Harman, "How effective
# is suffixing?" (JASIS 42, 1991), S-stemmer.

#: BM25F: saturation, length normalisation, weight of the title beside the abstract.
K1, B, TITLE_WEIGHT = 1.2, 0.5, 2.0
#: Pairs of neighbours that count at most.
MOST_PAIRS = 3
#: Read of a query and of a text at most, so that work is bounded.
MOST_WORDS, MOST_CHARACTERS = 64, 4_000

STOP_WORDS = frozenset(
    "a an and are as at be but by can do does for from has have how if in into is it its not of on "
    "or such that the their then there these they this to was were what which will with".split()
)
_CJK_RUN = late_pattern(f"{CJK.pattern}+")
#: Fields whose terms are words of a title or an abstract; terms in other fields hold or do not.
_TEXT_FIELDS = frozenset({"any", "title", "abstract", "subject"})

#: Forms of two neighbours of the query -> what a text holds where they stand together.
_Pairs = dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Word:
    """One word that is looked for.

    `forms`: how it can stand in a text, each with what bounds it: " wing ", " wings "; a pair of
    Chinese characters has no bounds. `core`: what all forms hold: a text without it is passed over
    quickly.
    """

    forms: tuple[str, ...]
    core: str


class WordCounts(NamedTuple):
    """How often the words occur in one record.

    Attributes:
        title, abstract: An occurrence count for each word, in the order of `QueryWords.words`.
        title_length, abstract_length: In words; 0 without an abstract.
        pairs: Neighbours of the query that stand together in the title or the abstract.
        fielded: For each term of another field whether the record agrees.
    """

    title: tuple[int, ...]
    abstract: tuple[int, ...]
    title_length: int
    abstract_length: int
    pairs: int
    fielded: tuple[bool, ...]


class Score(NamedTuple):
    """What the words of one hit are worth beside those of the other hits.

    Attributes:
        bm25: 0 to 1: BM25F divided by the best of the list.
        coverage: 0 to 1: share of the query's words that the title holds, rare words counting more.
        pairs: 0 to MOST_PAIRS.
        held, wanted: Words and fielded terms that the title or the fields hold, and all of them.
    """

    bm25: float
    coverage: float
    pairs: int
    held: int
    wanted: int


class QueryWords:
    """The words of a query, ready to be counted in many records."""

    def __init__(self, query: Query | None) -> None:
        wanted: dict[tuple[str, ...], None] = {}
        pairs: _Pairs = {}
        self.fielded: tuple[Term, ...] = ()
        if query is not None:
            asked = list(terms(query))
            self.fielded = tuple(
                dict.fromkeys(
                    term
                    for term in asked
                    if term.field not in _TEXT_FIELDS and term.field not in CODED_FIELDS
                )
            )[:MOST_WORDS]
            for term in asked:
                if term.field in _TEXT_FIELDS:
                    _read(term, wanted, pairs)
        self.words = tuple(Word(forms, _core(forms)) for forms in wanted)[:MOST_WORDS]
        places = {word.forms: place for place, word in enumerate(self.words)}
        self._pairs = tuple(
            (places[before], places[after], forms)
            for (before, after), forms in pairs.items()
            if before in places and after in places
        )[:MOST_WORDS]
        self._cjk = any(not form.startswith(" ") for word in self.words for form in word.forms)

    def __bool__(self) -> bool:
        return bool(self.words or self.fielded)

    def count(self, record: Record) -> WordCounts:
        """Count the words in a record; linear in its title and abstract."""
        title = record.title
        if record.subtitle:
            title = f"{title} {record.subtitle}"
        title_text, title_length = self._text(title)
        abstract_text, abstract_length = self._text(record.abstract) if record.abstract else ("", 0)
        in_title = self._occurrences(title_text)
        in_abstract = self._occurrences(abstract_text) if abstract_text else ()
        return WordCounts(
            in_title,
            in_abstract,
            title_length,
            abstract_length,
            self._neighbours(title_text, in_title, abstract_text, in_abstract),
            tuple([matches(term, record) is True for term in self.fielded]),
        )

    def score_in_steps(self, counts: Sequence[WordCounts]) -> Generator[None, None, list[Score]]:
        """The score of each record, whatever their order; yields after each stretch."""
        if not counts:
            return []
        rarity = self._rarity(counts)
        rarest = math.fsum(rarity)
        title_mean = sum(each.title_length for each in counts) / len(counts) or 1.0
        abstracts = [each.abstract_length for each in counts if each.abstract_length]
        abstract_mean = sum(abstracts) / len(abstracts) if abstracts else 1.0
        plain = len(self.words)
        nowhere = (0,) * plain
        scored: list[tuple[float, float, int, int]] = []
        best = 0.0
        yield
        for some in stretches(counts):
            for each in some:
                title_norm = TITLE_WEIGHT / (1 - B + B * each.title_length / title_mean)
                abstract_norm = 1 / (1 - B + B * each.abstract_length / abstract_mean)
                bm25 = covered = 0.0
                held = 0
                found = zip(rarity, each.title, each.abstract or nowhere, strict=False)
                for rare, in_title, in_abstract in found:
                    if in_title or in_abstract:
                        frequency = in_title * title_norm + in_abstract * abstract_norm
                        bm25 += rare * frequency / (K1 + frequency)
                    if in_title:
                        covered += rare
                        held += 1
                for index, agrees in enumerate(each.fielded, plain):
                    if agrees:
                        bm25 += rarity[index] * TITLE_WEIGHT / (K1 + TITLE_WEIGHT)
                        covered += rarity[index]
                        held += 1
                best = max(best, bm25)
                scored.append((bm25, covered / rarest if rarest else 0.0, each.pairs, held))
            yield
        wanted = plain + len(self.fielded)
        return [
            Score(bm25 / best if best else 0.0, coverage, pairs, held, wanted)
            for bm25, coverage, pairs, held in scored
        ]

    def _rarity(self, counts: Sequence[WordCounts]) -> list[float]:
        """Inverse document frequency of each word and fielded term, among these records."""
        holding = [0] * (len(self.words) + len(self.fielded))
        plain = len(self.words)
        for each in counts:
            for index in range(plain):
                if each.title[index] or (each.abstract and each.abstract[index]):
                    holding[index] += 1
            for index, agrees in enumerate(each.fielded, plain):
                holding[index] += agrees
        total = len(counts)
        return [math.log1p((total - count + 0.5) / (count + 0.5)) for count in holding]

    def _text(self, value: str) -> tuple[str, int]:
        """Folded, a blank before and after each word; and its length in words."""
        value = value[:MOST_CHARACTERS]
        if value.isascii() or not self._cjk:
            text = f" {with_blanks(value)} "
            return text, text.count(" ") - 1
        folded = f" {with_blanks(value)} "
        # A run of Chinese has no blanks: each character counts as a word.
        characters = sum(len(run) for run in _CJK_RUN.findall(folded))
        return folded, folded.count(" ") - 1 + characters

    def _occurrences(self, text: str) -> tuple[int, ...]:
        return tuple(
            [sum(map(text.count, word.forms)) if word.core in text else 0 for word in self.words]
        )

    def _neighbours(
        self, title: str, in_title: tuple[int, ...], abstract: str, in_abstract: tuple[int, ...]
    ) -> int:
        """How many pairs stand together in the title or the abstract; at most MOST_PAIRS."""
        found = 0
        for before, after, forms in self._pairs:
            if _stand_together(before, after, forms, title, in_title) or (
                in_abstract and _stand_together(before, after, forms, abstract, in_abstract)
            ):
                found += 1
                if found == MOST_PAIRS:
                    break
        return found


def _stand_together(
    before: int, after: int, forms: tuple[str, ...], text: str, occurrences: tuple[int, ...]
) -> bool:
    """Whether a pair of words, given by their numbers, stands together in a text."""
    return bool(occurrences[before] and occurrences[after] and any(map(text.__contains__, forms)))


def _read(term: Term, wanted: dict[tuple[str, ...], None], pairs: _Pairs) -> None:
    """Add the words of a term, and which of them are neighbours."""
    before: tuple[str, ...] = ()
    between = ""
    listed = words(term.text)[: 2 * MOST_WORDS]
    # "to be or not to be" is looked for as it is.
    kept = [word for word in listed if word not in STOP_WORDS] or listed
    for token in listed:
        if token not in kept:
            between += f"{token} "
            continue
        if has_cjk(token):
            for run in _CJK_RUN.findall(token):
                _read_cjk(run, wanted, pairs)
            before, between = (), ""
            continue
        forms = (f" {token}",) if term.truncated else tuple(f" {form} " for form in _forms(token))
        wanted.setdefault(forms)
        if before and not term.truncated:
            pairs.setdefault((before, forms), tuple(_combinations(before, between, forms)))
        before, between = forms, ""


def _read_cjk(run: str, wanted: dict[tuple[str, ...], None], pairs: _Pairs) -> None:
    """Overlapping pairs of characters; two of them are neighbours where all three stand so."""
    for first in range(max(1, len(run) - 1)):
        wanted.setdefault((run[first : first + 2],))
    for first in range(len(run) - 2):
        before, after = run[first : first + 2], run[first + 1 : first + 3]
        pairs.setdefault(((before,), (after,)), (before + after[1],))


def _core(forms: tuple[str, ...]) -> str:
    """The beginning that all forms of a word have in common, without blanks."""
    shortest, longest = min(forms, key=len).strip(), max(forms, key=len).strip()
    return shortest if longest.startswith(shortest) else shortest[:-1]


def _combinations(before: Iterable[str], between: str, after: Iterable[str]) -> Iterator[str]:
    for first in before:
        for second in after:
            yield first + second.lstrip(" ")
            if between:
                yield first + between + second.lstrip(" ")


def _forms(word: str) -> tuple[str, ...]:
    """The forms of a word in English, singular and plural."""
    stem = _stem(word)
    if stem.endswith("y") and len(stem) > 2 and stem[-2] not in "aeiou":
        return stem, stem[:-1] + "ies"
    return tuple(dict.fromkeys((word, stem, stem + "s")))


def _stem(word: str) -> str:
    """The S-stemmer: plural to singular."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("us", "ss", "is")):
        return word[:-1]
    return word
