"""Why two records stand in one hit, or do not: what every rule says of the pair, and what the hits
around it add.

Pure: `Explainer(chain, records).pair(a, b)` gives an `Explanation`; others show it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from rapidfuzz import fuzz, process

from metasearch.bib.work_ids import find, is_hit_id, read_name
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import (
    Chain,
    FieldWeights,
    Key,
    NeighbourMatcher,
    PointsMatcher,
)
from metasearch.dedup.online import OnlineDedup
from metasearch.dedup.pins import record_names
from metasearch.record import Hit, Match, Record, VersionsMode

#: Pairs of records of two hits that are judged, to find what keeps the hits apart.
MAX_PAIRS = 10_000
#: Percent of likeness from which a name is offered in place of one that nothing bears.
LEAST_LIKENESS = 60
#: What stands in the place of a key where the index of a matcher's own brings two records together.
NEAR = "near one another"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything that decides whether two records are shown as one work.

    Attributes:
        left: The one record, and `right` the other; `names` are their keys in `Match.left` and
            `Match.right`.
        keys: Where the two meet; without any they are compared only if other records bring them
            together.
        rules: Every pin, matcher and veto in the order in which they are asked, and what it says of
            the pair; None is "nothing".
        weighed: What the fields weigh; None where no matcher of the chain adds up points.
        verdict: What comes of that; None where nobody has said anything.
        hits: The hits in which they stand; the same one twice where they stand together.
        path: The matches of their hit that lead from the one to the other; () where they stand
            apart.
        across: Verdicts that would join their two hits, strongest first; () where they stand
            together.
        against: Verdicts that forbid it, the pair itself first. Of both, what `MAX_PAIRS` pairs of
            records show.
        met: Whether any two records that would join the hits have a key in common; True where they
            stand together.
        versions_apart: They stand apart only because each version of a work is a hit of its own.
    """

    left: Record
    right: Record
    names: tuple[str, str]
    keys: tuple[Key, ...]
    rules: tuple[tuple[str, Match | None], ...]
    weighed: FieldWeights | None
    verdict: Match | None
    hits: tuple[Hit, Hit]
    path: tuple[Match, ...] = ()
    across: tuple[Match, ...] = ()
    against: tuple[Match, ...] = ()
    met: bool = True
    versions_apart: bool = False

    @property
    def together(self) -> bool:
        """Whether they stand in one hit."""
        return self.hits[0].id == self.hits[1].id


