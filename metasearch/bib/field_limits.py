"""How long the fields of a record may be, and the cuts of what is longer; docs/decisions/0018 says
why.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from metasearch.record import FIELDS, PEOPLE, Author, Limit

#: Characters, and texts, of all that is found for one field before it is converted.
MOST_GIVEN, MOST_FOUND = 400_000, 10_000
#: A larger number is no year and no count, and takes long to write down.
LARGEST_NUMBER = 10**15

#: Of each field of a record; of a person's affiliation; and of what a file says beside.
LIMITS: Mapping[str, Limit] = {name: field.limit for name, field in FIELDS.items()} | {
    "affiliation": Limit("affiliation", 2_000),  # 286
    # notes, addresses; 157 cited works
    "given": Limit("other field", 50_000, 1_000),
}
#: No text of so few characters is beyond its limit.
SHORT = min(limit.text for limit in LIMITS.values())


# Cuts what is longer than `field_limits.py` permits, and counts what was cut. All that a database
# or a file contains passes here twice: a value before it is converted (`cut_value`), so that no
# converter works on megabytes, and the record when it is made (`cut_fields`), so that nothing after
# it does either.

_OTHER = LIMITS["ids"]


class Cuts:
    """What was cut or left out, counted, to be told once for a page or a record."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], int] = {}

    def text(self, limit: Limit) -> None:
        """A text was longer than its limit."""
        long = f" of more than {limit.text:,} characters"
        if limit.whole:
            self._add(limit.name + long, limit.names + long, "left out")
        else:
            self._add(limit.name, limit.names, f"cut at {limit.text:,} characters")

    def items(self, limit: Limit) -> None:
        """A list was longer than its limit."""
        self._add(
            f"list of {limit.names}", f"lists of {limit.names}", f"cut at {limit.items:,} entries"
        )

    def value(self, field: str) -> None:
        """What was found for a field was more than is converted."""
        limit = LIMITS.get(field, _OTHER)
        done = f"cut at {limit.before_conversion:,} characters before it was read"
        self._add(f"value for {limit.names}", f"values for {limit.names}", done)

    def room(self, limit: Limit) -> None:
        """All texts of a list together were longer than is kept."""
        self._add(
            f"list of {limit.names}", f"lists of {limit.names}", f"cut at {MOST_GIVEN:,} characters"
        )

    def number(self, field: str) -> None:
        """A number was too large to be one of that field."""
        self._add(f"number for {field}", f"numbers for {field}", "too large and left out")

    def _add(self, one: str, several: str, done: str, times: int = 1) -> None:
        self._counts[one, several, done] = self._counts.get((one, several, done), 0) + times

    def join(self, other: Cuts) -> None:
        """Take in what was counted elsewhere."""
        for kind, times in other._counts.items():
            self._add(*kind, times)

    def notes(self) -> tuple[str, ...]:
        """In words: "3 titles were cut at 4,000 characters"."""
        return tuple(
            f"1 {one} was {done}" if count == 1 else f"{count:,} {several} were {done}"
            for (one, several, done), count in self._counts.items()
        )


def cut_value(field: str, found: Any, cuts: Cuts) -> Any:
    """What was found for a field, as much of it as is converted; the same object where that is all
    of it. `cuts`: where it is counted that something was cut.
    """
    size = _size(found)
    if size <= SHORT:  # as nearly always
        return found
    limit = LIMITS.get(field, _OTHER)
    if size <= min(limit.before_conversion, MOST_FOUND):
        return found
    room = _Room(limit.before_conversion)
    less = room.part(found)
    if room.cut:
        cuts.value(field)
        return less
    return found


def _size(found: Any) -> int:
    """Characters of the texts that a converter may take of a value, and one for all else."""
    if type(found) is list:
        size = len(found)
        for item in found:
            kind = type(item)
            size += len(item) if kind is str else 1 if kind is int else _size(item)
        return size
    if type(found) is str:
        return len(found)
    if type(found) is tuple:
        return _size(list(found))
    if type(found) is dict:  # of a table, converters take a text, or count its lists themselves
        size = 1
        for value in found.values():
            if type(value) is str:
                size += len(value)
        return size
    return 1


class _Room:
    """How much more is taken of a value."""

    __slots__ = ("characters", "cut", "each", "texts")

    def __init__(self, each: int) -> None:
        self.each = each
        self.characters = MOST_GIVEN
        self.texts = MOST_FOUND
        self.cut = False

    def part(self, found: Any) -> Any:
        """As much of a value as there is room for. Raises RecursionError: it is nested to death."""
        if isinstance(found, str):
            most = min(self.each, self.characters)
            self.characters -= min(most, len(found))
            self.texts -= 1
            if len(found) <= most:
                return found
            self.cut = True
            return found[:most]
        if isinstance(found, dict):
            return {
                key: self.part(value) if isinstance(value, str) else value
                for key, value in found.items()
            }
        if isinstance(found, (list, tuple)):
            return [self.part(item) for item in self._some(found)]
        self.texts -= 1
        return found

    def _some(self, found: Any) -> Iterable[Any]:
        for item in found:
            if self.texts <= 0 or self.characters <= 0:
                self.cut = True
                return
            yield item


