"""Decisions by keys, faster than the network: each is about the work that it was pressed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from metasearch.review.projects import log, members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs.imports import import_file
from metasearch.review.screening import teams
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies
from metasearch.review.users import accounts
from metasearch.review.works import decisions, lists
from metasearch.review.works.lists import WorksQuery
from metasearch.server.app import open_server
from tests.browser.test_figures import MOST_SHIFT
from tests.browser.waiting import until
from tests.review.browser.test_accessibility import FIND, TAGS, axe
from tests.review.security.team import HEADER, Team, team

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

KEYS, WORKS = 60, 75
#: Seconds from one key to the next: six a second.
PACE = 1 / 6
VERDICTS = {"i": "relevant", "e": "excluded", "m": "maybe"}
RIS = "".join(
    f"TY  - JOUR\nTI  - Lakes and reeds {number * 7919}\nAU  - Li, {chr(65 + number % 26)}\n"
    f"AB  - {'Reeds grow. ' * (number % 9)}\nPY  - {1940 + number}\nER  - \n\n"
    for number in range(WORKS)
).encode()
CURRENT = "document.querySelector('li[data-work].is-current')?.dataset.work ?? ''"
#: Nothing waits to be sent.
SENT = "Object.keys(sessionStorage).length"


@dataclass
class Screened:
    """A server with a project of many works."""

    made: Team
    project: Project
    address: str

    @property
    def path(self) -> Path:
        """Of the workspace."""
        return self.made.filled.path

    def decided(self, by: str = "") -> list[tuple[str, str]]:
        """(work, verdict) of all lines of the log, the oldest first."""
        with Database(self.path) as db:
            lines = log.lines(db, self.project.id, most=1_000)
        return [
            (uid, "" if kept is None else kept[0])
            for line in reversed(lines)
            if line.action == decisions.MARK and line.after["by"] == by
            for uid, kept in line.after["works"].items()
        ]

    def standing(self, by: str = "") -> dict[str, str]:
        """Work -> verdict."""
        with Database(self.path) as db:
            rows = db.all(
                "SELECT work.uid, decision.verdict FROM decision"
                " JOIN work ON work.id = decision.work"
                " WHERE work.project = ? AND decision.by = ?",
                self.project.id,
                by,
            )
        return dict(map(tuple, rows))


@pytest_asyncio.fixture(loop_scope="session")
async def screened(tmp_path: Path) -> AsyncIterator[Screened]:
    """The owner, an editor and a screener are members of the project."""
    made = team(tmp_path / "workspace.sqlite3")
    with Database(made.filled.path) as db:
        project = projects.create(db, "lakes", "review", "Lakes")
        strategy = strategies.create(project, "main")
        import_file(project, strategy, RIS, "1.ris", source="hand", searched="2026-05-03")
        assert len(lists.uids(project, WorksQuery())) == WORKS
        for name in ("owner", "editor", "screener"):
            role = "owner" if name == "owner" else "editor"
            members.add(project, accounts.find(db, name), role)  # type: ignore[arg-type]
    async with open_server(made.settings(), demo=True) as address:
        yield Screened(made, project, f"{address.rstrip('/')}/projects/{project.uid}")


def screens(screened: Screened, *names: str) -> None:
    """Lets a team screen the titles, blind."""
    with Database(screened.path) as db:
        uids = [screened.made.uids[name] for name in names]
        teams.begin(screened.project.at(db), "title", uids)


class Network:
    """What lies between a page and its server."""

    def __init__(self, devtools: Any, latency: int) -> None:
        self.devtools = devtools
        self.latency = latency

    @classmethod
    async def of(cls, page: Any, latency: int = 0) -> Network:
        """Emulates one for a page."""
        devtools = await page.context.new_cdp_session(page)
        await devtools.send("Network.enable")
        made = cls(devtools, latency)
        await made.cut(offline=False)
        return made

    async def cut(self, *, offline: bool = True) -> None:
        """Cuts the connection, or lets it return."""
        await self.devtools.send(
            "Network.emulateNetworkConditions",
            {
                "offline": offline,
                "latency": self.latency,
                "downloadThroughput": -1,
                "uploadThroughput": -1,
            },
        )


async def decides(
    page: Any, network: Network, cuts: tuple[int, int] | None = None
) -> list[tuple[str, str]]:
    """Presses keys at their pace; what was on the screen when each was pressed. The connection is
    cut from one key to another, where that is asked for; the page then says so."""
    pressed = []
    clock = asyncio.get_running_loop()
    begin = clock.time()
    for number in range(KEYS):
        await asyncio.sleep(max(0.0, begin + number * PACE - clock.time()))
        if cuts and number in cuts:
            await network.cut(offline=number == cuts[0])
        if cuts and number == cuts[1] - 1:
            assert "cannot be reached" in await page.inner_text("#unsent")
        key = "iem"[number % 3]
        work = await page.evaluate(CURRENT)
        await page.keyboard.press(key)
        pressed.append((work, VERDICTS[key]))
    await until(page, SENT, 0)
    assert not await page.locator("#unsent").is_visible()
    return pressed


CASES = [(0, None), (100, None), (400, None), (100, (15, 40))]
IDS = ["0 ms", "100 ms", "400 ms", "100 ms, offline for 25 keys"]


@pytest.mark.parametrize(
    ("query", "latency", "cuts"),
    [*(("", *case) for case in CASES), ("?verdict=undecided&sort=title", 100, None)],
    ids=[*IDS, "100 ms, works that leave the list"],
)
async def test_sixty_keys_on_the_list(window, screened: Screened, query, latency, cuts):
    """At six a second, over the end of the page: sixty works, in the order of the log."""
    with Database(screened.path) as db:
        sort: Any = "title" if query else "added"
        uids = lists.uids(screened.project.at(db), WorksQuery(sort=sort))
    page = await window(f"{screened.address}/works{query}", extra_http_headers={HEADER: "owner"})
    network = await Network.of(page, latency)
    await page.keyboard.press("j")
    await until(page, "document.querySelector('.is-current') !== null")

    pressed = await decides(page, network, cuts)

    assert [work for work, _ in pressed] == uids[:KEYS]
    assert screened.decided() == pressed
    assert screened.standing() == dict(pressed)
    shown = await page.evaluate(
        "[...document.querySelectorAll('li[data-work]')].slice(0, 60).map(item => [item.dataset"
        ".work, item.querySelector('[aria-pressed=true]').value.split(':')[0]])"
    )
    assert [tuple(one) for one in shown] == pressed
    assert sum(await page.evaluate("watched.shifts")) <= MOST_SHIFT


@pytest.mark.parametrize(("latency", "cuts"), CASES, ids=IDS)
async def test_sixty_keys_in_screening(window, screened: Screened, latency, cuts):
    """Where one work is shown after another, blind; nobody else's vote is touched."""
    screens(screened, "screener", "editor")
    page = await window(f"{screened.address}/screening", extra_http_headers={HEADER: "screener"})
    pressed = await decides(page, await Network.of(page, latency), cuts)

    uid = screened.made.uids["screener"]
    assert len({work for work, _ in pressed}) == KEYS
    assert screened.decided(uid) == pressed
    assert screened.standing(uid) == dict(pressed)
    assert screened.standing() == {}


