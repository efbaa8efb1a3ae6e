"""MARC selectors -> Python: the conditions and expressions of what marc.py finds, as source text.

Nothing that a spec says goes into source text as it is: tags are three digits, codes are letters
and digits, and all else goes through `repr`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from metasearch.adapters.select.marc import LEADER, MarcPath
from metasearch.adapters.shapes import Selector


class MarcExpressions:
    """Writes expressions that are evaluated in one function, of a `MarcRecord` named `record`."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], str] = {}
        self._there: dict[str, str] = {}

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """The lines that set what the expressions of these selectors ask for.

        What a control field must hold, and whether a tag is there that several ask for, is decided
        once for all selectors.
        """
        yield "tags, control = record.tags, record.control"
        asked: Counter[str] = Counter()
        for path in [_path(select) for select in selects if select.tree is not None]:
            for tag, value in path.control_is:
                if (tag, value) not in self._held:
                    name = self._held[tag, value] = f"held_{len(self._held)}"
                    yield f"{name} = control.get({tag!r}) == [{value!r}]"
            asked.update(_is_there(tag, path) for tag in path.tags if tag != LEADER)
        for condition in [condition for condition, times in asked.items() if times > 1]:
            name = self._there[condition] = f"there_{len(self._there)}"
            yield f"{name} = {condition}"

    def condition(self, select: Selector) -> str:
        """The condition without which the selector finds nothing; "" where there is none."""
        path = _path(select)
        parts = [self._held[each] for each in path.control_is]
        if path.tags[0] != LEADER:
            there = " or ".join(self._is_there(tag, path) for tag in path.tags)
            parts.append(f"({there})" if len(path.tags) > 1 else there)
        for at, characters in path.leader:
            parts.append(f"record.leader[{at}:{at + 1}] in {{{', '.join(map(repr, characters))}}}")
        return " and ".join(parts)

    def found(self, select: Selector, call: str, *, of_one_text: bool) -> str:
        """What the selector finds where its condition holds: a list, or the text of one."""
        path = _path(select)
        if path.control:
            place = f"[{path.start}:{'' if path.stop is None else path.stop}]"
            if path.tags[0] == LEADER:
                return f"record.leader{place}" if of_one_text else f"[record.leader{place}]"
            values = f"control[{path.tags[0]!r}]"
            several = f"[value{place} for value in {values}]"
            one = f"{values}[0]{place} if len({values}) == 1 else "
            return one + several if of_one_text else several
        if path.codes is not None and not path.tests:
            texts = [f"record.texts({tag!r}, {path.codes!r})" for tag in path.tags]
            if len(texts) == 1:
                return texts[0]
            there = [self._is_there(tag, path) for tag in path.tags]
            each = (f"*({text} if {one} else ())" for text, one in zip(texts, there, strict=True))
            return f"[{', '.join(each)}]"
        return call

    def _is_there(self, tag: str, path: MarcPath) -> str:
        """The condition that there is a field with this tag, of the kind that a path asks for."""
        condition = _is_there(tag, path)
        return self._there.get(condition, condition)


def _path(select: Selector) -> MarcPath:
    assert isinstance(select.tree, MarcPath)
    return select.tree


def _is_there(tag: str, path: MarcPath) -> str:
    """The same, whatever is decided beforehand."""
    return f"{tag!r} in {'control' if path.control else 'tags'}"
