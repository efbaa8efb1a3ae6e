"""Runs `metasearch explain`: reads the records, finds those that the IDs name, and writes why they
are in one hit or not, as text for a terminal or as data.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import orjson
from wcwidth import wcswidth

from metasearch.bib.work_ids import read_name
from metasearch.cli.options import TABLE_HITS, SearchCommandOptions
from metasearch.cli.output import Console, Exit, Sink, has_answered, quantity
from metasearch.cli.progress import logs_to
from metasearch.cli.search_run import FAILS_ON_PURPOSE, open_search, write_summary
from metasearch.dedup import strategy
from metasearch.dedup.explain import Explainer, Explanation
from metasearch.dedup.fingerprints import Fingerprint
from metasearch.dedup.matchers import FieldWeights, Key
from metasearch.dedup.pins import Pins
from metasearch.engine.facets import (
    DEFAULT_VALUES,
    FacetCounts,
    Filters,
    Sort,
    facet_names,
    parse_filters,
)
from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.errors import UsageError
from metasearch.events import ORDERS, Answer
from metasearch.formats.answer import facets_object, hit_object, match_object, reason_object
from metasearch.formats.own import record_object
from metasearch.formats.reading import FileReading, read_file
from metasearch.formats.reading.files import Input
from metasearch.formats.reference import full_title, identifiers
from metasearch.formats.table import points_that_add_up
from metasearch.formats.text import clean, line, wrap_text
from metasearch.record import Hit, Match, Record
from metasearch.settings import Settings
from metasearch.wing import load, wings


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What the explanation of a hit says about a list of works.

    Attributes:
        filters: Whether the hit passes them is shown.
        facets: Names of facets; the values under which the hit counts are shown.
        facet_limit: Values of each facet at most.
        works: Works of the list; 0 without a search.
    """

    sort: Sort = "relevance"
    filters: Filters = field(default_factory=Filters)
    facets: tuple[str, ...] = ()
    facet_limit: int = DEFAULT_VALUES
    works: int = 0


def list_rows(hit: Hit, options: ListOptions) -> Iterator[tuple[str, str]]:
    """Where the hit stands in the list of the search and why, whether it passes the filters, and
    under which values it counts.
    """
    if hit.rank:
        order = ORDERS.get(options.sort, options.sort)
        yield "rank", f"{hit.rank} of {quantity(options.works, 'hit')}, sorted by {order}"
        yield "score", f"{hit.score:.4f}"
        for reason, points in zip(hit.reasons, points_that_add_up(hit), strict=True):
            yield "score", f"{points:+.4f} {line(reason.text)}"
    if options.filters:
        passes = "passes" if options.filters.passes()(hit) else "does not pass"
        yield "filter", f"{passes} {line(str(options.filters))}"
    for facet in FacetCounts(options.facets, options.facet_limit).count([hit]).facets:
        values = [line(each.value) for each in facet.values]
        more = [f"{facet.more:,} more"] if facet.more else []
        yield "facet", f"{facet.name}: {'; '.join(values + more) or 'no value'}"


