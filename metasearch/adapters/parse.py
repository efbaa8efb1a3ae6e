"""Page + spec -> records: which shape the body has, where its records are, what each of them says.

Pure: no loop, no wire. One odd record never costs its page: what cannot be read is counted and reported, and its
neighbours are kept.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html.entities import html5
from importlib import import_module
from typing import Any, TypeVar

import orjson

from metasearch.adapters import convert
from metasearch.adapters.challenge import challenge
from metasearch.adapters.charset import declared, decoded, unmarked
from metasearch.adapters.found import first
from metasearch.adapters.plan import next_request
from metasearch.adapters.request import Page, Request, without_secrets
from metasearch.adapters.select import as_strings
from metasearch.adapters.select.html import parse_html
from metasearch.adapters.select.json import every
from metasearch.adapters.select.marc import MarcRecord
from metasearch.adapters.select.xml import BROKEN_OFF, parse_xml
from metasearch.adapters.spec import AdapterSpec, Selector, Shape
from metasearch.errors import (
    AccessDenied,
    Blocked,
    NotParsable,
    RateLimited,
    SourceError,
    SourceSaysError,
    Unreachable,
)
from metasearch.record import Record

T = TypeVar("T")

#: A plain text shorter than this is a message, not content.
SHORT_TEXT = 500
#: A page on which a larger share of the records lacks a promised field has drifted; fewer records say nothing.
DRIFT_SHARE, DRIFT_RECORDS = 0.5, 4


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


def parse(page: Page, spec: AdapterSpec) -> Parsed:
    """The records of a page.

    Raises:
        BadAnswer: The body cannot be read, or is an error message.
        Refused: The body says that the source does not want to be asked.
    """
    body = unmarked(page.body)
    if body is not page.body:
        page = replace(page, body=body)
    try:
        if spec.hook is not None:
            hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "parse", None)
            if hook is not None and (parsed := hook(page, spec)) is not None:
                return parsed  # type: ignore[no-any-return]
        return parse_body(page, spec)
    except SourceError as error:  # it may quote a body that repeats our key
        error.message = without_secrets(error.message, page.request)
        error.args = (error.message,)
        raise


def parse_body(page: Page, spec: AdapterSpec) -> Parsed:
    """`parse` without the spec's hook, for hooks to build on."""
    if page.status == 404 and spec.not_found == "empty":
        return Parsed(total=0)
    body = page.body.strip()
    if not body:
        if page.status >= 400:
            raise _refusal(page, spec, f"HTTP {page.status} without a message")
        raise NotParsable(spec.name, "the body is empty", url=page.request.shown, advice=Unreachable.advice)
    kind = "json" if body[:1] in b"{[" else "xml" if body[:1] == b"<" else "text"
    if (kind == "xml" and _is_html(body)) or (kind == "text" and b"<html" in body[:2000].lower()):
        kind = "html"
    shapes = [shape for shape in spec.shapes if ("xml" if shape.body == "marcxml" else shape.body) == kind]
    if not shapes:
        raise _not_expected(page, spec, body)
    root, notes = _load(kind, body, page, spec)
    parsed = _first_that_fits(shapes, root, page, spec)
    return parsed if not notes else _noted(parsed, notes)


def _is_html(body: bytes) -> bool:
    start = _PROLOG.sub(b"", body[:1000]).lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html")) or (b"<html" in start and b"<?xml" not in start[:5])


_PROLOG = re.compile(rb"\A<\?xml[^<>]*\?>")
_HEADING = re.compile(rb"<(?:title|h1)(?:\s[^<>]*)?>([^<]+)<", re.IGNORECASE)


