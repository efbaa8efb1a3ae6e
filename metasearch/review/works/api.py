"""Works as a JSON interface: lists, decisions, imports and exports.

`/api/projects/UID/works`: the works of a project.
"""

from __future__ import annotations

import base64
import binascii
import tempfile
from dataclasses import asdict, replace
from typing import IO, Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.formats import READABLE, extras_note
from metasearch.formats.citations import STYLES
from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    VERSION,
    Member,
    Members,
    Ordinal,
    answer,
    body_of,
    or_not_found,
    parameters_of,
    part_of_path,
    project_request,
    read_members,
    send_file,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.quota_checks import import_file, take_export
from metasearch.review.runs import imports as importing
from metasearch.review.runs.runs import PLACES
from metasearch.review.service import ProjectRequest, in_share, names
from metasearch.review.strategies import strategies
from metasearch.review.works import decisions, lists, pins, works
from metasearch.review.works.decisions import LONGEST_TAG, MOST_TAGS, ChangeResult
from metasearch.review.works.decisions_file import import_decisions
from metasearch.review.works.export import EXPORTS, export, file_of
from metasearch.review.works.lists import LONGEST_TEXT, MOST_COUNT, SORTS, STANDINGS, WorksQuery
from metasearch.review.works.lists import MOST_FILTER_VALUES as MOST_VALUES
from metasearch.review.works.works import (
    LONGEST,
    LONGEST_NOTE,
    LONGEST_REASON,
    STAGES,
    VERDICTS,
    Work,
)
from metasearch.server.problem import Problem

#: What chooses works, in a list and in whatever is done to all of one.
CHOOSE: Members = {
    "text": Member(
        help="Words that stand in title, authors, venue, keywords or abstract: all of them.",
        most=LONGEST_TEXT,
    ),
    "verdict": Member(help="What was decided in the stage.", choices=STANDINGS[1:]),
    "stage": Member(help="By title and abstract, or by the whole text.", choices=STAGES),
    "tags": Member(help="With all of these tags.", kind="texts", most=MOST_VALUES),
    "sources": Member(help="Found in one of these.", kind="texts", most=MOST_VALUES),
    "steps": Member(
        help="Found by one of these steps: `3`, or `main/3` of one strategy.",
        kind="texts",
        most=MOST_VALUES,
    ),
    "runs": Member(help="Found by one of these runs.", kind="wholes", most=MOST_VALUES, least=1),
    "first_runs": Member(
        help="New in one of these runs.", kind="wholes", most=MOST_VALUES, least=1
    ),
    "years": Member(help="Years of publication: `2015-2020`, `2015-`.", most=40),
    "types": Member(help="Of one of these types.", kind="texts", most=MOST_VALUES),
    "languages": Member(help="In one of these languages.", kind="texts", most=MOST_VALUES),
    "open_access": Member(help="Of one of these states.", kind="texts", most=MOST_VALUES),
    "known": Member(help="Whether the searches are expected to find it.", kind="flag"),
    "mine": Member(
        help="Whether `verdict` is about your votes, where a team screens the stage.", kind="flag"
    ),
}
LIST: Members = {
    **CHOOSE,
    "sort": Member(help="The order; without it the newest additions first.", choices=SORTS),
    "start": Member(help="Skip so many works.", kind="whole", most=10**9 - 1),
    "count": Member(help="At most so many works, 20 without it.", kind="whole", most=MOST_COUNT),
}


async def answer_works(request: web.Request) -> web.Response:
    """`/api/projects/UID/works`: a part of the list, with facets of the whole."""
    here = await project_request(request)
    query = query_of(parameters_of(request.query, LIST), here.by)
    async with here.shared.admission.brief():
        page = await here.read(lists.page, query, reader=here.by)
    written = await here.shared.admission.written(
        lambda: objects.works_page(page), large=len(page.works) > 100
    )
    return answer(written)


async def answer_work(request: web.Request) -> web.Response:
    """`/api/projects/UID/works/ID`: a work with its records, and who found it."""
    here = await project_request(request)
    shown = await or_not_found(here.read(works.find, part_of_path(request, "work"), here.by))
    async with here.shared.admission.brief():
        return answer(await here.read(_one, shown))


