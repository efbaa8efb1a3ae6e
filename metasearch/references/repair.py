"""Repair a file of references: fields of BibTeX entries whose work is known beyond doubt.

Nothing else of the file changes, not a byte. Each repair is proved: the repaired file is read and
judged again, and an entry that does not come out without serious differences stays as it was.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.engine.lookup import is_near, shares_doi
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats import bibtex
from metasearch.references import titles
from metasearch.references.check import CheckedReference
from metasearch.references.compare import Difference, judge
from metasearch.references.reader import ReferenceList, read_references
from metasearch.references.reference import Reference

#: Field of a record -> its field in what we write of an article, and its names in files.
_NAMES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "title": ("title", ("title",)),
    "authors": ("author", ("author",)),
    "year": ("year", ("year", "date")),
    "venue": ("journal", ("journal", "journaltitle", "booktitle")),
    "volume": ("volume", ("volume",)),
    "issue": ("number", ("number", "issue")),
    "pages": ("pages", ("pages",)),
    "doi": ("doi", ("doi",)),
}
#: Fields in which a slight difference is a slip, and no other custom or version.
_SLIPS = frozenset({"title", "volume", "issue", "pages"})
#: Characters of a value that is looked through for its end.
_LONGEST = 100_000

_HEAD = re.compile(
    r"\ufeff?[ \t]*@\s{0,50}[A-Za-z]{1,40}\s{0,50}[{(]\s{0,50}([^\s,{}]{1,200})\s{0,50},"
)
_FIELD = re.compile(r"[\s,]{0,1000}([A-Za-z][\w-]{0,60})\s{0,50}=\s{0,50}")
_END = re.compile(r"[\s,]{0,1000}[})]")
_MARK = re.compile(r'\\[{}]|[{}",)]')
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired file.

    Attributes:
        before, after: The bytes of the file.
        keys: Of the references that were repaired.
        left: Key -> why a reference with serious differences stays as it is.
    """

    before: bytes
    after: bytes
    encoding: str
    keys: tuple[str, ...]
    left: Mapping[str, str]

    def diff(self, name: str) -> Iterator[str]:
        """The unified diff, line by line."""
        old, new = (
            data.decode(self.encoding).splitlines(keepends=True)
            for data in (self.before, self.after)
        )
        for text in difflib.unified_diff(old, new, name, name):
            yield text if text.endswith("\n") else f"{text}\n"


#: A span of a text, and what is put there.
_Edit = tuple[int, int, str]


def repair(
    data: bytes,
    name: str,
    listed: ReferenceList,
    checked: Sequence[CheckedReference],
    *,
    encoding: str | None = None,
) -> Repair:
    """Repair what differs in references whose work is known, and add DOIs that are missing.

    Args:
        data, name, encoding: Of the file that was read, as of `read_references`.
        listed: What was read of it.

    Raises:
        UsageError: It is no BibTeX, or cannot be written again as it was.
    """
    text = require_repairable(data, name, listed, encoding)
    known = encoding or "utf-8"
    starts = [0, *(hit.end() for hit in _LINE_END.finditer(text))]
    edits: dict[str, list[_Edit]] = {}
    left: dict[str, str] = {}
    for each in checked:
        wanted = _wanted(each)
        serious = any(difference.serious for difference in each.differences)
        if not _is_certain(each):
            found, why = None, "it is not certain which work is meant"
        else:
            found = _edits(text, starts, each, wanted, known)
            why = "its entry cannot be repaired without doubt"
        if not _is_serious(each.differences):
            why = "a notice about its work cannot be repaired"
        if found:
            edits[each.reference.key] = found
        elif serious:
            left[each.reference.key] = why
    by_key = {each.reference.key: each for each in checked}
    after = text
    while edits:
        after = _with(text, [edit for found in edits.values() for edit in found])
        wrong = _wrong(
            after.encode(known), name, listed, {key: by_key[key] for key in edits}, known
        )
        for key in wrong:
            del edits[key]
            if _is_serious(by_key[key].differences):
                left[key] = "its entry cannot be repaired without doubt"
        if not wrong:
            break
        after = text
    return Repair(data, after.encode(known), known, tuple(edits), left)


def require_repairable(
    data: bytes, name: str, listed: ReferenceList, encoding: str | None = None
) -> str:
    """The text of a file. Raises UsageError: as of `repair`."""
    if listed.format != "bibtex":
        what = f"{name}: {listed.format} cannot be repaired"
        raise UsageError(what, advice="Only BibTeX can; convert the list first.")
    known = encoding or "utf-8"
    try:
        text = data.decode(known)
        if text.encode(known) != data:
            raise ValueError
    except (ValueError, LookupError):
        what = f"{name}: it cannot be repaired, for its encoding is unclear"
        raise UsageError(what, advice="Save it in UTF-8 without compression.") from None
    return text


def _is_serious(differences: Iterable[Difference]) -> bool:
    """Whether one is serious that a repair may take away."""
    return any(each.serious and each.field != "notice" for each in differences)


