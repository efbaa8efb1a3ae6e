"""Saved searches on a server with users: each has their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from metasearch.review.alerts import email_outbox, saved_searches
from metasearch.review.users import accounts
from metasearch.settings.users import UsersSettings
from tests.review.alerts.told_rows import search, tell, work
from tests.review.users.server.served import HTML, Browser, Served, serving

NEW = {"name": "drives", "query": "gene drive"}
FORM = {"do": "save", "syntax": "auto", "schedule": "", **NEW}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Served]:
    """With ann and bo, two users, and guests who search."""
    async with serving(tmp_path, users=UsersSettings(mode="local", guests=True)) as served:
        served.user("ann", email="ann@example.org")
        served.user("bo", email="bo@example.org")
        yield served


async def saved_by(server: Served, name: str, browser: Browser) -> saved_searches.SavedSearch:
    """A search that a user has saved by the form."""
    response = await browser.post("/saved", FORM)
    assert response.status == 303, await response.text()
    with server.database() as db:
        return saved_searches.of(db, accounts.find(db, name).uid)[-1]


async def test_a_guest_saves_nothing(server: Served) -> None:
    """Neither is there a link on results, nor a page, nor an interface; a feed with a good address
    is open to all."""
    guest = await server.browser()
    results = await guest.page("/search?q=mice&format=html")
    assert not results.xpath("//a[text()='Save this search']")
    assert not results.xpath("//a[contains(@href, '/saved')]")
    assert (await guest.ask("/api/saved")).status in (401, 403)
    assert (await guest.tell("/api/saved", json=NEW)).status in (401, 403)
    assert (await guest.get("/saved")).status in (303, 401, 403)
    with server.database() as db:
        one = search(db, owner=accounts.find(db, "ann").uid)
        tell(db, one, [work()])
    for ending in ("atom", "json"):
        assert (await guest.ask(f"/feeds/{one.feed}.{ending}")).status == 200


async def test_each_user_has_their_own(server: Served) -> None:
    """Two users may give the same name; nobody sees, changes or runs what is somebody else's."""
    ann, bo = await server.browser("ann"), await server.browser("bo")
    one = await saved_by(server, "ann", ann)
    await saved_by(server, "bo", bo)
    results = await ann.page("/search?q=mice&format=html")
    assert results.xpath("//a[text()='Save this search']")

    listed = await (await bo.ask("/api/saved")).json()
    assert [each["name"] for each in listed["saved"]] == ["drives"]
    assert one.uid not in str(listed)
    for path in (f"/saved/{one.uid}", f"/api/saved/{one.uid}", f"/api/saved/{one.uid}/news"):
        assert (await bo.get(path)).status == 404
        assert (await ann.get(path)).status == 200
    form = {"do": "remove", "sure": "yes"}
    assert (await bo.post(f"/saved/{one.uid}", form, form="/saved")).status == 404
    with server.database() as db:
        assert saved_searches.by_id(db, one.id) == one


async def test_the_feed_of_a_user_who_is_disabled_ends(server: Served) -> None:
    """As their sessions do."""
    ann = await server.browser("ann")
    one = await saved_by(server, "ann", ann)
    assert (await ann.ask(f"/feeds/{one.feed}.atom")).status == 200
    with server.database() as db:
        accounts.set_disabled(db, accounts.find(db, "ann"), True)
    assert (await ann.ask(f"/feeds/{one.feed}.atom")).status == 404


async def test_emails_end_without_logging_in(server: Served) -> None:
    """A mail program has no session; only those of the user whose e-mail it is end."""
    with server.database() as db:
        ann, bo = (accounts.find(db, name).uid for name in ("ann", "bo"))
        email_outbox.switch_on(db, ann)
        email_outbox.switch_on(db, bo)
        secret = db.value("SELECT secret FROM mail_owner WHERE owner = ?", ann)
        stranger = await server.browser()
        assert (await stranger.ask(f"/unsubscribe/{secret}", headers=HTML)).status == 200
        response = await stranger.tell(
            f"/unsubscribe/{secret}", data={"List-Unsubscribe": "One-Click"}
        )
        assert response.status == 200
        assert (email_outbox.state(db, ann).off, email_outbox.state(db, bo).off) == ("asked", "")


async def test_quotas_of_saved_searches_hold(server: Served) -> None:
    """As many as the user may have, of as many sources; more than the usual number where the user
    has a larger quota of their own."""
    with server.database() as db:
        accounts.update(db, accounts.find(db, "ann"), quotas={"saved_searches": 1, "sources": 2})
    ann = await server.browser("ann")
    sources = ["alpha", "beta", "gamma"]
    refused = await ann.tell("/api/saved", json=NEW | {"sources": sources})
    assert refused.status == 429
    made = await (await ann.tell("/api/saved", json=NEW)).json()
    assert (await ann.tell("/api/saved", json=NEW | {"name": "more"})).status == 429
    changed = await ann.tell(f"/api/saved/{made['uid']}", json={"sources": sources})
    assert changed.status == 429


async def test_the_owner_is_never_what_a_body_says(server: Served) -> None:
    """Mass assignment: owner, feed and baseline are no members of a body or form."""
    ann = await server.browser("ann")
    with server.database() as db:
        bo = accounts.find(db, "bo").uid
    for extra in ({"owner": bo}, {"feed": "x" * 43}, {"uid": "a" * 12}, {"next_run": "2026"}):
        assert (await ann.tell("/api/saved", json=NEW | extra)).status == 400
    assert (await ann.post("/saved", FORM | {"owner": bo, "feed": "x" * 43})).status == 303
    with server.database() as db:
        assert saved_searches.of(db, bo) == []
        (one,) = saved_searches.of(db, accounts.find(db, "ann").uid)
    assert one.feed != "x" * 43
