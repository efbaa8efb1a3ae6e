"""Threats to the login: each test is named as the threat, and says what stands against it."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from metasearch.review.users import accounts, links, sessions, tokens
from metasearch.review.users.passwords import Passwords, PasswordThreads
from metasearch.settings import ServerSettings
from metasearch.settings.users import UsersSettings
from tests import cases
from tests.review.users.server.served import CHEAP, HTML, PASSWORD, Served, serving

COOKIE = "metasearch-session"


# --------------------------------------------------------------------------- sessions


async def test_session_fixation_a_planted_cookie_is_no_session(local: Served):
    """Whoever plants a secret in a browser does not know the one that the login gives."""
    local.user("ann")
    browser = await local.browser()
    browser.session.cookie_jar.update_cookies({COOKIE: "planted"})
    await browser.log_in("ann")

    assert browser.cookies()[COOKIE] != "planted"
    attacker = await local.browser()
    assert (await attacker.get("/help", Cookie=f"{COOKIE}=planted")).status == 303


async def test_session_fixation_the_session_of_another_user_ends_with_the_login(local: Served):
    """An attacker's own session, planted before the login, is not the victim's after it, and has
    ended."""
    local.user("ann")
    local.user("eve")
    eve = await local.browser("eve")
    planted = eve.cookies()[COOKIE]
    victim = await local.browser()
    token = await victim.token()
    victim.session.cookie_jar.update_cookies({COOKIE: planted})
    fields = {"name": "ann", "password": PASSWORD, "token": token}
    # The form was loaded without that session, so that it is refused; loaded with it, it leads on.
    assert (await victim.post("/login", fields)).status == 403
    assert (await victim.get("/login")).status == 303
    assert (await eve.get("/help")).status == 200


async def test_session_fixation_every_login_has_a_secret_of_its_own(local: Served):
    """The cookie of the visitor changes with it, and the session before has ended."""
    local.user("ann")
    browser = await local.browser("ann")
    first = browser.cookies()
    assert (await browser.post("/logout", {}, form="/settings")).status == 303
    between = browser.cookies()
    await browser.log_in("ann")
    second = browser.cookies()

    assert first[COOKIE] != second[COOKIE]
    marks = {cookies["metasearch-visitor"] for cookies in (first, between, second)}
    assert len(marks) == 3
    assert local.value("SELECT count(*) FROM session") == 1


async def test_stolen_workspace_file_no_secret_stands_in_it(local: Served):
    """Sessions, tokens and links are kept as digests."""
    local.user("ann")
    browser = await local.browser("ann")
    token = local.token("ann", "read")["Authorization"].removeprefix("Bearer ")
    with local.database() as db:
        link = links.create(db, "password", user=accounts.find(db, "ann"))
        db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = local.path.read_bytes()

    assert b"ann" in kept
    for secret in (browser.cookies()[COOKIE], token, link, PASSWORD):
        assert secret.encode() not in kept


async def test_session_hijacking_the_cookie_is_for_this_host_and_https(tmp_path: Path):
    """`__Host-`: no script reads it, no neighbour plants one, no plain http carries it."""
    async with serving(tmp_path, public_url="https://search.example.org/meta") as served:
        served.user("ann")
        browser = await served.browser()
        page = await browser.get("/login")
        # The address of the server is https, so this client would not send its cookies back.
        visitor = page.cookies["metasearch-visitor"]
        token = (await page.text()).partition('name="token" value="')[2].partition('"')[0]
        fields = {"name": "ann", "password": PASSWORD, "token": token}
        sent = f"metasearch-visitor={visitor.value}"
        response = await browser.post("/login", fields, Cookie=sent)

        assert response.status == 303
        cookie = response.cookies[f"__Host-{COOKIE}"]
        assert (cookie["secure"], cookie["httponly"]) == (True, True)
        assert (cookie["path"], cookie["samesite"], cookie["domain"]) == ("/", "Lax", "")
        own = await browser.get("/help", Cookie=f"__Host-{COOKIE}={cookie.value}")
        planted = await browser.get("/help", Cookie=f"{COOKIE}={cookie.value}")
        assert (own.status, planted.status) == (200, 303)


async def test_session_of_a_disabled_account_ends_at_once(local: Served):
    """So do its tokens."""
    local.user("ann")
    browser = await local.browser("ann")
    headers = HTML | local.token("ann", "write")
    with local.database() as db:
        accounts.set_disabled(db, accounts.find(db, "ann"), True)

    assert (await browser.get("/help")).status == 303
    program = await local.browser()
    assert (await program.ask("/help", headers=headers)).status == 401


async def test_session_expiry_holds_on_the_server(local: Served):
    """After days without use, and after so many days whatever was used."""
    local.user("ann")
    for column in ("seen", "expires"):
        browser = await local.browser("ann")
        with local.database() as db:
            db.run(f"UPDATE session SET {column} = '2026-01-01T00:00:00Z'")
        assert (await browser.get("/help")).status == 303


async def test_password_change_ends_all_other_sessions(local: Served):
    """The browser that changes it has a new one."""
    local.user("ann")
    here, there = await local.browser("ann"), await local.browser("ann")
    before = here.cookies()[COOKIE]
    new = "another horse battery"
    fields = {"old": PASSWORD, "new": new, "again": new}
    response = await here.post("/password", fields)

    assert response.status == 303
    assert here.cookies()[COOKIE] != before
    assert (await here.get("/help")).status == 200
    assert (await there.get("/help")).status == 303
    assert (await (await local.browser()).log_in("ann")).status == 400
    assert (await (await local.browser()).log_in("ann", new)).status == 303


async def test_password_change_needs_the_old_one_and_a_session(local: Served):
    """A browser that was left open, or a token that was found, does not shut out its owner."""
    local.user("ann")
    browser = await local.browser("ann")
    new = "another horse battery"
    wrong = await browser.post("/password", {"old": "wrong", "new": new, "again": new})
    assert wrong.status == 400
    assert "The old password is wrong." in await wrong.text()
    program = await local.browser()
    headers = HTML | local.token("ann", "write")
    assert (await program.ask("/password", headers=headers)).status == 403
    assert (await (await local.browser()).log_in("ann")).status == 303


# --------------------------------------------------------------------------- CSRF


async def test_csrf_a_login_without_its_token_is_refused(local: Served):
    """No page of another site logs a browser in, as a user whom it chooses."""
    local.user("eve")
    browser = await local.browser()
    fields = {"name": "eve", "password": PASSWORD}
    for token in ("", "0" * 64):
        response = await browser.post("/login", fields | {"token": token})
        assert response.status == 403
    token = await browser.token()
    for said in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        response = await browser.post("/login", fields | {"token": token}, **said)
        assert response.status == 403
    assert COOKIE not in browser.cookies()


async def test_csrf_tokens_of_before_the_login_are_worth_nothing_after_it(local: Served):
    """Nor are those of before the logout, nor those of another session of the same user."""
    local.user("ann")
    browser = await local.browser()
    before = await browser.token()
    await browser.log_in("ann")
    assert (await browser.post("/logout", {"token": before})).status == 403

    other = await local.browser("ann")
    foreign = await other.token("/settings")
    assert (await browser.post("/logout", {"token": foreign})).status == 403
    # Not even together with the cookie of the visitor whose token it is.
    visitor = other.cookies()["metasearch-visitor"]
    browser.session.cookie_jar.update_cookies({"metasearch-visitor": visitor})
    assert (await browser.post("/logout", {"token": foreign})).status == 403
    assert (await browser.get("/help")).status == 200


@pytest.mark.parametrize(
    "said",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
async def test_csrf_the_json_interface_takes_no_post_of_another_page(local: Served, said):
    """With the cookie of a session; a program with a token is no browser, and may."""
    local.user("ann")
    browser = await local.browser("ann")
    body = {"name": "mice", "kind": "review"}

    response = await browser.tell("/api/projects", json=body, headers=said)
    assert response.status == 403
    assert local.value("SELECT count(*) FROM project") == 0


async def test_csrf_a_user_of_a_proxy_is_protected_too(proxied: Served):
    """The browser passes the proxy by itself, also for a page of another site."""
    browser = await proxied.browser()
    headers = {"X-Remote-User": "ann", "Sec-Fetch-Site": "cross-site"}
    body = {"name": "mice", "kind": "review"}

    response = await browser.tell("/api/projects", json=body, headers=headers)
    assert response.status == 403


# --------------------------------------------------------------------------- enumeration


class Counted(Passwords):
    """Counts what it computes: time would tell an account that exists from one that does not."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_kib=8, parallelism=1)
        self.work: list[str] = []

    def verify(self, kept: str, text: str) -> tuple[bool, str | None]:
        self.work.append("verify")
        return super().verify(kept, text)

    def hash(self, text: str) -> str:
        self.work.append("hash")
        return super().hash(text)