def _is_certain(checked: CheckedReference) -> bool:
    """Whether it is certain which work is meant: two of title, authors and DOI agree, or title,
    venue and year do; and its title is no wholly other one.
    """
    if checked.hit is None or checked.verdict in ("another-version", "not-found", "unchecked"):
        return False
    written, found = checked.reference.record, checked.hit.record
    differing = {each.field for each in checked.differences if each.serious}
    agreeing = {
        name
        for name in ("authors", "year", "venue")
        if name not in differing and getattr(written, name) and getattr(found, name)
    }
    title = titles.read(written)
    relations = [titles.relation(title, titles.read(record)) for record in checked.hit.records]
    if any(each is not None and each.kind in ("same", "spelt") for each in relations):
        agreeing.add("title")
    elif not is_near(written, found):
        return False
    if any(shares_doi(written, record) for record in checked.hit.records):
        agreeing.add("doi")
    return len(agreeing & {"title", "authors", "doi"}) > 1 or agreeing >= {"title", "venue", "year"}


def _wanted(checked: CheckedReference) -> set[str]:
    """The fields of the record that are to be changed."""
    found = {
        each.field
        for each in checked.differences
        if (each.serious and each.field != "notice") or (each.field in _SLIPS and each.found)
    }
    if checked.hit and checked.hit.record.doi and not checked.reference.record.doi:
        found.add("doi")
    return found


def _edits(
    text: str, starts: Sequence[int], checked: CheckedReference, wanted: set[str], encoding: str
) -> list[_Edit] | None:
    """The changes to an entry; None if one of them cannot be made."""
    hit, at = checked.hit, checked.reference.line
    if hit is None or at is None or at > len(starts) or not wanted <= _NAMES.keys():
        return None
    spans = _spans(text, starts[at - 1], checked.reference.record.source_id)
    if not spans:
        return None
    values = dict(bibtex.fields_of(hit, "article"))
    edits: list[_Edit] = []
    for field in sorted(wanted):
        ours, names = _NAMES[field]
        value = values.get(ours)
        if value is None or not _can_encode(value, encoding):
            return None
        there = [spans[name] for name in names if name in spans]
        if len(there) > 1 and field != "year":
            return None
        if there:
            edits += [(start, end, value) for start, end in there]
        elif field == "doi" and not {"crossref", "xdata"} & spans.keys():
            edits.append(_addition(text, max(spans.values()), value))
        else:
            return None
    return edits


def _can_encode(value: str, encoding: str) -> bool:
    try:
        value.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _addition(text: str, last: tuple[int, int], value: str) -> _Edit:
    """A field "doi" behind the last field, indented as the line of that one."""
    start, end = last
    begin = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    indent = re.match(r"[ \t]*", text[begin:start])
    new = "\r\n" if text[:begin].endswith("\r\n") else text[begin - 1 : begin]
    before = (
        f"{new}{indent.group() if indent else ''}" if new and "@" not in text[begin:start] else " "
    )
    return end, end, f",{before}doi = {value}"


def _spans(text: str, start: int, key: str) -> dict[str, tuple[int, int]]:
    """Name of a field -> where its value stands, delimiters included; {} of an entry that is not
    read through, or has a field twice.
    """
    head = _HEAD.match(text, start)
    if head is None or head[1] != key:
        return {}
    spans: dict[str, tuple[int, int]] = {}
    at = head.end()
    while field := _FIELD.match(text, at):
        at, name = _value_end(text, field.end()), field[1].lower()
        if at <= field.end() or name in spans:
            return {}
        spans[name] = field.end(), field.end() + len(text[field.end() : at].rstrip())
    return spans if _END.match(text, at) else {}


def _value_end(text: str, start: int) -> int:
    """Where the comma or brace behind a value stands; -1 if nothing ends it."""
    depth, quoted = 0, False
    for hit in _MARK.finditer(text, start, start + _LONGEST):
        mark = hit.group()
        if mark == "{":
            depth += 1
        elif mark == "}" and depth:
            depth -= 1
        elif mark == '"' and not depth:
            quoted = not quoted
        elif mark in (",", "}", ")") and not depth and not quoted:
            return hit.start()
    return -1


def _wrong(
    data: bytes,
    name: str,
    listed: ReferenceList,
    edited: Mapping[str, CheckedReference],
    encoding: str,
) -> set[str]:
    """Keys of entries whose repair does not hold: a serious difference stays, or what is read is
    not what was meant. All of them where it harms an entry that was not edited.
    """
    try:
        again = read_references(data, name, format=listed.format, encoding=encoding)
    except FileFormatError:
        return set(edited)
    now = {each.key: each for each in again.references}
    if now.keys() != {each.key for each in listed.references} or any(
        now[each.key].record != each.record for each in listed.references if each.key not in edited
    ):
        return set(edited)
    return {key for key, each in edited.items() if not _holds(each, now[key])}


def _holds(checked: CheckedReference, now: Reference) -> bool:
    if checked.hit is None:
        return False
    judged = judge(now, checked.hit.records, doi_known=None)
    still = {each.field for each in judged.differences}
    mended = not _is_serious(judged.differences) and still.isdisjoint(_wanted(checked))
    return bool(judged.records) and mended


def _with(text: str, edits: Sequence[_Edit]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, value in sorted(edits):
        parts += (text[at:start], value)
        at = end
    return "".join([*parts, text[at:]])
