"""Every fault that a simulated database can have, one at a time, beside three databases that are
well.

Whatever the one does, the others' records are all there in time, the bad one is named with a reason
and an advice, nothing is left running, and memory stays flat.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import soak, upstreams
from benchmarks.faults import cases, searched
from benchmarks.faults.cases import Case
from benchmarks.faults.expected import EXPECTED, FINE, WAIT, Told
from benchmarks.held import MIB, Held
from metasearch.adapters.fetch import exchange
from metasearch.engine.engine import Engine
from metasearch.errors import ServerFault
from metasearch.events import Answer, SourceReport
from metasearch.settings import Settings

pytestmark = [pytest.mark.shared, pytest.mark.timeout(300)]

#: Seconds that a source has, and that a search has; the simulated databases answer in milliseconds.
#: Short where the fault is that no answer comes; long where one comes, so that a busy machine
#: changes no verdict.
IMPATIENT, PATIENT, SEARCH_TIMEOUT = 0.8, 60.0, 80.0
#: Bytes that three broken sources at once may hold; each body is capped well below what they send.
FLAT = 100 * 1024 * 1024
MAX_BYTES = 4_000_000
#: How often a search is made where the machine was too busy with other tests.
TRIES = 3
#: What a search says of itself then.
BUSY = "too busy to read"


@pytest.fixture(scope="module")
def upstream(shared: Path) -> Iterator[str]:
    """Ten simulated databases; a second port counts what should never reach it."""
    with upstreams.mock(cases.DATABASES, "--port2", str(upstreams.free_port())) as base:
        yield base


def settings(base: str, fault: str) -> Settings:
    """Four databases in each of the three shapes; the second of each has the fault."""
    sources: dict[str, Any] = {}
    waits = EXPECTED[fault] is WAIT
    for shape in upstreams.SHAPES:
        for name, table in upstreams.tables(base, [shape] * 4, PATIENT).items():
            url = (
                f"{table['url']}?fault={urllib.parse.quote(fault)}"
                if name == "db1"
                else table["url"]
            )
            limits = {**table["limits"], "max_bytes": MAX_BYTES}
            if waits and name == "db1":
                limits["timeout"] = IMPATIENT
            sources[f"{shape}_{name}"] = {**table, "url": url, "limits": limits}
    return Settings(sources=sources, allow=frozenset({base.removeprefix("http://")}))


def peak() -> int:
    """The most bytes that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def stats(base: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{base}/stats") as response:
        found: dict[str, Any] = json.load(response)
    return found


def has_no_processor(report: SourceReport) -> bool:
    """Whether the search says itself that other programs had the processor for too long: that is
    no answer about the database.
    """
    return BUSY in str(report.error)


async def asked(base: str, fault: str) -> dict[str, Answer]:
    """A search of four databases, for each shape."""
    async with Engine(settings(base, fault)) as engine:

        async def answer(shape: str) -> Answer:
            return await engine.search(
                "soil", sources=[f"{shape}_db{n}" for n in range(4)], timeout=SEARCH_TIMEOUT
            )

        answers = await asyncio.gather(*map(answer, upstreams.SHAPES))
    return dict(zip(upstreams.SHAPES, answers, strict=True))


def check_healthy(report: SourceReport) -> None:
    assert (report.status, report.count, report.unread, report.error) == ("ok", 20, 0, None), report


def check_bad(report: SourceReport, told: Told) -> None:
    if told is FINE:
        check_healthy(report)
        return
    assert (report.status, report.count) == (told.status, 0), report
    assert report.error is not None
    assert told.reason in str(report.error)
    assert told.advice in report.error.advice


@pytest.mark.slow
@pytest.mark.parametrize("fault", EXPECTED)
async def test_one_bad_database_among_four(upstream: str, fault: str) -> None:
    """The three others come whole, and the bad one is told as what it is."""
    before = peak()  # of all tries: what one of them has held counts
    for _ in range(TRIES):
        began = time.monotonic()
        answers = await asked(upstream, fault)
        took = time.monotonic() - began
        if not any(has_no_processor(report) for one in answers.values() for report in one.sources):
            break
    grown = peak() - before

    for shape, answer in answers.items():
        told = FINE if fault in ("xmlbomb", "xxe") and shape == "crossref" else EXPECTED[fault]
        for number, report in enumerate(answer.sources):
            if number == 1:
                check_bad(report, told)
            else:
                check_healthy(report)
        assert answer.complete == (told is FINE)
    assert took < SEARCH_TIMEOUT
    assert grown < FLAT
    assert asyncio.all_tasks() == {asyncio.current_task()}
    counted = stats(upstream)
    assert (counted["redirect_canary"], counted["xxe_canary"]) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "mark"), [("gbk", "中文题名"), ("gbk_declared", "中文题名"), ("latin1", "São Paulo")]
)
async def test_other_encodings_are_readable(upstream: str, fault: str, mark: str) -> None:
    """Titles in another encoding than the declared one are text all the same; that it was a guess
    is told."""
    for shape, answer in (await asked(upstream, fault)).items():
        titles = [
            r.title or "" for hit in answer.hits for r in hit.records if r.source == f"{shape}_db1"
        ]

        assert len(titles) == 20
        assert any(mark in title for title in titles)
        assert not any("\ufffd" in title for title in titles)
        if fault != "gbk_declared":
            assert any("guess" in note for note in answer.sources[1].notes)


