"""What `metasearch explain` does: gather the records, find those that were named, explain, choose
the exit code.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from metasearch.bib.work_ids import read_name
from metasearch.cli import compared
from metasearch.cli.console import Console, counted
from metasearch.cli.exits import Exit, answered
from metasearch.cli.explain import Question
from metasearch.cli.logs import logs_to
from metasearch.cli.output import Sink
from metasearch.cli.report import tell
from metasearch.cli.run import prepared, settings_of
from metasearch.cli.search import Job
from metasearch.cli.written import FAILS_ON_PURPOSE, TABLE_HITS
from metasearch.dedup import strategy
from metasearch.dedup.explain import Explainer
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.pins import Pins
from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.formats.text import line
from metasearch.record import Hit, Record
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.formats.reading import Reading

#: Problems of a file that are shown.
PROBLEMS_SHOWN = 5


def explain(question: Question, console: Console) -> Exit:
    """Explain, and write it.

    Raises:
        MetasearchError: An ID, the query, a file or the configuration cannot be used.
        OSError: A file cannot be read.
    """
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
    sides = [_bearers(explainer, name) for name in question.ids]
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
    pairs = [(a, b) for a in ours for b in theirs if a is not b]
    if not pairs:
        raise UsageError(
            f"{question.ids[0]} and {question.ids[1]} name one record, {line(ours[0].record_key)}",
            advice="With one ID alone, all that holds its hit together is told.",
        )
    explanation = explainer.pair(*pairs[0])
    others = [
        (name, [line(it.record_key) for it in side if it.record_key not in explanation.names])
        for name, side in zip(question.ids, (ours, theirs), strict=True)
    ]
    if question.json:
        document = compared.pair_object(explanation) | {
            "others": {name: keys for name, keys in others if keys}
        }
        _write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
    else:
        _write(compared.pair_text(explanation, console.size(sys.stdout)[0]).encode())
        if not console.quiet:
            for name, keys in others:
                if keys:
                    console.say(
                        f"{name} is also borne by {', '.join(keys)}; name a record by its key to "
                        f"ask for it"
                    )
    return Exit.OK if explanation.together else Exit.NO_HITS


def _one(
    explainer: Explainer, question: Question, bearers: list[Fingerprint], console: Console
) -> Exit:
    hits: dict[str, Hit] = {}
    for it in bearers:
        hit = explainer.hit_of(it)
        hits.setdefault(hit.id, hit)
    if question.json:
        document = {
            "id": question.ids[0],
            "hits": [compared.hit_as_object(hit) for hit in hits.values()],
        }
        _write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
    else:
        _write(compared.hits_text(list(hits.values()), console.size(sys.stdout)[0]).encode())
    return Exit.OK if len(hits) == 1 else Exit.NO_HITS


def _check(name: str) -> None:
    """Refuse what is no ID before anybody is asked."""
    try:
        read_name(name)
    except ValueError as exc:
        raise UsageError(
            str(exc), advice="If it was meant as a file: there is none of that name."
        ) from exc


def _bearers(explainer: Explainer, name: str) -> list[Fingerprint]:
    found = explainer.bearers(name)
    if not found:
        near = [line(it) for it in explainer.near(name)]
        advice = (
            f"Did you mean {', '.join(near)}?"
            if near
            else "No record has a name that resembles it."
        )
        raise UsageError(f"no record bears {name}", advice=advice)
    return found


def _read(question: Question, console: Console) -> list[Record]:
    """The records of the files; what could not be read in them is told."""
    if not question.files:
        return []
    from metasearch.formats.reading import read_file

    records: list[Record] = []
    last_parts = Counter(file.name for file in question.files)
    for file in question.files:
        # The records of two files may not bear the same names.
        reading = read_file(file, name=file.name if last_parts[file.name] == 1 else str(file))
        records += reading.records
        if not console.quiet:
            _tell_problems(reading, console)
    return records


def _tell_problems(reading: Reading, console: Console) -> None:
    for problem in reading.problems[:PROBLEMS_SHOWN]:
        place = f"{reading.name}: {problem.line}" if problem.line else reading.name
        console.say(f"{place}: {line(problem.message)}", "yellow")
    more = len(reading.problems) - PROBLEMS_SHOWN
    if more > 0:
        lost = counted(reading.lost, "record")
        console.say(
            f"{reading.name}: {counted(more, 'problem')} more; {lost} could not be read in all",
            "yellow",
        )


def _searched(job: Job, settings: Settings, console: Console) -> Answer:
    """The answer of the search, with all hits of what it asks for."""
    depth = job.per_source or min(MAX_PER_SOURCE, max(settings.per_source, job.limit or TABLE_HITS))
    whole = replace(job, per_source=depth, limit=None, format="json")
    answer = asyncio.run(_asked(whole, settings, console))
    tell(answer, console, on_purpose=FAILS_ON_PURPOSE if job.demo else ())
    return answer


async def _asked(job: Job, settings: Settings, console: Console) -> Answer:
    with logs_to(console, None):
        async with prepared(job, settings) as search:
            async for _ in search:
                pass
    assert search.answer is not None
    return search.answer


def _write(content: bytes) -> None:
    with Sink() as sink:
        sink.write(content)
