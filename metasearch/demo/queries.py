"""Queries in the dialects of the simulated databases -> the same tree that the rest of metasearch
uses.

A dialect is a function that cuts the text into tokens: brackets, operators, the name of a field
that governs what follows, and terms. `tree` puts them together; NOT binds tighter than AND, AND (or
mere neighbourhood) tighter than OR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from metasearch.query.tree import And, Not, Or, Query, Term, Years

MAX_TOKENS = 1_000
MAX_DEPTH = 40


class NotUnderstood(ValueError):
    """The query breaks the rules of its dialect; the message names what is wrong."""


class UnknownIndex(NotUnderstood):
    """A CQL index that the database does not have."""


@dataclass(frozen=True, slots=True)
class FieldName:
    """The field in which the term or group that follows is looked for."""

    name: str


DialectToken = str | FieldName | Term | Years  # a str is one of ( ) and or not


def tree(tokens: Iterable[DialectToken]) -> Query | None:
    """The query, or None without terms. Raises NotUnderstood: brackets or operators are wrong."""
    reader = _TreeBuilder(list(tokens))
    query = reader.alternatives(0)
    if reader.left:
        raise NotUnderstood("unbalanced brackets")
    return query


class _TreeBuilder:
    def __init__(self, tokens: list[DialectToken]) -> None:
        if len(tokens) > MAX_TOKENS:
            raise NotUnderstood("too many terms")
        self.left = tokens[::-1]
        self.field = "any"

    def next_is(self, *tokens: str) -> bool:
        return bool(self.left) and self.left[-1] in tokens

    def alternatives(self, depth: int) -> Query | None:
        if depth > MAX_DEPTH:
            raise NotUnderstood("nested too deeply")
        parts = [self.together(depth)]
        while self.next_is("or"):
            self.left.pop()
            parts.append(self.together(depth))
        found = [part for part in parts if part is not None]
        return Or(tuple(found)) if len(found) > 1 else next(iter(found), None)

    def together(self, depth: int) -> Query | None:
        parts: list[Query] = []
        while self.left and not self.next_is(")", "or"):
            if self.next_is("and"):
                self.left.pop()
                continue
            part = self.single(depth)
            if part is not None:
                parts.append(part)
        return And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None)

    def single(self, depth: int) -> Query | None:
        if depth > MAX_DEPTH:
            raise NotUnderstood("nested too deeply")
        token = self.left.pop() if self.left else ")"
        match token:
            case "(":
                inner = self.alternatives(depth + 1)
                if not self.next_is(")"):
                    raise NotUnderstood("unbalanced brackets")
                self.left.pop()
                return inner
            case "not":
                part = self.single(depth + 1)
                return None if part is None else Not(part)
            case FieldName(name):
                outer, self.field = self.field, name
                part = self.single(depth + 1)
                self.field = outer
                return part
            case Term(_, "any"):
                return replace(token, field=self.field)
            case Term() | Years():
                return token
            case _:
                raise NotUnderstood(f"unexpected {token!r}")


def plain(text: str, field: str = "any") -> Query | None:
    """Mere words, as Crossref takes them: quotes and operators mean nothing."""
    words = re.sub(r"""["“”()]""", " ", text).split()
    return tree(Term(word, field) for word in words[:MAX_TOKENS] if word not in _OPERATORS)


_LUCENE = re.compile(
    r"""
      submittedDate:["\[]?(?P<first>\d{4})\d*\s+TO\s+(?P<last>\d{4})\d*["\]]?
    | (?P<field>[A-Za-z_.]+):(?=\S)
    | "(?P<phrase>[^"]*)"
    | (?P<sign>[()])
    | (?P<word>[^\s()"]+)
    """,
    re.VERBOSE,
)
_OPERATORS = {"AND": ("and",), "OR": ("or",), "NOT": ("not",), "ANDNOT": ("and", "not")}


def lucene(text: str, fields: Mapping[str, str]) -> Query | None:
    """`ti:word AND (au:"a phrase" OR c) ANDNOT d`. `fields` maps the dialect's names to ours."""
    if text.count('"') % 2:
        raise NotUnderstood("unbalanced quotes")
    return tree(_lucene(text, fields))


def _lucene(text: str, fields: Mapping[str, str]) -> Iterator[DialectToken]:
    for found in _LUCENE.finditer(text):
        match found.lastgroup:
            case "last":
                yield Years(int(found["first"]), int(found["last"]))
            case "field" if found["field"] in fields:
                yield FieldName(fields[found["field"]])
            case "field":
                yield Term(found["field"])
            case "phrase":
                yield Term(" ".join(found["phrase"].split()), phrase=True)
            case "sign":
                yield found["sign"]
            case _:
                yield from _OPERATORS.get(found["word"], (Term(found["word"].rstrip("$")),))


