"""Stages that a team screens, by the JSON interface of a server with users."""

from __future__ import annotations

from typing import Any

import pytest

from tests.review.api.conftest import Api
from tests.review.security.team import Team
from tests.review.security.team_fixtures import As, people, serve_team, team, team_template

__all__ = ("people", "serve_team", "team", "team_template")  # fixtures


@pytest.fixture
def base(team: Team) -> str:
    """What addresses of the project begin with."""
    return f"/api/projects/{team.review.uid}"


async def begun(people: As, base: str, team: Team, **more: Any) -> Any:
    """What the owner is told who lets the screener and the editor screen titles."""
    screeners = [team.uids["screener"], team.uids["editor"]]
    return await people("owner").json(
        f"{base}/screening", 200, do="begin", stage="title", screeners=screeners, **more
    )


async def test_a_team_begins_changes_and_ends(people: As, base: str, team: Team) -> None:
    """Each answer has the stages as they are then; names are those for people."""
    (stage,) = (await begun(people, base, team))["stages"]
    assert (stage["stage"], stage["needed"], stage["blind"], stage["ended"]) == (
        "title", 2, True, None,
    )  # fmt: skip
    assert {one["name"] for one in stage["team"]} == {"screener", "editor"}
    owner = people("owner")
    (stage,) = (
        await owner.json(
            f"{base}/screening", 200, do="change", stage="title", add=[team.uids["owner"]], needed=3
        )
    )["stages"]
    assert (len(stage["screeners"]), stage["needed"]) == (1, 3)  # who is blind sees themselves
    (stage,) = (await owner.json(f"{base}/screening", 200, do="end", stage="title"))["stages"]
    assert stage["ended"] is not None


async def test_what_cannot_be_a_team_is_told(people: As, base: str, team: Team) -> None:
    """A reader as a screener, too few, a member of another action, no stage."""
    owner = people("owner")
    for members, words in (
        ({"do": "begin", "screeners": [team.uids["reader"], team.uids["editor"]]}, "cannot screen"),
        (
            {"do": "begin", "screeners": [team.uids["stranger"], team.uids["owner"]]},
            "cannot screen",
        ),
        ({"do": "begin", "screeners": [team.uids["editor"]]}, "more votes"),
        ({"do": "begin", "add": ["x"]}, "is no member of begin"),
        ({"do": "end"}, "No team"),
        ({"do": "begin", "needed": 9}, "1 to 5"),
        ({"do": "begin", "stage": "all"}, "must be one of"),
    ):
        answer = await owner.post(f"{base}/screening", **{"stage": "title", **members})
        assert (answer.status, words in await answer.text()) == (400, True), await answer.text()


async def test_votes_by_lists_and_their_agreement(people: As, base: str, team: Team) -> None:
    """A screener decides on what waits for them, lists it, and reads the kappa of both."""
    await begun(people, base, team)
    screener, editor = people("screener"), people("editor")
    waiting = {"verdict": "undecided", "mine": True}
    first = await screener.json(
        f"{base}/decisions", 200, matching=waiting, verdict="excluded", reason="topic"
    )
    assert first["works"] == 8
    assert (await screener.json(f"{base}/works?mine=1&verdict=undecided"))["total"] == 0
    listed = await screener.json(f"{base}/works?mine=1&verdict=excluded")
    assert listed["total"] == 8
    assert {work["votes"]["title"]["reason"] for work in listed["works"]} == {"topic"}
    assert all("title" not in work["decisions"] for work in listed["works"])
    works = [work["uid"] for work in listed["works"]]
    await editor.json(f"{base}/decisions", 200, works=works[:6], verdict="excluded")
    await editor.json(f"{base}/decisions", 200, works=works[6:], verdict="relevant")
    (stage,) = (await people("reader").json(f"{base}/screening/agreement"))["stages"]
    (pair,) = stage["pairs"]
    assert (stage["works"], stage["agreed"], pair["n"], pair["kappa"]) == (8, 6, 8, 0.0)
    found = await people("reader").json(f"{base}/screening/conflicts?count=1")
    assert (found["total"], len(found["conflicts"])) == (2, 1)


async def test_a_server_without_users_has_no_teams(api: Api) -> None:
    """Neither the addresses nor a tab of the pages."""
    await api.post("", 201, name="g", kind="review")
    for path in ("", "/conflicts", "/agreement"):
        await api.get(f"/g/screening{path}", 404)
    await api.post("/g/screening/resolve", 404, works=["x"], verdict="relevant")
    root = api.base.removesuffix("/api/projects")
    async with api.session.get(f"{root}/projects/g/screening") as response:
        assert response.status == 404
    async with api.session.get(f"{root}/projects/g/works") as response:
        text = await response.text()
    assert "/screening" not in text
    assert "mine=" not in text
