"""The JSON interface of accounts and of the administration."""

from __future__ import annotations

from typing import Any

from metasearch.review.users import accounts
from metasearch.review.users.links import MOST_DAYS
from tests import cases
from tests.review.users.server.served import PASSWORD, Browser, Served

Answer = tuple[int, Any]


async def get(browser: Browser, path: str, **headers: str) -> Answer:
    response = await browser.session.get(path, headers=headers)
    return response.status, await response.json(content_type=None)


async def post(browser: Browser, path: str, body: Any = None, **headers: str) -> Answer:
    response = await browser.session.post(path, json=body or {}, headers=headers)
    return response.status, await response.json(content_type=None)


async def test_an_account_is_read_and_changed(local: Served):
    """With preferences and what is left of the quotas; a wrong value changes nothing."""
    browser = await local.browser("ann")
    status, found = await get(browser, "/api/account")
    assert (status, found["name"], found["role"]) == (200, "ann", "user")
    assert found["quotas"]["searches"] == {"limit": 1000, "used": 0, "left": 1000}
    assert "password" not in found
    assert "argon2" not in str(found)

    sent = {"shown": "Ann", "sources": ["gamma", "alpha"], "emails": False, "language": "zh-Hans"}
    status, found = await post(browser, "/api/account", sent)
    assert (status, found["shown"]) == (200, "Ann")
    assert found["preferences"] == {
        "language": "zh-Hans", "style": "", "sources": ["gamma", "alpha"], "emails": False,
    }  # fmt: skip
    for wrong in (
        {"sources": ["nowhere"]},
        {"style": "x"},
        {"role": "administrator"},
        {"email": 1},
    ):
        assert (await post(browser, "/api/account", wrong))[0] == 400
    assert (await get(browser, "/api/account"))[1]["preferences"] == found["preferences"]


async def test_an_old_version_is_refused_with_what_stands(local: Served):
    """409, and nothing is overwritten."""
    browser = await local.browser("ann")
    await post(browser, "/api/account", {"shown": "Ann 2"})
    status, _ = await post(browser, "/api/account", {"shown": "Ann 3", "version": 1})

    assert status == 409
    assert local.value("SELECT shown FROM user WHERE name = 'ann'") == "Ann 2"


async def test_tokens_are_made_listed_and_revoked(local: Served):
    """The text is told once."""
    browser = await local.browser("ann")
    sent = {"name": "Koha", "scopes": ["search", "read"], "days": 30}
    status, made = await post(browser, "/api/account/tokens", sent)
    assert status == 201
    assert made["token"].startswith("ms_")
    header = {"Authorization": f"Bearer {made['token']}"}
    program = await local.browser()
    assert (await get(program, "/search?q=gene", **header))[0] == 200

    status, found = await get(browser, "/api/account/tokens")
    assert [(each["name"], each["scopes"]) for each in found["tokens"]] == [
        ("Koha", ["search", "read"])
    ]
    assert "token" not in found["tokens"][0]
    path = f"/api/account/tokens/{made['id']}/revoke"
    assert (await post(browser, path)) == (200, {"revoked": made["id"]})
    assert (await post(browser, path))[0] == 404
    assert (await get(program, "/search?q=gene", **header))[0] == 401


async def test_no_token_is_good_for_the_account(local: Served):
    """Whoever finds one could make others that outlive it."""
    header = local.token("ann", "search", "read", "write")
    program = await local.browser()
    for path in ("/api/account", "/api/account/tokens", "/api/account/sessions"):
        assert ((await get(program, path, **header))[0], path) == (403, path)
    sent = {"name": "more", "scopes": ["write"]}
    assert (await post(program, "/api/account/tokens", sent, **header))[0] == 403


async def test_sessions_are_listed_and_ended(local: Served):
    """The present one is marked."""
    here, there = await local.browser("ann"), await local.browser("ann")
    _, found = await get(here, "/api/account/sessions")
    assert sorted(each["here"] for each in found["sessions"]) == [False, True]
    other = next(each["id"] for each in found["sessions"] if not each["here"])

    assert await post(here, "/api/account/sessions/end", {"session": other}) == (200, {"ended": 1})
    assert (await get(there, "/api/account"))[0] == 401
    assert (await post(here, "/api/account/sessions/end", {"session": other}))[0] == 404
    assert (await post(here, "/api/account/sessions/end"))[0] == 400


async def test_a_session_of_somebody_else_does_not_end(local: Served):
    """Its number is as one that there is not."""
    root, ann = await local.browser("root"), await local.browser("ann")
    number = local.value(
        "SELECT session.id FROM session JOIN user ON user.id = session.user WHERE name = 'root'"
    )
    assert (await post(ann, "/api/account/sessions/end", {"session": number}))[0] == 404
    assert (await get(root, "/api/account"))[0] == 200


async def test_an_account_is_deleted_when_it_is_confirmed(local: Served):
    """By its password."""
    browser = await local.browser("ann")
    assert (await post(browser, "/api/account/delete", {"confirm": "no such password"}))[0] == 400
    status, found = await post(browser, "/api/account/delete", {"confirm": PASSWORD})

    assert status == 200
    assert (await get(browser, "/api/account"))[0] == 401
    assert local.value("SELECT count(*) FROM user WHERE uid = ?", found["deleted"]) == 0


async def test_a_page_of_another_site_changes_nothing(local: Served):
    """Its browser says where a request comes from; and no form can send JSON."""
    browser = await local.browser("ann")
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert (await post(browser, "/api/account", {"shown": "X"}, **foreign))[0] == 403
    response = await browser.session.post("/api/account", data='{"shown": "X"}')
    assert response.status == 415
    assert local.value("SELECT shown FROM user WHERE name = 'ann'") == "Ann Example"


