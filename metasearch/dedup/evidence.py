"""How two fingerprints relate, field by field, in named words.

Every relation is three-valued: True (agree), False (contradict), None (one side does not say); so
missing values are thought through here, once, and rules can be read aloud: `doi is False`, `volume
is not False`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from metasearch.bib import normalise
from metasearch.bib.word_list import stems_of
from metasearch.dedup import people
from metasearch.dedup.companions import (
    LEAST_FOUND,
    LONGEST_NAME,
    differs_in_synonyms,
    is_paraphrase,
    may_differ_in_synonyms,
    says_much,
)
from metasearch.dedup.fingerprints import Fingerprint, without_marks, without_version
from metasearch.dedup.imprint import PlaceRelation, place_relation
from metasearch.dedup.people import AuthorRelation
from metasearch.dedup.titles import PREPOSITIONS
from metasearch.dedup.words import (
    PREFIXES,
    SMALL_HAN,
    SMALL_WORDS,
    SPELLING,
    is_changed,
    is_weak,
    one_word,
)
from metasearch.message import N_, Message, join_texts, message
from metasearch.record import Verdict

# What two records have in common or what parts them: the texts of `Match.because`.

# ---- identifiers
SAME_URL = message("same URL")
SAME_DOI = message("same DOI")
SAME_ISBN = N_("same ISBN ({number})")
SAME_NUMBER = N_("same {scheme} ({number})")
SAME_STANDARD = N_("same standard ({number})")
STANDARD_OF_ONE_NAME = message("standard of one name")
ASKED_BY_DOI = N_("asked for by the DOI {doi}")

# ---- fields
SAME_MEMBERS = N_("same {members}")
TITLE_AND_MEMBERS = N_("same title, {members}")
TITLES_EQUAL = message("titles equal")
TITLES_START = message("titles agree up to the subtitle")
TITLES_END = message("titles agree behind a heading")
TITLES_NEAR = N_("titles agree {score}")
TITLE_WITHIN = message("one title contains the other")
TITLES_SIMILAR = N_("titles similar {score}")
SAME_AUTHORS = message("same authors")
SAME_FIRST_AUTHOR = message("same first author")
AUTHORS_IN_COMMON = message("authors in common")
AN_AUTHOR_IN_COMMON = message("an author in common")
YEARS_ONE_APART = message("years one apart")
SAME_YEAR = message("same year")
SAME_VENUE = message("same venue")
SAME_VOLUME = message("volume equal")
SAME_ISSUE = message("issue equal")
ONE_EDITORIAL = message("editorials of one issue by one author")
SAME_PAGES = message("pages equal")
ISBN_IN_COMMON = message("an ISBN in common")
SAME_EDITION = message("same edition")
WITHOUT_END = N_("without “{end}” behind a title")
ANOTHER_ISBN = message("another ISBN of the edition")
BYLINE_GARBLED = message("one byline is garbled")
#: Members of a tuple, which stand in the sentences above.
MEMBERS = {
    "title": message("title"),
    "venue": message("venue"),
    "year": message("year"),
    "first author": message("first author"),
}


def members(names: Iterable[str]) -> Message:
    return join_texts(", ", map(MEMBERS.__getitem__, names))


# ---- texts
ABSTRACT_WITHIN = N_("{share} of the shorter abstract stands in the other one")
NODES_AGREE = N_("{share} of the nodes {of} agree")
SIMHASH_DISTANCE = N_("SimHash distance {distance} of {bits} ({made_of})")
SHINGLES_SHARED = N_("texts share {share} of their shingles")
EQUAL_SENTENCES = N_("{number} equal sentences: {share} {of}")
EQUAL_CHUNKS = N_("{number} equal chunks: {share} {of}")
KEYWORDS_IN_COMMON = N_("{number} keywords in common ({share})")
TITLE_ONLY = message("title-only")
SAME_TERMS = N_("the same {number} terms")
PARAGRAPHS_AGREE = N_(
    "{share} of the paragraphs agree ({least} and {most}; within {distance} bits of {bits}; "
    "{made_of})"
)
OF_SMALLER = message("of the smaller text")
OF_LARGER = message("of the larger text")
OF_BOTH = message("of both texts")

# ---- what parts
OTHER_DOIS = message("but other DOIs")
NOTICES = N_("{left} against {right}")
ONE_IS_A = N_("one is a {notice}")
ONE_IS_AN = N_("one is an {notice}")
PARTS_DIFFER = N_("parts differ: {left} against {right}")
DOIS_DIFFER = N_("DOIs differ: {left} against {right}")
ISSUES_AND_TITLES_DIFFER = N_("issues and titles differ: {left} against {right}")
TITLE_OF_A_COLUMN = message("one title names a column or a part, the other a work")
STANDARDS_DIFFER = message("standards differ in number or year")
TYPES_DIFFER = N_("one is {left}, the other {right}")
NUMBERS_DIFFER = message("numbers in the titles differ")
EDITIONS_OF_TWO = N_("editions of two publishers: {left} against {right}")
EDITIONS_DIFFER = N_("editions differ: {left} against {right}")
ISBNS_AND_YEARS_DIFFER = message("ISBNs and years differ")
ONE_ABOUT_THE_OTHER = message("one work is about the other")
TWO_OF_ONE_BODY = N_("two works of one organisation: {other}")
TITLES_NAME_TWO = N_("titles name two things: {other}")
PAPER_AND_ARTICLE = message("one is a conference paper, the other an article")
YEARS_DIFFER = N_("years differ: {left} against {right}")
CONFERENCES_DIFFER = N_("conferences of other years: {left} against {right}")
VOLUMES_DIFFER = N_("volumes differ: {left} against {right}")
ISSUES_DIFFER = N_("issues differ: {left} against {right}")
PAGES_DIFFER = N_("pages differ: {left} against {right}")
PINNED_AS_DIFFERENT = N_("pinned as different ({lines})")
PINNED_AS_SAME = N_("pinned as the same ({lines})")

# ---- versions of a work
PUBLISHED = message("published")
CONFERENCE_PAPER = message("conference paper")
CONFERENCE_ABSTRACT = message("conference abstract")
PREPRINT = message("preprint")
NUMBERED_VERSION = N_("{kind}, version {number}")

#: Several rules ask for a pair in a row; to remember more pairs would keep records of searches long
#: gone.
PAIRS = 8

# How two titles relate, from "equal" to "far", with a word for each kind of difference.

#: "equal": same letters; "start": one is the other without its subtitle, or cut off; "end": one
#: stands in the other between marks, which has a heading too; "near": the words differ in spelling
#: only; "within": all words of one are in the other, which has more; "reworded": some words are
#: others; "far"; "missing": one side has none.
TitleRelation = Literal["equal", "start", "end", "near", "within", "reworded", "far", "missing"]

#: Titles this alike may differ by a typo or an encoding; measured as the ratio of rapidfuzz (indel
#: distance).
NEAR = 0.9
#: Titles less alike than this speak of different things.
FAR = 0.6
#: A main title of fewer letters is not looked for at the beginning of longer ones, nor elsewhere in
#: them.
SHORTEST_MAIN_TITLE = 6
SHORTEST_TAIL = 20
#: How alike in per cent the beginning of a title and a title without a subtitle are at least. Then
#: their lengths differ by a quarter at most, and a beginning of the same length is this alike:
#: 1 - 2 * .1 * (1 + 1.1 / .9) / 2 = .78.
START, BEGINNING = 90, 77
SHORTEST_WITHIN = 25
#: Letters that may be missing: a short word that nobody misses.
DROPPED = 4
#: Words of a title alone that may be retold in the other one.
MOST_RETOLD = 3
#: Words of a subtitle that says little.
MOST_OF_SUBTITLE = 4
#: Runs of words this alike are the same words, torn apart or glued together.
GLUED = 88

#: Words that are only in one of two titles, and are looked for misspelt in the other one: each is
#: compared with each.
MOST_MISSPELT = 40


@lru_cache(maxsize=PAIRS)
def resemblance(a: Fingerprint, b: Fingerprint) -> TitleRelation:
    """The relation of two titles; quick to say "far", as of nearly all pairs."""
    if a.compact == b.compact:
        return "equal" if a.compact else "missing"
    if not a.compact or not b.compact:
        return "missing"
    longer = len(a.compact) - len(b.compact)
    short, long = sorted((a, b), key=_size) if not longer else (b, a) if longer > 0 else (a, b)
    relation = _relation(short, long)
    if (
        relation in ("far", "reworded", "within")
        and (a.others or b.others)
        and _another_equal(a, b)
    ):
        return "equal"
    return relation


def _size(one: Fingerprint) -> tuple[int, str]:
    """By which titles of as many letters are put in order, whatever their order was."""
    return len(one.words), one.compact


def surely_far(a: str, b: str) -> bool:
    """Whether two titles are "far", whatever their marks, breaks and last letters are. `a`:
    `Fingerprint.text` of one that has a title, and no other titles.
    """
    if fuzz.ratio(a, b, score_cutoff=FAR * 100) >= FAR * 100:
        return False
    one, other = a.replace(" ", ""), b.replace(" ", "")
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if short in long:  # as "start", "end" and "within" may have it
        return False
    # Told without a call: nearly all titles begin with other letters, which the other one lacks.
    if (a[0] == b[0] or (a[:LEAST_FOUND] in b and b[:LEAST_FOUND] in a)) and is_paraphrase(a, b):
        return False
    words, others = a.split(" ", 2), b.split(" ", 2)
    if words[0] != others[0] and words[1:2] != others[1:2]:
        return True
    # "start": the short title is like a beginning of the long one, which may be somewhat longer or
    # shorter than the one that is looked at here.
    return fuzz.ratio(short, long[: len(short)], score_cutoff=BEGINNING) < BEGINNING


def title_score(a: Fingerprint, b: Fingerprint) -> float:
    """How alike the titles are, 0..1: the normalised indel similarity of their words."""
    return fuzz.ratio(a.text, b.text) / 100


def _another_equal(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether a translated or original title of one is a title of the other."""
    return not (a.others | {a.compact}).isdisjoint(b.others | {b.compact})


