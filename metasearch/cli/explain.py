"""`metasearch explain ID [ID] [FILE]...`: why records were merged into one hit, or were not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from metasearch.cli.command_group import ExampleCommand, how_to_search
from metasearch.cli.options import (
    SearchCommandOptions,
    common,
    dedup_options,
    query_text,
    search_options,
)
from metasearch.cli.output import Console


@click.command(
    cls=ExampleCommand,
    short_help="Explain why records were merged, or not.",
    examples=(
        ("metasearch explain 10.1000/abc pmid:123 export.ris", "two records of a file"),
        (
            'metasearch explain crossref:10.1000/abc pubmed:123 --query "sleep apnea"',
            "two of a search, from the cache",
        ),
        ("metasearch explain 10.1000/abc export.ris more.bib", "all matches within one hit"),
    ),
)
@click.argument("arguments", nargs=-1, required=True, metavar="ID [ID] [FILE]...")
@click.option("--query", metavar="QUERY", help="Search among the records of this search.")
@click.option("-n", "--limit", type=int, metavar="N", help="The search had --limit N.")
@search_options("start", "limit", "wait", "enrich", "versions", "dedup")
@dedup_options
@click.option("--json", is_flag=True, help="Write one JSON document.")
@common
@click.pass_obj
def explain(
    console: Console,
    /,
    *,
    arguments: tuple[str, ...],
    query: str | None,
    json: bool,
    **options: Any,
) -> int:
    """Explain, rule by rule, why two records were merged or were not.

    An ID is a DOI, the key of a record (source:id), another identifier (pmid:123) or the id of a
    hit, also from another answer. One ID shows all matches within its hit. An argument that is the
    name of a file is a FILE. Exit code 1: the records are in different hits.
    """
    files = tuple(Path(argument) for argument in arguments if _is_file(argument))
    ids = tuple(argument for argument in arguments if not _is_file(argument))
    hint = how_to_search(["explain", *arguments])
    if not 1 <= len(ids) <= 2:
        named = f"no files are {', '.join(map(repr, ids))}" if ids else "there is none"
        raise click.UsageError(f"Give one ID or two: {named}. {hint}")
    if not files and query is None:
        raise click.UsageError(
            f"Where are the records? Name files that exist, or a search with --query. {hint}"
        )
    from metasearch.cli.explanation import ExplainOptions, explain_ids

    search = SearchCommandOptions(
        query=query_text((query,)) if query is not None else "",
        enrich=(),  # enrichers merge no records
        **options,
    )
    chosen = ExplainOptions(
        ids=ids, files=files, search=search, searches=query is not None, json=json
    )
    return explain_ids(chosen, console)


def _is_file(argument: str) -> bool:
    path = Path(argument)
    return path.exists() and not path.is_dir()
