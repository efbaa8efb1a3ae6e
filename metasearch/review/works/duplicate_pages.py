"""The page of works that may be one: two side by side, to join or to keep apart."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.formats.text import line
from metasearch.review.page import (
    FormState,
    PageRequest,
    frame,
    number_of,
    page_or_form,
    page_request,
    unknown_form,
)
from metasearch.review.projects.projects import Project
from metasearch.review.runs.figures import source_labels
from metasearch.review.works import duplicates, pins
from metasearch.review.works.highlights import marker_of
from metasearch.review.works.pages import join
from metasearch.review.works.views import marked_hit
from metasearch.review.works.works import Work
from metasearch.server.forms import only
from metasearch.server.pages.environment import N_
from metasearch.server.pages.hit import Marker
from metasearch.server.pages.page import page
from metasearch.server.sources import labels

_DONE_WORDS = {
    "same": N_("Both are one work now."),
    "different": N_("They stay two works."),
}


async def answer_duplicates(request: web.Request) -> web.StreamResponse:
    here = await page_request(request)

    async def render(said: FormState) -> str:
        start = number_of(only(request.query, "start") or "0")
        await here.shared.engine.ready()  # the labels of the sources are in their specs
        async with here.shared.admission.brief():
            total, pair, marker, named = await here.read(_read, start)
        sources = {record.source for work in pair for record in work.hit.records}
        known = sources & {*here.shared.engine.registry.names()}
        shown = {**labels(here.shared.engine, known), **named}
        made = frame(here.visit, here.project, "/works")
        base = f"{made.base}/works/duplicates"
        return page(
            "projects/duplicates.html",
            here.visit,
            f"{here.visit.language.gettext('Possible duplicates')} · {line(here.project.title)}",
            current="/projects",
            frame=made,
            base=base,
            pair=[(work, *marked_hit(here.visit, work, shown, marker)) for work in pair],
            total=total,
            start=start,
            next=f"{base}?start={start + 1}" if start + 1 < total else "",
            first=base if start else "",
            said=said,
            done=_DONE_WORDS.get(only(request.query, "done"), ""),
        )

    return await page_or_form(request, lambda fields: _do(here, fields), render)


def _read(project: Project, start: int) -> tuple[int, list[Work], Marker, dict[str, str]]:
    total, pair = duplicates.pairs_from(project, start)
    return total, pair, marker_of(project), dict(source_labels(project))


async def _do(here: PageRequest, fields: MultiMapping[str]) -> str:
    verdict = only(fields, "do")
    if verdict not in ("same", "different"):
        raise unknown_form()
    one, other = only(fields, "one"), only(fields, "other")
    await here.service.ready(here.project)
    if verdict == "same":
        await here.write(join, [one, other])
    else:
        await here.write(pins.pin, "different", one, other)
    start = number_of(only(fields, "start") or "0")
    return here.path("/works/duplicates", start=start, done=verdict)
