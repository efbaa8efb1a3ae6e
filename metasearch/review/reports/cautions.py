"""What is wrong with a report: cautions, and why it is a draft.

What readers of a report should know of its searches: sources that failed or gave a part, and
what has changed since an earlier report. It stays in finished reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metasearch.review.reports.document import Remark, Say, listed
from metasearch.review.reports.flow import kind_of_other
from metasearch.review.reports.numbers import Numbers
from metasearch.review.reports.searches import Searched, TypedStrategy


def of_searches(answers: Iterable[Searched], say: Say) -> Iterator[Remark]:
    """What failed, and which sources gave fewer records than they have."""
    for text in _of_searches([one for one in answers if one.mode != "counts"], say):
        yield Remark(text=text, warning=True)


def _of_searches(answers: list[Searched], say: Say) -> Iterator[str]:
    failed = [one for one in answers if one.failed]
    if failed:
        names = listed(dict.fromkeys(one.label for one in failed), say)
        yield say(
            f"Sources that failed or answered in part: {names}. Their records are missing.",
            f"检索失败或仅部分返回的数据库：{names}，其记录缺失。",
        )
    short = [one for one in answers if one.short and not one.failed]
    if short:
        names = listed(
            [
                say(
                    f"{one.label} {one.fetched:,} of {one.claimed:,}",
                    f"{one.label} {one.claimed:,} 篇中的 {one.fetched:,} 篇",
                )
                for one in short
            ],
            say,
        )
        yield say(
            f"Sources that gave fewer records than they say they have: {names}. The number "
            "identified counts the records that were obtained.",
            f"实际获得的记录少于数据库所报命中数：{names}。检出数按实际获得的记录计。",
        )


def of_strategies(
    strategies: Iterable[TypedStrategy], answers: Iterable[Searched], say: Say
) -> Iterator[Remark]:
    """Strategies that were never run."""
    asked = {one.strategy for one in answers if one.mode != "counts"}
    names = [one.name for one in strategies if one.steps and one.id not in asked]
    if names:
        shown = listed(names, say)
        text = say(f"Strategies that were never run: {shown}.", f"从未运行的检索策略：{shown}。")
        yield Remark(text=text, warning=True)


def of_earlier(n: Numbers, say: Say) -> Iterator[Remark]:
    """Decisions on works of the earlier report that were changed since."""
    if n.changed:
        text = say(
            "Of the works of the earlier report, the number that is included now is "
            f"{abs(n.changed):,} {'higher' if n.changed > 0 else 'lower'} than when it was "
            "finished; this report counts them as that report does.",
            f"上一份报告所涉文献中，现纳入数比定稿时{'多' if n.changed > 0 else '少'} "
            f"{abs(n.changed):,} 篇；本报告仍按上一份报告的数字计。",
        )
        yield Remark(text=text, warning=True)


# Why a report is a draft: what is not decided, not searched to the end, or contradicts itself.


def lacks_of_screening(numbers: Numbers, say: Say) -> Iterator[str]:
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


def lacks_of_steps(answers: Iterable[Searched], stale: Sequence[str], say: Say) -> Iterator[str]:
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
