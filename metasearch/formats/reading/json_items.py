"""JSON files item by item: each object of a list is cut out and parsed alone, so that a broken one
costs only itself.

The cutting looks at nothing but brackets and strings; it keeps count of lines, which no JSON parser
tells, and refuses what is nested too deeply before a parser sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

#: Levels of brackets; no record of a work has more than a dozen.
DEEPEST = 100
#: Characters of an item.
LARGEST = 8_000_000
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
            _salvaged(line, part)
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
    if len(part) > LARGEST:
        return JsonItem(line, None, f"it has more than {LARGEST:,} characters")
    try:
        return JsonItem(line, load(part))
    except ValueError as exc:
        return JsonItem(line, None, str(exc))


def _salvaged(line: int, part: str) -> Iterator[JsonItem]:
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
