"""Words that a misspelt query may mean."""

from __future__ import annotations

import time

from metasearch.query import parse, to_text
from metasearch.record import Record
from metasearch.server.spelling import Spelling
from tests.cases import each


def corrected(query: str, *titles: str) -> str:
    """The query in known words, after searches that found these titles; "" for none."""
    spelling = Spelling()
    spelling.learn(Record(source="alpha", title=title) for title in titles)
    better = spelling.correct(parse(query))
    return to_text(better) if better else ""


@each(
    ("typed", "meant"),
    [
        ("machin lerning", "machine learning"),
        ("gambling harmz prevalance Ruritania", "gambling harm prevalence Ruritania"),
        ('title:"machin lerning" AND NOT harmz', 'title:"machine learning" AND NOT harm'),
    ],
)
def test_english_words_of_the_list(typed: str, meant: str) -> None:
    assert corrected(typed) == meant


@each("query", ["machine learning", "author:lerning", "lerni*", "xqz", "2020 doi:10.5555/machin"])
def test_what_is_known_or_is_no_word_of_a_title_stays(query: str) -> None:
    assert corrected(query) == ""


def test_a_word_of_titles_is_offered_once_two_works_have_it() -> None:
    """One alone may be a misprint; it is known all the same, and nothing is offered for it."""
    assert corrected("ruritanja", "Gambling in Ruritania") == ""
    assert corrected("ruritanja", "Gambling in Ruritania", "Ruritania at play") == "ruritania"
    assert corrected("lerning", "Lerning in print") == ""


@each("typed", ["机器学系", "jiqi xuexi", "jiqixuexi"])
def test_chinese_is_compared_by_its_sound(typed: str) -> None:
    titles = "基于机器学习的赌博研究", "机器学习综述"

    assert corrected(typed, *titles) == "机器学习"
    assert corrected("机器学习", *titles) == ""


def test_long_and_many_words_cost_little() -> None:
    """A query is as long as a client likes."""
    titles = [f"机器学习综述与方法{number}" for number in range(50)]
    spelling = Spelling()
    spelling.learn(Record(source="alpha", title=title * 500) for title in titles)
    query = parse(" OR ".join(["lerning" + "x" * number for number in range(150)] + ["机" * 9_000]))
    started = time.process_time()
    spelling.correct(query)

    assert time.process_time() - started < 2


def test_what_is_kept_is_bounded() -> None:
    spelling = Spelling(most_words=10, most_stretches=20)
    spelling.learn(
        Record(source="alpha", title=title)
        for title in ("机器学习综述与方法", "a b c d e f g h i j k l m n")
    )

    assert spelling.size == 30
