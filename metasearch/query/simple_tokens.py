r"""Characters -> tokens of our own query syntax. One pass, no look-back: linear in the length of
the text.

What is a word is decided here. A word runs to the next blank, bracket or quote; a backslash makes
the next character ordinary, and a word with a backslash in it is never anything but a word. A word
without one may turn out to be

- an operator: `AND`, `OR`, `NOT` in capitals;
- a field: a known name with a colon (also full-width), directly before a word, phrase or group;
  before a blank it is an error, but `type:` and `language:` are words there unless a type or
  language follows: both stand in many a title;
- a DOI: `10.1000/x` or the URL of its resolver. Brackets that pair up inside it belong to it.

A star that ends a word truncates it (`gene*`), where two letters or digits stand before it: `A*`
and `C*-algebra` are words. A star directly before a letter or digit (`wom*n`, `*ology`) is an
error, unless single ones stand there (`2*3`, `M*A*S*H`). Both hold for words with a backslash too,
as far as the star itself has none; there any stem will do (`\a*`).

A name with a colon that is no field is an error where it looks like an attempt at one: two or more
ASCII letters, then the colon, then directly a letter, digit, quote or bracket. So `titel:x` and
`foo:bar` are errors, while `Re: x`, `10:30`, `CO2:CH4`, `std::vector`, `http://x`,
`arXiv:2104.12255` and `深度学习：综述` are words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.tree import CODED_FIELDS, FIELDS, is_blank
from metasearch.query.values import DOI, bare_doi, coded_word

#: What may stand before a colon -> the field of a term; "year" is read as a range.
FIELD_NAMES = {name: name for name in (*FIELDS, "year")} | {
    "journal": "venue",
    "ti": "title",
    "au": "author",
    "ab": "abstract",
    "doctype": "type",
    "lang": "language",
}

# Prefixes of identifiers, which people type as words.
IDENTIFIER_SCHEMES = frozenset(
    (
        "ark",
        "arxiv",
        "bibcode",
        "hdl",
        "http",
        "https",
        "info",
        "mailto",
        "oclc",
        "orcid",
        "pmcid",
        "pmid",
        "swh",
        "urn",
    )
)
#: Names in other programs -> our field.
_MEANT = {
    "keyword": "subject", "keywords": "subject", "kw": "subject", "ky": "subject", "su": "subject",
    "topic": "subject",
    "creator": "author", "by": "author", "abs": "abstract", "source": "venue",
    "publication": "venue",
    "container": "venue", "date": "year", "published": "year", "py": "year", "yr": "year",
    "all": "any", "text": "any",
    "kind": "type", "pt": "type", "dt": "type", "la": "language", "ln": "language",
}  # fmt: skip


def meant_field(name: str) -> str:
    """Returns the field that an unknown name seems to mean; "" where none is near."""
    from difflib import get_close_matches

    low = name.lower()
    if low in _MEANT:
        return _MEANT[low]
    known = [field for field in FIELD_NAMES if len(field) > 2]
    return next(iter(get_close_matches(low[:30], known, 1, 0.7)), "")


CLOSERS = {'"': '"', "＂": "＂", "“": "”", "”": "”", "„": "“”"}
OPEN, CLOSE = "(（", ")）"
WORD_ENDS = frozenset([*CLOSERS, *OPEN, *CLOSE])


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word as it was scanned: without backslashes, its end, whether it held one, and its bare
    stars.

    Each star is its index in `value` and its index in the query.
    """

    value: str
    end: int
    escaped: bool
    stars: tuple[tuple[int, int], ...]


class WordScanner:
    """A text whose words are scanned."""

    def __init__(self, text: str) -> None:
        self.text = text

    def truncates(self, word: ScannedWord) -> bool:
        """Whether the word ends in a star that means any ending."""
        value = word.value
        for star, place in word.stars:
            if value[star + 1 : star + 2].isalnum() and _cuts(value, star):
                raise self.star_inside(word, star, place)
        enough = len(value) > 1 if word.escaped else sum(map(str.isalnum, value)) > 1
        return word.stars[-1][0] == len(value) - 1 and enough

    def star_inside(self, word: ScannedWord, star: int, place: int) -> QuerySyntaxError:
        text, stem = self.text, word.value[:star]
        if sum(map(str.isalnum, stem)) >= 2 and word.value[star + 1].isascii():
            fix = f"{text[: place + 1]} {text[word.end :]}"
        else:
            fix = f"{text[:place]} {text[place + 1 :]}"
        return error_at(
            message("A star can stand only at the end of a word: gene*"),
            text,
            place,
            place + 1,
            fix,
        )

    def scan(self, at: int) -> ScannedWord:
        """The word at `at`."""
        text, end = self.text, at
        out: list[str] = []
        stars: list[tuple[int, int]] = []
        escaped = False
        while end < len(text):
            char = text[end]
            if char == "\\":
                if end + 1 == len(text) or is_blank(text[end + 1]):
                    fix = text_without(text, end, end + 1)
                    raise error_at(
                        message("This backslash has no character after it"), text, end, end + 1, fix
                    )
                end += 1
                char, escaped = text[end], True
            elif is_blank(char) or char in WORD_ENDS:
                break
            elif char == "*":
                stars.append((len(out), end))
            out.append(char)
            end += 1
        return ScannedWord("".join(out), end, escaped, tuple(stars))

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