# --------------------------------------------------------------------------- one key after another

ADDRESS = "**/works"


async def opened(window, screened: Screened, path: str = "/works", **options: Any) -> Any:
    """The list or the screening, of the owner, with the first work for the keys."""
    if path == "/screening":
        screens(screened, "owner", "editor")
    page = await window(
        f"{screened.address}{path}", extra_http_headers={HEADER: "owner"}, **options
    )
    if path == "/works":
        await page.keyboard.press("j")
    return page


async def presses(page: Any, keys: str) -> list[str]:
    """The works that the keys were pressed on."""
    works = []
    for key in keys:
        works.append(await page.evaluate(CURRENT))
        await page.keyboard.press(key)
    return works


async def test_the_four_keys_of_the_report(window, screened: Screened):
    """E I E I, at once, with 100 ms: four works, and not E E I and one undecided."""
    page = await opened(window, screened, "/screening")
    await Network.of(page, 100)
    works = await presses(page, "eiei")
    await until(page, SENT, 0)
    want = list(zip(works, ["excluded", "relevant"] * 2, strict=True))
    assert screened.decided(screened.made.uids["owner"]) == want


@pytest.mark.parametrize("path", ["/works", "/screening"])
async def test_a_key_is_taken_back_before_it_was_sent(window, screened: Screened, path):
    """I E U I: the second work, which one goes back to, is relevant; the log has all of it."""
    page = await opened(window, screened, path)
    await Network.of(page, 200)
    one, two, back, again = await presses(page, "ieui")
    assert back not in (one, two)
    assert again == two
    await until(page, SENT, 0)
    by = screened.made.uids["owner"] if path == "/screening" else ""
    assert screened.decided(by) == [
        (one, "relevant"), (two, "excluded"), (two, ""), (two, "relevant"),
    ]  # fmt: skip


