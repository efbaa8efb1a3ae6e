"""A harvest: a page is one transaction, so that one that is broken off goes on where it was.

What a shelf remembers of its repository, in its table `meta`:

    url prefix set             what is harvested
    repository deletes seconds what the repository says of itself
    harvested                  from when on the next harvest asks: when the last whole one began, by
                               the earlier of their clock and ours
    run                        the number of the harvest that is under way or was the last one
    token began asked_from asked_until sweeps listed    the harvest under way; "" where there is
                                                        none
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from metasearch.adapters.parse.parse import Unread
from metasearch.collections.harvest.client import (
    Identity,
    OaiClient,
    OaiError,
    OaiPage,
    arguments_of,
)
from metasearch.collections.store import Shelf
from metasearch.errors import BadAnswer, ShelfError, SourceSaysError

#: A repository's index may lag behind its clock, so a harvest begins so much before the last one
#: did: what is fetched twice is the same record, and what is missed would be missed for ever.
OVERLAP = timedelta(hours=1)
#: Problems of single records that are kept to be told.
TOLD = 100
#: Pages without a record, one after the other, that are taken for a list that never ends.
MOST_EMPTY = 100
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?")


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be harvested.

    Attributes:
        set: setSpec; "" for everything.
        first, until: Dates of the repository's own, as ISO 8601; "" where the user did not say.
        full: Everything is fetched again, and what the repository no longer has is taken out.
    """

    url: str
    prefix: str = "oai_dc"
    set: str = ""
    first: str = ""
    until: str = ""
    full: bool = False


