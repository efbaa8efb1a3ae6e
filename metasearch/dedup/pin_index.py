"""The names that pins use, and the groups `same` makes of them: which lines join or part two."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cached_property

from metasearch.bib import work_ids as names
from metasearch.dedup import naming
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.pin_lines import Pin, shown

#: After so many problems a file is not looked at further: it is most likely no file of pins.
MAX_PROBLEMS = 100


def record_names(fingerprint: Fingerprint) -> tuple[str, list[str]]:
    """The names that a record bears: its key, to the letter; and others, whatever their case."""
    return fingerprint.record.key, names.identifiers(fingerprint.record)


class PinIndex:
    """Names as numbers, and what the lines say of them; linear in the size of the file.

    Attributes:
        names: Number -> name; `number`: the reverse.
        folded: Name in lower case -> numbers, more than one only where names differ in case alone.
        lines: Number -> the `same` lines in which it stands, as positions in `pins`; `first`: the
            first of them.
        group: Number -> the smallest number that it is the same as.
        joined: Groups of more than one name.
        names_hits: Whether any name is the id of a hit.
        parted: Group -> positions of the `different` lines that name it.
    """

    def __init__(self, pins: Iterable[Pin]) -> None:
        self.pins = tuple(pins)
        self.names: list[str] = []
        self.number: dict[str, int] = {}
        self.folded: dict[str, tuple[int, ...]] = {}
        self.lines: list[set[int]] = []
        self.first: dict[int, int] = {}
        parent: list[int] = []
        for at, pin in enumerate(self.pins):
            numbers = [self._take(name, parent) for name in pin.names]
            if pin.verdict == "same":
                for number in numbers:
                    self.lines[number].add(at)
                    self.first.setdefault(number, at)
                    _union(parent, numbers[0], number)
        self.names_hits = any(map(names.is_hit_id, self.names))
        self.group = [_root(parent, number) for number in range(len(parent))]
        self.joined = {group for number, group in enumerate(self.group) if number != group}
        self.parted: dict[int, set[int]] = {}
        for at, pin in enumerate(self.pins):
            if pin.verdict == "different":
                for name in pin.names:
                    self.parted.setdefault(self.group[self.number[name]], set()).add(at)

    def _take(self, name: str, parent: list[int]) -> int:
        number = self.number.get(name)
        if number is None:
            number = self.number[name] = len(self.names)
            self.names.append(name)
            self.lines.append(set())
            parent.append(number)
            lower = name.lower()
            self.folded[lower] = (*self.folded.get(lower, ()), number)
        return number

    def of(self, fingerprint: Fingerprint) -> set[int]:
        """The names of a record that are pinned."""
        key, others = record_names(fingerprint)
        if self.names_hits:
            others += naming.record_ids(fingerprint)
        found = {number for other in others for number in self.folded.get(other, ())}
        number = self.number.get(key)
        if number is not None:
            found.add(number)
        return found

    def members(self, name: str) -> list[str]:
        """The names of the group that a name stands in."""
        return self._groups.get(self.group[self.number[name]], [name])

    @cached_property
    def _groups(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for number, group in enumerate(self.group):
            if group in self.joined:
                found.setdefault(group, []).append(self.names[number])
        return found

    def parting(self, one: set[int], other: set[int]) -> Pin | None:
        """The first line by which a group of the one is different from a group of the other."""
        empty: set[int] = set()
        lines = [
            line
            for left in one
            for right in other
            for line in self.parted.get(left, empty) & self.parted.get(right, empty)
        ]
        return self.pins[min(lines)] if lines else None

    def joining(self, ours: set[int], theirs: set[int], group: int) -> tuple[int, ...]:
        """The line in which a name of each stands, else a line of each in the chain between."""
        left = [name for name in ours if self.group[name] == group]
        right = [name for name in theirs if self.group[name] == group]
        both: set[int] = set()
        for one in left:
            for other in right:
                both |= {self.first[one]} if one == other else self.lines[one] & self.lines[other]
        if both:
            return (min(both),)
        return tuple(sorted({min(self.first[name] for name in side) for side in (left, right)}))

    def contradictions(self) -> list[tuple[int, str]]:
        """(line, what is wrong) of every `different` line that parts what is the same."""
        problems: list[tuple[int, str]] = []
        for pin in self.pins:
            if pin.verdict == "same":
                continue
            first: dict[int, str] = {}
            for name in pin.names:
                group = self.group[self.number[name]]
                twin = first.setdefault(group, name)
                if twin != name:
                    said = cited(self._chain(twin, name), reasons=False)
                    here = cited((pin,), reasons=False)
                    both = f"{shown(twin)} and {shown(name)}"
                    problems.append(
                        (pin.line, f"{here}: {both} are different here, but the same by {said}")
                    )
                    if len(problems) == MAX_PROBLEMS:
                        return problems
        return problems

    def _chain(self, start: str, end: str) -> list[Pin]:
        """The lines from one name to another of its group: the fewest, in the file's order."""
        begin, goal = self.number[start], self.number[end]
        came: dict[int, tuple[int, int]] = {}
        seen: set[int] = set()
        queue = deque([begin])
        while queue and goal not in came:
            number = queue.popleft()
            for line in self.lines[number] - seen:
                seen.add(line)
                for name in self.pins[line].names:
                    other = self.number[name]
                    if other != begin and other not in came:
                        came[other] = (number, line)
                        queue.append(other)
        chain: list[int] = []
        while goal != begin:
            goal, line = came[goal]
            chain.append(line)
        return [self.pins[line] for line in sorted(chain)]


def _root(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _union(parent: list[int], a: int, b: int) -> None:
    a, b = _root(parent, a), _root(parent, b)
    parent[max(a, b)] = min(a, b)


def cited(pins: Iterable[Pin], *, reasons: bool = True) -> str:
    """As in "pins.txt line 3: the reason" and "pins.txt lines 3, 9"."""
    files: dict[str, list[Pin]] = {}
    for pin in pins:
        files.setdefault(pin.file, []).append(pin)
    said = []
    for file, lines in files.items():
        numbers = ", ".join(str(pin.line) for pin in lines)
        why = "; ".join(dict.fromkeys(pin.reason for pin in lines if pin.reason)) if reasons else ""
        said.append(
            f"{file} line{'s' if len(lines) > 1 else ''} {numbers}{': ' if why else ''}{why}"
        )
    return " and ".join(said)
