"""Bytes -> a tree: what reading them takes, which kind a body is of, and what must be done so that
its library reads it.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import secrets
from collections.abc import Callable, Iterable
from html.entities import html5
from itertools import islice
from typing import Any, NamedTuple

import orjson

from metasearch.adapters.parse.refusals import bot_wall, unreadable
from metasearch.adapters.request import Page
from metasearch.adapters.select.xml import BROKEN_OFF, parse_html, parse_xml
from metasearch.adapters.spec import MAX_BYTES, AdapterSpec, Limits
from metasearch.errors import NotParsable, TooLarge, Unreachable
from metasearch.late_pattern import late_pattern
from metasearch.message import message

# Characters that a parser does not take: in a wrong encoding, illegal, or named as in HTML. Only
# bodies that a parser has refused come here, and XML with a DOCTYPE.

# Python knows more codecs than the web does, and some, such as Punycode, take quadratic time.
_KNOWN = late_pattern(
    r"utf-?(?:8|16|32)|(?:us-)?ascii|iso-?8859|latin|windows-|cp\d|gb|big5|euc-|shift_jis|koi8|mac"
)
_HIGH = late_pattern(rb"[\x80-\xff]+")


_ILLEGAL = late_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_XML_ENCODING = late_pattern(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_NAMED = late_pattern(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
#: "&" or "<" that begins nothing, or a reference to what XML does not know.
_BARE = late_pattern(
    r"&(?:#([0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9._-]{0,63};)?)|<(?=[\s0-9=<>])"
)
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_XML_NAMES = frozenset((b"lt", b"gt", b"amp", b"quot", b"apos"))


def charset_of(content_type: str) -> str:
    """The charset that a `Content-Type` names; "" where it names none."""
    return content_type.lower().partition("charset=")[2].partition(";")[0].strip("\"' ")


def decode(body: bytes, names: Iterable[str]) -> tuple[str, str | None]:
    """The text of a body, and what had to be done for it; None where UTF-8 or a declared encoding
    simply fits.

    Bytes that fit none are read as UTF-8 with replacements where most sequences are right, as GB
    18030 where bytes above ASCII come in pairs, as Chinese has them, and as Windows-1252 (ISO
    8859-1 and more) otherwise.
    """
    for name in dict.fromkeys(
        (*(name.lower() for name in names if _KNOWN.match(name.lower())), "utf-8")
    ):
        try:
            return body.decode(name), None
        except (UnicodeDecodeError, LookupError):
            continue
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if 2 * broken <= len(re.findall(r"[^\x00-\x7f\ufffd]", text)):
        note = message(
            "{number} character(s) of the answer are not legal UTF-8; they were replaced",
            number=broken,
        )
        return text, note
    runs = [len(run) for run in _HIGH.findall(body)]
    if 2 * sum(length for length in runs if length > 1) > sum(runs):
        try:
            return body.decode("gb18030"), _guess_note("GB 18030")
        except UnicodeDecodeError:
            pass
    return body.decode("cp1252", "replace"), _guess_note("Windows-1252")


def _guess_note(name: str) -> str:
    return message(
        "the answer is not in the encoding that it declares; it was read as {name}, "
        "which is a guess",
        name=name,
    )


def number_entities(body: bytes) -> bytes:
    """HTML's `&ouml;` as `&#246;`: no DTD is ever loaded. Entities of the body's own stay."""
    if b"<!ENTITY" in body:
        return body

    def number(match: re.Match[bytes]) -> bytes:
        character = html5.get(f"{match[1].decode()};") if match[1] not in _XML_NAMES else None
        return b"".join(b"&#%d;" % ord(c) for c in character) if character else match[0]

    return _NAMED.sub(number, body)


def escape(text: str) -> str:
    """XML whose signs that begin nothing are written as text: "AT&T", "p < 0.05"; references to
    characters that XML forbids are taken out.
    """
    own = "<!ENTITY" in text

    def mend(match: re.Match[str]) -> str:
        number, name = match[1], match[2]
        if number is not None:
            code = int(number[1:], 16) if number[0] in "xX" else int(number)
            forbidden = code > 0x10FFFF or 0xD800 <= code < 0xE000 or _ILLEGAL.match(chr(code))
            return "" if forbidden else match[0]
        if name is not None and (own or name[:-1].encode() in _XML_NAMES):
            return match[0]
        return match[0].replace("&", "&amp;").replace("<", "&lt;")

    parts: list[str] = []
    at = 0
    while (start := text.find(_CDATA, at)) >= 0:
        end = text.find(_CDATA_END, start)
        after = len(text) if end < 0 else end + len(_CDATA_END)
        parts += (_BARE.sub(mend, text[at:start]), text[start:after])
        at = after
    return "".join((*parts, _BARE.sub(mend, text[at:])))


def legal_xml(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The body without what XML forbids, itself where that changes nothing; and what was done."""
    named = number_entities(body)
    named_encoding = _XML_ENCODING.match(named[:200])
    text, note = decode(
        named, [named_encoding[1].decode() if named_encoding else "", charset_of(content_type)]
    )
    legal = escape(_ILLEGAL.sub("", text))
    if legal.startswith("<?xml"):
        legal = legal.partition("?>")[2]
    encoded = legal.encode("utf-8", "replace")
    return encoded, note or message(
        "the answer held characters that are not legal; they were replaced"
    )


