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
from typing import Literal

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.ast import CODED_FIELDS
from metasearch.query.blanks import is_blank
from metasearch.query.identifiers import bare_doi
from metasearch.query.simple.coded_fields import coded_word
from metasearch.query.simple.field_names import FIELD_NAMES, IDENTIFIER_SCHEMES, meant_field
from metasearch.query.simple.words import (
    CLOSE,
    CLOSERS,
    OPEN,
    WORD_ENDS,
    WordScanner,
    error_at,
    text_without,
)

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
        end = at + 1
        while end < len(text) and text[end] not in closers:
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
