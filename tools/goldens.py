#!/usr/bin/env python3
"""What metasearch answers, as files: written before a change and after it, they must be equal.

    python tools/goldens.py write FOLDER [--tree CHECKOUT|COMMIT]
    python tools/goldens.py compare BEFORE AFTER
    python tools/goldens.py against CHECKOUT|COMMIT

`write` asks this checkout, or another one, and writes a file for each answer:

- `routes/`: every route of the server in front of the demo: without a workspace, with one, and with
  users (for a visitor and for an administrator); as JSON and as a page, in English and in Chinese;
  what the pages link to; the requests of `POSTS`; and an empty form for every route that takes one.
  Status, headers and body. `openapi.json` is among them.
- `help/`: `--help` of every command.
- `commands/`: what commands print, search, explain and translate among them, also as `--json`.
- `formats/`: the hits of a search in every format, and what each file is read back as.
- `workspaces/`: both example projects: the dump of the database, and all files of their archives.
- `library/`: the same searches and translations by the functions of the package.
- `evaluate/`: figures of labelled sets: those beside the checkout, or of `--sets`.

`compare` lists the files that differ, with the first differing lines, and exits 1. `against` writes
both sides and compares them.

Nothing differs between two runs of one checkout: see `standstill/sitecustomize.py`. No name of a
module stands here but those of the public library, so that it asks checkouts in which the modules
lie elsewhere. Both sides run in a copy, with this Python or, where they need other packages, with
one of their own.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import http.client
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

ROOT = Path(__file__).resolve().parent.parent
STANDSTILL = ROOT / "tools" / "standstill"
#: Labelled sets that are measured where they are, as in benchmarks/against.
SETS = ROOT.parent / "shared" / "data" / "dedup"
#: A labelled set of more bytes takes too long.
MOST_OF_A_SET = 1_500_000
#: What lies in a checkout beside the package.
DATA = ("adapter_specs", "pyproject.toml")
QUERY = "gambling harms"
PASSWORD = "correct horse battery"
LANGUAGES = ("en", "zh-Hans")
JSON, PAGE = "application/json", "text/html"
FORM = "application/x-www-form-urlencoded"

#: Rules for what no seed and no standing clock makes equal: (pattern, what stands there instead).
MASKS: Sequence[tuple[re.Pattern[bytes], bytes]] = (
    # Memory and CPU of the process in `/metrics`.
    (re.compile(rb"(?m)^(process_\w+(?:\{[^}]*\})?|python_gc_\w+\{[^}]*\}) [\d.e+]+$"), rb"\1 N"),
)


# --------------------------------------------------------------------------- running


@dataclass(frozen=True)
class Tree:
    """A checkout that is asked.

    Attributes:
        checkout: A copy, whose path has always the same length.
        python: The interpreter.
        work: An empty folder for what it writes.
        out: Where the goldens go.
        sets: Labelled sets.
    """

    checkout: Path
    python: str
    work: Path
    out: Path
    sets: Sequence[Path] = ()

    def at(self, name: str) -> Tree:
        """The same with a folder of its own for what it writes."""
        work = self.work / name
        work.mkdir(parents=True, exist_ok=True)
        return replace(self, work=work)

    def env(self, seed: str, **more: str) -> dict[str, str]:
        """The environment of a process."""
        kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        folders = {
            f"XDG_{name}_HOME": str(self.work / name) for name in ("CACHE", "CONFIG", "DATA")
        }
        return {
            **kept,
            **folders,
            "HOME": str(self.work),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join((str(STANDSTILL), str(self.checkout))),
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "METASEARCH_WORKSPACE": str(self.work / "workspace.sqlite3"),
            "STANDSTILL_SEED": seed,
            **more,
        }

    def run(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run `metasearch` with these words."""
        return subprocess.run(
            [self.python, "-m", "metasearch", *words],
            env=self.env(" ".join(words)),
            cwd=self.work,
            input=stdin,
            capture_output=True,
            check=False,
        )

    def write(self, name: str, data: bytes) -> None:
        """Write a golden."""
        for path, shown in ((self.work, b"WORK"), (self.checkout, b"CHECKOUT")):
            data = data.replace(str(path).encode(), shown)
        for pattern, shown in MASKS:
            data = pattern.sub(shown, data)
        file = self.out / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def command(self, *words: str, folder: str = "commands", stdin: bytes = b"") -> bytes:
        """Write what a command prints, to both streams; gives its standard output."""
        done = self.run(*words, stdin=stdin)
        shown = f"$ metasearch {' '.join(words)}\nexit {done.returncode}\n".encode()
        text = b"".join((shown, b"--- stdout\n", done.stdout, b"\n--- stderr\n", done.stderr))
        self.write(f"{folder}/{named(' '.join(words))}", text)
        return done.stdout


