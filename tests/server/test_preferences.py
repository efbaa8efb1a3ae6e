"""What a reader prefers: the address comes before the cookie, the cookie before the browser."""

from __future__ import annotations

from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from multidict import MultiDict

from metasearch.language import TAGS
from metasearch.server.cookies import LARGEST, Cookies
from metasearch.server.visit import (
    MOST_CHARACTERS,
    MOST_SOURCES,
    SIZES,
    THEMES,
    Preferences,
    preferences,
    source_names,
)
from tests.cases import each

CHOSEN = Preferences(
    language="zh-Hans", theme="dark", page_size=50, style="ieee", sources=("arxiv", "pubmed")
)


def of(kept=None, address="", accept=""):
    given_ = MultiDict(pair.split("=") for pair in address.split("&") if pair)
    return preferences(kept, given_, accept)


def test_without_anything_all_is_as_usual():
    assert of() == Preferences()


def test_a_cookie_has_what_was_chosen():
    assert of(CHOSEN.written()) == CHOSEN
    assert of(Preferences().written()) == Preferences()
    assert Preferences().written() == {"language": "en"}


def test_an_address_comes_first():
    both = of(CHOSEN.written(), "lang=en&theme=light", "zh")

    assert (both.language, both.theme) == ("en", "light")
    assert (both.page_size, both.style, both.sources) == (50, "ieee", ("arxiv", "pubmed"))


@each("tag", ["zh", "zh-CN", "ZH_hans", "zh-Hant-TW"])
def test_a_language_is_named_in_many_ways(tag):
    assert of(address=f"lang={tag}").language == "zh-Hans"


def test_the_browser_is_asked_last():
    assert of(accept="zh-CN,zh;q=0.9,en;q=0.8").language == "zh-Hans"
    assert of(accept="fr, de;q=0.9").language == "en"
    assert of({"language": "en"}, accept="zh").language == "en"


def test_what_is_not_offered_is_as_usual():
    kept = {"language": "xx", "theme": 1, "page_size": 20_000, "style": [], "sources": "arxiv"}

    assert of(kept, "lang=xx&theme=blue") == Preferences()
    assert of({"page_size": True}) == of({"page_size": 50.0}) == Preferences()


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
keys = st.sampled_from(["language", "theme", "page_size", "style", "sources", "other"])


@given(json | st.dictionaries(keys, json), st.text(max_size=30), st.text(max_size=60))
def test_nothing_breaks_it(kept, asked, accept):
    """Whatever a cookie holds."""
    chosen = preferences(kept, MultiDict(lang=asked, theme=asked), accept)

    assert chosen.language in TAGS
    assert chosen.theme in THEMES
    assert chosen.page_size in SIZES
    assert all(isinstance(name, str) for name in chosen.sources)
    assert preferences(chosen.written(), MultiDict(), "") == chosen


def test_sources_that_a_cookie_cannot_hold_are_left_out():
    """Whatever their names are, the cookie can be written."""
    many = [f"source-{number}" for number in range(2 * MOST_SOURCES)]
    long = [f"{number}{'x' * 90}" for number in range(60)]

    assert source_names(many) == tuple(many[:MOST_SOURCES])
    assert len(source_names([*many, *many])) == MOST_SOURCES
    assert sum(map(len, source_names(long))) <= MOST_CHARACTERS
    assert source_names(["a", "a", "", 1, None, "ä", "b"]) == ("a", "b")


@given(st.lists(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60)))
def test_every_choice_fits_into_a_cookie(names):
    response = web.Response()
    chosen = Preferences(language="zh-Hans", theme="light", sources=source_names(names))
    Cookies().write(response, "a", chosen.written(), "http://localhost")

    assert len(response.cookies["a"].value) <= LARGEST
