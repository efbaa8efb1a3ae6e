"""Notes on words that look like operators of another syntax, in a text that was read as our own."""

from __future__ import annotations

import re

from metasearch.late_pattern import late_pattern
from metasearch.message import Message, message
from metasearch.query.simple.lexer import tokens
from metasearch.query.simple.lowercase import with_operators

_NO_OPERATOR = frozenset({"and", "or", "not", "And", "Or", "Not"})
_SHOWN = 6
#: What it is -> how a word looks that is one.
_SIGNS = {
    message("operators of proximity"): late_pattern(
        r"adj[0-9]{1,2}|(?:o?near|next|pre|w|n|p)/[0-9]{1,3}|NEAR|ADJ|SAME|~[0-9]{1,3}|/(?:SEN|PRG)",
        re.IGNORECASE,
    ),
    message("signs for letters"): late_pattern(
        r"[^\W\d_]{3,40}\$[0-9]{0,2}|[^\W\d_]{2,40}\?[^\W\d_]{1,40}|\w{2,40}#[^\W\d_]{1,40}"
    ),
    message("headings"): late_pattern(r"[*\w][\w,-]{2,60}/|exp|\S{1,60}'?/exp\S{0,20}"),
    message("fields"): late_pattern(
        r"\S{0,80}\.(?:ti|ab|tw|mp|kw|kf|sh|hw|pt)(?:,[a-z]{2}){0,20}\.|(?:TI|TS|AB|AU|SO|PY|KW|SU|DT|LA|TKA|KY)=\S{0,80}"
        r"|(?-i:TI|AB|TX|MH|MM|SU|AU)|TITLE-ABS-KEY|PUBYEAR|LIMIT-TO|\S{0,80}\[(?:tiab|ti|mh|mesh|tw|au|dp|pt|ab)\]",
        re.IGNORECASE,
    ),
    message("references to lines"): late_pattern(
        r"#[0-9]{1,3}|(?:or|and)/[0-9][0-9,-]{0,20}", re.IGNORECASE
    ),
    message("operators"): late_pattern(r"&&|\|\||&|\||\+[^\W\d_]\S{0,60}"),
}
#: The words of letters alone that are one of them, in capitals; so most queries need no pattern.
_OF_LETTERS = frozenset(
    {"AB", "ADJ", "AU", "EXP", "MH", "MM", "NEAR", "PUBYEAR", "SAME", "SU", "TI", "TX"}
)


def leftovers(text: str) -> tuple[str, ...]:
    """One sentence for each kind of what looks like an operator and was read as a word. `text`:
    that `metasearch.query.simple.parse` has read.
    """
    pieces = with_operators(tokens(text))
    all_words = [token.text for token in pieces if token.kind == "word"]
    reported: dict[Message, dict[str, None]] = {}
    lower = any(
        token.kind in ("and", "or", "not") and text[token.start : token.end].islower()
        for token in pieces
    )
    words = dict.fromkeys(
        token.text
        for token in pieces[1:-2]
        if token.kind == "word" and text[token.start : token.end] in _NO_OPERATOR
    )
    notes = []
    if lower:
        notes.append(
            message(
                "and, or, not in small letters are read as operators, because brackets or fields "
                "stand beside them"
            )
        )
    if words:
        capitals = ", ".join(dict.fromkeys(word.upper() for word in words))
        notes.append(
            message(
                "{words}: read as words; write {capitals}",
                words=", ".join(words),
                capitals=capitals,
            )
        )
    for word in all_words:
        if word.isascii() and word.isalpha() and word.upper() not in _OF_LETTERS:
            continue
        for kind, pattern in _SIGNS.items():
            if len(word) <= 200 and pattern.fullmatch(word):
                reported.setdefault(kind, {})[word[:40]] = None
    for kind, reported_words in reported.items():
        shown = ", ".join(list(reported_words)[:_SHOWN])
        notes.append(
            message(
                "{words}: read as words; if they are {kind} of another syntax, "
                "name the syntax, as in --syntax ovid",
                words=shown,
                kind=kind,
            )
        )
    return tuple(notes)
