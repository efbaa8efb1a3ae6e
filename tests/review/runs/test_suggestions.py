"""Words that relevant works have and others have not, with what each would bring and cost."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import UsageError
from metasearch.query import matches, parse
from metasearch.query.tree import disjunction
from metasearch.record import Record
from metasearch.review.projects.projects import Project
from metasearch.review.runs import known_works, suggestions
from metasearch.review.runs.plan import RunOptions, choose_sources
from metasearch.review.runs.run import run_strategy
from metasearch.review.runs.suggestions import Suggestions, log_likelihood, suggest
from metasearch.review.works import decisions
from tests.engine.test_engine import item, works
from tests.review.runs.planned import Planned, paged, planned

RELEVANT = [f"Soil carbon of paludiculture {number}" for number in range(4)]
OTHERS = [f"Soil carbon of forests {number}" for number in range(20)]
MISSED = b"""TY  - JOUR
TI  - Wet farming by paludiculture
PY  - 2020
AB  - Carbon of farms.
DO  - 10.1000/missed
ER  -
"""


async def screened(folder: Path, *texts: str, **more: Any) -> Planned:
    """A project whose works about paludiculture are relevant; another one is known, and missed."""
    listed = [*RELEVANT, *OTHERS]
    bodies = {
        "alpha": works(
            *(item(title, f"10.1000/{n}", **more) for n, title in enumerate(listed)),
            item("Moss and paludiculture carbon", "10.1000/moss"),
        )
    }
    plan = await planned(folder, texts, bodies)
    await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy, RunOptions())

    def screen(project: Project) -> None:
        known_works.add_file(project, MISSED, "known.ris")
        for row in project.db.all("SELECT uid, title FROM work"):
            if row["title"] in RELEVANT:
                decisions.mark(project, [row["uid"]], "relevant", stage="title")

    await plan.workspace.write(plan.project.bind(screen))
    return plan


async def suggested(plan: Planned, **more: Any) -> Suggestions:
    """What is suggested for its strategy."""
    return await plan.workspace.read(plan.project.bind(suggest), plan.strategy, **more)


async def test_a_word_of_relevant_works_that_brings_what_was_missed(tmp_path: Path) -> None:
    """Beside the alternatives where it brings most, with the works and their number."""
    async with await screened(tmp_path, "title:soil OR title:peat", "carbon", "#1 AND #2") as plan:
        found = await suggested(plan)

    assert (found.relevant, found.others, found.missed) == (5, 21, 1)
    first = found.words[0]
    assert (first.text, first.query, first.kind) == ("paludiculture", "paludiculture", "word")
    assert (first.line, first.beside) == (1, "title:soil OR title:peat")
    assert (first.relevant, first.others, first.brought) == (5, 1, 1)
    assert first.brings == (("doi:10.1000/missed", "Wet farming by paludiculture"),)
    assert first.score == pytest.approx(log_likelihood(5, 5, 1, 21), abs=0.01)
    texts = [one.text for one in found.words]
    assert "soil" not in texts
    assert not any("forests" in text for text in texts)


async def test_what_is_told_is_what_the_changed_query_finds(tmp_path: Path) -> None:
    """Works that a word would bring, and those that it would cost, one by one."""
    texts = ["title:soil OR title:peat", "carbon", "#1 AND #2"]
    async with await screened(tmp_path, *texts) as plan:
        found = await suggested(plan)
    missed = Record(
        source="x", title="Wet farming by paludiculture", abstract="Carbon of farms.", year=2020
    )

    assert found.words
    for one in found.words:
        if one.line is not None:
            wider = disjunction((parse(texts[one.line - 1]), one.term))
            other = parse(texts[2 - one.line])
            assert matches(wider, missed)
            assert matches(other, missed)


async def test_a_word_that_the_strategy_has_is_not_suggested(tmp_path: Path) -> None:
    """Nor what a shorter word of it finds already."""
    async with await screened(tmp_path, "paludi* OR soil") as plan:
        found = await suggested(plan)

    assert not any("paludi" in one.text for one in found.words)


async def test_no_more_than_are_asked_for(tmp_path: Path) -> None:
    """The first ones."""
    async with await screened(tmp_path, "title:soil", "carbon", "#1 AND #2") as plan:
        every, one = await suggested(plan), await suggested(plan, count=1)

    assert len(every.words) > 1
    assert one.words == every.words[:1]


async def test_without_relevant_works_nothing_can_be_said(tmp_path: Path) -> None:
    """It is told what to do."""
    async with await planned(tmp_path, ["soil"]) as plan:
        with pytest.raises(UsageError, match="No work of the project is relevant or known"):
            await suggested(plan)


async def test_too_many_works_are_refused(tmp_path: Path) -> None:
    """With their number."""
    async with await screened(tmp_path, "soil") as plan:
        with pytest.raises(UsageError, match="25 works; at most 9"):
            await suggested(plan, most=9)


async def test_databases_count_what_a_word_costs(tmp_path: Path) -> None:
    """The hits with it, less those without."""
    async with await screened(tmp_path, "title:soil", "carbon", "#1 AND #2") as plan:
        found = await suggested(plan, count=1)
        asked = await plan.workspace.read(
            plan.project.bind(suggestions.asked_queries), plan.strategy, found.words
        )
        assert asked is not None
        assert list(asked.with_word) == [found.words[0].text]
        plan.upstreams.bodies = {"alpha": paged(7)}
        chosen = await choose_sources(plan.engine, plan.strategy, None)
        hits = await suggestions.counted_words(plan.engine, chosen, asked)

    assert list(hits) == [found.words[0].text]
    assert list(hits[found.words[0].text]) == [chosen.labels["alpha"]]


def test_counterparts_are_those_of_records_in_both_languages() -> None:
    """By their order where there are as many, else by how often they stand together."""
    aligned = Record(source="x", title="a", keywords=("湿地", "泥炭", "Wetlands", "Peat"))
    loose = [
        Record(source="x", title="b", keywords=("碳汇", "湿地", "Carbon sink")),
        Record(source="x", title="c", keywords=("碳汇", "Carbon sink", "Soil")),
    ]
    pairs = suggestions._Counterparts([aligned, *loose])

    assert pairs.of("wetlands") == ("湿地", 1)
    assert pairs.of("泥炭") == ("peat", 1)
    assert pairs.of("carbon sink") == ("碳汇", 2)
    assert pairs.of("soil") == ("", 0)


async def test_the_other_language_of_a_word_that_the_strategy_has(tmp_path: Path) -> None:
    """It is offered whatever its ratio, because records in both languages have it."""
    both = {"subject": ["Carbon", "Soil", "碳素", "土壤"]}
    async with await screened(tmp_path, "carbon", **both) as plan:
        found = await suggested(plan)

    texts = {one.text: one for one in found.words}
    assert (texts["碳素"].counterpart, texts["碳素"].kind) == ("carbon", "heading")
    assert texts["碳素"].pairs == texts["碳素"].relevant + texts["碳素"].others == 24
    assert "土壤" not in texts


def test_words_of_chinese_titles() -> None:
    """Runs of characters that no particle begins or ends."""
    words = {text for text, _ in suggestions._words_of(Record(source="x", title="湿地的碳汇"))}

    assert {"湿地", "碳汇"} <= words
    assert not any(text[0] == "的" or text[-1] == "的" for text in words)


def test_the_ratio_of_dunning() -> None:
    """Nothing where both have a word alike; more the more they differ."""
    assert log_likelihood(5, 10, 10, 20) == pytest.approx(0)
    rng = random.Random(1)
    for _ in range(50):
        a, b = rng.randint(1, 30), rng.randint(0, 30)
        assert log_likelihood(a, 30, b, 30) >= 0
    assert log_likelihood(1, 1, 0, 1) == pytest.approx(4 * math.log(2))
