"""One order for all hits, with reasons whose points add up to the score.

A hit scores for its positions in the lists of the sources (`positions`) and, with `words`, for the
words of the query in its title and abstract (`words`). The weight of the words was tuned on no
single collection: `benchmarks/ranking.py` prints what it does on several.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from metasearch.engine.facets import RankMode
from metasearch.engine.scores import (
    AGREEMENT,
    MOST_PAIRS,
    K,
    QueryWords,
    Score,
    WordCounts,
    all_at_once,
    best_positions,
    source_weights,
    stretches,
)
from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed
from metasearch.message import N_, message
from metasearch.query.tree import Query, terms
from metasearch.record import Hit, Reason, Record, new_hit, new_reason

# Why a hit stands where it stands: the texts of reasons. Each hit has several; those that many hits
# share are made once.

RANKS = N_("{source} ranks it {position}")
AGREE = N_("{number} sources agree")
NEAREST = message("its meaning is near the query, nearest of all")
NEAR = N_("its meaning is near the query ({share} of the nearest)")
FITS_BEST = message("its words fit the query best")
FITS = N_("its words fit the query {share} as well as the best hit's")
ONE_PAIR = message("two words of the query stand together")
PAIRS = N_("{number} pairs of words of the query stand together")
THE_WORD_IN_TITLE = message("the word in the title")
ALL_WORDS_IN_TITLE = message("all words in the title")
WORDS_IN_TITLE = N_("{held} of {wanted} words in the title")
THE_FIELD_AGREES = message("the field agrees")
ALL_WORDS_AND_FIELDS_AGREE = message("all words and fields agree")
ALL_FIELDS_AGREE = message("all fields agree")
WORDS_AND_FIELDS_AGREE = N_("{held} of {wanted} words and fields agree")
FIELDS_AGREE = N_("{held} of {wanted} fields agree")

#: The words of a hit are worth a first position for each of these parts, where eight sources
#: answered: with more sources the positions of a hit add up to more, and so must its words.
BM25_PART, COVERAGE_PART, PAIRS_PART = 2.0, 1.0, 0.5
#: What the nearest meaning is worth beside them, where `rerank` compares meanings.
MEANING_PART = 4.0
SOURCES_OF_ONE_POSITION = 8
FIRST_POSITION = 1 / (K + 1)


def rank(
    hits: Iterable[Hit],
    query: Query | None = None,
    weights: Mapping[str, float] | None = None,
    mode: RankMode = "words",
) -> list[Hit]:
    """The hits in order, best first, with `rank`, `score` and `reasons` set.

    The order is total and does not depend on the order of `hits`: equal scores are ordered by the
    number of sources, year (newest first), title, and id. `weights`: weight of each source, 1.0
    where it is not named.
    """
    return Ranking(query, weights, mode).rank(hits)


class _HitFacts(NamedTuple):
    """What is known of a hit without the others.

    Attributes:
        positions: Source -> its best position, in the order of the names.
        counts: How often the words occur; None where they do not count.
        ties: The order of hits of equal score.
    """

    hit: Hit
    positions: dict[str, int]
    counts: WordCounts | None
    ties: tuple[int, int, str, str]


class _HitScore(NamedTuple):
    """A hit with its score beside the others, ready to be sorted.

    Attributes:
        votes: Points of each source, and for their agreement where there are several.
        score: What its words are worth; None where they do not count.
        of_words: Points for coverage, BM25F and pairs; 0 where a part does not count.
        near: How near its meaning is to the query, 0 to 1.
    """

    order: tuple[float, int, int, str, str]
    known: _HitFacts
    votes: list[float]
    score: Score | None
    of_words: tuple[float, float, float]
    near: float
    of_meaning: float


class Ranking:
    """`rank` for hits that grow: the words of a hit that has not changed are counted once. `query`:
    what was asked. `weights`: weight of each source, 1.0 where it is not named.
    """

    def __init__(
        self,
        query: Query | None = None,
        weights: Mapping[str, float] | None = None,
        mode: RankMode = "words",
    ) -> None:
        self._words = QueryWords(query if mode == "words" else None)
        self._has_words = bool(self._words)
        self._folded_votes = mode == "positions"
        self._weights = weights or {}
        self._prepared: dict[str, _HitFacts] = {}
        self._nearness: dict[str, float] = {}
        #: (words held, words wanted) -> how that is said.
        self._covering: dict[tuple[int, int], str] = {}

    def prepare(self, hits: Iterable[Hit]) -> int:
        """Count the words of hits ahead of `ranked`; returns how many hits there were."""
        return len([self._prepare_hit(hit) for hit in hits])

    def add_nearness(self, nearness: Mapping[str, float]) -> None:
        """Have hits score for their meaning, too. `nearness`: id of a hit -> 0 to 1, from
        `nearness`; other hits score nothing for it.
        """
        self._nearness.update(nearness)

    def rank(self, hits: Iterable[Hit], among: Iterable[Hit] | None = None) -> list[Hit]:
        """The hits in order, with `rank`, `score` and `reasons` set.

        `among`: all hits of the list, where `hits` are a part of it: how far sources agree and how
        rare words are is measured among them.
        """
        return all_at_once(self.rank_in_steps(hits, among))

    def rank_in_steps(
        self, hits: Iterable[Hit], among: Iterable[Hit] | None = None
    ) -> Generator[None, None, list[Hit]]:
        """As `ranked`; yields after each stretch of computing."""
        ordered = yield from self._order_in_steps(hits, among)
        ranked: list[Hit] = []
        for some in stretches(ordered):
            ranked += [self._hit_of(scored, len(ranked) + n) for n, scored in enumerate(some, 1)]
            yield
        return ranked

    def ids(self, hits: Iterable[Hit], among: Iterable[Hit] | None = None) -> list[str]:
        """Their ids, in order; arguments as in `ranked`."""
        return [scored.known.hit.id for scored in all_at_once(self._order_in_steps(hits, among))]

    def _hit_of(self, scored: _HitScore, rank: int) -> Hit:
        hit = scored.known.hit
        return new_hit(
            hit.id,
            hit.record,
            hit.records,
            hit.provenance,
            hit.matches,
            hit.versions,
            -scored.order[0] or 0.0,
            rank,
            tuple(self._reasons(scored)),
            hit.also,
        )

    def _prepare_hit(self, hit: Hit) -> _HitFacts:
        known = self._prepared.get(hit.id)
        if known is None or known.hit is not hit:
            known = self._prepared[hit.id] = _HitFacts(
                hit,
                best_positions(hit.records),
                self._words.count(hit.record) if self._has_words else None,
                _ties(hit),
            )
        return known

    def _order_in_steps(
        self, hits: Iterable[Hit], among: Iterable[Hit] | None
    ) -> Generator[None, None, list[_HitScore]]:
        """The hits with their scores, best first; yields after each stretch."""
        wanted = [self._prepare_hit(hit) for hit in hits]
        known = wanted if among is None else [self._prepare_hit(hit) for hit in among]
        agreement = source_weights([each.positions for each in known])
        answered = len({source for each in known for source in each.positions})
        worth = _Worth(math.sqrt(answered / SOURCES_OF_ONE_POSITION) * FIRST_POSITION)
        yield
        scores: dict[str, Score] = {}
        if self._has_words:
            counts = [each.counts for each in known if each.counts is not None]
            ids = [each.hit.id for each in known]
            scores = dict(zip(ids, (yield from self._words.score_in_steps(counts)), strict=True))
        scored: list[_HitScore] = []
        for some in stretches(wanted):
            scored += [
                self._score_hit(each, scores.get(each.hit.id), agreement, worth) for each in some
            ]
            yield
        scored.sort(key=itemgetter(0))
        return scored

    def _score_hit(
        self, known: _HitFacts, score: Score | None, agreement: Mapping[str, float], worth: _Worth
    ) -> _HitScore:
        votes = self._votes(known.positions, agreement)
        of_words = (0.0, 0.0, 0.0) if score is None else worth.of_words(score)
        near = self._nearness.get(known.hit.id, 0.0) if self._nearness else 0.0
        of_meaning = round(worth.unit * MEANING_PART * near, 9) if near else 0.0
        points = round(math.fsum((*votes, *of_words, of_meaning)), 9)
        order = (-points, *known.ties)
        return _HitScore(order, known, votes, score, of_words, near, of_meaning)

    def _votes(self, positions: Mapping[str, int], agreement: Mapping[str, float]) -> list[float]:
        """The points of each source, and at the end those of their agreement."""
        factor = len(positions) ** AGREEMENT
        first = factor if self._folded_votes else 1.0
        weights = self._weights
        points = [
            round(first * weights.get(source, 1.0) * agreement.get(source, 1.0) / (K + position), 9)
            for source, position in positions.items()
        ]
        if len(points) > 1 and not self._folded_votes:
            points.append(round((factor - 1) * math.fsum(points), 9))
        return points

    def _reasons(self, scored: _HitScore) -> list[Reason]:
        positions, votes = scored.known.positions, scored.votes
        found = [
            new_reason(_ranks(source, position), points, source)
            for (source, position), points in zip(positions.items(), votes, strict=False)
        ]
        if len(votes) > len(positions):
            found.append(new_reason(message(AGREE, number=len(positions)), votes[-1]))
        if scored.score is not None:
            self._add_reasons_of_words(found, scored.score, scored.of_words)
        if scored.near:
            share = f"{scored.near:.0%}"
            near = NEAREST if scored.near == 1 else message(NEAR, share=share)
            found.append(new_reason(near, scored.of_meaning))
        return found

    def _add_reasons_of_words(
        self, found: list[Reason], score: Score, points: tuple[float, float, float]
    ) -> None:
        coverage, bm25, pairs = points
        if score.held:
            words = score.held, score.wanted
            if words not in self._covering:
                self._covering[words] = self._coverage(score)
            found.append(new_reason(self._covering[words], coverage))
        if score.bm25:
            text = FITS_BEST if score.bm25 == 1 else _fits(f"{score.bm25:.0%}")
            found.append(new_reason(text, bm25))
        if score.pairs:
            text = ONE_PAIR if score.pairs == 1 else message(PAIRS, number=score.pairs)
            found.append(new_reason(text, pairs))

    def _coverage(self, score: Score) -> str:
        """How much of the query the title and the fields hold, in words."""
        held, wanted = score.held, score.wanted
        if not self._words.fielded:
            if held < wanted:
                return message(WORDS_IN_TITLE, held=held, wanted=wanted)
            return THE_WORD_IN_TITLE if wanted == 1 else ALL_WORDS_IN_TITLE
        words = bool(self._words.words)
        if held < wanted:
            some = WORDS_AND_FIELDS_AGREE if words else FIELDS_AGREE
            return message(some, held=held, wanted=wanted)
        if wanted == 1:
            return THE_FIELD_AGREES
        return ALL_WORDS_AND_FIELDS_AGREE if words else ALL_FIELDS_AGREE


@lru_cache(maxsize=2_000)
def _ranks(source: str, position: int) -> str:
    return message(RANKS, source=source, position=position)


@lru_cache(maxsize=100)
def _fits(share: str) -> str:
    return message(FITS, share=share)


def _ties(hit: Hit) -> tuple[int, int, str, str]:
    """The order of hits of equal score: more sources, later years, title, id."""
    record = hit.record
    sources = 1 if len(hit.records) == 1 else len({each.source for each in hit.records})
    return (-sources, -(record.year or 0), record.title.casefold(), hit.id)


class _Worth:
    """What the words of a hit are worth, where a first position is worth `unit`.

    To round a number takes a microsecond, and a list has few different coverages and pairs: each
    is rounded once.
    """

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self._covering: dict[float, float] = {}
        self._in_pairs: dict[int, float] = {0: 0.0}

    def of_words(self, score: Score) -> tuple[float, float, float]:
        """Points for coverage, BM25F and pairs."""
        bm25, coverage, pairs, held, _ = score
        unit = self.unit
        covering, in_pairs = self._covering.get(coverage), self._in_pairs.get(pairs)
        if covering is None:
            covering = self._covering[coverage] = round(unit * COVERAGE_PART * coverage, 9)
        if in_pairs is None:
            in_pairs = round(unit * PAIRS_PART * min(pairs, MOST_PAIRS) / MOST_PAIRS, 9)
            self._in_pairs[pairs] = in_pairs
        return (
            covering if held else 0.0,
            round(unit * BM25_PART * bm25, 9) if bm25 else 0.0,
            in_pairs,
        )


# How near the meaning of a hit is to the meaning of the query: the extra `rerank`. WordLlama holds
# a vector for each of 32,000 pieces of words; the mean of the vectors of a text is its meaning, and
# two texts are near where their means have a small angle. The package ships the vectors, so nothing
# is downloaded. Only its two files are read: its code is not imported, because on import it
# configures the logging of the process, and it downloads where it misses a file. Measured against
# other packages: docs/decisions/0032-reranker.md.

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

#: Hits whose meaning is compared, of those that are ranked at once.
MOST_HITS = 100
#: Characters of a query, a title and an abstract that are read, and pieces of words of a text.
MOST_QUERY, MOST_TITLE, MOST_ABSTRACT, MOST_PIECES = 1_000, 500, 1_500, 512
#: Fields whose terms have a meaning.
_FIELDS = frozenset({"any", "title", "abstract", "subject"})

#: What the extra installs.
PACKAGES = ("wordllama", "safetensors", "tokenizers")
_VECTORS = "weights/l2_supercat_256.safetensors"
_PIECES = "tokenizers/l2_supercat_tokenizer_config.json"

#: Texts -> a row of length 1 for each; a row of zeros for a text without a known piece.
Embed = Callable[[Sequence[str]], "Vectors"]


def check() -> None:
    """Make sure, before a source is asked, that the extra is installed. Raises UsageError: it is
    not, or its files have moved.
    """
    missing = [name for name in PACKAGES if not is_installed(name)]
    if not missing and all((_folder() / name).is_file() for name in (_VECTORS, _PIECES)):
        return
    what = message("another release of wordllama: the files of this one have moved")
    if missing:
        what = message("what is not installed: {names}", names=", ".join(missing))
    raise UsageError(message("rerank needs {what}", what=what), advice=how_to_install("rerank"))


def nearness(query: Query, hits: Sequence[Hit], embed: Embed | None = None) -> dict[str, float]:
    """How near each hit is to the query: 0 for the farthest of them, 1 for the nearest.

    It does not depend on the order of the hits; a hit takes less than half a millisecond of CPU.
    `hits`: at most `MOST_HITS` are meant. `embed`: None for the vectors of WordLlama, which are
    read once a process. Returns id of a hit -> nearness; {} where the query has no words, or all
    hits are equally near.
    """
    asked = _query_text(query)
    if not asked or not hits:
        return {}
    rows = (embed or _wordllama())([asked, *(_text(hit.record) for hit in hits)])
    # Not `rows[1:] @ rows[0]`: BLAS reads past short rows and may warn of an invalid value there.
    # Six digits: sums may differ in the last ones where the texts stand in another order.
    angles = [round(float(value), 6) for value in (rows[1:] * rows[0]).sum(axis=1)]
    least, span = min(angles), max(angles) - min(angles)
    if not span:
        return {}
    return {hit.id: (value - least) / span for hit, value in zip(hits, angles, strict=True)}


def _query_text(query: Query) -> str:
    return " ".join(term.text for term in terms(query) if term.field in _FIELDS)[:MOST_QUERY]


def _text(record: Record) -> str:
    title = f"{record.title} {record.subtitle}" if record.subtitle else record.title
    return f"{title[:MOST_TITLE]}\n{(record.abstract or '')[:MOST_ABSTRACT]}"


def _folder() -> Path:
    spec = find_spec("wordllama")  # imports nothing
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


class _WordLlama:
    """The vectors of the package: a fifth of a second of CPU, some 70 MB of memory."""

    def __init__(self) -> None:
        from safetensors import safe_open
        from tokenizers import Tokenizer

        self._pieces: Any = Tokenizer.from_file(str(_folder() / _PIECES))
        self._pieces.no_padding()
        self._pieces.enable_truncation(MOST_PIECES)
        with safe_open(_folder() / _VECTORS, "np") as file:
            self._vectors = file.get_tensor("embedding.weight")

    def __call__(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), self._vectors.shape[1]), np.float32)
        # A lone surrogate cannot be encoded.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        read = self._pieces.encode_batch_fast(clean, add_special_tokens=False)
        for row, pieces in zip(rows, read, strict=True):
            if pieces.ids:
                row[:] = self._vectors[pieces.ids].mean(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)


_LOADING = threading.Lock()
_LOADED: dict[str, _WordLlama] = {}


def _wordllama() -> Embed:
    with _LOADING:
        if "wordllama" not in _LOADED:
            _LOADED["wordllama"] = _WordLlama()
        return _LOADED["wordllama"]
