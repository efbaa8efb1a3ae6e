"""The styles, the page and the foot of a Word file.

A report in Chinese has the fonts of novelty searches: 宋体 in 小四 (12 pt) with Times New Roman,
the cover in 三号 (16 pt); the page is A4 with 28 mm at the sides and 30 mm above and below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from metasearch.bib.identifiers import web_url
from metasearch.review.reports.document import (
    Box,
    Document,
    Figure,
    Language,
    Span,
    Table,
    Text,
    plain,
    spans,
    speaker,
)

#: Millimetres of A4, and of the margins.
WIDTH, HEIGHT, SIDE, ABOVE = 210, 297, 28, 30
#: Language -> font of letters, of Chinese characters, of Chinese headings, points of the text.
_FONTS: dict[Language, tuple[str, str, str, float]] = {
    "en": ("Calibri", "宋体", "黑体", 11),
    "zh": ("Times New Roman", "宋体", "黑体", 12),
}
_HEADINGS = {"en": (15, 12.5, 11.5, 11), "zh": (14, 13, 12, 12)}
_TABLE_POINTS = {"en": 9.5, "zh": 10.5}
_INK, _PALE = RGBColor(0, 0, 0), RGBColor(0x44, 0x50, 0x55)


def prepare(word: Any, document: Document) -> None:
    """Give a new file its styles, its page, its head and its foot."""
    _without_spare_parts(word)
    _page(word, document)
    _styles(word, document.language)
    if document.cover_page:
        for name, before, after in (("Title", 90, 12), ("Subtitle", 0, 60)):
            form = word.styles[name].paragraph_format
            form.alignment = WD_ALIGN_PARAGRAPH.CENTER
            form.space_before, form.space_after = Pt(before), Pt(after)


#: Relations of python-docx's template that no report needs: a picture of another document, and the
#: styles once more for Word 2007.
_SPARE_PARTS = ("thumbnail", "stylesWithEffects")
#: Styles of tables that are used.
_TABLES = ("Normal Table", "Table Grid")


def _without_spare_parts(word: Any) -> None:
    for relations in (word.part.package.rels, word.part.rels):
        for name in [
            key
            for key, relation in relations.items()
            if relation.reltype.rpartition("/")[2] in _SPARE_PARTS
        ]:
            del relations[name]
    for style in list(word.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name not in _TABLES:
            style.delete()


def _page(word: Any, document: Document) -> None:
    say = speaker(document.language)
    section = word.sections[0]
    section.page_width, section.page_height = Mm(WIDTH), Mm(HEIGHT)
    section.left_margin = section.right_margin = Mm(SIDE)
    section.top_margin = section.bottom_margin = Mm(ABOVE)
    section.different_first_page_header_footer = document.cover_page
    if document.draft:
        heads = [section.header, *([section.first_page_header] * document.cover_page)]
        for head in heads:
            head.paragraphs[0].text = say("Draft", "草稿")
            head.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
    foot = section.footer.paragraphs[0]
    foot.alignment = WD_ALIGN_PARAGRAPH.CENTER
    before, between, after = say("Page |of|", "第|页 共|页").split("|")
    for text, field in ((before, "PAGE"), (f" {between} ", "NUMPAGES"), (f" {after}", "")):
        foot.add_run(text)
        if field:
            simple = OxmlElement("w:fldSimple")
            simple.set(qn("w:instr"), field)
            run = OxmlElement("w:r")
            run.append(OxmlElement("w:t"))
            run[0].text = "1"
            simple.append(run)
            foot._p.append(simple)  # noqa: SLF001, python-docx has no fields


def _styles(word: Any, language: Language) -> None:
    letters, characters, headings, points = _FONTS[language]
    styles = word.styles
    _font(styles["Normal"], letters, characters, points)
    spacing = 1.5 if language == "zh" else 1.15
    styles["Normal"].paragraph_format.line_spacing = spacing
    styles["Normal"].paragraph_format.space_after = Pt(0 if language == "zh" else 6)
    _language(styles)
    for level, size in enumerate(_HEADINGS[language], 1):
        style = styles[f"Heading {level}"]
        _font(style, letters, headings, size)
        style.font.bold, style.font.italic, style.font.color.rgb = True, False, _INK
        style.paragraph_format.space_before = Pt(14 if level == 1 else 10)
        style.paragraph_format.space_after = Pt(4)
        style.paragraph_format.keep_with_next = True
    title = styles["Title"]
    _font(title, letters, headings, 22 if language == "zh" else 20)
    title.font.bold, title.font.color.rgb = True, _INK
    _without_border(title)
    title.paragraph_format.space_after = Pt(6)
    subtitle = styles["Subtitle"]
    _font(subtitle, letters, characters, points + 1)
    subtitle.font.italic, subtitle.font.bold, subtitle.font.color.rgb = False, False, _PALE
    caption = styles["Caption"]
    _font(caption, letters, headings, _TABLE_POINTS[language])
    caption.font.bold, caption.font.color.rgb = True, _INK
    caption.paragraph_format.space_before = Pt(8)
    caption.paragraph_format.keep_with_next = True
    body = styles["Body Text"]
    body.paragraph_format.space_after = Pt(0 if language == "zh" else 6)
    if language == "zh":
        body.paragraph_format.first_line_indent = Pt(2 * points)
    quote = styles["Quote"]
    quote.font.italic, quote.font.color.rgb = False, _INK
    quote.paragraph_format.left_indent = Mm(8)
    _own_styles(styles, language)


def _own_styles(styles: Any, language: Language) -> None:
    letters, characters, headings, _ = _FONTS[language]
    size = _TABLE_POINTS[language]
    for name, fonts, points in (
        ("Table Cell", (letters, characters), size),
        ("Table Head", (letters, headings), size),
        ("Flow Box", (letters, characters), 8.5),
        ("Cover Row", (letters, characters), 16 if language == "zh" else 12),
        ("Search String", ("Consolas", characters), 9.5),
        ("Remark", (letters, characters), size),
        ("Warning", (letters, characters), size),
        ("Signature Line", (letters, characters), 12),
    ):
        style = styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = styles["Normal"]
        _font(style, *fonts, points)
        style.paragraph_format.line_spacing = 1.0
        style.paragraph_format.space_after = Pt(0)
    styles["Table Head"].font.bold = True
    styles["Signature Line"].paragraph_format.space_before = Pt(16)
    styles["Cover Row"].paragraph_format.space_before = Pt(12 if language == "zh" else 6)
    for name, colour in (("Search String", "F3F6F6"), ("Remark", "F3F6F6"), ("Warning", "FFF6DE")):
        style = styles[name]
        style.paragraph_format.space_after = Pt(6 if name != "Warning" else 0)
        style.paragraph_format.left_indent = style.paragraph_format.right_indent = Mm(1.5)
        # The order of the children is given by the schema: borders, then shading.
        properties = style.element.get_or_add_pPr()
        properties.insert_element_before(
            parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="{colour}"/>'),
            *_AFTER_SHADING,
        )
    styles["Search String"].font.no_proof = True  # no red lines below it


#: What follows the shading among the properties of a paragraph.
_AFTER_SHADING = (
    "w:tabs",
    "w:suppressAutoHyphens",
    "w:wordWrap",
    "w:autoSpaceDE",
    "w:autoSpaceDN",
    "w:spacing",
    "w:ind",
    "w:contextualSpacing",
    "w:jc",
    "w:outlineLvl",
)


def _font(style: Any, letters: str, characters: str, points: float) -> None:
    """Name the fonts themselves: those of the template's theme would come before them."""
    style.font.name, style.font.size = letters, Pt(points)
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for name in list(fonts.attrib):
        if name.endswith("Theme"):
            del fonts.attrib[name]
    fonts.set(qn("w:ascii"), letters)
    fonts.set(qn("w:hAnsi"), letters)
    fonts.set(qn("w:cs"), letters)
    fonts.set(qn("w:eastAsia"), characters)


