"""`metasearch sources new | record | schema`: tools for authors of adapters.

`new` writes a spec to fill in, `record` writes an answer as a case of cassettes/, and `schema`
prints the JSON Schema with which an editor completes and checks specs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from metasearch.cli.common_options import common, complete_source
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.errors import UsageError

#: Bodies for which there is a template; what is in none of them is a family.
BODIES = ("json", "xml", "html")
_CASE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


# --------------------------------------------------------------------------- new


@click.command("new", short_help="Write a spec to fill in.")
@click.argument("name")
@click.option(
    "--like",
    default="json",
    metavar="KIND",
    help="json, xml, html, a family that it belongs to (sru, solr ...), or the path of a spec "
    "that it extends.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Not NAME.toml.",
)
@click.pass_obj
def new(console: Console, /, *, name: str, like: str, output: Path | None) -> int:
    """Write NAME.toml, a spec with a comment at every line.

    `metasearch sources check NAME.toml` checks it. An existing file is not changed.
    """
    from metasearch.adapters.spec import SOURCE_NAME
    from metasearch.adapters.specs.ownspecs import is_path
    from metasearch.cli.sources.templates import of_body, of_family

    if not SOURCE_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a source", advice="Lower-case letters, digits, '-' and '_'."
        )
    families = _families()
    file = output or Path(f"{name}.toml")
    if is_path(like):
        text = of_family(name, _from(like, file))
    elif like in (*BODIES, *families):
        text = of_body(name, like) if like in BODIES else of_family(name, like)
    else:
        raise UsageError(
            f"there is no kind {like!r}", advice=f"There are {', '.join((*BODIES, *families))}."
        )
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as exc:
        raise UsageError(f"{file} is there already", advice="Name another file with -o.") from exc
    if not console.quiet:
        console.say(f"{file} is written; fill it in, then: metasearch sources check {file}")
    return Exit.OK


def _from(base: str, file: Path) -> str:
    """The path of a spec as one in that file names it. Raises UsageError: there is no such spec."""
    from metasearch.adapters.specs.ownspecs import table_of

    table_of(Path(base))
    relative = os.path.relpath(base, file.parent).replace(os.sep, "/")
    return relative if relative.startswith(".") else f"./{relative}"


def _families() -> tuple[str, ...]:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.settings import Settings

    return Registry(Settings()).families


# --------------------------------------------------------------------------- schema


@click.command("schema", short_help="Print the JSON Schema of specs, for editors.")
def schema() -> int:
    """Print the JSON Schema of a spec.

    Put it into a file and name that in the first line of a spec, `#:schema spec.schema.json`:
    editors with a TOML language server then complete keys and mark mistakes while you write.
    """
    import orjson

    from metasearch.adapters.specs.schema import schema as made

    click.echo(orjson.dumps(made(), option=orjson.OPT_INDENT_2).decode())
    return Exit.OK


# --------------------------------------------------------------------------- record


@click.command("record", short_help="Record an answer as a case.")
@click.argument("source", shell_complete=complete_source)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--case", "case", default="search", show_default=True, metavar="NAME", help="The folder's name."
)
@click.option(
    "--records", "wanted", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N"
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("cassettes"),
    show_default=True,
    metavar="DIR",
    help="The folder of the cases.",
)
@common
@click.pass_obj
def record(
    console: Console,
    /,
    *,
    source: str,
    query: tuple[str, ...],
    case: str,
    wanted: int,
    into: Path,
    config: Path | None,
) -> int:
    """Send QUERY to SOURCE, and write request, answer and records to DIR/SOURCE/NAME without
    secrets.

    If a search takes two requests, the second is in step2. Replace texts of other people by your
    own words before you publish the case. Exit code 3: the source did not answer.
    """
    import asyncio

    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.cases import ask, keep
    from metasearch.settings import Settings

    if not _CASE.fullmatch(case):
        raise UsageError(
            f"{case!r} is no name of a case", advice="Lower-case letters, digits and '-'."
        )
    settings = Settings.load(config, os.environ)
    registry = Registry(settings).with_files((source,))
    spec = registry.spec(registry.name_of(source))
    folder = into / spec.name / case
    if folder.exists():
        raise UsageError(
            f"{folder} is there already", advice="Choose another --case, or delete it."
        )
    text = " ".join(query)
    pages, error = asyncio.run(ask(text, spec, wanted, settings))
    if error is not None:
        console.say(f"{type(error).__name__}: {error}", "red")
    if not pages:
        return Exit.PARTIAL
    count = keep(folder, text, spec, wanted, settings, pages)
    if not console.quiet:
        console.say(f"{folder}: {counted(len(pages), 'exchange')}, {counted(count, 'record')}")
    return Exit.OK
