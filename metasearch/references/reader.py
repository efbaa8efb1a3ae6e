"""Reads a list of references from a file of any kind: an export, a Word document, plain text."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from metasearch.bib.field_limits import Cuts, cut_fields
from metasearch.bib.names import means_others, without_others
from metasearch.errors import FileFormatError
from metasearch.formats import READABLE
from metasearch.formats.bibtex_names import ends_with_others
from metasearch.formats.reading import detect, foreign, read_bytes, zip_directory
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.files import Content
from metasearch.formats.reading.result import Entry, FileProblem, FileReading, in_short
from metasearch.record import Record
from metasearch.references import plain_text
from metasearch.references.reference import Reference

#: What stands for nothing in a file.
_BLANKS = b"\x00\x1a\t\r\n\f\v \xef\xbb\xbf"
#: Formats beside those of `metasearch.formats`.
DOCX, TEXT = "docx", "text"
#: Bytes of a file, references of a list, and lines without one that are told.
MOST_BYTES, MOST_REFERENCES, MOST_UNREAD = 20_000_000, 20_000, 20
#: Bytes of the text of a Word document, unpacked.
MOST_DOCUMENT = 30_000_000
_DOCUMENT = "word/document.xml"
_SHOWN = 60
#: Tags that hold names; what stands for others is kept beside a record.
_OF_AUTHORS = frozenset(("author", "authors", "AU", "A1", "%A", "FAU"))


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """The references of a file in their order.

    Attributes:
        format: One of `metasearch.formats.READABLE`, "docx" or "text".
        problems: What belongs to no reference or could not be read, with its line.
    """

    references: tuple[Reference, ...]
    format: str
    problems: tuple[FileProblem, ...] = ()


def read_references(
    data: bytes,
    name: str,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
) -> ReferenceList:
    """The references that a file holds.

    Args:
        data: The file; it may be gzipped.
        name: What it is called in reports; its ending tells the format where the content does not.
        format: One of `metasearch.formats.READABLE`, "docx" or "text"; detected if None.
        encoding: As Python calls it; detected if None.

    Raises:
        FileFormatError: It is of a kind that is not read, is damaged, or holds too much.
    """
    if len(data) > MOST_BYTES:
        what = f"the file is larger than {MOST_BYTES:,} bytes"
        raise FileFormatError(name, what, advice="Give the list of references alone.")
    content = Content(io.BytesIO(data), name, MOST_BYTES)
    known = format or _format_of(content, encoding)
    if known == DOCX:
        with content.seekable() as file:
            return _of_items(list(_paragraphs(file, name)), name, DOCX, [])
    if known == TEXT:
        text = FileText.of(content, encoding)
        lines = list(text.lines_with_numbers(plain_text.LONGEST + 100))
        problems = [*text.problems, *([content.problem] if content.problem else [])]
        return _of_items(lines, name, TEXT, problems)
    reading = read_bytes(data, name, format=known or None, encoding=encoding)
    _check_number(reading.count, name)
    return _of_entries(reading, _others_in(content, encoding) if _is_tagged(known) else [])


def _check_number(count: int, name: str) -> None:
    if count > MOST_REFERENCES:
        what = f"the list has more than {MOST_REFERENCES:,} references"
        raise FileFormatError(name, what, advice="Divide it into several files.")


def _format_of(content: Content, encoding: str | None) -> str:
    """The format of a file; "" where it holds nothing. Raises FileFormatError: it is of a kind that
    is neither an export nor a list of references.
    """
    start = b""
    for block in content.blocks():
        start = start or (block if block.strip(_BLANKS) else b"")
    start = (
        start[: 1 << 16] if start[: 1 << 16].strip(_BLANKS) else start.lstrip(_BLANKS)[: 1 << 16]
    )
    if start.startswith(zip_directory.MAGIC):
        with content.seekable() as file, zip_directory.open_archive(file, content.name) as archive:
            if any(one.startswith("word/") for one in archive.namelist()):
                return DOCX
    if not start:
        return ""
    content.refuse_foreign()
    try:
        return detect(start, content.name, encoding)
    except FileFormatError:
        head = FileText.of(content, encoding).head(8_192)
        found = [foreign.of_text(head, last=last) for last in (False, True)]
        if any(one is not None and not one.has_references for one in found):
            raise
    return TEXT


# Exports.


#: A line of a format of tags that names an author.
_AUTHOR_LINE = re.compile(r"(?:AU|A1|FAU|%A)\s{0,4}-?\s{0,4}(\S.{0,60})$")


def _is_tagged(form: str) -> bool:
    return form in READABLE and not READABLE[form].binary and form not in ("bibtex", "csv")


def _others_in(content: Content, encoding: str | None) -> list[int]:
    """The lines of tags whose author stands for others, which the readers leave out."""
    lines = FileText.of(content, encoding).lines_with_numbers(100)
    return [
        number
        for number, line in lines
        if (hit := _AUTHOR_LINE.match(line)) and means_others(hit[1])
    ]


def _of_entries(reading: FileReading, others: Sequence[int]) -> ReferenceList:
    keys = _Keys()
    starts = [entry.line for entry in reading.entries]
    with_others = {bisect_right(starts, number) - 1 for number in others}
    by_line: dict[int, list[str]] = {}
    for problem in reading.problems:
        by_line.setdefault(problem.line, []).append(problem.message)
    references = tuple(
        Reference(
            key=keys.own(entry.record.source_id, number),
            record=entry.record,
            line=entry.line or None,
            all_authors=not _has_others(entry)
            and number - 1 not in with_others
            and not any(_STANDS_FOR in told for told in by_line.get(entry.line, ())),
            problem="; ".join(by_line.get(entry.line, ()))[:500],
        )
        for number, entry in enumerate(reading.entries, 1)
    )
    return ReferenceList(references, reading.format, tuple(reading.problems))


def _has_others(entry: Entry) -> bool:
    """Whether a name of the authors stands for others; the readers keep it beside the record."""
    return any(
        tag in _OF_AUTHORS and (ends_with_others(value) or without_others(value) != value)
        for tag, value in entry.given
    )


#: What the reader of CSL-JSON says of such a name.
_STANDS_FOR = "a name that stands for others"


class _Keys:
    """Keys of which no two are equal."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def own(self, key: str, number: int) -> str:
        base = key.strip() or str(number)
        found, times = base, 1
        while found in self._taken:
            times += 1
            found = f"{base}-{number}" if times == 2 else f"{base}-{number}-{times}"
        self._taken.add(found)
        return found


