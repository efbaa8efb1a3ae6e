"""The page of an account: what a user sees and changes about themself."""

from __future__ import annotations

import json

from metasearch.review.users import accounts, audit, sessions, tokens
from tests.review.users.server.served import HTML, PASSWORD, Browser, Served
from tests.server.visitor import text


async def test_details_are_shown_and_changed(local: Served):
    """Name for others, address, language, style and e-mails; the next page is in the language."""
    browser = await local.browser("ann")
    tree = await browser.page("/account")
    assert tree.xpath("//input[@name='shown']/@value") == ["Ann Example"]

    sent = {"do": "details", "shown": "Ann B", "email": "b@example.org", "language": "zh-Hans"}
    response = await browser.post("/account", sent | {"style": "ieee"}, form="/account")

    assert (response.status, response.headers["Location"]) == (303, "/account?done=details")
    with local.database() as db:
        user = accounts.find(db, "ann")
    assert (user.shown, user.email) == ("Ann B", "b@example.org")
    assert user.preferences == {"language": "zh-Hans", "style": "ieee", "emails": False}
    tree = await browser.page("/account?done=details")
    assert tree.get("lang") == "zh-Hans"


async def test_a_wrong_address_changes_nothing_and_is_said_beside_the_form(local: Served):
    """What was typed is still there."""
    browser = await local.browser("ann")
    sent = {"do": "details", "shown": "Other", "email": "no address"}
    response = await browser.post("/account", sent, form="/account")

    body = await response.text()
    assert response.status == 400
    assert "is no e-mail address" in body
    assert 'value="Other"' in body
    assert local.value("SELECT shown FROM user WHERE name = 'ann'") == "Ann Example"


async def test_details_that_were_changed_meanwhile_are_not_overwritten(local: Served):
    """The form of an older version is refused."""
    browser = await local.browser("ann")
    with local.database() as db:
        accounts.update(db, accounts.find(db, "ann"), shown="By the administrator")

    sent = {"do": "details", "shown": "Mine", "version": "1"}
    response = await browser.post("/account", sent, form="/account")

    assert response.status == 409
    assert local.value("SELECT shown FROM user WHERE name = 'ann'") == "By the administrator"


async def test_a_form_of_another_visitor_changes_nothing(local: Served):
    """A token of a form is that of one visitor and session."""
    ann, root = await local.browser("ann"), await local.browser("root")
    stolen = await root.token("/account")

    response = await ann.post("/account", {"do": "details", "shown": "X", "token": stolen})

    assert response.status == 403
    assert local.value("SELECT shown FROM user WHERE name = 'ann'") == "Ann Example"


async def test_a_token_is_shown_once_and_works(local: Served):
    """Its text is on the page that makes it, and nowhere after; no cache keeps that page."""
    browser = await local.browser("ann")
    sent = {"do": "token", "name": "Koha", "scope": "search", "days": "30"}
    response = await browser.post("/account", sent, form="/account")

    tree_text = await response.text()
    assert (response.status, response.headers["Cache-Control"]) == (200, "no-store")
    start = tree_text.index("ms_")
    secret = tree_text[start : start + 46]
    assert secret not in await (await browser.get("/account")).text()
    with local.database() as db:
        assert [each.name for each in tokens.of(db, accounts.find(db, "ann"))] == ["Koha"]
    program = await local.browser()
    answer = await program.session.get(
        "/search?q=gene", headers={"Authorization": f"Bearer {secret}"}
    )
    assert answer.status == 200


async def test_a_revoked_token_works_no_more(local: Served):
    """And the page says that it is revoked."""
    header = local.token("ann", "search")
    browser = await local.browser("ann")
    number = local.value("SELECT id FROM token")
    response = await browser.post("/account", {"revoke": str(number)}, form="/account")

    assert response.headers["Location"] == "/account?done=revoked"
    program = await local.browser()
    assert (await program.session.get("/search?q=gene", headers=header)).status == 401


