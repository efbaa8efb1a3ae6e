"""What reports say of the checks of the included works: how many, when, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.review.projects.projects import Project
from metasearch.review.reports.document import (
    Block,
    Heading,
    Paragraph,
    Phrase,
    Remark,
    Table,
    in_words,
    name_list,
)
from metasearch.review.works import work_checks
from metasearch.review.works.work_checks import VERDICT_WORDS, WorkCheck

#: Works that the table lists.
_MOST = 500


def section(
    project: Project, phrase: Phrase, *, level: int = 1, number: str = ""
) -> Iterator[Block]:
    """A section; nothing where no work is included."""
    known = work_checks.summary(project)
    if not known.included:
        return
    yield Heading(text=phrase("Check of the included works"), level=level, number=number)
    if known.warning:
        yield Remark(text=phrase(known.warning), warning=True)
    if not known.checked:
        return
    days = dict.fromkeys((known.first[:10], known.last[:10]))
    yield Paragraph(
        text=phrase(
            "Checked against databases for errors and retractions: {checked} of {included} "
            "included works, {when} ({databases}). Something serious was found of {serious}; found "
            "in none of these databases, none of which holds every work: {missing}.",
            checked=f"{known.checked:,}",
            included=f"{known.included:,}",
            when=" – ".join(days),
            databases=name_list(known.databases, phrase),
            serious=f"{known.serious:,}",
            missing=f"{known.verdicts['not-found']:,}",
        )
    )
    listed = work_checks.checks_of(project, most=_MOST, grave=True)
    if listed:
        yield Table(
            caption=phrase("Included works with serious findings, or that could not be checked"),
            head=(
                phrase("Work"),
                phrase("Finding"),
                phrase("What databases say"),
                phrase("Checked (UTC)"),
            ),
            rows=tuple(_row(each, phrase) for each in listed),
            widths=(40, 15, 33, 12),
        )
    lacking = known.verdicts["unchecked"]
    if more := known.serious + lacking - len(listed):
        yield Remark(text=phrase("{count} more are not listed here.", count=f"{more:,}"))
    if lacking:
        yield Remark(
            text=phrase(
                "Databases that may know them have not answered for {count} works. Check them "
                "again before the report is finished.",
                count=f"{lacking:,}",
            ),
            warning=True,
        )


def _row(each: WorkCheck, phrase: Phrase) -> tuple[str, ...]:
    whys = [one["why"] for one in each.differences if one["serious"]] or [each.reason]
    return (
        phrase("{sentence} ({detail})", sentence=each.title, detail=each.doi)
        if each.doi
        else each.title,
        phrase(VERDICT_WORDS[each.verdict]),
        " ".join(in_words(why, phrase) for why in whys) or "–",
        each.at[:10],
    )
