"""The verifier: titles that agree, weighed with what the other fields say.

The rules are a table of how much each agreement counts and how much is needed for each relation of the titles. They
follow what the errors of "DOI or four-tuple" consist of: journals abbreviated, first authors in another form, subtitles
present or absent, typos, years one apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from metasearch.dedup.evidence import Evidence, evidence
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.record import Match

#: What must be gathered for each relation of the titles; a short or generic title proves little.
NEEDED = {"equal": 2.0, "start": 2.5, "near": 3.0}
NEEDED_GENERIC = 5.0
#: An equal title of at least so many letters is nearly a proof by itself.
LONG_TITLE, SHORT_TITLE = 40, 16


class Fields:
    """Compares field by field."""

    name = "fields"

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """The title, its longest words two by two, and first author with year.

        The pairs of long words find titles with a typo or without their subtitle; author and year find those
        whose titles are spelled very differently.
        """
        if it.generic:
            # Everybody has an "Editorial": only the same place in print brings two of them together.
            if it.pages[0] and it.venue:
                yield f"g:{it.compact}:{it.pages[0]}:{it.year}"
            return
        if it.compact:
            yield f"t:{it.compact}"
            longest = sorted(dict.fromkeys(it.words), key=lambda w: (-len(w), w))[:4]
            for i, one in enumerate(longest):
                for other in longest[i + 1 :]:
                    yield f"w:{one}:{other}"
            end = min((b for b in it.breaks if b < len(it.words)), default=0)
            if end:
                main = "".join(it.words[:end])
                if len(main) >= 10:
                    yield f"t:{main}"
        if it.year is not None:
            for family in it.first:
                yield f"a:{family}:{it.year}"
                yield f"a:{family}:{it.year + 1}"

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" or "version" where the agreements outweigh what the titles leave open."""
        it = evidence(a, b)
        if it.title in ("far", "missing"):
            return None
        if it.doi is False and a.preprint == b.preprint:
            return None
        points = _points(it)
        needed = _needed(a, b, it)
        if points < needed:
            return None
        score = min(0.99, 0.8 + 0.04 * (points - needed) + 0.1 * (it.score - 0.9))
        if a.preprint != b.preprint:
            if it.authors is not True:
                return None
            return verdict(self.name, "version", score, ("preprint and published form", *it.words()), a, b)
        return verdict(self.name, "same", score, it.words(), a, b)


def _needed(a: Fingerprint, b: Fingerprint, it: Evidence) -> float:
    if a.generic or b.generic:
        return NEEDED_GENERIC
    shorter = min(len(a.compact), len(b.compact))
    needed = NEEDED[it.title]
    if shorter < SHORT_TITLE:
        needed += 1.5
    elif it.title == "equal" and shorter >= LONG_TITLE:
        needed -= 0.5
    return needed


def _points(it: Evidence) -> float:
    """What agrees, less what speaks against it."""
    points = 0.0
    if it.first_author:
        points += 2.0
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
    points += _vote(it.publisher, 0.5, 0.0)
    points += _vote(it.isbn, 3.0, -0.5)
    return points


def _vote(relation: bool | None, agree: float, differ: float) -> float:
    return 0.0 if relation is None else agree if relation else differ
