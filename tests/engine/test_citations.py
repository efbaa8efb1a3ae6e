"""Citation searches: whom each citation belongs to, what is looked up, what fails and what is told
of it, and that a search which was interrupted gives what an uninterrupted one gives."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from benchmarks.citations import Graph, Indexes, Work, settings
from metasearch.adapters.request import Page, Request
from metasearch.bib.record_json import record_to_json
from metasearch.engine import citations
from metasearch.engine.citation_result import CitationResult
from metasearch.engine.citations import CitationOptions
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.engine.relations import Link
from metasearch.errors import UsageError
from metasearch.record import Record
from tests.cases import each

ALL = ("openalex", "semanticscholar", "crossref", "opencitations")
#: What each of a few works cites. Work 5 has a preprint, which 7 cites.
CITES = [[], [], [0], [0, 1], [1, 2], [2, 3], [3, 4, 5], [5], [5, 6], [9]]
PREPRINT = 5
TITLES = (
    "Salt marsh birds of the northern coast",
    "Otters and their rivers",
    "Winter feeding of waders",
    "Beavers build dams in spring",
    "Moss gardens under glass",
    "Tidal flats after the storm",
    "Seagrass meadows remembered",
    "A census of dune beetles",
    "Harbour porpoises and noise",
    "Lichens on old gravestones",
)


class SmallGraph(Graph):
    """Ten works. `lacking`: citations that an index does not have."""

    lacking: frozenset[tuple[str, int, int]] = frozenset()

    def holds(self, index: str, citing: int, cited: int) -> bool:
        return (index, citing, cited) not in self.lacking

    def cited_preprint(self, citing: int, cited: int) -> bool:
        return (citing, cited) == (7, PREPRINT)


def graph(lacking: Iterable[tuple[str, int, int]] = ()) -> SmallGraph:
    works = [
        Work(number, 0, title, 2000 + number, f"Author{'abcdefghij'[number]}", number == 5, False)
        for number, title in enumerate(TITLES)
    ]
    made = SmallGraph(works, CITES)
    made.lacking = frozenset(lacking)
    return made


@dataclass(slots=True)
class Searched:
    result: CitationResult
    upstream: Any

    def numbers(self) -> list[int]:
        """The works that were found, in their order."""
        return [self.number(work.hit.record.title) for work in self.result.works]

    def number(self, title: str) -> int:
        return TITLES.index(next(each for each in TITLES if each.lower() == title.lower()))

    def links(self) -> dict[int, set[tuple[str, str, str]]]:
        return {
            self.number(work.hit.record.title): {tuple(link) for link in work.links}
            for work in self.result.works
        }

    def asked(self, part: str) -> list[str]:
        """The addresses that hold some text."""
        shown = (unquote(request.log_url) for request in self.upstream.asked)
        return [url for url in shown if part in url]


def seed(number: int) -> WantedWork:
    return WantedWork(str(number), Record(source="", doi=f"10.5555/g{number}"))


async def search(
    seeds: Sequence[int],
    sources: Sequence[str] = ALL,
    upstream: Any = None,
    journal: Path | None = None,
    **options: Any,
) -> Searched:
    upstream = upstream or Indexes(graph())
    async with Engine(settings(sources), transport=upstream) as engine:
        searching = engine.cite(map(seed, seeds), CitationOptions(**options), journal=journal)
        told = [report async for report in searching]
        result = searching.result()
    assert sorted(map(repr, told)) == sorted(map(repr, result.reports))
    counts = result.counts
    assert counts.duplicates >= 0
    assert counts.citations == sum(report.links for report in told)
    return Searched(result, upstream)


# ---------------------------------------------------------------- whose citations they are


async def test_lists_and_batches_are_of_the_right_works() -> None:
    """One request names several works, and the answer says which of them each citation is of."""
    found = await search([3, 4], ["openalex"])

    assert found.links() == {
        0: {("3", "references", "openalex")},
        1: {("3", "references", "openalex"), ("4", "references", "openalex")},
        2: {("4", "references", "openalex")},
        5: {("3", "cited_by", "openalex")},
        6: {("3", "cited_by", "openalex"), ("4", "cited_by", "openalex")},
    }
    assert len(found.asked("cites:")) == len(found.asked("referenced_works")) == 1


async def test_each_version_of_a_work_is_asked_for_once() -> None:
    """What cites the preprint stands under the preprint."""
    found = await search([PREPRINT])

    assert 7 in found.numbers()
    assert found.links()[7] >= {("5", "cited_by", "openalex"), ("5", "cited_by", "opencitations")}
    assert [url.partition("doi:")[2] for url in found.asked("/index/v2/citations")] == [
        "10.5555/g5",
        "10.48550/arxiv.2501.00005",
    ]
    assert len(found.asked("cites:W1000005|W2000005")) == 1
    assert len(found.asked("paper/DOI:10.48550/arxiv.2501.00005/citations")) == 1


async def test_what_is_named_by_its_identifier_is_looked_up() -> None:
    """OpenCitations answers pairs of identifiers; OpenAlex knows the works."""
    found = await search([4], ["opencitations", "openalex"], directions=("references",))

    assert found.links() == {
        1: {("4", "references", "openalex"), ("4", "references", "opencitations")},
        2: {("4", "references", "openalex"), ("4", "references", "opencitations")},
    }
    assert found.result.unknown == ()


async def test_what_has_only_a_number_of_its_index_is_looked_up_there() -> None:
    """No search takes such numbers."""

    def answer(params: Mapping[str, str], url: str) -> Any:
        if "/index/" in url:
            return [{"oci": "1-2", "citing": "omid:br/0677", "cited": "omid:br/061"}]
        if "/meta/v1/metadata/omid" in unquote(url):
            return [{"id": "omid:br/0677", "title": "A thesis on samphire", "pub_date": "2001"}]
        return None

    found = await search([2], ["opencitations"], Hostile(answer), directions=("cited_by",))

    (work,) = found.result.works
    assert work.hit.record.title == "A thesis on samphire"
    assert work.links == (Link("2", "cited_by", "opencitations"),)
    assert found.result.unknown == ()


async def test_citations_of_several_indexes_are_of_one_work() -> None:
    """Each index has records of its own."""
    found = await search([2])

    assert sorted(found.numbers()) == [0, 4, 5]
    assert {work.sources for work in found.result.works} == {
        ("crossref", "openalex", "opencitations", "semanticscholar"),
        ("openalex", "opencitations", "semanticscholar"),
    }


async def test_what_one_index_lacks_another_has() -> None:
    """So several are asked."""
    upstream = Indexes(graph([("openalex", 4, 2), ("semanticscholar", 5, 2)]))
    found = await search([2], ["openalex", "semanticscholar"], upstream)

    links = found.links()
    assert links[4] == {("2", "cited_by", "semanticscholar")}
    assert links[5] == {("2", "cited_by", "openalex")}


async def test_seeds_are_not_found() -> None:
    """Works that cite one another are known already, and so is what an index gives back."""
    found = await search([2, 4, 5, 9])

    assert not {2, 4, 5, 9} & set(found.numbers())
    assert list(found.result.seeds) == ["2", "4", "5", "9"]
    assert all(hit is not None for hit in found.result.seeds.values())


async def test_a_work_that_no_index_knows_is_told() -> None:
    """It is a seed without a hit, and its citations are asked for by what it is called."""
    found = await search([99], ["openalex", "opencitations"])

    assert found.result.seeds == {"99": None}
    assert found.result.works == ()
    assert [report.seeds for report in found.result.reports] == [0, 0, 1, 1]


class _OddReferences(Indexes):
    """Crossref's list has what is no work of any index, and texts."""

    odd: Sequence[Mapping[str, str]] = ()

    def _crossref(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        status, answer = super()._crossref(path, params)
        for item in answer["message"]["items"]:
            item["reference"] = [*item["reference"], *self.odd]
        return status, answer


async def test_unknown_identifiers_and_texts_are_listed() -> None:
    """They are no works, but nothing is lost."""
    upstream = _OddReferences(graph())
    upstream.odd = (
        {"key": "a", "DOI": "10.9999/NOBODY"},
        {"key": "b", "unstructured": "Smith, J. (1987). A letter: to the editor."},
        {"key": "c", "author": "Jones", "year": "1990", "journal-title": "Nature"},
        {"key": "d", "unstructured": "http://example.org/a-page"},
    )
    found = await search([4], ["crossref", "openalex"], upstream, directions=("references",))

    (unknown,) = found.result.unknown
    assert unknown == ("doi:10.9999/nobody", (Link("4", "references", "crossref"),))
    assert {text.name for text in found.result.texts} == {
        "Smith, J. (1987). A letter: to the editor.",
        "Jones. Nature. 1990",
        "http://example.org/a-page",
    }
    assert found.result.unlisted == 0


# ---------------------------------------------------------------- order, rounds


async def test_the_best_is_what_most_works_reach() -> None:
    """Then what most indexes reach, then what says what the works say."""
    upstream = Indexes(graph([(index, 6, 3) for index in ALL[1:]]))
    found = await search([2, 3], upstream=upstream)

    assert [(len(work.seeds), len(work.sources)) for work in found.result.works] == sorted(
        [(len(work.seeds), len(work.sources)) for work in found.result.works], reverse=True
    )
    assert found.numbers()[-1] == 6
    assert [work.hit.rank for work in found.result.works] == [1, 2, 3, 4, 5]


async def test_rounds_go_on_from_what_was_found() -> None:
    """Each work tells in which round it came, and from which work."""
    found = await search([0], ["openalex"], directions=("cited_by",), rounds=2)

    rounds = {found.number(work.hit.record.title): work for work in found.result.works}
    assert {number: work.round for number, work in rounds.items()} == {2: 1, 3: 1, 4: 2, 5: 2, 6: 2}
    assert rounds[4].seeds == (rounds[2].hit.id,)


async def test_rounds_end_where_nothing_is_new() -> None:
    """Further rounds ask nothing."""
    found = await search([0], ["openalex"], rounds=10, directions=("references", "cited_by"))

    assert max(report.round for report in found.result.reports) < 6
    assert len(found.numbers()) == 8


async def test_ten_rounds_are_the_most() -> None:
    with pytest.raises(UsageError, match="from 1 to 10"):
        await search([0], rounds=11)


async def test_a_source_without_citations_is_refused() -> None:
    """It would find nothing."""
    async with Engine(settings()) as engine:
        with pytest.raises(UsageError, match="no source called"):
            engine.cite([seed(0)], CitationOptions(sources="nowhere"))


# ---------------------------------------------------------------- failures, bounds


@each("failing", ALL)
async def test_an_index_that_fails_is_named_with_what_it_lacks(failing: str) -> None:
    """The others go on."""
    upstream = _Refusing(graph(), frozenset({failing}))
    found = await search([2, 4], upstream=upstream)

    failed = {report.source: report.failed for report in found.result.reports if report.failed}
    assert failed == {failing: ["2", "4"]}
    assert all(
        "on purpose" in str(report.error)
        for report in found.result.reports
        if report.source == failing
    )
    assert set(found.numbers()) == {0, 1, 5, 6}


class _Refusing(Indexes):
    def _crossref(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        is_list = len(self.asked) > 1 and "crossref" in self.failing
        return (400, {"message": "on purpose"}) if is_list else super()._crossref(path, params)


async def test_an_index_that_answers_nothing_is_not_asked_on() -> None:
    """Of many works each would wait for it."""
    made = Graph.of(400)
    upstream = Indexes(made, frozenset({"opencitations"}))
    found = await search(range(200, 260), ["openalex", "opencitations"], upstream)

    failed = [report for report in found.result.reports if report.source == "opencitations"]
    assert [len(report.failed) for report in failed] == [60, 60]
    assert all(report.requests < 60 / 2 for report in failed)


class _OddWork(Indexes):
    """OpenAlex refuses whatever names one work."""

    def _openalex(self, path: str, params: Mapping[str, str]) -> tuple[int, Any]:
        asked = params.get("filter", "")
        if "W1000003" in asked and ("cites" in asked or "select" in params):
            return 400, {"error": "odd", "message": "odd work"}
        return super()._openalex(path, params)


async def test_one_odd_work_costs_no_other() -> None:
    """What is refused is asked for in halves."""
    found = await search([2, 3, 4, 6], ["openalex"], _OddWork(graph()))

    assert [report.failed for report in found.result.reports] == [["3"], ["3"]]
    assert set(found.numbers()) == {0, 1, 5, 8}


async def test_what_holds_the_sign_between_two_works_is_asked_for_alone() -> None:
    """It would be taken for two; what holds a control character is not asked for at all."""
    seeds = [
        WantedWork("comma", Record(source="", doi="10.5555/a,doi:b")),
        WantedWork("plain", Record(source="", doi="10.5555/g2")),
        WantedWork("other", Record(source="", doi="10.5555/g3")),
        WantedWork("control", Record(source="", doi="10.5555/a\x1bb")),
    ]
    upstream = Indexes(graph())
    async with Engine(settings(["crossref"]), transport=upstream) as engine:
        searching = engine.cite(seeds, CitationOptions())
        reports = [report async for report in searching]

    asked = {unquote(request.log_url).partition("?")[2] for request in upstream.asked}
    assert "filter=doi:10.5555/a,doi:b&rows=2&offset=0" in asked
    assert "filter=doi:10.5555/g2,doi:10.5555/g3&rows=4&offset=0" in asked
    assert [report.seeds for report in reports] == [3]


async def test_more_works_than_a_search_begins_with_are_refused() -> None:
    """Before anything is asked."""
    async with Engine(settings(), transport=Indexes(graph())) as engine:
        with pytest.raises(UsageError, match="more than 5,000 works"):
            engine.cite(map(seed, range(5_001)))


@dataclass
class Hostile:
    """An index in OpenAlex's shape that answers by a function of the request's parameters; look-ups
    are answered as they should be.
    """

    hostile: Any
    inner: Indexes = field(default_factory=lambda: Indexes(graph()))
    asked: list[Request] = field(default_factory=list)

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(request)
        params = {name: str(value) for name, value in request.params}
        body = self.hostile(params, request.url)
        if body is None:
            return await self.inner.send(request, timeout=timeout, max_bytes=max_bytes)
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return Page(request=request, body=body)

    async def close(self) -> None:
        """Nothing is held."""


_WORDS = "amber birch cedar dune elm fern gorse heath iris juniper kelp larch moss".split()


def _work(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"https://openalex.org/W{number}",
        "title": " ".join(_WORDS[number // 13**power % 13] for power in range(6)),
        "authorships": [{"author": {"display_name": f"Ada Author{number}"}}],
        "publication_year": 2020,
        "referenced_works": ["https://openalex.org/W1000002"],
        **more,
    }


def _a_million(params: Mapping[str, str], url: str) -> Any:
    if not params.get("filter", "").startswith("cites:"):
        return None
    start = (int(params["page"]) - 1) * 100
    return {
        "meta": {"count": 1_000_000},
        "results": [_work(5_000_000 + start + place) for place in range(100)],
    }


async def test_of_a_million_citations_some_are_read_and_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many as are read of one work; the work is named."""
    monkeypatch.setattr(citations, "MOST_A_SEED", 300)
    found = await search([2], ["openalex"], Hostile(_a_million), directions=("cited_by",))

    (report,) = found.result.reports
    assert report.cut == ["2"]
    assert report.links == 300
    assert report.requests == 3


async def test_a_work_with_too_many_citations_costs_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What has more than is read is asked for in parts, each work alone in the end."""
    monkeypatch.setattr(citations, "MOST_A_SEED", 300)

    def answer(params: Mapping[str, str], url: str) -> Any:
        named = params.get("filter", "").removeprefix("cites:").split("|")
        return _a_million(params, url) if "W1000002" in named else None

    found = await search([2, 3, 4], ["openalex"], Hostile(answer), directions=("cited_by",))

    (report,) = found.result.reports
    assert report.cut == ["2"]
    linked = {link for work in found.result.works for link in work.links}
    assert {link.seed for link in linked} == {"2", "3", "4"}


async def test_pages_without_end_are_not_followed() -> None:
    """The same page again is the end of a list."""

    def answer(params: Mapping[str, str], url: str) -> Any:
        if not url.endswith("/citations"):
            return None
        paper = {"citingPaper": {"paperId": "f" * 40, "title": "The same again"}}
        return {"offset": 0, "next": 1, "data": [paper] * int(params["limit"])}

    found = await search([2], ["openalex", "semanticscholar"], Hostile(answer))

    (report,) = [
        report
        for report in found.result.reports
        if (report.source, report.direction) == ("semanticscholar", "cited_by")
    ]
    assert report.requests <= citations.MOST_A_SEED / 1_000 + 1
    assert report.links == 1


async def test_an_index_that_gives_the_work_back_finds_nothing() -> None:
    """Neither a work that cites itself, nor the work in place of its citations."""

    def answer(params: Mapping[str, str], url: str) -> Any:
        if not params.get("filter", "").startswith("cites:"):
            return None
        record = _work(1_000_002, title=TITLES[2], doi="https://doi.org/10.5555/g2")
        return {"meta": {"count": 1}, "results": [record]}

    found = await search([2], ["openalex"], Hostile(answer), directions=("cited_by",))

    assert found.result.works == ()
    assert found.result.reports[0].links == 1


async def test_what_cites_none_of_the_works_is_counted() -> None:
    """It was asked for citations of several works, and does not say of which."""

    def answer(params: Mapping[str, str], url: str) -> Any:
        if not params.get("filter", "").startswith("cites:"):
            return None
        return {"meta": {"count": 1}, "results": [_work(77, referenced_works=[])]}

    found = await search([2, 3], ["openalex"], Hostile(answer), directions=("cited_by",))

    assert found.result.works == ()
    assert found.result.reports[0].unplaced == 1


async def test_references_are_bounded_and_clean() -> None:
    """Ten megabytes of text, identifiers with control characters, a list of millions."""
    texts = ["x" * 10_000_000, "10.9/a\x00b\x1b[2J", "10.9/" + "y" * 9_000, "\u202e10.9/z"]

    def answer(params: Mapping[str, str], url: str) -> Any:
        if not (url.startswith("https://crossref") and "filter" in params):
            return None
        references = [{"unstructured": text} for text in texts]
        references += [{"DOI": f"10.9/{number}"} for number in range(10_000)]
        item = {"DOI": "10.5555/g2", "title": [TITLES[2]], "reference": references}
        return {"message": {"total-results": 1, "items": [item]}}

    found = await search([2], ["crossref"], Hostile(answer))

    (report,) = found.result.reports
    assert report.cut == ["2"]
    assert len(found.result.unknown) + len(found.result.texts) == report.links
    assert report.links <= citations.MOST_A_SEED
    names = [each.name for each in (*found.result.unknown, *found.result.texts)]
    assert max(map(len, names)) <= 2_000
    assert not any(ord(character) < 32 for name in names for character in name)


async def test_works_without_an_id_of_their_index_are_told_apart() -> None:
    """Each is known by its place in a list, and there are many lists."""

    def answer(params: Mapping[str, str], url: str) -> Any:
        if "/paper/" not in url or not url.endswith("/references"):
            return None
        title = {"2": "Old maps of the marsh", "3": "Tide tables for sailors"}[url[-12]]
        return {"data": [{"citedPaper": {"paperId": None, "title": title, "authors": []}}]}

    found = await search([2, 3], ["semanticscholar"], Hostile(answer), directions=("references",))

    titles = {work.hit.record.title: work.seeds for work in found.result.works}
    assert titles == {"Old maps of the marsh": ("2",), "Tide tables for sailors": ("3",)}


# ---------------------------------------------------------------- interruptions


def told(result: CitationResult) -> bytes:
    """All that a result says but how many requests it took."""
    shown = [
        [[key, hit and hit.id] for key, hit in result.seeds.items()],
        [
            [work.hit.id, work.round, work.links, list(map(_json, work.hit.records))]
            for work in result.works
        ],
        [list(each) for each in (*result.unknown, *result.texts)],
        [
            [each.source, each.direction, each.round, each.seeds, each.links, each.failed, each.cut]
            for each in result.reports
        ],
    ]
    return json.dumps(shown).encode()


def _json(record: Record) -> str:
    return record_to_json(record).decode()


@dataclass
class Interrupted:
    """Answers so many requests, and then none."""

    answers: int
    inner: Indexes
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[Request] = field(default_factory=list)

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        if len(self.asked) >= self.answers:
            self.stopped.set()
            await asyncio.Event().wait()
        self.asked.append(request)
        return await self.inner.send(request, timeout=timeout, max_bytes=max_bytes)

    async def close(self) -> None:
        """Nothing is held."""


async def test_a_search_that_is_interrupted_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    """At each of its requests; what was answered is not asked for again."""
    whole = await search([2, PREPRINT])
    requests = len(whole.upstream.asked)
    under_way = 2 * len(ALL) * 4

    for answers in range(requests):
        journal = tmp_path / f"{answers}"
        first = Interrupted(answers, Indexes(graph()))
        running = asyncio.create_task(search([2, PREPRINT], upstream=first, journal=journal))
        await first.stopped.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

        second = await search([2, PREPRINT], journal=journal)

        assert told(second.result) == told(whole.result), answers
        assert len(second.upstream.asked) + answers <= requests + under_way
        assert not journal.exists()


async def test_speed_does_not_matter() -> None:
    """Which index answers first changes nothing."""
    one = await search([2, 4, PREPRINT], rounds=2)
    other = await search([2, 4, PREPRINT], upstream=_Slow(graph()), rounds=2)

    assert told(one.result) == told(other.result)


class _Slow(Indexes):
    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        for _ in range(50 if request.source == "crossref" else len(self.asked) * 7 % 11):
            await asyncio.sleep(0)
        return await super().send(request, timeout=timeout, max_bytes=max_bytes)


_PROCESS = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.engine.test_citations import PREPRINT, graph, search, told
from benchmarks.citations import Indexes

class Killed(Indexes):
    async def send(self, request, *, timeout, max_bytes):
        if len(self.asked) == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().send(request, timeout=timeout, max_bytes=max_bytes)

found = asyncio.run(
    search([2, 4, PREPRINT], upstream=Killed(graph()), journal=Path(sys.argv[1]), rounds=2)
)
sys.stdout.buffer.write(told(found.result))
"""


@pytest.mark.slow
async def test_a_search_whose_process_is_killed_goes_on(tmp_path: Path) -> None:
    """`kill -9` at any stage, again and again: the same bytes in the end."""
    whole = told((await search([2, 4, PREPRINT], rounds=2)).result)
    journal = tmp_path / "journal"
    for answers in (0, 1, 3, 5, 8, 8, 8, -1):
        ended = subprocess.run(
            [sys.executable, "-c", _PROCESS, str(journal), str(answers)],
            capture_output=True,
            check=False,
        )
        if answers == -1 or ended.returncode == 0:
            break
        assert ended.returncode == -9, ended.stderr.decode()

    assert ended.stdout == whole
    assert not journal.exists()
