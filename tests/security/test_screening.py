"""Two screeners of a server, blind: what each is told by pages, the interface and files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from metasearch.workspace.screening import teams
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, members
from tests.security.team import Person, Team
from tests.security.team_fixtures import As, Serving

#: What differs between two answers that say the same.
TOKEN = re.compile('name="token" value="[^"]*"')
#: Ways to read a project, for all that a screener may open.
PAGES = (
    "", "/works", "/works?mine=yes", "/works?verdict=undecided", "/screening",
    "/screening?agreement=yes", "/log", "/reports",
)  # fmt: skip
PROGRAMS = (
    "", "/works", "/works?mine=1", "/works?verdict=excluded", "/works?verdict=conflict",
    "/works?verdict=decided", "/log", "/screening", "/screening/conflicts", "/screening/agreement",
    "/reports/prisma-flow", "/exports?format=asreview", "/exports?format=csv",
)  # fmt: skip


@pytest.fixture
def screened(team: Team) -> Team:
    """The team, with the screener and the editor as screeners of titles."""
    with Database(team.filled.path) as db:
        teams.begin(
            db, team.review, "title", [team.uids["screener"], team.uids["editor"]],
            by=team.uids["owner"],
        )  # fmt: skip
    return team


@pytest.fixture
async def asking(screened: Team, serve_team: Serving) -> As:
    """Those who ask a server of this team."""
    return await serve_team()


def undecided(team: Team) -> tuple[str, ...]:
    """Works on which the project has not decided; the last ones were added first."""
    return team.filled.uids[3:]


async def vote(person: Person, team: Team, uid: str, verdict: str, reason: str = "") -> None:
    """Let somebody vote by the interface."""
    await person.json(
        f"/api/projects/{team.review.uid}/decisions", 200,
        works=[uid], verdict=verdict, reason=reason,
    )  # fmt: skip


async def everything(person: Person, team: Team) -> dict[str, str]:
    """All that somebody is told of the project: addresses and answers."""
    uid = team.review.uid
    asked = {f"/projects/{uid}{path}": "text/html" for path in PAGES}
    asked |= {f"/api/projects/{uid}{path}": "*/*" for path in PROGRAMS}
    asked |= {f"/api/projects/{uid}/works/{work}": "*/*" for work in undecided(team)[:2]}
    found = {}
    for address, accept in asked.items():
        response = await person.get(address, accept)
        assert response.status == 200, (address, await response.text())
        found[address] = TOKEN.sub("", await response.text())
    return found


async def test_nothing_of_a_vote_is_told_before_the_work_has_all(
    screened: Team, asking: As
) -> None:
    """Every page, every answer of the interface and every export stays letter by letter."""
    first, second = asking("screener"), asking("editor")
    await vote(second, screened, undecided(screened)[0], "relevant")
    before = await everything(second, screened)
    await vote(first, screened, undecided(screened)[1], "excluded", "secret reason")
    await first.json(
        f"/api/projects/{screened.review.uid}/notes", 200,
        work=undecided(screened)[1], text="secret note",
    )  # fmt: skip
    after = await everything(second, screened)
    assert [address for address in before if before[address] != after[address]] == []
    assert any("secret reason" in text for text in (await everything(first, screened)).values())
    await vote(second, screened, undecided(screened)[1], "relevant")
    assert any("secret reason" in text for text in (await everything(second, screened)).values())


async def test_an_archive_with_votes_is_not_for_who_must_not_see_them(
    screened: Team, asking: As
) -> None:
    """By the page and by the interface; the owner, who does not screen, has it."""
    await vote(asking("screener"), screened, undecided(screened)[0], "relevant")
    uid = screened.review.uid
    for address in (f"/projects/{uid}/archive", f"/api/projects/{uid}/archive"):
        refused = await asking("editor").get(address, "*/*")
        assert (refused.status, "must not see" in await refused.text()) == (400, True), address
        assert (await asking("owner").get(address, "*/*")).status == 200


async def test_a_screener_undoes_their_own_vote_and_nobody_elses(
    screened: Team, asking: As
) -> None:
    """For one's own vote the role of a screener is enough."""
    uid, work = screened.review.uid, undecided(screened)[0]
    made = await asking("screener").json(
        f"/api/projects/{uid}/decisions", 200, works=[work], verdict="relevant"
    )
    for name, status in (("editor", 400), ("owner", 400), ("reader", 403), ("screener", 200)):
        answer = await asking(name).post(f"/api/projects/{uid}/undo", change=made["change"])
        assert answer.status == status, (name, await answer.text())


