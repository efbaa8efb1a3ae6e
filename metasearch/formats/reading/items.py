"""JSON and XML files item by item: each is cut out and parsed alone, so that a broken one costs
only itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from html.entities import html5
from itertools import islice
from typing import Any, NamedTuple

import orjson

from metasearch.adapters.select.xml import parse_xml
from metasearch.errors import FileFormatError
from metasearch.formats.reading.encodings import Bytes, FileText
from metasearch.formats.reading.result import EntryCollector, FileReading

# Of JSON, each object of a list is an item. The cutting looks at nothing but brackets and strings;
# it keeps count of lines, which no JSON parser tells, and refuses what is nested too deeply before
# a parser sees it.

#: Levels of brackets; no record of a work has more than a dozen.
DEEPEST = 100
#: Characters of an item.
LARGEST_ITEM = 8_000_000
#: Keys whose list holds the items, where a file is an object: Zotero and Crossref write so.
LISTS = frozenset({"items"})

_MARK = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[\[\]{}]|\n')
#: How an item begins; no other object of a file does so.
_HEAD = re.compile(
    r'\{\s{0,200}"(?:id|type|title|DOI|source|indexed|event|author|container-title)"\s{0,20}:'
)
_LIST = re.compile(r'"([a-z]{2,20})"\s{0,20}:\s{0,20}\[')
#: How far the key of the list may stand from the beginning.
_START = 20_000
_CLOSES = {"]": "[", "}": "{"}


class JsonItem(NamedTuple):
    """One object of a file.

    Attributes:
        line: On which it begins, from 1.
        value: What it holds; None where it cannot be read.
        flaw: Why it cannot be read.
    """

    line: int
    value: Any
    flaw: str = ""


def items(text: str, lists: frozenset[str] = LISTS) -> Iterator[JsonItem]:
    """The objects in a file's list, in that under one of these keys, or else its own."""
    last: JsonItem | None = None
    for line, part, flaw in _parts(text, lists):
        if flaw == _STRAY and last is not None and last.flaw:
            continue  # the end of the item before, which broke off
        found = (
            _salvage(line, part)
            if flaw == _BROKEN
            else [JsonItem(line, None, flaw) if flaw else _item(line, part)]
        )
        for last in found:
            yield last


