"""Which `and`, `or`, `not` in small letters are operators of our own syntax: those that brackets or
fields show.

(gambling or betting) and harm      both are
title:x or author:y                 it is
pride and prejudice                 a word, as in any title
pride and prejudice AND novel       a word: a user who writes capitals means what is written
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metasearch.query.simple.lexer import Kind, Token

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