async def test_a_key_that_is_held_decides_once(window, screened: Screened):
    """The keyboard repeats it; and Enter in a field decides nothing."""
    page = await opened(window, screened, "/screening")
    await page.focus("#reason")
    await page.keyboard.press("Enter")
    await page.evaluate("document.activeElement.blur()")
    for _ in range(5):
        await page.keyboard.down("e")
    await page.keyboard.up("e")
    await until(page, SENT, 0)
    assert len(screened.decided(screened.made.uids["owner"])) == 1


@pytest.mark.parametrize("path", ["/works", "/screening"])
async def test_an_answer_that_is_lost_is_asked_for_again(window, screened: Screened, path):
    """What the server has kept is not kept twice, and what follows is not lost."""
    page = await opened(window, screened, path)
    lost = 0

    async def loses(route: Any) -> None:
        nonlocal lost
        if route.request.method == "POST" and lost < 2:
            lost += 1
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await page.route(ADDRESS, loses)
    works = await presses(page, "iei")
    await until(page, SENT, 0)
    assert lost == 2
    by = screened.made.uids["owner"] if path == "/screening" else ""
    want = list(zip(works, ["relevant", "excluded", "relevant"], strict=True))
    assert screened.decided(by) == want


@pytest.mark.parametrize("path", ["/works", "/screening"])
async def test_a_reload_keeps_what_waits(window, screened: Screened, path):
    """It is sent then, and shown at once; the page warned before it was left."""
    page = await opened(window, screened, path)
    asked = []

    async def agrees(dialog: Any) -> None:
        asked.append(dialog.type)
        await dialog.accept()

    page.on("dialog", agrees)

    async def refuses(route: Any) -> None:
        await (route.abort() if route.request.method == "POST" else route.continue_())

    await page.route(ADDRESS, refuses)
    works = await presses(page, "iei")
    await page.locator("#unsent").wait_for()
    await page.reload()
    assert asked == ["beforeunload"]
    assert screened.standing() == {}
    if path == "/works":
        pressed = f"document.querySelector('#w-{works[1]} [aria-pressed=true]').value"
        assert await page.evaluate(pressed) == f"excluded:{works[1]}"
    else:
        assert await page.evaluate(CURRENT) not in works
    await page.unroute(ADDRESS)
    await until(page, SENT, 0)
    by = screened.made.uids["owner"] if path == "/screening" else ""
    assert [work for work, _ in screened.decided(by)] == works


