"""What a search tells while it runs: one stream of small frozen objects.

Every face (library, terminal, NDJSON, SSE, HTML) renders this one stream. Whoever keeps the hits by id, drops the
absorbed ones, and applies the last `Order` holds exactly the hits of `Finished.answer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metasearch.errors import SourceError
from metasearch.record import Hit

Status = Literal["running", "ok", "empty", "timeout", "error", "limited", "blocked", "drifted", "skipped"]


@dataclass(frozen=True, slots=True)
class SourceReport:
    """How one source fared.

    Attributes:
        source: Its name.
        status: "running" until it is done. "ok" has records, "empty" answered with none; the others are failures,
            and may still come with the records of earlier pages.
        count: Records read.
        total: How many the source says that it holds; None where it does not say.
        seconds: From the start of the search to its last answer.
        query: The query as it was really sent.
        notes: What could not be expressed, what was filtered here, records that could not be read, ...
        error: Why it failed; None where it did not.
        cached: True where every page came from the cache.
        unread: Records in its answers that could not be read.
    """

    source: str
    status: Status = "running"
    count: int = 0
    total: int | None = None
    seconds: float = 0.0
    query: str = ""
    notes: tuple[str, ...] = ()
    error: SourceError | None = None
    cached: bool = False
    unread: int = 0

    @property
    def failed(self) -> bool:
        """Whether the answer lacks something because of this source."""
        return self.status not in ("running", "ok", "empty", "skipped")


@dataclass(frozen=True, slots=True)
class Counts:
    """received = unique + duplicates."""

    received: int = 0
    unique: int = 0
    duplicates: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The finished answer.

    Attributes:
        query: The query, printed in our own syntax.
        complete: False where a source failed or the deadline came first.
        hits: Ranked, best first, cut to the limit that was asked for; `counts` speaks of all.
        sources: A report for every source that was asked, in the order of asking.
        seconds: Wall time of the search.
        dedup: Name of the strategy that found the duplicates.
    """

    query: str
    complete: bool
    counts: Counts
    hits: tuple[Hit, ...]
    sources: tuple[SourceReport, ...]
    seconds: float = 0.0
    dedup: str = "default"


@dataclass(frozen=True, slots=True)
class Started:
    """The search is planned; `sources` are about to be asked.

    Attributes:
        id: Names this search in logs and streams.
        query: Printed in our own syntax.
        deadline: Seconds from now at which the answer is given, whoever is missing.
    """

    id: str
    query: str
    sources: tuple[str, ...]
    deadline: float


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """A source was asked, answered a page, finished or failed; `report` is the whole state."""

    report: SourceReport


@dataclass(frozen=True, slots=True)
class Added:
    """A hit that was not there before."""

    hit: Hit


@dataclass(frozen=True, slots=True)
class Grown:
    """A known hit has other records or other evidence now: replace it."""

    hit: Hit


@dataclass(frozen=True, slots=True)
class Joined:
    """Hits that were shown apart are one: drop `absorbed`, replace or add `hit`.

    A hit is named after the smallest of its records, so that names do not depend on who answers first; a late
    record may therefore rename a hit, which is told as a join of the old name into the new one.
    """

    hit: Hit
    absorbed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """Ids of all hits in rank order, best first, as of now."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of every stream."""

    answer: Answer


Change = Added | Grown | Joined
SearchEvent = Started | SourceProgress | Added | Grown | Joined | Order | Finished
