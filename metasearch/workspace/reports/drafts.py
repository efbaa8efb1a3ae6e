"""Why a report is a draft: what is not decided, failed, or is not all there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metasearch.workspace.reports.flow import kind_of_other
from metasearch.workspace.reports.numbers import Numbers
from metasearch.workspace.reports.searched import Searched, TypedStrategy
from metasearch.workspace.reports.words import Say

#: Names that a sentence lists.
_MOST_NAMES = 12


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
            f"{n.not_screened:,} records are not yet screened.",
            f"{n.not_screened:,} 条记录尚未筛选。",
        )
    if n.not_assessed:
        yield say(
            f"{n.not_assessed:,} reports are not yet assessed in full text.",
            f"{n.not_assessed:,} 篇报告尚未评估全文。",
        )
    if unsaid := n.reasons.get("", 0):
        yield say(
            f"{unsaid:,} reports are excluded in full text without a reason.",
            f"{unsaid:,} 篇报告在全文评估中被排除但未注明理由。",
        )
    if n.contradictory:
        yield say(
            f"{n.contradictory:,} works are excluded by title and abstract, and have a decision on "
            "their full text all the same; they are counted as excluded by title.",
            f"{n.contradictory:,} 篇文献已在题名和摘要阶段排除，却另有全文评估结论；按题名排除计。",
        )
    if n.changed:
        yield say(
            f"Of the works of the earlier report, {abs(n.changed):,} "
            f"{'more' if n.changed > 0 else 'fewer'} are included now than when it was finished; "
            "this report counts them as that report does.",
            f"上一份报告所涉文献中，现纳入数比定稿时{'多' if n.changed > 0 else '少'} "
            f"{abs(n.changed):,} 篇；本报告仍按上一份报告的数字计。",
        )
    for one in n.other:
        if one.identified is None or one.sought is None:
            name = f"{kind_of_other(one.kind, say)}: {one.name}"
            yield say(
                f"{name}: the numbers of records found and reports sought are not stated.",
                f"{name}：未填写检出数与获取全文数。",
            )


def of_searches(answers: Iterable[Searched], say: Say) -> Iterator[str]:
    """What failed, and which sources gave fewer records than they have.

    Args:
        answers: The newest of each step and source.
        say: Chooses the language.
    """
    listed = [one for one in answers if one.mode != "counts"]
    failed = [one for one in listed if one.failed]
    if failed:
        names = _names(dict.fromkeys(one.label for one in failed), say)
        yield say(
            f"Sources that failed or answered in part: {names}. Their records are missing.",
            f"检索失败或仅部分返回的数据库：{names}，其记录缺失。",
        )
    running = sum(one.status == "running" for one in listed)
    if running:
        yield say(
            f"{running:,} sources are still being asked.", f"{running:,} 个数据库仍在检索中。"
        )
    short = [one for one in listed if one.short and not one.failed]
    if short:
        names = _names(
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
    strategies: Iterable[TypedStrategy], answers: Sequence[Searched], say: Say
) -> Iterator[str]:
    """Strategies that were never run."""
    asked = {one.strategy for one in answers if one.mode != "counts"}
    names = [one.name for one in strategies if one.steps and one.id not in asked]
    if names:
        listed = _names(names, say)
        yield say(f"Strategies that were never run: {listed}.", f"从未运行的检索策略：{listed}。")


def _names(names: Iterable[str], say: Say) -> str:
    listed = list(names)
    more = len(listed) - _MOST_NAMES
    shown = say(", ", "、").join(listed[:_MOST_NAMES])
    return shown + say(f" and {more} more", f"等 {len(listed)} 个") if more > 0 else shown
