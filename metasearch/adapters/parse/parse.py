"""Page + spec -> records: which shape the body has, where its records are, and what each holds.

Pure: no event loop, no network. One unreadable record does not spoil its page: it is counted and
reported, and the other records are kept. A long page takes many milliseconds: a caller with
other work may read it in steps (`PageReading`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from metasearch.adapters.parse.bodies import (
    MOST_ELEMENTS,
    check_weight,
    holds_too_much,
    kind_of,
    load,
    marks_in,
    unescape,
    without_bom,
    without_namespaces,
)
from metasearch.adapters.parse.refusals import (
    NAMELESS,
    empty,
    error_of_text,
    refusal,
    without_records,
    wrong_kind,
)
from metasearch.adapters.request import LOOKUP, Page, Request, without_secrets
from metasearch.adapters.select import TEXTS
from metasearch.adapters.select.marc import CutRecord, MarcText
from metasearch.adapters.select.xml import XmlRecord
from metasearch.adapters.spec import (
    AdapterSpec,
    Attempt,
    FieldRule,
    LateShape,
    Selector,
    Shape,
    whole,
)
from metasearch.adapters.translate.plan import follow_link, next_request
from metasearch.bib import numbering, trials
from metasearch.bib import texts as markup
from metasearch.bib.converters import of_one_text
from metasearch.bib.field_limits import SHORT, Cuts, cut_fields, cut_value
from metasearch.bib.marc import MarcRecord
from metasearch.bib.texts import first
from metasearch.errors import SourceError
from metasearch.message import message
from metasearch.record import Record, new_record

if TYPE_CHECKING:
    from metasearch.adapters.parse.cut_pages import CutPage


# The nodes of records -> `Record`s. Reading fields is most of the cost of a record, and half of a
# spec's selectors find nothing in any one record. So all that a rule needs is computed once, when
# the spec is loaded: the names without which a selector finds nothing (its compiler knows them).

Result = TypeVar("Result")

#: A page on which a larger share of the records lacks a promised field has drifted; fewer records
#: are too few to judge.
DRIFT_SHARE, DRIFT_RECORDS = 0.5, 4
#: Records that are read in one step: few, because somebody waits for the first hit. Whoever takes
#: the steps decides how many of them follow one another.
STEP = 4


@dataclass(frozen=True, slots=True)
class Unread:
    """A record that could not be read: its position in the source's answer, from 1, and why."""

    position: int
    reason: str


def attempts(rules: Sequence[FieldRule], body: str) -> list[Attempt]:
    """The attempts at one field, for its rules and this kind of body.

    The value of the first attempt that finds something is taken.
    """
    return [_attempt(select, rule, body) for rule in rules for select in rule.selectors]


def _attempt(select: Selector, rule: FieldRule, body: str) -> Attempt:
    if select.find is whole:
        return Attempt(rule.field, None, select.needs, None, None, rule.convert)
    if (value := rule.value_for_all(select)) is not None:
        return Attempt(rule.field, None, None, None, None, lambda *_: value)
    texts = None if rule.nodes else TEXTS.get(body)
    one = of_one_text(rule.convert)
    return Attempt(rule.field, select.name, select.needs, select.find, texts, rule.convert, one)


#: Of these there is never too much.
_NUMBERS = frozenset((int, float, bool))


def read_fields(
    attempts: Iterable[Attempt], source: Any, there: Mapping[str, Any], cuts: Cuts
) -> dict[str, Any]:
    """Field -> its value, for the fields in which something was found. `attempts`: those of one
    field behind one another, in the order in which they are made.
    """
    values: dict[str, Any] = {}
    lacks = there.keys().isdisjoint
    for field, name, needs, find, texts, convert, one in attempts:
        if name is not None:
            found = there.get(name)
            if found is None or field in values:
                continue
        elif (needs is not None and lacks(needs)) or field in values:
            continue
        elif find is None:
            value = convert(source, cuts)  # it selects for itself, and so bounds what it finds
            if value or value == 0:
                values[field] = value
            continue
        else:
            found = find(source)
            if not found and _is_nothing(found):
                continue
        if texts is not None:
            found = texts(found)
        # Nearly all that is found is one short text, which needs no closer look.
        if type(found) is list and len(found) == 1 and type(found[0]) is str:
            if len(found[0]) >= SHORT:
                found = cut_value(field, found, cuts)
            if one:
                found = found[0]
        elif len(found) > SHORT if type(found) is str else type(found) not in _NUMBERS:
            found = cut_value(field, found, cuts)
        value = convert(found)
        if value or value == 0:
            if (
                field in markup.FIELDS_OF_NOTHING
                and type(value) is str
                and len(value) <= markup.LONGEST_NOTHING
                and markup.says_nothing(field, value)
            ):
                continue
            values[field] = value
    return values


