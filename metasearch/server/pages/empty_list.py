"""A list without a work: why there is none, and other searches that may find some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeGuard

from metasearch.errors import MetasearchError
from metasearch.events import Answer
from metasearch.query import And, Not, Query, Term, read, to_text
from metasearch.query.tree import conjunction, searches
from metasearch.server.limits.admission import SHORT
from metasearch.server.pages.facets_panel import ActiveFilter, Panel
from metasearch.server.spelling import Spelling

#: Searches with a word less that are offered.
_MOST = 6


@dataclass(frozen=True, slots=True)
class OtherSearch:
    """A search that is offered. `text`: its query, as a person types it."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class EmptyList:
    """What a list without a work says.

    Attributes:
        reason: "running", "end", "filters", "none", "failed" or "not asked"; "" where there are
            works.
        works: How many there are without the filters.
        filters: Those that hold, each with the address of the same search without it.
        clear: The address of the search without any filter; "" where none holds.
        corrected: The query with known words in place of misspelt ones.
        fewer: Searches with a word less.
        advanced: The address where the query can be changed row by row.
        others: How many sources have not been asked; and the address that asks them all.
    """

    reason: str
    works: int = 0
    filters: Sequence[ActiveFilter] = ()
    clear: str = ""
    corrected: OtherSearch | None = None
    fewer: Sequence[OtherSearch] = ()
    advanced: str = ""
    others: int = 0
    all_sources: str = ""


def empty_list(
    answer: Answer,
    panel: Panel,
    address: Callable[..., str],
    advanced: Callable[[str], str],
    spelling: Spelling,
    others: int,
) -> EmptyList:
    """What the list says; nothing where it has works.

    `address`: parameters that change -> the address of the same search with them. `advanced`: a
    query -> the address where it can be changed. `others`: sources that have not been asked.
    """
    reason = _reason(answer)
    if reason == "filters":
        return EmptyList(reason, answer.counts.unique, panel.chips, panel.clear)
    if reason != "none":
        return EmptyList(reason)

    def other(query: Query) -> OtherSearch:
        text = to_text(query)
        return OtherSearch(text, address(q=text, syntax="simple", start=None))

    if len(answer.query) > SHORT:  # reading a long one takes the loop's time
        return EmptyList(reason)
    try:
        query = read(answer.query, syntax="simple").query
    except MetasearchError:  # an answer that was kept by another version
        return EmptyList(reason)
    corrected = spelling.correct(query)
    return EmptyList(
        reason,
        corrected=other(corrected) if corrected else None,
        fewer=[other(each) for each in islice(_with_a_part_less(corrected or query), _MOST)],
        advanced=advanced(answer.query),
        others=others,
        all_sources=address(sources="all", start=None) if others else "",
    )


def _reason(answer: Answer) -> str:
    if answer.hits:
        return ""
    if answer.running:
        return "running"
    if answer.paging.start and answer.counts.unique:
        return "end"
    if answer.filter and answer.counts.unique:
        return "filters"
    if any(report.answered for report in answer.sources):
        return "none"
    return "failed" if any(report.failed for report in answer.sources) else "not asked"


def _with_a_part_less(query: Query) -> Iterator[Query]:
    """The query without one of the parts that must all hold; a phrase first as its mere words."""
    parts = [*_parts(query)]
    for place, part in enumerate(parts):
        if isinstance(part, Term) and part.phrase and " " in part.text and not part.truncated:
            words = replace(part, phrase=False)
            yield _joined([*parts[:place], words, *parts[place + 1 :]])
    for place, part in enumerate(parts):
        rest = parts[:place] + parts[place + 1 :]
        if rest and not isinstance(part, Not) and searches(conjunction(*rest)):
            yield _joined(rest)


def _parts(query: Query) -> Iterator[Query]:
    """The parts that must all hold; of several words each."""
    for part in query.parts if isinstance(query, And) else (query,):
        if isinstance(part, Term) and not part.phrase and not part.truncated:
            yield from (replace(part, text=word) for word in part.text.split(" "))
        else:
            yield part


def _joined(parts: Sequence[Query]) -> Query:
    """All parts, those that are words of one field written side by side."""
    joined: list[Query] = []
    for part in parts:
        last = joined[-1] if joined else None
        if _is_plain(part) and _is_plain(last) and part.field == last.field:
            joined[-1] = replace(last, text=f"{last.text} {part.text}")
        else:
            joined.append(part)
    return conjunction(*joined)


def _is_plain(part: Query | None) -> TypeGuard[Term]:
    return isinstance(part, Term) and not part.phrase and not part.truncated and not part.heading