class Explainer:
    """De-duplicates records as a search does, and explains the outcome."""

    def __init__(
        self, chain: Chain, records: Iterable[Record], versions: VersionsMode = "group"
    ) -> None:
        self._chain = chain
        self._versions: VersionsMode = versions
        self._prints: dict[str, Fingerprint] = {}
        self._of_record: dict[int, Fingerprint] = {}
        stage = OnlineDedup(chain, versions=versions)
        for record in records:
            if id(record) not in self._of_record:
                self._take(record, stage)
        self._all = stage.hits()
        self._hits = {
            fingerprint.record_key: hit for hit in self._all for fingerprint in self._members(hit)
        }

    def _take(self, record: Record, stage: OnlineDedup) -> None:
        key = record.key
        if key in self._prints:  # the same record again, on a later page for instance
            key = f"{key}@{len(self._prints)}"
        fingerprint = self._prints[key] = self._of_record[id(record)] = Fingerprint(record, key)
        stage.insert(record, fingerprint)

    def _members(self, hit: Hit) -> list[Fingerprint]:
        return [self._of_record[id(record)] for record in hit.records]

    def bearers(self, name: str) -> list[Fingerprint]:
        """The records that bear a name as pins use them (`read_name`), in the order of their keys.

        The id of a hit is borne by all records of the hit that has it, or would have it in another
        answer. Raises ValueError: it is no name.
        """
        wanted = read_name(name)
        if is_hit_id(wanted):
            hits = find(wanted, self._all)
            return [
                fingerprint
                for hit in hits
                for fingerprint in sorted(self._members(hit), key=lambda member: member.record_key)
            ]
        lower = wanted.lower()
        found = []
        for fingerprint in self._prints.values():
            key, others = record_names(fingerprint)
            if wanted in (key, fingerprint.record_key) or lower in others:
                found.append(fingerprint)
        return sorted(found, key=lambda fingerprint: fingerprint.record_key)

    def near(self, name: str) -> list[str]:
        """Up to three names that some record bears and that resemble one that none does."""
        known = {
            shown.lower(): shown
            for fingerprint in self._prints.values()
            for shown in _names_to_type(fingerprint)
        }
        wanted = name.strip().lower()
        found = process.extract(
            wanted, list(known), scorer=fuzz.ratio, limit=3, score_cutoff=LEAST_LIKENESS
        )
        return [known[lower] for lower, _, _ in found]

    def hit_of(self, fingerprint: Fingerprint) -> Hit:
        """The hit in which a record stands."""
        return self._hits[fingerprint.record_key]

    def pair(self, a: Fingerprint, b: Fingerprint) -> Explanation:
        """What there is to say of two records of different keys."""
        left, right = sorted((a, b), key=lambda fingerprint: fingerprint.record_key)
        one, other = self.hit_of(left), self.hit_of(right)
        apart = one.id != other.id
        across, against, met = self._between(left, right, one, other) if apart else ((), (), True)
        return Explanation(
            left=left.record,
            right=right.record,
            names=(left.record_key, right.record_key),
            keys=tuple(
                sorted(
                    self._common_keys(left, right), key=lambda key: (key.matcher, str(key.value))
                )
            ),
            rules=tuple(self._chain.explain(left, right)),
            weighed=next(
                (
                    matcher.weigh_fields(left, right)
                    for matcher in self._chain.matchers
                    if isinstance(matcher, PointsMatcher)
                ),
                None,
            ),
            verdict=self._chain.judge(left, right),
            hits=(one, other),
            path=() if apart else _path(one.matches, left.record_key, right.record_key),
            across=across,
            against=against,
            met=met,
            versions_apart=apart
            and self._versions == "separate"
            and self._one_work(left, right, one, other),
        )

    def _between(
        self, left: Fingerprint, right: Fingerprint, one: Hit, other: Hit
    ) -> tuple[tuple[Match, ...], tuple[Match, ...], bool]:
        """(what would join two hits, what forbids it, whether any of the first has met)."""
        across: list[Match] = []
        refused: list[Match] = []
        vetoes: list[Match] = []
        met = False
        pairs = _pairs(left, right, self._members(one), self._members(other))
        for a, b in islice(pairs, MAX_PAIRS):
            match = self._chain.judge(a, b)
            if match is None:
                veto = self._chain.forbids(a, b)
                vetoes += [veto] if veto is not None else []
            elif match.verdict == "different":
                refused.append(match)
            else:
                across.append(match)
                met = met or bool(self._common_keys(a, b))
        across.sort(key=lambda match: (-match.score, match.left, match.right))
        # Without anything that would join the hits, a veto between two records that nobody thinks
        # alike says nothing.
        return tuple(across), tuple(refused + vetoes if across else refused), met

    def _common_keys(self, a: Fingerprint, b: Fingerprint) -> set[Key]:
        near = {
            Key(matcher.name, NEAR) for matcher in self._chain.searchers if _leads(matcher, a, b)
        }
        return {*self._chain.keys(a)} & {*self._chain.keys(b)} | near

    def _one_work(self, left: Fingerprint, right: Fingerprint, one: Hit, other: Hit) -> bool:
        """Whether the records would stand together if versions were no reason to part them."""
        stage = OnlineDedup(self._chain, versions="group")
        for fingerprint in (*self._members(one), *self._members(other)):
            stage.insert(fingerprint.record, fingerprint)
        wanted = {id(left.record), id(right.record)}
        return any(wanted <= {id(record) for record in hit.records} for hit in stage.hits())


def _leads(matcher: NeighbourMatcher, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether a matcher's own index brings two records together."""
    index = matcher.neighbours()
    index.add(0, a)
    return 0 in index.near(b)


def _pairs(
    left: Fingerprint, right: Fingerprint, ours: list[Fingerprint], theirs: list[Fingerprint]
) -> Iterator[tuple[Fingerprint, Fingerprint]]:
    yield left, right
    for a in ours:
        for b in theirs:
            if a is not left or b is not right:
                yield a, b


def _path(matches: Iterable[Match], start: str, end: str) -> tuple[Match, ...]:
    edges: dict[str, list[tuple[str, Match]]] = {}
    for match in matches:
        edges.setdefault(match.left, []).append((match.right, match))
        edges.setdefault(match.right, []).append((match.left, match))
    came: dict[str, tuple[str, Match]] = {}
    queue = deque([start])
    while queue and end not in came:
        at = queue.popleft()
        for there, match in edges.get(at, ()):
            if there != start and there not in came:
                came[there] = (at, match)
                queue.append(there)
    path: list[Match] = []
    while end in came:
        end, match = came[end]
        path.append(match)
    return tuple(reversed(path))


def _names_to_type(fingerprint: Fingerprint) -> list[str]:
    key, others = record_names(fingerprint)
    return [key, *(name.removeprefix("doi:") for name in others if not name.startswith("record:"))]