async def test_what_waits_is_never_sent_for_somebody_else(window, screened: Screened):
    """Who logs in next in this window has none of it, and a page that was left open keeps it."""
    page = await opened(window, screened)
    await page.context.set_extra_http_headers({HEADER: "editor"})
    await page.keyboard.press("i")
    await page.locator("#unsent").wait_for()
    assert "log in again" in await page.inner_text("#unsent")
    assert screened.decided() == []
    page.on("dialog", lambda dialog: dialog.accept())
    await page.reload()
    await until(page, SENT, 0)
    assert screened.decided() == []


LOOKS: list[dict[str, Any]] = [
    {},
    {"color_scheme": "dark"},
    {"viewport": {"width": 360, "height": 740}, "locale": "zh-CN"},
]


@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark", "narrow, Chinese"])
@pytest.mark.parametrize("path", ["/works", "/screening"])
async def test_a_clash_is_told_and_nothing_is_overwritten(window, screened: Screened, path, look):
    """At its work, with what stands now; whoever then decides again has seen it."""
    page = await opened(window, screened, path, **look)
    work = await page.evaluate(CURRENT)
    owner = screened.made.uids["owner"]
    by = owner if path == "/screening" else ""
    with Database(screened.path) as db:  # in another window, or by another member
        decisions.mark(screened.project.at(db, owner), [work], "excluded", reason="no lake")

    await presses(page, "i")
    await page.locator("#unsent li").wait_for()

    assert screened.standing(by) == {work: "excluded"}
    assert "no lake" in await page.inner_text("#unsent")
    assert await page.inner_text("#mark-status") != ""
    await page.evaluate(axe.AXE_SCRIPT)
    assert await page.evaluate(FIND, TAGS) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if path == "/works":
        assert "no lake" in await page.inner_text(f"#w-{work} .unkept")
        pressed = await page.get_attribute(f"#w-{work} [aria-pressed=true]", "value")
        assert pressed == f"excluded:{work}"
        await page.keyboard.press("k")
    else:
        await page.click("#unsent a")
        await until(page, CURRENT, work)
    await presses(page, "i")
    await until(page, SENT, 0)
    assert screened.standing(by) == {work: "relevant"}


async def test_buttons_are_as_keys(window, screened: Screened):
    """They wait for nothing, and other forms of the page wait for them."""
    page = await opened(window, screened)
    await Network.of(page, 200)
    works = await page.evaluate(
        "[...document.querySelectorAll('li[data-work]')].map(item => item.dataset.work)"
    )
    for work in works[:3]:
        await page.click(f"button[value='maybe:{work}']")
    await page.check(f"#w-{works[3]} input[name=id]")
    await page.fill("#tags", "later")
    async with page.expect_event("load"):
        await page.click("button[value=tag]")
    assert screened.decided() == [(work, "maybe") for work in works[:3]]
    assert await page.locator(".tag").count() == 1


async def test_works_that_others_have_finished_are_passed_over(window, screened: Screened):
    """Of those that were fetched before; the one on the screen stays, and its vote is refused."""
    with Database(screened.path) as db:
        both = [screened.made.uids[name] for name in ("owner", "editor")]
        teams.begin(screened.project.at(db), "title", both, needed=1)
        uids = lists.uids(screened.project.at(db), WorksQuery())
    page = await window(f"{screened.address}/screening", extra_http_headers={HEADER: "owner"})
    with Database(screened.path) as db:
        decisions.mark(screened.project.at(db, screened.made.uids["editor"]), uids[1:3], "excluded")
    assert await presses(page, "i") == uids[:1]
    await until(page, "document.querySelector('[data-fresh]').innerText.startsWith('1 work')")
    assert await presses(page, "i") == uids[1:2]
    await page.locator("#unsent li").wait_for()
    assert "all the votes" in await page.inner_text("#unsent")
    assert await page.evaluate(CURRENT) == uids[3]
    assert screened.standing(both[0]) == {uids[0]: "relevant"}
