"""Citation searches that end before all is read: what is left out is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from metasearch.adapters.request import Page, Request
from metasearch.engine.citation_result import CitationResult
from metasearch.engine.citations import CitationOptions, CitationSearch
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.errors import UsageError
from metasearch.record import Record
from metasearch.references.citations import failures_of, is_complete
from tests.citation_indexes import UNKNOWN, CitationIndexes


async def search(
    *numbers: int, indexes: CitationIndexes | None = None, **how: Any
) -> tuple[CitationResult, CitationSearch]:
    seeds = [WantedWork(str(n), Record(source="", doi=f"10.1000/{n}")) for n in numbers]
    transport = indexes or CitationIndexes()
    async with Engine(CitationIndexes.settings(), transport=transport) as engine:
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
    """As none could be asked; those that can are named."""
    with pytest.raises(UsageError, match="none of these sources knows citations: beta") as refused:
        await search(1, sources=("beta",), directions=("cited_by",))
    assert "alpha" in str(refused.value.advice)


class _Refusing(CitationIndexes):
    """Answers with an error to requests of a kind."""

    def __init__(self, refuses: Callable[[Request], bool]) -> None:
        super().__init__()
        self.refuses = refuses

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.fails = [request.source] if self.refuses(request) else []
        return await super().send(request, timeout=timeout, max_bytes=max_bytes)


def _asks(request: Request, name: str) -> str:
    return str(dict(request.params).get(name, ""))


async def test_what_halves_have_answered_is_no_failure() -> None:
    """An index that refuses many works in a request, and answers for each, lacks nothing."""
    whole, _ = await search(1, 2)
    halved, _ = await search(
        1,
        2,
        indexes=_Refusing(lambda request: _asks(request, "filter").startswith("cites:W1|W2")),
    )

    assert halved.counts.requests > whole.counts.requests
    assert [report.error for report in halved.reports] == [None] * len(halved.reports)
    assert [work.links for work in halved.works] == [work.links for work in whole.works]
    assert is_complete(halved)


async def test_a_search_has_answers_where_one_work_has() -> None:
    """Though each index failed for another one; not where each failed for all."""
    in_part = _Refusing(lambda request: "cites:W1" in str(request.params))
    some, _ = await search(1, 2, indexes=in_part, directions=("cited_by",))
    none, _ = await search(1, indexes=in_part, directions=("cited_by",))

    assert [report.failed for report in some.reports] == [["1"]]
    assert (some.has_answers, none.has_answers) == (True, False)


async def test_sources_that_fail_at_looking_up_are_told() -> None:
    """What they may know is not known to be missing."""
    indexes = _Refusing(lambda request: UNKNOWN in str(request.params))
    found, _ = await search(1, indexes=indexes)

    assert [work.name for work in found.unknown] == [f"doi:{UNKNOWN}"]
    assert set(found.lookup_errors) == {"alpha", "beta"}
    assert not any(report.failed for report in found.reports)
    assert not is_complete(found)
    assert set(failures_of(found)) == {"alpha", "beta"}