async def test_enumeration_by_text_and_time(local: Served):
    """No account, a wrong password, a disabled account, and one without a password: the same text,
    the same status, and one password compared."""
    local.user("ann")
    local.user("disabled")
    local.user("none", password="")
    local.user("away", password="", origin="header", subject="away")
    with local.database() as db:
        accounts.set_disabled(db, accounts.find(db, "disabled"), True)
    counted = Counted()
    local.users.passwords = PasswordThreads(counted)
    tries = [
        ("nobody", "wrong horse battery"),
        ("ann", "wrong horse battery"),
        ("disabled", PASSWORD),
        ("none", ""),
        ("away", "wrong horse battery"),
        ("x" * 400, PASSWORD),
    ]

    seen = set()
    for name, password in tries:
        counted.work.clear()
        browser = await local.browser()
        response = await browser.log_in(name, password)
        text = (await response.text()).partition("<main")[2].replace(name[:320], "NAME")
        alert = text.partition('role="alert"')[2].partition("<form")[0]
        seen.add((response.status, alert, tuple(counted.work)))

    ((status, alert, work),) = seen
    assert (status, work) == (400, ("verify",))
    assert "No user has this name and this password." in alert


async def test_enumeration_by_a_wait(local: Served):
    """An account that there is not makes one wait as one that there is."""
    local.user("ann")
    waited = {}
    for name in ("ann", "nobody"):
        browser = await local.browser()
        token = await browser.token()
        fields = {"name": name, "password": "wrong horse battery", "token": token}
        statuses = [await (await browser.post("/login", fields)).text() for _ in range(12)]
        waited[name] = ["Too many logins have failed." in text for text in statuses]

    assert waited["ann"] == waited["nobody"]
    assert any(waited["ann"])


