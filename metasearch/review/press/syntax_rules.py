"""Rules of what cannot be read, of values that are none, of what stands beside a query, and of
limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from metasearch.errors import QuerySyntaxError
from metasearch.message import Message, message
from metasearch.query.places import PlacedTerm
from metasearch.query.reader import correction
from metasearch.query.strategy import line_reader
from metasearch.query.syntaxes import DATABASES, NAMES
from metasearch.query.tree import Or, Query, Term, Years, leaves, searches
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.platform_rules import foreign_marks, without_quotes
from metasearch.review.press.reading import Lines, ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Level, levels
from metasearch.review.press.vocabulary import is_limit, is_word

#: How the reason of an error begins -> the code of its finding.
_CODES = (
    (re.compile(r"This bracket|There is nothing (?:between the brackets|after this bracket)"),
     "open-bracket"),
    (re.compile(r"This quote"), "open-quote"),
    (re.compile(r"\{sign\} needs something"), "operator-sequence"),
    (re.compile(r"There is no (?:field|tag)|A tag stands|\{shown\} stands before another"),
     "unknown-field"),
    (re.compile(r"Years are|The year|\{relation\} takes|.{0,40}year"), "bad-year"),
    (re.compile(r".{0,40}(?:star|letter or digit)|\* can stand"), "wildcard-place"),
    (re.compile(r"\{word\} has too few"), "short-stem"),
    (re.compile(r"The query (?:is longer|has more)|Brackets are nested|.{0,40}too many lines"),
     "too-large"),
)  # fmt: skip
_DISTANCE = re.compile(r"\[[a-z/ ]{2,20}:?~[^\]\n]{0,12}\]?", re.IGNORECASE)


def unreadable(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Lines that cannot be read, with the suggestion of their reader."""
    if not any(line.text.strip() for line in strategy.lines):
        yield Finding("unreadable", message("There is no query"), 0, 0)
        return
    if all(line.error is None for line in strategy.lines):
        return
    foreign = [(one.start, one.end) for one in foreign_marks(strategy)]
    for line in strategy.lines:
        error = line.error
        if error is None:
            continue
        whole = len(strategy.text)
        start = min(error.position, whole)
        end = min(error.position + error.length, whole)
        if any(begin <= end and start <= stop for begin, stop in foreign):
            continue  # the reason is told already
        template = error.reason.template if isinstance(error.reason, Message) else error.reason
        code = next((code for pattern, code in _CODES if pattern.match(template)), "unreadable")
        if _DISTANCE.match(strategy.text, start):
            code = "bad-distance"
        yield Finding(
            code,
            error.reason,
            start,
            end,
            line.number,
            None
            if code == "unknown-field" and strategy.syntax != "pubmed"
            else _suggestion(strategy, line, error),
        )


def _suggestion(
    strategy: ReviewedStrategy, line: ReviewLine, error: QuerySyntaxError
) -> Fix | None:
    """The line as its reader would write it."""
    if error.suggestion is None or strategy.syntax not in (*DATABASES, "pubmed", "cnki", "simple"):
        return (error.suggestion and Fix(line.start, line.end, error.suggestion)) or None
    if strategy.syntax == "simple":
        return Fix(line.start, line.end, error.suggestion)
    make = line_reader(strategy.syntax)
    known = None if line.number is None else Lines()
    fixed = correction(lambda text: make(text, known).tree(), error.suggestion)
    return None if fixed is None else Fix(line.start, line.end, fixed)


