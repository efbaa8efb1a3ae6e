"""A name and a password become a session, and the session ends."""

from __future__ import annotations

from metasearch.review.users import accounts
from tests.review.users.server.served import HTML, PASSWORD, Served


async def test_whoever_is_not_logged_in_is_sent_to_the_login_and_back(local: Served):
    """A page leads to the form, and the form back to the page."""
    local.user("ann")
    browser = await local.browser()

    sent = await browser.get("/search?q=gene&format=html")
    assert (sent.status, sent.headers["Location"]) == (
        303,
        "/login?next=/search?q%3Dgene%26format%3Dhtml",
    )
    back = await browser.log_in("ann", following="/search?q=gene&format=html")
    assert (back.status, back.headers["Location"]) == (303, "/search?q=gene&format=html")
    assert (await browser.get("/search?q=gene&format=html")).status == 200


async def test_the_start_page_and_help_lead_to_the_login_too(local: Served):
    """Nothing of the server is open, but for its health, its files and its description."""
    browser = await local.browser()

    for path in ("/", "/help", "/sources", "/settings", "/basket", "/projects", "/advanced"):
        response = await browser.get(path)
        assert (response.status, path) == (303, path)
    for path in ("/healthz", "/robots.txt", "/openapi.json", "/docs", "/static/style.css"):
        response = await browser.get(path)
        assert (response.status, path) == (200, path)


async def test_programs_are_told_how_to_say_who_they_are(local: Served):
    """A 401 as problem details, with the schemes; a browser's script is not offered a password."""
    browser = await local.browser()

    response = await browser.ask("/search?q=gene")
    problem = await response.json(content_type=None)
    assert response.status == 401
    assert problem["type"] == "urn:metasearch:problem:login-needed"
    assert response.headers["WWW-Authenticate"].startswith("Bearer ")
    assert "Basic " in response.headers["WWW-Authenticate"]

    response = await browser.ask("/search?q=gene", headers={"Sec-Fetch-Mode": "cors"})
    assert "Basic " not in response.headers["WWW-Authenticate"]


async def test_guests_may_search_where_the_operator_says_so(open_: Served):
    """And nothing more: a project is not theirs, whatever its name."""
    browser = await open_.browser()

    assert (await browser.get("/search?q=gene&format=html")).status == 200
    assert (await browser.ask("/search?q=gene")).status == 200
    assert (await browser.get("/projects")).status == 303
    assert (await browser.ask("/api/projects/any")).status == 401


async def test_the_head_of_a_page_says_who_is_logged_in(open_: Served):
    """The name leads to the account, beside a button that ends the session; guests see the way to
    the login."""
    open_.user("ann", shown="Ann Lee")
    browser = await open_.browser()

    tree = await browser.page("/help")
    assert tree.xpath("//header//a[@href='/login?next=%2Fhelp']")
    assert not tree.xpath("//form[@action='/logout']")
    await browser.log_in("ann")
    tree = await browser.page("/help")
    assert "Ann Lee" in tree.xpath("string(//header//a[@href='/account'])")
    assert tree.xpath("//header//form[@action='/logout']")
    assert not tree.xpath("//a[starts-with(@href, '/login')]")


async def test_names_are_compared_as_people_type_them(local: Served):
    """Capitals and the width of letters do not matter."""
    local.user("Ann")
    browser = await local.browser()

    assert (await browser.log_in(" \uff21NN ")).status == 303  # a full-width A


async def test_a_wrong_password_shows_the_form_again(local: Served):
    """With what was typed as the name, and without the password."""
    local.user("ann")
    browser = await local.browser()
    response = await browser.log_in("ann", "wrong horse battery", "/help")
    text = await response.text()

    assert response.status == 400
    assert "No user has this name and this password." in text
    assert 'value="ann"' in text
    assert 'value="/help"' in text
    assert "wrong horse" not in text
    assert "metasearch-session" not in browser.cookies()


async def test_a_logout_ends_the_session(local: Served):
    """Its cookie leads nowhere any more, also where somebody has kept it."""
    local.user("ann")
    browser = await local.browser("ann")
    kept = browser.cookies()["metasearch-session"]
    response = await browser.post("/logout", {}, form="/settings")

    assert (response.status, response.headers["Location"]) == (303, "/login?done=out")
    assert "metasearch-session" not in browser.cookies()
    assert local.value("SELECT count(*) FROM session") == 0
    other = await local.browser()
    answer = await other.get("/help", Cookie=f"metasearch-session={kept}")
    assert answer.status == 303


async def test_logins_are_audited_and_shown_in_the_list_of_sessions(local: Served):
    """Who, how, and with which browser; a failure names the account, never what was typed."""
    user = local.user("ann")
    browser = await local.browser()
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
    await browser.log_in("ann", "wrong horse battery")
    fields = {"name": "ann", "password": PASSWORD, "next": ""}
    await browser.post("/login", fields, **{"User-Agent": agent})

    with local.database() as db:
        lines = [tuple(row) for row in db.all("SELECT action, object, detail FROM audit")]
        assert ("login failed", f"user:{user.uid}", "{}") in lines
        assert ("login", f"user:{user.uid}", '{"proof":"password"}') in lines
        assert db.value("SELECT agent FROM session") == "Firefox on Linux"
        assert accounts.find(db, "ann").last_login is not None


async def test_after_many_failures_one_waits(local: Served):
    """Also with the right password, and alike for an account that there is not."""
    local.user("ann")
    for name in ("ann", "nobody"):
        browser = await local.browser()
        token = await browser.token()
        texts = []
        for _ in range(13):
            fields = {"name": name, "password": "wrong horse battery", "token": token}
            texts.append(await (await browser.post("/login", fields)).text())
        assert "Too many logins have failed." in texts[-1]
        right = await browser.log_in(name)
        assert right.status == 400


async def test_old_hashes_are_made_anew(local: Served):
    """A login with a right password keeps it with the parameters of today."""
    from metasearch.review.users.passwords import Passwords

    local.user("ann", password="")
    old = Passwords(time_cost=2, memory_kib=16, parallelism=1).hash(PASSWORD)
    with local.database() as db:
        accounts.set_password(db, accounts.find(db, "ann"), old)
    await local.browser("ann")

    kept = local.value("SELECT password FROM user")
    assert "$m=8,t=1,p=1$" in kept
    await local.browser("ann")


async def test_whoever_is_logged_in_needs_no_form(local: Served):
    """The login leads on."""
    local.user("ann")
    browser = await local.browser("ann")

    response = await browser.get("/login?next=/help")
    assert (response.status, response.headers["Location"]) == (303, "/help")


async def test_a_use_of_a_session_is_noted_beside_the_answer(local: Served):
    """The list of sessions shows when it was."""
    local.user("ann")
    browser = await local.browser("ann")
    with local.database() as db:
        db.run("UPDATE session SET seen = '2026-01-01T00:00:00Z'")
        db.run("UPDATE session SET seen = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour')")
        before = db.value("SELECT seen FROM session")
    assert (await browser.get("/help", **HTML)).status == 200
    await local.users.close()

    assert local.value("SELECT seen FROM session") > before


async def test_many_requests_of_a_session_are_noted_once(local: Served):
    """While a long change is being made, no queue of notes grows behind it."""
    local.user("ann")
    browser = await local.browser("ann")
    with local.database() as db:
        db.run("UPDATE session SET seen = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour')")
        with db.transaction():  # nobody else writes meanwhile
            for _ in range(5):
                assert (await browser.get("/help")).status == 200
            assert len(local.users._notes) == 1
