"""What a person has decided: `same` and `different` by name, before any rule and over every veto.

A file of pins is plain text, a decision a line:

    same      10.1000/abc pmid:123            # the reason is shown wherever the pin speaks
    different crossref:10.1000/x dblp:conf/x

A name is a DOI, the key of a record ("source:id"), another identifier ("pmid:123") or the id of a
hit; it stands for every record that bears it, and the id of a hit for every record that alone would
make a hit of that id. `same` is transitive: lines that share a name speak of one work.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from metasearch import regular_files
from metasearch.bib import work_ids as names
from metasearch.bib.work_ids import read_name
from metasearch.dedup import evidence, hits
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import verdict
from metasearch.errors import PinsError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.record import Match

_CONTROL = late_pattern("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
#: A quoted run, or the blank or the beginning before a comment.
_QUOTED_OR_COMMENT = late_pattern(r""""[^"]*(?:"|$)|'[^']*(?:'|$)|((?:(?<=\s)|^)\#)""")


@dataclass(frozen=True, slots=True)
class Pin:
    """One line of a file.

    Attributes:
        verdict: What is said of the names, each with each.
        names: In the form of `read_name`, at least two, each once.
        line: Where it stands, from 1; `file`: in which file, without its folder.
        reason: The comment behind it; may be empty.
    """

    verdict: Literal["same", "different"]
    names: tuple[str, ...]
    line: int
    file: str
    reason: str = ""


def name_to_type(name: str) -> str:
    """A name as one would type it."""
    return name.removeprefix("doi:")


def read_line(line: str, number: int, file: str) -> Pin | None:
    """The pin of a line; None where it is empty or a comment. Raises ValueError: it is neither."""
    words, reason = _split(line)
    if not words:
        return None
    word = words[0].lower()
    if word not in ("same", "different"):
        raise ValueError(
            f'begins with {words[0]!r}; must begin with "same" or "different", or with # for a '
            f"comment"
        )
    names: dict[str, None] = {}
    for text in words[1:]:
        name = read_name(text)
        if name in names:
            raise ValueError(f"names {name_to_type(name)} twice")
        names[name] = None
    if len(names) < 2:
        raise ValueError(f"{word} needs two names or more, each set apart by a blank")
    return Pin("same" if word == "same" else "different", tuple(names), number, file, reason)


def _split(line: str) -> tuple[list[str], str]:
    """The words of a line, and its comment."""
    if '"' not in line and "'" not in line and "#" not in line:
        return line.split(), ""
    start = next((found.start() for found in _comments(line)), len(line))
    body, reason = line[:start], " ".join(_CONTROL.sub("", line[start:].lstrip("#")).split())
    if '"' not in body and "'" not in body:
        return body.split(), reason
    lexer = shlex.shlex(body, posix=True)
    # A name may hold a backslash, and a DOI may end in "#".
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return list(lexer), reason
    except ValueError:
        advice = "a name that holds a quotation mark stands between marks of the other kind"
        raise ValueError(f"a quotation mark is opened and never closed; {advice}") from None


def _comments(line: str) -> Iterator[re.Match[str]]:
    return (found for found in _QUOTED_OR_COMMENT.finditer(line) if found.group(1))


