"""What a reader without script says of works that were merged wrongly, or were not merged."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient
from lxml import html

from tests import cases
from tests.review.pages.filled import FilledWorkspace, filled
from tests.server.fake import FakeEngine
from tests.server.visitor import page, post, text


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    """A workspace with projects."""
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    """A browser at a server of it."""
    return await serve(FakeEngine(settings=workspace.settings))


@pytest.fixture
def works(workspace: FilledWorkspace) -> str:
    """The address of the works."""
    return f"/projects/{workspace.review.uid}/works"


def total(shown: html.HtmlElement) -> int:
    """Works of the list."""
    return len(shown.xpath("//li[@data-work]"))


def ticked(uids: tuple[str, ...]) -> list[tuple[str, str]]:
    """The fields of a form with ticked works."""
    return [("all", "same"), *(("id", uid) for uid in uids)]


async def test_ticked_works_become_one_and_are_divided_again(client, workspace, works):
    """All their records, although these have other DOIs; the fold tells of them, and of what was
    said: to take that back divides the work.
    """
    before = total(await page(client, works))

    response = await post(client, works, ticked(workspace.uids[-3:]))

    assert response.status == 303
    shown = await page(client, response.headers["Location"])
    assert total(shown) == before - 2
    assert "The ticked works are one work now." in text(shown)
    [work] = shown.xpath("//li[@data-work][count(.//button[@name='apart']) = 6]")
    for number in work.xpath(".//button[@name='unpin']/@value"):
        assert (await post(client, works, {"unpin": number})).status == 303
    assert total(await page(client, works)) == before


async def test_a_record_becomes_a_work_of_its_own(client, workspace, works):
    """Whatever it was merged with; "Undo the last change" joins it again."""
    await post(client, works, ticked(workspace.uids[-2:]))
    joined = await page(client, works)
    key = joined.xpath("//button[@name='apart']/@value")[0]

    response = await post(client, works, {"apart": key})

    assert response.status == 303
    divided = await page(client, response.headers["Location"])
    assert total(divided) == total(joined) + 1
    assert "said to be different works" in text(divided)
    change = divided.xpath("//input[@name='change']/@value")[0]
    assert (await post(client, works, {"do": "undo", "change": change})).status == 303
    assert total(await page(client, works)) == total(joined)


@cases.each(
    ("fields", "reason"),
    [
        ([("all", "same")], "No work is ticked"),
        ([("apart", "alpha:0")], "alpha:0"),
        ([("unpin", "999")], "The project has no pin 999"),
        ([("unpin", "x")], "is no number"),
    ],
)
async def test_what_cannot_be_said_is_told(client, works, fields, reason):
    """With 400, and no work is changed."""
    before = total(await page(client, works))

    response = await post(client, works, fields)

    assert response.status == 400
    assert reason in await response.text()
    assert total(await page(client, works)) == before


async def test_one_work_alone_or_one_record_alone_is_refused(client, workspace, works):
    """There is nothing to join, and nothing to keep it apart from."""
    one = await post(client, works, ticked(workspace.uids[:1]))
    assert (one.status, "1 works cannot be joined" in await one.text()) == (400, True)
    many = await post(client, works, ticked(workspace.uids[:1] * 60))
    assert many.status == 400
    alone = await post(client, works, {"apart": workspace.uids[0]})
    assert (alone.status, "cannot be kept apart" in await alone.text()) == (400, True)