def _not_expected(page: Page, spec: AdapterSpec, body: bytes) -> Exception:
    wall = challenge(body, page.content_type)
    if wall is not None:
        return Blocked(spec.name, f"a human check came instead of an answer ({wall})", url=page.request.shown)
    start = body[:80].decode("utf-8", "replace")
    if body[:1] != b"<" and len(body) < SHORT_TEXT:
        refusal = _said(body.decode("utf-8", "replace"), page, spec)
        if not isinstance(refusal, SourceSaysError):
            return refusal
    heading = _HEADING.search(body[:4000])
    title = convert.text(heading[1].decode("utf-8", "replace")) if heading else None
    if page.status >= 400:
        said = title or convert.text(body[:300].decode("utf-8", "replace")) or "an error page"
        if page.status in (401, 403, 429):
            return _said(said, page, spec)
        return _refusal(page, spec, said if said.startswith(str(page.status)) else f"HTTP {page.status}: {said}")
    expected = " or ".join(
        dict.fromkeys("XML" if shape.body == "marcxml" else shape.body.upper() for shape in spec.shapes)
    )
    if title:
        return NotParsable(spec.name, f"a web page came, {title[:100]!r}, and not {expected}", url=page.request.shown)
    return NotParsable(spec.name, f"expected {expected}", url=page.request.shown, body_start=start)


def _refusal(page: Page, spec: AdapterSpec, message: str) -> Exception:
    advice = "Check the source's `url`: there is nothing at it." if page.status == 404 else None
    return SourceSaysError(spec.name, message, url=page.request.shown, advice=advice)


# --------------------------------------------------------------------------- bodies


