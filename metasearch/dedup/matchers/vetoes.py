"""What two records of one work never show: contradictions that no likeness outweighs."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz.distance import OSA

from metasearch.dedup import evidence as because
from metasearch.dedup.evidence import Evidence, evidence
from metasearch.dedup.fingerprints import Fingerprint, relation, standard
from metasearch.dedup.matcher import verdict
from metasearch.dedup.people import is_body
from metasearch.dedup.titles import FAR, SMALL_WORDS, numeral, one_word, unmatched
from metasearch.record import Match

#: Years that may pass between a preprint or conference abstract and its publication.
YEARS_TO_PRINT = 3


class Vetoes:
    """Returns "different", or None."""

    name = "veto"
    exact = False

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """None: a contradiction is no place to look."""
        return ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "different" where the records contradict one another."""
        reason = _reason(a, b)
        return verdict(self.name, "different", 1.0, (reason,), a, b) if reason else None


def _reason(a: Fingerprint, b: Fingerprint) -> str:
    facts = evidence(a, b)
    same_doi = facts.doi is True
    if not facts.notice:
        if a.notice and b.notice:
            return because.NOTICES.format(left=a.notice, right=b.notice)
        one = a.notice or b.notice
        return (because.ONE_IS_AN if one[0] in "aeiou" else because.ONE_IS_A).format(notice=one)
    same_standard = relation(standard(a), standard(b))
    if facts.parts is False or (
        facts.part_lost and not same_doi and not same_standard and not facts.place
    ):
        shown = ["/".join(sorted(p)) or "none" for p in (a.parts, b.parts)]
        return because.PARTS_DIFFER.format(left=shown[0], right=shown[1])
    if facts.doi is False and not facts.form and not facts.revised and not _registered_twice(facts):
        return because.DOIS_DIFFER.format(left=a.doi, right=b.doi)
    if facts.volume and facts.issue is False and facts.title == "far":
        return because.ISSUES_AND_TITLES_DIFFER.format(left=a.issue, right=b.issue)
    if same_doi:
        return ""
    if a.generic != b.generic and _is_named_otherwise(facts):
        return because.TITLE_OF_A_COLUMN
    if same_standard is False:
        return because.STANDARDS_DIFFER
    if _carrier(a) and _carrier(b) and _carrier(a) != _carrier(b):
        return because.TYPES_DIFFER.format(left=a.record.type, right=b.record.type)
    if facts.numbers is False and not _misprinted(a, b, facts):
        return because.NUMBERS_DIFFER
    if facts.edition is False:
        return because.EDITIONS_DIFFER.format(left=a.edition, right=b.edition)
    if facts.isbn is False and facts.gap != 0 and not another_binding(a, b, facts):
        return because.ISBNS_AND_YEARS_DIFFER
    if (
        facts.title == "far"
        and facts.score >= FAR
        and facts.pages is not True
        and a.ids.isdisjoint(b.ids)
    ):
        return because.ONE_ABOUT_THE_OTHER
    if other := siblings(a, b, facts):
        return because.TWO_OF_ONE_BODY.format(other=other)
    return _elsewhere(a, b, facts)


def _is_named_otherwise(facts: Evidence) -> bool:
    """Whether a title that says nothing ("Introduction") is not that of the other record with less
    said of its subject.

    "Editorial" and "Editorial: ..." are one on the same pages, and two in a book.
    """
    return facts.title in ("far", "within", "reworded") or (
        facts.title in ("start", "end") and not (facts.place and facts.pages)
    )


