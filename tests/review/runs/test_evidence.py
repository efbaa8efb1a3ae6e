"""What lines, alternatives and databases bring, and what would be lost without them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.request import Request
from metasearch.errors import UsageError
from metasearch.query import Query, matches, parse
from metasearch.record import Record
from metasearch.review.runs import known_works
from metasearch.review.runs.evidence import LineEvidence, StrategyEvidence, evidence
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.strategies import steps
from metasearch.review.works import decisions
from tests.engine.test_engine import Body, works
from tests.engine.test_engine import item as item_of
from tests.review.runs.planned import Planned, planned

WORDS = ("soil", "peat", "marsh", "birds", "carbon", "roots", "salt", "shore")


def item(title: str, doi: str, **more: Any) -> dict[str, Any]:
    """A work in a journal whose name no test looks for."""
    return item_of(title, doi, **{"container-title": ["Letters"], **more})


def held(rng: random.Random, count: int = 24) -> list[tuple[str, str]]:
    """Title and abstract of works that are all unlike one another."""
    return [
        (f"Work {number} of {' '.join(rng.sample(WORDS, 2))}", " ".join(rng.sample(WORDS, 1)))
        for number in range(count)
    ]


class Sources:
    """Databases that answer with the works that fit the query which stands here."""

    def __init__(self, texts: Sequence[tuple[str, str]], names: Mapping[str, int]) -> None:
        self.query: Query = parse("soil")
        self._texts = texts
        self._names = names

    def bodies(self) -> Mapping[str, Body]:
        return dict.fromkeys(self._names, self._answer)

    def _answer(self, request: Request) -> bytes:
        part = self._names[request.source]
        made = []
        for number, (title, abstract) in enumerate(self._texts):
            record = Record(source="x", title=title, abstract=abstract)
            if number % part == 0 and matches(self.query, record):
                made.append(item(title, f"10.1000/{number}", abstract=abstract))
        return works(*made)


async def run(plan: Planned, *numbers: int) -> None:
    """Fetch the records of some steps."""
    options = RunOptions(steps=numbers)
    await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy, options)


async def shown(plan: Planned) -> StrategyEvidence:
    """The evidence of the strategy."""
    return await plan.workspace.read(plan.project.bind(evidence), plan.strategy)


def line(found: StrategyEvidence, number: int) -> LineEvidence:
    """That of one line."""
    return next(one for one in found.lines if one.step.number == number)


@pytest.mark.parametrize("seed", range(4))
async def test_the_loss_of_an_alternative_is_what_a_search_without_it_lacks(
    tmp_path: Path, seed: int
) -> None:
    """Each alternative is removed and the search is made again: the works that are missing then
    are as many as were told, in each database and in all.
    """
    rng = random.Random(seed)
    words = rng.sample(WORDS, 6)
    lines = [" OR ".join(words[:3]), " OR ".join(words[3:])]
    sources = Sources(held(rng), {"alpha": 1 + seed % 2, "beta": 2})

    async def found(folder: Path, first: str, second: str) -> tuple[StrategyEvidence, Planned]:
        sources.query = parse(f"({first}) AND ({second})")
        plan = await planned(folder, [first, second, "#1 AND #2"], sources.bodies())
        await run(plan, 3)
        return await shown(plan), plan

    before, plan = await found(tmp_path / "whole", *lines)
    async with plan:
        titles = set(await plan.titles())
    told = [(number, one) for number in (1, 2) for one in line(before, number).alternatives or ()]
    assert [one.text for _, one in told] == words
    for place, (number, one) in enumerate(told):
        texts = list(lines)
        texts[number - 1] = " OR ".join(w for w in texts[number - 1].split(" OR ") if w != one.text)
        after, plan = await found(tmp_path / str(place), *texts)
        async with plan:
            left = set(await plan.titles())
        assert one.all.lost == len(titles - left)
        for source in before.sources:
            was, is_ = (line(each, 3).sources[source].works for each in (before, after))
            assert one.sources[source].lost == was - is_


async def test_what_each_line_and_database_brings(tmp_path: Path) -> None:
    """A work that one database has, one that both have, one that a line finds which a later one
    leaves out.
    """
    bodies = {
        "alpha": works(item("Soil carbon", "10.1000/a"), item("Peat carbon", "10.1000/b")),
        "beta": works(item("Soil carbon", "10.1000/a")),
    }
    async with await planned(tmp_path, ["soil OR peat", "carbon", "#1 AND #2"], bodies) as plan:
        await run(plan, 3)
        found = await shown(plan)

    first, _, last = found.lines
    assert (found.records, found.works, found.included) == (3, 2, 0)
    assert (last.final, first.final) == (True, False)
    assert {source: one.works for source, one in last.sources.items()} == {"alpha": 2, "beta": 1}
    assert {source: one.only for source, one in last.sources.items()} == {"alpha": 1, "beta": 0}
    assert (last.all.works, last.all.lost) == (2, 2)
    assert [(one.text, one.all.works, one.all.lost) for one in first.alternatives or ()] == [
        ("soil", 1, 1),
        ("peat", 1, 1),
    ]
    assert first.all.lost == 0  # without it the strategy finds more


async def test_a_line_that_others_join_by_or_is_missed(tmp_path: Path) -> None:
    """What only it finds is lost; relevant works are counted apart."""
    bodies = {"alpha": works(item("Soil", "10.1000/a"), item("Peat", "10.1000/b"))}
    async with await planned(tmp_path, ["soil", "peat", "#1 OR #2"], bodies) as plan:
        await run(plan, 3)
        uid = await plan.workspace.read(
            lambda db: db.value("SELECT uid FROM work WHERE title = 'Peat'")
        )
        await plan.workspace.write(
            plan.project.bind(decisions.mark), [uid], "relevant", stage="title"
        )
        found = await shown(plan)

    assert [(one.all.lost, one.all.lost_included) for one in found.lines] == [
        (1, 0),
        (1, 1),
        (2, 1),
    ]
    assert found.included == 1


async def test_a_work_found_by_what_its_record_does_not_say(tmp_path: Path) -> None:
    """It is counted, and of it no loss is told: another word may have found it."""
    bodies = {"alpha": works(item("Wetlands", "10.1000/a"), item("Soil", "10.1000/b"))}
    async with await planned(tmp_path, ["soil OR peat"], bodies) as plan:
        await run(plan, 1)
        found = await shown(plan)

    assert found.unexplained == {"alpha": 1}
    assert [one.all.lost for one in line(found, 1).alternatives or ()] == [1, 0]
    assert line(found, 1).all.works == 2


async def test_before_any_run_nothing_is_found(tmp_path: Path) -> None:
    """The lines are there, with nothing in them."""
    async with await planned(tmp_path, ["soil", "#1 AND peat"]) as plan:
        found = await shown(plan)

    assert (found.works, found.sources) == (0, {})
    assert [(one.final, one.all.works) for one in found.lines] == [(False, 0), (True, 0)]


async def test_an_edited_line_finds_what_the_kept_records_say(tmp_path: Path) -> None:
    """The answer to its earlier text tells nothing of it."""
    bodies = {"alpha": works(item("Soil", "10.1000/a"), item("Peat", "10.1000/b"))}
    async with await planned(tmp_path, ["soil OR peat"], bodies) as plan:
        await run(plan, 1)
        await plan.workspace.write(steps.edit, plan.strategy, 1, text="peat")
        found = await shown(plan)

    only = line(found, 1).sources["alpha"]
    assert (only.given, only.works) == (False, 1)


async def test_the_line_and_the_clause_that_lost_a_known_work(tmp_path: Path) -> None:
    """Of lines that are joined, the one that the work does not fit is named."""
    bodies = {"alpha": works(item("Soil carbon", "10.1000/a"))}
    async with await planned(
        tmp_path, ["soil OR peat", "title:carbon AND year:2020-", "#1 AND #2"], bodies
    ) as plan:
        await run(plan, 3)
        lost = b"TY  - JOUR\nTI  - Peat and moss\nPY  - 2021\nAB  - Moss.\nER  - \n"
        await plan.workspace.write(plan.project.bind(known_works.add_file), lost, "known.ris")
        await plan.workspace.write(
            plan.project.bind(known_works.add_lines), "10.1000/a\n10.1000/none"
        )
        found = await shown(plan)

    by_name = {one.check.known.name: one for one in found.missed}
    assert set(by_name) == {"Peat and moss (2021)", "doi:10.1000/none"}
    assert by_name["Peat and moss (2021)"].clauses == {2: ("title:carbon",)}
    assert by_name["Peat and moss (2021)"].fits is False
    assert (by_name["doi:10.1000/none"].fits, by_name["doi:10.1000/none"].clauses) == (None, {})


async def test_too_many_records_are_refused(tmp_path: Path) -> None:
    """With what there is, and what can be done."""
    async with await planned(tmp_path, ["soil"]) as plan:
        await run(plan, 1)
        with pytest.raises(UsageError, match="4 records; at most 2"):
            await plan.workspace.read(plan.project.bind(evidence), plan.strategy, most=2)


async def test_a_strategy_that_is_too_large_for_its_alternatives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that come too late have none, which is not the same as having brought nothing."""
    monkeypatch.setattr("metasearch.review.runs.evidence._MOST_WORDS", 15)
    async with await planned(tmp_path, ["soil OR peat", "moss OR salt", "#1 AND #2"]) as plan:
        found = await shown(plan)

    first, second, _ = found.lines
    assert first.alternatives is not None
    assert len(first.alternatives) == 2
    assert second.alternatives is None


async def test_one_word_typed_in_several_fields_is_one_alternative(tmp_path: Path) -> None:
    """It is lost in all of them."""
    bodies = {
        "alpha": works(
            item("Soil", "10.1000/a"), item("Sand", "10.1000/b", abstract="On soil and more.")
        )
    }
    async with await planned(tmp_path, ["title:sea"], bodies) as plan:
        await plan.workspace.write(
            steps.edit, plan.strategy, 1, text="(soil or peat).ti,ab.", syntax="ovid"
        )
        await run(plan, 1)
        found = await shown(plan)

    alternatives = line(found, 1).alternatives
    assert alternatives is not None
    assert [(one.text, one.all.works, one.all.lost) for one in alternatives] == [
        ("soil", 2, 2),
        ("peat", 0, 0),
    ]
