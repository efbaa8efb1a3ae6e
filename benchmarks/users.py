"""Many users at once: 50 on one project, who edit and screen while its counts are followed, and 20
who log in at the same moment.

    python3 tasks.py bench users [--users 50] [--seconds 60] [--think 5] [--logins 20]
                                 [--neighbours-only] [--archive 300] [--folder FOLDER] [--only WORK]

Half of the users screen: each decides on works of their own, and writes into notes that all write
into. The other half edit the same few steps. What they write is added to what stands there, with
the version that they were shown; where somebody was faster, they add to what stands now. One more
begins runs of counts, and some follow them. Between two clicks each user thinks for `--think`
seconds, half as long at least and one and a half times as long at most. The server is one process.

Then one user does what is heavy, and a neighbour searches, logs in, looks at a page and tags:
benchmarks/neighbours.py. `--archive` is the size in MiB of the archive, unpacked; the goals hold
for 1500, too. With `--folder` its files are made there once.

Exits 1 where anything that was saved is not there at the end, or a goal is not met.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from yarl import URL

from benchmarks import neighbours
from benchmarks.beating import FILE, Beating, beating
from benchmarks.held import MIB
from benchmarks.latency import percentile
from benchmarks.processes import cpu_of_all, watched
from benchmarks.workspace import made, say, told
from metasearch.review.projects import members
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.users import accounts, sessions
from metasearch.review.users.passwords import Passwords
from metasearch.review.users.permissions_and_quotas import ProjectRole
from metasearch.review.works import lists, works
from metasearch.review.works.lists import WorksQuery

#: Goals: p95 of pages in seconds, growth of memory in bytes, p99 of delays in milliseconds.
PAGE, GROWTH, LATE = 0.3, 160 * MIB, 25.0
RECORDS, STEPS, SHARED, FOLLOWERS = 1_000, 5, 5, 4
STRATEGY, PASSWORD = "shared", "correct horse battery staple"
HTML = {"Accept": "text/html"}
_TOKEN = re.compile(r'name="token" value="([0-9a-f]+)"')
#: Names of edits: user and number.
_MARK = re.compile(r"\bu\d+x\d+\b")


@dataclass(slots=True)
class Seen:
    """What the users saw.

    Attributes:
        pages: Seconds of each page.
        saved: Place -> what was said to be saved there.
        decided: Works on which a decision was said to be kept.
        conflicts: How often somebody else had been faster.
        odd: What else was answered.
        counted: Pieces of the counts that followers were sent.
    """

    pages: list[float] = field(default_factory=list)
    saved: dict[str, list[str]] = field(default_factory=dict)
    decided: list[str] = field(default_factory=list)
    conflicts: int = 0
    odd: Counter[str] = field(default_factory=Counter)
    counted: int = 0


@dataclass(slots=True)
class Person:
    """A user with a browser."""

    name: str
    session: aiohttp.ClientSession
    base: str
    seen: Seen
    think: float
    until: float
    number: int = 0

    async def thinks(self) -> bool:
        """Whether there is time for another click, after a while."""
        await asyncio.sleep(random.uniform(self.think / 2, self.think * 1.5))
        return time.monotonic() < self.until

    async def page(self, path: str) -> str:
        """A page."""
        began = time.perf_counter()
        async with self.session.get(path, headers=HTML) as response:
            text = await response.text()
        self.seen.pages.append(time.perf_counter() - began)
        if response.status != 200:
            self.seen.odd[f"{response.status} of a page"] += 1
        return text

    async def sends(self, path: str, page: str, fields: dict[str, str]) -> tuple[int, str]:
        """Status of the answer to a form, and its page; the page that it leads to is shown."""
        token = _TOKEN.search(page)
        sent = {"token": token[1] if token else "", **fields}
        async with self.session.post(
            path, data=sent, headers=HTML, allow_redirects=False
        ) as response:
            text = await response.text()
            if response.status == 303:
                await self.page(response.headers["Location"].partition("#")[0])
            elif response.status != 409:
                self.seen.odd[f"{response.status} of a form"] += 1
            return response.status, text

    async def adds(self, place: str, path: str, form: str, field_: str, **more: str) -> None:
        """Add a word to a text that others add to, too.

        Args:
            place: Whose text.
            path: That the form is sent to.
            form: The page with the form.
            field_: Name of the text in the form; its version is beside it.
            more: Further fields.
        """
        self.number += 1
        word = f"{self.name}x{self.number}"
        version = "version" + field_.removeprefix("note")
        while value_of(form, version):  # a page that was refused has no form
            fields = more | {
                version: value_of(form, version),
                field_: f"{value_of(form, field_)} {word}".strip(),
            }
            status, form = await self.sends(path, form, fields)
            if status == 303:
                self.seen.saved.setdefault(place, []).append(word)
            if status != 409:
                return
            self.seen.conflicts += 1
            form = await self.page(more.get("back") or f"{path}?edit={more['number']}")


def value_of(page: str, name: str) -> str:
    """The value of a field of a page."""
    found = re.search(rf'name="{re.escape(name)}" value="([^"]*)"', page[_form_at(page, name) :])
    return html.unescape(found[1]) if found else ""


def _form_at(page: str, name: str) -> int:
    """Where the form begins that is meant: that of the step, or the list of works."""
    return max(
        0, page.find('id="edit"') if name in ("note", "version") else page.find('id="marks"')
    )


async def screens(person: Person, own: list[str], shared: list[str]) -> None:
    """Decide on works, and write notes on those of all."""
    path = f"{person.base}/works"
    while await person.thinks() and own:
        uid = own.pop()
        page = await person.page(f"{path}?q=&start=20")
        status, _ = await person.sends(
            path, page, {"mark": f"relevant:{uid}", "stage": "title", "back": f"{path}?start=20"}
        )
        if status == 303:
            person.seen.decided.append(uid)
        if random.random() < 0.4 and await person.thinks():
            work = random.choice(shared)
            page = await person.page(path)
            await person.adds(
                f"work {work}", path, page, f"note-{work}", save=work, back=path, stage="title"
            )


async def edits(person: Person) -> None:
    """Change steps that others change, too."""
    path = f"{person.base}/strategies/{STRATEGY}"
    while await person.thinks():
        number = str(random.randint(1, STEPS))
        page = await person.page(f"{path}?edit={number}")
        text = re.search(r'<textarea id="edit-text"[^>]*>\n([^<]*)<', page)
        await person.adds(
            f"step {number}",
            path,
            page,
            "note",
            do="edit",
            number=number,
            text=html.unescape(text[1]) if text else "",
            syntax="auto",
        )


async def counts(person: Person) -> None:
    """Begin runs of counts, again and again."""
    path = f"{person.base}/strategies/{STRATEGY}"
    while await person.thinks():
        page = await person.page(path)
        if "Stop the run" not in page or ('id="run" data-progress' in page and " hidden>" in page):
            await person.sends(path, page, {"do": "count", "steps": "1"})


async def follows(person: Person) -> None:
    """Follow the counts as they come."""
    path = f"{person.base}/strategies/{STRATEGY}/progress"
    while await person.thinks():
        async with person.session.get(path, headers=HTML) as response:
            if response.status != 200:
                person.seen.odd[f"{response.status} of counts"] += 1
                continue
            async for line in response.content:
                person.seen.counted += line.startswith(b"event:")
                if time.monotonic() > person.until:
                    break


@dataclass(frozen=True, slots=True)
class Prepared:
    """The project, and the sessions of its users."""

    project: Project
    secrets: list[str]
    uids: list[str]


def prepare(folder: Path, users: int, logins: int) -> Prepared:
    """Make the project and the users."""
    with Database(folder / FILE) as db:
        project = made(db, RECORDS).project
        strategy = strategies.create(project, STRATEGY, sources=["demo-pubmed", "demo-crossref"])
        for number in range(1, STEPS + 1):
            steps.add(db, strategy, f"lakes OR water{number}")
        kept = Passwords().hash(PASSWORD)
        for number in range(logins):
            accounts.create(db, f"login{number}", password=kept)
        secrets = []
        for number in range(users + FOLLOWERS + 1):
            user = accounts.create(db, f"u{number}")
            role: ProjectRole = "screener" if number % 2 and number < users else "editor"
            members.add(project, user, role)
            secrets.append(sessions.begin(db, user))
        return Prepared(project, secrets, lists.uids(project, WorksQuery()))


async def at_work(
    server: Beating, there: Prepared, users: int, seconds: float, think: float
) -> Seen:
    """All users at work for a while."""
    seen = Seen()
    until = time.monotonic() + seconds
    base = f"/projects/{there.project.uid}"
    shared, rest = there.uids[:SHARED], there.uids[20:]
    people: list[Person] = []
    for number, secret in enumerate(there.secrets):
        jar = aiohttp.CookieJar(unsafe=True)
        session = aiohttp.ClientSession(server.base, cookie_jar=jar)
        jar.update_cookies({"metasearch-session": secret}, URL(server.base))
        people.append(Person(f"u{number}", session, base, seen, think, until))
    jobs = []
    for number, person in enumerate(people):
        if number >= users + FOLLOWERS:
            jobs.append(counts(person))
        elif number >= users:
            jobs.append(follows(person))
        elif number % 2:
            jobs.append(screens(person, rest[number::users], shared))
        else:
            jobs.append(edits(person))
    try:
        await asyncio.gather(*jobs)
    finally:
        for person in people:
            await person.session.close()
    return seen


def lost(folder: Path, there: Prepared, seen: Seen) -> list[str]:
    """What was said to be saved and is not there, or not once."""
    with Database(folder / FILE) as db:
        strategy = strategies.find(there.project.at(db), STRATEGY)
        stands = {f"step {step.number}": step.note for step in steps.of(db, strategy)}
        for uid in there.uids[:SHARED]:
            stands[f"work {uid}"] = works.find(there.project.at(db), uid).note
        decided = set(lists.uids(there.project.at(db), WorksQuery(verdict="relevant")))
    wrong = [f"decision on {uid}" for uid in seen.decided if uid not in decided]
    for place, saved in seen.saved.items():
        there_now = Counter(_MARK.findall(stands[place]))
        wrong += [f"{word} in {place}" for word in saved if there_now[word] != 1]
    return wrong


async def log_in(base: str, names: Iterable[str]) -> tuple[list[float], Counter[int]]:
    """All of them at the same moment: seconds of each, and status -> how often."""
    took: list[float] = []
    statuses: Counter[int] = Counter()
    ready = asyncio.Event()

    async def one(name: str, begun: asyncio.Semaphore) -> None:
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(base, cookie_jar=jar) as session:
            async with session.get("/login", headers=HTML) as response:
                token = _TOKEN.search(await response.text())
            assert token is not None
            begun.release()
            await ready.wait()
            began = time.perf_counter()
            fields = {"token": token[1], "name": name, "password": PASSWORD, "next": "/projects"}
            async with session.post(
                "/login", data=fields, headers=HTML, allow_redirects=False
            ) as response:
                statuses[response.status] += 1
            took.append(time.perf_counter() - began)

    begun = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(one(name, begun)) for name in names]
    for _ in tasks:
        await begun.acquire()
    ready.set()
    await asyncio.gather(*tasks)
    return took, statuses


def held(process: int) -> int:
    """Bytes of memory that a process holds now."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell")


