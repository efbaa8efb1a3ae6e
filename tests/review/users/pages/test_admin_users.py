"""Administrators find, make, change and delete users."""

from __future__ import annotations

import re

from metasearch.review.projects import members, projects
from metasearch.review.users import accounts, audit, sessions
from tests import cases
from tests.review.users.server.served import PASSWORD, Served
from tests.server.visitor import text

_ADDRESS = re.compile(r"http://[0-9.:]+(/(?:password|join)/[\w-]{43})")


def page_of(local: Served, name: str) -> str:
    """The address of the page of a user."""
    return f"/admin/users/{local.value('SELECT uid FROM user WHERE name = ?', name)}"


async def test_only_administrators_may(local: Served):
    """Everybody else is refused on every page and every address of the interface."""
    browser = await local.browser("ann")
    for path in ("/admin", "/admin/users", "/admin/sources", "/admin/audit", "/admin/audit/file"):
        assert ((await browser.get(path)).status, path) == (403, path)
    for path in ("/api/admin/users", "/api/admin/audit", "/api/admin/sources"):
        assert ((await browser.session.get(path)).status, path) == (403, path)


async def test_users_are_found_by_a_part_of_name_or_address(local: Served):
    """Whatever its case; "%" and "_" are signs as any other."""
    for number in range(3):
        local.user(f"reader{number}", "guest", email=f"r{number}@library.example")
    local.user("under_score")
    browser = await local.browser("root")

    async def names(query: str) -> list[str]:
        tree = await browser.page(f"/admin/users?{query}")
        return [link.text for link in tree.xpath("//tbody//th/a")]

    assert await names("q=LIBRARY") == ["reader0", "reader1", "reader2"]
    assert await names("q=ann+ex") == ["ann"]
    assert await names("q=_") == ["under_score"]
    assert await names("q=%25") == []
    assert await names("role=administrator") == ["root"]
    assert await names("state=disabled") == []


async def test_a_long_list_has_pages(local: Served):
    """Each user is on one of them."""
    with local.database() as db:
        for number in range(60):
            accounts.create(db, f"user{number:02}")
    browser = await local.browser("root")
    tree = await browser.page("/admin/users?q=user")
    first = [link.text for link in tree.xpath("//tbody//th/a")]
    address = tree.xpath("//a[text()='Further users']/@href")[0]
    tree = await browser.page(address)
    second = [link.text for link in tree.xpath("//tbody//th/a")]

    assert (len(first), len(second)) == (50, 10)
    assert sorted(first + second) == [f"user{number:02}" for number in range(60)]


async def test_a_new_user_sets_a_password_by_the_link(local: Served):
    """The link is shown once; then the user logs in."""
    browser = await local.browser("root")
    sent = {"do": "new", "name": "bob", "shown": "Bob", "role": "user"}
    response = await browser.post("/admin/users", sent, form="/admin/users")
    body = await response.text()
    path = _ADDRESS.search(body).group(1)

    assert (response.status, response.headers["Cache-Control"]) == (200, "no-store")
    bob = await local.browser()
    new = {"new": "a password of bob's", "again": "a password of bob's"}
    assert (await bob.post(path, new)).status == 303
    assert (await bob.log_in("bob", "a password of bob's")).status == 303
    assert path not in await (await browser.get("/admin/users")).text()


async def test_an_invitation_makes_an_account_of_its_role(local: Served):
    """And can be revoked before."""
    browser = await local.browser("root")
    paths = []
    for _ in range(2):
        sent = {"do": "invite", "role": "guest"}
        response = await browser.post("/admin/users", sent, form="/admin/users")
        paths.append(_ADDRESS.search(await response.text()).group(1))
    newest = local.value("SELECT max(id) FROM link")
    await browser.post("/admin/users", {"revoke": str(newest)}, form="/admin/users")

    stranger = await local.browser()
    assert (await stranger.get(paths[1])).status == 404
    sent = {"name": "eve", "new": PASSWORD, "again": PASSWORD}
    assert (await stranger.post(paths[0], sent)).status == 303
    assert local.value("SELECT role FROM user WHERE name = 'eve'") == "guest"


async def test_a_name_that_is_taken_is_said_beside_the_form(local: Served):
    """And makes nothing."""
    browser = await local.browser("root")
    response = await browser.post(
        "/admin/users", {"do": "new", "name": "ANN", "role": "user"}, form="/admin/users"
    )

    assert response.status == 400
    assert "There is a user &#39;ann&#39; already" in await response.text()