def query_of(given: dict[str, Any], by: str) -> WorksQuery:
    """What members of `LIST` ask for; `mine` is about the votes of `by`."""
    voter = by if given.pop("mine", False) else ""
    return WorksQuery(**given, voter=voter)


def works_choice(project: Project, given: dict[str, Any]) -> list[str]:
    """The uids of the works that `works` or `matching` of a body name; they are taken out of it."""
    named_works = given.pop("works", None)
    matching = given.pop("matching", None)
    if (named_works is None) == (matching is None):
        reason = message("name works, or what matches them in matching: one of both")
        raise Problem.bad_parameter("works", reason)
    if named_works is not None:
        return list(named_works)
    return lists.uids(project, query_of(read_members(matching, CHOOSE), project.by))


def _one(project: Project, shown: Work) -> Object:
    findings = works.findings_of(project.db, shown)
    return objects.work(shown, findings, works.links_of(project, shown))


# `/api/projects/UID/decisions`, `/tags`, `/notes`, `/pins` and `/undo`: what people decide.

#: Which works a change is about.
WORKS: Members = {
    "works": Member(
        help="Names of works: uids, DOIs, `pmid:1`, `source:id`.",
        kind="texts",
        most=20_000,
        longest=LONGEST,
    ),
    "matching": Member(
        help="In place of `works`: all works that a list with these parameters has "
        f"({', '.join(CHOOSE)}).",
        kind="object",
    ),
}
DECIDE: Members = {
    **WORKS,
    "verdict": Member(
        help="`undecided` takes a decision back.",
        required=True,
        choices=(*VERDICTS, decisions.UNDECIDED),
        example="excluded",
    ),
    "stage": Member(help="By title and abstract, or by the whole text.", choices=STAGES),
    "reason": Member(
        help="Why; reports count reasons.", most=LONGEST_REASON, example="wrong population"
    ),
    "version": replace(
        VERSION,
        help="Of one work: the `version` of the decision, or of your vote, that you were shown; 0 "
        "for none. If something else was decided since, the answer is 409 with `yours` and "
        "`theirs`; what stands already is no conflict, so that a lost answer can be asked for "
        "again. Without it the decision is kept in any case.",
    ),
}
TAG: Members = {
    **WORKS,
    "add": Member(help="Tags to add.", kind="texts", most=MOST_TAGS, longest=LONGEST_TAG),
    "remove": Member(help="Tags to remove.", kind="texts", most=MOST_TAGS, longest=LONGEST_TAG),
}
NOTE: Members = {
    "work": Member(help="A name of the work.", required=True, most=LONGEST),
    "text": Member(help="The note; empty removes it.", required=True, most=LONGEST_NOTE),
    "version": replace(
        VERSION,
        help="The `note_version` that the note was made with. If it was changed since, the answer "
        "is 409 with `yours` and `theirs`. Without it the note is written in any case.",
    ),
}
PIN: Members = {
    "verdict": Member(help="What they are.", required=True, choices=("same", "different")),
    "first": Member(help="A name of a work, or the key of a record.", required=True, most=LONGEST),
    "second": Member(help="The other one.", required=True, most=LONGEST),
    "note": Member(help="Why.", most=pins.LONGEST_NOTE),
}
UNPIN: Members = {"pin": Ordinal(help="Its number.", required=True)}
UNDO: Members = {"change": Ordinal(help="The number of a line of the log.", required=True)}


async def answer_decisions(request: web.Request) -> web.Response:
    """`/api/projects/UID/decisions`: a decision about works. Raises Conflict: 409 where something
    else was decided since the version that is sent.
    """
    here, given = await _read_request(request, DECIDE)
    return answer(asdict(await here.write(_decide, given)))


async def answer_tags(request: web.Request) -> web.Response:
    """`/api/projects/UID/tags`: tags of works."""
    here, given = await _read_request(request, TAG)
    return answer(asdict(await here.write(_tag, given)))


async def answer_notes(request: web.Request) -> web.Response:
    """`/api/projects/UID/notes`: a note on a work. Raises Conflict: 409 for one that was made with
    an older version.
    """
    here, given = await _read_request(request, NOTE)
    made = await here.write(
        decisions.set_note, given["work"], given["text"], version=given.get("version")
    )
    return answer(asdict(made))