def _relation(short: Fingerprint, long: Fingerprint) -> TitleRelation:
    if _starts(short, long):
        return "start"
    if short.compact in long.compact:
        if _between_marks(short, long):
            return "end"
        if _within(short, long):
            return "far" if _is_object(short, long) else "within"
    ratio = fuzz.ratio(short.text, long.text, score_cutoff=FAR * 100)
    if ratio < FAR * 100:
        return "near" if is_paraphrase(short.text, long.text) else "far"
    left, right = words_of_one(short.words, long.words)
    if _spelt_alike(left, right) or (
        0 < min(len(left), len(right)) <= MOST_RETOLD
        and max(len(left), len(right)) <= LONGEST_NAME
        and may_differ_in_synonyms(left, right)
        and differs_in_synonyms(short.words, long.words)
    ):
        return "near"
    if len(short.breaks) > 1 < len(long.breaks) and _has_subtitle_translated(short, long):
        return "start"
    return (
        "within" if len(short.compact) >= SHORTEST_WITHIN and _all_in(left, right) else "reworded"
    )


def _starts(short: Fingerprint, long: Fingerprint) -> bool:
    """Whether the short title is the long one up to a mark, or cut off inside."""
    if short.words[0] != long.words[0] and short.words[1:2] != long.words[1:2]:
        return False
    if len(short.compact) < SHORTEST_MAIN_TITLE:
        return False
    if short.cut and long.compact.startswith(short.compact):
        return True
    count = len(short.words)
    for end in long.breaks:
        # The same number of words but for one, because a typo or a hyphen can split a word.
        if abs(end - count) <= 1 and end < len(long.words):
            start = "".join(long.words[:end])
            if start == short.compact:
                return True
            if len(start) > 20 and fuzz.ratio(start, short.compact) >= START:
                return _spelt_alike(*words_of_one(short.words, long.words[:end]))
    return False


