"""Bytes -> a tree: which kind a body is of, and what must be done so that its library reads it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from html.entities import html5
from typing import Any

import orjson

from metasearch.adapters.fetch.challenge import challenge
from metasearch.adapters.parse.charset import UTF_8_MARK, declared, decoded
from metasearch.adapters.parse.weight import (
    LIGHT_BYTES,
    MOST_ATTRIBUTES,
    SMALL,
    estimated_marks,
    is_overloaded,
    may_be_too_much,
    too_much,
    weight_of,
)
from metasearch.adapters.request import Page
from metasearch.adapters.select.html import parse_html
from metasearch.adapters.select.xml import BROKEN_OFF, parse_xml
from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.errors import Blocked, NotParsable, TooLarge, Unreachable

#: Bytes at the end of a page in which it is closed: comments and scripts may follow.
END_OF_PAGE = 10_000
#: Elements that a piece of a page must close, as rows and cells need not.
_CONTAINERS = ("table", "div", "ul", "ol", "section", "article")
UNCLOSED = "the piece of a page that came is not closed: it may have been cut short"


def kind_of(body: bytes) -> str:
    """ "json", "xml", "html" or "text"; the body begins with no white space."""
    kind = "json" if body[:1] in b"{[" else "xml" if body[:1] == b"<" else "text"
    if (kind == "xml" and _is_html(body)) or (kind == "text" and b"<html" in body[:2000].lower()):
        return "html"
    return kind


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


def marks_in(body: bytes) -> int:
    """How much a body may hold, to decide where it is read: an estimate that takes 0.1 ms, 0 for
    what is small.

    What is larger than anything light counts as one mark a byte.
    """
    if len(body) <= SMALL:
        return 0
    if len(body) > LIGHT_BYTES:
        return len(body)
    body = body.removeprefix(UTF_8_MARK).strip()
    return estimated_marks(kind_of(body), body)


def weighed(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> None:
    """Refuses a body that is out of proportion, before anything is made of it.

    Raises:
        TooLarge: What is read from it would take too much memory, and time.
        NotParsable: It has what takes its parser quadratic time.
    """
    if may_be_too_much(body, spec.limits) and too_much(
        weight := weight_of(kind, body), spec.limits
    ):
        reason = (
            f"the answer holds too much to be read: {weight.marks:,} {weight.what} in "
            f"{len(body):,} bytes"
        )
        raise TooLarge(spec.name, spec.limits.max_bytes, url=page.request.shown, reason=reason)
    if kind == "html" and len(body) > SMALL and is_overloaded(body):
        reason = f"one of its elements has more than {MOST_ATTRIBUTES} attributes"
        raise NotParsable(spec.name, reason, url=page.request.shown)


def load(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> tuple[Any, list[str]]:
    """The body as its library returns it, and what had to be done for that.

    Raises:
        NotParsable: It is not well-formed, cut short, or nested too deeply.
        TooLarge: It holds too much.
        Blocked: It is a human check.
    """
    weighed(kind, body, page, spec)
    url, start = page.request.shown, body[:80].decode("utf-8", "replace")
    try:
        if kind == "json":
            return _load_json(body, page.content_type)
        if kind == "html":
            if (
                page.status < 400
                and _is_html(body)
                and b"</html>" not in body[-END_OF_PAGE:].lower()
            ):
                raise ValueError(BROKEN_OFF)
            return parse_html(body), [] if _is_html(body) or _is_closed(body) else [UNCLOSED]
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
        if kind != "json" and (wall := challenge(body, page.content_type)) is not None:
            raise Blocked(
                spec.name, f"a human check came instead of an answer ({wall})", url=url
            ) from exc
        advice = Unreachable.advice if BROKEN_OFF in str(exc) else None
        raise NotParsable(spec.name, str(exc), url=url, body_start=start, advice=advice) from exc
    except RecursionError as exc:
        raise NotParsable(spec.name, "nested too deeply", url=url, body_start=start) from exc


def _load_json(body: bytes, content_type: str) -> tuple[Any, list[str]]:
    heavy = len(body) > 3 * AT_ONCE and weight_of("json", body).marks > AT_ONCE
    try:
        return (_in_python(body.decode()) if heavy else orjson.loads(body)), []
    except ValueError as exc:
        # orjson is strict about UTF-8, NaN and lone surrogates; real databases are not.
        text, note = decoded(body, [declared(content_type)])
        try:
            value = _in_python(text, lenient=True)
        except ValueError:
            lines = _json_lines(body)
            if lines is None:
                ends = body[-1:] not in b"]}" if heavy else str(exc).startswith(_JSON_ENDS)
                raise ValueError(f"not JSON: {BROKEN_OFF if ends else exc}") from exc
            return lines, []
        if note is None and declared(content_type) in ("", "utf-8"):
            note = (
                "the answer is not strict JSON (NaN, endless numbers or control characters); "
                "it was read leniently"
            )
        return value, [note] if note else []


#: Values in a body that orjson may read at one go: it keeps the interpreter to itself for up to 0.2
#: us each, and where there are more in fewer than three bytes each, less.
AT_ONCE = 100_000
#: Lines of a body that are tried as JSON, one by one.
_MOST_LINES = 100_000
#: Digits beyond which a whole number is no number that a double can hold, and takes Python
#: quadratic time to read.
_LONGEST_NUMBER = 300
#: Whole numbers that orjson keeps as such.
_WHOLE = range(-(2**63), 2**64)
#: How halves of a character begin where they are escaped, as other characters do, too.
_SURROGATES = ("\\ud", "\\uD")


def _in_python(text: str, *, lenient: bool = False) -> Any:
    """A JSON text as orjson would give it; other threads get their turn at each object and number.

    Args:
        text: Of the body.
        lenient: Whether NaN, endless numbers and control characters may be in it.

    Raises:
        ValueError: It is not JSON.
    """
    value = json.loads(
        text,
        object_pairs_hook=_object,
        parse_int=_whole if lenient else _strictly(_whole),
        parse_float=_finite if lenient else _strictly(_finite),
        parse_constant=_no_number if lenient else _strictly(_no_number),
        strict=not lenient,
    )
    return _legal(value) if any(sign in text for sign in _SURROGATES) else value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(
        members
    )  # a function of Python's own, unlike `dict`, lets other threads have a turn


def _whole(digits: str) -> float | None:
    number = int(digits) if len(digits) <= _LONGEST_NUMBER else None
    return number if number is None or number in _WHOLE else float(number)


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _no_number(_: str) -> None:
    return None


def _strictly(read: Callable[[str], float | None]) -> Callable[[str], float]:
    def strict(digits: str) -> float:
        number = read(digits)
        if number is None:
            raise ValueError(f"{digits[:20]} is no number")
        return number

    return strict


def _legal(value: Any) -> Any:
    """The same without lone surrogates, which no text may hold; edited in place, not by
    recursion.
    """
    whole = [value]
    parts: list[Any] = [whole]
    while parts:
        part = parts.pop()
        for key, inner in list(part.items() if isinstance(part, dict) else enumerate(part)):
            if isinstance(inner, str):
                part[key] = inner.encode("utf-8", "replace").decode()
            elif isinstance(inner, (dict, list)):
                parts.append(inner)
        if isinstance(part, dict) and any(not key.isprintable() for key in part):
            members = {
                key.encode("utf-8", "replace").decode(): inner for key, inner in part.items()
            }
            part.clear()
            part.update(members)
    return whole[0]


def _json_lines(body: bytes) -> list[Any] | None:
    """One JSON object a line, as dumps have it; None where any line is something else."""
    if body.count(b"\n") > _MOST_LINES:
        return None
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
    """HTML's `&ouml;` as `&#246;`: a DTD that would define it is never loaded. Entities of the
    body's own stay.
    """
    if b"<!ENTITY" in body:
        return body

    def number(match: re.Match[bytes]) -> bytes:
        character = html5.get(f"{match[1].decode()};") if match[1] not in _XML_NAMES else None
        return b"".join(b"&#%d;" % ord(c) for c in character) if character else match[0]

    return _NAMED.sub(number, body)


def _legal_xml(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The body with what XML forbids taken out, the same where that changes nothing; and what was
    done.
    """
    named = _named_characters(body)
    named_encoding = _XML_ENCODING.match(named[:200])
    text, note = decoded(
        named, [named_encoding[1].decode() if named_encoding else "", declared(content_type)]
    )
    legal = _ILLEGAL.sub("", text)
    if legal.startswith("<?xml"):
        legal = legal.partition("?>")[2]
    encoded = legal.encode("utf-8", "replace")
    return encoded, note or "the answer held characters that are not legal; they were replaced"


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
