"""The page of a stage that a team screens: works to vote on, conflicts, progress, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlencode

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review import objects
from metasearch.review.page import (
    DECISION_WORDS,
    STAGE_WORDS,
    VERDICTS_OF,
    Opened,
    Said,
    after_form,
    called,
    frame,
    opened,
    unknown_form,
    version_of,
)
from metasearch.review.projects import log
from metasearch.review.projects.projects import Project
from metasearch.review.runs.figures import source_labels
from metasearch.review.screening import conflicts, sight, teams
from metasearch.review.screening import conflicts as agreement
from metasearch.review.screening import conflicts as progress
from metasearch.review.screening.conflicts import Agreement, Conflict, Conflicts, Progress
from metasearch.review.screening.teams import MOST_NEEDED
from metasearch.review.store.database import Database
from metasearch.review.works import decisions, lists, works
from metasearch.review.works.decisions import reasons
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.pages import OUT
from metasearch.review.works.undo import is_own, undo, undoable
from metasearch.review.works.views import Choice, decision_clash
from metasearch.review.works.works import LONGEST_REASON, STAGES, Stage, Verdict, Work, rows_named
from metasearch.server.forms import only, posted
from metasearch.server.identity import identity_of
from metasearch.server.pages.environment import N_
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.page import page, page_response
from metasearch.server.sources import labels
from metasearch.server.visit import Visit

#: Conflicts of a page.
MOST_CONFLICTS = 10
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "voted": N_("Your vote was kept."),
    "noted": N_("Your note was saved."),
    "undone": N_("The change was undone."),
    "resolved": N_("The conflict was resolved."),
    "begun": N_("The team screens this stage now."),
    "changed": N_("The team was changed."),
    "ended": N_("The team screens this stage no more."),
}
#: Why there is no kappa -> the words.
_UNDEFINED: Mapping[str, str] = {
    "no works": N_("none: no work has the votes of both"),
    "one category": N_("undefined: both have put all works into one category"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningShown:
    """What the page is made from.

    Attributes:
        progress: Stage -> how far it is, as far as the reader may see it.
        works: To vote on: the first one is shown, the others follow it.
        voter: Whether the reader screens the stage.
        undo: Number of the newest vote of the reader that can be undone; None for none.
        conflicts: The first ones of the stage, and how many there are.
        resolvable: Uids of those among them that the reader may resolve.
        agreement: Of the stage; None where it was not asked for: it reads all votes.
        people: (uid, name) of the members who may screen.
        reasons: For which works were excluded so far.
    """

    progress: Mapping[Stage, Progress]
    works: Sequence[Work]
    voter: bool
    undo: int | None
    conflicts: Conflicts
    resolvable: frozenset[str]
    agreement: Agreement | None
    names: Mapping[str, str]
    people: Sequence[tuple[str, str]]
    labels: Mapping[str, str]
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class VoteView:
    """A vote; `words` are to be translated."""

    name: str
    verdict: str
    words: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class KappaView:
    """A pair of screeners; `undefined` is to be translated, "" where there is a kappa."""

    first: str
    second: str
    works: int
    agreed: int
    kappa: str
    interval: str
    undefined: str


def screening_page(
    visit: Visit,
    project: Project,
    stage: Stage,
    shown: ScreeningShown,
    said: Said,
    *,
    reason: str = "",
    done: str = "",
) -> str:
    """The whole page. `reason`: to exclude; the one that was used last."""
    made = frame(visit, project, "/screening")
    base = f"{made.base}/screening"
    names = called(visit.language, shown.names)
    progress = shown.progress.get(stage)
    return page(
        "projects/screening.html",
        visit,
        f"{visit.language.gettext('Screening')} · {line(project.title)}",
        current="/projects",
        frame=made,
        base=base,
        marks=f"{made.base}/works",
        stage=stage,
        stages=[
            Choice(words, f"{base}?{urlencode({'stage': name})}", name == stage)
            for name, words in STAGE_WORDS.items()
        ],
        progress=progress,
        going=progress is not None and progress.team.ended is None,
        voter=shown.voter,
        works=[
            (work, hit_view(work.hit, shown.labels, visit.site.base), work.votes.get(stage))
            for work in shown.works
        ],
        following=f"{base}?{urlencode({'stage': stage, 'after': shown.works[-1].uid})}"
        if shown.works
        else "",
        verdicts=_buttons(stage),
        keys={"relevant": "I", "close": "C", "excluded": "E", "unavailable": "N", "": "0"},
        undo=shown.undo,
        conflicts=[
            (one.work, _votes(one, names), one.work.uid in shown.resolvable)
            for one in shown.conflicts.conflicts
        ],
        conflicts_total=shown.conflicts.total,
        conflict_list=f"{made.base}/works?{urlencode({'verdict': 'conflict', 'stage': stage})}",
        own_list=f"{made.base}/works?{urlencode({'mine': 'yes', 'stage': stage})}",
        agreement=shown.agreement,
        agreement_address=f"{base}?{urlencode({'stage': stage, 'agreement': 'yes'})}#agreement",
        kappas=[] if shown.agreement is None else _kappas(shown.agreement, names),
        names=names,
        people=shown.people,
        reasons=shown.reasons,
        reason=reason,
        most_needed=MOST_NEEDED,
        said=said,
        clash=decision_clash(
            said,
            visit.language,
            base,
            f"{base}?{urlencode({'stage': stage})}",
            said.typed("mark").partition(":")[2],
        ),
        done=DONE_WORDS.get(done, ""),
    )


def _buttons(stage: Stage) -> list[tuple[str, str]]:
    """(verdict, words to be translated); that of "" takes a vote back."""
    named = [(verdict, DECISION_WORDS[verdict]) for verdict in VERDICTS_OF[stage]]
    return [*named, ("", DECISION_WORDS["undecided"])]


def _votes(conflict: Conflict, names: Mapping[str, str]) -> list[VoteView]:
    return [
        VoteView(
            names[vote.by],
            vote.verdict,
            DECISION_WORDS[vote.verdict],
            line(vote.reason),
            line(conflict.notes.get(vote.by, "")),
        )
        for vote in conflict.votes
    ]


def _kappas(agreement: Agreement, names: Mapping[str, str]) -> list[KappaView]:
    return [
        KappaView(
            names[pair.first],
            names[pair.second],
            pair.kappa.n,
            pair.kappa.agreed,
            "" if pair.kappa.kappa is None else f"{pair.kappa.kappa:.2f}",
            "" if pair.kappa.low is None else f"{pair.kappa.low:.2f} – {pair.kappa.high:.2f}",
            _UNDEFINED.get(pair.kappa.undefined, ""),
        )
        for pair in agreement.pairs
    ]


# `/projects/UID/screening`: one work after another for a screener, conflicts, and the team.

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
    waiting = lists.ahead(db, project, query, rows.get(after))
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
    from metasearch.review.projects import members
    from metasearch.review.users.permissions import IN_PROJECT

    return [
        (one.uid, one.shown)
        for one in members.of(db, project)
        if "screen" in IN_PROJECT[one.role] and not one.disabled
    ]


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
