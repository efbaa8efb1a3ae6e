"""The verdict on two records by all their fields: what agrees is weighed (`Fields`), and
contradictions that no likeness outweighs forbid it (`Vetoes`).

The weights are a table of how much each agreement counts and how much is needed for each relation
of the titles, after the model of Fellegi and Sunter ("A theory for record linkage", JASA 1969):
agreement on a field adds, disagreement takes away, silence does neither. They follow what the
errors of "DOI or four-tuple" consist of: journals abbreviated, first authors in another form,
subtitles present or absent, typos, years one apart, translated titles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metasearch.dedup import evidence as reasons
from metasearch.dedup.companions import addition, exchange
from metasearch.dedup.evidence import (
    FAR,
    SHORTEST_MAIN_TITLE,
    SHORTEST_TAIL,
    Evidence,
    TitleRelation,
    abstracts_agree,
    evidence,
    resemblance,
    title_score,
    words_of_one,
)
from metasearch.dedup.fingerprints import Fingerprint, same_standard
from metasearch.dedup.imprint import same_name
from metasearch.dedup.matchers import FieldWeights, share_a_key, verdict
from metasearch.dedup.people import is_body, is_garbled
from metasearch.dedup.titles import is_column, is_editorial
from metasearch.dedup.words import SMALL_WORDS, differ_by_a_slip, numeral
from metasearch.message import message
from metasearch.record import Match

#: What must be gathered for each relation of the titles.
NEEDED = {
    "equal": 2.0,
    "start": 2.5,
    "end": 2.5,
    "near": 2.5,
    "within": 3.0,
    "reworded": 5.5,
    "far": 6.5,
}
NEEDED_GENERIC = 5.0
NEVER = 99.0
#: What is added where titles are reworded in a word or two only; how alike they must be for that,
#: and where one of them is without a year: it was cited from memory.
NEARLY = -1.5
NEARLY_ALIKE, CITED_ALIKE = 0.9, 0.78
#: Letters of a title -> what is added to that: a long title is nearly a proof by itself, "Poems"
#: proves nothing.
LONG_TITLE, LONG = 40, -0.5
LENGTHS = ((6, 1.5), (12, 1.0), (18, 0.5), (LONG_TITLE, 0.0))
#: Nobody gives two works the same sixty letters.
LONGER = ((60, -1.5), (40, -0.5))

#: Words of a title that may be turned; letters by which each of them is known in any form.
SHORT_TITLE, BEGINNING = 5, 4
#: Letters of a title that is not given twice, where records say the same in all fields.
SPECIFIC = 24

AUTHORS = {
    "team": 3.5,
    "all": 3.0,
    "first": 2.0,
    "half": 2.0,
    "some": 1.0,
    "namesake": 0.0,
    "none": -2.5,
}
#: Two works may begin on one page; none of them begins and ends where the other does.
PAGE_RANGE = 1.5
#: Letters at the beginning of two abstracts that make them one, and what that counts.
ABSTRACT_START, ABSTRACT = 80, 2.0


class Fields:
    """Compares field by field."""

    name = "fields"
    exact = False

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Where the title, its people or its page may stand in another record.

        The title and its parts, and its longest words two by two, which find titles with a typo or
        without their subtitle; author and year with the title's beginning, which find those of
        whose long words none is spelled alike; the first two authors, for titles that are damaged
        all over; volume, page and year, for translations.
        """
        compact = fingerprint.compact
        found: list[str] = []
        if fingerprint.year is not None and fingerprint.volume and fingerprint.pages[0]:
            found.append(f"{fingerprint.volume}:{fingerprint.pages[0]}:{fingerprint.year}")
        if not compact:
            return found
        if fingerprint.generic:
            return found + _keys_of_generic(fingerprint)
        found.append(compact)
        found += fingerprint.others
        words = fingerprint.words
        if len(fingerprint.breaks) > 1:
            ends = sorted(fingerprint.breaks)
            main = "".join(words[: ends[0]])
            if len(main) >= SHORTEST_MAIN_TITLE:
                found.append(main)
            tail = "".join(words[ends[0] :])
            if len(tail) >= SHORTEST_TAIL:
                found.append(tail)
        distinct = set(words)
        if len(distinct) > 1:
            # Longest first, and by the alphabet among equals: sorting is stable, also in reverse.
            longest = sorted(distinct)
            longest.sort(key=len, reverse=True)
            one, two, *others = longest[:3]
            found.append(f"{one} {two}")
            for three in others:
                found += (f"{one} {three}", f"{two} {three}")
        if len(fingerprint.authors) > 1:
            one, two = (min(names, default="") for names in fingerprint.families[:2])
            found.append(f"{one}+{two}" if one < two else f"{two}+{one}")
        if fingerprint.year is not None:
            beginning = compact[:2]
            for family in fingerprint.first:
                found += (
                    f"{family}:{fingerprint.year}:{beginning}",
                    f"{family}:{fingerprint.year + 1}:{beginning}",
                )
                if len(fingerprint.authors) == 1:
                    # A name is abbreviated at the beginning, or a short title is turned.
                    found.append(f"{family}:{fingerprint.year}:-{compact[-2:]}")
                    if len(words) <= SHORT_TITLE:
                        said = sorted({word[:BEGINNING] for word in distinct - SMALL_WORDS})
                        found.append(f"{family}:{fingerprint.year}:{' '.join(said)}")
        return found

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" or "version" where the agreements outweigh what the titles leave open."""
        # Nearly every pair that shares a key ends here.
        if are_strangers(a, b):
            return None
        if (a.generic or b.generic) and not _same_spot(a, b):
            return None
        if a.generic and b.generic and _is_one_editorial(a, b):
            return verdict(self.name, "same", 0.9, (reasons.ONE_EDITORIAL,), a, b)
        relation = resemblance(a, b)
        if relation == "missing" or (
            relation in ("far", "reworded") and not _may_be_one(a, b, relation)
        ):
            return None
        if relation == "far" and a.pages != b.pages:  # see `least_points`
            return None
        facts = evidence(a, b)
        if facts.kinds:
            return None
        if facts.doi is False and not facts.form and not facts.revised:
            return None
        got = points(facts)
        garbled = _byline_is_garbled(a, b, facts)
        if garbled:
            got -= AUTHORS["none"]
        needed = least_points(a, b, facts)
        if (
            needed - ABSTRACT <= got < needed
            and facts.title not in ("far", "reworded")
            and abstracts_agree(a, b)
        ):
            got += ABSTRACT
        if got < needed and not _are_equal(a, b):
            return None
        if not (surely_share_a_key(a, b) or share_a_key(self, a, b)):
            return None
        said = facts.words() + [reasons.BYLINE_GARBLED] * garbled
        said += reasons.without_ends(a, b)
        score = min(0.99, 0.8 + 0.04 * (got - needed) + 0.1 * (facts.score - 0.9))
        if facts.form or facts.revised:
            if not (
                facts.authors in ("team", "all", "first", "half", "some")
                or (facts.authors is None and _alone(a, b, facts))
            ):
                return None
            return verdict(self.name, "version", score, said, a, b)
        return verdict(self.name, "same", score, said, a, b)

    def weigh_fields(self, a: Fingerprint, b: Fingerprint) -> FieldWeights:
        facts = evidence(a, b)
        weights = zip(_WEIGHED, _weights(facts), strict=True)
        found = [(name, weight) for name, weight in weights if weight]
        if abstracts_agree(a, b):
            found.append(("abstract", ABSTRACT))
        needed = least_points(a, b, facts)
        return FieldWeights(facts.title, tuple(found), needed if needed < NEVER else None)


