"""Searches whose answers contain the address of their next page, in every format."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from metasearch.engine.pages import held_back
from metasearch.events import Answer, Finished, SearchEvent
from metasearch.server.parameters import Parameters
from metasearch.server.site import Site
from metasearch.server.unknown_parameters import not_used

if TYPE_CHECKING:
    from metasearch.engine.search import Search


class Linked:
    """The events of a search, its answer with the address of its next page."""

    def __init__(self, search: Search, parameters: Parameters, site: Site) -> None:
        self.id = search.id
        self._search = search
        self._parameters = parameters
        self._site = site

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        async with aclosing(self._search):
            async for event in self._search:
                yield (
                    Finished(linked(event.answer, self._parameters, self._site))
                    if isinstance(event, Finished)
                    else event
                )

    async def aclose(self) -> None:
        """Stop the search."""
        await self._search.aclose()


def linked(answer: Answer, parameters: Parameters, site: Site) -> Answer:
    """The answer with the address of its next page, without host and format, which
    stay the same.

    Its notes name the parameters that had no effect, and the one that makes the list longer.
    """
    answer = replace(answer, notes=(*answer.notes, *_notes(answer, parameters)))
    following = answer.paging.next
    if following is None:
        return answer
    link = site.path("/search", **parameters.pairs(following.start))
    return replace(answer, paging=replace(answer.paging, next=replace(following, link=link)))


def _notes(answer: Answer, parameters: Parameters) -> Iterator[str]:
    if parameters.unknown:
        yield not_used(parameters.unknown)
    if names := held_back(answer):
        have = "has" if len(names) == 1 else "have"
        yield (
            f"{', '.join(names)} {have} more records than were requested: per_source=N requests "
            f"N records from each source"
        )
