"""No user makes others wait: while somebody's file or archive comes, a project goes or an export is
written, the others read, search and write."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.review import service
from metasearch.review.projects.archive_format import export_to
from metasearch.review.projects.projects import Project
from metasearch.review.projects.removal import remove_hidden
from metasearch.review.store import database
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import MOST_LONG, MOST_USER_LONG
from metasearch.review.works import api, intake, records
from tests.review.security.team import HEADER, Person, Team
from tests.review.security.team_fixtures import As


class Barrier:
    """Holds a thread until a test lets it go on."""

    def __init__(self) -> None:
        self.there, self.go_on = threading.Event(), threading.Event()

    def wait(self, *_: object) -> None:
        self.there.set()
        assert self.go_on.wait(60)

    async def reached(self) -> None:
        assert await asyncio.to_thread(self.there.wait, 60)


@pytest.fixture
def barrier() -> Iterator[Barrier]:
    barrier = Barrier()
    yield barrier
    barrier.go_on.set()


@pytest.fixture
def archive(team: Team, tmp_path: Path) -> bytes:
    """Of the project of the team."""
    with Database(team.filled.path) as db:
        export_to(team.review.at(db), tmp_path / "review.zip")
    return (tmp_path / "review.zip").read_bytes()


async def everything_goes_on(person: Person, team: Team) -> None:
    """Whether somebody else reads a page, tags a work, makes a project and searches."""
    base = f"/api/projects/{team.review.uid}"
    (work, *_) = (await person.json(f"{base}/works"))["works"]
    await person.json(f"{base}/tags", works=[work["uid"]], add=["beside"])
    await person.json("/api/projects", 201, name="beside", kind="plain")
    await person.page(f"/projects/{team.review.uid}/works")
    assert (await person.get("/search?q=lakes&format=json")).status == 200


async def test_an_archive_that_comes_holds_up_nobody(
    team: Team,
    people: As,
    archive: bytes,
    barrier: Barrier,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between two of its portions others do what they like; nothing shows the project before its
    last transaction, which makes who brought it its owner, too."""
    monkeypatch.setattr(database, "let_others", barrier.wait)
    stranger, editor = people("stranger"), people("editor")
    coming = asyncio.ensure_future(
        stranger.client.post(
            "/api/projects/import?name=mine",
            data=archive,
            headers={HEADER: "stranger", "Content-Type": "application/zip"},
        )
    )
    await barrier.reached()

    await everything_goes_on(editor, team)
    assert (await stranger.json("/api/projects"))["projects"] == []
    assert (await stranger.get("/api/projects/mine")).status == 404
    listed = await people("administrator").json("/api/admin/projects")
    assert "mine" not in str(listed)

    barrier.go_on.set()
    assert (await coming).status == 201
    mine = await stranger.json("/api/projects")
    assert [project["name"] for project in mine["projects"]] == ["mine"]
    with Database(team.filled.path) as db:
        assert [problem for problem in check(db) if problem.harmful] == []


#: Files that were seen to hold up everybody: many records, very many authors, equal titles.
HEAVY = {
    "many": [{"TI": f"Water of lake {number}", "PY": "2020"} for number in range(120)],
    "authors": [
        {"TI": f"Collision {number}", "AU": "\nAU  - ".join(f"Doe, J{n}" for n in range(2_000))}
        for number in range(3)
    ],
    "equal": [{"TI": "Editorial", "PY": str(1900 + number)} for number in range(120)],
}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["keep", "divided", "assign"])
@pytest.mark.parametrize("kind", HEAVY)
async def test_a_file_that_is_imported_holds_up_nobody(
    team: Team,
    people: As,
    barrier: Barrier,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    place: str,
) -> None:
    """Others go on between two portions of records, while works are computed, and between two
    portions of works; all records are there at the end."""
    if place == "divided":
        whole = intake.divide

        def computed(*args: Any, **how: Any) -> Iterator[Any]:
            barrier.wait()
            return whole(*args, **how)

        monkeypatch.setattr(intake, "divide", computed)
    else:
        module = {"keep": records, "assign": intake}[place]
        wrote, write = threading.Event(), getattr(module, place)

        def written(*args: Any, **how: Any) -> Any:
            wrote.set()
            return write(*args, **how)

        monkeypatch.setattr(module, place, written)
        monkeypatch.setattr(
            database, "let_others", lambda _: barrier.wait() if wrote.is_set() else None
        )
    monkeypatch.setattr(database, "FIRST", 1)
    monkeypatch.setattr(database, "MOST", 1)
    owner, base = people("owner"), f"/api/projects/{team.review.uid}"
    text = "".join(
        "TY  - JOUR\n"
        + "".join(f"{tag}  - {value}\n" for tag, value in record.items())
        + "ER  - \n"
        for record in HEAVY[kind]
    )
    coming = asyncio.ensure_future(
        owner.json(
            f"{base}/imports",
            201,
            name="hand.ris",
            text=text,
            source="CNKI",
            searched="2026-05-03",
        )
    )
    await barrier.reached()

    await everything_goes_on(people("editor"), team)
    assert not coming.done()
    barrier.go_on.set()
    made = await coming
    assert made["answer"]["fetched"] == len(HEAVY[kind])
    with Database(team.filled.path) as db:
        assert [problem for problem in check(db) if problem.harmful] == []
        assert db.value("SELECT count(*) FROM entering") == 0


