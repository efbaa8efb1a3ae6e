"""Decisions of other programs, imported back from their files. How screening tools write them:

- ASReview: a column `included` (or `asreview_label`): 1, 0, or empty or -1 for what was not seen.
- Rayyan: `RAYYAN-INCLUSION: {"Anna"=>"Included"}` and `RAYYAN-EXCLUSION-REASONS: a,b` in the notes.
- Covidence: one file of each outcome, with tags and `Exclusion reason: ...` in the notes.
- EPPI-Reviewer: a column with I, E, or one of each code ("EXCLUDE on population").
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.bib import normalise, trials
from metasearch.dedup import Fingerprint
from metasearch.dedup.hits import own_id
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.csv import row as csv_row
from metasearch.formats.reading import Entry, read_bytes
from metasearch.formats.reading.encodings import decode
from metasearch.message import Message, message
from metasearch.record import Author, Record
from metasearch.review.projects.projects import Project
from metasearch.review.screening import teams, votes
from metasearch.review.works import decisions
from metasearch.review.works.export import SCHEME
from metasearch.review.works.works import (
    LONGEST_REASON,
    Stage,
    Verdict,
    allowed_verdicts,
    works_by_name,
)

#: Bytes of a file, and its lines.
MOST_BYTES, MOST_LINES = 100_000_000, 200_000
_OWN_NAME = re.compile(rf"\b{SCHEME}(?:_id)?\s*[:=]\s*([a-z0-9]{{12}})\b", re.IGNORECASE)
_RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]{0,2000})\}")
_RAYYAN_SAYS = re.compile(r'"?=>"?\s*"?(included|excluded|maybe)', re.IGNORECASE)
_RAYYAN_REASONS = re.compile(r"RAYYAN-EXCLUSION-REASONS:\s*([^|\n]{0,500})")
_COVIDENCE_REASON = re.compile(r"Exclusion reason:\s*([^;\n]{1,500})", re.IGNORECASE)
_CODE = re.compile(r"\s*(include|exclude)(?:d)?\b[\s:_-]*(?:on\b|-|:)?\s*(.*)", re.IGNORECASE)
#: Words of a decision, folded.
_WORDS: Mapping[str, Verdict] = {
    **dict.fromkeys("1 i in include included yes y true relevant 相关 纳入".split(), "relevant"),
    **dict.fromkeys("maybe unsure unclear 待定".split(), "maybe"),
    **dict.fromkeys("close closelyrelated 密切相关".split(), "close"),
    **dict.fromkeys("0 e exclude excluded no n false irrelevant 排除 不相关".split(), "excluded"),
    **dict.fromkeys("unavailable notretrieved nofulltext 未获取".split(), "unavailable"),
}
#: What says that nothing is decided.
_OPEN = frozenset(("", "-1", "undecided", "unscreened", "unseen", "nan", "na"))
#: Folded names of columns.
_NAME_COLUMNS = ("metasearchid", "customid", "olditemid", "importedid", "key", "id", "ref")
_DECISIONS = (
    "included", "asreviewlabel", "labelincluded", "label", "decision", "verdict", "screening",
    "ie", "inclusion", "finaldecision", "state", "status", "itemstatus",
)  # fmt: skip
_REASONS = ("reason", "exclusionreason", "exclusionreasons", "reasonforexclusion")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a table, or a record of a file of references.

    Attributes:
        number: From 1.
        names: What may name its work, the surest first.
        title, authors, year: Of the work, where no name is known.
        verdict: What is decided; None for nothing.
        unclear: Why what it says cannot be taken; "" where it can.
    """

    number: int
    shown: str
    names: tuple[str, ...]
    title: str = ""
    authors: tuple[Author, ...] = ()
    year: int | None = None
    verdict: Verdict | None = None
    reason: str = ""
    unclear: str = ""


def read_lines(content: bytes, name: str, encoding: str | None = None) -> list[Line]:
    """The lines of a file. Raises FileFormatError: it is neither a table with a heading that is
    known, nor a file of references.
    """
    text = decode(content[:100_000], name, encoding).text
    heading = _heading(text)
    if heading is not None:
        return list(_of_table(decode(content, name, encoding).text, heading[1], name))
    reading = read_bytes(content, name, encoding=encoding)
    if len(reading.entries) > MOST_LINES:
        raise _too_many(name)
    return [_of_entry(number, entry) for number, entry in enumerate(reading.entries, 1)]


def _too_many(name: str) -> FileFormatError:
    return FileFormatError(
        name,
        message("it has more than {most} lines", most=f"{MOST_LINES:,}"),
        advice=message("Import it in parts."),
    )