def _misprinted(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether other numbers in the titles are a misprint: nobody prints two articles on the same
    pages of one volume.

    Two years are none: a record may have been made from last year's, with its place.
    """
    if not (facts.volume and facts.page_range and facts.venue is not False):
        return False
    return not all(
        any(len(number) == 4 for number in only)
        for only in (a.numbers - b.numbers, b.numbers - a.numbers)
    )


def _elsewhere(a: Fingerprint, b: Fingerprint, facts: Evidence) -> str:
    """A place in print where the other cannot stand too; versions have a place each."""
    if facts.revised:
        return ""
    if facts.kinds:
        return because.PAPER_AND_ARTICLE
    if (
        facts.gap is not None
        and facts.gap > (YEARS_TO_PRINT if facts.form else 1)
        and not (facts.place and facts.title == "equal")
    ):
        return because.YEARS_DIFFER.format(left=a.year, right=b.year)
    if facts.form:
        return ""
    if facts.gap == 1 and a.form == b.form == "conference" and facts.title != "equal":
        return because.CONFERENCES_DIFFER.format(left=a.year, right=b.year)
    if facts.volume is False and facts.pages is not True:
        return because.VOLUMES_DIFFER.format(left=a.volume, right=b.volume)
    if facts.volume and facts.venue is not False:
        if facts.issue is False and facts.pages is not True:
            return because.ISSUES_DIFFER.format(left=a.issue, right=b.issue)
        if facts.pages is False and not facts.issue:
            return because.PAGES_DIFFER.format(left=a.pages[0], right=b.pages[0])
    return ""


_CARRIERS = frozenset(("audio", "video", "image", "map", "score", "software", "dataset", "patent"))
_TEXTS = frozenset(
    """
    article book chapter conference-paper editorial erratum letter preprint proceedings
    reference-entry report review thesis
""".split()
)


def _carrier(fingerprint: Fingerprint) -> str:
    """The carrier of a work: "text" or another one; "" where it is unknown."""
    kind = fingerprint.record.type or ""
    return kind if kind in _CARRIERS else "text" if kind in _TEXTS else ""


def _registered_twice(facts: Evidence) -> bool:
    """An article can have two registrations: its place is the same in each number."""
    return bool(facts.title == "equal" and facts.place and facts.gap == 0 and facts.first_author)


#: Shorter words that differ in a letter are two words: "east" and "last".
SHORTEST_MISSPELT = 5


#: Letters of an ending: "teacher" and "teachers", "fishery" and "fisherys".
LONGEST_ENDING = 2


def siblings(a: Fingerprint, b: Fingerprint, facts: Evidence) -> str:
    """What distinguishes two works of one body, "" where nothing does.

    Bodies publish a row of titles in a year that differ in one word, a level or a numeral, so
    likeness proves nothing; only a misspelt or inflected word is no other word. The same place in
    print or an identifier in common decides otherwise.
    """
    if (
        facts.title not in ("near", "within", "reworded")
        or facts.place
        or facts.page_range
        or facts.isbn
    ):
        return ""
    if not (a.authors and b.authors and all(map(is_body, (*a.authors, *b.authors)))):
        return ""
    if not a.ids.isdisjoint(b.ids):
        return ""
    left, right = (_content(words) for words in unmatched(a.words, b.words))
    if "".join(left) == "".join(right) or (
        len(left) == len(right) and all(map(_one_spelling, left, right))
    ):
        return _other_numerals(a, b)
    return (
        " ".join(left) + " against " + " ".join(right)
        if left and right
        else " ".join(left or right)
    )


def _content(words: list[str]) -> list[str]:
    return [word for word in words if word not in SMALL_WORDS and not numeral(word)]


def _other_numerals(a: Fingerprint, b: Fingerprint) -> str:
    """Numbers of one title that the other lacks, but for the other's year of publication."""
    one, other = (
        {numeral(word) for word in fingerprint.words} - {"", str(fingerprint.year)}
        for fingerprint in (a, b)
    )
    return "/".join(sorted(one ^ other))


def _one_spelling(x: str, y: str) -> bool:
    """Whether a letter is wrong in a word, or its ending is another."""
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    if long.startswith(short):
        return len(long) - len(short) <= LONGEST_ENDING
    return (
        len(short) >= SHORTEST_MISSPELT
        and one_word(x, y)
        and OSA.distance(x, y, score_cutoff=1) <= 1
    )


def another_binding(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether other ISBNs are those of the print and electronic editions of one book.

    Title, first author and edition are one; then a year that is missing, or with the same publisher
    one that is one apart, contradicts nothing. An edition that only one record names is another
    one, unless it is the first.
    """
    if facts.title != "equal" or not facts.first_author or facts.publisher is False:
        return False
    if a.edition != b.edition and not {a.edition, b.edition} <= {"", "1"}:
        return False
    return facts.gap is None or (facts.gap == 1 and facts.publisher is True)
