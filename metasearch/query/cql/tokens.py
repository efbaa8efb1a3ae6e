"""Characters -> tokens of CQL 1.2."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from metasearch.message import message
from metasearch.query.blanks import is_blank
from metasearch.query.reading import QueryReader

Kind = Literal["word", "quoted", "(", ")", "/", "sign", "end"]

_SIGN = re.compile(r"==|<=|>=|<>|[=<>]")
_WORD_ENDS = frozenset('()=<>"/')
_TO_THE_QUOTE = re.compile(r'"(?:[^"\\]|\\.)*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class CqlToken:
    """A piece of the query; a quoted text without its quotes, backslashes included."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def keyword(self) -> str:
        """In small letters, where it may be a keyword."""
        return self.text.lower() if self.kind == "word" else ""


def cql_tokens(reader: QueryReader) -> list[CqlToken]:
    """All tokens, then one of kind "end". Raises QuerySyntaxError: a quote is never closed."""
    tokens: list[CqlToken] = []
    text, at = reader.text, 0
    while at < len(text):
        char = text[at]
        if is_blank(char):
            at += 1
            continue
        if char == '"':
            token = _quoted(reader, at)
        elif char in "()/":
            token = CqlToken(char, char, at, at + 1)  # type: ignore[arg-type]
        elif sign := _SIGN.match(text, at):
            token = CqlToken("sign", sign[0], at, sign.end())
        else:
            end = at
            while end < len(text) and not is_blank(text[end]) and text[end] not in _WORD_ENDS:
                escapes = text[end] == "\\" and text[end + 1 : end + 2] in _WORD_ENDS
                end += 2 if escapes else 1
            token = CqlToken("word", text[at:end], at, end)
        tokens.append(token)
        at = token.end
    return [*tokens, CqlToken("end", "", len(text), len(text))]


def _quoted(reader: QueryReader, at: int) -> CqlToken:
    text = reader.text
    body = _TO_THE_QUOTE.match(text, at)
    assert body is not None
    end = body.end()
    if text[end : end + 1] != '"':
        closed = (
            f'{text.rstrip()}"'
            if text[at + 1 :].strip() and not text.rstrip().endswith("\\")
            else reader.without(at, at + 1)
        )
        raise reader.error(
            message("This quote is never closed"), at, at + 1, fix=closed, kind="quotes"
        )
    return CqlToken("quoted", text[at + 1 : end], at, end + 1)
