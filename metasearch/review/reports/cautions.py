"""What readers of a report should know of its searches: sources that failed or gave a part, and
what has changed since an earlier report. It stays in finished reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metasearch.workspace.reports.document import Remark
from metasearch.workspace.reports.numbers import Numbers
from metasearch.workspace.reports.searched import Searched, TypedStrategy
from metasearch.workspace.reports.words import Say, listed


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
