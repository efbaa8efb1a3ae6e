"""Numbers of novelty reports (报告编号): a pattern, and a serial, once for each station and year.

A pattern is text with parts in braces: `{year}`, `{org}`, `{province}`, `{station}`, `{serial}`,
each with a width as `{serial:04}` where it is filled with zeros. It is read by a reader of its own;
`str.format` would let it look into our objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.store.database import Database

DEFAULT = "{year}{org}{serial:04}"
#: Bounds, in characters and digits.
LONGEST_PATTERN, WIDEST = 100, 9
_PART = re.compile(r"\{([a-z]+)(?::0?([1-9]))?\}")
_LITERAL = re.compile(r"[\w\-./ ()（）〔〕\[\]]+")
#: Part -> what its value looks like.
_VALUES = {
    "year": re.compile(r"[0-9]{4}"),
    "org": re.compile(r"[A-Za-z0-9]{1,20}"),
    "province": re.compile(r"[0-9]{2}"),
    "station": re.compile(r"[0-9]{1,9}"),
}
_SERIAL = "serial"


@dataclass(frozen=True, slots=True)
class NumberPart:
    """A piece of a pattern.

    Attributes:
        name: Of a part in braces; "" for plain text.
        text: Plain text; "" for a part in braces.
        width: Digits to which a value is filled with zeros; 0 for none.
    """

    name: str = ""
    text: str = ""
    width: int = 0


def parse(pattern: str) -> tuple[NumberPart, ...]:
    """The pieces of a pattern, in their order. Raises UsageError: it is too long, has a part that
    there is not or one twice, or lacks the year or the serial.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise _wrong(pattern, message("it has more than {most} characters", most=LONGEST_PATTERN))
    parts: list[NumberPart] = []
    place = 0
    while place < len(pattern):
        if match := _PART.match(pattern, place):
            name, width = match[1], int(match[2] or 0)
            if name != _SERIAL and name not in _VALUES:
                raise _wrong(pattern, message("there is no part {name}", name=name))
            if any(part.name == name for part in parts):
                raise _wrong(pattern, message("{name} stands in it twice", name=name))
            parts.append(NumberPart(name=name, width=width))
        elif match := _LITERAL.match(pattern, place):
            parts.append(NumberPart(text=match[0]))
        else:
            raise _wrong(
                pattern,
                message(
                    "character {place}, {sign}, cannot stand there",
                    place=place + 1,
                    sign=repr(pattern[place]),
                ),
            )
        place = match.end()
    for needed in ("year", _SERIAL):
        if all(part.name != needed for part in parts):
            raise _wrong(pattern, message("{name} is missing", name=f"{{{needed}}}"))
    return tuple(parts)


def format_number(parts: Sequence[NumberPart], values: Mapping[str, str], serial: int) -> str:
    """The number with this serial. `values`: name of a part -> its value, as text. `serial`: from
    1. Raises UsageError: a value is missing or is not of its part, or the serial has no room.
    """
    return "".join(part.text or _format_part(part, values, str(serial)) for part in parts)


def next_number(db: Database, pattern: str, values: Mapping[str, str]) -> str:
    """The number of the next report: its serial follows the highest one of this station and year
    among the frozen reports of the workspace, of all projects. Call it in the transaction in which
    the report is kept. Raises UsageError: as `parse` and `written`.
    """
    parts = parse(pattern)
    alike = re.compile("".join(_as_pattern(part, values) for part in parts))
    rows = db.rows("SELECT number FROM report WHERE kind = 'chaxin'")
    taken = {row["number"] for row in rows}
    serials = [int(match[1]) for number in taken if (match := alike.fullmatch(number))]
    serial = max(serials, default=0) + 1
    while (number := format_number(parts, values, serial)) in taken:  # by another pattern
        serial += 1
    return number


def check_value(name: str, value: str) -> str:
    """The value of a part, if it can stand in a number. Raises UsageError: it cannot."""
    if not _VALUES[name].fullmatch(value):
        raise UsageError(
            message(
                "{value} cannot be {name} of the report number",
                value=repr(value[:40]),
                name=f"{{{name}}}",
            ),
            advice=message(
                "The year has four digits, the province two, the station has digits, and the code "
                "of the organisation letters and digits."
            ),
        )
    return value


def _as_pattern(part: NumberPart, values: Mapping[str, str]) -> str:
    """A pattern that finds the serials of numbers with the same values."""
    if part.text:
        return re.escape(part.text)
    if part.name == _SERIAL:
        return f"([0-9]{{{part.width}}})" if part.width else f"([0-9]{{1,{WIDEST}}})"
    return re.escape(_value(part, values))


def _format_part(part: NumberPart, values: Mapping[str, str], serial: str) -> str:
    if part.name != _SERIAL:
        return _value(part, values)
    if len(serial) > (part.width or WIDEST):
        raise UsageError(
            message(
                "The numbers of this year are used up: {serial} has more than {width} digits",
                serial=serial,
                width=part.width or WIDEST,
            ),
            advice=message("Give {part} more digits in the pattern.", part="{serial}"),
        )
    return serial.rjust(part.width, "0")


def _value(part: NumberPart, values: Mapping[str, str]) -> str:
    value = values.get(part.name, "")
    if not value:
        raise UsageError(
            message("The report number needs {name}", name=f"{{{part.name}}}"),
            advice=message("Answer the question for it, or leave it out of the pattern."),
        )
    check_value(part.name, value)
    if part.width and len(value) > part.width:
        raise UsageError(
            message(
                "{name} of the report number, {value}, has more than {width} characters",
                name=f"{{{part.name}}}",
                value=value,
                width=part.width,
            )
        )
    return value.rjust(part.width, "0")


def _wrong(pattern: str, reason: str) -> UsageError:
    return UsageError(
        message(
            "{pattern} cannot be the pattern of report numbers: {reason}",
            pattern=repr(pattern[:LONGEST_PATTERN]),
            reason=reason,
        ),
        advice=message(
            "Write it as {example}; docs/novelty-search.md lists the parts.", example=DEFAULT
        ),
    )
