"""Matchers and chains of them: a matcher returns the keys of a record (`keys`) and compares two
records (`compare`). Those by one value that records share stand here, and the one by text;
`weights_and_vetoes` has the others.

A search, a job over files and the evaluation use the same matchers. Two records are compared if any
matcher of a chain returns the same key for both. The matchers are called in their order, and the
first verdict counts, unless a veto of the chain forbids it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol, runtime_checkable

from rapidfuzz.distance import Levenshtein

from metasearch.dedup import evidence as reasons
from metasearch.dedup import window_simhash
from metasearch.dedup.evidence import FAR, evidence, resemblance, title_score, word
from metasearch.dedup.fingerprints import (
    SHORTEST_NAME,
    Fingerprint,
    same_standard,
    standard,
    without_marks,
)
from metasearch.dedup.signatures import NoNeighbours, Scan
from metasearch.message import join_texts, message
from metasearch.record import Match, Record, Verdict, new_match


@dataclass(frozen=True, slots=True)
class Key:
    """Records with an equal key are compared."""

    matcher: str
    value: str


class Matcher(Protocol):
    """One rule that finds and compares records of one work.

    `compare` is symmetric, reads only the two fingerprints, and returns None where the rule does
    not apply; for too little input it returns None, never "same". It also returns None for two
    records that share none of its keys and are no neighbours in its index: such a pair is compared
    only if another matcher has found it, and no verdict may depend on that.
    """

    @property
    def name(self) -> str:
        """The name in `Match.matcher`."""

    @property
    def exact(self) -> bool:
        """Whether `compare` returns a verdict only on records that share one of its keys; it is
        not called for others.
        """

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The keys that other records of the work may share."""

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """The verdict on a pair, or None."""


class Neighbours(Protocol):
    """The index of one matcher in one job; records are added one by one."""

    @property
    def passed_over(self) -> int:
        """How many near records were not returned, because too many were near."""

    def near(self, fingerprint: Fingerprint) -> Iterable[int]:
        """The numbers of the added records that are worth a comparison."""

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Add a record."""


@runtime_checkable
class NeighbourMatcher(Matcher, Protocol):
    """A matcher that finds records without a common key: near signatures, sets that overlap."""

    def neighbours(self) -> Neighbours:
        """A new, empty index."""


@runtime_checkable
class SignatureMatcher(NeighbourMatcher, Protocol):
    """A searching matcher whose neighbours are the records with a near signature, so that
    signatures can be kept and searched elsewhere.
    """

    @property
    def distance(self) -> int:
        """Bits in which the signatures of neighbours differ at most."""

    def signature(self, fingerprint: Fingerprint) -> int | None:
        """64 bits, the same in every process; None of a record that has no neighbours."""


@runtime_checkable
class BlockMatcher(Matcher, Protocol):
    """A matcher by 64-bit signatures, one or several a record, whose keys are blocks of their bits
    (Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007).

    Of very many records nearly each shares such a key with another one by chance, so that keys do
    not tell which may be one work; near signatures do.
    """

    @property
    def radius(self) -> int:
        """Bits in which the nearest signatures of two records that are the same differ at most."""

    def signatures(self, fingerprint: Fingerprint) -> Iterable[int]:
        """64 bits each, the same in every process; none of a record that is never the same."""


@runtime_checkable
class BatchMatcher(Matcher, Protocol):
    """A matcher for which many records at once cost much less than one after the other."""

    def has_work(self, prints: Sequence[Fingerprint]) -> bool:
        """Whether there is something to prepare."""

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Compute what the next records need; this changes no verdict."""


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """What a matcher weighs of a pair.

    Attributes:
        titles: How the titles relate, see `TitleRelation`.
        parts: Field -> points that it adds, or takes away; without those that do neither.
        needed: Points that make the two one work; None where no points are enough.
    """

    titles: str
    parts: tuple[tuple[str, float], ...]
    needed: float | None

    @property
    def points(self) -> float:
        """Of all parts."""
        return sum(points for _, points in self.parts)


@runtime_checkable
class PointsMatcher(Matcher, Protocol):
    """A matcher that adds up points."""

    def weigh_fields(self, a: Fingerprint, b: Fingerprint) -> FieldWeights:
        """What it weighs, whatever comes of it."""


