"""Completions for a search box: no source is asked for them, and no user sees what others typed.

They come from the operator's examples, from the queries of the same user that found something, and
from the titles of their hits. All is in memory and bounded. A user is an API key; addresses are no
users here, because many people may share one.
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
from metasearch.server.spelling import Spelling

_LONGEST = 200
#: Completions that are shown.
MOST = 8
_word = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Completion:
    """One line under a search box. `text`: the query that it stands for. `description`: what it is,
    for browsers that show that.
    """

    text: str
    description: str


class _History:
    """Recent queries and titles of one user, the newest last; the oldest is removed first."""

    def __init__(self) -> None:
        self.queries: OrderedDict[str, Completion] = OrderedDict()
        self.titles: OrderedDict[str, Completion] = OrderedDict()


class Suggestions:
    """What is suggested: the operator's examples to all users, and to each user what they have
    asked themselves.

    `users`: so many are remembered; the one that has been silent longest is forgotten first.
    """

    def __init__(
        self,
        examples: Iterable[str] = (),
        *,
        users: int = 100,
        queries: int = 50,
        titles: int = 150,
    ) -> None:
        self._examples = [
            Completion(text, "example") for example in examples if (text := line(example))
        ]
        #: The words of titles that were found by anybody.
        self.spelling = Spelling()
        self._seen: OrderedDict[str, _History] = OrderedDict()
        self._most_users = users
        self._most_queries = queries
        self._most_titles = titles

    def learn(self, query: str, answer: Answer, user: str | None) -> None:
        """Remembers a finished search of this user, if it found something; without a user only the
        words of the titles.
        """
        self.spelling.learn(hit.record for hit in answer.hits)
        text = line(query)
        if user is None or not answer.hits or not text or len(text) > _LONGEST:
            return
        seen = self._seen.setdefault(user, _History())
        self._seen.move_to_end(user)
        if len(self._seen) > self._most_users:
            self._seen.popitem(last=False)
        _keep(seen.queries, Completion(text, "recent search"), self._most_queries)
        for hit in reversed(answer.hits[:50]):
            title = as_query(full_title(hit.record))
            if title and len(title) <= _LONGEST:
                _keep(seen.titles, Completion(title, _description(hit.record)), self._most_titles)

    def complete(self, prefix: str, user: str | None, limit: int = MOST) -> list[Completion]:
        """Completions of what this user has typed, queries before titles and the newest first; []
        for nothing typed.
        """
        typed = line(prefix).casefold()
        if not typed:
            return []
        found: dict[str, Completion] = {}
        for completion in self._candidates(typed, self._seen.get(user or "", _History())):
            found.setdefault(completion.text.casefold(), completion)
            if len(found) == limit:
                break
        return list(found.values())

    def _candidates(self, typed: str, seen: _History) -> Iterator[Completion]:
        groups = (reversed(seen.queries.values()), self._examples, reversed(seen.titles.values()))
        known = [
            (completion.text.casefold(), completion) for group in groups for completion in group
        ]
        yield from (completion for text, completion in known if text.startswith(typed))
        yield from (completion for text, completion in known if f" {typed}" in text)


def join_completions(lists: Iterable[Iterable[Completion]], limit: int = MOST) -> list[Completion]:
    """Completions from several processes, each once: first all firsts, then seconds, ..."""
    found: dict[str, Completion] = {}
    for completion in chain.from_iterable(zip_longest(*lists)):
        if completion is not None:
            found.setdefault(completion.text.casefold(), completion)
    return list(found.values())[:limit]


def as_query(title: str) -> str:
    """The words of a title as a query that finds it: nothing in them is an operator, a field or a
    bracket.

    >>> as_query('Catch AND release: "a review" -- part (2)')
    'Catch and release a review part 2'
    """
    return " ".join(
        word.lower() if word in ("AND", "OR", "NOT") else word for word in _word.findall(title)
    )


def _keep(kept: OrderedDict[str, Completion], completion: Completion, most: int) -> None:
    key = completion.text.casefold()
    kept[key] = completion
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)


def _description(record: Record) -> str:
    """Who, where, when: "Vaswani, NeurIPS, 2017"."""
    author = next(iter(record.byline), None)
    first = (author.family or author.name) if author else None
    parts = (line(first), line(record.venue)[:80], str(record.year or ""))
    return ", ".join(filter(None, parts))
