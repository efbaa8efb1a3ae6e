"""Options that several commands share, and how a shell completes their values."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from metasearch import formats
from metasearch.cli.output import Console
from metasearch.engine.facets import FACETS
from metasearch.engine.options import OPTIONS, Option, SearchOptions
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.formats import WRITABLE
from metasearch.formats.citations import DEFAULT_STYLE, STYLES
from metasearch.query import Years, parse_years
from metasearch.record import VERSIONS_MODES

if TYPE_CHECKING:
    from metasearch.settings import Settings


#: Formats that are written to a file or a pipe; "sse" is for a server only.
FORMAT_NAMES = tuple(name for name in WRITABLE if name != "sse")


def common(command: Any) -> Any:
    """Add `--config`, and `--quiet`, `--verbose`, `--no-color`, which set the `Console`."""
    decorators = (
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Configuration in TOML, instead of the one in your configuration folder.",
        ),
        _console_flag("-q", "--quiet", name="quiet", text="Write only errors to stderr."),
        _console_flag(
            "-v",
            "--verbose",
            name="verbose",
            text="Write more to stderr, also the traceback of an internal error.",
        ),
        _console_flag("--no-color", name="no_color", text="No colours, as with NO_COLOR."),
    )
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def _console_flag(*names: str, name: str, text: str) -> Any:
    def callback(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            setattr(ctx.ensure_object(Console), name, True)

    return click.option(
        *names, is_flag=True, expose_value=False, is_eager=True, callback=callback, help=text
    )


def dedup_options(command: Any) -> Any:
    """Add `--pins`, `--versions` and `--dedup`, for commands that find duplicates."""
    pins = click.option(
        "--pins",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="A file that names records which are the same work, or different works; it comes "
        "before every rule.",
    )
    versions = click.option(
        "--versions",
        type=click.Choice(VERSIONS_MODES),
        help=OPTIONS["versions"].help,
    )
    dedup = click.option(
        "--dedup",
        metavar="NAME",
        shell_complete=complete_strategy,
        help=OPTIONS["dedup"].help,
    )
    return pins(versions(dedup(command)))


def file_options(command: Any) -> Any:
    """Add `--bom`, `--provenance` and `--style`, for commands that write files for others."""
    bom = click.option(
        "--bom/--no-bom",
        default=None,
        help="Begin CSV with a byte order mark, by which Excel recognises UTF-8; the default for "
        "-o FILE.csv.",
    )
    provenance = click.option(
        "--provenance",
        is_flag=True,
        help="Name in N1 of RIS which source returned which field; Zotero shows it as a note.",
    )
    style = click.option(
        "--style",
        type=click.Choice(tuple(STYLES)),
        default=DEFAULT_STYLE,
        help="The style of --format citations.",
    )
    return bom(provenance(style(command)))


def has_bom(bom: bool | None, output: Path | None) -> bool:
    """Whether CSV begins with a byte order mark. `bom`: the value of `--bom` or `--no-bom`; None
    writes a mark to files that end in ".csv". `output`: the file that is written, or None.
    """
    return bom if bom is not None else output is not None and output.suffix.lower() == ".csv"


def format_choice(
    format_: str | None, *, json: bool, ndjson: bool, output: Path | None, without_ending: str
) -> str | None:
    """The output format that `--format`, `--json`, `--ndjson` or the ending of `-o` chooses.
    Returns one of `FORMAT_NAMES`; None if nothing chooses a format. Raises click.UsageError:
    several formats are named, or no format has the ending; UsageError: the library that writes the
    format is not installed.
    """
    names = {format_, "json" if json else None, "ndjson" if ndjson else None} - {None}
    if len(names) > 1:
        listed = ", ".join(sorted(filter(None, names)))
        raise click.UsageError(f"Choose one format: {listed} were named.")
    if names:
        return formats.get(names.pop() or "").name
    if output is None:
        return None
    ending = output.suffix.lower().lstrip(".")
    if not ending:
        return without_ending
    known: dict[str, str] = {}
    for name in FORMAT_NAMES:  # of several with one ending, the first in the table
        known.setdefault(WRITABLE[name].extension, name)
    if ending not in known:
        raise click.UsageError(
            f"No format has files that end in .{ending}, only .{', .'.join(known)}; "
            f"choose one with --format."
        )
    return formats.get(known[ending]).name


def complete_source(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of sources and groups that begin as the last name of a list with commas."""
    from metasearch.adapters.specs.registry import Registry
    from metasearch.settings import Settings

    before, comma, begun = incomplete.rpartition(",")
    registry = Registry(Settings())
    return [
        CompletionItem(before + comma + name)
        for name in (*registry.names(), *registry.groups)
        if name.startswith(begun)
    ]


