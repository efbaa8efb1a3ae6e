"""The same identifier of another kind: PMID, PMCID, arXiv, OpenAlex, LCCN, OCLC, ... and ISBN."""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import evidence, word
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.resemblance import FAR
from metasearch.record import Match

_NAMES = {
    "pmid": "PMID",
    "pmcid": "PMCID",
    "arxiv": "arXiv id",
    "lccn": "LCCN",
    "oclc": "OCLC number",
}


class Identifiers:
    """An identifier in common, and titles that do not contradict it.

    An ISBN may stand on each volume of a set, and catalogues mistype numbers: so a shared one asks
    for more likeness of the titles than a shared PMID.
    """

    name = "id"
    exact = True

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Every identifier with its scheme, and the source's own, because a later page may repeat a
        record.
        """
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
            said = f"same {_NAMES.get(scheme, scheme)} ({number})"
            return verdict(self.name, word(facts), 0.98, (said, *facts.words()), a, b)
        if facts.isbn and facts.title in ("equal", "start", "near"):
            number = min(a.isbn & b.isbn)
            return verdict(
                self.name, word(facts), 0.96, (f"same ISBN ({number})", *facts.words()), a, b
            )
        return None
