"""What a citation search has found: works with the citations that lead to them, in the order in
which they are shown, and numbers that add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import NamedTuple

from metasearch.bib.normalise import words
from metasearch.engine.relations import Link, RelationReport, Seed
from metasearch.errors import SourceError
from metasearch.record import Hit


@dataclass(frozen=True, slots=True)
class RelatedWork:
    """A work that was found. `round`: in which it was first."""

    hit: Hit
    links: tuple[Link, ...]
    round: int

    @property
    def seeds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(link.seed for link in self.links))

    @property
    def sources(self) -> tuple[str, ...]:
        """The indexes that have one of its citations."""
        return tuple(dict.fromkeys(link.source for link in self.links))


class NamedWork(NamedTuple):
    """A work of which no source has a record: an identifier, or a reference as text."""

    name: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCounts:
    """seeds = found + missing; works = backward + forward + both; citations = of_works +
    of_unknown + of_texts + among_seeds + duplicates.

    Attributes:
        seeds: Works that the search began with.
        found: Those of them that some source knows.
        missing: Those that none knows.
        works: Works that were found, each once, the seeds aside.
        backward: Those that are only cited.
        forward: Those that only cite.
        both: Those that do both.
        unknown: Works that were named by an identifier that no source knows.
        texts: References without an identifier.
        citations: All that the indexes named.
        of_works: Those of works that were found, each index, work and direction once.
        of_unknown: Those of `unknown`.
        of_texts: Those of `texts`.
        among_seeds: Those at whose other end is a seed.
        duplicates: Those that an index named several times, as of two records of a work.
        unfollowed: Works that a further round would have begun with, had it begun with more.
        requests: Those that were made: of the reports, and of look-ups.
        lookups: Those of look-ups.
    """

    seeds: int
    found: int
    missing: int
    works: int
    backward: int
    forward: int
    both: int
    unknown: int
    texts: int
    citations: int
    of_works: int
    of_unknown: int
    of_texts: int
    among_seeds: int
    duplicates: int
    unfollowed: int
    requests: int
    lookups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationResult:
    """What a citation search has found.

    Attributes:
        seeds: Key of each work that it began with -> its hit; None where no source knows it.
        works: The best first: by how many seeds, then how many indexes reach them, then by the
            words of the seeds.
        unknown: Works that were named by an identifier that no source knows.
        texts: References without an identifier.
        among: Citations of one of the first seeds by another one, one for each index.
        reports: How each source answered, in one order.
        counts: Of all, also where `unknown` and `texts` end at `MOST_LISTED`.
        lookup_errors: Source -> why it gave no answer to look-ups: it may know what is unknown.
    """

    seeds: Mapping[str, Hit | None]
    works: tuple[RelatedWork, ...]
    unknown: tuple[NamedWork, ...]
    texts: tuple[NamedWork, ...]
    among: tuple[Link, ...]
    reports: tuple[RelationReport, ...]
    counts: CitationCounts
    lookup_errors: Mapping[str, SourceError] = field(default_factory=dict)

    @property
    def has_answers(self) -> bool:
        """Whether any index has answered for any work."""
        return any(report.links or report.seeds > len(report.failed) for report in self.reports)

    @property
    def unlisted(self) -> int:
        """How many more are unknown or texts than are listed."""
        return self.counts.unknown + self.counts.texts - len(self.unknown) - len(self.texts)


def order_of(
    works: Collection[RelatedWork], seeds: Iterable[Seed]
) -> Callable[[RelatedWork], tuple[float | str, ...]]:
    """The key by which works are sorted: seeds and indexes that reach them, then how much of what
    their titles say the titles of the seeds say, too: each word counts by how few works have it.
    """
    terms = {work.hit.id: frozenset(words(work.hit.record.title)) for work in works}
    frequency = Counter(term for some in terms.values() for term in some)
    wanted = {word for seed in seeds for record in seed.records for word in words(record.title)}
    weight = {term: log(1 + len(works) / count) for term, count in frequency.items()}

    def likeness(work: RelatedWork) -> float:
        own = terms[work.hit.id]
        whole = sum(weight[term] for term in sorted(own))
        return sum(weight[term] for term in sorted(own & wanted)) / whole if whole else 0.0

    def order(work: RelatedWork) -> tuple[float | str, ...]:
        year = work.hit.record.year or 0
        return (-len(work.seeds), -len(work.sources), -likeness(work), -year, work.hit.id)

    return order
