"""Why a report is a draft: what is not decided, not searched to the end, or contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metasearch.workspace.reports.flow import kind_of_other
from metasearch.workspace.reports.numbers import Numbers
from metasearch.workspace.reports.searched import Searched
from metasearch.workspace.reports.words import Say, listed


def of_screening(numbers: Numbers, say: Say) -> Iterator[str]:
    """What of screening is open or contradicts itself."""
    n = numbers
    if n.last_run is None and n.previous is None:
        yield say(
            "No search has brought records yet.",
            "尚无检索结果。",
        )
    if n.previous and n.last_run is None:
        yield say(
            "No search was run since the earlier report.",
            "自上一份报告以来未进行新的检索。",
        )
    if n.not_screened:
        yield say(
            f"Records not yet screened: {n.not_screened:,}.",
            f"{n.not_screened:,} 条记录尚未筛选。",
        )
    if n.not_assessed:
        yield say(
            f"Reports not yet assessed in full text: {n.not_assessed:,}.",
            f"{n.not_assessed:,} 篇报告尚未评估全文。",
        )
    if unsaid := n.reasons.get("", 0):
        yield say(
            f"Reports excluded in full text without a reason: {unsaid:,}.",
            f"{unsaid:,} 篇报告在全文评估中被排除但未注明理由。",
        )
    if n.contradictory:
        yield say(
            "Works excluded by title and abstract that have a decision on their full text all the "
            f"same: {n.contradictory:,}; they are counted as excluded by title.",
            f"{n.contradictory:,} 篇文献已在题名和摘要阶段排除，却另有全文评估结论；按题名排除计。",
        )
    for one in n.other:
        if one.identified is None or one.sought is None:
            name = f"{kind_of_other(one.kind, say)}: {one.name}"
            yield say(
                f"{name}: the numbers of records found and reports sought are not stated.",
                f"{name}：未填写检出数与获取全文数。",
            )


def of_steps(answers: Iterable[Searched], stale: Sequence[str], say: Say) -> Iterator[str]:
    """What is still being searched, and steps that were edited since they were run. `stale`: names
    of the steps, by `searched.stale_steps`.
    """
    running = sum(one.status == "running" for one in answers)
    if running:
        yield say(f"Sources still being asked: {running:,}.", f"{running:,} 个数据库仍在检索中。")
    if stale:
        names = listed(stale, say)
        yield say(
            f"Steps whose query has changed since they were run: {names}.",
            f"运行后检索式已修改的步骤：{names}。",
        )
