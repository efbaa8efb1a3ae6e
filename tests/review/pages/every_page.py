"""Every page in each of its states, with data that no word of the interface can be taken for.

All that comes from records, databases and readers is written in Greek letters or digits.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient

from metasearch.bib.work_ids import hit_id
from metasearch.dedup import evidence
from metasearch.engine.rank import FITS, RANKS
from metasearch.errors import ConnectFailed
from metasearch.events import Counts, NextPage, Paging, Totals
from metasearch.message import message
from metasearch.record import Author, Hit, Match, Reason, Version
from metasearch.settings import Settings
from metasearch.settings.server import ServerSettings
from tests.review.pages.filled import addresses, filled
from tests.server.fake import (
    FakeEngine,
    FakeRegistry,
    answer,
    late,
    record,
    report,
    running,
    so_far,
    spec,
)
from tests.server.visitor import post

HTML = {"Accept": "text/html"}
#: What stands in the place of every text from elsewhere.
DATA = "αβγ"
ID, OTHER = hit_id("one"), hit_id("other")


def work(name: str, rank: int, **fields: Any) -> Hit:
    """A work with all that a card can show."""
    known = {
        "title": f"{DATA} δ",
        "authors": tuple(Author(f"{DATA} {number}") for number in range(12)),
        "venue": DATA,
        "publisher": DATA,
        "doi": "10.5555/1",
        "pdf_url": "https://1.example.org/1.pdf",
        "abstract": f"{DATA} " * 200,
        "keywords": (DATA,),
        "subjects": (DATA,),
        "type": "conference-paper",
        "language": "el",
        "open_access": "gold",
        "citations": 1234,
        "source_id": f"9{rank}",
    }
    left = record("alpha", rank, **(known | fields))
    right = record("beta", rank + 1, **(known | fields | {"year": 2019}))
    return Hit(
        id=name,
        record=left,
        records=(left, right),
        provenance={"title": "alpha", "doi": "beta", "year": "alpha"},
        matches=(Match("doi", "same", 1.0, evidence.SAME_DOI, left.key, right.key),),
        versions=(
            Version(evidence.PUBLISHED, (left.key,)),
            Version(evidence.PREPRINT, (right.key,)),
        ),
        score=1.0 / rank,
        rank=rank,
        reasons=(
            Reason(message(RANKS, source="alpha", position=1), 0.09, "alpha"),
            Reason(message(FITS, share="90%"), 0.1, None),
        ),
    )


WORKS = (work(ID, 1), work(OTHER, 2, retracted=True, doi=None, open_access=None, type="article"))
FINISHED = replace(
    answer(*WORKS, reports=[report("alpha", query="1"), report("beta", query="2", cached=True)]),
    counts=Counts(1234, 45, 45),
    paging=Paging(0, 20, NextPage(20, 20)),
    totals=Totals(45, 45, None, 700, True, message("incomplete without {names}", names=DATA)),
    syntax="cql",
)
FAILED = [
    *(
        report(name, "error", error=ConnectFailed(name, "no connection can be made"), count=0)
        for name in ("alpha", "gamma", "delta", "epsilon")
    ),
    late("beta"),
]
#: Name of a state of the result page -> the answer.
ANSWERS = {
    "finished": FINISHED,
    "running": replace(so_far(*WORKS), counts=Counts(4, 2, 2)),
    "running, nothing yet": so_far(running=("alpha", "beta")),
    "nothing": answer(reports=[report("alpha", "empty", count=0)]),
    "partly failed": answer(*WORKS, reports=[report("alpha"), *FAILED[1:], running("zeta")][:-1]),
    "failed": answer(reports=FAILED),
    "not asked": answer(reports=[report("alpha", "skipped", count=0)]),
    "beyond the end": replace(FINISHED, hits=(), paging=Paging(500, 20)),
    "one": answer(work(ID, 1)),
}
#: Further pages by their address.
ADDRESSES = {
    "start": "/",
    "filters": "/search?q=1&format=html&filter=type:conference-paper,year:2019-,-oa:no,"
    "retracted:yes,language:el,source:alpha,only:beta",
    "query error": "/search?q=(1&format=html",
    "parameter error": "/search?q=1&format=html&count=0&from=20199&sort=1",
    "no such source": "/search?q=1&format=html&sources=1",
    "no such page": "/1",
    "work": f"/work/{ID}?q=1",
    "retracted work": f"/work/{OTHER}?q=1",
    "no such work": f"/work/{hit_id('none')}",
    "sources": "/sources",
    "advanced": "/advanced",
    "advanced, query": "/advanced?q=title:1+AND+author:2",
    "advanced, mistake": "/advanced?q=(1",
    "help": "/help",
    "basket, empty": "/basket",
    "settings": "/settings",
}


def engine(given: Any = FINISHED) -> FakeEngine:
    """An engine whose databases have names in Greek letters."""
    server = ServerSettings(openurl="https://1.example.org/openurl", openurl_name=DATA)
    made = FakeEngine(given, settings=Settings(server=server))
    names = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    made.registry = FakeRegistry(
        *(spec(name, label=f"{DATA} {place}") for place, name in enumerate(names))
    )
    return made


async def every_page(serve: Any, suffix: str = "") -> Mapping[str, str]:
    """Name of each page and state -> its HTML.

    Args:
        serve: The fixture.
        suffix: Parameters for every address.
    """
    made: dict[str, str] = {}

    async def add(client: TestClient, name: str, address: str) -> None:
        joined = f"{address}{'&' if '?' in address else '?'}{suffix}" if suffix else address
        response = await client.get(joined, headers=HTML)
        assert response.content_type == "text/html", (name, await response.text())
        assert response.status != 500, name
        made[name] = await response.text()

    for name, given in ANSWERS.items():
        client = await serve(engine(given))
        await add(client, f"results, {name}", "/search?q=1&format=html")
    client = await serve(engine(), examples=["12", "34"])
    for name, address in ADDRESSES.items():
        await add(client, name, address)
    response = await post(client, "/basket", [("do", "add"), ("id", ID), ("id", OTHER)])
    assert response.status == 303, await response.text()
    await add(client, "basket", "/basket")
    await add(client, "results, with a basket", "/search?q=1&format=html")
    with tempfile.TemporaryDirectory() as folder:
        workspace = filled(Path(folder) / "workspace.sqlite3")
        running = engine()
        running.settings = replace(workspace.settings, server=running.settings.server)
        client = await serve(running)
        for name, address in addresses(workspace).items():
            await add(client, f"workspace, {name}", address)
        await client.close()
    return made
