"""One call of a tool: who calls, with which arguments; and the error that an assistant reads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from metasearch.server.options import Options

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine
    from metasearch.engine.options import SearchOptions
    from metasearch.events import Answer
    from metasearch.server.site import Site

T = TypeVar("T")

#: Reports progress: (sources that have answered, all sources, a line of text).
Report = Callable[[float, float | None, str | None], Awaitable[None]]


class ToolError(Exception):
    """What an assistant did wrong, or what went wrong, in words that say what to do next."""


class Caller:
    """On whose behalf tools run: the person at this machine, over stdio.

    `user`: whose searches these are, where several share the engine. `site`: the address of the
    server; None over stdio.
    """

    user: Hashable = None
    site: Site | None = None

    def __init__(self, engine: Engine, options: Options) -> None:
        self.engine = engine
        self.options = options

    async def wishing(self, options: SearchOptions) -> SearchOptions:
        """The options of a search, with what the caller has chosen where they say nothing; a server
        may refuse it, with a Problem.
        """
        return options

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[None]:
        """The block is a search: a server may refuse it, with a Problem."""
        yield

    @asynccontextmanager
    async def computing(self) -> AsyncIterator[None]:
        """The block computes for a moment: a server may refuse it, with a Problem."""
        yield

    async def read(self, compute: Callable[[], T]) -> T:
        """What `compute` makes of a long text: off a server's loop, or a Problem that refuses."""
        return compute()

    def finished(self, answer: Answer, options: SearchOptions) -> None:
        """Called with the answer of each search."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. `arguments`: as they were sent; nothing of them is checked. `report`:
    reports progress; does nothing where the client asked for none.
    """

    caller: Caller
    arguments: Mapping[str, Any]
    report: Report
