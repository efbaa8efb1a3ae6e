"""The search appendix: every strategy as typed, and for every database what it was sent, when, and
what came back; other ways of searching; an estimate of what was missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metasearch.review.projects.projects import Project
from metasearch.review.reports import (
    cautions,
    searches,
)
from metasearch.review.reports import (
    missed as missed_section,
)
from metasearch.review.reports.document import (
    Block,
    Document,
    Fields,
    Heading,
    Language,
    Paragraph,
    Say,
    Table,
    Text,
    number,
    speaker,
)
from metasearch.review.reports.flow import kind_of_other
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
        *cautions.of_searches(chosen, say),
        *cautions.of_strategies(known, answers, say),
    ]
    counted = newest(answers)
    for strategy in known:
        blocks += _strategy(strategy, counted, chosen, say)
    blocks += _runs(answers, say)
    if other:
        blocks += _other(other, say)
    draft = list(cautions.lacks_of_steps(answers, stale, say))
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
    yield from searches.step_blocks(strategy, counted, say)
    own = [one for one in chosen if one.strategy == strategy.id]
    if own:
        yield Heading(text=say("As sent to each database", "各数据库实际检索式"), level=2)
        yield from searches.sent_blocks(own, say, level=3)


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
