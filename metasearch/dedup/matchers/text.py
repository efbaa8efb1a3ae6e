"""The fallback on text: records whose abstracts agree, for those of which little else is known.

Found by an exact scan of SimHash signatures (Charikar 2002) with a wide radius, because in a search
or a review, unlike in a crawl of the Web, a copy that was edited, cut or given another copyright
line differs in 3 to 14 of 64 bits; judged by how much of the one text stands in the other, and by
the titles. docs/strategies-report.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rapidfuzz.distance import Levenshtein

from metasearch.dedup import evidence as because
from metasearch.dedup import window_simhash
from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.index import Scan
from metasearch.dedup.matcher import share_a_key, verdict
from metasearch.dedup.titles import resemblance, title_score
from metasearch.record import Match, Record

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
        if not fingerprint.record.abstract:
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
        """Of a thin record; the others have none."""
        return _signature(fingerprint)

    def neighbours(self) -> Scan:
        """Signatures of title and abstract of the thin ones."""
        return Scan(_signature, self.distance, _is_thin)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where the texts agree and title, people, pages and DOIs contradict nothing."""
        if not (a.record.abstract and b.record.abstract):
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
        within = because.ABSTRACT_WITHIN.format(share=f"{of_shorter:.0%}")
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
    return bool(fingerprint.record.abstract) and (not fingerprint.first or fingerprint.year is None)


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
