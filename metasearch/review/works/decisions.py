"""What people decide on works, many at a time: verdicts, tags, notes.

Each call writes one line of the log, which says of every work that was changed what was there
before, so that `undo.py` can put it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects.projects import Project, ProjectRow, answers
from metasearch.review.reports.questions import REASONS
from metasearch.review.screening import teams, votes
from metasearch.review.screening.votes import Kept
from metasearch.review.store import values as versions_
from metasearch.review.store.database import Database
from metasearch.review.store.values import now, storable
from metasearch.review.works.records import AT_ONCE, batches, in_marks
from metasearch.review.works.works import (
    LONGEST_NOTE,
    LONGEST_REASON,
    STAGES,
    Stage,
    Verdict,
    allowed_verdicts,
    decision_version,
    rows_by_name,
    rows_of,
)

#: Works of one call; characters of a tag; tags of one call.
MOST_WORKS, LONGEST_TAG, MOST_TAGS = 200_000, 100, 50
#: Actions of the log.
MARK, TAG, NOTE = "mark works", "tag works", "note works"
#: What stands for no verdict where there must be a word.
UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What a call did.

    Attributes:
        works: How many works were changed.
        unchanged: How many were as they should be.
        change: Number of the line of the log; None where nothing was changed.
    """

    works: int
    unchanged: int
    change: int | None


def mark(
    project: Project,
    uids: Sequence[str],
    verdict: Verdict | None,
    *,
    stage: Stage = "title",
    reason: str = "",
    versions: Mapping[str, int] | None = None,
) -> ChangeResult:
    """Decide on works: for the project or, where a team screens the stage and who acts is one of
    its screeners, as a vote.

    `verdict`: None for undecided again. "unavailable" belongs to the stage of the whole text.
    `versions`: name of a work -> `decision_version` of what was shown to who decides. Works that
    are not named in it are decided on in any case. Raises Conflict: something else was decided on a
    work since; nothing was changed. What is sent again after a lost answer is no conflict: it
    stands already. Raises UsageError: a value cannot be used, a name is that of no work, or a work
    takes no vote or no decision (`votes.closed`).
    """
    check_verdict(project.kind, verdict, stage, reason)
    value = None if verdict is None else (verdict, _line(reason))
    with project.db.transaction():
        ids = _ids(project, uids)
        _check_versions(project, versions or {}, value, stage)
        return mark_each(project, dict.fromkeys(ids, value), stage=stage, action=MARK)


def _check_versions(
    project: Project, versions: Mapping[str, int], value: tuple[str, str] | None, stage: Stage
) -> None:
    rows = rows_by_name(project.db, project.id, list(versions)) if versions else {}
    there = decisions_of(project.db, rows.values(), stage, teams.voter(project, stage))
    for name, row in rows.items():
        uid, kept = there[row]
        stands = None if kept is None else (kept[0], kept[1])
        versions_.check_version(
            versions[name],
            decision_version(kept),
            message("Something else was decided on {uid} since it was shown to you", uid=uid),
            _verdict_members(value) if value != stands else {},
            _verdict_members(stands),
        )


def verdict_of(word: str) -> Verdict | None:
    """A verdict that was sent as a word; `check_verdict` checks it."""
    return None if word in ("", UNDECIDED) else cast("Verdict", word)


def _verdict_members(value: tuple[str, str] | None) -> dict[str, str]:
    verdict, reason = value or (UNDECIDED, "")
    return {"verdict": verdict, "reason": reason}


