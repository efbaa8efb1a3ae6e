"""CCL -> `ReadQuery`, after the grammar of YAZ (https://software.indexdata.com/yaz/doc/tools.html):

    query      = operand { ( "and" | "or" | "not" ) operand }      left to right, no precedence
    operand    = "(" query ")" | [ qualifiers relation ] ( "(" query ")" | terms )
    qualifiers = name { "," name }                                 in one field or another
    relation   = "=" | "<" | "<=" | ">" | ">=" | "<>"              all but "=" compare dates
    terms      = ( word [ "?" ] | phrase ) { word [ "?" ] | phrase }

Operators are read whatever their case. Words side by side must all occur; "?" at the end of a word
stands for any letters, and so does "*". Operands without an operator between them are joined by
AND.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.ast import Query
from metasearch.query.ccl.terms import QUALIFIED, CclTermReader
from metasearch.query.nested import Span
from metasearch.query.reading import ReadQuery, read_or_suggest
from metasearch.query.trees import LeftToRight, negation

#: Field, or "year" -> its qualifiers, in small letters. pazpar2's own settings declare `term`,
#: `au`, `ti`, `su`, `isbn`, `issn` and `date`
#: (https://github.com/indexdata/pazpar2/blob/master/etc/settings/defaults.xml); the others are
#: those that services add, and our own names of fields.
_OF_FIELDS = {
    "any": ("term", "any", "wrd", "kw"),
    "title": ("ti", "title"),
    "author": ("au", "author"),
    "subject": ("su", "subject"),
    "venue": ("jt", "journal-title", "venue"),
    "abstract": ("ab", "abstract"),
    "doi": ("doi",),
    "isbn": ("isbn", "isb"),
    "issn": ("issn", "iss"),
    "type": ("medium", "type"),
    "language": ("la", "language"),
    "year": ("date", "year", "yr"),
}
#: Qualifier -> field.
QUALIFIERS: Mapping[str, str] = {
    qualifier: field for field, qualifiers in _OF_FIELDS.items() for qualifier in qualifiers
}
_ANYWHERE = ("any",)


def parse_ccl(text: str) -> ReadQuery:
    """Read a query in CCL. Takes time linear in its length. Raises QuerySyntaxError: it is no CCL,
    or asks for what cannot be searched here.
    """
    return read_or_suggest(_read, text)


def _read(text: str) -> ReadQuery:
    reader = _CclParser(text, "ccl")
    return reader.finished(reader.all_of(lambda: reader.query(_ANYWHERE)))


class _CclParser(CclTermReader):
    # ---------------------------------------------------------------- the grammar

    def query(self, fields: Sequence[str]) -> Query:
        if operator := self.operator():
            raise self.lacks(operator[1], "before")
        joined = LeftToRight(self, self.operand(None, fields))
        while self.here() not in ("", ")"):
            operator = self.operator()
            if operator and operator[0] == "AND" and (also := self.operator()):
                if also[0] != "NOT":
                    raise self.lacks(operator[1], "after")
                operator = also
            name, where = operator or ("AND", None)
            joined.add(name, self.operand(where, fields))
        return joined.query()

    def operand(self, after: Span | None, fields: Sequence[str]) -> Query:
        """What stands behind an operator. `after`: its place; None where a query begins."""
        relation = "="
        if match := QUALIFIED.match(self.text, self._first()):
            fields, relation = self.fields(match), match[2]
            self.at, after = match.end(), match.span()
        char = self.here()
        if char == "(" and (relation == "=" or fields == ("year",)):
            opening = self.enter()
            query = self.query(fields)
            self.leave(opening)
            return query
        if char in ("", ")") or self.peek_operator():
            if after is None:
                raise self.stray()
            raise self.lacks(after, "after")
        if char in "=<>":
            reason = message("{char} needs a qualifier before it, as in ti=word", char=char)
            fix = self.without(self.at, self.at + 1)
            raise self.error(reason, self.at, self.at + 1, fix=fix)
        if fields == ("year",):
            return self.years(relation)
        if relation == "<>":
            return negation(self.terms(fields))
        if relation != "=" and after is not None:
            reason = message(
                "{relation} compares dates, as in date{relation}2015", relation=relation
            )
            fix = self.replaced(*after, self.text[slice(*after)].replace(relation, "="))
            raise self.error(reason, *after, fix=fix, kind="relation-and-index")
        return self.terms(fields)

    def _first(self) -> int:
        """Where the next character stands that is no blank."""
        self.here()
        return self.at

    def fields(self, match: re.Match[str]) -> tuple[str, ...]:
        """The fields that qualifiers name, each once."""
        fields: dict[str, None] = {}
        for name in map(str.strip, match[1].split(",")):
            field = QUALIFIERS.get(name.lower())
            if field is None:
                raise self.unknown(match, name)
            fields[field] = None
        if "year" in fields and len(fields) > 1:
            reason = message("A date is no word of another field")
            advice = message("Write date=2015 as a part of its own.")
            raise self.error(reason, *match.span(1), advice=advice, kind="index")
        return tuple(fields)

    def unknown(self, match: re.Match[str], name: str) -> QuerySyntaxError:
        near = get_close_matches(name.lower(), QUALIFIERS, 1, 0.7)
        start, end = match.span()
        instead = f"{near[0] if near else 'term'}{match[2]}"
        reason = message(
            'There is no qualifier "{name}"; there are {names}',
            name=name,
            names=", ".join(QUALIFIERS),
        )
        return self.error(reason, start, end, fix=self.replaced(start, end, instead), kind="index")
