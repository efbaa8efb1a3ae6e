"""A proxy says who asks."""

from __future__ import annotations

from pathlib import Path

from metasearch.review.users import accounts
from metasearch.settings import ServerSettings
from metasearch.settings.users import UsersSettings
from tests.review.users.server.served import HTML, Served, serving


async def test_the_account_is_made_at_the_first_visit(proxied: Served):
    """Once, of the configured role; the page says who it is, without a way to log out here."""
    browser = await proxied.browser()
    for _ in range(2):
        response = await browser.get("/help", **{"X-Remote-User": "ann@example.org"})
        assert response.status == 200
        assert "ann@example.org" in await response.text()
        assert "/logout" not in await response.text()

    with proxied.database() as db:
        (user,) = accounts.every(db)
    assert (user.name, user.role, user.origin) == ("ann@example.org", "user", "header")
    assert user.subject == "ann@example.org"


async def test_new_accounts_have_the_configured_role(tmp_path: Path):
    """Guests search, and have no projects."""
    users = UsersSettings(mode="header", default_role="guest")
    server = ServerSettings(trusted_proxies=("127.0.0.1",))
    async with serving(tmp_path, users=users, server=server) as served:
        browser = await served.browser()
        ann = {"X-Remote-User": "ann"}
        assert (await browser.get("/help", **ann)).status == 200
        assert (await browser.get("/projects", **ann)).status == 403


async def test_without_the_header_nobody_asks(proxied: Served):
    """There is no login here that a browser could be sent to."""
    browser = await proxied.browser()

    response = await browser.get("/help")
    assert response.status == 401
    assert "The proxy in front of this server does not say who you are." in await response.text()
    assert (await browser.get("/login")).status == 404


async def test_a_disabled_account_stays_out(proxied: Served):
    """No new one is made in its place."""
    browser = await proxied.browser()
    ann = {"X-Remote-User": "ann"}
    await browser.get("/help", **ann)
    with proxied.database() as db:
        accounts.set_disabled(db, accounts.find(db, "ann"), True)

    response = await browser.get("/help", **ann)
    assert response.status == 403
    assert "Your account is disabled." in await response.text()
    assert proxied.value("SELECT count(*) FROM user") == 1


async def test_a_name_at_the_proxy_is_not_an_account_of_another_origin(proxied: Served):
    """Who is called so at the proxy gets an account of their own."""
    local = proxied.user("ann", "administrator")
    browser = await proxied.browser()
    await browser.get("/help", **{"X-Remote-User": "ann"})

    with proxied.database() as db:
        made = accounts.by_subject(db, "header", "ann")
    assert made is not None
    assert made.uid != local.uid
    assert (made.name, made.role) == ("ann (header)", "user")


async def test_what_the_proxy_lets_through_for_itself_is_no_token(proxied: Served):
    """A password for the proxy, or a ticket of its own."""
    browser = await proxied.browser()
    for own in ("Basic YW5uOnNlY3JldA==", "Bearer eyJhbGciOi"):
        headers = {"X-Remote-User": "ann", "Authorization": own}
        assert (await browser.get("/help", **headers)).status == 200


async def test_programs_have_tokens_here_too(proxied: Served):
    """They need not pass the proxy's login."""
    proxied.user("ann")
    browser = await proxied.browser()
    headers = HTML | proxied.token("ann", "search")

    assert (await browser.ask("/help", headers=headers)).status == 200