def first_items(field: str, found: list[Any]) -> list[Any]:
    """The first of a long list: one more than is kept, so that `cut_fields` sees it."""
    limit = LIMITS[field].items + 1
    return found if len(found) <= limit else found[:limit]


def cut_fields(values: dict[str, Any], cuts: Cuts) -> dict[str, Any]:
    """The fields of a record, none longer than its limit; the same table, changed where something
    was. `values`: as `Record` takes them. `cuts`: where it is counted what was cut.
    """
    for field, value in values.items():
        kind = type(value)
        if kind is str:
            if (
                len(value) > SHORT
                and (limit := LIMITS.get(field)) is not None
                and len(value) > limit.text
            ):
                values[field] = _text(
                    value, limit, cuts, "" if field in ("title", "source_id") else None
                )
        elif kind is tuple:
            if value:
                values[field] = (
                    _people(value, field, cuts)
                    if field in PEOPLE
                    else _texts(value, LIMITS[field], cuts)
                )
        elif kind is int:
            # A position is a number of ours, or of a file of ours, and every record has one.
            if not -LARGEST_NUMBER < value < LARGEST_NUMBER and field != "position":
                cuts.number(field)
                values[field] = None
        elif field == "ids" and value:
            values[field] = cut_ids(value, cuts)
    return values


def cut_others(found: Sequence[tuple[str, str]], cuts: Cuts) -> tuple[tuple[str, str], ...]:
    """Tags and values that no field of a record holds, as much of them as is kept: `MOST_GIVEN`
    characters in all. `cuts`: where it is counted what was cut.
    """
    if not found:
        return ()
    limit, room = LIMITS["given"], MOST_GIVEN
    if len(found) > limit.items:
        cuts.items(limit)
    out: list[tuple[str, str]] = []
    for tag, value in found[: limit.items]:
        if len(value) > room:
            cuts.room(limit)
            break
        if len(value) > limit.text:
            cuts.text(limit)
            value = value[: limit.text].rstrip()
        room -= len(value)
        out.append((sys.intern(tag), value))  # the same few tags in every record
    return tuple(out)


def _text(value: str, limit: Limit, cuts: Cuts, nothing: str | None) -> str | None:
    cuts.text(limit)
    return nothing if limit.whole else value[: limit.text].rstrip()


def _texts(found: tuple[str, ...], limit: Limit, cuts: Cuts) -> tuple[str, ...]:
    if len(found) > limit.items:
        cuts.items(limit)
        found = found[: limit.items]
    if max(map(len, found)) > limit.text:
        shorter = [
            value if len(value) <= limit.text else _text(value, limit, cuts, None)
            for value in found
        ]
        return tuple(dict.fromkeys(value for value in shorter if value))
    return found


def people_fit(found: tuple[Author, ...], field: str) -> bool:
    """Whether a list of people is kept as it is."""
    limit = LIMITS[field]
    return len(found) <= limit.items and _names_fit(found, limit)


def _people(found: tuple[Author, ...], field: str, cuts: Cuts) -> tuple[Author, ...]:
    limit = LIMITS[field]
    if len(found) > limit.items:
        cuts.items(limit)
        found = found[: limit.items]
    if _names_fit(found, limit):
        return found
    return tuple(_person(one, limit, cuts) for one in found)


def _names_fit(found: tuple[Author, ...], limit: Limit) -> bool:
    affiliation = LIMITS["affiliation"].text
    for author in found:
        # A family name that is longer than the whole name is no name, but a file may have one.
        family, given, works_at = author.family, author.given, author.affiliation
        if (
            len(author.name) > limit.text
            or (family is not None and len(family) > limit.text)
            or (given is not None and len(given) > limit.text)
            or (works_at is not None and len(works_at) > affiliation)
        ):
            return False
    return True


def _person(author: Author, limit: Limit, cuts: Cuts) -> Author:
    parts = {"name": limit, "family": limit, "given": limit, "affiliation": LIMITS["affiliation"]}
    longer: dict[str, Any] = {
        part: value[: one.text].rstrip()
        for part, one in parts.items()
        if len(value := getattr(author, part) or "") > one.text
    }
    if not longer:
        return author
    cuts.text(LIMITS["affiliation"] if longer.keys() == {"affiliation"} else limit)
    return replace(author, **longer)


def cut_ids(found: Mapping[str, str], cuts: Cuts) -> Mapping[str, str]:
    """Identifiers by scheme, none longer than its limit; there is one at least."""
    limit = LIMITS["ids"]
    if len(found) > limit.items:
        cuts.items(limit)
        found = dict(islice(found.items(), limit.items))
    if max(map(len, found.values())) > limit.text or max(map(len, found)) > limit.text:
        fitting = {
            scheme: value
            for scheme, value in found.items()
            if max(len(value), len(scheme)) <= limit.text
        }
        for _ in range(len(found) - len(fitting)):
            cuts.text(limit)
        return fitting
    return found