def named(text: str) -> str:
    """A name for a file: readable, and another one for each text."""
    name = plain(text)
    if name == text.replace(" ", "~"):
        return name
    return f"{name}.{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def plain(text: str) -> str:
    """A text as a part of a file's name."""
    return (re.sub(r"[^\w.=&?-]+", "~", text).strip("~") or "root")[:100]


# --------------------------------------------------------------------------- routes


class Asked(NamedTuple):
    """A request."""

    method: str
    address: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Answered(NamedTuple):
    """An answer to it."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The value of a header; "" without it."""
        return next((value for key, value in self.headers if key.lower() == name), "")


@dataclass
class Server:
    """A running server, and who asks it."""

    tree: Tree
    name: str
    host: str
    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    asked: int = 0

    def ask(self, asked: Asked) -> Answered:
        """The answer to a request."""
        self.asked += 1
        headers = {"Host": self.host, "X-Standstill": str(self.asked), **asked.headers}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={it}" for name, it in self.cookies.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(asked.method, asked.address, asked.body or None, headers)
            with connection.getresponse() as got:
                return Answered(got.status, got.getheaders(), got.read())
        finally:
            connection.close()

    def json(self, address: str) -> Any:
        """A JSON document."""
        return json.loads(self.ask(Asked("GET", address, {"Accept": JSON})).body)

    def golden(self, asked: Asked, folder: str) -> Answered:
        """Ask, and write the answer."""
        answer = self.ask(asked)
        lines = [
            f"{asked.method} {asked.address}",
            *(f"> {k}: {v}" for k, v in asked.headers.items()),
        ]
        lines += [f"> {asked.body.decode()}"] * bool(asked.body)
        lines += [f"{answer.status}", *(f"{key}: {value}" for key, value in answer.headers), "", ""]
        same = f"{asked.method} {asked.address} {sorted(asked.headers.items())} {asked.body!r}"
        mark = hashlib.sha256(same.encode()).hexdigest()[:6]
        name = f"{plain(f'{asked.method} {asked.address}')}.{mark}"
        self.tree.write(
            f"routes/{self.name}/{folder}/{name}", "\n".join(lines).encode() + answer.body
        )
        return answer


@contextmanager
def serving(tree: Tree, name: str, *options: str, configured: str = "") -> Iterator[Server]:
    """A server in front of the demo."""
    configuration = tree.work / "metasearch.toml"
    configuration.write_text(f"[server]\nrate_limit = 0\n{configured}")
    ports, log = tree.work / f"ports-{name}", tree.work / f"log-{name}"
    words = ("serve", "--demo", "--port", "0", "--workers", "0", "--loop", "asyncio")
    words += ("--config", str(configuration), *options)
    env = tree.env(name, STANDSTILL_SERVES="1", STANDSTILL_PORTS=str(ports))
    with log.open("wb") as said:
        process = subprocess.Popen(
            [tree.python, "-m", "metasearch", *words], env=env, cwd=tree.work, stderr=said
        )
    try:
        while not (found := re.search(rb"listening on http://[^:]+:(\d+)", log.read_bytes())):
            if process.poll() is not None:
                raise SystemExit(f"The server did not start:\n{log.read_text()}")
            time.sleep(0.05)
        real = dict(line.split() for line in ports.read_text().splitlines())
        port = found[1].decode()
        yield Server(tree, name, f"127.0.0.1:{port}", int(real[port]))
    finally:
        # Its time stands still, so that it would not end by itself.
        process.kill()
        process.wait()


#: A path, and headers and body of a request to it.
Post = tuple[str, tuple[dict[str, str], bytes]]


def form(**fields: str) -> tuple[dict[str, str], bytes]:
    """Headers and body of a form."""
    return {"Content-Type": FORM}, urlencode(fields).encode()


def document(value: Any) -> tuple[dict[str, str], bytes]:
    """Headers and body of a JSON document."""
    return {"Content-Type": JSON}, json.dumps(value).encode()


