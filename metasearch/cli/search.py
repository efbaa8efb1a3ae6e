"""`metasearch "query"`: the options of a search. `search_run.py` has what it does, which only a
running search loads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import (
    FORMAT_NAMES,
    SearchCommandOptions,
    common,
    dedup_options,
    file_options,
    format_choice,
    has_bom,
    query_text,
    search_options,
)
from metasearch.cli.output import Console, Exit, Sink

EXAMPLES = (
    ('metasearch --demo "machine learning"', "try it offline, on simulated databases"),
    ("metasearch title:malaria AND vaccine --year 2019-2024", "ask the default sources"),
    ('metasearch "graph neural networks" -s arxiv,dblp -n 50', "ask these two, show 50 hits"),
    ('metasearch "graph neural networks" -s arxiv,dblp -n 50 --start 50', "the next 50"),
    (
        'metasearch "sleep apnea" --facets year,type --filter type:article --sort date',
        "count, narrow and sort the list",
    ),
    ('metasearch "sleep apnea" --format ris -o apnea.ris', "save for a reference manager"),
    ('metasearch "sleep apnea" --ndjson | jq .event', "read the events as they happen"),
    (
        "metasearch --syntax cnki '(水质+水体)*贝类' --explain-plan",
        "show the request to each source, and send nothing",
    ),
)


# The command decides itself what runs in a child: its parent writes the hits of a broken search.
@click.command(cls=ExampleCommand, examples=EXAMPLES, in_child=False)
@click.argument("query", nargs=-1, required=True)
@search_options("versions", "dedup")  # `dedup_options` has them
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMAT_NAMES),
    help="How hits are written; without it the ending of -o FILE decides, else table.",
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
    help="Show why each hit ranks and was merged, and what was sent to each source.",
)
@click.option(
    "--explain-plan", is_flag=True, help="Show the request to each source, and send nothing."
)
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Record every exchange with a source in DIR.",
)
@click.option(
    "--allow-partial", is_flag=True, help="Exit 0 although a source failed or was still running."
)
@file_options
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
    **others: Any,
) -> int:
    """Search all sources at once for QUERY.

    Words, "phrases", AND OR NOT, brackets, and title: author: venue: abstract: doi: isbn: issn:
    before a word or phrase. Several arguments are joined by blanks, "-" reads the query from stdin,
    and "--" ends the options.
    """
    if others["record"] and others["replay"]:
        raise click.UsageError("--record and --replay exclude each other.")
    named = format_choice(format_, json=json, ndjson=ndjson, output=output, without_ending="table")
    options = SearchCommandOptions(
        query=query_text(query),
        format=named or "table",
        output=output,
        bom=has_bom(bom, output),
        **others,
    )
    from metasearch.cli.search_run import rescue, run
    from metasearch.cli.watchdog import run_in_child

    if explain_plan:
        return run_in_child(console, lambda: _write_plan(options))
    return run_in_child(
        console,
        lambda: run(options, console),
        lambda broken: rescue(broken, options, console),
    )


def _write_plan(options: SearchCommandOptions) -> Exit:
    """Write what each source would be asked, as text or as one JSON document. Nothing is sent.
    Raises MetasearchError: the query, an option or the configuration cannot be used; OSError: the
    output cannot be written.
    """
    from metasearch.engine.dry_run import explain_plan, plan_lines, plan_object

    if options.format not in ("table", "json"):
        raise click.UsageError(f"A plan is written as text or as JSON, not as {options.format}.")
    settings = options.settings()
    if options.demo:
        from metasearch import demo

        settings = demo.replay_settings(settings)
    plan = explain_plan(options, settings=settings)
    with Sink(options.output) as sink:
        if options.format == "json":
            sink.write_json(plan_object(plan))
        else:
            lines = "".join(f"{text}\n" for text in plan_lines(plan))
            sink.write(lines.encode("utf-8", "replace"))
    return Exit.OK
