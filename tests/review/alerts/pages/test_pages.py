"""The pages of saved searches, as a reader without script uses them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from aiohttp.test_utils import TestClient
from lxml import html
from yarl import URL

from metasearch.errors import UsageError
from metasearch.review.alerts import email_outbox, saved_searches
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store.database import Database
from metasearch.server.app import open_server
from metasearch.settings import Settings
from metasearch.settings.alerts import MailSettings
from tests.review.alerts.told_rows import tell, work
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, post, text

FORM = {"do": "save", "name": "drives", "query": "gene drive", "syntax": "auto", "schedule": ""}


def database(settings: Settings) -> Database:
    assert settings.workspace is not None
    return Database(settings.workspace)


async def saved_one(browser: TestClient, settings: Settings, **fields: str) -> SavedSearch:
    """A saved search, made by the form."""
    response = await post(browser, "/saved", FORM | fields)
    assert response.status == 303, await response.text()
    with database(settings) as db:
        return saved_searches.of(db, "")[-1]


async def test_a_server_without_a_workspace_saves_nothing(serve) -> None:
    """Neither the pages nor a link to them."""
    client = await serve(FakeEngine(settings=Settings()))
    for address in ("/saved", "/saved/abc", "/api/saved", "/feeds/abc.atom", "/unsubscribe/abc"):
        assert (await client.get(address, headers=HTML)).status == 404
    for address in ("/", "/search?q=mice&format=html"):
        assert "/saved" not in await (await client.get(address, headers=HTML)).text()


async def test_a_search_is_saved_from_its_results(browser: TestClient) -> None:
    """The link of the results page fills the form."""
    address = "/search?q=gene+drive&format=html&sources=alpha&year=2015-"
    tree = await page(browser, address)
    (link,) = tree.xpath("//a[text()='Save this search']/@href")

    form = await page(browser, link)
    assert form.get_element_by_id("query").text_content().strip() == "gene drive"
    assert form.get_element_by_id("name").get("value") == "gene drive"
    assert form.get_element_by_id("sources").get("value") == "alpha"
    assert form.get_element_by_id("years").get("value") == "2015-"


async def test_a_saved_search_is_made_and_shown(browser: TestClient, settings: Settings) -> None:
    """With all that was chosen; the list names it."""
    response = await post(
        browser,
        "/saved",
        FORM
        | {"sources": "alpha，beta", "years": "2015-", "schedule": "weekly mon", "email": "yes"},
    )
    assert response.status == 303
    tree = await page(browser, response.headers["Location"])
    shown = text(tree)
    assert "The search was saved." in shown
    assert "alpha, beta" in shown
    assert "Every Monday" in shown
    with database(settings) as db:
        (one,) = saved_searches.of(db, "")
    assert one.sources == ("alpha", "beta")
    assert one.email
    listed = await page(browser, "/saved")
    assert listed.xpath(f"//a[@href='/saved/{one.uid}']")


async def test_what_cannot_be_saved_is_said_with_what_was_typed(browser: TestClient) -> None:
    """With 400, and nothing is lost."""
    response = await post(browser, "/saved", FORM | {"query": "(gene", "name": "typed"})
    assert response.status == 400
    body = await response.text()
    assert 'value="typed"' in body
    assert "(gene" in body


async def test_news_are_listed_with_what_has_happened(
    browser: TestClient, settings: Settings
) -> None:
    """The newest first, a page at a time; links lead to the web alone."""
    one = await saved_one(browser, settings)
    with database(settings) as db:
        tell(db, one, [work(f"title {number}") for number in range(60)])
        tell(db, one, [work("its article")], "version")
        tell(db, one, [work("gone", retracted=True, url="javascript:alert(1)")], "retracted")
    tree = await page(browser, f"/saved/{one.uid}")
    entries = [
        " ".join(each.text_content().split()) for each in tree.xpath("//ul[@class='stack']/li")
    ]
    assert entries[0].startswith("retracted gone")
    assert entries[1].startswith("new version its article")
    assert len(entries) == 50
    assert not tree.xpath("//a[starts-with(@href, 'javascript')]")
    (older,) = tree.xpath("//a[text()='Older news']/@href")
    rest = await page(browser, older)
    assert len(rest.xpath("//ul[@class='stack']/li")) == 12


async def test_a_saved_search_is_changed_and_removed(
    browser: TestClient, settings: Settings
) -> None:
    """A change is based on the version of the page; removing needs a tick."""
    one = await saved_one(browser, settings)
    path = f"/saved/{one.uid}"
    change = FORM | {"do": "change", "name": "mice", "version": str(one.version)}
    assert (await post(browser, path, change)).status == 303
    again = await post(browser, path, change | {"name": "too late"})
    assert again.status == 409
    tree = html.document_fromstring(await again.text())
    assert "changed meanwhile" in text(tree)
    # Both are shown: what stands now, and what was typed, which the same button now saves.
    assert tree.findtext(".//h1") == "mice"
    assert tree.get_element_by_id("name").get("value") == "too late"
    (version,) = tree.xpath("//input[@name='version']/@value")
    settled = await post(browser, path, change | {"name": "too late", "version": version})
    assert settled.status == 303

    assert (await post(browser, path, {"do": "remove"})).status == 400
    removed = await post(browser, path, {"do": "remove", "sure": "yes"})
    assert removed.headers["Location"] == "/saved?done=removed"
    assert (await browser.get(path, headers=HTML)).status == 404


async def test_its_emails_and_its_feed_have_buttons(
    browser: TestClient, settings: Settings
) -> None:
    """E-mails on and off, of one search and of all; a new address of the feed."""
    one = await saved_one(browser, settings)
    path = f"/saved/{one.uid}"
    assert "E-mails go to me@example.org." in text(await page(browser, path))
    await post(browser, path, {"do": "email", "email": "yes"})
    await post(browser, "/saved", {"do": "mails-off"})
    with database(settings) as db:
        assert saved_searches.by_id(db, one.id).email
        assert email_outbox.state(db, "", "me@example.org").off == "asked"
    assert "switched e-mails of saved searches off" in text(await page(browser, path))
    await post(browser, path, {"do": "mails-on"})

    (before,) = (await page(browser, path)).xpath("//input[@id='feed-1']/@value")
    await post(browser, path, {"do": "feed"})
    (after,) = (await page(browser, path)).xpath("//input[@id='feed-1']/@value")
    assert before != after
    assert (await browser.get(URL(before).path)).status == 404
    assert (await browser.get(URL(after).path)).status == 200


async def test_a_server_without_a_mail_server_offers_no_emails(serve, settings: Settings) -> None:
    """Nothing of them is on the pages."""
    client = await serve(FakeEngine(settings=replace(settings, mail=MailSettings())))
    assert "mail" not in text(await page(client, "/saved")).replace("by e-mail", "")
    one = await saved_one(client, settings, email="yes")
    assert not one.email
    assert "E-mail" not in text(await page(client, f"/saved/{one.uid}"))


async def test_a_server_that_cannot_send_emails_does_not_start(settings: Settings) -> None:
    """Its operator sees why at once."""
    mail = replace(settings.mail, user="metasearch", password="NOT_SET", tls="tls")
    with pytest.raises(UsageError, match="password of the mail server"):
        async with open_server(replace(settings, mail=mail), demo=True):
            pass


async def test_a_form_without_a_token_changes_nothing(
    browser: TestClient, settings: Settings
) -> None:
    """As that of a foreign site would be."""
    one = await saved_one(browser, settings)
    for path, fields in (
        ("/saved", FORM | {"name": "other"}),
        ("/saved", {"do": "mails-off"}),
        (f"/saved/{one.uid}", {"do": "remove", "sure": "yes"}),
        (f"/saved/{one.uid}", {"do": "feed"}),
    ):
        assert (await browser.post(path, data=fields, headers=HTML)).status == 403
    with database(settings) as db:
        assert saved_searches.of(db, "") == [one]