def rpc(method: str, **params: Any) -> tuple[dict[str, str], bytes]:
    """Headers and body of a call over MCP."""
    headers, body = document({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return {**headers, "Accept": f"{JSON}, text/event-stream"}, body


Q = quote(QUERY)
SRU = f"operation=searchRetrieve&version=1.2&query={Q}&maximumRecords=5"
#: More addresses of a server without workspace than its routes and links name.
GETS = (
    *(f"/search?q={Q}&{more}" for more in ("sort=date&facets=all&count=5", "filter=type:article")),
    *(
        f"/search?q={Q}&format={name}"
        for name in ("json", "ndjson", "csv", "ris", "bibtex", "marc")
    ),
    *(f"/search?q={Q}&format={name}" for name in ("atom", "jsonfeed", "mods", "citations")),
    f"/search?q={Q}&versions=separate&rank=positions&year=2015-2020&start=3&count=4",
    "/search?q=" + quote('title:(gambling AND "problem gambling") NOT year:2010'),
    "/search?q=" + quote("(gambling"),
    "/search?q=" + quote("浅水湖泊"),
    f"/search?q={Q}&nonsense=1",
    f"/search?q={Q}&sources=nowhere",
    f"/updates?q={Q}",
    f"/updates?q={quote('wetland carbon')}",
    f"/plan?q={Q}",
    f"/advanced?q={Q}",
    f"/translate?q={quote('title:(salt marsh*) year:2018-')}&to=ovid",
    f"/translate?q={Q}",
    "/suggest?q=ga",
    f"/sru?{SRU}",
    *(f"/sru?{SRU}&recordSchema={name}" for name in ("marcxml", "mods", "dc")),
    "/sru?operation=explain",
    "/sru?operation=scan&scanClause=gambling",
    f"/sru/demo-crossref?{SRU}",
    *(f"/searxng/search?q={Q}&format={name}" for name in ("json", "html", "rss", "csv")),
    "/pazpar2/search.pz2?command=info",
    "/pazpar2/search.pz2?command=init",
    "/pazpar2/search.pz2?command=stat&session=none",
    "/unapi?id=doi:10.1000/none&format=ris",
    "/no/such/page",
)
#: Requests of a server without workspace that only read.
POSTS = (
    ("/search", form(q=QUERY)),
    ("/search", document({"q": QUERY})),
    ("/search", document({"q": "(gambling"})),
    ("/search", document({"q": 1})),
    ("/translate", document({"q": '"salt marsh"[tiab] AND carbon[tiab]', "syntax": "pubmed"})),
    ("/translate", form(q=QUERY, to="cnki")),
    ("/sru", form(operation="searchRetrieve", version="1.2", query=QUERY)),
    ("/searxng/search", form(q=QUERY, format="json")),
    ("/pazpar2/search.pz2", form(command="ping")),
    *(
        ("/mcp", rpc(method, **params))
        for method, params in (
            (
                "initialize",
                {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "goldens", "version": "1"},
                },
            ),
            ("ping", {}),
            ("tools/list", {}),
            ("resources/list", {}),
            ("prompts/list", {}),
            ("tools/call", {"name": "search", "arguments": {"query": QUERY, "limit": 3}}),
            ("tools/call", {"name": "nothing", "arguments": {}}),
            ("nothing", {}),
        )
    ),
)
#: Requests that change something in the example of a review, in this order.
CHANGES = (
    ("/api/projects", document({"name": "trial", "kind": "review", "title": "A trial"})),
    ("/api/projects/{project}", document({"title": "Another title"})),
    ("/api/projects/{project}/strategies", document({"name": "second"})),
    ("/api/projects/{project}/strategies/second/steps", document({"query": "title:gambling"})),
    ("/api/projects/{project}/strategies/second/steps", document({"query": "harm* OR debt"})),
    ("/api/projects/{project}/strategies/second/steps", document({"query": "#1 AND #2"})),
    ("/api/projects/{project}/strategies/second/steps/1", document({"query": "(gambling"})),
    (
        "/api/projects/{project}/decisions",
        document({"works": ["{work}"], "verdict": "excluded", "reason": "population"}),
    ),
    ("/api/projects/{project}/tags", document({"works": ["{work}"], "add": ["one", "two"]})),
    ("/api/projects/{project}/notes", document({"work": "{work}", "text": "A note."})),
    ("/api/projects/{project}/undo", document({})),
    ("/api/projects/{project}/known", document({"works": ["doi:10.1000/none"]})),
    ("/api/projects/{project}/reports/prisma-s", document({})),
    ("/api/saved", document({"name": "another", "query": "gene drive", "schedule": "weekly"})),
)
#: Values of places in routes, as long as nothing better is known.
PLACES = {"name": "style.css", "strategy": "main", "report": "prisma-s", "kind": "prisma-s"}
#: Links that are followed of a kind, which is a route with names of parameters.
LINKS_OF_A_KIND = 3
_LINKS = re.compile(r'(?:href|src)="([^"#]+)')


def filled(path: str, places: Mapping[str, str]) -> str:
    """The address of a route; what has no value is "1"."""
    return re.sub(r"\{(\w+)\}", lambda place: quote(places.get(place[1], "1"), safe=":/"), path)


def in_languages(address: str, accepts: Sequence[str] = (JSON, PAGE)) -> Iterator[Asked]:
    """The GETs of an address."""
    for language in LANGUAGES:
        for accept in accepts:
            yield Asked("GET", address, {"Accept": accept, "Accept-Language": language})


def links(address: str, page: str, host: str) -> Iterator[str]:
    """Addresses of the same host that a page links to."""
    for text in _LINKS.findall(page):
        parts = urlsplit(urljoin(f"http://{host}{address}", html.unescape(text)))
        if parts.netloc == host and parts.scheme == "http":
            yield f"{parts.path}?{parts.query}" if parts.query else parts.path


def kind_of(address: str, paths: Iterable[str]) -> str:
    """The route of an address and the names of its parameters."""
    path, _, query = address.partition("?")
    for route in paths:
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route))
        if re.fullmatch(pattern, path):
            path = route
            break
    names = sorted({pair.partition("=")[0] for pair in query.split("&")})
    # A format is a kind of its own, and so is an item of a choice.
    chosen = re.findall(r"(?:format|language|kind)=[^&]*", query)
    return " ".join((path, *names, *chosen))


