"""Where the records of a work were exported from, in words that a file can hold and that are read
again.

    Origin: medline.ris | MEDLINE
    Origin: library.bib |

One origin stands for one record. So a file that `metasearch dedup` has written tells how many
records of which database each of its works is made of, and a second `dedup` of it counts as the
first one did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metasearch.formats.text import line
from metasearch.record import Hit

_MARK = "Origin: "
#: Before each origin but the first of a text.
_BETWEEN = "; "
_ORIGIN = re.compile(rf"(?:^|(?<=; )){_MARK}")
_BAR = " | "
#: Characters of a file's or a database's name.
_LONGEST = 500
#: Origins that are read of one text: more records of one work have not been seen.
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Origin:
    """A record that a file held. `database`: of its export; None where that is unknown."""

    file: str
    database: str | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """What the files of a work say beside the fields of its record.

    `origins`: of each of its records, in the order in which they were read. `fields`: (tag, value)
    of the format that is written, in the order of the records, each once.
    """

    origins: tuple[Origin, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def databases(self) -> list[str]:
        """The names of the databases, each once."""
        return list(
            dict.fromkeys(line(origin.database) for origin in self.origins if origin.database)
        )


#: `Hit.id` -> what stands beside it, or what stands beside each hit, in the order of the hits;
#: searches have none.
BesideHits = Mapping[str, Beside] | Iterable[Beside]
NOTHING = Beside()


def with_beside(
    hits: Iterable[Hit], beside: BesideHits | None
) -> Iterator[tuple[Hit, Beside | None]]:
    """Each hit with what files say beside its records; None for all where no files were read.
    Raises ValueError: what stands beside the hits is given in their order, and is not as much as
    they are.
    """
    if beside is None or isinstance(beside, Mapping):
        for hit in hits:
            yield hit, beside.get(hit.id, NOTHING) if beside is not None else None
    else:
        yield from zip(hits, beside, strict=True)


def texts(origins: Iterable[Origin]) -> list[str]:
    """A text for each origin: "Origin: medline.ris | MEDLINE"."""
    return [
        f"{_MARK}{_name(origin.file)}{_BAR}{_name(origin.database)}".rstrip() for origin in origins
    ]


def one_text(origins: Iterable[Origin]) -> str:
    """All of them as one text; "" for none."""
    return _BETWEEN.join(texts(origins))


def _name(name: str | None) -> str:
    """A name in which nothing reads as a mark of ours."""
    return line(name)[:_LONGEST].replace("|", "/").replace(_MARK, "Origin ")


def read(values: Iterable[str]) -> tuple[Origin, ...]:
    """The origins in texts of `texts` or `joined`; () where a text is none of those."""
    found: list[Origin] = []
    for value in values:
        if not is_origin(value):
            continue
        for part in _ORIGIN.split(value)[1 : MOST + 1 - len(found)]:
            file, _, database = part.removesuffix(_BETWEEN).partition("|")
            name = file.strip()[:_LONGEST]
            if name:
                found.append(Origin(name, database.strip()[:_LONGEST] or None))
    return tuple(found)


def of_objects(found: Any) -> tuple[Origin, ...]:
    """The origins in a list of {"file", "database"}; () where it is none."""
    objects = (
        [item for item in found[:MOST] if isinstance(item, dict)] if isinstance(found, list) else []
    )
    named = [(item.get("file"), item.get("database")) for item in objects]
    return tuple(
        Origin(
            file[:_LONGEST], database[:_LONGEST] if isinstance(database, str) and database else None
        )
        for file, database in named
        if isinstance(file, str) and file
    )


def is_origin(value: str) -> bool:
    """Whether the text is one of `texts`."""
    return value.startswith(_MARK) and "|" in value


def database_name(origins: Iterable[Origin]) -> str | None:
    """The databases of a record that is made of several, as one name; None for none."""
    return (
        "; ".join(dict.fromkeys(origin.database for origin in origins if origin.database)) or None
    )
