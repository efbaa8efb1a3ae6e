"""Formatted citations: the styles by name, and a line a hit.

Importing this package loads no style.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from metasearch.errors import UsageError
from metasearch.message import N_

if TYPE_CHECKING:
    from metasearch.formats.origins import BesideHits
    from metasearch.record import Hit, Record


@dataclass(frozen=True, slots=True)
class Style:
    """One style. `module`: of `metasearch.formats.citations`. `label`: what stands before an entry,
    with {number}; "" where a style has no numbers.
    """

    about: str
    module: str
    label: str = ""
    function: str = "citation"

    @property
    def citation(self) -> Callable[[Record, dt.date], str]:
        """What makes the entry of a work, of the record and the day on which the work was seen."""
        module = import_module(f"metasearch.formats.citations.{self.module}")
        return cast("Callable[[Record, dt.date], str]", getattr(module, self.function))


#: By name. Why each is written here and none by a citation processor: docs/decisions/0034.
STYLES: Mapping[str, Style] = {
    "gb7714-2025": Style(
        N_("GB/T 7714-2025, numbered, in force since 2026-07-01"),
        "gb7714",
        "[{number}] ",
        "citation_2025",
    ),
    "gb7714-2015": Style(N_("GB/T 7714-2015, numbered"), "gb7714", "[{number}] ", "citation_2015"),
    "apa": Style(N_("APA, seventh edition"), "author_date", function="apa"),
    "vancouver": Style(
        N_("Vancouver (ICMJE, NLM), numbered"), "numeric", "{number}. ", "vancouver"
    ),
    "ieee": Style(N_("IEEE, numbered"), "numeric", "[{number}] ", "ieee"),
    "harvard": Style(N_("Harvard (Cite Them Right)"), "author_date", function="harvard"),
}
DEFAULT_STYLE = "gb7714-2025"


# Formatted citations as plain text, a line a hit, in the order of the hits.


def parts(
    hits: Iterable[Hit],
    *,
    beside: BesideHits | None = None,
    style: str = DEFAULT_STYLE,
    accessed: dt.date | None = None,
) -> Iterator[bytes]:
    """A line for each hit, in UTF-8.

    `hits`: in the order of the citations. `beside`: what files say beside the records; a citation
    has no place for any of that. `accessed`: the day on which an online work was seen, where the
    style asks for one; today if None. Raises UsageError: there is no such style.
    """
    if style not in STYLES:
        raise UsageError(
            f"there is no citation style {style[:40]!r}", advice=f"Use one of {', '.join(STYLES)}."
        )
    day = accessed or dt.datetime.now(dt.UTC).date()
    label, citation = STYLES[style].label, STYLES[style].citation
    for number, hit in enumerate(hits, 1):
        yield f"{label.format(number=number)}{citation(hit.record, day)}\n".encode()
