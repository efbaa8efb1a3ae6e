"""Documents by templates: what those of HTML, SVG and WordprocessingML share.

As HTML a document is a file of its own with a style sheet for screen and paper, or only its body
for a page that has a sheet already; its diagrams are SVG. No script, nothing from elsewhere, no
style attributes.
"""

from __future__ import annotations

import html
import re
import string
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from lxml import etree
from markupsafe import Markup

from metasearch.bib.identifiers import web_url
from metasearch.errors import UsageError
from metasearch.language import language_of
from metasearch.message import message
from metasearch.review.reports.document import (
    Document,
    Figure,
    Span,
    Text,
    block_name,
    check_document,
    spans,
    speaker,
)

TEMPLATES = Path(__file__).parent / "templates"
#: Where a template goes on in another line: before a tag or a statement, or within a tag.
_BEFORE_TAG, _WITHIN_TAG = re.compile(r"\s*\n\s*(?=[<{])"), re.compile(r"\s*\n\s*")


class _OneLineLoader(FileSystemLoader):
    """Reads templates as if they were one line: how they are laid out adds no blank to a report, in
    which each one would be seen between words.
    """

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        source, path, fresh = super().get_source(environment, template)
        return _WITHIN_TAG.sub(" ", _BEFORE_TAG.sub("", source.strip())), path, fresh


def words(text: str) -> Markup:
    """A text between tags, where quotes need no escape."""
    return Markup(html.escape(text, quote=False))  # noqa: S704 - escaped


@cache
def _environment() -> Environment:
    made = Environment(
        loader=_OneLineLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    made.filters["words"] = words
    return made


def render_template(template: str, document: Document, **values: Any) -> str:
    """What a template makes of a document. `values`: what it asks for beside the document."""
    phrase = speaker(document.language)
    return (
        _environment()
        .get_template(template)
        .render(
            document=document,
            blocks=[(block_name(block), block) for block in document.blocks],
            phrase=phrase,
            draft_title=phrase("Draft: this report is not finished"),
            **values,
        )
    )


def html_page(document: Document) -> bytes:
    return f"<!doctype html>\n{_article('page.html', document, 1)}\n".encode()


def html_body(document: Document, level: int = 1) -> Markup:
    """The element `article` alone, for a page of ours."""
    return Markup(_article("article.html", check_document(document), level))  # noqa: S704 - escaped


def svg_file(document: Document) -> bytes:
    """The first diagram of a document as a file. Raises UsageError: it has none."""
    figure = next((block for block in document.blocks if isinstance(block, Figure)), None)
    if figure is None:
        raise UsageError(
            message("This report has no diagram"),
            advice=message("Choose another format; the flow diagram can be written as SVG."),
        )
    drawing = etree.fromstring(
        render_template("figure.svg", document, figure=figure, mark="flow", alone=True)
    )
    content: bytes = etree.tostring(
        drawing, encoding="UTF-8", xml_declaration=True, pretty_print=True
    )
    return content


def _article(template: str, document: Document, level: int) -> str:
    return render_template(
        template,
        document,
        level=level,
        lang=language_of(document.language).tag,
        inline=_inline,
        sheet="\n" + (TEMPLATES / "report.css").read_text("utf-8"),
        alone=False,
    )


def _inline(text: Text) -> Markup:
    """The parts of a text between tags; a line end becomes an element."""
    if isinstance(text, str):
        return words(text).replace("\n", Markup("<br>"))
    return Markup().join(map(_span, spans(text)))


def _span(part: Span) -> Markup:
    element = _inline(part.text)
    for tag, wanted in (
        ("code", part.code),
        ("sup", part.superscript),
        ("em", part.italic),
        ("strong", part.bold),
    ):
        if wanted:
            element = Markup("<{0}>{1}</{0}>").format(tag, element)
    if address := web_url(part.link):
        link = Markup('<a href="{}" rel="noopener noreferrer">{}</a>')
        element = link.format(quote(address, safe=string.punctuation), element)
    return element
