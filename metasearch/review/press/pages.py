"""The pages of reviews: that of a project's strategy, whose mends change its steps, and that of a
text that is pasted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.extras import is_installed
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.page import (
    FormState,
    PageRequest,
    after_form,
    frame,
    page_request,
    strategy_path,
    with_parameters,
)
from metasearch.review.press.answer import Review, review_text, with_mends
from metasearch.review.press.api import LONGEST, text_and_syntax
from metasearch.review.press.findings import CODES, ELEMENTS, Finding, Severity
from metasearch.review.press.peer_review import keep, syntax_of, text_of
from metasearch.review.press.peer_review import rows as rows_for_people
from metasearch.review.press.reading import ReviewLine
from metasearch.review.projects.projects import Project
from metasearch.review.reports import press_form
from metasearch.review.reports.pages import file_response
from metasearch.review.reports.render import FORMATS, write
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps
from metasearch.review.strategies.pages import find_strategy
from metasearch.review.strategies.strategies import Strategy
from metasearch.server.forms import only, read_form_fields
from metasearch.server.pages.environment import N_
from metasearch.server.pages.hit import SYNTAX_WORDS
from metasearch.server.pages.page import page, page_response
from metasearch.server.problem import Problem

SEVERITY_WORDS: dict[Severity, str] = {
    "error": N_("error"),
    "warning": N_("warning"),
    "hint": N_("hint"),
}
#: Formats of the form of PRESS.
FORMS = ("html", "docx")
#: What was done, by the address that a form leads to.
_DONE = {
    "edited": N_("The step was changed."),
    "kept": N_("The review is kept with the strategy; its reports have it."),
}
#: Characters of a place or a mend that are shown.
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding on a page. `mend`: the value of its button; "" where it has none."""

    severity: Severity
    words: str
    element: str
    message: str
    text: str
    mend: str
    instead: str


@dataclass(frozen=True, slots=True)
class LineRow:
    """A line with what is wrong with it; None for what belongs to no line."""

    number: int | None
    text: str
    findings: Sequence[FindingRow]


def rows_of(made: Review) -> list[LineRow]:
    """The lines of a strategy in their order, each with its findings."""
    beside: dict[int | None, list[FindingRow]] = {}
    starts = {one.start: at for at, one in enumerate(made.strategy.lines)}
    for finding in made.findings:
        at = next(
            (
                starts[one.start]
                for one in made.strategy.lines
                if one.start <= finding.start <= one.end and one.number == finding.line
            ),
            None,
        )
        beside.setdefault(at, []).append(_row(made, finding))
    rows = [
        LineRow(one.number, one.text.strip(), beside.get(at, ()))
        for at, one in enumerate(made.strategy.lines)
    ]
    return [*rows, LineRow(None, "", beside[None])] if None in beside else rows


def _row(made: Review, finding: Finding) -> FindingRow:
    text = " ".join(made.strategy.text[finding.start : finding.end].split())
    fix = finding.fix
    return FindingRow(
        finding.severity,
        SEVERITY_WORDS[finding.severity],
        ELEMENTS[CODES[finding.code].element],
        finding.message,
        text[:_SHOWN],
        f"{finding.code}:{finding.start}" if fix is not None else "",
        " ".join(fix.replacement.split())[:_SHOWN] if fix is not None else "",
    )


async def answer_text(request: web.Request) -> web.Response:
    """`/projects/UID/review`: a text is pasted and reviewed; a mend changes the text."""
    here = await page_request(request)
    if request.method != "POST":
        return page_response(request, _page(here, None, "", "auto", FormState()))
    fields = await read_form_fields(request)
    text, syntax = only(fields, "text"), only(fields, "syntax") or "auto"
    if len(text) > LONGEST:
        error = UsageError(
            message("The text has more than {most} characters", most=f"{LONGEST:,}"),
            advice=message("Copy in one search strategy at a time."),
        )
        return page_response(request, _page(here, None, text, syntax, FormState(error)), 400)
    if syntax not in SYNTAX_WORDS:
        syntax = "auto"
    if chosen := _chosen(fields):
        async with here.shared.admission.brief():
            text, _ = await asyncio.to_thread(_mended, text, syntax, chosen)
    async with here.shared.admission.brief():
        made = await asyncio.to_thread(review_text, text, syntax)
    return page_response(request, _page(here, made, text, syntax, FormState()))


def _mended(text: str, syntax: str, chosen: tuple[str, int]) -> tuple[str, int]:
    return with_mends(text, syntax, only=(chosen,))


