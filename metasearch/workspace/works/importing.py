"""Decisions that were made in other programs, imported back: a table or a file of references, each
line found again by its name, and what was decided on it.

Nothing is lost silently: lines that mean no work, or more than one, and decisions that contradict
one another are listed. All that is changed is one change of the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.dedup import Fingerprint
from metasearch.dedup.naming import own_id
from metasearch.errors import FileFormatError, UsageError
from metasearch.message import Message, message
from metasearch.record import Record
from metasearch.workspace.projects import Project
from metasearch.workspace.screening import teams, votes
from metasearch.workspace.store.database import Database
from metasearch.workspace.works import decisions
from metasearch.workspace.works.decided_lines import MOST_BYTES, Line, read_lines
from metasearch.workspace.works.names import works_named
from metasearch.workspace.works.said import LONGEST_REASON
from metasearch.workspace.works.works import Stage, Verdict

#: Action of the log.
IMPORT = "import decisions"


@dataclass(frozen=True, slots=True)
class NotImported:
    """A line from which nothing came.

    Attributes:
        line: Its number in the file, from 1.
        name: By what it names its work.
        reason: Why not.
    """

    line: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedDecisions:
    """What came of a file.

    Attributes:
        lines: How many lines or records it has.
        matched: How many of them mean one work of the project.
        undecided: How many of these say nothing that is decided.
        changed: Works on which something else is decided now.
        unchanged: Works on which the same was decided before.
        not_imported: The other lines, with reasons.
        change: Number of the line of the log; None where nothing was changed.
    """

    lines: int
    matched: int
    undecided: int
    changed: int
    unchanged: int
    not_imported: tuple[NotImported, ...]
    change: int | None


def import_decisions(
    db: Database,
    project: Project,
    content: bytes,
    name: str,
    *,
    stage: Stage = "title",
    verdict: Verdict | None = None,
    reason: str = "",
    encoding: str | None = None,
    by: str = "",
) -> ImportedDecisions:
    """Import decisions by what names the works: `metasearch_id`, the identifier "metasearch:UID",
    the ID of RIS, a DOI or PubMed number, else title, first author and year.

    `content`: CSV or TSV with a heading (ASReview, Rayyan, Covidence, EPPI-Reviewer, our own), or
    any file of references. `verdict`: of lines that say nothing themselves: of a file that holds
    only what was included, or only what was excluded. `encoding`: as Python calls it; detected if
    None. Raises FileFormatError: the file cannot be read, or has no line; UsageError: it is too
    large, or stage and verdict do not fit.
    """
    decisions.check_verdict(verdict, stage, reason)
    if len(content) > MOST_BYTES:
        raise UsageError(
            message("{name} has more than {most} bytes", name=name, most=f"{MOST_BYTES:,}"),
            advice=message("Import it in parts."),
        )
    lines = read_lines(content, name, encoding)
    if not lines:
        raise FileFormatError(
            name,
            message("it has no line that could name a work"),
            advice=message("Use a table with a heading, or a file of references."),
        )
    names = {line.number: tuple(_names(line)) for line in lines}

    return _decide(db, project, lines, names, name, stage, verdict, reason, by)


def _decide(
    db: Database,
    project: Project,
    lines: Sequence[Line],
    names: Mapping[int, Sequence[str]],
    name: str,
    stage: Stage,
    verdict: Verdict | None,
    reason: str,
    by: str,
) -> ImportedDecisions:
    with db.transaction():
        meant, missed = _meant(db, project, lines, names)
        decided: dict[int, tuple[str, str]] = {}
        of: dict[int, Line] = {}
        contradicting: set[int] = set()
        undecided = 0
        for line, work in meant:
            says = (line.verdict, line.reason) if line.verdict else (verdict or "", reason)
            if line.unclear:
                missed.append(NotImported(line.number, line.shown, line.unclear))
                continue
            if not says[0]:
                undecided += 1
                continue
            if work in decided and decided[work][0] != says[0]:
                contradicting.add(work)
                missed.append(
                    NotImported(
                        line.number,
                        line.shown,
                        message("line {other} decides otherwise", other=of[work].number),
                    )
                )
                continue
            decided[work] = (says[0], says[1][:LONGEST_REASON])
            of[work] = line
        for work in contradicting:
            del decided[work]
            missed.append(
                NotImported(
                    of[work].number, of[work].shown, message("another line decides otherwise")
                )
            )
        voter = teams.voter(db, project, stage, by)
        for work, why in votes.closed(db, project.id, stage, voter, decided).items():
            del decided[work]
            missed.append(NotImported(of[work].number, of[work].shown, why))
        for one_verdict, one_reason in set(decided.values()):
            decisions.check_verdict(one_verdict, stage, one_reason)
        done = decisions.mark_each(
            db, project, decided, stage=stage, action=IMPORT, by=by, details={"file": name[:500]}
        )
    return ImportedDecisions(
        lines=len(lines),
        matched=len(meant),
        undecided=undecided,
        changed=done.works,
        unchanged=done.unchanged,
        not_imported=tuple(sorted(missed, key=lambda one: one.line)),
        change=done.change,
    )


def _meant(
    db: Database, project: Project, lines: Sequence[Line], names: Mapping[int, Sequence[str]]
) -> tuple[list[tuple[Line, int]], list[NotImported]]:
    """Each line with the row of its work, and the lines that have none."""
    found = works_named(db, project.id, (name for some in names.values() for name in some))
    meant: list[tuple[Line, int]] = []
    missed: list[NotImported] = []
    for line in lines:
        candidates = [found[name] for name in names[line.number] if name in found]
        one = next((works[0].id for works in candidates if len(works) == 1), None)
        if one is not None:
            meant.append((line, one))
            continue
        reason: Message = (
            message(
                "it is a name of several works: {uids}",
                uids=", ".join(work.uid for work in candidates[0][:5]),
            )
            if candidates
            else message("the project has no such work")
        )
        missed.append(NotImported(line.number, line.shown, reason))
    return meant, missed


def _names(line: Line) -> Iterator[str]:
    """What may name the work of a line, the surest first."""
    yield from line.names
    if line.title:
        record = Record(source="file", title=line.title, authors=line.authors, year=line.year)
        yield own_id(Fingerprint(record))


def summary(done: ImportedDecisions) -> Mapping[str, int]:
    """The counts of an import by their names."""
    return {
        "lines": done.lines,
        "matched": done.matched,
        "undecided": done.undecided,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "not_imported": len(done.not_imported),
    }
