"""What was searched: each answer of a source in the runs of a project, with its step and strategy,
and each strategy as typed. What databases were sent is here word for word.
The appendix is made of it, and what a report warns of.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.errors import UsageError
from metasearch.review.projects.projects import Project
from metasearch.review.reports import missed as missed_section
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    Fields,
    Heading,
    Items,
    Language,
    Paragraph,
    Remark,
    Say,
    Table,
    Text,
    listed,
    number,
    speaker,
)
from metasearch.review.reports.flow import kind_of_other
from metasearch.review.reports.numbers import Numbers
from metasearch.review.runs import other_sources
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.runs.plan import Question
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps
from metasearch.review.strategies import strategies as strategy_rows
from metasearch.review.strategies.resolve import resolve_all

#: Statuses of an answer that is whole.
WHOLE = frozenset(("ok", "empty"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One answer. A number that is not known is None, never 0.

    Attributes:
        run: Number of the run; `run_id` of its row; `mode` "records", "counts" or "import".
        tool: The program that asked; `years` those that the search was limited to, as typed.
        file: Of an import: its name; "" of a search. `note` says how it was searched.
        source: Name; `label` that for people; `place` as in numbers.py.
        digest: Of the query that was asked.
        query: In metasearch's syntax; `sent` as the source received it.
        requests: As they were sent, without keys.
        date: When its pages were fetched, or the search by hand was done; "" where not known.
        cached: Whether that was before the run.
    """

    id: int
    run: int
    run_id: int
    mode: str
    tool: str
    years: str
    strategy: int
    strategy_name: str
    step: int
    typed: str
    file: str
    note: str
    source: str
    label: str
    place: str
    status: str
    error: str
    digest: str
    query: str
    sent: str
    requests: tuple[Mapping[str, Any], ...]
    claimed: int | None
    exact: bool
    fetched: int | None
    filtered: int | None
    unread: int | None
    date: str
    cached: bool
    notes: tuple[str, ...]

    @property
    def by_hand(self) -> bool:
        """Whether a person searched, and brought a file."""
        return self.mode == "import"

    @property
    def failed(self) -> bool:
        """Whether the source did not answer, or not to the end."""
        return self.status not in WHOLE and self.status != "running"

    @property
    def short(self) -> bool:
        """Whether the source says that it has more than it gave."""
        return (
            self.claimed is not None
            and self.fetched is not None
            and self.fetched + (self.filtered or 0) + (self.unread or 0) < self.claimed
        )

    @property
    def place_in_strategy(self) -> tuple[int, int, str]:
        """What a later answer to the same question has in common with it."""
        return self.strategy, self.step, self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedStep:
    """A line of a strategy, as typed."""

    strategy: int
    strategy_name: str
    number: int
    kind: str
    text: str
    syntax: str
    note: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedStrategy:
    """A strategy. `details`: what it was derived from, ..."""

    id: int
    name: str
    note: str
    years: str
    details: Mapping[str, Any]
    steps: tuple[TypedStep, ...]


def searched(db: Database, project: Project, since: int = 0) -> list[Searched]:
    """The answers of all runs that came after one, by its id; counts too. The oldest first."""
    rows = db.all(
        "SELECT answer.*, run.number AS run_number, run.mode, run.tool, run.options,"
        " step.number AS step_number, step.text AS typed, step.kind, step.details AS about,"
        " strategy.id AS strategy, strategy.name AS strategy_name, strategy.years AS years"
        " FROM run JOIN answer ON answer.run = run.id JOIN step ON step.id = answer.step"
        " JOIN strategy ON strategy.id = step.strategy"
        " WHERE run.project = ? AND run.id > ?"
        " ORDER BY run.number, strategy.id, step.number, answer.label, answer.source",
        project.id,
        since,
    )
    return [_searched(row) for row in rows]


def newest(answers: Iterable[Searched]) -> list[Searched]:
    """Of each step and source the newest answer: one that is whole where there is any, else one
    with a part of the records, else the failure. In the order of strategies, steps and labels.
    """
    chosen: dict[tuple[int, int, str], Searched] = {}
    for one in answers:
        old = chosen.get(one.place_in_strategy)
        if old is None or _rank(one) >= _rank(old):
            chosen[one.place_in_strategy] = one
    return sorted(
        chosen.values(),
        key=lambda one: (one.strategy, one.step, one.label.casefold(), one.source),
    )


def strategies(db: Database, project: Project) -> list[TypedStrategy]:
    """All strategies, with their steps."""
    lines: dict[int, list[TypedStep]] = {}
    for row in db.all(
        "SELECT step.*, strategy.name FROM step JOIN strategy ON strategy.id = step.strategy"
        " WHERE strategy.project = ? AND NOT step.removed ORDER BY strategy.id, step.number",
        project.id,
    ):
        lines.setdefault(row["strategy"], []).append(
            TypedStep(
                strategy=row["strategy"],
                strategy_name=row["name"],
                number=row["number"],
                kind=row["kind"],
                text=row["text"],
                syntax=row["syntax"],
                note=row["note"],
                details=_object(row["details"]),
            )
        )
    return [
        TypedStrategy(
            id=row["id"],
            name=row["name"],
            note=row["note"],
            years=row["years"],
            details=_object(row["details"]),
            steps=tuple(lines.get(row["id"], ())),
        )
        for row in db.all("SELECT * FROM strategy WHERE project = ? ORDER BY id", project.id)
    ]


def stale_steps(db: Database, project: Project, answers: Iterable[Searched]) -> list[str]:
    """The steps whose records are of another query than that of now: "main #3"."""
    asked = {
        (one.strategy, one.step): (one.strategy_name, one.digest)
        for one in answers
        if one.mode == "records" and one.fetched is not None
    }
    found = []
    for strategy in strategy_rows.of(db, project):
        known = resolve_all(steps.of(db, strategy))
        for (of, step_number), (name, digest) in asked.items():
            step = known.get(step_number)
            if of != strategy.id or step is None:
                continue  # a removed step is no part of the strategy any more
            if isinstance(step, UsageError) or Question.of(step, strategy.years).digest != digest:
                found.append(f"{name} #{step_number}")
    return found


def _rank(one: Searched) -> int:
    if one.mode != "counts" and one.fetched is None:
        return 0
    return 2 if one.status in WHOLE else 1


def _searched(row: sqlite3.Row) -> Searched:
    about, options = _object(row["about"]), _object(row["options"])
    by_hand = row["mode"] == "import"
    # What the run has noted is of this file; the step has that of the newest one.
    told: Mapping[str, Any] = {**about, **options} if by_hand else {}
    date = told.get("searched") or row["asked_at"] or ""
    return Searched(
        id=row["id"],
        run=row["run_number"],
        run_id=row["run"],
        mode=row["mode"],
        tool=row["tool"],
        years=str((told if by_hand else options).get("years") or ""),
        strategy=row["strategy"],
        strategy_name=row["strategy_name"],
        step=row["step_number"],
        typed=row["typed"],
        file=str(told.get("file") or ""),
        note=str(told.get("by_hand") or ""),
        source=row["source"],
        label=row["label"],
        place=row["place"],
        status=row["status"],
        error=row["error"],
        digest=row["digest"],
        query=row["query"],
        sent=row["sent"] or (row["typed"] if by_hand else ""),
        requests=tuple(one for one in _array(row["requests"]) if isinstance(one, Mapping)),
        claimed=row["claimed"],
        exact=bool(row["exact"]),
        fetched=row["fetched"],
        filtered=row["filtered"],
        unread=row["unread"],
        date=str(date),
        cached=bool(row["cached"]),
        notes=tuple(map(str, _array(row["notes"]))),
    )


def _object(text: str) -> Mapping[str, Any]:
    """An object of the store; {} for anything else, which an archive may have brought."""
    found = orjson.loads(text)
    return found if isinstance(found, dict) else {}


def _array(text: str) -> list[Any]:
    found = orjson.loads(text)
    return found if isinstance(found, list) else []


#: Requests of one answer that are printed; the archive of the project has all.
_MOST_REQUESTS = 3
#: Databases side by side in one table.
_MOST_COLUMNS = 5


def step_blocks(strategy: TypedStrategy, answers: Sequence[Searched], say: Say) -> Iterator[Block]:
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


def sent_blocks(answers: Iterable[Searched], say: Say, *, level: int) -> Iterator[Block]:
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


# What is wrong with a report: cautions, and why it is a draft. What readers of a report should know
# of its searches: sources that failed or gave a part, and what has changed since an earlier report.
# It stays in finished reports.


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


# The search appendix: every strategy as typed, and for every database what it was sent, when, and
# what came back; other ways of searching; an estimate of what was missed.

KIND = "appendix"


def document(db: Database, project: Project, *, language: Language = "en") -> Document:
    """The appendix as it is now."""
    say = speaker(language)
    with db.snapshot():
        known = strategies(db, project)
        answers = searched(db, project)
        chosen = newest(one for one in answers if one.mode != "counts")
        stale = stale_steps(db, project, chosen)
        other = other_sources.of(db, project)
        missed = tuple(missed_section.section(db, project, say))
    blocks: list[Block] = [
        *of_searches(chosen, say),
        *of_strategies(known, answers, say),
    ]
    counted = newest(answers)
    for strategy in known:
        blocks += _strategy(strategy, counted, chosen, say)
    blocks += _runs(answers, say)
    if other:
        blocks += _other(other, say)
    draft = list(lacks_of_steps(answers, stale, say))
    if not chosen:
        draft.append(say("No search has brought records yet.", "尚无检索结果。"))
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=say("Search appendix", "检索策略附录"),
        language=language,
        blocks=(*blocks, *missed),
        draft=tuple(draft),
    )


def _strategy(
    strategy: TypedStrategy, counted: Sequence[Searched], chosen: Sequence[Searched], say: Say
) -> Iterator[Block]:
    yield Heading(text=say(f"Strategy {strategy.name}", f"检索策略 {strategy.name}"))
    if strategy.note:
        yield Paragraph(text=strategy.note)
    if strategy.years:
        yield Fields(rows=((say("Years", "年限"), strategy.years),))
    yield from step_blocks(strategy, counted, say)
    own = [one for one in chosen if one.strategy == strategy.id]
    if own:
        yield Heading(text=say("As sent to each database", "各数据库实际检索式"), level=2)
        yield from sent_blocks(own, say, level=3)


def _runs(answers: Sequence[Searched], say: Say) -> Iterator[Block]:
    """Every search of every run, older ones too."""
    listed = [one for one in answers if one.mode != "counts"]
    if not listed:
        return
    yield Heading(text=say("All searches", "全部检索"))
    rows: list[tuple[Text, ...]] = [
        (
            str(one.run),
            f"{one.strategy_name} #{one.step}",
            one.label + (say(" (by hand)", "（手工检索）") if one.by_hand else ""),
            moment(one.date) or "–",
            number(one.claimed, say),
            say("failed", "失败") if one.fetched is None else f"{one.fetched:,}",
        )
        for one in listed
    ]
    yield Table(
        head=(
            say("Run", "运行"),
            say("Step", "步骤"),
            say("Source", "来源"),
            say("Date", "日期"),
            say("Hits", "命中数"),
            say("Records", "获得记录"),
        ),
        rows=tuple(rows),
        numbers=(4, 5),
        widths=(8, 19, 27, 22, 12, 12),
        row_heads=False,
    )


def _other(other: Sequence[OtherSource], say: Say) -> Iterator[Block]:
    yield Heading(text=say("Other ways of searching", "其他检索途径"))
    for one in other:
        rows: list[tuple[str, Text]] = [
            (say("How", "方法"), one.how or say("not stated", "未说明"))
        ]
        rows.append((say("Date", "日期"), one.date or say("not stated", "未说明")))
        rows.append((say("Records found", "检出数"), number(one.identified, say)))
        yield Heading(text=f"{kind_of_other(one.kind, say)}: {one.name}", level=2)
        yield Fields(rows=tuple(rows))