class PinMatcher(Matcher, Protocol):
    """A matcher that holds what a person decided: its verdicts are final. See `pins.Pins`."""

    def __bool__(self) -> bool:
        """Whether it holds a decision."""

    def touches(self, fingerprint: Fingerprint) -> bool:
        """Whether any decision names the record."""


@dataclass(frozen=True)
class Chain:
    """Matchers in the order in which they are called, and vetoes.

    Attributes:
        matchers: They find pairs and return "same" or "version".
        vetoes: They return "different". They are called where a matcher returned "same" or
            "version", and for every other pair that would stand in one hit.
        pins: What a person decided; it comes first, and no rule overrules it.
    """

    matchers: tuple[Matcher, ...]
    vetoes: tuple[Matcher, ...] = ()
    pins: PinMatcher | None = None

    def with_pins(self, pins: PinMatcher) -> Chain:
        """The same chain under these pins."""
        return replace(self, pins=pins)

    @cached_property
    def judges(self) -> tuple[Matcher, ...]:
        """The matchers that are not exact."""
        return tuple(matcher for matcher in self.matchers if not matcher.exact)

    @cached_property
    def searchers(self) -> tuple[NeighbourMatcher, ...]:
        """The matchers that find twins by more than keys."""
        return tuple(matcher for matcher in self.matchers if isinstance(matcher, NeighbourMatcher))

    def has_work(self, prints: Sequence[Fingerprint]) -> bool:
        """Whether `prepare` would block an event loop for long."""
        return any(matcher.has_work(prints) for matcher in self._preparers)

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Let the matchers compute at once what they need of the next records."""
        for matcher in self._preparers:
            matcher.prepare(prints)

    @cached_property
    def _preparers(self) -> tuple[BatchMatcher, ...]:
        return tuple(matcher for matcher in self.matchers if isinstance(matcher, BatchMatcher))

    @cached_property
    def finders(self) -> tuple[Matcher, ...]:
        """Pins and matchers: all that return keys."""
        return (self.pins, *self.matchers) if self.pins else self.matchers

    def keys_by_finder(self, fingerprint: Fingerprint) -> list[Iterable[str]]:
        """The keys that each of `finders` returns for a record."""
        return [matcher.keys(fingerprint) for matcher in self.finders]

    def keys(self, fingerprint: Fingerprint) -> list[Key]:
        """All keys of a record."""
        return [
            Key(matcher.name, value)
            for matcher in self.finders
            for value in matcher.keys(fingerprint)
        ]

    def judge(self, a: Fingerprint, b: Fingerprint, *, exact: bool = True) -> Match | None:
        """The first verdict on a pair; None where no matcher returns one.

        Args:
            a: The one.
            b: The other.
            exact: Whether to call exact matchers; False where it is known that the two share none
                of their keys.
        """
        if a.record_key > b.record_key:
            a, b = b, a
        if self.pins is not None and (pin := self.pins.compare(a, b)) is not None:
            return pin
        for matcher in self.matchers if exact else self.judges:
            match = matcher.compare(a, b)
            if match is not None:
                return match if match.verdict == "different" else self._veto(a, b) or match
        return None

    def forbids(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """What forbids that two stand in one hit: a pin, or a veto that no pin lifts; or None."""
        if a.record_key > b.record_key:
            a, b = b, a
        if self.pins is not None and (pin := self.pins.compare(a, b)) is not None:
            return pin if pin.verdict == "different" else None
        return self._veto(a, b)

    def explain(self, a: Fingerprint, b: Fingerprint) -> list[tuple[str, Match | None]]:
        """The verdict of each pin, matcher and veto on a pair, in the order of their calls."""
        if a.record_key > b.record_key:
            a, b = b, a
        return [(matcher.name, matcher.compare(a, b)) for matcher in (*self.finders, *self.vetoes)]

    def _veto(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        for veto in self.vetoes:
            match = veto.compare(a, b)
            if match is not None:
                return match
        return None


def share_a_key(matcher: Matcher, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether a key of this matcher brings the two together."""
    return not set(matcher.keys(a)).isdisjoint(matcher.keys(b))


def verdict(
    name: str, word: Verdict, score: float, because: Iterable[str], a: Fingerprint, b: Fingerprint
) -> Match:
    """A `Match` with its sides in order and its reasons in words."""
    left, right = a.record_key, b.record_key
    if left > right:
        left, right = right, left
    return new_match(name, word, round(min(1.0, score), 3), join_texts("; ", because), left, right)


