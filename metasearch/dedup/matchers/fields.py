"""The verifier: titles that agree, weighed with what the other fields say.

The rules are a table of how much each agreement counts and how much is needed for each relation of the titles. They
follow what the errors of "DOI or four-tuple" consist of: journals abbreviated, first authors in another form, subtitles
present or absent, typos, years one apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import SHORTEST_MAIN_TITLE, Evidence, evidence, resemblance
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match

#: What must be gathered for each relation of the titles; a short or generic title proves little.
NEEDED = {"equal": 2.0, "start": 2.5, "near": 3.0}
NEEDED_GENERIC = 5.0
#: Letters of a title -> what is added to that: a long title is nearly a proof by itself, "Poems" proves nothing.
LONG_TITLE, LONG = 40, -0.5
LENGTHS = ((6, 1.5), (12, 1.0), (18, 0.5), (LONG_TITLE, 0.0))


class Fields:
    """Compares field by field."""

    name = "fields"

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """The title, its longest words two by two, and first author with year and the beginning of the title.

        The pairs of long words find titles with a typo or without their subtitle; author and year find those of whose
        long words none is spelled alike.
        """
        compact = it.compact
        if not compact:
            return ()
        if it.generic:
            # Everybody has an "Editorial": only the same place in print or the same author in one year bring two
            # together.
            places = [f"{compact}:{family}:{it.year}" for family in it.first]
            if it.pages[0] and it.venue:
                places.append(f"{compact}:{it.pages[0]}:{it.year}")
            return places
        found = [compact]
        end = min(it.breaks)
        if end < len(it.words):
            main = "".join(it.words[:end])
            if len(main) >= SHORTEST_MAIN_TITLE:
                found.append(main)
        # Longest first, and by the alphabet among equals: sorting is stable, also in reverse.
        longest = sorted(sorted(set(it.words)), key=len, reverse=True)[:3]
        if len(longest) == 3:
            one, two, three = longest
            found += (f"{one} {two}", f"{one} {three}", f"{two} {three}")
        if it.year is not None:
            for family in it.first:
                found += (f"{family}:{it.year}:{compact[:2]}", f"{family}:{it.year + 1}:{compact[:2]}")
        return found

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" or "version" where the agreements outweigh what the titles leave open."""
        if resemblance(a, b) in ("far", "missing"):
            return None
        it = evidence(a, b)
        if it.doi is False and a.preprint == b.preprint:
            return None
        points = _points(it)
        needed = _needed(a, b, it)
        if points < needed:
            return None
        score = min(0.99, 0.8 + 0.04 * (points - needed) + 0.1 * (it.score - 0.9))
        if a.preprint != b.preprint:
            if not (it.authors or (it.authors is None and it.title == "equal" and len(a.compact) >= LONG_TITLE)):
                return None
            return verdict(self.name, "version", score, ("preprint and published form", *it.words()), a, b)
        return verdict(self.name, "same", score, it.words(), a, b)


def _needed(a: Fingerprint, b: Fingerprint, it: Evidence) -> float:
    if a.generic or b.generic:
        return NEEDED_GENERIC
    letters = min(len(a.compact), len(b.compact))
    if not a.compact.isascii():
        letters *= 2  # a Chinese character says as much as a short word
    return NEEDED[it.title] + next((more for most, more in LENGTHS if letters < most), LONG)


def _points(it: Evidence) -> float:
    """What agrees, less what speaks against it."""
    points = 0.0
    if it.first_author:
        points += 3.0 if it.all_authors else 2.0
    elif it.authors:
        points += 1.25
    elif it.authors is False:
        points -= 2.0
    if it.year:
        points += 1.0 if it.same_year else 0.5
    points += _vote(it.venue, 1.0, -0.25)
    points += _vote(it.volume, 1.0, -1.5)
    points += _vote(it.issue, 0.5, -0.5)
    points += _vote(it.pages, 1.5, -1.5)
    # Articles are told by journal and volume; of books and records the publisher says as much.
    points += _vote(it.publisher, 1.0 if it.venue is None else 0.25, 0.0)
    points += _vote(it.isbn, 3.0, -0.5)
    return points


def _vote(relation: bool | None, agree: float, differ: float) -> float:
    return 0.0 if relation is None else agree if relation else differ
