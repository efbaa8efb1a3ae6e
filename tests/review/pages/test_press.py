"""Reviews of strategies in a browser without script: findings beside lines, mends by a click."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient

from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies
from metasearch.review.strategies.paste import copy_in
from tests.review.pages.filled import FilledWorkspace, filled
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, text, token


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    """A workspace with projects."""
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    """A browser at a server of it."""
    return await serve(FakeEngine(settings=workspace.settings))


async def sent(client: TestClient, address: str, **fields: str) -> tuple[int, str]:
    """The answer to a form: its status, and its page or where it leads."""
    data = {"token": await token(client), **fields}
    answer = await client.post(address, data=data, headers=HTML, allow_redirects=False)
    return answer.status, answer.headers.get("Location") or await answer.text()


async def test_a_text_that_is_pasted_is_reviewed(client, workspace):
    """And a click takes a mend, whose text is shown then."""
    address = f"/projects/{workspace.review.uid}/review"
    _, shown = await sent(client, address, text="(heron[ti] OR ibis[ti]", syntax="pubmed")

    assert "never closed" in shown
    assert 'value="open-bracket:0"' in shown

    _, shown = await sent(
        client,
        address,
        text="(heron[ti] OR ibis[ti]",
        syntax="pubmed",
        mend="open-bracket:0",
    )

    assert "(heron[ti] OR ibis[ti])" in shown
    assert "never closed" not in shown


async def test_a_mend_changes_the_step_that_it_stands_in(client, workspace):
    """The other steps stay; a mend that is not there any more changes nothing."""
    base = f"/projects/{workspace.empty.uid}/strategies"
    with Database(workspace.path) as db:
        made = strategies.create(projects.find(db, workspace.empty.uid), "one")
        copy_in(db, made, "1. nap.ti.\n2. naps.ti.\n3. 1 and 2", syntax="ovid")
    shown = await page(client, f"{base}/one/review")
    [mend] = shown.xpath("//button[@name='mend']/@value")
    status, leads_to = await sent(client, f"{base}/one/review", mend=mend)
    again, _ = await sent(client, f"{base}/one/review", mend=mend)

    assert (status, leads_to) == (303, f"{base}/one/review?done=edited")
    assert "1 or 2" in text(await page(client, f"{base}/one"))
    assert again == 400
