"""MARCXML (.xml): MARC 21 or UNIMARC, bare, in a collection, or in an answer of SRU."""

from __future__ import annotations

import re

from metasearch.formats.marc.records import MarcReader
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.text_pieces import Bytes
from metasearch.formats.reading.xml_records import elements, text_of_file

_NAME = r"<(?:[\w.-]{1,40}:)?"
_BEGIN = rf"{_NAME}record(?:\s[^<>]*)?>(?=\s*{_NAME}(?:leader|controlfield|datafield)[\s/>])"
_MARC = re.compile(rf"{_NAME}(?:leader\s*>|(?:control|data)field\s+[^<>]{{0,200}}tag\s*=)")


def looks_like(head: str) -> bool:
    """Whether a text begins as MARCXML does; PICA, whose tags are letters too, is not meant."""
    return (
        "<" in head[:500]
        and _MARC.search(head) is not None
        and not re.search(r"tag\s*=\s*[\"']003@", head)
    )


def read(content: Bytes, reading: FileReading) -> None:
    """Read a MARCXML file into the reading."""
    collector = EntryCollector(reading)
    marc = MarcReader(reading, collector)
    for found in elements(text_of_file(content, reading), _BEGIN, collector):
        marc.put(found.line, found.node, *filter(None, (found.mended,)))