@dataclass(slots=True)
class Harvested:
    """How a harvest went.

    Attributes:
        resumed: Whether it went on with one that had been broken off.
        since: From when on was asked; "" for everything.
        size: How many records the repository says the list has, or None.
        unread: Records that could not be read: how many, and the first of them.
        notes: What was odd, each once.
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


Progress = Callable[[Harvested], None]


def date_of(text: str) -> str:
    """A date that may be asked for.

    Raises:
        ValueError: It is none.
    """
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a date such as 2024-03-01 or 2024-03-01T12:00:00Z")
    datetime.fromisoformat(text)
    return text


class Harvest:
    """One harvest of one repository onto one shelf.

    Args:
        order: What is to be harvested.
        shelf: Open for writing.
        client: Asks the repository.
        progress: Is told after every page.
        now: Our clock, in UTC.

    Attributes:
        done: How far it is; grows while it runs, and holds what was done where it fails.
    """

    def __init__(
        self,
        order: Order,
        shelf: Shelf,
        client: OaiClient,
        progress: Progress = lambda _: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._order = order
        self._shelf = shelf
        self._client = client
        self._progress = progress
        self._now = now
        self._asked: set[int] = set()
        self._empty = 0
        self.done = Harvested()

    async def run(self) -> Harvested:
        """Fetch until the end of the list.

        Raises:
            ShelfError: The shelf holds another repository, or cannot be written.
            SourceError: The repository cannot be asked; what came is kept, and another harvest goes
                on there.
        """
        self._check()
        identity = await self._client.identify()
        self.done.repository = identity.name
        with self._shelf.transaction():
            self._shelf.note(
                url=self._order.url,
                prefix=self._order.prefix,
                set=self._order.set,
                repository=identity.name,
                deletes=identity.deletes,
            )
        arguments = self._resumed() or self._begun(identity)
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
                        "the resumption token had expired, so the harvest began anew"
                    )
                    arguments = self._begun(identity)
                    continue
                else:
                    raise self._refused(exc) from exc
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
            known = self._shelf.meta(name)
            if self._shelf.meta("url") and known != mine:
                what = {"url": "the repository", "prefix": "the format", "set": "the set"}[name]
                raise ShelfError(
                    str(self._shelf.file),
                    f"{what} of this shelf is {known or 'everything'}, not {mine or 'everything'}",
                    advice="Harvest onto another shelf, with --name.",
                )

    def _resumed(self) -> dict[str, str] | None:
        """The arguments that go on with a harvest that was broken off; None where none was, or
        another is meant.
        """
        token, order = self._shelf.meta("token"), self._order
        same = (order.first, order.until) in (
            ("", ""),
            (self._shelf.meta("asked_from"), self._shelf.meta("asked_until")),
        )
        if not token or order.full or not same:
            return None
        self.done.resumed = True
        self.done.since = self._shelf.meta("since")
        return {"resumptionToken": token}

    def _begun(self, identity: Identity) -> dict[str, str]:
        """The arguments of a new harvest, and its bookkeeping."""
        order, shelf = self._order, self._shelf
        first = order.first or ("" if order.full else _before(shelf.meta("harvested"), OVERLAP))
        first, until = _fitting(first, identity), _fitting(order.until, identity)
        whole = not first and not until
        self.done.since = first
        self.done.resumed = False
        with shelf.transaction():
            shelf.note(
                run=str(_number(shelf.meta("run")) + 1),
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
        """The end of a list without records; where the whole repository was asked for, nothing is
        taken out for it.
        """
        if self._shelf.meta("sweeps") and self._shelf.count:
            with self._shelf.transaction():
                self._shelf.note(sweeps="")
            self.done.notes.append(
                "the repository says suddenly that it holds nothing; what is here was kept"
            )
        return OaiPage((), (), (), "", None, "", ())

    def _take(self, page: OaiPage) -> None:
        """Put a page on the shelf, and remember where to go on; all of that or nothing."""
        self._look_for_an_end(page)
        shelf, done, run = self._shelf, self.done, _number(self._shelf.meta("run"))
        counts = {"added": 0, "changed": 0, "unchanged": 0, "deleted": 0}
        unread = list(page.unread)
        with shelf.transaction():
            for number, item in enumerate(page.items, 1):
                if item.record is None:
                    counts["deleted"] += shelf.delete(item.key, datestamp=item.datestamp, run=run)
                    continue
                try:
                    counts[shelf.put(item.key, item.record, datestamp=item.datestamp, run=run)] += 1
                except ValueError as exc:
                    unread.append(Unread(number, f"{item.key}: {exc}"))
                    shelf.keep(item.key, run=run)
            for key in page.there:
                shelf.keep(key, run=run)
            if not shelf.meta("began"):
                shelf.note(began=_earlier(page.date, self._now()))
            shelf.note(
                listed=str(_number(shelf.meta("listed")) + len(page.items) + len(page.unread))
            )
            if page.token:
                shelf.note(token=page.token)
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
        """Raises BadAnswer where the repository would be asked for ever."""
        place = hash((page.token, page.items[0].key if page.items else ""))
        self._empty = 0 if page.items or page.unread else self._empty + 1
        if page.token and (place in self._asked or self._empty >= MOST_EMPTY):
            what = (
                "page after page without a record"
                if self._empty >= MOST_EMPTY
                else "the same page again and again"
            )
            raise BadAnswer(
                self._shelf.file.stem,
                f"the repository gives {what}",
                advice="What came is kept; write to the repository.",
            )
        self._asked.add(place)

    def _finish(self, run: int, size: int | None) -> int:
        """The list, of `size` records, is at its end; how many records the repository no longer
        has.
        """
        shelf, listed = self._shelf, _number(self._shelf.meta("listed"))
        sweeps = bool(shelf.meta("sweeps"))
        if sweeps and size is not None and listed < size:
            self.done.notes.append(
                f"of {size:,} records the repository listed {listed:,}; what it left out was kept"
            )
            sweeps = False
        swept = shelf.sweep(run) if sweeps else 0
        began, until, first = (
            shelf.meta("began"),
            shelf.meta("asked_until"),
            shelf.meta("asked_from"),
        )
        reached = min(it for it in (began, until) if it) if began or until else ""
        known = shelf.meta("harvested")
        # Where somebody asked for later dates only, what lies between is still to come.
        if reached and (not known or not first or first <= known):
            shelf.note(harvested=max(reached, known) if until else reached)
        shelf.note(token="", began="", sweeps="", listed="")
        return swept

    def _refused(self, error: OaiError) -> SourceSaysError:
        advice = {
            "cannotDisseminateFormat": "Choose another format with --prefix; oai_dc is there "
            "everywhere.",
            "noSetHierarchy": "Leave --set out.",
            "badArgument": "Look at --set, --from and --until.",
            "badResumptionToken": "Run the harvest again.",
        }.get(error.code)
        return SourceSaysError(
            self._shelf.file.stem,
            f"the repository says: {error}",
            url=self._order.url,
            advice=advice,
        )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _before(stamp: str, gap: timedelta) -> str:
    """So much earlier; "" for what is no date, so that everything is fetched."""
    if not stamp:
        return ""
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    try:
        return (when.astimezone(UTC) - gap).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:  # the year 1 has no hour before it
        return ""


def _earlier(stamp: str, now: datetime) -> str:
    """A repository's time, or ours where that is earlier: from a clock that is ahead nothing new
    would ever be found.

    Gives "" for what is no time.
    """
    theirs = _before(stamp, timedelta(0))
    return min(theirs, now.strftime("%Y-%m-%dT%H:%M:%SZ")) if theirs else ""


def _fitting(stamp: str, identity: Identity) -> str:
    """A date in the granularity of the repository: a finer one is an error to it."""
    return stamp if identity.seconds or not stamp else stamp[:10]
