"""Which stages of a project a team screens: who, how many votes a work needs, and whether blind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects.projects import Project
from metasearch.review.screening import votes
from metasearch.review.store.values import now
from metasearch.review.works.works import STAGES, Stage

#: Votes of a work, screeners of a stage, characters of a uid.
MOST_NEEDED, MOST_SCREENERS, LONGEST_UID = 5, 50, 100
#: Actions of the log.
BEGIN, CHANGE, END = "begin team screening", "change team screening", "end team screening"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """How a stage is screened by a team.

    Attributes:
        stage: One of `STAGES`.
        needed: How many votes decide on a work.
        blind: Whether the votes on a work are seen only when it has all that it needs.
        screeners: Uids of users, sorted.
        created: When it began.
        ended: When it ended; None while it goes on. Votes that were given stay.
    """

    stage: Stage
    needed: int
    blind: bool
    screeners: tuple[str, ...]
    created: str
    ended: str | None


def teams(project: Project) -> dict[Stage, Team]:
    """Stage -> its team, of those that have or had one, in the order of the stages."""
    of: dict[str, list[str]] = {}
    for row in project.db.all(
        "SELECT stage, by FROM screener WHERE project = ? ORDER BY stage, by", project.id
    ):
        of.setdefault(row["stage"], []).append(row["by"])
    rows = {
        one["stage"]: one
        for one in project.db.all("SELECT * FROM screening WHERE project = ?", project.id)
    }
    return {
        stage: Team(
            stage=stage,
            needed=rows[stage]["needed"],
            blind=bool(rows[stage]["blind"]),
            screeners=tuple(of.get(stage, ())),
            created=rows[stage]["created"],
            ended=rows[stage]["ended"],
        )
        for stage in STAGES
        if stage in rows
    }


def team(project: Project, stage: Stage) -> Team | None:
    """The team that screens a stage now; None where each decision is that of the project."""
    found = teams(project).get(stage)
    return None if found is None or found.ended is not None else found


def voter(project: Project, stage: Stage) -> str:
    """Whose vote a decision is: of who acts, where they screen the stage in a team; "" where it is
    the decision of the project.
    """
    if not project.by:
        return ""
    found = team(project, stage)
    return project.by if found is not None and project.by in found.screeners else ""


def keeps_own_notes(project: Project) -> bool:
    """Whether the notes of a user are theirs: of who screens a stage blind, for a note would tell
    the others.
    """
    return any(
        found.blind and found.ended is None and project.by in found.screeners
        for found in teams(project).values()
    )


def begin(
    project: Project, stage: Stage, screeners: Sequence[str], *, needed: int = 2, blind: bool = True
) -> Team:
    """Let a team screen a stage from now on. What was decided before stays decided.

    `screeners`: uids of users, at least `needed`. `needed`: how many votes decide on a work, 1 to
    `MOST_NEEDED`. `blind`: whether nobody sees a vote of another before the work has all that it
    needs. Raises UsageError: a team screens it already, or a value cannot be used.
    """
    with project.db.transaction():
        earlier = _team_of_stage(project, stage)
        if earlier is not None and earlier.ended is None:
            raise UsageError(
                message("A team screens the stage {stage} already", stage=stage),
                advice=message("Change it, or end it first."),
            )
        people = _people(project, screeners)
        _check(needed, people)
        _check_blind(project, stage, earlier, blind)
        if blind and earlier is not None:
            _check_sealed(project, stage, needed < earlier.needed)
            _check_readers(project, stage, people)
        project.db.run(
            "INSERT INTO screening (project, stage, needed, blind, created) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET needed = excluded.needed, blind = excluded.blind,"
            " ended = NULL",
            project.id,
            stage,
            needed,
            int(blind),
            now(),
        )
        _set(project, stage, people)
        # What was decided by hand since an earlier team ended stays decided.
        votes.keep_decisions(project.db, project.id, stage, project.by)
        return _write_log(project, stage, BEGIN, earlier)


def change(
    project: Project,
    stage: Stage,
    *,
    needed: int | None = None,
    blind: bool | None = None,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> Team:
    """Change a team. The votes of a screener who leaves stay and count; a work whose votes are no
    longer enough, or are enough now, is undecided or decided from now on. Raises UsageError: no
    team screens the stage, or a value cannot be used; in a blind stage also fewer votes while some
    wait to be seen, and a screener who has had an archive with them.
    """
    with project.db.transaction():
        earlier = _now(project, stage)
        leaving = set(remove)
        if unknown := leaving - set(earlier.screeners):
            raise UsageError(
                message("{name} is no screener of this stage", name=repr(min(unknown)[:40]))
            )
        joining = [one for one in add if one not in earlier.screeners]
        stay = [one for one in earlier.screeners if one not in leaving]
        people = [*stay, *_people(project, joining)]
        if len(people) > MOST_SCREENERS:
            raise _too_many()
        now_needed = earlier.needed if needed is None else needed
        _check(now_needed, people)
        is_blind = earlier.blind if blind is None else blind
        _check_blind(project, stage, earlier, is_blind)
        if is_blind:
            _check_sealed(project, stage, now_needed < earlier.needed)
            _check_readers(project, stage, joining)
        project.db.run(
            "UPDATE screening SET needed = ?, blind = ? WHERE project = ? AND stage = ?",
            now_needed,
            int(is_blind),
            project.id,
            stage,
        )
        _set(project, stage, people)
        if (now_needed, is_blind) != (earlier.needed, earlier.blind):
            votes.settle_all(project.db, project.id, stage)
        return _write_log(project, stage, CHANGE, earlier)


def end(project: Project, stage: Stage) -> Team:
    """End it: from now on a decision of any member is that of the project. Votes stay; works that
    had not all of them, and conflicts, are undecided. Raises UsageError: no team screens the stage.
    """
    with project.db.transaction():
        earlier = _now(project, stage)
        project.db.run(
            "UPDATE screening SET ended = ? WHERE project = ? AND stage = ?",
            now(),
            project.id,
            stage,
        )
        return _write_log(project, stage, END, earlier)


def _team_of_stage(project: Project, stage: Stage) -> Team | None:
    if stage not in STAGES:
        raise UsageError(
            message("There is no stage {stage}", stage=repr(str(stage)[:40])),
            advice=message("Use one of {choices}.", choices=", ".join(STAGES)),
        )
    return teams(project).get(stage)


def _now(project: Project, stage: Stage) -> Team:
    found = _team_of_stage(project, stage)
    if found is None or found.ended is not None:
        raise UsageError(
            message("No team screens the stage {stage}", stage=stage),
            advice=message("The owner of the project lets one begin."),
        )
    return found


def _people(project: Project, given: Iterable[str]) -> list[str]:
    """Screeners, each once; in a workspace with users they are members who may screen."""
    from metasearch.review.users.permissions_and_quotas import IN_PROJECT

    people = list(dict.fromkeys(given))
    if len(people) > MOST_SCREENERS:
        raise _too_many()
    members = {
        row["uid"]: row["role"]
        for row in project.db.all(
            "SELECT user.uid, member.role FROM member JOIN user ON user.id = member.user"
            " WHERE member.project = ? AND NOT user.disabled",
            project.id,
        )
    }
    has_users = project.db.one("SELECT 1 FROM user LIMIT 1") is not None
    for one in people:
        role = members.get(one)
        fits = not has_users or (role is not None and "screen" in IN_PROJECT[role])
        if not one or len(one) > LONGEST_UID or not one.isprintable() or not fits:
            raise UsageError(
                message("{name} cannot screen the project", name=repr(one[:40])),
                advice=message("Screeners are members of the project, and no readers."),
            )
    return people


def _too_many() -> UsageError:
    return UsageError(message("A stage has at most {most} screeners", most=MOST_SCREENERS))


def _check(needed: int, people: Sequence[str]) -> None:
    if not 1 <= needed <= MOST_NEEDED:
        raise UsageError(message("A work needs 1 to {most} votes", most=MOST_NEEDED))
    if len(people) < needed:
        raise UsageError(
            message("A work needs more votes than there are screeners"),
            advice=message("Name {needed} screeners or more.", needed=needed),
        )


def _check_blind(project: Project, stage: Stage, earlier: Team | None, blind: bool) -> None:
    """Votes that were seen cannot be blind again: reports say "independently" of blind ones."""
    if (
        blind
        and earlier is not None
        and not earlier.blind
        and votes.works_with_votes(project.db, project.id, stage)
    ):
        raise UsageError(
            message("The votes of this stage were seen: it cannot become blind"),
            advice=message("Go on without."),
        )


def _check_sealed(project: Project, stage: Stage, fewer: bool) -> None:
    """Fewer votes would show those that wait: also to who has not voted yet on these works, and may
    when the number is raised again. How many there are is not told.
    """
    if fewer and votes.has_sealed_votes(project.db, project.id, stage):
        raise UsageError(
            message("Works have votes that wait for others: with fewer needed they would be seen"),
            advice=message("Wait until each of these works has all its votes; or go on not blind."),
        )


def _check_readers(project: Project, stage: Stage, people: Sequence[str]) -> None:
    """Who has had an archive with votes of the stage may have read them."""
    first = project.db.value(
        "SELECT min(decision.at) FROM decision JOIN work ON work.id = decision.work"
        " WHERE work.project = ? AND decision.stage = ? AND decision.by <> ''",
        project.id,
        stage,
    )
    for one in people if first else ():
        if project.db.one(
            "SELECT 1 FROM audit WHERE actor = ? AND action = 'export' AND object = ? AND at >= ?"
            " AND json_extract(detail, '$.what') = 'archive'",
            one,
            f"project:{project.uid}",
            first,
        ):
            raise UsageError(
                message("{name} has had an archive with votes of this stage", name=repr(one)),
                advice=message("Let somebody else screen it; or go on not blind."),
            )


def _set(project: Project, stage: Stage, people: Iterable[str]) -> None:
    project.db.run("DELETE FROM screener WHERE project = ? AND stage = ?", project.id, stage)
    project.db.run_many(
        "INSERT INTO screener (project, stage, by) VALUES (?, ?, ?)",
        [(project.id, stage, one) for one in people],
    )


def _write_log(project: Project, stage: Stage, action: str, earlier: Team | None) -> Team:
    made = teams(project)[stage]
    project.log(action, f"stage:{stage}", earlier and _as_log(earlier), _as_log(made))
    return made


def _as_log(shown: Team) -> dict[str, Any]:
    return {
        "needed": shown.needed,
        "blind": shown.blind,
        "screeners": list(shown.screeners),
        "ended": shown.ended,
    }
