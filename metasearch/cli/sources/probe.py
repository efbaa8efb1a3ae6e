"""What `metasearch sources probe` asks and reports: one query to each source, a comparison with its
spec, and the results as a table or as Markdown.
"""

from __future__ import annotations

import asyncio
import json
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from metasearch import __version__
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request, Secret, without_secrets
from metasearch.adapters.spec import CONTACT, AdapterSpec
from metasearch.adapters.specs.specfile import spec_folder
from metasearch.adapters.translate.plan import plan
from metasearch.cli.output import columns, quantity
from metasearch.errors import (
    CannotAsk,
    Drifted,
    KeyMissing,
    MetasearchError,
    NotParsable,
    SourceError,
    TimedOut,
)
from metasearch.formats.own import record_object
from metasearch.formats.text import line
from metasearch.query import parse as read_query
from metasearch.record import Record

# Runs `metasearch sources probe`: one query to each source, and a comparison with its spec. A
# source is asked once, as a search would ask it: within its limits, with its key, without the
# cache. The answer is compared with the spec (is it an answer, can its records be read, do they
# have the promised fields?) and, in a checkout, with the cases of the source: the database has
# changed if a core field is in the cases and in no record of the answer.

#: Records that a source is asked for.
WANTED = 20
#: Sources that are asked at once.
AT_ONCE = 8
#: A word about which any general database has works, by the language of the database.
WORDS = {
    "zh": "环境", "ja": "環境", "ko": "환경", "de": "Geschichte", "fr": "histoire",
    "es": "historia", "pt": "história", "it": "storia", "nl": "geschiedenis", "sv": "historia",
    "no": "historie", "da": "historie", "fi": "historia",
}  # fmt: skip
#: The word for other languages.
WORD = "history"
#: Fields of the records of any database. The source has drifted if its cases have such a field and
#: no record does. Other fields may be missing from the records of one query: they are reported
#: only.
CORE = ("title", "authors", "year")
#: Fewer records do not show that a field is missing; see `adapters.parse.DRIFT_RECORDS`.
ENOUGH = 5
#: Fields that metasearch adds to a record.
_OWN = frozenset({"source", "position"})