# What reading a body takes, estimated from its bytes alone: a few counts at the speed of memory,
# before any parser sees it. A body of a few megabytes can hold a million elements. Its bytes are
# bounded by `limits.max_bytes`, and what is made of them here: `marks` stand for the time, because
# each of them is something that a parser makes and a selector goes through, and `memory` for the
# bytes that the parsed body takes.

#: A smaller body is light, whatever is in it: all that it can hold is read in a few milliseconds.
SMALL = 8_000
#: What is light holds at most so many bytes, and marks of its kind: it is read on the loop, with no
#: stretch above 25 ms. A mark of JSON takes half the time of others, or less.
LIGHT_BYTES, LIGHT_MARKS, LIGHT_MARKS_OF_JSON = 1_000_000, 10_000, 20_000
#: Of every so many bytes one is looked at, to decide what is light; chosen at random, so that no
#: body can be written around them.
_STRIDES = (7, 11, 13)
#: The bytes that are, or stand for, marks.
_MARKS = {"json": b",:[{", "xml": b"<=", "html": b"<="}
#: What is read from a body may take so many times the memory of the largest body that is allowed.
MEMORY_FACTOR = 4
#: Bytes that something takes once it is read, in libxml2 and in Python, rounded up over small ones
#: of each.
_NODE, _ATTRIBUTE, _VALUE = 120, 240, 56
#: Bytes that are made of one byte of a body at most: no denser body can be written.
_DENSEST = 64
#: Attributes of one element of a web page beyond which libxml2 takes quadratic time.
MOST_ATTRIBUTES = 250
#: Elements or values of one record: a paper of fifteen thousand authors has as many. Each selector
#: walks over all.
MOST_ELEMENTS, MOST_VALUES = 60_000, 120_000
#: An attribute takes two bytes at least.
_LONG_TAG = 2 * MOST_ATTRIBUTES
_ATTRIBUTE_OF_TAG = (
    rb"""=?[^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+))?+"""
)
_ATTRIBUTES = late_pattern(rb"[^\s/>]" + _ATTRIBUTE_OF_TAG)
#: A start tag as browsers see one (a ">" in a quoted value does not end it), as far as its
#: attributes may be too many.
_TAG = late_pattern(
    rb"<[a-zA-Z][^\s/>]*+(?:[\s/]*+(?=[^\s/>])"
    + _ATTRIBUTE_OF_TAG
    + rb"){0,%d}+" % (MOST_ATTRIBUTES + 1)
)


