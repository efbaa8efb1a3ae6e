"""The converters of `authors` and `editors`: from what a selector found to `Author`s, in order.

Each converter takes whatever the selector found and never raises. `people` makes a converter for
authors that are objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metasearch.bib import identifiers, name_words, texts
from metasearch.bib.field_limits import LIMITS, MOST_GIVEN, Cuts, bounded, most
from metasearch.bib.marc import MarcField, Part, Subfields
from metasearch.bib.name_words import ET_AL, FIRMS, PARTS, part_of
from metasearch.bib.names import (
    displayed,
    initials_last,
    of_name,
    person,
    remembered,
    without_homonym,
)
from metasearch.bib.texts import Converter, first, strings, text
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, made_author

# Names as library catalogues write them: headings of MARC 1XX and 7XX fields, and Dublin Core made
# from those. A heading identifies an authority record; what an author list wants of it is the name
# alone, without dates, fuller forms, relators and the field's final punctuation.

_LIFE_DATES = late_pattern(
    r",?\s*(?:[(\[]?(?:b\.|d\.|fl\.|ca\.|active|approximately|born|geb\.|gest\.)?\s*(?:1[0-9]{3}|20\d\d)\??.*)$"
)
# Dublin Core has no place for a role but the name: "Doe, Jane [Hrsg.]", "山田太郎 著".
_ROLE = late_pattern(
    rf"\s*\[[^\[\]]*\]$|\.(?:{'|'.join(name_words.CODES_BEHIND_NAMES)})$"
    rf"|(?<=\w)[ \u3000](?:{'|'.join(name_words.JAPANESE)})$"
)
_RELATOR = late_pattern(rf",\s*({'|'.join(name_words.WRITTEN_OUT)})\.?$")
_BODY_DATES = late_pattern(r"\d{3}")
_ENDS_WITH_INITIAL = late_pattern(r"(?:^|[\s.-])\w\.$")
_ABBREVIATIONS = "|".join(
    (
        *map(str.capitalize, sorted(FIRMS | {"jr", "sr"})),
        *r"Bros Assn Dept Univ St e\.V S\.A".split(),
    )
)
_ENDS_WITH_ABBREVIATION = late_pattern(rf"\b(?:{_ABBREVIATIONS})\.$")


@remembered
def personal(name: str) -> str:
    """A personal name without dates, fuller form of initials, and the field's own punctuation."""
    value = texts.plain(name)
    if value[-1:] == "]" or value[-4:-3] == "." or not value.isascii():
        value = _ROLE.sub("", value)
    if ", " in value and value[-1:].islower():
        value = _RELATOR.sub("", value)
    if "1" in value or "20" in value:
        value = _LIFE_DATES.sub("", value)
    if "(" in value:
        value = _without_fuller_form(value.rstrip(" ,.;"))
    value = value.rstrip(" ,;:/")
    # "Smith, J." keeps the stop of an initial; "Davis, Miles." loses the field's own.
    if (
        value.endswith(".")
        and not _ENDS_WITH_INITIAL.search(value)
        and not _ENDS_WITH_ABBREVIATION.search(value)
    ):
        value = value[:-1]
    return value


def _last_bracket(value: str) -> int:
    """Where the bracket opens that a text ends with, if no other stands in it; else -1."""
    at = value.rfind("(") if value.endswith(")") else -1
    return at if at >= 0 and value.find(")", at) == len(value) - 1 else -1


def _without_fuller_form(value: str) -> str:
    """ "Smith, J. (John)" -> "Smith, J.": without a bracket at the end, behind a comma."""
    at = _last_bracket(value)
    return (
        value[:at].rstrip() if at >= 0 and "," in value[value.rfind("(", 0, at) + 1 : at] else value
    )


def took_no_part(name: str) -> bool:
    """Whether the word behind a heading is a maker or reader of the copy: "Otava, kustantaja"."""
    hit = _RELATOR.search(name)
    return hit is not None and part_of(hit[1]) == "none"


def corporate(name: str) -> str:
    """A body's or meeting's name, without dates in brackets and the field's punctuation."""
    value = texts.plain(name).rstrip(" ,;:/")
    at = _last_bracket(value)
    if at >= 0 and _BODY_DATES.search(value, at):
        value = value[:at].rstrip(" ,;:/")
    return (
        value[:-1] if value.endswith(".") and not _ENDS_WITH_ABBREVIATION.search(value) else value
    )


def is_corporate(field: MarcField) -> bool:
    """Whether the field is for a body or a meeting (110, 111, 710, 711, and 712 of UNIMARC)."""
    return field.tag[1:] in ("10", "11", "12")


