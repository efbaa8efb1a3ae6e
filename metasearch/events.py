"""What a search reports while it runs: one stream of small frozen objects.

Each output (library, terminal, NDJSON, SSE, HTML) renders this one stream. A client that
keeps the hits by id, drops the absorbed ones, and applies the last `Order` holds the whole list as
far as it is known. The hits of the answer are those that `Finished.answer` names: all of them where
neither a limit nor a start cuts a page out of the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from metasearch.bib import work_ids as names
from metasearch.errors import SourceError, UsageError
from metasearch.message import message, message_n
from metasearch.record import Hit

Status = Literal[
    "running", "ok", "empty", "timeout", "error", "limited", "blocked", "drifted", "late", "skipped"
]

#: What a list is sorted by, in words; relevance needs none.
ORDERS: Mapping[str, str] = {
    "date": message("date, newest first"),
    "-date": message("date, oldest first"),
    "title": message("title"),
    "citations": message("citations, most cited first"),
    "first-seen": message("arrival, first received first"),
}


@dataclass(frozen=True, slots=True)
class SourceReport:
    """How one source fared.

    Attributes:
        status: "running" until it is done. "ok" has records, "empty" answered with none; the others
            are failures, and may still come with the records of earlier pages. "late" is a failure
            of ours: its answer had come, and was not read in time.
        count: Records read.
        total: How many the source says that it holds; None where it does not say.
        seconds: From the start of the search to its last answer.
        query: The query as it was really sent.
        notes: What could not be expressed, what was filtered here, records that could not be read,
            ...
        error: Why it failed; None where it did not.
        cached: True where every page came from the cache.
        spared: The note that says why an old page stood in for one that it did not give; "" where
            none did.
        unread: Records in its answers that could not be read.
        filtered: Records that were read and left out, because they do not fit what the source could
            not search.
        more: Whether it has more that further pages of the answer would ask for; False where it
            failed.
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
    spared: str = ""
    unread: int = 0
    filtered: int = 0
    more: bool = False

    @property
    def answered(self) -> bool:
        """Whether the source answered in full, with records or without."""
        return self.status in ("ok", "empty")

    @property
    def failed(self) -> bool:
        """Whether the answer lacks something because of this source."""
        return self.status not in ("running", "ok", "empty", "skipped")


def _outcome(report: SourceReport) -> str:
    """One line: status, records, and why the source failed."""
    outcome = f"{report.source}: {report.status}, {report.count:,} records"
    return f"{outcome}; {report.error}" if report.error else outcome


@dataclass(frozen=True, slots=True)
class Counts:
    """received = unique + duplicates."""

    received: int = 0
    unique: int = 0
    duplicates: int = 0


