"""Feeds and e-mails of saved searches: who may read them, who may end them, and what their texts
may do.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient
from lxml import etree, html

from metasearch.formats.feeds import ATOM
from metasearch.review.alerts import email_outbox, saved_searches
from metasearch.review.alerts.email_sender import send_due
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.settings import Settings
from metasearch.settings.alerts import AlertsSettings, MailSettings
from tests.review.alerts.mail_server import MailBox, mail_server
from tests.review.alerts.told_rows import search, tell, user, work
from tests.server.conftest import serve as serve  # the fixture
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, post

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&lt;b&gt;{{7*7}}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        workspace=tmp_path / "workspace.sqlite3",
        serve_workspace=True,
        alerts=AlertsSettings(run=False),
        mail=MailSettings(host="mail.example.org", sender="a@example.org", to="me@example.org"),
    )


@pytest.fixture
async def client(serve, settings: Settings) -> TestClient:
    return await serve(FakeEngine(settings=settings))


@pytest.fixture
def one(client: TestClient, settings: Settings) -> SavedSearch:
    """A saved search with a piece of news, whose names and titles are markup."""
    with database(settings) as db:
        made = search(db, EVIL[:100])
        tell(db, made, [work(EVIL, venue=EVIL, abstract=EVIL, url="javascript:alert(1)")])
        return made


def database(settings: Settings) -> Database:
    assert settings.workspace is not None
    return Database(settings.workspace)


async def test_a_guessed_feed_address_is_like_one_that_was_revoked(
    client: TestClient, settings: Settings, one: SavedSearch
) -> None:
    """Both are the 404 of any address: same text, same headers, no hint of a saved search."""
    with database(settings) as db:
        renewed = saved_searches.new_feed(db, one)
    seen = set()
    for secret in (one.feed, one.uid, "A" * 43, renewed.feed[:-1], renewed.feed + "A", "%00", "a"):
        for ending in ("atom", "json"):
            response = await client.get(f"/feeds/{secret}.{ending}")
            problem = json.loads(await response.text())
            del problem["instance"]
            headers = {name for name in response.headers if name != "Date"}
            seen.add((response.status, json.dumps(problem), tuple(sorted(headers))))
    assert len(seen) == 1
    assert next(iter(seen))[0] == 404
    assert (await client.get(f"/feeds/{renewed.feed}.atom")).status == 200


async def test_a_feed_address_is_not_guessed(settings: Settings, one: SavedSearch) -> None:
    """256 random bits, others for each saved search and each new address."""
    with database(settings) as db:
        secrets = {one.feed, *(saved_searches.new_feed(db, one).feed for _ in range(20))}
    assert len(secrets) == 21
    assert all(len(secret) == 43 for secret in secrets)


async def test_guesses_are_counted(serve, settings: Settings) -> None:
    """A client has so many requests for feeds in a minute, as it has of searches; neither takes
    from the other."""
    client = await serve(
        FakeEngine(settings=settings), rate_limit=3, trusted_proxies=("127.0.0.1",)
    )
    headers = {"X-Forwarded-For": "203.0.113.7"}
    made = [(await client.get(f"/feeds/{'a' * 43}.atom", headers=headers)).status for _ in range(5)]
    assert made == [404, 404, 404, 429, 429]
    assert (await client.get("/search?q=mice", headers=headers)).status == 200


async def test_a_server_with_keys_shows_feeds_without_one(serve, settings: Settings) -> None:
    """Feed readers and mail programs have no key; everything else of saved searches needs one."""
    client = await serve(FakeEngine(settings=settings), keys=("k" * 32,))
    with database(settings) as db:
        one = search(db)
        email_outbox.switch_on(db, "")
        secret = db.value("SELECT secret FROM mail_owner")
    assert (await client.get(f"/feeds/{one.feed}.atom")).status == 200
    assert (await client.get(f"/unsubscribe/{secret}")).status == 200
    for address in ("/saved", f"/saved/{one.uid}", "/api/saved", f"/api/saved/{one.uid}"):
        assert (await client.get(address)).status == 401


async def test_a_feed_opens_nothing_but_itself(client: TestClient, one: SavedSearch) -> None:
    """It is not listed, kept by no shared cache, and leaves no referrer."""
    response = await client.get(f"/feeds/{one.feed}.atom")
    assert response.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert response.headers["Cache-Control"].startswith("private")
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "Disallow: /feeds/" in await (await client.get("/robots.txt")).text()
    assert (await client.post(f"/feeds/{one.feed}.atom")).status == 405
    head = await client.head(f"/feeds/{one.feed}.atom")
    assert (head.status, await head.text()) == (200, "")


async def test_a_reader_is_not_sent_what_it_has(client: TestClient, one: SavedSearch) -> None:
    """By its tag or its date; a tag comes first."""
    for ending in ("atom", "json"):
        address = f"/feeds/{one.feed}.{ending}"
        response = await client.get(address)
        tag, date = response.headers["ETag"], response.headers["Last-Modified"]
        for headers, status in (
            ({"If-None-Match": tag}, 304),
            ({"If-None-Match": '"other"'}, 200),
            ({"If-Modified-Since": date}, 304),
            ({"If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}, 200),
            ({"If-None-Match": '"other"', "If-Modified-Since": date}, 200),
            ({"If-Modified-Since": "yesterday"}, 200),
        ):
            assert (await client.get(address, headers=headers)).status == status, headers


async def test_no_secret_is_logged_or_counted(
    client: TestClient, settings: Settings, one: SavedSearch, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither of a feed nor of the address that ends e-mails, found or not, nor in /metrics."""
    with database(settings) as db:
        email_outbox.switch_on(db, "")
        secret = db.value("SELECT secret FROM mail_owner")
    wrong = "B" * 43
    with caplog.at_level(logging.DEBUG):
        for part in (one.feed, secret, wrong):
            for address in (f"/feeds/{part}.atom", f"/feeds/{part}.json", f"/unsubscribe/{part}"):
                await client.get(address)
                await client.get(address, headers=HTML)
    # The log of requests of the test's own server is not ours; `started` switches it off.
    logged = [each.getMessage() for each in caplog.records if each.name != "aiohttp.access"]
    text = "\n".join(logged)
    assert "/feeds/{secret}.atom" in text
    metrics = await (await client.get("/metrics")).text()
    for part in (one.feed, secret, wrong):
        assert part not in text
        assert part not in metrics


