"""One hostile page costs its own source, and nobody else anything: time, memory, records.

The pages are those of `large_pages.py`. How long they keep the loop is compared with how long
ordinary pages keep it, in the same run, so that neither a busy machine nor a slow one changes a
verdict; what must be quick is tried some times.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from functools import partial
from typing import Any

import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.parse.bodies import (
    LIGHT_BYTES,
    MOST_ATTRIBUTES,
    check_weight,
    is_overloaded,
    kind_of,
    load,
    marks_in,
    weight_of,
    without_bom,
)
from metasearch.adapters.parse.parse import MOST_RECORDS, PageReading, most_of, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.engine.engine import Engine
from metasearch.engine.scheduler import THREADS, FairScheduler
from metasearch.errors import NotParsable, TooLarge
from metasearch.events import Answer
from metasearch.settings import Settings
from tests.cases import each
from tests.growth import MOST, growth
from tests.large_pages import CASES, FULL, KINDS, hostile_page
from tests.stalls import Calls, Stalls

pytestmark = pytest.mark.timeout(120)

HEALTHY = ("alpha", "beta", "gamma")
#: Seconds that a search has, and rounds of the loop after which it may end later: an idle one takes
#: a millisecond.
DEADLINE, LATE = 4.0, 1_000
#: How many times as long as ordinary pages hostile ones may keep the loop: it is one to two times,
#: and seven to forty-eight times where they are read on the loop.
TIMES_AS_LONG = 4.0
TRIES = 6
REGISTRY = Registry(Settings())


class _Bodies:
    """A transport that answers from a table."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        self.bodies = bodies

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        await asyncio.sleep(0.01 if request.source in HEALTHY else 0)
        return Page(request=request, body=self.bodies[request.source])

    async def close(self) -> None:
        """Nothing to close."""


def works(source: str) -> bytes:
    items = [
        {
            "title": [f"{source} soil {n}"],
            "alternative-id": [str(n)],
            "issued": {"date-parts": [[2020]]},
        }
        for n in range(20)
    ]
    return json.dumps({"message": {"total-results": 20, "items": items}}).encode()


async def searched(
    hostile: dict[str, tuple[str, bytes]], seconds: float = DEADLINE
) -> tuple[Answer, float, int]:
    """A search of three healthy sources beside hostile ones; how many times as long as ordinary
    pages it kept the loop, and how many rounds of the loop after its deadline it ended.

    Args:
        hostile: Name of a source -> of which kind it is, and what it answers.
        seconds: Of the search; more where an ordinary one takes more than a twentieth of them.
    """
    fields: dict[str, Any] = {"fields": {"source_id": '"alternative-id"[0]'}}
    sources = {
        name: {"extends": "crossref", "url": f"https://{name}.example/x", **fields}
        for name in HEALTHY
    }
    for name, (kind, _) in hostile.items():
        sources[name] = {
            "extends": KINDS[kind][0],
            "url": f"https://{name}.example/x",
            "enabled": True,
        }
    bodies = {name: works(name) for name in HEALTHY}
    async with Engine(
        Settings(sources=sources, env={"METASEARCH_GOOGLE_SCHOLAR_KEY": "none"})
    ) as engine:
        ordinary = dict.fromkeys(hostile, b"{}")
        kept = []
        # A first search imports and compiles what every search needs; the second tells how fast the
        # machine is just now.
        for answers in (ordinary, ordinary, {name: body for name, (_, body) in hostile.items()}):
            engine._fetcher = Fetcher(_Bodies(bodies | answers), None, patience=0)
            answer, longest, late = await watched(engine, list(sources), seconds if kept else 60)
            if kept:
                seconds = max(seconds, min(60.0, 20 * answer.seconds))
            kept.append(longest)
    return answer, kept[2] / kept[1], late