# Records that share one value: URL, DOI, another identifier, the number of a standard, the hash of
# the four-tuple.
#
# These matchers judge only records that share a key of theirs.

_NAMES = {
    "pmid": "PMID",
    "pmcid": "PMCID",
    "arxiv": "arXiv id",
    "lccn": "LCCN",
    "oclc": "OCLC number",
}


class Url:
    """Equal URL after normalisation, and titles that do not contradict it.

    A portal's search page or a publisher's home page is the URL of many works, so the titles have a
    say.
    """

    name = "url"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        return (fingerprint.url,) if fingerprint.url else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        if not a.url or a.url != b.url:
            return None
        facts = evidence(a, b)
        if facts.title == "far" or (facts.title == "missing" and facts.first_author is False):
            return None
        return verdict(self.name, word(facts), 0.97, (reasons.SAME_URL, *facts.words()), a, b)


class DoiHash:
    """Equal DOI, and titles that do not contradict it.

    Every abstract of a conference supplement may carry the supplement's DOI, every paper that of
    the proceedings, and some journals give one DOI to a whole issue; so titles that are far apart
    leave the question open, unless the first author, the first and the last page are the same: two
    abstracts of one group may begin on one page.
    """

    name = "doi"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """SHA-1 of the DOI without full stops and slashes: what differs by them, others judge."""
        return (
            (
                hashlib.sha1(
                    without_marks(fingerprint.doi).encode(), usedforsecurity=False
                ).hexdigest(),
            )
            if fingerprint.doi
            else ()
        )

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal DOI whose titles, authors or pages do not speak against it."""
        if not a.doi or a.doi != b.doi:
            return None
        facts = evidence(a, b)
        if (
            facts.title == "far"
            and facts.score < FAR
            and not (facts.page_range and facts.first_author)
        ):
            return None
        return verdict(self.name, word(facts), 0.99, (reasons.SAME_DOI, *facts.words()), a, b)


class Identifiers:
    """An identifier in common, and titles that do not contradict it.

    An ISBN may stand on each volume of a set, and catalogues mistype numbers: so a shared one asks
    for more likeness of the titles than a shared PMID.
    """

    name = "id"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Every identifier with its scheme, and the source's own: a later page may repeat it."""
        found = [*fingerprint.ids]
        if fingerprint.isbn:
            found += [f"isbn:{number}" for number in fingerprint.isbn]
        if fingerprint.record.source_id:
            found.append(f"record:{fingerprint.record.source}:{fingerprint.record.source_id}")
        return found

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        shared = a.ids & b.ids if a.ids else a.ids
        if (
            a.record.source_id
            and a.record.source_id == b.record.source_id
            and a.record.source == b.record.source
        ):
            shared |= {f"record:{a.record.key}"}
        if not shared and a.isbn.isdisjoint(b.isbn):
            return None
        facts = evidence(a, b)
        if shared and not (facts.title == "far" and facts.score < FAR):
            scheme, _, number = min(shared).partition(":")
            said = message(reasons.SAME_NUMBER, scheme=_NAMES.get(scheme, scheme), number=number)
            return verdict(self.name, word(facts), 0.98, (said, *facts.words()), a, b)
        if facts.isbn and facts.title in ("equal", "start", "near"):
            number = min(a.isbn & b.isbn)
            return verdict(
                self.name,
                word(facts),
                0.96,
                (message(reasons.SAME_ISBN, number=number), *facts.words()),
                a,
                b,
            )
        return None