def _language(styles: Any) -> None:
    for found in styles.element.iter(qn("w:lang")):
        # Of the letters; were they Chinese, too, words would be broken anywhere.
        found.set(qn("w:val"), "en-GB")
        found.set(qn("w:eastAsia"), "zh-CN")


def _without_border(style: Any) -> None:
    properties = style.element.get_or_add_pPr()
    for border in properties.findall(qn("w:pBdr")):
        properties.remove(border)


# Paragraphs, tables and diagrams as WordprocessingML elements.

#: Twentieths of a point of a millimetre, and of the text's width.
_MM = 56.7
_TEXT_WIDTH = round((WIDTH - 2 * SIDE) * _MM)
#: Word opens no address beyond this, and a file holds only so many.
_LONGEST_ADDRESS, _MOST_ADDRESSES = 2_000, 5_000
#: Height of a band of one row, whose word stands turned, in twentieths of a point: 20 mm.
_TURNED = 1134
_BREAKS = re.compile("([\n\t])")
#: Width of a character of a column whose width is not given, least and most of them.
_LEAST_CHARACTERS, _MOST_CHARACTERS = 5, 40
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]")
_SHADE, _EDGE = "E3EFF1", "76868D"


class Parts:
    """Makes the elements of a file."""

    def __init__(self, word: Any, language: Language) -> None:
        self._word = word
        self._say = speaker(language)
        self._ids = {style.name: style.style_id for style in word.styles}
        self._addresses: dict[str, str] = {}
        self._lists = 0  # the number of the newest list
        self._abstract = ""

    # ---------------------------------------------------------------- paragraphs

    def paragraph(
        self, text: Text, style: str, *, align: str = "", numbering: int | None = None
    ) -> Any:
        """A paragraph in a style of `_own_styles` or of Word."""
        element, properties = self._started(style)
        if numbering is not None:
            numbers = _add(properties, "w:numPr")
            _add(numbers, "w:ilvl", val="0")
            _add(numbers, "w:numId", val=str(numbering))
        if align:
            _add(properties, "w:jc", val=align)
        for part in spans(text):
            self._run(element, part)
        return element

    def page_break(self) -> Any:
        """An empty paragraph that ends the page."""
        element, _ = self._started("Normal")
        _add(_add(element, "w:r"), "w:br", type="page")
        return element

    def signature(self, label: str, value: str) -> Any:
        """A label and a line to write on, with what stands on it."""
        element, properties = self._started("Signature Line")
        tabs = _add(properties, "w:tabs")
        _add(tabs, "w:tab", val="left", leader="underscore", pos=str(round(110 * _MM)))
        self._run(element, Span(text=f"{label}{self._say(': ', '：')}{value}\t"))
        return element

    def new_numbering(self, start: int) -> int:
        """The number of a new list in the style "List Number", which begins at `start`."""
        numbering = self._word.part.numbering_part.element
        if not self._lists:
            style = self._word.styles["List Number"].element
            of_style = numbering.num_having_numId(style.pPr.numPr.numId.val)
            self._abstract = str(of_style.abstractNumId.val)
            self._lists = max(num.numId for num in numbering.num_lst)
        self._lists += 1
        # As python-docx's add_num, which looks through all lists for a number that is free.
        number = OxmlElement("w:num")
        number.set(qn("w:numId"), str(self._lists))
        _add(number, "w:abstractNumId", val=self._abstract)
        _add(_add(number, "w:lvlOverride", ilvl="0"), "w:startOverride", val=str(start))
        numbering.append(number)
        return self._lists

    def _started(self, style: str) -> tuple[Any, Any]:
        element = OxmlElement("w:p")
        properties = _add(element, "w:pPr")
        _add(properties, "w:pStyle", val=self._ids[style])
        return element, properties

    def _run(self, paragraph: Any, part: Span) -> None:
        target = paragraph
        address = web_url(part.link)
        if address is not None and (relation := self._relation(address)):
            target = _add(paragraph, "w:hyperlink")
            target.set(qn("r:id"), relation)
        run = _add(target, "w:r")
        if part.bold or part.italic or part.superscript or target is not paragraph:
            look = _add(run, "w:rPr")
            if part.bold:
                _add(look, "w:b")
            if part.italic:
                _add(look, "w:i")
            if target is not paragraph:
                _add(look, "w:color", val="0A5868")
                _add(look, "w:u", val="single")
            if part.superscript:
                _add(look, "w:vertAlign", val="superscript")
        for piece in _BREAKS.split(part.text):
            if piece == "\n":
                _add(run, "w:br")
            elif piece == "\t":
                _add(run, "w:tab")
            elif piece:
                text = _add(run, "w:t")
                text.text = piece
                text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")

    def _relation(self, address: str) -> str:
        """The id by which the file knows an address; "" for one that is too much for it."""
        if address not in self._addresses:
            if len(address) > _LONGEST_ADDRESS or len(self._addresses) >= _MOST_ADDRESSES:
                return ""
            # Not `relate_to`, which looks through all relations for one that is the same.
            name = f"link{len(self._addresses) + 1}"
            relations = self._word.part.rels
            relations.add_relationship(RELATIONSHIP_TYPE.HYPERLINK, address, name, is_external=True)
            self._addresses[address] = name
        return self._addresses[address]

    # ---------------------------------------------------------------- tables

    def table(self, table: Table) -> Iterator[Any]:
        """A table with its caption; its first row is repeated on each page."""
        if table.caption:
            yield self.paragraph(table.caption, "Caption")
        widths = _widths(table)
        element = _table(widths)
        head = [
            self._cell(text, "Table Head", width, "right" if number in table.numbers else "")
            for number, (text, width) in enumerate(zip(table.head, widths, strict=True))
        ]
        for cell in head:
            _shade(cell)
        row = _row(element, head)
        _add(row[0], "w:tblHeader")
        for texts in table.rows:
            _row(
                element,
                [
                    self._cell(text, "Table Cell", width, "right" * (number in table.numbers))
                    for number, (text, width) in enumerate(zip(texts, widths, strict=True))
                ],
            )
        yield element
        yield self.paragraph("", "Table Cell")

    def fields(self, rows: Sequence[tuple[str, Text]], *, cover: bool = False) -> Iterator[Any]:
        """Labels and values, a row each; on a cover with a line below each value."""
        widths = _shares((30, 70) if not cover else (32, 68))
        element = _table(widths, borders=not cover)
        for label, value in rows:
            styles = ("Cover Row", "Cover Row") if cover else ("Table Head", "Table Cell")
            label = f"{label}{self._say(':', '：')}" if cover else label
            cells = [
                self._cell(text, style, width)
                for text, style, width in zip((label, value), styles, widths, strict=True)
            ]
            if cover:
                _borders(cells[1], ("bottom",))
            else:
                _shade(cells[0])
            _row(element, cells)
        if rows:
            yield element
            yield self.paragraph("", "Table Cell")

    def _cell(self, text: Text, style: str, width: int, align: str = "") -> Any:
        cell = OxmlElement("w:tc")
        properties = _add(cell, "w:tcPr")
        _add(properties, "w:tcW", w=str(width), type="dxa")
        cell.append(self.paragraph(text, style, align=align))
        return cell

    # ---------------------------------------------------------------- diagrams

    def boxes(self, figure: Figure) -> Iterator[Any]:
        """The boxes of a diagram as cells of a table, with arrows in the cells between them."""
        boxes = {(box.row, box.column): box for box in figure.boxes}
        signs = _signs(figure)
        last_row = max(box.row + box.rows for box in figure.boxes)
        columns = 1 + max(box.column for box in figure.boxes)
        stages = {column for (_, column), box in boxes.items() if box.role == "stage"}
        widths = []
        for place in range(2 * columns - 1):
            column, between = divmod(place, 2)
            widths.append(1.2 if between else 1.6 if column in stages else 12)
        shares = _shares(widths)
        element = _table(shares, borders=False)
        for place in range(2 * last_row - 1):
            row, between = divmod(place, 2)
            cells = []
            for at, width in enumerate(shares):
                column, beside = divmod(at, 2)
                box = None if between or beside else boxes.get((row, column))
                if (stage := _stage(figure, row, column)) and not beside:
                    inside = not between or row + 1 < stage.row + stage.rows
                    cells.append(self._stage_cell(stage, place, width, inside=inside))
                elif box is not None:
                    cells.append(self._box_cell(box, width))
                else:
                    sign = signs.get((place, at), "")
                    cells.append(self._cell(sign, "Flow Box", width, "center"))
            alone = not between and any(
                box.role == "stage" and box.row == row and box.rows == 1 for box in figure.boxes
            )
            _row(element, cells, least=_TURNED if alone else 0)
        yield element
        yield self.paragraph("", "Table Cell")

    def _box_cell(self, box: Box, width: int) -> Any:
        first, *others = box.lines or ("",)
        more = Span(text="".join(f"\n{line}" for line in others))
        cell = self._cell((Span(text=first, bold=True), more), "Flow Box", width)
        if box.role == "box":
            _borders(cell, ("top", "left", "bottom", "right"))
        return cell

    def _stage_cell(self, box: Box, place: int, width: int, *, inside: bool) -> Any:
        """One cell of a band that goes over several rows."""
        first = place == 2 * box.row
        text = (Span(text=" ".join(box.lines), bold=True),) if first else ""
        cell = self._cell(text if inside else "", "Flow Box", width, "center")
        if inside:
            merge = _add(cell[0], "w:vMerge")
            if first:
                merge.set(qn("w:val"), "restart")
            _shade(cell)
            _add(cell[0], "w:textDirection", val="btLr")
            _add(cell[0], "w:vAlign", val="center")
        return cell