def text_without(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {text[end:]}"


def error_at(reason: str, text: str, start: int, end: int, fix: str) -> QuerySyntaxError:
    return QuerySyntaxError(reason, text=text, position=start, length=end - start, suggestion=fix)


Kind = Literal["word", "phrase", "(", ")", "-", "not", "and", "or", "end"]

_OPERATORS: dict[str, Kind] = {"AND": "and", "OR": "or", "NOT": "not"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PREFIX = re.compile(r"([A-Za-z]+)([:：])")
#: Characters after a colon that may hold a type or language.
_LONGEST_CODED = 60


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the query.

    Attributes:
        kind: What it is; a bracket may carry a field.
        start: Index of its first character, the field's name included.
        end: Index after its last character.
        text: Of a word or phrase, without quotes and backslashes, single blanks between words.
        field: Named before the colon, or None.
        value: Index of its first character after the field's name.
        doi: Of an unescaped word that is a DOI: its bare form.
        truncated: Whether a star ended the word, or the last word of the phrase; `text` is without
            it.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    field: str | None = None
    value: int = 0
    doi: str | None = None
    truncated: bool = False


def tokens(text: str) -> list[Token]:
    """All tokens, then one of kind "end". Raises QuerySyntaxError: its `suggestion` mends it."""
    if bad := _SURROGATE.search(text):
        at = bad.start()
        raise error_at(
            message("The query contains a byte that is not text"),
            text,
            at,
            at + 1,
            text_without(text, at, at + 1),
        )
    return [*_Lexer(text).run(), Token("end", len(text), len(text))]


class _Lexer(WordScanner):
    def run(self) -> Iterator[Token]:
        text, at, after_minus = self.text, 0, False
        while at < len(text):
            char = text[at]
            if is_blank(char):
                at += 1
                continue
            if char in CLOSE:
                token = Token(")", at, at + 1)
            elif char == "-" and self.is_minus(at):
                token = Token("-", at, at + 1)
            else:
                token = self.operand(at, operators=not after_minus)
            yield token
            at, after_minus = token.end, token.kind == "-"

    def is_minus(self, at: int) -> bool:
        before = self.text[at - 1] if at else " "
        return (is_blank(before) or before in OPEN + CLOSE) and self.starts_operand(at + 1)

    def starts_operand(self, at: int) -> bool:
        char = self.text[at : at + 1]
        return char.isalnum() or (char != "" and char in '\\(（"＂“”„')

    def operand(self, start: int, *, operators: bool) -> Token:
        """The word, phrase or opening bracket at `start`, with its field."""
        field, at = self.prefix(start)
        char = self.text[at]
        if char in OPEN:
            return Token("(", start, at + 1, field=field, value=at)
        if char in CLOSERS:
            return self.phrase(start, at, field)
        return self.word(start, at, field, operators=operators)

    def prefix(self, start: int) -> tuple[str | None, int]:
        """The field named at `start` or None, and where its value begins."""
        text = self.text
        match = _PREFIX.match(text, start)
        if match is None:
            return None, start
        name, at = match[1].lower(), match.end()
        field = FIELD_NAMES.get(name)
        if field is None:
            if (
                len(name) > 1
                and match[2] == ":"
                and name not in IDENTIFIER_SCHEMES
                and self.starts_operand(at)
            ):
                raise self.unknown_field(start, match[1], at)
            return None, start
        if at == len(text) or is_blank(text[at]) or text[at] in CLOSE:
            if field in CODED_FIELDS and not self.names_code(field, at):
                return None, start
            raise self.empty_field(start, match[1], at)
        if text[at] == "-" and field != "year" and self.starts_operand(at + 1):
            fix = f"{text[:start]} NOT {text[start:at]}{text[at + 1 :]}"
            raise error_at(
                message("The minus sign stands before the field, not after its colon"),
                text,
                at,
                at + 1,
                fix,
            )
        return field, at

    def names_code(self, field: str, at: int) -> bool:
        """Whether the next word is a type or language; "Natural language: a survey" is a title."""
        following = text[0] if (text := self.text[at : at + _LONGEST_CODED].split()) else ""
        return coded_word(field, following.strip("()（）")) is not None

    def unknown_field(self, start: int, name: str, at: int) -> QuerySyntaxError:
        text = self.text
        if meant := meant_field(name):
            fix = f"{text[:start]}{meant}{text[at - 1 :]}"
        elif text[at] in WORD_ENDS:
            fix = f"{text[:at]} {text[at:]}"
        else:
            end = self.scan(at).end
            fix = f'{text[:start]}"{text[start:end]}"{text[end:]}'
        shown = name if len(name) <= 30 else f"{name[:29]}…"
        known = ", ".join(dict.fromkeys(FIELD_NAMES.values()))
        return error_at(
            message(
                'There is no field "{field}"; the fields are {names}', field=shown, names=known
            ),
            text,
            start,
            at - 1,
            fix,
        )

    def empty_field(self, start: int, name: str, at: int) -> QuerySyntaxError:
        text = self.text
        rest = at
        while rest < len(text) and is_blank(text[rest]):
            rest += 1
        if rest == len(text) or text[rest] in CLOSE or text[rest:].partition(" ")[0] in _OPERATORS:
            fix = text_without(text, start, at)
        else:
            fix = text[:at] + text[rest:]
        return error_at(
            message("{name}: needs a word directly after the colon", name=name),
            text,
            start,
            at,
            fix,
        )

    def phrase(self, start: int, at: int, field: str | None) -> Token:
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
                else text_without(text, start, at + 1)
            )
            raise error_at(message("This quote is never closed"), text, at, at + 1, fix)
        value = " ".join("".join(out).split())
        if not value:
            raise error_at(
                message("There is nothing between the quotes"),
                text,
                at,
                end + 1,
                text_without(text, start, end + 1),
            )
        cut = star and ends_open(value)
        value = value[:-1] if cut else value
        return Token("phrase", start, end + 1, value, field, at + 1, truncated=cut)

    def word(self, start: int, at: int, field: str | None, *, operators: bool) -> Token:
        if field in (None, "doi"):
            doi_end = self.doi_end(at)
            doi = bare_doi(self.text[at:doi_end])
            if doi is not None:
                return Token("word", start, doi_end, self.text[at:doi_end], field, at, doi)
        word = self.scan(at)
        kind: Kind = "word"
        if operators and field is None and not word.escaped:
            kind = _OPERATORS.get(word.value, "word")
        if field != "year" and word.stars and self.truncates(word):
            return Token("word", start, word.end, word.value[:-1], field, at, truncated=True)
        return Token(kind, start, word.end, word.value, field, at)


# Which `and`, `or`, `not` in small letters are operators of our own syntax: those that brackets or
# fields show.
#
# (gambling or betting) and harm      both are
# title:x or author:y                 it is
# pride and prejudice                 a word, as in any title
# pride and prejudice AND novel       a word: a user who writes capitals means what is written

_KINDS: dict[str, Kind] = {"and": "and", "or": "or", "not": "not"}
_ENDS = frozenset({"word", "phrase", ")"})
_STARTS = frozenset({"word", "phrase", "("})


def with_operators(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with operators where words in small letters are meant as such."""
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


def is_plain(token: Token) -> bool:
    """Whether a token is `and`, `or` or `not` as a word: without a field, star or backslash."""
    if token.kind != "word" or token.text not in _KINDS:
        return False
    if token.field is not None or token.truncated:
        return False
    return token.end - token.start == len(token.text)


def _may_be(tokens: Sequence[Token], at: int) -> bool:
    return is_plain(tokens[at]) and tokens[at - 1].kind in _ENDS and tokens[at + 1].kind in _STARTS


def _is_shown(tokens: Sequence[Token], at: int, inside: bool) -> bool:
    following = tokens[at + 1]
    if is_plain(following) and at + 2 < len(tokens):  # "and not"
        following = tokens[at + 2]
    return (
        inside or tokens[at - 1].kind == ")" or following.kind == "(" or following.field is not None
    )


def _inside(tokens: Sequence[Token]) -> list[bool]:
    """For each token, whether it stands in brackets."""
    depth = 0
    inside: list[bool] = []
    for token in tokens:
        depth += (token.kind == "(") - (token.kind == ")")
        inside.append(depth > 0)
    return inside
