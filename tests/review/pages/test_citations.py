"""The form that follows citations, and what the pages say of what came."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient

from metasearch.demo import replay_settings
from metasearch.demo.server import DemoTransport
from metasearch.engine.citations import MOST_ROUNDS
from metasearch.engine.engine import Engine
from metasearch.review.examples import INDEXES, NAME, install
from metasearch.review.store.workspace import Workspace
from metasearch.settings import Settings
from tests.review.new_workspaces import make_once
from tests.server.visitor import page, post, text


@pytest.fixture
async def client(serve, tmp_path: Path) -> TestClient:
    """A browser at a server with the worked review, over the demo's databases."""
    path = tmp_path / "workspace.sqlite3"

    async def example() -> None:
        async with Workspace(path) as workspace:
            await install(workspace)

    await asyncio.to_thread(make_once, "review", path, lambda: asyncio.run(example()))
    settings = replay_settings(Settings(workspace=path, serve_workspace=True))
    engine = Engine(settings, transport=DemoTransport())
    return await serve(engine)


async def base_of(client: TestClient) -> str:
    """The address of the project."""
    shown = await page(client, "/projects")
    return next(
        str(link)
        for link in shown.xpath("//main//a/@href")
        if str(link).startswith("/projects/") and "/strategies" not in str(link)
    )


async def test_the_form_begins_a_run(client: TestClient) -> None:
    """The project names it; what was followed before is not asked for again."""
    base = await base_of(client)
    strategy = f"{base}/strategies/main"
    form = [
        ("do", "cite"),
        ("direction", "references"),
        ("direction", "cited_by"),
        ("indexes", ", ".join(INDEXES)),
        ("rounds", "1"),
    ]

    begun = await post(client, strategy, form)
    while "records are being fetched" in text(await page(client, strategy)):
        await asyncio.sleep(0.02)
    refused = await post(client, strategy, form)
    shown = text(await page(client, base))

    assert (begun.status, refused.status) == (303, 400)
    assert "were asked for already" in await refused.text()
    assert shown.count("citations followed") == 2


async def test_the_form_takes_several_rounds(client: TestClient) -> None:
    """The step says how many; more than there can be are refused, and leave no step."""
    strategy = f"{await base_of(client)}/strategies/main"
    form = [("do", "cite"), ("direction", "cited_by")]

    offered = (await page(client, strategy)).xpath("//select[@name='rounds']/option")
    begun = await post(client, strategy, [*form, ("rounds", "2")])
    while "records are being fetched" in text(await page(client, strategy)):
        await asyncio.sleep(0.02)
    refused = await post(client, strategy, [*form, ("rounds", "11")])
    shown = text(await page(client, strategy))

    assert [each.text for each in offered] == [str(n) for n in range(1, MOST_ROUNDS + 1)]
    assert (begun.status, refused.status) == (303, 400)
    assert "rounds must be from 1 to 10" in await refused.text()
    assert "citations(included; cited_by; rounds 2)" in shown
    assert "rounds 11" not in shown


async def test_without_a_direction_nothing_is_asked(client: TestClient) -> None:
    base = await base_of(client)

    refused = await post(client, f"{base}/strategies/main", [("do", "cite")])

    assert refused.status == 400
    assert "No direction of citations was chosen" in await refused.text()


async def test_a_work_says_what_led_to_it(client: TestClient) -> None:
    """With the indexes that know it; and the strategy has a line of the citations of each index."""
    base = await base_of(client)

    works = text(await page(client, f"{base}/works?first=4"))
    strategy = await page(client, f"{base}/strategies/main")

    assert "It cites “" in works
    assert ", in OpenAlex (simulated)" in works
    (line,) = strategy.xpath("//tr[.//code[starts-with(., 'citations(')]]")
    assert all(label in line.text_content() for label in ("Crossref", "OpenAlex", "PubMed"))


async def test_a_link_offers_to_be_told_of_what_cites_the_included_works(
    client: TestClient,
) -> None:
    base = await base_of(client)
    strategy = await page(client, f"{base}/strategies/main")
    (link,) = strategy.xpath("//a[contains(@href, 'syntax=citations')]/@href")

    offered = await page(client, link)
    (query,) = offered.xpath("//textarea[@name='query']")
    saved = await post(
        client,
        "/saved",
        {"do": "save", "name": "citing", "query": NAME, "syntax": "citations", "schedule": ""},
    )
    shown = await page(client, saved.headers["Location"])

    assert query.text_content().strip() == base.rpartition("/")[2]
    assert "What cites the included works of a project" in text(shown)