def _has_subtitle_translated(short: Fingerprint, long: Fingerprint) -> bool:
    """Whether titles are one up to a subtitle that says little, in English in one of them and not
    in the other: "a case study", "eine Fallstudie".
    """
    ends = sorted(short.breaks & long.breaks)
    end = next((end for end in ends if short.words[:end] == long.words[:end]), 0)
    rests: list[Sequence[str]] = [short.words[end:], long.words[end:]]
    rests = [[word for word in rest if word not in SMALL_WORDS] for rest in rests]
    if not end or not all(0 < len(rest) <= MOST_OF_SUBTITLE for rest in rests):
        return False
    said = [all(map(is_weak, rest)) for rest in rests]
    foreign = [not any(map(stems_of, rest)) for rest in rests]
    return (said[0] and foreign[1]) or (said[1] and foreign[0])


def _between_marks(short: Fingerprint, long: Fingerprint) -> bool:
    """Whether the short title, whose letters stand in the long one, stands there between marks:
    without the name of a column, series or author.
    """
    if len(short.compact) < SHORTEST_TAIL:
        return False
    marks = long.marks | {0, len(long.words)}
    count = len(short.words)
    return any(
        start in marks
        and start + count in marks
        and long.words[start : start + count] == short.words
        for start in range(len(long.words) - count + 1)
    )


def _within(short: Fingerprint, long: Fingerprint) -> bool:
    """Whether the short title, whose letters stand in the long one, stands there as whole words in
    one piece; at the beginning also glued.
    """
    if len(short.compact) < SHORTEST_WITHIN:
        return False
    return long.compact.startswith(short.compact) or f" {short.text} " in f" {long.text} "


#: What a title says of itself before its subject: "A note on ...", "Studies of ...".
_STUDIES = SMALL_WORDS | frozenset(
    "note notes study studies observation observations remark remarks some investigation "
    "investigations".split()
)


