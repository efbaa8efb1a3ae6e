"""Writes a `Document` in every format; `FORMATS` is the table of them.

The same document has the same bytes each time, on every machine with the same release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.message import message
from metasearch.review.reports.document import Document, Table, check_document, plain, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFormat:
    """A format of reports. `write`: returns the bytes of a document."""

    name: str
    label: str
    ending: str
    media_type: str
    write: Callable[[Document], bytes]


def _html(document: Document) -> bytes:
    from metasearch.review.reports.render.markup import html_page

    return html_page(document)


def _docx(document: Document) -> bytes:
    try:
        import docx as _  # noqa: F401 - whether it is installed
    except ImportError as exc:
        raise UsageError(
            message("Word files need a package that is not installed: python-docx"),
            advice=how_to_install("docx"),
        ) from exc
    from metasearch.review.reports.render.docx import file

    return file(document)


def _markdown(document: Document) -> bytes:
    from metasearch.review.reports.render.markdown import text

    return text(document).encode()


def _svg(document: Document) -> bytes:
    from metasearch.review.reports.render.markup import svg_file

    return svg_file(document)


def _csv(document: Document) -> bytes:
    from metasearch.formats.csv import csv_line

    tables = [block for block in document.blocks if isinstance(block, Table)]
    if len(tables) != 1:
        raise UsageError(
            message("This report is no table"),
            advice=message("Choose another format; the included studies can be written as CSV."),
        )
    return b"".join(csv_line(map(plain, row)) for row in (tables[0].head, *tables[0].rows))


FORMATS: Mapping[str, ReportFormat] = {
    each.name: each
    for each in (
        ReportFormat(
            name="html",
            label="HTML",
            ending="html",
            media_type="text/html; charset=utf-8",
            write=_html,
        ),
        ReportFormat(
            name="docx",
            label="Word",
            ending="docx",
            media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            write=_docx,
        ),
        ReportFormat(
            name="md",
            label="Markdown",
            ending="md",
            media_type="text/markdown; charset=utf-8",
            write=_markdown,
        ),
        ReportFormat(
            name="json",
            label="JSON",
            ending="json",
            media_type="application/json",
            write=to_json,
        ),
        ReportFormat(name="svg", label="SVG", ending="svg", media_type="image/svg+xml", write=_svg),
        ReportFormat(
            name="csv",
            label="CSV",
            ending="csv",
            media_type="text/csv; charset=utf-8",
            write=_csv,
        ),
    )
}


def write(document: Document, format: str) -> bytes:  # noqa: A002, as everywhere
    """The document in a format of `FORMATS`. Raises UsageError: there is no such format, it needs a
    package that is not installed (docx), or it cannot hold the document (svg: no diagram; csv: not
    one table).
    """
    if format not in FORMATS:
        raise UsageError(
            message("There is no format {name} for reports", name=repr(format[:40])),
            advice=message("There are {names}.", names=", ".join(FORMATS)),
        )
    return FORMATS[format].write(check_document(document))


def format_of(file_name: str) -> str:
    """The format of a file's ending. Raises UsageError: no format has this ending."""
    _, dot, ending = file_name.rpartition(".")
    for each in FORMATS.values():
        if dot and ending.lower() == each.ending:
            return each.name
    raise UsageError(
        message("{file} has the ending of no format for reports", file=repr(file_name[-80:])),
        advice=message(
            "End its name with {endings}.",
            endings=", ".join(f".{each.ending}" for each in FORMATS.values()),
        ),
    )