async def watched(engine: Engine, sources: list[str], seconds: float) -> tuple[Answer, float, int]:
    """A search, the longest stall of its loop, and the rounds of the loop after its deadline."""
    at_deadline: list[int] = []
    async with Stalls() as stalls:
        timer = asyncio.get_running_loop().call_later(
            seconds, lambda: at_deadline.append(stalls.rounds)
        )
        answer = await engine.search("soil", sources=sources, timeout=seconds, cache=False)
        timer.cancel()
        late = sum(stalls.rounds - rounds for rounds in at_deadline)
    return answer, stalls.longest, late


def named(kind: str, pages: list[str]) -> dict[str, tuple[str, bytes]]:
    return {f"hostile{n}": (kind, hostile_page(kind, name)) for n, name in enumerate(pages)}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "kind",
    # The pages of MARCXML are those of XML round another record.
    [pytest.param(kind, marks=pytest.mark.slow) if kind == "marcxml" else kind for kind in KINDS],
)
async def test_healthy_sources_lose_nothing(kind: str) -> None:
    """All hostile pages of a kind at once, beside three healthy sources, whose records are all
    there and in time.

    Each hostile source is told as what it is, and the loop never stalls.
    """
    hostile = named(kind, [name for other, name in CASES if other == kind])
    for _ in range(TRIES):
        answer, times_as_long, late = await searched(hostile)
        if times_as_long <= TIMES_AS_LONG and late <= LATE:
            break

    assert [report.count for report in answer.sources[:3]] == [20, 20, 20]
    assert {report.status for report in answer.sources[3:]} <= {
        "ok",
        "empty",
        "error",
        "drifted",
        "timeout",
        "late",
    }
    assert late <= LATE
    assert times_as_long <= TIMES_AS_LONG


@pytest.mark.slow
async def test_records_that_nobody_asked_for_are_not_read() -> None:
    """Of a page with far more records than were asked for the first are read, and that is told."""
    answer, _, _ = await searched(named("xml", ["records that are not asked for"]), seconds=60)

    report = answer.sources[3]
    assert (report.status, report.count) == ("ok", 20)
    assert (
        "it sent 30,000 records where 20 were asked for; the first 1,000 were read" in report.notes
    )


def page_of(count: int, **request: int) -> Page:
    items = [{"title": [f"Soil {n}"], "DOI": f"10.1000/{n}"} for n in range(count)]
    asked = Request(source="crossref", url="https://a.example/", **request)
    return Page(
        request=asked,
        body=json.dumps({"message": {"total-results": count, "items": items}}).encode(),
    )


@each(
    ("size", "wanted", "start", "read"),
    [
        (20, 2000, 0, MOST_RECORDS),
        (20, 60, 0, 60),
        (20, 60, 40, 20),
        (20, 50, 40, 20),
        (2000, 2000, 0, 1200),
    ],
)
def test_what_a_search_reads_of_a_page(size: int, wanted: int, start: int, read: int) -> None:
    """All that the search may still want, a thousand at most, and never less than the page was
    asked for."""
    page = page_of(1200, size=size, wanted=wanted, start=start)
    reading = PageReading(page, REGISTRY.spec("crossref"), most_of(page.request))
    reading.finish()

    parsed = reading.parsed
    assert len(parsed.records) == read
    assert parsed.next is None or parsed.next.start == start + read
    assert any("1,200 records" in note for note in parsed.notes) == (read < 1200)


def test_a_file_is_read_whole() -> None:
    """Whoever reads a saved page gets all of its records."""
    assert len(parse(page_of(1200), REGISTRY.spec("crossref")).records) == 1200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [("json", ("empty "
              "records")), ("json", "members"), ("xml", "elements"), ("xml", "entities"), ("xml",
              "attributes"),
     ("html", "unclosed elements"), ("json", "brackets")],
)  # fmt: skip
def test_what_is_out_of_proportion_is_refused_before_it_is_parsed(kind: str, name: str) -> None:
    """The error says what there is too much of."""
    body = hostile_page(kind, name)
    page = Page(request=Request(source="x", url="https://a.example/"), body=body)

    with pytest.raises(
        TooLarge, match=r"holds too much to be read: [0-9,]+ (values|elements and attributes) in"
    ):
        check_weight(kind_of(body), body, page, REGISTRY.spec("crossref"))


