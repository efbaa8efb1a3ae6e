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
    STAGE_WORDS,
    FormState,
    PageRequest,
    decision_words,
    frame,
    number_in,
    number_of,
    page_or_form,
    page_request,
    unknown_form,
    user_names,
    verdict_buttons,
)
from metasearch.review.projects import log
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.runs.figures import source_labels
from metasearch.review.screening import conflicts, sight, teams
from metasearch.review.screening.conflicts import Agreement, Conflicts, StageProgress
from metasearch.review.screening.teams import MOST_NEEDED
from metasearch.review.works import decisions, lists, works
from metasearch.review.works.decisions import reasons
from metasearch.review.works.highlights import marker_of
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.pages import OUT, save_lists
from metasearch.review.works.undo import undoable
from metasearch.review.works.views import (
    ChoiceLink,
    agreed_lists,
    decision_clash,
    lists_clash,
    marked_hit,
)
from metasearch.review.works.works import (
    LONGEST_REASON,
    STAGES,
    Finding,
    Stage,
    Verdict,
    Work,
    rows_by_name,
)
from metasearch.server.forms import only
from metasearch.server.identity import identity_of
from metasearch.server.pages.environment import N_
from metasearch.server.pages.hit import Marker
from metasearch.server.pages.page import page
from metasearch.server.sources import labels
from metasearch.server.visit import Visit