def _stage(figure: Figure, row: int, column: int) -> Box | None:
    for box in figure.boxes:
        if box.role == "stage" and box.column == column and box.row <= row < box.row + box.rows:
            return box
    return None


def _signs(figure: Figure) -> dict[tuple[int, int], str]:
    """Where arrows stand in the table: its row and column -> the sign."""
    signs: dict[tuple[int, int], str] = {}
    for arrow in figure.arrows:
        if len(arrow.cells) != 2:
            continue
        (row, column), (to_row, to_column) = arrow.cells
        if row == to_row:
            between = range(2 * min(column, to_column) + 1, 2 * max(column, to_column))
            signs |= {(2 * row, at): "─" for at in between}
            signs[2 * row, 2 * to_column + (1 if to_column < column else -1)] = (
                "←" if to_column < column else "→"
            )
            continue
        between = range(2 * row + 1, 2 * to_row)
        signs |= {(at, 2 * column): "│" for at in between}
        if column == to_column:
            signs[2 * to_row - 1, 2 * column] = "↓"
        else:
            low, high = sorted((2 * column, 2 * to_column))
            signs |= {(2 * to_row, at): "─" for at in range(low + 1, high)}
            signs[2 * to_row, 2 * column] = "┘" if to_column < column else "└"
            left = to_column < column
            signs[2 * to_row, 2 * to_column + (1 if left else -1)] = "←" if left else "→"
    return signs


