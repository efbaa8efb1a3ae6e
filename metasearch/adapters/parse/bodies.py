"""Bytes -> a tree: which kind a body is of, and what must be done so that its library reads it."""

from __future__ import annotations

import codecs
import re
from typing import Any

import orjson

from metasearch.adapters.parse.charset import declared, decoded, legal_xml, named_characters
from metasearch.adapters.parse.json_text import in_python, json_lines
from metasearch.adapters.parse.refusals import blocked, unreadable
from metasearch.adapters.parse.weight import (
    LIGHT_BYTES,
    MOST_ATTRIBUTES,
    SMALL,
    estimated_marks,
    is_light,
    is_overloaded,
    may_be_too_much,
    too_much,
    weight_of,
)
from metasearch.adapters.request import Page
from metasearch.adapters.select.html import parse_html
from metasearch.adapters.select.xml import BROKEN_OFF, parse_xml
from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.errors import NotParsable, TooLarge, Unreachable
from metasearch.late_pattern import late_pattern
from metasearch.message import message

#: Values in a body that orjson may read at one go: it keeps the interpreter to itself for up to 0.2
#: us each, and where there are more in fewer than three bytes each, less.
AT_ONCE = 100_000
#: How orjson's message begins where a body is cut short.
_JSON_ENDS = "unexpected end of data"
#: Bytes at the end of a page in which it is closed: comments and scripts may follow.
END_OF_PAGE = 10_000
#: Elements that a piece of a page must close, as rows and cells need not.
_CONTAINERS = ("table", "div", "ul", "ol", "section", "article")
UNCLOSED = message("the answer is a part of a web page that is not closed: it may be cut short")

_UTF_8_MARKS = re.compile(rb"(?:\xef\xbb\xbf)++")
# The longer first: UTF-32's mark begins as UTF-16's does.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = late_pattern(r"\s*<\?xml[^<>]*\?>")


def unmarked(body: bytes) -> bytes:
    """The body without byte order marks; UTF-16 and UTF-32 become UTF-8. The same object where
    there is no mark.

    An XML declaration of such a body goes too, for the encoding that it names is no longer true.
    """
    if (marked := _UTF_8_MARKS.match(body)) is not None:
        body = body[marked.end() :]
    for mark, name in _MARKS:
        if body.startswith(mark):
            text = body.decode(name, "replace").lstrip("\ufeff")
            return (
                _DECLARATION.sub("", text, count=1).encode()
                if _DECLARATION.match(text)
                else text.encode()
            )
    return body


def kind_of(body: bytes) -> str:
    """ "json", "xml", "html" or "text"; the body begins with no white space."""
    if body[:1] in b"{[":
        return "json"
    if body[:1] == b"<":
        return "html" if _is_html(body) else "xml"
    return "html" if b"<html" in body[:2000].lower() else "text"


def _is_html(body: bytes) -> bool:
    start = _PROLOG.sub(b"", body[:1000]).lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html")) or (
        b"<html" in start and b"<?xml" not in start[:5]
    )


def _is_closed(piece: bytes) -> bool:
    """Whether a piece of a page, as scripts fetch it, has its end."""
    lower = piece.lower()
    return all(
        lower.count(f"<{name}".encode()) <= lower.count(f"</{name}>".encode())
        for name in _CONTAINERS
    )


_PROLOG = re.compile(rb"\A<\?xml[^<>]*\?>")


def marks_in(body: bytes) -> tuple[int, bool]:
    """How much a body may hold, and whether that is light, to decide where it is read: an estimate
    that takes 0.1 ms, 0 for what is small.

    What is larger than anything light counts as one mark a byte.
    """
    if len(body) <= SMALL:
        return 0, True
    if len(body) > LIGHT_BYTES:
        return len(body), False
    body = body.removeprefix(codecs.BOM_UTF8).strip()
    kind = kind_of(body)
    marks = estimated_marks(kind, body)
    return marks, is_light(kind, marks)