def _is_nothing(selected: Any) -> bool:
    """Whether a selector found nothing; 0 and False are something."""
    return selected is None or selected == [] or selected == ""


def record_of(
    shape: Shape, node: Any, position: int, spec: AdapterSpec, cuts: Cuts
) -> Record | str:
    """The record of a node, or why there is none; cut values are counted in `cuts`."""
    read, is_json = shape.reader.read, shape.body == "json"
    if is_json and not isinstance(node, dict):
        return f"not an object but {type(node).__name__}"
    source = node if is_json else view(node, shape.body)
    if read is not None and (not is_json or type(node) is dict):
        record: Record | str = read(source, position, spec.name, cuts)
        return record
    there = _there(source, shape.body)
    of_fields: Iterable[Attempt] = shape.attempts
    of_ids: Iterable[Attempt] = shape.id_attempts
    if shape.by_tag is not None:
        of_fields, of_ids = shape.by_tag(there)
    values = read_fields(of_fields, source, there, cuts)
    ids = read_fields(of_ids, source, there, cuts)
    if not all(ids.values()):
        ids = {scheme: value for scheme, value in ids.items() if value}
    ids = trials.of_record(ids, values.get("title"), values.get("abstract"))
    named = values.get("title") or values.get("doi") or ids or values.get("source_id")
    if not named:
        return NAMELESS
    if "year" not in values and "date" in values:
        values["year"] = int(values["date"][:4])
    values["ids"] = ids
    return new_record(source=spec.name, position=position, **cut_fields(values, cuts))


def record_in_proportion(
    shape: Shape, node: Any, position: int, spec: AdapterSpec, cuts: Cuts
) -> Record | str:
    """As `record_of`, but a record that is larger than any real one is refused: each selector would
    go through all of it.
    """
    if holds_too_much(node):
        return "it holds too much for a record of one work"
    return record_of(shape, node, position, spec, cuts)


def view(node: Any, body: str) -> Any:
    """A record's node as the selectors of fields see it."""
    if body == "json":
        return node
    if body == "xml":
        return XmlRecord(node)
    if body == "marcxml":
        if isinstance(node, MarcRecord):
            return node
        return MarcText(*node) if type(node) is CutRecord else MarcRecord(node)
    return node


def _there(source: Any, body: str) -> Mapping[str, Any]:
    """What is found in a record by names alone."""
    if body == "json":
        return source  # type: ignore[no-any-return]
    if body == "xml":
        return source.children  # type: ignore[no-any-return]
    return source.there if body == "marcxml" else {}


def in_stretches(
    nodes: Sequence[Any], start: int, make: Callable[[Any, int], Record | str]
) -> Generator[tuple[Record, ...], None, tuple[tuple[Record, ...], tuple[Unread, ...]]]:
    """The records of some nodes, a step at a time; what it returns is all of them, and what could
    not be read.

    `start`: position of the first, from 0. `make`: node and position, from 1 -> its record, or why
    there is none.
    """
    records: list[Record] = []
    unread: list[Unread] = []
    given = 0
    for number, node in enumerate(nodes):
        if number and number % STEP == 0:
            yield tuple(records[given:])
            given = len(records)
        position = start + number + 1
        try:
            record = make(node, position)
        except Exception as exc:  # an odd record may raise anything, and the others must be kept
            unread.append(Unread(position, f"{type(exc).__name__}: {exc}"[:200]))
            continue
        if isinstance(record, Record):
            records.append(record)
        else:
            unread.append(Unread(position, record))
    return tuple(records), tuple(unread)


def map_records(
    reading: Generator[tuple[Record, ...], None, Result],
    change: Callable[[tuple[Record, ...]], tuple[Record, ...]],
) -> Generator[tuple[Record, ...], None, Result]:
    """The same steps and result, with the records of each stretch changed."""
    while True:
        try:
            records = next(reading)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield change(records)


def drift(shape: Shape, records: Sequence[Record], nodes: int) -> tuple[str, float] | None:
    if nodes < DRIFT_RECORDS:
        return None
    for name in shape.promises:
        share = 1 - sum(1 for record in records if getattr(record, name)) / nodes
        if share > DRIFT_SHARE:
            return (name, share)
    return None


# The reading of a page, in steps.

T = TypeVar("T")

