"""A novelty search (科技查新) on the restoration of shallow lakes, with the strategy of the paper
that metasearch begins with, and what was searched by hand in CNKI, which forbids machines.

Works, people and institutions are invented. The decisions follow from titles, by the rules below.
"""

from __future__ import annotations

import datetime as dt

from metasearch.review.examples import demo
from metasearch.review.projects import details
from metasearch.review.projects.projects import Project
from metasearch.review.runs.imports import import_file
from metasearch.review.runs.run import count_strategy, run_strategy
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works import decisions
from metasearch.review.works.filters import WorksQuery
from metasearch.review.works.works import Verdict, Work

NAME = "shallow-lake"
TITLE = "沉水植物、贝类与鱼类联合调控的浅水湖泊水质改善技术"
#: As typed, one step each: for the first point of novelty, for the second, and in English.
STEPS = (
    ("(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)", "查新点1"),
    ("沉水植物*贝类*密度*水质", "查新点2"),
    ('"submerged plants" AND mussels AND fish AND density', "国外文献"),
)
SOURCES = ("demo-crossref", "demo-openalex", "demo-library")
YEARS = "2000-2026"
POINTS = (
    "在同一浅水湖泊中联合配置沉水植物、贝类和鱼类，并给出三者各自的种类与密度范围",
    "以贝类的放养密度为调控变量，使沉水植物恢复与水质改善同时达到目标",
)
#: Days from the order to the report.
DAYS = 14

_ANSWERS: dict[str, object] = {
    "novelty.title_zh": TITLE,
    "novelty.title_en": "Submerged plants, mussels and fish together for better water in lakes",
    "novelty.client": "示例水生态研究所",
    "novelty.client_contact": "示例市示例路1号，联系人：许沛然",
    "novelty.station": "示例大学科技查新站",
    "novelty.station_contact": "示例市示例路2号",
    "novelty.purpose": "立项",
    "novelty.essentials": (
        "浅水湖泊富营养化后，常见的做法是单独种植沉水植物，或单独调整鱼类。本项目在同一湖泊中"
        "联合配置沉水植物、贝类和鱼类：先以贝类滤食降低水体浊度，再种植沉水植物，最后调整鱼类的"
        "种类与密度，使生态系统保持清水状态。项目给出三者的种类组合与密度范围，并以贝类密度作为"
        "主要的调控变量。本项目及其数据均为虚构，仅作示例。"
    ),
    "novelty.points": POINTS,
    "novelty.scope": "国内外",
    "novelty.requirements": "查证上述查新点在国内外是否已有相同或类似的文献报道。",
    "novelty.terms_zh": ("沉水植物", "贝类、河蚌", "鱼类", "生态系统", "水质", "种类", "密度"),
    "novelty.terms_en": ("submerged plants", "mussels", "fish", "density", "water quality"),
    "novelty.years": YEARS,
    "novelty.comparison.1": (
        "《沉水植物、贝类和鱼类联合修复城市景观水体》在景观水体中以正交试验选择三者的种类和密度，"
        "《清水态浅水湖泊生态系统的构建》在池塘中逐一改变贝类和鱼类的种类与密度，并给出配置范围。"
        "英文文献 Submerged plants, mussels and fish in a restored shallow lake 在围隔中同时放养"
        "三者，比较了若干密度。三者均报道了三类生物的联合配置，对象分别为景观水体、池塘和围隔，"
        "均未在整个湖泊中给出三者的密度范围。"
    ),
    "novelty.finding.1": "部分见报道",
    "novelty.comparison.2": (
        "《贝类放养密度对沉水植物恢复和湖泊生态系统水质的作用》在围隔中改变河蚌密度，观察到水质和"
        "沉水植物盖度的变化；《清水态浅水湖泊生态系统的构建》和英文文献 Submerged plants, mussels "
        "and fish in a restored shallow lake 把贝类密度作为若干因素之一。均未把贝类密度作为使两者"
        "同时达标的调控变量，也未见湖泊尺度的应用。"
    ),
    "novelty.finding.2": "未见相同报道",
    "novelty.conclusion": (
        "在所检数据库和年限内：沉水植物、贝类和鱼类的联合配置已有文献报道，其对象为景观水体、池塘和围隔，"
        "查新点1部分见报道；以贝类放养密度为调控变量使沉水植物恢复与水质改善同时达到目标的做法，"
        "除委托项目外未见相同报道。"
    ),
    "novelty.searcher": "陆小舟",
    "novelty.searcher_title": "馆员",
    "novelty.reviewer": "温如玉",
    "novelty.reviewer_title": "副研究馆员",
    "novelty.attachments": ("密切相关文献的题录与文摘", "CNKI 手工检索的题录文件 cnki.ris"),
    "novelty.remarks": "本报告为示例：委托人、人员、文献和结论均为虚构。",
    "novelty.org": "G00",
}
#: Words of a title -> the points of novelty that the closely related work is about.
_CLOSE = {
    "联合修复城市景观水体": (1,),
    "清水态浅水湖泊": (1, 2),
    "贝类放养密度对沉水植物恢复": (2,),
    "Submerged plants, mussels and fish": (1, 2),
}
_GENERAL = {
    "沉水植物种类与密度": (1,),
    "养殖池塘生态系统中贝类密度": (2,),
    "鱼类放养密度对湖滨带": (1,),
    "滤食性鱼类种类搭配": (1,),
    "底栖贝类种类": (1, 2),
    "鱼类密度的季节调控": (1,),
}
_UNRELATED = "未涉及查新点的技术内容"


