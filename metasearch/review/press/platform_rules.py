"""Rules of platforms: fields, operators and signs for letters of another one, and what this one
does not take.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from metasearch.message import message
from metasearch.query.places import PlacedTerm
from metasearch.query.syntaxes import NAMES
from metasearch.query.writer import style_of
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Level, levels
from metasearch.review.press.vocabulary import is_word

_QUOTED = re.compile(r"\"[^\"\n]{0,900}\"|(?<![\w'])'[^'\n]{1,300}'")


@dataclass(frozen=True, slots=True)
class Mark:
    """What one platform writes and others do not.

    Attributes:
        pattern: It, in a text whose quotes are blank.
        syntaxes: Where it is at home.
        fields: Whether it is a field; an operator otherwise.
    """

    pattern: re.Pattern[str]
    syntaxes: frozenset[str]
    fields: bool = True


def _mark(pattern: str, syntaxes: str, *, fields: bool = True, flags: int = 0) -> Mark:
    return Mark(re.compile(pattern, flags), frozenset(syntaxes.split()), fields)


_BEGINS = r"(?:(?<=\A)|(?<=[(\n])|(?<=AND )|(?<=OR )|(?<=NOT )|(?<=and )|(?<=or )|(?<=not ))"
_MARKS = (
    _mark(
        r"(?<=[\w\"*)?$])\s?\[(?:tiab|ti|ab|tw|mh|mesh|mesh terms|majr|nm|ot|pt|la|dp|au|ta|all"
        r"|all fields|title/abstract|title|abstract|text word|publication type|filter|sb)"
        r"(?::(?:noexp|~[0-9]{1,3}))?\]",
        "pubmed",
        flags=re.IGNORECASE,
    ),
    _mark(
        r"(?<=[\w*$?#)\"])\.(?:ti|ab|tw|mp|kw|kf|hw|sh|pt|af|ot|nm|fs|jw|id|tx)"
        r"(?:,(?:ti|ab|tw|kw|kf|hw|sh|pt|af|ot|nm)){0,12}\.(?=[\s)]|\Z)",
        "ovid",
        flags=re.IGNORECASE,
    ),
    _mark(
        r"(?<![\w/])exp\s{1,3}\*?\"?[A-Z][^/\n()]{1,120}/(?=[\s)]|\Z)", "ovid", flags=re.IGNORECASE
    ),
    _mark(r"(?<=[\w*?$)\"' ]):(?:ti|ab|kw|de)(?:,(?:ti|ab|kw|de)){0,6}(?=[\s)]|\Z)",
          "embase cochrane"),
    _mark(r"(?<=['\w ])/(?:exp|de)(?:/mj)?(?=[\s)]|\Z)", "embase"),
    _mark(r"(?<!\w)TITLE-ABS(?:-KEY(?:-AUTH)?)?\s?\(", "scopus"),
    _mark(r"(?<!\w)(?:TS|AK|KP)\s?=\s?(?=[\w\"(])", "wos"),
    _mark(r"(?<!\w)(?:TI|AB|SO|AU)\s?=\s?(?=[\w\"(*])", "wos cnki"),
    _mark(_BEGINS + r"(?:TI|AB|MH|MM|SU|TX)\s{1,3}(?=[\w\"(*])", "ebsco"),
    _mark(r"\[mh\s[^\[\]\n]{1,150}\]|MeSH\sdescriptor:?\s{0,3}\[", "cochrane"),
    _mark(r"(?<!\w)(?:MESH|MAINSUBJECT|SU)\.(?:EXACT|X)(?:\.EXPLODE)?\(", "proquest"),
    _mark(r"(?<!\w)adj[0-9]{1,2}(?!\w)", "ovid", fields=False, flags=re.IGNORECASE),
    _mark(r"(?<!\w)NEAR/[0-9]{1,3}(?!\w)", "wos embase cochrane proquest ieee simple acm",
          fields=False, flags=re.IGNORECASE),
    _mark(r"(?<!\w)W/[0-9]{1,3}(?!\w)", "scopus", fields=False, flags=re.IGNORECASE),
    _mark(r"(?<!\w)PRE/[0-9]{1,3}(?!\w)", "scopus proquest simple", fields=False,
          flags=re.IGNORECASE),
    _mark(r"(?<=[\w*?#)\"] )[NW][0-9]{1,2}(?= [\w(\"*])", "ebsco", fields=False),
    _mark(r"(?<=[\w*?)\"'] )NEXT(?:/[0-9]{1,2})?(?= [\w(\"'*])", "embase cochrane", fields=False,
          flags=re.IGNORECASE),
)  # fmt: skip
#: Syntaxes whose marks these are compared with; of others too little is known.
_COMPARED = frozenset(
    "pubmed ovid scopus wos ebsco embase cochrane proquest ieee cnki sinomed europepmc acm "
    "vhl".split()
)


def foreign_marks(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Fields and operators that another platform has."""
    if strategy.syntax not in _COMPARED:
        return
    for line in strategy.lines:
        bare = without_quotes(line.text)
        for mark in _MARKS:
            if strategy.syntax in mark.syntaxes:
                continue
            for match in mark.pattern.finditer(bare):
                if not match[0].strip():
                    continue
                start = line.start + match.start()
                end = line.start + len(bare[: match.end()].rstrip())
                typed = strategy.text[start:end].strip()
                home = sorted(mark.syntaxes & NAMES.keys())
                yield Finding(
                    "foreign-field" if mark.fields else "foreign-operator",
                    message(
                        "{typed} is written so in {home}; {database} does not know it",
                        typed=typed[:60],
                        home=", ".join(NAMES[name].in_sentence for name in home[:2]),
                        database=NAMES[strategy.syntax].in_sentence,
                    ),
                    start,
                    end,
                    line.number,
                    _own(strategy, typed, start, end, fields=mark.fields),
                )