def _heading(text: str) -> tuple[list[str], str] | None:
    """(the names of the columns, what parts them) of a table of decisions."""
    for delimiter in (",", "\t", ";"):
        try:
            cells = csv_row(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter)
        except csv.Error:
            continue
        names = [_fold(cell) for cell in cells or ()]
        if len(names) > 1 and any(
            one in names for one in ("metasearchid", "doi", "title", *_DECISIONS)
        ):
            return list(cells or ()), delimiter
    return None


def _of_table(text: str, delimiter: str, name: str) -> Iterator[Line]:
    lines = iter(io.StringIO(text.lstrip("\r\n"), newline=""))
    heading = csv_row(lines, delimiter) or []
    columns: dict[str, int] = {}
    for index, cell in enumerate(heading):
        columns.setdefault(_fold(cell), index)
    codes = [
        (index, found)
        for index, cell in enumerate(heading)
        if (found := _CODE.fullmatch(cell))
        and _fold(cell) not in columns.keys() & {*_DECISIONS, *_REASONS}
    ]
    number = 0
    while True:
        try:
            cells = csv_row(lines, delimiter)
        except csv.Error as exc:
            raise FileFormatError(
                name, message("row {row} cannot be read: {reason}", row=number + 1, reason=exc)
            ) from exc
        if cells is None:
            return
        if not any(cells):
            continue
        number += 1
        if number > MOST_LINES:
            raise _too_many(name)
        row = {key: cells[index].strip() for key, index in columns.items() if index < len(cells)}
        # An apostrophe before what a spreadsheet takes for a formula is ours.
        row = {key: cell[1:] if cell[:1] == "'" else cell for key, cell in row.items()}
        marked = [found for index, found in codes if index < len(cells) and _is_set(cells[index])]
        yield _of_row(number, row, marked)


def _of_row(number: int, row: Mapping[str, str], codes: list[re.Match[str]]) -> Line:
    notes = " ".join(
        row.get(name, "") for name in ("notes", "note", "tags", "accessionnumber", "ids")
    )
    names = [found.lower() for found in _OWN_NAME.findall(notes)]
    names = [row["metasearchid"], *names] if row.get("metasearchid") else names
    names += [row[key] for key in _NAME_COLUMNS[1:] if row.get(key)]
    if row.get("doi"):
        names.append(row["doi"] if ":" in row["doi"] else f"doi:{row['doi']}")
    names += [f"pmid:{row[key]}" for key in ("pmid", "pubmedid") if row.get(key)]
    verdict, reason, unclear = _decision_of(row, notes, codes)
    title = row.get("title", "")
    year = row.get("year") or row.get("publishedyear") or ""
    authors = re.split(r";| and ", row.get("authors", ""))[0].strip()
    return Line(
        number=number,
        shown=(names[0] if names else title)[:200],
        names=tuple(dict.fromkeys(names)),
        title=title,
        authors=_authors(authors),
        year=int(year) if year.isascii() and year.isdigit() and len(year) == 4 else None,
        verdict=verdict,
        reason=reason,
        unclear=unclear,
    )


def _authors(first: str) -> tuple[Author, ...]:
    if not first:
        return ()
    family, comma, given = first.partition(",")
    return (Author(f"{given.strip()} {family}" if comma else first, family if comma else None),)


def _decision_of(
    row: Mapping[str, str], notes: str, codes: list[re.Match[str]]
) -> tuple[Verdict | None, str, str]:
    """(verdict, reason, why it is unclear) of a row."""
    verdict, reason, unclear = _in_notes(notes)
    reason = next((row[name] for name in _REASONS if row.get(name)), reason)
    if verdict or unclear:
        return verdict, reason, unclear
    for name in _DECISIONS:
        cell = row.get(name, "").removesuffix(".0")
        folded = _fold(cell)
        if folded in _WORDS and not cell.startswith("-"):
            return _WORDS[folded], reason, ""
        if cell and cell.casefold() not in _OPEN and name in ("included", "decision", "verdict"):
            return None, "", message("{cell} is no decision", cell=repr(cell[:40]))
    said = {found[1].casefold() for found in codes}
    if len(said) > 1:
        return None, "", message("it has codes to include and to exclude")
    if said:
        why = "; ".join(dict.fromkeys(found[2].strip() for found in codes if found[2].strip()))
        return ("relevant", "", "") if said == {"include"} else ("excluded", reason or why, "")
    return None, reason, ""


