"""`metasearch explain ID ID`: why two records are one hit or are not. What it does is in
`why.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from metasearch.cli.console import Console
from metasearch.cli.group import ExampleCommand, common, dedup_options
from metasearch.cli.meant import how_to_search
from metasearch.cli.search import Job, asking, query_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be explained.

    Attributes:
        ids: Two for a pair, one for the hit in which it stands.
        files: Where records come from.
        job: A search; if it is not to be `searched`, only its configuration, pins, versions and
            strategy count.
        json: Whether the answer is data.
    """

    ids: tuple[str, ...]
    files: tuple[Path, ...]
    job: Job
    searched: bool
    json: bool


@click.command(
    cls=ExampleCommand,
    short_help="Tell why records were merged, or not.",
    examples=(
        ("metasearch explain 10.1000/abc pmid:123 export.ris", "two records of a file"),
        (
            'metasearch explain crossref:10.1000/abc pubmed:123 --query "sleep apnea"',
            "two of a search, from the cache",
        ),
        ("metasearch explain 10.1000/abc export.ris more.bib", "all that holds one hit together"),
    ),
)
@click.argument("arguments", nargs=-1, required=True, metavar="ID [ID] [FILE]...")
@click.option("--query", metavar="QUERY", help="Take the records of this search.")
@click.option("-n", "--limit", type=int, metavar="N", help="The search was one for N hits.")
@asking("start", "limit", "wait", "enrich", "versions", "dedup")
@dedup_options
@click.option("--json", is_flag=True, help="Write the same as one JSON document.")
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
    """Tell, rule by rule, why two records were merged or were not.

    An ID is a DOI, the key of a record (source:id), another identifier (pmid:123) or the id of a
    hit, also of another answer; with one ID, all that holds its hit together is told. What is the
    name of a file is a FILE. Exit code 1: the records stand in different hits.
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
    job = Job(
        query=query_text((query,)) if query is not None else "",
        enrich=(),  # what was merged is asked about, and enrichers merge nothing
        **options,
    )
    from metasearch.cli.why import explain as run

    return run(
        Question(ids=ids, files=files, job=job, searched=query is not None, json=json), console
    )


def _is_file(argument: str) -> bool:
    path = Path(argument)
    return path.exists() and not path.is_dir()
