"""The query as a tree, whatever syntax it was typed in; its limits, and what parts its words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from metasearch.message import Message, message

#: Characters of a query.
MAX_LENGTH = 30_000
#: Kinds of operators inside one another: AND in OR in AND.
MAX_DEPTH = 60
#: Words, phrases and year ranges of a query, each counted as one.
MAX_TERMS = 1_000
#: Lines of a strategy.
MAX_LINES = 300

_CORRECTIONS = 8
#: Characters of a text that is corrected more than once: each correction reads all of it.
_CORRECTED = 2_000


def corrections(candidate: str | None) -> int:
    """How many mistakes of a query are corrected one after the other for a suggestion."""
    return _CORRECTIONS if len(candidate or "") <= _CORRECTED else 1


# Control, zero-width and direction characters come with copied text; none of them belongs to a
# word.
_INVISIBLE = frozenset(
    map(
        chr,
        [
            *range(32),
            *range(0x7F, 0xA0),
            0x200B,
            0x200E,
            0x200F,
            *range(0x202A, 0x202F),
            *range(0x2066, 0x206A),
        ],
    )
) | {"\ufeff", "\ufffe", "\uffff"}


def is_blank(char: str) -> bool:
    """Whether a character separates words."""
    return char.isspace() or char in _INVISIBLE


def plain(text: str) -> str:
    """Single blanks between words, and nothing that cannot be seen."""
    return " ".join("".join(" " if is_blank(char) else char for char in text).split())


#: Fields that a term can be looked for in; "any" is everything that the source searches by default.
#: The text of a "type" is one of `metasearch.record.TYPES`, that of a "language" its ISO 639-1
#: code.
FIELDS = (
    "any",
    "title",
    "author",
    "venue",
    "abstract",
    "subject",
    "doi",
    "isbn",
    "issn",
    "pmid",
    "pmcid",
    "arxiv",
    "trial",
    "type",
    "language",
)

#: Fields that hold numbers, not words; PMCIDs with their letters, arXiv's without a version.
IDENTIFIERS = frozenset({"doi", "isbn", "issn", "pmid", "pmcid", "arxiv", "trial"})
#: Those of them that stand in the texts of works: where there is no field for one, it is looked for
#: as a word.
IN_TEXTS = frozenset({"trial"})
#: Coded fields: their text is one word of a closed list. They narrow a search; alone they
#: are no search.
CODED_FIELDS = frozenset({"type", "language"})
#: Field -> its name in sentences for people.
FIELD_WORDS: Mapping[str, Message] = {
    "any": message("any"),
    "title": message("title"),
    "author": message("author"),
    "venue": message("venue"),
    "abstract": message("abstract"),
    "subject": message("subject"),
    "type": message("type"),
    "language": message("language"),
    "year": message("year"),
}
_CODED_ALONE = {
    "types": message("types"),
    "languages": message("languages"),
    "types and languages": message("types and languages"),
}


#: How a strategy may name a subject: by mere words, by a heading, by it and all narrower ones.
Heading = Literal["", "exact", "exploded"]


@dataclass(frozen=True, slots=True)
class Term:
    """Words to look for in one field.

    Attributes:
        text: One or more words, single blanks between them. Several words without `phrase` mean all
            of them, in any order.
        field: One of `FIELDS`.
        phrase: The words must follow one another.
        truncated: Any word that begins so will do ("libr*"). The text is one word then, or a phrase
            whose last word it is, without the sign; in no field of `IDENTIFIERS` or `CODED_FIELDS`.
        heading: Whether a strategy named it as a heading of a vocabulary, alone or with all
            narrower ones; "" for mere words. Databases that know the vocabulary are asked so in
            translations; no source is, so two terms that differ in this alone are equal.
    """

    text: str
    field: str = "any"
    phrase: bool = False
    truncated: bool = False
    heading: Heading = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Years:
    """Published in first..last, both included; None is open. Never both None."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; at least two, none of them an `And`."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds; at least two, none of them an `Or`."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Query


@dataclass(frozen=True, slots=True)
class Near:
    """The parts stand near one another in one text: two at least, terms or alternatives of terms.

    Attributes:
        within: How many other words may stand between one part and the next; 0 for none.
        ordered: Whether they stand in this order.
    """

    parts: tuple[Query, ...]
    within: int
    ordered: bool = False


