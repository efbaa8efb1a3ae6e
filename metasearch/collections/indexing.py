"""Fills a collection with the records of files, in all formats of `metasearch.formats.reading`, or
of a repository that speaks OAI-PMH.

The collection stores which folders and files were named, and each file that was read. The next
time, a file with the same size and time of change is not opened, and one with the same content is
not parsed. The records of a file that is gone are deleted.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from metasearch import opening
from metasearch.adapters.parse.records import Unread
from metasearch.collections.oai import (
    Identity,
    OaiClient,
    OaiError,
    OaiPage,
    arguments_of,
    before,
    earlier,
    fitting,
)
from metasearch.collections.store import Collection, KnownFile
from metasearch.errors import (
    BadAnswer,
    CollectionError,
    FileFormatError,
    SourceSaysError,
    UsageError,
)
from metasearch.formats.reading import MOST_BYTES, FileProblem, read_content
from metasearch.formats.reading.files import (
    Content,
    Input,
    gather,
    not_opened,
    too_large,
    unreadable,
)
from metasearch.formats.text import line

#: Problems of one file that are kept; all of them are counted.
TOLD = 100

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class FileReport:
    """A file that was read. `error`: why it could not be, or None; then old records stay."""

    name: str
    records: int = 0
    lost: int = 0
    problems: list[FileProblem] = field(default_factory=list)
    error: FileFormatError | None = None


@dataclass(slots=True)
class Indexed:
    """The result of indexing.

    Attributes:
        read: Files that were new or changed.
        unchanged: Number of files that were not.
        gone: Number of files that are no longer there.
        removed: Number of their records, which were deleted.
        notes: Files that were named and not read, as sentences.
    """

    read: list[FileReport] = field(default_factory=list)
    unchanged: int = 0
    gone: int = 0
    removed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        """Records of the files that were read."""
        return sum(file.records for file in self.read)

    @property
    def lost(self) -> int:
        """Records of the files that could not be read."""
        return sum(file.lost for file in self.read)

    @property
    def failed(self) -> int:
        """Files that could not be read at all."""
        return sum(file.error is not None for file in self.read)


def roots_of(collection: Collection) -> list[Path]:
    """The folders and files that were named for a collection, in all runs."""
    text = collection.meta("roots")
    return [Path(path) for path in orjson.loads(text)] if text else []


def index(
    named: Sequence[Path], collection: Collection, progress: Progress = lambda _done, _of: None
) -> Indexed:
    """Update a collection from its files.

    `progress`: called with the number of files done and the number of all files. Raises UsageError:
    a file or folder is not there, or a folder holds no file that can be read; CollectionError: the
    collection cannot be written.
    """
    known_roots = roots_of(collection)
    roots = [_root(path) for path in named]
    if not named:
        if not known_roots:
            raise UsageError("this collection has no files yet", advice="Name a folder or files.")
        roots = [path for path in known_roots if path.exists()]
    known, missing = collection.files(), [path for path in known_roots if not path.exists()]
    out = Indexed()
    placed: dict[str, tuple[Input, Path]] = {}
    for root in roots:
        files, notes = _gathered(root, known)
        out.notes += notes
        placed |= {_stored(os.path.realpath(file.path)): (file, root) for file in files}
    with collection.transaction():
        every = dict.fromkeys([*map(str, known_roots), *map(str, roots)])
        collection.note(roots=orjson.dumps(list(every)).decode())
        for path, file in known.items():
            looked_through = Path(file.root) in roots or (not named and Path(file.root) in missing)
            if looked_through and path not in placed:
                out.gone += 1
                out.removed += collection.drop_file(file.id)
    for number, (path, (input_file, root)) in enumerate(placed.items()):
        progress(number, len(placed))
        _update(path, input_file, root, known.get(path), collection, out)
    progress(len(placed), len(placed))
    return out


def _root(path: Path) -> Path:
    """The path without links. Raises UsageError: the name is not in UTF-8, so is not stored."""
    real = os.path.realpath(path)
    if _stored(real) != real:
        raise UsageError(
            f"the name of {_stored(real)} is not in UTF-8", advice="Give it another name."
        )
    return Path(real)


def _stored(path: str) -> str:
    r"""A path as the collection stores it: bytes of a file name that are not UTF-8 become \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _gathered(root: Path, known: dict[str, KnownFile]) -> tuple[tuple[Input, ...], tuple[str, ...]]:
    """(files of a root, notes); no files where a folder that had some is empty now."""
    try:
        gathered = gather([root])
    except UsageError:
        if root.is_dir() and any(file.root == str(root) for file in known.values()):
            return (), ()
        raise
    return gathered.files, gathered.notes


