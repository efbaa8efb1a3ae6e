"""`metasearch "query"`: the options of a search. What they do is in `run.py`, which is imported
when one runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.group import (
    ExampleCommand,
    common,
    complete_source,
    complete_strategy,
    dedup_options,
    marked,
    writing,
)
from metasearch.cli.terminal.console import Console
from metasearch.engine.options import OPTIONS, Option, SearchOptions
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.formats import WRITABLE
from metasearch.query import Years, parse_years

if TYPE_CHECKING:
    from metasearch.cli.terminal.keeper import Broken

_DEFAULTS = {declared.name: declared.default for declared in fields(SearchOptions)}
#: Formats that are written to a file or a pipe; "sse" is for a server only.
NAMES = tuple(name for name in WRITABLE if name != "sse")
#: Longest query that is read from stdin, in bytes; the parser's own limit is below this.
MAX_STDIN = 65_536
EXAMPLES = (
    ('metasearch --demo "machine learning"', "try it offline, on simulated databases"),
    ("metasearch title:malaria AND vaccine --year 2019-2024", "ask the usual databases"),
    ('metasearch "graph neural networks" -s arxiv,dblp -n 50', "ask these two, show 50 hits"),
    ('metasearch "graph neural networks" -s arxiv,dblp -n 50 --start 50', "the next 50"),
    ('metasearch "sleep apnea" --format ris -o apnea.ris', "save for a reference manager"),
    ('metasearch "sleep apnea" --ndjson | jq .event', "read the events as they happen"),
    (
        "metasearch --syntax cnki '(水质+水体)*贝类' --explain-plan",
        "what each source would be asked",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(SearchOptions):
    """A search from the command line: its options, who answers, and how the answer is written.

    Attributes:
        format: One of `NAMES`.
        bom: CSV begins with a byte order mark.
        provenance: RIS says in N1 which source gave which field.
        pins: None takes the file that the settings name, and so it is with `versions` and `dedup`.
    """

    query: str
    format: str = "table"
    output: Path | None = None
    bom: bool = False
    provenance: bool = False
    explain: bool = False
    config: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    demo: bool = False
    allow_partial: bool = False
    pins: Path | None = None


def option_of(name: str) -> Any:
    """The option of the command line that `SearchOptions` declares for a field. Its value has the
    name and the type of the field.
    """
    option = OPTIONS[name]
    how: dict[str, Any]
    match option.kind:
        case "names":
            how = {"multiple": True, "callback": _names, "shell_complete": complete_source}
        case "choice":
            how = {"type": click.Choice(option.choices)}
        case "strategy":
            how = {"shell_complete": complete_strategy}
        case "flag":
            how = {"is_flag": True, "callback": _unless}
        case "number" | "records":
            how = {"type": int}
        case "seconds":
            how = {"type": float}
        case "years":
            how = {"callback": _years}
        case _:
            how = {}
    if option.kind not in ("names", "flag"):
        how["default"] = _DEFAULTS[name]
    return click.option(name, *option.flags, metavar=option.metavar, help=help_of(option), **how)


def help_of(option: Option) -> str:
    """The text of an option in `--help`."""
    return f"{option.help} {option.command}".rstrip()


def _names(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...] | None:
    """What `--sources` or `--enrich` names, each once; None where it is not given."""
    if not values:
        return None
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, names)))


def _unless(_ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    """Of `--no-...`: the field is True unless the flag is given."""
    return not value


def _years(_ctx: click.Context, param: click.Parameter, value: str | None) -> Years | None:
    if value is None:
        return None
    try:
        return parse_years(value)
    except QuerySyntaxError as exc:
        advice = f"Try: {param.opts[0]} {exc.suggestion}" if exc.suggestion else ""
        raise UsageError(f"{param.opts[0]} {value}: {exc.reason}", advice=advice) from exc


def asking(*without: str) -> Callable[[Any], Any]:
    """The options that say what is asked of whom and who answers, for every command that searches.

    Args:
        without: Fields of `SearchOptions` that the command does not have, or has otherwise.
    """
    fields_ = [name for name, option in OPTIONS.items() if option.flags and name not in without]
    decorators = (
        *map(option_of, fields_),
        click.option(
            "--replay",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="DIR",
            help="Answer from what was recorded in DIR; nothing is sent.",
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


@click.command(
    cls=ExampleCommand, examples=EXAMPLES, apart=False
)  # what it finds is not lost with it
@click.argument("query", nargs=-1, required=True)
@asking("versions", "dedup")  # `dedup_options` has them
@click.option(
    "--format",
    "format_",
    type=click.Choice(NAMES),
    help="How hits are written; table unless -o says more.",
)
@click.option("--json", is_flag=True, help="--format json: the whole answer as one document.")
@click.option(
    "--ndjson", is_flag=True, help="--format ndjson: events, a line each, as they happen."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the hits to FILE; its ending chooses the format (.json .ndjson .csv .ris .bib "
    ".atom .txt).",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Say why each hit ranks and was merged, and what each source was sent.",
)
@click.option(
    "--explain-plan", is_flag=True, help="Say what each source would be asked, and send nothing."
)
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep every exchange in DIR.",
)
@click.option(
    "--allow-partial", is_flag=True, help="Exit 0 although a source failed or was still running."
)
@writing
@dedup_options
@common
@click.pass_obj
def search(
    console: Console,
    /,
    *,
    query: tuple[str, ...],
    format_: str | None,
    json: bool,
    ndjson: bool,
    output: Path | None,
    explain_plan: bool,
    bom: bool | None,
    **options: Any,
) -> int:
    """Search all sources at once for QUERY.

    Words, "phrases", AND OR NOT, brackets, and title: author: venue: abstract: doi: isbn: issn:
    before a word or phrase. Several arguments are joined by blanks, "-" reads the query from stdin,
    and "--" ends the options.
    """
    if options["record"] and options["replay"]:
        raise click.UsageError("--record and --replay exclude each other.")
    job = Job(
        query=query_text(query),
        format=_format(
            {format_, "json" if json else None, "ndjson" if ndjson else None} - {None}, output
        ),
        output=output,
        bom=marked(bom, output),
        **options,
    )
    from metasearch.cli.terminal import keeper

    return keeper.apart(
        console,
        lambda: _planned(job) if explain_plan else _run(job, console),
        None if explain_plan else lambda broken: _rescue(broken, job, console),
    )


def _planned(job: Job) -> int:
    from metasearch.cli.planned import planned

    return planned(job)


def _run(job: Job, console: Console) -> int:
    from metasearch.cli.run import run

    return run(job, console)


def _rescue(broken: Broken, job: Job, console: Console) -> int:
    from metasearch.cli.rescued import rescue

    return rescue(broken, job, console)


def query_text(arguments: tuple[str, ...]) -> str:
    """The words of a command line as one query; "-" alone reads it from stdin."""
    if arguments != ("-",):
        # What the terminal sent may not be UTF-8; then it is visibly broken, but can be encoded.
        return os.fsencode(" ".join(arguments)).decode("utf-8", "replace")
    return " ".join(sys.stdin.buffer.read(MAX_STDIN).decode("utf-8", "replace").split())


def _format(asked: set[str | None], output: Path | None) -> str:
    match sorted(filter(None, asked)):
        case []:
            ending = output.suffix.lower().lstrip(".") if output else ""
            known = {WRITABLE[name].extension: name for name in NAMES}
            if ending and ending not in known:
                raise click.UsageError(
                    f"No format has files that end in .{ending}, only .{', .'.join(known)}; "
                    f"choose one with --format."
                )
            return known.get(ending, "table")
        case [name]:
            return name
        case several:
            raise click.UsageError(f"Choose one format: {', '.join(several)} were asked for.")
