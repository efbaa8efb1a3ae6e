"""What the searches of one engine share, and what one search hands to the sources that it asks."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.engine.answers import AnswerCache
from metasearch.engine.pages import PositionStore
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.scheduler import FairScheduler, Turns, Warmup
from metasearch.settings import Settings


@dataclass(frozen=True, slots=True)
class Shared:
    """What the searches of one engine share.

    Attributes:
        answer_cache: Answers of the last minute.
        position_store: The lists that were shown last.
    """

    settings: Settings
    fetcher: Fetcher
    warmup: Warmup
    scheduler: FairScheduler
    answer_cache: AnswerCache
    position_store: PositionStore


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What all sources of a search are asked with.

    Attributes:
        search: Id of the search, for the log.
        began: When the search began, in `loop.time()` seconds.
        deadline: When it ends, in the same seconds.
        again: Whether a request is sent again where the source does not answer.
    """

    search: str
    resolved: ResolvedSearch
    shared: Shared
    turns: Turns
    began: float
    deadline: float
    again: bool = True
