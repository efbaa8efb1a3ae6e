"""Names as library catalogues write them: headings of MARC 1XX and 7XX fields, and Dublin Core made
from those.

A heading identifies an authority record; what an author list wants of it is the name alone, without
dates, fuller forms, relators and the field's final punctuation.
"""

from __future__ import annotations

from metasearch.bib import markup
from metasearch.bib.marc import MarcField, Part
from metasearch.bib.names import roles
from metasearch.bib.names.roles import PARTS, part_of
from metasearch.bib.names.words import FIRMS
from metasearch.bib.remembered import remembered
from metasearch.late_pattern import late_pattern

_LIFE_DATES = late_pattern(
    r",?\s*(?:[(\[]?(?:b\.|d\.|fl\.|ca\.|active|approximately|born|geb\.|gest\.)?\s*(?:1[0-9]{3}|20\d\d)\??.*)$"
)
# Dublin Core has no place for a role but the name: "Doe, Jane [Hrsg.]", "山田太郎 著".
_ROLE = late_pattern(
    rf"\s*\[[^\[\]]*\]$|\.(?:{'|'.join(roles.CODES_BEHIND_NAMES)})$"
    rf"|(?<=\w)[ \u3000](?:{'|'.join(roles.JAPANESE)})$"
)
_RELATOR = late_pattern(rf",\s*({'|'.join(roles.WRITTEN_OUT)})\.?$")
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
    value = markup.plain(name)
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
    value = markup.plain(name).rstrip(" ,;:/")
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
    for code, text in field.subfields:
        if code in "e4":
            relators.append(text)
        elif code == "5" or (code == "a" and "(Online service)" in text):
            return "none"
    if not relators:
        return "author"
    words = [text.rpartition("/")[2].strip(" .,;()[]").casefold() for text in relators]
    parts = [part_of(word) for word in words]
    return next(part for part in PARTS if part in parts)