def complete_strategy(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from metasearch.dedup import STRATEGIES

    return [
        CompletionItem(strategy.name, help=strategy.does)
        for strategy in STRATEGIES.values()
        if strategy.name.startswith(incomplete)
    ]


def complete_facet(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of facets that begin as the last of a list, each with what it counts."""
    before, comma, begun = incomplete.rpartition(",")
    items = {name: field.help for name, field in FACETS.items()} | {"all": "all facets"}
    named = before.split(",")
    return [
        CompletionItem(before + comma + name, help=help_)
        for name, help_ in items.items()
        if name.startswith(begun) and name not in named
    ]


def complete_filter(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of filters, each with its colon, or values where all values are known, that begin as
    the last filter of a list with commas.
    """
    before, comma, begun = incomplete.rpartition(",")
    minus = "-" if begun.startswith("-") else ""
    name, colon, value = begun.removeprefix("-").partition(":")
    start = f"{before}{comma}{minus}"
    if not colon:
        return [
            CompletionItem(f"{start}{field.name}:", help=field.help)
            for field in FACETS.values()
            if field.name.startswith(name)
        ]
    values: Iterable[str] = FACETS[name].choices if name in FACETS else ()
    if name in ("source", "only"):
        from metasearch.adapters.specs.registry import Registry
        from metasearch.settings import Settings

        values = Registry(Settings()).names()
    return [CompletionItem(f"{start}{name}:{each}") for each in values if each.startswith(value)]


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
        pins: None for the file that the settings name; likewise `demo_catalogue`, `versions` and
            `dedup`.
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
    demo_catalogue: Path | None = None
    allow_partial: bool = False
    pins: Path | None = None

    @property
    def hit_limit(self) -> int | None:
        """The number of hits to write; None for all."""
        return TABLE_HITS if self.limit is None and self.format == "table" else self.limit

    def settings(self) -> Settings:
        """The configuration, changed by the options. Raises MetasearchError: the configuration or
        an option cannot be used.
        """
        from metasearch.settings import Settings

        settings = Settings.load(self.config, os.environ).with_demo(self.demo_catalogue)
        return settings.with_dedup(self.pins, self.versions, self.dedup)


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
        demo_options(),
    )

    def add_options(command: Any) -> Any:
        for decorate in reversed(decorators):
            command = decorate(command)
        return command

    return add_options


def demo_options(
    text: str = "Search simulated databases on this machine; nothing is sent.",
) -> Callable[[Any], Any]:
    """`--demo` and `--demo-catalogue`, as a decorator of a command. `text`: the help of the
    former.
    """
    flag = click.option("--demo", is_flag=True, callback=_is_demo, help=text)
    file = click.option(
        "--demo-catalogue",
        type=click.Path(dir_okay=False, path_type=Path),
        is_eager=True,  # `--demo` is read after it
        metavar="FILE",
        help="The same, over the works of FILE.",
    )
    return lambda command: flag(file(command))


def _is_demo(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    return value or ctx.params.get("demo_catalogue") is not None


def option_of(name: str) -> Any:
    """The command line's option for a field of `SearchOptions`, by its name and type."""
    option = OPTIONS[name]
    how: dict[str, Any]
    match option.kind:
        case "names":
            how = {"multiple": True, "callback": _names, "shell_complete": complete_source}
        case "filters":
            how = {"multiple": True, "callback": _as_typed, "shell_complete": complete_filter}
        case "facets":
            how = {"multiple": True, "callback": _as_typed, "shell_complete": complete_facet}
        case "choice":
            how = {"type": click.Choice(option.choices)}
        case "strategy":
            how = {"shell_complete": complete_strategy}
        case "flag":
            how = {"is_flag": True}
            if _DEFAULTS[name]:
                how["callback"] = _negation
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
    return f"{option.help} {option.command}".rstrip()


def _names(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The names in `--sources` or `--enrich`, each once; None without the option."""
    if not values:
        return None
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, names)))


def _as_typed(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> str | tuple[str, ...] | None:
    """The values of `--filter` or `--facets`, as they were written; None without the option."""
    return (values if _param.name == "filter" else ",".join(values)) or None


def _negation(_ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
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
