"""Search strategies as a JSON interface, with their texts and files.

`/api/projects/UID/strategies`: search strategies and their steps.
"""

from __future__ import annotations

from aiohttp import web

from metasearch.engine.options import OPTIONS
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query.syntaxes import TARGETS
from metasearch.query.tree import MAX_LENGTH
from metasearch.review import objects
from metasearch.review.api import (
    JSON,
    VERSION,
    Member,
    Members,
    answer,
    body_of,
    number_in_path,
    or_not_found,
    parameters_of,
    part_of_path,
    project_request,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.runs import figures
from metasearch.review.service import ProjectRequest, in_share
from metasearch.review.store.database import Database
from metasearch.review.strategies import paste as lines
from metasearch.review.strategies import search_file, steps, strategies, writer
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works.api import FILE, content_of
from metasearch.server.site import site_of

_SYNTAXES = OPTIONS["syntax"].choices
_SOURCES = Member(
    help="Names of sources and groups that it asks; none: the default ones.",
    kind="texts",
    most=strategies.MOST_SOURCES,
    longest=100,
    example=["demo-crossref", "demo-openalex"],
)
_YEARS = Member(help="Years of publication: `2015-2020`, `2015-`.", most=40)
_NOTE = Member(help="For people.", most=strategies.LONGEST_NOTE)
NEW: Members = {
    "name": Member(help="Unique in the project.", required=True, most=LONGEST_NAME, example="main"),
    "sources": _SOURCES,
    "years": _YEARS,
    "note": _NOTE,
}
CHANGES: Members = {
    "name": Member(help="The new name.", most=LONGEST_NAME),
    "sources": _SOURCES,
    "years": _YEARS,
    "note": _NOTE,
    "version": VERSION,
}
NEW_STEP: Members = {
    "text": Member(
        help="A query in any syntax that a search reads, or a combination: `#1 AND #2`, `or/1-4`.",
        required=True,
        most=MAX_LENGTH,
        example="gambling OR betting",
    ),
    "syntax": Member(
        help="What it is written in; `auto` recognises it.", choices=_SYNTAXES, example="simple"
    ),
    "note": _NOTE,
}
CHANGED_STEP: Members = {
    "text": Member(help="The new text.", most=MAX_LENGTH),
    "syntax": Member(help="What it is written in.", choices=_SYNTAXES),
    "note": _NOTE,
    "removed": Member(help="True removes it; refused where another step names it.", kind="flag"),
    "version": VERSION,
}


COPY: Members = {
    "name": Member(help="Of the copy.", required=True, most=LONGEST_NAME, example="second"),
    "order": Member(
        help="The numbers of all steps but imported files: the copy numbers them anew in this "
        "order. Without it they keep their numbers.",
        kind="wholes",
        least=1,
        most=steps.MOST_STEPS,
        example=[2, 1],
    ),
}


async def answer_strategies(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies`: the list, or a new one."""
    here = await project_request(request)
    if request.method != "POST":
        async with here.shared.admission.brief():
            return answer({"strategies": await here.read(_all)})
    given = await body_of(request, NEW)
    made = await here.write(strategies.create, given.pop("name"), **given)
    location = f"/api/projects/{here.project.uid}/strategies/{made.name}"
    return answer(objects.strategy(made), status=201, location=site_of(request).path(location))


async def answer_strategy(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME`: one with its steps, or a change of it. Raises Conflict:
    409 for one that was made with an older version.
    """
    here, shown = await strategy_of(request)
    if request.method == "POST":
        given = await body_of(request, CHANGES)
        shown = await here.workspace.write(strategies.update, shown, by=here.by, **given)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_one, shown))


async def answer_steps(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/steps`: a new step."""
    here, shown = await strategy_of(request)
    given = await body_of(request, NEW_STEP)
    made = await here.workspace.write(steps.add, shown, given.pop("text"), by=here.by, **given)
    return answer(objects.step(made), status=201)


async def answer_step(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/steps/N`: a change of a step. Raises Conflict: 409 for one
    that was made with an older version.
    """
    here, shown = await strategy_of(request)
    number = number_in_path(request, "step")
    given = await body_of(request, CHANGED_STEP)
    await or_not_found(here.workspace.read(steps.one, shown, number))
    if given.pop("removed", False):
        if given.keys() - {"version"}:
            raise UsageError(message("a step is removed or changed, not both"))
        await here.workspace.write(steps.remove, shown, number, by=here.by, **given)
        return answer({"removed": number})
    made = await here.workspace.write(steps.edit, shown, number, by=here.by, **given)
    return answer(objects.step(made))


async def strategy_of(request: web.Request) -> tuple[ProjectRequest, Strategy]:
    here = await project_request(request)
    return here, await or_not_found(here.read(strategies.find, part_of_path(request, "strategy")))


async def answer_copy(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/copy`: a copy, with its steps reordered if asked."""
    here, shown = await strategy_of(request)
    given = await body_of(request, COPY)
    if "order" in given:
        made = await here.workspace.write(
            steps.reorder, shown, given["order"], given["name"], by=here.by
        )
    else:
        made = await here.workspace.write(steps.copy_strategy, shown, given["name"], by=here.by)
    location = f"/api/projects/{here.project.uid}/strategies/{made.name}"
    async with here.shared.admission.brief():
        value = await here.workspace.read(_one, made)
    return answer(value, status=201, location=site_of(request).path(location))


async def answer_counts(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/counts`: what is known of each step at each source."""
    here, shown = await strategy_of(request)
    async with here.shared.admission.brief():
        known = await here.workspace.read(figures.table, shown)
    return answer(objects.figures(known))


def _all(project: Project) -> list[Object]:
    return [
        objects.strategy(each) | {"steps": len(steps.of(project.db, each))}
        for each in strategies.of(project)
    ]


def _one(db: Database, shown: Strategy) -> Object:
    """A strategy with its steps, each as the one query that sources see."""
    rows = steps.of(db, shown)
    resolved = resolve_all(rows)
    listed: list[Object] = []
    for row in rows:
        whole = resolved.get(row.number)
        query = whole.text if isinstance(whole, ResolvedStep) else None
        problem = str(whole) if isinstance(whole, UsageError) else None
        listed.append(objects.step(row) | {"query": query, "problem": problem})
    return objects.strategy(shown) | {"steps": listed}


# Strategies as text of other databases, and as JSON search files: read and written.

PASTE: Members = {
    "text": Member(
        help="Lines copied out of Ovid, PubMed, Web of Science and others, as they stand there.",
        required=True,
        most=lines.LONGEST,
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
    "text": Member(help="The file as text.", most=search_file.LARGEST),
    # four characters for three bytes
    "base64": Member(help=FILE["base64"].help, most=search_file.LARGEST * 4 // 3 + 4),
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


async def answer_paste(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/paste`: a step for each line of a text, all or none."""
    here, shown = await strategy_of(request)
    given = await body_of(request, PASTE)
    made = await here.workspace.write(lines.copy_in, shown, given.pop("text"), by=here.by, **given)
    return answer(objects.paste_result(shown, made), status=201)


async def answer_text(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/written`: the steps in the syntax of another database."""
    here, shown = await strategy_of(request)
    asked = parameters_of(request.query, WRITE)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_text_of, shown, asked["syntax"]))


@in_share("uploads", "POST")
async def answer_file_reading(request: web.Request) -> web.Response:
    """`/api/projects/UID/search-files`: a strategy of each search of a file, all or none."""
    here = await project_request(request)
    # In a body a quotation mark takes two bytes.
    given = await body_of(request, READ_FILE, most=3 * search_file.LARGEST)
    content, name = content_of(given), given.pop("name")
    made = await here.write(search_file.add, content, name, **given)
    return answer(objects.search_file(made), status=201)


async def answer_file(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/search-file`: the strategy as a JSON search file."""
    here, shown = await strategy_of(request)
    asked = parameters_of(request.query, WRITE_FILE)
    async with here.shared.admission.brief():
        body = await here.workspace.read(search_file.write, shown, **{"syntax": "pubmed"} | asked)
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": 'attachment; filename="search.json"',
    }
    return web.Response(body=body, content_type=JSON, headers=headers)


def _text_of(db: Database, shown: Strategy, syntax: str) -> Object:
    made = writer.write_strategy(steps.of(db, shown), syntax, years=shown.years)
    return objects.strategy_text(shown, made)
