"""JSON that is looked at as a whole."""

from __future__ import annotations

import orjson

from metasearch.formats.answer import clean_json, clean_object
from metasearch.formats.text import clean
from tests.cases import each


def test_every_unwanted_character_is_seen() -> None:
    """Whatever character `clean` would change, the JSON of an object with it is not given out."""
    unwanted = [char for char in map(chr, range(0x110000)) if clean(f"a{char}b") != f"a{char}b"]

    assert len(unwanted) > 2048
    for char in unwanted:
        assert clean_json({"title": f"a{char}b"}) is None
        assert clean_json({"ids": {f"a{char}": ""}}) is None


@each("text", ["", "a\tb\nc", '"quoted"', "a\\d", "Ünï – 中文", "soft\xadhyphen", "no\xa0break"])
def test_what_is_clean_is_written_as_it_is(text: str) -> None:
    """Tabs, line breaks, quotes and characters beyond ASCII need no cleaning."""
    assert clean_json({"title": text}) == orjson.dumps({"title": text})


def test_a_backslash_may_look_like_a_control_character() -> None:
    """Then the object is cleaned for nothing, and stays as it was."""
    made = {"title": r"C:\book"}

    assert clean_json(made) is None
    assert clean_object(made) == made


@each("number", [2**53, -(2**53), 2**64, 10**30])
def test_a_number_that_is_not_exact_is_seen(number: int) -> None:
    """It becomes null, wherever it stands."""
    made = {"citations": number, "sources": [{"position": number}]}

    assert clean_json(made) is None
    assert clean_object(made) == {"citations": None, "sources": [{"position": None}]}


def test_cleaned_texts() -> None:
    """Texts of which nothing is left are null, but for those that are always texts."""
    made = {
        "name": "\x00",
        "venue": "\x00",
        "titles": ["a\x00", "\x00"],
        "ids": {"\x00pmid": "1\x00"},
        "retracted": True,
        "score": 0.5,
        "authors": [{"name": "A\x00", "given": "\x00"}],
    }

    assert clean_object(made) == {
        "name": "",
        "venue": None,
        "titles": ["a", ""],
        "ids": {"pmid": "1"},
        "retracted": True,
        "score": 0.5,
        "authors": [{"name": "A", "given": None}],
    }
