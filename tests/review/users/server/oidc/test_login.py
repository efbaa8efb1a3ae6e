"""Logging in at a provider, as a browser goes there and comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from aiohttp import web

from metasearch.review.users import accounts, oidc_provider
from metasearch.review.users import oidc_provider as known_provider
from metasearch.settings.users import OidcSettings, UsersSettings
from tests.review.users.server.fake_provider import (
    CLIENT,
    SECRET,
    FakeProvider,
    ec_key,
    rsa_key,
    running,
)
from tests.review.users.server.served import Browser, Served, serving

ADA = {
    "sub": "1815",
    "preferred_username": "ada",
    "name": "Ada Lovelace",
    "email": "ada@example.org",
    "email_verified": True,
}


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with running(FakeProvider(user=dict(ADA))) as provider:
        yield provider


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OIDC_SECRET", SECRET)


def settings(provider: FakeProvider, **oidc: Any) -> UsersSettings:
    return UsersSettings(
        mode="oidc",
        oidc=OidcSettings(
            issuer=provider.issuer, client_id=CLIENT, client_secret="OIDC_SECRET", **oidc
        ),
    )


@pytest.fixture
async def served(tmp_path: Path, provider: FakeProvider) -> AsyncIterator[Served]:
    async with serving(tmp_path, users=settings(provider)) as served:
        yield served


async def sent(browser: Browser, following: str = "") -> str:
    """The address at the provider that a browser is sent to."""
    query = f"?next={following}" if following else ""
    response = await browser.get(f"/login/oidc{query}")
    assert response.status == 303, await response.text()
    return response.headers["Location"]


async def returned(address: str) -> str:
    """The address that the provider sends a browser back to."""
    async with aiohttp.ClientSession() as session:
        response = await session.get(address, allow_redirects=False)
        assert response.status == 302, await response.text()
        parts = urlsplit(response.headers["Location"])
        return f"{parts.path}?{parts.query}"


async def logged_in(browser: Browser, following: str = "") -> aiohttp.ClientResponse:
    """The answer to a browser that has been at the provider."""
    return await browser.get(await returned(await sent(browser, following)))


async def refused(response: aiohttp.ClientResponse, text: str, status: int = 403) -> None:
    """Check that a page says why there is no session."""
    assert response.status == status, await response.text()
    assert "session" not in "".join(response.headers.getall("Set-Cookie", []))
    assert text in await response.text()


async def test_a_browser_goes_to_the_provider_and_comes_back_as_a_user(served: Served):
    """To the page that it wanted; the account is made at the first login."""
    browser = await served.browser()
    wanted = await browser.get("/projects")
    assert wanted.status == 303
    login = await browser.get(wanted.headers["Location"])
    begun = await browser.get(login.headers["Location"])
    response = await browser.get(await returned(begun.headers["Location"]))

    assert (response.status, response.headers["Location"]) == (303, "/projects")
    assert "metasearch-login" not in browser.cookies()
    assert (await browser.get("/projects")).status == 200
    with served.database() as db:
        (user,) = accounts.every(db)
    assert (user.name, user.shown, user.email) == ("ada", "Ada Lovelace", "ada@example.org")
    assert (user.role, user.origin) == ("user", "oidc")
    assert user.subject.endswith(" 1815")


async def test_the_same_subject_is_the_same_user(served: Served, provider: FakeProvider):
    """Whatever they are called by now; and another subject of the same name is somebody else."""
    await logged_in(await served.browser())
    provider.user = ADA | {"preferred_username": "ada.king", "email": "king@example.org"}
    await logged_in(await served.browser())
    provider.user = ADA | {"sub": "1852"}
    await logged_in(await served.browser())

    with served.database() as db:
        assert [(user.name, user.subject.split()[1]) for user in accounts.every(db)] == [
            ("ada", "1815"),
            ("ada (oidc)", "1852"),
        ]


async def test_a_local_account_of_the_same_name_is_not_taken_over(
    served: Served, provider: FakeProvider
):
    """Neither by the name nor by the address."""
    root = served.user("root", "administrator", email="root@example.org")
    provider.user = {
        "sub": "evil",
        "preferred_username": "root",
        "email": "root@example.org",
        "email_verified": True,
    }
    await logged_in(await served.browser())

    with served.database() as db:
        users = {user.name: user.role for user in accounts.every(db)}
        assert accounts.find(db, "root").uid == root.uid
    assert users == {"root": "administrator", "root (oidc)": "user"}


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["staff", "library"], "administrator"),
        (["staff"], "user"),
        ("staff", "user"),
        (["visitors"], "guest"),
        (["somebody"], "guest"),
        (None, "guest"),
        ({"library": True}, "guest"),
        ([["library"], 7], "guest"),
    ],
)
async def test_groups_give_roles(tmp_path: Path, provider: FakeProvider, groups: Any, role: str):
    """The highest one counts; who is in no group that is named has the role of new accounts."""
    roles = {"library": "administrator", "staff": "user", "visitors": "guest"}
    users = replace(settings(provider, claim="groups", roles=roles), default_role="guest")
    provider.user["groups"] = groups
    async with serving(tmp_path, users=users) as served:
        await logged_in(await served.browser())
        with served.database() as db:
            assert accounts.find(db, "ada").role == role


async def test_a_role_follows_the_groups_at_the_next_login(tmp_path: Path, provider: FakeProvider):
    """That of the last administrator stays, so that somebody can put things right."""
    users = settings(provider, claim="groups", roles={"library": "administrator"})
    async with serving(tmp_path, users=users) as served:
        provider.user["groups"] = ["library"]
        await logged_in(await served.browser())
        provider.user["groups"] = []
        await logged_in(await served.browser())
        with served.database() as db:
            assert accounts.find(db, "ada").role == "administrator"
        served.user("root", "administrator")
        await logged_in(await served.browser())
        with served.database() as db:
            assert accounts.find(db, "ada").role == "user"


async def test_roles_that_do_not_depend_on_groups_stay(served: Served):
    """An administrator whom the command line has made stays one."""
    await logged_in(await served.browser())
    with served.database() as db:
        accounts.update(db, accounts.find(db, "ada"), role="administrator")
    await logged_in(await served.browser())

    with served.database() as db:
        assert accounts.find(db, "ada").role == "administrator"


async def test_a_disabled_account_stays_out(served: Served):
    """And is told so."""
    await logged_in(await served.browser())
    with served.database() as db:
        accounts.set_disabled(db, accounts.find(db, "ada"), True)

    await refused(await logged_in(await served.browser()), "Your account is disabled")


@pytest.mark.parametrize(
    "following",
    [
        "https://evil.example.org/",
        "//evil.example.org",
        "/\\evil.example.org",
        "javascript:1",
        "/login/oidc",
    ],
)
async def test_a_login_leads_nowhere_else(served: Served, following: str):
    """An address of another server, or of the login itself, is not where a browser goes on to."""
    response = await logged_in(await served.browser(), following)

    assert (response.status, response.headers["Location"]) == (303, "/")


async def test_an_answer_belongs_to_the_browser_that_asked(served: Served):
    """Who has somebody open the address of their own login logs nobody in."""
    evil, victim = await served.browser(), await served.browser()
    back = await returned(await sent(evil))

    await refused(await victim.get(back), "begun in another browser")
    await sent(victim)  # even while they are logging in themselves
    await refused(await victim.get(back), "begun in another browser")


async def test_an_answer_is_of_use_once(served: Served, provider: FakeProvider):
    """Also where the provider would take the code again, and the browser kept the cookie."""
    browser = await served.browser()
    back = await returned(await sent(browser))
    kept = browser.cookies()["metasearch-login"]
    assert (await browser.get(back)).status == 303
    stolen = await served.browser()
    asked = provider.asked.count("/token")

    response = await stolen.get(back, Cookie=f"metasearch-login={kept}")

    await refused(response, "was used already")
    assert provider.asked.count("/token") == asked


async def test_a_login_ends_after_a_while(served: Served, monkeypatch: pytest.MonkeyPatch):
    """Who comes back later begins again."""
    browser = await served.browser()
    back = await returned(await sent(browser))
    later = time.time() + oidc_provider.LASTS + 1
    monkeypatch.setattr("metasearch.review.users.oidc_provider.time.time", lambda: later)

    await refused(await browser.get(back), "minutes ago")


@pytest.mark.parametrize(
    "change",
    ["state=", "state=wrong", "state=%ED%A0%80", "state=a&state=b", "code=", "code=" + "x" * 5_000],
)
async def test_a_changed_answer_begins_no_session(served: Served, change: str):
    """Another state, several, or no code."""
    browser = await served.browser()
    back = await returned(await sent(browser))
    name = change.partition("=")[0]
    path, _, query = back.partition("?")
    rest = "&".join(part for part in query.split("&") if not part.startswith(f"{name}="))

    response = await browser.get(f"{path}?{rest}&{change}")

    assert response.status in (400, 403)
    assert "metasearch-session" not in browser.cookies()


async def test_what_the_provider_says_of_an_error_is_told(served: Served):
    """In its words, as a text."""
    browser = await served.browser()
    state = parse_qs(urlsplit(await sent(browser)).query)["state"][0]

    response = await browser.get(
        f"/login/oidc/back?state={state}&error=access_denied&error_description=<b>No%0Aentry</b>"
    )

    await refused(response, "access_denied: &lt;b&gt;No entry&lt;/b&gt;")


async def test_a_code_of_somebody_else_is_of_no_use(served: Served):
    """It was asked for with another secret (PKCE)."""
    victim, evil = await served.browser(), await served.browser()
    stolen = parse_qs(urlsplit(await returned(await sent(victim))).query)["code"][0]
    state = parse_qs(urlsplit(await sent(evil)).query)["state"][0]

    response = await evil.get(f"/login/oidc/back?state={state}&code={stolen}")

    await refused(response, "invalid_grant")


async def test_the_answer_of_another_provider_is_refused(served: Served, provider: FakeProvider):
    """Where it says who it is, and where it does not though it should (RFC 9207)."""
    browser = await served.browser()
    back = await returned(await sent(browser))
    await refused(
        await browser.get(f"{back}&iss=https://evil.example.org"), "Another login provider"
    )

    provider.metadata["authorization_response_iss_parameter_supported"] = True
    async with serving(served.path.parent, users=settings(provider)) as another:
        browser = await another.browser()
        await refused(
            await browser.get(await returned(await sent(browser))), "Another login provider"
        )
        back = await returned(await sent(browser))
        assert (await browser.get(f"{back}&iss={provider.issuer}")).status == 303


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda claims: claims.update(nonce="another"), "another login"),
        (lambda claims: claims.update(aud="other"), "another client"),
        (lambda claims: claims.update(iss="https://evil.example.org"), "another issuer"),
        (lambda claims: claims.update(exp=1), "it has ended"),
    ],
)
async def test_a_token_that_does_not_fit_begins_no_session(
    served: Served, provider: FakeProvider, change: Any, text: str
):
    """And the audit log has a login that failed, without what the token says."""
    provider.change = change

    await refused(await logged_in(await served.browser()), text)
    assert served.value("SELECT count(*) FROM audit WHERE action = 'login failed'") == 1
    assert served.value("SELECT count(*) FROM user") == 0


async def test_keys_that_have_changed_are_asked_for_again(
    served: Served, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
):
    """A login works at once after the provider has new keys."""
    await logged_in(await served.browser())
    provider.key, provider.algorithm = ec_key(), "ES256"
    provider.keys = [rsa_key(), ec_key()]
    monkeypatch.setattr("metasearch.review.users.oidc_provider.KEYS_PAUSE", -1.0)

    assert (await logged_in(await served.browser())).status == 303


@pytest.mark.parametrize("by", [["client_secret_basic"], ["client_secret_post"], None])
async def test_the_secret_is_told_as_the_provider_wants(
    served: Served, provider: FakeProvider, by: list[str] | None
):
    """In a header or in the form."""
    provider.metadata["token_endpoint_auth_methods_supported"] = by

    assert (await logged_in(await served.browser())).status == 303


async def test_a_wrong_secret_is_told(
    served: Served, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
):
    """Without it."""
    monkeypatch.setenv("OIDC_SECRET", "quite wrong")

    response = await logged_in(await served.browser())

    await refused(response, "invalid_client")
    assert "quite wrong" not in await response.text()


def _no_json() -> web.Response:
    return web.Response(text="<html>down</html>")


def _broken() -> web.Response:
    return web.json_response({"error": "down"}, status=500)


def _large() -> web.Response:
    return web.json_response({"keys": [], "x": "x" * 600_000})


def _list() -> web.Response:
    return web.json_response([])


def _elsewhere() -> web.Response:
    return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest"})


@pytest.mark.parametrize("answer", [_no_json, _broken, _large, _list, _elsewhere])
@pytest.mark.parametrize("path", ["", "/token", "/keys"])
async def test_a_provider_that_is_down_is_told(
    served: Served, provider: FakeProvider, path: str, answer: Any
):
    """As a page with what to do, not as an error of this server."""
    browser = await served.browser()
    provider.answers[path] = answer
    if path == "":
        response = await browser.get("/login/oidc")
    else:
        response = await logged_in(browser)

    assert response.status in (403, 502), await response.text()
    assert "login provider" in await response.text()
    assert "metasearch-session" not in browser.cookies()


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example.org"},
        {"issuer": None},
        {"authorization_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "/authorize"},
        {"token_endpoint": "file:///etc/passwd"},
        {"token_endpoint": ["x"]},
        {"jwks_uri": "https://"},
        {"jwks_uri": "http://[::1"},
    ],
    ids=str,
)
async def test_metadata_that_cannot_be_used_are_told(
    served: Served, provider: FakeProvider, metadata: dict[str, Any]
):
    """Those of another issuer, or without addresses."""
    provider.metadata = metadata

    response = await (await served.browser()).get("/login/oidc")

    assert response.status == 502
    assert "login provider" in await response.text()


async def test_private_addresses_in_metadata_are_not_asked(served: Served, provider: FakeProvider):
    """The issuer alone may be in one's own network."""
    async with running(FakeProvider()) as inside:
        provider.metadata = {"token_endpoint": f"{inside.issuer}/token"}

        response = await logged_in(await served.browser())

        assert response.status == 502
        assert inside.asked == []


