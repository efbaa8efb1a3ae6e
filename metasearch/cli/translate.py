"""`metasearch translate`: writes a query in the syntaxes of databases with a search form."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common, query_text
from metasearch.cli.output import Console, Exit, Sink
from metasearch.query.syntaxes import TARGETS


def _complete_target(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of syntaxes that begin as the last name of a list with commas, each with an example."""
    before, comma, begun = incomplete.rpartition(",")
    return [
        CompletionItem(before + comma + name, help=TARGETS[name])
        for name in TARGETS
        if name.startswith(begun)
    ]


@click.command(
    cls=ExampleCommand,
    short_help="Write a query in the syntax of another database.",
    examples=(
        (
            "metasearch translate '\"salt marsh\" carbon year:2018-' --to ovid",
            "for Ovid, to be pasted there",
        ),
        (
            "metasearch translate '\"salt marsh\"[tiab] AND carbon[tiab]' --to wos,scopus",
            "from PubMed's syntax",
        ),
        (
            "metasearch translate 'title:(salt marsh*)' --json",
            "in all syntaxes, as one JSON document",
        ),
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--to",
    multiple=True,
    metavar="NAME,...",
    shell_complete=_complete_target,
    help=f"Syntaxes to write in: {', '.join(TARGETS)}; all of them without this option.",
)
@click.option(
    "--from",
    "syntax",
    default="auto",
    metavar="NAME",
    help="The syntax of the query, as `--syntax` has it.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")
@common
@click.pass_obj
def translate(
    console: Console,
    /,
    *,
    query: tuple[str, ...],
    to: tuple[str, ...],
    syntax: str,
    as_json: bool,
    **_: Any,
) -> int:
    """Write QUERY in the syntaxes of databases that people search by hand. Nothing is sent.

    With one name after --to, only the translated query goes to stdout, and notes about lost parts
    to stderr. "-" alone reads QUERY from stdin. Exit code 1: a syntax cannot express any part of
    it.
    """
    from metasearch.engine.dry_run import translation_lines, translations, translations_object
    from metasearch.formats.text import line

    names = [name.strip() for value in to for name in value.split(",") if name.strip()]
    result = translations(query_text(query), names, syntax)
    written = result.written
    with Sink() as sink:
        if as_json:
            sink.write_json(translations_object(result))
        else:
            for note in result.read.losses:
                console.say(f"note: {line(note)}")
            if len(written) == 1:
                (only,) = written
                for note in only.notes:
                    console.say(f"note: {line(note)}")
                lines = [line(only.text)] if only.text else []
            else:
                lines = list(translation_lines(result))
            sink.write("".join(f"{text}\n" for text in lines).encode("utf-8", "replace"))
    return Exit.OK if all(query.text for query in written) else Exit.NO_HITS
