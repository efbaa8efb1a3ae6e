"""`/api/projects/UID/reports`: reports as they are now, and finished ones."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.language import CODES
from metasearch.message import message
from metasearch.references.check import VERDICTS
from metasearch.review import objects
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    or_not_found,
    parameters_of,
    part_of_path,
    project_request,
)
from metasearch.review.objects import Object
from metasearch.review.projects.projects import Project
from metasearch.review.quota_checks import begin_check
from metasearch.review.reports import overlap, render, reports
from metasearch.review.reports.document import Document
from metasearch.review.reports.reports import KINDS
from metasearch.review.runs import evidence, suggestions
from metasearch.review.strategies.api import strategy_of
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works import work_checks
from metasearch.review.works.work_checks import MOST_WORKS
from metasearch.server.problem import Problem
from metasearch.server.site import site_of

WRITE: Members = {
    "format": Member(
        help="How it is written; `json` without it. `docx` needs the extra `docx`.",
        choices=tuple(render.FORMATS),
    ),
    "language": Member(help="Without it that of the report.", choices=CODES),
    "number": Member(help="The finished report of this number, or the `last`.", most=40),
    "continues": Member(
        help="Of an update: the number of the finished report that it continues, or `last`.",
        most=40,
    ),
}
FINISH: Members = {
    "language": Member(help="Without it that of the report.", choices=CODES),
    "continues": Member(
        help="The number of the finished report that it continues, or `last`.", most=40
    ),
    "draft": Member(help="Whether a draft may be finished, too.", kind="flag"),
}


async def answer_reports(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports`: the kinds that there are, and the finished reports."""
    here = await project_request(request)
    async with here.shared.admission.brief():
        kept = await here.read(_all)
    kinds = [
        {"kind": kind.name, "label": kind.label, "languages": list(kind.languages)}
        for kind in KINDS.values()
    ]
    return answer({"kinds": kinds, "finished": kept})


CHECKED: Members = {
    "verdict": Member(help="Only works of these verdicts.", kind="texts", choices=VERDICTS, most=9),
    "start": Member(help="Works to pass over.", kind="whole", most=MOST_WORKS),
    "limit": Member(help="At most so many works; 200 without it.", kind="whole", most=1_000),
}


async def answer_checks(request: web.Request) -> web.Response:
    """`/api/projects/UID/check`: what is known of the included works, or a new check of them."""
    here = await project_request(request)
    if request.method == "POST":
        await body_of(request, {})
        await begin_check(here)
    given = parameters_of(request.query, CHECKED)
    async with here.shared.admission.brief():
        shown = await here.long(_checks, given)
    shown["error"] = here.service.check_error(here.project)
    if request.method != "POST":
        return answer(shown)
    location = site_of(request).path(f"/api/projects/{here.project.uid}/check")
    return answer(shown, status=202, location=location)


async def answer_check_stop(request: web.Request) -> web.Response:
    """`/api/projects/UID/check/stop`: ends a check; what was checked stays."""
    here = await project_request(request)
    await body_of(request, {})
    await here.write(work_checks.stop)
    return answer(await here.read(_checks, {}) | {"error": None})


def _checks(project: Project, given: dict[str, Any]) -> Object:
    listed = work_checks.checks_of(
        project,
        verdicts=given.get("verdict", VERDICTS),
        start=given.get("start", 0),
        most=given.get("limit", 200),
    )
    shown = objects.work_checks(work_checks.summary(project), listed)
    return shown | {"under_way": work_checks.is_under_way(project)}


async def answer_report(request: web.Request) -> web.Response:
    """`/api/projects/UID/reports/KIND`: a report as it is or was, or a new finished one."""
    here = await project_request(request)
    kind = part_of_path(request, "kind")
    if kind not in KINDS:
        names = ", ".join(KINDS)
        raise Problem(
            404, None, message("There is no such report; there are {names}.", names=names)
        )
    if request.method == "POST":
        given = await body_of(request, FINISH)
        previous = given.pop("continues", None)
        made = await here.write(reports.freeze, kind, previous=previous, **given)
        location = f"/api/projects/{here.project.uid}/reports/{kind}"
        address = site_of(request).path(location, number=made.number)
        return answer(objects.report(made), status=201, location=address)
    asked = parameters_of(request.query, WRITE)
    format_ = render.FORMATS[asked.pop("format", "json")]
    number = asked.pop("number", None)
    if number is not None:
        kept = await or_not_found(here.read(reports.find, kind, number))
        document = await here.workspace.read(reports.with_signatures, kept, format_.name)
    else:
        async with here.shared.admission.brief():
            document = await here.long(_now, kind, asked)
    body = await here.shared.admission.written(
        lambda: render.write(document, format_.name), large=True
    )
    headers = {
        "Cache-Control": "no-store",
        "Content-Type": format_.media_type,
        "Content-Disposition": f'attachment; filename="{kind}.{format_.ending}"',
    }
    return web.Response(body=body, headers=headers)


def _now(project: Project, kind: str, asked: dict[str, Any]) -> Document:
    return KINDS[kind].build(
        project, language=asked.get("language"), previous=asked.get("continues")
    )


def _all(project: Project) -> list[Object]:
    return [objects.report(each) for each in reports.frozen(project)]


WORDS: Members = {
    "limit": Member(help="At most so many words; 30 without it.", kind="whole", least=1, most=200),
}


async def answer_evidence(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/evidence`: what lines, alternatives and databases have
    brought.
    """
    here, shown = await strategy_of(request)
    async with here.shared.admission.brief():
        return answer(await here.long(_evidence, shown))


async def answer_words(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/words`: words that relevant works have and the strategy
    does not look for.
    """
    here, shown = await strategy_of(request)
    count = parameters_of(request.query, WORDS).get("limit", 30)
    async with here.shared.admission.brief():
        made = await here.long(
            suggestions.suggest, shown, count=count, most=suggestions.MOST_ON_A_SERVER
        )
    return answer(objects.suggestions(shown, made))


def _evidence(project: Project, shown: Strategy) -> Object:
    made = evidence.evidence(project, shown, most=evidence.MOST_ON_A_SERVER)
    return objects.evidence(shown, made, overlap.overlap(project).as_object())
