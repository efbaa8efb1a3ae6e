"""How two fingerprints relate, field by field, in named words.

Every relation is three-valued: True (agree), False (contradict), None (one side does not say); so
missing values are thought through here, once, and rules can be read aloud: `doi is False`, `volume
is not False`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from metasearch.dedup import because, people
from metasearch.dedup.dois import without_marks, without_version
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.imprint import (
    issue_relation,
    pages_relation,
    printed_in_parts,
    publisher_relation,
    volume_relation,
)
from metasearch.dedup.people import AuthorRelation
from metasearch.dedup.resemblance import NEAR, TitleRelation, resemblance, title_score
from metasearch.dedup.venues import is_series_and_journal, same_name, venue_relation
from metasearch.record import Verdict

#: Several rules ask for a pair in a row; to remember more pairs would keep records of searches long
#: gone.
PAIRS = 8


@dataclass(slots=True)
class Evidence:
    """The relation of two records.

    Attributes:
        title: See `TitleRelation`; `score`: 0..1, how alike the titles are.
        authors: See `AuthorRelation`; None where one side names nobody.
        gap: Years between them, None where one has no year.
        venue: The one is the other or its abbreviation.
        pages: First pages equal; `page_range`: first and last, of more than one page.
        doi: Equal DOIs; None also where place and abstract say that one of two is mistyped.
        place: Venue, volume and issue or pages agree: the same place in print, where one work can
            stand.
        form: One is a preprint or a conference abstract and the other is not: another version of
            the work at most.
        kinds: One is a conference paper and the other an article, as the venues of one name and two
            years say, too: two publications.
        revised: One is a revision of the other: DOIs of two versions, or a Cochrane review and its
            update.
        parts: Numbers of parts in the titles; `part_lost`: only one title names a part.
        numbers: No number in one title contradicts one in the other.
    """

    title: TitleRelation
    score: float
    authors: AuthorRelation | None
    gap: int | None
    venue: bool | None
    volume: bool | None
    issue: bool | None
    pages: bool | None
    page_range: bool
    doi: bool | None
    isbn: bool | None
    edition: bool | None
    publisher: bool | None
    notice: bool
    form: bool
    kinds: bool
    revised: bool
    parts: bool | None
    part_lost: bool
    numbers: bool | None

    @property
    def first_author(self) -> bool | None:
        """Whether the first authors agree, or all authors do."""
        return None if self.authors is None else self.authors in ("team", "all", "first")

    @property
    def place(self) -> bool:
        """The same place in print."""
        return bool(
            self.venue
            and self.volume
            and self.issue is not False
            and self.pages is not False
            and (self.issue or self.pages)
        )

    def words(self) -> list[str]:
        """What agrees, in words, for people."""
        out = []
        if self.title in _TITLES:
            out.append(_TITLES[self.title].format(score=f"{self.score:.2f}"))
        if self.authors in _AUTHORS:
            out.append(_AUTHORS[self.authors])
        if self.gap is not None and self.gap <= 1:
            out.append(because.YEARS_ONE_APART if self.gap else because.SAME_YEAR)
        out += [said for name, said in _SAID if getattr(self, name)]
        if self.isbn is False:
            out.append(because.ANOTHER_ISBN)
        return out


_TITLES = {
    "equal": because.TITLES_EQUAL,
    "start": because.TITLES_START,
    "end": because.TITLES_END,
    "near": because.TITLES_NEAR,
    "within": because.TITLE_WITHIN,
    "reworded": because.TITLES_SIMILAR,
}
_AUTHORS = {
    "team": because.SAME_AUTHORS,
    "all": because.SAME_AUTHORS,
    "first": because.SAME_FIRST_AUTHOR,
    "half": because.AUTHORS_IN_COMMON,
    "some": because.AN_AUTHOR_IN_COMMON,
}
_SAID = (
    ("venue", because.SAME_VENUE),
    ("volume", because.SAME_VOLUME),
    ("issue", because.SAME_ISSUE),
    ("pages", because.SAME_PAGES),
    ("isbn", because.ISBN_IN_COMMON),
    ("edition", because.SAME_EDITION),
)


# "...: protocol for a cohort study" may have lost its subtitle; the study itself comes in a later
# year.
_PLAN = {"protocol", ""}
_KINDS = {"conference", "journal"}
_UNSAID = ({"abstract", ""}, {"abstract", "journal"})


def three(a: object, b: object) -> bool | None:
    """Equal, different, or not both given."""
    return a == b if a and b else None


def overlap(a: frozenset[str], b: frozenset[str]) -> bool | None:
    """Something in common, nothing in common, or not both given."""
    return not a.isdisjoint(b) if a and b else None


@lru_cache(maxsize=PAIRS)
def evidence(a: Fingerprint, b: Fingerprint) -> Evidence:
    """The relation of two records; symmetric in its arguments."""
    title, score = title_relation(a, b)
    pages = pages_relation(a.pages, b.pages)
    if pages is not True and a.pages[0] and printed_in_parts(a, b):
        pages = True
    elif (
        pages is False
        and "abstract" in (a.form, b.form)
        and a.pages[0] == a.pages[1]
        and b.pages[0] == b.pages[1]
    ):
        pages = None  # one of them is the number of the abstract
    venue = venue_relation(a.venue, b.venue)
    volume = volume_relation(a, b)
    gap = abs(a.year - b.year) if a.year is not None and b.year is not None else None
    series = bool(venue and gap) and not volume and is_series_and_journal(a.venue, b.venue)
    if series:
        venue = False  # in one year, or with the volume, the journal may be meant
    # Whether one says "[abstract]" and the other does not means nothing in the same journal and
    # year.
    there = bool(venue) and gap == 0 and volume is not False and pages is not False
    page_range = bool(pages) and a.pages == b.pages and a.pages[0] != a.pages[1]
    page = bool(volume and page_range and gap == 0)
    # One name, spelt out and abbreviated, or one page of a volume: what its words make us guess
    # contradicts nothing.
    spot = page or same_name(a.venue, b.venue) or bool(there and volume and pages)
    issue = issue_relation(a, b)
    doi, revised = _doi_relation(a, b)
    printed_together = venue and volume and issue and page_range
    if doi is False and printed_together and abstracts_agree(a, b):
        doi = None  # one article, and a DOI mistyped
    form, kinds = _form_relation(a, b, page=page, there=there, spot=spot)
    return Evidence(
        title=title,
        score=score,
        authors=people.relation(a.families, b.families, a.authors, b.authors),
        gap=gap,
        venue=venue,
        volume=volume,
        issue=issue,
        pages=pages,
        page_range=page_range,
        doi=doi,
        isbn=overlap(a.isbn, b.isbn),
        edition=three(a.edition, b.edition),
        publisher=publisher_relation(a.publisher, b.publisher),
        notice=a.notice == b.notice
        or ((gap == 0 or doi is True) and {a.notice, b.notice} == _PLAN),
        form=form,
        kinds=kinds or series,
        revised=revised or _is_update(a, b, venue, gap),
        parts=a.parts == b.parts if a.parts and b.parts else None,
        part_lost=bool(a.parts) != bool(b.parts),
        numbers=_numbers_relation(a.numbers, b.numbers),
    )


def abstracts_agree(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether two abstracts begin with the same letters."""
    return bool(a.abstract_start) and a.abstract_start == b.abstract_start


