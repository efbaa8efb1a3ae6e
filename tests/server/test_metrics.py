"""`/metrics`: what was counted, and what must never be in it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import orjson
import pytest

from metasearch import __version__
from metasearch.adapters.fetch.health import SourceState
from metasearch.record import Match
from metasearch.server.metrics import BUCKETS, Metrics, MetricsPage, add_dumps
from tests.server.fake import FakeEngine, answer, hit, late, report

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)')


async def samples(client) -> dict[str, float]:
    """All samples by name and labels, as in 'x_total{source="a"}'."""
    response = await client.get("/metrics")
    lines = (await response.text()).splitlines()
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert all(SAMPLE.fullmatch(it) or it.startswith(("# HELP ", "# TYPE ")) for it in lines)
    return {it.rpartition(" ")[0]: float(it.rpartition(" ")[2]) for it in lines if it[0] != "#"}


@pytest.mark.parametrize("form", ["json", "html", "ndjson", "sse", "ris"])
async def test_a_search_is_counted_once_in_whatever_form(serve, form):
    """The request under its form, its sources under their outcome, records, merges, cache."""
    reports = [
        report("alpha", count=3, seconds=0.3),
        report("beta", count=2, cached=True),
        late("gamma"),
        report("delta", "skipped", count=0),
    ]
    client = await serve(FakeEngine(answer(hit(1), hit(2), reports=reports)))
    await (await client.get(f"/search?q=mice&format={form}")).read()
    found = await samples(client)

    assert found[f'metasearch_requests_total{{code="200",face="{form}"}}'] == 1
    assert found[f'metasearch_request_duration_seconds_count{{face="{form}"}}'] == 1
    for source, outcome in (
        ("alpha", "ok"),
        ("beta", "ok"),
        ("gamma", "timeout"),
        ("delta", "skipped"),
    ):
        assert (
            found[f'metasearch_source_requests_total{{outcome="{outcome}",source="{source}"}}'] == 1
        )
    assert found['metasearch_records_total{source="alpha"}'] == 3
    assert found['metasearch_merges_total{rule="doi"}'] == 2
    assert found['metasearch_cache_requests_total{outcome="hit"}'] == 1
    assert found['metasearch_cache_requests_total{outcome="miss"}'] == 2
    assert found['metasearch_source_duration_seconds_sum{source="alpha"}'] == 0.3
    assert not any(
        name.startswith("metasearch_source_duration") and "beta" in name for name in found
    )
    assert not any("delta" in name for name in found if "requests_total" not in name)


async def test_what_is_now(serve):
    """Circuits, searches that run, the version."""
    engine = FakeEngine()
    engine.states = {
        "alpha": SourceState("alpha", "open", 9.0, stale=2, spared=3),
        "beta": SourceState("beta", "half-open"),
    }
    engine.gate = asyncio.Event()
    client = await serve(engine)
    running = await client.get("/search?q=mice&format=ndjson")
    await running.content.readline()
    found = await samples(client)

    circuits = {
        name: found[f'metasearch_source_circuit_open{{source="{name}"}}']
        for name in ("alpha", "beta", "gamma")
    }
    assert circuits == {"alpha": 1, "beta": 1, "gamma": 0}
    cached = {
        name: count
        for name, count in found.items()
        if name.startswith("metasearch_source_cached_pages_total")
    }
    assert cached == {
        'metasearch_source_cached_pages_total{age="stale",source="alpha"}': 2,
        'metasearch_source_cached_pages_total{age="spared",source="alpha"}': 3,
    }
    assert found["metasearch_searches_running"] == 1
    assert found["metasearch_workers"] == 1
    loops = {
        name
        for name in found
        if name.startswith("metasearch_build_info{") and f'version="{__version__}"' in name
    }
    assert [found[name] for name in loops] == [1]


async def test_nothing_that_a_client_wrote_becomes_a_label(client):
    """Neither queries nor paths, parameters, methods or headers: the number of lines has a
    bound."""
    word = "zanzibar"
    for path in (
        f"/search?q={word}",
        f"/{word}",
        f"/static/{word}",
        f"/search?q={word}&format={word}",
        f"/?{word}=1",
    ):
        await client.get(path, headers={"User-Agent": word, "X-Forwarded-For": word})
    await client.request(word.upper(), "/search")
    response = await client.get("/metrics")
    text = await response.text()

    assert word not in text.lower()
    assert 'metasearch_requests_total{code="404",face="other"} 1.0' in text
    assert 'metasearch_requests_total{code="404",face="static"} 1.0' in text
    assert 'metasearch_requests_total{code="406",face="search"} 1.0' in text
    assert "127.0.0.1" not in text


async def test_a_client_that_leaves_is_counted_as_such(client, engine):
    """499, as other servers call it; the sources of an unfinished search are not counted."""
    engine.gate = asyncio.Event()
    leaving = asyncio.create_task(client.get("/search?q=mice&format=json"))
    while not engine.searches or not engine.searches[0].started:
        await asyncio.sleep(0)
    leaving.cancel()
    async with asyncio.timeout(60):
        await engine.searches[0].closed.wait()
        while 'metasearch_requests_total{code="499",face="json"}' not in (
            found := await samples(client)
        ):
            await asyncio.sleep(0.01)

    assert not any(name.startswith("metasearch_source_requests") for name in found)


def text_of(*metrics: Metrics) -> str:
    """The page of these processes."""
    return MetricsPage([it.dump() for it in metrics], [], 0, "1").text().decode()


def test_labels_are_escaped():
    """A source may be called what it likes; a line stays a line."""
    metrics = Metrics()
    metrics.count_search(answer(reports=[report('a"b\\c\nd', "skipped")]))

    assert (
        'metasearch_source_requests_total{outcome="skipped",source="a\\"b\\\\c\\nd"} 1.0\n'
        in text_of(metrics)
    )


def test_a_histogram_adds_up():
    """Each bucket has all that are at most as long, the last one has all."""
    metrics = Metrics()
    for seconds in (0.001, BUCKETS[0], 0.3, 1000.0):
        metrics.answered("json", 200, seconds)
    name = "metasearch_request_duration_seconds"
    lines = [it for it in text_of(metrics).splitlines() if it.startswith(name)]
    counts = [float(it.rpartition(" ")[2]) for it in lines[: len(BUCKETS) + 1]]

    assert counts[0] == 2
    assert counts == sorted(counts)
    assert lines[len(BUCKETS) :] == [
        f'{name}_bucket{{face="json",le="+Inf"}} 4.0',
        f'{name}_count{{face="json"}} 4.0',
        f'{name}_sum{{face="json"}} {0.001 + BUCKETS[0] + 0.3 + 1000.0}',
    ]


def test_the_counts_of_processes_are_added_and_outlive_a_worker():
    """A page is the sum of all; a worker goes on from what the one before it had counted."""
    before, other = Metrics(), Metrics(lambda: [SourceState("alpha", fresh=2)])
    before.answered("json", 200, 0.3)
    other.answered("json", 200, 0.3)
    other.answered("html", 404, 0.3)
    successor = Metrics(lambda: [SourceState("alpha", fresh=3)], before.dump())
    successor.answered("json", 200, 70.0)
    text = text_of(successor, other)

    assert 'metasearch_requests_total{code="200",face="json"} 3.0\n' in text
    assert 'metasearch_requests_total{code="404",face="html"} 1.0\n' in text
    assert 'metasearch_request_duration_seconds_bucket{face="json",le="0.5"} 2.0\n' in text
    assert 'metasearch_request_duration_seconds_count{face="json"} 3.0\n' in text
    assert 'metasearch_source_cached_pages_total{age="fresh",source="alpha"} 5.0\n' in text


def test_a_dump_survives_json():
    """What is told to another process, or kept in a file, is added as it was."""
    metrics = Metrics()
    metrics.answered("json", 200, 0.3)

    assert add_dumps([orjson.loads(orjson.dumps(metrics.dump()))]) == metrics.dump()


def test_two_servers_in_one_process_count_apart():
    """Each has a registry of its own."""
    first, second = Metrics(), Metrics()
    first.answered("json", 200, 0.3)

    assert "face" in text_of(first)
    assert "face" not in text_of(second)


def test_what_keeps_records_apart_is_no_merge():
    """Only the pairs that are held together count, versions too."""
    metrics = Metrics()
    kept = [
        Match(name, verdict, 1.0, "", "a", "b")
        for name, verdict in (("x", "different"), ("y", "version"))
    ]
    metrics.count_search(answer(replace(hit(1), matches=tuple(kept))))
    text = text_of(metrics)

    assert 'rule="y"} 1.0' in text
    assert 'rule="x"' not in text