class Standards:
    """Equal number, or equal title, of the same year: no two standards have one number."""

    name = "standard"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Number with year, and name with year."""
        found = standard(fingerprint)
        if found is None or not found.year:
            return ()
        keys = [f"{found.number}:{found.year}"] if found.number else []
        if len(found.name) >= SHORTEST_NAME:
            keys.append(f"{found.name}:{found.year}")
        return keys

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        one = standard(a)
        other = standard(b) if one is not None else None
        if one is None or other is None or not same_standard(a, b):
            return None
        said = (
            message(reasons.SAME_STANDARD, number=one.number)
            if one.number and one.number == other.number
            else reasons.STANDARD_OF_ONE_NAME
        )
        return verdict(self.name, "same", 0.97, (said, *evidence(a, b).words()), a, b)


class FourTuple:
    """Equal hash of the four members; no key without title, or with two others missing."""

    name = "four-tuple"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        return (
            (fingerprint.four_tuple,) if fingerprint.four_tuple and not fingerprint.generic else ()
        )

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal hash of a title that means something."""
        if not a.four_tuple or a.four_tuple != b.four_tuple or a.generic:
            return None
        facts = evidence(a, b)
        if not a.venue and facts.publisher is False:  # two printers of one poem
            return None
        members = [
            name
            for name, value in (("venue", a.venue), ("year", a.year), ("first author", a.first))
            if value
        ]
        return verdict(
            self.name,
            word(facts),
            0.95,
            (
                message(reasons.TITLE_AND_MEMBERS, members=reasons.members(members)),
                *reasons.without_ends(a, b),
            ),
            a,
            b,
        )


# The fallback on text: records whose abstracts agree, for those of which little else is known.
#
# Found by an exact scan of SimHash signatures (Charikar 2002) with a wide radius, because in a
# search or a review, unlike in a crawl of the Web, a copy that was edited, cut or given another
# copyright line differs in 3 to 14 of 64 bits; judged by how much of the one text stands in the
# other, and by the titles. docs/strategies-report.md has the figures.

#: Titles that are one: what stands in `TitleRelation` for equal words, spelling and subtitles.
_AGREEING = frozenset(("equal", "start", "end", "near"))
#: Titles that are one but for a slip: a word of a title in letters, the characters of a word of a
#: Chinese title.
SLIP, SLIP_CJK = 1, 3
#: Titles less alike than this need equal pages beside equal texts.
LEAST_TITLE = 0.7


@dataclass(frozen=True)
class Text:
    """Records whose texts agree.

    Where two records both say first author and year, these must agree, and they are a key. A record
    that lacks one of them is compared with those of its title, and with all others that lack one
    and whose signature is near.

    Attributes:
        distance: Bits of 64 in which signatures that are compared may differ.
        shared: What share of the shorter abstract must stand in the other one, in runs of eight
            letters (four characters of Chinese), where the titles agree. A cut and edited copy has
            .6 and more; two halves of different abstracts have .5.
        equal: What share of either must, where the titles leave it open.
    """

    distance: int = 12
    shared: float = 0.55
    equal: float = 0.9
    name: ClassVar[str] = "text"
    exact: ClassVar[bool] = False

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Title, first author and year of a record with an abstract."""
        if not fingerprint.abstract:
            return ()
        by_author = (
            ()
            if fingerprint.year is None
            else [f"{family}:{fingerprint.year}" for family in fingerprint.first]
        )
        return [fingerprint.compact, *by_author] if fingerprint.compact else by_author

    def has_work(self, prints: Sequence[Fingerprint]) -> bool:
        """Whether the texts of the thin ones are too many to be signed when they are searched."""
        thin = [_text(fingerprint.record) for fingerprint in prints if _is_thin(fingerprint)]
        return bool(thin) and not window_simhash.are_few(thin)

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Make the signatures of the thin ones at once, which takes a fraction of making one by
        one; of few ones, those that are needed are made later.
        """
        if not self.has_work(prints):
            return
        thin = [fingerprint for fingerprint in prints if _is_thin(fingerprint)]
        for fingerprint, signature in zip(
            thin,
            window_simhash.signatures([_text(fingerprint.record) for fingerprint in thin]),
            strict=True,
        ):
            fingerprint.keep(window_simhash.ID, signature)

    def signature(self, fingerprint: Fingerprint) -> int | None:
        return _signature(fingerprint)

    def neighbours(self) -> Scan:
        """Signatures of title and abstract of the thin ones."""
        return Scan(_signature, self.distance, _is_thin)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where the texts agree and title, people, pages and DOIs contradict nothing."""
        if not (a.abstract and b.abstract):
            return None
        if a.doi and b.doi and a.doi != b.doi:
            return None
        if a.first and b.first and a.first.isdisjoint(b.first):
            return None
        if not self._meet(a, b):
            return None
        agreeing = _titles_agree(a, b)
        if not agreeing and not _may_be_retitled(a, b):
            return None
        of_shorter, of_longer = window_simhash.overlap(_shingles(a), _shingles(b))
        found, needed = (of_shorter, self.shared) if agreeing else (of_longer, self.equal)
        if found < needed:
            return None
        facts = evidence(a, b)
        if facts.pages is False or (facts.form and not agreeing):
            return None
        within = message(reasons.ABSTRACT_WITHIN, share=f"{of_shorter:.0%}")
        said = (within, *facts.words())
        return verdict(self.name, word(facts), 0.6 + 0.3 * of_shorter, said, a, b)

    def _meet(self, a: Fingerprint, b: Fingerprint) -> bool:
        """Whether a key or the scan finds one of the two when the other is there."""
        if share_a_key(self, a, b):
            return True
        one, other = _signature(a), _signature(b)
        return one is not None and other is not None and (one ^ other).bit_count() <= self.distance


def _is_thin(fingerprint: Fingerprint) -> bool:
    """Whether a record has a text, and does not say who wrote the work, or when it appeared."""
    return bool(fingerprint.abstract) and (not fingerprint.first or fingerprint.year is None)


def _titles_agree(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether the titles are one, or one but for a slip."""
    relation = resemblance(a, b)
    if relation in ("within", "reworded"):
        if a.cjk or b.cjk:
            return Levenshtein.distance(a.compact, b.compact, score_cutoff=SLIP_CJK) <= SLIP_CJK
        return Levenshtein.distance(a.words, b.words, score_cutoff=SLIP) <= SLIP
    return relation in _AGREEING