async def test_enumeration_of_projects(local: Served):
    """What is not there and what is not yours are the same 404, for pages and for programs."""
    for name in ("ann", "eve"):
        local.user(name)
    project = local.project("mice", ann="owner")
    eve = await local.browser("eve")
    program = await local.browser()
    headers = local.token("eve", "read")
    for path in ("/projects/{}", "/projects/{}/works", "/projects/{}/log"):
        pages = [await eve.get(path.format(name)) for name in (project.uid, "mice", "rats")]
        texts = [(await page.text()).partition("<main")[2].partition("</main")[0] for page in pages]
        assert [page.status for page in pages] == [404] * 3
        shown = {
            text.replace(name, "NAME")
            for text, name in zip(texts, (project.uid, "mice", "rats"), strict=True)
        }
        assert len(shown) == 1
    problems = []
    for name in (project.uid, "mice", "rats"):
        response = await program.ask(f"/api/projects/{name}", headers=headers)
        assert response.status == 404
        problems.append((await response.text()).replace(name, "NAME"))
    assert len(set(problems)) == 1


async def test_guessed_project_a_name_that_is_the_uid_of_another_one(local: Served):
    """Who calls a project of their own as another one's uid does not get into that."""
    for name in ("ann", "eve"):
        local.user(name)
    project = local.project("mice", ann="owner")
    own = local.project("trap", eve="owner")
    with local.database() as db:
        db.run("UPDATE project SET name = ? WHERE uid = ?", project.uid, own.uid)
    eve = await local.browser("eve")

    assert (await eve.get(f"/projects/{project.uid}")).status == 404


# --------------------------------------------------------------------------- tokens


async def test_token_scopes(local: Served):
    """search searches; read also reads; write also changes; none is good for the account."""
    local.user("ann")
    local.project("mice", ann="owner")
    program = await local.browser()
    body = {"title": "Island mice"}
    wanted = {
        "search": (200, 403, 403, 403, 403),
        "read": (200, 200, 200, 403, 403),
        "write": (200, 200, 200, 200, 403),
    }
    for scope, statuses in wanted.items():
        headers = local.token("ann", scope)
        answers = [
            await program.ask("/search?q=gene", headers=headers),
            await program.ask("/api/projects", headers=headers),
            await program.ask("/api/projects/mice", headers=headers),
            await program.tell("/api/projects/mice", json=body, headers=headers),
            await program.ask("/password", headers=HTML | headers),
        ]
        got = tuple(200 if answer.status == 201 else answer.status for answer in answers)
        assert got == statuses, scope


