"""What people type is shown as text: names of projects, titles, tags, reasons, notes, users."""

from __future__ import annotations

import pytest

from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.users import accounts
from metasearch.review.works import decisions
from tests import cases
from tests.review.pages.filled import TEXT
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As

SCRIPT = "<script>alert(1)</script>"
ATTRIBUTE = "\"'><img src=x onerror=alert(2)>"
EVIL = f"{SCRIPT}{ATTRIBUTE}"


@pytest.fixture
def poisoned(team: Team) -> Team:
    """The workspace of the team, in which everything that can be typed is hostile."""
    with Database(team.filled.path) as db:
        uid, owner = team.filled.uids[0], team.uids["owner"]
        review = team.review.at(db, owner)
        for name, person in team.uids.items():
            user = accounts.find(db, person)
            accounts.update(db, user, shown=f"{name} {EVIL}")
        projects.update(review, title=f"title {EVIL}")
        strategies.update(db, team.filled.strategy, note=f"note {EVIL}", by=owner)
        steps.edit(db, team.filled.strategy, 1, note=f"step {EVIL}", by=owner)
        decisions.tag(review, [uid], [f"tag {SCRIPT}", f"tag {ATTRIBUTE}"])
        decisions.set_note(review, uid, f"note {EVIL}")
        decisions.mark(review, [team.filled.uids[2]], "excluded", reason=f"reason {EVIL}")
    return team


PAGES = (
    "/projects",
    "/projects/{project}",
    "/projects/{project}/members",
    "/projects/{project}/strategies",
    f"/projects/{{project}}/strategies/{TEXT}",
    f"/projects/{{project}}/strategies/{TEXT}?edit=1&known=1",
    "/projects/{project}/works",
    "/projects/{project}/works?tag=tag%20%3Cscript%3Ealert(1)%3C/script%3E",
    "/projects/{project}/reports",
    "/projects/{project}/reports/prisma-flow",
    "/projects/{project}/log",
)


@cases.each("path", PAGES)
async def test_a_page_shows_it_as_text(path: str, poisoned: Team, people: As) -> None:
    """No element and no attribute comes of it; the policy of the page runs no script of it."""
    response = await _page(people("owner"), path.format(project=poisoned.review.uid))
    text = await response.text()

    assert "alert(1)" in text
    assert SCRIPT not in text
    assert "<img src=x" not in text
    policy = response.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "default-src 'none'" in policy or "default-src 'self'" in policy


async def test_an_administrator_s_page_shows_it_as_text(poisoned: Team, people: As) -> None:
    """The list of all projects has titles and names of owners that anybody may choose."""
    text = await (await _page(people("administrator"), "/admin/projects")).text()

    assert text.count("alert(1)") > 1
    assert SCRIPT not in text
    assert "<img src=x" not in text


async def test_an_invitation_shows_it_as_text(poisoned: Team, people: As) -> None:
    """Whoever is invited reads the title of the project, and the name of who invites."""
    api = f"/api/projects/{poisoned.review.uid}/members"
    made = await people("owner").json(api, 201, role="reader")
    path = made["link"].partition("/join/")[2]
    text = await (await _page(people("stranger"), f"/join/{path}")).text()

    assert "alert(1)" in text
    assert SCRIPT not in text
    assert "<img src=x" not in text


async def test_what_a_form_sends_back_is_text(team: Team, people: As) -> None:
    """A form that was refused shows again what was typed, as text."""
    owner = people("owner")
    settings = await owner.page("/settings")
    token = settings.xpath("//input[@name='token']/@value")[0]
    response = await owner.client.post(
        "/projects",
        data={"token": token, "name": EVIL, "title": EVIL},
        headers=owner.headers | {"Accept": "text/html"},
    )
    text = await response.text()

    assert response.status == 400
    assert SCRIPT not in text
    assert "<img src=x" not in text


async def test_json_is_not_taken_for_a_page(poisoned: Team, people: As) -> None:
    """Its type is said, and browsers may not guess another one."""
    response = await people("owner").get(f"/api/projects/{poisoned.review.uid}", "text/html")

    assert response.content_type == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


async def _page(person: Person, path: str):
    response = await person.get(path, "text/html")
    assert response.status == 200
    return response
