"""What one user's heavy work costs another: search, login, page and tag beside imports, archives
and exports, against the same on the same server while nothing else goes on.

Both users come by real sockets to one process of the server; `tasks.py bench users` measures it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from benchmarks.beating import FILE, Beating, beating
from benchmarks.generated import Library
from benchmarks.held import MIB
from benchmarks.workspace import Made, made, say
from metasearch import formats
from metasearch.record import Author, Hit, Record
from metasearch.review.projects import members, projects
from metasearch.review.projects.archive_format import export_to
from metasearch.review.store.database import Database
from metasearch.review.store.values import uid
from metasearch.review.strategies import steps, strategies
from metasearch.review.users import accounts, sessions
from metasearch.review.users.passwords import Passwords

#: Goal: seconds that anything of another user may take more.
MORE = 1.0
#: Records that are really made, and added; the others are copies of their rows.
MADE, LIBRARY, IMPORTED = 5_000, 30_000, 30_000
#: Rounds of the neighbour on a quiet server; seconds between two; bytes that are sent at once.
QUIET, PAUSE, PART = 8, 0.1, 1 << 18
PASSWORD = "correct horse battery staple"
LOGINS = 50
#: Table -> what a copy of its rows has otherwise; ":d": the distance, ":n": number of the copy.
COPIED: Mapping[str, Mapping[str, str]] = {
    "record": {"id": "id + :d", "key": "key || '-' || :n", "superseded": "superseded + :d"},
    "finding": {"record": "record + :d"},
    "work": {"id": "id + :d", "uid": "uid()", "component": "component + :d"},
    "work_body": {"work": "work + :d"},
    "work_record": {"record": "record + :d", "work": "work + :d"},
    "work_source": {"work": "work + :d"},
    "alias": {"name": "name || '-' || :n", "work": "work + :d"},
}


def multiplied(path: Path, most: int) -> None:
    """Copy the rows of the only project of a workspace until it has so many records."""
    with closing(sqlite3.connect(path)) as db:
        db.create_function("uid", 0, uid)
        there, distance = db.execute("SELECT count(*), max(id) FROM record").fetchone()
        works = db.execute("SELECT max(id) FROM work").fetchone()[0]
        for number in range(1, -(-most // there)):
            shift = {"n": number, "d": number * max(distance, works)}
            for table, changed in COPIED.items():
                names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                values = ", ".join(changed.get(name, f'"{name}"') for name in names)
                last = works if table in ("work", "work_body", "alias", "work_source") else distance
                key = "record" if "record" in names else "id" if "id" in names else "work"
                db.execute(
                    f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {key} <= {last}", shift
                )
        db.execute("INSERT INTO work_words (work_words) VALUES ('rebuild')")
        db.commit()


@dataclass(frozen=True, slots=True)
class Files:
    """What is prepared: the workspace, and what the heavy user brings."""

    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / FILE

    def archive(self, size: int) -> Path:
        """An archive of so many MiB, unpacked."""
        path = self.folder / f"archive-{size}.zip"
        if not path.exists():
            copy = self.folder / "multiplied.sqlite3"
            shutil.copy(self.folder / "base.sqlite3", copy)
            with Database(copy) as db:
                base = self.folder / "base.zip"
                export_to(projects.find(db, "library"), base, replace=True)
            with zipfile.ZipFile(base) as whole:
                each = sum(info.file_size for info in whole.infolist())
            multiplied(copy, MADE * -(-size * MIB // each))
            with Database(copy) as db:
                export_to(projects.find(db, "library"), path)
            copy.unlink()
        return path

    def records(self, name: str, records: Callable[[], Iterator[Record]]) -> Path:
        """The body of an import of records."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            hits = [Hit(f"{number}", record, (), {}) for number, record in enumerate(records())]
            text = formats.get("ris").write(hits).decode()
            fields = {"name": f"{name}.ris", "text": text, "source": "CNKI"}
            path.write_text(json.dumps({**fields, "searched": "2026-05-03"}))
        return path


