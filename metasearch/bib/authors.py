"""The converters of `authors` and `editors`: from what a selector found to `Author`s, in order.

Each converter takes whatever the selector found and never raises. `people` makes a converter for
authors that are objects.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metasearch.bib import identifiers, name_words, responsibility, texts
from metasearch.bib.bylines import initials_last, natural_order, without_homonym
from metasearch.bib.field_limits import LIMITS, MOST_GIVEN, Cuts, cut_value
from metasearch.bib.marc import MarcField, MarcRecord, Part, Subfields
from metasearch.bib.name_words import FIRMS, PARTS, part_of
from metasearch.bib.names import (
    byname,
    display_name,
    names_nobody,
    of_name,
    person,
    remember,
    suffix_of,
    without_others,
    without_suffix,
)
from metasearch.bib.texts import Converter, first, strings, text
from metasearch.late_pattern import late_pattern
from metasearch.record import PEOPLE, Author, new_author

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
#: Characters of the additions to a name that are looked at.
_LONGEST_ADDITIONS = 200
_ENDS_WITH_INITIAL = late_pattern(r"(?:^|[\s.-])\w\.$")
_ABBREVIATIONS = "|".join(
    (
        *map(str.capitalize, sorted(FIRMS | {"jr", "sr"})),
        *r"Bros Assn Dept Univ St e\.V S\.A".split(),
    )
)
_ENDS_WITH_ABBREVIATION = late_pattern(rf"\b(?:{_ABBREVIATIONS})\.$")


@remember
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


def has_no_part(name: str) -> bool:
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
    """Whether the field is for a body or a meeting (110, 111, 710, 711, and 712 of UNIMARC), or for
    an uncontrolled name that is no person's (720).
    """
    return field.tag[1:] in ("10", "11", "12") or (field.tag == "720" and field.ind1 == "2")


def part_in(field: MarcField, record: MarcRecord | None = None) -> Part:
    """What the person did for the work, by the field's relators; where an added entry has none, by
    the words beside the title of the record; else "author".

    A field with $5 is true of one library's copy only, and an online service is where a copy was
    bought.
    """
    part = field.part
    if part is None:  # a field is asked for authors, for editors and for translators
        part = field.part = _part_in(field, record)
    return part


def _part_in(field: MarcField, record: MarcRecord | None) -> Part:
    relators = []
    for code, value in field.subfields:
        if code in "e4":
            relators.append((code, value))
        elif code == "5" or (code == "a" and "(Online service)" in value):
            return "none"
    if not relators:
        if record is None or field.tag not in _ADDED or is_corporate(field):
            return "author"
        family = personal(field.text("a").partition(",")[0])
        return responsibility.part_by_statements(_statements(record), family) or "author"
    parts: list[Part] = []
    for code, value in relators:
        word = value.rpartition("/")[2].replace(".", " ").strip(" ,;()[]").casefold()
        word = " ".join(word.split())
        part = name_words.part_or_none(word)
        if part is None and len(words := _RELATORS_APART.split(word)) > 1:
            parts += [known for one in words if (known := name_words.part_or_none(one.strip(" .")))]
        elif part is not None:
            parts.append(part)
        elif code == "4":  # a code of a maker
            parts.append("author")
    main: Part = next((part for part in PARTS if part in parts), "author")
    # Who heads a record made the work, whatever the word: an illustrator's book of pictures.
    return "author" if main == "helper" and field.tag[:1] == "1" else main


def _statements(record: MarcRecord) -> list[Any]:
    found = record.found.get(responsibility.statements)
    if found is None:
        found = record.found[responsibility.statements] = responsibility.statements(record)
    return found


#: Tags of people beside the main entry, and what stands between several relators.
_ADDED = frozenset(("700", "701", "702", "720"))
_RELATORS_APART = late_pattern(r"[,;&]| (?:and|und|et|y|e|og|och|i) ")


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
        for part in _with_suffixes(value.rstrip(". ").split(",")):
            author = initials_last(part)
            if author:
                out.append(author)
    return tuple(out)


def _with_suffixes(parts: Sequence[str]) -> list[str]:
    """The names between commas, each with the "Jr." that a comma parts from it."""
    out: list[str] = []
    for part in map(str.strip, parts):
        if out and suffix_of(part):
            out[-1] = f"{out[-1]} {part}"
        else:
            out.append(part)
    return out


def names_initials(found: Any) -> tuple[Author, ...]:
    """Authors from strings such as "Smith JA", one name each."""
    return tuple(a for v in strings(found) if (a := initials_last(texts.plain(v))))


#: In text whose white space is single blanks.
_COMMA_OR_AND = late_pattern(r", ?(?:and )?| and ")
_BLANKS = late_pattern(r"\s+")


def names_initials_and(found: Any) -> tuple[Author, ...]:
    """Authors from strings such as "Smith JA, Jones K and Brown C", or "... et al."."""
    values = [without_others(text(v) or "") for v in strings(found)]
    return names_initials([part for v in values for part in _with_suffixes(_COMMA_OR_AND.split(v))])


def names_and(found: Any) -> tuple[Author, ...]:
    """Authors from strings such as "A. Smith, B. Jones and C. Brown"."""
    values = [_BLANKS.sub(" ", v) for v in strings(found)]
    pieces = (piece for v in values for piece in v.split(";"))
    return names([part for piece in pieces for part in _with_suffixes(_COMMA_OR_AND.split(piece))])


def names_homonym(found: Any) -> tuple[Author, ...]:
    """DBLP's names, in natural order, without the number that tells homonyms apart."""
    return names([homonym(v) for v in strings(found)])


