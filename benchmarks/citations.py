"""What a citation search finds and costs, on a generated graph behind four simulated indexes.

    python3 tasks.py bench citations [--works N] [--large-seeds N]

Works cite older ones, mostly of their own topic. Some have a preprint that is cited beside them,
some stand in one index under two records. Each index answers in the shape of a real one, holds a
part of the citations, by hash, and one of them fails. What is measured: whether every citation that
an answering index holds is found, duplicates among what is found, whether what is missing is told,
requests, sums, and where the relevant works are in the list. Then the costs of a large search.

Exits 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit

from metasearch.adapters.request import Page, Request, public
from metasearch.demo.catalogue import dice
from metasearch.engine.citation_result import CitationResult
from metasearch.engine.citations import CitationOptions, CitationSearch
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.record import Record
from metasearch.settings import Settings

#: Index -> its part of all citations.
SHARES: Mapping[str, float] = {
    "openalex": 0.8,
    "semanticscholar": 0.7,
    "crossref": 0.62,
    "opencitations": 0.55,
}
#: Parts of the works that have a preprint, and that stand in OpenAlex twice; and of the citations
#: of the former, the part of those that name the preprint.
PREPRINTS, TWINS, TO_PREPRINT = 0.2, 0.03, 0.3
#: How many topics there are, and which part of its citations a work has in its own one.
TOPICS, OWN_TOPIC = 40, 0.7
#: The goals: share of duplicates; share of the relevant works in the first third; seconds of CPU
#: and megabytes of the large search.
DUPLICATES, FIRST_THIRD, SECONDS, MEGABYTES = 0.005, 0.9, 60.0, 400.0
_FAMILIES = (
    "Adler Baum Castillo Dvorak Eriksen Farkas Gruber Hansen Ivanova Jansen Kowalski Lindqvist "
    "Moreau Novak Okafor Petrov Quinn Rossi Sato Tanaka Ueda Vasquez Weber Xu Yilmaz Zhang"
).split()
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


@dataclass(frozen=True, slots=True)
class Work:
    """A work of the graph. `preprint`: whether arXiv has a version. `twin`: whether OpenAlex has it
    twice.
    """

    number: int
    topic: int
    title: str
    year: int
    author: str
    preprint: bool
    twin: bool

    @property
    def doi(self) -> str:
        return f"10.5555/g{self.number}"

    @property
    def arxiv(self) -> str:
        return f"{20 + self.number % 6}01.{self.number % 100_000:05}"

    @property
    def preprint_doi(self) -> str:
        return f"10.48550/arxiv.{self.arxiv}"

    @property
    def openalex(self) -> list[str]:
        """The record of the work, that of its preprint, and its twin."""
        number = 1_000_000 + self.number
        found = [f"W{number}"]
        found += [f"W{number + 1_000_000}"] * self.preprint
        return found + [f"W{number + 2_000_000}"] * self.twin

    @property
    def s2(self) -> str:
        return f"{self.number:040x}"


@dataclass
class Graph:
    """Works and their citations: the numbers of those that each cites."""

    works: list[Work]
    cites: list[list[int]]

    @classmethod
    def of(cls, size: int, references: int = 15, seed: int = 40) -> Graph:
        """A graph of so many works, each of which cites so many, most of its own topic."""
        rng = random.Random(seed)

        def word() -> str:
            return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4)))

        common = [word() for _ in range(2_000)]
        own = [[word() for _ in range(60)] for _ in range(TOPICS)]
        works, cites = [], []
        of_topic: dict[int, list[int]] = defaultdict(list)
        for number in range(size):
            topic = number % TOPICS
            title = " ".join([*rng.sample(own[topic], 3), *rng.sample(common, 5)])
            works.append(
                Work(
                    number,
                    topic,
                    title.capitalize(),
                    1990 + 35 * number // size,
                    f"{rng.choice(_FAMILIES)}{rng.choice(_SYLLABLES)}{rng.choice(_SYLLABLES)}",
                    rng.random() < PREPRINTS,
                    rng.random() < TWINS,
                )
            )
            near, chosen = of_topic[topic], set()
            for _ in range(references):
                if near and rng.random() < OWN_TOPIC:
                    chosen.add(rng.choice(near))
                elif number:
                    chosen.add(rng.randrange(number))
            cites.append(sorted(chosen))
            near.append(number)
        return cls(works, cites)

    @cached_property
    def citing(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.works]
        for number, cited in enumerate(self.cites):
            for other in cited:
                found[other].append(number)
        return found

    def holds(self, index: str, citing: int, cited: int) -> bool:
        """Whether an index has a citation."""
        return dice(index, str(citing), str(cited)) < SHARES[index]

    def cited_preprint(self, citing: int, cited: int) -> bool:
        """Whether it is the preprint that is cited."""
        return self.works[cited].preprint and dice(str(citing), str(cited)) < TO_PREPRINT


@dataclass
class Indexes:
    """A transport: the four indexes. `failing`: names of those that refuse everything but look-ups.

    `asked`: every request; `seconds`: what the simulation itself took.
    """

    graph: Graph
    failing: frozenset[str] = frozenset()
    asked: list[Request] = field(default_factory=list)
    seconds: float = 0.0

    @cached_property
    def by_doi(self) -> dict[str, tuple[Work, bool]]:
        """A DOI -> the work, and whether it is that of its preprint."""
        found = {work.doi: (work, False) for work in self.graph.works}
        return found | {work.preprint_doi: (work, True) for work in self.graph.works}

    @cached_property
    def by_openalex(self) -> dict[str, tuple[Work, int]]:
        """An id -> the work, and the place of its record."""
        return {
            name: (work, place)
            for work in self.graph.works
            for place, name in enumerate(work.openalex)
        }

    @cached_property
    def by_title(self) -> dict[str, Work]:
        return {work.title.lower(): work for work in self.graph.works}

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(request)
        began = time.thread_time()
        address = urlsplit(request.url)
        params = dict(public(request.params))
        path = unquote(address.path)
        status, body = getattr(self, f"_{request.source}")(path, params)
        page = Page(request=request, status=status, body=json.dumps(body).encode())
        self.seconds += time.thread_time() - began
        return page

    async def close(self) -> None:
        """Nothing is held."""

    def _titled(self, asked: str) -> list[Work]:
        """The works of titles that a query names."""
        alternatives = asked.lower().replace("(", " ").replace(")", " ").split(" or ")
        words = (" ".join(each.replace(" and ", " ").split()) for each in alternatives)
        return [self.by_title[each] for each in words if each in self.by_title]

    # ------------------------------------------------------------ OpenAlex

    def _openalex(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        asked = params.get("filter", "")
        key, _, values = asked.partition(":")
        named = values.split("|")
        if "openalex" in self.failing and (key == "cites" or "select" in params):
            return 400, {"error": "odd", "message": "fails on purpose"}
        found: list[tuple[Work, int]] = []
        match key:
            case "doi":
                pairs = (self.by_doi.get(name) for name in named)
                found = [(work, int(is_preprint)) for work, is_preprint in filter(None, pairs)]
            case "ids.openalex":
                pairs_ = (self.by_openalex.get(name.upper()) for name in named)
                found = list(filter(None, pairs_))
            case "cites":
                found = self._citing_records(named)
            case _:
                found = [
                    (work, place)
                    for work in self._titled(params.get("search", values))
                    for place in range(len(work.openalex))
                ]
        size, page = int(params["per_page"]), int(params.get("page", "1"))
        shown = found[(page - 1) * size : page * size]
        results = [self._openalex_record(work, place) for work, place in shown]
        if select := params.get("select"):
            results = [{name: record.get(name) for name in select.split(",")} for record in results]
        return 200, {"meta": {"count": len(found)}, "results": results}

    def _citing_records(self, named: Iterable[str]) -> list[tuple[Work, int]]:
        """The records that cite any of some records."""
        citing: dict[int, None] = {}
        for work, place in filter(None, (self.by_openalex.get(name.upper()) for name in named)):
            for number in self.graph.citing[work.number]:
                if (
                    self.graph.holds("openalex", number, work.number)
                    and self._place(number, work) == place
                ):
                    citing[number] = None
        return [(self.graph.works[number], 0) for number in citing]

    def _place(self, citing: int, cited: Work) -> int:
        """Which record of a work another one cites."""
        if self.graph.cited_preprint(citing, cited.number):
            return 1
        is_twin = cited.twin and dice("twin", str(citing), str(cited.number)) < 0.5
        return len(cited.openalex) - 1 if is_twin else 0

    def _openalex_record(self, work: Work, place: int) -> dict[str, Any]:
        cited = [] if place else self._cited("openalex", work)
        is_preprint = work.preprint and place == 1
        is_twin = place > 0 and not is_preprint
        doi = work.preprint_doi if is_preprint else None if is_twin else work.doi
        return {
            "id": f"https://openalex.org/{work.openalex[place]}",
            "doi": doi and f"https://doi.org/{doi}",
            "title": work.title,
            "publication_year": work.year,
            "type": "preprint" if is_preprint else "article",
            "authorships": [{"author": {"display_name": f"Ada {work.author}"}}],
            "referenced_works": [
                f"https://openalex.org/{other.openalex[self._place(work.number, other)]}"
                for other in cited
            ],
        }

    def _cited(self, index: str, work: Work) -> list[Work]:
        return [
            self.graph.works[number]
            for number in self.graph.cites[work.number]
            if self.graph.holds(index, work.number, number)
        ]

    # ------------------------------------------------------------ Semantic Scholar

    def _semanticscholar(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        named, _, direction = path.partition("/paper/")[2].rpartition("/")
        if direction not in ("references", "citations"):
            found = self._titled(params.get("query", ""))
            return 200, {"total": len(found), "data": [self._paper(work) for work in found]}
        if "semanticscholar" in self.failing:
            return 400, {"error": "fails on purpose"}
        scheme, _, value = named.rpartition(":")
        is_doi = scheme == "DOI"
        work = self.by_doi[value][0] if is_doi and value in self.by_doi else self._of_s2(named)
        if work is None:
            return 404, {"error": f"Paper with id {named} not found"}
        if direction == "references":
            papers = [
                {"citedPaper": self._paper(other)} for other in self._cited("semanticscholar", work)
            ]
        else:
            papers = [
                {"citingPaper": self._paper(self.graph.works[number])}
                for number in self.graph.citing[work.number]
                if self.graph.holds("semanticscholar", number, work.number)
            ]
        start, size = int(params["offset"]), int(params["limit"])
        answer = {"offset": start, "data": papers[start : start + size]}
        return 200, answer | ({"next": start + size} if start + size < len(papers) else {})

    def _of_s2(self, name: str) -> Work | None:
        number = int(name, 16) if len(name) == 40 else -1
        return self.graph.works[number] if 0 <= number < len(self.graph.works) else None

    def _paper(self, work: Work) -> dict[str, Any]:
        known = {"DOI": work.doi} | ({"ArXiv": work.arxiv} if work.preprint else {})
        return {
            "paperId": work.s2,
            "title": work.title,
            "year": work.year,
            "authors": [{"name": f"A. {work.author}"}],
            "externalIds": known,
        }

    # ------------------------------------------------------------ Crossref

    def _crossref(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        clauses = (clause.partition(":") for clause in params.get("filter", "").split(","))
        dois = [value.lower() for name, _, value in clauses if name == "doi"]
        pairs = (self.by_doi.get(doi, (None, True)) for doi in dois)
        found = [work for work, is_preprint in pairs if work is not None and not is_preprint]
        if title := params.get("query.title"):
            found = self._titled(title)
        items = []
        for work in found:
            references = []
            for place, other in enumerate(self._cited("crossref", work), 1):
                is_preprint = self.graph.cited_preprint(work.number, other.number)
                doi = other.preprint_doi if is_preprint else other.doi
                references.append({"key": f"ref{place}", "DOI": doi})
            items.append(
                {
                    "DOI": work.doi,
                    "title": [work.title],
                    "type": "journal-article",
                    "author": [{"given": "Ada", "family": work.author}],
                    "issued": {"date-parts": [[work.year]]},
                    "reference": [] if "crossref" in self.failing else references,
                }
            )
        return 200, {"status": "ok", "message": {"total-results": len(items), "items": items}}

    # ------------------------------------------------------------ OpenCitations

    def _opencitations(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        operation, _, doi = path.partition("/doi:")
        work, is_preprint = self.by_doi.get(doi.lower(), (None, False))
        if not path.startswith("/index/"):
            return 200, []
        if "opencitations" in self.failing:
            return 400, {"error": "fails on purpose"}
        if work is None:
            return 200, []
        rows = []
        if operation.endswith("references"):
            for other in [] if is_preprint else self._cited("opencitations", work):
                named = self.graph.cited_preprint(work.number, other.number)
                cited = other.preprint_doi if named else other.doi
                rows.append((work.doi, cited))
        else:
            rows = [
                (self.graph.works[number].doi, doi)
                for number in self.graph.citing[work.number]
                if self.graph.holds("opencitations", number, work.number)
                and self.graph.cited_preprint(number, work.number) == is_preprint
            ]
        return 200, [
            {
                "oci": f"0{place}-0{len(citing)}",
                "citing": f"omid:br/06{citing[9:]} doi:{citing}",
                "cited": f"omid:br/06{cited[9:]} doi:{cited}",
            }
            for place, (citing, cited) in enumerate(rows)
        ]


def settings(names: Iterable[str] = SHARES, concurrency: int = 4) -> Settings:
    """Settings that know the simulated indexes alone."""
    paths = {
        "openalex": "/works",
        "crossref": "/works",
        "semanticscholar": "/graph/v1/paper/search",
        "opencitations": "/meta/v1/metadata/doi:{doi}",
    }
    limits = {"requests": 100_000, "per": 1.0, "concurrency": concurrency, "ttl": 0}
    tables: dict[str, dict[str, Any]] = {
        name: {
            "extends": name,
            "url": f"https://{name}.invalid{paths[name]}",
            "limits": limits | {"with_contact": {}, "with_key": {}},
        }
        for name in names
    }
    return Settings(
        sources=tables,
        default_sources=tuple(tables),
        enrich=(),
        shipped=False,
        cache_dir=None,
        env={},
    )


@dataclass(slots=True)
class Run:
    """A search that is done. `known`: hit -> numbers of the works of its records."""

    search: CitationSearch
    result: CitationResult
    upstream: Indexes
    cpu: float


async def run(upstream: Indexes, seeds: Sequence[int], **options: Any) -> Run:
    graph = upstream.graph
    began = time.process_time()
    async with Engine(settings(), transport=upstream) as engine:
        wanted = [
            WantedWork(str(number), Record(source="", doi=graph.works[number].doi))
            for number in seeds
        ]
        search = engine.cite(wanted, CitationOptions(**options))
        async for _ in search:
            pass
        result = await asyncio.to_thread(search.result)
    cpu = time.process_time() - began - upstream.seconds
    return Run(search, result, upstream, cpu)


def numbers_of(graph: Indexes, records: Iterable[Record]) -> set[int]:
    """The works of some records."""
    found = set()
    for record in records:
        if record.doi:
            found.add(graph.by_doi[record.doi][0].number)
        elif "openalex" in record.ids:
            found.add(graph.by_openalex[record.ids["openalex"]][0].number)
    return found


def missing_links(graph: Graph, seeds: Sequence[int], done: Run) -> tuple[int, int]:
    """How many citations of the seeds answering indexes hold, and how many were not found."""
    got = set()
    for work in done.result.works:
        for number in numbers_of(done.upstream, work.hit.records):
            got |= {(link.source, link.direction, int(link.seed), number) for link in work.links}
    own, held, lost = set(seeds), 0, 0
    for index in SHARES.keys() - done.upstream.failing:
        for seed in seeds:
            ends = {"references": graph.cites[seed], "cited_by": graph.citing[seed]}
            if index == "crossref":
                ends.pop("cited_by")
            for direction, others in ends.items():
                for other in others:
                    pair = (seed, other) if direction == "references" else (other, seed)
                    if other not in own and graph.holds(index, *pair):
                        held += 1
                        lost += (index, direction, seed, other) not in got
    return held, lost


def duplicates(done: Run) -> int:
    """Works that stand in the list more than once, and once for each time more."""
    counts = Counter(
        number
        for work in done.result.works
        for number in numbers_of(done.upstream, work.hit.records)
    )
    return sum(count - 1 for count in counts.values())


def requests_by_index(done: Run) -> Mapping[tuple[str, str], int]:
    """Index and direction -> first requests of lists, without further pages."""
    found: Counter[tuple[str, str]] = Counter()
    for request in done.upstream.asked:
        params = dict(public(request.params))
        path = urlsplit(request.url).path
        asked = params.get("filter", "")
        is_first = params.get("page", "1") == "1" and params.get("offset", "0") == "0"
        if not is_first:
            continue
        if path.endswith("/citations") or "/citations/" in path or asked.startswith("cites:"):
            found[request.source, "cited_by"] += 1
        elif path.endswith("/references") or "/references/" in path or "select" in params:
            found[request.source, "references"] += 1
    return found


def wrong_sums(done: Run) -> list[str]:
    """What does not add up."""
    wrong = []
    result = done.result
    if result.counts.requests != len(done.upstream.asked):
        wrong.append(f"{result.counts.requests} requests told, {len(done.upstream.asked)} made")
    if [work.hit.rank for work in result.works] != list(range(1, len(result.works) + 1)):
        wrong.append("ranks are not 1, 2, 3, ...")
    counts = result.counts
    parts = (
        counts.of_works + counts.of_unknown + counts.of_texts,
        counts.among_seeds,
        counts.duplicates,
    )
    if counts.citations != sum(parts) or min(parts) < 0:
        wrong.append(f"{counts.citations} citations are not {parts}")
    if counts.works != counts.backward + counts.forward + counts.both:
        wrong.append("works are not those backward, forward and both")
    if counts.seeds != counts.found + counts.missing:
        wrong.append("seeds are not those found and missing")
    for report in result.reports:
        if len(report.failed) > report.seeds or (report.failed and report.error is None):
            wrong.append(f"{report.source}: {len(report.failed)} of {report.seeds} failed")
        told = {
            (each.name, link)
            for each in (*result.unknown, *result.texts)
            for link in each.links
            if (link.source, link.direction) == (report.source, report.direction)
        }
        told |= {
            (work.hit.id, link)
            for work in result.works
            for link in work.links
            if (link.source, link.direction) == (report.source, report.direction)
        }
        if len(told) > report.links:
            wrong.append(f"{report.source} {report.direction}: {len(told)} of {report.links}")
    return wrong


class Goals:
    """What was measured, and what of it misses its goal."""

    def __init__(self) -> None:
        self.missed = 0

    def line(self, what: str, value: object, *, goal: str = "", is_met: bool = True) -> None:
        self.missed += not is_met
        mark = "" if is_met else "  MISSED"
        print(f"{what:<58} {value!s:>14}  {goal}{mark}")


async def found_and_told(goals: Goals, works: int) -> None:
    graph = Graph.of(works)
    rng = random.Random(7)
    relevant = [work.number for work in graph.works if work.topic == 7]
    seeds = sorted(rng.sample(relevant[10:], min(40, len(relevant) // 3)))
    for failing in ("semanticscholar", "opencitations"):
        done = await run(Indexes(graph, frozenset({failing})), seeds)
        result = done.result
        print(f"\n{works:,} works, {len(seeds)} seeds, {failing} fails")
        held, lost = missing_links(graph, seeds, done)
        goals.line("citations that answering indexes hold", f"{held:,}")
        goals.line("of them not found", lost, goal="0", is_met=lost == 0)
        double = duplicates(done)
        share = double / max(1, len(result.works))
        goals.line("candidates", f"{len(result.works):,}")
        goals.line(
            "duplicates among them",
            f"{share:.2%}",
            goal=f"at most {DUPLICATES:.1%}",
            is_met=share <= DUPLICATES,
        )
        told = [report for report in result.reports if report.failed]
        names = {report.source for report in told}
        whole = all(len(report.failed) == report.seeds == len(seeds) for report in told)
        goals.line(
            "indexes told as failing",
            ", ".join(sorted(names)),
            goal=f"{failing}, with all seeds",
            is_met=names == {failing} and whole,
        )
        versions = len(seeds) + sum(graph.works[number].preprint for number in seeds)
        twins = sum(graph.works[number].twin for number in seeds)
        for (index, direction), count in sorted(requests_by_index(done).items()):
            size = {"openalex": 50, "crossref": 20}.get(index, 1)
            if index != failing:
                most = math.ceil((versions + (twins if index == "openalex" else 0)) / size)
                goals.line(
                    f"requests to {index}, {direction}",
                    count,
                    goal=f"at most {most}: the versions of the seeds, {size} in one",
                    is_met=count <= most,
                )
        wrong = wrong_sums(done)
        goals.line("sums that do not hold", "; ".join(wrong) or 0, goal="0", is_met=not wrong)
        can_be = set(relevant) - set(seeds)
        places = [
            place
            for place, work in enumerate(result.works)
            if numbers_of(done.upstream, work.hit.records) & can_be
        ]
        third = len(result.works) / 3
        share = sum(place < third for place in places) / max(1, len(places))
        goals.line(
            "relevant works that were found in the first third",
            f"{share:.1%}",
            goal=f"at least {FIRST_THIRD:.0%}",
            is_met=share >= FIRST_THIRD,
        )


async def cost(goals: Goals, count: int, references: int) -> None:
    """A large search, of seeds that are spread over all topics, so that few of them are named
    together.
    """
    graph = Graph.of(100 * count, references=references, seed=41)
    seeds = sorted(random.Random(8).sample(range(10 * count, 90 * count), count))
    upstream = Indexes(graph)
    upstream.by_doi, upstream.by_openalex, upstream.by_title, graph.citing  # noqa: B018 (built)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    done = await run(upstream, seeds)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = len(done.result.works)
    print(f"\n{len(graph.works):,} works, {count:,} seeds")
    named = sum(report.links for report in done.result.reports)
    goals.line("candidates that indexes name", f"{named:,}")
    goals.line("works that they are", f"{found:,}")
    goals.line("requests", f"{len(done.upstream.asked):,}")
    allowed = SECONDS * named / 60_000
    goals.line(
        "seconds of CPU, without the simulation",
        f"{done.cpu:.1f}",
        goal=f"at most {allowed:.0f}",
        is_met=done.cpu <= allowed,
    )
    goals.line(
        "MB more than before",
        f"{after - before:.0f}",
        goal=f"at most {MEGABYTES:.0f}",
        is_met=after - before <= MEGABYTES,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--works", type=int, default=5_000)
    parser.add_argument("--large-seeds", type=int, default=1_000)
    parser.add_argument("--references", type=int, default=15, help="of each work of the large one")
    options = parser.parse_args()
    goals = Goals()
    asyncio.run(found_and_told(goals, options.works))
    if options.large_seeds:
        asyncio.run(cost(goals, options.large_seeds, options.references))
    return int(goals.missed > 0)


if __name__ == "__main__":
    sys.exit(main())