# Text.


def _of_items(
    lines: Sequence[tuple[int, str]], name: str, form: str, problems: Sequence[FileProblem]
) -> ReferenceList:
    listed = plain_text.items_of(lines, one_a_line=form == DOCX)
    _check_number(len(listed.items), name)
    keys = _Keys()
    references = []
    for number, item in enumerate(listed.items, 1):
        fields, all_authors, problem = plain_text.parse(item.text)
        cuts = Cuts()
        record = Record(source=name, position=number, **cut_fields(fields, cuts))
        problem = "; ".join(filter(None, (problem, *cuts.notes())))
        text = item.text if len(item.text) <= plain_text.LONGEST else item.text[: plain_text.SHOWN]
        references.append(
            Reference(
                key=keys.own(item.key, number),
                record=record,
                text=text,
                line=item.line if form == TEXT else None,
                all_authors=all_authors,
                problem=problem,
            )
        )
    found = [*problems, *_unread(listed.unread)]
    if not references:
        found.append(FileProblem(0, "no reference was found in it"))
    return ReferenceList(tuple(references), form, tuple(found))


def _unread(lines: Sequence[tuple[int, str]]) -> Iterator[FileProblem]:
    for number, line in lines[:MOST_UNREAD]:
        shown = " ".join(line[:_SHOWN].split()) + ("…" if len(line) > _SHOWN else "")
        yield FileProblem(number, f'this line belongs to no reference: "{shown}"')
    if len(lines) > MOST_UNREAD:
        more = len(lines) - MOST_UNREAD
        yield FileProblem(
            lines[MOST_UNREAD][0], f"{more:,} more lines, from this one on, belong to no reference"
        )


# Word documents.

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_AS_TEXT = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
#: What `zipfile` and the parser raise for a damaged file.
_DAMAGE = (
    EOFError, LookupError, NotImplementedError, OSError, RuntimeError, SyntaxError, ValueError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_ADVICE = "Save it again, or give the list of references as plain text."


def _paragraphs(file: IO[bytes], name: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of a document with their numbers, the lines of a list in one paragraph apart.
    Raises FileFormatError: it is no document of Word, is damaged, or holds too much.
    """
    if file.read(len(zip_directory.MAGIC)) != zip_directory.MAGIC:
        raise FileFormatError(name, "it is no document of Word (.docx)", advice=_ADVICE)
    with zip_directory.open_archive(file, name) as archive:
        try:
            part = archive.getinfo(_DOCUMENT)
        except KeyError:
            what = f"it is no document of Word: {_DOCUMENT} is not in it"
            raise FileFormatError(name, what, advice=_ADVICE) from None
        if part.file_size > MOST_DOCUMENT:
            what = f"its text has more than {MOST_DOCUMENT:,} bytes, unpacked"
            raise FileFormatError(name, what, advice="Give the list of references alone.")
        if part.flag_bits & 1:
            raise FileFormatError(name, "it is encrypted", advice="Save it without a password.")
        try:
            with archive.open(part) as document:
                for number, text in enumerate(_texts(document), 1):
                    lines = text.split("\n")
                    if sum(plain_text.is_labelled(line) for line in lines) < 2:
                        lines = [" ".join(lines)]
                    for line in lines:
                        yield number, line[: plain_text.LONGEST + 100]
        except _DAMAGE as exc:
            what = f"its text, {_DOCUMENT}, is damaged: {in_short(exc)}"
            raise FileFormatError(name, what, advice=_ADVICE) from exc


def _texts(document: IO[bytes]) -> Iterator[str]:
    """The text of each paragraph; a heading begins with "#" as in Markdown."""
    from lxml import etree

    events = etree.iterparse(
        document, events=("end",), resolve_entities=False, load_dtd=False, no_network=True
    )
    parts: list[str] = []
    heading = ""
    for _, node in events:
        if not isinstance(node.tag, str) or not node.tag.startswith((_W, _STRICT)):
            continue
        match node.tag.rpartition("}")[2]:
            case "t":
                parts.append(node.text or "")
            case "tab" | "br" | "cr" | "noBreakHyphen" as word if node.getparent().tag[-2:] == "}r":
                parts.append(_AS_TEXT[word])
            case "pStyle":
                style = next(iter(node.attrib.values()), "").lower()
                heading = "# " if style.startswith(("heading", "标题", "berschrift")) else ""
            case "outlineLvl":
                heading = "# "
            case "p":
                text = "".join(parts)
                yield f"{heading}{text}" if text.strip() else ""
                parts, heading = [], ""
                node.clear()
                while (before := node.getprevious()) is not None:
                    node.getparent().remove(before)
