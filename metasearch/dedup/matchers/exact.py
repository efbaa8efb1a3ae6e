"""Records that share one value: URL, DOI, another identifier, the number of a standard, the hash of
the four-tuple.

These matchers judge only records that share a key of theirs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from metasearch.dedup import evidence as because
from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprints import (
    SHORTEST_NAME,
    Fingerprint,
    relation,
    standard,
    without_marks,
)
from metasearch.dedup.matcher import verdict
from metasearch.dedup.titles import FAR
from metasearch.record import Match

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
        """The normalised URL."""
        return (fingerprint.url,) if fingerprint.url else ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" for an equal URL whose titles agree."""
        if not a.url or a.url != b.url:
            return None
        facts = evidence(a, b)
        if facts.title == "far" or (facts.title == "missing" and facts.first_author is False):
            return None
        return verdict(self.name, word(facts), 0.97, (because.SAME_URL, *facts.words()), a, b)


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
        return verdict(self.name, word(facts), 0.99, (because.SAME_DOI, *facts.words()), a, b)


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
        """ "same" for a shared identifier."""
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
            said = because.SAME_NUMBER.format(scheme=_NAMES.get(scheme, scheme), number=number)
            return verdict(self.name, word(facts), 0.98, (said, *facts.words()), a, b)
        if facts.isbn and facts.title in ("equal", "start", "near"):
            number = min(a.isbn & b.isbn)
            return verdict(
                self.name,
                word(facts),
                0.96,
                (because.SAME_ISBN.format(number=number), *facts.words()),
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
        """ "same" for two records of one standard."""
        one = standard(a)
        if one is None:
            return None
        other = standard(b)
        if other is None or not relation(one, other):
            return None
        said = (
            because.SAME_STANDARD.format(number=one.number)
            if one.number and one.number == other.number
            else because.STANDARD_OF_ONE_NAME
        )
        return verdict(self.name, "same", 0.97, (said, *evidence(a, b).words()), a, b)


class FourTuple:
    """Equal hash of the four members; no key without title, or with two others missing."""

    name = "four-tuple"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The hash."""
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
            (because.TITLE_AND_MEMBERS.format(members=", ".join(members)),),
            a,
            b,
        )
