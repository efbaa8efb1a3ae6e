"""The styles, the page and the foot of a Word file.

A report in Chinese has the fonts of novelty searches: 宋体 in 小四 (12 pt) with Times New Roman,
the cover in 三号 (16 pt); the page is A4 with 28 mm at the sides and 30 mm above and below.
"""

from __future__ import annotations

from typing import Any

from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from metasearch.workspace.reports.document import Document, Language
from metasearch.workspace.reports.words import speaker

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