async def install(workspace: Workspace, *, name: str = NAME, by: str = "") -> Project:
    """Make the example, as a new project. Raises UsageError: there is a project of this name, or it
    cannot be one; nothing was made.
    """
    async with demo.making(workspace, name, "novelty", TITLE, by) as (engine, project):
        strategy = await workspace.write(_begun, project, by)
        wanted = list(range(1, len(STEPS) + 1))
        await count_strategy(workspace, engine, project, strategy, steps=wanted, by=by)
        await run_strategy(workspace, engine, project, strategy, steps=wanted, by=by)
        return await workspace.write(_finished, project, strategy, by)


def _begun(db: Database, project: Project, by: str) -> Strategy:
    """The strategy and the contract."""
    today = now()[:10]
    ordered = dt.date.fromisoformat(today) - dt.timedelta(days=DAYS)
    dates = {"novelty.ordered": ordered.isoformat(), "novelty.completed": today}
    with db.transaction():
        strategy = strategies.create(db, project, "main", sources=SOURCES, years=YEARS, by=by)
        for text, note in STEPS:
            steps.add(db, strategy, text, note=note, by=by)
        details.answer(db, project, _ANSWERS | dates, by=by)
    return strategy


def _finished(db: Database, project: Project, strategy: Strategy, by: str) -> Project:
    """The search by hand, the relation of every work, and its points of novelty."""
    import_file(
        db,
        project,
        strategy,
        demo.content("cnki.ris"),
        "cnki.ris",
        source="CNKI",
        searched=now()[:10],
        query="SU=('沉水植物'+'贝类'+'鱼类')*'生态系统'*'水质'*('种类'+'密度')",
        note="手工检索后导出；CNKI 不允许程序检索。文件为虚构。",
        claimed=4,
        by=by,
    )
    demo.decide(db, project, related, by=by)
    with db.transaction():
        for work in demo.found(db, project, WorksQuery()):
            tags = [f"查新点{point}" for point in _points(work)]
            if tags:
                decisions.tag(db, project, [work.uid], add=tags, by=by)
    return project


def related(work: Work) -> tuple[Verdict, str]:
    """Whether a work is closely related, generally, or not at all."""
    if _of(work, _CLOSE):
        return "close", ""
    if _of(work, _GENERAL):
        return "relevant", ""
    return "excluded", _UNRELATED


def _points(work: Work) -> tuple[int, ...]:
    return _of(work, _CLOSE) or _of(work, _GENERAL)


def _of(work: Work, titles: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    return next((points for part, points in titles.items() if part in work.title), ())
