"""`metasearch sources probe`: what it asks, how it judges, what it shows, and how it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from metasearch.adapters.fetch.cassette import RecordTransport, ReplayTransport
from metasearch.adapters.fetch.status import challenge
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.request import Budget, Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import spec_folder
from metasearch.cli.output import Exit
from metasearch.cli.sources import exit_for
from metasearch.cli.sources.probe import (
    ProbeResult,
    fields_of_cases,
    probe,
    query_for,
    table,
    to_markdown,
)
from metasearch.demo import DemoDatabases, replay_settings
from metasearch.engine.engine import transport_of
from metasearch.errors import ConnectFailed
from metasearch.settings import Settings
from tests.cases import each, sample
from tests.cli.conftest import Run

#: What the simulated databases are asked; each has some of it.
QUERIES = {
    "demo-crossref": "gambling",
    "demo-openalex": "jazz",
    "demo-arxiv": "learning",
    "demo-pubmed": "psychedelics",
    "demo-library": "jazz",
    "demo-slow": "learning",
    "demo-failing": "jazz",
}
CASSETTES = spec_folder().parent / "cassettes"
KEY, CONTACT = "k3y-of-s0mebody", "librarian@library.example"


def asked(settings: Settings) -> Settings:
    """The settings of a demo, with a query for each database."""
    tables = {
        name: {**dict(table), "probe": QUERIES[name]} for name, table in settings.sources.items()
    }
    return replace(settings, sources=tables)


async def probed(
    settings: Settings, transport: Transport, *names: str, seconds: float = 20
) -> dict[str, ProbeResult]:
    registry = Registry(settings)
    specs = [registry.spec(name) for name in names or registry.names()]
    return {it.source: it for it in await probe(specs, transport, settings.env, seconds=seconds)}


class Canned:
    """Answers by a function, and remembers what it was asked."""

    def __init__(self, answer: Callable[[Request], Page]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.closed = False

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.requests.append(request)
        return self.answer(request)

    async def close(self) -> None:
        self.closed = True


# --------------------------------------------------------------------------- the demo


async def test_the_demo_is_as_its_specs_say() -> None:
    """Each sound database answers with records that have titles, authors and years; the failing one
    says why."""
    async with DemoDatabases(latency=0) as demo:
        settings = asked(demo.settings())
        found = await probed(settings, transport_of(settings))

    assert {name: it.status for name, it in found.items()} == {
        **dict.fromkeys(QUERIES, "ok"),
        "demo-failing": "failed",
    }
    for name, it in found.items():
        assert it.query == QUERIES[name]
        if it.fine:
            assert 5 <= it.count <= 20
            assert it.total is not None
            assert it.total >= it.count
            assert it.fields["title"] == 1
            assert it.problem == ""
    assert "fails on purpose" in found["demo-failing"].problem


async def test_a_recording_is_probed_as_the_database_was(tmp_path: Path) -> None:
    """What was recorded gives the same verdict, and what was not is a failure of its source."""
    async with DemoDatabases(latency=0) as demo:
        settings = asked(demo.settings())
        live = await probed(
            settings,
            RecordTransport(transport_of(settings), tmp_path, demo.recorded_as),
            "demo-pubmed",
        )
    again = await probed(
        asked(replay_settings()), ReplayTransport(tmp_path), "demo-pubmed", "demo-arxiv"
    )

    assert replace(again["demo-pubmed"], seconds=0) == replace(live["demo-pubmed"], seconds=0)
    assert again["demo-pubmed"].count == 20
    assert again["demo-arxiv"].status == "failed"
    assert "cannot replay" in again["demo-arxiv"].problem


async def test_the_command_tells_and_ends_by_what_came(run: Run, tmp_path: Path) -> None:
    """A table, a summary, a report and JSON; 0 where all are fine, 3 where one is not, 4 where none
    answered."""
    config, report = tmp_path / "my.toml", tmp_path / "report.md"
    async with DemoDatabases(latency=0) as demo:
        config.write_text(_toml(asked(demo.settings())))
        fine = await asyncio.to_thread(
            run, "sources", "probe", "demo-crossref,demo-library", "--config", str(config)
        )
        options = ("--report", str(report), "--json", "--config", str(config))
        some = await asyncio.to_thread(
            run, "sources", "probe", "demo-arxiv", "demo-failing", *options
        )
        none = await asyncio.to_thread(
            run, "sources", "probe", "demo-failing", "--config", str(config)
        )
        shown = await asyncio.to_thread(
            run, "sources", "probe", "mine", "--report", "-", "--config", str(config)
        )

    assert (fine.code, some.code, none.code, shown.code) == (0, 3, 4, 0)
    assert fine.out.splitlines()[0].split() == [
        "NAME",
        "STATUS",
        "RECORDS",
        "TOTAL",
        "SECONDS",
        "WHAT",
    ]
    assert [row.split()[:2] for row in fine.out.splitlines()[1:]] == [
        ["demo-crossref", "ok"],
        ["demo-library", "ok"],
    ]
    assert fine.err == "2 sources: 2 ok\n"
    assert [(it["source"], it["status"]) for it in json.loads(some.out)] == [
        ("demo-arxiv", "ok"),
        ("demo-failing", "failed"),
    ]
    text = report.read_text()
    assert text.startswith("# Probe of sources\n")
    assert "| demo-arxiv | ok | 20 |" in text
    assert "## demo-failing: failed" in text
    assert "127.0.0.1" not in text
    assert "| demo-openalex | ok |" in shown.out
    assert "NAME" not in shown.out


def _toml(settings: Settings) -> str:
    lines = [
        "[network]",
        f"allow = {json.dumps(sorted(settings.allow))}",
        "[groups]",
        'mine = ["demo-openalex"]',
    ]
    for name, told in settings.sources.items():
        lines += [f"[sources.{name}]"]
        lines += [
            f"{key} = {json.dumps(told[key])}" for key in ("extends", "label", "url", "probe")
        ]
    return "\n".join(lines) + "\n"


def test_names_that_are_none(run: Run) -> None:
    """An unknown name asks nobody, and says what is meant perhaps."""
    outcome = run("sources", "probe", "crosref")

    assert outcome.code == 2
    assert "Did you mean crossref" in outcome.err
    assert run("sources", "probe", "crossref", "--json", "--report", "-").code == 2


# --------------------------------------------------------------------------- cassettes


def _case(source: str) -> Path | None:
    """A case whose answer holds records."""
    for records in sorted(
        (CASSETTES / source).glob("*/records.json"), key=lambda it: it.parent.name != "search"
    ):
        told = json.loads((records.parent / "request.json").read_bytes())
        step2 = records.parent / "step2" / "records.json"
        # A case is shorter than a real page, and a title in one of CNKI's says what a human check
        # says on a short page.
        wall = challenge(next(records.parent.glob("body.*")).read_bytes(), "")
        if (
            told.get("status", 200) == 200
            and not wall
            and (json.loads(records.read_bytes()) or step2.exists())
        ):
            return records.parent
    return None


def _from_case(source: str, change: Callable[[bytes], bytes] = lambda body: body) -> Canned:
    case = _case(source)
    assert case is not None

    def answer(request: Request) -> Page:
        if request.private:
            return Page(request=request, body=b'{"access_token": "one", "expires_in": 3600}')
        place = case / "step2" if request.step and (case / "step2").is_dir() else case
        return Page(request=request, body=change(next(place.glob("body.*")).read_bytes()))

    return Canned(answer)


@cache
def _settings() -> Settings:
    registry = Registry(Settings())
    names = {
        it
        for name in registry.names()
        for auth in registry.spec(name).auth
        for it in auth.variables
    }
    return Settings(env=dict.fromkeys(names, "dummy-value"))


@cache
def _sources() -> list[str]:
    """Those with a case."""
    return [name for name in Registry(_settings()).names() if _case(name)]


@pytest.mark.parametrize("every", sample([5, 1], 2))
async def test_an_answer_as_the_cases_have_it_is_fine(every: int) -> None:
    """Each source's own case is no drift, and one query was asked: a request, or two where a search
    takes two."""
    for source in _sources()[::every]:
        transport = _from_case(source)

        found = (await probed(_settings(), transport, source))[source]

        assert (source, found.status, found.problem) == (source, "ok", "")
        assert found.count >= 1
        assert len([it for it in transport.requests if not it.private]) <= 2
        assert transport.closed
        assert fields_of_cases(source) >= found.fields.keys()


async def test_a_probe_says_what_is_left_of_a_budget() -> None:
    """For the sources whose headers say so."""
    transport = _from_case("openalex")
    answer = transport.answer
    budget = Budget(left=0.5, of=1.0, unit="USD")
    transport.answer = lambda request: replace(answer(request), budget=budget)

    found = (await probed(_settings(), transport, "openalex"))["openalex"]

    assert found.status == "ok"
    assert "0.5 of 1 USD are left" in found.notes


def test_nearly_all_sources_are_probed_here() -> None:
    assert len(_sources()) >= 95


# --------------------------------------------------------------------------- what is wrong


async def _changed(change: Callable[[bytes], bytes], source: str = "demo-crossref") -> ProbeResult:
    async with DemoDatabases(latency=0) as demo:
        settings = asked(demo.settings())
        inner = transport_of(settings)

        class Changing:
            async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
                page = await inner.send(request, timeout=timeout, max_bytes=max_bytes)
                return replace(page, body=change(page.body))

            async def close(self) -> None:
                await inner.close()

        return (await probed(settings, Changing(), source))[source]


@each(
    ("change", "status", "said"),
    [
        (
            lambda body: body.replace(b'"author":', b'"writers":'),
            "drifted",
            "no record has authors",
        ),
        (lambda body: body.replace(b'"title":', b'"name":'), "drifted", "have no readable title"),
        (
            lambda body: body.replace(b'"items":', b'"entries":'),
            "drifted",
            "the answer has no record, but",
        ),
        (lambda _: b"<html><h1>Welcome</h1></html>", "drifted", "a web page came"),
        (
            lambda _: b'{"status": "ok", "message": {"total-results": 0, "items": []}}',
            "empty",
            "the answer has no record",
        ),
        (lambda _: b'{"status": "failed", "message": "gone for good"}', "failed", "gone for good"),
    ],
)
async def test_what_has_changed_is_told(
    change: Callable[[bytes], bytes], status: str, said: str
) -> None:
    """A renamed field, a renamed list, a page for people, nothing, an error: each in words."""
    found = await _changed(change)

    assert found.status == status
    assert said in found.problem
    assert not found.fine


async def test_a_rare_field_that_is_not_seen_is_no_drift() -> None:
    """One query need not find a work that has everything."""
    found = await _changed(lambda body: body.replace(b'"volume":', b'"band":'))

    assert found.status == "ok"
    assert "volume" in found.missing


async def test_a_source_that_lacks_its_key_is_not_asked() -> None:
    transport = Canned(lambda request: Page(request=request, body=b"{}"))

    found = (await probed(Settings(env={}), transport, "scopus"))["scopus"]

    assert (found.status, found.fine) == ("skipped", True)
    assert "METASEARCH_SCOPUS_KEY" in found.problem
    assert transport.requests == []


async def test_one_source_costs_the_others_nothing() -> None:
    """One that hangs, one that breaks and one that answers."""

    class Some(Canned):
        async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
            if request.source == "arxiv":
                await asyncio.sleep(60)
            if request.source == "doaj":
                raise ConnectFailed("doaj", "no route")
            return await super().send(request, timeout=timeout, max_bytes=max_bytes)

    found = await probed(
        _settings(), Some(_from_case("crossref").answer), "arxiv", "doaj", "crossref", seconds=2
    )

    assert [it.status for it in found.values()] == ["failed", "failed", "ok"]
    assert "no whole answer within 2 s" in found["arxiv"].problem
    assert "no route" in found["doaj"].problem


# --------------------------------------------------------------------------- what is shown


async def test_no_key_and_no_address_is_shown() -> None:
    """Where a server repeats them in its error, *** stands instead, in the table, the report and
    the JSON."""
    env = {"METASEARCH_CONTACT": CONTACT, "METASEARCH_NCBI_KEY": KEY}
    error = f"the key {KEY} of {CONTACT.replace('@', '%40')} or {CONTACT} is wrong"
    body = json.dumps({"esearchresult": {"ERROR": error}}).encode()

    found = await probed(
        Settings(env=env), Canned(lambda request: Page(request=request, body=body)), "pubmed"
    )

    shown = "\n".join(
        (
            *table(list(found.values())),
            to_markdown(list(found.values())),
            json.dumps(found["pubmed"].plain()),
        )
    )
    assert "is wrong" in shown
    assert KEY not in shown
    assert "librarian" not in shown


def test_what_a_source_says_is_no_markup() -> None:
    """A pipe, a backtick, a line break or a tag of a source's neither ends a cell nor begins
    anything."""
    hostile = "a|b `c` <img src=x>\n## heading \x1b[31m"
    found = ProbeResult(
        "x",
        "X",
        "failed",
        hostile,
        sent=hostile,
        problem=hostile,
        notes=(hostile,),
        missing=(hostile,),
    )

    lines = to_markdown([found]).splitlines()

    (row,) = [it for it in lines if it.startswith("| x |")]
    assert row.replace("\\|", "").count("|") == 8
    assert "<img" not in row
    assert [it for it in lines if it.startswith("#")] == [
        "# Probe of sources",
        "## x: failed",
    ]
    assert all(it.count("`") == 2 for it in lines if it.startswith("- "))
    assert not any("\x1b" in it for it in lines)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["ok", "ok"], Exit.OK),
        (["ok", "skipped"], Exit.OK),
        (["ok", "failed"], Exit.PARTIAL),
        (["ok", "drifted"], Exit.PARTIAL),
        (["empty"], Exit.PARTIAL),
        (["failed", "skipped"], Exit.NO_ANSWER),
        (["skipped"], Exit.NO_ANSWER),
    ],
)
def test_exit_codes(statuses: list[str], code: Exit) -> None:
    assert exit_for([ProbeResult("x", "X", status, "q") for status in statuses]) == code  # type: ignore[arg-type]


def test_each_source_has_a_query_that_it_can_be_asked() -> None:
    """A word of a language that it holds, or what its spec says: a DOI where nothing else can be
    asked."""
    specs = {
        name: Registry(Settings()).spec(name)
        for name in ("crossref", "cnki", "sudoc", "opencitations")
    }
    queries: Mapping[str, str] = {name: query_for(spec) for name, spec in specs.items()}

    assert queries["crossref"] == "history"
    assert queries["cnki"] == "环境"
    assert queries["opencitations"].startswith("doi:")