async def test_details_role_and_quotas_are_changed_and_told(local: Served):
    """The audit log has the role and the quotas."""
    browser = await local.browser("root")
    uid = local.value("SELECT uid FROM user WHERE name = 'ann'")
    page = f"/admin/users/{uid}"
    details = {"do": "details", "shown": "Ann C", "email": "", "role": "guest"}
    assert (await browser.post(page, details, form=page)).status == 303
    assert (await browser.post(page, {"do": "quotas", "searches": "7"}, form=page)).status == 303

    with local.database() as db:
        user = accounts.find(db, "ann")
        actions = [line.action for line in audit.lines(db, object=f"user:{uid}")]
    assert (user.shown, user.email, user.role) == ("Ann C", "", "guest")
    assert user.quotas == {"searches": 7}
    assert {"role", "quota"} <= set(actions)
    tree = await browser.page(page)
    assert tree.xpath("//input[@name='searches']/@value") == ["7"]
    await browser.post(page, {"do": "quotas", "searches": ""}, form=page)
    assert local.value("SELECT quotas FROM user WHERE name = 'ann'") == "{}"


@cases.each("typed", ["many", "-1", "1e3", "99999999999"])
async def test_a_quota_is_a_whole_number(local: Served, typed: str):
    """Anything else is said, and changes nothing."""
    browser = await local.browser("root")
    page = page_of(local, "ann")
    response = await browser.post(page, {"do": "quotas", "searches": typed}, form=page)

    assert response.status == 400
    assert local.value("SELECT quotas FROM user WHERE name = 'ann'") == "{}"


async def test_who_is_disabled_is_out_at_once_and_can_come_back(local: Served):
    """Their session ends; the account stays."""
    root, ann = await local.browser("root"), await local.browser("ann")
    page = page_of(local, "ann")
    await root.post(page, {"do": "disable"}, form=page)

    assert (await ann.get("/account")).status == 303
    assert (await ann.log_in("ann")).status == 400
    await root.post(page, {"do": "enable"}, form=page)
    assert (await ann.log_in("ann")).status == 303


async def test_all_sessions_of_a_user_end(local: Served):
    """Those of the administrator go on."""
    root, ann = await local.browser("root"), await local.browser("ann")
    page = page_of(local, "ann")
    await root.post(page, {"do": "end"}, form=page)

    assert (await ann.get("/account")).status == 303
    with local.database() as db:
        assert len(sessions.of(db, accounts.find(db, "root"))) == 1


async def test_the_last_administrator_stays(local: Served):
    """Neither role nor account can be taken from them."""
    browser = await local.browser("root")
    page = page_of(local, "root")
    for sent in (
        {"do": "details", "shown": "", "email": "", "role": "user"},
        {"do": "disable"},
        {"do": "delete", "confirm": "root"},
    ):
        response = await browser.post(page, sent, form=page)
        assert response.status == 400
        assert "last administrator" in await response.text()


async def test_an_account_is_deleted_after_its_name_is_typed(local: Served):
    """The list says that it is gone, and the audit log who did it."""
    browser = await local.browser("root")
    uid = local.value("SELECT uid FROM user WHERE name = 'ann'")
    page = f"/admin/users/{uid}"
    assert (await browser.post(page, {"do": "delete", "confirm": "anna"}, form=page)).status == 400

    response = await browser.post(page, {"do": "delete", "confirm": "Ann"}, form=page)

    assert response.headers["Location"] == "/admin/users?done=deleted"
    assert "The account is deleted." in text(await browser.page("/admin/users?done=deleted"))
    assert (await browser.get(page)).status == 404
    with local.database() as db:
        line = audit.lines(db, action="delete")[0]
        assert line.actor == accounts.find(db, "root").uid


async def test_the_only_owner_of_a_project_is_not_deleted(local: Served):
    """The projects are named, and stay."""
    with local.database() as db:
        project = projects.create(db, "review", "review")
        members.add(project, accounts.find(db, "ann"), "owner")
    browser = await local.browser("root")
    page = page_of(local, "ann")
    response = await browser.post(page, {"do": "delete", "confirm": "ann"}, form=page)

    assert response.status == 400
    assert "Nobody else owns 1 project: review" in await response.text()


async def test_mass_assignment_changes_nothing_else(local: Served):
    """Fields that a form does not have are passed over."""
    browser = await local.browser("ann")
    sent = {"do": "details", "shown": "Ann", "email": "", "role": "administrator", "quotas": "{}"}
    await browser.post("/account", sent | {"disabled": "0", "uid": "x"}, form="/account")

    assert local.value("SELECT role FROM user WHERE name = 'ann'") == "user"