def prepared(folder: Path) -> Files:
    """Make the workspace: the library of the heavy user, and a project of the neighbour."""
    base = folder / "base.sqlite3"
    if not base.exists():
        with Database(base) as db:
            made(db, MADE)
            for column in ("strategy SET created", "step SET edited", "run SET started"):
                db.run(f"UPDATE {column} = '2026-05-03'")
    files = Files(folder)
    if not files.workspace.exists():
        copy = folder / "library.sqlite3"
        shutil.copy(base, copy)
        multiplied(copy, LIBRARY)
        copy.rename(files.workspace)
        with Database(files.workspace) as db:
            library = projects.find(db, "library")
            small = projects.create(db, "small", "review")
            steps.add(db, strategies.create(small, "main"), "lakes")
            Made(db, small).add(record for _, record in Library(3).records(300))
            kept = Passwords().hash(PASSWORD)
            for name, project in (("heavy", library), ("neighbour", small)):
                user = accounts.create(db, name)
                members.add(project, user, "owner")
                quotas = '{"searches": 1000000, "exports": 1000000, "stored_records": 10000000}'
                db.run("UPDATE user SET quotas = ? WHERE id = ?", quotas, user.id)
            for number in range(LOGINS):
                accounts.create(db, f"login{number}", password=kept)
    return files


def large() -> Iterator[Record]:
    """Records of 30,000 works of another library."""
    for _, record in Library(2).records(IMPORTED):
        yield Record(
            source="file",
            source_id=record.source_id,
            title=record.title,
            authors=record.authors,
            year=record.year,
            venue=record.venue,
            doi=record.doi,
            abstract=(record.abstract or "")[:400],
        )


def of_many_authors() -> Iterator[Record]:
    for number in range(60):
        authors = tuple(Author(f"Wang, A{number}x{each}") for each in range(20_000))
        yield Record(source="file", title=f"The collision {number}", authors=authors, year=2020)


def of_one_title() -> Iterator[Record]:
    for number in range(8_000):
        author = Author(f"Smith{number}, John")
        yield Record(source="file", title="Water quality of shallow lakes", authors=(author,))


# ------------------------------------------------------------------ the two users


@dataclass(slots=True)
class Neighbour:
    """Somebody who searches, logs in, looks at a page and tags, again and again."""

    session: aiohttp.ClientSession
    base: str
    project: str
    work: str
    number: int = 0
    took: dict[str, list[float]] = field(default_factory=dict)

    async def round(self) -> None:
        """Each thing once."""
        self.number += 1
        for name in ("search", "login", "page", "tag"):
            began = time.perf_counter()
            await getattr(self, f"_{name}")()
            self.took.setdefault(name, []).append(time.perf_counter() - began)
            await asyncio.sleep(PAUSE)

    async def _search(self) -> None:
        asked = {"q": f"lakes OR water{self.number}", "sources": "demo-pubmed"}
        async with self.session.get("/search", params={**asked, "format": "json"}) as response:
            assert response.status == 200, await response.text()
            await response.read()

    async def _login(self) -> None:
        async with aiohttp.ClientSession(
            self.base, cookie_jar=aiohttp.CookieJar(unsafe=True)
        ) as session:
            async with session.get("/login", headers={"Accept": "text/html"}) as response:
                token = (await response.text()).partition('name="token" value="')[2][:200]
            fields = {
                "token": token.partition('"')[0],
                "name": f"login{self.number % LOGINS}",
                "password": PASSWORD,
                "next": "/projects",
            }
            async with session.post(
                "/login", data=fields, headers={"Accept": "text/html"}, allow_redirects=False
            ) as response:
                assert response.status == 303, await response.text()

    async def _page(self) -> None:
        path = f"/projects/{self.project}/works"
        async with self.session.get(path, headers={"Accept": "text/html"}) as response:
            assert response.status == 200, await response.text()
            await response.read()

    async def _tag(self) -> None:
        asked = {"works": [self.work], "add": [f"tag{self.number % 40}"]}
        if self.number % 80 >= 40:
            asked["remove"] = asked.pop("add")
        path = f"/api/projects/{self.project}/tags"
        async with self.session.post(path, json=asked) as response:
            assert response.status == 200, await response.text()


@dataclass(frozen=True, slots=True)
class Heavy:
    """Somebody who does much at once."""

    session: aiohttp.ClientSession
    library: str

    async def posts(self, path: str, file: Path, type_: str) -> None:
        """Send a file."""

        async def parts() -> AsyncIterator[bytes]:
            with file.open("rb") as content:
                while part := content.read(PART):
                    yield part

        headers = {"Content-Type": type_, "Content-Length": str(file.stat().st_size)}
        async with self.session.post(path, data=parts(), headers=headers) as response:
            assert response.status == 201, await response.text()

    async def imports(self, file: Path) -> None:
        """Import a file into a project of its own."""
        async with self.session.post("/api/projects", json={"name": file.stem}) as response:
            project = (await response.json())["uid"]
        path = f"/api/projects/{project}/strategies"
        async with self.session.post(path, json={"name": "main"}) as response:
            assert response.status == 201, await response.text()
        await self.posts(f"/api/projects/{project}/imports", file, "application/json")

    async def deletes(self, project: str) -> None:
        """Delete a project."""
        path, asked = f"/api/projects/{project}/delete", {"name": "library"}
        async with self.session.post(path, json=asked) as response:
            assert response.status == 200, await response.text()

    async def takes(self, path: str) -> None:
        """Take a file, and let it fall."""
        async with self.session.get(path) as response:
            assert response.status == 200, await response.text()
            async for _ in response.content.iter_chunked(PART):
                pass


