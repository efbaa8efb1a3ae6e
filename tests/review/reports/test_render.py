"""Reports in every format: nothing in a text is markup, and the same report has the same bytes."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from lxml import etree, html

from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.review.reports import render
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    FieldRows,
    Items,
    Paragraph,
    SignatureLines,
    Span,
    Table,
)
from metasearch.review.reports.render import FORMATS, format_of, write
from metasearch.review.reports.render.markup import html_body
from tests.growth import MOST, growth
from tests.review.reports.documents import SEARCH, every_block

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def test_a_chinese_report_in_markdown_has_colons_of_its_language():
    """After a label no half-width one; an English report has those."""
    rows, lines = (("数据库", "CNKI"),), (("查新员", "李"),)
    blocks = (FieldRows(rows=rows), SignatureLines(lines=lines))
    texts = {
        language: write(
            Document(kind="chaxin", title="t", language=language, cover=rows, blocks=blocks),
            "md",
        ).decode()
        for language in ("zh", "en")
    }

    assert texts["zh"].count("**数据库**：CNKI") == texts["en"].count("**数据库**: CNKI") == 2
    assert "查新员：李" in texts["zh"]
    assert "查新员: 李" in texts["en"]


@pytest.mark.slow
def test_the_same_document_has_the_same_bytes():
    """In another process, with other hashes of strings, a report is the same byte by byte."""
    program = (
        "import hashlib, sys;"
        "from metasearch.review.reports.render import FORMATS, write;"
        "from tests.review.reports.documents import every_block;"
        "[print(name, hashlib.sha256(write(every_block(), name)).hexdigest()) for name in FORMATS]"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == len(FORMATS)


def test_formats_are_known_by_name_and_ending():
    """Each has an ending of its own; another one is told with those that there are."""
    for name, form in FORMATS.items():
        assert format_of(f"Report.v2.{form.ending.upper()}") == name
    for wrong in ("report", "report.pdf", ".bashrc"):
        with pytest.raises(UsageError, match="the ending of no format"):
            format_of(wrong)
    with pytest.raises(UsageError, match="no format 'pdf'"):
        write(every_block(), "pdf")


def test_html_has_no_script_and_asks_nobody():
    """The file holds one style sheet of ours, no markup of a text, and nothing from elsewhere."""
    page = html.fromstring(write(every_block(), "html"))
    tags = {element.tag for element in page.iter() if isinstance(element.tag, str)}
    assert not tags & {"script", "iframe", "img", "link", "object", "base", "form"}
    for element in page.iter():
        assert not any(name.startswith("on") or name == "style" for name in element.attrib)
    assert [a.get("href") for a in page.iter("a")] == ["https://doi.org/10.1/x?a=1&b=(2)"]
    assert page.get("lang") == "zh-Hans"
    assert "url(" not in page.find(".//style").text


def test_html_is_accessible():
    """Tables have captions and headers with a scope, headings follow one another, the diagram has a
    name and a description.
    """
    page = html.fromstring(write(every_block(), "html"))
    for table in page.iter("table"):
        assert table.find("caption").text == "Hits"
        assert [cell.get("scope") for cell in table.iter("th")] == ["col", "col", "row", "row"]
    svg = page.find(".//svg")
    title, text = (page.get_element_by_id(name) for name in svg.get("aria-labelledby").split())
    assert (title.text, text.text) == ("Flow", "From 3 records to 2.")
    assert [element.tag for element in page.iter("h1", "h2", "h3", "h4", "h5")] == [
        "h1",
        "h2",
        "h5",
    ]


def test_the_body_for_a_page_has_no_style():
    """A page that forbids styles shows the same body, below a heading of its own."""
    text = html_body(every_block(), 2)
    assert "<style" not in text
    assert " style=" not in text
    assert text.startswith("<article")
    assert "<h1" not in text


def test_a_search_string_is_printed_as_it_was_sent():
    """Every sign and blank of it stands in every format."""
    document = every_block()
    code = html.fromstring(write(document, "html")).find(".//pre/code")
    assert code.text_content().startswith(f"{SEARCH}\n  ```<script>")
    assert f"\n````\n{SEARCH}\n  ```<script>" in write(document, "md").decode()
    paragraphs = ["".join(p.itertext()) for p in word(document).iter(f"{W}p")]
    assert any(text.startswith(f"{SEARCH}  ```<script>") for text in paragraphs)


def test_markdown_is_escaped():
    """Outside of code no text of a report begins markup, a list or a cell."""
    text = write(every_block(), "md").decode()
    outside = re.sub(r"(?s)^````$.*?^````$", "", text, flags=re.MULTILINE)
    assert not re.search(r"(?<!\\)<(?!br>|/?sup>)", outside)
    assert r"\[x\](javascript:y)" in outside
    assert "[a DOI](https://doi.org/10.1/x?a=1&b=%282%29)" in outside
    assert r"- 1\. one" in outside
    assert r"- \+ two<br>\- three" in outside
    assert "3. a\n4. " in outside
    for line in outside.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 3


def word(document: Document):
    """The body of the Word file."""
    with zipfile.ZipFile(io.BytesIO(write(document, "docx"))) as package:
        return etree.fromstring(package.read("word/document.xml"))


def test_word_files_have_real_structure():
    """Headings are headings, head rows repeat, links are links, lists begin where they say."""
    docx = pytest.importorskip("docx")

    content = write(every_block(), "docx")
    opened = docx.Document(io.BytesIO(content))
    styles = [paragraph.style.name for paragraph in opened.paragraphs]
    assert styles[0] == "Title"
    assert {"Heading 1", "Heading 4", "Search String", "Quote", "List Bullet"} <= set(styles)
    heads = [
        "".join(row.itertext())
        for row in word(every_block()).iter(f"{W}tr")
        if row.find(f"{W}trPr/{W}tblHeader") is not None
    ]
    assert heads == ["DatabaseHits", "DatabaseHits"]
    links = [rel.target_ref for rel in opened.part.rels.values() if rel.is_external]
    assert links == ["https://doi.org/10.1/x?a=1&b=(2)"]
    numbering = opened.part.numbering_part.element
    starts = [each.get(f"{W}val") for each in numbering.iter(f"{W}startOverride")]
    assert starts[-2:] == ["3", "1"]


def test_word_files_have_the_page_of_novelty_reports():
    """A4, 28 mm at the sides, 30 mm above and below, 宋体 in 12 points, the cover in 16 points."""
    docx = pytest.importorskip("docx")
    from docx.oxml.ns import qn

    opened = docx.Document(io.BytesIO(write(every_block(), "docx")))
    section = opened.sections[0]
    page = (section.page_width, section.page_height, section.left_margin, section.top_margin)
    assert [round(length.mm) for length in page] == [210, 297, 28, 30]
    assert section.different_first_page_header_footer
    normal = opened.styles["Normal"]
    assert (normal.font.name, normal.font.size.pt) == ("Times New Roman", 12)
    assert normal.element.rPr.rFonts.get(qn("w:eastAsia")) == "宋体"
    assert opened.styles["Cover Row"].font.size.pt == 16
    assert "PAGE" in etree.tostring(section.footer._element).decode()
    assert section.header.paragraphs[0].text == "草稿"
    finished = docx.Document(io.BytesIO(write(every_block(draft=False), "docx")))
    assert finished.sections[0].header.paragraphs[0].text == ""


def test_word_files_follow_the_order_of_their_schema():
    """Word refuses a file whose properties stand in another order than ISO/IEC 29500 says."""
    orders = {
        "pPr": "pStyle keepNext keepLines numPr pBdr shd tabs spacing ind contextualSpacing jc",
        "rPr": "rFonts b i color u vertAlign",
        "tcPr": "tcW gridSpan vMerge tcBorders shd textDirection vAlign",
        "tblPr": "tblStyle tblW tblBorders tblLayout tblCellMar",
        "trPr": "cantSplit tblHeader",
    }
    for element in word(every_block()).iter():
        name = etree.QName(element).localname
        if name in orders:
            found = [etree.QName(child).localname for child in element]
            places = [orders[name].split().index(each) for each in found]
            assert places == sorted(set(places)), (name, found)


def test_word_files_need_a_package(monkeypatch):
    """Without python-docx the error says what to install."""
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(UsageError) as error:
        write(every_block(), "docx")
    assert error.value.advice == how_to_install("docx")


def test_the_diagram_is_a_file_of_its_own():
    """SVG with a title and a description; a report without a diagram has none."""
    root = etree.fromstring(write(every_block(), "svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == "Flow"
    assert not root.findall(".//{*}script")
    with pytest.raises(UsageError, match="no diagram"):
        write(Document(kind="k", title="t"), "svg")


def test_an_empty_document_is_written():
    """A report with a title alone has every format but that of a diagram and that of a table."""
    for name in FORMATS:
        if name not in ("svg", "csv"):
            assert write(Document(kind="k", title="t"), name)
    assert render.FORMATS["docx"].ending == "docx"


@pytest.mark.slow
def test_long_reports_take_linear_time():
    """Rows, lists, links or texts four times as many take four times as long, in every format."""
    pytest.importorskip("docx")

    def rows(size: int) -> Block:
        return Table(head=("a", "b"), rows=tuple((str(n), SEARCH) for n in range(size)))

    def links(size: int) -> Block:
        address = "https://example.org/{}"
        return Paragraph(text=tuple(Span(text="x", link=address.format(n)) for n in range(size)))

    def lists(size: int) -> Iterator[Block]:
        for _ in range(size):
            yield Items(items=("x",), ordered=True)

    def code(size: int) -> Block:
        return Code(text="`*" * size)

    for name, content, size in (
        *((name, rows, 100) for name in ("html", "md", "json", "docx")),
        ("docx", links, 600),
        ("docx", lists, 600),
        ("md", code, 10_000),
    ):

        def work(size: int, name: str = name, content: Callable[[int], Any] = content) -> Any:
            made = content(size)
            blocks = tuple(made) if isinstance(made, Iterator) else (made,)
            document = Document(kind="k", title="t", blocks=blocks)
            return lambda: write(document, name)

        assert growth(work, size) < MOST, (name, content.__name__)
