"""What two records of one work never show: contradictions that no likeness outweighs."""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.books import another_binding, siblings
from metasearch.dedup.evidence import Evidence, evidence
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.resemblance import FAR
from metasearch.dedup.standards import relation, standard
from metasearch.record import Match

#: Years that may pass between a preprint or conference abstract and its publication.
YEARS_TO_PRINT = 3


class Vetoes:
    """Says "different", or nothing."""

    name = "veto"
    exact = False

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """None: a contradiction is no place to look."""
        return ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "different" where the records contradict one another."""
        reason = _reason(a, b)
        return verdict(self.name, "different", 1.0, (reason,), a, b) if reason else None


def _reason(a: Fingerprint, b: Fingerprint) -> str:
    it = evidence(a, b)
    same_doi = it.doi is True
    if not it.notice:
        if a.notice and b.notice:
            return f"{a.notice} against {b.notice}"
        one = a.notice or b.notice
        return f"one is {'an' if one[0] in 'aeiou' else 'a'} {one}"
    same_standard = relation(standard(a), standard(b))
    if it.parts is False or (it.part_lost and not same_doi and not same_standard and not it.place):
        shown = ["/".join(sorted(p)) or "none" for p in (a.parts, b.parts)]
        return f"parts differ: {shown[0]} against {shown[1]}"
    if it.doi is False and not it.form and not it.revised and not _registered_twice(it):
        return f"DOIs differ: {a.doi} against {b.doi}"
    if it.volume and it.issue is False and it.title == "far":
        return f"issues and titles differ: {a.issue} against {b.issue}"
    if same_doi:
        return ""
    if a.generic != b.generic and _is_named_otherwise(it):
        return "one title names a column or a part, the other a work"
    if same_standard is False:
        return "standards differ in number or year"
    if _carrier(a) and _carrier(b) and _carrier(a) != _carrier(b):
        return f"one is {a.record.type}, the other {b.record.type}"
    if it.numbers is False and not _misprinted(a, b, it):
        return "numbers in the titles differ"
    if it.edition is False:
        return f"editions differ: {a.edition} against {b.edition}"
    if it.isbn is False and it.gap != 0 and not another_binding(a, b, it):
        return "ISBNs and years differ"
    if it.title == "far" and it.score >= FAR and it.pages is not True and a.ids.isdisjoint(b.ids):
        return "one work is about the other"
    if other := siblings(a, b, it):
        return f"two works of one organisation: {other}"
    return _elsewhere(a, b, it)


def _is_named_otherwise(it: Evidence) -> bool:
    """Whether a title that says nothing ("Introduction") is not that of the other record with less
    said of its subject.

    "Editorial" and "Editorial: ..." are one on the same pages, and two in a book.
    """
    return it.title in ("far", "within", "reworded") or (
        it.title in ("start", "end") and not (it.place and it.pages)
    )


def _misprinted(a: Fingerprint, b: Fingerprint, it: Evidence) -> bool:
    """Whether other numbers in the titles are a misprint: nobody prints two articles on the same
    pages of one volume.

    Two years are none: a record may have been made from last year's, with its place.
    """
    if not (it.volume and it.page_range and it.venue is not False):
        return False
    return not all(
        any(len(number) == 4 for number in only)
        for only in (a.numbers - b.numbers, b.numbers - a.numbers)
    )


def _elsewhere(a: Fingerprint, b: Fingerprint, it: Evidence) -> str:
    """A place in print where the other one cannot stand too; versions of a work have a place
    each.
    """
    if it.revised:
        return ""
    if it.kinds:
        return "one is a conference paper, the other an article"
    if (
        it.gap is not None
        and it.gap > (YEARS_TO_PRINT if it.form else 1)
        and not (it.place and it.title == "equal")
    ):
        return f"years differ: {a.year} against {b.year}"
    if it.form:
        return ""
    if it.gap == 1 and a.form == b.form == "conference" and it.title != "equal":
        return f"conferences of other years: {a.year} against {b.year}"
    if it.volume is False and it.pages is not True:
        return f"volumes differ: {a.volume} against {b.volume}"
    if it.volume and it.venue is not False:
        if it.issue is False and it.pages is not True:
            return f"issues differ: {a.issue} against {b.issue}"
        if it.pages is False and not it.issue:
            return f"pages differ: {a.pages[0]} against {b.pages[0]}"
    return ""


_CARRIERS = frozenset(("audio", "video", "image", "map", "score", "software", "dataset", "patent"))
_TEXTS = frozenset(
    """
    article book chapter conference-paper editorial erratum letter preprint proceedings
    reference-entry report review thesis
""".split()
)


def _carrier(it: Fingerprint) -> str:
    """Text, or what else the work is on; "" where nobody can tell."""
    kind = it.record.type or ""
    return kind if kind in _CARRIERS else "text" if kind in _TEXTS else ""


def _registered_twice(it: Evidence) -> bool:
    """One article can have been registered twice: then its place in print is the same in every
    number.
    """
    return bool(it.title == "equal" and it.place and it.gap == 0 and it.first_author)
