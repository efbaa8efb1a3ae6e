"""Other orders of a list than that of relevance. All are total; hits that lack the value come last,
and equal ones stay in the order of relevance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, get_args

from metasearch.bib.normalise import words
from metasearch.record import Hit

#: "date" is newest first, "-date" oldest first, "citations" most cited first, "first-seen" in the
#: order in which the works were received.
Sort = Literal["relevance", "date", "-date", "title", "citations", "first-seen"]
SORTS: tuple[Sort, ...] = get_args(Sort)

#: What relevance is: "positions" ranks by the lists of the sources alone, "words" by the words of
#: the query, too. It stands here because `rank.py` takes long to load.
RankMode = Literal["words", "positions"]
RANK_MODES: tuple[RankMode, ...] = get_args(RankMode)

_ARTICLES = frozenset({"the", "a", "an"})


def arranged(ranked: Iterable[Hit], sort: Sort, arrival: Mapping[str, int]) -> list[Hit]:
    """The hits in the order of `sort`; their `rank` is not changed.

    `ranked`: in the order of relevance. `arrival`: key of a record -> its number among those
    received; read for "first-seen" only.
    """
    hits = list(ranked)
    if sort == "first-seen":
        hits.sort(key=lambda hit: min((arrival.get(r.key, 0) for r in hit.records), default=0))
    elif sort != "relevance":
        hits.sort(key=_KEYS[sort])
    return hits


def _date(hit: Hit) -> tuple[int, ...]:
    """Year, month, day; 0 for what is not known."""
    record = hit.record
    if record.date:
        parts = [int(part) for part in record.date.split("-") if part.isdigit()]
        return (*parts, 0, 0)[:3]
    return (record.year or 0, 0, 0)


def _newest_first(hit: Hit) -> tuple[int, ...]:
    # An unknown date is year 0 and comes last by itself.
    return tuple(-part for part in _date(hit))


def _oldest_first(hit: Hit) -> tuple[int, ...]:
    date = _date(hit)
    return (not date[0], *date)


def _title(hit: Hit) -> tuple[bool, list[str], list[str]]:
    listed = words(hit.record.title)
    if len(listed) > 1 and listed[0] in _ARTICLES:
        listed = listed[1:]
    return (not listed, listed, words(hit.record.subtitle or ""))


def _most_cited_first(hit: Hit) -> tuple[bool, int]:
    citations = hit.record.citations
    return (citations is None, -(citations or 0))


_KEYS: Mapping[str, Callable[[Hit], tuple[object, ...]]] = {
    "date": _newest_first,
    "-date": _oldest_first,
    "title": _title,
    "citations": _most_cited_first,
}
