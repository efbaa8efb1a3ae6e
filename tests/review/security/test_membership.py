"""Nobody gets into a project, or out of one, but as its owners say."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from metasearch.review.projects import members
from metasearch.review.runs import runs
from metasearch.review.service import Maker
from metasearch.review.store.database import Database
from metasearch.review.users import audit
from tests.review.pages.filled import TEXT
from tests.review.security.team import Team
from tests.review.security.team_fixtures import As


def roles(team: Team) -> dict[str, str]:
    """Name of a user -> role in the review."""
    with Database(team.filled.path, read_only=True) as db:
        return {each.name: each.role for each in members.of(team.review.at(db))}


def test_projects_that_take_a_basket_are_those_that_a_member_may_change(team: Team) -> None:
    """Owners and editors; others are offered none."""
    with Database(team.filled.path, read_only=True) as db:
        offered = {
            each.name: team.review.uid in Maker(each.uid, "").editable(db)
            for each in members.of(team.review.at(db))
        }

    of_role = {role: offered[name] for name, role in roles(team).items()}
    assert of_role == {"owner": True, "editor": True, "screener": False, "reader": False}


async def test_a_link_makes_one_user_a_member_once(team: Team, people: As) -> None:
    """With the role of the link; the next one who has it is told that it is used up."""
    api = f"/api/projects/{team.review.uid}/members"
    invited = await people("owner").json(api, 201, role="screener")
    path = urlsplit(invited["link"]).path

    joined = await people("stranger").form(path, {"role": "owner"})
    again = await people("administrator").form(path, {})

    assert joined.status == 303
    assert again.status in (404, 410)
    assert roles(team)["stranger"] == "screener"
    assert "administrator" not in roles(team)
    assert (await people("stranger").get(f"/api/projects/{team.review.uid}")).status == 200
    with Database(team.filled.path, read_only=True) as db:
        told = [line.action for line in audit.lines(db, object=f"project:{team.review.uid}")]
    assert told[:2] == ["member", "link"]


async def test_a_revoked_link_is_good_for_nothing(team: Team, people: As) -> None:
    """By the page and by programs; the list tells of open links to owners alone."""
    api = f"/api/projects/{team.review.uid}/members"
    owner = people("owner")
    first = await owner.json(api, 201, role="reader")
    page = await owner.form(
        f"/projects/{team.review.uid}/members", {"do": "invite", "role": "editor"}
    )
    assert page.status == 200
    listed = await owner.json(api)
    assert [one["role"] for one in listed["invitations"]] == ["editor", "reader"]
    assert "link" not in str(listed)
    assert "invitations" not in await people("editor").json(api)

    for one in listed["invitations"]:
        response = await owner.post(f"{api}/invitations/{one['number']}")
        assert response.status == 200
    missing = await owner.post(f"{api}/invitations/{listed['invitations'][0]['number']}")

    assert missing.status == 404
    assert (await owner.json(api))["invitations"] == []
    used = await people("stranger").form(urlsplit(first["link"]).path, {})
    assert used.status in (404, 410)
    assert "stranger" not in roles(team)


async def test_a_link_is_good_for_the_days_that_are_asked_for(team: Team, people: As) -> None:
    """By programs as by the command: a month at most."""
    api = f"/api/projects/{team.review.uid}/members"
    owner = people("owner")
    usual, short, long = [
        (await owner.json(api, 201, role="reader", **days))["expires"][:10]
        for days in ({}, {"days": 1}, {"days": 30})
    ]
    assert short < usual < long
    for wrong in (0, 31):
        assert "days" in str(await owner.json(api, 400, role="reader", days=wrong))


async def test_a_link_of_another_project_is_not_revoked(team: Team, people: As) -> None:
    """Its number alone names nothing here."""
    owner = people("owner")
    made = await owner.json("/api/projects", 201, name="own")
    link = await owner.json(f"/api/projects/{made['uid']}/members", 201, role="reader")

    path = f"/api/projects/{team.review.uid}/members/invitations/{link['number']}"
    assert (await owner.post(path)).status == 404


async def test_the_last_owner_stays(team: Team, people: As) -> None:
    """Neither leaves, nor becomes less, nor is removed; with a second owner each of it may be."""
    api = f"/api/projects/{team.review.uid}/members"
    page, own = f"/projects/{team.review.uid}/members", team.uids["owner"]
    owner = people("owner")

    await owner.json(f"{api}/{own}", 400, role="reader")
    await owner.json(f"{api}/{own}", 400, removed=True)
    assert (await owner.post(f"{api}/leave")).status == 400
    assert (await owner.form(page, {"do": "leave", "sure": "yes"})).status == 400
    assert roles(team)["owner"] == "owner"

    await owner.json(f"{api}/{team.uids['editor']}", role="owner")
    assert (await owner.form(page, {"do": "leave", "sure": "yes"})).status == 303
    assert "owner" not in roles(team)
    assert (await owner.get(f"/api/projects/{team.review.uid}")).status == 404


async def test_a_member_who_is_removed_reads_nothing_any_more(team: Team, people: As) -> None:
    """From the next request on, as if the project did not exist."""
    api = f"/api/projects/{team.review.uid}"
    reader = people("reader")
    assert (await reader.get(api)).status == 200

    await people("owner").json(f"{api}/members/{team.uids['reader']}", removed=True)

    assert (await reader.get(api)).status == 404
    assert (await people("reader").json("/api/projects"))["projects"] == []


async def test_a_member_who_is_removed_follows_no_run_any_more(team: Team, people: As) -> None:
    """The stream that they have open ends, though the run goes on."""
    with Database(team.filled.path) as db:
        runs.begin(team.review.at(db), team.filled.strategy, "records")
    path = f"/projects/{team.review.uid}/strategies/{quote(TEXT)}/progress"
    stream = await people("reader").get(path)
    assert b"event: state" in await stream.content.readuntil(b"\n\n")

    await people("owner").json(
        f"/api/projects/{team.review.uid}/members/{team.uids['reader']}", removed=True
    )

    rest = await stream.content.read()
    assert b"event: done" not in rest
    assert (await people("reader").get(path)).status == 404


async def test_a_role_is_changed_by_owners_alone(team: Team, people: As) -> None:
    """What the page says is what the next request may do; who is no member gets no role."""
    page = f"/projects/{team.review.uid}/members"
    change = {"do": "role", "user": team.uids["reader"], "role": "screener"}

    assert (await people("editor").form(page, change)).status == 403
    assert (await people("owner").form(page, change)).status == 303
    assert roles(team)["reader"] == "screener"
    strange = change | {"user": team.uids["stranger"]}
    assert (await people("owner").form(page, strange)).status == 400
    assert (await people("owner").form(page, change | {"role": "administrator"})).status == 400
    api = f"/api/projects/{team.review.uid}/members/{team.uids['stranger']}"
    assert (await people("owner").post(api, role="owner")).status == 404
    assert "stranger" not in roles(team)


async def test_a_member_leaves(team: Team, people: As) -> None:
    """Of their own will, with the box ticked."""
    page = f"/projects/{team.review.uid}/members"
    assert (await people("reader").form(page, {"do": "leave"})).status == 400
    assert (await people("reader").form(page, {"do": "leave", "sure": "yes"})).status == 303
    assert "reader" not in roles(team)


async def test_an_administrator_takes_a_project_over_and_is_told_of(team: Team, people: As) -> None:
    """Nobody else may; the project of others is not read before."""
    administrator = people("administrator")
    listed = await administrator.json("/api/admin/projects")
    assert {one["name"] for one in listed["projects"]} == {"review", "novelty", "empty"}
    page = await administrator.page("/admin/projects")
    assert len(page.xpath("//button[@name='project']")) == 3

    for name in ("owner", "stranger", "guest"):
        refused = await people(name).post("/api/admin/projects", project=team.filled.empty.uid)
        assert refused.status == 403
    form = {"do": "own", "project": team.review.uid}
    assert (await administrator.form("/admin/projects", form)).status == 303
    await administrator.json("/api/admin/projects", project=team.filled.empty.uid)
    await administrator.json("/api/admin/projects", 404, project="nowhere")

    assert roles(team)["administrator"] == "owner"
    assert (await administrator.get(f"/api/projects/{team.review.uid}")).status == 200
    with Database(team.filled.path, read_only=True) as db:
        line = audit.lines(db, object=f"project:{team.review.uid}")[0]
    assert (line.actor, line.action) == (team.uids["administrator"], "member")
    assert line.detail["after"] == "owner"


async def test_who_makes_a_project_owns_it(team: Team, people: As) -> None:
    """By the page, by a program, by an archive; nobody else sees it in the list."""
    stranger = people("stranger")
    await stranger.json("/api/projects", 201, name="first")
    assert (await stranger.form("/projects", {"name": "second"})).status == 303
    archive = await people("owner").get(f"/api/projects/{team.review.uid}/archive")
    brought = await stranger.client.post(
        "/api/projects/import",
        data=await archive.read(),
        headers=stranger.headers | {"Content-Type": "application/zip"},
    )
    assert brought.status == 201

    listed = (await stranger.json("/api/projects"))["projects"]
    assert {one["name"] for one in listed} == {"review-2", "second", "first"}
    for one in listed:
        made = await stranger.json(f"/api/projects/{one['uid']}/members")
        assert [(each["name"], each["role"]) for each in made["members"]] == [("stranger", "owner")]
        assert (await people("owner").get(f"/api/projects/{one['uid']}")).status == 404
    assert [one["name"] for one in (await people("owner").json("/api/projects"))["projects"]] == [
        "review"
    ]
    page = await people("owner").page("/projects")
    assert len(page.xpath("//tbody/tr")) == 1


async def test_a_taken_name_says_nothing_of_its_project(team: Team, people: As) -> None:
    """A new project gets "-2", and its maker is told; who owns the other one is not."""
    stranger = people("stranger")
    made = await stranger.json("/api/projects", 201, name="novelty", kind="review")
    by_form = await stranger.form("/projects", {"name": "novelty"})

    assert made["name"] == "novelty-2"
    assert made["title"] == "novelty"
    location = by_form.headers["Location"]
    assert "done=renamed" in location
    page = await stranger.page(location)
    assert "As its short name was taken" in page.text_content()
    assert "novelty-3" in page.text_content()


async def test_what_is_taken_out_and_deleted_is_audited(team: Team, people: As) -> None:
    """Archives, works, and the end of a project, with who did it."""
    owner, base = people("owner"), team.review.uid
    assert (await owner.get(f"/api/projects/{base}/archive")).status == 200
    assert (await owner.get(f"/projects/{base}/archive")).status == 200
    assert (await owner.get(f"/projects/{base}/works/export?format=csv")).status == 200
    assert (await owner.get(f"/api/projects/{base}/exports?format=ris")).status == 200
    await owner.json(f"/api/projects/{base}/delete", name="review")

    with Database(team.filled.path, read_only=True) as db:
        lines = [
            (line.action, line.detail.get("what"), line.actor)
            for line in audit.lines(db, object=f"project:{base}")
        ]
    own = team.uids["owner"]
    assert lines[:5] == [
        ("delete", None, own),
        ("export", "ris", own),
        ("export", "csv", own),
        ("export", "archive", own),
        ("export", "archive", own),
    ]


async def test_the_log_says_who(team: Team, people: As) -> None:
    """Uid and name for programs, the name on the page; a user who is gone is a former user."""
    base = f"/api/projects/{team.review.uid}"
    await people("editor").json(base, title="New")
    await people("screener").json(f"{base}/tags", works=[team.filled.uids[0]], add=["a"])
    await people("editor").json(f"{base}/strategies", 201, name="by-editor")

    changes = (await people("reader").json(f"{base}/log"))["changes"][:3]
    assert [(one["by"], one["by_name"]) for one in changes] == [
        (team.uids[name], name) for name in ("editor", "screener", "editor")
    ]
    with Database(team.filled.path) as db:
        db.run("DELETE FROM user WHERE name = 'screener'")
    page = await people("reader").page(f"/projects/{team.review.uid}/log")
    names = [cell.text for cell in page.xpath("//table//tbody/tr/td[3]")][:4]
    assert names == ["editor", "former user", "editor", None]
