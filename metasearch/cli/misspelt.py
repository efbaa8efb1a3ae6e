"""Recognises misspelt commands, which would otherwise be searched for."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

import click

#: Letters of a misspelt command that are wrong, missing, added or swapped, at most.
MOST_EDITS = 2
#: Letters of a name of which every spelling is taken as it is: "mice" is no misspelt "mcp".
_SHORT = 3
#: Characters of the longest word that is compared; names of commands are shorter.
_LONGEST = 24


def may_be_name(word: object) -> bool:
    """Whether a word may be a command, well or badly spelt; a query in quotes has blanks."""
    return isinstance(word, str) and len(word) <= _LONGEST and not any(map(str.isspace, word))


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name with the fewest edits from the word; None if each name is more than `MOST_EDITS`
    away. A short name must be spelt as it is.
    """
    if not may_be_name(word):
        return None
    word = word.casefold()
    compared = [name for name in names if len(name) > _SHORT or name == word]
    distances = ((edits(word, name), name) for name in compared)
    distance, name = min(distances, default=(MOST_EDITS + 1, ""))
    return name if distance <= MOST_EDITS else None


def edits(left: str, right: str) -> int:
    """The number of letters to replace, add, remove or swap with their neighbour that make the two
    words equal.

    rapidfuzz counts the same, but loading it takes longer than the help of a command may take.
    """
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, one in enumerate(left, 1):
        now = [row]
        for column, other in enumerate(right, 1):
            cost = min(last[column] + 1, now[-1] + 1, last[column - 1] + (one != other))
            swapped = row > 1 and column > 1 and one == right[column - 2] and left[row - 2] == other
            now.append(min(cost, before[column - 2] + 1) if swapped else cost)
        before, last = last, now
    return last[-1]


def probable_command(words: Sequence[str], commands: Mapping[str, click.Command]) -> str | None:
    """The command that the words of a query resemble, as "serve" or "sources list"; None for a
    query.

    One word must resemble a command; of two words the first must resemble a group, and the second
    one of its commands: "source list".
    """
    name = nearest(words[0], commands) if words else None
    if name is None or len(words) == 1:
        return name
    group = commands[name]
    inner = nearest(words[1], group.commands) if isinstance(group, click.Group) else None
    return f"{name} {inner}" if inner else None


def how_to_search(words: Sequence[str]) -> str:
    """A sentence that shows how to search for words that name a command, or resemble one."""
    typed = shlex.join(words)
    return f"To search for these words: metasearch -- {typed} (or: metasearch search {typed})"