class Weight(NamedTuple):
    """What a body holds.

    Attributes:
        marks: Elements and attributes, or members and values; too many rather than too few.
        memory: Bytes that it takes when it is read, its own included.
        what: What the marks are, for people.
    """

    marks: int
    memory: int
    what: str


def weight_of(kind: str, body: bytes) -> Weight:
    """The weight of a body of a kind of `bodies.kind_of`, in linear time.

    What only looks like markup, in a text or a comment, counts as well.
    """
    if kind == "json":
        marks = sum(map(body.count, (b",", b":", b"[", b"{")))
        return Weight(marks, _VALUE * marks + 2 * len(body), "values")
    if kind not in ("xml", "html"):
        return Weight(0, 2 * len(body), "bytes")
    tags = body.count(b"<")
    attributes = body.count(b"=")
    texts = body.count(b">") - body.count(b"><")
    nodes = tags + texts
    if kind == "xml":
        # Comments and instructions are not kept, and what closes an element is none.
        nodes -= body.count(b"</") + body.count(b"<!--") + body.count(b"<?")
        if (
            b"<!" in body[:1000]
        ):  # each entity is a node, and to declare one takes as much as several
            nodes += body.count(b"&") + 2 * body.count(b"<!")
    return Weight(
        tags + attributes,
        _NODE * nodes + _ATTRIBUTE * attributes + 2 * len(body),
        "elements and attributes",
    )