def load(text: str) -> Any:
    """The value of a JSON text; control characters in strings are let through, NaN is None, a lone
    surrogate "?". Raises ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return orjson.loads(text)
    except ValueError as exc:
        if "recursion" in str(exc).lower():
            raise
        try:
            value = json.loads(text, parse_constant=lambda _: None, strict=False)
            return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
        except RecursionError:
            raise ValueError("nested too deeply") from exc
        except ValueError:
            raise ValueError(str(exc)) from exc


_BROKEN = "its brackets do not match"
_DEEP = "it is nested too deeply"
_STRAY = "an object ends here that does not begin"


def _item(line: int, part: str) -> JsonItem:
    if len(part) > LARGEST_ITEM:
        return JsonItem(line, None, f"it has more than {LARGEST_ITEM:,} characters")
    try:
        return JsonItem(line, load(part))
    except ValueError as exc:
        return JsonItem(line, None, str(exc))


def _salvage(line: int, part: str) -> Iterator[JsonItem]:
    """What can be read where brackets do not match: items in it begin as items do."""
    starts = [hit.start() for hit in _HEAD.finditer(part)] or [0]
    if starts[0] > 0:
        starts.insert(0, 0)
    at = 0
    for start, end in zip(starts, [*starts[1:], len(part)], strict=True):
        line += part.count("\n", at, start)
        at = start
        _, whole, flaw = next(_objects(part[start:end]), (1, "", _BROKEN))
        yield JsonItem(line, None, flaw) if flaw else _item(line, whole)


def _parts(text: str, lists: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    """Line, text and flaw of each item."""
    begin = re.search(r"[\[{]", text)
    if begin is None:
        return
    if begin.group() == "[":
        yield from _objects(text, in_list="")
        return
    keys = (hit[1] for hit in _LIST.finditer(text[:_START]))
    yield from _objects(text, in_list=next((key for key in keys if key in lists), None))


def _objects(text: str, in_list: str | None = None) -> Iterator[tuple[int, str, str]]:
    """Line, text and flaw of each object of a level.

    `in_list`: "" for the objects in the text's own list, a key for those in the list that it names,
    None for objects on the uppermost level.
    """
    level = 0 if in_list is None else 1 if in_list == "" else -1
    stack: list[str] = []
    line, start, start_line, deep = 1, -1, 1, False
    key = ""
    marks = _MARK.finditer(text)
    while (hit := next(marks, None)) is not None:
        mark = hit.group()
        if mark == "\n":
            line += 1
        elif mark[0] == '"':
            key = mark[1:-1]
        elif mark in "[{":
            if level < 0 and mark == "[" and key == in_list:
                level = len(stack) + 1
            if (
                mark == "{"
                and len(stack) == level
                and (not level or text[max(0, hit.start() - 40) : hit.start()].rstrip()[-1:] != ":")
            ):
                start, start_line, deep = hit.start(), line, False
            stack.append(mark)
            deep = deep or len(stack) > DEEPEST
        elif stack and stack[-1] == _CLOSES[mark]:
            stack.pop()
            if start >= 0 and len(stack) == level:
                yield start_line, text[start : hit.end()], _DEEP if deep else ""
                start = -1
            elif in_list and len(stack) < level:
                level = -1  # the list is at its end; another of that name may follow
        elif start >= 0:  # the item is given up, and the reading goes on where the next one begins
            following = _HEAD.search(text, hit.end())
            end = following.start() if following else len(text)
            yield start_line, text[start:end], _BROKEN
            line += text.count("\n", hit.end(), end)
            start, stack = -1, stack[:level]
            marks = _MARK.finditer(text, end)
        elif mark == "}":
            yield line, "", _STRAY
    if start >= 0:
        yield start_line, text[start:], _BROKEN


# The records of an XML file as slices of its text, which comes in pieces: no more of it is kept
# than the record that is open. A record that is broken costs only itself so, which no parser of
# whole documents offers: `iterparse` ends at the first character that is wrong.

#: Characters of one record.
LARGEST_RECORD = 4_000_000
#: Characters that a tag may have to be seen as one: so much is looked at again when more of the
#: text comes.
LONGEST_TAG = 20_000
#: Characters at the end that show whether the file is whole.
_TAIL = 1_000
#: What SRU puts around every record.
_ENVELOPE = r"(?:[\w.-]{1,40}:)?recordData[\s>]"
_SKIPPED = {"<!--": "-->", "<![CDATA[": "]]>"}

_NOT_ENDED = "the record does not end before the next one begins; it was left out"
_NOT_BEGUN = "a record ends here that does not begin; it was left out"
_BREAKS_OFF = "the file breaks off inside this record; it was left out"
_TOO_LARGE = f"the record has more than {LARGEST_RECORD:,} characters; it was left out"


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a file.

    Attributes:
        line: Of its first character, from 1.
        text: From the tag that begins a record to the one that ends it.
        flaw: Why it is no whole record; "" where it is one.
    """

    line: int
    text: str
    flaw: str = ""