def ask_everything(
    server: Server,
    places: Mapping[str, str],
    more: Sequence[str] = (),
    posts: Sequence[Post] = (),
) -> None:
    """Write the answers of a server to whoever it takes us for: of all routes, of more addresses,
    and to some POSTs."""
    routes = [tuple(it) for it in server.json("/standstill/routes")]
    server.tree.write(f"routes/{server.name}/routes", "\n".join(map(" ".join, routes)).encode())
    paths = [path for method, path in routes if method == "GET"]
    places = {**PLACES, **places}
    pages: list[tuple[str, Answered]] = []
    listed = f"?q={Q}&sources=demo-arxiv"
    for path in paths:
        address = filled(path, places)
        for whole in (address, *([address + listed] if path in ("/search", "/advanced") else ())):
            for asked in in_languages(whole):
                pages.append((whole, server.golden(asked, "get")))
    for address in more:
        for asked in in_languages(address):
            pages.append((address, server.golden(asked, "more")))
    follow(server, paths, pages)
    post(server, routes, places, posts)


def follow(server: Server, paths: Sequence[str], pages: Sequence[tuple[str, Answered]]) -> None:
    """Write what the pages link to, a few of each kind."""
    seen: dict[str, list[str]] = {}
    coming = list(pages)
    while coming:
        address, answer = coming.pop(0)
        if not answer.header("content-type").startswith("text/html"):
            continue
        for link in links(address, answer.body.decode(), server.host):
            some = seen.setdefault(kind_of(link, paths), [])
            if link in some or len(some) >= LINKS_OF_A_KIND or "/static/" in link:
                continue
            some.append(link)
            for asked in in_languages(link, (PAGE,)):
                server.golden(asked, "links")


def post(
    server: Server,
    routes: Sequence[tuple[str, ...]],
    places: Mapping[str, str],
    some: Sequence[Post],
) -> None:
    """Write the answers to POSTs."""
    for path, (headers, body) in some:
        for place, value in places.items():
            body = body.replace(f'"{{{place}}}"'.encode(), json.dumps(value).encode())
        address = filled(path, places)
        for language in LANGUAGES if some is POSTS else LANGUAGES[:1]:
            sent = {"Accept-Language": language, **headers}
            server.golden(Asked("POST", address, sent, body), "post")
    posts = [path for method, path in routes if method == "POST"]
    # What deletes, ends or leaves comes last.
    for path in sorted(posts, key=lambda it: (bool(re.search("delete|end|leave|logout", it)), it)):
        for headers, body in (form(), document({})):
            accept = PAGE if headers["Content-Type"] == FORM else JSON
            sent = {"Accept": accept, "Accept-Language": LANGUAGES[0], **headers}
            server.golden(Asked("POST", filled(path, places), sent, body), "empty")


