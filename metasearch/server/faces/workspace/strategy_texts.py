"""Strategies as text of other databases, and as JSON search files: read and written."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.engine.options import OPTIONS
from metasearch.query.writing import TARGETS
from metasearch.server.faces.workspace.files import FILE, content_of
from metasearch.server.faces.workspace.members import JSON, Member, Members, body_of, parameters_of
from metasearch.server.faces.workspace.opened import answer, opened, project_of
from metasearch.server.faces.workspace.strategies import strategy_of
from metasearch.server.limits.permits import in_share
from metasearch.workspace import objects
from metasearch.workspace.objects import Object
from metasearch.workspace.projects import LONGEST_NAME
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import (
    copied_text,
    lines,
    search_file,
    search_record,
    steps,
    writing,
)
from metasearch.workspace.strategies.strategies import Strategy

PASTE: Members = {
    "text": Member(
        help="Lines copied out of Ovid, PubMed, Web of Science and others, as they stand there.",
        required=True,
        most=copied_text.LONGEST,
        example="1. gambling.ti,ab.\n2. debt*.ti,ab.\n3. 1 and 2",
    ),
    "syntax": Member(
        help="What they are written in; `auto` recognises it.",
        choices=OPTIONS["syntax"].choices,
        example="ovid",
    ),
}
WRITE: Members = {
    "syntax": Member(
        help="That of the database.", required=True, choices=tuple(TARGETS), example="ovid"
    )
}
READ_FILE: Members = {
    "name": Member(help="Of the file.", required=True, most=200, example="search.json"),
    "text": Member(help="The file as text.", most=search_record.LARGEST),
    # four characters for three bytes
    "base64": Member(help=FILE["base64"].help, most=search_record.LARGEST * 4 // 3 + 4),
    "strategy": Member(help="The name of the strategy; without it the file's.", most=LONGEST_NAME),
}
WRITE_FILE: Members = {
    "syntax": Member(
        help="Of the search string; `pubmed` without it. search-query reads pubmed, wos and ebsco.",
        choices=tuple(TARGETS),
    ),
    "step": Member(help="Its number; without it the last one.", kind="whole", least=1, most=10**6),
    "searched": Member(help="The day of the search: `2026-05-03`.", most=10),
}


async def paste(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/paste`: a step for each line of a text, all or none."""
    here, _, shown = await strategy_of(request)
    given = await body_of(request, PASTE)
    made = await here.workspace.write(lines.copy_in, shown, given.pop("text"), by=here.by, **given)
    return answer(objects.copied_in(shown, made), status=201)


async def written(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/written`: the steps in the syntax of another database."""
    here, _, shown = await strategy_of(request)
    asked = parameters_of(request.query, WRITE)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_written, shown, asked["syntax"]))


@in_share("uploads", "POST")
async def read_file(request: web.Request) -> web.Response:
    """`/api/projects/UID/search-files`: a strategy of each search of a file, all or none."""
    here = opened(request)
    project = await project_of(request, here)
    # In a body a quotation mark takes two bytes.
    given = await body_of(request, READ_FILE, most=3 * search_record.LARGEST)
    content, name = content_of(given), given.pop("name")
    made = await here.workspace.write(search_file.add, project, content, name, by=here.by, **given)
    return answer(objects.search_file(made), status=201)


async def write_file(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/search-file`: the strategy as a JSON search file."""
    here, _, shown = await strategy_of(request)
    asked = parameters_of(request.query, WRITE_FILE)
    async with here.shared.admission.brief():
        body = await here.workspace.read(_as_file, shown, {"syntax": "pubmed"} | asked)
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": 'attachment; filename="search.json"',
    }
    return web.Response(body=body, content_type=JSON, headers=headers)


def _written(db: Database, shown: Strategy, syntax: str) -> Object:
    made = writing.written(steps.of(db, shown), syntax, years=shown.years)
    return objects.written(shown, made)


def _as_file(db: Database, shown: Strategy, how: dict[str, Any]) -> bytes:
    return search_file.write(shown, steps.of(db, shown), **how)