def estimate_marks(kind: str, body: bytes) -> int:
    """How many marks a body holds, by a sample; as many as bytes, where its kind has none."""
    if kind not in _MARKS:  # what seems to be a text may be in UTF-16
        return len(body)
    marks = _MARKS[kind]
    if kind == "xml" and b"<!" in body[:1000]:  # each entity is a node, as in `weight_of`
        marks += b"&"
    # One number for both, because the system takes its time for each.
    number = secrets.randbelow(len(_STRIDES) * max(_STRIDES))
    stride = _STRIDES[number % len(_STRIDES)]
    sample = body[number // len(_STRIDES) % stride :: stride]
    return stride * (len(sample) - len(sample.translate(None, marks)))


def is_light(kind: str, marks: int) -> bool:
    """Whether a body of a kind that may hold so many marks is read in steps of milliseconds."""
    return marks <= (LIGHT_MARKS_OF_JSON if kind == "json" else LIGHT_MARKS)


def memory_limit(limits: Limits) -> int:
    """Bytes that a body may take once it is read; no less for a source with short bodies."""
    return MEMORY_FACTOR * max(limits.max_bytes, MAX_BYTES)


def may_be_too_much(body: bytes, limits: Limits) -> bool:
    """Whether a body is large enough that it need be weighed."""
    return _DENSEST * len(body) > memory_limit(limits)


def too_much(weight: Weight, limits: Limits) -> bool:
    return weight.memory > memory_limit(limits)


def is_overloaded(page: bytes) -> bool:
    """Whether an element of a web page has more than `MOST_ATTRIBUTES` attributes."""
    for tag in _TAG.finditer(
        page
    ):  # no list of all, which would hold the interpreter until it is made
        if (
            tag.end() - tag.start() > _LONG_TAG
            and len(_ATTRIBUTES.findall(tag[0])) - 1 > MOST_ATTRIBUTES
        ):
            return True
    return False


def holds_too_much(node: Any) -> bool:
    """Whether a record, as its library returns it, holds more than any does."""
    if not isinstance(node, (dict, list)):
        from lxml import etree  # loaded by now where a node is one of its elements

        return (
            etree.iselement(node)
            and sum(1 for _ in islice(node.iterdescendants(), MOST_ELEMENTS + 1)) > MOST_ELEMENTS
        )
    parts, count = [node], 0
    while parts and count <= MOST_VALUES:
        part = parts.pop()
        count += len(part)
        inner = part.values() if isinstance(part, dict) else part
        parts += [value for value in islice(inner, MOST_VALUES) if isinstance(value, (dict, list))]
    return count > MOST_VALUES


# JSON that Python's own parser reads: what orjson refuses, and what orjson would take long for.
# orjson is strict, and it blocks all other threads until it has read the whole body.

#: Lines of a body that are tried as JSON, one by one.
_MOST_LINES = 100_000
#: Digits beyond which a whole number is no number that a double can hold, and takes Python
#: quadratic time to read.
_LONGEST_NUMBER = 300
#: Whole numbers that orjson keeps as such.
_WHOLE = range(-(2**63), 2**64)
#: How halves of a character begin where they are escaped, as other characters do, too.
_SURROGATES = ("\\ud", "\\uD")


def in_python(text: str, *, lenient: bool = False) -> Any:
    """A JSON text as orjson would return it; other threads get a turn at each object and number.

    `lenient`: whether it may contain NaN, infinite numbers and control characters. Raises
    ValueError: it is not JSON.
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
    # Unlike `dict` itself, a function written in Python lets other threads have a turn.
    return dict(members)


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
    """The value without lone surrogates, which no text may contain.

    It is edited in place, without recursion.
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


def json_lines(body: bytes) -> list[Any] | None:
    """One JSON value for each line, as in dumps; None where any line is something else."""
    if body.count(b"\n") > _MOST_LINES:
        return None
    try:
        return [orjson.loads(line) for line in body.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        return None


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
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = late_pattern(r"\s*<\?xml[^<>]*\?>")


def without_bom(body: bytes) -> bytes:
    """The body without byte order marks; UTF-16 and UTF-32 become UTF-8. The same object where
    there is no mark.

    An XML declaration of such a body goes too, for the encoding that it names is no longer true.
    """
    if (marked := _UTF_8_MARKS.match(body)) is not None:
        body = body[marked.end() :]
    for mark, name in _BYTE_ORDER_MARKS:
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
    marks = estimate_marks(kind, body)
    return marks, is_light(kind, marks)


def check_weight(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> None:
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
        raise TooLarge(spec.name, spec.limits.max_bytes, url=page.request.log_url, reason=reason)
    if kind == "html" and len(body) > SMALL and is_overloaded(body):
        reason = message(
            "one of its elements has more than {most_attributes} attributes",
            most_attributes=MOST_ATTRIBUTES,
        )
        raise NotParsable(spec.name, reason, url=page.request.log_url)


def load(kind: str, body: bytes, page: Page, spec: AdapterSpec) -> tuple[Any, list[str]]:
    """The body as its library returns it, and notes on what had to be done for that.

    Raises:
        NotParsable: It is not well-formed, cut short, or nested too deeply.
        TooLarge: It contains too much.
        Blocked: It is a human check.
    """
    check_weight(kind, body, page, spec)
    try:
        if kind == "json":
            return _load_json(body, page.content_type)
        if kind == "html":
            return _load_html(body, page.status)
        return _load_xml(body, page.content_type)
    except ValueError as exc:
        wall = None if kind == "json" else bot_wall(page, spec, body)
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
        body = number_entities(body)
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
        text, note = decode(body, [charset_of(content_type)])
        try:
            value = in_python(text, lenient=True)
        except ValueError:
            lines = json_lines(body)
            if lines is None:
                ends = body[-1:] not in b"]}" if heavy else str(exc).startswith(_JSON_ENDS)
                reason = BROKEN_OFF if ends else str(exc)
                raise ValueError(message("not JSON: {reason}", reason=reason)) from exc
            return lines, []
        if note is None and charset_of(content_type) in ("", "utf-8"):
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
    for element in root.iter("{*}*"):
        if element.tag.startswith("{"):
            element.tag = element.tag.rpartition("}")[2]