def _update(
    path: str,
    file: Input,
    root: Path,
    known: KnownFile | None,
    collection: Collection,
    out: Indexed,
) -> None:
    """Update the collection from one file."""
    name = line(os.path.relpath(path, root) if root.is_dir() else Path(path).name) or file.name
    try:
        stat = file.path.stat()
        size, changed = stat.st_size, stat.st_mtime_ns
        if known is not None and (known.size, known.changed) == (size, changed):
            out.unchanged += 1
            return
    except OSError as exc:
        out.read.append(FileReport(name, error=not_opened(name, exc)))
        return
    try:
        with opening.opened(file.path) as stream:
            _read_into(path, name, stream, (size, changed), root, known, collection, out)
    except (OSError, MemoryError) as exc:
        error = not_opened(name, exc) if isinstance(exc, OSError) else unreadable(name, exc)
        out.read.append(FileReport(name, error=error))


def _read_into(
    path: str,
    name: str,
    file: io.BufferedReader,
    stamp: tuple[int, int],
    root: Path,
    known: KnownFile | None,
    collection: Collection,
    out: Indexed,
) -> None:
    size, changed = stamp
    if size > MOST_BYTES:
        out.read.append(FileReport(name, error=too_large(name, MOST_BYTES)))
        return
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    if known is not None and known.digest == digest:
        with collection.transaction():
            collection.put_file(
                path, str(root), size=size, changed=changed, digest=digest, lost=known.lost
            )
        out.unchanged += 1
        return
    report = FileReport(name)
    out.read.append(report)
    try:
        reading = read_content(Content(file, name, MOST_BYTES))
    except FileFormatError as exc:
        report.error = exc
        return
    report.problems = reading.problems[:TOLD]
    report.lost = reading.lost
    with collection.transaction():
        number = collection.put_file(
            path, str(root), size=size, changed=changed, digest=digest, lost=report.lost
        )
        collection.empty_file(number)
        for entry in reading.entries:
            key = _key(name, entry.record.source_id, entry.record.position, collection)
            try:
                collection.put(key, replace(entry.record, source_id=key), file=number)
            except ValueError as exc:
                report.lost += 1
                report.problems.append(
                    FileProblem(entry.line, f"the record cannot be kept: {exc}", lost=1)
                )
            else:
                report.records += 1
        collection.put_file(
            path, str(root), size=size, changed=changed, digest=digest, lost=report.lost
        )


def _key(name: str, source_id: str, position: int, collection: Collection) -> str:
    """The key of a record: "folder/file.ris:id", or with its place "folder/file.ris:@3" where the
    file has no id for it.
    """
    key = f"{name}:{source_id}" if source_id else f"{name}:@{position}"
    while collection.has(key):  # a file of the same name in another folder
        key += "+"
    return key


# A harvest: each page is one transaction, so the next harvest resumes where one was interrupted.
# The table `meta` of a collection holds of its repository:
#
#     url prefix set             what is harvested
#     repository deletes seconds how the repository describes itself
#     harvested                  the date from which the next harvest asks: when the last complete
#                                harvest began, by the repository's clock or ours, whichever was
#                                earlier
#     run                        the number of the current or last harvest
#     token began asked_from asked_until sweeps listed
#                                the harvest that is not complete; "" where there is none

#: A repository's index may lag behind its clock, so a harvest asks from this long before the last
#: one. A record that is fetched twice is stored once; a missed record would never be fetched.
OVERLAP = timedelta(hours=1)
#: Problems of single records that are kept for the report.
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
class Harvested:
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


HarvestProgress = Callable[[Harvested], None]


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
        self.done = Harvested()

    async def run(self) -> Harvested:
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
                        "the resumption token had expired, so the harvest began again"
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
            known = self._collection.meta(name)
            if self._collection.meta("url") and known != mine:
                what = {"url": "the repository", "prefix": "the format", "set": "the set"}[name]
                raise CollectionError(
                    str(self._collection.file),
                    f"{what} of this collection is {known or 'everything'}, "
                    f"not {mine or 'everything'}",
                    advice="Harvest into another collection, with --name.",
                )

    def _resumed(self) -> dict[str, str] | None:
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

    def _begun(self, identity: Identity) -> dict[str, str]:
        """The arguments of a new harvest, whose beginning is stored in the collection."""
        order, collection = self._order, self._collection
        first = order.first or ("" if order.full else before(collection.meta("harvested"), OVERLAP))
        first, until = fitting(first, identity), fitting(order.until, identity)
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

    def _refused(self, error: OaiError) -> SourceSaysError:
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
