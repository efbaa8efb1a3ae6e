"""One user takes all that a user can of archives, runs, streams, exports and uploads; another one
still gets through.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientResponse

from metasearch.review import service as workspace_service
from metasearch.review.api import send_file
from metasearch.review.projects import members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import runs
from metasearch.review.service import WORKSPACE
from metasearch.review.store.database import Database
from metasearch.review.strategies import strategies
from metasearch.review.users import accounts
from metasearch.review.works import api
from tests.review.pages.filled import TEXT
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As, Serving

IMPORT = '{"name": "a.ris", "source": "CNKI", "searched": "2026-05-03", "text": "'
ZIP = {"Content-Type": "application/zip"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def going_on() -> AsyncIterator[Callable[[Awaitable[Any]], None]]:
    """Begins requests that do not end by themselves."""
    tasks: list[asyncio.Future[Any]] = []
    yield lambda request: tasks.append(asyncio.ensure_future(request))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def slowly(beginning: bytes) -> AsyncIterator[bytes]:
    """A body that never comes to its end."""
    yield beginning
    await asyncio.Event().wait()


def send(person: Person, path: str, body: Any, head: dict[str, str]) -> Awaitable[ClientResponse]:
    """A POST of a body."""
    return person.client.post(
        path, data=body, headers=person.headers | {"Accept": "application/json"} | head
    )


async def taken(person: Person, kind: str, count: int) -> None:
    """Waits until so many permits are taken."""
    service = person.client.app[WORKSPACE]  # type: ignore[union-attr]
    shares = service.jobs._shares if kind == "runs" else getattr(service, kind)
    async with asyncio.timeout(60):
        while shares._of_user.total() < count:
            await asyncio.sleep(0.01)


async def refused(response: ClientResponse) -> None:
    """A 429 that says when to come again, and whose share is used up."""
    problem = await response.json(content_type=None)
    assert response.status == 429, problem
    assert problem["type"] == "urn:metasearch:problem:share"
    assert problem["title"] == "You have too much under way at once"
    assert int(response.headers["Retry-After"]) > 0


async def test_archives(people: As, team: Team, going_on: Callable[[Awaitable[Any]], None]) -> None:
    """A body that trickles takes one; the same user gets no other one, as a page or by the
    interface, and others do."""
    owner, other = people("owner"), people("editor")
    going_on(send(owner, "/api/projects/import", slowly(b"PK"), ZIP))
    await taken(owner, "archives", 1)

    await refused(await send(owner, "/api/projects/import", b"PK", ZIP))
    await refused(await owner.get(f"/projects/{team.review.uid}/archive"))
    assert (await other.get(f"/api/projects/{team.review.uid}/archive")).status == 200


async def test_the_refusal_is_told_in_the_language_of_the_reader(
    people: As, team: Team, going_on: Callable[[Awaitable[Any]], None]
) -> None:
    """A page says that the reader has too much under way, and not that searches run."""
    owner = people("owner")
    going_on(send(owner, "/api/projects/import", slowly(b"PK"), ZIP))
    await taken(owner, "archives", 1)
    address = f"/projects/{team.review.uid}/archive"

    titles = {"en": "You have too much under way", "zh-Hans": "您同时进行的事项过多"}
    for language, title in titles.items():
        response = await owner.client.get(
            address,
            headers=owner.headers | {"Accept": "text/html", "Accept-Language": language},
        )
        assert (response.status, response.headers["Retry-After"]) == (429, "30")
        assert title in await response.text()


async def test_uploads(people: As, team: Team, going_on: Callable[[Awaitable[Any]], None]) -> None:
    """Imports whose bodies trickle; another member of the project imports meanwhile."""
    owner, other = people("owner"), people("editor")
    path = f"/api/projects/{team.review.uid}/imports"
    most = workspace_service.MOST_UPLOADS // 2
    for _ in range(most):
        going_on(send(owner, path, slowly(IMPORT.encode()), JSON))
    await taken(owner, "uploads", most)

    await refused(await send(owner, path, b"{}", JSON))
    await refused(await send(owner, f"/api/projects/{team.review.uid}/known", b"{}", JSON))
    record = "TY  - JOUR\\nTI  - Soil\\nER  - \\n"
    brought = await send(other, path, f'{IMPORT}{record}"}}'.encode(), JSON)
    assert brought.status == 201, await brought.text()


@pytest.mark.parametrize("kind", ["json", "form", "archive"])
async def test_a_body_that_trickles_is_ended(serve_team: Serving, team: Team, kind: str) -> None:
    """408 where it comes more slowly than the least rate, after the time of grace; the permit is
    free again."""
    people = await serve_team(head_timeout=0.3)
    owner = people("owner")

    async def trickling(beginning: bytes) -> AsyncIterator[bytes]:
        yield beginning
        while True:
            await asyncio.sleep(0.02)
            yield b"a"

    token = (await owner.page("/settings")).xpath("//input[@name='token']/@value")[0]
    part = '--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n' + token
    part += '\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.ris"\r\n\r\n'
    works = f"/projects/{team.review.uid}/works"
    path, beginning, content_type = {
        "json": (f"/api/projects/{team.review.uid}/imports", IMPORT, "application/json"),
        "form": (works, part, "multipart/form-data; boundary=b"),
        "archive": ("/api/projects/import", "PK", "application/zip"),
    }[kind]

    response = await send(
        owner, path, trickling(beginning.encode()), {"Content-Type": content_type}
    )

    assert response.status == 408
    service = owner.client.app[WORKSPACE]  # type: ignore[union-attr]
    assert service.uploads._of_user.total() == service.archives._of_user.total() == 0


async def test_exports(
    people: As,
    team: Team,
    going_on: Callable[[Awaitable[Any]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files that are read slowly; another member takes one meanwhile."""
    owner, other = people("owner"), people("editor")
    path = f"/api/projects/{team.review.uid}/exports?format=ris"
    most = workspace_service.MOST_EXPORTS // 2
    sending = asyncio.Semaphore(0)

    async def never(*_: Any) -> Any:
        sending.release()
        await asyncio.Event().wait()

    monkeypatch.setattr(api, "send_file", never)
    for _ in range(most):
        going_on(owner.get(path))
    for _ in range(most):
        await sending.acquire()
    monkeypatch.setattr(api, "send_file", send_file)

    await refused(await owner.get(path))
    await refused(await owner.get(f"/projects/{team.review.uid}/works/export?format=csv"))
    assert (await other.get(path)).status == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("kind", ["exports", "archives"])
