"""What is indexed, and how words are spelt so that they meet it."""

from __future__ import annotations

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from metasearch.collections.store import (
    COLUMNS,
    exact,
    fold_text,
    index_texts,
    with_index_spelling,
)
from metasearch.record import Author, Record
from tests.cases import each


def index_of(record: Record) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute(
        f"CREATE VIRTUAL TABLE texts USING fts5({', '.join(COLUMNS)}, tokenize = 'unicode61 "
        f"remove_diacritics 2')"
    )
    db.execute(f"INSERT INTO texts VALUES (?{', ?' * (len(COLUMNS) - 1)})", index_texts(record))
    return db


def finds(record: Record, expression: str) -> bool:
    with index_of(record) as db:
        found = db.execute(
            "SELECT count(*) FROM texts WHERE texts MATCH ?", (with_index_spelling(expression),)
        ).fetchone()[0]
    db.close()
    return bool(found)


WORK = Record(
    source="x",
    title="Déjà vu in Straßen: über Bäume",
    subtitle="an essay",
    translated_title="Seen before",
    authors=(Author("Jane M. Øre", "Øre", "Jane M."), Author("World Bank", collective=True)),
    editors=(Author("Li Wei", "Li", "Wei"),),
    venue="Journal of Trees",
    abstract="Nothing of note.",
    keywords=("déjà-vu",),
    subjects=("Psychology",),
    doi="10.1000/ab(c)",
    isbn=("9780306406157",),
    issn=("1234-567X",),
    ids={"pmid": "12345"},
    type="conference-paper",
    language="de",
)
CHINESE = Record(
    source="x",
    title="沉水植物与水質评价",
    authors=(Author("王伟"),),
    venue="生态学报",
    language="zh",
)


@each(
    "expression",
    [
        '"deja"',
        '"DÉJÀ VU"',
        'title : "strassen"',
        'title : "essay"',
        'title : "seen before"',
        'author : "ore jane"',
        'author : "jane ore"',
        'author : "ore j"',
        'author : "world bank"',
        'author : "wei"',
        'venue : "trees"',
        'subject : "psychology"',
        'subject : "deja vu"',
        'doi : "10.1000/AB(C)"',
        'doi : "https://doi.org/10.1000/ab(c)"',
        'doi : "10.1000"',
        'isbn : "0-306-40615-2"',
        'issn : "1234567x"',
        'type : "conference-paper"',
        'language : "de"',
        '"12345"',
        '"10.1000/ab(c)"',
        '"str" *',
    ],
)
def test_is_found(expression: str) -> None:
    assert finds(WORK, expression)


@each(
    "expression",
    [
        'title : "trees"',
        'author : "bank li"',  # no phrase reaches from one person into the next
        'doi : "10.1000/ab"',
        'doi : "10.1000/abc"',
        'type : "paper"',
        'type : "conference"',
        '"conference-paper"',  # what a work is of is no word in it
        '"de"',
        'language : "d"',
    ],
)
def test_is_not_found(expression: str) -> None:
    assert not finds(WORK, expression)


@each("text", ["沉水植物", "水植", "植物与水质", "水質", "质", "评", "生态学报"])
def test_any_part_of_chinese_text_is_found(text: str) -> None:
    """From one character on, in either form of the characters; FTS5's trigrams would need three."""
    assert finds(CHINESE, f'"{text}"')


def test_chinese_characters_must_follow_one_another() -> None:
    assert not finds(CHINESE, '"水沉"')


@each(
    ("title", "text"),
    [("機械学習入門", "学習"), ("머신러닝 연구", "러닝"), ("ディープラーニング", "ラー")],
)
def test_japanese_and_korean(title: str, text: str) -> None:
    assert finds(Record(source="x", title=title), f'"{text}"')


def test_mixed_text() -> None:
    """Latin words within Chinese text are words."""
    work = Record(source="x", title="COVID-19疫苗的接种")

    assert finds(work, '"covid"')
    assert finds(work, '"19疫苗"')
    assert not finds(work, '"ovid"')


@given(st.text())
def test_a_title_is_found_by_itself(title: str) -> None:
    """Whatever stands in a title, its whole text as a phrase finds it, if there is anything to
    find."""
    if any(char.isalnum() and ord(char) < 0x10000 for char in fold_text(title)) and not any(
        map(_unknown, fold_text(title))
    ):
        assert finds(Record(source="x", title=title), f'"{title.replace(chr(34), " ")}"')


def _unknown(char: str) -> bool:
    """Whether SQLite may not know the character: its tables are older than Python's, and it has no
    surrogates."""
    return not (
        "\u0020" <= char <= "\u024f" or "\u0400" <= char <= "\u045f" or "\u4e00" <= char <= "\u9fa5"
    )


@given(st.text(max_size=40), st.sampled_from(["", *COLUMNS]))
def test_no_text_is_syntax(text: str, column: str) -> None:
    """What stands in quotes finds or does not; it never breaks out of them."""
    quoted = f'"{text.replace(chr(34), " ")}"'

    finds(WORK, f"{column} : {quoted}" if column else quoted)


@given(st.text(min_size=1), st.text(min_size=1))
def test_exact_words_are_equal_only_where_the_values_are(one: str, other: str) -> None:
    low = (one.lower(), other.lower())
    private = any(0xE000 <= ord(char) <= 0xF8FF for text in low for char in text)

    assert private or (exact(one) == exact(other)) == (low[0] == low[1])


def test_columns_agree() -> None:
    """Every column is filled."""
    assert len(index_texts(WORK)) == len(COLUMNS)
    assert all(index_texts(WORK))