Status = Literal["ok", "empty", "drifted", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """How one source answered.

    Attributes:
        status: "ok"; "empty": no record; "drifted": the answer does not match the spec or the
            cases; "failed": no answer; "skipped": not asked, for example because its key is
            missing.
        query: The query, in the syntax of metasearch.
        sent: The translation that was sent; "" if nothing was sent.
        total: Hits according to the source, or None.
        seconds: From the request to the last record.
        fields: Field of a record -> share of the records that have it, 0..1.
        missing: Fields of the source's cases (or of its spec, if there are no cases) that no record
            has.
        unread: Records that could not be read.
        problem: What is wrong, as a sentence; "" for nothing.
    """

    source: str
    label: str
    status: Status
    query: str
    sent: str = ""
    count: int = 0
    total: int | None = None
    seconds: float = 0.0
    fields: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unread: int = 0
    problem: str = ""
    notes: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether the source matches its spec, or was not asked."""
        return self.status in ("ok", "skipped")

    def plain(self) -> dict[str, Any]:
        return asdict(self)


async def probe(
    specs: Iterable[AdapterSpec],
    transport: Transport,
    env: Mapping[str, str],
    *,
    seconds: float,
    progress: Callable[[int], None] = lambda _done: None,
) -> list[ProbeResult]:
    """Ask each source once, at most `AT_ONCE` at the same time; results have the order of `specs`.

    `transport`: sends the requests; it is closed at the end. `progress`: called with the number of
    sources that are done.
    """
    fetcher = Fetcher(transport)
    places = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def one(spec: AdapterSpec) -> ProbeResult:
        nonlocal done
        async with places:
            result = shareable(await _probe_one(spec, fetcher, env, seconds), spec, env)
        done += 1
        progress(done)
        return result

    try:
        return list(await asyncio.gather(*map(one, specs)))
    finally:
        await fetcher.close()


async def _probe_one(
    spec: AdapterSpec, fetcher: Fetcher, env: Mapping[str, str], seconds: float
) -> ProbeResult:
    query = query_for(spec)
    begun = ProbeResult(spec.name, spec.label, "failed", query)
    try:
        planned = plan(read_query(query), spec, WANTED, env, WANTED)
    except (KeyMissing, CannotAsk) as exc:
        return replace(begun, status="skipped", problem=_in_words(exc))
    except MetasearchError as exc:
        return replace(begun, problem=_in_words(exc))
    begun = replace(begun, sent=planned.sent, notes=tuple(planned.notes))
    started = time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            parsed = await _answer(planned.request, spec, fetcher)
    except (Drifted, NotParsable) as exc:
        return replace(begun, status="drifted", problem=_in_words(exc), seconds=_since(started))
    except TimeoutError:
        late = TimedOut(spec.name, f"no whole answer within {seconds:g} s")
        return replace(begun, problem=_in_words(late), seconds=_since(started))
    except SourceError as exc:
        return replace(begun, problem=_in_words(exc), seconds=_since(started))
    budget = fetcher.state(spec.name).budget
    if budget is not None:
        begun = replace(begun, notes=(*begun.notes, budget.in_words))
    return replace(compare(parsed, spec, begun), seconds=_since(started))


async def _answer(request: Request, spec: AdapterSpec, fetcher: Fetcher) -> PageContent:
    """The records of the first page; of two steps, ids, then their records."""
    wanted: Request | None = request
    parsed, total, step = PageContent(), None, None
    while wanted is not None and wanted.step != step:
        step = wanted.step
        page: Page = await fetcher.fetch(
            wanted, spec.limits, use_cache=False, env_name=spec.key_env
        )
        parsed = await asyncio.to_thread(parse, page, spec)
        total = total if parsed.total is None else parsed.total
        wanted = parsed.next
    return replace(parsed, total=total)


def compare(parsed: PageContent, spec: AdapterSpec, begun: ProbeResult) -> ProbeResult:
    """The result of a probe whose answer was read."""
    records = parsed.records
    fields = field_shares(records)
    expected = fields_of_cases(spec.name) or fields_of_spec(spec)
    reasons = [unread.reason for unread in parsed.unread[:3]]
    out = replace(
        begun,
        status="ok",
        count=len(records),
        total=parsed.total,
        fields=fields,
        missing=tuple(sorted(expected - fields.keys())) if records else (),
        unread=len(parsed.unread),
        notes=tuple(dict.fromkeys((*begun.notes, *parsed.notes, *reasons))),
    )
    if parsed.drifted is not None:
        name, share = parsed.drifted
        return replace(
            out, status="drifted", problem=f"{share:.0%} of the records have no readable {name}"
        )
    if parsed.unread and len(parsed.unread) >= max(1, len(records)):
        return replace(
            out, status="drifted", problem=f"{len(parsed.unread)} records could not be read"
        )
    if not records:
        but = f", but the answer reports {parsed.total:,} hits" if parsed.total else ""
        return replace(
            out,
            status="drifted" if parsed.total else "empty",
            problem=f"the answer has no record{but}",
        )
    lost = [name for name in CORE if name in out.missing]
    if len(records) >= ENOUGH and lost:
        return replace(out, status="drifted", problem=f"no record has {' or '.join(lost)}")
    return out


def query_for(spec: AdapterSpec) -> str:
    """The query for a source: the one in its spec, or a word in the first of its languages."""
    if spec.probe:
        return spec.probe
    return next((WORDS[code] for code in spec.languages[:1] if code in WORDS), WORD)


def field_shares(records: Sequence[Record]) -> dict[str, float]:
    """Field -> share of the records that have it, without fields that no record has."""
    counts = Counter(
        name for record in records for name in record_object(record) if name not in _OWN
    )
    return {name: round(count / len(records), 3) for name, count in sorted(counts.items())}


def fields_of_cases(name: str) -> frozenset[str]:
    """The fields of the records in a source's cases; empty without a checkout that has cases."""
    names: set[str] = set()
    for file in (spec_folder().parent / "cassettes" / name).glob("*/**/records.json"):
        with suppress(OSError, ValueError):
            for record in json.loads(file.read_bytes()):
                names |= {key for key, value in record.items() if value not in (None, "", [], {})}
    return frozenset(names - _OWN)


def fields_of_spec(spec: AdapterSpec) -> frozenset[str]:
    """The fields that the spec reads from the bodies of its first shape."""
    return frozenset(rule.field for rule in spec.shapes[0].shape().rules)


def shareable(result: ProbeResult, spec: AdapterSpec, env: Mapping[str, str]) -> ProbeResult:
    """The result with *** for keys and the contact address, in any spelling of a source."""
    names = dict.fromkeys((CONTACT, *(name for auth in spec.auth for name in auth.variables)))
    secret = Request(
        source=spec.name,
        url="",
        params=tuple((name, Secret(env[name])) for name in names if env.get(name)),
    )
    return replace(
        result,
        sent=without_secrets(result.sent, secret),
        problem=without_secrets(result.problem, secret),
        notes=tuple(without_secrets(note, secret) for note in result.notes),
    )


def _in_words(error: MetasearchError) -> str:
    return f"{str(error).rstrip('.')}. {error.advice}" if error.advice else str(error)


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 2)


