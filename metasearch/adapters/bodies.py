"""Bytes -> a tree: which kind a body is of, and what must be done so that its library reads it."""

from __future__ import annotations

import json
import math
import re
from html.entities import html5
from typing import Any

import orjson

from metasearch.adapters.challenge import challenge
from metasearch.adapters.charset import declared, decoded
from metasearch.adapters.request import Page
from metasearch.adapters.select.html import parse_html
from metasearch.adapters.select.xml import BROKEN_OFF, parse_xml
from metasearch.adapters.spec import AdapterSpec
from metasearch.errors import Blocked, NotParsable, Unreachable

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
    return start.startswith((b"<!doctype html", b"<html")) or (b"<html" in start and b"<?xml" not in start[:5])


def _is_closed(piece: bytes) -> bool:
    """Whether a piece of a page, as scripts fetch it, has its end."""
    lower = piece.lower()
    return all(lower.count(f"<{name}".encode()) <= lower.count(f"</{name}>".encode()) for name in _CONTAINERS)


_PROLOG = re.compile(rb"\A<\?xml[^<>]*\?>")


def load(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> tuple[Any, list[str]]:
    """The body as its library gives it, and what had to be done for that.

    Raises:
        NotParsable: It is not well-formed, cut short, or nested too deeply.
        Blocked: It is a human check.
    """
    url, start = page.request.shown, body[:80].decode("utf-8", "replace")
    try:
        if kind == "json":
            return _load_json(body, page.content_type)
        if kind == "html":
            if page.status < 400 and _is_html(body) and b"</html>" not in body[-END_OF_PAGE:].lower():
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


def unescape(elements: Any) -> None:
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


def without_namespaces(root: Any) -> None:
    """Take the namespaces off all elements."""
    for element in root.iter("{*}*"):
        if element.tag.startswith("{"):
            element.tag = element.tag.rpartition("}")[2]
