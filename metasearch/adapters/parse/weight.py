"""What reading a body takes, estimated from its bytes alone: a few counts at the speed of memory,
before any parser sees it.

A body of a few megabytes can hold a million elements. Its bytes are bounded by `limits.max_bytes`,
and what is made of them here: `marks` stand for the time, because each of them is something that a
parser makes and a selector goes through, and `memory` for the bytes that the parsed body takes.
"""

from __future__ import annotations

import secrets
from itertools import islice
from typing import Any, NamedTuple

from metasearch.adapters.spec import MAX_BYTES, Limits
from metasearch.late_pattern import late_pattern

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


def estimated_marks(kind: str, body: bytes) -> int:
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


def allowed_memory(limits: Limits) -> int:
    """Bytes that a body may take once it is read; no less for a source with short bodies."""
    return MEMORY_FACTOR * max(limits.max_bytes, MAX_BYTES)


def may_be_too_much(body: bytes, limits: Limits) -> bool:
    """Whether a body is large enough that it need be weighed."""
    return _DENSEST * len(body) > allowed_memory(limits)


def too_much(weight: Weight, limits: Limits) -> bool:
    """Whether what has this weight is more than may be read."""
    return weight.memory > allowed_memory(limits)


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
