"""Which works cite some works, and which works these cite: citation searching, backward and
forward, in rounds.

The works that a search begins with are looked up first, so that each is asked for by all
identifiers of all its versions: an index has the citations of a preprint under the preprint.
`[citations]` of a spec says how a source is asked. What an index names by an identifier alone is
looked up, too. All records go through the dedup stage in one order, however fast each source was,
so that a search that was interrupted and went on gives what an uninterrupted one gives.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import (
    AsyncIterator,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from metasearch.adapters.spec import DIRECTIONS, Direction
from metasearch.adapters.specs.checks import LOOKUP_FIELDS
from metasearch.adapters.specs.specfile import SourcesLike, names_of
from metasearch.adapters.translate.plan import plan_relation
from metasearch.bib.work_ids import identifiers
from metasearch.dedup import OnlineDedup
from metasearch.engine.citation_result import (
    CitationCounts,
    CitationResult,
    NamedWork,
    RelatedWork,
    order_of,
)
from metasearch.engine.inquiry import MOST_RECORDS, Inquirer
from metasearch.engine.lookup import GROUP as LOOKUP_GROUP
from metasearch.engine.lookup import (
    MOST_WORKS,
    Journal,
    Lookup,
    LookupOptions,
    WantedWork,
    WorkState,
    act_on_each,
    batches,
    is_known,
    known_records,
    work_names,
)
from metasearch.engine.options import SearchOptions
from metasearch.engine.relations import (
    MOST_A_SEED,
    Link,
    RelationAnswer,
    RelationInquiry,
    RelationReport,
    RelationRequest,
    Seed,
    divide_answer,
    is_identifier,
    requests_for,
    without_references,
)
from metasearch.engine.resolve import sources_of
from metasearch.errors import KeyMissing, SourceError, SwitchedOff, UsageError
from metasearch.message import message
from metasearch.query.tree import Term
from metasearch.record import Hit, Record

#: The group of sources that are asked where none are named.
GROUP = "citations"
#: Works that one round begins with, and rounds of one search.
MOST_SEEDS, MOST_ROUNDS = 5_000, 10
#: Works that one source is asked for in a round, in one direction.
MOST_A_SOURCE = 100_000
#: Requests without an answer, one after the other, after which a source is not asked on.
FAILURES = 10
#: Seconds for all pages of one list.
TIMEOUT = 300.0
#: Records that are assigned to seeds on the event loop; more are in a thread.
FEW_RECORDS = 100
#: Rows of what no index has a record of, and of references that are mere texts, which are kept.
MOST_LISTED = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationOptions:
    """What a citation search is made with.

    Attributes:
        sources: Names of sources and groups; None asks the group "citations".
        directions: "references": the works that the seeds cite (backward); "cited_by": those that
            cite them (forward).
        rounds: How often the works that were found become the next seeds; 1 asks for the
            citations of the seeds alone.
        most_followed: Works that a further round begins with; those that the most citations lead
            to are followed, and the others are told.
        most_records: Records of citations that are received in all; of works that would be asked
            for then, there are more citations than are read.
        timeout: Seconds for one list, all of its pages; None takes `TIMEOUT`, and for look-ups that
            of a search.
        cache: Whether pages may come from the cache.
        user: As in `SearchOptions`.
    """

    sources: SourcesLike | None = None
    directions: tuple[Direction, ...] = DIRECTIONS
    rounds: int = 1
    most_followed: int = MOST_SEEDS
    most_records: int | None = None
    timeout: float | None = None
    cache: bool = True
    user: Hashable = None


class CitationSearch:
    """A citation search that runs while it is iterated: yields how each source answered, as soon as
    it has.

    Args:
        seeds: Each key once.
        journal: Where answers are kept until all is done; None keeps them nowhere.
        record: Folder to keep every page in that is used.

    Raises:
        UsageError: There are too many seeds, or no source can be asked.
    """

    def __init__(
        self,
        engine: Inquirer,
        seeds: Iterable[WantedWork],
        options: CitationOptions,
        journal: Path | None = None,
        record: Path | None = None,
    ) -> None:
        self._engine = engine
        self._record = record
        self._options = options
        self._wanted = list(seeds)
        self._journal = None if journal is None else Journal(journal)
        if len(self._wanted) > MOST_SEEDS:
            raise UsageError(
                message("there are more than {most} works", most=f"{MOST_SEEDS:,}"),
                advice=message("Search from some of them."),
            )
        if not 1 <= options.rounds <= MOST_ROUNDS:
            raise UsageError(message("rounds must be from 1 to {most}", most=MOST_ROUNDS))
        named = names_of(options.sources)
        names = None if named is None else [str(name) for name in named]
        if names is None and GROUP in engine.registry.groups:  # a demo has its own sources alone
            names = [GROUP]
        chosen = sources_of(engine.registry, names)
        self.sources = [
            name
            for name in chosen
            if any(way in engine.registry.spec(name).citations for way in options.directions)
        ]
        if not self.sources:
            raise UsageError(
                message("none of these sources knows citations: {names}", names=", ".join(chosen)),
                advice=message("These do: {names}.", names=", ".join(self._that_know_citations())),
            )
        #: Who is asked for what in each round.
        self.asked = [
            (name, way)
            for name in self.sources
            for way in options.directions
            if way in engine.registry.spec(name).citations
        ]
        self.requests = 0
        self._received = 0
        self.reports: list[RelationReport] = []
        self._merging = OnlineDedup(engine.strategy.chain)
        self._links: dict[str, list[Link]] = defaultdict(list)  # of a record, by its key
        self._named: dict[str, list[Link]] = defaultdict(list)  # of an identifier or text
        self._round_of: dict[str, int] = {}  # key of a record -> the round in which it came
        self._seeds: dict[str, Seed] = {}
        self._known: set[str] = set()  # identifiers of the records that are here
        self._looked_up: set[str] = set()  # identifiers that were named alone
        self._without_id: dict[str, Record] = {}  # records without an id of their source, by key
        self._unasked = 0
        self._lookup_errors: dict[str, SourceError] = {}

    def _that_know_citations(self) -> list[str]:
        """The sources that are asked where none are named."""
        registry = self._engine.registry
        names = sources_of(registry, [GROUP] if GROUP in registry.groups else None)
        ways = self._options.directions
        return [name for name in names if any(way in registry.spec(name).citations for way in ways)]

    async def __aiter__(self) -> AsyncIterator[RelationReport]:
        done = False
        try:
            await self._engine.ready(self.sources)
            given = await self._with_versions([(work, []) for work in self._wanted], 0)
            seeds = await asyncio.to_thread(self._distinct, given)
            for number in range(1, self._options.rounds + 1):
                asked: dict[tuple[str, Direction], RelationAnswer] = {}
                asking = self._round(number, seeds)
                try:
                    for answer in asyncio.as_completed(asking):
                        report, found = await answer
                        asked[report.source, report.direction] = found
                        self.reports.append(report)
                        yield report
                finally:
                    for task in asking:
                        task.cancel()
                    await asyncio.gather(*asking, return_exceptions=True)
                answers = [asked[key] for key in sorted(asked)]
                await asyncio.to_thread(self._take, answers, number)
                await self._complete(number)
                if number < self._options.rounds:
                    fresh = await asyncio.to_thread(self._next_seeds, number)
                    if not fresh:
                        break
                    seeds = await self._with_versions(fresh, number)
            done = True
        finally:
            if self._journal is not None:
                self._journal.close(done=done)

    # ---------------------------------------------------------------- seeds

    async def _with_versions(
        self, known: Sequence[tuple[WantedWork, list[Record]]], number: int
    ) -> list[Seed]:
        """Works and records of them, as seeds with all records that tell how they and their
        versions are called. `number`: the round in which they came.
        """
        works = [work for work, _ in known]
        found = {work.key: records for work, records in known}

        def take(more: Mapping[str, Iterable[Record]]) -> None:
            for key, records in more.items():
                found[key] += [record for record in records if record not in found[key]]

        # Each index has numbers of its own, so each is asked, even where others know the work.
        named = [
            WantedWork(work.key, replace(work.record, title="", subtitle=None))
            for work in works
            if identifiers(work.record)
        ]
        fields = LOOKUP_FIELDS[:-1]
        take(await self._look_up(named, self._of_batches(self.sources, fields), by_all=True))
        unknown = [work for work in works if not found[work.key]]
        take(await self._look_up(unknown, (LOOKUP_GROUP, *self.sources)))
        # Other versions have other identifiers: what is known by one is asked for by its title.
        titled: list[WantedWork] = []
        for work in works:
            records = [record for record in (work.record, *found[work.key]) if record.title]
            if records:
                best = replace(records[0], doi=None, ids={}, isbn=())
                titled.append(WantedWork(work.key, best))
        take(await self._look_up(titled, self._of_batches(self.sources, ("title",)), by_all=True))
        seeds = [Seed(work.key, [work.record, *found[work.key]]) for work in works]
        await asyncio.to_thread(self._add_seeds, seeds, number)
        return seeds

    def _add_seeds(self, seeds: Iterable[Seed], number: int) -> None:
        for seed in seeds:
            self._seeds[seed.key] = seed
            self._known |= seed.names
            seed.records = [
                self._insert(record, number) if record.source and record.title else record
                for record in seed.records
            ]

    def _distinct(self, seeds: Sequence[Seed]) -> list[Seed]:
        """The seeds, each work once: what was given by two identifiers is asked for, and counts in
        the order, as the first of them.
        """
        merged = _Merged.of(self._merging.hits())
        kept: dict[Hashable, Seed] = {}
        for seed in seeds:
            hit = merged.hit(seed)
            same = (seed.names or seed.key) if hit is None else hit.id
            first = kept.get(same)
            if first is None:
                kept[same] = seed
            else:
                more = [record for record in seed.records if record not in first.records]
                kept[same] = self._seeds[first.key] = Seed(first.key, [*first.records, *more])
        return list(kept.values())

    def _next_seeds(self, number: int) -> list[tuple[WantedWork, list[Record]]]:
        """The works that came in a round, which the next one begins with, and their records."""
        fresh: list[Hit] = []
        own = frozenset().union(*(self._seeds[work.key].names for work in self._wanted))
        for hit in self._merging.hits():
            rounds = [self._round_of.get(record.key, number) for record in hit.records]
            names = {name for record in hit.records for name in work_names(record)}
            if min(rounds) == number and names.isdisjoint(own):
                fresh.append(hit)
        most = min(self._options.most_followed, MOST_SEEDS)
        if len(fresh) > most:
            self._unasked += len(fresh) - most
            fresh.sort(key=lambda hit: -sum(len(self._links[each.key]) for each in hit.records))
        return [
            (WantedWork(hit.id, replace(hit.records[0], source="")), list(hit.records))
            for hit in fresh[:most]
        ]

    async def _look_up(
        self, works: Sequence[WantedWork], sources: Sequence[str], *, by_all: bool = False
    ) -> dict[str, list[Record]]:
        """Key of a work -> the records of it that sources have. `by_all`: no source is spared
        because others know the work.
        """
        groups = self._engine.registry.groups
        known = [name for name in sources if name != LOOKUP_GROUP or name in groups]
        if not works or not known:
            return {}
        options = LookupOptions(
            sources=known,
            timeout=self._options.timeout,
            cache=self._options.cache,
            user=self._options.user,
        )
        lookup = Lookup(
            self._engine,
            works,
            options,
            _is_never if by_all else is_known,
            self._journal,
            self._record,
        )
        found = {}
        async for state in lookup:
            order = sorted(known_records(state), key=lambda record: record.key)
            found[state.work.key] = order
            for outcome in state.asked.values():
                if outcome.error is not None:
                    self._lookup_errors.setdefault(outcome.source, outcome.error)
        self.requests += lookup.requests
        return found

    def _of_batches(self, names: Iterable[str], fields: Collection[str]) -> list[str]:
        """The sources that can be asked for several works at once."""
        registry = self._engine.registry
        return [
            name
            for name in names
            if any(registry.spec(name).lookup.get(field, 1) > 1 for field in fields)
        ]

    # ---------------------------------------------------------------- one round

    def _round(
        self, number: int, seeds: Sequence[Seed]
    ) -> list[asyncio.Task[tuple[RelationReport, RelationAnswer]]]:
        asking = []
        for source, direction in self.asked:
            spec = self._engine.registry.spec(source)
            report = RelationReport(source=source, direction=direction, round=number)
            each = RelationInquiry(spec, spec.citations[direction], report)
            asking.append(asyncio.create_task(self._ask(each, seeds)))
        return asking

    async def _ask(
        self, asking: RelationInquiry, seeds: Sequence[Seed]
    ) -> tuple[RelationReport, RelationAnswer]:
        report = asking.report
        questions = requests_for(asking.relation, seeds)
        report.seeds = len({seed.key for asked in questions for seed in asked.seeds})
        # What comes first counts, whatever was answered first; nothing is asked behind the limit.
        answers: list[RelationAnswer | None] = [None] * len(questions)
        first, total = 0, 0

        async def answer(place: int) -> None:
            nonlocal first, total
            if total < MOST_A_SOURCE:
                some = await self._answer(asking, questions[place])
                asking.share(place, some)
                answers[place] = some
            while first < len(answers) and (known := answers[first]) is not None:
                total, first = total + len(known), first + 1

        await act_on_each(asking.spec.limits.concurrency, range(len(questions)), answer)
        found = RelationAnswer()
        for question, some in zip(questions, answers, strict=True):
            if some is None or len(found) >= MOST_A_SOURCE:
                found.cut += [seed.key for seed in question.seeds]
            else:
                found.add(some)
        report.cut = list(dict.fromkeys(found.cut))
        report.failed = sorted(set(report.failed))
        report.unplaced = found.unplaced
        # A record without an id of its source is known by its place, which has to be its own.
        found.records = [
            (
                asking.known[record.key][1]
                if record.source_id
                else replace(record, position=place),
                links,
            )
            for place, (record, links) in enumerate(found.records, 1)
        ]
        linked = {(record.key, link) for record, some in found.records for link in some}
        report.links = len(linked) + len(set(found.names))
        return report, found

    async def _answer(self, asking: RelationInquiry, question: RelationRequest) -> RelationAnswer:
        """What a source names for a request. What it refuses, or has too much of, is asked for in
        halves: so one odd work costs no other.
        """
        relation = asking.relation
        several = len(question.texts) > 1
        most = min(
            (2 if relation.lists else MOST_A_SEED) * len(question.texts),
            MOST_RECORDS,
        )
        if self._is_full:
            return RelationAnswer(cut=[seed.key for seed in question.seeds])
        records, more, error = await self._records(asking, question, most)
        self._received += len(records)
        is_odd = error is not None and error.outcome == "error" and not records
        if several and ((is_odd and asking.failures < FAILURES) or (more and not relation.lists)):
            found = RelationAnswer()
            for half in question.halves():
                found.add(await self._answer(asking, half))
            return found
        if error is not None:
            asking.fail(question, error)
        divide = partial(
            divide_answer, question, records, relation, asking.report.direction, asking.spec.name
        )
        found = divide() if len(records) <= FEW_RECORDS else await asyncio.to_thread(divide)
        if more and error is None:
            found.cut += [seed.key for seed in question.seeds]
        return found

    @property
    def _is_full(self) -> bool:
        most = self._options.most_records
        return most is not None and self._received >= most

    async def _records(
        self, asking: RelationInquiry, question: RelationRequest, most: int
    ) -> tuple[list[Record], bool, SourceError | None]:
        """The records that a source has for a request, further pages included; whether it has more;
        and why it gave no whole answer.
        """
        spec, report = asking.spec, asking.report
        text = asking.relation.join.join(question.texts)
        named = f"{spec.name} {report.direction} {most} {text}"
        name = hashlib.sha256(named.encode()).hexdigest()[:32]
        beyond = f"{name}+"  # there is more
        if self._journal is not None and (kept := self._journal.answer(name)) is not None:
            return kept, self._journal.answer(beyond) is not None, None
        if asking.failures >= FAILURES and asking.error is not None:
            return [], False, asking.error
        options = self._options
        inquiry = self._engine.inquiry(
            SearchOptions(
                query=Term("citations"),
                sources=(spec.name,),
                timeout=options.timeout or TIMEOUT,
                cache=options.cache,
                user=options.user,
            ),
            record=self._record,
        )
        answer = await inquiry.records(
            spec.name,
            most,
            spec=replace(asking.relation.spec, limits=spec.limits, barred=spec.barred),
            planner=partial(plan_relation, text, most),
            whole=len(question.texts) > 1,
        )
        report.requests += len(answer.requests)
        report.sent += answer.requests
        report.spec = answer.spec
        self.requests += len(answer.requests)
        records, error = list(answer.records), answer.report.error
        if error is not None:
            # Without a key, the others cannot be asked either.
            is_shut = isinstance(error, (KeyMissing, SwitchedOff))
            asking.failures = FAILURES if is_shut else asking.failures + 1
            asking.error = asking.error or error
            return records, False, error
        asking.failures, asking.error = 0, None
        more = answer.report.more or len(records) >= most
        if self._journal is not None:
            if more:
                self._journal.keep(beyond, spec.name, [])
            self._journal.keep(name, spec.name, records)
        return records, more, None

    def _take(self, answers: Iterable[RelationAnswer], number: int) -> None:
        for found in answers:
            for record, links in found.records:
                self._links[self._insert(record, number).key] += links
            for name, link in found.names:
                self._named[name].append(link)
            found.records.clear()  # the memory is needed
            found.names.clear()

    def _insert(self, record: Record, number: int) -> Record:
        """Take in a record, if it is new. Returns it with a key that is its own here: a record
        without an id of its source is otherwise known by its place in one of many lists.
        """
        if not record.source_id and self._without_id.get(record.key) != record:
            record = replace(record, position=len(self._without_id) + 1, references=())
            self._without_id[record.key] = record
        if record.key not in self._round_of:
            self._round_of[record.key] = number
            self._known |= work_names(record)
            self._merging.insert(without_references(record))
        return record

    async def _complete(self, number: int) -> None:
        """Look up what was named by an identifier alone."""
        alone = {
            name: links
            for name, links in self._named.items()
            if is_identifier(name) and name not in self._known and name not in self._looked_up
        }
        self._looked_up |= alone.keys()
        wanted = [
            WantedWork(name, record_of_name(name))
            for name in alone
            if name not in self._known and name.partition(":")[0] in LOOKUP_FIELDS
        ]
        registry = self._engine.registry
        group = sources_of(registry, [LOOKUP_GROUP]) if LOOKUP_GROUP in registry.groups else []
        sources = self._of_batches(dict.fromkeys([*group, *self.sources]), LOOKUP_FIELDS[:-1])
        for some in batches(wanted, MOST_WORKS):
            found = await self._look_up(some, sources)
            await asyncio.to_thread(self._insert_all, found, number)

    def _insert_all(self, found: Mapping[str, Iterable[Record]], number: int) -> None:
        for name in sorted(found):
            for record in found[name]:
                self._insert(record, number)

    # ---------------------------------------------------------------- what was found

    def result(self) -> CitationResult:
        """All that is known by now. It takes as long as it takes to merge the records: a server
        calls it in a thread.
        """
        merged = _Merged.of(self._merging.hits())
        hits, by_name = merged.hits, merged.by_name
        keys = [work.key for work in self._wanted]
        first = {key: self._seeds[key] for key in keys if key in self._seeds}
        own_names = frozenset().union(*(seed.names for seed in first.values()))
        seed_hits = {key: merged.hit(seed) for key, seed in first.items()}
        own = {hit.id for hit in seed_hits.values() if hit is not None}
        own |= {by_name[name].id for name in own_names if name in by_name}
        # A work that later rounds began with has the id that it has now.
        now: dict[str, str] = {}
        for key, seed in self._seeds.items():
            hit_now = None if key in first else merged.hit(seed)
            now[key] = key if hit_now is None else hit_now.id
        links: dict[str, list[Link]] = defaultdict(list)
        for hit in hits:
            for record in hit.records:
                links[hit.id] += self._links.get(record.key, ())
        unknown: list[NamedWork] = []
        texts: list[NamedWork] = []
        among: list[Link] = []
        for name, some in self._named.items():
            if name in by_name:
                links[by_name[name].id] += some
            elif name in own_names:
                among += set(some)
            else:
                kind = unknown if is_identifier(name) else texts
                kind.append(NamedWork(name, _sorted(some, now)))
        works = []
        for hit in hits:
            if hit.id in own:
                among += set(links[hit.id])
            elif links[hit.id]:
                rounds = [self._round_of.get(record.key, 1) for record in hit.records]
                works.append(RelatedWork(hit, _sorted(links[hit.id], now), min(rounds)))
        order = order_of(works, first.values())
        works.sort(key=order)
        ranked = (
            replace(work, hit=replace(work.hit, rank=rank)) for rank, work in enumerate(works, 1)
        )
        return CitationResult(
            seeds=seed_hits,
            works=tuple(ranked),
            unknown=tuple(unknown[:MOST_LISTED]),
            texts=tuple(texts[:MOST_LISTED]),
            among=tuple(sorted(link._replace(seed=now[link.seed]) for link in among)),
            reports=tuple(sorted(self.reports, key=attrgetter("round", "source", "direction"))),
            counts=self._counts(seed_hits, works, unknown, texts, len(among)),
            lookup_errors=dict(sorted(self._lookup_errors.items())),
        )

    def _counts(
        self,
        seeds: Mapping[str, Hit | None],
        works: Sequence[RelatedWork],
        unknown: Sequence[NamedWork],
        texts: Sequence[NamedWork],
        among_seeds: int,
    ) -> CitationCounts:
        ways = Counter(frozenset(link.direction for link in work.links) for work in works)
        missing = sum(hit is None for hit in seeds.values())
        citations = sum(report.links for report in self.reports)
        of_works, of_unknown, of_texts = (
            sum(len(work.links) for work in some) for some in (works, unknown, texts)
        )
        return CitationCounts(
            seeds=len(seeds),
            found=len(seeds) - missing,
            missing=missing,
            works=len(works),
            backward=ways[frozenset(("references",))],
            forward=ways[frozenset(("cited_by",))],
            both=ways[frozenset(DIRECTIONS)],
            unknown=len(unknown),
            texts=len(texts),
            citations=citations,
            of_works=of_works,
            of_unknown=of_unknown,
            of_texts=of_texts,
            among_seeds=among_seeds,
            duplicates=citations - of_works - of_unknown - of_texts - among_seeds,
            unfollowed=self._unasked,
            requests=self.requests,
            lookups=self.requests - sum(report.requests for report in self.reports),
        )


def record_of_name(name: str) -> Record:
    """What is known of a work by a name such as "doi:10.1000/abc" alone; see `read_name`."""
    scheme, _, value = name.partition(":")
    match scheme:
        case "doi":
            return Record(source="", doi=value)
        case "isbn":
            return Record(source="", isbn=(value,))
    return Record(source="", ids={scheme: value})


def _is_never(state: WorkState) -> bool:
    return False


def _sorted(links: Iterable[Link], now: Mapping[str, str]) -> tuple[Link, ...]:
    return tuple(sorted({link._replace(seed=now[link.seed]) for link in links}))


class _Merged(NamedTuple):
    """The works so far. `by_record`: the hit of a record, by its key."""

    hits: Sequence[Hit]
    by_record: Mapping[str, Hit]
    by_name: Mapping[str, Hit]

    @classmethod
    def of(cls, hits: Iterable[Hit]) -> _Merged:
        by_record: dict[str, Hit] = {}
        by_name: dict[str, Hit] = {}
        merged = cls(list(hits), by_record, by_name)
        for hit in merged.hits:
            for record in hit.records:
                by_record[record.key] = hit
                for name in work_names(record):
                    by_name.setdefault(name, hit)
        return merged

    def hit(self, seed: Seed) -> Hit | None:
        """That of a seed: of its first record, or of one of its identifiers; of an ISBN only where
        it has no other, for all chapters of a book have that.
        """
        own = sorted(name for name in seed.names if not name.startswith("isbn:"))
        found = (self.by_record.get(record.key) for record in seed.records if record.source)
        named = (self.by_name.get(name) for name in own or sorted(seed.names))
        return next(filter(None, itertools.chain(found, named)), None)
