"""Strategies in a report: their steps as typed with the hits of each database, and what each
database was sent, word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from metasearch.workspace.reports.document import (
    Block,
    Code,
    Fields,
    Heading,
    Items,
    Paragraph,
    Remark,
    Table,
    Text,
)
from metasearch.workspace.reports.searched import Searched, TypedStrategy
from metasearch.workspace.reports.words import Say, number

#: Requests of one answer that are printed; the archive of the project has all.
_MOST_REQUESTS = 3
#: Databases side by side in one table.
_MOST_COLUMNS = 5


def steps(strategy: TypedStrategy, answers: Sequence[Searched], say: Say) -> Iterator[Block]:
    """The lines of a strategy, and the hits of each database for each line."""
    if not strategy.steps:
        yield Paragraph(text=say("The strategy has no steps.", "该检索策略没有步骤。"))
        return
    rows: list[tuple[Text, ...]] = []
    for step in strategy.steps:
        note = f"\n{step.note}" if step.note else ""
        rows.append((f"#{step.number}", f"{step.text}{note}", step.syntax))
    yield Table(
        caption=say("Steps, as typed", "检索步骤（原样）"),
        head=(say("Step", "步骤"), say("Search string", "检索式"), say("Syntax", "语法")),
        rows=tuple(rows),
        widths=(9, 74, 17),
    )
    own = [one for one in answers if one.strategy == strategy.id]
    labels = list(dict.fromkeys(one.label for one in own))
    for start in range(0, len(labels), _MOST_COLUMNS):
        some = labels[start : start + _MOST_COLUMNS]
        cells = {(one.step, one.label): one for one in own}
        asked = {one.step for one in own if one.label in some}
        yield Table(
            caption=say("Hits of each database", "各数据库命中数") if not start else "",
            head=(say("Step", "步骤"), *some),
            rows=tuple(
                (
                    f"#{step.number}",
                    *(_hits(cells.get((step.number, label)), say) for label in some),
                )
                for step in strategy.steps
                if step.number in asked
            ),
            numbers=tuple(range(1, len(some) + 1)),
            widths=(9, *(91 / len(some) for _ in some)),
        )


def _hits(one: Searched | None, say: Say) -> str:
    """The hits that a database told, or the records that it gave; a failure is none of them."""
    if one is None:
        return "–"
    if one.failed:
        return say("failed", "失败")
    shown = one.fetched if one.claimed is None else one.claimed
    about = "" if one.exact or one.claimed is None else say("about ", "约 ")
    return about + number(shown, say)


def sent(answers: Iterable[Searched], say: Say, *, level: int) -> Iterator[Block]:
    """What each database was sent, and what came back: a heading for each answer."""
    for one in answers:
        yield Heading(text=f"{one.label}, #{one.step}", level=level)
        yield Fields(rows=tuple(_facts(one, say)))
        if one.sent:
            label = say("As typed in the database", "在该数据库中输入的检索式")
            if not one.by_hand:
                label = say("Query as the database received it", "数据库收到的检索式")
            yield Code(text=one.sent, label=label)
        if one.query and one.query != one.sent:
            yield Code(
                text=one.query, label=say("The same in metasearch's syntax", "metasearch 语法")
            )
        yield from _requests(one, say)
        if one.notes:
            yield Paragraph(
                text=say(
                    "What of the query was lost, and what the database said:",
                    "检索式中未能表达的部分及数据库的说明：",
                )
            )
            yield Items(items=one.notes)
        if one.failed:
            why = say("The database failed", "检索失败")
            yield Remark(text=f"{why} ({one.status}): {one.error}", warning=True)
        elif one.short:
            yield Remark(
                text=say(
                    f"{one.fetched:,} of {one.claimed:,} records were obtained.",
                    f"共 {one.claimed:,} 篇，实际获得 {one.fetched:,} 篇。",
                ),
                warning=True,
            )


def _facts(one: Searched, say: Say) -> Iterator[tuple[str, Text]]:
    if one.by_hand:
        yield say("Searched", "检索方式"), say("by hand, from a file", "手工检索，文件导入")
        yield say("File", "文件"), one.file
        if one.note:
            yield say("How", "说明"), one.note
    else:
        yield say("Searched", "检索方式"), say(f"by {one.tool}", f"{one.tool}")
    date = moment(one.date)
    if one.cached:
        date += say(" (page kept from then)", "（当时缓存的页面）")
    yield say("Date", "日期"), date or say("not known", "未知")
    if one.years:
        yield say("Years", "年限"), one.years
    claimed = number(one.claimed, say)
    if one.claimed is not None and not one.exact:
        claimed = say(
            f"about {claimed} (of a part of the query)", f"约 {claimed}（检索式的一部分）"
        )
    yield say("Hits by its own count", "数据库所报命中数"), claimed
    if one.mode != "counts":
        yield say("Records obtained", "获得记录"), _obtained(one, say)
    if one.filtered:
        yield (
            say("Left out by metasearch", "由 metasearch 过滤"),
            say(
                f"{one.filtered:,}, by conditions that the database cannot search for",
                f"{one.filtered:,}（数据库无法表达的条件）",
            ),
        )
    if one.unread:
        yield say("Could not be read", "无法读取"), f"{one.unread:,}"


def _obtained(one: Searched, say: Say) -> str:
    return say("none: it failed", "无：检索失败") if one.fetched is None else f"{one.fetched:,}"


def _requests(one: Searched, say: Say) -> Iterator[Block]:
    if not one.requests:
        return
    lines = [_request(request) for request in one.requests[:_MOST_REQUESTS]]
    yield Code(text="\n".join(lines), label=say("Requests, without keys", "请求（不含密钥）"))
    more = len(one.requests) - len(lines)
    if more > 0:
        yield Paragraph(
            text=say(f"Requests for further pages: {more:,}.", f"后续页面的请求另有 {more:,} 个。")
        )


def _request(request: Any) -> str:
    parts = [str(request.get("method") or "GET"), str(request.get("url") or "")]
    body = str(request.get("body") or "")
    return " ".join(parts) + (f"\n{body}" if body else "")


def moment(text: str) -> str:
    """A moment for people: "2026-11-20 10:00 UTC"; a day stays one."""
    if len(text) >= 16 and text[10] == "T":
        return f"{text[:10]} {text[11:16]} UTC"
    return text
