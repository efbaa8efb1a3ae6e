"""What programs are shown of a workspace, by `--json` and by the JSON interface: objects for JSON.

Members may be added; those that are here keep their names and their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from metasearch.formats.answer import hit_object
from metasearch.review.alerts.news import News, SavedRun
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import Overview, Project
from metasearch.review.reports.questions import Question, Value
from metasearch.review.reports.reports import Report, Signature
from metasearch.review.runs.figures import Figures
from metasearch.review.runs.known_works import Validated, Validation
from metasearch.review.runs.runs import Run, SourceAnswer
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.works.lists import WorksPage
from metasearch.review.works.works import Decision, Finding, Stage, Work

if TYPE_CHECKING:
    from metasearch.review.projects.archive_reader import ImportedProject
    from metasearch.review.projects.members import Member
    from metasearch.review.runs.known_works import KnownWork
    from metasearch.review.screening.conflicts import Agreement, Conflicts, Progress
    from metasearch.review.store.database import Database
    from metasearch.review.strategies.paste import CopiedIn
    from metasearch.review.strategies.search_file import FileIn
    from metasearch.review.strategies.writer import Written
    from metasearch.review.users.accounts import User
    from metasearch.review.users.audit import AuditLine
    from metasearch.review.users.links import Link
    from metasearch.review.users.sessions import Session
    from metasearch.review.users.tokens import Token


#: An object for JSON.
Object = dict[str, Any]


def project(shown: Project, numbers: Overview | None = None) -> Object:
    """A project, and how much it holds where that is known."""
    made: Object = {
        "uid": shown.uid,
        "name": shown.name,
        "kind": shown.kind,
        "title": shown.title,
        "created": shown.created,
        "archived": shown.archived,
        "version": shown.version,
    }
    return made if numbers is None else made | {"holds": asdict(numbers)}


def imported_project(made: ImportedProject) -> Object:
    """A project that came of an archive, and what was in it."""
    return project(made.project) | {
        "rows": dict(made.rows),
        "pages": made.pages,
        "new_uids": made.new_uids,
    }


def with_name(made: Object, names: Mapping[str, str] | None) -> Object:
    """An object with the name of the user in its `by`; unchanged where there are no users."""
    return made if names is None else made | {"by_name": names.get(made["by"], "")}


def change(shown: Change) -> Object:
    """A line of the log."""
    return {
        "id": shown.id,
        "at": shown.at,
        "by": shown.by,
        "action": shown.action,
        "object": shown.object,
        "before": shown.before,
        "after": shown.after,
        "undoes": shown.undoes,
    }


def question(asked: Question, given: Mapping[str, Value]) -> Object:
    """A question of a report, with its answer of all that were given."""
    return {
        "key": asked.key,
        "label": asked.label,
        "help": asked.help,
        "kind": asked.kind,
        "group": asked.group,
        "reports": list(asked.reports),
        "required": list(asked.required),
        "choices": [choice.key for choice in asked.choices],
        "several": asked.several,
        "answer": given.get(asked.key),
    }


def strategy(shown: Strategy) -> Object:
    """A search strategy, without its steps."""
    return {
        "name": shown.name,
        "note": shown.note,
        "sources": list(shown.sources),
        "years": shown.years,
        "details": dict(shown.details),
        "created": shown.created,
        "version": shown.version,
    }


def step(shown: Step) -> Object:
    """A step as typed."""
    return {
        "number": shown.number,
        "kind": shown.kind,
        "text": shown.text,
        "syntax": shown.syntax,
        "note": shown.note,
        "parents": list(shown.parents),
        "details": dict(shown.details),
        "edited": shown.edited,
        "version": shown.version,
    }


def copied_in(strategy: Strategy, made: CopiedIn) -> Object:
    """The steps that came of the lines of a text."""
    return {
        "strategy": strategy.name,
        "syntax": made.syntax,
        "steps": [step(each) for each in made.steps],
        "notes": list(made.notes),
    }


def written(strategy: Strategy, made: Written) -> Object:
    """A strategy in the syntax of another database."""
    return {
        "strategy": strategy.name,
        "syntax": made.syntax,
        "lines": [
            {"label": line.label, "step": line.step, "text": line.text} for line in made.lines
        ],
        "notes": list(made.notes),
    }


def search_file(made: FileIn) -> Object:
    """The strategies that came of a search file."""
    return {
        "strategies": [strategy(each) for each in made.strategies],
        "notes": list(made.notes),
    }


def run(shown: Run, strategy: str = "") -> Object:
    """A run, without its answers; `strategy` is the name of its strategy."""
    return {
        "number": shown.number,
        "strategy": strategy,
        "mode": shown.mode,
        "status": shown.status,
        "by": shown.by,
        "started": shown.started,
        "ended": shown.ended,
        "tool": shown.tool,
        "options": dict(shown.options),
        "recorded": bool(shown.recorded),
    }


def answer(shown: SourceAnswer) -> Object:
    """What one source said to one step. A number that is not known is null, never 0."""
    return {
        "run": shown.run,
        "step": shown.step,
        "source": shown.source,
        "label": shown.label,
        "place": shown.place,
        "status": shown.status,
        "error": shown.error,
        "advice": shown.advice,
        "claimed": shown.claimed,
        "exact": shown.exact,
        "fetched": shown.fetched,
        "filtered": shown.filtered,
        "unread": shown.unread,
        "asked_at": shown.asked_at,
        "cached": shown.cached,
        "seconds": shown.seconds,
        "query": shown.query,
        "sent": shown.sent,
        "requests": [dict(request) for request in shown.requests],
        "notes": list(shown.notes),
    }


def figures(shown: Figures) -> Object:
    """The table of a strategy: what is known of each step at each source."""
    return {
        "sources": [{"source": name, "label": label} for name, label in shown.sources.items()],
        "steps": [
            {
                "number": line.step.number,
                "kind": line.step.kind,
                "text": line.step.text,
                "query": None if line.question is None else line.question.text,
                "problem": None if line.error is None else str(line.error),
                "stale": line.stale,
                "claimed": line.claimed,
                "fetched": line.fetched,
                "missing": list(line.missing),
                "notes": list(line.notes),
                "first": line.first,
                "last": line.last,
                "counts": [
                    {
                        "source": source,
                        "run": figure.newest.run,
                        "status": figure.newest.status,
                        "error": figure.newest.error,
                        "claimed": figure.claimed,
                        "exact": figure.newest.exact,
                        "fetched": None if figure.kept is None else figure.kept.fetched,
                        "asked_at": figure.newest.asked_at,
                        "cached": figure.newest.cached,
                        "stale": figure.stale,
                    }
                    for source, figure in line.figures.items()
                ],
            }
            for line in shown.steps
        ],
    }


def report(shown: Report) -> Object:
    """A finished report, without its document."""
    return {
        "kind": shown.kind,
        "number": shown.number,
        "title": shown.title,
        "language": shown.data.get("language"),
        "draft": bool(shown.data.get("draft")),
        "digest": shown.digest,
        "frozen": shown.frozen,
        "numbers": shown.data.get("numbers"),
    }


def signature(shown: Signature) -> Object:
    """Who has signed a finished report."""
    return asdict(shown)


def validated(shown: Validated) -> Object:
    """A known work, and which step and source found it."""
    return {
        "name": shown.known.name,
        "title": shown.known.record.title,
        "found": shown.found,
        "works": list(shown.works),
        "finders": [asdict(finder) for finder in shown.finders],
        "steps": [
            {
                "step": each.step,
                "sources": list(each.sources),
                "fits": each.fits,
                "lacks": list(each.lacks),
            }
            for each in shown.steps
        ],
    }


def known(shown: KnownWork) -> Object:
    """A work that searches are expected to find."""
    return {"name": shown.name, "title": shown.record.title, "year": shown.record.year}


def validation(strategy: Strategy, made: Validation) -> Object:
    """All known works of a project under one strategy."""
    return {
        "strategy": strategy.name,
        "found": made.found,
        "known": len(made.works),
        "works": [validated(each) for each in made.works],
    }


def work_line(shown: Work) -> Object:
    """A work as a list shows it; with the votes of who asks, where there are any."""
    made = {
        "uid": shown.uid,
        "title": shown.title,
        "author": shown.author,
        "year": shown.year,
        "type": shown.type,
        "venue": shown.venue,
        "language": shown.language,
        "doi": shown.doi,
        "citations": shown.citations,
        "open_access": shown.open_access,
        "retracted": shown.retracted,
        "sources": list(shown.sources),
        "decisions": {stage: _decision(made) for stage, made in shown.decisions.items()},
        "tags": list(shown.tags),
        "note": shown.note,
        "note_version": shown.note_version,
        "first_run": shown.first_run,
        "added": shown.added,
    }
    if shown.votes:
        made["votes"] = {stage: _decision(vote) for stage, vote in shown.votes.items()}
    return made


def _decision(made: Decision) -> Object:
    return asdict(made) | {"version": made.version}


def work(shown: Work, findings: Sequence[Finding]) -> Object:
    """A work with its merged record, its records, and who found it."""
    return work_line(shown) | {
        "hit": hit_object(shown.hit),
        "found_by": [found._asdict() for found in findings],
    }


def screening(db: Database, shown: Mapping[Stage, Progress]) -> Object:
    """The stages that a team screens, and how far each is, as far as who asks may see it."""
    uids = {by for each in shown.values() for by in each.team.screeners}
    uids |= {one.by for each in shown.values() for one in each.screeners}
    called = names(db, uids)
    return {
        "stages": [
            {
                "stage": stage,
                "needed": each.team.needed,
                "blind": each.team.blind,
                "created": each.team.created,
                "ended": each.team.ended,
                "team": [{"by": by, "name": called[by]} for by in each.team.screeners],
                "works": each.works,
                "decided": each.decided,
                "conflicts": each.conflicts,
                "votes": None
                if each.votes is None
                else {str(votes): works for votes, works in each.votes.items()},
                "screeners": [
                    {"by": one.by, "name": called[one.by], "done": one.done, "left": one.left}
                    for one in each.screeners
                ],
            }
            for stage, each in shown.items()
        ]
    }


def conflicts(db: Database, shown: Conflicts) -> Object:
    """A part of the list of works whose votes differ, with all votes."""
    called = names(db, {vote.by for each in shown.conflicts for vote in each.votes})
    return {
        "total": shown.total,
        "conflicts": [
            {
                "work": work_line(each.work),
                "votes": [
                    {
                        "by": vote.by,
                        "name": called[vote.by],
                        "verdict": vote.verdict,
                        "reason": vote.reason,
                        "at": vote.at,
                        "note": each.notes.get(vote.by, ""),
                    }
                    for vote in each.votes
                ],
            }
            for each in shown.conflicts
        ],
    }


def agreement(db: Database, shown: Mapping[Stage, Agreement]) -> Object:
    """How far screeners agree; a kappa that is undefined is null, with the reason."""
    pairs = [pair for each in shown.values() for pair in each.pairs]
    called = names(db, {by for pair in pairs for by in (pair.first, pair.second)})
    return {
        "stages": [
            {
                "stage": stage,
                "blind": each.blind,
                "needed": each.needed,
                "works": each.works,
                "independent": each.independent,
                "agreed": each.agreed,
                "pairs": [
                    {
                        "first": {"by": pair.first, "name": called[pair.first]},
                        "second": {"by": pair.second, "name": called[pair.second]},
                        **asdict(pair.kappa),
                    }
                    for pair in each.pairs
                ],
            }
            for stage, each in shown.items()
        ]
    }


def names(db: Database, uids: Iterable[str]) -> dict[str, str]:
    """Uid -> name for people."""
    from metasearch.review.users.accounts import (
        shown_name as shown,  # a server without users loads none of it
    )

    return shown(db, uids)


def works_page(shown: WorksPage) -> Object:
    """A part of a list of works."""
    return {
        "total": shown.total,
        "start": shown.start,
        "works": [work_line(each) for each in shown.works],
        "facets": [
            {
                "name": facet.name,
                "values": [{"value": each.value, "count": each.count} for each in facet.values],
                "more": facet.more,
            }
            for facet in shown.facets
        ],
    }


def saved_search(shown: SavedSearch, base: str = "") -> Object:
    """A saved search, with the addresses of its feed. `base`: absolute address of the server,
    without a slash at its end; "" where it is not known.
    """
    return {
        "uid": shown.uid,
        "name": shown.name,
        "query": shown.query,
        "syntax": shown.syntax,
        "sources": list(shown.sources),
        "years": shown.years,
        "per_source": shown.per_source,
        "schedule": shown.schedule,
        "next_run": shown.next_run,
        "paused": shown.paused,
        "email": shown.email,
        "feed": {ending: f"{base}/feeds/{shown.feed}.{ending}" for ending in ("atom", "json")},
        "created": shown.created,
        "version": shown.version,
    }


def saved_run(shown: SavedRun) -> Object:
    """A run of a saved search."""
    return {
        "number": shown.number,
        "status": shown.status,
        "baseline": shown.baseline,
        "started": shown.started,
        "ended": shown.ended,
        "works": shown.works,
        "told": shown.told,
        "waiting": shown.waiting,
        "passed_over": shown.passed_over,
        "error": shown.error,
        "sources": dict(shown.sources),
    }


def saved_news(shown: News) -> Object:
    """A piece of news, with its work."""
    return {
        "id": shown.id,
        "uid": shown.uid,
        "kind": shown.kind,
        "run": shown.run,
        "at": shown.at,
        "work": hit_object(shown.hit),
    }


# Users and what belongs to them as JSON objects, for the command line, the interface and exports.
# They hold no secret and no number of a row but those by which a session, a token or a link is
# ended.


def user(found: User) -> dict[str, Any]:
    """A user."""
    return {
        "uid": found.uid,
        "name": found.name,
        "shown": found.shown,
        "email": found.email,
        "email_proved": found.email_proved,
        "role": found.role,
        "origin": found.origin,
        "subject": found.subject,
        "disabled": found.disabled,
        "preferences": dict(found.preferences),
        "quotas": dict(found.quotas),
        "created": found.created,
        "last_login": found.last_login,
        "version": found.version,
        "has_password": found.has_password,
    }


def session(found: Session, current: int | None = None) -> dict[str, Any]:
    """A session; `current` is the row of the one that asks."""
    return {
        "id": found.id,
        "agent": found.agent,
        "created": found.created,
        "seen": found.seen,
        "expires": found.expires,
        "current": found.id == current,
    }


def token(found: Token) -> dict[str, Any]:
    """A token, without its text."""
    return {
        "id": found.id,
        "name": found.name,
        "scopes": sorted(found.scopes),
        "created": found.created,
        "expires": found.expires,
        "used": found.used,
    }


def member(found: Member) -> dict[str, Any]:
    """A member of a project."""
    return {
        "user": found.uid,
        "name": found.name,
        "shown": found.shown,
        "role": found.role,
        "added": found.added,
        "disabled": found.disabled,
    }


def link(found: Link) -> dict[str, Any]:
    """An open link, without its secret."""
    return {
        "id": found.id,
        "kind": found.kind,
        "user": found.user.uid if found.user else None,
        "project": found.project.uid if found.project else None,
        "role": found.role,
        "by": found.by,
        "created": found.created,
        "expires": found.expires,
    }


def line(found: AuditLine) -> dict[str, Any]:
    """A line of the audit log."""
    return {
        "id": found.id,
        "at": found.at,
        "actor": found.actor,
        "action": found.action,
        "object": found.object,
        "detail": dict(found.detail),
        "client": found.client,
    }