def places_of_workspace(server: Server) -> dict[str, str]:
    """Values of places: of the example of a review."""
    projects = server.json("/api/projects")["projects"]
    project = next(one["uid"] for one in projects if one["kind"] == "review")
    works = server.json(f"/api/projects/{project}/works")["works"]
    saved = server.json("/api/saved")["saved"]
    found = {"project": project, "work": works[0]["uid"]}
    if saved:
        found["saved"] = str(saved[0].get("uid") or saved[0]["name"])
    for address in re.findall(r"/feeds/([^.]+)\.atom", json.dumps(saved)):
        found["secret"] = address
    return found


def prepare(tree: Tree) -> None:
    """Both examples, and a saved search."""
    for words in (("project", "demo", "-q"), ("saved", "add", "drives", "gene drive")):
        done = tree.run(*words)
        if done.returncode:
            raise SystemExit(f"metasearch {' '.join(words)}: {done.stderr.decode()}")


def open_server(tree: Tree) -> None:
    """Without a workspace."""
    with serving(tree, "open") as server:
        first = server.json(f"/search?q={Q}&format=json")["hits"][0]["id"]
        ask_everything(server, {"id": first}, GETS, POSTS)


def workspace_server(tree: Tree) -> None:
    """With one."""
    prepare(tree)
    with serving(tree, "workspace", "--workspace") as server:
        ask_everything(server, places_of_workspace(server), posts=CHANGES)


def users_server(tree: Tree) -> None:
    """With users: for a visitor, and for an administrator."""
    prepare(tree)
    for name, role in (("anna", "administrator"), ("ben", "user")):
        done = tree.run("user", "add", name, "--role", role, "--stdin", stdin=PASSWORD.encode())
        if done.returncode:
            raise SystemExit(done.stderr.decode())
    for project in ("gambling-harms", "shallow-lake"):
        tree.run("user", "role", "anna", "owner", "--project", project)
        tree.run("user", "role", "ben", "editor", "--project", project)
    with serving(tree, "users", "--workspace", configured='[users]\nmode = "local"\n') as server:
        server.name = "visitor"
        ask_everything(server, {})
        log_in(server, "anna")
        server.name = "administrator"
        places = places_of_workspace(server)
        users = server.json("/api/admin/users")["users"]
        places["user"] = next(it.get("uid") or it["name"] for it in users if it["name"] == "ben")
        ask_everything(server, places, posts=CHANGES)


def log_in(server: Server, name: str) -> None:
    """Log in at the page, as a browser does."""
    page = server.ask(Asked("GET", "/login", {"Accept": PAGE}))
    keep(server, page)
    token = re.search(r'name="token" value="([^"]+)"', page.body.decode())
    assert token is not None, page
    headers, body = form(name=name, password=PASSWORD, token=html.unescape(token[1]), next="")
    answer = server.golden(Asked("POST", "/login", {"Accept": PAGE, **headers}, body), "login")
    keep(server, answer)
    assert answer.status < 400, answer


def keep(server: Server, answer: Answered) -> None:
    """Keep the cookies of an answer."""
    for key, value in answer.headers:
        if key.lower() == "set-cookie":
            name, _, rest = value.partition("=")
            server.cookies[name] = rest.partition(";")[0]


# --------------------------------------------------------------------------- commands


def helps(tree: Tree) -> None:
    """`--help` of every command."""
    coming: list[tuple[str, ...]] = [()]
    with ThreadPoolExecutor(2) as pool:
        while coming:
            texts = pool.map(lambda words: tree.command(*words, "--help", folder="help"), coming)
            coming = [(*words, name) for words, text in zip(coming, texts) for name in below(text)]


def below(text: bytes) -> list[str]:
    """The commands that a help names."""
    part = re.search(r"(?m)^Commands:\n((?:  .*\n)+)", text.decode())
    return re.findall(r"(?m)^  (\S+)", part[1]) if part else []