def _load(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> tuple[Any, list[str]]:
    """The body as its library gives it, and what had to be done for that."""
    url, start = page.request.shown, body[:80].decode("utf-8", "replace")
    try:
        if kind == "json":
            return _load_json(body, page.content_type)
        if kind == "html":
            return parse_html(body), []
        if b"<!DOCTYPE" in body[:1000]:
            body = _named_characters(body)
        try:
            return parse_xml(body), []
        except ValueError:
            clean, note = _legal_xml(body, page.content_type)
            if clean == body:
                raise
            return parse_xml(clean), [note]
    except ValueError as exc:
        if kind == "xml" and (wall := challenge(body, page.content_type)) is not None:
            raise Blocked(spec.name, f"a human check came instead of an answer ({wall})", url=url) from exc
        advice = Unreachable.advice if BROKEN_OFF in str(exc) else None
        raise NotParsable(spec.name, str(exc), url=url, body_start=start, advice=advice) from exc
    except RecursionError as exc:
        raise NotParsable(spec.name, "nested too deeply", url=url, body_start=start) from exc


def _load_json(body: bytes, content_type: str) -> tuple[Any, list[str]]:
    try:
        return orjson.loads(body), []
    except orjson.JSONDecodeError as exc:
        # orjson is strict about UTF-8, NaN and lone surrogates; real databases are not.
        text, note = decoded(body, [declared(content_type)])
        try:
            lenient = json.loads(
                text, parse_constant=lambda _: None, parse_int=_whole, parse_float=_finite, strict=False
            )
            # Written and read again, lone surrogates are gone too.
            value = orjson.loads(json.dumps(lenient, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
        except ValueError:
            lines = _json_lines(body)
            if lines is None:
                said = str(exc)
                raise ValueError(f"not JSON: {BROKEN_OFF if said.startswith(_JSON_ENDS) else said}") from exc
            return lines, []
        if note is None and declared(content_type) in ("", "utf-8"):
            note = "the answer is not strict JSON (NaN, endless numbers or control characters); it was read leniently"
        return value, [note] if note else []


#: Digits beyond which a whole number is no number that a double can hold, and takes Python quadratic time to read.
_LONGEST_NUMBER = 300


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _json_lines(body: bytes) -> list[Any] | None:
    """One JSON object a line, as dumps have it; None where any line is something else."""
    try:
        return [orjson.loads(line) for line in body.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        return None


_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)""")
#: How orjson begins to say that a body is cut short.
_JSON_ENDS = "unexpected end of data"
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_NAMES = frozenset((b"lt", b"gt", b"amp", b"quot", b"apos"))


def _named_characters(body: bytes) -> bytes:
    """HTML's `&ouml;` as `&#246;`: a DTD that would define it is never loaded. Entities of the body's own stay."""
    if b"<!ENTITY" in body:
        return body

    def number(match: re.Match[bytes]) -> bytes:
        character = html5.get(f"{match[1].decode()};") if match[1] not in _XML_NAMES else None
        return b"".join(b"&#%d;" % ord(c) for c in character) if character else match[0]

    return _NAMED.sub(number, body)


def _legal_xml(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The body with what XML forbids taken out, the same where that changes nothing; and what was done."""
    named = _named_characters(body)
    said = _XML_ENCODING.match(named[:200])
    text, note = decoded(named, [said[1].decode() if said else "", declared(content_type)])
    legal = _ILLEGAL.sub("", text)
    if legal.startswith("<?xml"):
        legal = legal.partition("?>")[2]
    encoded = legal.encode("utf-8", "replace")
    return encoded, note or "the answer held characters that are not legal; they were replaced"


# --------------------------------------------------------------------------- shapes


def _found(found: Any) -> bool:
    return not (
        found is None or found is False or found in ("", [], {}) or (isinstance(found, float) and math.isnan(found))
    )


def _first_that_fits(shapes: list[Shape], root: Any, page: Page, spec: AdapterSpec) -> Parsed:
    """The answer of the first shape that finds records; else of the first that knows the body at all."""
    fallback: Parsed | None = None
    fits = False
    for shape in shapes:
        if shape.unescape is not None:  # before `when`, which may look at what was packed
            _unescape(shape.unescape(root))
        if shape.bare:
            _without_namespaces(root)
        if shape.when is not None and not _found(shape.when(root)):
            continue
        fits = True
        kind = "xml" if shape.body == "marcxml" else shape.body
        total = _one(shape.total, root, kind, convert.integer)
        nodes = every(shape.records)(root)
        if isinstance(nodes, dict):
            nodes = [nodes]  # "one or many": a single hit that is not in a list
        if isinstance(nodes, list) and nodes:
            return _read(shape, nodes, total, root, page, spec)
        message = _one(shape.error, root, kind, convert.joined)
        if message:
            raise _said(message, page, spec)
        warning = _one(shape.warning, root, kind, convert.joined)
        if fallback is None and (total is not None or warning or _knows(shape, root, nodes)):
            notes: tuple[str, ...] = (warning,) if warning else ()
            if total is not None and total > page.request.start:
                notes += (f"the source says that it has {total:,} hits but sent none of them",)
            fallback = Parsed(total=total, notes=notes)
    if page.status >= 400:
        raise _refusal(page, spec, f"HTTP {page.status}")
    if fallback is None:
        start = page.body[:80].decode("utf-8", "replace")
        what = f" ({root.tag.rpartition('}')[2]})" if isinstance(getattr(root, "tag", None), str) else ""
        reason = "neither records nor a count are in it" if fits else "it does not describe works"
        raise NotParsable(spec.name, reason + what, url=page.request.shown, body_start=start)
    return fallback


def _one(select: Selector | None, root: Any, kind: str, read: Callable[[Any], T | None]) -> T | None:
    """What a selector of the envelope finds, read; None where there is none, or where it is nested to death."""
    if select is None:
        return None
    try:
        return read(as_strings(select(root), kind))
    except RecursionError:  # the records beside it are read all the same
        return None


def _knows(shape: Shape, root: Any, nodes: Any) -> bool:
    """Whether a body without records is one of this shape: an empty answer, and not something else altogether."""
    if shape.body != "json":
        return shape.when is not None and shape.total is None
    if isinstance(root, list):
        return not root
    return isinstance(nodes, list) and not isinstance(shape.records({}), list)  # the list is the body's own


_LIMIT_WORDS = ("rate limit", "rate exceeded", "too many requests", "throttl", "quota", "over rate")
_KEY_WORDS = ("api key", "apikey", "api_key", "unauthorized", "not authorized", "forbidden", "access denied")


def _said(message: str, page: Page, spec: AdapterSpec) -> Exception:
    """The error that a message in a body means."""
    lower, url = message.lower(), page.request.shown
    if page.status == 429 or any(word in lower for word in _LIMIT_WORDS):
        return RateLimited(spec.name, url=url)
    if page.status in (401, 403) or any(word in lower for word in _KEY_WORDS):
        return AccessDenied(spec.name, page.status, url=url, env_name=spec.key_env)
    return SourceSaysError(spec.name, f"the database says: {message[:300]}", url=url)


def _unescape(elements: Any) -> None:
    """Graft XML that is packed as a string into its element, as SRU's recordPacking=string does."""
    for element in elements:
        text = (element.text or "").strip()
        if text.startswith("<?xml"):  # its encoding was true of a file, not of this string
            text = text.partition("?>")[2].lstrip()
        if len(element) == 0 and text.startswith("<"):
            try:
                element.append(parse_xml(text.encode()))
            except ValueError:
                continue  # the record stays without content and is reported as unreadable


def _without_namespaces(root: Any) -> None:
    for element in root.iter("{*}*"):
        if element.tag.startswith("{"):
            element.tag = element.tag.rpartition("}")[2]


def _read(shape: Shape, nodes: list[Any], total: int | None, root: Any, page: Page, spec: AdapterSpec) -> Parsed:
    request = page.request
    records, unread = [], []
    for position, node in enumerate(nodes, request.start + 1):
        try:
            record = record_of(shape, node, position, spec)
        except Exception as exc:  # whatever an odd record provokes must not cost its neighbours
            unread.append(Unread(position, f"{type(exc).__name__}: {exc}"[:200]))
            continue
        if isinstance(record, Record):
            records.append(record)
        else:
            unread.append(Unread(position, record))
    kind = "xml" if shape.body == "marcxml" else shape.body
    cursor = _one(shape.next, root, kind, first)
    warning = _one(shape.warning, root, kind, convert.joined)
    return Parsed(
        records=tuple(records),
        total=total,
        next=next_request(spec, request, got=len(nodes), total=total, cursor=cursor),
        unread=tuple(unread),
        notes=(warning,) if warning else (),
        drifted=_drift(shape, records, len(nodes)),
    )


def _drift(shape: Shape, records: list[Record], nodes: int) -> tuple[str, float] | None:
    if nodes < DRIFT_RECORDS:
        return None
    for name in shape.promises:
        share = 1 - sum(1 for record in records if getattr(record, name)) / nodes
        if share > DRIFT_SHARE:
            return (name, share)
    return None


def record_of(shape: Shape, node: Any, position: int, spec: AdapterSpec) -> Record | str:
    """The record of a node, or why there is none."""
    if shape.body == "json" and not isinstance(node, dict):
        return f"not an object but {type(node).__name__}"
    source = MarcRecord(node) if shape.body == "marcxml" else node
    values: dict[str, Any] = {}
    for name, read in shape.readers:
        if name not in values:
            value = read(source)
            if value or value == 0:
                values[name] = value
    ids: dict[str, str] = {}
    for scheme, read in shape.id_readers:
        if scheme not in ids and (value := read(source)):
            ids[scheme] = value
    if not values.get("title") and not values.get("doi") and not ids and not values.get("source_id"):
        return "neither a title nor an identifier"
    if "year" not in values and "date" in values:
        values["year"] = int(values["date"][:4])
    return Record(source=spec.name, position=position, ids=ids, **values)


def _noted(parsed: Parsed, notes: list[str]) -> Parsed:
    return Parsed(parsed.records, parsed.total, parsed.next, parsed.unread, (*parsed.notes, *notes), parsed.drifted)