@dataclass(frozen=True, slots=True)
class NextPage:
    """Where an answer goes on.

    Attributes:
        start: Hits of the list that stand before it.
        count: At most so many hits; None for all that are known by then.
        link: Its address, where a server has made the answer.
    """

    start: int
    count: int | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Paging:
    """Which part of the merged list an answer holds.

    Attributes:
        start: Places of the list that come before its hits.
        count: At most so many hits were asked for; None for all that the sources gave.
        next: None where the list ends.
    """

    start: int = 0
    count: int | None = None
    next: NextPage | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """How many works there are to be found, and how sure that is.

    Attributes:
        seen: Distinct works among the records that were received.
        least, most: Bounds of the number of works that the sources hold; `most` is what they claim
            together, None where one of them does not say how many it has, or failed.
        estimate: The claims, scaled by the share of distinct works among what was received; None
            where nothing is known of that share.
        reliable: False where something is missing that the estimate would need; `basis` says what.
        basis: In words, what the estimate rests on.
    """

    seen: int
    least: int
    most: int | None
    estimate: int | None
    reliable: bool
    basis: str


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet.

    Attributes:
        value: As it is shown.
        count: Works that have it.
        filter: What narrows the list to these works, for `filter=`.
    """

    value: str
    count: int
    filter: str


@dataclass(frozen=True, slots=True)
class Facet:
    """One facet of a list.

    Attributes:
        name: One of `FACETS`.
        values: The first values.
        more: Values that are not among them.
        missing: Works that have no value.
    """

    name: str
    values: tuple[FacetValue, ...]
    more: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of a list.

    Attributes:
        works: Works that were seen; the counts speak of these.
        facets: In the order in which they were asked for.
    """

    works: int
    facets: tuple[Facet, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The finished answer, or what was there when the client could not wait for the end.

    Attributes:
        query: The query, printed in our own syntax.
        complete: False where a source failed, is still running, or the deadline came first.
        hits: Best first, those of the page that was asked for; their `rank` is their place in the
            whole list, from 1, and `counts` speaks of all.
        sources: A report for every source that was asked, in the order of asking.
        seconds: Wall time of the search.
        merge_seconds: What of it was spent on merging and ranking.
        syntax: The syntax that the query was read in, a key of `metasearch.query.SYNTAXES`.
        notes: One sentence for each thing that the text of the query says and `query` does not.
        dedup: Name of the strategy that found the duplicates.
        paging: Which part of the list this is, and where the next one begins.
        sort: The order of the list, one of `metasearch.engine.facets.SORTS`.
        filter: The filters that its hits pass, as they are written; "" for none. The hits of an
            answer with filters are numbered among those that pass.
        facets: Counts of all works that were seen; None where no facet was asked for.
        totals: None where no sources were asked: records of files are all there.
    """

    query: str
    complete: bool
    counts: Counts
    hits: tuple[Hit, ...]
    sources: tuple[SourceReport, ...]
    seconds: float = 0.0
    dedup: str = "default"
    paging: Paging = Paging()
    totals: Totals | None = None
    merge_seconds: float = 0.0
    syntax: str = "simple"
    notes: tuple[str, ...] = ()
    sort: str = "relevance"
    filter: str = ""
    facets: Facets | None = None

    def hit(self, name: str) -> Hit | None:
        """The hit with this name; None where it is not here.

        Args:
            name: The id that a hit has here, in an answer of other sources, or had in an earlier
                release, also as feeds write it ("urn:metasearch:hit:..."); the key of a record
                ("crossref:10.1000/abc"); or an identifier ("10.1000/abc",
                "https://doi.org/10.1000/abc", "pmid:123", "isbn:...").

        Where several hits bear the name (two works under one DOI), the first one in the list is
        given. The id of a hit of this answer always returns that hit.

        Raises:
            UsageError: It is no name.
        """
        try:
            return next(iter(names.find(name, self.hits)), None)
        except ValueError as exc:
            raise UsageError(str(exc)) from exc

    @property
    def running(self) -> tuple[str, ...]:
        """Names of the sources that are still being asked; none of a finished answer."""
        return tuple(report.source for report in self.sources if report.status == "running")

    @property
    def passing(self) -> int:
        """How many of the works that were seen pass the filters; all of them without filters."""
        if self.filter and self.totals is not None:
            return self.totals.seen
        return self.counts.unique

    @property
    def applied(self) -> str:
        """The filters and the order of the list in one sentence; "" where all works are listed by
        relevance.
        """
        order = ORDERS.get(self.sort)
        if not self.filter:
            return message("Sorted by {order}", order=order) if order else ""
        passing, seen = self.passing, self.counts.unique
        works = message_n("{count} work", "{count} works", seen, count=f"{seen:,}")
        if self.totals is not None:  # else it is not known how many do not pass
            works = message("{passing} of {works}", passing=f"{passing:,}", works=works)
        filters = message_n(
            "{works} passes {filter}",
            "{works} pass {filter}",
            passing,
            works=works,
            filter=self.filter,
        )
        if not order:
            return filters
        return message("{filters}; sorted by {order}", filters=filters, order=order)

    @property
    def expected(self) -> int:
        """How many works there are in all: the estimate, else those that were seen; with filters
        those that pass.
        """
        estimate = self.totals.estimate if self.totals is not None else None
        return self.passing if estimate is None else estimate

    def __repr__(self) -> str:
        # As a prompt shows it: the hits of an answer fill thousands of lines.
        failed = sum(report.failed for report in self.sources)
        counted = f"{len(self.hits)} hits, {len(self.sources)} sources"
        return f"<Answer to {self.query[:80]!r}: {counted}{f', {failed} failed' if failed else ''}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the first hits, and how the sources fared."""
        from metasearch.formats.notebook import html

        counts, sources = self.counts, len(self.sources)
        summary = f"{counts.unique:,} works in {counts.received:,} records of {sources} sources"
        if not self.complete:
            summary += "; not complete"
        return html(self.query, summary, self.hits, map(_outcome, self.sources), self.applied)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The hits as flat tables, for `pandas.DataFrame`.

        Returns:
            One table a hit, each with the columns of the CSV in their order
            (`metasearch.formats.csv.COLUMNS`). Lists are joined by "; ", names are "Family,
            Given", and what is not known is None.
        """
        from metasearch.formats.notebook import rows

        return list(rows(self.hits))


@dataclass(frozen=True, slots=True)
class Started:
    """The search is planned; `sources` are about to be asked.

    Attributes:
        id: Names this search in logs and streams.
        query: Printed in our own syntax.
        deadline: Seconds from now at which the answer is returned, also where sources are missing.
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

    A hit is named after what most of its records say, so that names do not depend on who answers
    first; a late record may therefore rename a hit, which is reported as a join of the old name
    into the new one. It may also give a hit's name to another hit, which is reported as `Grown`.
    """

    hit: Hit
    absorbed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """Ids of all hits in the order of the list, as of now: best first, and what later requests
    brought behind it.
    """

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FacetsChanged:
    """The facets have other counts now: replace them."""

    facets: Facets


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of every stream."""

    answer: Answer


Change = Added | Grown | Joined
SearchEvent = Started | SourceProgress | Added | Grown | Joined | Order | FacetsChanged | Finished
