"""Strategies for which one value must be equal: a URL, a hash of four fields, a hash of terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from metasearch.bib import normalise
from metasearch.bulk.published import words as frequencies
from metasearch.bulk.published import words as segment
from metasearch.bulk.published.words import body, sha1, title
from metasearch.dedup import evidence
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import verdict
from metasearch.message import message
from metasearch.record import Match, Record

# DOI hash, then the SHA-1 of {title, journal, year, first author}: Hao Hui's de-duplication as it
# was published. Hao Hui, cross-database de-duplication for sci-tech novelty retrieval (CNKI and
# Wanfang). A record is a duplicate where the hash of its DOI is known already, or where that of its
# four-tuple is.

#: What a thesis's institution is followed by where a journal's name would stand.
THESIS = "学位论文"
#: Characters of a member that count.
LONGEST_MEMBER = 2_000


class _Hashes(NamedTuple):
    of_doi: str | None
    of_tuple: str | None
    members: tuple[str, ...]  # names of those that are known


@dataclass(frozen=True)
class PublishedFourTuple:
    """The strategies `four-tuple` (as the paper measures it) and `four-tuple-stripped` (as its
    section 3.3 proposes).

    As in the paper: both hashes of every record are kept, a thesis stands in
    "<institution>学位论文", of the date the year counts. The paper drops what repeats an earlier
    record, which depends on the order; here records that share a key are joined, also through a
    third one, and clusters do not depend on it. (Our reading, as are the defaults of `fewest` and
    `conflicting_dois`.) That goes for a record without a DOI between two records with different
    ones, too: it joins them.

    Thin input: a record without a DOI needs a title and `fewest` of journal, year and first author.

    Attributes:
        stripped: Whether symbols are stripped, widths and case folded before hashing (NFKC, lower
            case, letters and digits only). The measured version hashes the strings as they were
            parsed.
        fewest: Of journal, year and first author, how many must be known. The paper hashes empty
            strings, so that two works of one title would meet in "nothing"; 0 does so.
        conflicting_dois: What becomes of equal tuples with different DOIs: an erratum, a preprint,
            a part. The paper says "merge", for a DOI that is new falls through to the tuple; "keep
            apart" makes that a contradiction.
    """

    exact: ClassVar[bool] = True

    stripped: bool = False
    fewest: int = 2
    conflicting_dois: Literal["merge", "keep apart"] = "keep apart"

    @property
    def name(self) -> str:
        return "four-tuple-stripped" if self.stripped else "four-tuple"

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        found = self._hashes(fingerprint)
        if found.of_doi:
            yield f"doi:{found.of_doi}"
        if found.of_tuple:
            yield f"tuple:{found.of_tuple}"

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal hash; "different" for equal tuples with contradicting DOIs."""
        one, other = self._hashes(a), self._hashes(b)
        if one.of_doi and one.of_doi == other.of_doi:
            return verdict(self.name, "same", 0.99, (evidence.SAME_DOI,), a, b)
        if not one.of_tuple or one.of_tuple != other.of_tuple:
            return None
        said = message(evidence.SAME_MEMBERS, members=evidence.members(one.members))
        if one.of_doi and other.of_doi and self.conflicting_dois == "keep apart":
            return verdict(self.name, "different", 0.95, (said, evidence.OTHER_DOIS), a, b)
        return verdict(self.name, "same", 0.95, (said,), a, b)

    def _hashes(self, fingerprint: Fingerprint) -> _Hashes:
        return fingerprint.once(
            ("published four-tuple", self.stripped, self.fewest), self._hash_record
        )

    def _hash_record(self, record: Record) -> _Hashes:
        members = {
            "title": title(record),
            "venue": _venue(record),
            "year": str(record.year or ""),
            "first author": record.authors[0].name if record.authors else "",
        }
        if self.stripped:
            members = {name: strip_signs(value[:LONGEST_MEMBER]) for name, value in members.items()}
        known = tuple(name for name, value in members.items() if value)
        enough = "title" in known and len(known) > self.fewest
        return _Hashes(
            of_doi=sha1((record.doi,)) if record.doi else None,
            of_tuple=sha1(value[:LONGEST_MEMBER] for value in members.values()) if enough else None,
            members=known,
        )


def strip_signs(text: str) -> str:
    """Letters and digits only, of one width and case: "（ Ⅱ ）——A" -> "iia"."""
    return "".join(filter(str.isalnum, normalise.normalize("NFKC", text).lower()))


def _venue(record: Record) -> str:
    if record.type != "thesis":
        return record.venue or ""
    institution = record.publisher or record.venue or ""
    return institution if not institution or institution.endswith(THESIS) else institution + THESIS


# Equal URL, and nothing else: the oldest way, which metasearch engines of the open web use.


@dataclass(frozen=True)
class EqualUrl:
    """The strategy `url`: equal URL after normalisation (`identifiers.url_key`), whatever the
    records say otherwise.

    SearXNG merges hits so, and Zhang and Guo (2014) name it among the older ways. It finds no copy
    that another site holds, and merges all records that carry the address of a portal's search
    page: the default chain's `Url`, which asks the titles too, is its guarded form.

    Thin input: a record without a URL, or with a DOI resolver's or a bare host, has no key and is
    never "same".
    """

    name: ClassVar[str] = "url"
    exact: ClassVar[bool] = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        return (fingerprint.url,) if fingerprint.url else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        if not a.url or a.url != b.url:
            return None
        return verdict(self.name, "same", 1.0, (evidence.SAME_URL,), a, b)


# I-Match: one hash of the terms that are neither too common nor too rare. Chowdhury, Frieder,
# Grossman and McCabe, "Collection statistics for fast duplicate document detection" (ACM TOIS 20:2,
# 2002).


class _Terms(NamedTuple):
    number: int
    hash: str


@dataclass(frozen=True)
class IMatch:
    """The strategy `i-match`: equal SHA-1 of the sorted, unique terms of title and abstract with a
    middling idf.

    As in the paper: each term once, sorted, hashed; equality is identity. The idf is that of the
    shipped table, because a stream has no collection to count in; the hash holds for one table and
    one segmenter.

    Thin input: fewer than `fewest` terms are no text (our reading; the paper notes that documents
    without any term left all get one hash).

    Attributes:
        lowest: Normalised idf (0..1) that a term has at least. Paper: best between 0.1 and 0.9.
        highest: And at most.
        fewest: Terms that must be left.
    """

    name: ClassVar[str] = "i-match"
    exact: ClassVar[bool] = True

    lowest: float = 0.1
    highest: float = 0.9
    fewest: int = 5

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The hash."""
        found = self._terms(fingerprint)
        return (found.hash,) if found.number >= self.fewest else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal hash."""
        one, other = self._terms(a), self._terms(b)
        if one != other or one.number < self.fewest:
            return None
        return verdict(
            self.name, "same", 1.0, (message(evidence.SAME_TERMS, number=one.number),), a, b
        )

    def _terms(self, fingerprint: Fingerprint) -> _Terms:
        name = (self.name, segment.segmenter(), frequencies.table_id(), self.lowest, self.highest)
        return fingerprint.once(name, self._hash_terms)

    def _hash_terms(self, record: Record) -> _Terms:
        words = {*segment.words(title(record)), *segment.words(body(record))}
        kept = sorted(
            word for word in words if self.lowest <= frequencies.nidf(word) <= self.highest
        )
        return _Terms(len(kept), sha1(kept))
