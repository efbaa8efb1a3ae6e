"""Nobody sets what a form or a program is not asked for: owners, roles, authors, versions."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from metasearch.review.api import Member
from metasearch.review.projects import api as projects
from metasearch.review.projects import members, team_api
from metasearch.review.reports import api as reports
from metasearch.review.routes import PROJECT_ROUTES as ROUTES
from metasearch.review.routes import TEAM_ROUTES
from metasearch.review.runs import api as runs
from metasearch.review.store.database import Database
from metasearch.review.strategies import api as strategies
from metasearch.review.works import api as works
from tests import cases
from tests.review.pages.filled import TEXT
from tests.review.security.team import Team
from tests.review.security.team_fixtures import As

#: What a row has, and nobody may send.
HIDDEN = (
    "id",
    "uid",
    "owner",
    "by",
    "user",
    "member",
    "members",
    "project_id",
    "created",
    "at",
    "digest",
    "number_of_votes",
)
#: The real bodies, by their modules.
BODIES = [
    (module.__name__.rpartition(".")[2], name, members_)
    for module in (projects, reports, runs, strategies, team_api, works)
    for name, members_ in vars(module).items()
    if isinstance(members_, dict)
    and not name.startswith("_")
    and all(isinstance(each, Member) for each in members_.values())
]
POSTS = [
    route.path
    for route in (*ROUTES, *TEAM_ROUTES)
    if route.path.startswith("/api/projects/{project}") and route.posts
]


@cases.each(("module", "name", "taken"), BODIES, ids=lambda value: str(value)[:20])
def test_no_body_has_a_member_that_is_not_asked_for(module: str, name: str, taken: Any) -> None:
    """Only a signature names a digest, which must be that of the report."""
    allowed = {"digest"} if (module, name) == ("team_api", "SIGN") else set()

    assert set(taken) & set(HIDDEN) <= allowed


@cases.each("path", POSTS)
async def test_a_member_that_is_not_asked_for_is_refused(path: str, team: Team, people: As) -> None:
    """By each address, with its name; nothing is changed."""
    values = {
        "project": team.review.uid,
        "strategy": quote(TEXT),
        "step": "1",
        "run": "1",
        "number": "1",
        "kind": "prisma-flow",
        "user": team.uids["reader"],
    }
    address = re.sub(r"{(\w+)(?::[^}]*)?}", lambda found: values[found[1]], path)
    with Database(team.filled.path, read_only=True) as db:
        before = _rows(db)

    response = await people("owner").post(address, owner=team.uids["stranger"], by="ann")

    problem = await response.json(content_type=None)
    assert response.status == 400, problem
    assert {"owner", "by"} <= {each["parameter"] for each in problem["errors"]}
    with Database(team.filled.path, read_only=True) as db:
        assert _rows(db) == before


def _rows(db: Database) -> list[int]:
    tables = ("change", "member", "step", "strategy", "decision", "tag", "note", "pin", "report")
    return [db.value(f"SELECT count(*) FROM {table}") for table in tables]


async def test_a_form_makes_nobody_else_an_owner(team: Team, people: As) -> None:
    """Fields that a form does not have are passed over."""
    response = await people("stranger").form(
        "/projects",
        {
            "name": "mine",
            "kind": "plain",
            "owner": team.uids["reader"],
            "by": team.uids["reader"],
            "uid": "chosen",
            "id": "1",
            "role": "administrator",
            "created": "1999-01-01T00:00:00Z",
        },
    )

    assert response.status == 303
    with Database(team.filled.path, read_only=True) as db:
        row = db.one("SELECT * FROM project WHERE name = 'mine'")
        assert row is not None
        assert row["uid"] != "chosen"
        assert row["created"] > "2000"
        theirs = members.projects_of(db, team.uids["stranger"])
        assert theirs == {row["id"]: "owner"}
        log = db.one("SELECT by FROM change WHERE project = ?", row["id"])
        assert log is not None
        assert log["by"] == team.uids["stranger"]
        role = db.value("SELECT role FROM user WHERE uid = ?", team.uids["stranger"])
        assert role == "user"


async def test_a_form_of_works_decides_for_its_sender(team: Team, people: As) -> None:
    """Whoever it names; the log has the one who sent it."""
    work = team.filled.uids[-1]
    response = await people("screener").form(
        f"/projects/{team.review.uid}/works",
        {"mark": f"relevant:{work}", "by": team.uids["owner"], "user": team.uids["owner"]},
    )

    assert response.status == 303
    with Database(team.filled.path, read_only=True) as db:
        line = db.one("SELECT by, action FROM change ORDER BY id DESC LIMIT 1")
    assert line is not None
    assert (line["by"], line["action"]) == (team.uids["screener"], "mark works")


async def test_an_invitation_gives_the_role_of_its_maker_s_choice(team: Team, people: As) -> None:
    """Not one that whoever uses it asks for, nor a role of the system."""
    api = f"/api/projects/{team.review.uid}/members"
    for role in ("administrator", "user", "", "Owner", None, ["owner"], 1):
        assert (await people("owner").post(api, role=role)).status == 400
