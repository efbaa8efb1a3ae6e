"""Completions for a search box, from what this server has seen: no source is ever asked for them.

They come from recent queries that found something, from examples, and from titles of recently shown hits, all kept in
memory and bounded. Whoever may ask this server thus sees what others have asked it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from metasearch.events import Answer
from metasearch.formats.reference import full_title
from metasearch.formats.text import line
from metasearch.record import Record

_LONGEST = 200
#: Completions that are shown.
MOST = 8
_word = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Completion:
    """One line under a search box.

    Attributes:
        text: The query that it stands for.
        description: What it is, for browsers that show that.
    """

    text: str
    description: str


class Suggestions:
    """What has been asked and seen lately, the newest last; the oldest is forgotten first."""

    def __init__(self, examples: Iterable[str] = (), *, queries: int = 500, titles: int = 2000) -> None:
        self._examples = [Completion(line(it), "example") for it in examples]
        self._queries: OrderedDict[str, Completion] = OrderedDict()
        self._titles: OrderedDict[str, Completion] = OrderedDict()
        self._most_queries = queries
        self._most_titles = titles

    def learn(self, query: str, answer: Answer) -> None:
        """Keeps a finished search, if it found something."""
        text = line(query)
        if not answer.hits or not text or len(text) > _LONGEST:
            return
        _keep(self._queries, Completion(text, "recent search"), self._most_queries)
        for hit in reversed(answer.hits[:50]):
            title = as_query(full_title(hit.record))
            if title and len(title) <= _LONGEST:
                _keep(self._titles, Completion(title, _description(hit.record)), self._most_titles)

    def complete(self, prefix: str, limit: int = MOST) -> list[Completion]:
        """Completions of what was typed, queries before titles and the newest first; [] for nothing typed."""
        typed = line(prefix).casefold()
        if not typed:
            return []
        found: dict[str, Completion] = {}
        for completion in self._candidates(typed):
            found.setdefault(completion.text.casefold(), completion)
            if len(found) == limit:
                break
        return list(found.values())

    def _candidates(self, typed: str) -> Iterator[Completion]:
        groups = (reversed(self._queries.values()), self._examples, reversed(self._titles.values()))
        known = [(it.text.casefold(), it) for group in groups for it in group]
        yield from (it for text, it in known if text.startswith(typed))
        yield from (it for text, it in known if f" {typed}" in text)


def together(lists: Iterable[Iterable[Completion]], limit: int = MOST) -> list[Completion]:
    """Completions from several processes, each once: the first of all, then the second of all, ..."""
    found: dict[str, Completion] = {}
    for completion in chain.from_iterable(zip_longest(*lists)):
        if completion is not None:
            found.setdefault(completion.text.casefold(), completion)
    return list(found.values())[:limit]


def as_query(title: str) -> str:
    """The words of a title as a query that finds it: nothing in them is an operator, a field or a bracket.

    >>> as_query('Catch AND release: "a review" -- part (2)')
    'Catch and release a review part 2'
    """
    return " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in _word.findall(title))


def _keep(shelf: OrderedDict[str, Completion], completion: Completion, most: int) -> None:
    key = completion.text.casefold()
    shelf[key] = completion
    shelf.move_to_end(key)
    if len(shelf) > most:
        shelf.popitem(last=False)


def _description(record: Record) -> str:
    """Who, where, when: "Vaswani, NeurIPS, 2017"."""
    first = record.authors[0].family or record.authors[0].name if record.authors else None
    parts = (line(first), line(record.venue)[:80], str(record.year or ""))
    return ", ".join(filter(None, parts))
