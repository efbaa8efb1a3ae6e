"""The same text with other numbers of steps: for copies in another order, and for lines whose
numbers are taken.

Places of numbers are found by their looks; that the new text says the same of the new numbers is
then checked by reading it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.ast import Query
from metasearch.workspace.strategies.placeholders import quotes_of
from metasearch.workspace.strategies.reading import StepText, read_step
from metasearch.workspace.strategies.references import number_of, reference, replaced
from metasearch.workspace.strategies.signs import FLAT

_LIST = r"#?[0-9]{1,4}(?:\s?[-,]\s?#?[0-9]{1,4})*"
_NUMBER = re.compile(
    rf"(?P<list>(?P<head>(?<!\w)(?:or|and)/\s?|\{{\s?(?:or|and)\s+)(?P<numbers>{_LIST})(?P<tail>\s?\}}|))"
    r"|(?P<range>(?P<sign>[#S])(?P<first>[0-9]{1,4})-[#S]?(?P<last>[0-9]{1,4})(?![A-Za-z0-9_]))"
    r"|(?P<before>(?:limit|from|dedup)\s+#?)(?P<after>[0-9]{1,4})(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_.#])(?P<mark>[#S]?)(?P<single>[0-9]{1,4})(?![A-Za-z0-9_])",
    re.IGNORECASE,
)


def renumbered(text: str, syntax: str, numbers: Mapping[int, int]) -> str:
    """The text with other numbers.

    `syntax`: one of `metasearch.query.CHOICES`. `numbers`: old -> new; those inside a range that
    have no new one are left out of it. Raises QuerySyntaxError: the text cannot be read;
    UsageError: the numbers cannot be changed safely.
    """
    own = read_step(text, syntax)
    if all(numbers.get(number, number) == number for number in own.numbers):
        return text
    wanted = replaced(own.query, lambda leaf: _moved(leaf, numbers))
    flat = text.translate(FLAT)
    hidden = [match.span() for match in quotes_of(own.syntax).finditer(flat)]
    out, at, next_quote = [], 0, 0
    for match in _NUMBER.finditer(flat):
        while next_quote < len(hidden) and hidden[next_quote][1] <= match.start():
            next_quote += 1
        if next_quote < len(hidden) and hidden[next_quote][0] < match.end():
            continue
        new = _written(match, own, flat, numbers)
        if new is not None:
            out += [text[at : match.start()], new]
            at = match.end()
    new_text = "".join(out) + text[at:]
    try:
        if read_step(new_text, syntax).query == wanted:
            return new_text
    except QuerySyntaxError:
        pass
    raise UsageError(
        message("The numbers of steps in {text} cannot be changed safely", text=repr(text[:60])),
        advice=message("Write each number with # and blanks around it, as in #1 AND #2."),
    )


def _moved(leaf: Query, numbers: Mapping[int, int]) -> Query | None:
    number = number_of(leaf)
    if number is None:
        return leaf
    return reference(numbers[number]) if number in numbers else None


def _written(
    match: re.Match[str], own: StepText, flat: str, numbers: Mapping[int, int]
) -> str | None:
    """What stands in the place of a match; None where it is no number of a step."""
    if match["list"]:
        sign = "#" if "#" in match["numbers"] else ""
        moved = [numbers[one] for one in _spread(match["numbers"]) if one in numbers]
        return f"{match['head']}{_list(moved, sign)}{match['tail']}"
    if match["range"]:
        if not own.syntax and match["sign"] in "Ss" and "S" not in flat.upper():
            return None
        named = range(int(match["first"]), int(match["last"]) + 1)
        moved = [numbers[one] for one in named if one in numbers]
        if len(moved) > 1 and moved == list(range(moved[0], moved[-1] + 1)):
            return f"{match['sign']}{moved[0]}-{match['sign']}{moved[-1]}"
        return f"or/{_list(moved, '')}"
    if match["before"]:
        number = int(match["after"])
        is_step = own.syntax == "ovid" and number in own.numbers and number in numbers
        return f"{match['before']}{numbers[number]}" if is_step else None
    number, mark = int(match["single"]), match["mark"]
    if number not in own.numbers or number not in numbers:
        return None
    bare = own.syntax == "ovid" and _is_operand(flat, *match.span())
    as_s = own.syntax in ("ebsco", "proquest")
    if not own.syntax or mark == "#" or (mark in ("S", "s") and as_s) or (not mark and bare):
        return f"{mark}{numbers[number]}"
    return None


_BEFORE = re.compile(r"(?:\A|[(]|\b(?:and|or|not))\s*\Z", re.IGNORECASE)
_AFTER = re.compile(r"\s*(?:\Z|[)]|(?:and|or|not)\b)", re.IGNORECASE)


def _is_operand(flat: str, start: int, end: int) -> bool:
    return bool(_BEFORE.search(flat, max(0, start - 24), start) and _AFTER.match(flat, end))


def _spread(listed: str) -> list[int]:
    numbers: dict[int, None] = {}
    for part in listed.replace("#", "").split(","):
        first, _, last = ("".join(piece.split()) for piece in part.partition("-"))
        numbers |= dict.fromkeys(range(int(first), int(last or first) + 1))
    return list(numbers)


def _list(numbers: Sequence[int], sign: str) -> str:
    """`1-3,7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(
        f"{sign}{run[0]}-{sign}{run[-1]}" if len(run) > 1 else f"{sign}{run[0]}" for run in runs
    )
