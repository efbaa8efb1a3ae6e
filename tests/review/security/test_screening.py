"""Two screeners of a server, blind: what each is told by pages, the interface and files."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import pytest

from metasearch.review.projects import log, members
from metasearch.review.screening import conflicts, teams
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, own_data
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As, Serving

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
        review = team.review.at(db, team.uids["owner"])
        teams.begin(review, "title", [team.uids["screener"], team.uids["editor"]])
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
        whole = await asking("owner").get(address, "*/*")
        assert (whole.status, (await whole.read())[:2]) == (200, b"PK"), address


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
        members.add(team.review.at(db), cat, "screener")
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


# --------------------------------------------------------------------------- attacks


async def change(person: Person, team: Team, status: int = 200, **values: Any) -> Any:
    """Change the team of titles by the interface; the owner may."""
    path = f"/api/projects/{team.review.uid}/screening"
    return await person.json(path, status, stage="title", do="change", **values)


@pytest.fixture
def owned(team: Team) -> Team:
    """The team, with the owner and the screener as screeners of titles."""
    with Database(team.filled.path) as db:
        review = team.review.at(db, team.uids["owner"])
        teams.begin(review, "title", [team.uids["screener"], team.uids["owner"]])
    return team


async def test_an_owner_who_screens_lowers_no_number_to_read_votes(
    owned: Team, serve_team: Serving
) -> None:
    """Neither by a change, nor by an end and a new beginning; all that they are told stays."""
    asking = await serve_team()
    owner, screener = asking("owner"), asking("screener")
    await vote(owner, owned, undecided(owned)[0], "relevant")
    before = await everything(owner, owned)
    await vote(screener, owned, undecided(owned)[1], "excluded", "secret reason")
    refused = await change(owner, owned, 400, needed=1)
    assert "secret" not in str(refused)
    assert await everything(owner, owned) == before
    path = f"/api/projects/{owned.review.uid}/screening"
    await owner.json(path, 200, stage="title", do="end")
    begin = {
        "stage": "title", "do": "begin", "needed": 1, "blind": True,
        "screeners": [owned.uids["screener"], owned.uids["owner"]],
    }  # fmt: skip
    await owner.json(path, 400, **begin)
    assert "secret reason" not in str(await everything(owner, owned))
    await owner.json(path, 200, **begin | {"needed": 2})
    for uid, person in ((undecided(owned)[1], owner), (undecided(owned)[0], screener)):
        await vote(person, owned, uid, "relevant")
    await change(owner, owned, needed=1)  # nothing waits any more


async def test_a_number_of_votes_that_is_raised_makes_no_vote_independent(
    owned: Team, serve_team: Serving
) -> None:
    """Votes that were seen stay open, and agreement leaves out those that are given then."""
    asking = await serve_team()
    owner, screener = asking("owner"), asking("screener")
    work = undecided(owned)[0]
    await vote(owner, owned, work, "relevant")
    await vote(screener, owned, work, "excluded", "seen by all")
    await change(owner, owned, add=[owned.uids["editor"]], needed=3)
    assert any("seen by all" in text for text in (await everything(owner, owned)).values())
    await vote(asking("editor"), owned, work, "excluded", "seen by all")
    shown = await owner.json(f"/api/projects/{owned.review.uid}/screening/agreement")
    (stage,) = shown["stages"]
    assert (stage["works"], stage["independent"], len(stage["pairs"])) == (1, 1, 1)
    names = {pair[side]["name"] for pair in stage["pairs"] for side in ("first", "second")}
    assert names == {"owner", "screener"}


async def test_a_vote_that_is_taken_back_and_given_again_is_not_independent(
    owned: Team, serve_team: Serving
) -> None:
    """Nor is that of who voted first when another one had seen both."""
    asking = await serve_team()
    owner, screener = asking("owner"), asking("screener")
    work = undecided(owned)[0]
    await change(owner, owned, add=[owned.uids["editor"]])
    await vote(owner, owned, work, "relevant")
    await vote(screener, owned, work, "excluded", "rats")
    path = f"/api/projects/{owned.review.uid}/decisions"
    await screener.json(path, 200, works=[work], verdict="undecided")
    await vote(asking("editor"), owned, work, "relevant")
    with Database(owned.filled.path) as db:
        found = conflicts.agreement(owned.review.at(db))["title"]
    assert (found.works, found.independent, found.pairs) == (1, 0, ())


async def test_a_stage_that_is_not_blind_has_no_independent_second_vote(
    owned: Team, serve_team: Serving
) -> None:
    """Kappa is of votes that nobody has read before."""
    asking = await serve_team()
    await change(asking("owner"), owned, blind=False)
    for name in ("owner", "screener"):
        await vote(asking(name), owned, undecided(owned)[0], "relevant")
    with Database(owned.filled.path) as db:
        found = conflicts.agreement(owned.review.at(db))["title"]
    assert (found.works, found.independent, found.agreed) == (1, 0, 0)


async def test_an_owner_who_screens_takes_no_vote_out(owned: Team, serve_team: Serving) -> None:
    """Not as an archive, not as own data, not after leaving the team and coming back."""
    asking = await serve_team()
    owner, screener, uid = asking("owner"), asking("screener"), owned.review.uid
    first, second = undecided(owned)[:2]
    await vote(owner, owned, second, "relevant")
    await vote(screener, owned, first, "excluded", "secret reason")
    for address in (f"/projects/{uid}/archive", f"/api/projects/{uid}/archive"):
        assert (await owner.get(address, "*/*")).status == 400
    await owner.json(f"/api/projects/{uid}/pins", 200, verdict="same", first=first, second=second)
    for kind in ("csv", "ndjson", "ris", "asreview", "rayyan", "xlsx"):
        response = await owner.get(f"/api/projects/{uid}/exports?format={kind}", "*/*")
        assert b"secret reason" not in await response.read()
    with Database(owned.filled.path) as db:
        file = io.BytesIO()
        own_data.export(db, accounts.find(db, owned.uids["owner"]), file)
    assert b"join and divide works" in file.getvalue()
    assert b"secret reason" not in file.getvalue()


async def test_who_has_had_an_archive_with_votes_does_not_screen_blind(
    screened: Team, asking: As
) -> None:
    """An owner who does not screen may have it, and cannot begin to screen afterwards."""
    owner, uid = asking("owner"), screened.review.uid
    assert (await owner.get(f"/api/projects/{uid}/archive", "*/*")).status == 200
    with Database(screened.filled.path) as db:
        db.run("DELETE FROM audit")  # of a second ago, and so of this one
    await vote(asking("screener"), screened, undecided(screened)[0], "relevant")
    await change(owner, screened, add=[screened.uids["owner"]])
    await change(owner, screened, remove=[screened.uids["owner"]])
    assert (await owner.get(f"/api/projects/{uid}/archive", "*/*")).status == 200
    refused = await change(owner, screened, 400, add=[screened.uids["owner"]])
    assert "has had an archive" in refused["detail"]


async def test_an_archive_holds_votes_that_were_taken_back(screened: Team, asking: As) -> None:
    """The log has them: a screener gets no archive, though no vote waits."""
    uid, work = screened.review.uid, undecided(screened)[0]
    await vote(asking("screener"), screened, work, "excluded", "secret reason")
    path = f"/api/projects/{uid}/decisions"
    await asking("screener").json(path, 200, works=[work], verdict="undecided")
    assert (await asking("editor").get(f"/api/projects/{uid}/archive", "*/*")).status == 400


async def test_numbers_of_changes_count_no_votes_of_others(
    screened: Team, asking: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are those of moments: how many votes were given in between, they do not tell."""
    moments = iter(range(2_000_000_000_000, 3_000_000_000_000, 1_000))
    monkeypatch.setattr(log.time, "time_ns", lambda: next(moments) * 1_000_000)
    path = f"/api/projects/{screened.review.uid}/decisions"
    one, other, *_ = undecided(screened)
    given: dict[str, Any] = {"works": [one], "verdict": "relevant"}
    first = (await asking("editor").json(path, 200, **given))["change"]
    for verdict in ("relevant", "close", "excluded"):
        await vote(asking("screener"), screened, other, verdict)
    last = (await asking("editor").json(path, 200, **given | {"verdict": "close"}))["change"]
    # Each moment of this clock is a second after the one before; without the votes between them,
    # the two would be as many moments apart.
    assert (first, last) == (2_000_000_000_000, 2_000_000_004_000)


