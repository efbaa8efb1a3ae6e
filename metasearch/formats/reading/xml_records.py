"""XML files record by record: each record is cut out (`xml_slices.py`) and parsed by itself.

So a record that is broken costs only itself, a file that breaks off keeps what was complete, and no
document type definition is ever read. The parser is the hardened one of the adapters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from html.entities import html5
from itertools import islice
from typing import Any

from metasearch.adapters.select.xml import parse_xml
from metasearch.errors import FileFormatError
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.text_pieces import Bytes, DecodedText
from metasearch.formats.reading.xml_slices import Slice, Slices

_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})""")
_NAMESPACE = re.compile(r"xmlns:([A-Za-z_][A-Za-z0-9_.-]{0,40})\s{0,9}=")
#: Prefixes that are often used without being declared, above all in files that were cut out of
#: something larger.
_USUAL = ("marc", "slim", "xsi")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_AMPERSAND = re.compile(r"&(?:#(\d{1,7}|x[0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
#: How far around a place that cannot be told is looked.
_HEAD = 20_000


@dataclass(frozen=True, slots=True)
class Element:
    """A record that could be parsed. `line`: on which it begins, from 1. `mended`: what had to be
    done to its text first; "" for nothing.
    """

    line: int
    node: Any
    mended: str = ""


def text_of_file(content: Bytes, reading: FileReading) -> DecodedText:
    """The text of an XML file, in the encoding it declares, else as it is best read."""
    start = b"".join(islice(content.blocks(), 1))[:1000]
    declared = _DECLARED.match(start.removeprefix(b"\xef\xbb\xbf"))
    name = declared[1].decode().lower() if declared else ""
    found = DecodedText.of(content)
    if name and not name.startswith("utf") and not found.encoding.startswith("utf"):
        # Text that is UTF-8 is so whatever is declared, which is often left over from another
        # program.
        with suppress(FileFormatError):  # an unknown encoding
            found = DecodedText.of(content, name)
    reading.encoding = found.encoding
    reading.problems += found.problems
    return found


def elements(text: DecodedText, begin: str, collector: EntryCollector) -> Iterator[Element]:
    """The records of a file, in order; what cannot be parsed is reported to the collector.

    `begin`: pattern of the tag that begins a record, whose name is "record", and of what tells it
    from others of that name. `collector`: where problems go.
    """
    found = 0
    head = text.head(_HEAD)
    wrapper = _wrapper(head)
    slices = Slices(text.pieces(), begin)
    for part in slices:
        found += 1
        if part.flaw:
            collector.lose(part.line, part.flaw)
            continue
        try:
            yield _parsed(part, wrapper)
        except ValueError as exc:
            collector.lose(part.line, f"the record is not well-formed XML and was left out: {exc}")
    missing = slices.envelopes - found
    if missing > 0:
        collector.lose(0, f"{missing} record(s) could not be found in their envelope", missing)
    elif not found:
        collector.remark(0, "no record was found in it")
    if found and not _ends(head, slices.tail, begin):
        collector.remark(slices.line, "the file breaks off; there may have been more records")


def _ends(head: str, tail: str, begin: str) -> bool:
    """Whether a file's last tag closes more than its last record, if there is more."""
    closing = re.search(r"</(?:[\w.-]{1,40}:)?([^<>\s]{1,100})\s{0,20}>\s{0,500}\Z", tail)
    if closing is None:
        return False
    return (
        closing[1] != "record"
        or re.match(rf"\s*(?:<[?!][^<>]{{0,500}}>\s*)*{begin}", head) is not None
    )


def _wrapper(head: str) -> str:
    """A start tag that declares what the records may use."""
    prefixes = {*_USUAL, *_NAMESPACE.findall(head)} - {"xml", "xmlns"}
    # Elements are known by their local names, so any address will do, where the file's own may be
    # damaged.
    return "<_ " + " ".join(f'xmlns:{prefix}="urn:x"' for prefix in sorted(prefixes)) + ">"


def _parsed(part: Slice, wrapper: str) -> Element:
    """The element of a slice. Raises ValueError: it is not well-formed, also after what people
    commonly get wrong was mended.
    """
    try:
        return Element(part.line, _node(part.text, wrapper))
    except ValueError:
        mended = _mended(part.text)
        if mended == part.text:
            raise
        return Element(
            part.line,
            _node(mended, wrapper),
            "it held characters that are not legal in XML; it was mended",
        )


def _node(text: str, wrapper: str) -> Any:
    return parse_xml(f"{wrapper}{text}</_>".encode())[0]


def _mended(text: str) -> str:
    """Without what XML forbids, HTML's names as numbers; other ampersands stay."""
    return _ILLEGAL.sub("", _AMPERSAND.sub(_reference, text))


def _reference(hit: re.Match[str]) -> str:
    number, name = hit.groups()
    if number:
        base = 16 if number[0] == "x" else 10
        code = int(number.removeprefix("x"), base)
        return "" if code > 0x10FFFF or _ILLEGAL.match(chr(code)) else hit.group()
    if name in ("lt", "gt", "amp", "quot", "apos"):
        return hit.group()
    characters = html5.get(f"{name};") if name else None
    return "".join(f"&#{ord(c)};" for c in characters) if characters else "&amp;" + hit.group()[1:]
