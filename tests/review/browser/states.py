"""The pages of the server, state by state: what the tests of accessibility and layout look at."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urljoin

from aiohttp.test_utils import TestServer

from metasearch.bib.work_ids import hit_id
from metasearch.demo import EXAMPLE_QUERIES
from metasearch.record import Hit, Version
from metasearch.review.users import accounts, links, source_switches
from metasearch.server.app import make_app, open_server
from metasearch.server.site import SHARED
from metasearch.settings import Settings
from tests.browser.conftest import DESKTOP, WATCH
from tests.review.pages.filled import TEXT, UNSUBSCRIBE, filled
from tests.review.users.server.served import PASSWORD, Served, serving
from tests.server.fake import FakeEngine, answer, hit, late, report, so_far

LONG = "Mice were counted twice, before and after the drive was released on the island. " * 12


def _works() -> list[Hit]:
    """A list with every trait that a work can have."""
    plain = hit(1, abstract=LONG, citations=1204, open_access="gold")
    versions = (
        Version("preprint", (plain.records[0].key,)),
        Version("published", (plain.records[1].key,)),
    )
    wide = "https://example.org/" + "a-long-segment-of-an-address/" * 6
    listed = [
        replace(plain, versions=versions),
        hit(2, title="Retracted: mice that never were", doi="10.5555/two", retracted=True),
        hit(
            3,
            title="乳腺癌的早期诊断",
            venue="中华医学杂志",
            language="zh",
            doi=None,
            type="thesis",
        ),
        hit(4, title="Deoxyribonucleic" * 12, doi="10.5555/four", url=wide, year=1999),
        *(
            hit(number, title=f"Mice, part {number}", doi=f"10.5555/{number}")
            for number in range(5, 14)
        ),
    ]
    return [replace(work, id=hit_id(work.id)) for work in listed]


@asynccontextmanager
async def servers() -> AsyncIterator[Mapping[str, str]]:
    """Addresses, without a slash at the end: of the demo, and of servers whose engines answer from
    a script."""
    works = _works()
    notes = ("years were filtered here",)
    running = FakeEngine(so_far(*works[:3]))
    running.snapshots = [(3600.0, answer())]  # one database does not answer
    engines = {
        "full": FakeEngine(answer(*works, reports=[report("alpha", notes=notes), late("beta")])),
        "running": running,
        "none": FakeEngine(answer()),
        "failed": FakeEngine(answer(reports=[late("alpha"), late("beta")])),
    }
    async with AsyncExitStack() as stack:
        addresses = {}
        for name, engine in engines.items():
            app = make_app(lambda engine=engine: engine, examples=EXAMPLE_QUERIES)  # type: ignore[misc]
            server = TestServer(app)
            await server.start_server()
            stack.push_async_callback(server.close)
            addresses[name] = str(server.make_url("/")).rstrip("/")
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        workspace = filled(Path(folder) / "workspace.sqlite3")
        app = make_app(lambda: FakeEngine(answer(), settings=workspace.settings))  # type: ignore[arg-type,return-value]
        server = TestServer(app)
        await server.start_server()
        stack.push_async_callback(server.close)
        addresses["workspace"] = str(server.make_url("/")).rstrip("/")
        served = await stack.enter_async_context(serving(_made(Path(folder) / "users")))
        _fill(served)
        specs = cast("Any", served.app[SHARED].engine).registry.specs
        specs["gamma"] = replace(specs["gamma"], enabled=False, terms=LONG)
        addresses["users"] = served.base.rstrip("/")
        demo = await stack.enter_async_context(open_server(Settings(), demo=True))
        yield addresses | {"demo": demo.rstrip("/")}


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _fill(served: Served) -> None:
    """An administrator, a user with tokens, an invitation, a switched source, and a project."""
    served.user("root", "administrator", shown="Root")
    served.user("ann", shown="Ann Example", email="ann@example.org")
    served.token("ann", "search", "read")
    served.project("review", ann="owner")
    with served.database() as db:
        links.create(db, "account", role="user")
        source_switches.set_switch(db, "beta", False)
        uid = accounts.find(db, "ann").uid
        db.run("UPDATE user SET uid = ? WHERE uid = ?", _UID, uid)


async def _log_in(page: Any, server: str, name: str) -> None:
    await page.goto(f"{server}/login")
    await page.fill("#name", name)
    await page.fill("#password", PASSWORD)
    async with page.expect_event("load"):
        await page.locator("main form button").first.click()


async def _make_token(page: Any) -> None:
    await page.locator("#new-token > summary").click()
    await page.fill("#token-name", "Koha")
    async with page.expect_event("load"):
        await page.locator("#new-token form button").click()


async def _switch_on(page: Any) -> None:
    """Of a database that is off by itself."""
    async with page.expect_event("load"):
        await page.locator("#s-gamma button[name=on]").click()


async def _as_it_comes(_: Any) -> None:
    """Nothing is done to the page."""


async def _open_why(page: Any) -> None:
    await page.locator("details.why > summary").first.click()
    await page.locator("#databases > summary").click()


async def _to_work(page: Any) -> None:
    await page.locator("#hits h3 a").first.click()
    await page.wait_for_selector(".work")
    for fold in await page.locator("main details > summary").all():
        await fold.click()


async def _to_retracted_work(page: Any) -> None:
    await page.locator(".is-retracted h3 a").click()
    await page.wait_for_selector(".work")


async def _fill_basket(page: Any) -> None:
    for box in (await page.locator("#hits input[name=id]").all())[:3]:
        await box.check()
    async with page.expect_event("load"):
        await page.locator("button[value=add]").click()
    await page.goto(urljoin(page.url, "/basket"))


async def _open_folds(page: Any) -> None:
    folds = "document.querySelectorAll('main details').forEach(fold => fold.open = true)"
    await page.evaluate(folds)


async def _to_saved_search(page: Any) -> None:
    await page.locator("main table th a").first.click()
    await page.wait_for_selector("#feed")
    await _open_folds(page)


@dataclass(frozen=True)
class State:
    """One page in one state.

    Attributes:
        server: Key of `servers`.
        path: Its address on that server.
        then: What is done to the page before it is looked at.
        user: Who is logged in; "" for nobody.
    """

    server: str
    path: str
    then: Callable[[Any], Awaitable[None]] = _as_it_comes
    user: str = ""


_LIST = "/search?q=mice&count=5"
#: Of the user ann.
_UID = "aaaabbbbcccc"
STATES: Mapping[str, State] = {
    "start": State("demo", "/"),
    "running": State("running", _LIST),
    "finished": State("full", _LIST),
    "filters": State("full", f"{_LIST}&filter=type:article,year:2018-2022"),
    "why": State("full", _LIST, _open_why),
    "none": State("none", _LIST),
    "all-failed": State("failed", _LIST),
    "query-error": State("full", "/search?q=title%3A(mice+AND"),
    "work": State("full", _LIST, _to_work),
    "retracted": State("full", _LIST, _to_retracted_work),
    "basket": State("full", _LIST, _fill_basket),
    "empty-basket": State("full", "/basket"),
    "rows": State("demo", "/advanced?q=title%3Dmice+AND+year%3E2010&do=plan"),
    "expert": State("demo", "/advanced?tab=expert&q=title%3D(mice+AND&do=plan"),
    "sources": State("demo", "/sources?format=html", _open_folds),
    "settings": State("demo", "/settings", _open_folds),
    "settings-folded": State("demo", "/settings"),
    "help": State("demo", "/help?q=title%3Dmice"),
    "docs": State("full", "/docs"),
    "not-found": State("full", "/nowhere"),
    "projects": State("workspace", "/projects"),
    "project": State("workspace", "/projects/review", _open_folds),
    "project-strategies": State("workspace", "/projects/review/strategies"),
    "project-strategy": State(
        "workspace",
        f"/projects/review/strategies/{quote(TEXT)}?asked=2&known=1&edit=1&to=ovid",
        _open_folds,
    ),
    "project-works": State("workspace", "/projects/review/works", _open_folds),
    "project-filtered": State("workspace", "/projects/review/works?verdict=undecided&from=2000"),
    "project-reports": State("workspace", "/projects/review/reports"),
    "project-flow": State("workspace", "/projects/review/reports/prisma-flow", _open_folds),
    "project-prisma-s": State("workspace", "/projects/review/reports/prisma-s", _open_folds),
    "project-chaxin": State("workspace", "/projects/novelty/reports/chaxin", _open_folds),
    "project-log": State("workspace", "/projects/review/log"),
    "login": State("users", "/login"),
    "account": State("users", "/account", _open_folds, "ann"),
    "account-token": State("users", "/account", _make_token, "ann"),
    "admin-users": State("users", "/admin/users", user="root"),
    "admin-user": State("users", f"/admin/users/{_UID}", _open_folds, "root"),
    "admin-projects": State("users", "/admin/projects", user="root"),
    "admin-sources": State("users", "/admin/sources", user="root"),
    "admin-confirm": State("users", "/admin/sources", _switch_on, "root"),
    "admin-audit": State("users", "/admin/audit", user="root"),
    "saved": State("workspace", f"/saved?q={quote(TEXT)}&year=2010-"),
    "saved-search": State("workspace", "/saved", _to_saved_search),
    "unsubscribe": State("workspace", f"/unsubscribe/{UNSUBSCRIBE}"),
}
#: Options of `new_context`: each colour, each language and each width is in one of them. English is
#: in the narrow one, because its words are longer.
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "wide": {"locale": "zh-CN"},
    "narrow": {
        "color_scheme": "dark",
        "viewport": {"width": 320, "height": 640},
        "is_mobile": True,
        "has_touch": True,
    },
}


@dataclass
class Shown:
    """A page in a window of its own, and what went wrong on it.

    Attributes:
        page: The page of playwright.
        server: Address of its server.
        faults: Messages of the console, scripts that failed, what the policy refused, and
            requests to other hosts.
    """

    page: Any
    server: str
    faults: list[str]


@asynccontextmanager
async def shown(
    browser: Any, addresses: Mapping[str, str], name: str, **options: Any
) -> AsyncIterator[Shown]:
    """Opens a state; `options` are those of `new_context`. At the end nothing went wrong."""
    state = STATES[name]
    server = addresses[state.server]
    context = await browser.new_context(
        **({"viewport": DESKTOP, "reduced_motion": "reduce"} | options)
    )
    context.set_default_timeout(60_000)
    faults: list[str] = []
    try:
        if options.get("java_script_enabled", True):
            await context.add_init_script(WATCH)
        page = await context.new_page()
        page.on("console", lambda message: _keep_errors(message, faults))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: _keep_foreign(request.url, server, faults))
        if state.user:
            await _log_in(page, server, state.user)
        await page.goto(server + state.path)
        await state.then(page)
        yield Shown(page, server, faults)
        if options.get("java_script_enabled", True):
            faults += await page.evaluate("window.watched.violations")
        assert faults == []
    finally:
        await context.close()


def _keep_errors(message: Any, faults: list[str]) -> None:
    """A page that is an error is reported to the console, too: that is no fault of the page."""
    if message.type in ("error", "warning") and "status of" not in message.text:
        faults.append(message.text)


def _keep_foreign(url: str, server: str, faults: list[str]) -> None:
    if not url.startswith((f"{server}/", "data:")):
        faults.append(f"asked {url}")
