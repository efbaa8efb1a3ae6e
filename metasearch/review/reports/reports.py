"""Reports of a project: their kinds, those that are finished, and their signatures.

The kinds of reports: a table; the module of each is imported when it is built.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Any, Literal, get_args

import orjson

from metasearch.errors import UsageError
from metasearch.language import CODES
from metasearch.message import N_, message, message_in
from metasearch.review.projects.projects import Project
from metasearch.review.reports.document import (
    Block,
    Document,
    Heading,
    Language,
    Paragraph,
    Phrase,
    Table,
    from_json,
    speaker,
    to_json,
)
from metasearch.review.reports.numbers import Previous, ReportNumbers, numbers
from metasearch.review.runs import runs
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportKind:
    """A kind of report.

    Attributes:
        label: For people; marked by `N_`.
        module: Its module in metasearch.review.reports, with a function `document`.
        language: Of the report where none is chosen.
        numbered: Whether its module gives the number of a finished one by `next_number`; the
            document has it on its cover, and a draft is never finished. Others count from 1.
    """

    name: str
    label: str
    module: str
    language: Language = "en"
    languages: tuple[Language, ...] = CODES
    numbered: bool = False

    def build(
        self,
        project: Project,
        *,
        language: Language | None = None,
        previous: str | None = None,
        number: str | None = None,
    ) -> Document:
        """The report as it is now.

        `language`: None for the one of its kind. `previous`: number of the finished report that it
        continues, "last" for the newest; only of reports of a flow. `number`: that it gets when it
        is finished; only of kinds that are `numbered`. Raises UsageError: it is not written in this
        language, or continues none.
        """
        chosen = language or self.language
        if chosen not in self.languages:
            raise UsageError(
                message("This report is not written in {language}", language=chosen),
                advice=message("It is in {languages}.", languages=", ".join(self.languages)),
            )
        given = {"previous": previous, "number": number}
        more: dict[str, Any] = {name: value for name, value in given.items() if value}
        if previous and self.name not in CONTINUED:
            raise UsageError(message("This report continues no earlier one"))
        made: Document = self._module.document(project, language=chosen, **more)
        return made

    def next_number(self, project: Project) -> str | None:
        """The number of the report if it were finished now; None where finished ones count from 1.
        Raises UsageError: it cannot be made of what is known.
        """
        if not self.numbered:
            return None
        number: str = self._module.next_number(project)
        return number

    @property
    def _module(self) -> Any:
        return import_module(f"metasearch.review.reports.{self.module}")


#: Kinds whose reports may continue an earlier one.
CONTINUED = frozenset(("prisma-flow",))

KINDS: Mapping[str, ReportKind] = {
    kind.name: kind
    for kind in (
        ReportKind(
            name="prisma-s",
            label=N_("PRISMA-S: how the literature was searched"),
            module="prisma_s",
        ),
        ReportKind(
            name="prisma-flow",
            label=N_("PRISMA 2020 flow diagram"),
            module="prisma_flow",
        ),
        ReportKind(
            name="included",
            label=N_("Table of the included studies"),
            module="included_works",
        ),
        ReportKind(
            name="appendix",
            label=N_("Search appendix: each strategy as it was sent"),
            module="searches",
        ),
        ReportKind(
            name="chaxin",
            label=N_("科技查新报告: novelty search report after GB/T 32003-2015"),
            module="novelty_report",
            language="zh",
            languages=("zh",),
            numbered=True,
        ),
    )
}


def kind_of(name: str) -> ReportKind:
    """The kind with this name. Raises UsageError: there is none."""
    if name not in KINDS:
        raise UsageError(
            message("There is no report {name}", name=repr(name[:40])),
            advice=message("There are {names}.", names=", ".join(KINDS)),
        )
    return KINDS[name]


# Finished reports: kept as they were on that day, with a digest. Later runs and decisions change
# nothing in them, and the report of an update continues from one of them.

#: Finished reports of a kind in one project.
MOST_REPORTS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A finished report.

    Attributes:
        id: Of its row.
        kind: Which report.
        number: "1", "2", ... in its project and kind; of a 查新 report its number by the pattern.
        data: "numbers" that it was made of, "language", and whether it is a "draft".
        digest: SHA-256 of the document.
        last_run: Id of the newest run that it covers; None where there was none.
        frozen: When it was finished.
        title: Of the document.
    """

    id: int
    kind: str
    number: str
    data: Mapping[str, Any]
    digest: str
    last_run: int | None
    frozen: str
    title: str


