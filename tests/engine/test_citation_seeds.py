"""What a citation search begins with: each work once, however it is named, and none is lost."""

from __future__ import annotations

from typing import Any

from metasearch.engine.citation_result import CitationResult
from metasearch.engine.citations import CitationOptions
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.record import Record
from metasearch.references.citations import seeds_of
from metasearch.references.reader import read_references
from tests.citation_indexes import TITLES, UNKNOWN, CitationIndexes


async def search(
    *seeds: WantedWork, indexes: CitationIndexes | None = None, **how: Any
) -> CitationResult:
    transport = indexes or CitationIndexes()
    async with Engine(CitationIndexes.settings(), transport=transport) as engine:
        searching = engine.cite(seeds, CitationOptions(**how))
        async for _ in searching:
            pass
        return searching.result()


def wanted(key: str, **fields: Any) -> WantedWork:
    return WantedWork(key, Record(source="", **fields))


BY_DOI = wanted("by doi", doi="10.1000/1")
BY_NUMBER = wanted("by number", ids={"openalex": "w1"})
BY_TITLE = wanted("by title", title=TITLES[1])


async def test_a_work_that_is_given_twice_counts_once() -> None:
    """By its DOI, by a number of an index, by its title: as if the first had been given alone."""
    once = await search(BY_DOI)
    twice = await search(BY_DOI, BY_NUMBER, BY_TITLE)

    assert [work.links for work in twice.works] == [work.links for work in once.works]
    assert {report.seeds for report in twice.reports} == {1}
    assert twice.counts.citations == once.counts.citations


async def test_a_work_that_is_given_twice_is_told_twice() -> None:
    """With the same hit: what was given is not lost."""
    found = await search(BY_DOI, BY_NUMBER)

    assert set(found.seeds) == {"by doi", "by number"}
    assert len({hit and hit.id for hit in found.seeds.values()}) == 1
    assert (found.counts.seeds, found.counts.found) == (2, 2)


async def test_what_none_but_its_number_says_is_asked_for_too() -> None:
    """All identifiers that a work was given by are of use: one index takes its number alone."""
    number_last = await search(BY_DOI, BY_NUMBER, sources=("alpha",))
    number_first = await search(BY_NUMBER, BY_DOI, sources=("alpha",))

    def doi_and_sources(found: CitationResult) -> list[tuple[str | None, Any]]:
        return [(work.hit.record.doi, work.sources) for work in found.works]

    assert doi_and_sources(number_last) == doi_and_sources(number_first) != []


async def test_a_work_that_nobody_knows_is_asked_for_once() -> None:
    """In whichever spelling it is repeated."""
    found = await search(wanted("a", doi=UNKNOWN), wanted("b", doi=UNKNOWN), sources=("beta",))

    assert found.counts.missing == 2
    assert {report.seeds for report in found.reports} == {1}


def test_no_work_of_a_list_takes_the_place_of_another() -> None:
    """A key may be the DOI of another entry, or its own DOI, or that of several."""
    list_ = """
        @article{x, doi = {10.1000/1}}
        @article{10.1000/1, title = {Mussel beds}, doi = {10.1000/6}}
        @article{10.1000/2, doi = {10.1000/2}}
        @article{y, doi = {10.1000/2}}
    """
    references = read_references(list_.encode(), "list.bib").references
    seeds = seeds_of(references)

    assert [seed.record.doi for seed in seeds] == [f"10.1000/{n}" for n in (1, 6, 2, 2)]
    assert len({seed.key for seed in seeds}) == 4


class _WithoutIds(CitationIndexes):
    """Beta gives its records no ids, so that each is known by its place in an answer."""

    def _beta(self, values: dict[str, str]) -> Any:
        answer = super()._beta(values)
        for item in answer["message"]["items"]:
            item["URL"] = f"https://example.org/{item.pop('DOI')[-1]}"
        return answer


async def test_records_without_ids_are_those_of_their_own_seeds() -> None:
    """Though all of them were the first of an answer; also in a second round."""
    seeds = [wanted(str(number), title=TITLES[number]) for number in (1, 4, 6)]
    found = await search(*seeds, indexes=_WithoutIds(), sources=("beta",), rounds=2)

    titles = {key: hit and hit.record.title for key, hit in found.seeds.items()}
    assert titles == {str(number): TITLES[number] for number in (1, 4, 6)}
    assert all(len(hit.records) == 1 for hit in found.seeds.values() if hit)


async def test_what_a_list_says_is_no_record_of_a_source() -> None:
    """A work that no source knows is missing, though the list has its title."""
    list_ = f"""
        @article{{one, doi = {{10.1000/1}}}}
        @book{{unknown, title = {{Notes on a drowned coast}}, author = {{Byron, A.}}}}
        @article{{two, title = {{{TITLES[2]}}}}}
    """
    found = await search(*seeds_of(read_references(list_.encode(), "list.bib").references))

    titles = {key: hit and hit.record.title for key, hit in found.seeds.items()}
    assert titles == {"10.1000/1": TITLES[1], "unknown": None, "two": TITLES[2]}
    assert found.counts.missing == 1
    sources = {record.source for work in found.works for record in work.hit.records}
    assert sources <= {"alpha", "beta"}
