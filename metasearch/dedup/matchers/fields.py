"""The verifier: titles that agree, weighed with what the other fields say.

The rules are a table of how much each agreement counts and how much is needed for each relation of
the titles, after the model of Fellegi and Sunter ("A theory for record linkage", JASA 1969):
agreement on a field adds, disagreement takes away, silence does neither. They follow what the
errors of "DOI or four-tuple" consist of: journals abbreviated, first authors in another form,
subtitles present or absent, typos, years one apart, translated titles.
"""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup import evidence as because
from metasearch.dedup import people
from metasearch.dedup.evidence import Evidence, abstracts_agree, evidence
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matcher import share_a_key, verdict
from metasearch.dedup.people import is_garbled
from metasearch.dedup.titles import (
    SHORTEST_MAIN_TITLE,
    SHORTEST_TAIL,
    TitleRelation,
    resemblance,
    title_score,
)
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
            # Everybody has an "Editorial": only the same place in print or the same author in one
            # year or issue bring two together.
            for family in fingerprint.first:
                if fingerprint.year is not None:
                    found.append(f"{compact}:{family}:{fingerprint.year}")
                if fingerprint.volume and fingerprint.issue:
                    found.append(f"{compact}:{family}:{fingerprint.volume}:{fingerprint.issue}")
            if fingerprint.pages[0] and fingerprint.venue:
                found.append(f"{compact}:{fingerprint.pages[0]}:{fingerprint.year}")
            return found
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
        if len(distinct) > 2:
            # Longest first, and by the alphabet among equals: sorting is stable, also in reverse.
            longest = sorted(distinct)
            longest.sort(key=len, reverse=True)
            one, two, three = longest[:3]
            found += (f"{one} {two}", f"{one} {three}", f"{two} {three}")
        if len(fingerprint.authors) > 1:
            second = fingerprint.authors[1]
            one, two = (
                people.spelling(fingerprint.first),
                people.spelling(people.spellings(second.family, second.name)),
            )
            found.append(f"{one}+{two}" if one < two else f"{two}+{one}")
        if fingerprint.year is not None:
            beginning = compact[:2]
            for family in fingerprint.first:
                found += (
                    f"{family}:{fingerprint.year}:{beginning}",
                    f"{family}:{fingerprint.year + 1}:{beginning}",
                )
        return found

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" or "version" where the agreements outweigh what the titles leave open."""
        # Nearly every pair that shares a key ends here.
        if are_strangers(a, b):
            return None
        if (a.generic or b.generic) and not _same_spot(a, b):
            return None
        relation = resemblance(a, b)
        if relation == "missing" or (
            relation in ("far", "reworded") and not _may_be_one(a, b, relation)
        ):
            return None
        if relation == "far" and a.pages != b.pages:  # see `points_needed`
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
        needed = points_needed(a, b, facts)
        if (
            needed - ABSTRACT <= got < needed
            and facts.title not in ("far", "reworded")
            and abstracts_agree(a, b)
        ):
            got += ABSTRACT
        if got < needed or not (surely_share_a_key(a, b) or share_a_key(self, a, b)):
            return None
        said = [*facts.words(), because.BYLINE_GARBLED] if garbled else facts.words()
        score = min(0.99, 0.8 + 0.04 * (got - needed) + 0.1 * (facts.score - 0.9))
        if facts.form or facts.revised:
            if not (
                facts.authors in ("team", "all", "first", "half", "some")
                or (facts.authors is None and _alone(a, b, facts))
            ):
                return None
            return verdict(self.name, "version", score, said, a, b)
        return verdict(self.name, "same", score, said, a, b)


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


def _nearly(a: Fingerprint, b: Fingerprint) -> float:
    return CITED_ALIKE if a.year is None or b.year is None else NEARLY_ALIKE


def _same_spot(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether two may stand in one place in print: less proves nothing of an "Editorial"."""
    if not a.isbn.isdisjoint(b.isbn):
        return True
    there = (a.issue and a.issue == b.issue) or (a.pages[0] and a.pages[0] == b.pages[0])
    return bool(there and a.volume and a.volume == b.volume)


def _alone(a: Fingerprint, b: Fingerprint, facts: Evidence) -> bool:
    """Whether the title alone says enough."""
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


def points_needed(a: Fingerprint, b: Fingerprint, facts: Evidence) -> float:
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
    letters = min(len(a.compact), len(b.compact))
    if not a.compact.isascii():
        letters *= 2  # a Chinese character says as much as a short word
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
    points = AUTHORS[facts.authors] if facts.authors else 0.0
    if facts.gap is not None and facts.gap <= 1:
        points += 0.5 if facts.gap else 1.0
    elsewhere = 0.0 if facts.form else 1.0  # each version stands in its own place
    points += _vote(facts.venue, 1.0, -1.0 * elsewhere)
    points += _vote(facts.volume, 1.0, -1.5 * elsewhere)
    points += _vote(facts.issue, 0.5, -1.0 * elsewhere)
    points += _vote(facts.pages, 1.5, -2.0 * elsewhere)
    if facts.page_range:
        points += PAGE_RANGE
    # Articles are told by journal and volume; of books and records the publisher says as much.
    points += (
        _vote(facts.publisher, 1.0, -1.0)
        if facts.venue is None
        else _vote(facts.publisher, 0.25, 0.0)
    )
    points += _vote(facts.isbn, 3.0, -0.5)
    points += _vote(facts.edition, 0.5, 0.0)
    return points


def _vote(relation: bool | None, agree: float, differ: float) -> float:
    return 0.0 if relation is None else agree if relation else differ
