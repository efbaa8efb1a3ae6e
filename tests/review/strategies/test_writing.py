"""Whole search strategies in the syntaxes of databases that are searched by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metasearch.errors import UsageError
from metasearch.query import parse, read
from metasearch.query.syntaxes import TARGETS
from metasearch.review.strategies.step_text import read_step
from metasearch.review.strategies.strategies import Step
from metasearch.review.strategies.writer import write_strategy
from tests.cases import each

NUMBERED = ("ovid", "pubmed", "scopus", "wos", "ebsco", "embase", "proquest")


def chain(*texts: str) -> list[Step]:
    return [
        Step(
            id=number,
            strategy=1,
            number=number,
            kind="query",
            text=text,
            parents=read_step(text).numbers,
        )
        for number, text in enumerate(texts, 1)
    ]


STEPS = chain("title:gambling OR title:betting", "title:harm", "#1 AND #2", "#3 NOT title:mice")


@each(
    ("syntax", "lines"),
    [
        ("ovid", ["1 (gambling or betting).ti.", "2 harm.ti.", "3 1 and 2", "4 3 not mice.ti."]),
        ("pubmed", ["#1 gambling[ti] OR betting[ti]", "#2 harm[ti]", "#3 #1 AND #2",
                    "#4 #3 NOT mice[ti]"]),
        ("ebsco", ["S1 TI (gambling OR betting)", "S2 TI harm", "S3 S1 AND S2",
                   "S4 S3 NOT TI mice"]),
        ("cnki", ["TI=(('gambling'+'betting')*'harm'-'mice')"]),
    ],
)  # fmt: skip
def test_steps_are_lines_where_the_database_numbers_them(syntax: str, lines: list[str]) -> None:
    """Elsewhere they are one expression."""
    out = write_strategy(STEPS, syntax)
    assert out.text.splitlines() == lines
    assert not out.notes


@each("syntax", NUMBERED)
def test_what_is_written_reads_back(syntax: str) -> None:
    """As a strategy of numbered lines that means the same."""
    meant = "(title:gambling OR title:betting) AND title:harm AND NOT title:mice"
    assert read(write_strategy(STEPS, syntax).text, syntax).query == parse(meant)


def test_a_step_typed_in_the_syntax_stays_as_typed() -> None:
    """With what no tree can say, and with the numbers of the lines that it names."""
    typed = ["x", "exp Gambling/ and (harm* adj3 reduc*).ti,ab.", "limit 2 to yr=2020-", "#1 OR #3"]
    steps = [replace(step, number=step.number + 5) for step in chain(*typed)]
    texts = [it.text.replace("limit 2", "limit 7").replace("#1 OR #3", "#6 OR #8") for it in steps]
    steps = [
        replace(step, text=text, parents=read_step(text).numbers)
        for step, text in zip(steps, texts, strict=True)
    ]
    out = write_strategy(steps, "ovid")
    assert out.text.splitlines() == [
        "1 x.mp.",
        "2 exp Gambling/ and (harm* adj3 reduc*).ti,ab.",
        "3 limit 2 to yr=2020-",
        "4 1 or 3",
    ]
    assert not out.notes
    assert write_strategy(chain("TI='水质'%贝类", "x"), "cnki").lines[0].text == "TI='水质'%贝类"


def test_ebsco_has_its_own_sign() -> None:
    """Also where a step was typed with another one."""
    steps = [
        Step(id=1, strategy=1, number=4, kind="query", text="TI gambl*", syntax="ebsco"),
        Step(id=2, strategy=1, number=5, kind="query", text="#4 AND (TI harm* N3 reduc*)",
             syntax="ebsco", parents=(4,)),
    ]  # fmt: skip
    assert write_strategy(steps, "ebsco").text == "S1 TI gambl*\nS2 S1 AND (TI harm* N3 reduc*)\n"


def test_lines_are_counted_anew_and_parents_come_first() -> None:
    """A database numbers lines in the order in which they are typed."""
    steps = [
        Step(id=1, strategy=1, number=2, kind="query", text="#9 AND a", parents=(9,)),
        Step(id=2, strategy=1, number=9, kind="query", text="b"),
    ]
    assert write_strategy(steps, "pubmed").text == "#1 b[tw]\n#2 #1 AND a[tw]\n"
    assert [it.step for it in write_strategy(steps, "pubmed").lines] == [9, 2]


def test_a_step_that_only_excludes_is_put_in() -> None:
    """No database takes it as a line of its own."""
    out = write_strategy(chain("a", "NOT author:smith", "#1 AND #2"), "pubmed")
    assert out.text == "#1 a[tw]\n#2 #1 NOT smith[au]\n"


def test_years_narrow_what_no_other_names() -> None:
    """As a line of their own, or in the expression."""
    steps = chain("a", "b", "#1 OR #2")
    assert write_strategy(steps, "pubmed", years="2010-2020").text.splitlines()[-1] == (
        "#4 #3 AND 2010:2020[dp]"
    )
    assert "YE BETWEEN ('2010','2020')" in write_strategy(steps, "cnki", years="2010-2020").text


def test_losses_say_of_which_step_they_are() -> None:
    """And what cannot be written is left out, with those that cannot be read."""
    steps = [
        *chain("gambl*", "issn:1234-5679"),
        Step(id=3, strategy=1, number=3, kind="query", text="(a"),
        Step(id=4, strategy=1, number=4, kind="query", text="#1 OR #2", parents=(1, 2)),
        Step(id=5, strategy=1, number=5, kind="import", text="x"),
    ]
    notes = write_strategy(steps, "proquest").notes
    assert "step 3 is left out: This bracket is never closed" in notes
    assert any(
        note.startswith("#1: CNKI cannot") for note in write_strategy(steps[:1], "cnki").notes
    )


def test_a_note_names_steps_as_people_do() -> None:
    """Also where an alternative cannot be written."""
    (note,) = write_strategy(chain("a", "b", "#1 OR NOT #2"), "pubmed").notes
    assert note == "#3: PubMed has no NOT without something before it: NOT #2 is left out"


def test_one_expression_may_be_asked_for() -> None:
    """To be pasted into a single box."""
    out = write_strategy(STEPS, "pubmed", as_lines=False)
    assert out.text == "(gambling[ti] OR betting[ti]) AND harm[ti] NOT mice[ti]\n"
    assert [(it.step, it.label) for it in out.lines] == [(4, "")]


@each("syntax", TARGETS)
def test_every_syntax_can_be_written(syntax: str) -> None:
    """No step makes it fail."""
    steps = chain("a*", "doi:10.1000/x", "year:2010-", "type:article language:en b", "or/1-4")
    assert write_strategy(steps, syntax, years="2015-").lines


def test_another_syntax_is_an_error() -> None:
    """With the names of all."""
    with pytest.raises(UsageError, match="no syntax called 'nowhere'"):
        write_strategy(STEPS, "nowhere")
    with pytest.raises(UsageError):
        write_strategy(STEPS, "ovid", years="soon")
