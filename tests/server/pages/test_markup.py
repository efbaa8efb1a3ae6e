"""HTML that text cannot break out of."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats.text import clean
from metasearch.server.pages.markup import Markup, tag

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
    skeleton = Skeleton(tag("p", text, title=value))

    assert skeleton.tags == ["p[title]", "/p"]
    assert clean(text) == skeleton.text
    assert [("title", clean(value))] == skeleton.attributes


@given(hostile)
def test_markup_that_was_handled_as_text_is_escaped_again(text):
    """Gluing markup to text by hand gives visible tags, never live ones."""
    glued = tag("b", "x") + text

    assert not isinstance(glued, Markup)
    assert Skeleton(tag("p", glued)).tags == ["p[]", "/p"]


@pytest.mark.parametrize(
    "address",
    ["/search?q=1", "#main", "https://example.org/a?b=c#d", "http://[::1]:80/"],
)
def test_addresses_that_may_be_linked(address):
    """Local paths and the web pass."""
    assert [("href", address)] == Skeleton(tag("a", "x", href=address)).attributes


@pytest.mark.parametrize(
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
    assert Skeleton(tag("a", "x", href=address)).attributes == []


def test_content_and_attributes():
    """Lists are flattened; None and False are left out; True has no value; names lose and change
    underscores."""
    built = tag(
        "input",
        type="text",
        class_="a",
        aria_label="b",
        checked=True,
        disabled=False,
        value=None,
        size=3,
    )

    assert built == '<input type="text" class="a" aria-label="b" checked size="3">'
    assert tag("p", 1, ["a", [tag("b", "c"), None, False]], 0.5) == "<p>1a<b>c</b>0.5</p>"
