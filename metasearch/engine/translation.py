"""A query in the syntaxes of databases that people search by hand, as text and as data: `metasearch
translate` and `/translate`. Nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from metasearch.errors import UsageError
from metasearch.formats.text import clean, line
from metasearch.message import message
from metasearch.query import ReadQuery, read, to_text
from metasearch.query.writer import TARGETS, Translation, written

#: Stands for every syntax.
ALL = "all"


@dataclass(frozen=True, slots=True)
class Translations:
    """A query as it was understood, and in other syntaxes. `written`: one for each syntax that was
    asked for, in that order.
    """

    read: ReadQuery
    written: tuple[Translation, ...]


def targets(names: Iterable[str]) -> tuple[str, ...]:
    """The syntaxes that are named, each once: keys of `TARGETS`; all of them for "all" or no name.
    Raises UsageError: there is none of a name.
    """
    wanted = dict.fromkeys(names) or {ALL: None}
    for name in wanted:
        if name not in TARGETS and name != ALL:
            known = ", ".join((*TARGETS, ALL))
            raise UsageError(
                message("there is no syntax called {name} to write in", name=repr(line(name)[:40])),
                advice=message("Choose of {known}.", known=known),
            )
    return tuple(TARGETS) if ALL in wanted else tuple(wanted)


def translations(text: str, to: Iterable[str] = (), syntax: str = "auto") -> Translations:
    """Read a query, and write it in other syntaxes.

    `to`: keys of `TARGETS`, or "all"; none stands for all. `syntax`: that the text is in, one of
    `metasearch.query.CHOICES`. Raises QuerySyntaxError: the text cannot be read; UsageError: there
    is no such syntax.
    """
    names = targets(to)
    asked = read(text, syntax)
    return Translations(asked, tuple(written(asked.query, name) for name in names))


def translations_object(made: Translations) -> dict[str, Any]:
    """As JSON has it: every key is always there."""
    return {
        "query": clean(to_text(made.read.query)),
        "syntax": made.read.syntax,
        "notes": [clean(note) for note in made.read.notes],
        "translations": [
            {
                "syntax": translation.syntax,
                "text": clean(translation.text),
                "notes": [clean(note) for note in translation.notes],
            }
            for translation in made.written
        ],
    }


def translation_lines(made: Translations) -> Iterator[str]:
    """For people: a paragraph a syntax, with what is lost below it; without control characters."""
    for number, translation in enumerate(made.written):
        if number:
            yield ""
        yield f"{translation.syntax}: {TARGETS[translation.syntax].partition(':')[0]}"
        if translation.text:
            yield f"  {line(translation.text)}"
        for note in translation.notes:
            yield f"  note: {line(note)}"
