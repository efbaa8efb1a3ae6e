#!/usr/bin/env python3
"""Asks an installation's own server for every route that it has, without a workspace and with one.

    PYTHON tools/every_route.py        PYTHON: that of an environment with metasearch; the package
                                       that it imports is the one that is asked

It ends with 1, and names them, where an answer is an error of the server (5xx), where a description
of the server is no 200, where a format of `/openapi.json` is neither written nor refused with the
extra that it needs, or where a page links to a file that this installation cannot write. Needs
nothing but the standard library and metasearch, so that CI runs it on an installation without
extras.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

#: Answers that a program or a reader begins with: they are there whatever is installed.
DESCRIPTIONS = ("/openapi.json", "/docs", "/.well-known/api-catalog", "/opensearch.xml", "/help")
PROGRAM = (sys.executable, "-m", "metasearch")
#: A query of the demo; as long as a place of an address has no other value, it is "1".
QUERY = "gambling+harms&sources=demo-arxiv"
PLACES = {
    "id:.+": "doi:10.1000/none",
    "name": "style.css",
    "strategy": "main",
    "report": "prisma-s",
    "kind": "prisma-s",
}
#: How an answer names the extra that is missing (metasearch/extras.py).
_ADVICE = re.compile(r'pip install (?:\\"|&#34;)\.\[')
#: Addresses of files in a page.
_FILES = re.compile(r'href="([^"]*(?:[?;&]format=(?!html)|\.docx)[^"]*)"')

open_ = build_opener(ProxyHandler({})).open


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="metasearch-routes-") as folder:
        env = {name: os.environ[name] for name in os.environ if not name.startswith("METASEARCH_")}
        env |= {
            f"XDG_{name}_HOME": str(Path(folder, name.lower()))
            for name in ("CACHE", "CONFIG", "DATA")
        }
        env["METASEARCH_WORKSPACE"] = str(Path(folder, "workspace.sqlite3"))
        wrong = [*problems(env, [])]
        subprocess.run([*PROGRAM, "project", "demo", "-q"], check=True, env=env, cwd=folder)
        wrong += problems(env, ["--workspace"])
    for line in wrong:
        print(f"WRONG: {line}")
    return int(bool(wrong))


@contextmanager
def serving(env: dict[str, str], options: Sequence[str]) -> Iterator[str]:
    """The address of a server in front of the demo databases."""
    command = [*PROGRAM, "serve", "--demo", "--port", "0", *options]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            lines = []
            for line in server.stderr:
                lines.append(line)
                if found := re.search(r"listening on (http://\S+)", line):
                    yield found[1].rstrip("/")
                    break
            else:
                raise SystemExit(f"The server did not start:\n{''.join(lines)}")
        finally:
            server.terminate()
            server.communicate()


def problems(env: dict[str, str], options: Sequence[str]) -> Iterator[str]:
    """What is wrong with the answers of a server."""
    shown = " ".join(("serve --demo", *options))
    with serving(env, options) as url:
        places, asked, links = dict(PLACES), 0, set()
        if options:
            projects = json.loads(ask(url, "/api/projects")[1])["projects"]
            places["project"] = next(one["uid"] for one in projects if one["kind"] == "review")
        for method, path in routes():
            address = re.sub(r"\{([^}]*)\}", lambda place: places.get(place[1], "1"), path)
            for accept in ("application/json", "text/html"):
                status, body = ask(url, address, method, accept)
                asked += 1
                described = path in DESCRIPTIONS and method == "GET"
                if (status >= 500 and not _ADVICE.search(body)) or (described and status != 200):
                    yield f"{shown}: {method} {path}: {status} {body[:300]}"
                if status == 200 and accept == "text/html" and body.startswith("<!DOCTYPE"):
                    links |= files_of(address, body)
        for link in sorted(links):
            status, body = ask(url, link)
            asked += 1
            if status >= 400:
                yield f"{shown}: a page links to {link}: {status} {body[:300]}"
        for name in formats(json.loads(ask(url, "/openapi.json")[1])):
            status, body = ask(url, f"/search?q={QUERY}&format={name}")
            asked += 1
            if status != 200 and not _ADVICE.search(body):
                yield f"{shown}: format {name}: {status} {body[:300]}"
    print(f"{asked} requests to `metasearch {shown}`")


def routes() -> Iterator[tuple[str, str]]:
    """Every method and path of the server's table; more than this server has is a 404."""
    from metasearch.server.app import ROUTES
    from metasearch.server.wing import server_wing

    for route in (*ROUTES, *server_wing().routes(users=False)):
        if route.gets:
            # The list, and not only the start page.
            more = f"?q={QUERY}" if route.path in ("/search", "/updates", "/advanced") else ""
            yield "GET", f"{route.path}{more}"
        if route.posts:
            yield "POST", route.path


def formats(document: dict[str, Any]) -> list[str]:
    """Those of a search, as the document names them; none where it is an error instead."""
    if "paths" not in document:
        return []
    parameters = document["paths"]["/search"]["get"]["parameters"]
    (named,) = (each["schema"]["enum"] for each in parameters if each["name"] == "format")
    return list(named)


def files_of(address: str, page: str) -> set[str]:
    """Local addresses of files that a page links to."""
    found = (urlsplit(urljoin(address, html.unescape(text))) for text in _FILES.findall(page))
    return {f"{each.path}?{each.query}" for each in found if not each.netloc}


def ask(url: str, path: str, method: str = "GET", accept: str = "*/*") -> tuple[int, str]:
    """Status and body of an answer; of a stream the beginning."""
    request = Request(url + path, method=method, headers={"Accept": accept})
    if method == "POST":
        request.data = b""
    try:
        with open_(request, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except HTTPError as error:
        with error:
            return error.code, error.read().decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