def _in_notes(notes: str) -> tuple[Verdict | None, str, str]:
    """What Rayyan and Covidence write into notes."""
    found = _RAYYAN.search(notes)
    if found is None:
        covidence = _COVIDENCE_REASON.search(notes)
        return ("excluded", covidence[1].strip(), "") if covidence else (None, "", "")
    words = {word.lower() for word in _RAYYAN_SAYS.findall(found[1])}
    said = words - {"maybe"} or words
    reasons = _RAYYAN_REASONS.search(notes)
    reason = reasons[1].strip() if reasons else ""
    if len(said) > 1:
        return None, "", message("people have decided differently: {said}", said=found[1][:200])
    if said <= {"included", "maybe"}:
        return ("relevant" if said == {"included"} else "maybe" if said else None), "", ""
    return "excluded", reason, ""


def _is_set(cell: str) -> bool:
    return _fold(cell) not in ("", "0", "false", "no", "n")


def _fold(text: str) -> str:
    return normalise.compact(text[:200])


def _of_entry(number: int, entry: Entry) -> Line:
    record = entry.record
    notes = " ".join(value for _, value in entry.given)
    row = {_fold(tag.rpartition(":")[2]): value for tag, value in entry.given}
    verdict, reason, unclear = _decision_of(row, notes, [])
    names = list(_names_of_record(record, notes))
    return Line(
        number=number,
        shown=(names[0] if names else record.title)[:200],
        names=tuple(dict.fromkeys(names)),
        title=record.title,
        authors=record.authors,
        year=record.year,
        verdict=verdict,
        reason=reason,
        unclear=unclear,
    )


def _names_of_record(record: Record, notes: str) -> Iterable[str]:
    if SCHEME in record.ids:
        yield record.ids[SCHEME]
    yield from (found.lower() for found in _OWN_NAME.findall(notes))
    if record.source_id:
        yield record.source_id
    if record.doi:
        yield f"doi:{record.doi}"
    for scheme, value in record.ids.items():
        if scheme != SCHEME and scheme not in trials.SCHEMES:
            yield f"{scheme}:{value}"


# Decisions that were made in other programs, imported back: a table or a file of references, each
# line found again by its name, and what was decided on it. Nothing is lost silently: lines that
# mean no work, or more than one, and decisions that contradict one another are listed. All that is
# changed is one change of the log.

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
class DecisionsImport:
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
    project: Project,
    content: bytes,
    name: str,
    *,
    stage: Stage = "title",
    verdict: Verdict | None = None,
    reason: str = "",
    encoding: str | None = None,
) -> DecisionsImport:
    """Import decisions by what names the works: `metasearch_id`, the identifier "metasearch:UID",
    the ID of RIS, a DOI or PubMed number, else title, first author and year.

    `content`: CSV or TSV with a heading (ASReview, Rayyan, Covidence, EPPI-Reviewer, our own), or
    any file of references. `verdict`: of lines that say nothing themselves: of a file that holds
    only what was included, or only what was excluded. `encoding`: as Python calls it; detected if
    None. Raises FileFormatError: the file cannot be read, or has no line; UsageError: it is too
    large, or stage and verdict do not fit.
    """
    decisions.check_verdict(project.kind, verdict, stage, reason)
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

    return _decide(project, lines, names, name, stage, verdict, reason)


def _decide(
    project: Project,
    lines: Sequence[Line],
    names: Mapping[int, Sequence[str]],
    name: str,
    stage: Stage,
    verdict: Verdict | None,
    reason: str,
) -> DecisionsImport:
    with project.db.transaction():
        meant, missed = _match_lines(project, lines, names)
        decided: dict[int, tuple[str, str]] = {}
        of: dict[int, Line] = {}
        contradicting: set[int] = set()
        undecided = 0
        allowed = allowed_verdicts(project.kind, stage)
        for line, work in meant:
            says = (line.verdict, line.reason) if line.verdict else (verdict or "", reason)
            if line.unclear:
                missed.append(NotImported(line.number, line.shown, line.unclear))
                continue
            if not says[0] or (says[0] == "maybe" and says[0] not in allowed):
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
        voter = teams.voter(project, stage)
        for work, why in votes.refusals(project.db, project.id, stage, voter, decided).items():
            del decided[work]
            missed.append(NotImported(of[work].number, of[work].shown, why))
        for one_verdict, one_reason in set(decided.values()):
            decisions.check_verdict(project.kind, one_verdict, stage, one_reason)
        done = decisions.mark_each(
            project, decided, stage=stage, action=IMPORT, details={"file": name[:500]}
        )
    return DecisionsImport(
        lines=len(lines),
        matched=len(meant),
        undecided=undecided,
        changed=done.works,
        unchanged=done.unchanged,
        not_imported=tuple(sorted(missed, key=lambda one: one.line)),
        change=done.change,
    )


def _match_lines(
    project: Project, lines: Sequence[Line], names: Mapping[int, Sequence[str]]
) -> tuple[list[tuple[Line, int]], list[NotImported]]:
    found = works_by_name(
        project.db, project.id, (name for some in names.values() for name in some)
    )
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