#: Characters of a problem in the table, and of a text in the report.
IN_TABLE, IN_REPORT = 100, 500
#: Notes of a source that stand in the report.
NOTES = 5


def summary(results: Sequence[ProbeResult]) -> str:
    """How many sources there are of each status: "15 sources: 12 ok, 1 drifted, 2 skipped"."""
    counts = Counter(result.status for result in results)
    return (
        f"{quantity(len(results), 'source')}: "
        f"{', '.join(f'{count} {status}' for status, count in counts.items())}"
    )


def table(results: Sequence[ProbeResult]) -> Iterator[str]:
    """A line for each source, with aligned columns."""
    rows: list[tuple[str, ...]] = [("NAME", "STATUS", "RECORDS", "TOTAL", "SECONDS", "WHAT")]
    for result in results:
        what = line(result.problem) or (
            f"not seen: {', '.join(result.missing)}" if result.missing else "-"
        )
        what = what if len(what) <= IN_TABLE else f"{what[: IN_TABLE - 3]}..."
        total = "-" if result.total is None else f"{result.total:,}"
        rows.append(
            (result.source, result.status, str(result.count), total, f"{result.seconds:.2f}", what)
        )
    yield from columns(rows)


def to_markdown(results: Sequence[ProbeResult]) -> str:
    """A report of queries, records and problems, without key, contact address and URL."""
    system = f"metasearch {__version__}, Python {platform.python_version()}, {platform.system()}"
    out = [
        "# Probe of sources",
        "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {system}. {summary(results)}.",
        "",
        "| source | status | records | total | seconds | fields | not seen |",
        "| --- | --- | ---: | ---: | ---: | --- | --- |",
    ]
    for result in results:
        fields = ", ".join(
            name if share == 1 else f"{name} {share:.0%}" for name, share in result.fields.items()
        )
        total = "" if result.total is None else str(result.total)
        cells = (
            result.source,
            result.status,
            str(result.count),
            total,
            f"{result.seconds:.2f}",
            fields,
            ", ".join(result.missing),
        )
        out.append(f"| {' | '.join(map(_cell, cells))} |")
    for result in results:
        if result.problem:
            out += ["", f"## {_cell(result.source)}: {result.status}", "", *_details(result)]
    return "\n".join(out) + "\n"


def _details(result: ProbeResult) -> Iterator[str]:
    facts = [("query", result.query), ("sent", result.sent), ("problem", result.problem)]
    facts.append(("records that could not be read", str(result.unread or "")))
    for name, text in (*facts, *(("note", note) for note in result.notes[:NOTES])):
        if text:
            yield f"- {name}: {_code(text)}"


def _cell(text: str) -> str:
    """Text for a cell, in which nothing is markup: texts of a source are not trusted."""
    return (
        line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
    )


def _code(text: str) -> str:
    """Text as code, on one line: it cannot end the code that it stands in."""
    return f"`{line(text)[:IN_REPORT].replace('`', chr(39))}`"
