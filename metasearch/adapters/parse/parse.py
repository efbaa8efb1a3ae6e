"""Page + spec -> records: which shape the body has, where its records are, and what each holds.

Pure: no event loop, no network. One unreadable record does not spoil its page: it is counted and
reported, and the other records are kept. A long page takes many milliseconds: a caller with
other work may read it in steps (`PageReading`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from metasearch.adapters.parse.bodies import (
    MOST_ELEMENTS,
    kind_of,
    load,
    marks_in,
    unescape,
    unmarked,
    weighed,
    without_namespaces,
)
from metasearch.adapters.parse.records import (
    Unread,
    drift,
    in_stretches,
    record_in_proportion,
    record_of,
)
from metasearch.adapters.parse.refusals import (
    empty,
    not_expected,
    refusal,
    reported,
    without_records,
)
from metasearch.adapters.request import Page, Request, without_secrets
from metasearch.adapters.select import TEXTS
from metasearch.adapters.spec import AdapterSpec, LateShape, Selector, Shape
from metasearch.adapters.translate.plan import followed, next_request
from metasearch.bib import converters
from metasearch.bib.field_limits import Cuts
from metasearch.bib.texts import first
from metasearch.errors import SourceError
from metasearch.message import message
from metasearch.record import Record

if TYPE_CHECKING:
    from metasearch.adapters.parse.cut_pages import CutPage


T = TypeVar("T")

#: Bytes of a body from which on to load it is a stretch of its own.
LONG_BODY = 100_000
#: Records that are read of a page that holds more than it was asked for: some databases always send
#: all they have.
MOST_RECORDS = 1_000
STRAYS = message("the link to the next page leads to another server, and was not followed")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a page holds.

    Attributes:
        total: How many hits the source reports, or None.
        next: The request for what follows (the next page, or the second step of two), or None.
        unread: What could not be read.
        notes: Messages of the source beside its records, and what is odd about the page.
        drifted: (field, share of the records that lack it) where the spec promises it, or None.
        left_out: Whether the source says that it has left out a part of the query.
    """

    records: tuple[Record, ...] = ()
    total: int | None = None
    next: Request | None = None
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = field(default=())
    drifted: tuple[str, float] | None = None
    left_out: bool = False


#: Yields the records of a stretch, after each but the last one; what it returns is the result, with
#: all records.
Steps = Generator[tuple[Record, ...], None, Parsed]


class PageReading:
    """The reading of one page, in steps: iterate to the end, and `parsed` is what `parse` returns.

    Each step yields the records that were read in it; those of the last one are in `parsed` only.
    Iterating raises what `parse` raises. `most`: how many records are read; None reads all.
    `parsed`: what the page holds, once all steps are done. `light`: whether each step takes a few
    milliseconds at most. The steps of what is not light take as long as the weight of the body
    allows: they belong into a thread.
    """

    __slots__ = ("_steps", "light", "parsed")

    def __init__(self, page: Page, spec: AdapterSpec, most: int | None = None) -> None:
        self.parsed = Parsed()
        marks, self.light = marks_in(page.body)
        self._steps = _steps(replace(page, most=most, slim=marks <= MOST_ELEMENTS), spec)

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        self.parsed = yield from self._steps

    def finish(self, given_up: Callable[[], bool] = lambda: False) -> None:
        """Takes all steps, or stops after the first step that is followed by `given_up()`. Raises
        BadAnswer, Refused: as `parse`.
        """
        try:
            for _ in self:
                if given_up():
                    return
        # The traceback holds the parsed body. To free the body takes time, so it is freed here.
        except SourceError as error:
            error.__traceback__ = error.__context__ = error.__cause__ = None
            raise error from None


