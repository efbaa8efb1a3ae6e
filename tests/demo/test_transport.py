"""The demo without sockets gives what the demo gives."""

from __future__ import annotations

import pytest

from metasearch.adapters.request import Request
from metasearch.demo import DemoDatabases, replayed
from metasearch.demo.transport import DemoTransport
from metasearch.engine.engine import Engine


@pytest.mark.parametrize("query", ["gambling harms", "title:jazz year:1980-1995", "沉水植物 水质"])
async def test_the_same_hits_come_without_sockets(query: str):
    """All kinds of databases are asked, by GET and by POST, the failing one too."""
    async with Engine(replayed(), transport=DemoTransport()) as engine:
        here = await engine.search(query)
    async with DemoDatabases(latency=0) as demo, Engine(demo.settings()) as engine:
        there = await engine.search(query)

    assert [hit.id for hit in here.hits] == [hit.id for hit in there.hits]
    assert here.hits
    assert {report.source: report.status for report in here.sources} == {
        report.source: report.status for report in there.sources
    }


async def test_another_address_is_not_answered():
    """Nothing is sent anywhere."""
    with pytest.raises(ValueError, match="no address of the demo"):
        await DemoTransport().send(
            Request(source="x", url="https://example.org/"), timeout=1, max_bytes=1
        )
