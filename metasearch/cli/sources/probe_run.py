"""What `metasearch sources probe` does: one query to each source, and its answer held against what
the spec promises.

A source is asked once, as a search would ask it: within its limits, with its key, without the
cache. What comes is held against the spec (is it an answer, can its records be read, are the
promised fields there?) and against the source's cases where there is a checkout that has them: a
field that all databases have, which the cases hold and no record of the answer does, means that the
database has changed.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.parse import Parsed, parse
from metasearch.adapters.request import Page, Request, Secret, without_secrets
from metasearch.adapters.spec import CONTACT, AdapterSpec
from metasearch.adapters.specs.registry import spec_folder
from metasearch.adapters.translate.plan import plan
from metasearch.errors import (
    CannotAsk,
    Drifted,
    KeyMissing,
    MetasearchError,
    NotParsable,
    SourceError,
    TimedOut,
)
from metasearch.formats.records import record_object
from metasearch.query import parse as read_query
from metasearch.record import Record

#: Records that a source is asked for.
WANTED = 20
#: Sources that are asked at once.
AT_ONCE = 8
#: A word that any general database has works about, by the language of what it holds.
WORDS = {
    "zh": "环境", "ja": "環境", "ko": "환경", "de": "Geschichte", "fr": "histoire",
    "es": "historia", "pt": "história", "it": "storia", "nl": "geschiedenis", "sv": "historia",
    "no": "historie", "da": "historie", "fi": "historia",
}  # fmt: skip
#: The word for the others.
WORD = "history"
#: Fields that records of any database have; that none has one of them which its cases hold is
#: drift. Others may be missing from the records that one query finds, which is told and no failure.
CORE = ("title", "authors", "year")
#: Fewer records say nothing of what is missing from them; as for `adapters.parse.DRIFT_RECORDS`.
ENOUGH = 5
#: What records have by us, and not by the source.
_OWN = frozenset({"source", "position"})

Status = Literal["ok", "empty", "drifted", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Probe:
    """How one source answered.

    Attributes:
        status: "ok"; "empty" where nothing was found; "drifted" where an answer came that is not as
            the spec or the cases have it; "failed" where none came; "skipped" where it cannot be
            asked: a key is missing, say.
        query: What was asked for, in our own syntax.
        sent: The same in the database's words; "" where nothing was sent.
        count: Records that were read.
        total: Hits that the source says it has, or None.
        seconds: From the request to the last record.
        fields: Field of a record -> share of the records that have it, 0..1.
        missing: Fields that the source's cases hold, or its spec reads where there are none, and no
            record has.
        unread: Records that could not be read.
        problem: What is wrong, in words; "" where nothing is.
        notes: What else is worth knowing.
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
        """Whether the source is as its spec says, or was not asked."""
        return self.status in ("ok", "skipped")

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


async def probe(
    specs: Iterable[AdapterSpec],
    transport: Transport,
    env: Mapping[str, str],
    *,
    seconds: float,
    told: Callable[[int], None] = lambda _done: None,
) -> list[Probe]:
    """Ask each source once, some of them at the same time; in their order.

    Args:
        specs: The sources.
        transport: What sends; is closed.
        env: Holds the keys.
        seconds: For one source, its turn among the others not counted.
        told: Is told how many are done.
    """
    fetcher = Fetcher(transport)
    places = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def one(spec: AdapterSpec) -> Probe:
        nonlocal done
        async with places:
            found = shareable(await _probed(spec, fetcher, env, seconds), spec, env)
        done += 1
        told(done)
        return found

    try:
        return list(await asyncio.gather(*map(one, specs)))
    finally:
        await fetcher.close()


async def _probed(
    spec: AdapterSpec, fetcher: Fetcher, env: Mapping[str, str], seconds: float
) -> Probe:
    query = query_for(spec)
    begun = Probe(spec.name, spec.label, "failed", query)
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
    return replace(judged(parsed, spec, begun), seconds=_since(started))


async def _answer(request: Request, spec: AdapterSpec, fetcher: Fetcher) -> Parsed:
    """What the first page holds, after the second step where a search takes two: ids first, their
    records then.
    """
    wanted: Request | None = request
    parsed, total, step = Parsed(), None, None
    while wanted is not None and wanted.step != step:
        step = wanted.step
        page: Page = await fetcher.fetch(
            wanted, spec.limits, use_cache=False, env_name=spec.key_env
        )
        parsed = await asyncio.to_thread(parse, page, spec)
        total = total if parsed.total is None else parsed.total
        wanted = parsed.next
    return replace(parsed, total=total)


def judged(parsed: Parsed, spec: AdapterSpec, begun: Probe) -> Probe:
    """What an answer says of its source.

    Args:
        parsed: The answer.
        spec: The source.
        begun: What is known already.
    """
    records = parsed.records
    fields = covered(records)
    expected = fields_of_cases(spec.name) or fields_of_spec(spec)
    out = replace(
        begun,
        status="ok",
        count=len(records),
        total=parsed.total,
        fields=fields,
        missing=tuple(sorted(expected - fields.keys())) if records else (),
        unread=len(parsed.unread),
        notes=tuple(
            dict.fromkeys((*begun.notes, *parsed.notes, *(it.reason for it in parsed.unread[:3])))
        ),
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
        said = f", though it tells of {parsed.total:,} hits" if parsed.total else ""
        return replace(
            out, status="drifted" if parsed.total else "empty", problem=f"no record came{said}"
        )
    lost = [name for name in CORE if name in out.missing]
    if len(records) >= ENOUGH and lost:
        return replace(out, status="drifted", problem=f"no record has {' or '.join(lost)}")
    return out


def query_for(spec: AdapterSpec) -> str:
    """What a source is asked: what its spec says, or a word of the first language that it says it
    holds.
    """
    if spec.probe:
        return spec.probe
    return next((WORDS[code] for code in spec.languages[:1] if code in WORDS), WORD)


def covered(records: Sequence[Record]) -> dict[str, float]:
    """Field -> share of the records that have it; fields that none has are left out."""
    counts = Counter(
        name for record in records for name in record_object(record) if name not in _OWN
    )
    return {name: round(count / len(records), 3) for name, count in sorted(counts.items())}


def fields_of_cases(name: str) -> frozenset[str]:
    """The fields that the records of a source's cases hold; none where there is no checkout with
    cases.
    """
    found: set[str] = set()
    for file in (spec_folder().parent / "cassettes" / name).glob("*/**/records.json"):
        with suppress(OSError, ValueError):
            for record in json.loads(file.read_bytes()):
                found |= {key for key, value in record.items() if value not in (None, "", [], {})}
    return frozenset(found - _OWN)


def fields_of_spec(spec: AdapterSpec) -> frozenset[str]:
    """The fields that the spec reads from the bodies of its first shape."""
    return frozenset(rule.field for rule in spec.shapes[0].shape().rules)


def shareable(found: Probe, spec: AdapterSpec, env: Mapping[str, str]) -> Probe:
    """The same with *** in the place of keys and of the contact address, in whatever spelling a
    source repeats them.
    """
    names = dict.fromkeys((CONTACT, *(name for auth in spec.auth for name in auth.variables)))
    secret = Request(
        source=spec.name, url="", params=tuple((it, Secret(env[it])) for it in names if env.get(it))
    )
    return replace(
        found,
        sent=without_secrets(found.sent, secret),
        problem=without_secrets(found.problem, secret),
        notes=tuple(without_secrets(note, secret) for note in found.notes),
    )


def _in_words(error: MetasearchError) -> str:
    return f"{str(error).rstrip('.')}. {error.advice}" if error.advice else str(error)


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 2)