#: Conflicts of a page.
MOST_CONFLICTS = 10
#: Verdict -> its key, as `decisions.js` has them.
_KEYS: Mapping[str, str] = {
    "relevant": "I",
    "maybe": "M",
    "close": "C",
    "excluded": "E",
    "unavailable": "N",
    "": "0",
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "voted": N_("Your vote was kept."),
    "listed": N_("The lists were saved."),
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
class ScreeningPage:
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
        marker: Marks the words of the project.
        found: Uid of a work -> who found it.
    """

    progress: Mapping[Stage, StageProgress]
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
    marker: Marker
    found: Mapping[str, Sequence[Finding]]


def screening_page(
    visit: Visit,
    project: ProjectRow,
    stage: Stage,
    shown: ScreeningPage,
    said: FormState,
    *,
    reason: str = "",
    done: str = "",
) -> str:
    made = frame(visit, project, "/screening")
    base = f"{made.base}/screening"
    names = user_names(visit.language, shown.names)
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
            ChoiceLink(words, f"{base}?{urlencode({'stage': name})}", name == stage)
            for name, words in STAGE_WORDS.items()
        ],
        progress=progress,
        going=progress is not None and progress.team.ended is None,
        voter=shown.voter,
        works=[
            (
                work,
                *marked_hit(visit, work, shown.labels, shown.marker),
                shown.found.get(work.uid, ()),
                work.votes.get(stage),
            )
            for work in shown.works
        ],
        following=f"{base}?{urlencode({'stage': stage, 'after': shown.works[-1].uid})}"
        if shown.works
        else "",
        verdicts=verdict_buttons(project.kind, stage),
        keys=_KEYS,
        undo=shown.undo,
        conflicts=[
            (
                one,
                *marked_hit(visit, one.work, shown.labels, shown.marker),
                one.work.uid in shown.resolvable,
            )
            for one in shown.conflicts.conflicts
        ],
        labels=shown.labels,
        agreed=agreed_lists(project),
        conflicts_total=shown.conflicts.total,
        conflict_list=f"{made.base}/works?{urlencode({'verdict': 'conflict', 'stage': stage})}",
        own_list=f"{made.base}/works?{urlencode({'mine': 'yes', 'stage': stage})}",
        agreement=shown.agreement,
        agreement_address=f"{base}?{urlencode({'stage': stage, 'agreement': 'yes'})}#agreement",
        decision_words=decision_words(project.kind),
        undefined=_UNDEFINED,
        names=names,
        people=shown.people,
        reasons=shown.reasons,
        reason=reason,
        most_needed=MOST_NEEDED,
        said=said,
        clash=lists_clash(said, visit, base, f"{base}?{urlencode({'stage': stage})}")
        if said.place == "lists"
        else decision_clash(
            said,
            visit,
            project,
            base,
            f"{base}?{urlencode({'stage': stage})}",
            said.typed("mark").partition(":")[2],
        ),
        done=DONE_WORDS.get(done, ""),
    )


# `/projects/UID/screening`: one work after another for a screener, conflicts, and the team.

#: One's own lines of the log among which a vote to undo is looked for.
_CHANGES = 20
#: Works of a page to vote on; of one that the script asks for, which begins after a work.
_AHEAD, _MORE = 10, 30


async def answer_screening(request: web.Request) -> web.StreamResponse:
    """The page of a stage, or what one of its forms says."""
    here = await page_request(request)

    async def render(said: FormState) -> str:
        stage = _stage(said.fields if request.method == "POST" else request.query)
        uid = only(request.query, "work") or only(said.fields, "mark").partition(":")[2]
        return screening_page(
            here.visit,
            here.project,
            stage,
            await _screening_of(here, stage, uid, only(request.query, "after")),
            said,
            reason=only(request.query, "reason")[:LONGEST_REASON],
            done=only(request.query, "done"),
        )

    return await page_or_form(request, lambda fields: _do(here, fields), render)


def _stage(parameters: MultiMapping[str]) -> Stage:
    given = parameters.get("stage", "")
    return next((each for each in STAGES if each == given), "title")


async def _screening_of(here: PageRequest, stage: Stage, uid: str, after: str) -> ScreeningPage:
    await here.shared.engine.ready()  # the labels of the sources are in their specs
    with_users = identity_of(here.request) is not None
    async with here.shared.admission.brief():
        shown, of_answers = await here.read(
            _read,
            stage,
            (uid, after),
            owner=here.visit.can("resolve"),
            with_people=with_users and here.visit.can("members"),
            with_agreement=only(here.request.query, "agreement") == "yes",
        )
    shown_works = (*shown.works, *(one.work for one in shown.conflicts.conflicts))
    records = (record for work in shown_works for record in work.hit.records)
    sources = {record.source for record in records} & {*here.shared.engine.registry.names()}
    reader = here.visit.language
    asked = {name: reader.phrase(label) for name, label in of_answers.items()}
    return replace(shown, labels=labels(here.shared.engine, sources, reader) | asked)


def _read(
    project: Project,
    stage: Stage,
    asked: tuple[str, str],
    *,
    owner: bool,
    with_people: bool,
    with_agreement: bool,
) -> tuple[ScreeningPage, Mapping[str, str]]:
    votes = bool(teams.voter(project, stage))
    found = conflicts.conflicts(project, stage, count=MOST_CONFLICTS)
    agreed = conflicts.agreement(project).get(stage) if with_agreement else None
    stages = conflicts.progress(project, project.by)
    uids = {vote.by for one in found.conflicts for vote in one.votes}
    uids |= {by for pair in (agreed.pairs if agreed else ()) for by in (pair.first, pair.second)}
    for each in stages.values():
        uids |= {*each.team.screeners, *(one.by for one in each.screeners)}
    waiting = _works(project, stage, *asked) if votes else []
    shown = ScreeningPage(
        progress=stages,
        works=waiting,
        voter=votes,
        undo=_undo(project) if votes else None,
        conflicts=found,
        resolvable=_resolvable(found, project.by, owner=owner, votes=votes),
        agreement=agreed,
        names=objects.names(project.db, uids),
        people=_people(project) if with_people else (),
        labels={},
        reasons=reasons(project, stage, project.by) if votes else (),
        marker=marker_of(project),
        found={work.uid: works.findings_of(project.db, work) for work in waiting},
    )
    return shown, source_labels(project)


def _works(project: Project, stage: Stage, uid: str, after: str) -> list[Work]:
    """The work that is named, if one is; then those that wait for a vote of somebody: the first
    ones, or the next ones after a work.
    """
    rows = rows_by_name(project.db, project.id, [name for name in (uid, after) if name])
    query = WorksQuery(
        verdict="undecided", stage=stage, voter=project.by, count=_MORE if after else _AHEAD
    )
    waiting = lists.ahead(project, query, rows.get(after))
    first = [rows[uid]] if uid in rows else []
    return works.read(
        project.db, [*first, *(row for row in waiting if row not in first)], project.by
    )


def _undo(project: Project) -> int | None:
    for row in project.db.all(
        "SELECT id FROM change WHERE project = ? AND by = ? AND action = ?"
        " ORDER BY id DESC LIMIT ?",
        project.id,
        project.by,
        decisions.MARK,
        _CHANGES,
    ):
        change = log.find(project.db, project.id, row["id"])
        if change and sight.whose(change) == project.by and undoable(project, [change]):
            return change.id
    return None


def _resolvable(found: Conflicts, by: str, *, owner: bool, votes: bool) -> frozenset[str]:
    """Those that somebody may resolve: all for the owner, else where a screener has not voted."""
    return frozenset(
        one.work.uid
        for one in found.conflicts
        if owner or (votes and all(vote.by != by for vote in one.votes))
    )


def _people(project: Project) -> list[tuple[str, str]]:
    """The members who may screen."""
    from metasearch.review.projects import members
    from metasearch.review.users.permissions_and_quotas import IN_PROJECT

    return [
        (one.uid, one.shown)
        for one in members.of(project)
        if "screen" in IN_PROJECT[one.role] and not one.disabled
    ]


async def _do(here: PageRequest, fields: MultiMapping[str]) -> str:
    stage = _stage(fields)
    reason = only(fields, "reason").strip()
    match only(fields, "do"):
        case "undo":
            await here.undo(number_of(only(fields, "change")))
            return _at(here, stage, done="undone")
        case "begin" | "change" | "end" as what:
            here.needs("members")
            await here.write(_team, stage, what, fields)
            done = {"begin": "begun", "change": "changed", "end": "ended"}[what]
            return _at(here, stage, done=done)
        case "lists":
            here.needs("edit")
            await here.write(save_lists, fields)
            return _at(here, stage, done="listed")
        case "":
            pass
        case _:
            raise unknown_form()
    # A form of this page is for who may screen; the route has seen to that.
    if marked := only(fields, "mark"):
        verdict, _, uid = marked.partition(":")
        version = number_in(fields, f"decided-{uid}")
        versions = {} if version is None else {uid: version}
        await here.write(_vote, stage, uid, verdict, reason, versions)
        return _at(here, stage, done="voted", reason=reason)
    if uid := only(fields, "save"):
        note = only(fields, "note").strip()
        await here.write(decisions.set_note, uid, note)
        return _at(here, stage, done="noted", work=uid)
    if resolved := only(fields, "resolve"):
        verdict, _, uid = resolved.partition(":")
        await here.write(
            conflicts.resolve,
            [uid],
            cast("Verdict", verdict),
            stage=stage,
            reason=reason,
            owner=here.visit.can("resolve"),
        )
        return _at(here, stage, done="resolved")
    raise unknown_form()


def _vote(
    project: Project, stage: Stage, uid: str, verdict: str, reason: str, versions: Mapping[str, int]
) -> None:
    """A vote; on this page nothing else is decided, also where the team was changed meanwhile."""
    with project.db.transaction():
        if not teams.voter(project, stage):
            raise UsageError(
                message("You do not screen the stage {stage} any more", stage=stage),
                advice=message("Votes that were given stay."),
            )
        decisions.mark(
            project,
            [uid],
            decisions.verdict_of(verdict),
            stage=stage,
            reason=reason if verdict in OUT else "",
            versions=versions,
        )


def _team(project: Project, stage: Stage, what: str, fields: MultiMapping[str]) -> None:
    if what == "end":
        teams.end(project, stage)
        return
    needed, blind = number_of(only(fields, "needed") or "2"), only(fields, "blind") == "yes"
    people = list(dict.fromkeys(fields.getall("screener", [])))
    with project.db.transaction():
        if what == "begin":
            teams.begin(project, stage, people, needed=needed, blind=blind)
            return
        now = teams.team(project, stage)
        there = () if now is None else now.screeners
        teams.change(
            project,
            stage,
            needed=needed,
            blind=blind,
            add=[one for one in people if one not in there],
            remove=[one for one in there if one not in people],
        )


def _at(here: PageRequest, stage: Stage, **parameters: str) -> str:
    given = {name: value for name, value in parameters.items() if value}
    return f"{here.path('/screening')}?{urlencode({'stage': stage, **given})}"