@remember
def homonym(name: str) -> str:
    """A name of DBLP, family name first and without its number for homonyms: "Wei Wang 0001" ->
    "Wang, Wei".
    """
    name = without_homonym(name)
    author = natural_order(name)
    if author is None or not author.family or not author.given or "," in name:
        return name
    return ", ".join(filter(None, (author.family, author.given, author.suffix)))


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
                out.append(replace(author, affiliation=text(works_at[1])) if works_at else author)
    return tuple(out)


def names_catalogue(found: Any) -> tuple[Author, ...]:
    """Authors from catalogue headings, each once: "Heath, Percy, 1923-", "Zeitgeist Films."."""
    values = [value for value in strings(found) if not has_no_part(value)]
    return tuple(dict.fromkeys(names([personal(value) for value in values])))


def each_once(authors: list[Author]) -> tuple[Author, ...]:
    """The authors, each once; collaborations have thousands."""
    if len(authors) > 1 and len({author.name for author in authors}) < len(authors):
        return tuple(dict.fromkeys(authors))
    return tuple(authors)


#: How many people are read of a list: one more than is kept, by which `cut_fields` sees that there
#: were more.
MOST = {field: LIMITS[field].items + 1 for field in PEOPLE}


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
    return is_clean(said) and "| " not in said and " |" not in said and not _may_have_suffix(said)


def _may_have_suffix(names: str) -> bool:
    """Whether a word such as "Jr." may stand in names that no source has divided wholly."""
    return " Jr" in names or " Sr" in names or " II" in names or " IV" in names


def people(
    find: Callable[[Any], Any],
    parts: Collection[str],
    *,
    editors: bool = False,
    tidy: Callable[[str], str] | None = None,
) -> Converter:
    """A converter for authors that are objects.

    `find`: finds a list of names and of tables with some of the `parts`, which are name, family,
    given, suffix, orcid, affiliation, and "corporate": a name that is not to be split. A text in
    the place of the list holds names with semicolons between.
    """
    # Most sources give given and family name apart, and most names need no cleaning: those go the
    # short way.
    simple = tidy is None and {"family", "given"} <= {*parts}
    field = "editors" if editors else "authors"
    longest = LIMITS[field].before_conversion

    def convert(node: Any, cuts: Cuts | None = None) -> tuple[Author, ...]:
        found = find(node)
        cuts = Cuts() if cuts is None else cuts
        if isinstance(found, str):  # one string where the source usually has a list
            found = re.split("[;；]", found[:MOST_GIVEN])[: MOST[field]]
        authors: list[Author] = []
        for item in found or ():
            if simple and type(item) is dict:  # the short way
                family, given = item.get("family"), item.get("given")
                rare = item.get("name") or item.get("suffix")
                if type(family) is str and type(given) is str and not rare:
                    name = f"{given} {family}"
                    is_usual = (
                        is_clean(name)
                        and not _may_have_suffix(name)
                        and (" " not in family[-5:] or not without_suffix(family).suffix)
                        and given[:1].isupper()
                        and given[:2] != "Et"  # "Et Al." is nobody
                    )
                    if family and given and is_usual and len(name) <= longest:
                        if not name.isascii():
                            name = display_name(given, family)
                        orcid = item.get("orcid")
                        known = identifiers.orcid(orcid) if type(orcid) is str else None
                        works_at = item.get("affiliation")
                        if works_at is not None:
                            works_at = text(cut_value("affiliation", works_at, cuts))
                        authors.append(new_author(name, family, given, known, works_at))
                        continue
            if isinstance(item, str):
                got = {"name": item if len(item) <= longest else cut_value(field, item, cuts)}
            else:
                got = {}
                for part, value in item.items():
                    if value is not None and (type(value) is str or (value := first(value))):
                        got[part] = (
                            value if len(value) <= longest else cut_value(field, value, cuts)
                        )
            if tidy is not None and "name" in got:
                got["name"] = tidy(got["name"])
            if author := _author_of(got):
                authors.append(author)
        return each_once(authors)

    return convert


