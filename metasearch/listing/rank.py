"""One order for all hits, with reasons whose points add up to the score.

A hit scores for its positions in the lists of the sources (`positions`) and, with `words`, for the
words of the query in its title and abstract (`words`). The weight of the words was tuned on no
single collection: `benchmarks/ranking.py` prints what it does on several.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metasearch.listing.positions import AGREEMENT, K, best_positions, source_weights
from metasearch.listing.sort import RankMode
from metasearch.listing.words import MOST_PAIRS, Counts, QueryWords, Score
from metasearch.query.ast import Query
from metasearch.record import Hit, Reason

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
    number of sources, year (newest first), title, and id.

    Args:
        hits: Unranked.
        query: What was asked.
        weights: Weight of each source, 1.0 where it is not named.
        mode: One of `RANK_MODES`.
    """
    return Ranking(query, weights, mode).ranked(hits)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is known of a hit without the others."""

    hit: Hit
    positions: dict[str, int]
    counts: Counts | None


class Ranking:
    """`rank` for hits that grow: the words of a hit that has not changed are counted once.

    Args:
        query: What was asked.
        weights: Weight of each source, 1.0 where it is not named.
        mode: One of `RANK_MODES`.
    """

    def __init__(
        self,
        query: Query | None = None,
        weights: Mapping[str, float] | None = None,
        mode: RankMode = "words",
    ) -> None:
        self._words = QueryWords(query if mode == "words" else None)
        self._folded_votes = mode == "positions"
        self._weights = weights or {}
        self._prepared: dict[str, _Prepared] = {}
        self._nearness: dict[str, float] = {}

    def prepare(self, hits: Iterable[Hit]) -> int:
        """Count the words of hits ahead of `ranked`; returns how many hits there were."""
        return sum(1 for _ in map(self._known, hits))

    def add_nearness(self, nearness: Mapping[str, float]) -> None:
        """Have hits score for their meaning, too.

        Args:
            nearness: Id of a hit -> 0 to 1, from `listing.rerank`; other hits score nothing for it.
        """
        self._nearness.update(nearness)

    def ranked(self, hits: Iterable[Hit], among: Iterable[Hit] | None = None) -> list[Hit]:
        """The hits in order, with `rank`, `score` and `reasons` set.

        Args:
            hits: Those to put in order.
            among: All hits of the list, where `hits` are a part of it: how far sources agree and
                how rare words are is measured among them.
        """
        return [
            Hit(
                hit.id,
                hit.record,
                hit.records,
                hit.provenance,
                hit.matches,
                hit.versions,
                score,
                number,
                reasons,
                hit.also,
            )
            for number, (_, hit, score, reasons) in enumerate(self._sorted(hits, among), 1)
        ]

    def ids(self, hits: Iterable[Hit], among: Iterable[Hit] | None = None) -> list[str]:
        """Their ids, in order; arguments as in `ranked`."""
        return [hit.id for _, hit, _, _ in self._sorted(hits, among)]

    def _known(self, hit: Hit) -> _Prepared:
        known = self._prepared.get(hit.id)
        if known is None or known.hit is not hit:
            counts = self._words.count(hit.record) if self._words else None
            known = self._prepared[hit.id] = _Prepared(hit, best_positions(hit.records), counts)
        return known

    def _sorted(
        self, hits: Iterable[Hit], among: Iterable[Hit] | None
    ) -> list[tuple[tuple[float, int, int, str, str], Hit, float, tuple[Reason, ...]]]:
        wanted = list(hits)
        everything = wanted if among is None else list(among)
        known = [self._known(hit) for hit in everything]
        agreement = source_weights([each.positions for each in known])
        answered = len({source for each in known for source in each.positions})
        unit = math.sqrt(answered / SOURCES_OF_ONE_POSITION) * FIRST_POSITION
        scores: dict[str, Score] = {}
        if self._words:
            counts = [each.counts for each in known if each.counts is not None]
            ids = [each.hit.id for each in known]
            scores = dict(zip(ids, self._words.scores(counts), strict=True))
        scored = []
        for hit in wanted:
            positions = self._known(hit).positions
            reasons = self._votes(positions, agreement)
            score = scores.get(hit.id)
            if score is not None:
                reasons += self._reasons_of_words(score, unit)
            near = self._nearness.get(hit.id)
            if near:
                text = "its meaning is near the query"
                text += ", nearest of all" if near == 1 else f" ({near:.0%} of the nearest)"
                reasons.append(Reason(text, round(unit * MEANING_PART * near, 9)))
            points = round(math.fsum([reason.points for reason in reasons]), 9)
            record = hit.record
            sources = len({r.source for r in hit.records})
            order = (-points, -sources, -(record.year or 0), record.title.casefold(), hit.id)
            scored.append((order, hit, points, tuple(reasons)))
        scored.sort(key=_order)
        return scored

    def _votes(self, positions: Mapping[str, int], agreement: Mapping[str, float]) -> list[Reason]:
        """A reason for each source, and one for their agreement."""
        factor = len(positions) ** AGREEMENT
        each = factor if self._folded_votes else 1.0
        reasons = [
            Reason(
                f"{source} ranks it {position}",
                round(
                    each
                    * self._weights.get(source, 1.0)
                    * agreement.get(source, 1.0)
                    / (K + position),
                    9,
                ),
                source,
            )
            for source, position in sorted(positions.items())
        ]
        if len(positions) > 1 and not self._folded_votes:
            together = (factor - 1) * math.fsum([reason.points for reason in reasons])
            reasons.append(Reason(f"{len(positions)} sources agree", round(together, 9)))
        return reasons

    def _reasons_of_words(self, score: Score, unit: float) -> list[Reason]:
        reasons = []
        if score.held:
            reasons.append(
                Reason(self._covered(score), round(unit * COVERAGE_PART * score.coverage, 9))
            )
        if score.bm25:
            text = (
                "its words fit the query best"
                if score.bm25 == 1
                else f"its words fit the query {score.bm25:.0%} as well as the best hit's"
            )
            reasons.append(Reason(text, round(unit * BM25_PART * score.bm25, 9)))
        if score.pairs:
            text = (
                "two words of the query stand together"
                if score.pairs == 1
                else f"{score.pairs} pairs of words of the query stand together"
            )
            points = unit * PAIRS_PART * min(score.pairs, MOST_PAIRS) / MOST_PAIRS
            reasons.append(Reason(text, round(points, 9)))
        return reasons

    def _covered(self, score: Score) -> str:
        """How much of the query the title and the fields hold, in words."""
        held, wanted = score.held, score.wanted
        if not self._words.fielded:
            what = "the word" if wanted == 1 else "all words"
            return (
                f"{what} in the title"
                if held == wanted
                else f"{held} of {wanted} words in the title"
            )
        what = "words and fields" if self._words.words else "fields"
        if held == wanted:
            return "the field agrees" if wanted == 1 else f"all {what} agree"
        return f"{held} of {wanted} {what} agree"


def _order(
    scored: tuple[tuple[float, int, int, str, str], Hit, float, Sequence[Reason]],
) -> tuple[float, int, int, str, str]:
    return scored[0]
