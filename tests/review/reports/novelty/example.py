"""A novelty search on submerged plants, written row by row: two databases that were asked, one that
was searched by hand, one that failed; five works, of which three are related.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from metasearch.bib import record_json
from metasearch.formats import hits
from metasearch.record import Author, Hit, Record
from metasearch.review.projects import projects
from metasearch.review.projects import projects as details
from metasearch.review.projects.projects import Project
from metasearch.review.runs.plan import SourceQuestion
from metasearch.review.store.database import Database
from metasearch.review.store.values import uid
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all

TYPED = "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)"
POINTS = (
    "沉水植物、底栖贝类与滤食性鱼类按比例配置的浅水湖泊生态系统构建方法",
    "以水质目标反推沉水植物种类与种植密度的计算方法",
)
ANSWERS: Mapping[str, object] = {
    "novelty.title_en": "Combined restoration of shallow lakes by submerged plants, mussels and "
    "fish",
    "novelty.client": "东湖生态研究所",
    "novelty.client_contact": "武汉市东湖路 1 号，430000，张工，027-00000000",
    "novelty.ordered": "2026-10-12",
    "novelty.completed": "2026-11-20",
    "novelty.station": "江汉科技查新工作站",
    "novelty.station_contact": "武汉市图书馆路 2 号，430000",
    "novelty.purpose": ("立项",),
    "novelty.essentials": "浅水湖泊富营养化治理中，单一恢复沉水植物难以维持清水状态。\n"
    "本项目将沉水植物、贝类和鱼类按比例组合，并由水质目标推算种类与密度。",
    "novelty.points": POINTS,
    "novelty.scope": "国内外",
    "novelty.terms_zh": ("沉水植物", "贝类；河蚌", "鱼类", "水质", "密度"),
    "novelty.terms_en": ("submerged macrophyte", "mussel", "fish", "water quality", "density"),
    "novelty.comparison.1": "文献[1]报道了沉水植物与河蚌的组合，未涉及滤食性鱼类的比例配置。",
    "novelty.finding.1": "部分见报道",
    "novelty.comparison.2": "所检文献未见由水质目标反推种植密度的方法。",
    "novelty.finding.2": "未见相同报道",
    "novelty.conclusion": "在所检文献范围内，除委托人自己的成果外，未见与查新点 2 相同的报道。",
    "novelty.searcher": "李明",
    "novelty.searcher_title": "副研究馆员",
    "novelty.reviewer": "王芳",
    "novelty.reviewer_title": "研究馆员",
    "novelty.org": "HB01",
}


def record(source: str, number: int, title: str, **fields: object) -> Record:
    """A record of a source."""
    return Record(source=source, source_id=str(number), title=title, **fields)  # type: ignore[arg-type]


WORKS = (
    record(
        "万方数据",
        1,
        "沉水植物与河蚌组合对湖泊水质的影响",
        authors=(Author("陈静", "陈", "静"), Author("刘洋", "刘", "洋")),
        year=2019,
        venue="湖泊试验通报",
        volume="31",
        issue="2",
        pages="101-109",
        type="article",
        language="zh",
        abstract="在围隔中比较了三种沉水植物与河蚌组合的净化效果，总磷下降明显。",
    ),
    record(
        "openalex",
        2,
        "Stocking density of submerged macrophytes in restored shallow lakes",
        authors=(Author("Ann Field", "Field", "Ann"),),
        year=2021,
        venue="Lake Restoration Letters",
        volume="8",
        pages="1-12",
        doi="10.5555/lake.2021.1",
        type="article",
        language="en",
        abstract="We tested four planting densities and their effect on clarity.",
    ),
    record("openalex", 3, "Mussels and water clarity", year=2015, type="article", language="en"),
    record("openalex", 4, "Fish markets of the coast", year=2012, type="article", language="en"),
    record("crossref", 5, "Planting tables", year=2011, type="article", language="en"),
)


@dataclass(kw_only=True)
class Made:
    """A project and what tests change in it."""

    db: Database
    project: Project
    steps: dict[int, int] = field(default_factory=dict)
    runs: int = 0
    works: dict[str, int] = field(default_factory=dict)

    def step(self, number: int, kind: str, text: str, about: Mapping[str, object]) -> None:
        """Add a step to the strategy."""
        strategy = self.db.value("SELECT id FROM strategy WHERE project = ?", self.project.id)
        self.steps[number] = self.db.run(
            "INSERT INTO step (strategy, number, kind, text, details, edited)"
            " VALUES (?, ?, ?, ?, ?, '2026-11-01T08:00:00Z')",
            strategy,
            number,
            kind,
            text,
            orjson.dumps(about).decode(),
        )

    def run(self, mode: str = "records") -> int:
        """Add a run."""
        self.runs += 1
        return self.db.run(
            "INSERT INTO run (project, strategy, number, mode, status, started, ended, tool,"
            " options) SELECT ?, id, ?, ?, 'done', '2026-11-18T09:00:00Z', '2026-11-18T09:01:00Z',"
            " 'metasearch 0.1.0', '{\"years\": \"2000-\"}' FROM strategy WHERE project = ?",
            self.project.id,
            self.runs,
            mode,
            self.project.id,
        )

    def answer(
        self,
        run: int,
        step: int,
        source: str,
        label: str,
        works: Sequence[Record] | None,
        *,
        claimed: int | None,
        status: str = "ok",
        error: str = "",
        sent: str = "",
        exact: bool = True,
        asked_at: str = "2026-11-18T09:00:30Z",
    ) -> int:
        """Add what a source said, with the records that it gave; None where it failed."""
        answer = self.db.run(
            "INSERT INTO answer (run, step, source, label, status, error, digest, query, sent,"
            " claimed, exact, fetched, asked_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'q', ?, ?, ?, ?, ?)",
            run,
            self.steps[step],
            source,
            label,
            status,
            error,
            self._digest(step),
            sent,
            claimed,
            int(exact),
            None if works is None else len(works),
            None if works is None else asked_at,
        )
        for position, one in enumerate(works or (), 1):
            key = f"{source}:{one.source_id}"
            row = self.db.value(
                "SELECT id FROM record WHERE project = ? AND key = ?", self.project.id, key
            ) or self.db.run(
                "INSERT INTO record (project, source, key, digest, body, position, added)"
                " VALUES (?, ?, ?, ?, ?, ?, '2026-11-18T09:00:30Z')",
                self.project.id,
                source,
                key,
                hashlib.sha256(record_json.record_to_json(one)).hexdigest(),
                record_json.record_to_json(one),
                position,
            )
            self.db.run(
                "INSERT INTO finding (answer, record, position) VALUES (?, ?, ?)",
                answer,
                row,
                position,
            )
            work = self.works.get(one.title) or self._work(one, run)
            self.db.run("INSERT OR IGNORE INTO work_record (record, work) VALUES (?, ?)", row, work)
        return answer

    def _digest(self, number: int) -> str:
        """Of the query of a step, as a run would note it now."""
        strategy = strategies.of(self.project)[0]
        found = resolve_all(steps.of(self.db, strategy)).get(number)
        return (
            SourceQuestion.of(found, strategy.years).digest
            if isinstance(found, ResolvedStep)
            else ""
        )

    def _work(self, one: Record, run: int) -> int:
        hit = Hit(id="h", record=one, records=(one,), provenance={}, matches=())
        self.works[one.title] = self.db.run(
            "INSERT INTO work (project, uid, component, title, year, language, first_run, added)"
            " VALUES (?, ?, 1, ?, ?, ?, ?, '2026-11-18T09:00:30Z')",
            self.project.id,
            uid(),
            one.title,
            one.year,
            one.language or "",
            run,
        )
        self.db.run(
            "INSERT INTO work_body (work, hit) VALUES (?, ?)",
            self.works[one.title],
            hits.write(hit),
        )
        return self.works[one.title]

    def mark(self, one: Record, verdict: str, *tags: str, stage: str = "title") -> None:
        """Decide on a work, and tag it."""
        work = self.works[one.title]
        self.db.run(
            "INSERT OR REPLACE INTO decision (work, stage, verdict, at)"
            " VALUES (?, ?, ?, '2026-11-19T08:00:00Z')",
            work,
            stage,
            verdict,
        )
        for tag in tags:
            self.db.run("INSERT OR IGNORE INTO tag (work, text) VALUES (?, ?)", work, tag)

    def answered(self, values: Mapping[str, object]) -> None:
        """Answer questions."""
        self.project = details.answer(self.project, values)


def made(db: Database, name: str = "lake", *, answers: bool = True) -> Made:
    """The project, whole: its report can be frozen."""
    project = projects.create(db, name, "novelty", "浅水湖泊动植物联合修复技术")
    db.run(
        "INSERT INTO strategy (project, name, years, created)"
        " VALUES (?, '湖泊', '2000-', '2026-11-01T08:00:00Z')",
        project.id,
    )
    it = Made(db=db, project=project)
    it.step(1, "query", TYPED, {})
    about = {
        "source": "万方数据",
        "searched": "2026-11-17",
        "file": "wanfang.net",
        "sha256": "0" * 64,
        "by_hand": "限定期刊论文",
    }
    it.step(2, "import", "主题:(沉水植物 and 河蚌)", about)
    imported = it.run("import")
    it.answer(imported, 2, "万方数据", "万方数据", WORKS[:1], claimed=1, asked_at="2026-11-17")
    run = it.run()
    it.answer(
        run,
        1,
        "openalex",
        "OpenAlex",
        WORKS[1:4],
        claimed=1_204,
        sent="(沉水植物 OR 贝类) AND 水质",
    )
    it.answer(run, 1, "crossref", "Crossref", WORKS[4:] + WORKS[1:2], claimed=2, exact=False)
    it.answer(
        run,
        1,
        "core",
        "CORE",
        None,
        claimed=None,
        status="timeout",
        error="no whole answer in 20 s",
    )
    it.mark(WORKS[0], "close", "查新点1")
    it.mark(WORKS[1], "close", "查新点 2")
    it.mark(WORKS[2], "relevant", "查新点1", "other")
    it.mark(WORKS[3], "excluded")
    if answers:
        it.answered(ANSWERS)
    return it