def _keys_of_generic(fingerprint: Fingerprint) -> list[str]:
    # Everybody has an "Editorial": only the same place in print or the same author in one year or
    # issue bring two together.
    compact, found = fingerprint.compact, []
    for family in fingerprint.first:
        if fingerprint.year is not None:
            found.append(f"{compact}:{family}:{fingerprint.year}")
        if fingerprint.volume and fingerprint.issue:
            issue = f"{fingerprint.volume}:{fingerprint.issue}"
            found.append(f"{compact}:{family}:{issue}")
            if is_editorial(fingerprint.words):
                found.append(f"editorial:{family}:{issue}")
    if fingerprint.pages[0] and fingerprint.venue:
        found.append(f"{compact}:{fingerprint.pages[0]}:{fingerprint.year}")
    return found


def surely_share_a_key(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether the two share a key of `Fields` that is told without making all of them, as nearly
    all records of one work do: their place in print; the whole title; or first author, year and
    the beginning of the title. Of other pairs this says nothing.
    """
    if _same_page(a, b) and a.year is not None:
        return True
    if a.generic or b.generic or not a.compact or a.compact[:2] != b.compact[:2]:
        return False
    if a.compact == b.compact:
        return True
    if a.year is None or b.year is None or abs(a.year - b.year) > 1:
        return False
    return not a.first.isdisjoint(b.first)


def are_strangers(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether titles and people differ, and nothing could outweigh that."""
    if a.compact == b.compact or not a.beginnings.isdisjoint(b.beginnings):
        return False
    if not a.beginnings or not b.beginnings or a.han != b.han:
        return False
    # Nearly all begin on other pages, which is told more quickly than that they stand on one.
    return not (a.pages[0] == b.pages[0] and _same_page(a, b)) and a.isbn.isdisjoint(b.isbn)


def _may_be_one(a: Fingerprint, b: Fingerprint, relation: TitleRelation) -> bool:
    """Whether records of other titles can be one: on one page, or by nearly equal words."""
    if _same_page(a, b):
        return True
    if relation == "far":
        return False
    return title_score(a, b) >= _nearly(a, b) or _ahead(a, b)


def _is_one_editorial(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether both are what an editor writes in one issue, whatever each calls it."""
    if not (a.volume and a.issue and a.first & b.first):
        return False
    if (a.volume, a.issue) != (b.volume, b.issue) or not (
        is_editorial(a.words) and is_editorial(b.words)
    ):
        return False
    facts = evidence(a, b)
    return facts.venue is not False and facts.pages is not False and facts.gap in (None, 0)


def _nearly(a: Fingerprint, b: Fingerprint) -> float:
    return CITED_ALIKE if a.year is None or b.year is None else NEARLY_ALIKE


def _same_spot(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether two may stand in one place in print: less proves nothing of an "Editorial"."""
    if not a.isbn.isdisjoint(b.isbn):
        return True
    there = (a.issue and a.issue == b.issue) or (a.pages[0] and a.pages[0] == b.pages[0])
    return bool(there and a.volume and a.volume == b.volume)


def _are_equal(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether the records say the same in every field, and their title is a long one."""
    return (
        a.compact == b.compact and _letters(a) >= SPECIFIC and _field_values(a) == _field_values(b)
    )


def _field_values(one: Fingerprint) -> tuple[object, ...]:
    record = one.record
    return (
        one.families, one.year, one.venue, one.volume, one.issue, one.pages, one.doi, one.ids,
        one.isbn, one.url, one.edition, record.type, record.publisher, record.abstract,
    )  # fmt: skip


def _letters(one: Fingerprint) -> int:
    """Letters of the title; a Chinese character says as much as a short word."""
    return len(one.compact) * (1 if one.compact.isascii() else 2)


def _alone(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    return facts.title == "equal" and len(a.compact) >= LONG_TITLE


def _byline_is_garbled(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether nobody is in common because one byline names nobody; then a long title in one venue
    and year decides.
    """
    if facts.authors != "none":
        return False
    if facts.gap != 0 or not facts.venue or not _alone(a, b, facts):
        return False
    return is_garbled(a.authors) or is_garbled(b.authors)


def _same_page(a: Fingerprint, b: Fingerprint) -> bool:
    return bool(
        a.pages[0]
        and a.pages[0] == b.pages[0]
        and a.volume
        and a.volume == b.volume
        and a.year == b.year
    )


def least_points(a: Fingerprint, b: Fingerprint, facts: Evidence) -> float:
    """What the relation of the titles asks of the other fields."""
    if facts.title == "far" and (facts.issue is False or not facts.page_range):
        # two abstracts of one group may stand on one page; some journals number each issue from
        # page 1
        return NEVER
    nearly = facts.title == "reworded" and facts.score >= _nearly(a, b)
    ahead = facts.title == "reworded" and bool(facts.venue) and _ahead(a, b)
    if facts.title == "reworded" and not (
        facts.page_range or (facts.first_author and (facts.pages or nearly)) or ahead
    ):
        return NEVER
    if a.generic or b.generic:
        return NEEDED_GENERIC if facts.place or facts.isbn else NEVER
    letters = min(len(a.compact), len(b.compact)) * (1 if a.compact.isascii() else 2)
    needed = NEEDED[facts.title] + next((more for most, more in LENGTHS if letters < most), LONG)
    if nearly:
        needed += NEARLY
    if facts.title == "equal":
        needed += next((more for least, more in LONGER if letters >= least), 0.0)
    if facts.title != "equal" and facts.venue is False and not facts.form:
        needed += 1.0  # other words in another place
    return needed


def _ahead(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether one may be the other ahead of print, without a place, by the same team."""
    if (
        a.year is None
        or a.year != b.year
        or bool(a.volume or a.pages[0]) == bool(b.volume or b.pages[0])
    ):
        return False
    one, other = a.families, b.families
    short = min(len(one), len(other))
    return short > 2 and one[:short] == other[:short]


def points(facts: Evidence) -> float:
    """What agrees, less what speaks against it."""
    return sum(_weights(facts))


#: The fields of which something is weighed.
_WEIGHED = (
    "authors", "year", "venue", "publisher", "edition", "volume", "issue", "pages", "isbn",
)  # fmt: skip


def _votes(agree: float, differ: float) -> Mapping[bool | None, float]:
    return {True: agree, False: differ, None: 0.0}


#: Of venue, volume, issue and pages. Each version stands in its own place.
_PLACE = (_votes(1.0, -1.0), _votes(1.0, -1.5), _votes(0.5, -1.0), _votes(1.5, -2.0))
_OWN_PLACE = tuple(_votes(vote[True], 0.0) for vote in _PLACE)
#: Articles are told by journal and volume; of books and records the publisher says as much.
_PUBLISHER, _PUBLISHER_BESIDE_VENUE = _votes(1.0, -1.0), _votes(0.25, 0.0)
_EDITION, _ISBN = _votes(0.5, 0.0), _votes(3.0, -0.5)


def _weights(facts: Evidence) -> tuple[float, ...]:
    """What each of those fields adds, or takes away."""
    venue, volume, issue, pages = _OWN_PLACE if facts.form else _PLACE
    publisher = _PUBLISHER if facts.venue is None else _PUBLISHER_BESIDE_VENUE
    near = facts.gap is not None and facts.gap <= 1
    return (
        AUTHORS[facts.authors] if facts.authors else 0.0,
        (0.5 if facts.gap else 1.0) if near else 0.0,
        venue[facts.venue],
        publisher[facts.publisher],
        _EDITION[facts.edition],
        volume[facts.volume],
        issue[facts.issue],
        pages[facts.pages] + (PAGE_RANGE if facts.page_range else 0.0),
        _ISBN[facts.isbn],
    )


# What two records of one work never show: contradictions that no likeness outweighs.

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
        reason = _reason(a, b)
        return verdict(self.name, "different", 1.0, (reason,), a, b) if reason else None


def _reason(a: Fingerprint, b: Fingerprint) -> str:
    facts = evidence(a, b)
    same_doi = facts.doi is True
    if not facts.notice:
        if a.notice and b.notice:
            return message(reasons.NOTICES, left=a.notice, right=b.notice)
        one = a.notice or b.notice
        template = reasons.ONE_IS_AN if one[0] in "aeiou" else reasons.ONE_IS_A
        return message(template, notice=one)
    of_one_standard = same_standard(a, b)
    if facts.parts is False or (
        facts.part_lost and not same_doi and not of_one_standard and not facts.place
    ):
        shown = ["/".join(sorted(p)) or "none" for p in (a.parts, b.parts)]
        return message(reasons.PARTS_DIFFER, left=shown[0], right=shown[1])
    if facts.doi is False and not facts.form and not facts.revised and not _has_two_dois(facts):
        return message(reasons.DOIS_DIFFER, left=a.doi, right=b.doi)
    if facts.volume and facts.issue is False and facts.title == "far":
        return message(reasons.ISSUES_AND_TITLES_DIFFER, left=a.issue, right=b.issue)
    if same_doi:
        return ""
    if a.generic != b.generic and _is_named_otherwise(facts):
        return reasons.TITLE_OF_A_COLUMN
    if (facts.volume is False or facts.issue is False) and (
        is_column(a.words) or is_column(b.words)
    ):
        return message(
            reasons.ISSUES_DIFFER, left=f"{a.volume}/{a.issue}", right=f"{b.volume}/{b.issue}"
        )
    if of_one_standard is False:
        return reasons.STANDARDS_DIFFER
    if (_carrier(a) and _carrier(b) and _carrier(a) != _carrier(b)) or (
        not facts.venue and _are_two_publications(a, b) and not _share_a_name(a, b)
    ):
        return message(reasons.TYPES_DIFFER, left=a.record.type, right=b.record.type)
    if facts.numbers is False and not _are_misprints(a, b, facts):
        return reasons.NUMBERS_DIFFER
    if facts.edition is False:
        return message(reasons.EDITIONS_DIFFER, left=a.edition, right=b.edition)
    if facts.isbn is False and facts.publisher is False:
        return message(reasons.EDITIONS_OF_TWO, left=a.record.publisher, right=b.record.publisher)
    if facts.isbn is False and facts.gap != 0 and not another_binding(a, b, facts):
        return reasons.ISBNS_AND_YEARS_DIFFER
    if (
        facts.title == "far"
        and facts.score >= FAR
        and facts.pages is not True
        and a.ids.isdisjoint(b.ids)
    ):
        return reasons.ONE_ABOUT_THE_OTHER
    if other := siblings(a, b, facts):
        return message(reasons.TWO_OF_ONE_BODY, other=other)
    if other := _elsewhere(a, b, facts):
        return other
    if facts.title in _NOT_EXCHANGED or _agree_elsewhere(a, b, facts):
        return ""
    other = _other_thing(a, b, facts)
    return message(reasons.TITLES_NAME_TWO, other=other) if other else ""


def _other_thing(a: Fingerprint, b: Fingerprint, facts: Evidence) -> str:
    other = ""
    if facts.title in ("near", "reworded") or abs(len(a.words) - len(b.words)) < 2:
        other = exchange(a.words, b.words, surely=bool(facts.form) or facts.gap is None)
    if not other and _are_of_one_team(a, b, facts):
        other = addition(a.words, b.words, max(a, b, key=lambda one: len(one.words)).marks)
    return other


#: Relations of titles in which no word stands for another one.
_NOT_EXCHANGED = ("equal", "far", "missing")


def _agree_elsewhere(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether something agrees that two papers of one team do not share."""
    return bool(
        facts.isbn
        or (facts.pages and (facts.volume or (facts.venue and facts.volume is None)))
        or facts.page_range
        or _share_a_name(a, b)
        or abstracts_agree(a, b)
    )


def _are_of_one_team(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether both are of the same people, year and journal, as companions are; a word that is
    missing in a citation says nothing.
    """
    return bool(
        facts.gap == 0
        and facts.venue
        and same_name(a.venue, b.venue)
        and not facts.form
        and (
            facts.authors in ("team", "all")
            or (facts.first_author and len(a.families) == len(b.families) == 1)
        )
    )


def _is_named_otherwise(facts: Evidence) -> bool:
    """Whether a title that says nothing ("Introduction") is not that of the other record with less
    said of its subject.

    "Editorial" and "Editorial: ..." are one on the same pages, and two in a book.
    """
    return facts.title in ("far", "within", "reworded") or (
        facts.title in ("start", "end") and not (facts.place and facts.pages)
    )


def _are_misprints(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
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
        return reasons.PAPER_AND_ARTICLE
    if (
        facts.gap is not None
        and facts.gap > (YEARS_TO_PRINT if facts.form else 1)
        and not (facts.place and facts.title == "equal")
    ):
        return message(reasons.YEARS_DIFFER, left=a.year, right=b.year)
    if facts.form:
        return ""
    if facts.gap == 1 and a.form == b.form == "conference" and facts.title != "equal":
        return message(reasons.CONFERENCES_DIFFER, left=a.year, right=b.year)
    other = _other_place(a, b, facts)
    return "" if other and _is_misnumbered(a, b, facts) else other


def _other_place(a: Fingerprint, b: Fingerprint, facts: Evidence) -> str:
    if facts.volume is False and facts.pages is not True:
        return message(reasons.VOLUMES_DIFFER, left=a.volume, right=b.volume)
    if facts.volume and facts.venue is not False:
        if facts.issue is False and facts.pages is not True:
            return message(reasons.ISSUES_DIFFER, left=a.issue, right=b.issue)
        if facts.pages is False and not facts.issue:
            return message(reasons.PAGES_DIFFER, left=a.pages[0], right=b.pages[0])
    return ""


def _is_misnumbered(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether one number of a place in print is wrong, as databases misprint them: all else says
    that the works are one, and a name of the work, too. Two numbers are not wrong at once.
    """
    numbers = (facts.volume, facts.issue, facts.pages)
    return (
        numbers.count(False) == 1
        and facts.title == "equal"
        and facts.authors in ("team", "all")
        and facts.gap == 0
        and facts.venue is not False
        and _share_a_name(a, b)
    )


def _share_a_name(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether both bear an identifier or an address of the work."""
    return not a.ids.isdisjoint(b.ids) or bool(a.url and a.url == b.url)


#: A thesis or a report, and what was made of it for a journal, are two publications.
_BEFORE_PRINT = frozenset(("thesis", "report"))
_IN_JOURNALS = frozenset(("article", "review", "letter", "conference-paper"))


def _are_two_publications(a: Fingerprint, b: Fingerprint) -> bool:
    one, other = a.record.type, b.record.type
    return one != other and (
        (one in _BEFORE_PRINT and other in _IN_JOURNALS)
        or (other in _BEFORE_PRINT and one in _IN_JOURNALS)
    )


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


def _has_two_dois(facts: Evidence) -> bool:
    """An article can have two registrations: its place is the same in each number."""
    return bool(facts.title == "equal" and facts.place and facts.gap == 0 and facts.first_author)


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
    left, right = (_content(words) for words in words_of_one(a.words, b.words))
    if "".join(left) == "".join(right) or (
        len(left) == len(right) and all(map(differ_by_a_slip, left, right))
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
