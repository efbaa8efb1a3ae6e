"""Goldens of the server: what it answers to each route, and to what its pages link to."""

from __future__ import annotations

import hashlib
import html
import http.client
import json
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

from golden.tree import QUERY, Tree, plain, prepare

PASSWORD = "correct horse battery"
LANGUAGES = ("en", "zh-Hans")
JSON, PAGE = "application/json", "text/html"
FORM = "application/x-www-form-urlencoded"


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
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
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
    words: tuple[str, ...] = (
        "serve",
        "--demo",
        "--port",
        "0",
        "--workers",
        "0",
        "--loop",
        "asyncio",
    )
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
    """Write the answers of a server to all routes, to more addresses, and to some POSTs."""
    routes = [tuple(route) for route in server.json("/standstill/routes")]
    server.tree.write(f"routes/{server.name}/routes", "\n".join(map(" ".join, routes)).encode())
    paths = [path for method, path in routes if method == "GET"]
    places = {**PLACES, **places}
    pages: list[tuple[str, Answered]] = []
    listed = f"?q={Q}&sources=demo-arxiv"
    for path in paths:
        address = filled(path, places)
        for whole in (address, *([address + listed] if path in ("/search", "/advanced") else ())):
            pages += ((whole, server.golden(asked, "get")) for asked in in_languages(whole))
    for address in more:
        some = (*in_languages(address, (PAGE,)), Asked("GET", address, {"Accept": JSON}))
        pages += ((address, server.golden(asked, "more")) for asked in some)
    follow(server, paths, pages)
    post(server, routes, places, posts)


def follow(server: Server, paths: Sequence[str], pages: Sequence[tuple[str, Answered]]) -> None:
    """Write what the pages link to, a few of each kind."""
    seen: dict[str, list[str]] = {}
    for address, answer in pages:
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
    for path in sorted(
        posts, key=lambda path: (bool(re.search("delete|end|leave|logout", path)), path)
    ):
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
        places["user"] = next(
            one.get("uid") or one["name"] for one in users if one["name"] == "ben"
        )
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
