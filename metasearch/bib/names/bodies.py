"""Which names with a comma are those of bodies, whose parts must not be turned round as "Family,
Given" is.

"Association for Computing Machinery, Special Interest Group on Graphics" names a body and a part of
it, as "Oak Ridge National Laboratory, Tennessee" names one and its place. What tells them from
persons are words: those of institutions, and "of", "for", "and", "the" between the others, which
family and given names do not hold. Three things are not such a sign. A family name may be a word of
institutions ("Service, Robert W."): so one that stands alone before the comma decides nothing.
Titles of nobility and office hold "of" ("Chesterfield, Philip Stanhope, Earl of"). And behind the
name of a person there may be where that person works ("Wilhite, Stephen C., Widener University").
"""

from __future__ import annotations

from metasearch.bib.names.words import (
    BETWEEN_BODIES,
    BODIES,
    BODIES_OR_NAMES,
    NOBILITY,
    PARTICLES,
)
from metasearch.late_pattern import late_pattern

_INITIAL = late_pattern(r"(?:^|[\s.-])\w\.")


def is_body(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" names a body; `left` has no blanks at its ends."""
    if " " not in left and " " not in right:  # "Smith, John": nearly all names
        return False
    before, behind = left.casefold().split(), right.casefold().replace(",", " ").split()
    if len(before) > 1:
        if not BODIES.isdisjoint(before) or not BETWEEN_BODIES.isdisjoint(before):
            return True
        if before[-1] in BODIES_OR_NAMES and before[0] not in PARTICLES:
            return True
    if not BODIES.isdisjoint(behind):
        return True
    return not BETWEEN_BODIES.isdisjoint(behind) and NOBILITY.isdisjoint(behind)


def employed(left: str, right: str) -> tuple[str, str] | None:
    """(given name, where that person works) of a person whose name is followed by that; None for
    all others. `left`: what stands before the first comma: one word, or two at most.
    """
    given, comma, works_at = right.partition(",")
    works_at = works_at.strip()
    named = left.count(" ") < 2 and _INITIAL.search(given) is not None
    return (
        (given.strip(), works_at)
        if comma and works_at and named and not is_body(left, given)
        else None
    )