def parse(page: Page, spec: AdapterSpec) -> Parsed:
    """The records of a page. Raises BadAnswer: the body cannot be read, or is an error message;
    Refused: the body reports that the source refuses to be asked.
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
        raise empty(page, spec)
    kind = kind_of(body)
    shapes = [shape for shape in spec.shapes if _kind(shape) == kind]
    if not shapes and kind == "xml":  # a fragment of a page, as scripts fetch it: a table, a list
        kind, shapes = "html", [shape for shape in spec.shapes if _kind(shape) == "html"]
    if not shapes:
        raise not_expected(page, spec, body)
    if kind == "xml" and page.slim:
        from metasearch.adapters.parse.cut_pages import cut_page  # and lxml with it

        weighed(kind, body, page, spec)
        if (cut := cut_page(body, shapes)) is not None:
            return (yield from _cut(cut, page, spec))
    root, notes = load(kind, body, page, spec)
    if len(body) >= LONG_BODY:
        yield ()
    parsed = yield from _first_that_fits(shapes, root, page, spec)
    return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed


def _cut(cut: CutPage, page: Page, spec: AdapterSpec) -> Steps:
    total = _one(cut.shape.total, cut.root, "xml", converters.integer)
    total = page.total if total is None else total
    return (yield from _read(cut.shape, cut.nodes, total, cut.root, page, spec))


def _kind(shape: Shape | LateShape) -> str:
    return "xml" if shape.body == "marcxml" else shape.body


def _is_there(selected: Any) -> bool:
    """Whether a selector found something; the number 0 counts."""
    if selected is None or selected is False or selected in ("", [], {}):
        return False
    return not (isinstance(selected, float) and math.isnan(selected))


def _first_that_fits(shapes: list[LateShape], root: Any, page: Page, spec: AdapterSpec) -> Steps:
    """The answer of the first shape that finds records, else of the first that knows the body."""
    fallback: Parsed | None = None
    fits = False
    for late in shapes:
        shape = late.ready or late.shape()
        if shape.unescape is not None:  # before `when`, which may look at what was packed
            unescape(shape.unescape.find(root), spec.limits)
        if shape.bare:
            without_namespaces(root)
        if shape.when is not None and not _is_there(shape.when.find(root)):
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
        error = _one(shape.error, root, kind, converters.joined)
        if error:
            raise reported(error, page, spec)
        warning = _one(shape.warning, root, kind, converters.joined)
        known = total is not None or warning or _knows(shape, root, nodes)
        if fallback is None and known:
            notes: tuple[str, ...] = (warning,) if warning else ()
            if total is not None and total > page.request.start:
                notes += (
                    message(
                        "the source reports {total} hits but sent none of them", total=f"{total:,}"
                    ),
                )
            fallback = Parsed(total=total, notes=notes)
    if page.status >= 400 and fallback is not None:
        raise refusal(page, spec, message("HTTP {status}", status=page.status))
    if fallback is None:
        raise without_records(page, spec, shapes[0].body, root, fits=fits)
    return fallback


def _one(
    select: Selector | None, root: Any, kind: str, read: Callable[[Any], T | None]
) -> T | None:
    """The value that a selector of the envelope finds; None if there is no selector, or if what it
    finds is nested too deeply.
    """
    if select is None:
        return None
    texts = TEXTS.get(kind)
    try:
        selected = select.find(root)
        return read(selected if texts is None else texts(selected))
    except RecursionError:  # the records beside it are read all the same
        return None


def _knows(shape: Shape, root: Any, nodes: Any) -> bool:
    """Whether a body without records is an empty answer of this shape, and not something else."""
    if shape.body != "json":
        return shape.when is not None and shape.total is None
    if isinstance(root, list):
        return not root
    # The list must be the body's own: some selectors find an empty list in anything.
    return isinstance(nodes, list) and not isinstance(shape.records.find({}), list)


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
    if shape.body != "html" and shape.reader.becomes_worth(len(nodes)):
        from metasearch.adapters.parse.compiler import written

        shape.reader.read = written(shape)
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
        drifted=drift(shape, records, len(nodes)),
    )


def _surplus(sent: int, read: int, request: Request) -> str:
    """The note on records that were not read; "" where the search would have left them out."""
    if read == sent or sent <= MOST_RECORDS:
        return ""
    return message(
        "it sent {sent} records where {size} were asked for; the first {read} were read",
        sent=f"{sent:,}",
        size=f"{request.size:,}",
        read=f"{read:,}",
    )


# Hooks of JSON databases that write several values into one string, which is opened up first.


def opened_steps(page: Page, spec: AdapterSpec, change: Callable[[Any], None]) -> Steps:
    """The reading of a page whose JSON `change` has edited in place; of other pages as they are."""
    body = page.body.strip()
    if not body or kind_of(body) != "json":
        return (yield from body_steps(page, spec))
    answer, notes = load("json", body, page, spec)
    change(answer)
    try:
        page = replace(page, body=orjson.dumps(answer))
    except TypeError:  # nested deeper than what is written may be: it is read as it is
        notes = []
    parsed = yield from body_steps(page, spec)
    return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed
