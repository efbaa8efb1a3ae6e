"""`/api/projects/UID/imports` and `/exports`: files that are brought and taken."""

from __future__ import annotations

import base64
import binascii
import tempfile
from dataclasses import asdict
from typing import IO, Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.formats import READABLE, needed_extras
from metasearch.formats.citations.styles import STYLES
from metasearch.message import message
from metasearch.server.faces.workspace.members import Member, Members, body_of, parameters_of
from metasearch.server.faces.workspace.opened import answer, opened, project_of
from metasearch.server.faces.workspace.sending import send_file
from metasearch.server.faces.workspace.works import CHOOSE, LIST, query_of
from metasearch.server.limits.permits import in_share
from metasearch.server.users.quota import import_file, take_export
from metasearch.workspace import objects
from metasearch.workspace.projects import LONGEST_NAME, Project
from metasearch.workspace.runs import imports as importing
from metasearch.workspace.runs.runs import PLACES
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import strategies
from metasearch.workspace.works.exporting import EXPORTS, export, file_of
from metasearch.workspace.works.filters import WorksQuery
from metasearch.workspace.works.importing import import_decisions
from metasearch.workspace.works.names import LONGEST
from metasearch.workspace.works.said import LONGEST_REASON
from metasearch.workspace.works.works import STAGES, VERDICTS

#: Characters of a file in a body: of base64 four for three bytes.
LARGEST = 40_000_000
#: A file in a body.
FILE: Members = {
    "name": Member(help="Of the file.", required=True, most=200, example="cnki.ris"),
    "text": Member(help="The file as text.", most=LARGEST),
    "base64": Member(help="In place of `text`: its bytes, in base64.", most=LARGEST),
    "format": Member(
        help=f"Its format, instead of detecting it. {needed_extras(READABLE)}",
        choices=tuple(READABLE),
        example="ris",
    ),
    "encoding": Member(help="Its encoding, instead of detecting it.", most=40),
}
IMPORT: Members = {
    **FILE,
    "strategy": Member(help="Its name; without it the newest one.", most=LONGEST_NAME),
    "source": Member(
        help="The database, as reports shall name it.",
        required=True,
        most=importing.LONGEST_NAME,
        example="CNKI",
    ),
    "searched": Member(help="The day of the search.", required=True, most=10, example="2026-05-03"),
    "query": Member(help="What was searched for, as typed there.", most=20_000),
    "note": Member(help="How it was searched.", most=2_000),
    "claimed": Member(help="The hits that the database named.", kind="whole", most=10**12 - 1),
    "place": Member(help="What kind of place it is.", choices=PLACES),
    "step": Member(
        help="The import that this file is a newer version of.", kind="whole", least=1, most=10**6
    ),
}


DECISIONS: Members = {
    **{name: member for name, member in FILE.items() if name != "format"},
    "stage": Member(help="By title and abstract, or by the whole text.", choices=STAGES),
    "verdict": Member(
        help="What is decided on all works of the file, where it says nothing itself.",
        choices=VERDICTS,
    ),
    "reason": Member(help="The reason for `verdict`.", most=LONGEST_REASON),
}
_HOW: Members = {
    "format": Member(
        help=f"A format, or a screening tool. {needed_extras(EXPORTS)}",
        required=True,
        choices=EXPORTS,
        example="ris",
    ),
    "style": Member(help="Of the format `citations`.", choices=tuple(STYLES)),
    "bom": Member(help="Whether CSV begins with a byte order mark.", kind="flag"),
}
EXPORT: Members = {**_HOW, **CHOOSE, "sort": LIST["sort"]}
EXPORT_NAMED: Members = {
    **_HOW,
    "works": Member(
        help="Names of works.", kind="texts", required=True, most=20_000, longest=LONGEST
    ),
    "stage": Member(help="Whose decisions ASReview gets.", choices=STAGES),
}


@in_share("uploads", "POST")
async def imports(request: web.Request) -> web.Response:
    """`/api/projects/UID/imports`: the file of a search by hand, as a step."""
    here = opened(request)
    project = await project_of(request, here)
    given = await body_of(request, IMPORT, most=LARGEST + 1_000_000)
    content, name = content_of(given), given.pop("name")
    strategy = await here.workspace.read(strategies.find, project, given.pop("strategy", None))
    made = await import_file(request, project, strategy, content, name, by=here.by, **given)
    return answer(
        {
            "step": objects.step(made.step),
            "run": objects.run(made.run, strategy.name),
            "answer": objects.answer(made.answer),
            "format": made.format,
            "encoding": made.encoding,
            "again": made.again,
            "problems": [
                {"line": each.line, "reason": each.message, "lost": each.lost}
                for each in made.problems
            ],
        },
        status=201,
    )


def content_of(given: dict[str, object]) -> bytes:
    """The bytes of a file in a body, of which they are taken out. Raises UsageError: there are
    none, or they are given twice, or they are no base64.
    """
    text, packed = given.pop("text", None), given.pop("base64", None)
    if (text is None) == (packed is None):
        raise UsageError(message("the file is given as text or as base64: one of both"))
    if packed is None:
        return str(text).encode()
    try:
        return base64.b64decode(str(packed), validate=True)
    except binascii.Error as exc:
        raise UsageError(message("the file is no base64: {reason}", reason=exc)) from exc


@in_share("uploads", "POST")
async def decisions(request: web.Request) -> web.Response:
    """`/api/projects/UID/decisions/import`: decisions that were made in another program."""
    here = opened(request)
    project = await project_of(request, here)
    given = await body_of(request, DECISIONS, most=LARGEST + 1_000_000)
    content, name = content_of(given), given.pop("name")
    made = await here.workspace.work(import_decisions, project, content, name, by=here.by, **given)
    return answer(asdict(made))


@in_share("exports", "GET", "POST")
async def exports(request: web.Request) -> web.StreamResponse:
    """`/api/projects/UID/exports`: works in a format, chosen by parameters or named in a POST."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method == "POST":
        given = await body_of(request, EXPORT_NAMED)
        chosen: WorksQuery | tuple[str, ...] = given.pop("works")
    else:
        given = parameters_of(request.query, EXPORT)
        how = {name: given.pop(name) for name in ("format", "style", "bom") if name in given}
        stage = given.get("stage", "title")
        chosen = query_of(given, here.by)
        given = how | {"stage": stage}
    name = given.pop("format")
    about = file_of(name)
    await take_export(request, project, name)
    with tempfile.TemporaryFile() as file:
        await here.workspace.long(exported, project, chosen, name, given, file)
        return await send_file(request, file, about.media_type, f"works.{about.extension}")


def exported(
    db: Database,
    project: Project,
    chosen: WorksQuery | tuple[str, ...],
    name: str,
    how: dict[str, Any],
    file: IO[bytes],
) -> None:
    """Write works to a file, as they are at one moment."""
    with db.snapshot():
        for part in export(db, project, chosen, name, **how):
            file.write(part)
