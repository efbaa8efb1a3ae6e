"""The options of a search on the command line: `search` has all of them, `explain` most."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.common_options import (
    complete_facet,
    complete_filter,
    complete_source,
    complete_strategy,
)
from metasearch.engine.options import OPTIONS, Option, SearchOptions
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.formats.citations.styles import DEFAULT_STYLE
from metasearch.query import Years, parse_years

if TYPE_CHECKING:
    from metasearch.settings import Settings

_DEFAULTS = {declared.name: declared.default for declared in fields(SearchOptions)}
#: Longest query that is read from stdin, in bytes; the parser's own limit is below this.
MAX_STDIN = 65_536
#: Hits in a table without `--limit`.
TABLE_HITS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCommandOptions(SearchOptions):
    """The options of a search, and those of the command line: who answers, and how the answer is
    written.

    Attributes:
        format: One of `common_options.FORMAT_NAMES`.
        output: The file to write; None for standard output.
        bom: CSV begins with a byte order mark.
        provenance: RIS names in N1 which source returned which field.
        explain: Write why hits rank and were merged, and what was sent.
        config: The configuration file; None for the one in the user's folder.
        record: The folder in which exchanges are recorded, or None.
        replay: The folder of recorded exchanges that answer, or None.
        allow_partial: A source that failed does not change the exit code.
        pins: None for the file that the settings name; likewise `versions` and `dedup`.
    """

    query: str
    format: str = "table"
    output: Path | None = None
    bom: bool = False
    provenance: bool = False
    style: str = DEFAULT_STYLE
    explain: bool = False
    config: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    demo: bool = False
    allow_partial: bool = False
    pins: Path | None = None

    @property
    def hits_wanted(self) -> int | None:
        """The number of hits to write; None for all."""
        return TABLE_HITS if self.limit is None and self.format == "table" else self.limit

    def settings(self) -> Settings:
        """The configuration, changed by the options. Raises MetasearchError: the configuration or
        an option cannot be used.
        """
        from metasearch.settings import Settings

        settings = Settings.load(self.config, os.environ)
        return settings.deduplicated(self.pins, self.versions, self.dedup)


def search_options(*without: str) -> Callable[[Any], Any]:
    """The options of `SearchOptions`, `--replay` and `--demo`, as a decorator of a command.
    `without`: fields of `SearchOptions` that the command does not have, or declares itself.
    """
    names = [name for name, option in OPTIONS.items() if option.flags and name not in without]
    decorators = (
        *map(option_of, names),
        click.option(
            "--replay",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="DIR",
            help="Answer from the recordings in DIR; nothing is sent.",
        ),
        click.option(
            "--demo",
            is_flag=True,
            help="Search simulated databases on this machine; nothing is sent.",
        ),
    )

    def decorated(command: Any) -> Any:
        for decorate in reversed(decorators):
            command = decorate(command)
        return command

    return decorated


def option_of(name: str) -> Any:
    """The command line's option for a field of `SearchOptions`, by its name and type."""
    option = OPTIONS[name]
    how: dict[str, Any]
    match option.kind:
        case "names":
            how = {"multiple": True, "callback": _names, "shell_complete": complete_source}
        case "filters":
            how = {"multiple": True, "callback": _listed, "shell_complete": complete_filter}
        case "facets":
            how = {"multiple": True, "callback": _listed, "shell_complete": complete_facet}
        case "choice":
            how = {"type": click.Choice(option.choices)}
        case "strategy":
            how = {"shell_complete": complete_strategy}
        case "flag":
            how = {"is_flag": True}
            if _DEFAULTS[name]:
                how["callback"] = _negated
        case "number" | "records":
            how = {"type": int}
        case "seconds":
            how = {"type": float}
        case "years":
            how = {"callback": _years}
        case _:
            how = {}
    if option.kind not in ("names", "flag", "filters", "facets"):
        how["default"] = _DEFAULTS[name]
    return click.option(name, *option.flags, metavar=option.metavar, help=help_of(option), **how)


def help_of(option: Option) -> str:
    """The text of an option in `--help`."""
    return f"{option.help} {option.command}".rstrip()


def _names(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The names in `--sources` or `--enrich`, each once; None without the option."""
    if not values:
        return None
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, names)))


def _listed(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> str | tuple[str, ...] | None:
    """The values of `--filter` or `--facets`, as they were written; None without the option."""
    return (values if _param.name == "filter" else ",".join(values)) or None


def _negated(_ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    """The field of a `--no-...` option: True without the option."""
    return not value


def _years(_ctx: click.Context, param: click.Parameter, value: str | None) -> Years | None:
    if value is None:
        return None
    try:
        return parse_years(value)
    except QuerySyntaxError as exc:
        advice = f"Try: {param.opts[0]} {exc.suggestion}" if exc.suggestion else ""
        raise UsageError(f"{param.opts[0]} {value}: {exc.reason}", advice=advice) from exc


def query_text(arguments: tuple[str, ...]) -> str:
    """The words of a command line as one query; "-" alone reads the query from stdin."""
    if arguments != ("-",):
        # The terminal may send bytes that are not UTF-8: they are replaced visibly, so that the
        # query can be encoded.
        return os.fsencode(" ".join(arguments)).decode("utf-8", "replace")
    return " ".join(sys.stdin.buffer.read(MAX_STDIN).decode("utf-8", "replace").split())
