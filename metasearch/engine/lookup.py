"""Look up a list of works: the cheapest requests first, further databases for what is still open.

A work is asked for by its identifiers, as many in one request as a database takes (`[lookup]` of
its spec), and by its title where that leaves it open. Databases of large requests are asked first,
a few of them at once; the others one after the other, for each of their requests names one work.
Requests, limits, pauses and the page cache are those of a search (`Engine.inquiry`).
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import re
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Literal, NamedTuple, TypeVar

import orjson

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.checks import LOOKUP_FIELDS, LOOKUP_ONLY
from metasearch.adapters.specs.specfile import SourcesLike, names_of
from metasearch.adapters.translate.plan import all_names, plan_lookup
from metasearch.bib import record_json
from metasearch.bib.identifiers import arxiv_doi, arxiv_id
from metasearch.bib.normalise import has_cjk, normalize, words
from metasearch.bib.work_ids import identifiers
from metasearch.dedup import DedupStrategy, OnlineDedup
from metasearch.dedup.people import families, persons, relation
from metasearch.engine.inquiry import Inquirer, Planner
from metasearch.engine.options import SearchOptions
from metasearch.engine.resolve import sources_of
from metasearch.errors import CannotAsk, SourceError, UsageError
from metasearch.events import Answer, Counts, SourceReport
from metasearch.events import Status as RunStatus
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.simple import to_text
from metasearch.query.tree import And, Query, Term, conjunction, disjunction, plain, terms
from metasearch.record import Hit, Record

#: Works of one list.
MOST_WORKS = 100_000
#: The group of sources that are asked where neither the caller nor the configuration names any.
GROUP = "lookup"
#: The group of those that are asked besides, for identifiers that none of them takes.
RARE_GROUP = "lookup-rare"
#: Databases that are asked at once, if one request of theirs names many works.
AT_ONCE = 3
#: Works that are looked up at a time, so that the first are known soon.
A_PART = 500
#: Records that are read for each work that is asked for by its title.
A_TITLE = 5
#: Words of a title that are asked for; and the fewest that find it without an author.
WORDS, FEW_WORDS = 8, 3
#: Characters of a title in Chinese that find it without an author.
LONG_CJK = 8
#: The share of the words of one title that stand in the other, if both may be one.
NEAR = 0.6
_WORD = late_pattern(r"[^\W_]+")
#: Words too short to find anything by are left out of a query.
_SHORT = 2

T = TypeVar("T")
Status = Literal["found", "empty", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions:
    """What a list of works is looked up with.

    Attributes:
        sources: Names of sources and groups; None asks the default sources of the configuration,
            or the group "lookup" where it has none.
        timeout: Seconds for one answer; None takes that of a search.
        cache: Whether pages may come from the cache.
        user: As in `SearchOptions`.
    """

    sources: SourcesLike | None = None
    timeout: float | None = None
    cache: bool = True
    user: Hashable = None


@dataclass(frozen=True, slots=True)
class WantedWork:
    """A work that is looked up. `record`: its identifiers, or its title with whatever else is
    known. `key`: names it among the works of the list.
    """

    key: str
    record: Record


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """How a source answered for one work.

    Attributes:
        status: "found": it gave a record of the work, or one like it. "failed": it gave no answer,
            so it may know the work.
        fields: What it was asked by: identifiers, "title".
        error: Why it failed; None where it answered.
    """

    source: str
    status: Status
    fields: tuple[str, ...]
    error: SourceError | None = None


#: A source, and what it is asked by.
_AskedSource = tuple[str, list["_Step"]]


@dataclass(slots=True, eq=False)
class WorkState:
    """What is known of one work so far.

    `records`: those of the work and those whose title is near. `asked`: source -> its outcome.
    `changed`: whether there are new answers since it was last asked whether this is enough.
    """

    work: WantedWork
    records: list[Record] = field(default_factory=list)
    asked: dict[str, SourceOutcome] = field(default_factory=dict)
    changed: bool = True

    def note(
        self, source: str, by: str, records: Iterable[Record], error: SourceError | None = None
    ) -> None:
        """Note an answer of a source, which may have been asked by another field before."""
        found = [record for record in records if record not in self.records]
        self.records += found
        self.changed = True
        status: Status = "failed" if error else "found" if found else "empty"
        fields: tuple[str, ...] = (by,)
        before = self.asked.get(source)
        if before is not None:
            # What it gave counts, and so does what it did not answer.
            fields = (*before.fields, by)
            if before.status == "found" or (before.status == "failed" and status == "empty"):
                status, error = before.status, before.error
        self.asked[source] = SourceOutcome(source, status, fields, error)

    def sort(self, places: Mapping[str, int]) -> None:
        """Put records and outcomes in the order of the sources: what is made of them does not
        depend on which source answered first.
        """
        self.records.sort(key=lambda record: places.get(record.source, len(places)))
        self.asked = dict(sorted(self.asked.items(), key=lambda item: places[item[0]]))


#: A work, and the query by which it is asked for.
_Question = tuple[WorkState, Query]


class _Step(NamedTuple):
    """A field by which a source is asked, for so many works in a request."""

    by: str
    size: int


def is_same_work(wanted: Record, found: Record) -> bool:
    """Whether a record is of the work that is wanted: an identifier is the same, or the title is,
    and neither its year nor its people are others.
    """
    if not work_names(wanted).isdisjoint(work_names(found)):
        return True
    if not (wanted.title and _agree(wanted, found)):
        return False
    if wanted.year and found.year and abs(wanted.year - found.year) > 1:
        return False
    ours, theirs = persons(wanted.byline), persons(found.byline)
    return relation(families(ours), families(theirs), ours, theirs) != "none"


def shares_doi(wanted: Record, found: Record) -> bool:
    """Whether the DOI that is wanted is one of a record; arXiv's number is as good as its DOI."""
    both = work_names(wanted) & work_names(found)
    return any(name.startswith("doi:") for name in both)


