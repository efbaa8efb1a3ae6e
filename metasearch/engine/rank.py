"""One order for all hits: reciprocal rank fusion, with reasons.

Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
learning methods" (SIGIR 2009): each source that holds a hit adds weight / (K + rank). K is 10 and
not the paper's 60, because sources here are cut to a few dozen records and none is complete: a
small K keeps a good first rank from being outvoted by several middling ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

from metasearch.bib.normalise import compact, words
from metasearch.query.ast import Query, Term, terms
from metasearch.record import Hit, Reason, Record

K = 10
#: Ranks below this add nothing: deep in a list, chance decides.
DEPTH = 100
#: Boosts, in units of one first rank.
TITLE_HOLDS_WORDS = 0.25
TITLE_HOLDS_PHRASE = 0.15
FIRST_RANK = 1 / (K + 1)


def rank(
    hits: Iterable[Hit], query: Query | None = None, weights: Mapping[str, float] | None = None
) -> list[Hit]:
    """The hits in order, best first, with `rank`, `score` and `reasons` set.

    The order is total: equal scores are ordered by the number of sources, year (newest first),
    title, and id.

    Args:
        hits: Unranked.
        query: What was asked, for the boosts.
        weights: Weight of each source, 1.0 where it is not named.
    """
    return Ranking(query, weights).ranked(hits)


class _Scored(NamedTuple):
    """A hit with its score, and where that puts it; tuples that begin so can be sorted."""

    order: tuple[float, int, int, str, str]
    hit: Hit
    score: float
    reasons: tuple[Reason, ...]


class Ranking:
    """`rank` for hits that grow: one that has not changed since the last time is not scored again.

    Args:
        query: What was asked, for the boosts.
        weights: Weight of each source, 1.0 where it is not named.
    """

    def __init__(
        self, query: Query | None = None, weights: Mapping[str, float] | None = None
    ) -> None:
        self._query_words = _QueryWords(query)
        self._weights = weights or {}
        self._scored: dict[str, _Scored] = {}

    def ranked(self, hits: Iterable[Hit]) -> list[Hit]:
        """The hits in order, with `rank`, `score` and `reasons` set."""
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
            for number, (_, hit, score, reasons) in enumerate(self._sorted(hits), 1)
        ]

    def ids(self, hits: Iterable[Hit]) -> list[str]:
        """Their ids, in order."""
        return [scored.hit.id for scored in self._sorted(hits)]

    def score(self, hits: Iterable[Hit]) -> int:
        """Score hits before they are ordered; returns how many they are."""
        return sum(1 for _ in map(self._score, hits))

    def _score(self, hit: Hit) -> _Scored:
        known = self._scored.get(hit.id)
        if known is not None and known.hit is hit:
            return known
        record, records = hit.record, hit.records
        reasons = _votes(records, self._weights) + self._query_words.boosts(record)
        score = round(sum([reason.points for reason in reasons]), 9)
        sources = len({r.source for r in records}) if len(records) > 1 else 1
        order = (-score, -sources, -(record.year or 0), record.title.casefold(), hit.id)
        scored = self._scored[hit.id] = _Scored(order, hit, score, tuple(reasons))
        return scored

    def _sorted(self, hits: Iterable[Hit]) -> list[_Scored]:
        return sorted(map(self._score, hits), key=itemgetter(0))


def _votes(records: tuple[Record, ...], weights: Mapping[str, float]) -> list[Reason]:
    """One vote a source, by its best position."""
    if len(records) == 1:
        source, position = records[0].source, max(1, records[0].position)
        if position > DEPTH:
            return []
        points = round(weights.get(source, 1.0) / (K + position), 9)
        return [Reason(f"{source} ranks it {position}", points, source)]
    best: dict[str, int] = {}
    for record in records:
        position = max(1, record.position)
        best[record.source] = min(position, best.get(record.source, position))
    return [
        Reason(
            f"{source} ranks it {position}",
            round(weights.get(source, 1.0) / (K + position), 9),
            source,
        )
        for source, position in sorted(best.items())
        if position <= DEPTH
    ]


class _QueryWords:
    """The words and phrases of the query that a title may hold."""

    def __init__(self, query: Query | None) -> None:
        in_title: list[Term] = []
        if query is not None:
            in_title = [term for term in terms(query) if term.field in ("any", "title")]
        self.words = frozenset(word for term in in_title for word in words(term.text))
        self.phrases = tuple(filter(None, map(_phrase, in_title)))
        self._together = (self.words, *(phrase.split() for phrase in self.phrases))

    def boosts(self, record: Record) -> list[Reason]:
        if not self.words:
            return []
        text = f"{record.title} {record.subtitle}" if record.subtitle else record.title
        if not self._may_hold(text):
            return []
        title = words(text)
        out: list[Reason] = []
        held = self.words.intersection(title)
        if len(held) == len(self.words) or (not held and self._cjk_held(record)):
            out.append(
                Reason(
                    "its title holds every word of the query",
                    round(TITLE_HOLDS_WORDS * FIRST_RANK, 9),
                )
            )
        if self.phrases and any(f" {phrase} " in f" {' '.join(title)} " for phrase in self.phrases):
            out.append(
                Reason(
                    "its title holds the words in order", round(TITLE_HOLDS_PHRASE * FIRST_RANK, 9)
                )
            )
        return out

    def _may_hold(self, text: str) -> bool:
        """Whether all words or a phrase's words occur at least as letters: a cheap test that most
        titles fail before they are split into words.
        """
        # Other letters and these signs are spelled another way when they are folded.
        if not text.isascii() or "&" in text or "'" in text:
            return True
        text = text.lower()
        for together in self._together:
            for word in together:
                if word not in text:
                    break
            else:
                return True
        return False

    def _cjk_held(self, record: Record) -> bool:
        if all(w.isascii() for w in self.words):
            return False
        title = compact(record.title)
        return all(w in title for w in self.words)


def _phrase(term: Term) -> str:
    """Its words with blanks between; "" for a single word."""
    of_term = words(term.text)
    return " ".join(of_term) if len(of_term) > 1 else ""
