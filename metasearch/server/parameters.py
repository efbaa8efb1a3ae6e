"""What a client asked for: the query string of a search, checked as a whole before anything is
started.

Names, kinds and limits are those that `engine.options` declares; the server's own limits are in
`server.options`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from multidict import MultiMapping

from metasearch.engine.options import LAST_PLACE, OPTIONS, Option, SearchOptions
from metasearch.formats.citations.styles import DEFAULT_STYLE, STYLES
from metasearch.message import message
from metasearch.server.options import Options
from metasearch.server.parameter_reader import ParameterReader, one_of, yes_or_no
from metasearch.server.problem import Problem
from metasearch.server.unknown_parameters import refused

#: Parameters of the pages: language and theme, the two ends of the years in their facets, the
#: worker that began a search, and the cards that the page has.
PAGE = ("lang", "theme", "from", "to", "worker", "seen")

#: Options of a search that a request may have.
ASKED = {name: option for name, option in OPTIONS.items() if option.parameters}
#: How an answer is written.
OUTPUT = {
    "bom": Option(
        help="`1`: CSV begins with a byte order mark, without which Excel takes it for its own "
        "code page.",
        kind="flag",
        default="0",
    ),
    "provenance": Option(
        help="`1`: RIS says in `N1` which source gave which field; Zotero makes a note of it "
        "beside each record.",
        kind="flag",
        default="0",
    ),
    "style": Option(
        help="The style of `format=citations`.",
        kind="choice",
        choices=tuple(STYLES),
        default=f"`{DEFAULT_STYLE}`",
    ),
}
#: All parameters of a search; `format` is read elsewhere.
KNOWN = frozenset(
    {"format", *PAGE, *OUTPUT, *(name for option in ASKED.values() for name in option.parameters)}
)
_DEFAULTS = {declared.name: declared.default for declared in fields(SearchOptions)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(SearchOptions):
    """A search request, read and checked: the options of the search, and how its answer is written.

    `timeout` is already cut to what the server allows; `sources` and `enrich` have each name once.

    Attributes:
        query: As typed, without blanks at its ends; "" where there is none.
        year: The years as typed, for the form of the result page.
        bom: CSV begins with a byte order mark.
        provenance: RIS says in N1 which source gave which field.
        unknown: Names of parameters that are given and mean nothing here, each once.
    """

    query: str = ""
    sources: tuple[str, ...] | None = None
    enrich: tuple[str, ...] | None = None
    year: str = ""
    bom: bool = False
    provenance: bool = False
    style: str = DEFAULT_STYLE
    unknown: tuple[str, ...] = ()

    def pairs(self, start: int | None = None) -> dict[str, str | int]:
        """The parameters as they were given, for links to the same search. `start`: where the
        linked page starts; None takes that of this one.
        """
        given: dict[str, str | int] = {}
        for name, option in ASKED.items():
            value = getattr(self, name)
            if name == "start" and start is not None:
                value = start
            if value != _DEFAULTS[name]:
                given[option.parameters[0]] = self.year if name == "years" else _written(value)
        given |= {"bom": int(self.bom), "provenance": int(self.provenance)}
        if self.style != DEFAULT_STYLE:
            given["style"] = self.style
        return {name: value for name, value in given.items() if value}


def _written(value: Any) -> str | int:
    match value:
        case tuple():
            return ",".join(value)
        case float():
            return f"{value:g}"
        case bool():
            return int(value)
        case int():
            return value
        case _:
            return str(value)


def read(given: MultiMapping[str], options: Options) -> Parameters:
    """The parameters of a search; empty ones are passed over. Raises Problem: 400, with every
    parameter that is repeated, out of range, or another program's and misleading here.
    """
    reader = ParameterReader(given, options)
    named = (name for name, value in given.items() if name not in KNOWN and value.strip())
    unknown = tuple(dict.fromkeys(named))
    for name in unknown:
        if (reason := refused(name)) is not None:
            reader.wrong(name, reason)
    values = {name: reader.option(option) for name, option in ASKED.items()}
    values |= {
        name: reader.converted(one_of(option.choices) if option.choices else yes_or_no, name)
        for name, option in OUTPUT.items()
    }
    if (values["start"] or 0) + (values["limit"] or 0) > LAST_PLACE:
        reader.wrong(
            "start",
            message(
                "with count it goes beyond the {last_place}th hit, where a list ends",
                last_place=f"{LAST_PLACE:,}",
            ),
        )
    if reader.errors:
        raise Problem.bad_parameters(reader.errors)
    if values["timeout"] is not None:
        values["timeout"] = min(values["timeout"], options.max_timeout)
    if values["years"] is not None:
        values["year"] = given["year"].strip()
    present = {name: value for name, value in values.items() if value is not None}
    return Parameters(**present, unknown=unknown)
