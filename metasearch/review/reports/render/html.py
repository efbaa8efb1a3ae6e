"""A `Document` as HTML: a file of its own with a style sheet for screen and paper, or only its body
for a page that has a sheet already. No script, nothing from elsewhere, no style attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from lxml import etree
from lxml.builder import ElementMaker

from metasearch.bib.web_addresses import web_url
from metasearch.workspace.reports.document import (
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
    Text,
    spans,
)
from metasearch.workspace.reports.document_json import checked
from metasearch.workspace.reports.render.sheet import SHEET
from metasearch.workspace.reports.render.svg import drawing
from metasearch.workspace.reports.words import speaker

_E = ElementMaker()
_LANGUAGES = {"en": "en", "zh": "zh-Hans"}


def page(document: Document) -> bytes:
    """The file, UTF-8."""
    head = _E.head(
        _E.meta(charset="utf-8"),
        _E.meta(name="viewport", content="width=device-width, initial-scale=1"),
        _E.meta(name="generator", content="metasearch"),
        _E.title(document.title),
        _E.style(SHEET),
    )
    whole = _E.html(head, _E.body(_article(document, 1)), lang=_LANGUAGES[document.language])
    return b"<!doctype html>\n" + _written(whole).encode() + b"\n"


def body(document: Document, level: int = 1) -> str:
    """The element `article` alone, for a page of ours."""
    return _written(_article(checked(document), level))


def _written(element: Any) -> str:
    text: str = etree.tostring(element, method="html", encoding="unicode")
    return text


def _article(document: Document, level: int) -> Any:
    say = speaker(document.language)
    classes = f"report report-{document.language}{' formal' if document.cover_page else ''}"
    article = _E.article({"class": classes, "lang": _LANGUAGES[document.language]})
    header = _E.header({"class": "cover-page" if document.cover_page else "cover"})
    header.append(_heading(level, document.title))
    if document.subtitle:
        header.append(_E.p(document.subtitle, {"class": "subtitle"}))
    if document.cover:
        header.append(_fields(Fields(rows=document.cover)))
    article.append(header)
    if document.draft:
        draft = _E.section(
            _E.p(_E.strong(say("Draft: this report is not finished", "草稿：本报告尚未完成"))),
            _E.ul(*(_E.li(each) for each in document.draft)),
            {"class": "draft"},
        )
        article.append(draft)
    figures = 0
    for block in document.blocks:
        if isinstance(block, Figure):
            figures += 1
            article.append(_figure(block, f"figure-{figures}"))
        else:
            article.append(_block(block, level))
    return article


def _heading(level: int, *content: Any) -> Any:
    return _E(f"h{min(level, 6)}", *content)


def _block(block: Block, level: int) -> Any:
    match block:
        case Heading():
            number = [_E.span(block.number, {"class": "number"}), " "] if block.number else []
            return _heading(level + block.level, *number, block.text)
        case Paragraph():
            return _E.p(*_inline(block.text))
        case Fields():
            return _fields(block)
        case Table():
            return _table(block)
        case Items():
            items = [_E.li(*_inline(each)) for each in block.items]
            if not block.ordered:
                return _E.ul(*items)
            return _E.ol(*items, {} if block.start == 1 else {"start": str(block.start)})
        case Code():
            code = _E.pre(_E.code(block.text))
            label = [_E.figcaption(block.label)] if block.label else []
            return _E.figure(*label, code, {"class": "sent"})
        case Quote():
            return _E.blockquote(_E.p(*_inline(block.text)))
        case Remark():
            name = "remark warning" if block.warning else "remark"
            return _E.p(*_inline(block.text), {"class": name})
        case PageBreak():
            return _E.div({"class": "page-break"})
        case Signatures():
            rows = [
                _E.div(_E.dt(label), _E.dd(value or "\N{NO-BREAK SPACE}"))
                for label, value in block.lines
            ]
            return _E.dl(*rows, {"class": "signatures"})
        case Figure():
            return _figure(block, "figure")


def _inline(text: Text) -> Iterator[Any]:
    """Texts and elements; a line end becomes an element."""
    for part in spans(text):
        pieces: list[Any] = []
        for number, line in enumerate(part.text.split("\n")):
            pieces += [_E.br(), line] if number else [line]
        for tag, wanted in (
            ("sup", part.superscript),
            ("em", part.italic),
            ("strong", part.bold),
        ):
            if wanted:
                pieces = [_E(tag, *pieces)]
        if address := web_url(part.link):
            pieces = [_E.a(*pieces, href=address, rel="noopener noreferrer")]
        yield from pieces


def _fields(fields: Fields) -> Any:
    rows = [_E.div(_E.dt(label), _E.dd(*_inline(value))) for label, value in fields.rows]
    return _E.dl(*rows, {"class": "fields"})


def _table(table: Table) -> Any:
    element = _E.table()
    if table.caption:
        element.append(_E.caption(table.caption))
    if table.widths:
        whole = sum(table.widths)
        shares = [f"{100 * width / whole:.1f}%" for width in table.widths]
        element.append(_E.colgroup(*(_E.col(width=share) for share in shares)))
    cell = partial(_cell, table)
    head = [
        # A head without words is none.
        cell(number, "th", text, scope="col") if text else cell(number, "td", text)
        for number, text in enumerate(table.head)
    ]
    element.append(_E.thead(_E.tr(*head)))
    content = _E.tbody()
    for row in table.rows:
        line = _E.tr()
        for number, text in enumerate(row):
            if number == 0 and table.row_heads:
                line.append(cell(number, "th", text, scope="row"))
            else:
                line.append(cell(number, "td", text))
        content.append(line)
    element.append(content)
    return _E.div(element, {"class": "scroll", "tabindex": "0"})


def _cell(table: Table, number: int, tag: str, text: Text, **attributes: str) -> Any:
    kind = {"class": "num"} if number in table.numbers else {}
    return _E(tag, *_inline(text), attributes, kind)


def _figure(figure: Figure, mark: str) -> Any:
    return _E.figure(
        _E.div(drawing(figure, _E, mark), {"class": "scroll", "tabindex": "0"}),
        _E.figcaption(figure.title),
        _table(figure.table),
        {"class": "diagram"},
    )
