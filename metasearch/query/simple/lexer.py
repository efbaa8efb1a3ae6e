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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import FACETS
from metasearch.query.blanks import is_blank
from metasearch.query.dois import DOI, bare_doi
from metasearch.query.facets import facet_word
from metasearch.query.field_names import FIELD_NAMES, IDENTIFIER_SCHEMES, meant_field

Kind = Literal["word", "phrase", "(", ")", "-", "not", "and", "or", "end"]

_OPERATORS: dict[str, Kind] = {"AND": "and", "OR": "or", "NOT": "not"}
_CLOSERS = {'"': '"', "＂": "＂", "“": "”", "”": "”", "„": "“”"}
_OPEN, _CLOSE = "(（", ")）"
_WORD_ENDS = frozenset([*_CLOSERS, *_OPEN, *_CLOSE])
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PREFIX = re.compile(r"([A-Za-z]+)([:：])")
#: Characters after a colon that may hold a type or language.
_LONGEST_FACET = 60


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
        truncated: Whether a star ended the word; `text` is without it.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    field: str | None = None
    value: int = 0
    doi: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _ScannedWord:
    """A word as it was scanned: without backslashes, its end, whether it held one, and its bare
    stars.

    Each star is its index in `value` and its index in the query.
    """

    value: str
    end: int
    escaped: bool
    stars: tuple[tuple[int, int], ...]


