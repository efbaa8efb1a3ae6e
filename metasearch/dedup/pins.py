"""What a person has decided: `same` and `different` by name, before any rule and over every veto.

A file of pins is plain text, a decision a line:

    same      10.1000/abc pmid:123            # the reason is shown wherever the pin speaks
    different crossref:10.1000/x dblp:conf/x

A name is a DOI, the key of a record ("source:id"), another identifier ("pmid:123") or the id of a
hit; it stands for every record that bears it, and the id of a hit for every record that alone would
make a hit of that id. `same` is transitive: lines that share a name speak of one work.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from metasearch import opening
from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.pin_index import MAX_PROBLEMS, PinIndex, cited
from metasearch.dedup.pin_lines import Pin, read_line
from metasearch.errors import PinsError
from metasearch.record import Match

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
            content = opening.read(path, MAX_BYTES)
        except opening.TooLargeToRead as exc:
            raise PinsError(str(path), [opening.why(exc)]) from exc
        except OSError as exc:
            raise PinsError(str(path), [f"cannot be read: {opening.why(exc)}"]) from exc
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
        """Whether any line names the record."""
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
        parting = index.parting(one - other, other - one)
        if parting is not None:
            return verdict(
                self.name,
                "different",
                1.0,
                (because.PINNED_AS_DIFFERENT.format(lines=cited((parting,))),),
                a,
                b,
            )
        shared = one & other & index.joined
        if not shared:
            return None
        lines = min(index.joining(ours, theirs, group) for group in shared)
        said = cited([self.pins[line] for line in lines])
        return verdict(self.name, "same", 1.0, (because.PINNED_AS_SAME.format(lines=said),), a, b)