async def test_names_and_titles_are_text_in_feeds(client: TestClient, one: SavedSearch) -> None:
    """No element, no address of a script; a feed reader shows the title as it is."""
    root = etree.fromstring(await (await client.get(f"/feeds/{one.feed}.atom")).read())
    (entry,) = root.iterfind(f"{{{ATOM}}}entry")
    assert entry.findtext(f"{{{ATOM}}}title") == EVIL
    assert not [each for each in root.iter() if str(each.tag).endswith(("script", "img"))]
    assert all(each.get("type", "text") != "html" for each in root.iter(f"{{{ATOM}}}summary"))
    assert "javascript:" not in str([each.attrib for each in root.iter()])
    (item,) = json.loads(await (await client.get(f"/feeds/{one.feed}.json")).text())["items"]
    assert "url" not in item
    assert "content_html" not in item


async def test_names_and_titles_are_text_on_pages(client: TestClient, one: SavedSearch) -> None:
    """On the list, on the page of the search, and where a form has failed."""
    for address in ("/saved", f"/saved/{one.uid}"):
        tree = await page(client, address)
        assert EVIL[:40] in tree.text_content()
        assert all(each.startswith("/static/") for each in tree.xpath("//script/@src"))
        assert not tree.xpath("//script[not(@src)] | //@onerror | //a[contains(@href,'script:')]")
    response = await post(client, "/saved", {"do": "save", "name": EVIL, "query": f"({EVIL}"})
    assert response.status == 400
    tree = html.document_fromstring(await response.text())
    assert not tree.xpath("//script[not(@src)] | //@onerror")


async def test_names_and_titles_are_text_in_emails(settings: Settings, one: SavedSearch) -> None:
    """The part in HTML has no element, script or address of theirs."""
    assert settings.workspace is not None
    box = MailBox()
    async with mail_server(box), Workspace(settings.workspace) as workspace:
        mail = MailSettings(
            host="127.0.0.1", port=box.port, tls="none", sender="a@example.org", to="b@example.org"
        )
        now = dt.datetime(2026, 11, 23, 6, tzinfo=dt.UTC)
        own = Settings(mail=mail, public_url="https://search.example.org")
        await send_due(workspace, own, now, hold=False)
    (message,) = box.messages
    rich = html.document_fromstring(message.get_body(("html",)).get_content())  # type: ignore[union-attr]
    assert EVIL in rich.text_content()
    assert not rich.xpath("//script | //img | //@onerror | //form")
    assert all(
        str(each).startswith("https://search.example.org/")
        for each in rich.xpath("//@href | //@src")
    )


