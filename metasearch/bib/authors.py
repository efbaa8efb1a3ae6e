"""The converters of `authors` and `editors`: from what a selector found to `Author`s, in order.

Each converter takes whatever the selector found and never raises. `people` makes a converter for
authors that are objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metasearch.bib import identifier_forms, markup
from metasearch.bib.cuts import Cuts, bounded, most
from metasearch.bib.fast_records import made_author
from metasearch.bib.field_limits import LIMITS, MOST_GIVEN
from metasearch.bib.names import headings
from metasearch.bib.names.person import (
    displayed,
    initials_last,
    of_name,
    person,
    without_homonym,
)
from metasearch.bib.names.words import ET_AL
from metasearch.bib.strings import Converter, first, strings
from metasearch.bib.texts import text
from metasearch.late_pattern import late_pattern
from metasearch.record import Author

_AND_OTHERS = late_pattern(rf",? {ET_AL}$", re.IGNORECASE)


def names(found: Any) -> tuple[Author, ...]:
    """Authors from strings, one name each, in either order."""
    return tuple(a for v in strings(found) if (a := of_name(v)))


def names_semicolon(found: Any) -> tuple[Author, ...]:
    """Authors from strings that hold several names apart by ";" (or "；")."""
    return names([part for v in strings(found) for part in re.split(r"[;；]", v)])


def names_comma(found: Any) -> tuple[Author, ...]:
    """Authors from strings that hold several names apart by "," ("Smith J, Jones K.")."""
    out = []
    for value in strings(found):
        for part in value.rstrip(". ").split(","):
            author = initials_last(part.strip())
            if author:
                out.append(author)
    return tuple(out)


def names_initials(found: Any) -> tuple[Author, ...]:
    """Authors from strings such as "Smith JA", one name each."""
    return tuple(a for v in strings(found) if (a := initials_last(markup.plain(v))))


#: In text whose white space is single blanks.
_COMMA_OR_AND = late_pattern(r", ?(?:and )?| and ")
_BLANKS = late_pattern(r"\s+")


def names_initials_and(found: Any) -> tuple[Author, ...]:
    """Authors from strings such as "Smith JA, Jones K and Brown C", or "... et al."."""
    values = [_AND_OTHERS.sub("", text(v) or "") for v in strings(found)]
    return names_initials([part for v in values for part in _COMMA_OR_AND.split(v)])


def names_and(found: Any) -> tuple[Author, ...]:
    """Authors from strings such as "A. Smith, B. Jones and C. Brown"."""
    values = [_BLANKS.sub(" ", v) for v in strings(found)]
    return names(
        [part for v in values for piece in v.split(";") for part in _COMMA_OR_AND.split(piece)]
    )


def names_homonym(found: Any) -> tuple[Author, ...]:
    """DBLP's names, without the number that tells homonyms apart."""
    return names([without_homonym(v) for v in strings(found)])


_SQUARE = late_pattern(r"[\[\]]")
_AFFILIATION = late_pattern(r"\[([^\[\]]*)\]")
_ORCID_DIGITS = late_pattern(r"ORCID:?\s*(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dXx])\b")
_NOT_NAME = late_pattern(
    r"\([^()]*ORCID[^()]*\)|\be-?mail:?\s*[^\s,;]+,?|\b[^\s,;@]{1,64}@[^\s,;]+", re.IGNORECASE
)
_COLLECTIVE = late_pattern(r"\b(?:collaborations?|consortium|working group)$", re.IGNORECASE)


def _outside_brackets(value: str) -> list[str]:
    """What stands between semicolons outside of brackets, by the closing bracket that follows."""
    if "]" not in value:
        return value.split(";")
    *pieces, last = value.split(";")
    parts, open_part = [], [last]
    bracket = _SQUARE.search(last)
    for piece in reversed(pieces):
        if bracket is not None and bracket[0] == "]":
            open_part.append(piece)
        else:
            parts.append(open_part)
            open_part = [piece]
        bracket = _SQUARE.search(piece) or bracket
    return [";".join(reversed(part)) for part in reversed([*parts, open_part])]


def names_bracketed(found: Any) -> tuple[Author, ...]:
    """OSTI's authors: "Byron, Ada [Lab A] (ORCID:0000000218250097); /SLAC; STAR Collaboration".

    One or several in a string, apart by ";" outside of the brackets. What begins with a slash is
    where the ones before work; mail addresses are left out.
    """
    out: list[Author] = []
    for value in strings(found):
        for part in _outside_brackets(value):
            works_at = number = None
            if "[" in part or "(" in part or "@" in part:
                works_at, number = _AFFILIATION.search(part), _ORCID_DIGITS.search(part)
                part = _NOT_NAME.sub(" ", _AFFILIATION.sub(" ", part))
            name = " ".join(part.split())
            name = name.partition(" /")[0].strip(" ,")
            if not name or name[0] == "/" or name.casefold() in ("none", "not available"):
                continue
            if _COLLECTIVE.search(name):
                out.append(Author(markup.without_markup(name), collective=True))
            elif author := person(name, orcid="-".join(number.groups()) if number else None):
                out.append(_at(author, text(works_at[1])) if works_at else author)
    return tuple(out)