# The names that pins use, and the groups `same` makes of them: which lines join or part two.

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
            others += hits.record_ids(fingerprint)
        found = {number for other in others for number in self.folded.get(other, ())}
        number = self.number.get(key)
        if number is not None:
            found.add(number)
        return found

    def members(self, name: str) -> list[str]:
        return self._groups.get(self.group[self.number[name]], [name])

    @cached_property
    def _groups(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for number, group in enumerate(self.group):
            if group in self.joined:
                found.setdefault(group, []).append(self.names[number])
        return found

    def line_that_parts(self, one: set[int], other: set[int]) -> Pin | None:
        """The first line by which a group of the one is different from a group of the other."""
        empty: set[int] = set()
        lines = [
            line
            for left in one
            for right in other
            for line in self.parted.get(left, empty) & self.parted.get(right, empty)
        ]
        return self.pins[min(lines)] if lines else None

    def lines_that_join(self, ours: set[int], theirs: set[int], group: int) -> tuple[int, ...]:
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
                    said = cite_lines(self._chain(twin, name), reasons=False)
                    here = cite_lines((pin,), reasons=False)
                    both = f"{name_to_type(twin)} and {name_to_type(name)}"
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


def cite_lines(pins: Iterable[Pin], *, reasons: bool = True) -> str:
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


#: Largest file, in bytes.
MAX_BYTES = 10_000_000


@dataclass(frozen=True)
class Pins:
    """All decisions of one or more files; immutable, and a `Matcher` whose verdict is meant to be
    final.

    Where records bear names of which "same" and "different" are said at once (which a file alone
    cannot show), "different" stands: a work that is shown twice is seen, one that has vanished is
    not. Raises PinsError: they contradict one another.
    """

    name: ClassVar[str] = "pin"
    exact: ClassVar[bool] = False

    pins: tuple[Pin, ...] = ()
    _index: PinIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = PinIndex(self.pins)
        problems = [problem for _, problem in index.contradictions()]
        if problems:
            raise PinsError(" and ".join(dict.fromkeys(pin.file for pin in self.pins)), problems)
        object.__setattr__(self, "_index", index)

    @classmethod
    def load(cls, path: Path | None) -> Pins:
        """The pins of a file: UTF-8, at most `MAX_BYTES`; none where there is no file. Raises
        PinsError: it cannot be read, or not as pins; with all problems at once.
        """
        if path is None:
            return cls()
        try:
            content = regular_files.read(path, MAX_BYTES)
        except regular_files.TooLargeToRead as exc:
            raise PinsError(str(path), [regular_files.why(exc)]) from exc
        except OSError as exc:
            raise PinsError(str(path), [f"cannot be read: {regular_files.why(exc)}"]) from exc
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            line = content.count(b"\n", 0, exc.start) + 1
            raise PinsError(str(path), [f"line {line}: not UTF-8 text"]) from exc
        return cls.read(text, str(path))

    @classmethod
    def read(cls, text: str, name: str) -> Pins:
        """The pins of a text.

        `text`: the lines of a file; a byte order mark may stand first. `name`: what the file is
        called in errors; its last part is the name in reasons. Raises PinsError: with every problem
        and its line.
        """
        file = Path(name).name or name
        pins: list[Pin] = []
        problems: list[tuple[int, str]] = []
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            try:
                pin = read_line(line, number, file)
            except ValueError as exc:
                problems.append((number, f"line {number}: {exc}"))
                if len(problems) == MAX_PROBLEMS:
                    problems.append((number, f"line {number + 1}: not read any further"))
                    break
            else:
                if pin is not None:
                    pins.append(pin)
        if problems:
            problems += PinIndex(pins).contradictions()
            raise PinsError(
                name, [problem for _, problem in sorted(problems, key=lambda problem: problem[0])]
            )
        try:
            return cls(tuple(pins))
        except PinsError as exc:
            raise PinsError(name, exc.problems) from None

    def __bool__(self) -> bool:
        return bool(self.pins)

    def __or__(self, other: Pins) -> Pins:
        """The decisions of both. Raises PinsError: they contradict one another."""
        return Pins(self.pins + other.pins) if self and other else self or other

    def touches(self, fingerprint: Fingerprint) -> bool:
        return bool(self._index.of(fingerprint))

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The groups of `same` that the record's names stand in: a name for each."""
        index = self._index
        return [
            index.names[group]
            for group in {index.group[name] for name in index.of(fingerprint)}
            if group in index.joined
        ]

    def same_names(self, fingerprint: Fingerprint) -> list[str]:
        """All names that are the same as one of the record's, its own among them."""
        return [name for group in self.keys(fingerprint) for name in self._index.members(group)]

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" or "different" as it is pinned, or None."""
        index = self._index
        ours = index.of(a)
        if not ours:
            return None
        theirs = index.of(b)
        if not theirs:
            return None
        one, other = {index.group[name] for name in ours}, {index.group[name] for name in theirs}
        # A group that both belong to tells nothing apart.
        line = index.line_that_parts(one - other, other - one)
        if line is not None:
            return verdict(
                self.name,
                "different",
                1.0,
                (message(evidence.PINNED_AS_DIFFERENT, lines=cite_lines((line,))),),
                a,
                b,
            )
        shared = one & other & index.joined
        if not shared:
            return None
        lines = min(index.lines_that_join(ours, theirs, group) for group in shared)
        said = cite_lines([self.pins[line] for line in lines])
        return verdict(
            self.name, "same", 1.0, (message(evidence.PINNED_AS_SAME, lines=said),), a, b
        )