def keep(
    project: Project, document: Document, *, number: str | None = None, previous: str | None = None
) -> Report:
    """Keep a document as a finished report, in the transaction in which it was built.

    `number`: of the report; None counts from 1. Raises UsageError: there are too many, or one has
    the number.
    """
    count = project.db.value(
        "SELECT count(*) FROM report WHERE project = ? AND kind = ?", project.id, document.kind
    )
    if count >= MOST_REPORTS:
        raise UsageError(message("A project keeps at most {most} reports", most=MOST_REPORTS))
    taken = {report.number for report in frozen(project, document.kind)}
    if number is None:
        number = next(str(n) for n in range(1, count + 2) if str(n) not in taken)
    elif number in taken:
        raise UsageError(message("There is a report {number} already", number=number))
    before = find_previous(project, document.kind, previous) if previous else None
    counted = numbers(project, before)
    content = to_json(document)
    kept = {
        "title": document.title,
        "language": document.language,
        "draft": bool(document.draft),
        "numbers": numbers_json(counted),
    }
    row = project.db.insert(
        "report",
        project=project.id,
        kind=document.kind,
        number=number,
        data=orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode(),
        document=content.decode(),
        digest=hashlib.sha256(content).hexdigest(),
        last_run=counted.last_run_id,
        frozen=now(),
    )
    made = _report(project.db.all(f"{_SELECT} WHERE id = ?", row)[0])
    project.log(
        "finish report",
        f"report:{made.kind}/{made.number}",
        None,
        {"digest": made.digest, "last_run": counted.last_run},
    )
    return made


def frozen(project: Project, kind: str | None = None) -> list[Report]:
    """The finished reports of a project, the newest first."""
    return [
        _report(row)
        for row in project.db.all(
            f"{_SELECT} WHERE project = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY id DESC",
            project.id,
            kind,
        )
    ]


def find(project: Project, kind: str, number: str) -> Report:
    """A finished report; "last" is the newest of its kind. Raises UsageError: there is none."""
    reports = frozen(project, kind)
    for report in reports:
        if number in (report.number, "last"):
            return report
    raise UsageError(
        message("There is no finished report {kind} {number}", kind=kind, number=number[:40]),
        advice=message("There are {names}.", names=", ".join(each.number for each in reports[:20]))
        if reports
        else message("Finish one first: `metasearch report {kind} --freeze`.", kind=kind),
    )


def document(db: Database, report: Report) -> Document:
    """The document of a finished report, as it was. Raises UsageError: the digest is not that of
    the document: the file was changed.
    """
    content = _content(db, report)
    if hashlib.sha256(content).hexdigest() != report.digest:
        raise UsageError(
            message("Report {number} was changed after it was finished", number=report.number),
            advice=message("Take the workspace from a backup; `metasearch workspace check` tells."),
        )
    return from_json(content)


def is_unchanged(db: Database, report: Report) -> bool:
    """Whether the document is still that of the digest."""
    return hashlib.sha256(_content(db, report)).hexdigest() == report.digest


def numbers_json(counted: ReportNumbers) -> dict[str, Any]:
    """The numbers, their sums too, for `data` and for programs."""
    known = asdict(counted)
    for one in known["other"]:
        del one["version"]  # of the editors; no number
    return {
        **known,
        "identified": counted.identified,
        "known": counted.known,
        "duplicates": counted.duplicates,
        "excluded_reports": counted.excluded_reports,
        "other_included": counted.other_included,
        "total_studies": counted.total_studies,
        "total_reports": counted.total_reports,
    }


