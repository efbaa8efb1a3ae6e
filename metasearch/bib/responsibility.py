"""Statements of responsibility: who did what for a work, in the words of its title page.

Catalogues write them beside the title: 245 $c of MARC 21 ("by Ada Byron ; edited by Bo Li"), 200 $f
and $g of UNIMARC (谢小忠著, 李明译). They tell what a person did whose own field does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from metasearch.bib import name_words
from metasearch.bib.bylines import people_in
from metasearch.bib.marc import MarcRecord, Part
from metasearch.bib.normalise import has_cjk
from metasearch.late_pattern import late_pattern
from metasearch.record import Author

#: The tag of UNIMARC in which people may be named who have no field of their own.
STATED = "200"
#: Characters of a statement that are read, and statements of a record.
_LONGEST, _MOST = 1_000, 20
#: How a statement opens; all others name authors.
_OPENING: dict[Part, str] = {
    "translator": (
        r"(?:newly |freely )?transl(?:ated|\.)|trad(?:uit|uction|uzione|ucción|ução|ucid[oa]|\.)"
        r"|tradotto|übers(?:etzt|etzung|\.)|перевод|пер\."
    ),
    "editor": (
        r"edited|ed\. by|editors?\b|editado|edición de|a cura|éd(?:ité|ition|\.) |sous la dir"
        r"|dir(?:igé|\.) |hrsg|hg\.|herausgegeben|coord|organiza|под ред|ред\."
    ),
    "helper": (
        r"illus|ill\.|drawings|with an? (?:introd|foreword|preface)|introd|foreword|preface|préf"
        r"|postf|(?:mit einem )?vorw|mit einer einl|prólogo|photogr"
    ),
}
_OPENS = {part: late_pattern(rf"\W?(?:{words})", re.IGNORECASE) for part, words in _OPENING.items()}
#: How one ends.
_ENDING: dict[Part, str] = {
    "editor": r"eds?|editors?|hrsg|hg|dirs?|coords?|orgs?",
    "translator": r"transl|translators?|trad|traducteurs?",
}
_ENDS = {
    part: late_pattern(rf"[ ,(\[](?:{words})\.?\W?$", re.IGNORECASE)
    for part, words in _ENDING.items()
}
_HAN_ROLE = late_pattern(
    rf"(?<!\s)\s*[\[［(（]?((?:等|合|共)?(?:{name_words.HAN_ROLES}))[\]］)）]?$"
)
_NATIONALITY = late_pattern(r"[\[［(（〔][^\[\]［］()（）〔〕]{1,8}[\]］)）〕]")


class Statement(NamedTuple):
    """One statement: its text, the same in small letters, and what those did whom it names."""

    text: str
    folded: str
    part: Part


def statements(record: MarcRecord) -> list[Statement]:
    """Those of a record, each alone."""
    found = [
        text
        for field in record.fields(STATED)[:1]
        for code, text in field.subfields
        if code in "fg"
    ]
    found += (part for text in record.texts("245", "c") for part in text[:_LONGEST].split(" ; "))
    texts = [" ".join(text[:_LONGEST].split()).strip(" ;/.,") for text in found[:_MOST]]
    return [Statement(text, text.casefold(), part_of(text)) for text in texts]


def part_of(statement: str) -> Part:
    """What those did whom a statement names."""
    if has_cjk(statement) and (role := _HAN_ROLE.search(statement)):
        return name_words.part_of(role[1])
    for part, opens in _OPENS.items():
        if opens.match(statement):
            return part
    return next((part for part, ends in _ENDS.items() if ends.search(statement)), "author")


def part_by_statements(said: Sequence[Statement], family: str) -> Part | None:
    """What somebody did, by the first statement that has the name; None where none has."""
    if not family:
        return None
    name = family.casefold()
    return next((statement.part for statement in said if name in statement.folded), None)


def people_in_statements(said: Sequence[Statement], part: Part) -> Iterator[Author]:
    """Whom the statements in characters name for a part; the names of others are hard to tell from
    the words around them.
    """
    for statement in said:
        if statement.part == part and has_cjk(statement.text):
            yield from people_in(_NATIONALITY.sub(" ", _HAN_ROLE.sub("", statement.text)))
