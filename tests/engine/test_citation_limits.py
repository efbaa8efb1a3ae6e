"""Citation searches that end before all is read: what is left out is told."""

from __future__ import annotations

from typing import Any

import pytest

from metasearch.engine.citation_result import CitationResult
from metasearch.engine.citations import CitationOptions, CitationSearch
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.errors import UsageError
from metasearch.record import Record
from tests.citation_indexes import CitationIndexes


async def search(*numbers: int, **how: Any) -> tuple[CitationResult, CitationSearch]:
    seeds = [WantedWork(str(n), Record(source="", doi=f"10.1000/{n}")) for n in numbers]
    async with Engine(CitationIndexes.settings(), transport=CitationIndexes()) as engine:
        searching = engine.cite(seeds, CitationOptions(**how))
        async for _ in searching:
            pass
        return searching.result(), searching


async def test_works_that_are_not_followed_are_counted() -> None:
    """Those that most citations lead to are."""
    found, _ = await search(1, rounds=2, most_followed=1)

    assert found.counts.unfollowed == 3
    second = [report for report in found.reports if report.round == 2]
    assert {report.seeds for report in second} == {1}


async def test_what_is_not_read_is_told() -> None:
    """Once enough was received, no index is asked for more; its works are named."""
    found, searching = await search(1, 2, most_records=0)

    assert found.works == ()
    assert all(report.cut == ["1", "2"] for report in found.reports)
    assert sum(report.requests for report in found.reports) == 0
    assert searching.requests == found.counts.lookups


async def test_reports_come_in_one_order_at_the_end() -> None:
    """However fast each index was."""
    found, searching = await search(1, rounds=2)

    named = [(report.round, report.source, report.direction) for report in found.reports]
    assert named == sorted(named)
    assert len(named) == 2 * len(searching.asked)


async def test_sources_without_citations_are_refused() -> None:
    """As none could be asked."""
    with pytest.raises(UsageError, match="none of these sources knows citations: beta"):
        await search(1, sources=("beta",), directions=("cited_by",))