QUERIES = (
    QUERY,
    '"salt marsh"[tiab] AND carbon[tiab]',
    "title:(salt marsh*) year:2018-",
    "TITLE-ABS-KEY(gambling AND harm*) AND PUBYEAR > 2015",
    "TS=(gambling NEAR/3 harm*)",
    "(gambl* adj3 harm*).ti,ab.",
    "SU=('水质'+'水体')*'贝类'",
    "dc.title=drive and dc.creator=burt",
    'gene drive author:burt NOT "gene therapy" year:2015-',
    "(gambling",
    "doi:10.1000/182",
)
#: Commands of a machine without anything.
COMMANDS = (
    ("--version",),
    ("nothing-of-the-kind",),
    ("srch", "x"),
    ("sources", "list"),
    ("sources", "list", "--json"),
    ("sources", "show", "crossref"),
    ("sources", "show", "cnki", "--json"),
    ("sources", "check"),
    ("sources", "schema"),
    ("sources", "new", "my-source", "--like", "json"),
    ("strategies",),
    ("strategies", "--json"),
    ("completion", "bash"),
    ("cache", "stats"),
    ("collections", "list"),
    ("--demo", QUERY),
    ("--demo", QUERY, "--explain", "--json"),
    ("--demo", QUERY, "--explain"),
    ("--demo", QUERY, "--explain-plan"),
    ("--demo", QUERY, "--explain-plan", "--json"),
    ("--demo", "wetland carbon", "--facets", "all", "--versions", "separate", "--sort", "date"),
    ("--demo", "浅水湖泊", "--json", "--facets", "all"),
    ("--demo", "machine learning", "--json", "--dedup", "default", "--rank", "positions"),
    ("--demo", QUERY, "--wait", "0.2", "--json"),
    ("--demo", "(gambling"),
    ("--demo", QUERY, "-s", "nowhere"),
    *(("translate", query, "--json") for query in QUERIES),
    *(("translate", query) for query in QUERIES[:4]),
)
#: Commands of a machine with both examples.
OF_A_REVIEW = (
    ("project", "list"),
    ("project", "list", "--json"),
    ("project", "show"),
    ("project", "show", "--json"),
    ("project", "log"),
    ("project", "log", "--json"),
    ("project", "questions"),
    ("project", "questions", "--json"),
    ("project", "other", "list"),
    ("project", "other", "list", "--json"),
    ("strategy", "list"),
    ("strategy", "list", "--json"),
    ("strategy", "show"),
    ("strategy", "show", "--json"),
    ("strategy", "counts"),
    ("strategy", "counts", "--json"),
    ("strategy", "validate"),
    ("strategy", "validate", "--json"),
    ("strategy", "known", "list"),
    ("strategy", "write", "--to", "ovid"),
    ("strategy", "search-file", "write"),
    ("works", "list"),
    ("works", "list", "--json"),
    ("works", "export", "-f", "ris"),
    ("works", "export", "-f", "asreview"),
    ("works", "export", "-f", "csv"),
    ("works", "agreement"),
    ("works", "agreement", "--json"),
    ("works", "conflicts"),
    ("works", "conflicts", "--json"),
    ("works", "pins"),
    ("works", "pins", "--json"),
    ("report", "list"),
    ("report", "list", "--json"),
    ("report", "verify"),
    ("report", "missed"),
    ("report", "missed", "--json"),
    *(
        ("report", kind, "-o", f"{kind}.{ending}")
        for kind in ("appendix", "chaxin", "prisma-flow", "prisma-s")
        for ending in ("html", "md", "json", "svg", "docx", "csv")
    ),
    ("saved", "list"),
    ("saved", "list", "--json"),
    ("saved", "show", "drives"),
    ("saved", "show", "drives", "--json"),
    ("saved", "news", "drives", "--json"),
    ("user", "list", "--json"),
    ("workspace", "where"),
    ("workspace", "check"),
    ("alerts", "run", "--json"),
)


def commands(tree: Tree) -> None:
    """What commands print that need no workspace."""
    for words in COMMANDS:
        tree.command(*words)


