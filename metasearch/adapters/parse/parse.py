"""Page + spec -> records: which shape the body has, where its records are, and what each holds.

Pure: no loop, no wire. One odd record never costs its page: what cannot be read is counted and
reported, and its neighbours are kept. A long page takes many milliseconds: a caller with
other work may read it in steps (`PageReading`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from metasearch.adapters.parse.bodies import (
    kind_of,
    load,
    marks_in,
    unescape,
    weighed,
    without_namespaces,
)
from metasearch.adapters.parse.charset import unmarked
from metasearch.adapters.parse.records import record_in_proportion, record_of
from metasearch.adapters.parse.refusals import blocked, not_expected, refusal, reported
from metasearch.adapters.parse.weight import LIGHT_MARKS, MOST_ELEMENTS
from metasearch.adapters.request import Page, Request, without_secrets
from metasearch.adapters.select import as_strings
from metasearch.adapters.spec import AdapterSpec, LateShape, Selector, Shape
from metasearch.adapters.translate.links import followed
from metasearch.adapters.translate.plan import next_request
from metasearch.bib import converters
from metasearch.bib.cuts import Cuts
from metasearch.bib.strings import first
from metasearch.errors import NotParsable, SourceError, Unreachable
from metasearch.record import Record

T = TypeVar("T")
Result = TypeVar("Result")

#: A page on which a larger share of the records lacks a promised field has drifted; fewer records
#: say nothing.
DRIFT_SHARE, DRIFT_RECORDS = 0.5, 4
#: Records that are read at a stretch, a millisecond of work, and at the first one: a user waits
#: for the first hit.
STEP, FIRST_STEP = 10, 3
#: Bytes of a body from which on to load it is a stretch of its own.
LONG_BODY = 100_000
#: Records that are read of a page that holds more than it was asked for: some databases always send
#: all they have.
MOST_RECORDS = 1_000
STRAYS = "the link to the next page leads to another server, and was not followed"


@dataclass(frozen=True, slots=True)
class Unread:
    """A record that could not be read: its position in the source's answer, from 1, and why."""

    position: int
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a page holds.

    Attributes:
        records: In the source's order.
        total: How many hits the source says it has, or None.
        next: The request for what follows (the next page, or the second step of two), or None.
        unread: What could not be read.
        notes: What the source says beside its records, and what is odd about the page.
        drifted: (field, share of the records that lack it) where the spec promises it, or None.
    """

    records: tuple[Record, ...] = ()
    total: int | None = None
    next: Request | None = None
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = field(default=())
    drifted: tuple[str, float] | None = None


#: Yields the records of a stretch, after each but the last one; what it returns is the result, with
#: all records.
Steps = Generator[tuple[Record, ...], None, Parsed]


class PageReading:
    """The reading of one page, in steps: iterate to the end, and `parsed` is what `parse` returns.

    Each step yields the records that were read in it; those of the last one are in `parsed` only.
    Iterating raises what `parse` raises.

    Args:
        page: What came.
        spec: The source.
        most: How many records are read; None reads all.

    Attributes:
        parsed: What the page holds, once all steps are done.
        light: Whether each step takes a few milliseconds at most. The steps of what is not light
            take as long as the weight of the body allows: they belong into a thread.
    """

    __slots__ = ("_steps", "light", "parsed")

    def __init__(self, page: Page, spec: AdapterSpec, most: int | None = None) -> None:
        self.parsed = Parsed()
        marks = marks_in(page.body)
        self.light = marks <= LIGHT_MARKS
        self._steps = _steps(replace(page, most=most, slim=marks <= MOST_ELEMENTS), spec)

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        self.parsed = yield from self._steps

    def finish(self, given_up: Callable[[], bool] = lambda: False) -> None:
        """Take all steps; those that are left when it is given up are not taken.

        Raises:
            BadAnswer, Refused: As `parse`.
        """
        try:
            for _ in self:
                if given_up():
                    return
        # let go here of the parsed body, which the traceback holds: that takes time, too
        except SourceError as error:
            error.__traceback__ = error.__context__ = error.__cause__ = None
            raise error from None


def parse(page: Page, spec: AdapterSpec) -> Parsed:
    """The records of a page.

    Raises:
        BadAnswer: The body cannot be read, or is an error message.
        Refused: The body says that the source does not want to be asked.
    """
    reading = PageReading(page, spec)
    reading.finish()
    return reading.parsed


def most_of(request: Request) -> int:
    """How many records a search reads of a page, whatever it holds."""
    return max(request.size, min(request.wanted - request.start, MOST_RECORDS))


def _steps(page: Page, spec: AdapterSpec) -> Steps:
    body = unmarked(page.body)
    if body is not page.body:
        page = replace(page, body=body)
    try:
        if spec.hook is not None:
            hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "steps", None)
            if hook is not None:
                start = page.body.strip()
                weighed(kind_of(start), start, page, spec)  # hooks have parsers of their own
                if (parsed := (yield from hook(page, spec))) is not None:
                    return parsed  # type: ignore[no-any-return]
        return (yield from body_steps(page, spec))
    except SourceError as error:  # it may quote a body that repeats our key
        error.message = without_secrets(error.message, page.request)
        error.args = (error.message,)
        raise


def body_steps(page: Page, spec: AdapterSpec) -> Steps:
    """The steps of `PageReading` without the spec's hook, for hooks to build on."""
    if page.status == 404 and spec.not_found == "empty":
        return Parsed(total=0)
    body = page.body.strip()
    if not body:
        if page.status >= 400:
            raise refusal(page, spec, f"HTTP {page.status} without a message")
        raise NotParsable(
            spec.name, "the body is empty", url=page.request.shown, advice=Unreachable.advice
        )
    kind = kind_of(body)
    shapes = [shape for shape in spec.shapes if _kind(shape) == kind]
    if not shapes and kind == "xml":  # a fragment of a page, as scripts fetch it: a table, a list
        kind, shapes = "html", [shape for shape in spec.shapes if _kind(shape) == "html"]
    if not shapes:
        raise not_expected(page, spec, body)
    root, notes = load(kind, body, page, spec)
    if len(body) >= LONG_BODY:
        yield ()
    parsed = yield from _first_that_fits(shapes, root, page, spec)
    return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed


def changed(
    reading: Generator[tuple[Record, ...], None, Result],
    change: Callable[[tuple[Record, ...]], tuple[Record, ...]],
) -> Generator[tuple[Record, ...], None, Result]:
    """The same steps, with the records of each stretch changed; what they return at the end is left
    as it is.
    """
    while True:
        try:
            records = next(reading)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield change(records)


def _kind(shape: Shape | LateShape) -> str:
    return "xml" if shape.body == "marcxml" else shape.body


def _found(found: Any) -> bool:
    return not (
        found is None
        or found is False
        or found in ("", [], {})
        or (isinstance(found, float) and math.isnan(found))
    )


def _first_that_fits(shapes: list[LateShape], root: Any, page: Page, spec: AdapterSpec) -> Steps:
    """The answer of the first shape that finds records; else of the first that knows the body at
    all.
    """
    fallback: Parsed | None = None
    fits = False
    for late in shapes:
        shape = late.shape()
        if shape.unescape is not None:  # before `when`, which may look at what was packed
            unescape(shape.unescape(root), spec.limits)
        if shape.bare:
            without_namespaces(root)
        if shape.when is not None and not _found(shape.when(root)):
            continue
        fits = True
        kind = _kind(shape)
        total = _one(shape.total, root, kind, converters.integer)
        total = page.total if total is None else total
        nodes = (shape.records.every or shape.records.find)(root)
        if isinstance(nodes, dict):
            nodes = [nodes]  # "one or many": a single hit that is not in a list
        if isinstance(nodes, list) and nodes:
            return (yield from _read(shape, nodes, total, root, page, spec))
        message = _one(shape.error, root, kind, converters.joined)
        if message:
            raise reported(message, page, spec)
        warning = _one(shape.warning, root, kind, converters.joined)
        if fallback is None and (total is not None or warning or _knows(shape, root, nodes)):
            notes: tuple[str, ...] = (warning,) if warning else ()
            if total is not None and total > page.request.start:
                notes += (f"the source says that it has {total:,} hits but sent none of them",)
            fallback = Parsed(total=total, notes=notes)
    if (
        fallback is None
        and shapes[0].body == "html"
        and (wall := blocked(page, spec, page.body)) is not None
    ):
        raise wall  # where web pages are read, a human check is one, too
    if page.status >= 400:
        raise refusal(page, spec, f"HTTP {page.status}")
    if fallback is None:
        start = page.body[:80].decode("utf-8", "replace")
        what = f" ({root.tag.rpartition('}')[2]})" if _kind(shapes[0]) == "xml" else ""
        reason = "neither records nor a count are in it" if fits else "it does not describe works"
        raise NotParsable(spec.name, reason + what, url=page.request.shown, body_start=start)
    return fallback


