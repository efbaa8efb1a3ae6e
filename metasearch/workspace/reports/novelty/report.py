"""科技查新报告: the whole report as a document, in the order of GB/T 32003-2015."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.workspace import details, projects
from metasearch.workspace.projects import Project
from metasearch.workspace.questions.novelty import REPORT, number_values
from metasearch.workspace.reports.document import (
    Block,
    Document,
    Fields,
    Heading,
    Items,
    Language,
    PageBreak,
    Paragraph,
    Remark,
    Signatures,
    Text,
)
from metasearch.workspace.reports.novelty import number as number_of_reports
from metasearch.workspace.reports.novelty import result_sections, search_section
from metasearch.workspace.reports.novelty.checks import hints, reasons
from metasearch.workspace.reports.novelty.findings import NOTHING, Findings, findings, paragraph
from metasearch.workspace.store.database import Database

TITLE = "科技查新报告"
_UNNUMBERED = "（定稿时编号）"


def document(
    db: Database, project: Project, *, language: Language = "zh", number: str = ""
) -> Document:
    """The report as it would be now."""
    found = findings(db, project)
    return Document(
        kind=REPORT,
        title=TITLE,
        language=language,
        cover=_cover(found, number),
        cover_page=True,
        blocks=tuple(_blocks(found, with_hints=not number)),
        draft=reasons(found),
    )


def next_number(db: Database, project: Project) -> str:
    """报告编号 that the report would get now. Call it in the transaction in which it is finished.
    Raises UsageError: it cannot be made: a part of its pattern has no answer.
    """
    answers = details.answers(projects.find(db, project.uid))
    pattern = str(answers.get("novelty.number_pattern") or number_of_reports.DEFAULT)
    return number_of_reports.next_number(db, pattern, number_values(answers))


def title_of(found: Findings) -> str:
    """项目名称, the title of the project where no other is given."""
    given = found.answers.get("novelty.title_zh")
    return str(given or found.project.title)


def _cover(found: Findings, number: str) -> tuple[tuple[str, Text], ...]:
    return (
        ("报告编号", number or _UNNUMBERED),
        ("项目名称", title_of(found)),
        ("英文名称", found.text("title_en")),
        ("委托人", found.text("client")),
        ("委托日期", _day(found.text("ordered"))),
        ("查新机构", f"{found.text('station')}（盖章）"),
        ("完成日期", _day(found.text("completed"))),
    )


def _blocks(found: Findings, *, with_hints: bool) -> Iterator[Block]:
    if with_hints:
        for hint in hints(found):
            yield Remark(text=f"提示：{hint}")
    yield Fields(
        rows=(
            ("项目名称", title_of(found)),
            ("委托人", found.text("client")),
            ("委托人通信方式", found.text("client_contact")),
            ("查新机构", found.text("station")),
            ("查新机构通信方式", found.text("station_contact")),
            ("查新员", _person(found, "searcher")),
            ("审核员", _person(found, "reviewer")),
        )
    )
    yield from _purpose(found)
    yield from search_section.section(found)
    yield from result_sections.results(found)
    yield from result_sections.conclusion(found)
    yield from _declaration(found)
    yield Heading(text="八、附件清单")
    attachments = found.items("attachments")
    yield Items(items=attachments, ordered=True) if attachments else Paragraph(text=NOTHING)
    yield Heading(text="九、备注")
    yield from map(paragraph, found.lines("remarks"))
    if found.searches.tools:
        yield Paragraph(
            text=f"本报告中的篇数由 {'、'.join(found.searches.tools)} 依据检索记录计算。"
        )


def _purpose(found: Findings) -> Iterator[Block]:
    yield Heading(text="一、查新目的")
    yield Paragraph(text=found.text("purpose"))
    yield Heading(text="二、项目的科学技术要点")
    yield from map(paragraph, found.lines("essentials"))
    yield Heading(text="三、查新点与查新要求")
    yield Heading(text="（一）查新点", level=2)
    if found.points:
        for number, text in enumerate(found.points, 1):
            yield Paragraph(text=f"查新点 {number}：{text}")
    else:
        yield Paragraph(text=found.text("points"))
    yield Heading(text="（二）查新范围", level=2)
    yield Paragraph(text=found.text("scope"))
    yield Heading(text="（三）查新要求", level=2)
    yield from map(paragraph, _requirements(found))


def _requirements(found: Findings) -> tuple[str, ...]:
    if found.given("requirements") or not found.given("scope"):
        return found.lines("requirements")
    text = (
        f"查证在{found.text('scope')}范围内，有无与上述查新点相同或类似的文献报道，"
        "并对检出的相关文献作对比分析。"
    )
    return (text,)


def _declaration(found: Findings) -> Iterator[Block]:
    yield PageBreak()
    yield Heading(text="七、查新员、审核员声明")
    yield Items(
        ordered=True,
        items=(
            "报告中陈述的事实是真实和准确的。",
            "我们按照科技查新规范进行查新、文献分析和审核，并作出上述查新结论。",
            "我们获取的报酬与本报告中的分析、意见和结论无关，也与本报告的使用无关。",
        ),
    )
    yield Signatures(
        lines=(
            (f"查新员（{found.text('searcher')}）签字", ""),
            ("查新员职称", found.text("searcher_title")),
            (f"审核员（{found.text('reviewer')}）签字", ""),
            ("审核员职称", found.text("reviewer_title")),
            ("查新机构（科技查新专用章）", ""),
            ("日期", _day(found.text("completed"))),
        )
    )


def _person(found: Findings, name: str) -> str:
    title = f"（{found.text(f'{name}_title')}）" if found.given(f"{name}_title") else ""
    return f"{found.text(name)}{title}"


def _day(date: str) -> str:
    """ "2026 年 11 月 23 日"; what is no date stays as it is."""
    if date.count("-") != 2:
        return date
    year, month, day = date.split("-")
    return f"{year} 年 {int(month)} 月 {int(day)} 日"
