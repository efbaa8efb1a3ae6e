"""How two fingerprints relate, field by field, in named words.

Every relation is three-valued: True (agree), False (contradict), None (one side does not say); so
missing values are thought through here, once, and rules can be read aloud: `doi is False`, `volume
is not False`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from metasearch.dedup import people
from metasearch.dedup.fingerprints import Fingerprint, without_marks, without_version
from metasearch.dedup.imprint import (
    is_series_and_journal,
    issue_relation,
    pages_relation,
    printed_in_parts,
    publisher_relation,
    same_name,
    venue_relation,
    volume_relation,
)
from metasearch.dedup.people import AuthorRelation
from metasearch.dedup.titles import NEAR, TitleRelation, resemblance, title_score
from metasearch.message import Templates, message_template
from metasearch.record import Verdict

# What two records have in common or what parts them, in words: the templates of `Match.because`.
# Matchers fill them as plain texts, because a search compares thousands of records; `BECAUSE` finds
# the template of a text again, for a page in another language.

# ---- identifiers
SAME_URL = message_template("same URL")
SAME_DOI = message_template("same DOI")
SAME_ISBN = message_template("same ISBN ({number})")
SAME_NUMBER = message_template("same {scheme} ({number})")
SAME_STANDARD = message_template("same standard ({number})")
STANDARD_OF_ONE_NAME = message_template("standard of one name")
ASKED_BY_DOI = message_template("asked for by the DOI {doi}")

# ---- fields
SAME_MEMBERS = message_template("same {members}")
TITLE_AND_MEMBERS = message_template("same title, {members}")
TITLES_EQUAL = message_template("titles equal")
TITLES_START = message_template("titles agree up to the subtitle")
TITLES_END = message_template("titles agree behind a heading")
TITLES_NEAR = message_template("titles agree {score}")
TITLE_WITHIN = message_template("one title contains the other")
TITLES_SIMILAR = message_template("titles similar {score}")
SAME_AUTHORS = message_template("same authors")
SAME_FIRST_AUTHOR = message_template("same first author")
AUTHORS_IN_COMMON = message_template("authors in common")
AN_AUTHOR_IN_COMMON = message_template("an author in common")
YEARS_ONE_APART = message_template("years one apart")
SAME_YEAR = message_template("same year")
SAME_VENUE = message_template("same venue")
SAME_VOLUME = message_template("volume equal")
SAME_ISSUE = message_template("issue equal")
SAME_PAGES = message_template("pages equal")
ISBN_IN_COMMON = message_template("an ISBN in common")
SAME_EDITION = message_template("same edition")
ANOTHER_ISBN = message_template("another ISBN of the edition")
BYLINE_GARBLED = message_template("one byline is garbled")
#: Members of a tuple, which stand in the sentences above.
MEMBERS = (
    message_template("title"),
    message_template("venue"),
    message_template("year"),
    message_template("first author"),
)

# ---- texts
ABSTRACT_WITHIN = message_template("{share} of the shorter abstract stands in the other one")
NODES_AGREE = message_template("{share} of the nodes {of} agree")
SIMHASH_DISTANCE = message_template("SimHash distance {distance} of {bits} ({made_of})")
SHINGLES_SHARED = message_template("texts share {share} of their shingles")
EQUAL_SENTENCES = message_template("{number} equal sentences: {share} {of}")
EQUAL_CHUNKS = message_template("{number} equal chunks: {share} {of}")
KEYWORDS_IN_COMMON = message_template("{number} keywords in common ({share})")
TITLE_ONLY = message_template("title-only")
SAME_TERMS = message_template("the same {number} terms")
PARAGRAPHS_AGREE = message_template(
    "{share} of the paragraphs agree ({least} and {most}; within {distance} bits of {bits}; "
    "{made_of})"
)
OF_SMALLER = message_template("of the smaller text")
OF_LARGER = message_template("of the larger text")
OF_BOTH = message_template("of both texts")

# ---- what parts
OTHER_DOIS = message_template("but other DOIs")
NOTICES = message_template("{left} against {right}")
ONE_IS_A = message_template("one is a {notice}")
ONE_IS_AN = message_template("one is an {notice}")
PARTS_DIFFER = message_template("parts differ: {left} against {right}")
DOIS_DIFFER = message_template("DOIs differ: {left} against {right}")
ISSUES_AND_TITLES_DIFFER = message_template("issues and titles differ: {left} against {right}")
TITLE_OF_A_COLUMN = message_template("one title names a column or a part, the other a work")
STANDARDS_DIFFER = message_template("standards differ in number or year")
TYPES_DIFFER = message_template("one is {left}, the other {right}")
NUMBERS_DIFFER = message_template("numbers in the titles differ")
EDITIONS_DIFFER = message_template("editions differ: {left} against {right}")
ISBNS_AND_YEARS_DIFFER = message_template("ISBNs and years differ")
ONE_ABOUT_THE_OTHER = message_template("one work is about the other")
TWO_OF_ONE_BODY = message_template("two works of one organisation: {other}")
PAPER_AND_ARTICLE = message_template("one is a conference paper, the other an article")
YEARS_DIFFER = message_template("years differ: {left} against {right}")
CONFERENCES_DIFFER = message_template("conferences of other years: {left} against {right}")
VOLUMES_DIFFER = message_template("volumes differ: {left} against {right}")
ISSUES_DIFFER = message_template("issues differ: {left} against {right}")
PAGES_DIFFER = message_template("pages differ: {left} against {right}")
PINNED_AS_DIFFERENT = message_template("pinned as different ({lines})")
PINNED_AS_SAME = message_template("pinned as the same ({lines})")

# ---- versions of a work
PUBLISHED = message_template("published")
CONFERENCE_PAPER = message_template("conference paper")
CONFERENCE_ABSTRACT = message_template("conference abstract")
PREPRINT = message_template("preprint")
NUMBERED_VERSION = message_template("{kind}, version {number}")

#: Knows each part of `Match.because`.
BECAUSE = Templates(
    SAME_URL, SAME_DOI, SAME_ISBN, SAME_NUMBER, SAME_STANDARD, STANDARD_OF_ONE_NAME, ASKED_BY_DOI,
    SAME_MEMBERS, TITLE_AND_MEMBERS, TITLES_EQUAL, TITLES_START, TITLES_END, TITLES_NEAR,
    TITLE_WITHIN, TITLES_SIMILAR, SAME_AUTHORS, SAME_FIRST_AUTHOR, AUTHORS_IN_COMMON,
    AN_AUTHOR_IN_COMMON, YEARS_ONE_APART, SAME_YEAR, SAME_VENUE, SAME_VOLUME, SAME_ISSUE,
    SAME_PAGES, ISBN_IN_COMMON, SAME_EDITION, ANOTHER_ISBN, BYLINE_GARBLED, *MEMBERS,
    ABSTRACT_WITHIN, NODES_AGREE, SIMHASH_DISTANCE, SHINGLES_SHARED, EQUAL_SENTENCES, EQUAL_CHUNKS,
    KEYWORDS_IN_COMMON, TITLE_ONLY, SAME_TERMS, PARAGRAPHS_AGREE, OF_SMALLER, OF_LARGER, OF_BOTH,
    OTHER_DOIS, NOTICES, ONE_IS_A, ONE_IS_AN, PARTS_DIFFER, DOIS_DIFFER, ISSUES_AND_TITLES_DIFFER,
    TITLE_OF_A_COLUMN, STANDARDS_DIFFER, TYPES_DIFFER, NUMBERS_DIFFER, EDITIONS_DIFFER,
    ISBNS_AND_YEARS_DIFFER, ONE_ABOUT_THE_OTHER, TWO_OF_ONE_BODY, PAPER_AND_ARTICLE, YEARS_DIFFER,
    CONFERENCES_DIFFER, VOLUMES_DIFFER, ISSUES_DIFFER, PAGES_DIFFER, PINNED_AS_DIFFERENT,
    PINNED_AS_SAME,
)  # fmt: skip
#: Knows `Version.kind`.
VERSION_KINDS = Templates(
    PUBLISHED, CONFERENCE_PAPER, CONFERENCE_ABSTRACT, PREPRINT, NUMBERED_VERSION
)


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
            out.append(YEARS_ONE_APART if self.gap else SAME_YEAR)
        out += [said for name, said in _SAID if getattr(self, name)]
        if self.isbn is False:
            out.append(ANOTHER_ISBN)
        return out


_TITLES = {
    "equal": TITLES_EQUAL,
    "start": TITLES_START,
    "end": TITLES_END,
    "near": TITLES_NEAR,
    "within": TITLE_WITHIN,
    "reworded": TITLES_SIMILAR,
}
_AUTHORS = {
    "team": SAME_AUTHORS,
    "all": SAME_AUTHORS,
    "first": SAME_FIRST_AUTHOR,
    "half": AUTHORS_IN_COMMON,
    "some": AN_AUTHOR_IN_COMMON,
}
_SAID = (
    ("venue", SAME_VENUE),
    ("volume", SAME_VOLUME),
    ("issue", SAME_ISSUE),
    ("pages", SAME_PAGES),
    ("isbn", ISBN_IN_COMMON),
    ("edition", SAME_EDITION),
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
