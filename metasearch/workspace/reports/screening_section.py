"""How many people screened each work, and how far they agreed: computed from their votes."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from metasearch.workspace.projects import Project
from metasearch.workspace.reports.document import Block, Heading, Paragraph, Table, Text
from metasearch.workspace.reports.words import Say
from metasearch.workspace.screening.agreement import Agreement, Kappa, agreement
from metasearch.workspace.store.database import Database


def section(db: Database, project: Project, say: Say) -> Iterator[Block]:
    """A paragraph and a table for each stage that a team has screened; nothing where none has.
    Screeners have letters in place of names.
    """
    found = [one for one in agreement(db, project).values() if one.works]
    if not found:
        return
    yield Heading(text=say("How works were screened", "文献筛选方式"))
    for one in found:
        yield Paragraph(text=_said(one, say))
        if one.pairs:
            yield _table(one, say)


def _said(one: Agreement, say: Say) -> str:
    stage = {
        "title": say("Title and abstract", "题名与摘要"),
        "fulltext": say("Full text", "全文"),
    }[one.stage]
    how = (
        say(
            "independently: nobody saw the vote of another before the work had all of them",
            "独立筛选（一篇文献的全部判定完成之前互不可见）",
        )
        if one.blind
        else say("who could see the votes of the others", "筛选者可见他人的判定")
    )
    if one.independent == one.works:
        agreed = say(
            f"On {one.agreed:,} of them the votes agreed",
            f"其中 {one.agreed:,} 篇判定一致",
        )
    else:
        agreed = say(
            f"On {one.independent:,} of them two or more people had voted before they could see "
            f"other votes, and on {one.agreed:,} of these the votes agreed",
            f"其中 {one.independent:,} 篇有两人以上在可见他人判定之前作出判定，"
            f"这些文献中 {one.agreed:,} 篇判定一致",
        )
    return say(
        f"{stage}: {one.works:,} works have the votes of {one.needed} or more people, {how}. "
        f"{agreed}; conflicts were resolved afterwards.",
        f"{stage}：{one.works:,} 篇文献由至少 {one.needed} 人判定，{how}；{agreed}，分歧另行裁定。",
    )


def _table(one: Agreement, say: Say) -> Table:
    people = sorted({by for pair in one.pairs for by in (pair.first, pair.second)})
    letters = {by: _letter(place) for place, by in enumerate(people)}
    rows: list[tuple[Text, ...]] = [
        (
            f"{letters[pair.first]}, {letters[pair.second]}",
            f"{pair.kappa.n:,}",
            f"{pair.kappa.agreed:,}",
            _kappa(pair.kappa, say),
        )
        for pair in one.pairs
    ]
    return Table(
        caption=say(
            "Agreement of screeners: Cohen's kappa (Cohen 1960) with its 95 % interval (Fleiss, "
            "Cohen and Everitt 1969), by the votes before others were seen",
            "筛选者一致性：Cohen’s kappa（Cohen 1960）及其 95 % 置信区间（Fleiss, Cohen, Everitt "
            "1969），按互相可见之前的判定计算",
        ),
        head=(
            say("Screeners", "筛选者"),
            say("Works", "文献数"),
            say("Agreed", "一致数"),
            say("Kappa", "Kappa"),
        ),
        rows=tuple(rows),
        numbers=(1, 2),
        widths=(20, 20, 20, 40),
    )


def _letter(place: int) -> str:
    """A, B, ... Z, A2, B2, ..."""
    again, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(again + 1) if again else "")


def _kappa(shown: Kappa, say: Say) -> str:
    if shown.kappa is not None and shown.low is not None and shown.high is not None:
        return f"{shown.kappa:.2f} ({shown.low:.2f} – {shown.high:.2f})"
    return {
        "no works": say("none: no work has the votes of both", "无：没有两人共同判定的文献"),
        "one category": say(
            "undefined: both have put all works into one category", "无定义：两人的判定均为同一类"
        ),
    }[shown.undefined or "no works"]
