"""Another protocol's answer as one of SRU: one parser, one cache, one cassette. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from metasearch.adapters.select.xml import parse_xml
from metasearch.bib import unicode_forms

_SRU, _DIAGNOSTIC = "http://www.loc.gov/zing/srw/", "http://www.loc.gov/zing/srw/diagnostic/"
#: SRU's "Record not available in this schema".
_NOT_AVAILABLE = 67
_PLAIN: Mapping[Any, str] = {None: _SRU}
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A diagnostic: its number in SRU's list, what that means, and what the server adds."""

    code: int
    message: str
    details: str = ""


def envelope(
    total: int, records: Iterable[bytes | Diagnostic], problems: Iterable[Diagnostic] = ()
) -> bytes:
    """A searchRetrieveResponse. `records`: each as XML in UTF-8, or what stands in its place; one
    that is not well-formed becomes a problem.
    """
    root = etree.Element(f"{{{_SRU}}}searchRetrieveResponse", nsmap=_PLAIN)
    _put(root, "version", "1.1")
    _put(root, "numberOfRecords", str(total))
    listed = etree.SubElement(root, f"{{{_SRU}}}records")
    for record in records:
        data = etree.SubElement(
            etree.SubElement(listed, f"{{{_SRU}}}record"), f"{{{_SRU}}}recordData"
        )
        data.append(_diagnostic(record) if isinstance(record, Diagnostic) else _tree(record))
    if diagnostics := [_diagnostic(problem) for problem in problems]:
        etree.SubElement(root, f"{{{_SRU}}}diagnostics").extend(diagnostics)
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return written


def _tree(record: bytes) -> Any:
    try:
        return _composed(parse_xml(record))
    except ValueError:
        legal = _ILLEGAL.sub("", record.decode("utf-8", "replace"))
    try:
        return _composed(parse_xml(legal.encode()))
    except ValueError as exc:
        return _diagnostic(Diagnostic(_NOT_AVAILABLE, "a record is not XML", str(exc)[:100]))


def _composed(tree: Any) -> Any:
    """The tree with letters and accents in one, as what is made of it; MARC-8 has them apart."""
    for element in tree.iter():
        if element.text and not element.text.isascii():
            element.text = unicode_forms.normalize("NFC", element.text)
    return tree


def _diagnostic(problem: Diagnostic) -> Any:
    element = etree.Element(f"{{{_DIAGNOSTIC}}}diagnostic")
    for name, text in (
        ("uri", f"info:srw/diagnostic/1/{problem.code}"),
        ("details", problem.details),
        ("message", problem.message),
    ):
        etree.SubElement(element, f"{{{_DIAGNOSTIC}}}{name}").text = _ILLEGAL.sub("", text)
    return element


def _put(parent: Any, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{_SRU}}}{name}").text = text