async def warm(base: str, there: Prepared) -> None:
    """Ask for each page once: the first time a server loads what makes it."""
    jar = aiohttp.CookieJar(unsafe=True)
    path = f"/projects/{there.project.uid}"
    async with aiohttp.ClientSession(base, cookie_jar=jar) as session:
        for address in ("/login", path, f"{path}/works", f"{path}/strategies/{STRATEGY}?edit=1"):
            async with session.get(address, headers=HTML) as response:
                await response.read()
                assert response.status == 200, (address, response.status)
            jar.update_cookies({"metasearch-session": there.secrets[0]}, URL(base))


def goal(what: str, figure: str, met: bool, aim: str) -> bool:
    """Print a figure with its goal; returns whether it is met."""
    say(what, f"{figure} (goal {aim}{'' if met else ', NOT MET'})")
    return met


def logins_measured(server: Beating, logins: int) -> bool:
    before = held(server.process)
    server.late()
    with watched(server.process) as peak:
        took, statuses = asyncio.run(
            log_in(server.base, [f"login{number}" for number in range(logins)])
        )
    late = server.late()
    grown = peak[0] - before
    met = goal(f"{logins} logins at once", f"{dict(statuses)}", statuses == {303: logins}, "303")
    say("  the last one after", f"{max(took):8.1f} s")
    met &= goal("  memory grows by", f"{grown / MIB:8.0f} MiB", grown <= GROWTH, f"{GROWTH // MIB}")
    met &= goal("  loop late, p99", f"{late.p99:8.1f} ms", late.p99 <= LATE, f"{LATE:g}")
    say("  worst; computed at once", f"{late.worst:8.1f} ms; {late.computed:.1f} ms")
    return met


