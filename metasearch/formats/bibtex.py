"""BibTeX and biblatex (.bib), as written by reference managers, publishers, and hand.

The text is cut at lines that begin an entry, and bibtexparser reads each piece by itself, so that
an entry that is broken costs only itself. What stands between entries is a comment by BibTeX's
rules; where it looks like an entry that was damaged, that is told.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from metasearch.formats.bibtex.entry import draft
from metasearch.formats.bibtex.values import MOST_REPEATED, Values, evaluated, separated
from metasearch.formats.reading.drafts import Draft
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.text_pieces import DecodedText

#: Characters of an entry, and of the comment behind it.
LARGEST = 4_000_000
#: Entries that describe no work.
_NO_WORKS = frozenset(
    {"comment", "string", "preamble", "set", "control", "xdata", "bibtex", "alias"}
)
#: What an entry takes from the one that it names in `crossref`: of the volume, never what is the
#: volume's own alone.
_INHERITED = frozenset(
    "booktitle year date month publisher editor series volume journal journaltitle language "
    "langid school institution "
    "organization issn".split()
)
_CHILDREN = frozenset(
    {"inproceedings", "conference", "incollection", "inbook", "inreference", "bookinbook"}
)

_START = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+[ \t]*[{(]", re.MULTILINE)
_FIRST = re.compile(
    r"^[ \t]*@[ \t]*(?:(?:string|preamble|comment)[ \t]*[{(]|[a-z]+\s*[{(][^\n,{}()=\"#%]{0,200},)",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = re.compile(r"@[ \t]*([A-Za-z]+)[ \t]*[{(]([^\n,{}()=\"#%]{0,200}),")
_KIND = re.compile(r"@[ \t]*([A-Za-z]+)[ \t]*[{(]")
_DAMAGED_HEAD = re.compile(
    r"^[ \t]{0,9}@[A-Za-z]|[A-Za-z]{1,20}\s{0,9}[{(][ \t]{0,9}[^\s,{}()=\"]{1,200}[ \t]{0,9},",
    re.MULTILINE,
)
_FIELD_LINE = re.compile(r"^[ \t]*,?[ \t]*[A-Za-z][\w-]{1,30}[ \t]*=[ \t]*[{\"\d]", re.MULTILINE)

logging.getLogger("bibtexparser").addHandler(
    logging.NullHandler()
)  # what it complains of is told in our own words


@dataclass(slots=True)
class _BibtexEntry:
    """An entry as it stands in the file, its values still as they are delimited there."""

    kind: str
    key: str
    line: int
    fields: dict[str, str]
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Lost:
    """What is no entry: how many works are lost by it, and why."""

    line: int
    why: str
    count: int


@dataclass(slots=True)
class _File:
    """What the pieces of a file hold, in order."""

    found: list[_BibtexEntry | _Lost] = field(default_factory=list)
    strings: dict[str, str] = field(default_factory=dict)


def looks_like(head: str) -> bool:
    """Whether a text begins as BibTeX: with an entry, however much comment is before it."""
    return _FIRST.search(head) is not None


def read(text: DecodedText, reading: FileReading) -> None:
    """Read a .bib file, held as a whole because its entries name one another."""
    file = _File()
    for line, piece in _pieces(text.whole()):
        if len(piece) > LARGEST and len(piece.strip()) > LARGEST:
            file.found.append(
                _Lost(line, f"an entry of more than {LARGEST:,} characters was left out", 1)
            )
        else:
            _parse(piece, line, file)
    collector = EntryCollector(reading)
    entries = {
        entry.key.lower(): entry
        for entry in reversed(file.found)
        if isinstance(entry, _BibtexEntry) and entry.key
    }
    values = Values(file.strings)
    seen: dict[str, int] = {}
    for block in file.found:
        if isinstance(block, _Lost):
            collector.lose(block.line, block.why, block.count) if block.count else collector.remark(
                block.line, block.why
            )
        elif block.kind not in _NO_WORKS:
            if block.key and (first := seen.setdefault(block.key, block.line)) != block.line:
                block.remarks.append(
                    f"the key {block.key[:100]!r} is that of the entry in line {first}, too; both "
                    f"were kept"
                )
            collector.put(block.line, _describer(block, entries, values))
    if not file.found:
        collector.remark(0, "no entry was found: one begins with @article{key, or the like")


def _describer(
    entry: _BibtexEntry, entries: dict[str, _BibtexEntry], values: Values
) -> Callable[[], Draft]:
    def describe() -> Draft:
        fields, remarks = values.of(entry.fields)
        remarks += _inherit(fields, entry, entries, values)
        made = draft(entry.kind, entry.key, fields)
        made.problems += [*entry.remarks, *remarks]
        return made

    return describe


def _inherit(
    fields: dict[str, str], entry: _BibtexEntry, entries: dict[str, _BibtexEntry], values: Values
) -> list[str]:
    """Fill in from `crossref`'s entry, and from those of `xdata`; remarks on their values."""
    remarks: list[str] = []
    names = [("crossref", fields.get("crossref", ""))]
    names += [("xdata", name) for name in fields.get("xdata", "").split(",")[:10]]
    for how, name in names:
        parent = entries.get(name.strip().lower())
        if parent is None or parent is entry:
            continue
        inherited, told = values.of(parent.fields)
        remarks += told
        for key, value in inherited.items():
            if how == "xdata" or key in _INHERITED:
                fields.setdefault(key, value[:MOST_REPEATED])
            elif key in ("title", "subtitle") and entry.kind in _CHILDREN:
                fields.setdefault(f"book{key}", value[:MOST_REPEATED])
    return remarks


