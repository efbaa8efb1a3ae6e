"""`/projects/UID/screening`: one work after another for a screener, conflicts, and the team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.deciding import OUT
from metasearch.server.faces.projects.opened import (
    Opened,
    after_form,
    opened,
    unknown_form,
    version_of,
)
from metasearch.server.forms import posted
from metasearch.server.identity import identity_of
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.projects.screening import (
    MOST_CONFLICTS,
    ScreeningShown,
    screening_page,
)
from metasearch.server.received import only
from metasearch.server.sources import labels
from metasearch.workspace import log, objects
from metasearch.workspace.projects import Project
from metasearch.workspace.runs.labels import source_labels
from metasearch.workspace.screening import agreement, conflicts, progress, sight, teams
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import decisions, listing, works
from metasearch.workspace.works.filters import WorksQuery
from metasearch.workspace.works.names import rows_named
from metasearch.workspace.works.reasons import reasons
from metasearch.workspace.works.said import LONGEST_REASON
from metasearch.workspace.works.undo import is_own, undo, undoable
from metasearch.workspace.works.works import STAGES, Stage, Verdict, Work

if TYPE_CHECKING:
    from metasearch.workspace.screening.conflicts import Conflicts

#: One's own lines of the log among which a vote to undo is looked for.
_CHANGES = 20
#: Works of a page to vote on; of one that the script asks for, which begins after a work.
_AHEAD, _MORE = 10, 30


async def answer(request: web.Request) -> web.StreamResponse:
    """The page of a stage, or what one of its forms says."""
    here = await opened(request)

    async def render(said: Said) -> str:
        stage = _stage(said.fields if request.method == "POST" else request.query)
        uid = only(request.query, "work") or only(said.fields, "mark").partition(":")[2]
        return screening_page(
            here.visit,
            here.project,
            stage,
            await _shown(here, stage, uid, only(request.query, "after")),
            said,
            reason=only(request.query, "reason")[:LONGEST_REASON],
            done=only(request.query, "done"),
        )

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    return await after_form(request, fields, lambda: _done(here, fields), render)


def _stage(parameters: MultiMapping[str]) -> Stage:
    given = parameters.get("stage", "")
    return next((each for each in STAGES if each == given), "title")


# --------------------------------------------------------------------------- showing


async def _shown(here: Opened, stage: Stage, uid: str, after: str) -> ScreeningShown:
    await here.shared.engine.ready()  # the labels of the sources are in their specs
    with_users = identity_of(here.request) is not None
    async with here.shared.admission.brief():
        shown, of_answers = await here.workspace.read(
            _read,
            here.project,
            stage,
            (uid, after),
            here.by,
            owner=here.visit.can("resolve"),
            with_people=with_users and here.visit.can("members"),
            with_agreement=only(here.request.query, "agreement") == "yes",
        )
    records = (record for work in shown.works for record in work.hit.records)
    sources = {record.source for record in records} & {*here.shared.engine.registry.names()}
    return replace(shown, labels={**labels(here.shared.engine, sources), **of_answers})


def _read(
    db: Database,
    project: Project,
    stage: Stage,
    asked: tuple[str, str],
    by: str,
    *,
    owner: bool,
    with_people: bool,
    with_agreement: bool,
) -> tuple[ScreeningShown, Mapping[str, str]]:
    votes = bool(teams.voter(db, project, stage, by))
    found = conflicts.conflicts(db, project, stage, count=MOST_CONFLICTS)
    agreed = agreement.agreement(db, project).get(stage) if with_agreement else None
    stages = progress.progress(db, project, by)
    uids = {vote.by for one in found.conflicts for vote in one.votes}
    uids |= {by for pair in (agreed.pairs if agreed else ()) for by in (pair.first, pair.second)}
    for each in stages.values():
        uids |= {*each.team.screeners, *(one.by for one in each.screeners)}
    shown = ScreeningShown(
        progress=stages,
        works=_works(db, project, stage, *asked, by) if votes else (),
        voter=votes,
        undo=_undo(db, project, by) if votes else None,
        conflicts=found,
        resolvable=_resolvable(found, by, owner=owner, votes=votes),
        agreement=agreed,
        names=objects.names(db, uids),
        people=_people(db, project) if with_people else (),
        labels={},
        reasons=reasons(db, project, stage, by) if votes else (),
    )
    return shown, source_labels(db, project)


def _works(
    db: Database, project: Project, stage: Stage, uid: str, after: str, by: str
) -> list[Work]:
    """The work that is named, if one is; then those that wait for a vote of somebody: the first
    ones, or the next ones after a work.
    """
    rows = rows_named(db, project.id, [name for name in (uid, after) if name])
    query = WorksQuery(verdict="undecided", stage=stage, voter=by, count=_MORE if after else _AHEAD)
    waiting = listing.ahead(db, project, query, rows.get(after))
    first = [rows[uid]] if uid in rows else []
    return works.read(db, [*first, *(row for row in waiting if row not in first)], by)


def _undo(db: Database, project: Project, by: str) -> int | None:
    for row in db.all(
        "SELECT id FROM change WHERE project = ? AND by = ? AND action = ?"
        " ORDER BY id DESC LIMIT ?",
        project.id,
        by,
        decisions.MARK,
        _CHANGES,
    ):
        change = log.find(db, project.id, row["id"])
        if change and sight.whose(change) == by and undoable(db, project, [change], by):
            return change.id
    return None


def _resolvable(found: Conflicts, by: str, *, owner: bool, votes: bool) -> frozenset[str]:
    """Those that somebody may resolve: all for the owner, else where a screener has not voted."""
    return frozenset(
        one.work.uid
        for one in found.conflicts
        if owner or (votes and all(vote.by != by for vote in one.votes))
    )


def _people(db: Database, project: Project) -> list[tuple[str, str]]:
    """The members who may screen."""
    from metasearch.workspace.users import members
    from metasearch.workspace.users.permissions import IN_PROJECT

    return [
        (one.uid, one.shown)
        for one in members.of(db, project)
        if "screen" in IN_PROJECT[one.role] and not one.disabled
    ]


# --------------------------------------------------------------------------- changing


async def _done(here: Opened, fields: MultiMapping[str]) -> str:
    """Does what a form says; the address that shows it."""
    stage = _stage(fields)
    reason = only(fields, "reason").strip()
    match only(fields, "do"):
        case "undo":
            number = _number(only(fields, "change"))
            if not await here.workspace.read(is_own, here.project, number, here.by):
                here.needs("edit")
            await here.service.ready(here.project)
            await here.workspace.write(undo, here.project, number, by=here.by)
            return _at(here, stage, done="undone")
        case "begin" | "change" | "end" as what:
            here.needs("members")
            await here.workspace.write(_team, here.project, stage, what, fields, here.by)
            done = {"begin": "begun", "change": "changed", "end": "ended"}[what]
            return _at(here, stage, done=done)
        case "":
            pass
        case _:
            raise unknown_form()
    # A form of this page is for who may screen; the route has seen to that.
    if marked := only(fields, "mark"):
        verdict, _, uid = marked.partition(":")
        version = version_of(fields, f"decided-{uid}")
        versions = {} if version is None else {uid: version}
        await here.workspace.write(
            _voted, here.project, stage, uid, verdict, reason, versions, here.by
        )
        return _at(here, stage, done="voted", reason=reason)
    if uid := only(fields, "save"):
        note = only(fields, "note").strip()
        await here.workspace.write(decisions.set_note, here.project, uid, note, by=here.by)
        return _at(here, stage, done="noted", work=uid)
    if resolved := only(fields, "resolve"):
        verdict, _, uid = resolved.partition(":")
        await here.workspace.write(
            conflicts.resolve,
            here.project,
            [uid],
            cast("Verdict", verdict),
            stage=stage,
            reason=reason,
            owner=here.visit.can("resolve"),
            by=here.by,
        )
        return _at(here, stage, done="resolved")
    raise unknown_form()


def _voted(
    db: Database,
    project: Project,
    stage: Stage,
    uid: str,
    verdict: str,
    reason: str,
    versions: Mapping[str, int],
    by: str,
) -> None:
    """A vote; on this page nothing else is decided, also where the team was changed meanwhile."""
    with db.transaction():
        if not teams.voter(db, project, stage, by):
            raise UsageError(
                message("You do not screen the stage {stage} any more", stage=stage),
                advice=message("Votes that were given stay."),
            )
        decisions.mark(
            db,
            project,
            [uid],
            decisions.verdict_of(verdict),
            stage=stage,
            reason=reason if verdict in OUT else "",
            versions=versions,
            by=by,
        )


def _team(
    db: Database, project: Project, stage: Stage, what: str, fields: MultiMapping[str], by: str
) -> None:
    if what == "end":
        teams.end(db, project, stage, by=by)
        return
    needed, blind = _number(only(fields, "needed") or "2"), only(fields, "blind") == "yes"
    people = list(dict.fromkeys(fields.getall("screener", [])))
    with db.transaction():
        if what == "begin":
            teams.begin(db, project, stage, people, needed=needed, blind=blind, by=by)
            return
        now = teams.team(db, project, stage)
        there = () if now is None else now.screeners
        teams.change(
            db,
            project,
            stage,
            needed=needed,
            blind=blind,
            add=[one for one in people if one not in there],
            remove=[one for one in there if one not in people],
            by=by,
        )


def _at(here: Opened, stage: Stage, **parameters: str) -> str:
    given = {name: value for name, value in parameters.items() if value}
    return f"{here.path('/screening')}?{urlencode({'stage': stage, **given})}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise UsageError(message("{text} is no number", text=repr(text[:40])))
    return int(text)