async def answer_pins(request: web.Request) -> web.Response:
    """`/api/projects/UID/pins`: what is said to be the same or different, or a new pin."""
    if request.method != "POST":
        here = await project_request(request)
        async with here.shared.admission.brief():
            kept = await here.read(pins.of)
        people = await names(request, here.workspace, (each.by for each in kept))
        return answer({"pins": [objects.with_name(asdict(each), people) for each in kept]})
    here, given = await _read_request(request, PIN)
    pair = given["verdict"], given["first"], given["second"]
    made = await here.write(pins.pin, *pair, note=given.get("note", ""))
    return answer(objects.work_changes(made))


async def answer_unpin(request: web.Request) -> web.Response:
    """`/api/projects/UID/pins/remove`: removes a pin."""
    here, given = await _read_request(request, UNPIN)
    return answer(objects.work_changes(await here.write(pins.unpin, given["pin"])))


async def answer_undo(request: web.Request) -> web.Response:
    """`/api/projects/UID/undo`: undoes a change of the log."""
    here, given = await _read_request(request, UNDO)
    return answer({"undone": given["change"], "change": await here.undo(given["change"])})


async def _read_request(
    request: web.Request, members: Members
) -> tuple[ProjectRequest, dict[str, Any]]:
    here = await project_request(request)
    given = await body_of(request, members)
    await here.service.ready(here.project)
    return here, given


def _decide(project: Project, given: dict[str, Any]) -> ChangeResult:
    with project.db.transaction():
        uids = works_choice(project, given)
        verdict = decisions.verdict_of(given.pop("verdict"))
        version = given.pop("version", None)
        if version is not None and len(uids) != 1:
            reason = message("is that of one work, not of {count}", count=len(uids))
            raise Problem.bad_parameter("version", reason)
        versions = {} if version is None else {uids[0]: version}
        return decisions.mark(project, uids, verdict, versions=versions, **given)


def _tag(project: Project, given: dict[str, Any]) -> ChangeResult:
    with project.db.transaction():
        return decisions.tag(project, works_choice(project, given), **given)


#: Characters of a file in a body: of base64 four for three bytes.
LARGEST = 40_000_000
#: A file in a body.
FILE: Members = {
    "name": Member(help="Of the file.", required=True, most=200, example="cnki.ris"),
    "text": Member(help="The file as text.", most=LARGEST),
    "base64": Member(help="In place of `text`: its bytes, in base64.", most=LARGEST),
    "format": Member(
        help=f"Its format, instead of detecting it. {extras_note(READABLE)}",
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
        help=f"A format, or a screening tool. {extras_note(EXPORTS)}",
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
async def answer_imports(request: web.Request) -> web.Response:
    """`/api/projects/UID/imports`: the file of a search by hand, as a step."""
    here = await project_request(request)
    given = await body_of(request, IMPORT, most=LARGEST + 1_000_000)
    content, name = content_of(given), given.pop("name")
    strategy = await here.read(strategies.find, given.pop("strategy", None))
    made = await import_file(here, strategy, content, name, **given)
    return answer(objects.file_import(made, strategy), status=201)


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
async def answer_decision_import(request: web.Request) -> web.Response:
    """`/api/projects/UID/decisions/import`: decisions that were made in another program."""
    here = await project_request(request)
    given = await body_of(request, DECISIONS, most=LARGEST + 1_000_000)
    content, name = content_of(given), given.pop("name")
    return answer(asdict(await here.work(import_decisions, content, name, **given)))


@in_share("exports", "GET", "POST")
async def answer_exports(request: web.Request) -> web.StreamResponse:
    """`/api/projects/UID/exports`: works in a format, chosen by parameters or named in a POST."""
    here = await project_request(request)
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
    await take_export(request, here.project, name)
    with tempfile.TemporaryFile() as file:
        await here.long(export_works, chosen, name, given, file)
        return await send_file(request, file, about.media_type, f"works.{about.extension}")


def export_works(
    project: Project,
    chosen: WorksQuery | tuple[str, ...],
    name: str,
    how: dict[str, Any],
    file: IO[bytes],
) -> None:
    with project.db.snapshot():
        for part in export(project, chosen, name, **how):
            file.write(part)