class Slices:
    """Iterates over the records of a text, once. `begin`: pattern of the tag that begins a record.
    `name`: pattern of its name.

    Attributes:
        line: The last one so far, from 1.
        envelopes: Records that SRU says are there, so far.
        tail: The last characters so far.
        unended: The line of a comment, or the like, that does not end; 0 for none.
    """

    def __init__(self, pieces: Iterable[str], begin: str, name: str = "record") -> None:
        self._pieces = iter(pieces)
        # One "<" for all: what has none is passed over fast.
        self._token = re.compile(
            rf"<(?:(?P<begin>{begin.removeprefix('<')})"
            rf"|(?P<end>/(?:[\w.-]{{1,40}}:)?(?:{name})\s{{0,20}}>)"
            rf"|(?P<envelope>{_ENVELOPE})|!--|!\[CDATA\[)"
        )
        self.line = 1
        self.envelopes = 0
        self.tail = ""
        self.unended = 0
        # A window on the text; what is before `_at` was looked at, and what is before `_start` is
        # not needed.
        self._text, self._at, self._ended = "", 0, False
        self._start: int | None = None
        self._start_line = 1
        self._too_large = False
        self._counted = 0  # up to here, ends of lines are in `line`

    def __iter__(self) -> Iterator[Slice]:
        while (hit := self._next()) is not None:
            if hit.group() in _SKIPPED:
                line = self._line_at(hit.start())
                if not self._skip(_SKIPPED[hit.group()]):
                    self.unended = line
                    break
            elif hit["envelope"]:
                self.envelopes += 1
            elif hit["begin"]:
                if self._start is not None:
                    yield Slice(self._start_line, "", _NOT_ENDED)
                self._start, self._start_line, self._too_large = (
                    hit.start(),
                    self._line_at(hit.start()),
                    False,
                )
                if hit.group().rstrip().endswith("/>"):
                    yield Slice(self._start_line, hit.group())
                    self._start = None
            elif self._start is not None:
                flaw = (
                    _TOO_LARGE
                    if self._too_large or hit.end() - self._start > LARGEST_RECORD
                    else ""
                )
                yield Slice(
                    self._start_line, "" if flaw else self._text[self._start : hit.end()], flaw
                )
                self._start = None
            elif not self.envelopes:  # in SRU records stand inside of records
                yield Slice(self._line_at(hit.start()), "", _NOT_BEGUN)
        if self._start is not None:
            yield Slice(self._start_line, "", _TOO_LARGE if self._too_large else _BREAKS_OFF)
        self._line_at(len(self._text))

    def _next(self) -> re.Match[str] | None:
        """The next tag that matters, at whose end the looking goes on."""
        while True:
            hit = self._token.search(self._text, self._at)
            if hit is not None and (self._ended or hit.end() + LONGEST_TAG <= len(self._text)):
                self._at = hit.end()
                return hit
            if self._ended:
                return None
            self._at = (
                hit.start() if hit is not None else max(self._at, len(self._text) - LONGEST_TAG)
            )
            self._read_on()

    def _skip(self, closing: str) -> bool:
        """Go on behind what is no markup; whether that has an end."""
        while (end := self._text.find(closing, self._at)) < 0:
            self._at = max(self._at, len(self._text) - len(closing) + 1)
            if self._ended:
                return False
            self._read_on()
        self._at = end
        return True

    def _read_on(self) -> None:
        """Move the window: what is not needed any more goes, and the next piece comes."""
        if self._start is not None and self._at - self._start > LARGEST_RECORD:
            self._too_large = True
        keep = self._at if self._start is None or self._too_large else self._start
        self._line_at(keep)
        if self._start is not None:
            self._start = 0 if self._too_large else self._start - keep
        self._counted -= keep
        self._at -= keep
        # Twice as much as is kept, so that nothing is copied more often than a few times.
        parts, size = [self._text[keep:]], 0
        while size <= len(parts[0]):
            piece = next(self._pieces, None)
            if piece is None:
                self._ended = True
                break
            parts.append(piece)
            size += len(piece)
            self.tail = (self.tail + piece[-_TAIL:])[-_TAIL:]
        self._text = "".join(parts)

    def _line_at(self, offset: int) -> int:
        """The number of a line; offsets only grow."""
        if offset > self._counted:
            self.line += self._text.count("\n", self._counted, offset)
            self._counted = offset
        return self.line


# XML files record by record: each record is cut out and parsed by itself. So a record that is
# broken costs only itself, a file that breaks off keeps what was complete, and no document type
# definition is ever read. The parser is the hardened one of the adapters.