def test_attributes_that_take_quadratic_time_are_refused() -> None:
    """libxml2 compares each attribute of a web page's element with the others."""
    spec = REGISTRY.spec("google-scholar")
    page = Page(
        request=Request(source="x", url="https://a.example/"),
        body=hostile_page("html", "hidden attributes"),
    )

    with pytest.raises(NotParsable, match="more than 250 attributes"):
        parse(page, spec)


@each("between", [b" ", b"/", b"\n", b'=">" ', b"='>'", b"=1 "])
def test_attributes_are_counted_as_browsers_do(between: bytes) -> None:
    """However they are divided; a sign of greater in a quoted value does not end an element."""
    tag = (
        b"<p><a "
        + between.join([b"a%03x" % n for n in range(MOST_ATTRIBUTES + 20)])
        + between
        + b">"
    )

    assert is_overloaded(tag)
    assert not is_overloaded(
        (b"<a " + between.join([b"a%03x" % n for n in range(200)]) + between + b">x ") * 3
    )
    assert not is_overloaded(b"<p>" + b"a word " * 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        b"<a b=c>",
        b"<b",
        b"<a x='",
        b'<a x="" ',
        b"<a ",
        b"<",
        b"<a b='\">",
        b"{}",
        b"&e;",
        b"<!---->",
    ],
)
def test_weighing_takes_linear_time(part: bytes) -> None:
    """Four times as long a body takes about four times as long."""

    def weigh(body: bytes) -> None:
        for kind in ("json", "xml", "html"):
            weight_of(kind, body)
        is_overloaded(body)
        marks_in(body)

    assert growth(lambda size: partial(weigh, part * size), 10_000) <= MOST


@pytest.mark.slow
def test_byte_order_marks_take_linear_time() -> None:
    """A body of nothing but marks was copied once for each of them."""
    mark = b"\xef\xbb\xbf"

    assert without_bom(mark * 500_000 + b"x") == b"x"
    assert growth(lambda size: partial(without_bom, mark * size), 50_000) <= MOST


def light(body: bytes) -> bool:
    page = Page(request=Request(source="crossref", url="https://a.example/"), body=body)
    return PageReading(page, REGISTRY.spec("crossref")).light


def test_ordinary_pages_are_light() -> None:
    """They are read on the loop, as ever; what holds much, or may, is not."""
    assert light(works("alpha"))
    assert light(b"\xef\xbb\xbf" + works("alpha") + b" " * 100_000)
    # Rows of 17 bytes: whichever stride is drawn, the sample sees every place of a row.
    assert light(b"[" + b'{"ab":[1,2,3,4]},' * 2_500 + b"{}]"), "JSON of some 17,500 marks"
    assert not light(b"<a>" + b'<b c="d"/>' * 8_750 + b"</a>"), "as many of XML"
    assert not light(b" " * (LIGHT_BYTES + 1))
    assert not light(b"[" + b"{}," * 20_000 + b"{}]")
    assert not light((works("alpha").decode() + " " * 10_000).encode("utf-16"))
    assert not light(hostile_page("xml", "unknown entities"))


@each(
    "text",
    ['{"a":1,"b":[1.5,-2,12345678901234567890123,"x\\ud83d\\ude00"],"a":null}', '[[],{},"ü"]'],
)
def test_long_json_reads_as_short_json_does(text: str) -> None:
    """A body of many values is read in another way, and says the same."""
    spec = REGISTRY.spec("crossref")
    filler = json.dumps([{"n": n} for n in range(60_000)])
    page = Page(request=Request(source="x", url="https://a.example/"))
    short, _ = load("json", f"[{text}]".encode(), page, spec)
    long, notes = load("json", f"[{text},{filler}]".encode(), page, spec)

    assert long[0] == short[0]
    assert [type(it) for it in long[0]] == [type(it) for it in short[0]]
    assert notes == []


