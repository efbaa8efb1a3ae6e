"""Section 四 of a novelty report: which databases were searched, for what, and exactly how."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.workspace.reports.document import (
    Block,
    Code,
    Fields,
    Heading,
    Paragraph,
    Remark,
    Table,
)
from metasearch.workspace.reports.novelty.findings import NOTHING, Findings
from metasearch.workspace.reports.novelty.searches import Search

#: Status of a search that failed -> why, in the words of the report.
_FAILURES = {
    "timeout": "超时",
    "limited": "请求次数受限",
    "blocked": "拒绝访问",
    "drifted": "返回格式有变",
    "late": "未能及时读取",
    "skipped": "未检索",
}


def section(found: Findings) -> Iterator[Block]:
    """文献检索范围及检索策略."""
    rows = found.searches.rows
    yield Heading(text="四、文献检索范围及检索策略")
    yield Heading(text="（一）检索范围", level=2)
    if not rows:
        yield Paragraph(text=NOTHING)
    else:
        searched = dict.fromkeys(
            (row.said.label, way(row), years(found, row), row.day or "未知") for row in rows
        )
        yield Table(
            caption="检索的数据库",
            head=("序号", "数据库", "检索方式", "年限", "检索日期"),
            rows=tuple((str(number), *one) for number, one in enumerate(searched, 1)),
            widths=(7, 24, 35, 17, 17),
            row_heads=False,
        )
        yield from _explained(rows)
    yield Heading(text="（二）检索词", level=2)
    yield Fields(
        rows=(("中文检索词", _terms(found, "terms_zh")), ("英文检索词", _terms(found, "terms_en")))
    )
    yield Heading(text="（三）检索策略", level=2)
    yield from _strategies(found)
    yield Heading(text="（四）各数据库实际使用的检索式", level=2)
    if not rows:
        yield Paragraph(text=NOTHING)
    for number, row in enumerate(rows, 1):
        asked = "手工检索" if row.said.by_hand else "机检"
        asked += f"，步骤 #{row.said.step}，{row.day or '日期未知'}"
        yield Code(
            text=row.sent or NOTHING,
            label=f"{number}. {row.said.label}（{asked}）",
        )
        for note in row.notes:
            yield Remark(text=f"{row.said.label}：{note}")


def way(row: Search) -> str:
    """检索方式."""
    if row.said.by_hand:
        return f"手工检索，导入文件 {row.said.file}" if row.said.file else "手工检索，导入文件"
    return "机检"


def years(found: Findings, row: Search) -> str:
    """年限, of the search or as the searcher wrote it."""
    written = row.said.years
    if row.said.by_hand:
        of_strategy = {one.id: one.years for one in found.searches.strategies}
        answer = found.answers.get("novelty.years")
        written = str(answer) if answer else of_strategy.get(row.said.strategy, "")
    if not written:
        return "不限"
    first, dash, last = written.partition("-")
    if dash and first.isdigit() and not last:
        return f"{first}—{row.day[:4] or '至今'}"
    return written.replace("-", "—")


def _explained(rows: tuple[Search, ...]) -> Iterator[Block]:
    """What a reader has to know of how it was searched."""
    if any(row.said.by_hand for row in rows):
        yield Remark(
            text="手工检索：查新员在该数据库的网站上检索并导出题录文件，再将文件导入本系统；"
            "该数据库未由程序访问。"
        )
    for row in rows:
        if row.failed:
            why = _FAILURES.get(row.said.status, "出错")
            yield Remark(
                text=f"{row.said.label}（步骤 #{row.said.step}）检索失败（{why}），未取得结果",
                warning=True,
            )


def _terms(found: Findings, name: str) -> str:
    return "；".join(found.items(name)) or found.text(name)


def _strategies(found: Findings) -> Iterator[Block]:
    typed = [
        (strategy.name, [step for step in strategy.steps if step.kind != "import"])
        for strategy in found.searches.strategies
    ]
    if not any(steps for _, steps in typed):
        yield Paragraph(text=NOTHING)
    for name, steps in typed:
        if steps:
            yield Table(
                caption=f"检索策略“{name}”",
                head=("步骤", "检索式（按录入原样）", "说明"),
                rows=tuple((f"#{step.number}", step.text, step.note or NOTHING) for step in steps),
                widths=(10, 65, 25),
            )