def open_quotes(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A quote that is never closed, in a line that can be read all the same."""
    for line in strategy.lines:
        if line.error is None and line.text.count('"') % 2:
            at = line.start + line.text.rindex('"')
            yield Finding(
                "open-quote",
                message("The quotes of this line do not match: one of them is never closed"),
                at,
                at + 1,
                line.number,
            )


_DISTANCES = re.compile(
    r"\[[a-z/ ]{2,20}:~(?![0-9]{1,4}\])[^\]\n]{0,12}\]"
    r"|(?<!\w)(?:o?near|next|pre|w)/(?![0-9]{1,3}(?![\w.]))[\w.]{1,9}"
    r"|(?<!\w)(?:adj|[nw])[0-9]{0,2}\.[0-9]{1,3}(?!\w)",
    re.IGNORECASE,
)


def distances_of_tags(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A distance that is no whole number."""
    for line in strategy.lines:
        for match in _DISTANCES.finditer(without_quotes(line.text)):
            if line.error is not None:
                continue
            yield Finding(
                "bad-distance",
                message("{typed}: a distance is a whole number", typed=match[0]),
                line.start + match.start(),
                line.start + match.end(),
                line.number,
            )


_WHOLE = re.compile(r"\s*(\"[^\"]+\"|'[^']+'|“[^”]+”)\s*")
_OPERATES = re.compile(r"\b(?:AND|OR|NOT)\b|\[[a-z]{2,8}\]|\b[A-Z]{2}=")


def whole_in_quotes(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A query in quotes, which is a phrase with operators in it."""
    for line in strategy.lines:
        match = _WHOLE.fullmatch(line.text)
        if match and _OPERATES.search(match[1]):
            yield Finding(
                "text-in-quotes",
                message("The whole query stands in quotes: it is looked for as one phrase"),
                line.start,
                line.end,
                line.number,
                Fix(line.start, line.end, match[1][1:-1]),
            )


_BEFORE = re.compile(r"\s*([A-Za-z][A-Za-z ,-]{2,60}):\s{0,3}(?=[(\"\[A-Za-z])")


def text_beside(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Words before or behind a query that are none of it."""
    if len(strategy.lines) == 1:
        line = strategy.lines[0]
        match = _BEFORE.match(line.text)
        named = line.terms and line.terms[0].text.endswith(":")
        if match and named:
            yield Finding(
                "text-beside",
                message(
                    "{words} is no part of the query, and would be searched for",
                    words=match[1],
                ),
                line.start + match.start(1),
                line.start + match.end(),
                line.number,
                Fix(line.start + match.start(1), line.start + match.end(), ""),
            )
        for kind, words in strategy.notes:
            if kind == "section" and words and (at := strategy.text.find(words)) >= 0:
                end = line.start if line.start > at else at + len(words)
                yield Finding(
                    "text-beside",
                    message("{words} is no part of the query", words=words[:80]),
                    at,
                    end,
                    line.number,
                    Fix(at, end, ""),
                )
    for line in strategy.lines:
        for words in line.losses.get("settings", ()):
            at = line.text.find(words)
            if at < 0:
                continue
            yield Finding(
                "text-beside",
                message("{words} is no part of the query", words=words[:80]),
                line.start + at,
                line.start + at + len(words),
                line.number,
                Fix(line.start + at, line.start + at + len(words), ""),
                sure=False,  # histories print it, and a search leaves it out
            )


def quotes_of_texts(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """The first quote that a word processor made, where databases have straight ones."""
    if strategy.syntax in ("cnki", "sinomed"):
        return
    match = re.search(r"[“”„‟«»″]", strategy.original)
    if match is None:
        return
    from metasearch.query.characters import plain_characters

    at = min(len(plain_characters(strategy.original[: match.start()])), len(strategy.text) - 1)
    line = next((one for one in strategy.lines if one.start <= at < one.end), None)
    yield Finding(
        "typographic-quotes",
        message("{quote}: many databases know only straight quotes", quote=match[0]),
        at,
        at + 1,
        None if line is None else line.number,
    )


# ---------------------------------------------------------------- values

_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+", re.IGNORECASE)


def values(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """DOIs, ISBNs and ISSNs that are none."""
    for line in strategy.lines:
        for term in line.terms:
            field = term.query.field if isinstance(term.query, Term) else ""
            if field == "doi":
                wrong = _DOI.match(term.text.removeprefix("https://doi.org/")) is None
            elif field in ("isbn", "issn"):
                wrong = not _is_number(term.text)
            else:
                continue
            if wrong:
                yield Finding(
                    "bad-identifier",
                    message("{value} is no {field}", value=term.text[:60], field=field.upper()),
                    term.start,
                    term.end,
                    line.number,
                )


def _is_number(text: str) -> bool:
    """Whether it is an ISBN or ISSN with the right check digit."""
    digits = re.sub(r"[^0-9X]", "", text.upper())
    if not re.fullmatch(r"[0-9]{7}[0-9X]|[0-9]{9}[0-9X]|[0-9]{13}", digits):
        return False
    values = [10 if char == "X" else int(char) for char in digits]
    if len(values) == 13:
        return sum(value * (1, 3)[at % 2] for at, value in enumerate(values)) % 10 == 0
    weights = range(len(values), 0, -1)
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) % 11 == 0


def years(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Years alone, and a span that is wider than a database takes."""
    if len(strategy.lines) == 1:
        line = strategy.lines[0]
        meant = line.clause.widest if line.clause else None
        if meant is not None and not searches(meant) and any(map(is_limit, line.terms)):
            yield Finding(
                "year-alone",
                message("Only limits are named here: add a word to look for"),
                line.start,
                line.end,
                line.number,
            )
    if strategy.syntax != "wos":
        return
    for line in strategy.lines:
        for term in line.terms:
            if isinstance(term.query, Years) and re.search(r"[0-9][*?$]", term.typed):
                yield Finding(
                    "wildcard-place",
                    message("{value}: years are written whole", value=term.typed[:60]),
                    term.start,
                    term.end,
                    line.number,
                )
            match term.query:
                case Years(int() as first, int() as last) if last - first > 5 and term.field:
                    yield Finding(
                        "year-span",
                        message(
                            "Some interfaces of Web of Science take five years in one range, "
                            "and this one has {number}",
                            number=last - first + 1,
                        ),
                        term.start,
                        term.end,
                        line.number,
                    )


# ---------------------------------------------------------------- limits

_LIMITS = {
    "date": (
        "limit-date",
        message("Years are limited here: the protocol should give a reason"),
    ),
    "language": (
        "limit-language",
        message("Languages are limited here: that may leave out wanted works"),
    ),
    "type": (
        "limit-type",
        message("Types of works are limited here: that may leave out wanted works"),
    ),
    "other": (
        "limit-other",
        message("A limit: databases apply it only to records that say so, which new ones do not"),
    ),
}


def limits(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """The first limit of each kind."""
    told: set[str] = set()
    for line in strategy.lines:
        for term in line.terms:
            for kind in _kinds(term):
                if kind in told:
                    continue
                told.add(kind)
                code, reason = _LIMITS[kind]
                yield Finding(code, reason, term.start, term.end, line.number)


def _kinds(term: PlacedTerm) -> Iterator[str]:
    if not is_limit(term):
        return
    if term.query is None:
        yield "other"
        return
    for leaf, _ in leaves(term.query):
        if isinstance(leaf, Years):
            yield "date"
        elif isinstance(leaf, Term) and leaf.field in ("language", "type"):
            yield leaf.field


def limits_inside(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Years or a journal beside one of several alternatives, where all seem to be meant."""
    for line in strategy.lines:
        for level in levels(line):
            if level.operator != "OR":
                continue
            for operand in level.operands:
                if not isinstance(operand, Level) or operand.operator != "AND":
                    continue
                narrowed = [
                    one
                    for one in operand.operands
                    if isinstance(one, PlacedTerm) and _narrows(one.query)
                ]
                if not narrowed or len(narrowed) == len(operand.operands):
                    continue
                yield Finding(
                    "limit-inside",
                    message(
                        "{limit} holds for one alternative only; beside all of them it would hold "
                        "for the whole search",
                        limit=narrowed[0].typed[:80],
                    ),
                    narrowed[0].start,
                    narrowed[0].end,
                    line.number,
                )


def _narrows(query: Query | None) -> bool:
    if isinstance(query, Or):
        return all(map(_narrows, query.parts))
    return isinstance(query, Years) or (isinstance(query, Term) and query.field == "venue")


#: Terms of a query that Web of Science takes.
_MOST_TERMS = {"wos": 16_000, "pubmed": 16_000, "ieee": 25}


def too_many_terms(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """More terms in a line than the database takes; in IEEE Xplore 25."""
    most = _MOST_TERMS.get(strategy.syntax)
    for line in strategy.lines:
        number = sum(map(is_word, line.terms))
        if most is not None and number > most:
            yield Finding(
                "too-many-terms",
                message(
                    "{number} terms: {database} takes {most} in one search",
                    number=number,
                    database=NAMES[strategy.syntax].in_sentence,
                    most=most,
                ),
                line.start,
                line.end,
                line.number,
            )


RULES: tuple[Rule, ...] = (
    unreadable,
    open_quotes,
    distances_of_tags,
    whole_in_quotes,
    text_beside,
    quotes_of_texts,
    values,
    years,
    limits,
    limits_inside,
    too_many_terms,
)