def _is_object(short: Fingerprint, long: Fingerprint) -> bool:
    """Whether the longer title is about what the shorter one names: "A system for ..."."""
    start = len(long.words) - len(short.words)
    return (
        start > 1
        and long.words[start:] == short.words
        and long.words[start - 1] in PREPOSITIONS
        and not all(word in _STUDIES for word in long.words[:start])
    )


def words_of_one(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The words of each title that the other one has not, in order; of Chinese, the characters."""
    if not a[0].isascii() and normalise.has_cjk(a[0]):
        a, b = tuple("".join(a)), tuple("".join(b))
    in_a, in_b = set(a), set(b)
    return [w for w in a if w not in in_b], [w for w in b if w not in in_a]


def _spelt_alike(left: list[str], right: list[str]) -> bool:
    """Whether words of one title alone are spellings of one another: a typo changes letters."""
    if not left or not right:  # words dropped or added: "the", or nothing but their order
        more = [w for w in (left or right) if w not in SMALL_WORDS and w not in SMALL_HAN]
        if any(map(normalise.has_cjk, more)):
            return not says_much("".join(more))  # each character is a word
        return sum(map(len, more)) <= DROPPED and PREFIXES.isdisjoint(more)
    if len(left) == len(right):
        return all(map(one_word, left, right))
    one, other = "".join(left), "".join(right)
    return one == other or (len(one) > 5 and fuzz.ratio(one, other) >= GLUED)


def _all_in(left: list[str], right: list[str]) -> bool:
    """Whether each word of the shorter title alone is misspelt or glued in the longer one."""
    if len(left) * len(right) > MOST_MISSPELT**2:
        return False
    glued = "".join(right)
    for word in left:
        if word in SMALL_WORDS or _is_among(word, right):
            continue
        if len(word) < 4 or word not in glued or any(is_changed(word, other) for other in right):
            return False
    return True


def _is_among(word: str, others: list[str]) -> bool:
    """Whether a word that is no small one is `one_word` with any of the others."""
    size = len(word)
    for other in others:
        # Nearly all words differ so much in length, or in letters, that nothing else is asked.
        longer = len(other) - size
        if (
            100 * abs(longer) > (100 - SPELLING) * (2 * size + longer)
            and "f" not in other
            and "f" not in word
            and not (other.startswith(word) if longer > 0 else word.startswith(other))
        ):
            continue
        if one_word(word, other):
            return True
    return False


# How two records relate.


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
            out.append(_titles(self.title, f"{self.score:.2f}"))
        if self.authors in _AUTHORS:
            out.append(_AUTHORS[self.authors])
        if self.gap is not None and self.gap <= 1:
            out.append(YEARS_ONE_APART if self.gap else SAME_YEAR)
        out += [said for name, said in _SAID if getattr(self, name)]
        if self.isbn is False:
            out.append(ANOTHER_ISBN)
        return out


@lru_cache(maxsize=1_000)
def _titles(relation: TitleRelation, score: str) -> str:
    text = _TITLES[relation]
    return text if isinstance(text, Message) else message(text, score=score)


_TITLES: Mapping[TitleRelation, str] = {
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
    where = place_relation(a, b)
    venue, gap = where.venue, where.gap
    doi, revised = _doi_relation(a, b)
    printed_together = venue and where.volume and where.issue and where.page_range
    if doi is False and printed_together and abstracts_agree(a, b):
        doi = None  # one article, and a DOI mistyped
    form, kinds = _form_relation(a, b, where)
    return Evidence(
        title=title,
        score=score,
        authors=people.relation(a.families, b.families, a.authors, b.authors),
        gap=gap,
        venue=venue,
        volume=where.volume,
        issue=where.issue,
        pages=where.pages,
        page_range=where.page_range,
        doi=doi,
        isbn=overlap(a.isbn, b.isbn),
        edition=three(a.edition, b.edition),
        publisher=where.publisher,
        notice=a.notice == b.notice
        or ((gap == 0 or doi is True) and {a.notice, b.notice} == _PLAN),
        form=form,
        kinds=kinds or where.series,
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


def without_ends(a: Fingerprint, b: Fingerprint) -> list[str]:
    """What was taken off the end of one title before they were compared, in words."""
    if a.record.title == b.record.title or a.end == b.end:
        return []
    return [message(WITHOUT_END, end=one.end) for one in (a, b) if one.end]


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


def _form_relation(a: Fingerprint, b: Fingerprint, where: PlaceRelation) -> tuple[bool, bool]:
    """`form` and `kinds` of the evidence."""
    if a.form == b.form:
        return False, False
    forms = {a.form, b.form}
    form = (
        other_form(a, b)
        and not (where.page and "preprint" not in forms)
        and not (where.there and forms in _UNSAID)
    )
    return form, forms == _KINDS and not where.spot


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