async def test_nobody_revokes_the_token_of_somebody_else(local: Served):
    """A number that is another user's is answered as one that there is not."""
    header = local.token("root", "search")
    browser = await local.browser("ann")
    number = str(local.value("SELECT id FROM token"))

    assert (await browser.post("/account", {"revoke": number}, form="/account")).status == 404
    assert (await browser.post("/account", {"revoke": "999"}, form="/account")).status == 404
    program = await local.browser()
    assert (await program.session.get("/search?q=gene", headers=header)).status == 200


async def test_sessions_are_listed_and_end(local: Served):
    """This one is marked; all others end at once."""
    here, there = await local.browser("ann"), await local.browser("ann")
    tree = await here.page("/account")
    rows = tree.xpath("//button[@name='end'][@value!='others']/ancestor::tr")
    assert len(rows) == 2
    assert sum("this one" in row.text_content() for row in rows) == 1

    await here.post("/account", {"end": "others"}, form="/account")

    assert (await here.get("/account")).status == 200
    assert (await there.get("/account")).status == 303  # to the login
    with local.database() as db:
        assert len(sessions.of(db, accounts.find(db, "ann"))) == 1


async def test_own_data_is_a_file_without_secrets(local: Served):
    """With account, sessions and audit; the export itself is noted."""
    browser = await local.browser("ann")
    response = await browser.get("/account/data")

    found = json.loads(await response.text())
    assert "attachment" in response.headers["Content-Disposition"]
    assert found["account"]["name"] == "ann"
    assert len(found["sessions"]) == 1
    assert "argon2" not in json.dumps(found)
    assert "digest" not in json.dumps(found)
    with local.database() as db:
        assert audit.lines(db, action="export")[0].detail == {"what": "own data"}


async def test_an_account_is_deleted_after_its_password(local: Served):
    """A wrong one deletes nothing."""
    browser = await local.browser("ann")
    wrong = await browser.post(
        "/account", {"do": "delete", "confirm": "wrong horse battery"}, form="/account"
    )
    assert (wrong.status, local.value("SELECT count(*) FROM user")) == (400, 2)

    response = await browser.post(
        "/account", {"do": "delete", "confirm": PASSWORD}, form="/account"
    )

    assert response.status == 303
    assert local.value("SELECT count(*) FROM user WHERE name = 'ann'") == 0
    assert (await browser.get("/account")).status == 303


async def test_the_last_administrator_cannot_delete_themself(local: Served):
    """The reason is said."""
    browser = await local.browser("root")
    response = await browser.post(
        "/account", {"do": "delete", "confirm": PASSWORD}, form="/account"
    )

    assert response.status == 400
    assert "last administrator" in await response.text()


async def test_guessed_passwords_at_the_deletion_have_to_wait(local: Served):
    """As at the login: a browser that is left open is no way to try passwords."""
    browser = await local.browser("ann")
    token = await browser.token("/account")
    for _ in range(12):
        response = await browser.post(
            "/account", {"do": "delete", "confirm": "a wrong password", "token": token}
        )

    assert "Too many logins have failed" in await response.text()


async def test_what_others_typed_is_text_on_the_page(local: Served):
    """A name with markup is shown, not run."""
    with local.database() as db:
        user = accounts.find(db, "ann")
        accounts.update(db, user, shown="<script>alert(1)</script>")
        tokens.create(db, user, "<b>name</b>", ["search"], 10)
    browser = await local.browser("ann")
    body = await (await browser.get("/account")).text()

    assert "<script>alert" not in body
    assert "<b>name" not in body
    assert "&lt;b&gt;name" in body


async def test_the_pages_need_a_login_and_a_server_with_users(local: Served, tmp_path):
    """Guests are sent to the login; without users there is no such address."""
    stranger = await local.browser()
    for path in ("/account", "/account/data", "/admin", "/admin/users", "/admin/sources"):
        response = await stranger.get(path)
        assert (response.status, path) == (303, path)
        assert response.headers["Location"].startswith("/login")


async def test_the_page_works_in_chinese(local: Served):
    """No English sentence of the page is left."""
    browser: Browser = await local.browser("ann")
    tree = await browser.page("/account?lang=zh-Hans")

    assert "下载" in text(tree) or "账户" in text(tree) or "帐户" in text(tree)
    assert "Download my data" not in text(tree)
    assert HTML
