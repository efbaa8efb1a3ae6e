"""Runs `metasearch explain`: reads records, finds those of the IDs, writes why they are one."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from metasearch.bib.work_ids import read_name
from metasearch.cli import explain_report
from metasearch.cli.explain_list import ListOptions, list_object
from metasearch.cli.search_options import TABLE_HITS, SearchCommandOptions
from metasearch.cli.search_output import FAILS_ON_PURPOSE
from metasearch.cli.search_summary import write_summary
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit, answered
from metasearch.cli.terminal.logs import logs_to
from metasearch.cli.terminal.output import Sink
from metasearch.dedup import strategy
from metasearch.dedup.explain import Explainer
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.pins import Pins
from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.formats.reading import FileReading, read_file
from metasearch.formats.text import line
from metasearch.listing.facets import facet_names
from metasearch.listing.filters import parse_filters
from metasearch.record import Hit, Record
from metasearch.settings import Settings

#: Problems of a file that are shown.
PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """The IDs, and the records among which they are looked up.

    Attributes:
        ids: Two for a pair of records, one for a hit.
        search: The search whose records are added, if `searches`; else only its configuration,
            pins, versions and strategy are used.
        searches: Whether `--query` is given.
        json: Whether to write a JSON document.
    """

    ids: tuple[str, ...]
    files: tuple[Path, ...]
    search: SearchCommandOptions
    searches: bool
    json: bool


def explain_ids(options: ExplainOptions, console: Console) -> Exit:
    """Gather the records, find those that the IDs name, and write the explanation. Raises
    MetasearchError: an ID, the query, a file or the configuration cannot be used; OSError: a file
    cannot be read.
    """
    settings = options.search.settings()
    for name in options.ids:
        _check(name)
    chain = strategy(settings.strategy).chain.pinned(Pins.load(settings.pins))
    records = _read(options, console)
    ranked: tuple[Hit, ...] = ()
    if options.searches:
        answer = asyncio.run(_search(options.search, settings, console))
        on_purpose = FAILS_ON_PURPOSE if options.search.demo else ()
        write_summary(answer, console, on_purpose=on_purpose)
        if not any(answered(report) for report in answer.sources):
            return Exit.NO_ANSWER
        ranked = answer.hits
        records += [record for hit in ranked for record in hit.records]
    explainer = Explainer(chain, records, settings.versions)
    sides = [_named(explainer, name) for name in options.ids]
    if len(sides) == 1:
        return _one(explainer, options, ranked, sides[0], console)
    return _two(explainer, options, ranked, sides[0], sides[1], console)


def _ranked(hit: Hit, ranked: Sequence[Hit]) -> Hit:
    """The hit with the rank, score and reasons that it has in the list of the search."""
    keys = {record.key for record in hit.records}
    for listed in ranked:
        if any(record.key in keys for record in listed.records):
            return replace(hit, rank=listed.rank, score=listed.score, reasons=listed.reasons)
    return hit


def _list_options(options: ExplainOptions, ranked: Sequence[Hit]) -> ListOptions:
    search = options.search
    return ListOptions(
        sort=search.sort,
        filters=parse_filters(search.filter),
        facets=facet_names(search.facets),
        facet_limit=search.facet_limit,
        works=len(ranked),
    )


def _two(
    explainer: Explainer,
    options: ExplainOptions,
    ranked: Sequence[Hit],
    ours: list[Fingerprint],
    theirs: list[Fingerprint],
    console: Console,
) -> Exit:
    pairs = [(one, other) for one in ours for other in theirs if one is not other]
    if not pairs:
        raise UsageError(
            f"{options.ids[0]} and {options.ids[1]} name one record, {line(ours[0].record_key)}",
            advice="Give one ID to see why all records of its hit are together.",
        )
    explanation = explainer.pair(*pairs[0])
    list_options = _list_options(options, ranked)
    hits = {hit.id: _ranked(hit, ranked) for hit in explanation.hits}
    others = []
    for name, side in zip(options.ids, (ours, theirs), strict=True):
        keys = [fingerprint.record_key for fingerprint in side]
        others.append((name, [line(key) for key in keys if key not in explanation.names]))
    if options.json:
        document = explain_report.pair_object(explanation) | {
            "listed": [list_object(hit, list_options) for hit in hits.values()],
            "others": {name: keys for name, keys in others if keys},
        }
        _write_json(document)
    else:
        columns, _ = console.size(sys.stdout)
        _write(explain_report.pair_text(explanation, columns, list_options).encode())
        if not console.quiet:
            for name, keys in others:
                if keys:
                    console.say(
                        f"{name} is also an ID of {', '.join(keys)}; to choose a record, give "
                        f"its key"
                    )
    return Exit.OK if explanation.together else Exit.NO_HITS


def _one(
    explainer: Explainer,
    options: ExplainOptions,
    ranked: Sequence[Hit],
    named: list[Fingerprint],
    console: Console,
) -> Exit:
    hits: dict[str, Hit] = {}
    for fingerprint in named:
        hit = _ranked(explainer.hit_of(fingerprint), ranked)
        hits.setdefault(hit.id, hit)
    list_options = _list_options(options, ranked)
    if options.json:
        document = {
            "id": options.ids[0],
            "hits": [explain_report.hit_as_object(hit, list_options) for hit in hits.values()],
        }
        _write_json(document)
    else:
        columns, _ = console.size(sys.stdout)
        _write(explain_report.hits_text(list(hits.values()), columns, list_options).encode())
    return Exit.OK if len(hits) == 1 else Exit.NO_HITS


def _check(name: str) -> None:
    """Refuse what is not an ID before any request is sent."""
    try:
        read_name(name)
    except ValueError as exc:
        raise UsageError(
            str(exc), advice="If you meant a file: there is no file of this name."
        ) from exc


def _named(explainer: Explainer, name: str) -> list[Fingerprint]:
    """The records that have the ID. Raises UsageError: there are none."""
    fingerprints = explainer.bearers(name)
    if fingerprints:
        return fingerprints
    near = ", ".join(map(line, explainer.near(name)))
    advice = f"Did you mean {near}?" if near else "No record has a similar ID."
    raise UsageError(f"no record has the ID {name}", advice=advice)


def _read(options: ExplainOptions, console: Console) -> list[Record]:
    """The records of the files; problems are shown on stderr."""
    if not options.files:
        return []
    records: list[Record] = []
    last_parts = Counter(file.name for file in options.files)
    for file in options.files:
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


async def _search(options: SearchCommandOptions, settings: Settings, console: Console) -> Answer:
    """The answer of the search, with all hits of its records, also those its filters drop."""
    from metasearch.cli.search_run import prepared  # only here: the engine takes long to load

    wanted = options.limit or TABLE_HITS
    depth = options.per_source or min(MAX_PER_SOURCE, max(settings.per_source, wanted))
    whole = replace(options, per_source=depth, limit=None, filter=None, facets=None, format="json")
    with logs_to(console, None):
        async with prepared(whole, settings) as search:
            async for _ in search:
                pass
    assert search.answer is not None
    return search.answer


def _write_json(document: dict[str, Any]) -> None:
    _write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))


def _write(content: bytes) -> None:
    with Sink() as sink:
        sink.write(content)
