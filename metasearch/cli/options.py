"""Options that several commands share, and how a shell completes their values."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from metasearch import formats
from metasearch.cli.terminal.console import Console
from metasearch.engine.options import OPTIONS
from metasearch.formats import WRITABLE
from metasearch.formats.citations.styles import DEFAULT_STYLE, STYLES
from metasearch.listing.facets import FACETS
from metasearch.record import VERSIONS_MODES

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


# --------------------------------------------------------------------------- the output


def writing_options(command: Any) -> Any:
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


def chosen_format(
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


# --------------------------------------------------------------------------- completion in a shell


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
    """Names of strategies, each with what it does."""
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
