"""What databases hang onto titles is taken off, and nothing else is."""

from __future__ import annotations

from metasearch.dedup.titles import without_affixes
from tests.cases import each

TITLE = "Current aspects of sorption"


@each(
    "affix",
    [
        " [Review]",
        " (Provisional abstract)",
        ". [Romanian]",
        " [Review] [16 refs] [Romanian]",
        " [French, German]",
        " LA: Chi",
        ".[Erratum appears in J Soil. 2007 Jun 19;104(25):10749]",
        ".[Erratum appears in J Soil. 2009 Sep;9(9):2205 Note: Doe, J [added]]",
        " [Erratum appears in J Soil. 2009",
        " (extended abstract)",
        " (tutorial)",
        " [Retracted article]",
    ],
)
def test_it_is_no_part_of_the_title(affix: str) -> None:
    """The title is the same with and without it, and it tells nothing about the record."""
    title, mark = without_affixes(TITLE + affix)

    assert (title.rstrip("."), mark) == (TITLE, "")


@each(
    ("affix", "mark"),
    [
        (" (vol 85, pg 553, 2010)", "erratum"),
        (" (Journal of Soil (2009) 360 (542-544))", "erratum"),
        (" [abstract]", "abstract"),
        (" [abstract no: 134]", "abstract"),
        (" (Protocol)", "protocol"),
    ],
)
def test_it_tells_what_the_record_is(affix: str, mark: str) -> None:
    """Some affixes make another publication of the record."""
    assert without_affixes(TITLE + affix) == (TITLE, mark)


@each("mark", ["RETRACTED: ", "[RETRACTED] ", "Retracted article: ", "WITHDRAWN: "])
def test_a_mark_before_the_article_is_no_notice(mark: str) -> None:
    """Publishers mark the retracted article itself; a notice is called "Retraction"."""
    assert without_affixes(mark + TITLE) == (TITLE, "")


@each(
    "title",
    [
        "Sorption of phosphate (a column study)",
        "Sorption of phosphate (part 2)",
        "[Review]",
        "(Protocol)",
        "Review of sorption",
        "Retracted muscles in mice",
        "",
        "]",
        "((((",
        "a" * 50 + "]" * 50,
    ],
)
def test_the_rest_stays(title: str) -> None:
    """Brackets that belong to a title stay, and a title that is nothing else."""
    assert without_affixes(title)[0] == title