async def test_who_looks_at_the_address_that_ends_emails_ends_nothing(
    client: TestClient, settings: Settings, one: SavedSearch
) -> None:
    """Mail programs and their guards open every address: GET and HEAD change nothing, a POST does,
    without cookie or token."""
    with database(settings) as db:
        email_outbox.switch_on(db, "")
        secret = db.value("SELECT secret FROM mail_owner")
        for method in ("get", "head"):
            response = await getattr(client, method)(f"/unsubscribe/{secret}", headers=HTML)
            assert response.status == 200
        assert email_outbox.state(db, "").off == ""
        (form,) = (await page(client, f"/unsubscribe/{secret}")).xpath("//main//form")
        assert (form.get("method"), form.get("action")) == ("post", f"/unsubscribe/{secret}")

        response = await client.post(
            f"/unsubscribe/{secret}",
            data={"List-Unsubscribe": "One-Click"},
            headers={"Sec-Fetch-Site": "cross-site"},
        )
        assert response.status == 200
        assert email_outbox.state(db, "").off == "asked"


async def test_only_the_address_of_an_email_ends_emails(
    client: TestClient, settings: Settings, one: SavedSearch
) -> None:
    """Neither a guess, nor the uid of a user, nor the secret of a feed."""
    with database(settings) as db:
        uid = user(db)
        email_outbox.switch_on(db, uid)
        secret = db.value("SELECT secret FROM mail_owner WHERE owner = ?", uid)
        for part in (uid, one.feed, one.uid, secret[:-1], secret + "A", "C" * 43, "%"):
            assert (await client.get(f"/unsubscribe/{part}")).status == 404
            assert (await client.post(f"/unsubscribe/{part}")).status == 404
        assert email_outbox.state(db, uid).off == ""


async def test_the_secret_of_emails_opens_no_feed(
    client: TestClient, settings: Settings, one: SavedSearch
) -> None:
    """Whoever gets a forwarded e-mail can end e-mails, and read nothing."""
    with database(settings) as db:
        email_outbox.switch_on(db, "")
        secret = db.value("SELECT secret FROM mail_owner")
    assert (await client.get(f"/feeds/{secret}.atom")).status == 404


async def test_a_large_body_does_not_end_emails(client: TestClient, settings: Settings) -> None:
    """The address takes a few bytes."""
    with database(settings) as db:
        email_outbox.switch_on(db, "")
        secret = db.value("SELECT secret FROM mail_owner")
        response = await client.post(f"/unsubscribe/{secret}", data=b"x" * 100_000)
        assert response.status == 413
        assert email_outbox.state(db, "").off == ""


async def test_saved_searches_of_somebody_else_are_not_there(
    client: TestClient, settings: Settings
) -> None:
    """The same 404 as for one that is not; nothing of another owner is listed or changed."""
    with database(settings) as db:
        other = search(db, "theirs", user(db))
    assert "theirs" not in (await page(client, "/saved")).text_content()
    assert (await (await client.get("/api/saved")).json())["saved"] == []
    seen = set()
    for uid in (other.uid, "aaaaaaaaaaaa"):
        for path in (f"/saved/{uid}", f"/api/saved/{uid}", f"/api/saved/{uid}/news"):
            response = await client.get(path)
            problem = json.loads(await response.text())
            del problem["instance"]
            seen.add((response.status, json.dumps(problem)))
        for action in ("delete", "run", "feed"):
            response = await client.post(f"/api/saved/{uid}/{action}", json={})
            problem = json.loads(await response.text())
            del problem["instance"]
            seen.add((response.status, json.dumps(problem)))
        assert (await post(client, f"/saved/{uid}", {"do": "remove", "sure": "yes"})).status == 404
    assert len(seen) == 1
    assert next(iter(seen))[0] == 404
    with database(settings) as db:
        assert saved_searches.of(db, other.owner) == [other]