async def test_an_undo_of_a_decision_tells_a_screener_nothing_of_votes(
    screened: Team, asking: As
) -> None:
    """Whether somebody has voted on the work: the answer is the same."""
    uid, (one, other, *_) = screened.review.uid, undecided(screened)
    changes = []
    for work in (one, other):
        for verdict in ("relevant", "undecided"):
            made = await asking("owner").json(
                f"/api/projects/{uid}/decisions", 200, works=[work], verdict=verdict
            )
        changes.append(made["change"])
    await vote(asking("screener"), screened, one, "relevant")
    answers = []
    for change_ in changes:
        answer = await asking("editor").post(f"/api/projects/{uid}/undo", change=change_)
        answers.append((answer.status, (await answer.json())["detail"]))
    assert answers[0] == answers[1]
    assert answers[0][0] == 400


@pytest.mark.parametrize("page", ["works", "log", "screening"])
async def test_a_screener_undoes_their_vote_on_each_page(
    page: str, screened: Team, asking: As
) -> None:
    """The number of a change is a moment, and forms take it."""
    base = f"projects/{screened.review.uid}"
    made = await asking("screener").json(
        f"/api/{base}/decisions", 200, works=[undecided(screened)[0]], verdict="relevant"
    )
    fields = [("do", "undo"), ("stage", "title"), ("change", str(made["change"]))]
    answer = await asking("screener").form(f"/{base}/{page}", fields)
    assert (len(str(made["change"])), answer.status) == (13, 303), await answer.text()
    with Database(screened.filled.path) as db:
        own = "SELECT count(*) FROM decision WHERE by = ?"
        assert db.value(own, screened.uids["screener"]) == 0
