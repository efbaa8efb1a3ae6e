"""The table that describes the syntax of one database, by which `reader.py` reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from metasearch.message import message
from metasearch.query.field_targets import FieldTarget

_ANYWHERE = message("looked for everywhere: there is no field for it")
_HEADING = message("looked for among keywords and subject headings")
_OTHER_DATE = message("read as the date of publication")

ANY = FieldTarget(("any",))
TITLE = FieldTarget(("title",))
ABSTRACT = FieldTarget(("abstract",))
TITLE_ABSTRACT = FieldTarget(("title", "abstract"))
TOPIC = FieldTarget(("title", "abstract", "subject"))
AUTHOR = FieldTarget(("author",))
FIRST_AUTHOR = FieldTarget(
    ("author",), message("looked for among all authors: sources cannot be asked for their order")
)
VENUE = FieldTarget(("venue",))
SUBJECT = FieldTarget(("subject",))
HEADING = FieldTarget(("subject",), _HEADING, heading=True)
YEAR = FieldTarget(("year",))
ENTRY_DATE = FieldTarget(("year",), _OTHER_DATE)
LANGUAGE = FieldTarget(("language",))
TYPE = FieldTarget(("type",))
DOI = FieldTarget(("doi",))
ISSN = FieldTarget(("issn",))
ISBN = FieldTarget(("isbn",))
NUMBER = FieldTarget(("any",), _ANYWHERE)
#: Of what nothing here holds: affiliations, grants, countries.
NOWHERE = FieldTarget(())

Operator = Literal["AND", "OR", "NOT"]
#: A form that all these databases know, or that none takes for a word: it is never searched for as
#: one.
NEAR_ANYWHERE = r"(?:adj[0-9]{1,2}|(?:near|onear|next|pre|w|n|p)/[0-9]{1,3})"


@dataclass(frozen=True, slots=True)
class DatabaseGrammar:
    """The syntax of one database.

    Attributes:
        name: A key of `metasearch.query.syntaxes.SYNTAXES`.
        title: What people call the database.
        codes: Field code in small letters -> where its words are looked for. The first code of a
            place is the usual one, for writing.
        prefix: Matches a code and its sign before what it holds for: group 1 is the code, or
            several with commas. None where there is no such thing.
        suffix: Matches the sign and codes after what they hold for: group 1 is the codes, with
            commas.
        near: Matches a whole word that is an operator of proximity, beside those of
            `NEAR_ANYWHERE`.
        order: Which operators bind more closely than others, without brackets; the closest first.
        wild: Signs that stand for letters.
        endless: Those of them that stand at the end of a word for any letters.
        phrases: Whether words side by side follow one another; otherwise all must occur.
        quotes: Opening sign -> closing one, beside double quotes.
        reference: Matches a whole word that names an earlier line: group 1 is its number.
    """

    name: str
    title: str
    codes: Mapping[str, FieldTarget]
    prefix: re.Pattern[str] | None = None
    suffix: re.Pattern[str] | None = None
    near: re.Pattern[str] = re.compile(NEAR_ANYWHERE, re.IGNORECASE)
    order: tuple[Operator, ...] = ("NOT", "AND", "OR")
    wild: str = "*?"
    endless: str = "*"
    phrases: bool = False
    quotes: Mapping[str, str] = field(default_factory=dict)
    reference: re.Pattern[str] = re.compile(r"#([0-9]{1,4})")
    default: FieldTarget = ANY


def codes(*rows: tuple[str, FieldTarget]) -> Mapping[str, FieldTarget]:
    """Rows ("ti title", TITLE) -> code -> place."""
    return {code: tag for names, tag in rows for code in names.split()}


def near(*more: str) -> re.Pattern[str]:
    """The operators of proximity of a database, as `DatabaseGrammar.near`."""
    return re.compile("|".join((NEAR_ANYWHERE, *more)), re.IGNORECASE)