def word(facts: Evidence) -> Verdict:
    """What two records of one work are to one another."""
    return "version" if facts.form or facts.revised else "same"


def title_relation(a: Fingerprint, b: Fingerprint) -> tuple[TitleRelation, float]:
    """How the titles relate, and how alike they are, 0..1."""
    relation = resemblance(a, b)
    if relation == "missing":
        return "missing", 0.0
    if relation == "equal":
        return "equal", 1.0
    score = title_score(a, b)
    return relation, max(score, NEAR) if relation in ("start", "end") else score


def other_form(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether the two can only be versions of one work: preprint, conference abstract, article."""
    if a.form == b.form:
        return False
    forms = {a.form, b.form}
    if forms == {
        "abstract",
        "conference",
    }:  # the one does not know that only the abstract was printed
        return False
    return not forms.isdisjoint(("preprint", "abstract"))


def _form_relation(
    a: Fingerprint, b: Fingerprint, *, page: bool, there: bool, spot: bool
) -> tuple[bool, bool]:
    """`form` and `kinds` of the evidence.

    `page`: whether they stand on the same pages of the same volume and year. `there`: whether
    nothing speaks against that. `spot`: whether their venues are one in more than a guess.
    """
    if a.form == b.form:
        return False, False
    forms = {a.form, b.form}
    form = (
        other_form(a, b)
        and not (page and "preprint" not in forms)
        and not (there and forms in _UNSAID)
    )
    return form, forms == _KINDS and not spot


def _doi_relation(a: Fingerprint, b: Fingerprint) -> tuple[bool | None, bool]:
    """(whether the DOIs are equal, whether they are those of two versions of one thing)."""
    if not a.doi or not b.doi:
        return None, False
    if a.doi == b.doi:
        return True, False
    if without_version(a.doi) == without_version(b.doi):
        return False, True
    return (None if without_marks(a.doi) == without_marks(b.doi) else False), False


def _is_update(a: Fingerprint, b: Fingerprint, venue: bool | None, gap: int | None) -> bool:
    """Whether both are a Cochrane review of one number, of different years or issues."""
    number = a.pages[0]
    if not (number.startswith("cd") and number == b.pages[0] and venue):
        return False
    return bool(gap) or bool(a.issue and b.issue and a.issue != b.issue)


def _numbers_relation(a: frozenset[str], b: frozenset[str]) -> bool | None:
    if not a and not b:
        return None
    if a <= b or b <= a:
        return True
    return None if sorted("".join(a)) == sorted("".join(b)) else False  # "14" as "-sup-1-sup-4-"