def work_measured(
    server: Beating, folder: Path, there: Prepared, options: argparse.Namespace
) -> bool:
    server.late()
    used, began = cpu_of_all(server.process), time.monotonic()
    seen = asyncio.run(at_work(server, there, options.users, options.seconds, options.think))
    late = server.late()
    busy = (cpu_of_all(server.process) - used) / (time.monotonic() - began)
    words = sum(map(len, seen.saved.values()))
    say(f"{options.users} users, {options.seconds:g} s", f"{len(seen.pages)} pages")
    say("  saved in shared texts", f"{words}, after {seen.conflicts} conflicts")
    say("  decisions", f"{len(seen.decided)}")
    say("  counts followed", f"{seen.counted} pieces")
    wrong = lost(folder, there, seen)
    met = goal("  lost", f"{len(wrong)} {', '.join(wrong[:3])}", not wrong, "0")
    met &= goal("  odd answers", f"{dict(seen.odd)}", not seen.odd, "none")
    met &= told("  p95 of pages", percentile(seen.pages, 95), PAGE, "s")
    say("  the server computes", f"{busy:8.0%} of a core")
    say("  median of pages", f"{percentile(seen.pages, 50):8.3f} s")
    say("  loop late, p99; computed at once", f"{late.p99:8.1f} ms; {late.computed:.1f} ms")
    return met and bool(words) and bool(seen.decided)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=5, help="seconds between two clicks")
    parser.add_argument("--logins", type=int, default=20)
    parser.add_argument("--neighbours-only", action="store_true", help="leave the others out")
    parser.add_argument("--archive", type=int, default=300, help="MiB of the archive")
    parser.add_argument("--folder", type=Path, help="where the neighbours' files are kept")
    parser.add_argument("--only", action="append", help="one of the works of the heavy user")
    options = parser.parse_args()
    met = options.neighbours_only or all_at_work(options)
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        met &= neighbours.all_measured(folder, options.archive, options.only)
    return 0 if met else 1


def all_at_work(options: argparse.Namespace) -> bool:
    """Measure logins, and all users at work."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        there = prepare(folder, options.users, options.logins)
        with beating(folder) as server:
            asyncio.run(warm(server.base, there))
            met = logins_measured(server, options.logins)
            met &= work_measured(server, folder, there, options)
    return met


if __name__ == "__main__":
    sys.exit(main())
