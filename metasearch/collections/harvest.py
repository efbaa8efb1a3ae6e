"""Fills a collection with the records of a repository that speaks OAI-PMH.

Each page is one transaction, so the next harvest resumes where one was interrupted. The table
`meta` of a collection holds of its repository:

    url prefix set             what is harvested
    repository deletes seconds how the repository describes itself
    harvested                  the date from which the next harvest asks: when the last complete
                               harvest began, by the repository's clock or ours, whichever was
                               earlier
    run                        the number of the current or last harvest
    token began asked_from asked_until sweeps listed
                               the harvest that is not complete; "" where there is none
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from metasearch.adapters.parse.parse import Unread
from metasearch.collections.oai import (
    OaiClient,
    OaiError,
    OaiPage,
    RepositoryIdentity,
    arguments_of,
    before,
    earlier,
    in_granularity,
)
from metasearch.collections.store import Collection
from metasearch.errors import BadAnswer, CollectionError, SourceSaysError

#: Problems of single records that are kept; all of them are counted.
TOLD = 100
#: A repository's index may lag behind its clock, so a harvest asks from this long before the last
#: one. A record that is fetched twice is stored once; a missed record would never be fetched.
OVERLAP = timedelta(hours=1)
#: Consecutive pages without a record, after which the list counts as endless.
MOST_EMPTY = 100


@dataclass(frozen=True, slots=True)
class HarvestRequest:
    """The request for a harvest.

    Attributes:
        set: setSpec; "" for everything.
        first, until: Dates of the repository's own, as ISO 8601; "" where the user named none.
        full: Fetch everything again, and delete the records that the repository no longer has.
    """

    url: str
    prefix: str = "oai_dc"
    set: str = ""
    first: str = ""
    until: str = ""
    full: bool = False


@dataclass(slots=True)
class HarvestReport:
    """The counts of a harvest.

    Attributes:
        resumed: Whether it resumed an interrupted harvest.
        since: The date from which records were asked for; "" for all records.
        size: How many records the list has, as the repository states; None where it does not.
        lost: How many records could not be read; `unread` holds the first of them.
    """

    repository: str = ""
    resumed: bool = False
    since: str = ""
    pages: int = 0
    seen: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    lost: int = 0
    size: int | None = None
    unread: list[Unread] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


HarvestProgress = Callable[[HarvestReport], None]


class Harvest:
    """One harvest of one repository into one collection. `progress`: called after every page.
    `now`: our clock, in UTC. `done`: the counts so far, also after a failure.
    """

    def __init__(
        self,
        order: HarvestRequest,
        collection: Collection,
        client: OaiClient,
        progress: HarvestProgress = lambda _: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._order = order
        self._collection = collection
        self._client = client
        self._progress = progress
        self._now = now
        self._asked: set[int] = set()
        self._empty = 0
        self.done = HarvestReport()

    async def run(self) -> HarvestReport:
        """Fetch until the end of the list. Raises CollectionError: the collection holds another
        repository, or cannot be written. Raises SourceError: a request failed; the records that
        came are kept, and the next harvest resumes there.
        """
        self._check()
        identity = await self._client.identify()
        self.done.repository = identity.name
        with self._collection.transaction():
            self._collection.note(
                url=self._order.url,
                prefix=self._order.prefix,
                set=self._order.set,
                repository=identity.name,
                deletes=identity.deletes,
            )
        arguments = self._resume_arguments() or self._new_arguments(identity)
        restarted = False
        while True:
            try:
                page = await self._client.records(arguments)
            except OaiError as exc:
                if exc.code == "noRecordsMatch":
                    page = self._nothing()
                elif (
                    exc.code == "badResumptionToken"
                    and "resumptionToken" in arguments
                    and not restarted
                ):
                    restarted = True
                    self._asked.clear()
                    self.done.notes.append(
                        "the resumption token had expired, so the harvest began again"
                    )
                    arguments = self._new_arguments(identity)
                    continue
                else:
                    raise self._refusal(exc) from exc
            self._take(page)
            self._progress(self.done)
            if not page.token:
                return self.done
            arguments = {"resumptionToken": page.token}

    # ---------------------------------------------------------------- where it begins

    def _check(self) -> None:
        for name, mine in (
            ("url", self._order.url),
            ("prefix", self._order.prefix),
            ("set", self._order.set),
        ):
            known = self._collection.meta(name)
            if self._collection.meta("url") and known != mine:
                what = {"url": "the repository", "prefix": "the format", "set": "the set"}[name]
                raise CollectionError(
                    str(self._collection.file),
                    f"{what} of this collection is {known or 'everything'}, "
                    f"not {mine or 'everything'}",
                    advice="Harvest into another collection, with --name.",
                )

    def _resume_arguments(self) -> dict[str, str] | None:
        """The arguments that resume an interrupted harvest; None where there is none, or where the
        order asks for other records.
        """
        token, order = self._collection.meta("token"), self._order
        same = (order.first, order.until) in (
            ("", ""),
            (self._collection.meta("asked_from"), self._collection.meta("asked_until")),
        )
        if not token or order.full or not same:
            return None
        self.done.resumed = True
        self.done.since = self._collection.meta("since")
        return {"resumptionToken": token}

    def _new_arguments(self, identity: RepositoryIdentity) -> dict[str, str]:
        """The arguments of a new harvest, whose beginning is stored in the collection."""
        order, collection = self._order, self._collection
        first = order.first or ("" if order.full else before(collection.meta("harvested"), OVERLAP))
        first, until = in_granularity(first, identity), in_granularity(order.until, identity)
        whole = not first and not until
        self.done.since = first
        self.done.resumed = False
        with collection.transaction():
            collection.note(
                run=str(_number(collection.meta("run")) + 1),
                token="",
                began="",
                listed="",
                since=first,
                asked_from=order.first,
                asked_until=order.until,
                sweeps="yes" if whole else "",
            )
        return arguments_of(order.prefix, order.set, first, until)

    # ---------------------------------------------------------------- a page

    def _nothing(self) -> OaiPage:
        """The end of a list without records: nothing is deleted, even of a whole repository."""
        if self._collection.meta("sweeps") and self._collection.count:
            with self._collection.transaction():
                self._collection.note(sweeps="")
            self.done.notes.append(
                "the repository now lists no records; the records of the collection were kept"
            )
        return OaiPage((), (), (), "", None, "", ())

    def _take(self, page: OaiPage) -> None:
        """Store a page and the place where the next one begins, in one transaction."""
        self._look_for_an_end(page)
        collection, done, run = self._collection, self.done, _number(self._collection.meta("run"))
        counts = {"added": 0, "changed": 0, "unchanged": 0, "deleted": 0}
        unread = list(page.unread)
        with collection.transaction():
            for number, item in enumerate(page.items, 1):
                if item.record is None:
                    counts["deleted"] += collection.delete(
                        item.key, datestamp=item.datestamp, run=run
                    )
                    continue
                try:
                    counts[
                        collection.put(item.key, item.record, datestamp=item.datestamp, run=run)
                    ] += 1
                except ValueError as exc:
                    unread.append(Unread(number, f"{item.key}: {exc}"))
                    collection.keep(item.key, run=run)
            for key in page.there:
                collection.keep(key, run=run)
            if not collection.meta("began"):
                collection.note(began=earlier(page.date, self._now()))
            collection.note(
                listed=str(_number(collection.meta("listed")) + len(page.items) + len(page.unread))
            )
            if page.token:
                collection.note(token=page.token)
            else:
                counts["deleted"] += self._finish(
                    run, done.size if page.size is None else page.size
                )
        done.pages += 1
        done.seen += len(page.items) + len(page.unread)
        for name, count in counts.items():
            setattr(done, name, getattr(done, name) + count)
        done.lost += len(unread)
        done.unread += unread[: max(0, TOLD - len(done.unread))]
        done.size = done.size if page.size is None else page.size
        done.notes += [note for note in page.notes if note not in done.notes]

    def _look_for_an_end(self, page: OaiPage) -> None:
        """Raise BadAnswer where the list would never end."""
        place = hash((page.token, page.items[0].key if page.items else ""))
        self._empty = 0 if page.items or page.unread else self._empty + 1
        if page.token and (place in self._asked or self._empty >= MOST_EMPTY):
            what = (
                "many pages without a record"
                if self._empty >= MOST_EMPTY
                else "the same page twice"
            )
            raise BadAnswer(
                self._collection.file.stem,
                f"the repository sends {what}",
                advice="The records that came are kept. Please report it to the repository.",
            )
        self._asked.add(place)

    def _finish(self, run: int, size: int | None) -> int:
        """End a list of `size` records; returns how many records were deleted because the
        repository no longer lists them.
        """
        collection, listed = self._collection, _number(self._collection.meta("listed"))
        sweeps = bool(collection.meta("sweeps"))
        if sweeps and size is not None and listed < size:
            self.done.notes.append(
                f"the repository listed {listed:,} of {size:,} records; the others were kept"
            )
            sweeps = False
        swept = collection.sweep(run) if sweeps else 0
        began, until, first = (
            collection.meta("began"),
            collection.meta("asked_until"),
            collection.meta("asked_from"),
        )
        reached = min(filter(None, (began, until)), default="")
        known = collection.meta("harvested")
        # After a harvest of later dates only, the dates between are still missing.
        covers_the_last = not known or not first or first <= known
        if reached and covers_the_last:
            collection.note(harvested=max(reached, known) if until else reached)
        collection.note(token="", began="", sweeps="", listed="")
        return swept

    def _refusal(self, error: OaiError) -> SourceSaysError:
        advice = {
            "cannotDisseminateFormat": "Choose another format with --prefix; every repository has "
            "oai_dc.",
            "noSetHierarchy": "Leave --set out.",
            "badArgument": "Check --set, --from and --until.",
            "badResumptionToken": "Run the harvest again.",
        }.get(error.code)
        return SourceSaysError(
            self._collection.file.stem,
            f"the repository answered: {error}",
            url=self._order.url,
            advice=advice,
        )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