#: Bytes of a body from which on to load it is a stretch of its own.
LONG_BODY = 100_000
#: Records that are read of a page that holds more than it was asked for: some databases always send
#: all they have.
MOST_RECORDS = 1_000
STRAYS = message("the link to the next page leads to another server, and was not followed")


@dataclass(frozen=True, slots=True)
class PageContent:
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
    notes: tuple[str, ...] = ()
    drifted: tuple[str, float] | None = None
    left_out: bool = False


#: Yields the records of a stretch, after each but the last one; what it returns is the result, with
#: all records.
Steps = Generator[tuple[Record, ...], None, PageContent]


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
        self.parsed = PageContent()
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


def parse(page: Page, spec: AdapterSpec) -> PageContent:
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
    body = without_bom(page.body)
    if body is not page.body:
        page = replace(page, body=body)
    try:
        if spec.hook is not None:
            hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "steps", None)
            if hook is not None:
                start = page.body.strip()
                check_weight(kind_of(start), start, page, spec)  # hooks have parsers of their own
                if (parsed := (yield from hook(page, spec))) is not None:
                    return parsed  # type: ignore[no-any-return]
        return (yield from body_steps(page, spec))
    except SourceError as error:  # it may quote a body that repeats our key
        error.message = without_secrets(error.message, page.request)
        error.args = (error.message,)
        raise


def body_steps(page: Page, spec: AdapterSpec) -> Steps:
    """The steps of `PageReading` without the spec's hook, for hooks to build on."""
    is_lookup = page.request.step == LOOKUP
    if page.status == 404 and (spec.not_found == "empty" or is_lookup):
        return PageContent(total=0)
    body = page.body.strip()
    nothing = spec.lookup_nothing.encode() if is_lookup and page.status >= 400 else b""
    if nothing and nothing in body[:1_000]:
        return PageContent(total=0)
    if not body:
        raise empty(page, spec)
    kind = kind_of(body)
    shapes = [shape for shape in spec.shapes if _kind(shape) == kind]
    if not shapes and kind == "xml":  # a fragment of a page, as scripts fetch it: a table, a list
        kind, shapes = "html", [shape for shape in spec.shapes if _kind(shape) == "html"]
    if not shapes:
        raise wrong_kind(page, spec, body)
    if kind == "xml" and page.slim and any(late.body == "marcxml" for late in shapes):
        from metasearch.adapters.parse.cut_pages import cut_page  # and lxml with it

        check_weight(kind, body, page, spec)
        if (cut := cut_page(body, shapes)) is not None:
            return (yield from _cut(cut, page, spec))
    root, notes = load(kind, body, page, spec)
    if len(body) >= LONG_BODY:
        yield ()
    parsed = yield from _first_that_fits(shapes, root, page, spec)
    return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed


def _cut(cut: CutPage, page: Page, spec: AdapterSpec) -> Steps:
    total = _one(cut.shape.total, cut.root, "xml", numbering.integer)
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
    fallback: PageContent | None = None
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
        total = _one(shape.total, root, kind, numbering.integer)
        total = page.total if total is None else total
        nodes = (shape.records.every or shape.records.find)(root)
        if isinstance(nodes, dict):
            nodes = [nodes]  # "one or many": a single hit that is not in a list
        if isinstance(nodes, list) and nodes:
            return (yield from _read(shape, nodes, total, root, page, spec))
        error = _one(shape.error, root, kind, markup.joined)
        if error:
            raise error_of_text(error, page, spec)
        warning = _one(shape.warning, root, kind, markup.joined)
        known = total is not None or warning or _knows(shape, root, nodes)
        if fallback is None and known:
            notes: tuple[str, ...] = (warning,) if warning else ()
            if total is not None and total > page.request.start:
                notes += (
                    message(
                        "the source reports {total} hits but sent none of them", total=f"{total:,}"
                    ),
                )
            fallback = PageContent(total=total, notes=notes)
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
        return all(entry is None for entry in root)
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
    reader = shape.reader
    if shape.body != "html" and reader.left > 0:
        reader.left -= len(nodes)
        if reader.left <= 0:  # it takes milliseconds, for which the first hits do not wait
            from metasearch.adapters.parse.compiler import compile_reader

            reader.read = compile_reader(shape)
    kind = _kind(shape)
    cursor = _one(shape.next, root, kind, first)
    warning = _one(shape.warning, root, kind, markup.joined)
    strays = spec.paging.kind == "link" and cursor and follow_link(request, cursor) is None
    return PageContent(
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


def json_steps(page: Page, spec: AdapterSpec, change: Callable[[Any], None]) -> Steps:
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
