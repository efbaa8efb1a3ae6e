"""The report `prisma-s`: how the literature was searched.

How duplicates were recognised: a project's rules and pins, and how often each rule joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports import questions as asked
from metasearch.review.reports import searches
from metasearch.review.reports.document import (
    Block,
    Document,
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
from metasearch.review.reports.flow import kind_of_other, records_of
from metasearch.review.reports.numbers import Numbers, numbers
from metasearch.review.reports.questions import Value
from metasearch.review.reports.searches import (
    Searched,
    TypedStrategy,
    moment,
    newest,
    searched,
    stale_steps,
    strategies,
)
from metasearch.review.runs import other_sources
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """How the works of a project were made.

    Attributes:
        strategy: Name of the strategy of deduplication.
        versions: What becomes of preprint and article: "separate" are a work each.
        pins: Pairs of records that a person has decided on.
        reasons: Name of a rule -> pairs of records that it joined, the most frequent first.
    """

    strategy: str
    versions: str
    pins: int
    reasons: Mapping[str, int]


def merging(db: Database, project: Project) -> Merging:
    """How it was done."""
    # As works/groups.py writes it: a shape, the strategy, what becomes of versions.
    rules = db.value("SELECT rules FROM works_made WHERE project = ?", project.id) or ""
    _, strategy, versions = (*rules.split(" "), "", "", "")[:3]
    reasons = db.all(
        # Bodies of works of one record are not read: nothing was joined.
        "SELECT json_extract(matches.value, '$.matcher') AS matcher, count(*) AS pairs"
        " FROM work_body JOIN json_each(CAST(work_body.hit AS TEXT), '$.matches') AS matches"
        " WHERE work_body.work IN (SELECT work FROM work_record JOIN work ON work.id = work"
        "  WHERE work.project = ? GROUP BY work HAVING count(*) > 1)"
        " AND json_extract(matches.value, '$.verdict') <> 'different'"
        " GROUP BY matcher ORDER BY pairs DESC, matcher",
        project.id,
    )
    return Merging(
        strategy=strategy or "default",
        versions=versions or "separate",
        pins=db.value("SELECT count(*) FROM pin WHERE project = ?", project.id),
        reasons={row["matcher"]: row["pairs"] for row in reasons},
    )


# PRISMA-S: the sixteen items of how the literature was searched. What the runs know is written
# from them; what only a person knows is the answer to a question (questions.py).
#
#     Rethlefsen, M. L. et al. (2021). PRISMA-S: an extension to the PRISMA statement for reporting
#     literature searches in systematic reviews. Systematic Reviews 10, 39.

KIND = asked.PRISMA_S


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the items are written from."""

    say: Say
    numbers: Numbers
    answers: Sequence[Searched]
    chosen: Sequence[Searched]
    strategies: Sequence[TypedStrategy]
    other: Sequence[OtherSource]
    merging: Merging
    answered: Mapping[str, Value]

    def of_place(self, place: str) -> list[Searched]:
        return [one for one in self.chosen if one.place == place]

    def others(self, *kinds: str) -> list[OtherSource]:
        return [one for one in self.other if one.kind in kinds]


def document(db: Database, project: Project, *, language: Language = "en") -> Document:
    """The report as it is now."""
    say = speaker(language)
    with db.snapshot():
        project = projects.find(db, project.uid)  # with the answers of now
        answers = searched(db, project)
        chosen = newest(one for one in answers if one.mode != "counts")
        known = _Known(
            say=say,
            numbers=numbers(db, project),
            answers=answers,
            chosen=chosen,
            strategies=strategies(db, project),
            other=other_sources.of(db, project),
            merging=merging(db, project),
            answered=projects.answers(project),
        )
        stale = stale_steps(db, project, chosen)
    blocks: list[Block] = [*searches.of_searches(chosen, say)]
    for item in _ITEMS:
        if item.number in _GROUPS:
            blocks.append(Heading(text=say(*_GROUPS[item.number])))
        title = Heading(text=say(*item.title), level=2, number=f"{item.number}.")
        blocks += (title, *item.write(known))
        blocks += _answers(known, item.number)
    draft = list(searches.lacks_of_steps(answers, stale, say))
    if not chosen:
        draft.append(say("No search has brought records yet.", "尚无检索结果。"))
    draft += _unanswered(project, known.other, say)
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=say(
            "How the literature was searched, by PRISMA-S", "文献检索报告（依据 PRISMA-S）"
        ),
        language=language,
        blocks=tuple(blocks),
        draft=tuple(draft),
    )


def _answers(known: _Known, item: int) -> Iterator[Block]:
    """The answers for an item, or that there is none."""
    for question in asked.PRISMA_S_QUESTIONS:
        if asked.ITEMS[question.name] != item:
            continue
        answer = known.answered.get(question.key)
        if answer:
            yield Paragraph(text=str(answer))
        elif question.required and not _listed(known.other, item):
            yield Remark(text=known.say("Not stated.", "未说明。"), warning=True)


#: Item -> the kinds of other sources that answer it, too.
_KINDS = {
    4: ("website", "organisation", "browse"),
    5: ("citation",),
    6: ("contact",),
    7: ("other",),
}


def _listed(other: Sequence[OtherSource], item: int) -> bool:
    """Whether another source says what the item asks for."""
    return any(one.kind in _KINDS.get(item, ()) for one in other)


def _unanswered(project: Project, other: Sequence[OtherSource], say: Say) -> Iterator[str]:
    missing = [asked.ITEMS[question.name] for question in projects.missing(project, KIND)]
    items = [f"{item} ({_title(item, say)})" for item in missing if not _listed(other, item)]
    if items:
        names = say(", ", "、").join(items)
        yield say(f"Not stated: item {names}.", f"尚未说明的条目：{names}。")


def _title(number: int, say: Say) -> str:
    return next(say(*item.title) for item in _ITEMS if item.number == number)


def _databases(known: _Known) -> Iterator[Block]:
    say = known.say
    found = [one for one in known.chosen if one.place == "database"]
    if not found:
        yield Paragraph(text=say("No database was searched.", "未检索数据库。"))
        return
    yield Paragraph(
        text=say(
            "Databases searched, each by its own interface; those searched by hand were imported "
            "as files.",
            "已检索的数据库，均通过其自身接口检索；手工检索者以文件导入。",
        )
    )
    yield _sources_table(found, say)


def _sources_table(found: Sequence[Searched], say: Say) -> Table:
    """A row for each source, with the days on which it was searched."""
    rows: dict[str, list[Searched]] = {}
    for one in found:
        rows.setdefault(one.source, []).append(one)
    cells: list[tuple[Text, ...]] = []
    for answers in rows.values():
        dates = sorted({one.date[:10] for one in answers if one.date})
        hosts = dict.fromkeys(host for one in answers for host in _hosts(one))
        how = listed(hosts, say) or answers[0].tool
        if answers[-1].by_hand:
            how = say("by hand, files: ", "手工检索，文件：") + listed(
                dict.fromkeys(one.file for one in answers), say
            )
        shown = "–".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "–"
        cells.append((answers[-1].label, how, shown))
    return Table(
        head=(say("Database", "数据库"), say("Searched through", "检索平台"), say("Date", "日期")),
        rows=tuple(cells),
        widths=(32, 44, 24),
    )


def _hosts(one: Searched) -> Iterator[str]:
    for request in one.requests:
        host = str(request.get("url") or "").partition("://")[2].partition("/")[0]
        if host:
            yield host.rpartition("@")[2]


def _multi(known: _Known) -> Iterator[Block]:
    say = known.say
    tools = listed(dict.fromkeys(one.tool for one in known.chosen if not one.by_hand), say)
    labels = listed(dict.fromkeys(one.label for one in known.chosen if not one.by_hand), say)
    if not labels:
        yield Paragraph(
            text=say("No databases were searched together.", "未使用多数据库统一检索。")
        )
        return
    yield Paragraph(
        text=say(
            f"{tools} sent each strategy to the following databases, in the syntax of each: "
            f"{labels}.",
            f"使用 {tools} 将检索策略按各库语法分别发送至：{labels}。",
        )
    )


def _registries(known: _Known) -> Iterator[Block]:
    say = known.say
    found, by_hand = known.of_place("register"), known.others("register")
    if not found and not by_hand:
        yield Paragraph(text=say("No study registry was searched.", "未检索研究注册库。"))
    if found:
        yield _sources_table(found, say)
    yield from _others(by_hand, say)


def _by_others(known: _Known, item: int) -> Iterator[Block]:
    yield from _others(known.others(*_KINDS[item]), known.say)


def _other_methods(known: _Known) -> Iterator[Block]:
    yield from _by_others(known, 7)
    files = known.of_place("other")
    if files:
        yield _sources_table(files, known.say)


def _others(other: Sequence[OtherSource], say: Say) -> Iterator[Block]:
    if not other:
        return
    yield Items(
        items=tuple(
            say(
                f"{kind_of_other(one.kind, say)}: {one.name}. {one.how} "
                f"Date: {one.date or 'not stated'}. Records: {number(one.identified, say)}.",
                f"{kind_of_other(one.kind, say)}：{one.name}。{one.how} "
                f"日期：{one.date or '未说明'}。记录数：{number(one.identified, say)}。",
            )
            for one in other
        )
    )


def _full(known: _Known) -> Iterator[Block]:
    say = known.say
    counted = newest(known.answers)
    for strategy in known.strategies:
        yield Heading(text=say(f"Strategy {strategy.name}", f"检索策略 {strategy.name}"), level=3)
        if strategy.note:
            yield Paragraph(text=strategy.note)
        yield from searches.step_blocks(strategy, counted, say)
        own = [one for one in known.chosen if one.strategy == strategy.id]
        yield from searches.sent_blocks(own, say, level=4)
    if not known.strategies:
        yield Paragraph(text=say("There is no search strategy yet.", "尚无检索策略。"))


def _limits(known: _Known) -> Iterator[Block]:
    say = known.say
    years = [(one.name, one.years) for one in known.strategies if one.years]
    for name, limit in years:
        yield Paragraph(
            text=say(
                f"Strategy {name}: limited to the years {limit}.",
                f"检索策略 {name}：年限 {limit}。",
            )
        )
    if not years:
        yield Paragraph(
            text=say(
                "No strategy was limited to years beside what its steps say.",
                "除检索式所含条件外，未设年限。",
            )
        )
    filtered = sum(one.filtered or 0 for one in known.chosen)
    if filtered:
        yield Paragraph(
            text=say(
                "Records that metasearch left out, because they did not fulfil a condition that "
                f"their database cannot search for: {filtered:,}.",
                f"因数据库无法表达部分条件而由 metasearch 过滤的记录：{filtered:,} 条。",
            )
        )


def _nothing(known: _Known) -> Iterator[Block]:
    yield from ()


def _prior(known: _Known) -> Iterator[Block]:
    say = known.say
    for one in known.strategies:
        origin = one.details.get("derived_from")
        name = origin.get("strategy") if isinstance(origin, Mapping) else origin
        if name:
            yield Paragraph(
                text=say(
                    f"Strategy {one.name} was derived from {name}.",
                    f"检索策略 {one.name} 由 {name} 修改而来。",
                )
            )


def _updates(known: _Known) -> Iterator[Block]:
    say = known.say
    runs: dict[int, list[Searched]] = {}
    for one in known.answers:
        if one.mode == "records":
            runs.setdefault(one.run, []).append(one)
    if not runs:
        yield Paragraph(text=say("The search has not been run yet.", "尚未运行检索。"))
        return
    rows: list[tuple[Text, ...]] = []
    for run, answers in runs.items():
        dates = sorted(one.date for one in answers if one.date)
        names = listed(dict.fromkeys(one.strategy_name for one in answers), say)
        fetched = sum(one.fetched or 0 for one in answers)
        rows.append((str(run), names, moment(dates[-1]) if dates else "–", f"{fetched:,}"))
    yield Paragraph(text=say("Each time that the searches were run:", "历次检索："))
    yield Table(
        head=(
            say("Run", "运行"),
            say("Strategy", "检索策略"),
            say("Date", "日期"),
            say("Records obtained", "获得记录"),
        ),
        rows=tuple(rows),
        numbers=(3,),
        widths=(10, 45, 25, 20),
    )


def _dates(known: _Known) -> Iterator[Block]:
    say = known.say
    rows: list[tuple[Text, ...]] = [
        (
            one.label,
            f"{one.strategy_name} #{one.step}",
            moment(one.date) or say("not known", "未知"),
            say("page kept from then", "缓存页面") if one.cached else "",
        )
        for one in known.chosen
    ]
    if rows:
        yield Table(
            caption=say("The last search of each database", "各数据库最近一次检索"),
            head=(say("Database", "数据库"), say("Step", "步骤"), say("Date", "日期"), ""),
            rows=tuple(rows),
            widths=(35, 20, 27, 18),
        )


def _total(known: _Known) -> Iterator[Block]:
    say, n = known.say, known.numbers
    claimed: dict[str, list[int | None]] = {}
    for one in known.chosen:
        claimed.setdefault(one.source, []).append(one.claimed)
    rows: list[tuple[Text, ...]] = [
        (one.label, _claims(claimed.get(one.source, []), say), records_of(one, say))
        for one in n.sources
    ]
    rows.append((say("Sum", "合计"), "", f"{n.identified:,}"))
    yield Table(
        head=(
            say("Database", "数据库"),
            say("Hits by its own count", "数据库所报命中数"),
            say("Records obtained", "获得记录"),
        ),
        rows=tuple(rows),
        numbers=(1, 2),
        widths=(50, 26, 24),
    )
    yield Paragraph(
        text=say(
            "A record that several steps or runs of one database returned is counted once; hits "
            "are listed for each step.",
            "同一数据库在多个步骤或多次运行中返回的同一记录只计一次；命中数按步骤分列。",
        )
    )


def _claims(claims: Sequence[int | None], say: Say) -> str:
    return " + ".join(number(one, say) for one in claims) or "–"


def _deduplication(known: _Known) -> Iterator[Block]:
    say, n, merged = known.say, known.numbers, known.merging
    tools = listed(dict.fromkeys(one.tool for one in known.chosen), say) or "metasearch"
    yield Paragraph(
        text=say(
            f"Duplicates were recognised by {tools}, strategy “{merged.strategy}”, preprints and "
            f"articles: {merged.versions}. Of {n.identified:,} records, {n.duplicates:,} were "
            f"duplicates; {n.works:,} works were left. Pairs decided by hand: {merged.pins:,}.",
            f"去重由 {tools} 完成，策略“{merged.strategy}”，预印本与正式发表："
            f"{merged.versions}。{n.identified:,} 条记录中重复 {n.duplicates:,} 条，余 "
            f"{n.works:,} 篇文献。人工判定的记录对：{merged.pins:,}。",
        )
    )
    if merged.reasons:
        yield Table(
            caption=say("Why records were joined", "合并依据"),
            head=(say("Rule", "规则"), say("Pairs of records", "记录对")),
            rows=tuple((name, f"{count:,}") for name, count in merged.reasons.items()),
            numbers=(1,),
            widths=(75, 25),
        )


@dataclass(frozen=True, slots=True)
class _Item:
    """An item: its number, its title in English and Chinese, and what writes it."""

    number: int
    title: tuple[str, str]
    write: Callable[[_Known], Iterator[Block]]


_GROUPS = {
    1: ("Information sources and methods", "信息来源与方法"),
    8: ("Search strategies", "检索策略"),
    14: ("Peer review", "同行评议"),
    15: ("Managing records", "记录管理"),
}
_ITEMS = (
    _Item(1, ("Database name", "数据库名称"), _databases),
    _Item(2, ("Multi-database searching", "多数据库统一检索"), _multi),
    _Item(3, ("Study registries", "研究注册库"), _registries),
    _Item(4, ("Online resources and browsing", "网络资源与浏览"), partial(_by_others, item=4)),
    _Item(5, ("Citation searching", "引文检索"), partial(_by_others, item=5)),
    _Item(6, ("Contacts", "联系作者与专家"), partial(_by_others, item=6)),
    _Item(7, ("Other methods", "其他方法"), _other_methods),
    _Item(8, ("Full search strategies", "完整检索策略"), _full),
    _Item(9, ("Limits and restrictions", "限制条件"), _limits),
    _Item(10, ("Search filters", "检索过滤器"), _nothing),
    _Item(11, ("Prior work", "既往工作"), _prior),
    _Item(12, ("Updates", "更新"), _updates),
    _Item(13, ("Dates of searches", "检索日期"), _dates),
    _Item(14, ("Peer review", "同行评议"), _nothing),
    _Item(15, ("Total records", "记录总数"), _total),
    _Item(16, ("Deduplication", "去重"), _deduplication),
)
