"""The worked examples, and what they are made with: the engine, the run of a strategy, and
decisions by rule.

The engine asks the demo's databases without sockets, so that what an example holds does not depend
on the machine or the moment; only its dates do.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Protocol

from metasearch.demo import replay_settings
from metasearch.demo.server import DemoTransport, demo_world
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Kind, Project
from metasearch.review.reports import reports
from metasearch.review.reports.numbers import STUDY
from metasearch.review.runs import citations, known_works, other_sources
from metasearch.review.runs.citations import CitationStep
from metasearch.review.runs.imports import import_file
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.works import decisions, lists, works
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.works import Stage, Verdict, Work

#: A rule: the verdict on a work, and the reason; None where it says nothing.
Rule = Callable[[Work], tuple[Verdict, str] | None]


class Example(Protocol):
    def __call__(
        self, workspace: Workspace, *, name: str = ..., by: str = ...
    ) -> Awaitable[Project]:
        """Make it. Raises UsageError: there is a project of this name, or it cannot be one."""


@asynccontextmanager
async def example_project(
    workspace: Workspace, name: str, kind: Kind, title: str, by: str
) -> AsyncIterator[tuple[Engine, Project]]:
    """An engine over the demo, and a new project, which is removed again if the block fails. Raises
    UsageError: there is a project of this name, or it cannot be one.
    """
    if await workspace.read(Database.one, "SELECT 1 FROM project WHERE name = ?", name):
        raise UsageError(
            message("There is a project {name} already", name=repr(name)),
            advice=message(
                "It may be this example: `metasearch project show {name}`. Delete it to make it "
                "anew.",
                name=name,
            ),
        )
    project = await workspace.write(projects.create, name, kind, title, by=by)
    try:
        await asyncio.to_thread(demo_world)  # which takes a moment, the first time
        async with Engine(replay_settings(), transport=DemoTransport()) as engine:
            yield engine, project
    except BaseException:
        await workspace.write(project.bind(projects.delete))
        raise


def content(name: str) -> bytes:
    return (files("metasearch.review") / "example_files" / name).read_bytes()


def works_of(project: Project, query: WorksQuery) -> list[Work]:
    """All works of a list, in its order."""
    return works.read(project.db, lists.rows(project, query))


def decide(project: Project, rule: Rule, *, stage: Stage = "title") -> None:
    decided: dict[tuple[Verdict, str], list[str]] = {}
    for work in works_of(project, WorksQuery(verdict="undecided", stage=stage)):
        said = rule(work)
        if said is not None:
            decided.setdefault(said, []).append(work.uid)
    with project.db.transaction():
        for (verdict, reason), uids in decided.items():
            decisions.mark(project, uids, verdict, stage=stage, reason=reason)


async def _run(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    strategy: Strategy,
    by: str,
    numbers: Sequence[int] | None = None,
) -> None:
    """Count the hits of steps, and then fetch their records."""
    for mode in ("counts", "records"):
        wanted = RunOptions(mode=mode, steps=numbers)
        await run_strategy(workspace, engine, project, strategy, wanted, by=by)


# A novelty search (科技查新) on the restoration of shallow lakes, with the strategy of the paper
# that metasearch begins with, and what was searched by hand in CNKI, which forbids machines. Works,
# people and institutions are invented. The decisions follow from titles, by the rules below.

NOVELTY_NAME = "shallow-lake"
NOVELTY_TITLE = "沉水植物、贝类与鱼类联合调控的浅水湖泊水质改善技术"
#: As typed, one step each: for the first point of novelty, for the second, and in English.
NOVELTY_STEPS = (
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
    "novelty.title_zh": NOVELTY_TITLE,
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


async def install_novelty(
    workspace: Workspace, *, name: str = NOVELTY_NAME, by: str = ""
) -> Project:
    """Make the example, as a new project. Raises UsageError: there is a project of this name, or it
    cannot be one; nothing was made.
    """
    async with example_project(workspace, name, "novelty", NOVELTY_TITLE, by) as (engine, project):
        strategy = await workspace.write(project.bind(_begin_novelty, by))
        await _run(workspace, engine, project, strategy, by, range(1, len(NOVELTY_STEPS) + 1))
        return await workspace.write(project.bind(_finish_novelty, by), strategy)


def _begin_novelty(project: Project) -> Strategy:
    today = now()[:10]
    ordered = dt.date.fromisoformat(today) - dt.timedelta(days=DAYS)
    dates = {"novelty.ordered": ordered.isoformat(), "novelty.completed": today}
    with project.db.transaction():
        strategy = strategies.create(project, "main", sources=SOURCES, years=YEARS)
        for text, note in NOVELTY_STEPS:
            steps.add(project.db, strategy, text, note=note, by=project.by)
        projects.answer(project, _ANSWERS | dates)
    return strategy


def _finish_novelty(project: Project, strategy: Strategy) -> Project:
    """The search by hand, the relation of every work, and its points of novelty."""
    import_file(
        project,
        strategy,
        content("cnki.ris"),
        "cnki.ris",
        source="CNKI",
        searched=now()[:10],
        query="SU=('沉水植物'+'贝类'+'鱼类')*'生态系统'*'水质'*('种类'+'密度')",
        note="手工检索后导出；CNKI 不允许程序检索。文件为虚构。",
        claimed=4,
    )
    decide(project, relation_of)
    with project.db.transaction():
        for work in works_of(project, WorksQuery()):
            tags = [f"查新点{point}" for point in _of(work, _CLOSE) or _of(work, _GENERAL)]
            if tags:
                decisions.tag(project, [work.uid], add=tags)
    return project


def relation_of(work: Work) -> tuple[Verdict, str]:
    """Whether a work is closely related, generally, or not at all."""
    if _of(work, _CLOSE):
        return "close", ""
    if _of(work, _GENERAL):
        return "relevant", ""
    return "excluded", _UNRELATED


def _of(work: Work, titles: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    return next((points for part, points in titles.items() if part in work.title), ())


# A systematic review on gambling harms: a strategy of four steps in two databases and a file that
# was searched by hand, screened in two stages; then the same strategy in two databases more. The
# decisions follow from titles, types and years, by the rules below. They show what a review looks
# like, and are no opinion on the works.

NAME = "gambling-harms"
TITLE = "Harms of gambling to people and those close to them: a systematic review"
#: Databases of the first search, and of the update.
FIRST, UPDATE = (
    ("demo-crossref", "demo-pubmed"),
    ("demo-crossref", "demo-pubmed", "demo-openalex", "demo-library"),
)
#: Those that are asked for citations.
INDEXES = ("demo-crossref", "demo-openalex", "demo-pubmed")
STEPS = (
    ("gambling OR betting OR wagering", "the activity"),
    ("harm OR harms OR harmful OR problem OR problems", "what it does"),
    ("#1 AND #2", ""),
    ("#3 AND year:2010-", "older works are in the earlier reviews"),
)
#: Works that the search is expected to find; the last one is older than the limit of step 4.
KNOWN = """\
10.1016/j.puhe.2020.06.010
10.1556/2006.2020.00018
10.1007/s10899-017-9698-y
10.1038/s41562-021-01052-5
10.1136/bmj.329.7479.1405-a
"""
ANSWERS = {
    "prisma_s.online": "The web pages of two example foundations were looked through.",
    "prisma_s.contacts": "Nobody was asked for further studies.",
    "prisma_s.other_methods": "There were no other methods.",
    "prisma_s.limits": "Works since 2010, because earlier reviews cover what came before; no limit "
    "of language or type.",
    "prisma_s.filters": "No published search filters were used.",
    "prisma_s.prior_work": "No strategy of another review was taken over.",
    "prisma_s.updates": "The search was run anew, in two databases more, before the review was "
    "finished.",
    "prisma_s.peer_review": "A second librarian read the strategy before it was run; this is an "
    "example, and the librarian is invented.",
    "prisma_s.deduplication": "No other software was used.",
}

#: A word of the journal of the works, both invented, that report of one study.
_ONE_STUDY = "Example Journal"
_NO_STUDY = re.compile(r"commentary|open letter|toothless|everybody's business", re.IGNORECASE)
_POLICY = re.compile(r"polic|regulat|politic|companies|venues|sludge|law\b", re.IGNORECASE)
_OVERVIEW = re.compile(r"\breview\b|overview|lessons|relationship between internet", re.IGNORECASE)
_INSTRUMENT = re.compile(r"validat|scale|screen|SGHS|measuring|measurement", re.IGNORECASE)


async def install(workspace: Workspace, *, name: str = NAME, by: str = "") -> Project:
    """Make the example, as a new project. Raises UsageError: there is a project of this name, or it
    cannot be one; nothing was made.
    """
    async with example_project(workspace, name, "review", TITLE, by) as (engine, project):
        strategy = await workspace.write(project.bind(_begun_review, by))
        await _run(workspace, engine, project, strategy, by)
        step = await workspace.write(project.bind(_first_search, by), strategy)
        wanted = RunOptions(steps=[step.number])
        await run_strategy(workspace, engine, project, strategy, wanted, by=by)
        strategy = await workspace.write(project.bind(_first_reports, by), strategy)
        await _run(workspace, engine, project, strategy, by)
        return await workspace.write(project.bind(_screen_all, by))


def _begun_review(project: Project) -> Strategy:
    """The strategy, the works that it should find, and the answers for its report."""
    with project.db.transaction():
        strategy = strategies.create(
            project, "main", sources=FIRST, note="Two ideas, joined, since 2010."
        )
        for text, note in STEPS:
            steps.add(project.db, strategy, text, note=note, by=project.by)
        known_works.add_lines(project, KNOWN)
        projects.answer(project, ANSWERS)
    return strategy


def _first_search(project: Project, strategy: Strategy) -> Step:
    """What follows the first search: a search by hand, another way of searching, and screening.
    Returns the step that follows the citations of what was included.
    """
    import_file(
        project,
        strategy,
        content("psycinfo.ris"),
        "psycinfo.ris",
        source="PsycINFO",
        searched=now()[:10],
        query="(gambling or betting).ti. and harm*.ti,ab.",
        note="An invented file, in place of an export of this database.",
        claimed=5,
    )
    other_sources.add(
        project,
        "website",
        "Two example foundations",
        how="All reports on their web pages were looked through.",
        date=now()[:10],
        identified=12,
        sought=3,
        not_retrieved=1,
        excluded={"Not about harm": 1},
    )
    _screen_all(project)
    return citations.add_step(project, strategy, CitationStep(indexes=INDEXES))


def _first_reports(project: Project, strategy: Strategy) -> Strategy:
    """What follows the citation search: screening, and the reports, which the update continues."""
    project = _screen_all(project)
    reports.freeze(project, "prisma-s")
    reports.freeze(project, "prisma-flow")
    return strategies.update(project.db, strategy, sources=UPDATE, by=project.by)


def _screen_all(project: Project) -> Project:
    decide(project, by_title)
    decide(project, by_full_text, stage="fulltext")
    with project.db.transaction():
        listed = works_of(project, WorksQuery())
        same = [work.uid for work in listed if work.venue.startswith(_ONE_STUDY)]
        decisions.tag(project, same, add=[f"{STUDY}Example town"])
    return project


def by_title(work: Work) -> tuple[Verdict, str]:
    if _NO_STUDY.search(work.title):
        return "excluded", "No study"
    if _POLICY.search(work.title):
        return "excluded", "Policy, not harm"
    return "relevant", ""


def by_full_text(work: Work) -> tuple[Verdict, str]:
    """The verdict on a work by what would be its full text."""
    if work.year is not None and work.year <= 2012:
        return "unavailable", ""
    if _OVERVIEW.search(work.title):
        return "excluded", "No own data"
    if _INSTRUMENT.search(work.title):
        return "excluded", "About an instrument"
    return "relevant", ""


# Two worked examples over the demo's databases, for a first look, for docs and for tests:
# `metasearch project demo` installs them.
#
# One is a systematic review on gambling harms, with an update search, the other a novelty search
# (查新) on the restoration of shallow lakes. In example_files/ is what "was searched by hand"; made
# up, as the works on lakes of the demo are.

#: Name of an example, and of the project that it makes -> how it is made.
EXAMPLES: Mapping[str, Example] = {NAME: install, NOVELTY_NAME: install_novelty}
