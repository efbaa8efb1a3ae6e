"""`metasearch explain ID [ID] [FILE]...`: why records were merged into one hit, or were not."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import ExampleCommand, common, dedup_options
from metasearch.cli.misspelt import how_to_search
from metasearch.cli.search import Job, asking, query_text
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import UsageError
from metasearch.formats.text import line

if TYPE_CHECKING:
    from metasearch.dedup.explain import Explainer
    from metasearch.dedup.fingerprint import Fingerprint
    from metasearch.events import Answer
    from metasearch.formats.reading import FileReading
    from metasearch.record import Hit, Record
    from metasearch.settings import Settings

#: Problems of a file that are shown.
PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The IDs, and the records among which they are looked up.

    Attributes:
        ids: Two for a pair of records, one for a hit.
        files: Files of records.
        job: The search whose records count, too, if `searched`; else only its configuration, pins,
            versions and strategy are used.
        json: Whether to write a JSON document.
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
    return _explain(
        Question(ids=ids, files=files, job=job, searched=query is not None, json=json), console
    )


def _is_file(argument: str) -> bool:
    path = Path(argument)
    return path.exists() and not path.is_dir()


def _explain(question: Question, console: Console) -> Exit:
    """Gather the records, find those that the IDs name, and write the explanation.

    Raises:
        MetasearchError: An ID, the query, a file or the configuration cannot be used.
        OSError: A file cannot be read.
    """
    from metasearch.cli.search_run import settings_of
    from metasearch.cli.terminal.exits import answered
    from metasearch.dedup import strategy
    from metasearch.dedup.explain import Explainer
    from metasearch.dedup.pins import Pins

    settings = settings_of(question.job)
    for name in question.ids:
        _check(name)
    chain = strategy(settings.strategy).chain.pinned(Pins.load(settings.pins))
    records = _read(question, console)
    if question.searched:
        answer = _searched(question.job, settings, console)
        if not any(answered(report) for report in answer.sources):
            return Exit.NO_ANSWER
        records += [record for hit in answer.hits for record in hit.records]
    explainer = Explainer(chain, records, settings.versions)
    sides = [_named(explainer, name) for name in question.ids]
    if len(sides) == 1:
        return _one(explainer, question, sides[0], console)
    return _two(explainer, question, sides[0], sides[1], console)


def _two(
    explainer: Explainer,
    question: Question,
    ours: list[Fingerprint],
    theirs: list[Fingerprint],
    console: Console,
) -> Exit:
    from metasearch.cli import explain_report

    pairs = [(one, other) for one in ours for other in theirs if one is not other]
    if not pairs:
        raise UsageError(
            f"{question.ids[0]} and {question.ids[1]} name one record, {line(ours[0].record_key)}",
            advice="Give one ID to see why all records of its hit are together.",
        )
    explanation = explainer.pair(*pairs[0])
    others = []
    for name, side in zip(question.ids, (ours, theirs), strict=True):
        keys = [fingerprint.record_key for fingerprint in side]
        others.append((name, [line(key) for key in keys if key not in explanation.names]))
    if question.json:
        document = explain_report.pair_object(explanation) | {
            "others": {name: keys for name, keys in others if keys}
        }
        _write_json(document)
    else:
        _write(explain_report.pair_text(explanation, console.size(sys.stdout)[0]).encode())
        if not console.quiet:
            for name, keys in others:
                if keys:
                    console.say(
                        f"{name} is also an ID of {', '.join(keys)}; to choose a record, give "
                        f"its key"
                    )
    return Exit.OK if explanation.together else Exit.NO_HITS


def _one(
    explainer: Explainer, question: Question, named: list[Fingerprint], console: Console
) -> Exit:
    from metasearch.cli import explain_report

    hits: dict[str, Hit] = {}
    for fingerprint in named:
        hit = explainer.hit_of(fingerprint)
        hits.setdefault(hit.id, hit)
    if question.json:
        document = {
            "id": question.ids[0],
            "hits": [explain_report.hit_as_object(hit) for hit in hits.values()],
        }
        _write_json(document)
    else:
        _write(explain_report.hits_text(list(hits.values()), console.size(sys.stdout)[0]).encode())
    return Exit.OK if len(hits) == 1 else Exit.NO_HITS


def _check(name: str) -> None:
    """Refuse what is not an ID before any request is sent."""
    from metasearch.bib.work_ids import read_name

    try:
        read_name(name)
    except ValueError as exc:
        raise UsageError(
            str(exc), advice="If you meant a file: there is no file of this name."
        ) from exc


def _named(explainer: Explainer, name: str) -> list[Fingerprint]:
    """The records that have the ID.

    Raises:
        UsageError: There are none.
    """
    fingerprints = explainer.bearers(name)
    if fingerprints:
        return fingerprints
    near = ", ".join(map(line, explainer.near(name)))
    advice = f"Did you mean {near}?" if near else "No record has a similar ID."
    raise UsageError(f"no record has the ID {name}", advice=advice)


def _read(question: Question, console: Console) -> list[Record]:
    """The records of the files; problems are shown on stderr."""
    if not question.files:
        return []
    from metasearch.formats.reading import read_file

    records: list[Record] = []
    last_parts = Counter(file.name for file in question.files)
    for file in question.files:
        # Records of two files must not have the same keys.
        reading = read_file(file, name=file.name if last_parts[file.name] == 1 else str(file))
        records += reading.records
        if not console.quiet:
            _show_problems(reading, console)
    return records


def _show_problems(reading: FileReading, console: Console) -> None:
    for problem in reading.problems[:PROBLEMS_SHOWN]:
        place = f"{reading.name}: {problem.line}" if problem.line else reading.name
        console.say(f"{place}: {line(problem.message)}", "yellow")
    more = len(reading.problems) - PROBLEMS_SHOWN
    if more > 0:
        lost = counted(reading.lost, "record")
        console.say(
            f"{reading.name}: {counted(more, 'problem')} more; {lost} could not be read in total",
            "yellow",
        )


def _searched(job: Job, settings: Settings, console: Console) -> Answer:
    """The answer of the search, with all hits among the records that it asks for."""
    import asyncio

    from metasearch.cli.search_output import FAILS_ON_PURPOSE, TABLE_HITS
    from metasearch.cli.search_summary import tell
    from metasearch.engine.options import MAX_PER_SOURCE

    depth = job.per_source or min(MAX_PER_SOURCE, max(settings.per_source, job.limit or TABLE_HITS))
    whole = replace(job, per_source=depth, limit=None, format="json")
    answer = asyncio.run(_asked(whole, settings, console))
    tell(answer, console, on_purpose=FAILS_ON_PURPOSE if job.demo else ())
    return answer


async def _asked(job: Job, settings: Settings, console: Console) -> Answer:
    from metasearch.cli.search_run import prepared
    from metasearch.cli.terminal.logs import logs_to

    with logs_to(console, None):
        async with prepared(job, settings) as search:
            async for _ in search:
                pass
    assert search.answer is not None
    return search.answer


def _write_json(document: dict[str, Any]) -> None:
    import orjson

    _write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))


def _write(content: bytes) -> None:
    with Sink() as sink:
        sink.write(content)