@pytest.mark.slow
async def test_entities_leave_no_trace(upstream: str) -> None:
    """Neither what an external entity names nor the name itself becomes text."""
    for shape, answer in (await asked(upstream, "xxe")).items():
        for hit in answer.hits:
            for record in hit.records:
                if record.source == f"{shape}_db1":
                    assert "&e;" not in f"{record.title} {record.isbn} {record.authors}"


@pytest.mark.slow
async def test_odd_fields_cost_only_themselves(upstream: str) -> None:
    """Of a page in which every third record has drifted, every record stays, and what is odd in it
    is left out."""
    for shape, answer in (await asked(upstream, "drift")).items():
        records = [r for hit in answer.hits for r in hit.records if r.source == f"{shape}_db1"]

        assert len(records) == 20
        assert all(record.url is None or record.url.startswith("http") for record in records)
        assert sum(1 for record in records if not record.title) < 8
        assert not any(";" in author.name for record in records for author in record.authors)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "code"),
    [(("none", "none"), 0), (("none", "500"), 3), (("html", "500"), 4), (("none", "reset_mid"), 3)],
)
def test_exit_codes(upstream: str, tmp_path: Path, broken: tuple[str, str], code: int) -> None:
    """A configuration file as a user writes it, on the command line: the exit code says how much
    answered."""
    config = tmp_path / "config.toml"
    lines = [f'[network]\nallow = ["{upstream.removeprefix("http://")}"]']
    for number, fault in enumerate(broken):
        lines.append(
            f'[sources.library{number}]\nextends = "sru"\nurl = '
            f'"{upstream}/db/{number}/sru?fault={fault}"'
        )
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "metasearch",
        "soil",
        "--config",
        str(config),
        "--json",
        "--no-cache",
    ]
    done = subprocess.run(
        [*command, "-s", "library0,library1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )

    assert done.returncode == code, done.stderr
    answer = json.loads(done.stdout)
    assert [report["status"] in ("ok", "empty") for report in answer["sources"]] == [
        fault == "none" for fault in broken
    ]
    for report in answer["sources"]:
        assert (report["error"] is None) == (report["status"] == "ok")
        assert report["error"] is None or report["error"]["message"] in done.stderr


# --------------------------------------------------------------------------- the command


@pytest.fixture
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Further tries come soon, as in the command."""
    monkeypatch.setattr(exchange, "BACKOFF", searched.BACKOFF)


@pytest.fixture(scope="module")
def truth(upstream: str) -> dict[int, frozenset[str]]:
    """The records of each database, as the simulated databases tell."""
    return searched.the_truth(upstream)


@pytest.mark.slow
@pytest.mark.usefixtures("_hurried")
@pytest.mark.parametrize(
    "case", [*cases.at_random(6, seed=5), *list(cases.pairs(seed=5))[::60]], ids=lambda c: c.label
)
async def test_several_bad_databases(
    upstream: str, truth: dict[int, frozenset[str]], case: Case
) -> None:
    """In pairs and at random on ten databases: nothing healthy is lost, each bad one is told, and
    nothing is left."""
    for _ in range(TRIES):
        outcome = await searched.run(case, upstream, truth)
        if not any(BUSY in each for each in outcome.wrong):
            break

    assert outcome.wrong == []
    assert outcome.kept == outcome.due == 20 * (len(case.databases) - len(case.faults))
    assert set(outcome.reports) == set(case.faults)


@pytest.mark.slow
@pytest.mark.usefixtures("_hurried")
async def test_the_deadline_holds_beside_one_that_hangs(
    upstream: str, truth: dict[int, frozenset[str]]
) -> None:
    """Who is not there in time is named; the others are whole."""
    case = Case({0: "hang"}, (0, 1, 2, 3), to_the_deadline=True)
    for _ in range(TRIES):  # what is late each time is not late because of other tests
        outcome = await searched.run(case, upstream, truth)
        late = [each for each in outcome.wrong if "after the deadline" in each or BUSY in each]
        if not late or late != outcome.wrong:  # anything else that is wrong counts at once
            break

    assert outcome.wrong == []
    assert outcome.reports[0].status == "timeout"
    assert outcome.late > -0.1  # it did wait


@pytest.mark.slow
@pytest.mark.usefixtures("_hurried")
async def test_what_is_lost_or_left_is_found(
    upstream: str, truth: dict[int, frozenset[str]]
) -> None:
    """The command sees a record that is missing, a task and a file that stay, and an exception that
    nobody caught."""
    missing = {**truth, 1: truth[1] | {"a record that no answer holds"}}
    left: list[asyncio.Task[None]] = []
    case = Case({0: "500"}, (0, 1))

    async def fail() -> None:
        raise ValueError("unheard")

    def leak(self: Case, base: str) -> Settings:
        left.append(asyncio.create_task(asyncio.sleep(60)))
        asyncio.create_task(fail())  # noqa: RUF006
        return Case.settings(self, base)

    class Leaking(Case):
        settings = leak

    outcome = await searched.run(Leaking(case.faults, case.databases), upstream, missing)
    left[0].cancel()

    assert [text.partition(":")[0] for text in outcome.wrong] == [
        "db1 is well",
        "raised unseen",
        "1 tasks left",
    ]


def test_every_fault_of_the_simulated_databases_is_expected(shared: Path) -> None:
    """A fault that the simulated databases learn must be told what to look like."""
    text = (shared / "bench" / "mock_upstream.py").read_text(encoding="utf-8")
    listed = text.partition("\nFAULTS")[2].partition("\nGROUND TRUTH")[0]

    for fault in EXPECTED:
        assert fault.partition(":")[0] in listed
    assert len(list(cases.singles())) == 3 * len(EXPECTED) + sum(
        told is WAIT for told in EXPECTED.values()
    )
    assert len(list(cases.pairs(0))) == len(EXPECTED) * (len(EXPECTED) - 1) / 2


def test_random_cases_are_the_same_again() -> None:
    """A run can be repeated by its seed, and another seed gives others."""
    assert (
        list(cases.at_random(20, 1)) == list(cases.at_random(20, 1)) != list(cases.at_random(20, 2))
    )
    assert all(1 <= len(case.faults) < cases.DATABASES for case in cases.at_random(200, 3))


@pytest.mark.parametrize(
    ("report", "records", "wrong"),
    [
        (SourceReport("db0", "ok", 20), 20, ["status", "reason", "advice"]),
        (SourceReport("db0", "error", 0, error=ServerFault("db0", 500)), 0, []),
        (SourceReport("db0", "error", 0, error=ServerFault("db0", 502)), 0, ["reason"]),
    ],
)
def test_objections(report: SourceReport, records: int, wrong: list[str]) -> None:
    """A bad source that is called well, or something else than what it is, is objected to."""
    assert [text.split()[0] for text in searched.objections(report, "500", records)] == wrong
    assert list(searched.objections(SourceReport("db0", "ok", 19), "bom", 19)) == [
        "19 of 20 records, 0 unread"
    ]


@pytest.mark.slow
async def test_many_searches_leave_nothing(upstream: str) -> None:
    """Whole searches, some left at their first hit and some beside a database that hangs: nothing
    stays open."""
    readings = await soak.soak(upstream, searches=50, at_once=4)

    assert [(it.when, it.searches) for it in readings] == [
        ("start", 0),
        ("after 10 %", 5),
        ("end", 50),
        ("closed", 50),
    ]
    assert [text for text in soak.violations(readings, at_once=4) if "MiB" not in text] == []
    assert readings[-1].held == readings[0].held


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "closed", "wrong"),
    [
        ((Held(0, 18, 24), 60), Held(0, 2, 8), []),
        ((Held(1, 2, 8), 60), Held(0, 2, 8), ["end: 1 task(s) are left"]),
        (
            (Held(0, 19, 24), 60),
            Held(0, 2, 8),
            ["end: 17 sockets more than at the start, allowed are 16"],
        ),
        (
            (Held(0, 2, 8), 60),
            Held(0, 2, 9),
            ["closed: 1 files more than at the start, allowed are 0"],
        ),
        (
            (Held(0, 2, 8), 81),
            Held(0, 2, 8),
            ["81.0 MiB at the end, allowed are 80", "grown by 21.0 MiB"],
        ),
    ],
)
def test_leaks_are_told(end: tuple[Held, int], closed: Held, wrong: list[str]) -> None:
    """A pool of connections is no leak; what is beyond it, or is there when all is closed, is."""
    start = Held(0, 2, 8)
    readings = [
        soak.Reading("start", 0, start, 60 * MIB),
        soak.Reading("after 10 %", 100, start, 60 * MIB),
        soak.Reading("end", 1000, end[0], end[1] * MIB),
        soak.Reading("closed", 1000, closed, 60 * MIB),
    ]

    found = list(soak.violations(readings, at_once=4))

    assert [text.startswith(told) for text, told in zip(found, wrong, strict=True)] == [True] * len(
        wrong
    )
