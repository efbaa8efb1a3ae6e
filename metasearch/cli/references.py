"""`metasearch lookup FILE`, `metasearch check FILE` and `metasearch cite FILE`: lists of works and
references against the databases.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch import formats
from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import (
    FORMAT_NAMES,
    TABLE_HITS,
    common,
    demo_options,
    format_choice,
    option_of,
)
from metasearch.cli.output import Console, Exit, Sink, columns, quantity
from metasearch.formats.registry import READABLE
from metasearch.formats.text import clean, line

if TYPE_CHECKING:
    from metasearch.engine.citation_result import CitationResult
    from metasearch.engine.engine import Engine
    from metasearch.engine.lookup import LookedUp, LookupOptions, WantedWork
    from metasearch.references.check import CheckedReference
    from metasearch.references.reader import ReferenceList

#: Seconds after which the answers of an interrupted lookup are no longer used.
JOURNAL_LIFE = 86_400.0
#: Seconds between two lines of progress.
PROGRESS_EVERY = 0.5
#: Works of each kind that are named on stderr.
_MOST_NAMED = 10
#: The largest list, in bytes.
MOST_BYTES = 64 * 1024 * 1024


def _list_options(command: Any) -> Any:
    """The options of all commands: how a list is read, and who is asked."""
    decorators = (
        option_of("sources"),
        option_of("timeout"),
        click.option(
            "--from",
            "read_as",
            metavar="FORMAT",
            type=click.Choice((*READABLE, "text", "docx")),
            help="The format of FILE, instead of detecting it.",
        ),
        click.option("--encoding", metavar="NAME", help="Its encoding, instead of detecting it."),
        click.option(
            "--fresh", is_flag=True, help="Ask anew, also for what an interrupted run has asked."
        ),
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Write the result to FILE.",
        ),
        demo_options(),
        common,
    )
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


_file = click.argument("file", type=click.Path(path_type=Path))
_hit_format = click.option(
    "--format",
    "format_",
    type=click.Choice(tuple(name for name in FORMAT_NAMES if formats.WRITABLE[name].whole)),
    help="How hits are written; without it the ending of -o FILE decides, else table.",
)


@click.command(
    cls=ExampleCommand,
    short_help="Look up a list of works by their identifiers or titles.",
    examples=(
        ("metasearch lookup dois.txt", "a DOI, PMID, arXiv number, ISBN or title a line"),
        ("metasearch lookup refs.bib --format ris -o whole.ris", "complete a bibliography"),
        ("metasearch lookup - --json < ids.txt", "every hit with its sources, and what is missing"),
    ),
)
@_file
@_list_options
@_hit_format
@click.option("--json", is_flag=True, help="--format json: hits, missing works, and who was asked.")
@click.pass_obj
def lookup(
    console: Console,
    /,
    *,
    file: Path,
    format_: str | None,
    json: bool,
    output: Path | None,
    **how: Any,
) -> int:
    """Look up the works that FILE (or "-") names, each in as many databases as it takes.

    FILE is a list of identifiers or titles, one a line, or references in any format that is read.
    Each work becomes one hit, merged from all databases that know it. Exit code 1: some were found
    nowhere; 3: some could not be looked up, because a database failed,
    or they could not be read.
    """
    import asyncio

    from metasearch.references.report import lookup_object, missing_object, name_of_missing

    chosen = (
        format_choice(format_, json=json, ndjson=False, output=output, without_ending="table")
        or "table"
    )
    listed, data = _read(file, console, how)

    async def run() -> tuple[LookedUp, int]:
        from metasearch.engine.lookup import WantedWork

        async with _engine(how) as (engine, options, journal):
            looking = engine.lookup(
                (WantedWork(each.key, each.record) for each in listed.references),
                options,
                journal=journal(data),
            )
            await _follow(looking, lambda: looking.done, len(listed.references), console)
            return looking.result(), looking.requests

    found, requests = asyncio.run(run())
    format = formats.get(chosen)  # noqa: A001
    with Sink(output) as sink:
        if chosen == "json":
            sink.write_json(lookup_object(found, requests=requests))
        else:
            answer = found.answer
            sink.write(format.write(answer if format.unit == "answer" else answer.hits))
    missing = [missing_object(state) for state in found.missing]
    if not console.quiet:
        texts = {clean(each.key): each.text or each.problem for each in listed.references}
        for each in missing:
            name = name_of_missing(each) or line(texts.get(each["key"], ""))
            named = f"{each['status']}: {line(each['key'])} {name}"
            console.say(named[:200], "yellow")
        _summarise(
            f"{quantity(len(found.hits), 'work')} found, {len(missing)} missing", requests, console
        )
    if _is_partly_read(listed) or any(each["status"] == "unchecked" for each in missing):
        return Exit.PARTIAL
    return Exit.NO_HITS if missing else Exit.OK


@click.command(
    cls=ExampleCommand,
    short_help="Check references against databases: errors, retractions, other versions.",
    examples=(
        ("metasearch check refs.bib", "what differs from what databases say, the worst first"),
        ("metasearch check paper.docx -o report.html", "a page to read, with who was asked"),
        ("metasearch check refs.bib --fix refs.bib", "repair what is known beyond doubt"),
        ("metasearch check --demo refs.bib", "try it offline, on simulated databases"),
    ),
)
@_file
@_list_options
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json", "html", "sarif", "junit")),
    help="How the report is written; without it the ending of -o FILE decides, else text.",
)
@click.option("--json", is_flag=True, help="--format json: one document.")
@click.option(
    "--fix",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT",
    help="Write FILE to OUT with the fields repaired of works that are certain; BibTeX only.",
)
@click.option("--diff", is_flag=True, help="Write what --fix would change instead of the report.")
@click.pass_obj
def check(
    console: Console,
    /,
    *,
    file: Path,
    format_: str | None,
    json: bool,
    fix: Path | None,
    diff: bool,
    output: Path | None,
    **how: Any,
) -> int:
    """Check the references in FILE (or "-") against databases.

    FILE is BibTeX, RIS, CSL-JSON, NBIB or another format that is read, a Word document, or plain
    text with a list of references. Each gets a verdict: confirmed, differs, another version exists,
    retracted, not found in the databases that were asked, or could not be checked. "Not found" does
    not mean invented: no database holds every work.

    Exit code 0: nothing serious; 1: something serious; 3: some could not be checked, or not be
    read.
    """
    import asyncio

    from metasearch.references.repair import repair, require_repairable
    from metasearch.references.report import counts_object
    from metasearch.references.report_files import REPORTS

    chosen = _report_format(format_, json=json, output=output)
    if diff and (fix or format_ or json):
        raise click.UsageError("--diff writes no report and no file: give it alone.")
    encoding, named = how["encoding"], "stdin" if str(file) == "-" else str(file)
    listed, data = _read(file, console, how)
    if fix or diff:
        require_repairable(data, named, listed, encoding)

    async def run() -> tuple[list[CheckedReference], int]:
        from metasearch.references.check import ReferenceCheck

        async with _engine(how) as (engine, options, journal):
            checking = ReferenceCheck(engine, listed.references, options, journal=journal(data))
            found: dict[str, CheckedReference] = {}

            async def take() -> AsyncIterator[None]:
                async for checked in checking:
                    found[checked.reference.key] = checked
                    yield

            await _follow(take(), lambda: len(found), len(listed.references), console)
            return [found[each.key] for each in listed.references], checking.requests

    checked, requests = asyncio.run(run())
    if fix or diff:
        repaired = repair(data, file.name, listed, checked, encoding=encoding)
        changes = list(repaired.diff(file.name))
        for key, why in repaired.left.items():
            console.say(f"left as it is: {line(key)}: {why}", "yellow")
    with Sink(output) as sink:
        if diff:
            sink.write("".join(changes).encode())
        else:
            sink.write(REPORTS[chosen][1](checked, named, requests))
    if fix:
        if not console.quiet:
            console.say("".join(changes).rstrip("\n"), wrap=False)
        with Sink(fix) as sink:
            sink.write(repaired.after)
    counts = counts_object(checked)
    if not console.quiet:
        total, *rest = counts.items()
        said = ", ".join(
            [quantity(total[1], "reference"), *(f"{count} {name}" for name, count in rest if count)]
        )
        _summarise(said, requests, console)
    if counts["serious"]:
        return Exit.NO_HITS
    return Exit.PARTIAL if counts["unchecked"] or _is_partly_read(listed) else Exit.OK


@click.command(
    cls=ExampleCommand,
    short_help="Find the works that some works cite, and those that cite them.",
    examples=(
        ("metasearch cite 10.1186/s13643-016-0384-4", "references of a work, and what cites it"),
        ("metasearch cite included.ris --forward -o new.ris", "what cites the works of a list"),
        ("metasearch cite --rounds 2 --json - < dois.txt", "the same for what was found, once"),
        ("metasearch cite --demo 10.1016/j.foreco.2008.02.057", "try it offline"),
    ),
)
@click.argument("works", metavar="DOI... | FILE", nargs=-1, required=True)
@click.option("--backward", is_flag=True, help="The works that they cite; without --forward alone.")
@click.option("--forward", is_flag=True, help="The works that cite them; without --backward alone.")
@click.option(
    "--rounds",
    type=click.IntRange(1, 10),
    default=1,
    metavar="N",
    help="Search again from what was found, N rounds in all; default 1.",
)
@_list_options
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Write at most N works; all, or {TABLE_HITS} in a table, without it.",
)
@_hit_format
@click.option("--json", is_flag=True, help="--format json: hits with their relations, and counts.")
@click.pass_obj
def cite(
    console: Console,
    /,
    *,
    works: tuple[str, ...],
    backward: bool,
    forward: bool,
    rounds: int,
    limit: int | None,
    format_: str | None,
    json: bool,
    output: Path | None,
    **how: Any,
) -> int:
    """Find the works that some works cite (backward), and those that cite them (forward).

    Give identifiers (a DOI, pmid:..., arxiv:...), or a FILE or "-" with identifiers, titles or
    references. Each work is asked for by all identifiers of all its versions, in each index that
    knows citations. What is found is merged and ranked by how many works and indexes lead to it.

    Exit code 1: some of the works are known to no source; 3: an index failed, or a source at which
    works were looked up, or a part of FILE could not be read.
    """
    import asyncio

    from metasearch.references.citations import (
        CHOICES,
        citations_object,
        failures_of,
        seeds_of,
    )

    chosen = (
        format_choice(format_, json=json, ndjson=False, output=output, without_ending="table")
        or "table"
    )
    if limit is None and chosen == "table":
        limit = TABLE_HITS
    listed, data = _read_works(works, console, how)
    seeds = seeds_of(listed.references)
    way = "both" if backward == forward else "backward" if backward else "forward"

    async def run() -> CitationResult:
        from metasearch.engine.citations import CitationOptions

        async with _engine(how) as (engine, options, journal):
            search = engine.cite(
                seeds,
                CitationOptions(
                    sources=options.sources,
                    directions=CHOICES[way],
                    rounds=rounds,
                    timeout=options.timeout,
                    cache=options.cache,
                ),
                journal=journal(b"cite " + data),
            )
            answers = len(search.asked) * rounds
            await _follow(search, lambda: len(search.reports), answers, console)
            return search.result()

    found = asyncio.run(run())
    with Sink(output) as sink:
        if chosen == "json":
            sink.write_json(citations_object(found, seeds, limit))
        else:
            sink.write(_hits_of(found, seeds, limit, chosen, sink, console))
    if not console.quiet:
        _say_counts(found, seeds, limit, console)
    if _is_partly_read(listed) or failures_of(found):
        return Exit.PARTIAL
    return Exit.NO_HITS if found.counts.missing else Exit.OK


def _hits_of(
    found: CitationResult,
    seeds: Sequence[WantedWork],
    limit: int | None,
    chosen: str,
    sink: Sink,
    console: Console,
) -> bytes:
    """The works in a format; a table says which seeds lead to each."""
    from metasearch.references.citations import answer_of, relation_lines, seed_names

    answer, format = answer_of(found, limit), formats.get(chosen)  # noqa: A001
    if chosen != "table":
        return bytes(format.write(answer if format.unit == "answer" else answer.hits))
    from metasearch.formats import table

    works = {work.hit.id: work for work in found.works}
    names = seed_names(found, seeds)
    return table.write(
        answer.hits,
        width=console.size(sys.stdout)[0] if sink.to_stdout else 80,
        color=sink.to_stdout and console.colors(sys.stdout),
        hyperlinks=sink.to_stdout and console.capable(sys.stdout),
        beside=lambda hit: relation_lines(works[hit.id], names),
    )


def _say_counts(
    found: CitationResult, seeds: Sequence[WantedWork], limit: int | None, console: Console
) -> None:
    """What was found, how each index answered, and what is not among the hits."""
    from metasearch.references.citations import failures_of, report_rows

    counts = found.counts
    for seed in seeds:
        if found.seeds.get(seed.key) is None:
            console.say(f"known to no source: {seed.key} {line(seed.record.title)}"[:200], "yellow")
    for source, error in failures_of(found).items():
        console.say(f"failed: {source}: {line(str(error))}", "yellow")
    for report in found.reports:
        if report.unplaced:
            named = f"{report.source} named {quantity(report.unplaced, 'work')}"
            console.say(f"left out: {named} without saying which it cites", "yellow")
    for row in columns(report_rows(found.reports)):
        console.say(row, wrap=False)
    for number, some, what in (
        (counts.unknown, found.unknown, "known by an identifier alone"),
        (counts.texts, found.texts, "known as text alone"),
    ):
        for work in some[:_MOST_NAMED]:
            console.say(f"{what}: {line(work.name)}"[:200])
        if number > _MOST_NAMED:
            console.say(f"{what}: {number - _MOST_NAMED:,} more; --json has them")
    if counts.unfollowed:
        console.say(f"not followed further: {quantity(counts.unfollowed, 'work')}", "yellow")
    shown = "" if limit is None or limit >= counts.works else f", of which {limit:,} are written"
    told = (
        f"{quantity(counts.works, 'work')} found{shown}: {counts.backward:,} backward, "
        f"{counts.forward:,} forward, {counts.both:,} both; {counts.unknown:,} unknown, "
        f"{quantity(counts.texts, 'text')}"
    )
    _summarise(told, counts.requests, console)


def _report_format(format_: str | None, *, json: bool, output: Path | None) -> str:
    """The format that an option or the ending of `-o` chooses. Raises click.UsageError."""
    from metasearch.references.report_files import REPORTS

    names = {format_, "json" if json else None} - {None}
    if len(names) > 1:
        raise click.UsageError(f"Choose one format: json, {format_} were named.")
    if names:
        return names.pop() or ""
    if output is None or not output.suffix:
        return "text"
    for name, (endings, _) in REPORTS.items():
        if output.name.lower().endswith(endings):
            return name
    known = ", ".join(endings[0] for endings, _ in REPORTS.values())
    raise click.UsageError(
        f"No report has files that end in {output.suffix}, only {known}; choose one with --format."
    )


def _is_partly_read(listed: ReferenceList) -> bool:
    """Whether the list may hold works that nobody was asked for."""
    return not listed.references or any(problem.lost for problem in listed.problems)


def _read(file: Path, console: Console, how: dict[str, Any]) -> tuple[ReferenceList, bytes]:
    """The list and its bytes; what could not be read goes to stderr."""
    from metasearch import regular_files
    from metasearch.formats.reading.files import size_error
    from metasearch.references.reader import read_references

    if str(file) == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        with regular_files.open_regular(file, pipes=True) as stream:
            data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise size_error(str(file), MOST_BYTES)
    name = "stdin" if str(file) == "-" else file.name
    listed = read_references(data, name, format=how.pop("read_as"), encoding=how.pop("encoding"))
    if not console.quiet:
        for problem in listed.problems:
            place = f"line {problem.line}: " if problem.line else ""
            console.say(f"{place}{line(problem.message)}", "yellow")
    return listed, data


def _read_works(
    works: Sequence[str], console: Console, how: dict[str, Any]
) -> tuple[ReferenceList, bytes]:
    """As `_read`, of a file, or of identifiers that are written out. Raises click.UsageError: they
    are neither.
    """
    from metasearch.references.reader import TEXT, read_references

    def is_file(work: str) -> bool:
        # That of `Path` fails where a text is too long for a name.
        return work == "-" or bool(work.strip() and os.path.exists(work))  # noqa: PTH110

    files = list(filter(is_file, works))
    if files and len(works) == 1:
        return _read(Path(works[0]), console, how)
    if files:
        raise click.UsageError(
            f"{line(files[0])[:100]!r} is a file, and a file is given alone: write all works into "
            "it."
        )
    del how["read_as"], how["encoding"]
    for work in works:
        if not _is_identifier(work):
            raise click.UsageError(
                f"{line(work)[:100]!r} is no identifier (10.1000/abc, pmid:123, "
                "arxiv:2101.00001), and there is no such file."
            )
    data = "\n".join(works).encode(errors="replace")
    return read_references(data, "arguments", format=TEXT), data


def _is_identifier(work: str) -> bool:
    from metasearch.bib.work_ids import identifiers
    from metasearch.references.reader import TEXT, read_references

    listed = read_references(work.encode(errors="replace"), "argument", format=TEXT)
    records = [each.record for each in listed.references]
    return len(records) == 1 and not records[0].title and bool(identifiers(records[0]))


@asynccontextmanager
async def _engine(
    how: dict[str, Any],
) -> AsyncIterator[tuple[Engine, LookupOptions, Callable[[bytes], Path | None]]]:
    """An engine for a list, how it is looked up, and where its answers are kept until then."""
    from metasearch.engine.engine import Engine
    from metasearch.engine.lookup import LookupOptions
    from metasearch.settings import Settings

    settings = Settings.load(how["config"], os.environ).with_demo(how["demo_catalogue"])
    folder, catalogue, transport = settings.cache_dir, settings.demo_catalogue, None
    if how["demo"]:
        from metasearch import demo

        transport = demo.DemoTransport(latency=1.0, catalogue=catalogue)
        settings = demo.replay_settings(settings)
    options = LookupOptions(sources=how["sources"], timeout=how["timeout"], cache=not how["fresh"])

    def journal(data: bytes) -> Path | None:
        if folder is None:
            return None
        asked = f"{how['sources']} {how['demo']} {catalogue}".encode()
        path = folder / "lookups" / f"{hashlib.sha256(data + asked).hexdigest()[:32]}.jsonl"
        if path.exists() and (how["fresh"] or time.time() - path.stat().st_mtime > JOURNAL_LIFE):
            path.unlink()
        return path

    async with Engine(settings, transport=transport) as engine:
        yield engine, options, journal


async def _follow(steps: Any, done: Callable[[], int], total: int, console: Console) -> None:
    """Take all steps, with a line of progress where stderr is a terminal."""
    import asyncio

    began = time.monotonic()

    async def tell() -> None:
        while True:
            left = (time.monotonic() - began) / done() * (total - done()) if done() else None
            time_left = "" if left is None else f", some {left:.0f} s left"
            sys.stderr.write(f"\r\x1b[K{done():,} of {total:,}{time_left}")
            sys.stderr.flush()
            await asyncio.sleep(PROGRESS_EVERY)

    telling = asyncio.create_task(tell()) if console.live else None
    try:
        async for _ in steps:
            pass
    finally:
        if telling is not None:
            telling.cancel()
            sys.stderr.write("\r\x1b[K")


def _summarise(said: str, requests: int, console: Console) -> None:
    console.say(f"{said} ({quantity(requests, 'request')})")