def rows_of(value: Any) -> Iterator[list[Any]]:
    """All lists in what JSON holds."""
    if isinstance(value, list):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from rows_of(each)


async def screened_records(person: Person, base: str) -> int:
    """How many records the flow diagram says were screened."""
    made = await person.json(f"{base}/reports/prisma-flow?format=json")
    (count,) = [row[1] for row in rows_of(made) if row[:1] == ["Records screened"]]
    return int(count)


async def test_only_who_may_names_the_team_and_resolves(screened: Team, asking: As) -> None:
    """A voter does not resolve their own conflict; the owner does, and the report counts it."""
    uid, work = screened.review.uid, undecided(screened)[0]
    base = f"/api/projects/{uid}"
    for name in ("editor", "screener", "reader"):
        assert (await asking(name).post(f"{base}/screening", stage="title", do="end")).status == 403
    before = await screened_records(asking("owner"), base)
    await vote(asking("screener"), screened, work, "relevant")
    await vote(asking("editor"), screened, work, "excluded", "rats")
    given = {"works": [work], "verdict": "excluded", "reason": "both read it again"}
    assert (await asking("editor").post(f"{base}/screening/resolve", **given)).status == 400
    assert (await asking("reader").post(f"{base}/screening/resolve", **given)).status == 403
    assert await screened_records(asking("owner"), base) == before
    listed = await asking("owner").json(f"{base}/screening/conflicts")
    assert [vote["reason"] for vote in listed["conflicts"][0]["votes"]].count("rats") == 1
    assert (await asking("owner").json(f"{base}/screening/resolve", 200, **given))["works"] == 1
    shown = await asking("reader").json(f"{base}/works/{work}")
    assert shown["decisions"]["title"]["reason"] == "both read it again"
    assert await screened_records(asking("owner"), base) == before + 1


async def test_the_owner_makes_a_team_and_two_screen_by_pages_alone(team: Team, people: As) -> None:
    """From the first vote to the resolved conflict, by forms without any script."""
    with Database(team.filled.path) as db:
        cat = accounts.create(db, "cat", role="user", origin="header", subject="cat")
        members.add(db, team.review, cat, "screener")
    page = f"/projects/{team.review.uid}/screening"
    owner = people("owner")
    begun = await owner.form(page, [
        ("do", "begin"), ("stage", "title"), ("needed", "2"), ("blind", "yes"),
        ("screener", team.uids["screener"]), ("screener", cat.uid),
    ])  # fmt: skip
    assert begun.status == 303
    for name, letter in (("screener", "relevant"), ("cat", "excluded")):
        shown = await people(name).page(page)
        buttons = shown.xpath("//ol//button[@name='mark']/@value")
        (mark,) = [value for value in buttons if value.startswith(letter)]
        voted = await people(name).form(page, {"stage": "title", "mark": mark, "reason": "rats"})
        assert voted.status == 303, await voted.text()
    uid = mark.partition(":")[2]
    assert not (await people("cat").page(page)).xpath("//button[@name='resolve']")
    shown = await owner.page(page)
    assert "rats" in shown.text_content()
    assert f"relevant:{uid}" in shown.xpath("//button[@name='resolve']/@value")
    done = await owner.form(page, {"stage": "title", "resolve": f"relevant:{uid}", "reason": "ok"})
    assert done.status == 303
    assert not (await owner.page(page)).xpath("//*[@id='conflicts']")


async def test_the_works_page_lists_ones_own_votes(screened: Team, asking: As) -> None:
    """As a choice for screeners alone; filters and exports keep it."""
    person, page = asking("screener"), f"/projects/{screened.review.uid}/works"
    await vote(person, screened, undecided(screened)[0], "excluded", "rats")
    shown = await person.page(f"{page}?mine=yes&verdict=excluded")
    assert shown.xpath("//li/@data-work") == [undecided(screened)[0]]
    assert "rats" in shown.text_content()
    assert len(shown.xpath("//form//input[@name='mine'][@value='yes']")) == 2
    assert "/works?" in shown.xpath("//a[text()='The project']/@href")[0]
    pressed = shown.xpath("//button[@name='mark'][@aria-pressed='true']/@value")
    assert pressed == [f"excluded:{undecided(screened)[0]}"]
    assert not (await asking("owner").page(page)).xpath("//a[text()='My votes']")
    assert "rats" not in (await asking("owner").page(f"{page}?mine=yes")).text_content()