def heavy_works(files: Files, size: int) -> dict[str, Callable[[Heavy], Awaitable[object]]]:
    """Name -> what the heavy user does."""

    def archive(heavy: Heavy) -> Awaitable[object]:
        return heavy.posts("/api/projects/import", files.archive(size), "application/zip")

    def brought(name: str, records: Callable[[], Iterator[Record]]) -> Any:
        file = files.records(name, records)
        return lambda heavy: heavy.imports(file)

    def taken(path: str) -> Any:
        return lambda heavy: heavy.takes(path.format(project=f"/projects/{heavy.library}"))

    files.archive(size)
    return {
        "xlsx": taken("/api{project}/exports?format=xlsx"),
        "xlsx-page": taken("{project}/works/export?format=xlsx"),
        "ris": taken("/api{project}/exports?format=ris"),
        "archived": taken("/api{project}/archive"),
        "archive": archive,
        "delete": lambda heavy: heavy.deletes(heavy.library),
        "records": brought("records", large),
        "authors": brought("authors", of_many_authors),
        "titles": brought("titles", of_one_title),
    }


@asynccontextmanager
async def of_user(base: str, secret: str) -> AsyncIterator[aiohttp.ClientSession]:
    jar = aiohttp.CookieJar(unsafe=True)
    jar.update_cookies({"metasearch-session": secret}, URL(base))
    timeout = aiohttp.ClientTimeout(total=1_200)
    async with aiohttp.ClientSession(base, cookie_jar=jar, timeout=timeout) as session:
        yield session


async def beside(
    server: Beating, there: Mapping[str, str], work: Callable[[Heavy], Awaitable[object]]
) -> tuple[float, Neighbour, dict[str, list[float]]]:
    """Seconds of the work, the neighbour beside it, and what took how long before."""
    async with (
        of_user(server.base, there["heavy"]) as one,
        of_user(server.base, there["neighbour"]) as two,
    ):
        neighbour = Neighbour(two, server.base, there["small"], there["work"])
        for _ in range(2):
            await neighbour.round()
        neighbour.took.clear()
        for _ in range(QUIET):
            await neighbour.round()
        quiet, neighbour.took = neighbour.took, {}
        server.late()
        began = time.perf_counter()
        heavy = asyncio.ensure_future(work(Heavy(one, there["library"])))
        while not heavy.done():
            await neighbour.round()
        await heavy
        return time.perf_counter() - began, neighbour, quiet


def measured(files: Files, name: str, work: Callable[[Heavy], Awaitable[object]]) -> bool:
    """Print what one work costs the neighbour; returns whether the goal is met."""
    with tempfile.TemporaryDirectory(dir=files.folder) as folder:
        path = Path(folder) / FILE
        shutil.copy(files.workspace, path)
        with Database(path) as db:
            small, library = projects.find(db, "small"), projects.find(db, "library")
            found = accounts.by_name(db, "neighbour"), accounts.by_name(db, "heavy")
            assert found[0] is not None
            assert found[1] is not None
            one = db.value("SELECT uid FROM work WHERE project = ?", small.id)
            there = {
                "neighbour": sessions.begin(db, found[0]),
                "heavy": sessions.begin(db, found[1]),
                "small": small.uid,
                "library": library.uid,
                "work": one,
            }
        with beating(Path(folder)) as server:
            seconds, neighbour, quiet = asyncio.run(beside(server, there, work))
            late = server.late()
    met = True
    say(f"beside {name}", f"{seconds:8.1f} s; the loop at most {late.worst:.0f} ms late")
    for what, took in neighbour.took.items():
        before, worst = max(quiet[what]), max(took)
        fine = worst <= before + MORE
        aim = f"(quiet {before:.3f}, goal {before + MORE:.3f}{'' if fine else ', NOT MET'})"
        say(f"  {what}, worst of {len(took)}", f"{worst:8.3f} s {aim}")
        met &= fine
    return met


def all_measured(folder: Path, size: int, only: list[str] | None = None) -> bool:
    """Measure all works, or those named."""
    files = prepared(folder)
    works = heavy_works(files, size)
    results = [measured(files, name, works[name]) for name in only or works]
    return all(results)