def weighed(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> None:
    """Refuses a body that is out of proportion, before anything is made of it. Raises TooLarge:
    what is read from it would take too much memory, and time; NotParsable: it has what takes its
    parser quadratic time.
    """
    if may_be_too_much(body, spec.limits) and too_much(
        weight := weight_of(kind, body), spec.limits
    ):
        reason = message(
            "the answer holds too much to be read: {marks} {what} in {body} bytes",
            marks=f"{weight.marks:,}",
            what=weight.what,
            body=f"{len(body):,}",
        )
        raise TooLarge(spec.name, spec.limits.max_bytes, url=page.request.shown, reason=reason)
    if kind == "html" and len(body) > SMALL and is_overloaded(body):
        reason = message(
            "one of its elements has more than {most_attributes} attributes",
            most_attributes=MOST_ATTRIBUTES,
        )
        raise NotParsable(spec.name, reason, url=page.request.shown)


def load(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> tuple[Any, list[str]]:
    """The body as its library returns it, and notes on what had to be done for that.

    Raises:
        NotParsable: It is not well-formed, cut short, or nested too deeply.
        TooLarge: It contains too much.
        Blocked: It is a human check.
    """
    weighed(kind, body, page, spec)
    try:
        if kind == "json":
            return _load_json(body, page.content_type)
        if kind == "html":
            return _load_html(body, page.status)
        return _load_xml(body, page.content_type)
    except ValueError as exc:
        wall = None if kind == "json" else blocked(page, spec, body)
        advice = Unreachable.advice if BROKEN_OFF in str(exc) else None
        first = exc.args[0] if len(exc.args) == 1 else None  # str() of it would be no message
        reason = first if isinstance(first, str) else str(exc)
        raise wall or unreadable(page, spec, body, reason, advice) from exc
    except RecursionError as exc:
        raise unreadable(page, spec, body, message("nested too deeply")) from exc


def _load_html(body: bytes, status: int) -> tuple[Any, list[str]]:
    whole = _is_html(body)
    if whole and status < 400 and b"</html>" not in body[-END_OF_PAGE:].lower():
        raise ValueError(BROKEN_OFF)
    return parse_html(body), [] if whole or _is_closed(body) else [UNCLOSED]


def _load_xml(body: bytes, content_type: str) -> tuple[Any, list[str]]:
    if b"<!DOCTYPE" in body[:1000]:
        body = named_characters(body)
    try:
        return parse_xml(body), []
    except ValueError:
        clean, note = legal_xml(body, content_type)
        if clean == body:
            raise
        return parse_xml(clean), [note]


def _load_json(body: bytes, content_type: str) -> tuple[Any, list[str]]:
    heavy = len(body) > 3 * AT_ONCE and weight_of("json", body).marks > AT_ONCE
    try:
        return (in_python(body.decode()) if heavy else orjson.loads(body)), []
    except ValueError as exc:
        # orjson is strict about UTF-8, NaN and lone surrogates; real databases are not.
        text, note = decoded(body, [declared(content_type)])
        try:
            value = in_python(text, lenient=True)
        except ValueError:
            lines = json_lines(body)
            if lines is None:
                ends = body[-1:] not in b"]}" if heavy else str(exc).startswith(_JSON_ENDS)
                reason = BROKEN_OFF if ends else str(exc)
                raise ValueError(message("not JSON: {reason}", reason=reason)) from exc
            return lines, []
        if note is None and declared(content_type) in ("", "utf-8"):
            note = message(
                "the answer is not strict JSON (NaN, endless numbers or control "
                "characters); it was read leniently"
            )
        return value, [note] if note else []


def unescape(elements: Any, limits: Limits) -> None:
    """Graft XML that is packed as a string into its element, as SRU's recordPacking=string does.

    Where all of it together is out of proportion, the rest stays packed, and its records cannot be
    read.
    """
    memory = 0
    for element in elements:
        text = (element.text or "").strip()
        if text.startswith("<?xml"):  # its encoding was true of a file, not of this string
            text = text.partition("?>")[2].lstrip()
        if len(element) == 0 and text.startswith("<"):
            packed = text.encode()
            weight = weight_of("xml", packed)
            memory += weight.memory
            if too_much(weight._replace(memory=memory), limits):
                return
            try:
                element.append(parse_xml(packed))
            except ValueError:
                continue  # the record stays without content and is reported as unreadable


def without_namespaces(root: Any) -> None:
    """Take the namespaces off all elements."""
    for element in root.iter("{*}*"):
        if element.tag.startswith("{"):
            element.tag = element.tag.rpartition("}")[2]
