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

import re

#: Words of institutions in the languages of catalogues, in small letters; none is usual as a family
#: or given name.
_WORDS = frozenset(
    """
    academy academies academie académie academia accademia akademie akademia agency agencies agence
    agencia association associations associação asociación associazione verband verein vereniging
    vereinigung campus campuses collaboration commission commissions commissie kommission comisión
    comissão committee committees comité comitato komitee conference congress consortium corporation
    council councils department departments departamento dept dept. département direktion direction
    directorate division faculty fakultät faculté facultad federation fédération föreningen
    foundation fondation fondazione fundación stiftung gesellschaft government hochschule hospital
    institut institute institutes institutet institution institutions instituto istituto instytut
    laboratory laboratories laboratoire laboratorio library libraries bibliothek bibliothèque
    biblioteca ministry ministerium ministère ministerio ministerstvo museum museums musée museo
    network observatory office offices organisation organization organisations organizations
    parliament secretariat society societies société sociedad sociedade società selskab universität
    université university universities universidad universidade università universiteit universitet
    universitetet uniwersytet univerzita yliopisto zentrum
""".split()
)
#: Words that are family names, too: they tell a body as the last of several words.
_LAST_WORDS = frozenset(
    "board bureau center centre college company group labs press research school section service "
    "services trust"
    " union".split()
)
#: What binds the words of a body's name, and not those of a person's.
_BETWEEN = frozenset("of for and the & für pour para".split())
_PARTICLES = frozenset("van von der den de del della di da du la le el al".split())
_TITLES = frozenset(
    """
    earl duke duchess baron baroness marquis marquess marchioness count countess viscount
    viscountess prince princess king queen emperor empress bishop archbishop pope saint lord lady
    sir dame graf gräfin freiherr herzog comte duc
""".split()
)
_INITIAL = re.compile(r"(?:^|[\s.-])\w\.")


def is_body(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" names a body.

    Args:
        left: What stands before the first comma, without blanks at its ends.
        right: What stands behind it.
    """
    if " " not in left and " " not in right:  # "Smith, John": nearly all names
        return False
    before, behind = left.casefold().split(), right.casefold().replace(",", " ").split()
    if len(before) > 1:
        if not _WORDS.isdisjoint(before) or not _BETWEEN.isdisjoint(before):
            return True
        if before[-1] in _LAST_WORDS and before[0] not in _PARTICLES:
            return True
    if not _WORDS.isdisjoint(behind):
        return True
    return not _BETWEEN.isdisjoint(behind) and _TITLES.isdisjoint(behind)


def employed(left: str, right: str) -> tuple[str, str] | None:
    """(given name, where that person works) of a person whose name is followed by that; None for
    all others.

    Args:
        left: What stands before the first comma: one word, or two at most.
        right: What stands behind it.
    """
    given, comma, works_at = right.partition(",")
    works_at = works_at.strip()
    named = left.count(" ") < 2 and _INITIAL.search(given) is not None
    return (
        (given.strip(), works_at)
        if comma and works_at and named and not is_body(left, given)
        else None
    )