def _one(
    select: Selector | None, root: Any, kind: str, read: Callable[[Any], T | None]
) -> T | None:
    """What a selector of the envelope finds, read; None where there is none, or where it is nested
    to death.
    """
    if select is None:
        return None
    try:
        return read(as_strings(select(root), kind))
    except RecursionError:  # the records beside it are read all the same
        return None


def _knows(shape: Shape, root: Any, nodes: Any) -> bool:
    """Whether a body without records is one of this shape: an empty answer, and not something else
    altogether.
    """
    if shape.body != "json":
        return shape.when is not None and shape.total is None
    if isinstance(root, list):
        return not root
    return isinstance(nodes, list) and not isinstance(
        shape.records({}), list
    )  # the list is the body's own


def in_stretches(
    nodes: Sequence[Any], start: int, make: Callable[[Any, int], Record | str]
) -> Generator[tuple[Record, ...], None, tuple[tuple[Record, ...], tuple[Unread, ...]]]:
    """The records of some nodes, a stretch at a time; what it returns is all of them, and what
    could not be read.

    Args:
        nodes: In the source's order.
        start: Position of the first, from 0.
        make: Node and position, from 1 -> its record, or why there is none.
    """
    records: list[Record] = []
    unread: list[Unread] = []
    given = 0
    for number, node in enumerate(nodes):
        if number % STEP == FIRST_STEP:
            yield tuple(records[given:])
            given = len(records)
        position = start + number + 1
        try:
            record = make(node, position)
        except Exception as exc:  # whatever an odd record provokes must not cost its neighbours
            unread.append(Unread(position, f"{type(exc).__name__}: {exc}"[:200]))
            continue
        if isinstance(record, Record):
            records.append(record)
        else:
            unread.append(Unread(position, record))
    return tuple(records), tuple(unread)


def _read(
    shape: Shape, nodes: list[Any], total: int | None, root: Any, page: Page, spec: AdapterSpec
) -> Steps:
    request, sent = page.request, len(nodes)
    if page.most is not None and sent > page.most:
        nodes = nodes[: page.most]
    read = record_of if page.slim else record_in_proportion
    cuts = Cuts()
    made = in_stretches(
        nodes, request.start, lambda node, position: read(shape, node, position, spec, cuts)
    )
    records, unread = yield from made
    kind = _kind(shape)
    cursor = _one(shape.next, root, kind, first)
    warning = _one(shape.warning, root, kind, converters.joined)
    strays = spec.paging.kind == "link" and cursor and followed(request, cursor) is None
    return Parsed(
        records=records,
        total=total,
        next=next_request(spec, request, got=len(nodes), total=total, cursor=cursor),
        unread=unread,
        notes=(
            *filter(None, (warning, STRAYS if strays else "", _surplus(sent, len(nodes), request))),
            *cuts.notes(),
        ),
        drifted=_drift(shape, records, len(nodes)),
    )


def _surplus(sent: int, read: int, request: Request) -> str:
    """The note on records that were sent and not read; "" where the search would have left them
    out anyway.
    """
    if read == sent or sent <= MOST_RECORDS:
        return ""
    return (
        f"it sent {sent:,} records where {request.size:,} were asked for; the first {read:,} "
        f"were read"
    )


def _drift(shape: Shape, records: Sequence[Record], nodes: int) -> tuple[str, float] | None:
    if nodes < DRIFT_RECORDS:
        return None
    for name in shape.promises:
        share = 1 - sum(1 for record in records if getattr(record, name)) / nodes
        if share > DRIFT_SHARE:
            return (name, share)
    return None
