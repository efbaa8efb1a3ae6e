"""What of a result page has changed since it was sent last, as the script of the page reads it.

The first state that is sent is whole, so that a reader who comes back needs no memory of ours; the
script passes over what it has already.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from metasearch.record import Hit
from metasearch.server.pages.environment import macro
from metasearch.server.pages.results import Results, mark

#: Works of one event: as many as a browser can read in at a stretch.
AT_ONCE = 20


class Differences:
    """Turns the states of one page into events for one reader."""

    def __init__(self, seen: frozenset[str] = frozenset()) -> None:
        self._seen = seen
        self._hits: dict[str, Hit] = {}
        self._parts: dict[str, str] = {}
        self._panel: tuple[str, ...] = ()
        self._counts: dict[str, str] = {}

    def events(self, results: Results) -> Iterator[tuple[str, dict[str, Any]]]:
        """(name, data) of each event for a state; the last one is "page"."""
        answer = results.answer
        done = not answer.running
        cards = self._cards(results, done=done)
        while len(cards) > AT_ONCE:
            yield "cards", {"cards": cards[:AT_ONCE]}
            cards = cards[AT_ONCE:]
        summary = results.summary
        yield (
            "page",
            {
                "status": summary.status,
                "answered": summary.ended,
                "asked": summary.asked,
                "start": answer.paging.start,
                "parts": self._changed_parts(results),
                **self._facets(results, done=done),
                "cards": cards,
                "order": [hit.id for hit in answer.hits],
                "done": done,
            },
        )

    def _cards(self, results: Results, *, done: bool) -> list[tuple[str, str]]:
        """(id, HTML) of the works whose cards have changed."""
        cards = []
        for hit in results.answer.hits:
            known = self._hits.get(hit.id)
            if known is not None and _shows_same(known, hit, done=done):
                continue
            card = results.card(hit)
            if known is not None or mark(card) not in self._seen:
                cards.append((hit.id, str(card)))
        self._hits = {hit.id: hit for hit in results.answer.hits}
        return cards

    def _changed_parts(self, results: Results) -> dict[str, str]:
        around = results.around()
        answer, summary = around["answer"], around["summary"]
        made = partial(macro, language=results.visit.language)
        parts = {
            "heading": made("_list.html", "heading")(answer, around["query"]),
            "failures": made("_databases.html", "failures")(
                summary.failures, summary.none_answered, around["reload"]
            ),
            "database-rows": made("_databases.html", "rows")(summary.rows),
            "about": made("_list.html", "about")(answer),
            "pages": made("_list.html", "pager")(around["pages"], around["deeper"]),
            "nothing": made("_list.html", "nothing")(around["nothing"], answer),
        }
        texts = {name: str(part).strip() for name, part in parts.items()}
        changed = {name: text for name, text in texts.items() if self._parts.get(name) != text}
        self._parts = texts
        return changed

    def _facets(self, results: Results, *, done: bool) -> dict[str, Any]:
        """The counts that have changed; the whole panel where it has other values, or is final."""
        panel = results.panel
        number = results.visit.language.number
        words = macro("_facets.html", "counted", results.visit.language)(panel, not done)
        counts = {name: number(count) for name, count in panel.counts() if name}
        names = tuple(counts)
        counts["counted"] = str(words).strip()
        changed = {name: count for name, count in counts.items() if self._counts.get(name) != count}
        self._counts = counts
        sent: dict[str, Any] = {"counts": changed}
        if done or names != self._panel:
            self._panel = names
            fields = macro("_facets.html", "fields", results.visit.language)
            sent["facets"] = str(fields(panel, not done, panel.clear)).strip()
        return sent


def _shows_same(left: Hit, right: Hit, *, done: bool) -> bool:
    """Whether two states of a hit look alike; while the search runs, its score may be behind."""
    same = left.record == right.record and left.records == right.records
    if not done:
        return same
    return same and (left.score, left.reasons, left.rank) == (
        right.score,
        right.reasons,
        right.rank,
    )
