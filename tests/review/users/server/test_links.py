"""Links that are used once: for a password, an account, a membership."""

from __future__ import annotations

from typing import Any

from metasearch.review.projects import members
from metasearch.review.users import accounts, links
from tests.review.users.server.served import PASSWORD, Served

NEW = "another horse battery"


def link(served: Served, kind: Any, user: str = "", project: Any = None, **more: Any) -> str:
    """The secret of a new link."""
    with served.database() as db:
        owner = accounts.find(db, user) if user else None
        return links.create(db, kind, user=owner, project=project, **more)


async def test_a_link_sets_a_password_once(local: Served):
    """Reading the page does not use it up; all sessions end with the new password."""
    local.user("ann")
    before = await local.browser("ann")
    path = f"/password/{link(local, 'password', 'ann')}"
    browser = await local.browser()
    tree = await browser.page(path)
    assert tree.xpath("string(//input[@id='name']/@value)") == "ann"
    await browser.page(path)

    fields = {"new": NEW, "again": NEW}
    response = await browser.post(path, fields)
    assert (response.status, response.headers["Location"]) == (303, "/login?done=password")
    assert (await before.get("/help")).status == 303
    assert (await browser.log_in("ann", NEW)).status == 303
    assert (await browser.get(path)).status == 404


async def test_a_password_that_cannot_be_used_leaves_the_link(local: Served):
    """Too short, typed differently, or the name; the page says why."""
    local.user("ann")
    path = f"/password/{link(local, 'password', 'ann')}"
    browser = await local.browser()

    for new, again, why in (
        ("short", "short", "at least 12 characters"),
        (NEW, f"{NEW}!", "The two new passwords differ."),
    ):
        response = await browser.post(path, {"new": new, "again": again})
        assert response.status == 400
        assert why in await response.text()
    assert (await browser.post(path, {"new": NEW, "again": NEW})).status == 303


async def test_a_link_that_is_not_good_is_a_404(local: Served):
    """Made up, of another kind, ended, or of a disabled account: all alike."""
    local.user("ann")
    local.user("off")
    ended = link(local, "password", "ann")
    with local.database() as db:
        db.run("UPDATE link SET expires = '2026-01-01T00:00:00Z'")
    account = link(local, "account", role="user")
    off = link(local, "password", "off")
    with local.database() as db:
        accounts.set_disabled(db, accounts.find(db, "off"), True)
    browser = await local.browser()

    texts = set()
    for secret in ("A" * 43, ended, account, off, "%00", "a/b"):
        response = await browser.get(f"/password/{secret}")
        assert response.status == 404
        if "/" not in secret:
            page = (await response.text()).partition("<main")[2].partition("</main")[0]
            texts.add(page)
    assert len(texts) == 1


async def test_an_invitation_makes_an_account_and_logs_it_in(local: Served):
    """Of the role of the link, whatever the form says."""
    path = f"/join/{link(local, 'account', role='guest')}"
    browser = await local.browser()
    fields = {"name": "Ann", "shown": "Ann Lee", "email": "ann@example.org", "role": "user"}
    response = await browser.post(path, fields | {"new": NEW, "again": NEW})

    assert (response.status, response.headers["Location"]) == (303, "/")
    assert "Ann Lee" in await (await browser.get("/help")).text()
    with local.database() as db:
        user = accounts.find(db, "ann")
    assert (user.role, user.shown, user.email) == ("guest", "Ann Lee", "ann@example.org")
    assert (await browser.get(path)).status == 404


async def test_a_name_that_is_taken_leaves_the_invitation(local: Served):
    """The form comes again with what was typed, without the password."""
    local.user("ann")
    path = f"/join/{link(local, 'account', role='user')}"
    browser = await local.browser()
    fields = {"name": "ann", "shown": "<b>Ann</b>", "new": NEW, "again": NEW}
    response = await browser.post(path, fields)
    text = await response.text()

    assert response.status == 400
    assert "There is a user" in text
    assert "&lt;b&gt;Ann&lt;/b&gt;" in text
    assert NEW not in text
    assert (await browser.post(path, fields | {"name": "bob"})).status == 303


async def test_an_invitation_to_a_project_needs_a_login_first(local: Served):
    """Nothing of the project is told before; then one button joins it."""
    local.user("ann", shown="Ann Lee")
    local.user("bob")
    project = local.project("mice", ann="owner")
    with local.database() as db:
        owner = accounts.find(db, "ann").uid
    path = f"/join/{link(local, 'member', project=project, role='screener', by=owner)}"
    browser = await local.browser()

    sent = await browser.get(path)
    assert sent.status == 303
    assert sent.headers["Location"].startswith("/login?next=")
    back = await browser.log_in("bob", PASSWORD, path)
    assert back.headers["Location"] == path
    tree = await browser.page(path)
    text = " ".join(tree.xpath("string(//main)").split())
    assert "Ann Lee invites you to the project “mice”." in text
    assert "Screener" in text
    response = await browser.post(path, {})
    assert response.headers["Location"] == f"/projects/{project.uid}?done=joined"
    assert (await browser.get(f"/projects/{project.uid}")).status == 200
    with local.database() as db:
        assert members.role(project.at(db), accounts.find(db, "bob").uid) == "screener"
    assert (await browser.get(path)).status == 404


async def test_a_guest_is_told_that_no_guest_joins(local: Served):
    """And the invitation is still good for somebody else."""
    local.user("ann")
    local.user("guest", "guest")
    project = local.project("mice", ann="owner")
    path = f"/join/{link(local, 'member', project=project, role='reader')}"
    browser = await local.browser("guest")

    response = await browser.get(path)
    assert response.status == 403
    assert (await (await local.browser("ann")).get(path)).status == 200


async def test_a_token_accepts_no_invitation(local: Served):
    """Who finds one joins nothing with it."""
    local.user("ann")
    local.user("bob")
    project = local.project("mice", ann="owner")
    path = f"/join/{link(local, 'member', project=project, role='reader')}"
    program = await local.browser()

    response = await program.ask(path, headers=local.token("bob", "write"))
    assert response.status == 403


async def test_behind_a_proxy_there_are_no_passwords(proxied: Served):
    """Neither links for them, nor pages; a project is joined all the same."""
    proxied.user("ann")
    project = proxied.project("mice", ann="owner")
    password = link(proxied, "password", "ann")
    account = link(proxied, "account", role="user")
    member = link(proxied, "member", project=project, role="reader")
    browser = await proxied.browser()
    bob = {"X-Remote-User": "bob"}

    for path in ("/password", f"/password/{password}", f"/join/{account}"):
        assert (await browser.get(path, **bob)).status == 404
    assert (await browser.get(f"/join/{member}")).status == 401
    page = await browser.get(f"/join/{member}", **bob)
    token = (await page.text()).partition("<main")[2]
    token = token.partition('name="token" value="')[2].partition('"')[0]
    response = await browser.post(f"/join/{member}", {"token": token}, **bob)
    assert response.status == 303
    assert response.headers["Location"] == f"/projects/{project.uid}?done=joined"
