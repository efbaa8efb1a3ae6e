"""PubMed's XML, read: what efetch answers, and the files of the whole of PubMed."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from metasearch.adapters.parse.parse import record_of
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.specfile import build, shipped_table
from metasearch.bib.field_limits import Cuts, cut_others
from metasearch.formats.reading.encodings import Bytes
from metasearch.formats.reading.items import elements, text_of_file
from metasearch.formats.reading.result import Entry, EntryCollector, FileReading

# PubmedArticle and PubmedBookArticle, bare or in a set. Fields are read by the rules of the adapter
# (adapter_specs/pubmed.toml), so a file and an answer give the same records. Files that bring
# PubMed up to date name the records that are no more, in DeleteCitation; nothing is deleted here.
# Until 2015 MEDLINE was a set of MedlineCitation alone, which now stands within PubmedArticle.

_ARTICLES = "PubmedArticle|PubmedBookArticle|DeleteCitation"
_CITATIONS = "MedlineCitation|DeleteCitation"
_HEAD = re.compile(
    r"<(?:Pubmed(?:Book)?Article(?:Set)?|MedlineCitationSet)[\s>]"
    r"|<!DOCTYPE\s{1,9}(?:Pubmed(?:Book)?Article|MedlineCitation)Set[\s>]"
)
#: Elements that no field of a record holds -> the tag that PubMed's other format has for them.
_BESIDE = {
    "OtherAbstract": "OAB",
    "Investigator": "IR",
    "GrantID": "GR",
    "NameOfSubstance": "RN",
    "GeneralNote": "GN",
    "CoiStatement": "COIS",
}
#: The same of other records that are named, by what they are to this one.
_OTHERS = {
    "RetractionIn": "RIN",
    "RetractionOf": "ROF",
    "ErratumIn": "EIN",
    "ErratumFor": "EFR",
    "CommentIn": "CIN",
    "CommentOn": "CON",
    "UpdateIn": "UIN",
    "UpdateOf": "UOF",
}
#: Characters in which a set of the old kind is told.
_START = 8_000
#: PMIDs of deleted records that are named.
_MOST_NAMED = 10


def looks_like(head: str) -> bool:
    return _HEAD.search(head) is not None


def read(content: Bytes, reading: FileReading) -> None:
    text = text_of_file(content, reading)
    collector = EntryCollector(reading)
    spec = replace(_spec(), name=reading.name)
    alone = "<MedlineCitationSet" in text.head(_START)
    names = _CITATIONS if alone else _ARTICLES
    for found in elements(text, rf"<(?:{names})(?:\s[^<>]*)?>", collector, names):
        if found.node.tag == "DeleteCitation":
            collector.remark(found.line, _note_on_deletions(found.node))
        else:
            _put(collector, spec, found.line, found.node.getparent() if alone else found.node)
        if found.mended:
            collector.remark(found.line, found.mended)


@cache
def _spec() -> AdapterSpec:
    return build(shipped_table("pubmed"), "pubmed.toml", shipped_table)


def _put(collector: EntryCollector, spec: AdapterSpec, line: int, node: Any) -> None:
    cuts = Cuts()
    position = collector.position + 1
    # The first shape of the adapter is that of efetch.
    record = collector.attempt(
        line, lambda: record_of(spec.shapes[0].shape(), node, position, spec, cuts)
    )
    if record is None:
        return
    if isinstance(record, str):
        collector.lose(line, f"the record has {record}, and was left out")
        return
    record = replace(record, source_id=collector.own(record.source_id))
    collector.keep(Entry(record, line, "PubMed", given=cut_others(_beside(node), cuts)))
    if not record.title:
        collector.remark(line, "the record has no title; it was kept")
    for remark in cuts.notes():
        collector.remark(line, remark)


def _beside(node: Any) -> list[tuple[str, str]]:
    """Tags and texts of what no field holds."""
    return [
        (tag, text)
        for one in node.iter(*_BESIDE, "CommentsCorrections")
        if (tag := _BESIDE.get(one.tag) or _OTHERS.get(one.get("RefType")))
        and (text := " ".join(" ".join(one.itertext()).split()))
    ]


def _note_on_deletions(node: Any) -> str:
    numbers = [number for one in node.iter("PMID") if (number := (one.text or "").strip())]
    more = len(numbers) - _MOST_NAMED
    named = ", ".join(numbers[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return f"PubMed has deleted records that older files may hold; none was deleted here: {named}"
