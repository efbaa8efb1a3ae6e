r"""Characters -> tokens of our own query syntax. One pass, no look-back: linear in the length of
the text.

What is a word is decided here. A word runs to the next blank, bracket or quote; a backslash makes
the next character ordinary, and a word with a backslash in it is never anything but a word. A word
without one may turn out to be

- an operator: `AND`, `OR`, `NOT` in capitals, and between two words `NEAR/3`, `PRE/3`, or what
  other databases write for these;
- a field: a known name with a colon (also full-width), directly before a word, phrase or group;
  before a blank it is an error, but the number of `PMID: 33301246` may stand behind one, and
  `type:` and `language:` are words there unless a type or language follows: both stand in many a
  title;
- a DOI: `10.1000/x` or the URL of its resolver. Brackets that pair up inside it belong to it;
- a PMCID, or the address of a work in PubMed, PubMed Central or arXiv.

A star that ends a word truncates it (`gene*`), where two letters or digits stand before it: `A*`
and `C*-algebra` are words. A star directly before a letter or digit (`wom*n`, `*ology`) is an
error, unless single ones stand there (`2*3`, `M*A*S*H`). Both hold for words with a backslash too,
as far as the star itself has none; there any stem will do (`\a*`).

A name with a colon that is no field is an error where it looks like an attempt at one: two or more
ASCII letters, with hyphens, dots and lines between them, then the colon, then directly a letter,
digit, quote or bracket. So `titel:x`, `OPEN_ACCESS:y` and `foo:bar` are errors, while `Re: x`,
`10:30`, `CO2:CH4`, `std::vector`, `http://x` and `深度学习：综述` are words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.reader import QueryText
from metasearch.query.simple_fields import (
    FIELD_NAMES,
    IDENTIFIER_SCHEMES,
    LIMIT,
    NAMES_OF_REST,
    fields_of,
    likely_field,
)
from metasearch.query.tree import CODED_FIELDS, IDENTIFIERS, is_blank
from metasearch.query.values import (
    DOI,
    SPAN,
    bare_doi,
    bare_number,
    code_of_word,
    identifier_field,
    number_and_field,
)

CLOSERS = {'"': '"', "＂": "＂", "“": "”", "”": "”", "„": "“”"}
OPEN, CLOSE = "(（", ")）"
WORD_ENDS = frozenset([*CLOSERS, *OPEN, *CLOSE])


@dataclass(frozen=True, slots=True)
class RawWord:
    """A word as it was scanned: without backslashes, its end, whether it held one, and its bare
    stars.

    Each star is its index in `value` and its index in the query.
    """

    value: str
    end: int
    escaped: bool
    stars: tuple[tuple[int, int], ...]


class WordScanner(QueryText):
    def __init__(self, text: str) -> None:
        super().__init__(text, "simple")

    def truncates(self, word: RawWord) -> bool:
        """Whether the word ends in a star that means any ending."""
        value = word.value
        for star, place in word.stars:
            if value[star + 1 : star + 2].isalnum() and _cuts(value, star):
                raise self.star_inside(word, star, place)
        enough = len(value) > 1 if word.escaped else sum(map(str.isalnum, value)) > 1
        return word.stars[-1][0] == len(value) - 1 and enough

    def star_inside(self, word: RawWord, star: int, place: int) -> QuerySyntaxError:
        text, stem = self.text, word.value[:star]
        if sum(map(str.isalnum, stem)) >= 2 and word.value[star + 1].isascii():
            fix = f"{text[: place + 1]} {text[word.end :]}"
        else:
            fix = f"{text[:place]} {text[place + 1 :]}"
        reason = message("A star can stand only at the end of a word: gene*")
        return self.error(reason, place, place + 1, fix=fix)

    def scan(self, at: int) -> RawWord:
        text, end = self.text, at
        out: list[str] = []
        stars: list[tuple[int, int]] = []
        escaped = False
        while end < len(text):
            char = text[end]
            if char == "\\":
                if end + 1 == len(text) or is_blank(text[end + 1]):
                    reason = message("This backslash has no character after it")
                    raise self.needless(reason, end, end + 1)
                end += 1
                char, escaped = text[end], True
            elif is_blank(char) or char in WORD_ENDS:
                break
            elif char == "*":
                stars.append((len(out), end))
            out.append(char)
            end += 1
        return RawWord("".join(out), end, escaped, tuple(stars))

    def doi_end(self, at: int) -> int:
        """Where the DOI at `at` ends; `at` itself for none, or one with a backslash."""
        match = DOI.match(self.text, at)
        if match is None:
            return at
        text, end = self.text, match.end()
        while end < len(text):
            char = text[end]
            if char == "\\":
                return at
            if char == "(" and end in self.pairs:
                end = self.pairs[end]
            elif is_blank(char) or char in WORD_ENDS:
                break
            end += 1
        return end

    @cached_property
    def pairs(self) -> dict[int, int]:
        """Opening -> closing round bracket, where no blank or quote lies between."""
        pairs: dict[int, int] = {}
        opened: list[int] = []
        for at, char in enumerate(self.text):
            if char == "(":
                opened.append(at)
            elif char == ")" and opened:
                pairs[opened.pop()] = at
            elif is_blank(char) or char in WORD_ENDS or char == "\\":
                opened.clear()
        return pairs


def _cuts(value: str, star: int) -> bool:
    """Whether a star within stands for others: in `wom*n`, not in `2*3` and `M*A*S*H`."""
    before, after = value[max(0, star - 2) : star], value[star + 1 : star + 3]
    if before[-1:].isalnum():
        return len(before) > 1 and before.isalnum()
    return len(after) > 1 and after.isalnum()


def ends_open(phrase: str) -> bool:
    """Whether a star ends a phrase, after two letters or digits: `"slot machine*"`, not `"A*"`."""
    return phrase.endswith("*") and phrase[-3:-1].isalnum() and len(phrase) > 2


Kind = Literal["word", "phrase", "(", ")", "-", "not", "and", "or", "near", "rest", "end"]

_OPERATORS: dict[str, Kind] = {
    "AND": "and", "OR": "or", "NOT": "not", "ANDNOT": "not", "&&": "and", "||": "or"
}  # fmt: skip
#: How much a word weighs, and how near a spelling may be, as Lucene has them.
WEIGHT = re.compile(
    r"(?<=[^\W\d_]{2})(?:~(?:0?\.[0-9]{1,2}|[12])?|\^[0-9]{1,2}(?:\.[0-9]{1,2})?)(?![^\s)）])"
)
_WEIGHT_BEHIND = re.compile(r"(?<=[)\"”])\^[0-9]{1,2}(?:\.[0-9]{1,2})?(?![^\s)）])")
_DISTANCE = re.compile(r"~([1-9][0-9]{0,2})(?![^\s)）])")
#: Operators of proximity of all databases; N3 and W3 are words in small letters.
_NEAR = re.compile(
    r"(?:(o?near|pre|next|within|[wnp])/|(near|adj)|((?-i:[NW])))([0-9]{1,3})", re.IGNORECASE
)
_ORDERED = frozenset({"onear", "pre", "next", "p", "W"})
#: Without a number they stand for the most that a database takes; ADJ for the next word.
_NEAR_ALONE = {"NEAR": (15, False), "ADJ": (0, True)}
#: Strains and stages, as in H5 N1 and T2 N0.
_LETTER_AND_NUMBER = re.compile(r"[A-Z][0-9]{1,2}[a-z]?")
#: Words between that N and W without a stroke may allow: N95 is a mask.
_MOST_BETWEEN = 25
#: A year behind a sign that compares, without a colon.
_COMPARED = re.compile(
    r"(?:pub(?:lication)?[-_]?)?year(?:=(?=[12][0-9]{3})|(?=[<>]=?[12][0-9]{3}(?![^\s)）])))",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"([A-Za-z]+(?:[-_.][A-Za-z]+)*)([:：])")
#: Fields whose value may be a range in brackets.
_RANGED = {"year": SPAN, LIMIT: re.compile(r"[\[{][^\]}]{0,60}[\]}]")}
_NAME_OF_NUMBER = re.compile(r"(PMID|PMCID|DOI|ISBN|ISSN|arXiv)(?=\s)")
#: Characters after a colon that may hold a type or language.
_LONGEST_CODED = 60
#: Fields whose names stand in titles with a colon and a blank.
_IN_TITLES = CODED_FIELDS | {"arxiv", "pmid", "pmcid", "trial"}


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A piece of the query.

    Attributes:
        kind: What it is; a bracket may carry a field. "rest": a field for all that follows.
        start: Index of its first character, the field's name included.
        end: Index after its last character.
        text: Of a word or phrase, without quotes and backslashes, single blanks between words.
        field: Named before the colon, or None; where the name means several, with blanks between.
        value: Index of its first character after the field's name.
        number: Of an unescaped word that needs no field, as a DOI: its field, and its usual form.
        truncated: Whether a star ended the word, or the last word of the phrase; `text` is without
            it.
        within, ordered: Of an operator of proximity, whose `text` is as written: as those of
            `tree.Near`.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    field: str | None = None
    value: int = 0
    number: tuple[str, str] | None = None
    truncated: bool = False
    within: int = 0
    ordered: bool = False


def near_sign(word: str) -> tuple[int, bool] | None:
    """How many words an operator of proximity allows between, and whether it says their order; None
    for all other words.
    """
    match = _NEAR.fullmatch(word) if word[-1:].isdigit() else None
    if match is None:
        return _NEAR_ALONE.get(word)
    name, number = match[3] or (match[1] or match[2]).lower(), int(match[4])
    if match[3] and not 0 < number <= _MOST_BETWEEN:
        return None
    # adj4 is in the fourth place, all others count the words between.
    return max(0, number - (name == "adj")), name in _ORDERED


def tokens(text: str) -> list[QueryToken]:
    """All tokens, then one of kind "end". Raises QuerySyntaxError: its `suggestion` mends it. The
    text is one that `PlacedText.check` passes.
    """
    return [*_Lexer(text).run(), QueryToken("end", len(text), len(text))]


class _Lexer(WordScanner):
    def run(self) -> Iterator[QueryToken]:
        text, at, after_minus = self.text, 0, False
        while at < len(text):
            char = text[at]
            if is_blank(char):
                at += 1
                continue
            if char in CLOSE:
                token = QueryToken(")", at, at + 1)
            elif char == "+" and self.is_minus(at) and not text[at + 1].isdigit():
                at += 1  # what has to occur, as all has to here
                continue
            elif char == "^" and (weight := _WEIGHT_BEHIND.match(text, at)):
                at = weight.end()
                continue
            elif char == "-" and self.is_minus(at):
                token = QueryToken("-", at, at + 1)
            else:
                token = self.operand(at, operators=not after_minus)
            yield token
            at, after_minus = token.end, token.kind == "-"

    @cached_property
    def in_capitals(self) -> bool:
        """Whether the text has no small letters, so that a word in capitals means nothing."""
        return self.text.isupper()

    def is_minus(self, at: int) -> bool:
        before = self.text[at - 1] if at else " "
        return (is_blank(before) or before in OPEN + CLOSE) and self.starts_operand(at + 1)

    def starts_operand(self, at: int) -> bool:
        char = self.text[at : at + 1]
        return char.isalnum() or (char != "" and char in '\\(（"＂“”„')

    def operand(self, start: int, *, operators: bool) -> QueryToken:
        """The word, phrase or opening bracket at `start`, with its field."""
        field, at = self.prefix(start)
        if field in NAMES_OF_REST:
            return QueryToken("rest", start, at, field=NAMES_OF_REST[field])
        char = self.text[at]
        if field in _RANGED and (span := _RANGED[field].match(self.text, at)):
            return QueryToken("word", start, span.end(), span[0], field, at)
        if char in OPEN:
            return QueryToken("(", start, at + 1, field=field, value=at)
        if char in CLOSERS:
            return self.phrase(start, at, field)
        return self.word(start, at, field, operators=operators)

    def prefix(self, start: int) -> tuple[str | None, int]:
        """The field named at `start` or None, and where its value begins."""
        text = self.text
        match = _PREFIX.match(text, start)
        if compared := _COMPARED.match(text, start):
            return "year", compared.end()
        if match is None:
            return self.number_by_name(start)
        name, at = match[1].lower(), match.end()
        if name in NAMES_OF_REST:
            return name, at
        field = fields_of(name)
        if field is None:
            if (
                len(name) > 1
                and match[2] == ":"
                and name not in IDENTIFIER_SCHEMES
                and (self.starts_operand(at) or text[at : at + 1] in ("[", "{", "<", ">"))
            ):
                raise self.unknown_field(start, match[1], at)
            return None, start
        if at == len(text) or is_blank(text[at]) or text[at] in CLOSE:
            if field in IDENTIFIERS and (number := self.number_after(field, at)):
                return field, number
            if field in _IN_TITLES and not self.names_code(field, at):
                return None, start
            raise self.empty_field(start, match[1], at)
        if text[at] == "-" and field != "year" and self.starts_operand(at + 1):
            fix = f"{text[:start]} NOT {text[start:at]}{text[at + 1 :]}"
            reason = message("The minus sign stands before the field, not after its colon")
            raise self.error(reason, at, at + 1, fix=fix)
        return field, at

    def number_by_name(self, start: int) -> tuple[str | None, int]:
        """As `prefix` for a number that its name alone stands before: PMID 33301246."""
        name = _NAME_OF_NUMBER.match(self.text, start)
        number = self.number_after(name[1].lower(), name.end()) if name else 0
        return (name[1].lower(), number) if name and number else (None, start)

    def number_after(self, field: str, at: int) -> int:
        """Where the number of "PMID: 33301246" begins, as references have it; 0 for none."""
        text = self.text
        while at < len(text) and is_blank(text[at]):
            at += 1
        word = text[at : self.scan(at).end] if at < len(text) and text[at] not in WORD_ENDS else ""
        known = bare_number(field, word) or identifier_field(word.rstrip(".,;")) == field
        return at if known else 0

    def names_code(self, field: str, at: int) -> bool:
        """Whether the next word is a type or language; "Natural language: a survey" is a title."""
        following = text[0] if (text := self.text[at : at + _LONGEST_CODED].split()) else ""
        return field in CODED_FIELDS and code_of_word(field, following.strip("()（）")) is not None

    def unknown_field(self, start: int, name: str, at: int) -> QuerySyntaxError:
        text = self.text
        if "_" in name:  # a limit of another program, which is no word of any work
            fix = self.without(start, self.scan(at).end if text[at] not in WORD_ENDS else at)
        elif meant := likely_field(name):
            fix = f"{text[:start]}{meant}{text[at - 1 :]}"
        elif text[at] in WORD_ENDS:
            fix = f"{text[:start]} {text[at:]}"
        else:
            end = self.scan(at).end
            fix = f'{text[:start]}"{text[start:end]}"{text[end:]}'
        shown = name if len(name) <= 30 else f"{name[:29]}…"
        known = ", ".join(dict.fromkeys(FIELD_NAMES.values()))
        reason = message(
            'There is no field "{field}"; the fields are {names}', field=shown, names=known
        )
        return self.error(reason, start, at - 1, fix=fix)

    def empty_field(self, start: int, name: str, at: int) -> QuerySyntaxError:
        text = self.text
        rest = at
        while rest < len(text) and is_blank(text[rest]):
            rest += 1
        if rest == len(text) or text[rest] in CLOSE or text[rest:].partition(" ")[0] in _OPERATORS:
            fix = self.without(start, at)
        else:
            fix = text[:at] + text[rest:]
        reason = message("{name}: needs a word directly after the colon", name=name)
        return self.error(reason, start, at, fix=fix)

    def phrase(self, start: int, at: int, field: str | None) -> QueryToken:
        text, closers = self.text, CLOSERS[self.text[at]]
        out: list[str] = []
        end, star = at + 1, False
        while end < len(text) and text[end] not in closers:
            star = text[end] == "*" or (star and is_blank(text[end]))
            if text[end] == "\\" and end + 1 < len(text):
                end += 1
            out.append(" " if is_blank(text[end]) else text[end])
            end += 1
        if end >= len(text):
            kept = len(text)
            while kept > at + 1 and (is_blank(text[kept - 1]) or text[kept - 1] in CLOSE):
                kept -= 1
            fix = (
                text[:kept] + closers[-1] + text[kept:]
                if kept > at + 1
                else self.without(start, at + 1)
            )
            raise self.error(message("This quote is never closed"), at, at + 1, fix=fix)
        value = " ".join("".join(out).split())
        if not value:
            raise self.error(
                message("There is nothing between the quotes"),
                at,
                end + 1,
                fix=self.without(start, end + 1),
            )
        # "gene drive"~5, as Lucene has words near one another.
        near, distance = _DISTANCE.match(text, end + 1), 0
        if near is not None and " " in value:
            end, distance = near.end() - 1, int(near[1])
        cut = star and ends_open(value)
        value = value[:-1] if cut else value
        return QueryToken(
            "phrase", start, end + 1, value, field, at + 1, truncated=cut, within=distance
        )

    def word(self, start: int, at: int, field: str | None, *, operators: bool) -> QueryToken:
        if field in (None, "doi"):
            doi_end = self.doi_end(at)
            doi = bare_doi(self.text[at:doi_end])
            if doi is not None:
                text = self.text[at:doi_end]
                return QueryToken("word", start, doi_end, text, field, at, ("doi", doi))
        word = self.scan(at)
        number = None if word.escaped else number_and_field(word.value)
        if number is not None and field in (None, number[0]):
            return QueryToken("word", start, word.end, word.value, field, at, number)
        kind: Kind = "word"
        if operators and field is None and not word.escaped:
            kind = _OPERATORS.get(word.value, "word")
            near = near_sign(word.value) if kind == "word" else None
            if near and not (word.value in _NEAR_ALONE and self.in_capitals):
                return QueryToken("near", start, word.end, word.value, None, at, None, False, *near)
        if not word.escaped and (weight := WEIGHT.search(word.value)):
            return QueryToken(kind, start, word.end, word.value[: weight.start()], field, at)
        if field != "year" and word.stars and self.truncates(word):
            return QueryToken("word", start, word.end, word.value[:-1], field, at, truncated=True)
        return QueryToken(kind, start, word.end, word.value, field, at)


# Which `and`, `or`, `not` in small letters are operators of our own syntax: those that brackets or
# fields show.
#
# (gambling or betting) and harm      both are
# title:x or author:y                 it is
# pride and prejudice                 a word, as in any title
# pride and prejudice AND novel       a word: a user who writes capitals means what is written

# a | "b c"                    a bar between words in quotes or brackets is one, too

_KINDS: dict[str, Kind] = {"and": "and", "or": "or", "not": "not", "|": "or"}
_ENDS = frozenset({"word", "phrase", ")"})
_STARTS = frozenset({"word", "phrase", "("})


def with_operators(tokens: Sequence[QueryToken]) -> list[QueryToken]:
    """The tokens, with operators where words in small letters are meant as such."""
    tokens = [
        replace(token, kind="word") if token.kind == "near" and not _joins(tokens, at) else token
        for at, token in enumerate(tokens)
    ]
    possible = [at for at in range(1, len(tokens) - 1) if _may_be(tokens, at)]
    if not possible:
        return list(tokens)
    inside = _inside(tokens)
    shown = {at for at in possible if _is_shown(tokens, at, inside[at])}
    if shown and not any(token.kind in ("and", "or", "not") for token in tokens):
        shown = set(possible)
    return [
        replace(token, kind=_KINDS[token.text], text="") if at in shown else token
        for at, token in enumerate(tokens)
    ]


def rows_of(text: str, tokens: Sequence[QueryToken]) -> frozenset[int]:
    """The tokens that begin a row that no operator joins to the one above, in a text with
    alternatives outside of brackets: each of its rows holds as a whole.
    """
    if "\n" not in text:
        return frozenset()
    inside = _inside(tokens)
    if not any(
        token.kind == "or" and not within for token, within in zip(tokens, inside, strict=True)
    ):
        return frozenset()
    return frozenset(
        at
        for at in range(1, len(tokens) - 1)
        if "\n" in text[tokens[at - 1].end : tokens[at].start]
        and tokens[at - 1].kind in _ENDS
        and tokens[at].kind in _STARTS
        and not inside[at - 1]
    )


def _joins(tokens: Sequence[QueryToken], at: int) -> bool:
    """Whether an operator of proximity stands between what may be near."""
    if at == 0 or tokens[at - 1].kind not in _ENDS or tokens[at + 1].kind not in _STARTS:
        return False
    around = tokens[at - 1].text, tokens[at + 1].text
    short = _LETTER_AND_NUMBER.fullmatch(tokens[at].text) is not None
    return not (short and any(map(_LETTER_AND_NUMBER.fullmatch, around)))


def is_plain(token: QueryToken) -> bool:
    """Whether a token is `and`, `or` or `not` as a word: without a field, star or backslash."""
    if token.kind != "word" or token.text not in _KINDS:
        return False
    if token.field is not None or token.truncated:
        return False
    return token.end - token.start == len(token.text)


def _may_be(tokens: Sequence[QueryToken], at: int) -> bool:
    return is_plain(tokens[at]) and tokens[at - 1].kind in _ENDS and tokens[at + 1].kind in _STARTS


def _is_shown(tokens: Sequence[QueryToken], at: int, inside: bool) -> bool:
    following = tokens[at + 1]
    if is_plain(following) and at + 2 < len(tokens):  # "and not"
        following = tokens[at + 2]
    if tokens[at].text == "|" and "phrase" in (tokens[at - 1].kind, following.kind):
        return True
    return (
        inside or tokens[at - 1].kind == ")" or following.kind == "(" or following.field is not None
    )


def _inside(tokens: Sequence[QueryToken]) -> list[bool]:
    """For each token, whether it stands in brackets."""
    depth = 0
    inside: list[bool] = []
    for token in tokens:
        depth += (token.kind == "(") - (token.kind == ")")
        inside.append(depth > 0)
    return inside
