"""Which command a word was probably meant to be: a misspelt command is no search that anybody
wants.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

import click

#: Letters that are wrong, missing, too many or swapped in a word that is taken for a command's
#: name.
MOST_WRONG = 2
#: Characters of the longest word that is compared; names of commands are shorter.
_LONGEST = 24


def near(word: str, names: Iterable[str]) -> str | None:
    """The name that is at most `MOST_WRONG` letters from the word, the nearest one; None where
    there is none.
    """
    if len(word) > _LONGEST:
        return None
    found = min(
        ((edits(word.casefold(), name), name) for name in names), default=(MOST_WRONG + 1, "")
    )
    return found[1] if found[0] <= MOST_WRONG else None


def edits(left: str, right: str) -> int:
    """How many letters are to be changed, put in, left out or swapped with their neighbour to make
    one of the other.

    rapidfuzz counts the same, but takes longer to load than the help of a command may take.
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


def meant(words: Sequence[str], commands: Mapping[str, click.Command]) -> str | None:
    """The command that the words of a query are probably meant to be, as "serve" or "sources list".

    That is so for a word alone, and for two words where the first resembles a group and the second
    is one of its commands: "source list". Anything else is a query.
    """
    if not words or (name := near(words[0], commands)) is None:
        return None
    if len(words) == 1:
        return name
    group = commands[name]
    inner = near(words[1], group.commands) if isinstance(group, click.Group) else None
    return f"{name} {inner}" if inner else None


def how_to_search(words: Sequence[str]) -> str:
    """What to type to search for words that name a command, or resemble one."""
    typed = shlex.join(words)
    return f"To search for such words: metasearch -- {typed} (or: metasearch search {typed})"