def list_object(hit: Hit, options: ListOptions) -> dict[str, Any]:
    """How a hit stands in the list: `rank` and `score` are 0 without a search, `passes` is null
    without filters, and `facets` is null where none was asked for.
    """
    names = options.facets
    facets = FacetCounts(names, options.facet_limit).count([hit]) if names else None
    return {
        "id": clean(hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [reason_object(reason) for reason in hit.reasons],
        "passes": options.filters.passes()(hit) if options.filters else None,
        "facets": facets_object(facets),
    }


#: Columns of the narrowest layout with two records side by side.
MIN_WIDTH = 40
#: Columns of the label of a line.
LABEL = 13
AUTHORS_SHOWN = 6
#: Matches between two hits, and keys of a rule, that are shown; characters of a key.
MATCHES_SHOWN, KEYS_SHOWN, KEY_LENGTH = 5, 3, 40


def pair_text(explanation: Explanation, width: int, options: ListOptions) -> str:
    """The two records side by side, the result of each rule, whether they are in one hit, and
    whether their hits pass the filters.
    """
    width = max(width, MIN_WIDTH)
    return "\n".join(
        [
            *_side_by_side(explanation, width),
            "",
            *_lines(_rule_rows(explanation), width),
            "",
            *_lines(_outcome(explanation), width),
            "",
            *_in_list(explanation, width, options),
        ]
    )


def _in_list(explanation: Explanation, width: int, options: ListOptions) -> Iterator[str]:
    """How each hit of a pair stands in the list; the explanation of a pair knows no ranks."""
    for hit in {hit.id: hit for hit in explanation.hits}.values():
        rows = list(list_rows(hit, options))
        if rows:
            yield from _lines([("hit", hit.id), *rows], width)
            yield ""


def hits_text(hits: Sequence[Hit], width: int, options: ListOptions) -> str:
    """The records, matches and versions of each hit, and how it stands in the list."""
    width = max(width, MIN_WIDTH)
    blocks = []
    for hit in hits:
        rows = [
            ("hit", f"{hit.id}: {quantity(len(hit.records), 'record')}"),
            ("title", full_title(hit.record) or "[no title]"),
            *(("record", f"{line(record.key)}: {_brief(record)}") for record in hit.records),
            *(("match", _match_in_words(match)) for match in hit.matches),
            *(
                ("version", f"{line(v.kind)}: {', '.join(map(line, v.records))}")
                for v in hit.versions
            ),
        ]
        if not hit.matches:
            rows.append(("match", "none: no other record is this work"))
        rows += list_rows(hit, options)
        blocks.append("\n".join(_lines(rows, width)) + "\n")
    return "\n".join(blocks)


def _side_by_side(explanation: Explanation, width: int) -> Iterator[str]:
    column = (width - LABEL - 2) // 2
    names = [line(name) for name in explanation.names]
    for label, left, right in (("", *names), *_rows(explanation.left, explanation.right)):
        cells = (wrap_text(left or "-", column), wrap_text(right or "-", column))
        for number, (one, other) in enumerate(zip_longest(*cells, fillvalue="")):
            shown = label if number == 0 else ""
            yield f"{shown:{LABEL}}{_pad(one, column)}  {other}".rstrip()


def _rows(left: Record, right: Record) -> Iterator[tuple[str, str, str]]:
    """(field, its text in the left record, its text in the right record), without empty fields."""
    for (label, one), (_, other) in zip(_fields(left), _fields(right), strict=True):
        if one or other:
            yield label, one, other


def _fields(record: Record) -> Iterator[tuple[str, str]]:
    yield "title", full_title(record)
    yield "authors", _authors(record)
    yield "year", line(record.date) or str(record.year or "")
    yield "venue", line(record.venue)
    yield "volume", _place(record)
    yield "publisher", line(record.publisher)
    yield "edition", line(record.edition)
    yield "type", line(record.type)
    yield "doi", line(record.doi)
    yield "ids", ", ".join(identifiers(record))
    yield "isbn", ", ".join(map(line, record.isbn))
    yield "url", line(record.url)


def _authors(record: Record) -> str:
    names = [line(author.name) for author in record.byline]
    more = len(names) - AUTHORS_SHOWN
    return "; ".join(names) if more <= 1 else f"{'; '.join(names[:AUTHORS_SHOWN])} and {more} more"


def _place(record: Record) -> str:
    issue = f"({line(record.issue)})" if record.issue else ""
    pages = f"pages {line(record.pages)}" if record.pages else ""
    return ", ".join(filter(None, (f"{line(record.volume)}{issue}", pages)))


def _brief(record: Record) -> str:
    parts = (full_title(record) or "[no title]", str(record.year or ""), line(record.doi))
    return ", ".join(filter(None, parts))


def _pad(text: str, columns: int) -> str:
    return text + " " * max(0, columns - wcswidth(text))


# --------------------------------------------------------------------------- the rules


def _rule_rows(explanation: Explanation) -> Iterator[tuple[str, str]]:
    yield "keys", _common_keys(explanation.keys)
    for rule, match in explanation.rules:
        yield f"  {line(rule)}", "no result" if match is None else _result(match)
    if explanation.weighed is not None:
        yield "weights", _weights(explanation.weighed)
    if explanation.verdict is None:
        yield "verdict", "none: no rule matches the two records"
    else:
        yield "verdict", f"{_word(explanation.verdict)}, by {line(explanation.verdict.matcher)}"


def _weights(weighed: FieldWeights) -> str:
    """The points of each field, and how many are needed."""
    parts = ", ".join(f"{name} {points:+g}" for name, points in weighed.parts) or "nothing"
    needed = "no points are enough" if weighed.needed is None else f"{weighed.needed:g} are needed"
    return f"{parts}: {weighed.points:g} points; {needed} (titles: {weighed.titles})"


def _common_keys(keys: Sequence[Key]) -> str:
    if not keys:
        return "none: the two records have no key in common, so only other records can connect them"
    places: dict[str, list[str]] = {}
    for key in keys:
        places.setdefault(line(key.matcher), []).append(_cut(line(str(key.value))))
    return ", ".join(f"{rule} ({_some_values(values)})" for rule, values in places.items())


def _some_values(values: list[str]) -> str:
    more = len(values) - KEYS_SHOWN
    return "; ".join(values) if more <= 1 else f"{'; '.join(values[:KEYS_SHOWN])}; {more} more"


def _cut(text: str) -> str:
    return text if len(text) <= KEY_LENGTH else f"{text[: KEY_LENGTH - 1]}…"


def _word(match: Match) -> str:
    word = {"same": "same", "different": "different", "version": "versions of one work"}[
        match.verdict
    ]
    return word if match.verdict == "different" else f"{word} ({match.score:.2f})"


def _result(match: Match) -> str:
    return f"{_word(match)}: {line(match.because)}"


def _match_in_words(match: Match) -> str:
    return f"{line(match.left)} and {line(match.right)}: {line(match.matcher)}: {_result(match)}"


_NEVER_MET = "their hits have no key in common, so they were never compared"
_CROWDED = "too many records share their key, so not every pair was compared"


def _outcome(explanation: Explanation) -> Iterator[tuple[str, str]]:
    if explanation.together:
        hit = explanation.hits[0]
        yield "together", f"in one hit of {quantity(len(hit.records), 'record')} ({hit.id})"
        yield from (("by", _match_in_words(match)) for match in explanation.path)
        return
    sizes = [f"{hit.id} ({quantity(len(hit.records), 'record')})" for hit in explanation.hits]
    yield "apart", f"in two hits, {' and '.join(sizes)}"
    if explanation.versions_apart:
        yield "because", "they are versions of one work, and each version is a separate hit here"
    elif explanation.against:
        yield from _some("because", explanation.against)
        yield from _some("although", explanation.across)
    elif explanation.across:
        yield "because", _CROWDED if explanation.met else _NEVER_MET
        yield from _some("although", explanation.across)
    else:
        yield "because", "no rule matches them, or any two records of their hits"


def _some(label: str, matches: Sequence[Match]) -> Iterator[tuple[str, str]]:
    yield from ((label, _match_in_words(match)) for match in matches[:MATCHES_SHOWN])
    if len(matches) > MATCHES_SHOWN:
        yield "", f"and {len(matches) - MATCHES_SHOWN} more pairs"


def _lines(rows: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    before = ""
    for label, text in rows:
        shown = "" if label == before else label
        before = label
        # The text begins after a label that is longer than its column.
        indent = " " * LABEL
        head = f"{shown:{LABEL}}" if len(shown) < LABEL else f"{shown} "
        for number, part in enumerate(wrap_text(text, width - LABEL) or [""]):
            yield f"{head if number == 0 else indent}{part}".rstrip()


def pair_object(explanation: Explanation) -> dict[str, Any]:
    """The content of `pair_text` as one JSON object, which always has all keys."""
    return {
        "left": {"key": clean(explanation.names[0]), **record_object(explanation.left)},
        "right": {"key": clean(explanation.names[1]), **record_object(explanation.right)},
        "keys": [
            {"matcher": key.matcher, "value": clean(str(key.value))} for key in explanation.keys
        ],
        "rules": [
            {"rule": rule, "said": match_object(match) if match else None}
            for rule, match in explanation.rules
        ],
        "weights": _weights_object(explanation.weighed) if explanation.weighed else None,
        "verdict": match_object(explanation.verdict) if explanation.verdict else None,
        "together": explanation.together,
        "hits": [hit.id for hit in explanation.hits],
        "path": [match_object(match) for match in explanation.path],
        "across": [match_object(match) for match in explanation.across],
        "against": [match_object(match) for match in explanation.against],
        "met": explanation.met,
        "versions_apart": explanation.versions_apart,
    }


def _weights_object(weighed: FieldWeights) -> dict[str, Any]:
    return {
        "titles": weighed.titles,
        "parts": dict(weighed.parts),
        "points": weighed.points,
        "needed": weighed.needed,
    }


def hit_as_object(hit: Hit, options: ListOptions) -> dict[str, Any]:
    """A hit as in the JSON answer, with all fields of its records and its place."""
    records = {"records": [record_object(record) for record in hit.records]}
    return hit_object(hit) | records | list_object(hit, options)


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
    chain = strategy(settings.strategy).chain.with_pins(Pins.load(settings.pins))
    records = _read(options, console)
    ranked: tuple[Hit, ...] = ()
    if options.searches:
        answer = asyncio.run(_search(options.search, settings, console))
        on_purpose = FAILS_ON_PURPOSE if options.search.demo else ()
        write_summary(answer, console, on_purpose=on_purpose)
        if not any(has_answered(report) for report in answer.sources):
            return Exit.NO_ANSWER
        ranked = answer.hits
        records += [record for hit in ranked for record in hit.records]
    explainer = Explainer(chain, records, settings.versions)
    sides = [_records_of_id(explainer, name) for name in options.ids]
    if len(sides) == 1:
        return _one(explainer, options, ranked, sides[0], console)
    return _two(explainer, options, ranked, sides[0], sides[1], console)


def _with_rank(hit: Hit, ranked: Sequence[Hit]) -> Hit:
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
    hits = {hit.id: _with_rank(hit, ranked) for hit in explanation.hits}
    others = []
    for name, side in zip(options.ids, (ours, theirs), strict=True):
        keys = [fingerprint.record_key for fingerprint in side]
        others.append((name, [line(key) for key in keys if key not in explanation.names]))
    if options.json:
        document = pair_object(explanation) | {
            "listed": [list_object(hit, list_options) for hit in hits.values()],
            "others": {name: keys for name, keys in others if keys},
        }
        _write_json(document)
    else:
        columns, _ = console.size(sys.stdout)
        _write(pair_text(explanation, columns, list_options).encode())
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
        hit = _with_rank(explainer.hit_of(fingerprint), ranked)
        hits.setdefault(hit.id, hit)
    list_options = _list_options(options, ranked)
    if options.json:
        document = {
            "id": options.ids[0],
            "hits": [hit_as_object(hit, list_options) for hit in hits.values()],
        }
        _write_json(document)
    else:
        columns, _ = console.size(sys.stdout)
        _write(hits_text(list(hits.values()), columns, list_options).encode())
    return Exit.OK if len(hits) == 1 else Exit.NO_HITS


def _check(name: str) -> None:
    """Refuse what is not an ID before any request is sent."""
    try:
        read_name(name)
    except ValueError as exc:
        raise UsageError(
            str(exc), advice="If you meant a file: there is no file of this name."
        ) from exc


def _records_of_id(explainer: Explainer, name: str) -> list[Fingerprint]:
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
        name = file.name if last_parts[file.name] == 1 else str(file)
        reading = _rows_of_set(file, name) or read_file(file, name=name)
        records += reading.records
        if not console.quiet:
            _show_problems(reading, console)
    return records


def _rows_of_set(file: Path, name: str) -> FileReading | None:
    """The rows of a labelled set, where what reads them is installed, and the file is one."""
    readers = [load(wing.rows) for wing in wings() if wing.rows]
    found = (read(Input(file, name)) for read in readers)
    return next((reading for reading in found if reading is not None), None)


def _show_problems(reading: FileReading, console: Console) -> None:
    for problem in reading.problems[:PROBLEMS_SHOWN]:
        place = f"{reading.name}: {problem.line}" if problem.line else reading.name
        console.say(f"{place}: {line(problem.message)}", "yellow")
    more = len(reading.problems) - PROBLEMS_SHOWN
    if more > 0:
        lost = quantity(reading.lost, "record")
        console.say(
            f"{reading.name}: {quantity(more, 'problem')} more; {lost} could not be read in total",
            "yellow",
        )


async def _search(options: SearchCommandOptions, settings: Settings, console: Console) -> Answer:
    """The answer of the search, with all hits of its records, also those its filters drop."""
    wanted = options.limit or TABLE_HITS
    depth = options.per_source or min(MAX_PER_SOURCE, max(settings.per_source, wanted))
    whole = replace(options, per_source=depth, limit=None, filter=None, facets=None, format="json")
    with logs_to(console, None):
        async with open_search(whole, settings) as search:
            async for _ in search:
                pass
    assert search.answer is not None
    return search.answer


def _write_json(document: dict[str, Any]) -> None:
    _write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))


def _write(content: bytes) -> None:
    with Sink() as sink:
        sink.write(content)