def _add(parent: Any, tag: str, **attributes: str) -> Any:
    element = OxmlElement(tag)
    for name, value in attributes.items():
        element.set(qn(f"w:{name}"), value)
    parent.append(element)
    return element


def _table(widths: Sequence[int], *, borders: bool = True) -> Any:
    element = OxmlElement("w:tbl")
    properties = _add(element, "w:tblPr")
    _add(properties, "w:tblStyle", val="TableGrid" if borders else "TableNormal")
    _add(properties, "w:tblW", w=str(sum(widths)), type="dxa")
    if borders:
        edges = _add(properties, "w:tblBorders")
        for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
            _add(edges, f"w:{side}", val="single", sz="4", space="0", color=_EDGE)
    _add(properties, "w:tblLayout", type="fixed")
    margins = _add(properties, "w:tblCellMar")
    for side, width in (("top", 30), ("left", 70), ("bottom", 30), ("right", 70)):
        _add(margins, f"w:{side}", w=str(width), type="dxa")
    grid = _add(element, "w:tblGrid")
    for width in widths:
        _add(grid, "w:gridCol", w=str(width))
    return element


def _row(table: Any, cells: Sequence[Any], *, least: int = 0) -> Any:
    """A row; it is at least so high, in twentieths of a point."""
    row = _add(table, "w:tr")
    looks = _add(row, "w:trPr")
    _add(looks, "w:cantSplit")
    if least:
        _add(looks, "w:trHeight", val=str(least), hRule="atLeast")
    row.extend(cells)
    return row


def _shade(cell: Any) -> None:
    _add(cell[0], "w:shd", val="clear", color="auto", fill=_SHADE)


def _borders(cell: Any, sides: Sequence[str]) -> None:
    borders = _add(cell[0], "w:tcBorders")
    for side in sides:
        _add(borders, f"w:{side}", val="single", sz="6", space="0", color=_EDGE)


def _shares(shares: Sequence[float]) -> list[int]:
    """Widths that fill the text, in these shares."""
    whole = sum(shares)
    return [round(_TEXT_WIDTH * share / whole) for share in shares]


def _widths(table: Table) -> list[int]:
    if table.widths:
        return _shares(table.widths)
    longest = [_characters(text) for text in table.head]
    for row in table.rows[:200]:
        longest = [max(most, _characters(cell)) for most, cell in zip(longest, row, strict=True)]
    return _shares([min(max(most, _LEAST_CHARACTERS), _MOST_CHARACTERS) for most in longest])


def _characters(text: Text) -> int:
    """The width of the longest line of a text; a Chinese character is as wide as two letters."""
    lines = plain(text)[:2_000].split("\n")
    return max(len(line) + len(_WIDE.findall(line)) for line in lines)
