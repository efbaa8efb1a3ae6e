"""Every fault that a simulated database can have, one at a time, beside three databases that are well.

Whatever the one does, the others' records are all there in time, the bad one is named with a reason and an advice,
nothing is left running, and memory stays flat.
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
from typing import Any, NamedTuple

import pytest

from benchmarks import upstreams
from metasearch.engine import Engine
from metasearch.events import Answer, SourceReport
from metasearch.settings import Settings

pytestmark = [pytest.mark.shared, pytest.mark.timeout(60)]

#: Seconds that a source has, and that a search has; the simulated databases answer in milliseconds.
#: Short where the fault is that no answer comes; long where one comes, so that a busy machine changes no verdict.
IMPATIENT, PATIENT, SEARCH_TIMEOUT = 0.8, 20.0, 30.0
#: Bytes that three broken sources at once may hold; each body is capped well below what they send.
FLAT = 100 * 1024 * 1024
MAX_BYTES = 4_000_000


class Told(NamedTuple):
    """What a report must say: status, and words of its reason and its advice."""

    status: str
    reason: str = ""
    advice: str = ""


WAIT = Told("timeout", "no whole answer within 0.8 s", "limits.timeout")
LATER = "ry again later"
FINE = Told("ok")
EXPECTED: dict[str, Told] = {
    "hang": WAIT,
    "hang_body": WAIT,
    "trickle:64,100": WAIT,
    "slow_headers:10": FINE,
    "500": Told("error", "answered 500", LATER),
    "502": Told("error", "answered 502", LATER),
    "503": Told("error", "answered 503", LATER),
    "404": Told("error", "404", "Check the source's `url`"),
    "403": Told("error", "access denied (403)", "does not let this address in"),
    "429:30": Told("limited", "too many requests: asked to wait for 30 s", "left alone for 30 s"),
    "429date:30": Told("limited", "too many requests: asked to wait for", "left alone for"),
    "malformed": Told("error", "breaks off before its end", LATER),
    "short": Told("error", "broke off", LATER),
    "empty": Told("error", "body is empty", LATER),
    "html": Told("blocked", "captcha", "human check"),
    "drift": FINE,
    "huge:16": Told("error", "larger than 4,000,000 bytes", "limits.max_bytes"),
    "endless": Told("error", "larger than 4,000,000 bytes", "limits.max_bytes"),
    "gzipbomb:16": Told("error", "larger than 4,000,000 bytes", "limits.max_bytes"),
    "deep:100000": Told("error", "nested too deeply", "changed its interface"),
    "reset": Told("error", "connection broke", LATER),
    "reset_mid": Told("error", "broke off", LATER),
    "close": Told("error", "closed the connection without an answer", LATER),
    "redirect": Told("error", "redirects to 127.0.0.1:", "Nothing was sent there"),
    "redirect_loop": Told("error", "redirects more than 5 times", "changed its interface"),
    "gbk": FINE,
    "gbk_declared": FINE,
    "latin1": FINE,
    "bom": FINE,
    "xxe": FINE,
    "xmlbomb": Told("error", "entities would expand beyond measure", "changed its interface"),
}


@pytest.fixture(scope="module")
def upstream(shared: Path) -> Iterator[str]:
    """Four simulated databases; a second port counts what should never reach it."""
    with upstreams.mock(4, "--port2", str(upstreams.free_port())) as base:
        yield base


def settings(base: str, fault: str) -> Settings:
    """Four databases in each of the three shapes; the second of each has the fault."""
    sources: dict[str, Any] = {}
    waits = EXPECTED[fault] is WAIT
    for shape in upstreams.SHAPES:
        for name, table in upstreams.tables(base, [shape] * 4, PATIENT).items():
            url = f"{table['url']}?fault={urllib.parse.quote(fault)}" if name == "db1" else table["url"]
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


async def asked(base: str, fault: str) -> dict[str, Answer]:
    """A search of four databases, for each shape."""
    async with Engine(settings(base, fault)) as engine:

        async def answer(shape: str) -> Answer:
            return await engine.search("soil", sources=[f"{shape}_db{n}" for n in range(4)], timeout=SEARCH_TIMEOUT)

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


@pytest.mark.parametrize("fault", EXPECTED)
async def test_one_bad_database_among_four(upstream: str, fault: str) -> None:
    """The three others come whole, and the bad one is told as what it is."""
    before = peak()
    began = time.monotonic()
    answers = await asked(upstream, fault)
    took = time.monotonic() - began
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


@pytest.mark.parametrize(
    ("fault", "mark"), [("gbk", "中文题名"), ("gbk_declared", "中文题名"), ("latin1", "São Paulo")]
)
async def test_other_encodings_are_readable(upstream: str, fault: str, mark: str) -> None:
    """Titles in another encoding than the declared one are text all the same; that it was a guess is told."""
    for shape, answer in (await asked(upstream, fault)).items():
        titles = [r.title or "" for hit in answer.hits for r in hit.records if r.source == f"{shape}_db1"]

        assert len(titles) == 20
        assert any(mark in title for title in titles)
        assert not any("\ufffd" in title for title in titles)
        if fault != "gbk_declared":
            assert any("guess" in note for note in answer.sources[1].notes)


async def test_entities_leave_no_trace(upstream: str) -> None:
    """Neither what an external entity names nor the name itself becomes text."""
    for shape, answer in (await asked(upstream, "xxe")).items():
        for hit in answer.hits:
            for record in hit.records:
                if record.source == f"{shape}_db1":
                    assert "&e;" not in f"{record.title} {record.isbn} {record.authors}"


async def test_odd_fields_cost_only_themselves(upstream: str) -> None:
    """Of a page in which every third record has drifted, every record stays, and what is odd in it is left out."""
    for shape, answer in (await asked(upstream, "drift")).items():
        records = [r for hit in answer.hits for r in hit.records if r.source == f"{shape}_db1"]

        assert len(records) == 20
        assert all(record.url is None or record.url.startswith("http") for record in records)
        assert sum(1 for record in records if not record.title) < 8
        assert not any(";" in author.name for record in records for author in record.authors)


@pytest.mark.parametrize(
    ("faults", "code"),
    [(("none", "none"), 0), (("none", "500"), 3), (("html", "500"), 4), (("none", "reset_mid"), 3)],
)
def test_exit_codes(upstream: str, tmp_path: Path, faults: tuple[str, str], code: int) -> None:
    """A configuration file as a user writes it, on the command line: the exit code says how much answered."""
    config = tmp_path / "config.toml"
    lines = [f'[network]\nallow = ["{upstream.removeprefix("http://")}"]']
    for number, fault in enumerate(faults):
        lines.append(f'[sources.library{number}]\nextends = "sru"\nurl = "{upstream}/db/{number}/sru?fault={fault}"')
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "metasearch", "soil", "--config", str(config), "--json", "--no-cache"]
    done = subprocess.run(
        [*command, "-s", "library0,library1"], capture_output=True, text=True, check=False, timeout=30
    )

    assert done.returncode == code, done.stderr
    answer = json.loads(done.stdout)
    assert [report["status"] in ("ok", "empty") for report in answer["sources"]] == [f == "none" for f in faults]
    for report in answer["sources"]:
        assert (report["error"] is None) == (report["status"] == "ok")
        assert report["error"] is None or report["error"]["message"] in done.stderr
