"""Quotas of users, where things happen."""

from __future__ import annotations

from typing import Any, cast

from metasearch.review.projects import members, projects
from metasearch.review.users import accounts, audit
from metasearch.server.site import SHARED
from tests.review.users.server.served import Served
from tests.server.visitor import text


def limited(local: Served, **quotas: int) -> None:
    with local.database() as db:
        accounts.update(db, accounts.find(db, "ann"), quotas=quotas)


def used(local: Served, kind: str = "searches") -> int:
    return local.value("SELECT sum(amount) FROM usage WHERE kind = ?", kind) or 0


async def test_searches_of_a_day_end_with_a_sentence_that_says_when(local: Served):
    """429 with Retry-After; another user goes on."""
    limited(local, searches=2)
    header = local.token("ann", "search")
    program = await local.browser()

    async def status(query: str, **headers: str) -> int:
        return (await program.session.get(f"/search?q={query}", headers=headers)).status

    assert [await status(query, **header) for query in ("a1", "a2", "a3")] == [200, 200, 429]
    response = await program.session.get("/search?q=a3", headers=header)
    problem = await response.json(content_type=None)
    assert problem["type"] == "urn:metasearch:problem:quota"
    assert (problem["quota"], problem["limit"]) == ("searches", 2)
    assert 0 < int(response.headers["Retry-After"]) <= 86_400
    assert await status("a3", **local.token("root", "search")) == 200


async def test_a_page_says_that_the_quota_is_used_up(local: Served):
    """As a page, with what to do."""
    limited(local, searches=0)
    browser = await local.browser("ann")
    response = await browser.get("/search?q=gene&format=html")

    assert response.status == 429
    assert "You may make 0 searches a day" in await response.text()


async def test_another_page_of_the_same_search_is_no_new_search(local: Served):
    """Nor is another format, order or filter of it; other words are."""
    limited(local, searches=2)
    browser = await local.browser("ann")
    for path in ("q=mice", "q=mice&start=20", "q=mice&filter=year:2020", "q=mice&sort=date"):
        assert (await browser.get(f"/search?format=html&{path}")).status == 200
    assert used(local) == 1
    assert (await browser.get("/search?q=rats&format=html")).status == 200
    assert (await browser.get("/search?q=cats&format=html")).status == 429
    assert (await browser.get("/search?q=mice&start=40&format=html")).status == 200


async def test_every_protocol_counts(local: Served):
    """SRU, SearXNG, pazpar2 and events count as /search does."""
    header = local.token("ann", "search")
    program = await local.browser()
    paths = [
        "/search?q=one",
        "/search?q=two&format=ndjson",
        "/sru?operation=searchRetrieve&version=1.2&query=three",
        "/searxng/search?q=four&format=json",
        "/search?q=five&format=ris",
    ]
    for path in paths:
        response = await program.session.get(path, headers=header)
        await response.read()
        assert (response.status, path) == (200, path)
    assert used(local) == len(paths)


async def test_a_search_may_ask_so_many_databases(local: Served):
    """The usual ones count where none is named; a refused search is not counted."""
    limited(local, sources=1)
    header = local.token("ann", "search")
    program = await local.browser()
    several = await program.session.get("/search?q=gene", headers=header)
    one = await program.session.get("/search?q=gene&sources=alpha", headers=header)

    assert (several.status, one.status) == (429, 200)
    assert used(local) == 1


async def test_the_first_excess_of_a_day_is_told_in_the_audit_log(local: Served):
    """Once, however often it is tried again."""
    limited(local, searches=0)
    header = local.token("ann", "search")
    program = await local.browser()
    for _ in range(3):
        await program.session.get("/search?q=gene", headers=header)

    with local.database() as db:
        lines = [line.detail for line in audit.lines(db, action="quota")]
    assert lines.count({"exceeded": "searches", "limit": 0}) == 1


async def test_exports_of_projects_count_and_are_told(local: Served):
    """Works and archives; own data too."""
    limited(local, exports=2)
    with local.database() as db:
        project = projects.create(db, "review", "review")
        members.add(project, accounts.find(db, "ann"), "owner")
    browser = await local.browser("ann")
    assert (await browser.get(f"/projects/{project.uid}/works/export?format=ris")).status == 200
    assert (await browser.get(f"/projects/{project.uid}/archive")).status == 200
    assert (await browser.get("/account/data")).status == 429

    with local.database() as db:
        found = [line.detail["what"] for line in audit.lines(db, action="export")]
    assert found == ["archive", "ris"]


async def test_a_project_whose_owner_keeps_too_much_gets_no_run(local: Served):
    """Nothing is asked of any database."""
    limited(local, stored_records=0)
    with local.database() as db:
        project = projects.create(db, "review", "review")
        members.add(project, accounts.find(db, "ann"), "owner")
    browser = await local.browser("ann")
    base = f"/api/projects/{project.uid}"
    await browser.session.post(f"{base}/strategies", json={"name": "main"})
    await browser.session.post(f"{base}/strategies/main/steps", json={"text": "gene"})
    response = await browser.session.post(f"{base}/runs", json={"strategy": "main"})

    assert response.status == 429
    assert cast("Any", local.app[SHARED].engine).asked == []


async def test_the_account_shows_what_is_left(local: Served):
    """Of today, and of what is kept."""
    limited(local, searches=5)
    browser = await local.browser("ann")
    await browser.get("/search?q=gene&format=html")
    tree = await browser.page("/account")
    row = next(row for row in tree.xpath("//tr") if "Searches a day" in row.text_content())

    assert [cell.text_content() for cell in row.xpath("td")] == ["1", "5", "4"]
    assert "What you may use" in text(tree)


async def test_guests_who_are_not_logged_in_have_no_quota(tmp_path):
    """The rate limit of clients holds for them."""
    from metasearch.settings.users import UsersSettings
    from tests.review.users.server.served import serving

    quotas = {"searches": 0}
    async with serving(
        tmp_path, users=UsersSettings(mode="local", guests=True, quotas=quotas)
    ) as served:
        browser = await served.browser()
        assert (await browser.get("/search?q=gene&format=html")).status == 200