async def test_token_role_a_token_allows_no_more_than_its_user_may(local: Served):
    """A reader with a token to write still only reads."""
    local.user("ann")
    local.user("bob")
    local.project("mice", ann="owner", bob="reader")
    program = await local.browser()
    headers = local.token("bob", "write")
    body = {"title": "Island mice"}

    assert (await program.ask("/api/projects/mice", headers=headers)).status == 200
    answer = await program.tell("/api/projects/mice", json=body, headers=headers)
    assert answer.status == 403


async def test_token_guessing_a_wrong_one_is_no_guest(open_: Served):
    """It is refused where guests may search, too; so is one that was revoked or has ended."""
    user = open_.user("ann")
    program = await open_.browser()
    revoked, ended = open_.token("ann", "search"), open_.token("ann", "search")
    with open_.database() as db:
        newest, older = tokens.of(db, user)
        tokens.revoke(db, user, older.id)
        db.run("UPDATE token SET expires = '2026-01-01T00:00:00Z' WHERE id = ?", newest.id)
    wrong = [
        "Bearer ms_" + "A" * 43,
        "Bearer " + "A" * 43,
        "Bearer ms_\u00e4",
        "Basic !",
        "Basic " + base64.b64encode(b"ann:" + PASSWORD.encode()).decode(),
        "Digest x",
        revoked["Authorization"],
        ended["Authorization"],
    ]
    for given in wrong:
        response = await program.ask("/search?q=gene", headers={"Authorization": given})
        assert response.status == 401, given
        assert "invalid_token" in response.headers["WWW-Authenticate"]
    # What needs nobody is there all the same.
    headers = {"Authorization": wrong[0]}
    assert (await program.ask("/healthz", headers=headers)).status == 200
    assert (await program.ask("/openapi.json", headers=headers)).status == 200


async def test_token_as_a_password_only_searches(local: Served):
    """HTTP Basic is for clients that know nothing else; browsers keep what was typed there."""
    local.user("ann")
    local.project("mice", ann="owner")
    text = local.token("ann", "search", "read", "write")["Authorization"].removeprefix("Bearer ")
    given = base64.b64encode(f"anything:{text}".encode()).decode()
    program = await local.browser()
    headers = {"Authorization": f"Basic {given}"}

    for path in (
        "/search?q=gene",
        "/sru?query=gene&version=1.2",
        "/searxng/search?q=gene&format=json",
    ):
        assert (await program.ask(path, headers=headers)).status == 200
        assert (await program.ask(path)).status == 401
    assert (await program.ask("/api/projects/mice", headers=headers)).status == 403
    body = {"name": "rats", "kind": "review"}
    answer = await program.tell("/api/projects", json=body, headers=headers)
    assert answer.status == 403


async def test_token_in_the_address_is_not_taken(local: Served):
    """Addresses are kept in logs."""
    local.user("ann")
    text = local.token("ann", "search")["Authorization"].removeprefix("Bearer ")
    program = await local.browser()

    for name in ("token", "access_token", "key"):
        assert (await program.ask(f"/search?q=gene&{name}={text}")).status == 401


# --------------------------------------------------------------------------- headers of proxies


async def test_header_spoofing_from_anyone_but_a_proxy(tmp_path: Path):
    """Refused, not ignored: a proxy that is not trusted is a mistake in the configuration."""
    users = UsersSettings(mode="header", guests=True)
    server = ServerSettings(trusted_proxies=("192.0.2.1",))
    async with serving(tmp_path, users=users, server=server) as served:
        served.user("ann", "administrator", origin="header", subject="ann")
        browser = await served.browser()
        for name in ("X-Remote-User", "x-remote-user", "X_Remote_User", "X-Remote_User"):
            response = await browser.get("/help", **{name: "ann"})
            assert response.status == 400, name
        # Whatever the client writes into the header of the proxy's own.
        forged = {"X-Remote-User": "ann", "X-Forwarded-For": "192.0.2.1"}
        assert (await browser.get("/help", **forged)).status == 400
        assert (await browser.get("/help")).status == 200