def _may_be_retitled(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether equal texts would make one work of two titles."""
    if resemblance(a, b) in ("missing", "within") or title_score(a, b) >= LEAST_TITLE:
        return True
    return bool(a.pages[0] and a.pages == b.pages and a.year == b.year)


def _text(record: Record) -> str:
    return f"{record.title} {record.subtitle or ''} {record.abstract}"


def _signature(fingerprint: Fingerprint) -> int | None:
    """Of a thin record; the others have none."""
    return (
        fingerprint.once(
            window_simhash.ID, lambda record: window_simhash.signatures([_text(record)])[0]
        )
        if _is_thin(fingerprint)
        else None
    )


def _shingles(fingerprint: Fingerprint) -> window_simhash.Shingles:
    return fingerprint.once(
        (window_simhash.ID, "shingles"),
        lambda record: window_simhash.shingles(record.abstract or ""),
    )


# What a chain needs to know of all records of a job before any two are compared: keys, and
# signatures that may be near. A job that is larger than memory is cut along them: records that
# share no key, directly or by way of others, and have no near signatures are never one work.


@dataclass(frozen=True, slots=True)
class MatcherSignatures:
    """The signatures of one matcher. `distance`: bits of 64 in which near ones differ at most.
    `signatures`: those of a record: 64 bits each, the same in every process.
    """

    name: str
    distance: int
    signatures: Callable[[Fingerprint], Iterable[int]]


def key_matchers(chain: Chain) -> tuple[Matcher, ...]:
    """Pins and matchers whose keys tell which records may be one work; those of a `Blocked` one do
    not, because many records share them by chance.
    """
    return tuple(matcher for matcher in chain.finders if not isinstance(matcher, BlockMatcher))


def signature_matchers(chain: Chain) -> tuple[MatcherSignatures, ...]:
    """The matchers of which near signatures tell it."""
    found = []
    for matcher in chain.matchers:
        if isinstance(matcher, BlockMatcher):
            found.append(MatcherSignatures(matcher.name, matcher.radius, matcher.signatures))
        elif isinstance(matcher, SignatureMatcher):
            found.append(MatcherSignatures(matcher.name, matcher.distance, _one(matcher)))
    return tuple(found)


def unbounded_searchers(chain: Chain) -> tuple[str, ...]:
    """Matchers that also find records which share neither: their chain needs one index."""
    return tuple(
        matcher.name
        for matcher in chain.searchers
        if not isinstance(matcher, BlockMatcher | SignatureMatcher)
        and not isinstance(matcher.neighbours(), NoNeighbours)
    )


def _one(matcher: SignatureMatcher) -> Callable[[Fingerprint], Iterable[int]]:
    def signatures(fingerprint: Fingerprint) -> Iterable[int]:
        found = matcher.signature(fingerprint)
        return () if found is None else (found,)

    return signatures