def without_quotes(text: str) -> str:
    """The text with blanks for what stands between quotes, which stay."""
    return _QUOTED.sub(
        lambda match: f"{match[0][0]}{' ' * (len(match[0]) - 2)}{match[0][-1]}", text
    )


#: How syntaxes with a field behind a term write titles, abstracts, and both.
_BEHIND: Mapping[str, tuple[str, str, str]] = {
    "pubmed": ("[ti]", "[ab]", "[tiab]"),
    "ovid": (".ti.", ".ab.", ".ti,ab."),
    "embase": (":ti", ":ab", ":ti,ab"),
    "cochrane": (":ti", ":ab", ":ti,ab"),
}


def _own(
    strategy: ReviewedStrategy, typed: str, start: int, end: int, *, fields: bool
) -> Fix | None:
    """The same as this platform writes it, where that is plain."""
    if fields:
        names = re.sub(r"[^a-z,]", "", typed.casefold())
        place = {"ti": 0, "ab": 1, "tiab": 2, "ti,ab": 2, "ab,ti": 2, "tw": 2}.get(names)
        behind = _BEHIND.get(strategy.syntax)
        if place is None or behind is None or typed[:1] not in "[.:":
            return None
        return Fix(start, end, behind[place])
    number = re.sub(r"[^0-9]", "", typed)
    within = max(0, int(number) - typed.casefold().startswith("adj")) if number else 0
    near = style_of(strategy.syntax).near
    if not near:
        return None
    return Fix(start, end, near.strip().format(n=within, next=within + 1))


# ---------------------------------------------------------------- signs for letters


@cache
def _signs(syntax: str) -> str:
    """The signs for letters of a database."""
    own = {"pubmed": "*", "cnki": "", "simple": "*", "wanfang": "", "cql": "*?", "ccl": "*?!$#"}
    if syntax in own:
        return own[syntax]
    from metasearch.query.strategy import line_reader

    wild: str = getattr(line_reader(syntax), "grammar").wild  # noqa: B009
    return wild


_SIGN = re.compile(r"(?<=[A-Za-z])([$?#!%])(?=[A-Za-z]|[$?#!%]?[0-9]?[\s)\"'\[\].:,]|\Z)")
#: A sign at the end of a question, and what C# and the like are called.
_NO_SIGN = re.compile(r"\b[CFJ]#|\?\s{0,3}\Z")