Query = Term | Years | And | Or | Not | Near


def conjunction(*parts: Query | None) -> Query:
    """AND of the parts that are there, flattened; a single part stands for itself. Raises
    ValueError: no part is there.
    """
    flat: list[Query] = []
    for part in parts:
        if part is not None:
            flat.extend(part.parts if isinstance(part, And) else (part,))
    if not flat:
        raise ValueError("an empty conjunction")
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def disjunction(parts: Iterable[Query]) -> Query:
    """OR of the parts, flattened, each once; a single part stands for itself. Raises ValueError: no
    part is there.
    """
    flat = {
        (inner, inner.heading if isinstance(inner, Term) else ""): inner
        for part in parts
        for inner in (part.parts if isinstance(part, Or) else (part,))
    }
    if not flat:
        raise ValueError("an empty disjunction")
    return next(iter(flat.values())) if len(flat) == 1 else Or(tuple(flat.values()))


def negation(query: Query) -> Query:
    """NOT of it; two of them are none."""
    return query.part if isinstance(query, Not) else Not(query)


def with_joint_negations(query: Query) -> Query:
    """The same query, in which no AND and no OR is of exclusions alone: NOT a AND NOT b is
    NOT (a OR b), and the other way round (De Morgan). What is left of NOT stands beside something
    that holds, or excludes all there is.
    """
    match query:
        case And(parts) | Or(parts):
            parts = tuple(map(with_joint_negations, parts))
            excluded = [part.part for part in parts if isinstance(part, Not)]
            if len(excluded) == len(parts):
                every = isinstance(query, Or)
                return Not(conjunction(*excluded) if every else disjunction(excluded))
            return conjunction(*parts) if isinstance(query, And) else disjunction(parts)
        case Not(part):
            return negation(with_joint_negations(part))
    return query


def terms(query: Query, *, negated: bool = False) -> Iterator[Term]:
    """The terms of a query from left to right; those under a NOT only where `negated`."""
    match query:
        case Term():
            yield query
        case And(parts) | Or(parts) | Near(parts):
            for part in parts:
                yield from terms(part, negated=negated)
        case Not(part) if negated:
            yield from terms(part, negated=negated)


def leaves(query: Query, *, excluded: bool = False) -> Iterator[tuple[Query, bool]]:
    """Each leaf from left to right, and whether it is excluded."""
    match query:
        case And(parts) | Or(parts) | Near(parts):
            for part in parts:
                yield from leaves(part, excluded=excluded)
        case Not(part):
            yield from leaves(part, excluded=not excluded)
        case _:
            yield query, excluded


def with_leaves(query: Query, leaf: Callable[[Query], Query | None]) -> Query | None:
    """The tree with another one in place of each leaf; None takes the leaf out.

    What comes out is flat as a parser would have made it, alternatives stand once each.
    """
    match query:
        case And(parts):
            kept = [new for part in parts if (new := with_leaves(part, leaf)) is not None]
            return conjunction(*kept) if kept else None
        case Or(parts):
            kept = [new for part in parts if (new := with_leaves(part, leaf)) is not None]
            return disjunction(kept) if kept else None
        case Near(parts, within, ordered):
            near = [new for part in parts if (new := with_leaves(part, leaf)) is not None]
            if len(near) < 2:
                return near[0] if near else None
            return Near(tuple(near), within, ordered)
        case Not(part):
            new = with_leaves(part, leaf)
            return None if new is None else negation(new)
    return leaf(query)


def searches(query: Query) -> bool:
    """Whether it names something to look for: more than years, types, languages and exclusions."""
    return any(term.field not in CODED_FIELDS for term in terms(query))


def without_words(query: Query) -> str:
    """What a query consists of that names nothing to look for: "types and languages"."""
    named = list(terms(query, negated=True))
    if any(term.field not in CODED_FIELDS for term in named):
        return message("what is excluded")
    coded = " and ".join(sorted({f"{term.field}s" for term in named}, reverse=True))
    return _CODED_ALONE[coded] if coded else message("years")
