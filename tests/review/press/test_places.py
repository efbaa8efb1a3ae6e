"""A strategy that is read for its review: its terms, operators and references stand where they were
typed.
"""

from __future__ import annotations

from metasearch.review.press.answer import review_text
from metasearch.review.press.reading import EACH, ReviewedStrategy, read
from tests.cases import each


def typed(strategy: ReviewedStrategy, places: list[tuple[int, int]]) -> list[str]:
    return [strategy.text[start:end] for start, end in places]


@each(
    ("syntax", "text", "terms", "operators"),
    [
        ("ovid", "exp Asthma/ or wheez*.ti,ab.", ["exp Asthma/", "wheez*.ti,ab."], ["or"]),
        ("pubmed", '"sleep"[mh] OR nap*[tiab]', ['"sleep"[mh]', "nap*[tiab]"], ["OR"]),
        ("wos", "TS=(bee* NEAR/3 loss)", ["bee*", "loss"], ["NEAR/3"]),
        ("scopus", "TITLE(bee) AND NOT KEY(wasp)", ["bee", "wasp"], ["AND NOT"]),
        ("ebsco", 'MH "Fathers+" OR TI dad', ['MH "Fathers+"', "TI dad"], ["OR"]),
        (
            "embase",
            "'gambling'/exp AND [english]/lim",
            ["'gambling'/exp", "[english]/lim"],
            ["AND"],
        ),
        ("cochrane", "[mh Asthma] or wheez*:ti", ["[mh Asthma]", "wheez*:ti"], ["or"]),
        ("cnki", "TI='水质'*(贝类+牡蛎)", ["TI='水质'", "贝类", "牡蛎"], ["+", "*"]),
        ("sinomed", '"肝癌"[标题] OR 肝肿瘤[摘要]', ['"肝癌"[标题]', "肝肿瘤[摘要]"], ["OR"]),
        ("simple", "salt marsh OR title:carbon", ["salt marsh", "title:carbon"], ["OR"]),
        ("ccl", "ti=(bridge or viaduct?)", ["bridge", "viaduct?"], ["or"]),
    ],
)
def test_terms_and_operators_stand_where_they_were_typed(
    syntax: str, text: str, terms: list[str], operators: list[str]
) -> None:
    """In each syntax, with their own fields and quotes."""
    strategy = read(text, syntax)
    [line] = strategy.lines

    assert typed(strategy, [(one.start, one.end) for one in line.terms]) == terms
    assert typed(strategy, [(one.start, one.end) for one in line.joins]) == operators


def test_a_term_says_what_it_is() -> None:
    """Its words without signs, its field, and whether it is a heading."""
    strategy = read("1. exp *Asthma/\n2. (wheez* or short of breath).ti,ab.\n3. 1 or 2")
    [heading], [stem, words] = strategy.lines[0].terms, strategy.lines[1].terms

    assert (heading.text, heading.heading) == ("Asthma", "exploded")
    assert (stem.text, stem.truncated, stem.field) == ("wheez", True, ".ti,ab.")
    assert (words.text, words.truncated, words.heading) == ("short of breath", False, "")


@each(
    ("syntax", "text", "named"),
    [
        ("ovid", "1 a.ti.\n2 b.ti.\n3 1 or 2", ["1", "2"]),
        ("ovid", "1 a.ti.\n2 b.ti.\n3 or/1-2", ["or/1-2", "or/1-2"]),
        ("pubmed", "1 a[ti]\n2 b[ti]\n3 1 or 2", ["1", "2"]),
        ("pubmed", "1 a[ti]\n2 b[ti]\n3 or/1-2", ["or/1-2", "or/1-2"]),
        ("ebsco", "S1 TI a\nS2 TI b\nS3 S1 AND S2", ["S1", "S2"]),
        ("cochrane", "#1 a:ti\n#2 b:ti\n#3 {or #1-#2}", ["{or #1-#2}", "{or #1-#2}"]),
        ("cnki", "1 TI='a'\n2 TI='b'\n3 1*2", ["1", "2"]),
    ],
)
def test_references_stand_where_they_were_typed(syntax: str, text: str, named: list[str]) -> None:
    """Also where the line is read in the signs of its syntax."""
    strategy = read(text, syntax)
    references = strategy.lines[2].references

    assert [one.number for one in references] == [1, 2]
    assert typed(strategy, [(one.start, one.end) for one in references]) == named


def test_a_line_that_cannot_be_read_is_an_error_of_its_own() -> None:
    """The lines beside it are read, and it still names what it names."""
    strategy = read("1. a.ti.\n2. (b.ti.\n3. 1 or or 2\n4. c.ti.")
    readable = [line.error is None for line in strategy.lines]

    assert readable == [True, False, False, True]
    assert [one.number for one in strategy.lines[2].references] == [1, 2]


def test_steps_of_several_syntaxes_are_each_read_in_their_own() -> None:
    """What one of them alone may write is no mistake in another."""
    text = (
        "#1 gambl* OR betting\n#2 (harm* adj3 reduc*).ti,ab.\n#3 #1 AND #2\n"
        "#4 (沉水植物+贝类)*生态系统\n#5 #3 OR #4\n#6 limit 5 to yr=2015-\n"
    )
    made = review_text(text, EACH)

    assert [line.syntax for line in made.strategy.lines if line.terms] == [
        "simple",
        "ovid",
        "cnki",
        "ovid",
    ]
    assert [one.code for one in made.findings if one.severity != "hint"] == []
