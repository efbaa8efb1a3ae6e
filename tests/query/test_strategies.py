"""Strategies in the manner of published reviews: each is read as the table says, and nothing is
lost in silence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import parse, read, to_text
from metasearch.query.detect import detect
from metasearch.query.scanner import SENTENCES
from metasearch.query.syntaxes import DATABASES
from tests.cases import each

TABLE: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "strategies.toml").read_text(encoding="utf-8")
)["strategy"]
READ = [it for it in TABLE if "reads" in it]
#: What a strategy may say that no tree can -> the kinds of notes of which one must be there.
LOSSES = {
    r"\badj[0-9]*\b|\b(?:NEAR|NEXT|PRE|W|N)/[0-9]|\s[NW][0-9]\s|\sSAME\s|\bnext\b": {"near"},
    r"\bexp [*\"A-Z]|/exp\b|EXPLODE|\+\"|explode all|\[mh \"": {"explosion"},
    r"(?<=\w)[?#](?=\w)|\$[0-9]|\w\*n\b": {"wildcard", "spelling"},
    r"(?:^|\s)\*[A-Z]|exp \*|/mj\b|\(MM ": {"focus"},
    r"/(?:ep|dt|PF|AD)\b": {"subheading"},
    r"remove duplicates": {"duplicates"},
    r"limit \d+ to humans|\[animals\]/lim|\[embase\]/lim": {"limit"},
    r"AFFILCOUNTRY|OG=|SUBJAREA|\[ad\]|\[gr\]": {"nowhere"},
    r"\(\d{3,5}\)$": {"hits"},
    r"freq=": {"frequency"},
    r"\bIndexes=": {"settings"},
    r"\buse ppez": {"limit"},
}


def kind_of(sentence: str) -> str:
    """The kind of what is told about a strategy; "other" for what no sentence of ours is."""
    for kind, template in SENTENCES.items():
        first, *_, last = re.split(r"\{[a-z]+\}", template)
        if first + last and sentence.startswith(first) and last in sentence:
            return kind
    return "other"


@each("row", READ, ids=lambda row: row["text"][:40])
def test_strategies_are_read_as_the_table_says(row: dict[str, Any]) -> None:
    """The tree, in our own syntax, and the kinds of what is told; the tree can be read again."""
    found = read(row["text"], row["syntax"])

    assert to_text(found.query) == row["reads"]
    assert sorted({kind_of(note) for note in found.notes}) == row["told"]
    assert parse(row["reads"]) == found.query


@each("row", [it for it in TABLE if it["auto"]], ids=lambda row: row["text"][:40])
def test_their_marks_say_which_syntax_they_are_in(row: dict[str, Any]) -> None:
    """So that nobody has to name it; the answer says which was taken."""
    assert detect(row["text"]) == row["syntax"]


@each("row", [it for it in TABLE if "refused" in it], ids=lambda row: row["text"][:40])
def test_what_cannot_be_read_is_refused_with_a_reason(row: dict[str, Any]) -> None:
    """And with a place in the text."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(row["text"], row["syntax"])

    assert caught.value.reason == row["refused"]
    assert caught.value.position <= len(row["text"])
    assert caught.value.advice or caught.value.suggestion


@each("row", READ, ids=lambda row: row["text"][:40])
def test_nothing_is_lost_in_silence(row: dict[str, Any]) -> None:
    """Whatever no tree can say has its note."""
    for loss, kinds in LOSSES.items():
        if row["syntax"] in DATABASES and re.search(loss, row["text"], re.MULTILINE):
            assert kinds & set(row["told"]), loss


def test_nine_of_ten_are_read() -> None:
    """The others are refused aloud."""
    assert len(TABLE) >= 60
    assert len(READ) >= 0.9 * len(TABLE)
    assert {it["syntax"] for it in TABLE} >= set(DATABASES)