_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})""")
_NAMESPACE = re.compile(r"xmlns:([A-Za-z_][A-Za-z0-9_.-]{0,40})\s{0,9}=")
#: Prefixes that are often used without being declared, above all in files that were cut out of
#: something larger.
_USUAL = ("marc", "slim", "xsi", "mml")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_AMPERSAND = re.compile(r"&(?:#(\d{1,7}|x[0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
#: How far around a place that cannot be told is looked.
_XML_HEAD = 20_000


@dataclass(frozen=True, slots=True)
class Element:
    """A record that could be parsed. `line`: on which it begins, from 1. `mended`: what had to be
    done to its text first; "" for nothing.
    """

    line: int
    node: Any
    mended: str = ""


def text_of_file(content: Bytes, reading: FileReading) -> FileText:
    """The text of an XML file, in the encoding it declares, else as it is best read."""
    start = b"".join(islice(content.blocks(), 1))[:1000]
    declared = _DECLARED.match(start.removeprefix(b"\xef\xbb\xbf"))
    name = declared[1].decode().lower() if declared else ""
    found = FileText.of(content)
    if name and not name.startswith("utf") and not found.encoding.startswith("utf"):
        # Text that is UTF-8 is so whatever is declared, which is often left over from another
        # program.
        with suppress(FileFormatError):  # an unknown encoding
            found = FileText.of(content, name)
    reading.encoding = found.encoding
    reading.problems += found.problems
    return found


def elements(
    text: FileText, begin: str, collector: EntryCollector, name: str = "record"
) -> Iterator[Element]:
    """The records of a file, in order; what cannot be parsed is reported to the collector.

    `begin`: pattern of the tag that begins a record, and of what tells it from others of that name.
    `collector`: where problems go. `name`: pattern of the names of records.
    """
    found = 0
    head = text.head(_XML_HEAD)
    wrapper = _wrapper(head)
    slices = Slices(text.pieces(), begin, name)
    for part in slices:
        found += 1
        if part.flaw:
            collector.lose(part.line, part.flaw)
            continue
        try:
            yield _parse(part, wrapper)
        except ValueError as exc:
            collector.lose(part.line, f"the record is not well-formed XML and was left out: {exc}")
    if slices.unended:
        what = "a comment, or the like, begins here that does not end; nothing behind was read"
        collector.remark(slices.unended, what)
    missing = slices.envelopes - found
    if missing > 0:
        collector.lose(0, f"{missing} record(s) could not be found in their envelope", missing)
    elif not found:
        collector.remark(0, "no record was found in it")
    if found and not _ends(head, slices.tail, begin, name):
        collector.remark(slices.line, "the file breaks off; there may have been more records")


def _ends(head: str, tail: str, begin: str, name: str) -> bool:
    """Whether a file's last tag closes more than its last record, if there is more."""
    closing = re.search(r"</(?:[\w.-]{1,40}:)?([^<>\s]{1,100})\s{0,20}>\s{0,500}\Z", tail)
    if closing is None:
        return False
    return (
        not re.fullmatch(name, closing[1])
        or re.match(rf"\s*(?:<[?!][^<>]{{0,500}}>\s*)*{begin}", head) is not None
    )


def _wrapper(head: str) -> str:
    """A start tag that declares what the records may use."""
    prefixes = {*_USUAL, *_NAMESPACE.findall(head)} - {"xml", "xmlns"}
    # Elements are known by their local names, so any address will do, where the file's own may be
    # damaged.
    return "<_ " + " ".join(f'xmlns:{prefix}="urn:x"' for prefix in sorted(prefixes)) + ">"


def _parse(part: Slice, wrapper: str) -> Element:
    """The element of a slice. Raises ValueError: it is not well-formed, also after what people
    commonly get wrong was mended.
    """
    try:
        return Element(part.line, _node(part.text, wrapper))
    except ValueError:
        better = mend(part.text)
        if better == part.text:
            raise
        return Element(
            part.line,
            _node(better, wrapper),
            "it held characters that are not legal in XML; it was mended",
        )


def _node(text: str, wrapper: str) -> Any:
    return parse_xml(f"{wrapper}{text}</_>".encode())[0]


def mend(text: str) -> str:
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
