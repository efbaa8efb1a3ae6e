"""A line of a strategy that consists of numbers of lines and operators: `1 and 2`, `or/1-3`."""

from __future__ import annotations

import re

from metasearch.query.syntaxes import NAMES
from metasearch.query.tree import MAX_LINES

_PIECE = re.compile(
    r"(?:or|and)/|[#S]?[0-9]{1,4}(?:\s?[-,]\s?[#S]?(?=[0-9]))?|(?:and|or|not)|[\s()]", re.IGNORECASE
)
#: What joins lines: an operator, or a range with signs.
_JOINS = re.compile(r"and|or|not|[#S][0-9]{1,4}-[#S]?[0-9]", re.IGNORECASE)
_GLUED = re.compile(
    r"(?<=[0-9)])(?=(?:and|or|not)\b)|(?<=[0-9)])(?=(?:and|or|not)[#S]?[0-9(])"
    r"|(?<=\b(?:and|not))(?=[#S]?[0-9(])|(?<=\bor)(?=[#S]?[0-9(])"
    r"|(?<=[0-9](?:and|not))(?=[#S]?[0-9(])|(?<=[0-9]or)(?=[#S]?[0-9(])",
    re.IGNORECASE,
)


def is_combination(text: str) -> bool:
    """Whether a text consists of numbers of lines and operators."""
    joins = _JOINS.search(text)
    return joins is not None and re.search(r"[0-9]", text) is not None and not _PIECE.sub("", text)


def with_blanks(text: str) -> str:
    """A combination with blanks between its numbers and operators: `1 or3`."""
    return _GLUED.sub(" ", text)


_NAMES = re.compile(
    r"(?:(?P<join>or|and)/\s?)?[#S]?(?P<first>[0-9]{1,4})(?P<more>(?:\s?[-,]\s?[#S]?[0-9]{1,4}){0,99})",
    re.IGNORECASE,
)
#: Numbers that the lists of one combination are written out to.
_MOST = 4 * MAX_LINES


def is_range(text: str) -> bool:
    """Whether a combination has a range that may be a NOT: `#1-#4`."""
    return "-" in text and "/" not in text and is_combination(text)


#: A piece of a text as a syntax writes it, and where it stood in the text.
SignPiece = tuple[str, int, int]


def _combination(text: str, syntax: str) -> list[SignPiece]:
    """A combination of lines as a syntax writes it, whatever signs it is written with: `1 and 2` or
    `or/1-3` in a paper that numbers PubMed's lines. Any other text stays as it is.
    """
    whole = [(text, 0, len(text))]
    if not is_combination(text):
        return whole
    sign = _sign_of(syntax)
    pieces: list[SignPiece] = []
    at = named = 0
    for match in _NAMES.finditer(text):
        join, more = match["join"], match["more"]
        if more and not join and (" " in more or "," in more or match[0][0] not in "#Ss"):
            return whole  # a range or a NOT: its reader decides
        pieces.append((_operators(text[at : match.start()], syntax), at, match.start()))
        at = match.end()
        if not join and not more:
            piece = f"{sign}{match['first']}"
        elif join and syntax == "ovid":
            piece = join + re.sub(r"[#Ss]", "", match[0][len(join) :])
        else:
            numbers = _numbers_in(match["first"] + more)
            named += len(numbers)
            if not numbers or named > _MOST:
                return whole
            joined = f" {(join or 'or').upper()} ".join(f"{sign}{number}" for number in numbers)
            piece = f"({joined})"
        pieces.append((piece, *match.span()))
    return [*pieces, (_operators(text[at:], syntax), at, len(text))]


#: A line that only limits: the one before it.
_LIMIT = re.compile(
    r"(?:Limit(?:s|ed)?|Filter(?:s|ed)?|Restricted)(?:\s(?:to|by|applied|used)\b\s?:?|\s?:)\s{0,5}(?=\S)",
    re.IGNORECASE,
)


#: Numbers of lines joined by the signs of Chinese databases: `1*2`.
_SIGNED = re.compile(
    r"[\s(]{0,9}[0-9]{1,3}(?:[\s()]{0,9}[*+-][\s()]{0,9}[0-9]{1,3}){1,99}[\s)]{0,9}"
)


def in_signs(text: str, before: int, syntax: str) -> str:
    """A line as a syntax writes it, if it combines others; if it names limits alone, with the
    number of the line `before` it.
    """
    return "".join(piece for piece, _, _ in pieces_in_signs(text, before, syntax))


def pieces_in_signs(text: str, before: int, syntax: str) -> list[SignPiece]:
    """As `in_signs`, piece by piece, each with its place in the text. A piece as long as its place
    has each character where it was.
    """
    if syntax == "cnki" and _SIGNED.fullmatch(text):
        numbers = re.split(r"((?<![0-9])(?=[0-9]))", text)
        pieces, at = list[SignPiece](), 0
        for number in filter(None, numbers):
            end = at + len(number)
            pieces += (
                [("#", at, at), (number, at, end)] if number[0].isdigit() else [(number, at, end)]
            )
            at = end
        return pieces
    match = _LIMIT.match(text) if before else None
    if match is None:
        return _combination(text, syntax)
    names = f"{_sign_of(syntax)}{before} Limits: "
    return [(names, 0, match.end()), (text[match.end() :], match.end(), len(text))]


def _sign_of(syntax: str) -> str:
    sign = NAMES[syntax].sign
    return "#" if sign is None else sign


def _operators(text: str, syntax: str) -> str:
    """In capitals, where a syntax wants them so."""
    return text if syntax == "ovid" else text.upper()


def _numbers_in(text: str) -> list[int]:
    """The numbers of a list: `1-3,7`; none where a range is none or too wide."""
    numbers: list[int] = []
    for part in re.sub(r"[#S\s]", "", text, flags=re.IGNORECASE).split(","):
        first, _, last = part.partition("-")
        if "-" in last:
            return []
        named = range(int(first), int(last or first) + 1)
        if not named or len(numbers) + len(named) > MAX_LINES:
            return []
        numbers += named
    return numbers