def work_names(record: Record) -> set[str]:
    """As `work_ids.identifiers`, and arXiv's number and DOI where there is either."""
    found = set(identifiers(record))
    number = _arxiv_number(record)
    return found | {f"arxiv:{number}", f"doi:{arxiv_doi(number)}"} if number else found


def _arxiv_number(record: Record) -> str | None:
    doi = record.doi or ""
    return record.ids.get("arxiv") or (arxiv_id(doi) if doi.startswith(arxiv_doi("")) else None)


def _agree(wanted: Record, found: Record) -> bool:
    """Whether titles are equal, as far as both go: catalogues cut subtitles."""
    ours, theirs = (words(f"{record.title} {record.subtitle or ''}") for record in (wanted, found))
    short, long = sorted((ours, theirs), key=len)
    return ours == theirs or (len(short) >= FEW_WORDS and long[: len(short)] == short)


@lru_cache(maxsize=4_096)
def _title_words(title: str) -> frozenset[str]:
    return frozenset(words(title))


def is_near(wanted: Record, found: Record) -> bool:
    """Whether titles have so many words in common that both may be meant."""
    ours, theirs = _title_words(wanted.title), _title_words(found.title)
    if not ours or not theirs:
        return False
    if has_cjk(wanted.title) or has_cjk(found.title):
        ours = frozenset("".join(sorted(ours)))
        theirs = frozenset("".join(sorted(theirs)))
    return len(ours & theirs) >= NEAR * min(len(ours), len(theirs))


def known_records(state: WorkState) -> list[Record]:
    """The records that are of the work."""
    return [record for record in state.records if is_same_work(state.work.record, record)]


def is_known(state: WorkState) -> bool:
    """Whether a record is of the work."""
    return bool(known_records(state))


class LookedUp(NamedTuple):
    """A list that was looked up.

    Attributes:
        answer: Its hits in the order of the list, each once; as a search answers.
        missing: The works without a hit.
        hits: Key of a work -> the id of its hit.
    """

    answer: Answer
    missing: tuple[WorkState, ...]
    hits: Mapping[str, str]


def hit_of(records: Iterable[Record], strategy: DedupStrategy) -> Hit | None:
    """Records of one work in one hit; None without any. What the dedup stage holds apart is left
    out but for the largest part.
    """
    merging = OnlineDedup(strategy.chain)
    for record in records:
        merging.insert(record)
    return max(merging.hits(), key=lambda hit: len(hit.records), default=None)


