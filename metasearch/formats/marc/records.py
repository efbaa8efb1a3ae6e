"""MARC 21 and UNIMARC, read by the rules of SRU catalogues (adapter_specs/families/sru.toml)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from metasearch.adapters.parse.records import record_of
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.shipped import shipped_table
from metasearch.adapters.specs.specfile import build
from metasearch.bib.cuts import Cuts
from metasearch.formats.marc.own import own
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import Entry, FileReading
from metasearch.record import Record


@cache
def _spec() -> AdapterSpec:
    return build(shipped_table("sru"), "sru.toml", shipped_table)


class MarcReader:
    """Makes records of the MARC elements of one file."""

    def __init__(self, reading: FileReading, collector: EntryCollector) -> None:
        self._spec = replace(_spec(), name=reading.name)
        self._shapes = [shape.shape() for shape in self._spec.shapes if shape.body == "marcxml"]
        self._collector = collector

    def put(self, line: int, node: Any, *remarks: str) -> None:
        """Hand the record of an element to the collector. `node`: an lxml element whose children
        are leader, control fields and data fields, with or without namespace.
        """
        cuts = Cuts()
        found = self._collector.attempt(line, lambda: (self._record(node, cuts),))
        if found is None:
            return
        (record,) = found
        if record is None:
            self._collector.lose(
                line, "the record has neither a title nor an identifier, and was left out"
            )
            return
        ours = own(node, record)
        record = ours.record if ours is not None else record
        record = replace(record, source_id=self._collector.own(record.source_id))
        if ours is not None:
            self._collector.keep(Entry(record, line, ours.database, ours.origins))
        else:
            self._collector.keep(Entry(record, line))
        for remark in (*remarks, *cuts.notes()):
            self._collector.remark(line, remark)

    def _record(self, node: Any, cuts: Cuts) -> Record | None:
        """By the first family of MARC in which the record has a title, else is one at all."""
        position = self._collector.position + 1
        records = (record_of(shape, node, position, self._spec, cuts) for shape in self._shapes)
        fallback = None
        for record in records:
            if isinstance(record, Record) and record.title:
                return record
            if isinstance(record, Record) and (record.doi or record.ids or record.isbn):
                fallback = fallback or record
        return fallback
