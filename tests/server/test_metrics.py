"""`/metrics`: what was counted, and what must never be in it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest

from metasearch import __version__
from metasearch.adapters.fetch.health import SourceState
from metasearch.record import Match
from metasearch.server.metrics import BUCKETS, Durations, Metrics, Total
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

    assert found[f'metasearch_requests_total{{face="{form}",code="200"}}'] == 1
    assert found[f'metasearch_request_duration_seconds_count{{face="{form}"}}'] == 1
    for source, outcome in (
        ("alpha", "ok"),
        ("beta", "ok"),
        ("gamma", "timeout"),
        ("delta", "skipped"),
    ):
        assert (
            found[f'metasearch_source_requests_total{{source="{source}",outcome="{outcome}"}}'] == 1
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
        'metasearch_source_cached_pages_total{source="alpha",age="stale"}': 2,
        'metasearch_source_cached_pages_total{source="alpha",age="spared"}': 3,
    }
    assert found["metasearch_searches_running"] == 1
    assert found["metasearch_workers"] == 1
    loops = {
        name
        for name in found
        if name.startswith(f'metasearch_build_info{{version="{__version__}",loop="')
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
    assert 'metasearch_requests_total{face="other",code="404"} 1' in text
    assert 'metasearch_requests_total{face="static",code="404"} 1' in text
    assert 'metasearch_requests_total{face="search",code="406"} 1' in text
    assert "127.0.0.1" not in text


async def test_a_client_that_leaves_is_counted_as_such(client, engine):
    """499, as other servers call it; the sources of an unfinished search are not counted."""
    engine.gate = asyncio.Event()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await client.get("/search?q=mice&format=json")
    async with asyncio.timeout(5):
        await engine.searches[0].closed.wait()
        while 'metasearch_requests_total{face="json",code="499"}' not in (
            found := await samples(client)
        ):
            await asyncio.sleep(0.01)

    assert not any(name.startswith("metasearch_source_requests") for name in found)


def test_labels_are_escaped():
    """A source may be called what it likes; a line stays a line."""
    total = Total("x_total", "X.", "source")
    total.add('a"b\\c\nd')

    assert list(total.samples()) == ['x_total{source="a\\"b\\\\c\\nd"} 1']


def test_a_histogram_adds_up():
    """Each bucket has all that are at most as long, the last one has all."""
    durations = Durations("x_seconds", "X.", "face")
    for seconds in (0.001, BUCKETS[0], 0.3, 1000.0):
        durations.add("json", seconds)
    lines = list(durations.samples())
    counts = [int(it.rpartition(" ")[2]) for it in lines[:-2]]

    assert counts[0] == 2
    assert counts == sorted(counts)
    assert lines[len(BUCKETS)] == 'x_seconds_bucket{face="json",le="+Inf"} 4'
    assert lines[-2:] == [
        'x_seconds_sum{face="json"} 1000.306000',
        'x_seconds_count{face="json"} 4',
    ]


def test_what_keeps_records_apart_is_no_merge():
    """Only the pairs that are held together count, versions too."""
    metrics = Metrics()
    kept = [
        Match(name, verdict, 1.0, "", "a", "b")
        for name, verdict in (("x", "different"), ("y", "version"))
    ]
    metrics.searched(answer(replace(hit(1), matches=tuple(kept))))
    text = metrics.text([], 0, "1")

    assert 'rule="y"} 1' in text
    assert 'rule="x"' not in text
