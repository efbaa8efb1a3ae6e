"""A `Document` as HTML, with its diagrams as SVG and its style sheet.

The diagram of a `Figure` as SVG: attributes and classes only, so that it is drawn where style
sheets are forbidden, and a style sheet may still colour it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from lxml import etree
from lxml.builder import ElementMaker

from metasearch.bib.identifiers import web_url
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.reports.document import (
    Arrow,
    Block,
    Box,
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
    checked,
    spans,
    speaker,
)

NAMESPACE = "http://www.w3.org/2000/svg"
#: Distances inside a box, from its edge to the first base line and between lines.
TOP, LINE, LEFT = 21, 17, 12
_FONT = "Arial, Helvetica, 'Noto Sans', 'Noto Sans CJK SC', 'Microsoft YaHei', sans-serif"
_INK, _RULE, _BAND = "#182326", "#76868d", "#e3eff1"


def drawing(figure: Figure, make: ElementMaker, mark: str = "flow") -> Any:
    """The element `svg`. `make`: makes its elements: with the name space in a file, without in
    HTML. `mark`: what the ids of its title and description begin with; one of each page.
    """
    svg = make.svg(
        make.title(figure.title, id=f"{mark}-title"),
        make.desc(figure.description, id=f"{mark}-text"),
        {
            "class": "flow",
            "viewBox": f"0 0 {figure.width} {figure.height}",
            "width": str(figure.width),
            "height": str(figure.height),
            "role": "img",
            "aria-labelledby": f"{mark}-title {mark}-text",
            "font-family": _FONT,
            "font-size": "12",
            "fill": _INK,
        },
    )
    for arrow in figure.arrows:
        svg.extend(_arrow(arrow, make))
    for box in figure.boxes:
        svg.extend(_box(box, make))
    return svg


def svg_file(document: Document) -> bytes:
    """The first diagram of a document as a file. Raises UsageError: it has none."""
    figures = [block for block in document.blocks if isinstance(block, Figure)]
    if not figures:
        raise UsageError(
            message("This report has no diagram"),
            advice=message("Choose another format; the flow diagram can be written as SVG."),
        )
    make = ElementMaker(namespace=NAMESPACE, nsmap={None: NAMESPACE})
    content: bytes = etree.tostring(
        drawing(figures[0], make), encoding="UTF-8", xml_declaration=True, pretty_print=True
    )
    return content


def _box(box: Box, make: ElementMaker) -> list[Any]:
    place = {name: str(getattr(box, name)) for name in ("x", "y", "width", "height")}
    if box.role == "stage":
        x, y = box.x + box.width // 2 + 4, box.y + box.height // 2
        turned = {"transform": f"translate({x} {y}) rotate(-90)", "text-anchor": "middle"}
        return [
            make.rect(place, {"class": "stage", "rx": "2", "fill": _BAND}),
            make.text(" ".join(box.lines), turned, {"font-weight": "bold"}),
        ]
    out = []
    if box.role == "box":
        out.append(
            make.rect(place, {"class": "box", "rx": "2", "fill": "#ffffff", "stroke": _RULE})
        )
    for number, line in enumerate(box.lines):
        where = {
            "x": str(box.x + LEFT * (box.role == "box")),
            "y": str(box.y + TOP + LINE * number),
        }
        look = {} if number else {"font-weight": "bold"}
        out.append(make.text(line, where, look))
    return out


def _arrow(arrow: Arrow, make: ElementMaker) -> list[Any]:
    line = "M" + "L".join(f"{x} {y}" for x, y in arrow.points)
    (from_x, from_y), (x, y) = arrow.points[-2:]
    if from_x == x:
        back = -7 if y > from_y else 7
        head = f"M{x} {y}l-4 {back}h8z"
    else:
        back = -7 if x > from_x else 7
        head = f"M{x} {y}l{back} -4v8z"
    return [
        make.path({"class": "way", "d": line, "fill": "none", "stroke": _RULE}),
        make.path({"class": "tip", "d": head, "fill": _RULE}),
    ]


# The style sheet of a report that is a file of its own: A4 on paper, light and dark on screen.

SHEET = """
:root { color-scheme: light dark; --paper: #fff; --quiet: #f3f6f6; --ink: #182326; --pale: #52616a;
  --rule: #d6dedf; --edge: #76868d; --accent: #0a5868; --band: #e3eff1; --caution: #7a5200;
  --caution-quiet: #fff6de; }
@media (prefers-color-scheme: dark) { :root { --paper: #11181a; --quiet: #192225; --ink: #e2e9ea;
  --pale: #a2b0b5; --rule: #2e3a3e; --edge: #768891; --accent: #7ecbda; --band: #17353c;
  --caution: #efc466; --caution-quiet: #2b2413; } }
* { box-sizing: border-box; }
html { font: 100%/1.55 "Segoe UI", "Noto Sans", Roboto, Helvetica, Arial, "Noto Sans CJK SC",
  "Microsoft YaHei", sans-serif; color: var(--ink); background: var(--paper); }
body { margin: 0 auto; max-width: 58rem; padding: 2rem 1.25rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, h4, h5 { line-height: 1.3; margin: 1.6em 0 .5em; break-after: avoid; }
h1 { font-size: 1.75rem; margin-top: 0; } h2 { font-size: 1.3rem; } h3 { font-size: 1.08rem; }
h4, h5 { font-size: 1rem; }
p, ul, ol, dl, table, blockquote, figure { margin: .6em 0; }
a { color: var(--accent); overflow-wrap: anywhere; }
.subtitle { color: var(--pale); font-size: 1.08rem; }
.fields > div, .signatures > div { display: grid; grid-template-columns: 13rem minmax(0, 1fr);
  gap: 0 1rem; padding: .25em 0; border-bottom: 1px solid var(--rule); break-inside: avoid; }
dt { color: var(--pale); } dd { margin: 0; overflow-wrap: anywhere; }
.signatures > div { grid-template-columns: max-content 14rem; border: 0; padding-top: 1em; }
.signatures dd { border-bottom: 1px solid var(--edge); }
table { border-collapse: collapse; width: 100%; font-size: .9em; }
caption { text-align: start; font-weight: 600; padding-bottom: .4em; }
th, td { text-align: start; vertical-align: top; padding: .35em .7em .35em 0;
  border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
thead { display: table-header-group; } thead th { border-bottom: 1.5px solid var(--edge);
  vertical-align: bottom; overflow-wrap: normal; }
tbody th { font-weight: 500; } tr { break-inside: avoid; }
.num { text-align: end; font-variant-numeric: tabular-nums; } td.num { white-space: nowrap; }
.scroll { overflow-x: auto; }
figure { margin-inline: 0; } figcaption { color: var(--pale); font-size: .9em; }
pre { margin: .3em 0; padding: .6em .8em; background: var(--quiet); border-radius: 3px;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .86em; line-height: 1.5;
  font-family: ui-monospace, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; }
pre code { font: inherit; }
blockquote { padding-inline-start: 1em; border-inline-start: 3px solid var(--rule); }
blockquote p { margin: .3em 0; }
.remark { padding: .5em .8em; background: var(--quiet); border-radius: 3px; }
.draft, .warning { padding: .5em .9em; background: var(--caution-quiet);
  border-inline-start: 3px solid var(--caution); border-radius: 3px; }
.draft p, .draft ul { margin: .25em 0; }
.flow { max-width: 100%; height: auto; } .flow text { fill: var(--ink); }
.flow .box { fill: var(--paper); stroke: var(--edge); } .flow .stage { fill: var(--band); }
.flow .way { stroke: var(--edge); } .flow .tip { fill: var(--edge); }
.page-break { break-after: page; }
.cover-page { text-align: center; padding-block: 3rem; }
.cover-page .fields { text-align: start; max-width: 36rem; margin: 3rem auto; }
.report-zh { font-family: "Times New Roman", SimSun, "Songti SC", "Noto Serif CJK SC", serif;
  line-height: 1.7; }
@page { size: A4; margin: 20mm 18mm; } @page formal { size: A4; margin: 30mm 28mm; }
.formal { page: formal; }
@media print {
  :root { color-scheme: light; --paper: #fff; --quiet: #f5f5f5; --ink: #000; --pale: #333;
    --rule: #bbb; --edge: #666; --accent: #000; --band: #eee; --caution: #000;
    --caution-quiet: #f5f5f5; }
  html { font-size: 11pt; } body { max-width: none; padding: 0; } .report-zh { font-size: 12pt; }
  a { text-decoration: none; } .scroll { overflow: visible; }
  .cover-page { break-after: page; padding-top: 30mm; font-size: 16pt; }
  .flow { break-inside: avoid; }
}
"""


# A `Document` as HTML: a file of its own with a style sheet for screen and paper, or only its body
# for a page that has a sheet already. No script, nothing from elsewhere, no style attributes.

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
