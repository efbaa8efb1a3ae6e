"""The styles in which citations are written; importing this module loads none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from metasearch.message import message_template

if TYPE_CHECKING:
    import datetime as dt

    from metasearch.record import Record


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
        message_template("GB/T 7714-2025, numbered, in force since 2026-07-01"),
        "gb7714",
        "[{number}] ",
        "citation_2025",
    ),
    "gb7714-2015": Style(
        message_template("GB/T 7714-2015, numbered"), "gb7714", "[{number}] ", "citation_2015"
    ),
    "apa": Style(message_template("APA, seventh edition"), "apa"),
    "vancouver": Style(
        message_template("Vancouver (ICMJE, NLM), numbered"), "vancouver", "{number}. "
    ),
    "ieee": Style(message_template("IEEE, numbered"), "ieee", "[{number}] "),
    "harvard": Style(message_template("Harvard (Cite Them Right)"), "harvard"),
}
DEFAULT_STYLE = "gb7714-2025"