def find_previous(project: Project, kind: str, number: str) -> Previous:
    """What a finished report ("last": the newest) says to the one that continues it. Raises
    UsageError: there is no such report.
    """
    report = find(project, kind, number)
    try:
        kept = report.data["numbers"]
        earlier = kept["previous"] or {"works": 0, "other_sources": ()}
        return Previous(
            number=report.number,
            frozen=report.frozen,
            run=report.last_run or 0,
            studies=int(kept["total_studies"]),
            reports=int(kept["total_reports"]),
            works=int(earlier["works"]) + int(kept["included"]),
            other_sources=(
                *map(int, earlier["other_sources"]),
                *(int(one["id"]) for one in kept["other"]),
            ),
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise UsageError(
            message("The numbers of report {number} cannot be read", number=report.number),
            advice=message("It was changed, or another program has written it."),
        ) from exc


_SELECT = "SELECT id, kind, number, data, digest, last_run, frozen FROM report"


def _content(db: Database, report: Report) -> bytes:
    text = db.value("SELECT document FROM report WHERE id = ?", report.id)
    return str(text).encode()


def _report(row: sqlite3.Row) -> Report:
    data = orjson.loads(row["data"])
    data = data if isinstance(data, dict) else {}
    return from_row(Report, row, data=data, title=str(data.get("title") or ""))


def freeze(
    project: Project,
    kind: str,
    *,
    language: Language | None = None,
    previous: str | None = None,
    draft: bool = False,
) -> Report:
    """Finish a report: it stays as it is now, with a digest.

    `language`: of the report; None for that of its kind. `previous`: number of the finished report
    that it continues; "last" for the newest. `draft`: whether a draft may be finished, with its
    warnings in it; never one of a kind whose reports are numbered. Raises UsageError: there is no
    such kind, a search is still running, or the report is a draft.
    """
    about = kind_of(kind)
    with project.db.transaction():
        runs.settle(project.db, project)
        running = project.db.value(
            "SELECT number FROM run WHERE project = ? AND status = 'running'", project.id
        )
        if running is not None:
            raise UsageError(
                message("Run {number} has not ended", number=running),
                advice=message("Finish the report when it has."),
            )
        document = about.build(project, language=language, previous=previous)
        if document.draft and not (draft and not about.numbered):
            raise UsageError(
                message("The report is a draft: {reason}", reason=document.draft[0]),
                advice=message("Mend what its first lines list.")
                if about.numbered
                else message("Mend what its first lines list, or finish it as a draft."),
            )
        number = about.next_number(project)
        if number is not None:
            document = about.build(project, language=language, number=number)
        return keep(project, document, number=number, previous=previous)


# Who has searched, and who has checked, a finished report of a novelty search. GB/T 32003-2015 asks
# for two people, the searcher (查新员) and the reviewer (审核员). On a server with users each signs
# with their own account. A signature names the digest of the document, which stays as it is:
# signatures stand beside it.

SignatureRole = Literal["searcher", "reviewer"]
ROLES: tuple[SignatureRole, ...] = get_args(SignatureRole)
#: The action of the log.
SIGN = "sign report"
#: Formats that hold the document and nothing else.
_FOR_PROGRAMS = frozenset({"json", "svg", "csv"})
#: Characters of a name.
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature.

    Attributes:
        role: One of `ROLES`.
        by: Uid of the user.
        name: As it was signed; later changes of the account do not change it.
        digest: Of the report that was signed.
        at: When.
    """

    role: SignatureRole
    by: str
    name: str
    digest: str
    at: str


def signatures_of(db: Database, report: Report) -> list[Signature]:
    """The signatures of a report, the searcher's first."""
    rows = db.all("SELECT * FROM signature WHERE report = ? ORDER BY role DESC", report.id)
    return [from_row(Signature, row) for row in rows]


def can_be_signed(kind: str) -> bool:
    """Whether reports of a kind are signed: those that have numbers of their own, 查新 reports."""
    return kind in KINDS and KINDS[kind].numbered


def check_signer(project: Project, report: Report, role: str) -> SignatureRole:
    """Check that a user may sign; returns the role. Raises UsageError: the report takes no such
    signature, it is there already, or it must be that of another user.
    """
    known = next((each for each in ROLES if each == role), None)
    if known is None:
        raise UsageError(
            message("Nobody signs as {role}", role=repr(role[:40])),
            advice=message("There are {names}.", names=", ".join(ROLES)),
        )
    if not can_be_signed(report.kind):
        raise UsageError(message("Reports of this kind are not signed"))
    signed = signatures_of(project.db, report)
    other = message("Another member of the project signs as the {role}.", role=_role_words(known))
    if any(each.role == known for each in signed):
        raise UsageError(
            message("The report is signed by the {role} already", role=_role_words(known))
        )
    if any(each.by == project.by for each in signed):
        raise UsageError(message("Searcher and reviewer must be two people"), advice=other)
    if known == "reviewer" and _has_searched(project, report):
        raise UsageError(
            message("Who has run a search of the report cannot be its reviewer"), advice=other
        )
    return known


def sign(project: Project, report: Report, role: str, *, name: str, digest: str) -> Signature:
    """Sign a finished report.

    `digest`: of the document that the user has read. Raises UsageError: as `check`; or the digest
    is not that of the report, or the document is not that of its digest.
    """
    with project.db.transaction():
        known = check_signer(project, report, role)
        if digest != report.digest or not is_unchanged(project.db, report):
            raise UsageError(
                message("The digest is not that of report {number}", number=report.number),
                advice=message("Load the report again, and read it before you sign."),
            )
        made = Signature(
            role=known, by=project.by, name=name[:_LONGEST_NAME], digest=report.digest, at=now()
        )
        project.db.insert("signature", report=report.id, **asdict(made))
        project.log(
            SIGN,
            f"report:{report.kind}/{report.number}",
            None,
            {"role": made.role, "name": made.name, "digest": made.digest},
        )
    return made


def with_signatures(db: Database, report: Report, form: str = "") -> Document:
    """The document of a finished report, with its signatures behind it where there are any. In the
    formats that programs read it is as it was finished: what the digest is of.

    `form`: name of the format; "" for a page. Raises UsageError: the digest is not that of the
    document: the file was changed.
    """
    made = document(db, report)
    signed = signatures_of(db, report)
    if not signed or form in _FOR_PROGRAMS:
        return made
    return replace(made, blocks=(*made.blocks, *_blocks(made, signed)))


def _blocks(document: Document, signatures: Sequence[Signature]) -> tuple[Block, ...]:
    phrase = speaker(document.language)
    head = (
        phrase("Role"),
        phrase(message_in("report", "Name")),
        phrase("Signed (UTC)"),
        phrase("Digest signed (SHA-256)"),
    )
    rows = tuple((_role(each.role, phrase), each.name, each.at, each.digest) for each in signatures)
    return (
        Heading(text=phrase("Electronic signatures")),
        Paragraph(
            text=phrase(
                "These users of the server have signed the report. They are not part of "
                "the document that the digest is of."
            )
        ),
        Table(head=head, rows=rows, widths=(1, 2, 2, 5)),
    )


def _role_words(role: SignatureRole) -> str:
    """A role in a sentence, to be translated."""
    return message("searcher") if role == "searcher" else message("reviewer")


def _role(role: SignatureRole, phrase: Phrase) -> str:
    return phrase("searcher") if role == "searcher" else phrase("reviewer")


def _has_searched(project: Project, report: Report) -> bool:
    """Whether a user has run a search that the report covers."""
    row = project.db.one(
        "SELECT 1 FROM run WHERE project = ? AND id <= ? AND by = ?",
        project.id,
        report.last_run or 0,
        project.by,
    )
    return row is not None