def _author_of(parts: Mapping[str, str]) -> Author | None:
    author: Author | None
    if "corporate" in parts and "family" not in parts:
        body = texts.without_markup(parts["corporate"])
        author = Author(body, collective=True) if body and not names_nobody(body) else None
    else:
        author = person(
            parts.get("name", ""),
            parts.get("family"),
            parts.get("given"),
            parts.get("orcid"),
            parts.get("suffix"),
        )
    if author and "affiliation" in parts and (works_at := text(parts["affiliation"])):
        author = replace(author, affiliation=works_at)
    return author


#: Whom a field of a record holds.
_PARTS: Mapping[str, Part] = {
    "authors": "author",
    "editors": "editor",
    "translators": "translator",
}


def _with_part(
    fields: Sequence[MarcField], wanted: Part, record: MarcRecord | None
) -> Sequence[MarcField]:
    """Return the fields of the people with this part. Where a work has neither authors nor editors
    nor translators, those who helped stand as its authors.
    """
    parts = {field.part or part_in(field, record) for field in fields}
    if wanted == "author" and "helper" in parts and parts <= {"helper", "none"}:
        wanted = "helper"
    if wanted not in parts:
        return ()
    return fields if len(parts) == 1 else [field for field in fields if field.part == wanted]


def _in_one_script(fields: list[MarcField]) -> list[MarcField]:
    """Without a second main entry in another script, where a catalogue has no 880 for that."""
    mains = [field for field in fields if field.tag == "100"]
    if len(mains) < 2:
        return fields
    latin = _is_latin(mains[0])
    return [field for field in fields if field.tag != "100" or _is_latin(field) == latin]


def _is_latin(field: MarcField) -> bool:
    letter = next(filter(str.isalpha, field.text("a")), "a")
    return unicodedata.name(letter, "").startswith("LATIN")


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
    field: str = "authors",
    tidy: Callable[[str], str] | None = None,
) -> Converter:
    """A converter for people that are MARC fields, whose relators tell authors from editors and
    translators. `field`: of the record. Where no person has a field, the statements of a Chinese
    catalogue tell who they are.
    """
    longest = LIMITS[field].before_conversion
    readers = [(part, _reader(select)) for part, select in parts.items()]
    wanted = _PARTS[field]

    def convert(record: Any, cuts: Cuts | None = None) -> tuple[Author, ...]:
        found = each(record)
        if not found:
            return each_once([*responsibility.people_in_statements(_statements(record), wanted)])
        authors: list[Author] = []
        for item in _with_part(_in_one_script(found[: MOST[field]]), wanted, record):
            got = {}
            for part, read in readers:
                value = read(item)
                if value:
                    if len(value) > longest:
                        value = cut_value(field, value, Cuts() if cuts is None else cuts)
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
        if field.ind2 == "0" and "given" not in got:
            return _under_forename(field, got.get("family", ""), "d")
        return person(
            "",
            personal(got.get("family", "")),
            personal(got.get("given", "")),
            suffix=generation(field.text("c,d")),
        )
    name = personal(name)
    suffix = generation(field.text("c"))
    if field.ind1 == "0" and "," not in name:  # "John Paul $b II": entered under the forename
        return _under_forename(field, name, "b")
    author = of_name(name)
    return with_suffix(author, suffix) if author is not None else None


def _under_forename(field: MarcField, name: str, code: str) -> Author | None:
    """The author who has no family name, with the number in the subfield `code`, or with a byname:
    "John Paul II", "Thomas von Aquin".
    """
    name, number = personal(name), personal(field.text(code))
    behind = "" if number else byname(field.text("c,"))
    if not name or names_nobody(name):
        return None
    return Author(" ".join(filter(None, (name, number, behind))))


def generation(additions: str) -> str:
    """What tells father from son among what stands behind a name: "Jr." of "Jr., Dr.,"."""
    parts = (part.strip(" .;") for part in additions[:_LONGEST_ADDITIONS].split(","))
    return next((found for part in parts if (found := suffix_of(part))), "")


def with_suffix(author: Author, suffix: str) -> Author:
    """An author whose suffix stands apart, with it; unless the name has one, or no parts."""
    if not suffix or not author.family or author.suffix:
        return author
    return replace(author, name=f"{author.name} {suffix}", suffix=suffix)
