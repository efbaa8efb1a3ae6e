"""A `Document` as a Word file (.docx). python-docx makes the package and its styles; it comes with
the extra `docx` and is imported here only.

Paragraphs and tables are written as WordprocessingML (ISO/IEC 29500-1) by docx_parts.py: a table of
a thousand rows takes python-docx seconds.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterator
from typing import Any

from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.message import message
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    Fields,
    Figure,
    Heading,
    Items,
    PageBreak,
    Paragraph,
    Quote,
    Remark,
    Signatures,
    Table,
    speaker,
)

#: The date of everything in the file: the same document has the same bytes.
_DATE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_ZIP_DATE = (2000, 1, 1, 0, 0, 0)


def file(document: Document) -> bytes:
    """The file. Raises UsageError: python-docx is not installed."""
    try:
        import docx
    except ImportError as exc:
        raise UsageError(
            message("Word files need a package that is not installed: python-docx"),
            advice=how_to_install("docx"),
        ) from exc
    from metasearch.review.reports.render.docx_parts import prepare

    word = docx.Document()
    prepare(word, document)
    writer = _Writer(word, document)
    end = word.element.body.sectPr
    for element in writer.elements():
        end.addprevious(element)
    properties = word.core_properties
    properties.title = document.title[:255]
    properties.author = properties.last_modified_by = "metasearch"
    properties.comments = properties.keywords = ""
    properties.language = "zh-CN" if document.language == "zh" else "en"
    properties.created = properties.modified = _DATE
    properties.revision = 1
    out = io.BytesIO()
    word.save(out)
    return _with_fixed_dates(out.getvalue())


class _Writer:
    """Turns blocks into the elements of the body."""

    def __init__(self, word: Any, document: Document) -> None:
        from metasearch.review.reports.render.docx_parts import Parts

        self._word = word
        self._document = document
        self._parts = Parts(word, document.language)

    def elements(self) -> Iterator[Any]:
        document, parts = self._document, self._parts
        say = speaker(document.language)
        yield parts.paragraph(document.title, "Title")
        if document.subtitle:
            yield parts.paragraph(document.subtitle, "Subtitle")
        if document.cover:
            yield from parts.fields(document.cover, cover=document.cover_page)
        if document.cover_page:
            yield parts.page_break()
        if document.draft:
            title = say("Draft: this report is not finished", "草稿：本报告尚未完成")
            yield parts.paragraph(title, "Warning")
            for each in document.draft:
                yield parts.paragraph(f"• {each}", "Warning")
            yield parts.paragraph("", "Table Cell")
        for block in document.blocks:
            yield from self._block(block)

    def _block(self, block: Block) -> Iterator[Any]:
        parts = self._parts
        match block:
            case Heading():
                shown = f"{block.number} {block.text}" if block.number else block.text
                yield parts.paragraph(shown, f"Heading {block.level}")
            case Paragraph():
                yield parts.paragraph(block.text, "Body Text")
            case Fields():
                yield from parts.fields(block.rows)
            case Table():
                yield from parts.table(block)
            case Items():
                style = "List Number" if block.ordered else "List Bullet"
                number = parts.new_numbering(block.start) if block.ordered else None
                for each in block.items:
                    yield parts.paragraph(each, style, numbering=number)
            case Code():
                if block.label:
                    yield parts.paragraph(block.label, "Caption")
                yield parts.paragraph(block.text, "Search String")
            case Quote():
                yield parts.paragraph(block.text, "Quote")
            case Remark():
                yield parts.paragraph(block.text, "Warning" if block.warning else "Remark")
            case PageBreak():
                yield parts.page_break()
            case Signatures():
                for label, value in block.lines:
                    yield parts.signature(label, value)
            case Figure():
                yield parts.paragraph(block.title, "Caption")
                yield from parts.boxes(block)
                yield from parts.table(block.table)


def _with_fixed_dates(content: bytes) -> bytes:
    """The same package with one date everywhere, in the order of the names.

    Nothing is compressed: how it is compressed depends on the release of zlib.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        # The list of content types stands first, as readers that stream expect.
        for name in sorted(old.namelist(), key=lambda it: (it != "[Content_Types].xml", it)):
            info = zipfile.ZipInfo(name, _ZIP_DATE)
            info.create_system = 0  # else it tells the operating system
            new.writestr(info, old.read(name))
    return out.getvalue()