async def test_no_head_of_a_request_goes_without_a_permit(
    people: As, team: Team, kind: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as the type of a body that a GET does not have, or a HEAD, for which the file is made,
    too."""
    owner = people("owner")
    shares = getattr(owner.client.app[WORKSPACE], kind)  # type: ignore[union-attr]
    monkeypatch.setattr(shares, "each", 0)
    path = {"exports": "exports?format=ris", "archives": "archive"}[kind]

    response = await owner.client.request(
        method,
        f"/api/projects/{team.review.uid}/{path}",
        headers=owner.headers | {"Content-Type": "application/x-www-form-urlencoded"},
    )

    assert response.status == 429


async def test_streams(people: As, team: Team, going_on: Callable[[Awaitable[Any]], None]) -> None:
    """Of a run that is followed in many windows."""
    owner, other = people("owner"), people("reader")
    with Database(team.filled.path) as db:
        runs.begin(team.review.at(db), team.filled.strategy, "records")
    path = f"/projects/{team.review.uid}/strategies/{TEXT}/progress"
    most = workspace_service.MOST_USER_STREAMS
    for _ in range(most):
        going_on(owner.get(path))
    await taken(owner, "streams", most)

    await refused(await owner.get(path))
    followed = await other.get(path)
    assert followed.status == 200
    followed.close()


@pytest.fixture
def own(team: Team) -> Callable[[str, int], list[Project]]:
    """Makes projects of a user, each with a strategy; the reader screens in all of them."""

    def made(name: str, count: int) -> list[Project]:
        listed = []
        with Database(team.filled.path) as db:
            for number in range(count):
                project = projects.create(db, f"{name}-{number}", "review")
                members.add(project, accounts.find(db, name), "owner")
                if name != "editor":
                    members.add(project, accounts.find(db, "editor"), "editor")
                strategies.create(project, "main")
                listed.append(project)
        return listed

    return made


async def test_runs(
    people: As,
    own: Callable[[str, int], list[Project]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A user begins one in each of many projects; another member of them begins as many."""

    async def endless(
        workspace: Any, _: Any, project: Any, strategy: Any, *_options: Any, **given: Any
    ) -> None:
        given["begun"](await workspace.write(project.bind(runs.begin), strategy, "counts"))
        await asyncio.Event().wait()

    monkeypatch.setattr(workspace_service, "run_strategy", endless)
    owner, editor = people("owner"), people("editor")
    most = workspace_service.MOST_RUNS // 2
    theirs = own("owner", most + 1)
    for project in theirs[:most]:
        assert (await owner.post(f"/api/projects/{project.uid}/runs", mode="counts")).status == 202

    await refused(await owner.post(f"/api/projects/{theirs[most].uid}/runs", mode="counts"))
    begun = await editor.post(f"/api/projects/{theirs[most].uid}/runs", mode="counts")
    assert begun.status == 202
    for project in own("editor", most - 1):
        assert (await editor.post(f"/api/projects/{project.uid}/runs", mode="counts")).status == 202


async def test_a_server_that_is_full_says_so(
    people: As, team: Team, going_on: Callable[[Awaitable[Any]], None]
) -> None:
    """503 for who has taken nothing, where others have taken all: no share is exceeded."""
    for name in ("owner", "editor"):
        going_on(send(people(name), "/api/projects/import", slowly(b"PK"), ZIP))
    await taken(people("owner"), "archives", 2)

    response = await send(people("screener"), "/api/projects/import", b"PK", ZIP)

    problem = await response.json(content_type=None)
    assert (response.status, problem["title"]) == (503, "The server has no room for more now")
    assert problem["type"] == "urn:metasearch:problem:full"
    assert int(response.headers["Retry-After"]) > 0
