"""Pages of MARC records that are read without a tree of their records.

The records in plain form (select/marc.py) are cut out of the text of a page. What is left, the
envelope, goes to the parser with a mark in the place of each record, so that the envelope is read
as ever. Wherever it is not certain that the whole tree would give the same records, there is no
such page, and the caller parses the whole body: where the envelope is not well-formed, where a
mark is not found in the tree (the record was in a comment), where something else than the records'
own nodes holds a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from metasearch.adapters.select.marc import CutRecord, Form, form_of, references_are_known
from metasearch.adapters.select.xml import parse_xml
from metasearch.adapters.spec import LateShape, Shape
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
#: What is not read here, wherever it stands: ends of CDATA sections, characters that are none.
_STRANGE = ("]]>", "\ufffe", "\uffff")
#: The same of an envelope, of which all tags are: entities of the page's own, marks of ours.
_STRANGE_TAGS = ("<!DOCTYPE", _OURS)


class CutPage(NamedTuple):
    """A page without the tree of its records. `nodes`: the records: `CutRecord`s, and elements
    where one was not in plain form.
    """

    shape: Shape
    root: Any
    nodes: list[Any]


def cut_page(body: bytes, shapes: Sequence[LateShape]) -> CutPage | None:
    """The page of a body of XML, or None where it is not certain that the tree would say the same.
    `shapes`: those of XML, in the order in which they are tried.
    """
    if (text := _plain(body)) is None or (form := form_of(text)) is None:
        return None
    records: list[CutRecord] = []
    left: list[str] = []
    envelope = "".join(_envelope(text, form, records, left))
    around = "".join(left)
    if not records or any(strange in around for strange in _STRANGE_TAGS):
        return None
    try:
        root = parse_xml(envelope.encode())
    except ValueError:
        return None
    for late in shapes:
        shape = late.ready or late.shape()
        tag = shape.told_by
        # Only what has references may be packed.
        if tag is None or (shape.unescape and "&" in around and shape.unescape.find(root)):
            return None
        if shape.when is not None and not shape.when.find(root):
            if tag and f'tag="{tag}"' in text:  # of a record whose fields are not in the envelope
                return None
            continue
        return _match_nodes(shape, root, records, has_fields=_has_fields(around))
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


def _envelope(text: str, form: Form, records: list[CutRecord], left: list[str]) -> Iterator[str]:
    """The pieces of the envelope; the records that are cut out are added to `records`, and what
    stands around them to `left`.
    """
    at = 0
    for found in form.record.finditer(text):
        inside = found[2]
        if not references_are_known(inside):
            continue
        piece = text[at : found.end(1)]
        left.append(piece)
        yield piece
        yield f"<{form.prefix}{_MARK}/>"
        if len(records) < _TOLD_BY:
            for field in inside.split(form.field)[1:]:
                yield f'<{form.prefix}{_LEFT}"{field[form.tag : form.tag + 3]}"/>'
        records.append(CutRecord(inside, form))
        at = found.end()
    left.append(text[at:])
    yield text[at:]


def _has_fields(around: str) -> bool:
    """Whether there is a leader or field in an envelope, of which this stands around our marks."""
    return any(name in around for name in ("leader", "controlfield", "datafield"))


def _match_nodes(
    shape: Shape, root: Any, records: list[CutRecord], *, has_fields: bool
) -> CutPage | None:
    """The page, if each record that was cut out is that of one node, and nothing else holds it.
    `has_fields`: whether the envelope has leaders or fields that are none of ours.
    """
    if shape.body != "marcxml":
        return None
    if shape.total is not None and any(len(element) for element in shape.total.find(root)):
        return None
    nodes, marks = shape.records.find(root), [*root.iter(f"{{*}}{_MARK}")]
    if len(marks) != len(records):
        return None
    if not has_fields and _are_apart(nodes, marks):
        return CutPage(shape, root, [*records])
    if _DEEP(root):
        return None
    number_of = {mark: number for number, mark in enumerate(marks)}
    numbers = [number_of.get(MarcRecord.first_of(node)) for node in nodes]
    if [number for number in numbers if number is not None] != [*range(len(records))]:
        return None
    both = zip(nodes, numbers, strict=True)
    return CutPage(shape, root, [node if at is None else records[at] for node, at in both])


def _are_apart(nodes: list[Any], marks: list[Any]) -> bool:
    """Whether each mark is in a node of its own, not deep, and the nodes are children of one
    element: then no node holds another mark, and no further look at the tree is needed.
    """
    if len(nodes) != len(marks):
        return False
    parent = nodes[0].getparent()
    around = 0 if parent is None else 1 + sum(1 for _ in parent.iterancestors())
    for node, mark in zip(nodes, marks, strict=True):
        if node.getparent() is not parent:
            return False
        holds = mark.getparent()
        for _ in range(_DEEPEST - around):
            if holds is None or holds is node:
                break
            holds = holds.getparent()
        if holds is not node:
            return False
    return True
