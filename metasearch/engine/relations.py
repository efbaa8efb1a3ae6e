"""What sources are asked for the citations of some works, and what they answer: which request names
which works, and which record of an answer belongs to which of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from metasearch.adapters.spec import AdapterSpec, Direction, Relation
from metasearch.bib.identifiers import arxiv_doi
from metasearch.bib.work_ids import identifiers, read_name
from metasearch.engine.lookup import batches, work_names
from metasearch.errors import SourceError
from metasearch.record import Record

if TYPE_CHECKING:
    from metasearch.engine.inquiry import SentRequest

#: Works that one source is asked for at the other end of the citations of one work.
MOST_A_SEED = 2_000
#: Schemes of identifiers that name one work, the surest first.
_SCHEMES = ("doi", "pmid", "pmcid", "arxiv", "openalex", "s2", "bibcode", "inspire", "omid", "isbn")
_OPENALEX = "https://openalex.org/"
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")


class Link(NamedTuple):
    """One citation as a source has it. `seed`: key of the work that it was found from."""

    seed: str
    direction: Direction
    source: str


@dataclass(slots=True, kw_only=True)
class RelationReport:
    """How a source answered for one direction in one round.

    Attributes:
        seeds: Works that it was asked for; those without an identifier that it takes are not.
        links: Citations that it named.
        unplaced: Works that it named without saying which of the seeds they cite; left out.
        requests: Requests that were made, further pages included; answers of a journal are not
            among them.
        failed: Works for which it gave no answer, or not a whole one.
        cut: Works of which it has more citations than are read.
        error: Why the first of them failed.
        sent: The requests, in no order; without those whose answers the journal had.
        spec: SHA-256 of its spec.
    """

    source: str
    direction: Direction
    round: int
    seeds: int = 0
    links: int = 0
    unplaced: int = 0
    requests: int = 0
    failed: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    error: SourceError | None = None
    sent: list[SentRequest] = field(default_factory=list)
    spec: str = ""


@dataclass(slots=True)
class Seed:
    """A work whose citations are asked for."""

    key: str
    records: list[Record]
    names: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.names = frozenset(name for record in self.records for name in work_names(record))


class RelationRequest(NamedTuple):
    """A request: the texts that name works in it, and the works of each."""

    texts: tuple[str, ...]
    named: tuple[tuple[Seed, ...], ...]

    @property
    def seeds(self) -> list[Seed]:
        return list({seed.key: seed for some in self.named for seed in some}.values())

    def halves(self) -> list[RelationRequest]:
        middle = len(self.texts) // 2
        return [
            RelationRequest(self.texts[part], self.named[part])
            for part in (slice(middle), slice(middle, None))
        ]


@dataclass(slots=True)
class RelationAnswer:
    """What one source has named in one round."""

    records: list[tuple[Record, list[Link]]] = field(default_factory=list)
    names: list[tuple[str, Link]] = field(default_factory=list)
    unplaced: int = 0
    cut: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.records) + len(self.names)

    def add(self, other: RelationAnswer) -> None:
        self.records += other.records
        self.names += other.names
        self.unplaced += other.unplaced
        self.cut += other.cut


class RelationInquiry:
    """A source that is asked for one direction in one round.

    `failures`: requests without an answer since the last one with one; `error`: why the first of
    these had none. `known`: key of a record -> the first question that it answers, and the record:
    many works are named again and again.
    """

    def __init__(self, spec: AdapterSpec, relation: Relation, report: RelationReport) -> None:
        self.spec = spec
        self.relation = relation
        self.report = report
        self.failures = 0
        self.error: SourceError | None = None
        self.known: dict[str, tuple[int, Record]] = {}

    def share(self, place: int, found: RelationAnswer) -> None:
        """Put the record that is known in the place of its copies, whatever was answered first."""
        for at, (record, links) in enumerate(found.records):
            if record.source_id:
                first = self.known.get(record.key)
                if first is None or place < first[0]:
                    first = self.known[record.key] = place, record
                found.records[at] = first[1], links

    def fail(self, question: RelationRequest, error: SourceError) -> None:
        self.report.failed += [seed.key for seed in question.seeds]
        self.report.error = self.report.error or error


def is_identifier(name: str) -> bool:
    """Whether it is an identifier as `read_name` writes it, and no text."""
    scheme, _, value = name.partition(":")
    return scheme in _SCHEMES and bool(value) and _UNFIT.search(value) is None


def requests_for(relation: Relation, seeds: Iterable[Seed]) -> list[RelationRequest]:
    """The requests for the citations of some works: each version of a work is named once."""
    named: dict[str, dict[str, Seed]] = {}
    for seed in seeds:
        for version in _versions(seed, with_arxiv="arxiv" not in relation.by):
            known = (kind for kind in relation.by if version.get(kind))
            for kind, value in version.get(next(known, ""), ()):
                if not _UNFIT.search(value):
                    text = relation.by[kind].format(x=value)
                    named.setdefault(text, {})[seed.key] = seed
    whole = [RelationRequest((text,), (tuple(some.values()),)) for text, some in named.items()]
    # One that holds what stands between two would be taken for two.
    mark = relation.join.strip() or relation.join
    single = [asked for asked in whole if relation.size == 1 or mark in asked.texts[0]]
    several = [asked for asked in whole if not (relation.size == 1 or mark in asked.texts[0])]
    return single + [
        RelationRequest(
            tuple(text for asked in some for text in asked.texts),
            tuple(seeds for asked in some for seeds in asked.named),
        )
        for some in batches(several, relation.size)
    ]


def _versions(seed: Seed, *, with_arxiv: bool) -> list[dict[str, dict[tuple[str, str], None]]]:
    """The versions of a work: records that share an identifier are of one. Of each, kind of
    identifier -> (kind, value), as a relation names works. `with_arxiv`: a work that is on arXiv
    has a version with the DOI that arXiv's works have.
    """
    found: list[tuple[set[str], dict[str, dict[tuple[str, str], None]]]] = []
    for record in seed.records:
        names = {name for name in identifiers(record) if not name.startswith("isbn:")}
        values: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
        for kind, value in (("doi", record.doi), *record.ids.items()):
            if value:
                values[kind][kind, value] = None
        same = [version for version in found if not version[0].isdisjoint(names)]
        found = [version for version in found if version[0].isdisjoint(names)]
        for some, known in reversed(same):
            names |= some
            values = {
                kind: {**known.get(kind, {}), **values.get(kind, {})}
                for kind in [*known, *(kind for kind in values if kind not in known)]
            }
        found.append((names, values))
    versions = [values for _, values in found]
    for version in versions[:] if with_arxiv else ():
        for _, number in version.get("arxiv", ()):
            doi = ("doi", arxiv_doi(number))
            if "doi" in version and not any(doi in each.get("doi", ()) for each in versions):
                versions.append({"doi": {doi: None}})
    return versions


def divide_answer(
    question: RelationRequest,
    records: Iterable[Record],
    relation: Relation,
    direction: Direction,
    source: str,
) -> RelationAnswer:
    """What a source answered to one request, put where it belongs: records with links, and names of
    works of which there is no record yet.
    """
    found = RelationAnswer()
    seeds = question.seeds
    of_name: dict[str, list[Seed]] = defaultdict(list)
    for seed in seeds:
        for name in seed.names:
            of_name[name].append(seed)
    alone = len(seeds) == 1
    link_of = {seed.key: Link(seed.key, direction, source) for seed in seeds}
    for record in records:
        if relation.lists:
            own = seeds if alone else _named_by(work_names(record), of_name)
            cited = [reference_name(text) for text in record.references[:MOST_A_SEED]]
            found.names.extend((name, link_of[seed.key]) for seed in own for name in cited)
            if len(record.references) > MOST_A_SEED:
                found.cut += [seed.key for seed in own]
            continue
        ends = seeds if alone else _named_by(map(reference_name, record.references), of_name)
        links = [link_of[seed.key] for seed in ends]
        if not links:
            found.unplaced += 1
        elif record.title:
            found.records.append((without_references(record), links))
        else:
            names = dict(name.split(":", 1) for name in identifiers(record))
            scheme = next((each for each in _SCHEMES if names.get(each)), "")
            name = f"{scheme}:{names[scheme]}" if scheme else ""
            if is_identifier(name):
                found.names.extend((name, link) for link in links)
            else:
                found.unplaced += 1
    return found


def without_references(record: Record) -> Record:
    return replace(record, references=()) if record.references else record


def _named_by(names: Iterable[str], of_name: Mapping[str, list[Seed]]) -> list[Seed]:
    seeds = {seed.key: seed for name in names for seed in of_name.get(name, ())}
    return list(seeds.values())


def reference_name(text: str) -> str:
    """A reference as an identifier such as "doi:10.1000/abc", or the text itself."""
    if text.startswith(_OPENALEX):
        return f"openalex:{text.removeprefix(_OPENALEX).lower()}"
    try:
        name = read_name(text)
    except ValueError:
        return text
    scheme, _, value = name.partition(":")
    name = f"{scheme.lower()}:{value.lower()}"
    return name if is_identifier(name) else text