_PUBMED = re.compile(
    r"""
      "?(?P<first>\d{4})[\d/]*"?(?:\[[^\]]*\])?\s*:\s*"?(?P<last>\d{4})[\d/]*"?\[[^\]]*\]
    | (?:"(?P<phrase>[^"]*)"|(?P<word>10\.\d+/[^\s"\[\]]{1,300}(?=\[)|[^\s()"\[\]]+))
      (?:\[(?P<tag>[^\]]*)\])?
    | (?P<sign>[()])
    """,
    re.VERBOSE,
)


def pubmed(text: str, tags: Mapping[str, str]) -> Query | None:
    """`"a phrase"[ti] AND (word OR b[au]) NOT 2010:2020[dp]`; `tags` maps PubMed's to ours."""
    if text.count('"') % 2:
        raise NotUnderstood("unbalanced quotes")
    return tree(_pubmed(text, tags))


def _pubmed(text: str, tags: Mapping[str, str]) -> Iterator[DialectToken]:
    for found in _PUBMED.finditer(text):
        if found["first"]:
            yield Years(int(found["first"]), int(found["last"]))
        elif found["sign"]:
            yield found["sign"]
        elif found["word"] in _OPERATORS and not found["tag"]:
            yield from _OPERATORS[found["word"]]
        else:
            field = tags.get((found["tag"] or "").lower(), "any")
            words = " ".join((found["phrase"] or found["word"] or "").split())
            year = re.fullmatch(r"(\d{4})[\d/]*", words)
            if field == "year" and year:
                yield Years(int(year[1]), int(year[1]))
            elif field == "pmid" and "," in words:  # 1,2[uid] is one of them
                yield from _brackets(_clause(field, "any", words.replace(",", " ")))
            elif words:
                yield Term(
                    words, "any" if field == "year" else field, phrase=found["phrase"] is not None
                )


_CQL_TERM = r'"(?:[^"\\]|\\.)*"|[^\s()"=<>]+'
_CQL = re.compile(
    rf"""
      (?P<sign>[()])
    | (?P<boolean>\b(?:and|or|not)\b)(?!\s*(?:=|<|>))
    | (?P<index>[A-Za-z][\w.]*)\s*
      (?P<relation>==|<>|<=|>=|=|<|>|\b(?:all|any|adj|exact|within)\b)(?:/[\w.=]+)*\s*
      (?P<of>{_CQL_TERM})
    | (?P<bare>{_CQL_TERM})
    """,
    re.VERBOSE | re.IGNORECASE,
)


def cql(text: str, indexes: Mapping[str, str]) -> Query | None:
    """`dc.title all "a b" and dc.date >= 2000`. `indexes` maps the last part of an index's name to
    our fields. Raises UnknownIndex: an index is not among them.
    """
    if _CQL.sub("", text).strip():
        raise NotUnderstood("not CQL")
    return tree(_cql(text, indexes))


def _cql(text: str, indexes: Mapping[str, str]) -> Iterator[DialectToken]:
    for found in _CQL.finditer(text):
        if found["sign"]:
            yield found["sign"]
        elif found["boolean"]:
            yield found["boolean"].lower()
        elif found["bare"]:
            yield from _brackets(_clause("any", "=", _without_quotes(found["bare"])))
        else:
            name = found["index"].rpartition(".")[2].lower()
            if name not in indexes:
                raise UnknownIndex(found["index"])
            yield from _brackets(
                _clause(indexes[name], found["relation"].lower(), _without_quotes(found["of"]))
            )


def _without_quotes(term: str) -> str:
    return " ".join(re.sub(r"\\(.)", r"\1", term.strip('"')).split())


def _brackets(clause: Query) -> Iterator[DialectToken]:
    """An Or of words, as tokens."""
    if isinstance(clause, Or):
        yield "("
        for number, part in enumerate(clause.parts):
            if number:
                yield "or"
            assert isinstance(part, Term)
            yield part
        yield ")"
    else:
        assert isinstance(clause, Term | Years)
        yield clause


def _clause(field: str, relation: str, words: str) -> Query:
    if field == "year":
        return _years(relation, words)
    if relation == "any" and " " in words:
        return Or(tuple(Term(word, field) for word in words.split()))
    return Term(words, field, phrase=relation in ("=", "==", "adj", "exact"))


def _years(relation: str, words: str) -> Years:
    found = [int(year) for year in re.findall(r"\d{4}", words)]
    if not found:
        raise NotUnderstood(f"not a year: {words}")
    first, last = found[0], found[-1]
    match relation:
        case ">=":
            return Years(first, None)
        case ">":
            return Years(first + 1, None)
        case "<=":
            return Years(None, last)
        case "<":
            return Years(None, last - 1)
        case _:
            return Years(first, last)