async def answer_strategy(request: web.Request) -> web.StreamResponse:
    """`/projects/UID/strategies/NAME/review`: the review of a strategy; a mend changes a step."""
    here = await page_request(request)
    shown = await find_strategy(here)

    async def render(said: FormState) -> str:
        text, syntax = await here.workspace.read(text_and_syntax, shown)
        async with here.shared.admission.brief():
            made = await asyncio.to_thread(review_text, text, syntax)
        return _page(here, made, "", syntax, said, strategy=shown)

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields = await read_form_fields(request)

    async def change() -> str:
        base = here.path(f"{strategy_path(shown.name)}/review")
        if only(fields, "do") == "keep":
            await here.write(_keep, shown)
            return with_parameters(base, {"done": "kept"})
        await here.workspace.write(_mend, shown, _chosen(fields), by=here.by)
        return with_parameters(base, {"done": "edited"})

    return await after_form(request, fields, change, render)


def _keep(project: Project, shown: Strategy) -> None:
    listed = steps.of(project.db, shown)
    made = review_text(text_of(listed), syntax_of(listed))
    keep(project, shown, listed, rows_for_people(made.strategy, made.findings))


async def answer_form(request: web.Request) -> web.Response:
    """`/projects/UID/strategies/NAME/review/press.docx`: the form of PRESS as a file."""
    here = await page_request(request)
    shown = await find_strategy(here)
    name, _, ending = request.match_info["form"].rpartition(".")
    if name != press_form.KIND or ending not in FORMS:
        raise Problem(404, None, message("There is no such file"))
    text, syntax = await here.workspace.read(text_and_syntax, shown)
    form, language = FORMATS[ending], here.visit.language.tag.partition("-")[0]

    def content() -> bytes:
        made = review_text(text, syntax)
        found = rows_for_people(made.strategy, made.findings)
        document = press_form.document(made.strategy, found, name=shown.name, language=language)
        return write(document, form.name)

    file = await here.shared.admission.written(content, large=True)
    stem = f"{here.project.name}-{shown.name}-{request.match_info['form']}"
    return file_response(file, form, stem)


def _mend(db: Database, shown: Strategy, chosen: tuple[str, int] | None, *, by: str) -> None:
    """Take one mend in the step that it stands in. Raises UsageError: it is no longer there."""
    text, syntax = text_and_syntax(db, shown)
    made = review_text(text, syntax)
    for finding in made.findings:
        if (finding.code, finding.start) != chosen or finding.fix is None:
            continue
        fix = finding.fix
        for one in made.strategy.lines:
            if one.number is not None and one.start <= fix.start and fix.end <= one.end:
                steps.edit(db, shown, one.number, text=_with_fix(made, one, finding), by=by)
                return
    raise UsageError(
        message("This mend is not there any more"),
        advice=message("The strategy was changed since; look at the review again."),
    )


def _with_fix(made: Review, one: ReviewLine, finding: Finding) -> str:
    fix, text = finding.fix, made.strategy.text
    assert fix is not None
    return text[one.start : fix.start] + fix.replacement + text[fix.end : one.end]


def _chosen(fields: MultiMapping[str]) -> tuple[str, int] | None:
    """The code and place of the mend whose button was pressed; None for none."""
    code, _, start = only(fields, "mend").rpartition(":")
    known = code in CODES and start.isascii() and start.isdigit() and len(start) < 8
    return (code, int(start)) if known else None


def _page(
    here: PageRequest,
    made: Review | None,
    text: str,
    syntax: str,
    said: FormState,
    *,
    strategy: Strategy | None = None,
) -> str:
    visit = here.visit
    title = visit.language.gettext("Review of a strategy")
    rest = f"{strategy_path(strategy.name)}/review" if strategy else "/review"
    counts = {
        severity: sum(one.severity == severity for one in made.findings) if made else 0
        for severity in SEVERITY_WORDS
    }
    return page(
        "projects/press.html",
        visit,
        f"{title} · {line(here.project.title)}",
        current="/projects",
        frame=frame(visit, here.project, "/strategies"),
        base=here.path(rest),
        strategy=strategy,
        back=here.path(strategy_path(strategy.name)) if strategy else here.path("/strategies"),
        rows=rows_of(made) if made else (),
        made=made,
        counts=counts,
        # What was mended is the text as it was read.
        text=text,
        syntax=syntax,
        read_as=SYNTAX_WORDS.get(made.strategy.syntax, made.strategy.syntax) if made else "",
        syntaxes=SYNTAX_WORDS,
        said=said,
        done=_DONE.get(only(here.request.query, "done"), ""),
        forms={
            form: FORMATS[form].label
            for form in FORMS
            if strategy and (form != "docx" or is_installed("docx"))
        },
    )