def review_commands(tree: Tree) -> None:
    """Both examples, as they are stored, and what commands say about them."""
    prepare(tree)
    with sqlite3.connect(tree.work / "workspace.sqlite3") as database:
        dump = "\n".join(database.iterdump()).encode("utf-8", "surrogateescape")
    tree.write("workspaces/dump.sql", dump)
    projects = json.loads(tree.run("project", "list", "--json").stdout)
    for name in sorted(it["name"] for it in projects):
        tree.run("project", "use", name)
        archive = tree.work / f"{name}.zip"
        tree.command("project", "export", "-o", archive.name, folder=f"commands/{name}")
        with zipfile.ZipFile(archive) as files:
            for file in files.infolist():
                tree.write(f"workspaces/{name}/{file.filename}", files.read(file))
        for words in OF_A_REVIEW:
            before = set(tree.work.iterdir())
            tree.command(*words, folder=f"commands/{name}")
            for file in sorted(set(tree.work.iterdir()) - before):
                if file.name in words:
                    tree.write(f"commands/{name}/files/{file.name}", file.read_bytes())
                    file.unlink()


# --------------------------------------------------------------------------- formats


def formats(tree: Tree) -> None:
    """A search in every format, and what each file is read back as."""
    text = tree.run("search", "--help").stdout.decode()
    found = re.search(r"--format \[([^\]]*)\]", text)
    assert found is not None, text
    for name in re.sub(r"\s", "", found[1]).split("|"):
        for query in (QUERY, "浅水湖泊"):
            file = tree.work / f"hits.{name}"
            done = tree.run("--demo", query, "--format", name, "-o", file.name, "--allow-partial")
            shown = f"exit {done.returncode}\n".encode() + done.stderr
            tree.write(f"formats/{name}/{query}.said", shown)
            if not file.exists():
                continue
            tree.write(f"formats/{name}/{query}", file.read_bytes())
            read = tree.run("dedup", file.name, "--json", "--report")
            tree.write(f"formats/{name}/{query}.read", b"\n".join((read.stdout, read.stderr)))


# --------------------------------------------------------------------------- library

_LIBRARY = """
import asyncio, json, sys
from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.formats.answer import answer_object
from metasearch.query import parse, read, to_text

def said(text, syntax):
    try:
        found = read(text, syntax)
        return [repr(found.query), found.syntax, [str(it) for it in found.notes], to_text(found.query)]
    except Exception as error:
        return [type(error).__name__, str(error), getattr(error, "reason", None)]

async def main(queries):
    answers = {}
    async with DemoDatabases() as demo, Engine(demo.settings()) as engine:
        for query in EXAMPLE_QUERIES:
            for more in ({}, {"versions": "separate", "facets": "all"}, {"limit": 5, "start": 2}):
                answer = await engine.search(query, **more)
                answers[f"{query} {more}"] = answer_object(answer)
    syntaxes = ("auto", "simple", "cql", "ccl", "cnki", "pubmed", "ovid", "scopus", "wos", "ebsco",
                "embase", "cochrane", "proquest", "ieee", "expert")
    read_ = {query: {name: said(query, name) for name in syntaxes} for query in queries}
    json.dump({"answers": answers, "read": read_}, sys.stdout, default=plain, ensure_ascii=False)

def plain(value):
    if isinstance(value, memoryview):
        return json.loads(bytes(value))
    if hasattr(value, "__bytes__") or hasattr(value, "contents"):
        return json.loads(bytes(getattr(value, "contents", value)))
    return repr(value)

asyncio.run(main(json.loads(sys.argv[1])))
"""