async def test_header_spoofing_by_underscores_twins_and_repeats(proxied: Served):
    """What a proxy lets through beside its own header."""
    browser = await proxied.browser()
    for headers in (
        [("X_Remote_User", "eve")],
        [("X-Remote-User", "ann"), ("X_Remote_User", "eve")],
        [("X-Remote_User", "eve"), ("X-Remote-User", "ann")],
        [("X-Remote-User", "ann"), ("X-Remote-User", "eve")],
        [("X-Remote-User", "ann"), ("X-Remote-User", "ann")],
        [("X-Remote-User", "")],
        [("X-Remote-User", "  ")],
        [("X-Remote-User", "a" * 300)],
        [("X-Remote-User", "ann\u200b")],
    ):
        response = await browser.ask("/search?q=gene", headers=headers)
        assert response.status == 400, headers
    assert proxied.value("SELECT count(*) FROM user") == 0


async def test_header_spoofing_is_nothing_in_other_modes(local: Served):
    """There the header has no meaning."""
    local.user("ann")
    browser = await local.browser()

    assert (await browser.get("/help", **{"X-Remote-User": "ann"})).status == 303


async def test_metrics_behind_a_proxy_on_this_machine(proxied: Served):
    """Whom it names is no administrator because the proxy is near."""
    browser = await proxied.browser()

    assert (await browser.ask("/metrics", headers={"X-Remote-User": "ann"})).status == 403
    assert (await browser.ask("/metrics")).status == 200


async def test_a_cookie_is_nothing_behind_a_proxy(proxied: Served):
    """The proxy alone says who asks."""
    user = proxied.user("ann")
    with proxied.database() as db:
        secret = sessions.begin(db, user)
    browser = await proxied.browser()

    assert (await browser.get("/help", Cookie=f"{COOKIE}={secret}")).status == 401


# --------------------------------------------------------------------------- redirects


@pytest.fixture
def ann(local: Served) -> Served:
    """The server, with a user."""
    local.user("ann")
    return local


@cases.each(
    "following",
    [
        "https://evil.example/",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/%09/evil.example\t",
        "/\t/evil.example",
        "/\n/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "/..//evil.example",
        "/a/..%2f..//evil.example",
        " //evil.example",
        "@evil.example",
        "/login?next=//evil.example",
        "/logout",
        "/" + "a" * 9_000,
    ],
)
async def test_open_redirect_at_login(ann: Served, following: str):
    """The browser goes to an address of this server, whatever the address of the form says."""
    browser = await ann.browser()
    response = await browser.log_in("ann", following=following)

    assert (response.status, response.headers["Location"]) == (303, "/")
    for given in (following, following.replace("/", "%2F")[:2_000]):
        again = await browser.ask("/login", params={"next": given[:2_000]}, headers=HTML)
        location = again.headers["Location"]
        assert location.startswith("/")
        assert not location.startswith(("//", "/\\"))
        assert "evil" not in location or location == given


# --------------------------------------------------------------------------- load


async def test_flood_of_logins_many_at_once_are_told_to_come_again(local: Served):
    """Passwords are compared two at a time, and so many wait at most."""
    local.user("ann")

    class Full(PasswordThreads):
        async def verify(self, kept: str, text: str) -> tuple[bool, str | None]:
            self._under_way = 1_000
            return await super().verify(kept, text)

    local.users.passwords = Full(CHEAP)
    browser = await local.browser()
    response = await browser.log_in("ann")

    assert response.status == 503
    assert "Retry-After" in response.headers


async def test_flood_of_guesses_is_counted_by_address_and_users_by_name(tmp_path: Path):
    """A user has a quota of their own, wherever they are; a wrong token counts for the address."""
    server = ServerSettings(trusted_proxies=("127.0.0.1",))
    async with serving(tmp_path, server=server, rate_limit=3) as served:
        served.user("ann")
        headers = served.token("ann", "search")
        browser = await served.browser()
        here = {"X-Forwarded-For": "203.0.113.5"}
        wrong = here | {"Authorization": "Bearer ms_wrong"}
        guesses = [(await browser.ask("/help", headers=wrong)).status for _ in range(5)]
        assert guesses == [401, 401, 401, 429, 429]
        own = [(await browser.ask("/help", headers=here | headers)).status for _ in range(2)]
        there = {"X-Forwarded-For": "203.0.113.77"} | headers
        own += [(await browser.ask("/help", headers=there)).status for _ in range(2)]
        assert own == [200, 200, 200, 429]
