"""CCL, the query language of pazpar2 and of Z39.50 clients, as Index Data's YAZ reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import cast

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, every, exact, near, wider
from metasearch.query.places import JoinOperator, Places
from metasearch.query.reader import ReadQuery, Span, in_fields, read_or_suggest, truncatable, words
from metasearch.query.scanner import LossReader
from metasearch.query.tree import (
    CODED_FIELDS,
    IDENTIFIERS,
    Near,
    Query,
    Years,
    conjunction,
    is_blank,
    plain,
)
from metasearch.query.values import BadYears, years_of_date, years_of_sign

# The words of CCL: scanned, and turned into terms of our fields.

_OPERATORS = {"and": "AND", "or": "OR", "not": "NOT"}
_NAME = r'[^\s()"=<>,]{1,40}'
#: Each part is bounded, so that a long text without a relation is read once.
QUALIFIED = re.compile(rf"({_NAME}(?:\s{{0,5}},\s{{0,5}}{_NAME}){{0,9}})\s{{0,5}}(<=|>=|<>|[=<>])")
_PROXIMITY = re.compile(r"([%!])([0-9]{0,3})")
#: A qualifier with a colon, which CCL does not have: a word to others.
_COLON = re.compile(r"([A-Za-z-]{2,15}):(?=\S)")
_WORD_ENDS = '()="<>'
#: Signs that stand for letters; only those of `_TRUNCATES` may, at the end of a word.
_MASKS, _TRUNCATES = "?*#", "?*"


class CclTermReader(LossReader):
    def __init__(self, text: str, syntax: str = "ccl") -> None:
        super().__init__(text, syntax)
        #: How often something was read more widely than it is meant.
        self.more = 0

    def note_wider(self, sentence: str) -> None:
        self.more += 1
        self.note(sentence)

    def proximity(self) -> re.Match[str] | None:
        """The operator of proximity that is next, left where it is: `%3`, and `!3` in order."""
        self.here()
        return _PROXIMITY.fullmatch(self.text, self.at, self.word_end())

    def operator(self) -> tuple[str, Span] | None:
        name = self.peek_operator()
        if name is None:
            return None
        start, self.at = self.at, self.word_end()
        return name, (start, self.at)

    def peek_operator(self) -> str | None:
        self.here()
        end = self.word_end()
        name = _OPERATORS.get(self.text[self.at : end].lower()) if end - self.at <= 3 else None
        # "or=" is no operator, and no known qualifier either.
        return name if name is None or not QUALIFIED.match(self.text, self.at) else None

    def word_end(self) -> int:
        end = self.at
        while end < len(self.text) and not is_blank(self.text[end]):
            if self.text[end] in _WORD_ENDS:
                break
            end += 1
        return end

    def terms(self, fields: Sequence[str]) -> Query:
        """Words and phrases up to the next operator, qualifier or bracket."""
        parts: list[Query] = []
        run: list[tuple[str, bool]] = []
        start = self.at

        def end_run() -> None:
            if run:
                parts.append(self.in_all(fields, (start, self.at), [*run]))
                run.clear()

        while (char := self.here()) and char not in "()=<>":
            if ((parts or run) and self.ends_terms()) or self.proximity():
                break
            where = self.at
            if char == '"':
                end_run()
                phrase = self.take_quote('"')
                self.count(where, self.at)
                parts.append(self.phrase(phrase, fields, (where, self.at)))
            else:
                run.append(self.word())
        end_run()
        if not parts:  # a sign of proximity alone
            raise self.lacks((start, start + 1), "after")
        return conjunction(*parts)

    def ends_terms(self) -> bool:
        return bool(self.peek_operator() or QUALIFIED.match(self.text, self.at))

    def word(self) -> tuple[str, bool]:
        """Take a word: (the word, whether it is truncated)."""
        start, self.at = self.at, self.word_end()
        self.count(start, self.at)
        raw = self.text[start : self.at]
        bare = raw.rstrip(_TRUNCATES)
        colon = _COLON.match(raw)
        if colon and (colon[1].lower() in QUALIFIERS or colon[1].lower() in NOWHERE):
            fix = self.with_replacement(start + colon.end(1), start + colon.end(), "=")
            reason = message("A qualifier stands before an equals sign: {name}=...", name=colon[1])
            raise self.error(reason, start, self.at, fix=fix, kind="relation")
        if bare and not any(sign in bare for sign in _MASKS):
            return plain(bare), raw != bare
        shown = next(sign for sign in _MASKS if sign in raw)
        stripped = "".join(char for char in raw if char not in _MASKS)
        reason = message(
            "{shown} can stand only at the end of a word, for any letters", shown=shown
        )
        if shown == "#":
            reason = message("# for one letter is not supported")
        if not any(map(str.isalnum, stripped)):
            raise self.error(
                reason, start, self.at, advice=message("Add a word to look for."), kind="masking"
            )
        fix = self.with_replacement(start, self.at, stripped)
        raise self.error(reason, start, self.at, fix=fix, kind="masking")

    def in_all(
        self, fields: Sequence[str], where: Span, texts: Sequence[tuple[str, bool]]
    ) -> Query:
        cut = any(truncated for _, truncated in texts)

        def of(field: str) -> Query:
            if field in CODED_FIELDS:
                return self.code_term(" ".join(word for word, _ in texts), field, where, cut=cut)
            if field in IDENTIFIERS and cut:
                raise self.star_in_number(field.upper(), *where)
            return truncatable(texts, field)

        return in_fields(fields, of)

    def phrase(self, text: str, fields: Sequence[str], where: Span) -> Query:
        def of(field: str) -> Query:
            if field in CODED_FIELDS:
                return self.code_term(text, field, where)
            if field == "author" and len(names := text.replace(",", " ").split()) > 1:
                self.note(
                    message(
                        "the words of a name are looked for in any order: databases write names "
                        "in different orders"
                    )
                )
                return words(" ".join(names), field)
            return words(text, field, phrase=" " in text and field not in IDENTIFIERS)

        return in_fields(fields, of)

    # ---------------------------------------------------------------- dates

    def years(self, relation: str) -> Query:
        """The years of a date, a word or a text in quotes."""
        start = self.at
        if self.here() == '"':
            value = self.take_quote('"')
        else:
            self.at = self.word_end()
            value = plain(self.text[start : self.at])
        self.count(start, self.at)
        try:
            years, whole = years_of_date(value)
            ordered = relation in ("<", "<=", ">", ">=")
            if ordered and years.first != years.last:
                raise BadYears(message("{relation} takes one year", relation=relation))
        except BadYears as bad:
            advice = message("Write a year with four digits.")
            raise self.misread(bad, start, self.at, advice, kind="term") from None
        if not whole:
            self.note_wider(message("only the year of a date is searched"))
        return self.years_of_relation(relation, years, (start, self.at))

    def years_of_relation(self, relation: str, years: Years, where: Span) -> Query:
        year = years.first
        if relation in ("=", "<>") or year is None:
            return years
        if (relation, year) in (("<", 1), (">", 9999)):
            advice = message("Write another year.")
            raise self.error(message("There is no such year"), *where, advice=advice, kind="term")
        return years_of_sign(relation, year)


# CCL -> `ReadQuery`, after the grammar of YAZ (https://software.indexdata.com/yaz/doc/tools.html):
#
#     query      = operand { ( "and" | "or" | "not" ) operand }      left to right, no precedence
#     operand    = "(" query ")" | [ qualifiers relation ] ( "(" query ")" | terms )
#     qualifiers = name { "," name }                                 in one field or another
#     relation   = "=" | "<" | "<=" | ">" | ">=" | "<>"              all but "=" compare dates
#     terms      = words { proximity words }                         %3, and !3 in this order
#     words      = ( word [ "?" ] | phrase ) { word [ "?" ] | phrase }
#
# Operators are read whatever their case. Words side by side must all occur; "?" at the end of a
# word stands for any letters, and so does "*". Operands without an operator between them are joined
# by AND.

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
    "pmid": ("pmid",),
    "pmcid": ("pmcid",),
    "arxiv": ("arxiv",),
    "trial": ("trial",),
    "type": ("medium", "type"),
    "language": ("la", "language"),
    "year": ("date", "year", "yr", "dp", "py"),
}
#: Qualifiers of YAZ's own settings that no field here holds: class code, note, affiliation, date of
#: acquisition.
NOWHERE = frozenset({"cc", "note", "af", "da"})
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


def read_places(text: str, places: Places) -> Clause:
    """What a query means; what stands where is added to `places`. Raises QuerySyntaxError."""
    reader = _CclParser(text)
    reader.places = places
    return reader.all_of(lambda: reader.query(_ANYWHERE))


def _read(text: str) -> ReadQuery:
    reader = _CclParser(text)
    return reader.result_of(reader.all_of(lambda: reader.query(_ANYWHERE)))


class _CclParser(CclTermReader):
    # ---------------------------------------------------------------- the grammar

    def query(self, fields: Sequence[str]) -> Clause:
        if operator := self.operator():
            raise self.lacks(operator[1], "before")
        start = left = self._first()
        first = self.near_one_another(None, fields)
        rest: list[tuple[str, Clause]] = []
        while self.here() not in ("", ")"):
            operator = self.operator()
            if operator and operator[0] == "AND" and (also := self.operator()):
                if also[0] != "NOT":
                    raise self.lacks(operator[1], "after")
                operator = also
            name, where = operator or ("AND", None)
            begin = self._first()
            right = self.near_one_another(where, fields)
            if self.places is not None and where is not None:
                sides = (left, where[0]), (begin, self.at)
                joins = cast("JoinOperator", name)
                self.places.join(joins, where, sides, len(self.open), start)
            left = begin
            rest.append(("AND", self.exclusion(right, begin)) if name == "NOT" else (name, right))
        return self.join(first, rest, start)

    def near_one_another(self, after: Span | None, fields: Sequence[str]) -> Clause:
        """Operands with operators of proximity between them; the field of the first holds for
        those behind it.
        """
        self.named = fields
        parts, distances = [self.operand(after, fields)], set[tuple[int, bool]]()
        shown: dict[str, None] = {}
        while sign := self.proximity():
            self.at = sign.end()
            shown[sign[0]] = None
            distances.add((max(int(sign[2] or 1) - 1, 0), sign[1] == "!"))
            parts.append(self.operand(sign.span(), self.named))
        if not shown:
            return parts[0]
        within, ordered = min(distances)
        clause = near(parts, within, ordered=ordered)
        if len(distances) > 1:
            clause = Clause(every(parts).widest, None)
        self.losses.add("near" if isinstance(clause.widest, Near) else "same", ", ".join(shown))
        return clause

    def operand(self, after: Span | None, fields: Sequence[str]) -> Clause:
        """What stands behind an operator. `after`: its place; None where a query begins."""
        relation, whole = "=", self._first()
        if match := QUALIFIED.match(self.text, self._first()):
            fields, relation = self.fields(match), match[2]
            self.at, after = match.end(), match.span()
        self.named = fields
        char = self.here()
        if char == "(" and (relation == "=" or fields == ("year",)):
            opening = self.enter()
            clause = self.query(fields)
            self.leave(opening)
            self.named = fields
            return clause
        if char in ("", ")") or self.peek_operator() or self.proximity():
            if after is None:
                raise (
                    self.no_opening(self.at)
                    if char == ")"
                    else self.lacks(self._sign_here(), "before")
                )
            raise self.lacks(after, "after")
        if char in "=<>":
            reason = message("{char} needs a qualifier before it, as in ti=word", char=char)
            raise self.needless(reason, self.at, self.at + 1)
        if not fields:
            return self.nowhere(after)
        before, begin = self.more, self.at
        if fields == ("year",):
            query: Query = self.years(relation)
        elif relation in ("=", "<>"):
            query = self.terms(fields)
        else:
            assert after is not None
            reason = message(
                "{relation} compares dates, as in date{relation}2015", relation=relation
            )
            fix = self.with_replacement(*after, self.text[slice(*after)].replace(relation, "="))
            raise self.error(reason, *after, fix=fix, kind="relation-and-index")
        clause = exact(query) if self.more == before else wider(query)
        if self.places is not None:
            words = self.text[begin : self.at].strip()
            quoted = len(words) > 1 and words[0] == words[-1] == '"'
            self.places.term(
                self.text,
                words.strip('"'),
                (whole, self.at),
                " ".join(fields),
                clause,
                quoted=quoted,
                endless="?*!$#",
            )
        return self.exclusion(clause, begin) if relation == "<>" else clause

    def nowhere(self, named: Span | None) -> Clause:
        """The words of a qualifier that no field here holds: ignored, and told."""
        start = named[0] if named else self.at
        self.terms(_ANYWHERE)
        self.losses.add("nowhere", plain(self.text[start : self.at]))
        return IGNORED

    def _sign_here(self) -> Span:
        sign = self.proximity()
        return sign.span() if sign else (self.at, self.at + 1)

    def _first(self) -> int:
        """Where the next character stands that is no blank."""
        self.here()
        return self.at

    def fields(self, match: re.Match[str]) -> tuple[str, ...]:
        """The fields that qualifiers name, each once."""
        fields: dict[str, None] = {}
        for name in map(str.strip, match[1].split(",")):
            if name.lower() in NOWHERE:
                return ()  # one of several that cannot be asked: so is whether it holds
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
        likely = get_close_matches(name.lower(), QUALIFIERS, 1, 0.7)
        start, end = match.span()
        instead = f"{likely[0] if likely else 'term'}{match[2]}"
        reason = message(
            'There is no qualifier "{name}"; there are {names}',
            name=name,
            names=", ".join(QUALIFIERS),
        )
        return self.error(
            reason, start, end, fix=self.with_replacement(start, end, instead), kind="index"
        )
