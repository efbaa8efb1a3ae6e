"""Two people screen by keys alone, differ, and the owner resolves: as they would in browsers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from metasearch.review.projects import members, projects
from metasearch.review.runs.imports import import_file
from metasearch.review.screening import teams
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies
from metasearch.review.users import accounts
from metasearch.review.works import decisions, lists
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.works import rows_by_name
from metasearch.server.app import open_server
from tests.browser.waiting import until
from tests.review.browser.test_workspace import sends
from tests.review.security.team import HEADER, Team, team

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def made(tmp_path: Path) -> Team:
    """A review with members; one more of them may screen."""
    made = team(tmp_path / "workspace.sqlite3")
    with Database(made.filled.path) as db:
        cat = accounts.create(db, "cat", role="user", origin="header", subject="cat")
        members.add(made.review.at(db), cat, "screener")
    return made


@pytest_asyncio.fixture(loop_scope="session")
async def project(made: Team) -> AsyncIterator[str]:
    """The address of the project."""
    async with open_server(made.settings(), demo=True) as address:
        yield f"{address.rstrip('/')}/projects/{made.review.uid}"


async def presses(page: Any, key: str) -> None:
    """Presses a key that decides, and waits until it is kept."""
    await page.keyboard.press(key)
    await until(page, "Object.keys(sessionStorage).length", 0)


def current() -> str:
    return "document.querySelector('li[data-work].is-current')?.dataset.work"


@pytest.mark.parametrize(
    "look",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"viewport": {"width": 360, "height": 800}, "locale": "zh-CN"},
    ],
    ids=["light", "dark", "narrow"],
)
async def test_axe_finds_nothing(window, made: Team, project: str, look: dict[str, Any]) -> None:
    """Of the owner with a conflict and the team, and of a screener with a work to vote on."""
    accessibility = pytest.importorskip("tests.review.browser.test_accessibility")
    ann, bob = made.uids["screener"], made.uids["editor"]
    with Database(made.filled.path) as db:
        teams.begin(made.review.at(db), "title", [ann, bob])
        for by, verdicts in ((ann, ("relevant", "excluded")), (bob, ("relevant", "relevant"))):
            for uid, verdict in zip(made.filled.uids[3:], verdicts, strict=False):
                decisions.mark(made.review.at(db, by), [uid], verdict)  # type: ignore[arg-type]
    for name in ("owner", "screener"):
        page = await window(
            f"{project}/screening?agreement=yes", extra_http_headers={HEADER: name}, **look
        )
        assert await page.locator("#agreement ~ table").count() == 1
        await page.evaluate(accessibility.axe.AXE_SCRIPT)
        assert await page.evaluate(accessibility.FIND, accessibility.TAGS) == []
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide


async def test_reasons_of_the_project_are_keys(window, made: Team, project: str) -> None:
    """The owner agrees on them with the team; the next work is there at once, and E needs none."""
    with Database(made.filled.path) as db:
        by = [made.uids[name] for name in ("owner", "editor")]
        teams.begin(made.review.at(db), "title", by)
    page = await window(f"{project}/screening", extra_http_headers={HEADER: "owner"})
    await page.locator("#lists > summary").click()
    await page.fill("#list-reasons", "Not about gambling\nNo harm measured")
    await page.fill("#list-words", "harms")
    await sends(page, "#lists button")
    await page.goto(f"{project}/screening")
    top = await page.evaluate("document.querySelector('li[data-work]').getBoundingClientRect().top")
    assert top < 200
    works = []
    for key in ("2", "e", "9"):
        works.append(await page.evaluate(current()))
        await presses(page, key)
    assert works[2] == await page.evaluate(current())  # the list has no ninth reason
    await page.locator("[data-why='1']").click()
    await until(page, "Object.keys(sessionStorage).length", 0)
    with Database(made.filled.path) as db:
        kept = decisions.decisions_of(
            db, rows_by_name(db, made.review.id, works).values(), "title", made.uids["owner"]
        )
    assert {uid: value and value[:2] for uid, value in kept.values()} == {
        works[0]: ["excluded", "No harm measured"],
        works[1]: ["excluded", ""],
        works[2]: ["excluded", "Not about gambling"],
    }


async def test_words_are_highlighted_until_somebody_switches_it_off(
    window, made: Team, project: str
) -> None:
    """On the list of works; the choice stays in this browser."""
    with Database(made.filled.path) as db:
        title = lists.page(made.review.at(db), WorksQuery()).works[0].title
        word = max(title.split(), key=len)
        projects.answer(made.review.at(db), {"screening.words": word})
    page = await window(f"{project}/works", extra_http_headers={HEADER: "owner"})
    mark = page.locator("li[data-work] h3 mark", has_text=word).first
    drawn = "element => getComputedStyle(element).backgroundImage !== 'none'"
    assert await mark.evaluate(drawn)
    await page.locator("[data-do=marks]").click()
    assert not await mark.evaluate(drawn)
    await page.reload()
    assert not await mark.evaluate(drawn)


TWINS = "".join(
    f"TY  - JOUR\nTI  - Lakes and the reeds on their shores {title}\nAU  - {author}\nPY  - {year}\n"
    f"DO  - 10.5555/{title}.{year}\nER  - \n\n"
    for title in ("north", "south")
    for author, year in (("Li, A", 1990), ("Virtanen, B", 2020))
).encode()


async def test_possible_duplicates_are_judged_by_keys(window, made: Team, project: str) -> None:
    """Two side by side: one pair is joined, the other kept apart, and none is left."""
    with Database(made.filled.path) as db:
        review = made.review.at(db)
        strategy = strategies.create(review, "twins")
        import_file(review, strategy, TWINS, "1.ris", source="hand", searched="2026-05-03")
        before = lists.count(review, WorksQuery())
    accessibility = pytest.importorskip("tests.review.browser.test_accessibility")
    for look in ({}, {"viewport": {"width": 360, "height": 800}, "locale": "zh-CN"}):
        page = await window(
            f"{project}/works/duplicates", extra_http_headers={HEADER: "owner"}, **look
        )
        assert await page.locator(".pair > article").count() == 2
        await page.evaluate(accessibility.axe.AXE_SCRIPT)
        assert await page.evaluate(accessibility.FIND, accessibility.TAGS) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for key in ("s", "d"):
        async with page.expect_event("load"):
            await page.keyboard.press(key)
    assert await page.locator(".pair").count() == 0
    with Database(made.filled.path) as db:
        assert lists.count(made.review.at(db), WorksQuery()) == before - 1


async def test_two_screen_by_keys_and_the_owner_resolves(window, project: str) -> None:
    """One work follows another; what they differ on is undecided until it is resolved."""
    people = {
        name: await window(f"{project}/screening", extra_http_headers={HEADER: name})
        for name in ("owner", "screener", "cat")
    }
    owner, first, second = people.values()
    for name in ("screener", "cat"):
        await owner.get_by_label(name, exact=True).check()
    await sends(owner, "#team button.primary")
    assert "0 decided" not in await owner.locator("#progress ~ p").first.inner_text()

    works: list[str] = []
    for key in ("i", "e"):
        await first.goto(f"{project}/screening") if not works else None
        works.append(await first.evaluate(current()))
        await presses(first, key)
    assert len(set(works)) == 2
    await second.goto(f"{project}/screening")
    seen = [await second.evaluate(current())]
    assert seen[0] == works[0]  # nothing says that another has voted on it
    await presses(second, "i")
    seen.append(await second.evaluate(current()))
    await presses(second, "e")
    await presses(second, "u")
    assert await second.evaluate(current()) == seen[1]
    await presses(second, "i")
    assert seen == works

    await owner.goto(f"{project}/screening")
    assert await owner.locator("article[aria-labelledby^=c-]").count() == 1
    await owner.fill(f"#r-{works[1]}", "no humans in it")
    await sends(owner, f"button[name=resolve][value='excluded:{works[1]}']")
    await until(owner, "document.querySelector('#conflicts')", None)
    await owner.goto(f"{project}/works?verdict=excluded")
    assert "no humans in it" in await owner.locator(f"#w-{works[1]}").inner_text()
    await owner.goto(f"{project}/reports/prisma-flow")
    assert "independently" in await owner.content()
