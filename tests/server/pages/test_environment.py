"""Templates that text cannot break out of."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from metasearch.formats.text import clean
from metasearch.language import TAGS, language
from metasearch.server.pages.empty_list import EmptyList
from metasearch.server.pages.environment import PACKAGES, environment, macro, render
from tests.cases import each

#: Text that does its worst: markup, quotes, comments, entities, control and direction characters.
MARKUP = (
    "<",
    ">",
    '"',
    "'",
    "&",
    "`",
    "=",
    "/",
    "<script>",
    "</p>",
    "-->",
    "<!--",
    "]]>",
    "&lt;",
    "&#60;",
    "</title>",
)
OTHERS = (
    "\0",
    "\x1b",
    "\u202e",
    "\n",
    "\ud800",
    "javascript:",
    " onload=x ",
    "</textarea>",
    "<svg/onload=1>",
    "乳",
    "x",
)
hostile = st.lists(st.sampled_from(MARKUP + OTHERS), max_size=12).map("".join)


TEMPLATES = {
    path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
    for folder in (Path(str(files(package))) / "templates" for package in PACKAGES)
    for path in folder.rglob("*.html")
}


def rendered(source: str, **context: object) -> str:
    """What a template with that text becomes."""
    return environment(language("en")).from_string(source).render(context)


class Skeleton(HTMLParser):
    """What a browser would build: tags with the names of their attributes, and the text apart."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(f"{name}[{' '.join(key for key, _ in attributes)}]")
        self.attributes += attributes

    def handle_endtag(self, name: str) -> None:
        self.tags.append(f"/{name}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.tags.append(decl)

    def handle_pi(self, data: str) -> None:
        self.tags.append("instruction")


@given(hostile, hostile)
def test_text_stays_text(text, value):
    """Whatever is put into an element or an attribute comes out as that text, and the element is
    the only one."""
    skeleton = Skeleton(rendered('<p title="{{ value }}">{{ text }}</p>', text=text, value=value))

    assert skeleton.tags == ["p[title]", "/p"]
    assert clean(text) == skeleton.text
    assert [("title", clean(value))] == skeleton.attributes


@given(hostile)
def test_a_macro_and_a_sum_of_texts_are_escaped_and_cleaned_too(text):
    """Finished HTML from a macro stays HTML; what was added to it is text."""
    source = "{% macro bold(it) %}<b>{{ it }}</b>{% endmacro %}<p>{{ bold(text) ~ text }}</p>"
    skeleton = Skeleton(rendered(source, text=text))

    assert skeleton.tags == ["p[]", "b[]", "/b", "/p"]
    assert clean(text) * 2 == skeleton.text


def test_a_template_must_be_given_all_that_it_uses():
    """A misspelt name is an error and not an empty place."""
    with pytest.raises(UndefinedError):
        rendered("{{ missing }}")
    with pytest.raises(UndefinedError):
        render("start.html", language("en"))


def test_templates_are_in_the_package():
    """They are read as the installed package has them, and each compiles."""
    assert {"base.html", "start.html", "results.html", "sources.html", "problem.html"} <= set(
        TEMPLATES
    )
    for name in TEMPLATES:
        for tag in TAGS:
            environment(language(tag)).get_template(name)


@each("name", sorted(TEMPLATES))
def test_templates_write_addresses_by_the_filters_only(name):
    """No attribute that a browser follows is written by hand, and nothing is marked as safe."""
    written = re.findall(r"\b(?:href|src|action|formaction|srcset|poster)\s*=.*", TEMPLATES[name])

    assert [it for it in written if not it.startswith('href="#')] == []
    assert not re.search(
        r"\|\s*safe|autoescape|\|\s*xmlattr|\sstyle=[\"']|(?<![-\w])on\w+=", TEMPLATES[name]
    )


@each("name", sorted(TEMPLATES))
def test_templates_quote_every_attribute(name):
    """A value without quotes could begin another attribute."""
    assert not re.search(r"=\s*\{\{", re.sub(r"\{%.*?%\}", "", TEMPLATES[name]))


@each(
    "address",
    ["/search?q=1", "#main", "https://example.org/a?b=c#d", "http://[::1]:80/"],
)
def test_addresses_that_may_be_linked(address):
    """Local paths and the web pass."""
    assert [("href", address)] == Skeleton(
        rendered("<a{{ address|href }}>x</a>", address=address)
    ).attributes


@each(
    "address",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "vbscript:x",
        "http:evil.example",
        "",
    ],
)
def test_addresses_that_may_not(address):
    """Anything else leaves the attribute out."""
    assert rendered("<a{{ address|href }}>x</a>", address=address) == "<a>x</a>"
    assert rendered("<img{{ address|src }}>", address=address) == "<img>"
    assert rendered("<form{{ address|action }}>", address=address) == "<form>"


@given(hostile)
def test_values_of_a_translated_sentence_are_escaped(text):
    """A sentence is finished HTML, what is put into it is not."""
    source = "<p>{{ _('of %(title)s', title=text) }}{{ ngettext('%(x)s', '%(x)s', 2, x=text) }}</p>"
    skeleton = Skeleton(rendered(source, text=text))

    assert skeleton.tags == ["p[]", "/p"]
    assert skeleton.text == f"of {clean(text)}{clean(text)}"


@given(hostile)
def test_a_sentence_of_the_core_is_text(text):
    """`translated` looks it up, and trusts it no more than a record."""
    skeleton = Skeleton(rendered("<p>{{ translated(text + '%(a)s %') }}</p>", text=text))

    assert skeleton.tags == ["p[]", "/p"]
    assert skeleton.text == f"{clean(text)}%(a)s %"


@each("name", sorted(TEMPLATES))
def test_templates_mark_literal_texts_only(name):
    """What `_` returns is HTML: only a text of the template itself may go through it. Values go
    through `translated`.
    """
    assert re.findall(r"\b_\((?![\"'])[^)]*\)", TEMPLATES[name]) == []
    assert re.findall(r"\bngettext\((?![\"'])[^)]*\)", TEMPLATES[name]) == []


def test_a_part_of_a_page_is_made_by_its_macro():
    """In the language that is asked for; it has no variables of a page."""
    nothing = macro("_nothing.html", "nothing", language("en"))

    assert "No database answered." in str(nothing(EmptyList("failed"), ()))
    with pytest.raises(AttributeError):
        macro("_list.html", "missing", language("en"))
