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
_MOST_WORDS, _LEVEL = 30, 2


async def answer_evidence(request: web.Request) -> web.StreamResponse:
    """The page, or with `?words=1` that of the words; where it cannot be computed, why."""
    here = await page_request(request)
    shown = await find_strategy(here)
    words = bool(request.query.get("words"))
    code = here.visit.language.tag.partition("-")[0]
    body, fault = None, None
    async with here.shared.admission.brief():
        try:
            document = await here.long(_words if words else _evidence, shown, code)
        except UsageError as error:
            fault = error
    if fault is None:
        body = await here.shared.admission.written(lambda: html_body(document, _LEVEL), large=True)
    base = here.path(strategy_path(shown.name))
    html = page(
        "projects/evidence.html",
        here.visit,
        f"{shown.name} · {line(here.project.title)}",
        current="/projects",
        frame=frame(here.visit, here.project, "/strategies"),
        base=base,
        strategy=shown.name,
        words=words,
        fault=fault,
        body=body,
    )
    return page_response(request, html)


def _evidence(project: Project, shown: Strategy, language: str) -> Document:
    made = evidence.evidence(project, shown, most=evidence.MOST_ON_A_SERVER)
    shares = tuple(overlap.section(project, speaker(language)))
    return strategy_evidence.document(shown.name, made, None, language=language, more=shares)


def _words(project: Project, shown: Strategy, language: str) -> Document:
    most = suggestions.MOST_ON_A_SERVER
    made = suggestions.suggest(project, shown, count=_MOST_WORDS, most=most)
    return strategy_evidence.document(shown.name, None, made, language=language)