# --------------------------------------------------------------------------- pieces and blocks


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text cut before every line that begins an entry, each piece with its first line."""
    start, line = 0, 1
    for cut in [*(hit.start() for hit in _START.finditer(text)), len(text)]:
        if cut > start:
            piece = text[start:cut]
            yield line, piece
            start, line = cut, line + piece.count("\n")


def _parse(piece: str, line: int, file: _File, *, again: bool = True) -> None:
    """Put a piece into the file. `again`: whether to look for entries in a broken one."""
    from bibtexparser import model
    from bibtexparser.entrypoint import parse_string

    if "=" not in piece:  # nothing in it has a value: spared the parser, which is slow to give up
        _without_fields(piece, line, file)
        return
    try:
        blocks = parse_string(piece, parse_stack=[]).blocks
    except Exception as exc:
        _broken(piece, line, f"{type(exc).__name__}: {exc}", file, again=again)
        return
    for block in blocks:
        at = line + (block.start_line or 0)
        if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
            twice = ", ".join(sorted(getattr(block, "duplicate_keys", ())))
            remark = [f"given twice, the first with a text was taken: {twice}"] if twice else []
            inner = block.ignore_error_block
            if isinstance(inner, model.Entry):
                file.found.append(_entry(inner, at, remark))
            elif isinstance(inner, model.String):
                _define(inner, file)
        elif isinstance(block, model.Entry):
            file.found.append(_entry(block, at, []))
        elif isinstance(block, model.String):
            _define(block, file)
        elif isinstance(block, model.ImplicitComment):
            _remains(block.comment or "", at, file)
        elif isinstance(block, model.ParsingFailedBlock):
            reason = getattr(block.error, "abort_reason", str(block.error))
            _broken(block.raw or "", at, " ".join(str(reason).split()), file, again=again)


def _without_fields(piece: str, line: int, file: _File) -> None:
    heads = [hit for hit in _KIND.finditer(piece) if hit[1].lower() not in _NO_WORKS]
    if heads:
        file.found.append(_Lost(line, "the entry has no fields and was left out", len(heads)))


def _entry(block: Any, line: int, remarks: list[str]) -> _BibtexEntry:
    fields: dict[str, str] = {}
    for known in block.fields:
        name = known.key.strip().lower()
        for key, value in separated(name, known.value):
            if not fields.get(key, "").strip('{}" \t\n'):
                fields[key] = value
            if key != name:
                remarks = [
                    *remarks,
                    f"a comma is missing before {key}; it was read as if it were there",
                ]
    return _BibtexEntry(block.entry_type.strip().lower(), block.key.strip(), line, fields, remarks)


def _define(block: Any, file: _File) -> None:
    value, _ = evaluated(str(block.value), file.strings)
    file.strings[block.key.strip().lower()] = value[:MOST_REPEATED]


def _broken(raw: str, line: int, reason: str, file: _File, *, again: bool) -> None:
    """Tell a block that cannot be read; entries that it has swallowed are read by themselves."""
    heads = [hit for hit in _HEAD.finditer(raw) if hit[1].lower() not in _NO_WORKS]
    kind = raw.lstrip()[1:].partition("{")[0].partition("(")[0].strip().lower()
    own = [] if kind in _NO_WORKS else heads[:1]
    inner = heads[len(own) :] if again else []
    if kind in ("string", "preamble"):
        file.found.append(_Lost(line, f"@{kind} could not be read: {reason}", 0))
    elif kind not in _NO_WORKS:
        name = f"the entry {own[0][2].strip()[:100]!r}" if own else "an entry"
        count = 1 if again else max(1, len(heads))
        file.found.append(
            _Lost(line, f"{name} could not be read and was left out: {reason}", count)
        )
    ends = [*(hit.start() for hit in inner[1:]), len(raw)]
    at = 0
    for hit, end in zip(inner, ends, strict=False):
        line += raw.count("\n", at, hit.start())
        at = hit.start()
        _parse(raw[at:end], line, file, again=False)


def _remains(comment: str, line: int, file: _File) -> None:
    """Tell text between entries that is no comment of a person: what is left of a damaged entry."""
    lines = len(_FIELD_LINE.findall(comment))
    heads = len(_DAMAGED_HEAD.findall(comment)) if lines or "=" in comment else 0
    if heads:
        why = "what looks like an entry does not begin as one (@article{key, ...) and was left out"
        file.found.append(_Lost(line, why, heads))
    elif lines:
        file.found.append(_Lost(line, "fields behind the end of an entry were left out", 0))
