"""Pages of MARC records that are read without a tree of their records.

The records in plain form (select/marc_text.py) are cut out of the text of a page. What is left, the
envelope, goes to the parser with a mark in the place of each record, so that the envelope is read
as ever. Wherever it is not certain that the whole tree would give the same records, there is no
such page, and the caller parses the whole body: where the envelope is not well-formed, where a
mark is not found in the tree (the record was in a comment), where something else than the records'
own nodes holds a mark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from metasearch.adapters.select.marc_text import CutRecord, Form, form_of, references_are_known
from metasearch.adapters.select.xml import parse_xml
from metasearch.adapters.shapes import LateShape, Shape
from metasearch.bib.marc import MarcRecord
from metasearch.late_pattern import late_pattern

#: Larger bodies are left to the parser, which refuses texts of 10 MB.
_LARGEST = 5_000_000
#: What only our own elements have in their names; and the name of the one that marks a record. It
#: ends as one of MARC's, by which records are found.
_OURS = "metasearch-cut"
_MARK = f"{_OURS}-leader"
#: How an element begins of a field that is left in the envelope.
_LEFT = f'datafield {_OURS}="" tag='
#: Records whose data fields are left in the envelope, without subfields: by these a shape is told.
_TOLD_BY = 5
#: Elements in each other; libxml2 refuses more than 256.
_DEEPEST = 50
_DEEP = etree.XPath(f"boolean({'/*' * (_DEEPEST + 2)})")
_PROLOG = late_pattern(
    rb"""<\?xml version=["']1\.0["'](?: encoding=["'][Uu][Tt][Ff]-8["'])?"""
    rb"""(?: standalone=["'](?:yes|no)["'])?\s*\?>"""
)
_ILLEGAL = bytes({*range(0x20)} - {*b"\t\n\r"})
#: What is not read here, wherever it stands: entities of the page's own, CDATA sections, marks of
#: ours, characters that are none.
_STRANGE = ("<!DOCTYPE", "]]>", _OURS, "\ufffe", "\uffff")


class CutPage(NamedTuple):
    """A page without the tree of its records.

    Attributes:
        shape: The shape that fits.
        root: The envelope.
        nodes: The records: `CutRecord`s, and elements where one was not in plain form.
    """

    shape: Shape
    root: Any
    nodes: list[Any]


def cut_page(body: bytes, shapes: Sequence[LateShape]) -> CutPage | None:
    """The page of a body of XML, or None where it is not certain that the tree would say the same.

    Args:
        body: Without byte order marks and white space around it.
        shapes: Those of XML, in the order in which they are tried.
    """
    if not any(late.body == "marcxml" for late in shapes) or (text := _plain(body)) is None:
        return None
    form = form_of(text)
    if form is None:
        return None
    records: list[CutRecord] = []
    envelope = "".join(_envelope(text, form, records))
    try:
        root = parse_xml(envelope.encode())
    except ValueError:
        return None
    if not records or _DEEP(root):
        return None
    for late in shapes:
        shape = late.ready or late.shape()
        tag = shape.told_by
        if tag is None or (shape.unescape is not None and shape.unescape.find(root)):
            return None
        if shape.when is not None and not shape.when.find(root):
            if tag and f'tag="{tag}"' in text:  # of a record whose fields are not in the envelope
                return None
            continue
        return _opened(shape, root, records, _mark if _has_fields(envelope) else _sole_mark)
    return None


def _plain(body: bytes) -> str | None:
    """The text of a body in which nothing stands that means something else to a parser."""
    if len(body) > _LARGEST or b"datafield" not in body:
        return None
    if body.startswith(b"<?") and _PROLOG.match(body) is None:
        return None
    if len(body.translate(None, _ILLEGAL)) < len(body):
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return None if "\r" in text or any(strange in text for strange in _STRANGE) else text


def _envelope(text: str, form: Form, records: list[CutRecord]) -> Iterator[str]:
    """The pieces of the envelope; the records that are cut out are added to `records`."""
    known = references_are_known(text)
    at = 0
    for found in form.record.finditer(text):
        inside = found[2]
        if not known and not references_are_known(inside):
            continue
        yield text[at : found.end(1)]
        yield f'<{form.prefix}{_MARK} metasearch="{len(records)}"/>'
        if len(records) < _TOLD_BY:
            for field in inside.split(form.field)[1:]:
                yield f'<{form.prefix}{_LEFT}"{field[form.tag : form.tag + 3]}"/>'
        records.append(CutRecord(inside, form))
        at = found.end()
    yield text[at:]


def _has_fields(envelope: str) -> bool:
    """Whether there is a leader or field in an envelope that is none of ours."""
    left = envelope.replace(_MARK, "").replace(_LEFT, "")
    return any(name in left for name in ("leader", "controlfield", "datafield"))


def _opened(
    shape: Shape, root: Any, records: list[CutRecord], mark_of: Callable[[Any], int | None]
) -> CutPage | None:
    """The page, if each record that was cut out is that of one node, and nothing else holds it."""
    if shape.body != "marcxml":
        return None
    if shape.total is not None and any(len(element) for element in shape.total.find(root)):
        return None
    nodes = shape.records.find(root)
    marks = [mark_of(node) for node in nodes]
    if [mark for mark in marks if mark is not None] != [*range(len(records))]:
        return None
    both = zip(nodes, marks, strict=True)
    return CutPage(shape, root, [node if mark is None else records[mark] for node, mark in both])


def _mark(node: Any) -> int | None:
    """The number of the record of which a node's MARC fields were cut out."""
    first = MarcRecord.first_of(node)
    return int(first.get("metasearch")) if first is not None and first.tag.endswith(_MARK) else None


def _sole_mark(node: Any) -> int | None:
    """The same, in an envelope without any other leader or field."""
    mark = next(node.iterdescendants(f"{{*}}{_MARK}"), None)
    return None if mark is None else int(mark.get("metasearch"))