async def test_a_provider_that_is_down_is_not_asked_by_each_browser(
    served: Served, provider: FakeProvider
):
    """It is left alone for some seconds."""
    provider.answers[""] = _broken
    browser = await served.browser()

    answers = await asyncio.gather(*(browser.get("/login/oidc") for _ in range(20)))

    assert {response.status for response in answers} == {502}
    assert len(provider.asked) == 1


async def test_many_log_in_at_once(served: Served, provider: FakeProvider):
    """Each becomes themselves; the keys of the provider are asked for once."""
    number = iter(range(100))
    provider.change = lambda claims: claims.update(
        sub=f"sub-{next(number)}", preferred_username="same"
    )
    browsers = [await served.browser() for _ in range(20)]

    answers = await asyncio.gather(*map(logged_in, browsers))

    assert {response.status for response in answers} == {303}
    assert served.value("SELECT count(DISTINCT subject) FROM user") == 20
    assert provider.asked.count("/keys") == 1


async def test_a_look_at_the_address_uses_nothing_up(served: Served):
    """As a proxy or a preview has it by HEAD."""
    browser = await served.browser()
    back = await returned(await sent(browser))

    assert (await browser.session.head(back, allow_redirects=False)).status == 405
    assert (await browser.get(back)).status == 303


async def test_other_modes_have_no_such_address(local: Served):
    """Nor do servers without users."""
    browser = await local.browser()

    for path in ("/login/oidc", "/login/oidc/back"):
        assert (await browser.get(path)).status == 404


async def test_the_cookie_of_a_login_is_bound_to_the_host(tmp_path: Path, provider: FakeProvider):
    """With HTTPS: no neighbour can plant one."""
    async with serving(
        tmp_path, users=settings(provider), public_url="https://lib.example.org/meta"
    ) as served:
        response = await (await served.browser()).get("/login/oidc")

    cookie = next(one for one in response.headers.getall("Set-Cookie") if "metasearch-login" in one)
    assert cookie.startswith("__Host-metasearch-login=")
    for part in ("Path=/;", "Secure", "HttpOnly", "SameSite=Lax", f"Max-Age={oidc_provider.LASTS}"):
        assert part in cookie + ";"
    back = parse_qs(urlsplit(response.headers["Location"]).query)["redirect_uri"]
    assert back == ["https://lib.example.org/meta/login/oidc/back"]


async def test_no_more_than_some_wait_for_the_provider(
    served: Served, monkeypatch: pytest.MonkeyPatch
):
    """The others are told to try again."""
    monkeypatch.setattr(known_provider, "_WAITING", 0)

    response = await logged_in(await served.browser())

    assert response.status == 503
