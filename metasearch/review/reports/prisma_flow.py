"""The report `prisma-flow`: the PRISMA 2020 flow.

How many people screened each work, and how far they agreed: computed from their votes.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from metasearch.review.projects.projects import Project
from metasearch.review.reports import missed as missed_section
from metasearch.review.reports import searches
from metasearch.review.reports.document import (
    Block,
    Document,
    Heading,
    Language,
    Paragraph,
    Say,
    Table,
    Text,
    number,
    speaker,
)
from metasearch.review.reports.flow import (
    figure,
    kind_of_other,
    other_sums,
    reason_text,
    records_of,
)
from metasearch.review.reports.numbers import STUDY, Numbers, numbers
from metasearch.review.reports.reports import find_previous
from metasearch.review.reports.searches import newest, searched, stale_steps
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.screening.conflicts import Agreement, Kappa, agreement
from metasearch.review.store.database import Database


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
            yield _agreement_table(one, say)


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


def _agreement_table(one: Agreement, say: Say) -> Table:
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


# The PRISMA 2020 flow: the diagram, the same as a table, where records come from, the reasons, and
# an estimate of what was missed.

KIND = "prisma-flow"


def document(
    db: Database,
    project: Project,
    *,
    language: Language = "en",
    previous: str | None = None,
) -> Document:
    """The report as it is now.

    `previous`: number of the finished report that this one continues: the diagram of an update.
    "last" for the newest; None for a report of all runs. Raises UsageError: there is no such
    finished report.
    """
    say = speaker(language)
    with db.snapshot():
        before = find_previous(db, project, KIND, previous) if previous else None
        counted = numbers(db, project, before)
        answers = newest(searched(db, project, before.run if before else 0))
        stale = stale_steps(db, project, answers)
        missed = tuple(missed_section.section(db, project, say))
        screening = tuple(section(db, project, say))
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=say("PRISMA 2020 flow", "PRISMA 2020 文献筛选流程"),
        language=language,
        blocks=(
            *searches.of_earlier(counted, say),
            *searches.of_searches(answers, say),
            *_blocks(counted, say),
            *screening,
            *missed,
        ),
        draft=(
            *searches.lacks_of_screening(counted, say),
            *searches.lacks_of_steps(answers, stale, say),
        ),
    )


def _blocks(n: Numbers, say: Say) -> Iterator[Block]:
    if n.previous:
        yield Paragraph(
            text=say(
                f"This is an update: it continues report {n.previous.number}, finished on "
                f"{n.previous.frozen[:10]}, and counts what was found since.",
                f"本报告为更新：承接 {n.previous.frozen[:10]} 定稿的第 {n.previous.number} 号报告，"
                "仅计其后检出的文献。",
            )
        )
    yield figure(n, _table(n, say), say)
    yield Heading(text=say("Where the records come from", "记录来源"))
    yield Paragraph(
        text=say(
            "A record that a source gave several times, in several steps or runs, is counted once.",
            "同一来源在多个步骤或多次运行中返回的同一记录只计一次。",
        )
    )
    yield _sources(n, say)
    if n.reasons:
        yield Heading(text=say("Reports excluded, with reasons", "全文排除理由"))
        yield Table(
            head=(say("Reason", "理由"), say("Reports", "报告数")),
            rows=tuple((reason_text(text, say), f"{count:,}") for text, count in n.reasons.items()),
            numbers=(1,),
            widths=(80, 20),
        )
    if n.other:
        yield Heading(text=say("Other methods", "其他途径"))
        yield _other(n.other, say)


def _table(n: Numbers, say: Say) -> Table:
    """Every number of the diagram, with how it comes about."""
    rows: list[tuple[Text, ...]] = []

    def row(label: str, count: int, how: str = "") -> None:
        rows.append((label, f"{count:,}", how))

    for place, label in (
        ("database", say("Records identified in databases", "数据库检出记录")),
        ("register", say("Records identified in registers", "注册库检出记录")),
        ("other", say("Records in other imported files", "其他导入文件的记录")),
    ):
        sources = n.of_place(place)
        if sources or place == "database":
            row(
                label,
                sum(one.records for one in sources),
                _sum([one.records for one in sources if not one.failed]),
            )
    if n.previous:
        row(
            say("Removed: found by the earlier search", "剔除：既往检索已得"),
            n.known,
            say(f"covered by report {n.previous.number}", f"已见于第 {n.previous.number} 号报告"),
        )
    row(
        say("Removed: duplicates", "剔除：重复记录"),
        n.duplicates,
        f"{n.identified - n.known:,} \N{MINUS SIGN} {n.works:,}",
    )
    row(
        say("Removed by automation tools", "自动化工具剔除"),
        0,
        say("metasearch removes nothing but duplicates", "metasearch 除去重外不作剔除"),
    )
    if n.not_screened:
        row(say("Not yet screened", "尚未筛选"), n.not_screened)
    row(
        say("Records screened", "筛选记录"),
        n.screened,
        _minus(n.works, n.not_screened),
    )
    row(say("Records excluded", "排除记录"), n.excluded)
    row(say("Reports sought", "需获取全文的报告"), n.sought, _minus(n.screened, n.excluded))
    row(say("Reports not retrieved", "未获得全文"), n.not_retrieved)
    if n.not_assessed:
        row(say("Reports not yet assessed", "尚未评估"), n.not_assessed)
    row(
        say("Reports assessed", "评估全文的报告"),
        n.assessed,
        _minus(n.sought, n.not_retrieved, n.not_assessed),
    )
    row(
        say("Reports excluded with a reason", "排除报告"),
        n.excluded_reports,
        _sum(list(n.reasons.values())),
    )
    row(say("Reports included", "纳入报告"), n.included, _minus(n.assessed, n.excluded_reports))
    row(
        say("Studies of these reports", "所属研究"),
        n.studies,
        say(
            f"reports with the same tag “{STUDY}…” are one study",
            f"具有相同标签“{STUDY}…”的报告计为一项研究",
        ),
    )
    if n.other:
        sought, lost, _, excluded = other_sums(n.other)
        row(
            say("Reports included by other methods", "其他途径纳入报告"),
            n.other_included,
            _minus(sought, lost, sum(excluded.values())),
        )
    if n.previous:
        row(say("Studies of the earlier review", "既往纳入研究"), n.previous.studies)
        row(say("Reports of the earlier review", "既往纳入报告"), n.previous.reports)
    if n.previous or n.other:
        before = [n.previous.studies] if n.previous else []
        row(
            say("Studies included in all", "纳入研究总数"),
            n.total_studies,
            _sum([*before, n.studies, *([n.other_included] if n.other else [])]),
        )
        before = [n.previous.reports] if n.previous else []
        row(
            say("Reports included in all", "纳入报告总数"),
            n.total_reports,
            _sum([*before, n.included, *([n.other_included] if n.other else [])]),
        )
    return Table(
        caption=say("All numbers of the diagram", "流程图全部数字"),
        head=(
            say("Step", "步骤"),
            say("Number", "数量"),
            say("How it comes about", "由来"),
        ),
        rows=tuple(rows),
        numbers=(1,),
        widths=(45, 13, 42),
    )


def _sum(parts: list[int]) -> str:
    return " + ".join(f"{part:,}" for part in parts) if len(parts) > 1 else ""


def _minus(whole: int, *parts: int) -> str:
    shown = [f"{part:,}" for part in parts if part]
    return " \N{MINUS SIGN} ".join([f"{whole:,}", *shown]) if shown else ""


def _sources(n: Numbers, say: Say) -> Table:
    places = {
        "database": say("database", "数据库"),
        "register": say("register", "注册库"),
        "other": say("other file", "其他文件"),
    }
    known = (say("Found earlier", "既往已得"),) if n.previous else ()
    rows: list[tuple[Text, ...]] = []
    for one in n.sources:
        how = (
            say("by hand, from a file", "手工检索，文件导入")
            if one.by_hand
            else say("by metasearch", "metasearch 检索")
        )
        cells = (one.label, places[one.place], how, records_of(one, say))
        rows.append((*cells, *((f"{one.known:,}",) if n.previous else ())))
    return Table(
        head=(
            say("Source", "来源"),
            say("Kind", "类型"),
            say("How it was searched", "检索方式"),
            say("Records", "记录数"),
            *known,
        ),
        rows=tuple(rows),
        numbers=(3, 4) if n.previous else (3,),
        widths=(35, 17, 30, 15, *((15,) if n.previous else ())),
    )


def _other(other: tuple[OtherSource, ...], say: Say) -> Table:
    rows: list[tuple[Text, ...]] = []
    for one in other:
        reasons = "; ".join(
            f"{reason_text(text, say)} {count:,}" for text, count in one.excluded.items()
        )
        rows.append(
            (
                f"{kind_of_other(one.kind, say)}: {one.name}",
                one.date,
                number(one.identified, say),
                number(one.sought, say),
                number(one.not_retrieved, say) if one.not_retrieved else "0",
                reasons or "–",
                number(one.included, say),
            )
        )
    return Table(
        head=(
            say("Method", "途径"),
            say("Date", "日期"),
            say("Identified", "检出"),
            say("Sought", "需获取"),
            say("Not retrieved", "未获得"),
            say("Excluded", "排除"),
            say("Included", "纳入"),
        ),
        rows=tuple(rows),
        numbers=(2, 3, 4, 6),
        widths=(26, 15, 12, 10, 12, 24, 11),
    )
