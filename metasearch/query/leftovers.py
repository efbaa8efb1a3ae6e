"""Notes on a text that was read as our own syntax: words that look like operators of another one,
names and operators that other programs have, and fields that few sources know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from metasearch.late_pattern import late_pattern
from metasearch.message import Message, join_texts, message
from metasearch.query.simple_fields import FIELD_NAMES, LIMIT, fields_of, in_round_brackets
from metasearch.query.simple_tokens import (
    WEIGHT,
    QueryToken,
    rows_of,
    tokens,
    with_operators,
)
from metasearch.query.values import bare_number, read_span

_NO_OPERATOR = frozenset({"and", "or", "not", "And", "Or", "Not"})
_SHOWN = 6
#: Fields that few sources can be asked for.
_RARE = frozenset({"pmid", "pmcid", "arxiv", "trial"})
#: What it is -> how a word looks that is one.
_SIGNS = {
    message("operators of proximity"): late_pattern(
        r"adj[0-9]{1,2}|(?:o?near|next|pre|w|n|p)/[0-9]{1,3}|NEAR|ADJ|SAME|~[0-9]{1,3}|/(?:SEN|PRG)",
        re.IGNORECASE,
    ),
    message("signs for letters"): late_pattern(
        r"[^\W\d_]{2,40}\*[^\W\d_]{1,40}|[^\W\d_]{3,40}\$[0-9]{0,2}|[^\W\d_]{2,40}\$[0-9]?[^\W\d_]{1,40}|[^\W\d_]{2,40}\?[^\W\d_]{1,40}|\w{2,40}#[^\W\d_]{1,40}"
    ),
    message("headings"): late_pattern(r"[*\w][\w,-]{2,60}/|exp|\S{1,60}'?/exp\S{0,20}"),
    message("fields"): late_pattern(
        r"\S{0,80}\.(?:ti|ab|tw|mp|kw|kf|sh|hw|pt)(?:,[a-z]{2}){0,20}\.|\S{0,80}\.(?:ti|ab|tw|mp)"
        r"|\w\S{0,80}\[[A-Za-z][A-Za-z/:~-]{1,30}\]|[A-Z]{2,4}=['‘\u3400-\u9fff]\S{0,80}|(?:TI|TS|AB|AU|SO|PY|KW|SU|DT|LA|TKA|KY)=\S{0,80}"
        r"|(?-i:TI|AB|TX|MH|MM|SU|AU)|TITLE-ABS(?:-KEY)?|PUBYEAR|LIMIT-TO|\S{0,80}\[(?:tiab|ti|mh|mesh|tw|au|dp|pt|ab|pmid|uid|pmcid)\]",
        re.IGNORECASE,
    ),
    message("references to lines"): late_pattern(
        r"#[0-9]{1,3}|(?:or|and)/[0-9][0-9,-]{0,20}", re.IGNORECASE
    ),
    message("operators"): late_pattern(r"&&|\|\||&|\||\+[^\W\d_]\S{0,60}"),
}
_SIGN_INSIDE = late_pattern(r"[^\W\d_]{2,40}[*?$#][^\W\d_]{1,40}")
#: A weight of a phrase or bracket.
_WEIGHT_ALONE = late_pattern(r"(?<=[)\"”])\^[0-9]{1,2}(?:\.[0-9]{1,2})?(?![^\s)）])")
#: The words of letters alone that are one of them, in capitals; so most queries need no pattern.
_OF_LETTERS = frozenset(
    {"AB", "ADJ", "AU", "EXP", "MH", "MM", "NEAR", "PUBYEAR", "SAME", "SU", "TI", "TX"}
)


def leftovers(text: str) -> dict[str, bool]:
    """Sentences on what a reader may have meant otherwise, one for each kind of what looks like an
    operator and was read as a word; and whether they are about sources alone. `text`: that
    `metasearch.query.simple.parse` has read.
    """
    text = in_round_brackets(text)
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
    notes: dict[str, bool] = {}
    if lower:
        sentence = message(
            "and, or, not in small letters are read as operators, because brackets or fields "
            "stand beside them"
        )
        notes[sentence] = False
    if words:
        capitals = ", ".join(dict.fromkeys(word.upper() for word in words))
        sentence = message(
            "{words}: read as words; write {capitals}", words=", ".join(words), capitals=capitals
        )
        notes[sentence] = False
    for at in sorted(rows_of(text, pieces))[:_SHOWN]:
        row = text[pieces[at].start : pieces[at].start + 60].partition("\n")[0].strip()
        sentence = message(
            "{words}: no operator stands before this line, so the lines are joined with AND",
            words=row,
        )
        notes[sentence] = False
    weighed = [text[piece.start : piece.end] for piece in pieces if piece.kind == "word"]
    weighed = [word for word in weighed if WEIGHT.search(word)] + _WEIGHT_ALONE.findall(text)
    if weighed:
        weights = join_texts(", ", list(dict.fromkeys(weighed))[:_SHOWN])
        notes[message("{words}: settings of a database are ignored", words=weights)] = False
    notes |= _about_fields(text, pieces)
    notes |= _about_proximity(
        [
            token
            for token in pieces
            if token.kind == "near" or (token.kind == "phrase" and token.within)
        ]
    )
    # In a phrase a sign for letters is one, too.
    for each in pieces:
        all_words += _SIGN_INSIDE.findall(each.text) if each.kind == "phrase" else ()
    for word in all_words:
        if word.isascii() and word.isalpha() and word.upper() not in _OF_LETTERS:
            continue
        for kind, pattern in _SIGNS.items():
            if len(word) <= 200 and pattern.fullmatch(word):
                reported.setdefault(kind, {})[word[:40]] = None
    for kind, reported_words in reported.items():
        shown = ", ".join(list(reported_words)[:_SHOWN])
        sentence = message(
            "{words}: read as words; if they are {kind} of another syntax, "
            "name the syntax, as in --syntax ovid",
            words=shown,
            kind=kind,
        )
        notes[sentence] = False
    return notes


def _about_fields(text: str, pieces: Sequence[QueryToken]) -> dict[str, bool]:
    """What the fields of a query mean, where that is not plain from their names."""
    notes: dict[str, bool] = {}
    limits: dict[str, None] = {}
    for token in pieces:
        written = text[token.start : token.value].rstrip().rstrip(":：")
        named = token.number[0] if token.number else token.field
        if token.kind not in ("word", "phrase", "(") or named is None:
            continue
        if named == LIMIT:
            limits[text[token.start : token.end].rstrip("(（:")[:60]] = None
            continue
        if written and written.lower() not in FIELD_NAMES and fields_of(written):
            meant = " OR ".join(f"{field}:" for field in named.split())
            notes[message("{name}: is read as {fields}", name=written, fields=meant)] = False
        if named in _RARE:
            sentence = message(
                "{field}: few sources can be asked for this number; the others look for the number "
                "as a word, or leave it out",
                field=named,
            )
            notes[sentence] = True
            if token.kind == "word" and not (token.number or bare_number(named, token.text)):
                sentence = message(
                    '"{word}" has not the form of a {field}: no work has it',
                    word=token.text[:40],
                    field=named,
                )
                notes[sentence] = False
        if token.text[:1] in ("[", "{", "(") and named == "year" and not read_span(token.text)[1]:
            sentence = message("{text}: only the years are looked for", text=token.text)
            notes[sentence] = False
    if limits:
        sentence = message(
            "{words}: ignored, with alternatives and exclusions that hold it, because no source "
            "can be asked for this limit; that finds more",
            words=join_texts(", ", list(limits)[:_SHOWN]),
        )
        notes[sentence] = False
    return dict(list(notes.items())[:_SHOWN])


def _about_proximity(signs: Sequence[QueryToken]) -> dict[str, bool]:
    if not signs:
        return {}
    written = dict.fromkeys(
        f"~{token.within}" if token.kind == "phrase" else token.text for token in signs
    )
    shown = join_texts(", ", list(written)[:_SHOWN])
    sentence = message(
        "{words}: sources cannot be asked how near words stand to one another; they are asked "
        "for all of the words, which finds more",
        words=shown,
    )
    notes: dict[str, bool] = {sentence: True}
    for token in signs:
        meant = f"{'PRE' if token.ordered else 'NEAR'}/{token.within}"
        if token.kind == "near" and token.text.upper() != meant and len(notes) <= _SHOWN:
            sentence = message(
                "{word} is read as {sign}; in quotes, {word} is a word", word=token.text, sign=meant
            )
            notes[sentence] = False
    return notes