def names_catalogue(found: Any) -> tuple[Author, ...]:
    """Authors from catalogue headings, each once: "Heath, Percy, 1923-", "Zeitgeist Films."."""
    values = [value for value in strings(found) if not headings.took_no_part(value)]
    return tuple(dict.fromkeys(names([headings.personal(value) for value in values])))


def each_once(authors: list[Author]) -> tuple[Author, ...]:
    """The authors, each once; collaborations have thousands."""
    if len(authors) > 1 and len({author.name for author in authors}) < len(authors):
        return tuple(dict.fromkeys(authors))
    return tuple(authors)


def _at(author: Author, affiliation: str | None) -> Author:
    return made_author(
        author.name, author.family, author.given, author.orcid, affiliation, author.collective
    )


def _nothing(_: Any) -> None:
    return None


def is_clean(name: str) -> bool:
    """Whether a name can be shown: no markup, and no white space but single blanks."""
    return (
        name.isprintable()
        and "<" not in name
        and "&" not in name
        and "  " not in name
        and name[:1] != " "
        and name[-1:] != " "
    )


def are_clean(names: Sequence[str]) -> bool:
    """Whether all of some names are surely clean: one look at all of them. A name with a bar beside
    a blank may be clean, too.
    """
    said = "|".join(names)
    return is_clean(said) and "| " not in said and " |" not in said


def people(
    each: Callable[[Any], Any],
    parts: Mapping[str, Callable[[Any], Any]],
    *,
    editors: bool = False,
    tidy: Callable[[str], str] | None = None,
    node_of: Callable[[Any], Any] | None = None,
) -> Converter:
    """A converter for authors that are objects.

    `parts`: select name, family, given, orcid and affiliation of one author, and "corporate": a
    name that is not to be split. `node_of`: makes the node that `parts` read of what `each`
    selects; None if they are the same.
    """
    # Most sources give given and family name apart, and most names need no cleaning: those go the
    # short way.
    affiliated = "affiliation" in parts
    simple = tidy is None and {"family", "given"} <= parts.keys()
    pick: list[Callable[[Any], Any]] = [
        parts.get(part, _nothing) for part in ("name", "family", "given", "orcid", "affiliation")
    ]
    name_of, family_of, given_of, orcid_of, affiliation_of = pick

    field = "editors" if editors else "authors"
    longest = LIMITS[field].given

    def convert(node: Any, cuts: Cuts | None = None) -> tuple[Author, ...]:
        found = each(node)
        cuts = Cuts() if cuts is None else cuts
        if isinstance(found, str):  # one string where the source usually has a list
            found = re.split("[;；]", found[:MOST_GIVEN])
        items: list[Any] = (
            found if isinstance(found, list) else [found] if found is not None else []
        )
        items = most(field, items)
        authors: list[Author] = []
        for item in items:
            if simple and type(item) is dict:  # the short way
                family, given = family_of(item), given_of(item)
                if type(family) is str and type(given) is str and not name_of(item):
                    name = f"{given} {family}"
                    if family and given and len(name) <= longest and is_clean(name):
                        if not name.isascii():
                            name = displayed(given, family)
                        orcid = orcid_of(item)
                        known = identifier_forms.orcid(orcid) if type(orcid) is str else None
                        works_at = (
                            text(bounded("affiliation", affiliation_of(item), cuts))
                            if affiliated
                            else None
                        )
                        authors.append(made_author(name, family, given, known, works_at))
                        continue
            if isinstance(item, str):
                got = {"name": bounded(field, item, cuts)}
            else:
                got = {}
                if node_of is not None:
                    item = node_of(item)
                for part, select in parts.items():
                    value = select(item)
                    if value is not None and (type(value) is str or (value := first(value))):
                        got[part] = value if len(value) <= longest else bounded(field, value, cuts)
            if tidy is not None and "name" in got:
                got["name"] = tidy(got["name"])
            if "corporate" in got and "family" not in got:
                body = markup.without_markup(got["corporate"])
                author = Author(body, collective=True) if body else None
            else:
                author = person(
                    got.get("name", ""), got.get("family"), got.get("given"), got.get("orcid")
                )
            if not author:
                continue
            if affiliated and (works_at := text(got.get("affiliation"))):
                author = _at(author, works_at)
            authors.append(author)
        return each_once(authors)

    return convert
