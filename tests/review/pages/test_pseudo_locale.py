"""What a page says is said in the language of the reader: nothing has been forgotten.

The pages are made in an invented language, whose sentences all stand in marks and have accents.
What stands outside of such a sentence must come from records, databases or the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from babel import Locale
from lxml import html

from metasearch.message import message
from metasearch.server import visit
from metasearch.server.pages.environment import Language
from tests.review.pages.every_page import every_page

BEGIN, END = "[!!", "!!]"
_ACCENTS = str.maketrans("aeiouyAEIOUYcnsz", "áéíóúýÁÉÍÓÚÝçñšž")
_PLACES = re.compile(r"(%\(\w+\)[sd]|\{\w*\}|%%)")
#: Names that are the same in every language, or that Babel writes in that of the page.
NAMES = frozenset(
    "metasearch PDF DOI RIS BibTeX CSV JSON Atom 中文 arXiv Crossref OpenAIRE Graph DataCite CNKI "
    "and AND title author doi".split()
) | {word for name in Locale("en").languages.values() for word in name.split()}
#: Words that a reader sees, or that the script says.
ATTRIBUTES = ("aria-label", "placeholder", "alt", "title", "data-words", "data-done", "data-one",
              "data-many", "data-order", "data-shown", "data-sorted")  # fmt: skip
#: Elements whose text is no word of the interface.
_OTHERS = frozenset(
    {"script", "style", "code", "pre", "textarea", "kbd", "samp", "q", "cite", "svg"}
)
_LETTERS = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"(?:https?://|10\.\d+/)\S+")
_GREEK = re.compile("[\u0370-\u03ff]")


def invented(text: str) -> str:
    """The text in the invented language; its places stay."""
    parts = _PLACES.split(text)
    accented = (part if place % 2 else part.translate(_ACCENTS) for place, part in enumerate(parts))
    return f"{BEGIN}{''.join(accented)}{END}"


PSEUDO = Language(
    "en-XA",
    "Pseudo",
    "en",
    lambda text: invented(text) if text else "",
    lambda one, many, number: invented(one if number == 1 else many),
)


def forgotten(text: str) -> list[str]:
    """The words of a page that are neither in a sentence of the invented language nor data."""
    tree = html.document_fromstring(text)
    found = []
    depth = 0
    for piece in _texts(tree):
        outside = ""
        for part in re.split(r"(\[!!|!!\])", piece):
            if part == BEGIN:
                depth += 1
            elif part == END:
                depth -= 1
            elif depth == 0:
                outside += part
        found += [outside.strip()] if _is_word(outside) else []
    assert depth == 0
    for element in tree.iter(html.etree.Element):
        for name in ATTRIBUTES:
            value = element.get(name)
            of_programs = element.get("class") in ("Z3988", "unapi-id") or element.tag == "link"
            if value and not of_programs:
                bare = re.sub(r"\[!!.*!!\]", "", value, flags=re.DOTALL)
                found += [f"{name}={value}"] if _is_word(bare) else []
    return found


def _texts(element: html.HtmlElement) -> Iterator[str]:
    """The texts of an element in their order."""
    if isinstance(element.tag, str) and not _is_other(element):
        yield element.text or ""
        for child in element:
            yield from _texts(child)
            yield child.tail or ""


def _is_other(element: html.HtmlElement) -> bool:
    return (
        element.tag in _OTHERS
        or "citation" in element.get("class", "").split()
        or "caret" in element.get("class", "").split()
        or element.get("lang") in ("en", "zh-Hans")
    )


def _is_word(text: str) -> bool:
    words = _LETTERS.findall(_ADDRESS.sub(" ", text))
    return any(word not in NAMES and not _GREEK.search(word) for word in words)


def test_the_check_finds_what_is_forgotten():
    """In texts and attributes; data, names and finished sentences pass."""
    good = (
        f'<body><p>{invented("Add %(x)s")} αβγ 12 PDF</p><p title="{invented("Save")}">'
        "[!!á <a>Crossref</a> b!!]</p><code>x:y</code></body>"
    )
    bad = '<body><p>[!!á!!] Add</p><input placeholder="Year"><p>Save <b>[!!á!!]</b> all</p></body>'

    assert forgotten(good) == []
    assert forgotten(bad) == ["Add", "Save", "all", "placeholder=Year"]


def test_places_stay():
    """So that values can be put in."""
    assert invented("%(works)s works of {n}, 5%%") == "[!!%(works)s wórkš óf {n}, 5%%!!]"
    assert PSEUDO.said(message("{name} failed", name="αβγ")) == "[!!αβγ fáíléd!!]"


async def test_nothing_is_forgotten(serve, monkeypatch: pytest.MonkeyPatch):
    """On every page, in every state."""
    monkeypatch.setattr(visit, "language", lambda tag: PSEUDO)
    monkeypatch.setitem(visit._USUAL_STYLES, PSEUDO.tag, "apa")  # type: ignore[index]
    pages = await every_page(serve)

    assert all(BEGIN in text for text in pages.values())
    faults = [f"{name}: {word}" for name, text in pages.items() for word in forgotten(text)]
    assert not faults, "\n".join(faults)