async def test_a_project_that_goes_holds_up_nobody(
    team: Team, people: As, barrier: Barrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone from the first moment, while its rows go one after the other."""
    monkeypatch.setattr(database, "let_others", barrier.wait)
    owner, editor = people("owner"), people("editor")
    made = await owner.json("/api/projects", 201, name="old", kind="plain")
    going = asyncio.ensure_future(owner.post(f"/api/projects/{made['uid']}/delete", name="old"))
    await barrier.reached()

    await everything_goes_on(editor, team)
    assert (await owner.get(f"/api/projects/{made['uid']}")).status == 404

    barrier.go_on.set()
    assert (await going).status == 200
    with Database(team.filled.path) as db:
        assert remove_hidden(db) == 0


@pytest.mark.parametrize("path", ["/api{project}/exports?format=ris", "{project}/works/export"])
async def test_an_export_holds_up_nobody(
    team: Team, people: As, barrier: Barrier, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """While one is written, lists are read and works are tagged."""
    whole: Callable[..., Iterator[bytes]] = api.export

    def slow(*args: object, **how: object) -> Iterator[bytes]:
        barrier.wait()
        return whole(*args, **how)

    monkeypatch.setattr(api, "export", slow)
    address = path.format(project=f"/projects/{team.review.uid}")
    taking = asyncio.ensure_future(people("reader").get(address, "*/*"))
    await barrier.reached()

    await everything_goes_on(people("editor"), team)

    barrier.go_on.set()
    response = await taking
    assert response.status == 200
    assert b"beside" not in await response.read()


async def test_what_one_user_has_written_leaves_threads_to_others(
    team: Team, people: As, barrier: Barrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many exports of one user as there are threads are written at once; another user's export,
    and an import, which are asked for after them, do not wait for one of them."""
    whole: Callable[..., Iterator[bytes]] = api.export
    waiting = threading.Semaphore(0)

    def slow(project: Project, chosen: object, name: str, **how: object) -> object:
        if name == "csv":
            waiting.release()
            barrier.wait()
        return whole(project, chosen, name, **how)

    monkeypatch.setattr(api, "export", slow)
    base = f"/api/projects/{team.review.uid}"
    owner, editor = people("owner"), people("editor")
    taking = [
        asyncio.ensure_future(owner.get(f"{base}/exports?format=csv", "*/*"))
        for _ in range(MOST_LONG)
    ]
    for _ in range(MOST_USER_LONG):
        assert await asyncio.to_thread(waiting.acquire, timeout=60)

    async with asyncio.timeout(60):
        assert (await editor.get(f"{base}/exports?format=ris", "*/*")).status == 200
        record = "TY  - JOUR\nTI  - Beside\nER  - \n"
        about = {"name": "a.ris", "source": "CNKI", "searched": "2026-05-03", "text": record}
        assert (await editor.post(f"{base}/imports", **about)).status == 201

    barrier.go_on.set()
    assert [response.status for response in await asyncio.gather(*taking)] == [200] * MOST_LONG


async def test_the_works_of_a_project_are_made_anew_by_one_request(
    team: Team, people: As, barrier: Barrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its rules have changed, several of its members change something: the works are made
    once, and an export of somebody else finds a thread."""
    made: list[bool] = []

    def make(*_: object) -> None:
        barrier.wait()
        made.append(True)

    monkeypatch.setattr(service, "are_made", lambda *_: bool(made))
    monkeypatch.setattr(service, "make_works", make)
    fields = {"all": "tag", "tags": "a", "id": team.filled.uids[0]}
    changing = [
        asyncio.ensure_future(people(name).form(f"/projects/{team.review.uid}/works", fields))
        for name in ("owner", "editor", "screener") * 2
    ]
    await barrier.reached()

    async with asyncio.timeout(60):
        path = f"/api/projects/{team.review.uid}/exports?format=ris"
        assert (await people("reader").get(path, "*/*")).status == 200

    barrier.go_on.set()
    assert {response.status for response in await asyncio.gather(*changing)} == {303}
    assert len(made) == 1
