"""Sections 五 and 六 of a novelty report: what was found, and what follows for each point."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from metasearch.formats.citations.styles import STYLES
from metasearch.workspace.questions.novelty import CITATION_STYLES
from metasearch.workspace.reports.document import (
    Block,
    Heading,
    Paragraph,
    Quote,
    Remark,
    Span,
    Table,
)
from metasearch.workspace.reports.novelty.findings import NOTHING, Findings, paragraph
from metasearch.workspace.reports.novelty.related import Related
from metasearch.workspace.reports.novelty.search_section import years
from metasearch.workspace.reports.novelty.searches import Search

#: Characters of an abstract; longer ones are cut, and say so.
_LONGEST_ABSTRACT = 3_000
CLOSE, GENERAL = "密切相关文献", "一般相关文献"


def results(found: Findings) -> Iterator[Block]:
    """检索结果."""
    yield Heading(text="五、检索结果")
    yield Heading(text="（一）各数据库检索结果", level=2)
    yield Paragraph(text=_summary(found))
    rows = found.searches.rows
    if rows:
        yield Table(
            caption="检索结果统计",
            head=("数据库", "年限", "检索式", "命中篇数", "相关篇数"),
            rows=tuple(
                (
                    row.said.label,
                    years(found, row),
                    _typed(row),
                    hits(row),
                    "—" if row.failed else f"{row.related:,}",
                )
                for row in rows
            ),
            numbers=(3, 4),
            widths=(21, 17, 37, 12.5, 12.5),
        )
        for row in rows:
            if (
                row.said.claimed is not None
                and row.said.fetched is not None
                and row.said.fetched < row.said.claimed
            ):
                yield Remark(
                    text=f"{row.said.label}（步骤 #{row.said.step}）命中 {row.said.claimed:,} 篇，"
                    f"取得题录 {row.said.fetched:,} 条；其余未取得，未作比较。",
                    warning=True,
                )
        if len(rows) > 1:
            yield Paragraph(
                text="同一文献可由多个数据库检出，各数据库的相关篇数之和可大于相关文献总数。"
            )
    yield Heading(text="（二）相关文献", level=2)
    if not found.related:
        yield Paragraph(text="未检出密切相关文献或一般相关文献。")
        return
    for domestic, title in ((True, "国内文献"), (False, "国外文献")):
        its = [one for one in found.related if one.domestic is domestic]
        if its:
            yield Heading(text=title, level=3)
        for one in its:
            yield from _work(found, one)


def conclusion(found: Findings) -> Iterator[Block]:
    """查新结论."""
    yield Heading(text="六、查新结论")
    yield Heading(text="（一）对比分析", level=2)
    if not found.points:
        yield Paragraph(text=found.text("points"))
    for number, text in enumerate(found.points, 1):
        its = found.about(number)
        yield Heading(text=f"查新点 {number}", level=3)
        yield Paragraph(text=text)
        yield Paragraph(
            text=f"{CLOSE}：{_numbers(one for one in its if one.close)}；"
            f"{GENERAL}：{_numbers(one for one in its if not one.close)}。"
        )
        yield from map(paragraph, found.lines(f"comparison.{number}"))
    if found.points:
        yield Table(
            caption="各查新点的对比结果",
            head=("查新点", "密切相关文献", "一般相关文献", "对比结果"),
            rows=tuple(
                (
                    f"查新点 {number}",
                    _numbers(one for one in found.about(number) if one.close),
                    _numbers(one for one in found.about(number) if not one.close),
                    found.text(f"finding.{number}"),
                )
                for number in range(1, len(found.points) + 1)
            ),
            widths=(18, 28, 28, 26),
        )
    yield Heading(text="（二）结论", level=2)
    yield from map(paragraph, found.lines("conclusion"))


def hits(row: Search) -> str:
    """命中篇数 as it stands in the table; what failed is not 0."""
    if row.hits is None or row.failed:
        return "检索失败"
    return f"{row.hits:,}" if row.said.exact else f"约 {row.hits:,}"


def citation(found: Findings, one: Related) -> str:
    """The work by GB/T 7714, without its number."""
    style = str(found.answers.get("novelty.citation_style") or CITATION_STYLES[0].key)
    seen = one.seen or dt.date.fromisoformat(found.project.created[:10])
    return STYLES[style].citation(one.record, seen)


def _summary(found: Findings) -> str:
    searches = found.searches
    done = [row for row in searches.rows if not row.failed]
    databases = len({row.said.label for row in done})
    close = sum(one.close for one in found.related)
    return (
        f"共检索 {databases:,} 个数据库，取得题录 {searches.records:,} 条，"
        f"去除重复后为 {searches.works:,} 篇文献，其中 {searches.undecided:,} 篇未作判定。"
        f"经筛选得相关文献 {len(found.related):,} 篇："
        f"{CLOSE} {close:,} 篇，{GENERAL} {len(found.related) - close:,} 篇。"
    )


def _typed(row: Search) -> str:
    """检索式, with the number of its step where it is one of the strategy."""
    return row.sent if row.said.by_hand else f"#{row.said.step}：{row.said.typed}"


def _work(found: Findings, one: Related) -> Iterator[Block]:
    """A related work: citation, relation, where it was found, abstract."""
    yield Paragraph(text=(Span(text=f"[{one.number}] {citation(found, one)}", bold=one.close),))
    points = found.points if len(found.points) == 1 else one.points
    named = "、".join(
        f"查新点 {number}" for number in (range(1, 2) if len(found.points) == 1 else points)
    )
    by = dict.fromkeys(row.said.label for row in found.searches.found.get(one.work, ()))
    yield Paragraph(
        text=f"相关程度：{CLOSE if one.close else GENERAL}；涉及：{named or NOTHING}；"
        f"检出数据库：{'、'.join(by) or NOTHING}。"
    )
    abstract = " ".join((one.record.abstract or "").split())
    if len(abstract) > _LONGEST_ABSTRACT:
        abstract = f"{abstract[:_LONGEST_ABSTRACT]}……（节选）"
    yield Quote(text=f"摘要：{abstract}" if abstract else "摘要：略（数据库未提供）。")


def _numbers(works: Iterable[Related]) -> str:
    return "".join(f"[{one.number}]" for one in works) or "无"
