"""What a syntax can express, as a tree of its own: terms as they are written, and groups of them.

A tree of this kind holds no NOT by itself: what must not hold stands beside what has to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metasearch.query.writing.style import Style


@dataclass(frozen=True, slots=True)
class Leaf:
    """One term as it is written, and the template to put it into; `frame`: "{x}" for none."""

    text: str
    frame: str = "{x}"


@dataclass(frozen=True, slots=True)
class Group:
    """All or either of several parts, but for those `without`.

    Attributes:
        every: Whether all of them have to hold.
        without: What must not hold; only where `every`.
        frame: The template of all that is in it; "" where there are several.
    """

    every: bool
    parts: tuple[Leaf | Group, ...]
    without: tuple[Leaf | Group, ...] = ()
    frame: str = ""


#: A part of a query as a syntax can express it.
Part = Leaf | Group


class Grouping:
    """Puts parts together, by the table of one syntax."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def grouped(self, wanted: Sequence[Part], without: Sequence[Part] = ()) -> Part:
        """All of them, flattened."""
        parts: list[Part] = []
        unwanted: list[Part] = []
        for part in wanted:
            if isinstance(part, Group) and part.every:
                parts += part.parts
                unwanted += part.without
            else:
                parts.append(part)
        unwanted += without
        return self.group(True, list(dict.fromkeys(parts)), list(dict.fromkeys(unwanted)))

    def alternatives(self, sides: Sequence[Part]) -> Part:
        """Either of them, flattened, each once."""
        flat: dict[Part, None] = {}
        for side in sides:
            flat |= dict.fromkeys(
                side.parts if isinstance(side, Group) and not side.every else (side,)
            )
        return self.group(False, list(flat), [])

    def group(self, every: bool, parts: list[Part], without: list[Part]) -> Part:
        if len(parts) == 1 and not without:
            return parts[0]
        frames = {part.frame for part in (*parts, *without)}
        frame = frames.pop() if len(frames) == 1 and self.style.framed else ""
        return Group(every, tuple(parts), tuple(without), "" if frame == "{x}" else frame)


def is_framed(part: Part) -> bool:
    """Whether it is looked for in one field, with a template of its own."""
    return bool(part.frame) and part.frame != "{x}"
