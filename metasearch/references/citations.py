"""Citation searches from a list: its works as seeds, and what was found as JSON, as lines of a
terminal, and as works that are related.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from metasearch.adapters.spec import DIRECTIONS, Direction
from metasearch.bib.work_ids import identifiers
from metasearch.engine.citation_result import CitationResult, NamedWork, RelatedWork
from metasearch.engine.lookup import WantedWork
from metasearch.engine.relations import Link, RelationReport
from metasearch.errors import SourceError
from metasearch.events import Answer, Counts
from metasearch.formats.answer import hit_object
from metasearch.formats.text import clean, line
from metasearch.references.reference import Reference

#: What people call a direction, seen from the works that a search begins with.
WAYS: Mapping[Direction, str] = {"references": "backward", "cited_by": "forward"}
#: What a request may ask for -> the directions.
CHOICES: Mapping[str, tuple[Direction, ...]] = {
    "both": DIRECTIONS,
    "backward": ("references",),
    "forward": ("cited_by",),
}
#: Related works that are told.
MOST_RELATED = 100
#: Seeds that a line names.
_NAMED = 3


def seeds_of(references: Iterable[Reference]) -> list[WantedWork]:
    """The works of a list. One that is an identifier alone has it as its key, where no other one
    of the list has that key. What a list says is no record of a source.
    """
    listed = list(references)
    own_keys = {each.key for each in listed}
    seeds: dict[str, WantedWork] = {}
    for each in listed:
        name = "" if each.record.title else next(iter(identifiers(each.record)), "")
        key = name.removeprefix("doi:")
        key = key if key and key not in seeds and key not in own_keys else each.key
        seeds[key] = WantedWork(key, replace(each.record, source="", source_id=""))
    return list(seeds.values())


class Relation(NamedTuple):
    """The citations between a work and a seed in one direction, with the indexes that have them."""

    seed: str
    direction: Direction
    sources: tuple[str, ...]


def relations_of(links: Iterable[Link]) -> list[Relation]:
    """Backward ones first."""
    sources: dict[tuple[str, Direction], list[str]] = defaultdict(list)
    for link in links:
        sources[link.seed, link.direction].append(link.source)
    relations = [Relation(*named, tuple(some)) for named, some in sources.items()]
    return sorted(relations, key=lambda each: DIRECTIONS.index(each.direction))


class Related(NamedTuple):
    """How close a work is to the seeds of a search in two rounds.

    Attributes:
        cited_together: Works that cite a seed and this one, too.
        shared_references: Works that a seed cites, and this one, too.
    """

    work: RelatedWork
    cited_together: int
    shared_references: int


def related_works(found: CitationResult) -> list[Related]:
    """The works that are co-cited with a seed or bibliographically coupled to it, the closest
    first, by the citations that were received alone: a second round in both directions has them.
    """
    cited, citing = (
        {
            work.hit.id
            for work in found.works
            for link in work.links
            if link.seed in found.seeds and link.direction == direction
        }
        for direction in DIRECTIONS
    )
    related = []
    for work in found.works:
        together = {link.seed for link in work.links if link.direction == "references"} & citing
        shared = {link.seed for link in work.links if link.direction == "cited_by"} & cited
        if together or shared:
            related.append(Related(work, len(together), len(shared)))
    related.sort(key=lambda each: -each.cited_together - each.shared_references)
    return related


def answer_of(found: CitationResult, most: int | None = None) -> Answer:
    """The works as the answer of a search, for formats that write one."""
    hits = tuple(work.hit for work in found.works)
    records = sum(len(hit.records) for hit in hits)
    return Answer(
        query="",
        complete=is_complete(found),
        counts=Counts(records, len(hits), records - len(hits)),
        hits=hits[:most],
        sources=(),
    )


def is_complete(found: CitationResult) -> bool:
    """Whether each index gave a whole answer for each work that it was asked for, and each source
    for what was looked up.
    """
    whole = not any(report.failed or report.cut for report in found.reports)
    return whole and not found.lookup_errors


def failures_of(found: CitationResult) -> dict[str, SourceError]:
    """Source -> why it gave no answer, or not a whole one, to something that it was asked."""
    failed = {report.source: report.error for report in found.reports if report.error is not None}
    return {**found.lookup_errors, **failed}


# JSON. `hits` may be cut, `counts` tell of all.


def citations_object(
    found: CitationResult, seeds: Sequence[WantedWork], most: int | None = None
) -> dict[str, Any]:
    """A citation search as one document. `seeds`: those that it began with. `most`: hits that are
    in it; all for None.
    """
    return {
        "complete": is_complete(found),
        "seeds": [seed_object(seed, found) for seed in seeds],
        "hits": [found_object(work) for work in found.works[:most]],
        "related": [related_object(each) for each in related_works(found)[:MOST_RELATED]],
        "unknown": [named_object(work) for work in found.unknown],
        "texts": [named_object(work) for work in found.texts],
        "reports": [report_object(report) for report in found.reports],
        "lookup_errors": [
            {"source": source, "error": clean(str(error))}
            for source, error in found.lookup_errors.items()
        ],
        "counts": asdict(found.counts),
    }


def seed_object(seed: WantedWork, found: CitationResult) -> dict[str, Any]:
    """A work that the search began with, as it was given, and its hit; null where it is unknown."""
    hit = found.seeds.get(seed.key)
    return {
        "key": clean(seed.key),
        "title": clean(seed.record.title),
        "doi": seed.record.doi,
        "ids": dict(seed.record.ids),
        "hit": None if hit is None else hit_object(hit),
    }


def found_object(work: RelatedWork) -> dict[str, Any]:
    """A hit, how it is related to the seeds, and the round in which it was found."""
    return hit_object(work.hit) | {"relations": _relations(work.links), "round": work.round}


def related_object(related: Related) -> dict[str, Any]:
    return {
        "id": related.work.hit.id,
        "cited_together": related.cited_together,
        "shared_references": related.shared_references,
    }


def named_object(work: NamedWork) -> dict[str, Any]:
    return {"name": clean(work.name), "relations": _relations(work.links)}


def _relations(links: Iterable[Link]) -> list[dict[str, Any]]:
    return [
        {
            "seed": clean(relation.seed),
            "direction": WAYS[relation.direction],
            "sources": list(relation.sources),
        }
        for relation in relations_of(links)
    ]


def report_object(report: RelationReport) -> dict[str, Any]:
    """How an index answered for one direction in one round."""
    return {
        "source": report.source,
        "direction": WAYS[report.direction],
        "round": report.round,
        "seeds": report.seeds,
        "citations": report.links,
        "requests": report.requests,
        "failed": [clean(key) for key in report.failed],
        "cut": [clean(key) for key in report.cut],
        "unplaced": report.unplaced,
        "error": clean(str(report.error)) if report.error else None,
    }


# Lines of a terminal.


def seed_names(found: CitationResult, seeds: Iterable[WantedWork]) -> dict[str, str]:
    """Key of a seed, or id of a work that a later round began with -> what a line calls it."""
    names = {work.hit.id: work.hit.record.doi or work.hit.record.title for work in found.works}
    for seed in seeds:
        named = next(iter(identifiers(seed.record)), "") or seed.record.title
        names[seed.key] = named.removeprefix("doi:") if seed.key.isdecimal() else seed.key
    return {key: line(name)[:60] or key for key, name in names.items()}


def relation_lines(work: RelatedWork, names: Mapping[str, str]) -> Iterator[str]:
    """Which seeds cite a work, and which it cites, each with the indexes that say so."""
    relations = relations_of(work.links)
    for direction, verb in (("references", "cited by"), ("cited_by", "cites")):
        some = [each for each in relations if each.direction == direction]
        if some:
            told = "; ".join(
                f"{names.get(each.seed, each.seed)} ({', '.join(each.sources)})"
                for each in some[:_NAMED]
            )
            more = f"; and {len(some) - _NAMED:,} more" if len(some) > _NAMED else ""
            yield f"{verb} {told}{more}"


def report_rows(reports: Iterable[RelationReport]) -> list[tuple[str, ...]]:
    """The reports as a table: a row for each index and direction, over all rounds."""
    rows: dict[tuple[str, Direction], list[int]] = defaultdict(lambda: [0] * 5)
    for report in reports:
        counts = (
            report.seeds, report.links, report.requests, len(report.failed), len(report.cut),
        )  # fmt: skip
        row = rows[report.source, report.direction]
        row[:] = map(sum, zip(row, counts, strict=True))
    head = ("index", "direction", "works asked for", "citations", "requests", "failed", "cut")
    return [head] + [
        (source, WAYS[direction], *(f"{count:,}" for count in row))
        for (source, direction), row in rows.items()
    ]
