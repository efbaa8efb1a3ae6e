"""The pages of strategies: the list, one with its steps and runs, its search file.

`/projects/UID/strategies`: the strategies of a project, and forms for a new one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson
from aiohttp import web
from multidict import MultiMapping

from metasearch.engine.citations import MOST_ROUNDS
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.syntaxes import TARGETS
from metasearch.review.page import (
    FormState,
    PageRequest,
    after_form,
    file_headers,
    number_of,
    page_request,
    strategy_path,
    unknown_form,
    version_of,
    with_parameters,
)
from metasearch.review.projects.projects import Project
from metasearch.review.quota_checks import begin_run, import_file, resume_run
from metasearch.review.runs import citations, figures, imports, known_works, runs
from metasearch.review.runs.imports import FileImport
from metasearch.review.runs.plan import PER_SOURCE, RunOptions
from metasearch.review.service import in_share
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.strategies import paste, search_file, steps, strategies
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all
from metasearch.review.strategies.search_file import FileIn
from metasearch.review.strategies.steps import copy_strategy as copied
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.strategies.views import (
    DONE_WORDS,
    RunState,
    StepReading,
    StrategyPage,
    StrategyRow,
    run_state,
    steps_html,
    strategies_page,
    strategy_page,
)
from metasearch.review.strategies.writer import write_strategy
from metasearch.server.forms import (
    Upload,
    choice_of,
    only,
    read_form_with_file,
)
from metasearch.server.pages.environment import macro
from metasearch.server.pages.hit import SYNTAX_WORDS, Fault
from metasearch.server.pages.page import page_response, see_other
from metasearch.server.pages.settings import tickable
from metasearch.server.pages.sources import group_sources
from metasearch.server.problem import Problem
from metasearch.server.search_answers import head, send
from metasearch.server.sources import view

#: Bytes of a search file, as on the command line.
MOST_SEARCH_FILE = 5_000_000


@in_share("uploads", "POST")
async def answer_list(request: web.Request) -> web.StreamResponse:
    """The list, or a new strategy from its form or from a search file."""
    here = await page_request(request)

    notes: list[str] = []

    async def render(said: FormState) -> str:
        async with here.shared.admission.brief():
            listed = await here.read(lines_of, here.path())
        return strategies_page(here.visit, here.project, listed, said, notes)

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields, upload = await read_form_with_file(request, MOST_SEARCH_FILE)
    if only(fields, "do") != "read":
        return await after_form(request, fields, lambda: _make(here, fields), render)
    try:
        made = await _read(here, upload, only(fields, "name").strip())
    except UsageError as error:
        return page_response(request, await render(FormState(error, fields, "read")), 400)
    if made.notes:
        notes += made.notes
        return page_response(request, await render(FormState()))
    return see_other(request, here.path(strategy_path(made.strategies[0].name), done="read"))


async def _read(here: PageRequest, upload: Upload, name: str) -> FileIn:
    if not upload.name:
        raise UsageError(
            message("No file was chosen"), advice=message("Choose a JSON search file.")
        )
    return await here.write(search_file.add, upload.content, upload.name, strategy=name or None)


async def _make(here: PageRequest, fields: MultiMapping[str]) -> str:
    name, source = only(fields, "name").strip(), only(fields, "copy")
    if source:
        model = await here.read(strategies.find, source)
        made = await here.workspace.write(copied, model, name, by=here.by)
    else:
        made = await here.write(strategies.create, name)
    return here.path(strategy_path(made.name))


def lines_of(project: Project, base: str) -> list[StrategyRow]:
    return [
        StrategyRow(
            one.name,
            f"{base}{strategy_path(one.name)}",
            len(steps.of(project.db, one)),
            one.note,
            one.created,
        )
        for one in strategies.of(project)
    ]


#: Bytes of a file that a browser sends; the command line takes larger ones.
MOST_UPLOAD = 50_000_000
_LONGEST_TEXT = 20_000
_RANGE = re.compile(r"#?([0-9]{1,4})(?:\s*-\s*#?([0-9]{1,4}))?")


@in_share("uploads", "POST")
async def answer_strategy(request: web.Request) -> web.StreamResponse:
    """The page, or what one of its forms says."""
    here = await page_request(request)
    shown = await find_strategy(here)
    reading: list[StepReading] = []

    async def render(said: FormState) -> str:
        made = await _strategy_page(here, shown, said)
        return strategy_page(
            here.visit,
            here.project,
            made,
            said,
            reading=reading[0] if reading else None,
            done=await _done(here),
        )

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields, upload = await read_form_with_file(request, MOST_UPLOAD)
    if only(fields, "do") == "check":
        error = None
        try:
            reading.append(await here.workspace.read(_read_step, shown, *_step_text(fields)))
        except UsageError as fault:
            error = fault
        return page_response(request, await render(FormState(error, fields, "check")))
    return await after_form(request, fields, lambda: _do(here, shown, fields, upload), render)


async def answer_check(request: web.Request) -> web.StreamResponse:
    """How a step would be read, as a piece of the page; for the script, while a reader types."""
    here = await page_request(request)
    shown = await find_strategy(here)
    language = here.visit.language
    async with here.shared.admission.brief():
        try:
            reading = await here.workspace.read(_read_step, shown, *_step_text(request.query))
        except UsageError as error:
            fault = Fault.of(error) if isinstance(error, QuerySyntaxError) else None
            html = macro("projects/_checked.html", "not_read", language)(error, fault)
        else:
            html = macro("projects/_checked.html", "as_read", language)(reading)
    return page_response(request, str(html))


async def find_strategy(here: PageRequest) -> Strategy:
    name = here.request.match_info["strategy"][:_LONGEST_TEXT]
    try:
        return await here.read(strategies.find, name)
    except UsageError as error:
        raise Problem(404, None, error.message, advice=error.advice or None) from error


async def _done(here: PageRequest) -> str:
    """What is said of the form that was sent before."""
    said, number = (only(here.request.query, name) for name in ("done", "run"))
    if said == "imported":
        with suppress(UsageError):
            return await here.read(imports.summary, _number(number))
    return DONE_WORDS.get(said, "")


async def _strategy_page(here: PageRequest, shown: Strategy, said: FormState) -> StrategyPage:
    engine, query = here.shared.engine, here.request.query
    await engine.ready()
    async with here.shared.admission.brief():
        base = here.path(strategy_path(shown.name))
        made = await here.read(page_of, shown.name, base)
        chosen = frozenset(_source_names(here, made.strategy))
        listed = [each for each in view(engine) if tickable(each) or each.name in chosen]
    to = only(query, "to")
    number = said.typed("number") if said.place == "edit" else only(query, "edit")
    others = await here.read(strategies.of)
    return replace(
        made,
        others=[
            (one.name, here.path(strategy_path(one.name)))
            for one in others
            if one.name != made.strategy.name
        ],
        groups=group_sources(engine.registry, listed),
        chosen=chosen,
        edit=_number_or_none(number),
        asked=_number_or_none(only(query, "asked")),
        shows_known=bool(query.get("known")),
        to=to,
        written=await here.workspace.read(_text_of, made.strategy, to) if to in TARGETS else None,
        usual_records=PER_SOURCE,
        most_rounds=MOST_ROUNDS,
        today=now()[:10],
        can_edit=here.visit.can("edit"),
        ended=await _reason(here, made.strategy),
    )


async def _reason(here: PageRequest, shown: Strategy) -> str:
    """Why the newest run did not come to its end, where this process has made it."""
    newest = await here.read(_newest, shown)
    if newest is None:
        return ""
    job = here.service.jobs.job_of_run(here.project.id, newest.number)
    return (job.reason if job is not None else None) or ""


def page_of(project: Project, name: str, base: str) -> StrategyPage:
    shown = strategies.find(project, name)
    rows = steps.of(project.db, shown)
    validated = known_works.validate(project, shown).works if known_works.of(project) else ()
    last = project.db.value("SELECT max(number) FROM step WHERE strategy = ?", shown.id) or 0
    return StrategyPage(
        strategy=shown,
        figures=figures.table(project.db, shown),
        base=base,
        known=validated,
        run=run_in(project, shown, "running"),
        interrupted=run_in(project, shown, "interrupted"),
        next_number=max([last, *(row.number for row in rows)]) + 1,
    )


def run_in(project: Project, shown: Strategy, status: runs.RunStatus) -> RunState | None:
    """The newest run of a strategy that asks sources, where that is its status."""
    newest = _newest(project, shown)
    if newest is None or newest.status != status:
        return None
    return run_state(newest, runs.answers(project.db, newest))


def _source_names(here: PageRequest, shown: Strategy) -> list[str]:
    """The sources that a strategy names, one by one; names that are gone are left out."""
    registry = here.shared.engine.registry
    found: dict[str, None] = {}
    for name in shown.sources:
        try:
            found |= dict.fromkeys(registry.expand([name]))
        except UsageError:
            continue
    return list(found)


def _text_of(db: Database, shown: Strategy, to: str) -> Any:
    return write_strategy(steps.of(db, shown), to, years=shown.years)


def _read_step(db: Database, shown: Strategy, text: str, syntax: str) -> StepReading:
    """How a text would be read as the next step. Raises UsageError: it cannot be."""
    there = steps.of(db, shown)
    number = max((step.number for step in there), default=0) + 1
    draft = Step(id=0, strategy=shown.id, number=number, kind="query", text=text, syntax=syntax)
    found = resolve_all([*there, draft])[number]
    if not isinstance(found, ResolvedStep):
        raise found
    own = "" if found.syntax in ("", "simple") else SYNTAX_WORDS.get(found.syntax, "")
    return StepReading(found.text[:_LONGEST_TEXT], own, found.notes)


async def _do(here: PageRequest, shown: Strategy, fields: MultiMapping[str], upload: Upload) -> str:
    base = here.path(strategy_path(shown.name))
    write, note = here.workspace.write, only(fields, "note").strip()
    match only(fields, "do"):
        case "add" | "add-count" as what:
            if what == "add-count":
                here.needs("run")
            text, syntax = _step_text(fields)
            added = await write(steps.add, shown, text, syntax=syntax, note=note, by=here.by)
            if what == "add-count":
                await begin_run(here, shown, RunOptions(mode="counts", steps=(added.number,)))
            return with_parameters(base, {"done": "added"}, "add")
        case "edit":
            text_, syntax_ = _step_text(fields) if "text" in fields else (None, None)
            await write(
                steps.edit,
                shown,
                _number(only(fields, "number")),
                text=text_,
                syntax=syntax_,
                note=note,
                version=version_of(fields),
                by=here.by,
            )
            return with_parameters(base, {"done": "edited"}, "steps")
        case "remove":
            number = _number(only(fields, "number"))
            await write(steps.remove, shown, number, version=version_of(fields), by=here.by)
            return with_parameters(base, {"done": "removed"}, "steps")
        case "run" | "count" as what:
            here.needs("run")
            wanted = numbers(only(fields, "steps"))
            options = RunOptions(mode="counts", steps=wanted)
            if what == "run":
                options = RunOptions(steps=wanted, per_source=_number_or_none(only(fields, "per")))
            await begin_run(here, shown, options)
            return f"{base}#run"
        case "stop":
            here.needs("run")
            return with_parameters(base, {"done": await _end_run(here, shown)}, "steps")
        case "resume":
            here.needs("run")
            if (newest := await here.read(_newest, shown)) is not None:
                await resume_run(here, newest)
            return f"{base}#run"
        case "sources":
            await write(
                strategies.update,
                shown,
                sources=fields.getall("source", []),
                years=only(fields, "years").strip(),
                note=note,
                version=version_of(fields),
                by=here.by,
            )
            return with_parameters(base, {"done": "sources"}, "sources")
        case "import":
            done = await _import_step(here, shown, fields, upload)
            return import_address(base, done)
        case "cite":
            here.needs("run")
            if "direction" not in fields:
                raise UsageError(message("No direction of citations was chosen"))
            wanted_ = citations.CitationStep.of(
                {
                    "seeds": only(fields, "seeds").split("\n"),
                    "directions": fields.getall("direction", []),
                    "rounds": _number_or_none(only(fields, "rounds")) or 1,
                    "indexes": re.split("[,，;；]", only(fields, "indexes")),
                }
            )
            step = await here.write(citations.step_to_run, shown, wanted_)
            again_ = bool(only(fields, "again"))
            await begin_run(here, shown, RunOptions(steps=(step.number,), again=again_))
            return f"{base}#run"
        case "known":
            await here.write(known_works.add_lines, only(fields, "names"))
            return with_parameters(base, {"done": "known", "known": 1}, "known")
        case "paste":
            await write(
                paste.copy_in,
                shown,
                only(fields, "lines"),
                syntax=fields.get("syntax", "auto"),
                by=here.by,
            )
            return with_parameters(base, {"done": "pasted"}, "steps")
    raise unknown_form()


async def _end_run(here: PageRequest, shown: Strategy) -> str:
    """What is to be said of the run that goes on, or was interrupted, and is ended."""
    newest = await here.read(_newest, shown)
    if newest is not None and newest.status in ("running", "interrupted"):
        newest = await here.service.stop_run(here.project, newest)
    return "stopping" if newest is not None and newest.status == "running" else "stopped"


def _newest(project: Project, shown: Strategy) -> runs.Run | None:
    every = reversed(runs.of(project))
    return next((run for run in every if run.strategy == shown.id and run.mode != "import"), None)


async def _import_step(
    here: PageRequest, shown: Strategy, fields: MultiMapping[str], upload: Upload
) -> FileImport:
    claimed = only(fields, "claimed").strip().replace(",", "")
    if not upload.name and claimed != "0":
        raise UsageError(
            message("No file was chosen"),
            advice=message("Choose the file that the database has exported."),
        )
    return await import_file(
        here,
        shown,
        upload.content,
        upload.name or "none",
        source=only(fields, "database").strip(),
        searched=only(fields, "searched").strip(),
        query=only(fields, "query").strip(),
        claimed=_number_or_none(claimed),
    )


def import_address(base: str, done: FileImport) -> str:
    """The address of the page of a strategy that says what came of an import."""
    said = "again" if done.again else "imported"
    return with_parameters(base, {"done": said, "run": done.run.number}, "steps")


def _step_text(fields: Mapping[str, str]) -> tuple[str, str]:
    text = fields.get("text", "").replace("\r\n", "\n").strip()
    if not text:
        raise UsageError(message("The step has no text"), advice=message("Type a query."))
    return text, fields.get("syntax", "auto") or "auto"


def numbers(text: str) -> tuple[int, ...] | None:
    """The steps that a reader names: "4, 6-8"; None for none. Raises UsageError: no numbers."""
    found: list[int] = []
    for part in filter(None, (each.strip() for each in re.split("[,，;；]", text[:1000]))):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise UsageError(
                message("{text} names no steps", text=repr(part[:40])),
                advice=message("Write numbers with commas between, or a range: 4, 6-8."),
            )
        first = int(match[1])
        found += range(first, int(match[2] or first) + 1)
    return tuple(dict.fromkeys(found)) or None


def _number(text: str) -> int:
    return number_of(text.strip().lstrip("#"))


def _number_or_none(text: str) -> int | None:
    return _number(text) if text.strip() else None


async def answer_search_file(request: web.Request) -> web.StreamResponse:
    """The file, with the search string in the syntax that the address names."""
    here = await page_request(request)
    shown = await find_strategy(here)
    syntax = choice_of(request.query, "syntax", tuple(TARGETS), "pubmed")
    async with here.shared.admission.brief():
        try:
            content = await here.workspace.read(search_file.write, shown, syntax=syntax)
        except UsageError as error:
            raise Problem(400, None, error.message, advice=error.advice or None) from error
    headers = file_headers(f"{here.project.name}-{shown.name}-{syntax}", "json")
    return web.Response(body=content, content_type="application/json", headers=headers)


# `/projects/UID/strategies/NAME/progress`: the table of a strategy while a run goes on, as
# server-sent events. It is read from the file, so that any worker of the server can send it. An
# event has the whole table: its HTML is that of the page.

#: Seconds between two looks at the file, and between two lines of a silent stream.
EVERY = 0.5


@in_share("streams", "GET")
async def answer_progress(request: web.Request) -> web.StreamResponse:
    """The states of the table, from now to the end of the run."""
    here = await page_request(request)
    shown = await find_strategy(here)
    if request.method == "HEAD":
        return head("sse")
    return await send(request, _states(here, shown.name))


async def _has_left(here: PageRequest) -> bool:
    """Whether who follows the run is no member any more; never so on a server without users."""
    if not here.by:
        return False
    from metasearch.review.projects import members

    return await here.read(members.role, here.by) is None


async def _states(here: PageRequest, name: str) -> AsyncGenerator[bytes]:
    base = here.path(strategy_path(name))
    sent, silent = "", 0.0
    yield b"retry: %d\n" % here.shared.options.retry
    while not await _has_left(here):
        shown = await here.read(page_of, name, base)
        await here.shared.engine.scheduler.turns().next()
        shown = replace(shown, can_edit=here.visit.can("edit"))
        state, steps = steps_html(shown, here.visit.language)
        if shown.run is None:
            yield b"event: done\ndata: %s\n\n" % orjson.dumps({"steps": steps})
            return
        if state + steps != sent:
            sent, silent = state + steps, 0.0
            yield b"event: state\ndata: %s\n\n" % orjson.dumps({"state": state, "steps": steps})
        elif silent >= here.shared.options.ping:
            silent = 0.0
            yield b": ping\n"
        await asyncio.sleep(EVERY)
        silent += EVERY
