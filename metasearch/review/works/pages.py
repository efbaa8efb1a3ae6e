"""The pages of works: the list, what is decided in it, and exports.

The script of the pages sends decisions in their order. Each says on which work it was made, and on
which version of what was decided there. The browser sends again what it has no answer to; what
stands already changes nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import orjson
from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.errors import Conflict, UsageError
from metasearch.formats import WRITABLE
from metasearch.formats.text import line
from metasearch.message import message, message_n
from metasearch.review.api import VERSION, Member, Members, read_members, send_file
from metasearch.review.page import (
    FormState,
    PageRequest,
    after_form,
    decision_words,
    file_headers,
    number_in,
    number_of,
    page_request,
    unknown_form,
    version_of,
)
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.quota_checks import take_export
from metasearch.review.reports.questions import REASONS, WORDS
from metasearch.review.runs.figures import source_labels
from metasearch.review.screening import sight, teams
from metasearch.review.service import in_share, names
from metasearch.review.works import decisions, lists, pins, works
from metasearch.review.works.api import export_works
from metasearch.review.works.decisions import reasons
from metasearch.review.works.decisions_file import import_decisions
from metasearch.review.works.export import EXPORTS, TOOLS, file_of
from metasearch.review.works.highlights import marker_of
from metasearch.review.works.lists import SORTS, STANDINGS, WorksQuery
from metasearch.review.works.undo import undoable
from metasearch.review.works.views import DONE_WORDS, PAGE, WorksListPage, works_page
from metasearch.review.works.works import (
    LONGEST,
    LONGEST_REASON,
    STAGES,
    VERDICTS,
    Stage,
    decision_version,
    rows_by_name,
)
from metasearch.server.forms import (
    Upload,
    local_address,
    only,
    read_form_with_file,
)
from metasearch.server.pages.page import page_response
from metasearch.server.pages.work import FORMAT_WORDS
from metasearch.server.problem import Problem
from metasearch.server.search import is_usable
from metasearch.server.sources import labels
from metasearch.server.visit import Visit, visit_of

#: Decisions of one form.
MOST = 20
#: Verdicts for which a reason is kept.
OUT = ("excluded", "unavailable")
_DECISION: Members = {
    "work": Member(help="Its uid.", required=True, most=LONGEST),
    "verdict": Member(help="As a button has it.", choices=(*VERDICTS, "")),
    "reason": Member(help="Of an exclusion.", most=LONGEST_REASON),
    "version": VERSION,
    "vote": Member(help="Whether the page took it for a vote.", kind="flag", required=True),
}


async def decide(here: PageRequest, stage: Stage, fields: MultiMapping[str]) -> web.Response:
    """Keep the decisions of a form one after another, and answer for each: `status` 200 with the
    `version` that stands now, or 409 or 400 with a `text` that says why it was not kept.
    """
    # Behind a proxy that names the user, another one may have logged in since the page was made.
    if only(fields, "who") != here.by:
        raise Problem(403, None, message("The page was made for somebody else. Load it again."))
    given = [_read_decisions(text) for text in fields.getall("decision", [])]
    if not 1 <= len(given) <= MOST:
        reason = message("must be one of {values}", values=f"1-{MOST}")
        raise Problem.bad_parameter("decision", reason)
    answers = [await _answer(here, stage, one) for one in given]
    return web.Response(
        body=orjson.dumps({"decisions": answers}),
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def _read_decisions(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        reason = message("must be an object")
        raise Problem.bad_parameter("decision", reason)
    return read_members(value, _DECISION)


async def _answer(here: PageRequest, stage: Stage, given: dict[str, Any]) -> dict[str, Any]:
    """Each is a change of its own: others may write between two of them."""
    try:
        version = await here.write(_decide_one, stage, given)
    except UsageError as error:
        if error.status not in (400, 409):
            raise
        said = here.visit.language.phrase
        text = "\n".join(said(each) for each in (error.message, error.advice) if each)
        answer = {"work": given["work"], "status": error.status, "text": text}
        if isinstance(error, Conflict):
            theirs = error.theirs or {}
            words = decision_words(here.project.kind)[theirs["verdict"]]
            answer |= {"version": error.version, **theirs}
            answer["words"] = here.visit.language.gettext(words)
            answer["text"] = said(message("Something else was decided on this work meanwhile."))
        return answer
    return {"work": given["work"], "status": 200, "version": version}


def _decide_one(project: Project, stage: Stage, given: dict[str, Any]) -> int:
    """Decides on a work; the version that stands then."""
    with project.db.transaction():
        voter = teams.voter(project, stage)
        if bool(voter) != given["vote"]:
            raise UsageError(
                message("You do not screen the stage {stage} any more", stage=stage)
                if given["vote"]
                else message("A team screens the stage {stage} now", stage=stage),
                advice=message("Load the page again."),
            )
        verdict = decisions.verdict_of(given.get("verdict", ""))
        version = given.get("version")
        decisions.mark(
            project,
            [given["work"]],
            verdict,
            stage=stage,
            reason=given.get("reason", "") if verdict in OUT else "",
            versions={} if version is None else {given["work"]: version},
        )
        row = rows_by_name(project.db, project.id, [given["work"]])[given["work"]]
        return decision_version(decisions.decisions_of(project.db, [row], stage, voter)[row][1])


#: Bytes of a file with decisions; tags of a field; changes among which one to undo is looked for.
MOST_BYTES, _MOST_TAGS, _CHANGES = 50_000_000, 50, 20
#: Format of an export, or the tool it is for -> its name; the first ones are for screening.
_FORMAT_WORDS: Mapping[str, str] = {
    "ris": "RIS",
    "csv": "CSV",
    "nbib": FORMAT_WORDS["nbib"],
    "asreview": "ASReview (CSV)",
    "rayyan": "Rayyan (CSV)",
    "covidence": "Covidence (RIS)",
    "eppi": "EPPI-Reviewer (RIS)",
    **{name: FORMAT_WORDS[name] for name in FORMAT_WORDS if name not in ("ris", "csv", "nbib")},
}
#: Actions that the page undoes: those of its forms.
_OF_WORKS = frozenset({decisions.MARK, decisions.TAG, decisions.NOTE, pins.PIN, pins.UNPIN})
#: Works that are joined, or records that one is kept apart from, at a time.
_MOST_JOINED = 50


@in_share("uploads", "POST")
async def answer_works(request: web.Request) -> web.StreamResponse:
    here = await page_request(request)

    async def render(said: FormState) -> str:
        given = (
            request.query
            if request.method != "POST"
            else MultiDict(
                parse_qsl(
                    urlsplit(said.fields.get("back", "")).query
                )  # of the list it was sent from
            )
        )
        query = query_of(given, by=here.by)
        shown = await _works_of(here, query)
        told = _notice(here.visit, request.query)
        reason = only(request.query, "reason")[:LONGEST_REASON]
        return works_page(here.visit, here.project, query, shown, said, reason=reason, told=told)

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields, upload = await read_form_with_file(request, MOST_BYTES)
    if only(fields, "do") == "decide":
        return await decide(here, _stage(fields), fields)
    return await after_form(request, fields, lambda: _do(here, fields, upload), render)


def _stage(fields: MultiMapping[str]) -> Stage:
    return next((each for each in STAGES if each == only(fields, "stage")), "title")


def query_of(parameters: MultiMapping[str], count: int = PAGE, *, by: str = "") -> WorksQuery:
    """What a list shows, by the parameters of its address; "mine" is about the votes of `by`.
    Raises UsageError: a number is none.
    """

    def every(name: str) -> tuple[str, ...]:
        return tuple("" if one == "-" else one for one in parameters.getall(name, []) if one)

    def one(name: str) -> str:
        return next((value for value in every(name) if value), "")

    years = one("years")
    if one("from") or one("to"):
        first, last = one("from").strip(), one("to").strip()
        years = first if first == last else f"{first}-{last}"
    verdict = one("verdict")
    stage, sort = one("stage") or "title", one("sort") or "added"
    return WorksQuery(
        text=one("q"),
        verdict=next((each for each in STANDINGS if each == verdict), ""),
        stage=next((each for each in STAGES if each == stage), "title"),
        voter=by if one("mine") else "",
        tags=every("tag"),
        sources=every("source"),
        steps=every("step"),
        runs=tuple(map(number_of, every("run"))),
        first_runs=tuple(map(number_of, every("first"))),
        years=years,
        types=every("type"),
        languages=every("language"),
        open_access=every("oa"),
        known={"yes": True, "no": False}.get(one("known")),
        sort=next((each for each in SORTS if each == sort), "added"),
        start=number_of(one("start") or "0"),
        count=count,
    )


async def _works_of(here: PageRequest, query: WorksQuery) -> WorksListPage:
    await here.shared.engine.ready()  # the labels of the sources are in their specs
    async with here.shared.admission.brief():
        shown = await here.read(_read, query)
    people = await names(here.request, here.workspace, (pin.by for pin in shown.pins))
    named = {record.source for work in shown.page.works for record in work.hit.records}
    # Databases that were searched by hand have no spec.
    sources = named & {*here.shared.engine.registry.names()}
    reader = here.visit.language
    asked = {name: reader.phrase(label) for name, label in shown.labels.items()}
    return replace(
        shown,
        labels=labels(here.shared.engine, sources, reader) | asked,
        people=people or {},
        formats=[
            (name, words)
            for name, words in _FORMAT_WORDS.items()
            if name in EXPORTS and is_usable(name)
        ],
    )


def _read(project: Project, query: WorksQuery) -> WorksListPage:
    """What the file has of it; `labels` are those of answers alone."""
    page = lists.page(project, query, reader=project.by)
    counts = lists.verdict_counts(project, query.stage)
    newest = [
        change
        for change in sight.lines(project, project.by, most=_CHANGES)
        if change.action in _OF_WORKS
    ]
    can = undoable(project, newest)
    return WorksListPage(
        page=page,
        found={work.uid: works.findings_of(project.db, work) for work in page.works},
        links={work.uid: works.links_of(project, work) for work in page.works},
        pins=pins.of(project),
        total=sum(counts.values()),
        decided=sum(counts.values()) - counts["undecided"],
        labels=source_labels(project),
        reasons=reasons(project, query.stage, project.by),
        undo=next((change for change in newest if change.id in can), None),
        votes=bool(teams.voter(project, query.stage)),
        marker=marker_of(project),
    )


def _notice(visit: Visit, parameters: MultiMapping[str]) -> str:
    """What was done, by the parameters that the answer to a form has set."""
    done = parameters.get("done", "")
    if done == "imported":
        changed, same, unknown = (
            number_of(parameters.get(name, "0")) for name in ("changed", "same", "unknown")
        )
        return visit.language.phrase(
            message_n(
                "{count} decision was imported; {same} were as they are, and {unknown} rows of the "
                "file name no work of the project.",
                "{count} decisions were imported; {same} were as they are, and {unknown} rows of "
                "the file name no work of the project.",
                changed,
                same=same,
                unknown=unknown,
            )
        )
    if done == "marked" and (works_ := number_of(parameters.get("works", "0"))) > 1:
        return visit.language.phrase(
            message_n(
                "The decision was kept for {count} work.",
                "The decision was kept for {count} works.",
                works_,
            )
        )
    return visit.language.gettext(DONE_WORDS[done]) if done in DONE_WORDS else ""


async def _do(here: PageRequest, fields: MultiMapping[str], upload: Upload) -> str:
    back = local_address(only(fields, "back"), here.visit.site) or here.path("/works")
    stage = _stage(fields)
    reason = only(fields, "reason").strip()
    versions = {
        uid: version
        for uid in [*fields.getall("id", []), only(fields, "mark").partition(":")[2]]
        if (version := number_in(fields, f"decided-{uid}")) is not None
    }
    ticked = fields.getall("id", [])
    await here.service.ready(here.project)
    match only(fields, "do"):
        case "undo":
            await here.undo(number_of(only(fields, "change")))
            return _back(back, done="undone")
        case "lists":
            here.needs("edit")
            await here.write(save_lists, fields)
            return _back(back, done="listed")
        case "decisions":
            here.needs("edit")
            return await _import_decisions(here, stage, upload)
        case "":
            pass
        case _:
            raise unknown_form()
    if marked := only(fields, "mark"):
        verdict, _, uid = marked.partition(":")
        return await _decide(here, back, [uid], verdict, stage, reason, versions)
    if uid := only(fields, "save"):
        had = _tags(only(fields, f"had-{uid}")) if f"had-{uid}" in fields else None
        await here.write(
            _save_notes,
            uid,
            only(fields, f"note-{uid}"),
            _tags(only(fields, f"tags-{uid}")),
            had,
            number_in(fields, f"version-{uid}"),
        )
        return _back(back, done="saved")
    if key := only(fields, "apart"):
        here.needs("edit")
        await here.write(_keep_apart, key)
        return _back(back, done="apart")
    if number := only(fields, "unpin"):
        here.needs("edit")
        await here.write(pins.unpin, number_of(number))
        return _back(back, done="unpinned")
    match only(fields, "all"):
        case "same":
            here.needs("edit")
            await here.write(join, _check_uids(ticked))
            return _back(back, done="same")
        case "tag" | "untag" as what:
            tags, none = _tags(only(fields, "tags")), ()
            await here.write(
                decisions.tag,
                _check_uids(ticked),
                *((tags, none) if what == "tag" else (none, tags)),
            )
            return _back(back, done="tagged")
        case verdict if "all" in fields:
            return await _decide(here, back, _check_uids(ticked), verdict, stage, reason, versions)
    raise unknown_form()


async def _decide(
    here: PageRequest,
    back: str,
    uids: list[str],
    verdict: str,
    stage: Stage,
    reason: str,
    versions: Mapping[str, int],
) -> str:
    await here.write(
        decisions.mark,
        uids,
        decisions.verdict_of(verdict),
        stage=stage,
        reason=reason if verdict in OUT else "",
        versions={uid: versions[uid] for uid in uids if uid in versions},
    )
    return _back(back, done="marked", works=str(len(uids)), reason=reason)


def save_lists(project: Project, fields: MultiMapping[str]) -> None:
    """Keeps the reasons and words of a form, one a line. Raises Conflict: others have changed them
    since; UsageError: one cannot be kept.
    """
    projects.answer(
        project,
        {REASONS: only(fields, "reasons"), WORDS: only(fields, "words")},
        version=version_of(fields),
    )


def _save_notes(
    project: Project,
    uid: str,
    note: str,
    wanted: tuple[str, ...],
    had: tuple[str, ...] | None,
    version: int | None,
) -> None:
    """Keeps note and tags of a work. `had`: those that the form was made with, so that tags that
    others have given or taken since stay so; None for those of now.
    """
    with project.db.transaction():
        work = works.find(project, uid, reader=project.by)
        before = work.tags if had is None else had
        if note.strip() != line(work.note):
            decisions.set_note(project, work.uid, note.strip(), version=version)
        decisions.tag(
            project,
            [work.uid],
            [tag for tag in wanted if tag not in before],
            [tag for tag in before if tag not in wanted],
        )


def join(project: Project, uids: list[str]) -> None:
    if not 2 <= len(uids) <= _MOST_JOINED:
        raise UsageError(
            message("{count} works cannot be joined", count=len(uids)),
            advice=message("Tick 2 to {most} works.", most=_MOST_JOINED),
        )
    with project.db.transaction():
        found = [[record.key for record in works.find(project, u).hit.records] for u in uids]
        keys = [keys[0] for keys in found] + [key for keys in found for key in keys[1:]]
        if len(keys) > _MOST_JOINED:
            raise UsageError(
                message("{count} works cannot be joined", count=len(uids)),
                advice=message("They have more than {most} records.", most=_MOST_JOINED),
            )
        for other in keys[1:]:
            # A pin joins two records. Where identifiers contradict it, the others of their works
            # are left behind: they are pinned, too.
            joined = works.find(project, keys[0]).hit.records
            if all(record.key != other for record in joined):
                pins.pin(project, "same", keys[0], other)


def _keep_apart(project: Project, key: str) -> None:
    with project.db.transaction():
        work = works.find(project, key)
        others = [record.key for record in work.hit.records if record.key != key]
        if not others or len(others) == len(work.hit.records) or len(others) > _MOST_JOINED:
            raise UsageError(
                message("{key} cannot be kept apart", key=repr(key[:80])),
                advice=message(
                    "A record is kept apart from at most {most} others of its work.",
                    most=_MOST_JOINED,
                ),
            )
        for other in others:
            pins.pin(project, "different", key, other)


async def _import_decisions(here: PageRequest, stage: Stage, upload: Upload) -> str:
    if not upload.name:
        raise UsageError(
            message("No file was chosen"),
            advice=message("Choose the file that the screening tool has exported."),
        )
    done = await here.work(import_decisions, upload.content, upload.name, stage=stage)
    return here.path(
        "/works",
        stage=stage,
        done="imported",
        changed=done.changed,
        same=done.unchanged,
        unknown=len(done.not_imported),
    )


def _check_uids(uids: list[str]) -> list[str]:
    if not uids:
        raise UsageError(
            message("No work is ticked"), advice=message("Tick the works in the list first.")
        )
    return uids


def _tags(text: str) -> tuple[str, ...]:
    named = (tag.strip() for tag in text.replace("，", ",").replace("、", ",").split(","))
    return tuple(dict.fromkeys(tag for tag in named if tag))[:_MOST_TAGS]


def _back(address: str, **parameters: str) -> str:
    """The address of the list, with what was done in place of what was done before."""
    parts = urlsplit(address)
    before = [pair for pair in parse_qsl(parts.query) if pair[0] not in ("done", "works", "reason")]
    query = urlencode([*before, *((name, one) for name, one in parameters.items() if one)])
    return urlunsplit(parts._replace(query=query))


# `/projects/UID/works/export`: works of a list in a file, or for a screening tool.


@in_share("exports", "GET")
async def answer_export(request: web.Request) -> web.StreamResponse:
    here = await page_request(request)
    name = only(request.query, "format") or "ris"
    if name not in EXPORTS:
        offered = [
            (each, WRITABLE[TOOLS.get(each, each)].media_type)
            for each in EXPORTS
            if is_usable(each)
        ]
        raise Problem.unacceptable(message("There is no such format."), offered)
    query, file = query_of(request.query, by=here.by), file_of(name)
    await take_export(request, here.project, name)

    with tempfile.TemporaryFile() as written:
        how = {"stage": query.stage, "style": visit_of(request).style}
        await here.long(export_works, query, name, how, written)
        headers = file_headers(f"{here.project.name}-works", file.extension)
        return await send_file(request, written, file.media_type, headers=headers)
