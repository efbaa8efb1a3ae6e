"""What a user has chosen counts on pages and for programs, on every device."""

from __future__ import annotations

from typing import Any, cast

from metasearch.review.users import accounts
from metasearch.server.site import SHARED
from tests.review.users.server.served import Served


def asked(local: Served) -> list[Any]:
    """The sources of each search, as the engine was asked."""
    return [each.get("sources") for each in cast("Any", local.app[SHARED].engine).asked]


def prefers(local: Served, **preferences: object) -> None:
    with local.database() as db:
        accounts.update(db, accounts.find(db, "ann"), preferences=preferences)


async def test_databases_are_chosen_once_for_pages_and_programs(local: Served):
    """A search that names none asks them: by page, token, SRU and SearXNG."""
    prefers(local, sources=["beta"])
    header = local.token("ann", "search")
    browser, program = await local.browser("ann"), await local.browser()
    await browser.get("/search?q=one&format=html")
    for path in (
        "/search?q=two",
        "/sru?operation=searchRetrieve&version=1.2&query=three",
        "/searxng/search?q=four&format=json",
    ):
        assert (await program.session.get(path, headers=header)).status == 200

    assert asked(local) == [("beta",)] * 4


async def test_a_request_that_names_databases_asks_those(local: Served):
    """What an address says comes first."""
    prefers(local, sources=["beta"])
    program = await local.browser()
    await program.session.get("/search?q=one&sources=alpha", headers=local.token("ann", "search"))

    assert asked(local) == [("alpha",)]


async def test_a_database_that_is_gone_is_passed_over(local: Served):
    """The others are asked; none left is the usual ones."""
    prefers(local, sources=["nowhere", "beta"])
    header = local.token("ann", "search")
    program = await local.browser()
    assert (await program.session.get("/search?q=one", headers=header)).status == 200
    prefers(local, sources=["nowhere"])
    assert (await program.session.get("/search?q=two", headers=header)).status == 200

    assert asked(local) == [("beta",), None]


async def test_the_style_of_citations_is_that_of_the_user(local: Served):
    """Where the request names none."""
    prefers(local, style="ieee")
    header = local.token("ann", "search")
    program = await local.browser()

    async def cited(path: str) -> str:
        return await (await program.session.get(path, headers=header)).text()

    own = await cited("/search?q=one&format=citations")
    assert own == await cited("/search?q=one&format=citations&style=ieee")
    assert own != await cited("/search?q=one&format=citations&style=apa")


async def test_settings_are_kept_in_the_account_and_follow_to_another_browser(local: Served):
    """Language and databases of the page of settings hold everywhere."""
    here, there = await local.browser("ann"), await local.browser("ann")
    sent = {"do": "save", "language": "zh-Hans", "style": "apa", "sources": "gamma"}
    assert (await here.post("/settings", sent, form="/settings")).status == 303

    tree = await there.page("/account")
    assert tree.get("lang") == "zh-Hans"
    await there.get("/search?q=one&format=html")
    assert asked(local)[-1] == ("gamma",)


async def test_a_link_to_another_language_is_kept_too(local: Served):
    """And is no reason to forget the rest."""
    prefers(local, sources=["beta"], emails=False)
    browser = await local.browser("ann")
    await browser.get("/help?lang=zh-Hans")

    with local.database() as db:
        found = accounts.find(db, "ann").preferences
    assert found == {"sources": ["beta"], "emails": False, "language": "zh-Hans"}


async def test_what_one_user_chooses_is_nothing_to_another(local: Served):
    """Also in the same browser, one after the other."""
    prefers(local, sources=["beta"], language="zh-Hans")
    browser = await local.browser("root")
    tree = await browser.page("/account")

    assert tree.get("lang") == "en"
    await browser.get("/search?q=one&format=html")
    assert asked(local)[-1] is None