def tokens(text: str) -> list[Token]:
    """All tokens, closed by one of kind "end".

    Raises:
        QuerySyntaxError: Its `suggestion` mends this one mistake only.
    """
    if bad := _SURROGATE.search(text):
        at = bad.start()
        raise _error(
            "The query holds a byte that is not text", text, at, at + 1, _without(text, at, at + 1)
        )
    return [*_Lexer(text).run(), Token("end", len(text), len(text))]


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text

    def run(self) -> Iterator[Token]:
        text, at, after_minus = self.text, 0, False
        while at < len(text):
            char = text[at]
            if is_blank(char):
                at += 1
                continue
            if char in _CLOSE:
                token = Token(")", at, at + 1)
            elif char == "-" and self.is_minus(at):
                token = Token("-", at, at + 1)
            else:
                token = self.operand(at, operators=not after_minus)
            yield token
            at, after_minus = token.end, token.kind == "-"

    def is_minus(self, at: int) -> bool:
        before = self.text[at - 1] if at else " "
        return (is_blank(before) or before in _OPEN + _CLOSE) and self.starts_operand(at + 1)

    def starts_operand(self, at: int) -> bool:
        char = self.text[at : at + 1]
        return char.isalnum() or (char != "" and char in '\\(（"＂“”„')

    def operand(self, start: int, *, operators: bool) -> Token:
        """The word, phrase or opening bracket at `start`, with its field."""
        field, at = self.prefix(start)
        char = self.text[at]
        if char in _OPEN:
            return Token("(", start, at + 1, field=field, value=at)
        if char in _CLOSERS:
            return self.phrase(start, at, field)
        return self.word(start, at, field, operators=operators)

    def prefix(self, start: int) -> tuple[str | None, int]:
        """The field named at `start` or None, and where its value begins."""
        text = self.text
        found = _PREFIX.match(text, start)
        if found is None:
            return None, start
        name, at = found[1].lower(), found.end()
        field = FIELD_NAMES.get(name)
        if field is None:
            if (
                len(name) > 1
                and found[2] == ":"
                and name not in IDENTIFIER_SCHEMES
                and self.starts_operand(at)
            ):
                raise self.unknown_field(start, found[1], at)
            return None, start
        if at == len(text) or is_blank(text[at]) or text[at] in _CLOSE:
            if field in FACETS and not self.names_facet(field, at):
                return None, start
            raise self.empty_field(start, found[1], at)
        if text[at] == "-" and field != "year" and self.starts_operand(at + 1):
            fix = f"{text[:start]} NOT {text[start:at]}{text[at + 1 :]}"
            raise _error(
                "The minus sign stands before the field, not after its colon", text, at, at + 1, fix
            )
        return field, at

    def names_facet(self, field: str, at: int) -> bool:
        """Whether the next word is a type or language. "Natural language: a survey" is a title like
        any other.
        """
        following = text[0] if (text := self.text[at : at + _LONGEST_FACET].split()) else ""
        return facet_word(field, following.strip("()（）")) is not None

    def unknown_field(self, start: int, name: str, at: int) -> QuerySyntaxError:
        text = self.text
        if meant := meant_field(name):
            fix = f"{text[:start]}{meant}{text[at - 1 :]}"
        elif text[at] in _WORD_ENDS:
            fix = f"{text[:at]} {text[at:]}"
        else:
            end = self.scan(at).end
            fix = f'{text[:start]}"{text[start:end]}"{text[end:]}'
        shown = name if len(name) <= 30 else f"{name[:29]}…"
        known = ", ".join(dict.fromkeys(FIELD_NAMES.values()))
        return _error(
            f'There is no field "{shown}"; the fields are {known}', text, start, at - 1, fix
        )

    def empty_field(self, start: int, name: str, at: int) -> QuerySyntaxError:
        text = self.text
        rest = at
        while rest < len(text) and is_blank(text[rest]):
            rest += 1
        if rest == len(text) or text[rest] in _CLOSE or text[rest:].partition(" ")[0] in _OPERATORS:
            fix = _without(text, start, at)
        else:
            fix = text[:at] + text[rest:]
        return _error(f"{name}: needs a word directly after the colon", text, start, at, fix)

    def phrase(self, start: int, at: int, field: str | None) -> Token:
        text, closers = self.text, _CLOSERS[self.text[at]]
        out: list[str] = []
        end = at + 1
        while end < len(text) and text[end] not in closers:
            if text[end] == "\\" and end + 1 < len(text):
                end += 1
            out.append(" " if is_blank(text[end]) else text[end])
            end += 1
        if end >= len(text):
            kept = len(text)
            while kept > at + 1 and (is_blank(text[kept - 1]) or text[kept - 1] in _CLOSE):
                kept -= 1
            fix = (
                text[:kept] + closers[-1] + text[kept:]
                if kept > at + 1
                else _without(text, start, at + 1)
            )
            raise _error("This quote is never closed", text, at, at + 1, fix)
        value = " ".join("".join(out).split())
        if not value:
            raise _error(
                "There is nothing between the quotes",
                text,
                at,
                end + 1,
                _without(text, start, end + 1),
            )
        return Token("phrase", start, end + 1, value, field, at + 1)

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

    def truncates(self, word: _ScannedWord) -> bool:
        """Whether the word ends in a star that means any ending."""
        value = word.value
        for star, place in word.stars:
            if value[star + 1 : star + 2].isalnum() and _cuts(value, star):
                raise self.star_inside(word, star, place)
        enough = len(value) > 1 if word.escaped else sum(map(str.isalnum, value)) > 1
        return word.stars[-1][0] == len(value) - 1 and enough

    def star_inside(self, word: _ScannedWord, star: int, place: int) -> QuerySyntaxError:
        text, stem = self.text, word.value[:star]
        if sum(map(str.isalnum, stem)) >= 2 and word.value[star + 1].isascii():
            fix = f"{text[: place + 1]} {text[word.end :]}"
        else:
            fix = f"{text[:place]} {text[place + 1 :]}"
        return _error("A star stands at the end of a word only: gene*", text, place, place + 1, fix)

    def scan(self, at: int) -> _ScannedWord:
        """The word at `at`."""
        text, end = self.text, at
        out: list[str] = []
        stars: list[tuple[int, int]] = []
        escaped = False
        while end < len(text):
            char = text[end]
            if char == "\\":
                if end + 1 == len(text) or is_blank(text[end + 1]):
                    fix = _without(text, end, end + 1)
                    raise _error(
                        "This backslash has no character after it", text, end, end + 1, fix
                    )
                end += 1
                char, escaped = text[end], True
            elif is_blank(char) or char in _WORD_ENDS:
                break
            elif char == "*":
                stars.append((len(out), end))
            out.append(char)
            end += 1
        return _ScannedWord("".join(out), end, escaped, tuple(stars))

    def doi_end(self, at: int) -> int:
        """Where the DOI at `at` ends; `at` itself where there is none, or one with a backslash: a
        mere word.
        """
        found = DOI.match(self.text, at)
        if found is None:
            return at
        text, end = self.text, found.end()
        while end < len(text):
            char = text[end]
            if char == "\\":
                return at
            if char == "(" and end in self.pairs:
                end = self.pairs[end]
            elif is_blank(char) or char in _WORD_ENDS:
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
            elif is_blank(char) or char in _WORD_ENDS or char == "\\":
                opened.clear()
        return pairs


def _cuts(value: str, star: int) -> bool:
    """Whether a star before a letter or digit seems to stand for others: in `wom*n`, not in `2*3`
    and `M*A*S*H`.
    """
    before, after = value[max(0, star - 2) : star], value[star + 1 : star + 3]
    if before[-1:].isalnum():
        return len(before) > 1 and before.isalnum()
    return len(after) > 1 and after.isalnum()


def _without(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {text[end:]}"


def _error(reason: str, text: str, start: int, end: int, fix: str) -> QuerySyntaxError:
    return QuerySyntaxError(reason, text=text, position=start, length=end - start, suggestion=fix)