@each(("odd", "read"), [("NaN", None), ('"\\ud800"', "?"), ("1e999", None)])
def test_long_json_is_read_leniently_too(odd: str, read: Any) -> None:
    """What orjson refuses in a short body costs a long one no more than that value."""
    body = f"[{odd},{json.dumps([{'n': n} for n in range(60_000)])}]".encode()
    page = Page(request=Request(source="x", url="https://a.example/"))
    found, _ = load("json", body, page, REGISTRY.spec("crossref"))

    assert found[0] == read
    assert len(found[1]) == 60_000


def test_long_json_that_breaks_off_is_told_as_that() -> None:
    """As of a short one."""
    body = b"[" + b'{"n":1},' * 60_000 + b'{"n"'
    page = Page(request=Request(source="crossref", url="https://a.example/"), body=body)

    with pytest.raises(NotParsable, match="breaks off"):
        parse(page, REGISTRY.spec("crossref"))


async def test_nobody_waits_for_a_thread_that_reads() -> None:
    """Whoever is cancelled goes on at once, and the thread is told; its place is taken until it has
    ended."""
    turns = FairScheduler().turns()
    go_on, told = threading.Event(), []

    def work(given_up: Any) -> None:
        go_on.wait(30)
        told.append(given_up())

    waiting = [asyncio.create_task(turns.apart(work)) for _ in range(THREADS + 1)]
    await asyncio.sleep(0.05)
    for task in waiting[:THREADS]:
        task.cancel()
    await asyncio.wait(waiting[:THREADS], timeout=60)

    assert all(task.cancelled() for task in waiting[:THREADS])
    assert not waiting[THREADS].done()
    go_on.set()
    await asyncio.wait_for(waiting[THREADS], 60)
    while len(told) <= THREADS:
        await asyncio.sleep(0.01)
    assert sorted(told) == [False] + [True] * THREADS


async def test_what_goes_wrong_in_the_thread_is_told() -> None:
    """An error of the work is raised where it is awaited."""

    def work(_: Any) -> None:
        raise NotParsable("x", "odd")

    with pytest.raises(NotParsable, match="odd"):
        await FairScheduler().turns().apart(work)


def test_a_loop_closes_while_a_thread_still_reads() -> None:
    """A program that exits is not kept by a page."""
    go_on, ends = threading.Event(), list[bool]()

    async def leave() -> None:
        task = asyncio.create_task(
            FairScheduler().turns().apart(lambda _: ends.append(go_on.wait(60)))
        )
        await asyncio.sleep(0.05)
        task.cancel()

    asyncio.run(leave())
    kept_by_the_thread = bool(ends)
    go_on.set()

    assert not kept_by_the_thread


@pytest.mark.slow
async def test_the_meter_sees_a_stall() -> None:
    """What computes on the loop counts, what waits does not."""
    async with Stalls() as idle:
        await asyncio.sleep(0.2)
    async with Stalls() as busy:
        await asyncio.sleep(0.01)
        end = time.thread_time() + 0.5
        while time.thread_time() < end:
            pass
        await asyncio.sleep(0.01)
    async with Calls() as calls:
        for number in range(1_000):
            abs(number)
        await asyncio.sleep(0)

    assert idle.longest < 0.5 <= busy.longest
    assert 1_000 < calls.most < 1_100


@pytest.mark.slow
def test_a_packed_record_has_weight_too() -> None:
    """XML that is packed as a string is not unpacked where all of it together is out of
    proportion."""
    inner = "<record>" + "<b/>" * 700_000 + "</record>"
    packed = inner.replace("<", "&lt;").replace(">", "&gt;")
    body = (
        "<searchRetrieveResponse "
        'xmlns="http://www.loc.gov/zing/srw/"><numberOfRecords>1</numberOfRecords><records>'
        f"<record><recordData>{packed}</recordData></record></records></searchRetrieveResponse>"
    ).encode()
    assert len(body) < FULL

    parsed = parse(
        Page(request=Request(source="loc", url="https://a.example/"), body=body),
        REGISTRY.spec("loc"),
    )

    assert not parsed.records
