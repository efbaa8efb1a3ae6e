"""`/projects/UID/strategies/NAME/evidence`: what a strategy has brought by line, alternative and
database, and the words that are suggested for it.
"""

from __future__ import annotations

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.review.page import frame, page_request, strategy_path
from metasearch.review.projects.projects import Project
from metasearch.review.reports import overlap, strategy_evidence
from metasearch.review.reports.document import Document, speaker
from metasearch.review.reports.render.markup import html_body
from metasearch.review.runs import evidence, suggestions
from metasearch.review.strategies.pages import find_strategy
from metasearch.review.strategies.strategies import Strategy
from metasearch.server.pages.page import page, page_response

#: Words that the page suggests; level of the heading that the document begins with.
_WORDS, _LEVEL = 30, 2


async def answer_evidence(request: web.Request) -> web.StreamResponse:
    """The page; where something cannot be computed, why."""
    here = await page_request(request)
    shown = await find_strategy(here)
    code = here.visit.language.tag.partition("-")[0]
    async with here.shared.admission.brief():
        document, errors = await here.long(_computed, shown, code)
    body = await here.shared.admission.written(lambda: html_body(document, _LEVEL), large=True)
    title = f"{shown.name} · {line(here.project.title)}"
    html = page(
        "projects/evidence.html",
        here.visit,
        title,
        current="/projects",
        frame=frame(here.visit, here.project, "/strategies"),
        back=here.path(strategy_path(shown.name)),
        strategy=shown.name,
        errors=errors,
        body=body,
    )
    return page_response(request, html)


def _computed(
    project: Project, shown: Strategy, language: str
) -> tuple[Document, list[UsageError]]:
    found = words = None
    errors: list[UsageError] = []
    try:
        found = evidence.evidence(project, shown, most=evidence.MOST_ON_A_SERVER)
    except UsageError as error:
        errors.append(error)
    try:
        words = suggestions.suggest(project, shown, count=_WORDS, most=suggestions.MOST_ON_A_SERVER)
    except UsageError as error:
        errors.append(error)
    shares = tuple(overlap.section(project, speaker(language)))
    document = strategy_evidence.document(shown.name, found, words, language=language, more=shares)
    return document, errors