def foreign_signs(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Signs for letters that another platform has."""
    if strategy.syntax not in _COMPARED | {"simple"}:
        return
    own = _signs(strategy.syntax)
    for line in strategy.lines:
        for term in line.terms:
            if not is_word(term):
                continue
            for match in _SIGN.finditer(term.typed):
                sign = match[1]
                counted = term.typed[match.end() : match.end() + 1].isdigit()  # ProQuest's $5
                if sign in own or counted or _NO_SIGN.search(term.typed):
                    continue
                at = term.start + match.start()
                ends = not term.typed[match.end() : match.end() + 1].isalpha()
                fix = None
                if ends:
                    fix = Fix(at, at + 1, "*" if "*" in own and sign in "$?" else "")
                yield Finding(
                    "foreign-wildcard",
                    message(
                        "{sign} stands for no letters in {database}",
                        sign=sign,
                        database=NAMES[strategy.syntax].in_sentence,
                    ),
                    at,
                    at + 1,
                    line.number,
                    fix,
                )


#: Letters that must stand before a sign for any ending, and behind one that begins a word.
_LEAST = {"pubmed": 4, "wos": 3}
#: Platforms that take a sign at the beginning of a word.
_LEADING = frozenset({"wos", "scopus", "cochrane", "ieee", "proquest", "simple"})


#: A sign for letters at the beginning of a word.
_LEADING_SIGN = re.compile(r"(?:\A|(?<=[\s(\"'=]))[*?$](?=\w)")


def signs_in_place(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Signs for letters with too few letters, or where they cannot stand."""
    least = _LEAST.get(strategy.syntax, 0)
    database = NAMES[strategy.syntax].in_sentence
    for line in strategy.lines:
        for term in line.terms:
            if not is_word(term) or term.heading:
                continue
            where = term.start, term.end, line.number
            words = term.text.split()
            alone = term.text and not any(map(str.isalnum, term.text))
            if _LEADING_SIGN.search(term.typed) or (alone and set(term.text) <= set("*?$# ")):
                rest = len(re.sub(r"\W", "", words[0])) if words else 0
                if strategy.syntax not in _LEADING or rest < 3:
                    yield Finding(
                        "wildcard-place",
                        message(
                            "{term}: {database} takes no sign for letters at the beginning of a "
                            "word, or not with so few letters behind it",
                            term=term.typed[:60],
                            database=database,
                        ),
                        *where,
                    )
            letters = sum(map(str.isalnum, term.text))
            if term.truncated and least and len(words) == 1 and letters < least:
                yield Finding(
                    "short-stem",
                    message(
                        "{term}: {database} wants {least} letters before a sign for letters",
                        term=term.typed[:60],
                        database=database,
                        least=least,
                    ),
                    *where,
                )
            if term.truncated and term.text[-1:] in tuple("!@&%+-_.,;:"):
                yield Finding(
                    "wildcard-place",
                    message(
                        "{term}: a sign for letters stands behind a letter",
                        term=term.typed[:60],
                    ),
                    *where,
                )


_MARK_IN_WORD = re.compile(r"[@!^~\\|]|(?<=[0-9])\.(?=[0-9])|(?<=\w)[&](?=\w)")


def ignored_marks(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Marks in words that databases take for blanks."""
    for line in strategy.lines:
        for term in line.terms:
            if not is_word(term) or term.heading:
                continue
            if match := _MARK_IN_WORD.search(term.text):
                yield Finding(
                    "ignored-mark",
                    message(
                        "{term}: databases take {mark} for a blank, so it is no part of what is "
                        "searched",
                        term=term.typed[:60],
                        mark=match[0],
                    ),
                    term.start,
                    term.end,
                    line.number,
                )


# ---------------------------------------------------------------- proximity

#: The largest distance that a platform takes.
_WIDEST = {"wos": 15, "ovid": 99, "scopus": 255, "ebsco": 255}
_NUMBER = re.compile(r"[0-9]+")


def distances(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Operators of proximity with a distance that the platform does not take, with none, or
    between words that AND joins.
    """
    widest = _WIDEST.get(strategy.syntax)
    for line in strategy.lines:
        for level in levels(line):
            for at, join in enumerate(level.joins):
                if join.operator != "NEAR":
                    continue
                typed = strategy.text[join.start : join.end]
                number = _NUMBER.search(typed)
                if number and widest is not None and int(number[0]) > widest:
                    fixed = typed[: number.start()] + str(widest) + typed[number.end() :]
                    yield Finding(
                        "wide-distance",
                        message(
                            "{typed}: {database} takes {widest} words at most",
                            typed=typed,
                            database=NAMES[strategy.syntax].in_sentence,
                            widest=widest,
                        ),
                        join.start,
                        join.end,
                        line.number,
                        Fix(join.start, join.end, fixed),
                    )
                default = {"wos": 15, "cochrane": 6}.get(strategy.syntax)
                if typed.upper() == "NEAR" and default:
                    yield Finding(
                        "no-distance",
                        message(
                            "NEAR without a number: {database} takes {number}",
                            database=NAMES[strategy.syntax].in_sentence,
                            number=default,
                        ),
                        join.start,
                        join.end,
                        line.number,
                        Fix(join.start, join.end, f"{typed}/{default}"),
                    )
                for operand in level.operands[at : at + 2]:
                    if isinstance(operand, Level) and "AND" in operand.operators:
                        yield Finding(
                            "near-and",
                            message(
                                "{typed} stands beside a bracket with AND, which no database "
                                "can read: write it for each word",
                                typed=typed,
                            ),
                            join.start,
                            join.end,
                            line.number,
                        )


# ---------------------------------------------------------------- PubMed

_BEHIND_BRACKET = re.compile(r"\)\s?(\[[^\[\]\n]{1,40}\])")


def fields_of_brackets(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A tag of PubMed behind a bracket, which PubMed does not apply to the words in it."""
    if strategy.syntax != "pubmed":
        return
    for line in strategy.lines:
        for match in _BEHIND_BRACKET.finditer(without_quotes(line.text)):
            start, end = line.start + match.start(1), line.start + match.end(1)
            tag = strategy.text[start:end]
            yield Finding(
                "field-of-bracket",
                message(
                    "PubMed does not apply {tag} to the words in the bracket before it: each word "
                    "needs its own",
                    tag=tag,
                ),
                start,
                end,
                line.number,
                _spread(strategy, line, line.start + match.start(), start, end, tag),
            )


def _spread(
    strategy: ReviewedStrategy, line: ReviewLine, closing: int, start: int, end: int, tag: str
) -> Fix | None:
    """The tag at each word of the bracket that closes at `closing`."""
    depth, at = 0, closing
    while at >= line.start:
        depth += (strategy.text[at] == ")") - (strategy.text[at] == "(")
        if depth == 0:
            break
        at -= 1
    else:
        return None
    inside = [term for term in line.terms if at < term.start and term.end <= closing]
    if not inside:
        return None
    text, last = "", at
    for term in inside:
        own = "" if term.typed.endswith("]") else tag
        text += strategy.text[last : term.end] + own
        last = term.end
    return Fix(at, end, text + strategy.text[last:start].rstrip())


_SMALL = re.compile(r"(?<=\S)(\s)(and|or|not)(?=\s\S)")
#: Databases whose operators are usually written in capitals, and may be in small letters.
_EITHER_CASE = frozenset("wos scopus ebsco embase proquest ieee acm europepmc vhl simple".split())


def small_operators(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Operators in small letters, where a database takes them for words; the first one where it
    reads them all the same.
    """
    if strategy.syntax in _EITHER_CASE:
        yield from _first_small(strategy)
    if strategy.syntax != "pubmed":
        return
    for line in strategy.lines:
        if not line.losses.get("word") and not line.losses.get("lower case"):
            continue
        bare = without_quotes(line.text)
        for match in _SMALL.finditer(bare):
            start, end = line.start + match.start(2), line.start + match.end(2)
            yield Finding(
                "small-operator",
                message(
                    "{database} takes {word} in small letters for a word: write {capitals}",
                    database=NAMES[strategy.syntax].in_sentence,
                    word=match[2],
                    capitals=match[2].upper(),
                ),
                start,
                end,
                line.number,
                Fix(start, end, match[2].upper()),
            )


def _first_small(strategy: ReviewedStrategy) -> Iterator[Finding]:
    for line in strategy.lines:
        if match := _SMALL.search(without_quotes(line.text)):
            start, end = line.start + match.start(2), line.start + match.end(2)
            yield Finding(
                "small-operator",
                message("{word} in small letters: is it an operator?", word=match[2]),
                start,
                end,
                line.number,
                Fix(start, end, match[2].upper()),
                sure=False,
            )
            return


_OPERATOR_SIGN = re.compile(r"(?<=[\w\])\"*] )(&&|\|\||&|\|)(?= [\w(\"])")


def operator_signs(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """`|` and `&` in place of words."""
    for line in strategy.lines:
        for match in _OPERATOR_SIGN.finditer(without_quotes(line.text)):
            start, end = line.start + match.start(), line.start + match.end()
            word = "OR" if match[1][0] == "|" else "AND"
            yield Finding(
                "operator-sign",
                message("{sign}: {word} is read more easily", sign=match[1], word=word),
                start,
                end,
                line.number,
                Fix(start, end, word),
            )


def missing_operators(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Brackets, or phrases in quotes, side by side without an operator."""
    if strategy.syntax == "simple":
        return  # there, what stands side by side has to hold
    for line in strategy.lines:
        for level in levels(line):
            for at, join in enumerate(level.joins):
                both = level.operands[at : at + 2]
                if join.start != join.end or len(join.operands) < 2 or len(both) < 2:
                    continue
                left, right = join.operands
                brackets = all(isinstance(one, Level) for one in both) and (
                    strategy.text[left[1] - 1] == ")" and strategy.text[right[0]] == "("
                )
                phrases = all(isinstance(one, PlacedTerm) and one.quoted for one in both)
                if not (brackets or phrases) or "\n" in strategy.text[left[1] : right[0]]:
                    continue
                yield Finding(
                    "missing-operator",
                    message("No operator stands here: AND is read"),
                    left[1],
                    right[0],
                    line.number,
                    Fix(left[1], right[0], " AND "),
                    sure=brackets,
                )


RULES: tuple[Rule, ...] = (
    foreign_marks,
    foreign_signs,
    signs_in_place,
    ignored_marks,
    distances,
    fields_of_brackets,
    small_operators,
    operator_signs,
    missing_operators,
)