def part_in(field: MarcField) -> Part:
    """What the person did for the work, by the field's relators; "author" where it has none.

    A field with $5 is true of one library's copy only, and an online service is where a copy was
    bought.
    """
    part = field.part
    if part is None:  # a field is asked for authors and for editors
        part = field.part = _part_in(field)
    return part


def _part_in(field: MarcField) -> Part:
    relators = []
    for code, value in field.subfields:
        if code in "e4":
            relators.append(value)
        elif code == "5" or (code == "a" and "(Online service)" in value):
            return "none"
    if not relators:
        return "author"
    words = [text.rpartition("/")[2].strip(" .,;()[]").casefold() for text in relators]
    parts = [part_of(word) for word in words]
    return next(part for part in PARTS if part in parts)


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
    return tuple(a for v in strings(found) if (a := initials_last(texts.plain(v))))


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
                out.append(Author(texts.without_markup(name), collective=True))
            elif author := person(name, orcid="-".join(number.groups()) if number else None):
                out.append(_at(author, text(works_at[1])) if works_at else author)
    return tuple(out)


def names_catalogue(found: Any) -> tuple[Author, ...]:
    """Authors from catalogue headings, each once: "Heath, Percy, 1923-", "Zeitgeist Films."."""
    values = [value for value in strings(found) if not took_no_part(value)]
    return tuple(dict.fromkeys(names([personal(value) for value in values])))


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
                        known = identifiers.orcid(orcid) if type(orcid) is str else None
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
                body = texts.without_markup(got["corporate"])
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


#: Those who stand as the authors: of the first part that anybody has.
_AUTHORS: tuple[Part, ...] = ("author", "editor", "helper")


def _taking_part(fields: Sequence[MarcField], *, editors: bool) -> Sequence[MarcField]:
    """Return the fields of the authors; without any, those of the editors; else of the helpers.

    With `editors` it returns the fields of the editors, but none where the work has no author,
    because the editors then stand as its authors.
    """
    parts = {field.part or part_in(field) for field in fields}
    if len(parts) == 1:  # as nearly always
        return () if editors or "none" in parts else fields
    if editors and not ("editor" in parts and "author" in parts):
        return ()
    wanted = "editor" if editors else next(part for part in _AUTHORS if part in parts)
    return [field for field in fields if field.part == wanted]


def _reader(select: Callable[[Any], Any]) -> Callable[[MarcField], str | None]:
    """Finds the first text of what a selector finds in a field; "" or None where there is none."""
    if isinstance(select, Subfields):
        codes = select.codes
        return lambda field: field.text(codes)
    return lambda field: first(select(field))


def marc_people(
    each: Callable[[Any], list[Any]],
    parts: Mapping[str, Callable[[Any], Any]],
    *,
    editors: bool = False,
    tidy: Callable[[str], str] | None = None,
) -> Converter:
    """A converter for authors that are MARC fields, whose relators tell authors from editors."""
    field = "editors" if editors else "authors"
    longest = LIMITS[field].given
    readers = [(part, _reader(select)) for part, select in parts.items()]

    def convert(record: Any, cuts: Cuts | None = None) -> tuple[Author, ...]:
        found = each(record)
        if not found or (editors and len(found) == 1):  # editors alone stand as authors
            return ()
        authors: list[Author] = []
        for item in _taking_part(most(field, found), editors=editors):
            got = {}
            for part, read in readers:
                value = read(item)
                if value:
                    if len(value) > longest:
                        value = bounded(field, value, Cuts() if cuts is None else cuts)
                    got[part] = value
            if tidy is not None and "name" in got:
                got["name"] = tidy(got["name"])
            author = marc_author(item, got)
            if author:
                authors.append(author)
        return each_once(authors)

    return convert


def marc_author(field: MarcField, got: Mapping[str, str]) -> Author | None:
    """Return the author that a MARC 1XX or 7XX field names; `got` holds its parts."""
    name = got.get("name", "")
    if is_corporate(field):
        unit = (
            field.text("b") if field.tag.endswith("10") and name else ""
        )  # "France. $b Ministère ..."
        body = corporate(f"{name or got.get('family', '')} {unit}")
        return Author(body, collective=True) if body else None
    if not name:  # UNIMARC has family and given names apart
        return person(
            "",
            personal(got.get("family", "")),
            personal(got.get("given", "")),
        )
    name = personal(name)
    if field.ind1 == "0" and "," not in name:  # "John Paul $b II": entered under the forename
        return Author(" ".join(filter(None, (name, personal(field.text("b")))))) if name else None
    return of_name(name)
