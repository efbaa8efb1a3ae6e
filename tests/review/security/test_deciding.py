"""Decisions that a page sends: in order, on the version that was shown, twice without harm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from metasearch.review.projects import log
from metasearch.review.runs.imports import import_file
from metasearch.review.screening import teams
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies
from metasearch.review.works import decisions, lists
from metasearch.review.works.lists import WorksQuery
from tests import cases
from tests.review.pages.filled import RIS
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As


def undecided(team: Team) -> tuple[str, ...]:
    """Works on which nothing is decided; the last ones were added first."""
    return team.filled.uids[3:]


def page_of(team: Team) -> str:
    return f"/projects/{team.review.uid}/works"


def one(work: str, verdict: str, version: int = 0, **more: Any) -> dict[str, Any]:
    """A decision as the script sends it."""
    return {"work": work, "verdict": verdict, "version": version, "vote": False} | more


async def send(
    person: Person, team: Team, *sent: Mapping[str, Any] | str, status: int = 200, **fields: str
) -> list[dict[str, Any]]:
    """What each decision is answered with."""
    texts = [text if isinstance(text, str) else json.dumps(text) for text in sent]
    about = {"do": "decide", "who": team.uids[person.name], "stage": "title"} | fields
    response = await person.form(
        page_of(team), [*about.items(), *(("decision", text) for text in texts)]
    )
    body = await response.json(content_type=None)
    assert response.status == status, body
    return body.get("decisions", [])  # type: ignore[no-any-return]


def lines(team: Team) -> list[tuple[str, str]]:
    """(work, verdict) of the log of decisions, the oldest first."""
    with Database(team.filled.path) as db:
        return [
            (uid, "" if kept is None else kept[0])
            for line in reversed(log.lines(db, team.review.id))
            if line.action == decisions.MARK
            for uid, kept in line.after["works"].items()
            if uid in undecided(team)
        ]


async def test_they_are_kept_in_their_order(team: Team, people: As):
    """E I E of three works in one form: three lines of the log, each with its work."""
    works = undecided(team)[:3]
    sent = list(zip(works, ["excluded", "relevant", "excluded"], strict=True))
    answers = await send(people("screener"), team, *(one(*pair) for pair in sent))
    assert [answer["status"] for answer in answers] == [200, 200, 200]
    assert [answer["work"] for answer in answers] == list(works)
    assert lines(team) == sent


async def test_what_was_kept_already_is_not_kept_twice(team: Team, people: As):
    """The same form again, as after a lost answer, gives the same answer and no line."""
    works = undecided(team)[:2]
    sent = [one(works[0], "relevant"), one(works[1], "excluded", reason="mice")]
    first = await send(people("screener"), team, *sent)
    assert await send(people("screener"), team, *sent) == first
    assert len(lines(team)) == 2
    follows = one(works[0], "close", first[0]["version"])
    await send(people("screener"), team, follows)
    assert lines(team)[-1] == (works[0], "close")


async def test_what_somebody_else_decided_is_not_overwritten(team: Team, people: As):
    """The answer says what stands, the others of the form are kept, and a second look decides."""
    works = undecided(team)[:2]
    await send(people("editor"), team, one(works[0], "excluded", reason="mice"))

    clash, kept = await send(
        people("screener"), team, one(works[0], "relevant"), one(works[1], "relevant")
    )

    assert (clash["status"], kept["status"]) == (409, 200)
    assert (clash["verdict"], clash["reason"]) == ("excluded", "mice")
    assert "meanwhile" in clash["text"]
    assert lines(team) == [(works[0], "excluded"), (works[1], "relevant")]
    await send(people("screener"), team, one(works[0], "relevant", clash["version"]))
    assert lines(team)[-1] == (works[0], "relevant")


async def test_a_decision_that_was_taken_back_and_made_again_is_another(team: Team, people: As):
    """Undecided, as the page showed it, is the same again; what stood between is another."""
    work = undecided(team)[0]
    editor = people("editor")
    (first,) = await send(editor, team, one(work, "excluded", reason="mice"))
    await send(editor, team, one(work, "", first["version"]))
    (old,) = await send(people("screener"), team, one(work, "relevant", first["version"]))
    assert old["status"] == 409
    assert old["version"] == 0


async def test_a_vote_of_another_changes_no_version(team: Team, people: As):
    """Blind: who votes second is told of no clash, and by the page of no version."""
    with Database(team.filled.path) as db:
        both = [team.uids["screener"], team.uids["editor"]]
        teams.begin(team.review.at(db, team.uids["owner"]), "title", both)
    work = undecided(team)[0]
    read = f"//input[@name='decided-{work}']/@value"
    before = (await people("screener").page(page_of(team))).xpath(read)
    (answer,) = await send(people("editor"), team, one(work, "excluded", vote=True))
    assert (await people("screener").page(page_of(team))).xpath(read) == before == ["0"]

    (second,) = await send(people("screener"), team, one(work, "relevant", vote=True))

    assert second["status"] == 200
    assert second["version"] != answer["version"]


async def test_a_vote_becomes_no_decision_of_the_project(team: Team, people: As):
    """Nor the other way round, where the team has ended or begun since the page was made."""
    work = undecided(team)[0]
    (refused,) = await send(people("screener"), team, one(work, "relevant", vote=True))
    assert refused["status"] == 400
    with Database(team.filled.path) as db:
        both = [team.uids["screener"], team.uids["editor"]]
        teams.begin(team.review.at(db, team.uids["owner"]), "title", both)
    (refused,) = await send(people("screener"), team, one(work, "relevant"))
    assert refused["status"] == 400
    assert "team" in refused["text"]
    assert lines(team) == []


async def test_a_page_of_somebody_else_decides_nothing(team: Team, people: As):
    """Behind a proxy that names the user, the next user has the cookies of the one before."""
    sent = one(undecided(team)[0], "relevant")
    await send(people("screener"), team, sent, status=403, who=team.uids["editor"])
    await send(people("screener"), team, sent, status=403, who="")
    await send(people("reader"), team, sent, status=403)
    assert lines(team) == []


async def test_a_work_of_another_project_is_none_of_this(team: Team, people: As):
    """It is refused by itself; what comes after it is kept."""
    with Database(team.filled.path) as db:
        novelty = team.filled.novelty.at(db)
        strategy = strategies.create(novelty, "main")
        import_file(novelty, strategy, RIS, "1.ris", source="x", searched="2026-05-03")
        other = lists.uids(novelty, WorksQuery())[0]
    work = undecided(team)[0]
    refused, kept = await send(
        people("screener"), team, one(other, "relevant"), one(work, "relevant")
    )
    assert (refused["status"], kept["status"]) == (400, 200)
    assert lines(team) == [(work, "relevant")]


@cases.each(
    "sent",
    [
        "", "[]", "null", '"x"', "{", "[" * 500, '{"work": "x"}',
        '{"work": ["x"], "vote": false}', '{"work": "x", "vote": "no"}',
        '{"work": "x", "vote": false, "version": -1}',
        '{"work": "x", "vote": false, "version": 1e400}',
        '{"work": "x", "vote": false, "version": true}',
        '{"work": "x", "vote": false, "verdict": "perhaps"}',
        '{"work": "x", "vote": false, "by": "y"}',
        '{"work": "x\\u0000", "vote": false}', '{"work": "\\ud800", "vote": false}',
        json.dumps({"work": "x", "vote": False, "reason": "y" * 50_000}),
    ],
)  # fmt: skip
async def test_what_no_page_sends_is_refused_whole(team: Team, people: As, sent: str):
    """With all that comes with it, and never by an error of the server."""
    await send(people("screener"), team, one(undecided(team)[0], "relevant"), sent, status=400)
    assert lines(team) == []


async def test_a_form_has_a_bound(team: Team, people: As):
    """More than a page sends at a time is refused, and so is nothing."""
    works = [one(undecided(team)[0], "relevant")] * 21
    await send(people("screener"), team, *works, status=400)
    await send(people("screener"), team, status=400)
    assert lines(team) == []


@pytest.mark.parametrize("path", ["/works", "/screening"])
async def test_without_a_script_a_form_has_the_version_too(team: Team, people: As, path: str):
    """The page that follows shows both, and a button decides all the same."""
    work = undecided(team)[0]
    if path == "/screening":
        with Database(team.filled.path) as db:
            both = [team.uids["screener"], team.uids["editor"]]
            teams.begin(team.review.at(db, team.uids["owner"]), "title", both)
    by = team.uids["screener"]
    with Database(team.filled.path) as db:
        decisions.mark(team.review.at(db, by), [work], "excluded", reason="mice")
    address = f"/projects/{team.review.uid}{path}"
    fields = {"mark": f"relevant:{work}", "stage": "title", f"decided-{work}": "0"}

    refused = await people("screener").form(address, fields)

    assert refused.status == 409
    text = await refused.text()
    assert "mice" in text
    assert "Save mine all the same" in text
    assert lines(team) == [(work, "excluded")]
    page = await people("screener").page(f"{address}?work={work}")
    version = page.xpath(f"//input[@name='decided-{work}']/@value")[0]
    again = await people("screener").form(address, fields | {f"decided-{work}": version})
    assert again.status == 303
    assert lines(team)[-1] == (work, "relevant")


async def test_of_ticked_works_all_are_decided_on_or_none(team: Team, people: As):
    """Where one of them was decided on since."""
    first, second = undecided(team)[:2]
    await send(people("editor"), team, one(second, "excluded"))
    ticked = [("id", first), ("id", second), (f"decided-{first}", "0"), (f"decided-{second}", "0")]
    answer = await people("screener").form(page_of(team), [("all", "relevant"), *ticked])
    assert answer.status == 409
    assert "Save mine all the same" not in await answer.text()
    assert lines(team) == [(second, "excluded")]
