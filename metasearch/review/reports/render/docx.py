"""A `Document` as a Word file (.docx). python-docx makes the package and its styles; it comes with
the extra `docx` and is imported here only.

Paragraphs and tables are written as WordprocessingML (ISO/IEC 29500-1) by a template: a table of a
thousand rows takes python-docx seconds.

A report in Chinese has the fonts of novelty searches: 宋体 in 小四 (12 pt) with Times New Roman,
the cover in 三号 (16 pt); the page is A4 with 28 mm at the sides and 30 mm above and below.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any, NamedTuple

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor
from markupsafe import Markup

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
from metasearch.review.reports.render.markup import render_template, words

#: The date of everything in the file: the same document has the same bytes.
_DATE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_ZIP_DATE = (2000, 1, 1, 0, 0, 0)


def file(document: Document) -> bytes:
    word = docx.Document()
    prepare(word, document)
    ids = {style.name: style.style_id for style in word.styles}
    body = render_template("word.xml", document, parts=DocxParts(word), ids=ids)
    properties = word.core_properties
    properties.title = document.title[:255]
    properties.author = properties.last_modified_by = "metasearch"
    properties.comments = properties.keywords = ""
    properties.language = "zh-CN" if document.language == "zh" else document.language
    properties.created = properties.modified = _DATE
    properties.revision = 1
    out = io.BytesIO()
    word.save(out)
    return _package(out.getvalue(), body)


def _package(content: bytes, body: str) -> bytes:
    """The package of python-docx with a body, and one date everywhere, in the order of the names.

    The body is put in as text: to move its elements into the tree of python-docx takes lxml seconds
    for a thousand rows. Nothing is compressed: how it is compressed depends on the release of zlib.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        # The list of content types stands first, as readers that stream expect.
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, _ZIP_DATE)
            info.create_system = 0  # else it tells the operating system
            part = old.read(name)
            if name == "word/document.xml":
                part = part.replace(b"<w:body>", b"<w:body>" + body.encode(), 1)
            new.writestr(info, part)
    return out.getvalue()


#: Millimetres of A4, and of the margins.
WIDTH, HEIGHT, SIDE, ABOVE = 210, 297, 28, 30
#: Language (others are as English) -> font of letters, of Chinese characters, of Chinese headings,
#: points of the text.
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
    phrase = speaker(document.language)
    section = word.sections[0]
    section.page_width, section.page_height = Mm(WIDTH), Mm(HEIGHT)
    section.left_margin = section.right_margin = Mm(SIDE)
    section.top_margin = section.bottom_margin = Mm(ABOVE)
    section.different_first_page_header_footer = document.cover_page
    if document.draft:
        heads = [section.header, *([section.first_page_header] * document.cover_page)]
        for head in heads:
            head.paragraphs[0].text = phrase("Draft")
            head.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
    foot = section.footer.paragraphs[0]
    foot.alignment = WD_ALIGN_PARAGRAPH.CENTER
    before, between, after = phrase("Page |of|").split("|")
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
    letters, characters, headings, points = _FONTS.get(language, _FONTS["en"])
    styles = word.styles
    _font(styles["Normal"], letters, characters, points)
    spacing = 1.5 if language == "zh" else 1.15
    styles["Normal"].paragraph_format.line_spacing = spacing
    styles["Normal"].paragraph_format.space_after = Pt(0 if language == "zh" else 6)
    _language(styles)
    for level, size in enumerate(_HEADINGS.get(language, _HEADINGS["en"]), 1):
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
    _font(caption, letters, headings, _TABLE_POINTS.get(language, _TABLE_POINTS["en"]))
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
    letters, characters, headings, _ = _FONTS.get(language, _FONTS["en"])
    size = _TABLE_POINTS.get(language, _TABLE_POINTS["en"])
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


# What the template of the body asks for beside the document.

#: Twentieths of a point of a millimetre, and of the text's width.
_MM = 56.7
_TEXT_WIDTH = round((WIDTH - 2 * SIDE) * _MM)
#: Word opens no address beyond this, and a file holds only so many.
_LONGEST_ADDRESS, _MOST_ADDRESSES = 2_000, 5_000
#: Height of a band of one row, whose word stands turned, in twentieths of a point: 20 mm.
_TURNED = 1134
#: Width of a character of a column whose width is not given, least and most of them.
_LEAST_CHARACTERS, _MOST_CHARACTERS = 5, 40
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]")
#: Between the texts of a run, as WordprocessingML has them.
_BREAKS = {"\n": "<w:br/>", "\t": "<w:tab/>"}
_PIECES = re.compile("([\n\t])")


class GridCell(NamedTuple):
    """A cell of the table that shows a diagram. `kind`: "box", "label", "stage", or "" between
    them.
    """

    kind: str
    text: Text