def check_verdict(kind: str, verdict: str | None, stage: str, reason: str = "") -> None:
    """Check what is to be decided in a project of a kind. Raises UsageError: it cannot be."""
    known = next((one for one in STAGES if one == stage), None)
    if known is None:
        raise UsageError(
            message("There is no stage {stage}", stage=repr(str(stage)[:40])),
            advice=message("Use one of {choices}.", choices=", ".join(STAGES)),
        )
    allowed = allowed_verdicts(kind, known)
    if verdict is not None and verdict not in allowed:
        raise UsageError(
            message(
                "There is no verdict {verdict} in the stage {stage}",
                verdict=repr(str(verdict)[:40]),
                stage=stage,
            ),
            advice=message("Use one of {choices}.", choices=", ".join(allowed)),
        )
    if len(reason) > LONGEST_REASON:
        raise UsageError(message("A reason has at most {most} characters", most=LONGEST_REASON))


def mark_each(
    project: Project,
    decided: Mapping[int, tuple[str, str] | None],
    *,
    stage: Stage,
    action: str,
    voter: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> ChangeResult:
    """Decide on each of some works, inside a transaction.

    `decided`: row of a work -> (verdict, reason), or None for undecided. `voter`: whose votes these
    are, "" for decisions of the project; None where that follows from who acts (`teams.voter`).
    Raises UsageError: a work takes no vote, or no decision but by votes.
    """
    if voter is None:
        voter = teams.voter(project, stage)
    there = {
        row: kept for row, (_, kept) in decisions_of(project.db, decided, stage, voter).items()
    }
    at = now()
    changed: dict[int, Kept] = {}
    for row, value in decided.items():
        was = there.get(row)
        if (None if was is None else (was[0], was[1])) != value:
            changed[row] = None if value is None else [*value, at]
    if not changed:
        return ChangeResult(0, len(decided), None)
    _check_open(project, stage, voter, changed)
    names = uids_of(project.db, changed)
    # Votes that are given when others could be seen are not independent of them
    # (screening/conflicts.py).
    open_ = votes.open_works(project.db, project.id, stage, changed) if voter else frozenset[int]()
    votes.write(project.db, stage, voter, changed)
    more: dict[str, Any] = {}
    if voter:
        follows = votes.settle(project.db, project.id, stage, changed, had_votes=True)
        more = {
            "seen": sorted(names[row] for row in open_),
            "decided": {names[row]: kept for row, (_, kept) in follows.items()},
        }
    line = project.log(
        action,
        _object(names.values()),
        {"stage": stage, "by": voter, "works": {names[row]: there.get(row) for row in changed}},
        {
            "stage": stage,
            "by": voter,
            "works": {names[row]: changed[row] for row in changed},
            **more,
            **(details or {}),
        },
    )
    return ChangeResult(len(changed), len(decided) - len(changed), line)


def _check_open(project: Project, stage: Stage, voter: str, rows: Iterable[int]) -> None:
    """Check that works take what is to be decided. Raises UsageError: one does not."""
    closed = votes.refusals(project.db, project.id, stage, voter, rows)
    if not closed:
        return
    names = uids_of(project.db, closed)
    row = min(closed)
    raise UsageError(
        message("Nothing can be decided on {uid}: {reason}", uid=names[row], reason=closed[row]),
        advice=message("Leave out {uids}.", uids=", ".join(sorted(names.values())[:5]))
        if voter
        else message("Where votes differ, the conflict is resolved."),
    )


def decisions_of(
    db: Database, rows: Iterable[int], stage: Stage, by: str
) -> dict[int, tuple[str, Kept]]:
    """Row of each work -> its uid, and what is decided on it."""
    found: dict[int, tuple[str, Kept]] = {}
    for some in batches(sorted(set(rows)), AT_ONCE):
        for row in db.all(
            "SELECT work.id, work.uid, decision.verdict, decision.reason, decision.at FROM work"
            " LEFT JOIN decision ON decision.work = work.id AND decision.stage = ?"
            f" AND decision.by = ? WHERE work.id IN ({in_marks(some)})",
            stage,
            by,
            *some,
        ):
            kept = None if row["verdict"] is None else [row["verdict"], row["reason"], row["at"]]
            found[row["id"]] = (row["uid"], kept)
    return found


def tag(
    project: Project, uids: Sequence[str], add: Sequence[str] = (), remove: Sequence[str] = ()
) -> ChangeResult:
    """Give works tags, and take tags from them. Raises UsageError: a tag cannot be one, or a name
    is that of no work.
    """
    added, removed = _tags(add), _tags(remove)
    if both := set(added) & set(removed):
        raise UsageError(
            message("The tag {tag} is both to be added and to be removed", tag=repr(min(both)))
        )
    with project.db.transaction():
        ids = _ids(project, uids)
        return tag_each(
            project, dict.fromkeys(added, ids), dict.fromkeys(removed, ids), total=len(ids)
        )


def tag_each(
    project: Project,
    add: Mapping[str, Sequence[int]],
    remove: Mapping[str, Sequence[int]],
    *,
    total: int,
) -> ChangeResult:
    """Give and take tags, each with the rows of its works, inside a transaction."""
    added: dict[str, list[int]] = {}
    for text, rows in add.items():
        have = works_with_tag(project.db, rows, text)
        if lacking := [row for row in rows if row not in have]:
            added[text] = lacking
    removed = {
        text: sorted(have)
        for text, rows in remove.items()
        if (have := works_with_tag(project.db, rows, text))
    }
    touched = {row for rows in (*added.values(), *removed.values()) for row in rows}
    if not touched:
        return ChangeResult(0, total, None)
    project.db.run_many(
        "INSERT INTO tag (work, text) VALUES (?, ?)",
        [(row, text) for text, rows in added.items() for row in rows],
    )
    project.db.run_many(
        "DELETE FROM tag WHERE work = ? AND text = ?",
        [(row, text) for text, rows in removed.items() for row in rows],
    )
    names = uids_of(project.db, touched)
    line = project.log(
        TAG,
        _object(names.values()),
        {text: [names[row] for row in rows] for text, rows in removed.items()},
        {text: [names[row] for row in rows] for text, rows in added.items()},
    )
    return ChangeResult(len(touched), total - len(touched), line)


def works_with_tag(db: Database, rows: Iterable[int], text: str) -> set[int]:
    """The works among some that have a tag."""
    return {
        row[0]
        for some in batches(sorted(set(rows)), AT_ONCE)
        for row in db.all(
            f"SELECT work FROM tag WHERE text = ? AND work IN ({in_marks(some)})", text, *some
        )
    }


def _tags(given: Sequence[str]) -> list[str]:
    texts = list(dict.fromkeys(map(_line, given)))
    if len(texts) > MOST_TAGS:
        raise UsageError(message("More than {most} tags at once", most=MOST_TAGS))
    for text in texts:
        if not text or len(text) > LONGEST_TAG or not text.isprintable():
            raise UsageError(
                message("{text} cannot be a tag", text=repr(text[:80])),
                advice=message("A tag has 1 to {most} characters.", most=LONGEST_TAG),
            )
    return texts


def set_note(project: Project, uid: str, text: str, *, version: int | None = None) -> ChangeResult:
    """Write a note on a work; "" removes it. It is the note of the project; but of who screens a
    stage blind it is their own (`teams.keeps_own_notes`). `version` is that of the note that the
    change was made with, 0 where there was none. Raises Conflict: the note was changed since that
    version; UsageError: it is too long, or there is no such work.
    """
    if len(text) > LONGEST_NOTE:
        raise UsageError(message("A note has at most {most} characters", most=f"{LONGEST_NOTE:,}"))
    text = _printable(text)
    with project.db.transaction():
        row = _ids(project, [uid])[0]
        whose = project.by if project.by and teams.keeps_own_notes(project) else ""
        there, standing = notes_of(project.db, [row], whose).get(row, ("", 0))
        if whose and not standing:
            there, standing = notes_of(project.db, [row]).get(row, ("", 0))
            if there == text:
                return ChangeResult(0, 1, None)  # that of the project, as they were shown it
        versions_.check_version(
            version,
            standing,
            message("The note was changed since you opened it"),
            {"text": text} if text != there else {},
            {"text": there},
        )
        return note_each(project, {row: text}, whose=whose)


def note_each(project: Project, notes: Mapping[int, str], *, whose: str = "") -> ChangeResult:
    """Write the notes of some works by their rows, inside a transaction: those of a screener, or ""
    for those of the project.
    """
    before = {row: text for row, (text, _) in notes_of(project.db, notes, whose).items()}
    changed = {row: text for row, text in notes.items() if before.get(row, "") != text}
    if not changed:
        return ChangeResult(0, len(notes), None)
    names = uids_of(project.db, changed)
    line = project.log(
        NOTE,
        _object(names.values()),
        {"by": whose, "works": {names[row]: before.get(row, "") for row in changed}},
        {"by": whose, "works": {names[row]: text for row, text in changed.items()}},
    )
    project.db.run_many(
        "DELETE FROM note WHERE work = ? AND by = ?", [(row, whose) for row in changed]
    )
    at = now()
    project.db.run_many(
        "INSERT INTO note (work, by, text, at, version) VALUES (?, ?, ?, ?, ?)",
        [(row, whose, text, at, line) for row, text in changed.items() if text],
    )
    return ChangeResult(len(changed), len(notes) - len(changed), line)


def notes_of(db: Database, rows: Iterable[int], whose: str = "") -> dict[int, tuple[str, int]]:
    """Row of a work -> its note and the version of it, of those that have one: the notes of a
    screener, or "" for those of the project.
    """
    return {
        row["work"]: (row["text"], row["version"])
        for some in batches(sorted(set(rows)), AT_ONCE)
        for row in db.all(
            f"SELECT work, text, version FROM note WHERE by = ? AND work IN ({in_marks(some)})",
            whose,
            *some,
        )
    }


def uids_of(db: Database, rows: Iterable[int]) -> dict[int, str]:
    """Row of a work -> its uid."""
    return {
        row["id"]: row["uid"]
        for some in batches(sorted(set(rows)), AT_ONCE)
        for row in db.all(f"SELECT id, uid FROM work WHERE id IN ({in_marks(some)})", *some)
    }


def _ids(project: Project, uids: Sequence[str]) -> list[int]:
    if len(uids) > MOST_WORKS:
        raise UsageError(
            message("More than {most} works at once", most=f"{MOST_WORKS:,}"),
            advice=message("Narrow the list."),
        )
    return rows_of(project, uids)


def _object(uids: Iterable[str]) -> str:
    names = list(uids)
    return f"work:{names[0]}" if len(names) == 1 else "works"


def _line(text: str) -> str:
    return " ".join(_printable(text).split())


def _printable(text: str) -> str:
    """Without lone surrogates and NUL, which SQLite or JSON cannot keep."""
    return storable(text.replace("\0", "")).strip()


#: Reasons that are offered again.
MOST = 100


def reasons(project: Project, stage: Stage, voter: str = "") -> list[str]:
    """A stage's reasons: the list of the project, then others, the most frequent first, of the
    project's decisions and of one screener's votes.
    """
    rows = project.db.all(
        "SELECT decision.reason FROM decision JOIN work ON work.id = decision.work"
        " WHERE work.project = ? AND decision.stage = ? AND decision.verdict = 'excluded'"
        " AND decision.by IN ('', ?)"
        " AND decision.reason <> '' GROUP BY decision.reason"
        " ORDER BY count(*) DESC, decision.reason LIMIT ?",
        project.id,
        stage,
        voter,
        MOST,
    )
    agreed = agreed_list(project, REASONS)
    return [*agreed, *(row[0] for row in rows if row[0] not in agreed)]


def agreed_list(project: ProjectRow, key: str) -> Sequence[str]:
    """What the people of a project agree on before they screen: `REASONS` or `WORDS`."""
    return cast("Sequence[str]", answers(project).get(key, ()))
