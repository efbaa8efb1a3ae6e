"""Bylines: several names in one string, in whatever style somebody wrote them.

"Smith, J., Jones, K. L." and "J. Smith, K. L. Jones, and M. Lee" hold commas of two meanings. What
a comma parts is told from what stands between the commas: bare initials belong to the name before
them, and a piece that has initials of its own is a whole name. Where both readings are possible
("Smith, John"), it is the one that databases write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from metasearch.bib import normalise
from metasearch.bib.names.converters import person
from metasearch.bib.strings import first
from metasearch.record import Author

#: Longest byline that is looked at, in characters: a collaboration of five thousand.
LONGEST = 200_000

_OTHERS = re.compile(
    r"\bet\.? al\b\.?|\(eds?\.?\)|, ?eds?\.?$|(?<=[\u4e00-\u9fff]{2})[ ,，、;；]?等$", re.IGNORECASE
)
_SEMICOLON = re.compile(r" ?[;；] ?")
_AND = re.compile(r"(?:(?<=[ ,])|^)(?:and|und|&)(?=[ ,]|$)", re.IGNORECASE)
_COMMA = re.compile(r" ?[,，、] ?")
_YEAR = re.compile(r" (?:1\d|20)\d\d\.?$")
#: "m. kearns. l. valiant": a full stop where a comma is meant, behind a word too long for an
#: abbreviation.
_STOP = re.compile(r"(?<=[^\W\d_]{4}\.) (?=[^\W\d_]\.)")
#: "Adeli K.Lewis G. F.": names run together behind their initials.
_RUN_TOGETHER = re.compile(r"(?<=[A-Z]\.)(?=[A-Z]['’]?[A-Z]?[a-z])")
#: "J.R.Smith"
_GLUED = re.compile(r"((?:[^\W\d_]\.-?)+)([^\W\d_]{2}.*)")
_SUFFIX = re.compile(r"jr|sr|[1-4](?:st|nd|rd|th)|ii|iii|iv|ph\.?d|m\.?d", re.IGNORECASE)
_DOTTED = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_](?:-[^\W\d_])*")
_PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le ter ten zu zur al el bin ibn".split()
)
#: Words that no person's name holds: the whole byline is a body's.
_OF_BODIES = re.compile(
    r"\b(?:of|for|the|on|group|committee|agency|ministry|department|university|institute|society)\b",
    re.IGNORECASE,
)
_FIRMS = frozenset("inc ltd llc plc corp co gmbh".split())


class _Piece(NamedTuple):
    """What stands between two separators.

    Attributes:
        kind: "initials" ("J. R."), "whole" ("J. Smith": initials first), "trailing" ("Smith J",
            "John R."), "word" (one word, particles before it not counted) or "words".
    """

    text: str
    kind: str


def people_in(text: str) -> tuple[Author, ...]:
    """The authors of a byline, in order; () where it names nobody. Never raises, in linear time."""
    text = normalise.without_markup(text[:LONGEST])
    if normalise.has_cjk(text):
        from metasearch.bib.chinese.authors import authors_in

        return tuple(author for name in authors_in(text) if (author := person(name)))
    text = _OTHERS.sub("", text).strip(" ,，;；:、")
    if not text:
        return ()
    parts = _SEMICOLON.split(text)
    if len(parts) > 1:
        names = (_AND.sub("", _YEAR.sub("", part)).strip(" ,") for part in parts)
        return tuple(author for name in names if name for author in _of_commas(name))
    return _of_commas(text)


_BY = re.compile(r"^\[?by\b\]?\s+", re.IGNORECASE)


def statement(found: Any) -> tuple[Author, ...]:
    """The authors of a statement of responsibility, "by Ada Byron and Tanaka Ken ; illustrated by
    ...".
    """
    value = first(found)
    return people_in(_BY.sub("", value.strip().partition(" ;")[0]).rstrip(". ")) if value else ()


def _of_commas(text: str) -> tuple[Author, ...]:
    shouted = text.isupper()
    text = _STOP.sub(", ", text)
    groups = [pieces for group in _AND.split(text) if (pieces := _pieces(group, shouted=shouted))]
    pieces = [piece for group in groups for piece in group]
    if _OF_BODIES.search(text) and all(piece.kind in ("word", "words") for piece in pieces):
        return tuple(author for author in (person(_bare(text).replace(",", " ")),) if author)
    inverted = _inverted(groups)
    return tuple(
        author for group in groups for author in _people(group, inverted=inverted, shouted=shouted)
    )


def _pieces(group: str, *, shouted: bool) -> list[_Piece]:
    """The pieces of what stands between two "and"s, without "Jr." and the like."""
    out: list[_Piece] = []
    for text in _COMMA.split(group):
        text = _bare(text)
        word = text.rstrip(".").lower()
        if not word or _SUFFIX.fullmatch(word):
            continue
        if word in _FIRMS and out:
            out[-1] = _Piece(f"{out[-1].text} {text}", "words")
            continue
        glued = _GLUED.fullmatch(text)
        text = f"{glued[1]} {glued[2]}" if glued else text
        tokens = text.split()
        if (
            len(tokens) > 2
            and not _is_initials(tokens[0], shouted=shouted)
            and _is_initials(tokens[-1], shouted=shouted)
        ):
            out += [
                _Piece(name, _kind(name.split(), shouted=shouted))
                for name in _RUN_TOGETHER.split(text)
            ]
        else:
            out.append(_Piece(text, _kind(tokens, shouted=shouted)))
    return out


def _bare(text: str) -> str:
    """Without marks at its ends; the full stop stays behind an initial and an abbreviation."""
    text = text.strip(" ,:;")
    last = text.rpartition(" ")[2]
    return (
        text.rstrip(" .") if last.endswith(".") and len(last) > 3 and last.count(".") == 1 else text
    )


def _is_initials(token: str, *, shouted: bool) -> bool:
    """ "J", "J.", "J.R.", "J.-P." and, where not all is written in capitals, "JR"."""
    if normalise.has_cjk(token):
        return False
    return _DOTTED.fullmatch(token.rstrip(".")) is not None or (
        not shouted and 2 <= len(token) <= 4 and token.isalpha() and token.isupper()
    )


def _kind(tokens: list[str], *, shouted: bool) -> str:
    initials = [_is_initials(token, shouted=shouted) for token in tokens]
    if all(initials):
        return "initials"
    if initials[0]:
        return "whole"
    if initials[-1]:
        return "trailing"
    return "word" if sum(token.lower() not in _PARTICLES for token in tokens) <= 1 else "words"


def _inverted(groups: list[list[_Piece]]) -> bool:
    """Whether given names that are written out stand behind the comma that follows the family
    name.
    """
    kinds = [[piece.kind for piece in group] for group in groups]
    if not kinds or any("initials" in group or "whole" in group for group in kinds):
        # "Smith, J., Jones, Kate" is too rare to be worth the danger to "Smith, J., Ann Jones"
        return False
    if any(normalise.has_cjk(piece.text) for group in groups for piece in group):
        return False
    if len(kinds) == 1:
        (only,) = kinds
        if len(only) == 2:
            return only[0] != "trailing"
        families, given = only[::2], only[1::2]
        return len(only) % 2 == 0 and set(families) == {"word"} and "trailing" in given
    if all(len(group) % 2 == 0 for group in kinds) and len(kinds[-1]) == 2:
        return "trailing" not in (group[0] for group in kinds)
    # "Smith, John and Jane Doe", but not "Smith, Jones and Doe"
    return (
        len(kinds) == 2 and len(kinds[0]) == 2 and kinds[0][0] == "word" and kinds[1] == ["words"]
    )


def _people(group: list[_Piece], *, inverted: bool, shouted: bool) -> Iterator[Author]:
    index = 0
    while index < len(group):
        piece = group[index]
        following = group[index + 1] if index + 1 < len(group) else None
        index += 1
        if (
            following is not None
            and piece.kind in ("word", "words")
            and (following.kind == "initials" or (inverted and following.kind != "whole"))
        ):
            author = person("", piece.text, following.text)
            index += 1
        else:
            author = _person(piece, shouted=shouted)
        if author is not None:
            yield author


def _person(piece: _Piece, *, shouted: bool) -> Author | None:
    """The author of a piece that is a name of its own; split where the split is certain.

    Args:
        piece: The name.
        shouted: Whether the whole byline is written in capitals, as it was when the piece was given
            its kind.
    """
    if piece.kind not in ("whole", "trailing"):
        return person(piece.text)
    tokens = piece.text.split()
    initials = [_is_initials(token, shouted=shouted) for token in tokens]
    turn = next(index for index, one in enumerate(initials) if one is not initials[0])
    before, behind = " ".join(tokens[:turn]), " ".join(tokens[turn:])
    family, given = (behind, before) if piece.kind == "whole" else (before, behind)
    alone = _kind(family.split(), shouted=True) == "word" and len(set(initials[turn:])) == 1
    return person("", family, given) if alone else person(piece.text)