class Journal:
    """Answers of a lookup that is under way, in a file: a lookup that was stopped goes on.

    A line is one answer. What is broken at the end, because the process was killed while it wrote,
    is left out. `path`: made with its folder when the first answer comes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, bytes] = {}
        self._file: IO[bytes] | None = None
        if path.exists():
            for line in path.read_bytes().splitlines():
                try:
                    self._known[orjson.loads(line)["request"]] = line
                except (ValueError, KeyError, TypeError):
                    continue

    def answer(self, request: str) -> list[Record] | None:
        """The records of a request that was answered; None if it was not."""
        if request not in self._known:
            return None
        try:
            entry = orjson.loads(self._known[request])
            return [
                record_json.record_from_json(found, entry["source"], place)
                for place, found in enumerate(entry["records"], 1)
            ]
        except (ValueError, KeyError, TypeError):
            return None

    def keep(self, request: str, source: str, records: Sequence[Record]) -> None:
        """Write an answer. Raises OSError: the file cannot be written."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("ab")
            self._file.write(b"\n")  # ends what broke off
        head = orjson.dumps({"request": request, "source": source})[:-1]
        body = b",".join(map(record_json.record_to_json, records))
        self._file.write(head + b',"records":[' + body + b"]}\n")
        self._file.flush()

    def close(self, *, done: bool) -> None:
        """Close the file; of a lookup that is done nothing is kept."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if done:
            self.path.unlink(missing_ok=True)


class Lookup:
    """A list of works that is looked up while it is iterated: yields the state of each work as soon
    as nothing more is asked for it.

    Args:
        works: In order; each key once.
        is_settled: Whether no further database need be asked for a work.
        journal: Where answers are kept until all is done; None keeps them nowhere. One that is
            open stays so.
        record: Folder to keep every page in that is used.

    Raises:
        UsageError: There are too many works, or no source can be asked.
    """

    def __init__(
        self,
        engine: Inquirer,
        works: Iterable[WantedWork],
        options: LookupOptions,
        is_settled: Callable[[WorkState], bool],
        journal: Journal | Path | None = None,
        record: Path | None = None,
    ) -> None:
        self._engine = engine
        self._record = record
        self._options = options
        self._is_settled = is_settled
        self._closes_journal = isinstance(journal, Path)
        self._journal = Journal(journal) if isinstance(journal, Path) else journal
        self.states = [WorkState(work) for work in itertools.islice(works, MOST_WORKS + 1)]
        if len(self.states) > MOST_WORKS:
            raise UsageError(
                message("the list has more than {most} works", most=f"{MOST_WORKS:,}"),
                advice=message("Look it up in parts."),
            )
        named = names_of(options.sources)
        names = None if named is None else [str(name) for name in named]
        if names is None and engine.settings.default_sources is None:
            names = [GROUP] if GROUP in engine.registry.groups else None
        self.sources = usual = sources_of(engine.registry, names)
        has_rare = any(not LOOKUP_ONLY.isdisjoint(state.work.record.ids) for state in self.states)
        if names == [GROUP] and has_rare and RARE_GROUP in engine.registry.groups:
            self.sources = sources_of(engine.registry, [GROUP, RARE_GROUP])
        #: Sources that are asked for identifiers alone that no query has.
        self._rare = frozenset(self.sources).difference(usual)
        #: Requests that were made; answers of the journal are not among them.
        self.requests = 0
        #: Works of which all is known.
        self.done = 0

    async def __aiter__(self) -> AsyncIterator[WorkState]:
        await self._engine.ready(self.sources)
        try:
            waves = [*self._waves()]
            places = {source: place for place, source in enumerate(self.sources)}
            for part in batches(self.states, A_PART):
                open_ = list(part)
                for wave in waves:
                    if not open_:
                        break
                    await asyncio.gather(*(self._ask(name, steps, open_) for name, steps in wave))
                    still: list[WorkState] = []
                    for state in open_:
                        if state.changed:
                            state.sort(places)
                        if state.changed and self._is_settled(state):
                            self.done += 1
                            yield state
                        else:
                            state.changed = False
                            still.append(state)
                    open_ = still
                for state in open_:
                    self.done += 1
                    yield state
        finally:
            if self._journal is not None and self._closes_journal:
                self._journal.close(done=self.done == len(self.states))

    def result(self) -> LookedUp:
        """What is known of all works by now."""
        hits: dict[str, Hit] = {}
        named: dict[str, str] = {}
        missing: list[WorkState] = []
        for state in self.states:
            hit = self.hit(state)
            if hit is None:
                missing.append(state)
            else:
                named[state.work.key] = hit.id
                hits.setdefault(hit.id, replace(hit, rank=len(hits) + 1))
        received = sum(len(hit.records) for hit in hits.values())
        reports = tuple(self._report(name) for name in self.sources)
        answer = Answer(
            query="",
            complete=not any(report.failed for report in reports),
            counts=Counts(received, len(hits), received - len(hits)),
            hits=tuple(hits.values()),
            sources=reports,
        )
        return LookedUp(answer, tuple(missing), named)

    def hit(self, state: WorkState) -> Hit | None:
        """A work in one hit, merged from all records that are of it; None without any."""
        return hit_of(known_records(state), self._engine.strategy)

    def _report(self, source: str) -> SourceReport:
        """How a source answered for all works; one failure is that of the source."""
        outcomes = [state.asked[source] for state in self.states if source in state.asked]
        count = sum(outcome.status == "found" for outcome in outcomes)
        failure = next((outcome.error for outcome in outcomes if outcome.error), None)
        if not outcomes:
            return SourceReport(source, "skipped", notes=(message("no work was left to ask for"),))
        status: RunStatus = failure.outcome if failure else "ok" if count else "empty"  # type: ignore[assignment]
        return SourceReport(source, status, count, error=failure)

    def _waves(self) -> Iterator[list[_AskedSource]]:
        """The sources that are asked at once, with their steps: identifiers before titles, and
        large requests before those that name one work.
        """
        for fields in (LOOKUP_FIELDS[:-1], LOOKUP_FIELDS[-1:]):
            several: list[_AskedSource] = []
            single: list[_AskedSource] = []
            for name in self.sources:
                sizes = _sizes(self._engine.registry.spec(name))
                steps = [
                    _Step(by, sizes[by])
                    for by in fields
                    if sizes.get(by) and (name not in self._rare or by in LOOKUP_ONLY)
                ]
                if steps:
                    (several if max(step.size for step in steps) > 1 else single).append(
                        (name, steps)
                    )
            several.sort(key=lambda asked: -max(step.size for step in asked[1]))
            yield from map(list, batches(several, AT_ONCE))
            yield from ([asked] for asked in single)

    async def _ask(self, source: str, steps: Sequence[_Step], states: Sequence[WorkState]) -> None:
        """Ask a source for works by each field that they have, as many requests at once as it
        allows.
        """
        spec = self._engine.registry.spec(source)
        asked: list[tuple[str, Sequence[_Question]]] = []
        for step in steps:
            questions = [
                (state, query)
                for state in states
                if (query := _query_of(state.work.record, step.by)) is not None
            ]
            # Few databases take an author in one of several parts that "or" joins.
            single = [asked for asked in questions if _names_author(asked[1])]
            several = [asked for asked in questions if not _names_author(asked[1])]
            asked += ((step.by, batch) for batch in batches(several, step.size))
            asked += ((step.by, batch) for batch in batches(single, 1))
        await act_on_each(
            spec.limits.concurrency, asked, lambda batch: self._ask_for(source, *batch)
        )

    async def _ask_for(self, source: str, by: str, questions: Sequence[_Question]) -> bool:
        """Ask a source for some works in one request. Returns whether there was an answer for any
        of them.
        """
        states = [state for state, _ in questions]
        query = disjunction(query for _, query in questions)
        most = len(states) * (A_TITLE if by == "title" else 2)
        name, records = "", None
        if self._journal is not None:
            name = hashlib.sha256(f"{source} {most} {to_text(query)}".encode()).hexdigest()[:32]
            records = self._journal.answer(name)
        if records is None:
            options = self._options
            asking = self._engine.inquiry(
                SearchOptions(
                    query=query,
                    sources=(source,),
                    timeout=options.timeout,
                    cache=options.cache,
                    user=options.user,
                ),
                record=self._record,
            )
            planner = _planner_of(self._engine.registry.spec(source), by, query)
            answer = await asking.records(source, most, planner=planner)
            self.requests += len(answer.requests)
            if isinstance(answer.report.error, CannotAsk):
                return True
            if answer.report.error is not None:
                if answer.report.status == "error" and len(states) > 1:
                    return await self._ask_in_halves(source, by, questions, answer.report.error)
                _note_failure(source, by, states, answer.report.error)
                return False
            records = list(answer.records)
            if self._journal is not None:
                self._journal.keep(name, source, records)
        alone = len(states) == 1 and by != "title"
        if alone and by in LOOKUP_ONLY:
            named = {by: states[0].work.record.ids[by]}
            records = [replace(record, ids={**record.ids, **named}) for record in records[:1]]
        # Of an answer that is cut, the records of one work may be behind those of another. And an
        # identifier may have been merged into another one, which its record bears; asked for alone,
        # it tells whose it is.
        is_cut = len(states) > 1 and (
            len(records) >= most or (by in LOOKUP_ONLY and _has_stray(states, records))
        )
        left: list[_Question] = []
        of_record = [(record, work_names(record)) for record in records]
        for state, query in questions:
            wanted, names = state.work.record, work_names(state.work.record)
            mine = [
                record
                for record, own in of_record
                if (alone and not wanted.title)
                or not names.isdisjoint(own)
                or is_near(wanted, record)
                or (wanted.title and is_same_work(wanted, record))
            ]
            if is_cut and not any(is_same_work(wanted, record) for record in mine):
                left.append((state, query))
            else:
                state.note(source, by, mine)
        for half in (left[: len(left) // 2], left[len(left) // 2 :]):
            if half:
                await self._ask_for(source, by, half)
        return True

    async def _ask_in_halves(
        self, source: str, by: str, questions: Sequence[_Question], error: SourceError
    ) -> bool:
        """Ask again for what a source refused, so that one odd work costs no other. A source that
        answers for nothing of the one half is not asked for the other.
        """
        middle = len(questions) // 2
        if await self._ask_for(source, by, questions[:middle]) or middle == 1:
            return await self._ask_for(source, by, questions[middle:]) or middle > 1
        _note_failure(source, by, [state for state, _ in questions[middle:]], error)
        return False


def _has_stray(states: Sequence[WorkState], records: Sequence[Record]) -> bool:
    """Whether a record is of none of the works that were asked for."""
    wanted = set().union(*(work_names(state.work.record) for state in states))
    return any(wanted.isdisjoint(work_names(record)) for record in records)


def _note_failure(source: str, by: str, states: Sequence[WorkState], error: SourceError) -> None:
    for state in states:
        state.note(source, by, (), error)


def _sizes(spec: AdapterSpec) -> Mapping[str, int]:
    """Field -> how many works one request of a source can name; 0 where it cannot be asked."""
    known = set(spec.query.fields) if spec.query.style == "expression" else set()
    known |= all_names(spec.request)
    known |= all_names(spec.lookup_request) if spec.lookup_request is not None else set()
    return {
        by: spec.lookup.get(by, 1) if by in known or by == "title" else 0 for by in LOOKUP_FIELDS
    }


def _planner_of(spec: AdapterSpec, by: str, query: Query) -> Planner | None:
    """What makes the request for the works of a query, if the source has one for them."""
    template = spec.lookup_request
    if template is None or by not in all_names(template):
        return None
    return partial(plan_lookup, by, [term.text for term in terms(query)])


async def act_on_each(
    workers: int, items: Iterable[T], act: Callable[[T], Awaitable[object]]
) -> None:
    """Act on each item, on so many at once, and on the next one where one is done."""
    left = iter(items)

    async def work() -> None:
        for item in left:
            await act(item)

    await asyncio.gather(*(work() for _ in range(workers)))


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _query_of(record: Record, by: str) -> Query | None:
    """The query that finds a work by a field; None where it has no such value."""
    match by:
        case "title":
            return _title_query(record)
        case "isbn":
            return Term(record.isbn[0], by) if record.isbn else None
        case "doi":
            number = _arxiv_number(record)
            is_arxivs = not record.doi or record.doi.startswith(arxiv_doi(""))
            value = arxiv_doi(number) if number and is_arxivs else record.doi
        case "arxiv":
            value = _arxiv_number(record)
        case _:
            value = record.ids.get(by)
    return Term(value, by) if value else None


def _names_author(query: Query) -> bool:
    return isinstance(query, And) and any(
        isinstance(part, Term) and part.field == "author" for part in query.parts
    )


def _title_query(record: Record) -> Query | None:
    # A mark of its own would end a word.
    title = normalize("NFC", plain(record.title))
    main = re.split(r"[:：]\s", title, maxsplit=1)[0]
    found = _WORD.findall(main)
    if len(found) < FEW_WORDS:
        found = _WORD.findall(title)
    telling = [
        word for word in found if len(word) > _SHORT or word.isdecimal() or has_cjk(word)
    ] or found
    parts = [Term(word, "title") for word in telling[:WORDS]]
    # In Chinese a title is one long word.
    is_telling = has_cjk(title) and len(main) >= LONG_CJK
    if 0 < len(parts) < FEW_WORDS and record.byline and not is_telling:
        author = record.byline[0]
        parts.append(Term(author.family or author.name, "author"))
    return conjunction(*parts) if parts else None