async def test_users_are_made_changed_and_deleted(local: Served):
    """By a token with the scope write, of an administrator."""
    header = local.token("root", "read", "write")
    program = await local.browser()
    sent = {"name": "bob", "role": "guest", "shown": "Bob"}
    status, made = await post(program, "/api/admin/users", sent, **header)
    assert (status, made["role"]) == (201, "guest")
    assert "/password/" in made["link"]["address"]

    path = f"/api/admin/users/{made['uid']}"
    change = {"role": "user", "disabled": True, "quotas": {"searches": 5}}
    status, changed = await post(program, path, change, **header)
    assert (status, changed["role"], changed["disabled"]) == (200, "user", True)
    assert changed["own_quotas"] == {"searches": 5}
    _, found = await get(program, "/api/admin/users?q=bo&disabled=true", **header)
    assert [each["name"] for each in found["users"]] == ["bob"]

    assert (await post(program, f"{path}/delete", {"name": "bobby"}, **header))[0] == 400
    assert (await post(program, f"{path}/delete", {"name": "bob"}, **header))[0] == 200
    assert (await get(program, path, **header))[0] == 404


@cases.each(
    "change",
    [
        {"quotas": {"searches": -1}},
        {"quotas": {"cakes": 1}},
        {"quotas": {"searches": "1"}},
        {"role": "god"},
        {"preferences": {}},
        {"uid": "x"},
    ],
)
async def test_a_wrong_change_of_a_user_changes_nothing(local: Served, change: dict[str, Any]):
    """All or nothing; members that are not declared are refused."""
    header = local.token("root", "write")
    program = await local.browser()
    uid = local.value("SELECT uid FROM user WHERE name = 'ann'")
    sent = {"shown": "Changed", **change}
    assert (await post(program, f"/api/admin/users/{uid}", sent, **header))[0] == 400
    assert local.value("SELECT shown FROM user WHERE name = 'ann'") == "Ann Example"


async def test_a_change_that_fails_half_way_changes_nothing(local: Served):
    """The last administrator cannot be disabled; the new name is not kept either."""
    header = local.token("root", "write")
    program = await local.browser()
    uid = local.value("SELECT uid FROM user WHERE name = 'root'")
    sent = {"shown": "Changed", "disabled": True}
    assert (await post(program, f"/api/admin/users/{uid}", sent, **header))[0] == 400
    assert local.value("SELECT shown FROM user WHERE name = 'root'") == ""


async def test_invitations_are_made_listed_and_revoked(local: Served):
    """The address is told once."""
    browser = await local.browser("root")
    status, made = await post(browser, "/api/admin/invitations", {"role": "guest"})
    assert status == 201
    assert "/join/" in made["address"]
    _, found = await get(browser, "/api/admin/invitations")
    number = found["invitations"][0]["id"]
    assert found["invitations"][0]["role"] == "guest"
    assert "address" not in found["invitations"][0]

    assert (await post(browser, f"/api/admin/invitations/{number}/revoke"))[0] == 200
    assert (await get(browser, "/api/admin/invitations"))[1] == {"invitations": []}


async def test_an_invitation_is_good_for_the_days_that_are_asked_for(local: Served):
    """As that of the command line: a month at most."""
    browser = await local.browser("root")
    ends = [
        (await post(browser, "/api/admin/invitations", sent))[1]["expires"][:10]
        for sent in ({}, {"days": 1}, {"days": MOST_DAYS})
    ]
    assert ends[1] < ends[0] < ends[2]
    for wrong in (0, MOST_DAYS + 1, "3"):
        assert (await post(browser, "/api/admin/invitations", {"days": wrong}))[0] == 400


async def test_the_audit_log_is_read_page_by_page(local: Served):
    """Filtered by action and actor."""
    with local.database() as db:
        for number in range(5):
            accounts.create(db, f"u{number}")
    browser = await local.browser("root")
    status, found = await get(browser, "/api/admin/audit?action=account&count=3")
    assert (status, len(found["lines"])) == (200, 3)
    following = f"/api/admin/audit?action=account&before={found['before']}"
    _, rest = await get(browser, following)
    assert {line["id"] for line in found["lines"]}.isdisjoint(line["id"] for line in rest["lines"])
    assert (await get(browser, "/api/admin/audit?action=x"))[0] == 400


async def test_a_server_without_users_has_none_of_these_addresses(tmp_path):
    """404, as for any address that there is not."""
    from metasearch.settings.users import UsersSettings
    from tests.review.users.server.served import serving

    async with serving(tmp_path, users=UsersSettings()) as served:
        browser = await served.browser()
        unknown = await browser.session.get("/nowhere")
        for path in ("/account", "/admin", "/api/account", "/api/admin/users"):
            response = await browser.session.get(path)
            assert (response.status, path) == (unknown.status, path)
        assert "/account" not in await (await browser.session.get("/robots.txt")).text()


async def test_where_a_proxy_knows_the_users_there_are_no_new_ones_and_no_links(tmp_path):
    """An account without a proxy behind it could never log in."""
    from metasearch.settings import ServerSettings
    from metasearch.settings.users import UsersSettings
    from tests.review.users.server.served import serving

    users = UsersSettings(mode="header")
    server = ServerSettings(trusted_proxies=("127.0.0.1",))
    async with serving(tmp_path, users=users, server=server) as served:
        served.user("root", "administrator", password="", origin="header", subject="root")
        browser = await served.browser()
        header = {"X-Remote-User": "root"}
        assert (await get(browser, "/api/admin/users", **header))[0] == 200
        for path in ("/api/admin/users", "/api/admin/invitations"):
            assert (await post(browser, path, {"name": "bob"}, **header))[0] == 404
        page = await browser.get("/admin/users", **header)
        assert "New user" not in await page.text()
