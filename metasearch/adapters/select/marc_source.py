"""MARC selectors -> Python: the conditions and expressions of what marc.py finds, as source text.

Nothing that a spec says goes into source text as it is: tags are three digits, codes are letters
and digits, and all else goes through `repr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from metasearch.adapters.select.marc import LEADER, MarcPath
from metasearch.adapters.shapes import Selector


class MarcExpressions:
    """Writes expressions that are evaluated in one function, of a `MarcRecord` named `record`."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], str] = {}

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """The lines that set what the expressions of these selectors ask for.

        What a control field must hold is decided once for all selectors.
        """
        yield "tags, control = record.tags, record.control"
        for select in selects:
            for tag, value in _path(select).control_is if select.tree is not None else ():
                if (tag, value) not in self._held:
                    name = self._held[tag, value] = f"held_{len(self._held)}"
                    yield f"{name} = control.get({tag!r}) == [{value!r}]"

    def condition(self, select: Selector) -> str:
        """The condition without which the selector finds nothing; "" where there is none."""
        path = _path(select)
        parts = [self._held[each] for each in path.control_is]
        if path.tags[0] != LEADER:
            where = "control" if path.control else "tags"
            there = " or ".join(f"{tag!r} in {where}" for tag in path.tags)
            parts.append(f"({there})" if len(path.tags) > 1 else there)
        for at, characters in path.leader:
            parts.append(f"record.leader[{at}:{at + 1}] in {{{', '.join(map(repr, characters))}}}")
        return " and ".join(parts)

    def found(self, select: Selector, call: str) -> str:
        """What the selector finds where its condition holds: a list.

        Args:
            select: The selector.
            call: An expression that calls it.
        """
        path = _path(select)
        if path.control:
            place = f"[{path.start}:{'' if path.stop is None else path.stop}]"
            if path.tags[0] == LEADER:
                return f"[record.leader{place}]"
            return f"[value{place} for value in control[{path.tags[0]!r}]]"
        if len(path.tags) == 1 and path.codes is not None and not path.tests:
            return f"record.texts({path.tags[0]!r}, {path.codes!r})"
        return call


def _path(select: Selector) -> Any:
    assert isinstance(select.tree, MarcPath)
    return select.tree