class DocxParts:
    """Of one file: its texts, links, numbers of lists, and widths.

    `line_end`: where the line of a signature ends, in twentieths of a point.
    """

    line_end = round(110 * _MM)

    def __init__(self, word: Any) -> None:
        self._word = word
        self._addresses: dict[str, str] = {}
        self._lists = 0  # the number of the newest list
        self._abstract = ""

    def runs(self, text: Text) -> Markup:
        return Markup().join(map(self._run, spans(text)))

    def numbering(self, start: int) -> int:
        """The number of a new list in the style "List Number", which begins at `start`."""
        numbering = self._word.part.numbering_part.element
        if not self._lists:
            style = self._word.styles["List Number"].element
            of_style = numbering.num_having_numId(style.pPr.numPr.numId.val)
            self._abstract = str(of_style.abstractNumId.val)
            self._lists = max(num.numId for num in numbering.num_lst)
        self._lists += 1
        # As python-docx's add_num, which looks through all lists for a number that is free.
        numbering.append(
            parse_xml(
                f'<w:num {nsdecls("w")} w:numId="{self._lists}">'
                f'<w:abstractNumId w:val="{self._abstract}"/><w:lvlOverride w:ilvl="0">'
                f'<w:startOverride w:val="{start}"/></w:lvlOverride></w:num>'
            )
        )
        return self._lists

    def _run(self, part: Span) -> Markup:
        address = web_url(part.link)
        relation = self._relation(address) if address is not None else ""
        look = "".join(
            element
            for element, wanted in (
                ('<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas"/>', part.code),
                ("<w:b/>", part.bold),
                ("<w:i/>", part.italic),
                ('<w:color w:val="0A5868"/><w:u w:val="single"/>', relation),
                ('<w:vertAlign w:val="superscript"/>', part.superscript),
            )
            if wanted
        )
        pieces = (
            _BREAKS.get(piece) or f'<w:t xml:space="preserve">{words(piece)}</w:t>'
            for piece in _PIECES.split(part.text)
            if piece
        )
        run = f"<w:r>{f'<w:rPr>{look}</w:rPr>' if look else ''}{''.join(pieces)}</w:r>"
        if relation:
            run = f'<w:hyperlink r:id="{relation}">{run}</w:hyperlink>'
        return Markup(run)  # noqa: S704 - escaped

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

    def shares(self, shares: Sequence[float]) -> list[int]:
        """Widths that fill the text, in these shares."""
        whole = sum(shares)
        return [round(_TEXT_WIDTH * share / whole) for share in shares]

    def widths(self, table: Table) -> list[int]:
        if table.widths:
            return self.shares(table.widths)
        longest = [_characters(text) for text in table.head]
        for row in table.rows[:200]:
            longest = [
                max(most, _characters(cell)) for most, cell in zip(longest, row, strict=True)
            ]
        return self.shares(
            [min(max(most, _LEAST_CHARACTERS), _MOST_CHARACTERS) for most in longest]
        )

    def grid(self, figure: Figure) -> tuple[list[int], list[tuple[int, list[GridCell]]]]:
        """The table of a diagram: widths of its columns, and the least height and cells of each
        row. Between two rows or columns of boxes there is one for arrows.
        """
        boxes = {(box.row, box.column): box for box in figure.boxes}
        signs = _signs(figure)
        last_row = max(box.row + box.rows for box in figure.boxes)
        columns = 1 + max(box.column for box in figure.boxes)
        stages = {box.column for box in figure.boxes if box.role == "stage"}
        widths = []
        for place in range(2 * columns - 1):
            column, between = divmod(place, 2)
            widths.append(1.2 if between else 1.6 if column in stages else 12)
        rows = []
        for place in range(2 * last_row - 1):
            row, between = divmod(place, 2)
            cells = []
            for at in range(len(widths)):
                column, beside = divmod(at, 2)
                stage = None if beside else _stage(figure, row, column)
                box = None if between or beside else boxes.get((row, column))
                if stage is not None:
                    cells.append(_stage_cell(stage, place))
                elif box is not None:
                    cells.append(_box_cell(box))
                else:
                    cells.append(GridCell("", signs.get((place, at), "")))
            alone = not between and any(
                box.role == "stage" and box.row == row and box.rows == 1 for box in figure.boxes
            )
            rows.append((_TURNED if alone else 0, cells))
        return self.shares(widths), rows


def _box_cell(box: Box) -> GridCell:
    first, *others = box.lines or ("",)
    more = Span(text="".join(f"\n{line}" for line in others))
    return GridCell(box.role, (Span(text=first, bold=True), more))


def _stage_cell(box: Box, place: int) -> GridCell:
    """One cell of a band that goes over several rows; the first one has its text."""
    if place > 2 * (box.row + box.rows - 1):  # the row of arrows below it
        return GridCell("", "")
    first = place == 2 * box.row
    return GridCell("stage", (Span(text=" ".join(box.lines), bold=True),) if first else "")


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


def _characters(text: Text) -> int:
    """The width of the longest line of a text; a Chinese character is as wide as two letters."""
    lines = plain(text)[:2_000].split("\n")
    return max(len(line) + len(_WIDE.findall(line)) for line in lines)