def library(tree: Tree) -> None:
    """Searches and queries by the functions of the package."""
    done = subprocess.run(
        [tree.python, "-c", _LIBRARY, json.dumps(QUERIES)],
        env=tree.env("library"),
        cwd=tree.work,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    for part, values in json.loads(done.stdout).items():
        for name, value in values.items():
            text = json.dumps(value, ensure_ascii=False, indent=1)
            tree.write(f"library/{part}/{named(name)}", text.encode())


def evaluate(tree: Tree) -> None:
    """Figures of labelled sets."""
    for path in tree.sets:
        done = tree.run("evaluate", str(path), "--json", "--errors")
        tree.write(f"evaluate/{path.name}", done.stdout + b"\n" + done.stderr)


PARTS = {
    it.__name__: it
    for it in (
        users_server,
        workspace_server,
        evaluate,
        open_server,
        review_commands,
        formats,
        commands,
        helps,
        library,
    )
}


# --------------------------------------------------------------------------- both sides


def small_sets(folder: Path) -> list[Path]:
    """The labelled sets of a folder that do not take too long."""
    if not folder.is_dir():
        return []
    sets = (path for path in sorted(folder.iterdir()) if path.is_dir())
    return [path for path in sets if 0 < weight(path) < MOST_OF_A_SET]


def weight(folder: Path) -> int:
    """Bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def write(
    source: str, folder: Path, sets: Sequence[Path] | None, parts: Sequence[str] | None = None
) -> None:
    """Write the goldens of a checkout or a commit into an empty folder."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.against.builds import build

    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty.")
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with TemporaryDirectory(prefix="metasearch-goldens-") as place:
        package = build(source, Path(place, "build"))
        checkout = Path(place, "checkout")
        shutil.copytree(
            package.checkout / "metasearch",
            checkout / "metasearch",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for name in DATA:
            path = package.checkout / name
            (shutil.copytree if path.is_dir() else shutil.copy)(path, checkout / name)
        package._replace(checkout=checkout).compile()
        chosen = small_sets(SETS) if sets is None else sets
        tree = Tree(
            checkout, package.python, Path(place, "work"), folder, [it.resolve() for it in chosen]
        )
        tree.work.mkdir()
        check(tree)

        def of_part(name: str) -> str:
            started = time.monotonic()
            PARTS[name](tree.at(name))
            return f"{name} {time.monotonic() - started:.0f} s"

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            print(", ".join(pool.map(of_part, parts or PARTS)))
    count = sum(path.is_file() for path in folder.rglob("*"))
    print(f"{count:,} goldens of {source} in {time.monotonic() - began:.0f} s")


def check(tree: Tree) -> None:
    """End where the package that is asked is not that of the checkout."""
    done = subprocess.run(
        [tree.python, "-c", "import metasearch; print(metasearch.__file__)"],
        env=tree.env(""),
        cwd=tree.work,
        capture_output=True,
        text=True,
        check=False,
    )
    if tree.checkout.resolve() not in Path(done.stdout.strip()).resolve().parents:
        raise SystemExit(
            f"metasearch was not imported from the checkout: {done.stdout}{done.stderr}"
        )


def compare(before: Path, after: Path, most: int = 40) -> int:
    """Print what differs; 1 where something does."""
    files = [
        {path.relative_to(side).as_posix() for path in side.rglob("*") if path.is_file()}
        for side in (before, after)
    ]
    if not files[0] or not files[1]:
        print("One of the folders has no goldens.")
        return 1
    wrong = [f"only before: {name}" for name in sorted(files[0] - files[1])]
    wrong += [f"only after: {name}" for name in sorted(files[1] - files[0])]
    for name in sorted(files[0] & files[1]):
        one, other = (Path(side, name).read_bytes() for side in (before, after))
        if one != other:
            wrong.append("\n".join((f"differs: {name}", *differing(one, other))))
    print("\n".join(wrong[:most]))
    if len(wrong) > most:
        print(f"... and {len(wrong) - most} more")
    print(f"{len(files[0] | files[1]):,} goldens, {len(wrong)} of them differ")
    return int(bool(wrong))


def differing(before: bytes, after: bytes, most: int = 3) -> Iterator[str]:
    """The first lines in which two files differ, around the first different character."""
    pairs = zip_longest(before.split(b"\n"), after.split(b"\n"))
    different = ((n, a, b) for n, (a, b) in enumerate(pairs, 1) if a != b)
    for number, one, other in islice(different, most):
        start = max(0, len(os.path.commonprefix([one or b"", other or b""])) - 60)
        yield f"  line {number}, from character {start}"
        for mark, line in (("-", one), ("+", other)):
            if line is not None:
                yield f"    {mark} {line[start : start + 160].decode('utf-8', 'backslashreplace')}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tasks = parser.add_subparsers(dest="task", required=True)
    writing = tasks.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--tree", default=str(ROOT), metavar="CHECKOUT|COMMIT")
    comparing = tasks.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    both = tasks.add_parser("against")
    both.add_argument("before", metavar="CHECKOUT|COMMIT")
    for task in (writing, both):
        task.add_argument("--sets", type=Path, nargs="*", metavar="SET")
        task.add_argument("--part", choices=tuple(PARTS), action="append")
    options = parser.parse_args()
    if options.task == "compare":
        return compare(options.before, options.after)
    if options.task == "write":
        write(options.tree, options.folder, options.sets, options.part)
        return 0
    with TemporaryDirectory(prefix="metasearch-goldens-") as place:
        sides = Path(place, "before"), Path(place, "after")
        for source, folder in zip((options.before, str(ROOT)), sides, strict=True):
            write(source, folder, options.sets, options.part)
        return compare(*sides)


if __name__ == "__main__":
    sys.exit(main())
