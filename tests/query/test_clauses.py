"""What cannot be asked never narrows a search, whatever stands round it."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, given
from hypothesis import strategies as st

from metasearch.demo.catalogue import Holdings, works
from metasearch.engine.options import SearchOptions
from metasearch.engine.resolve import query_of
from metasearch.errors import QuerySyntaxError
from metasearch.query import Query, read, to_text
from tests.cases import each
from tests.examples import examples

CATALOGUE = Holdings("all", works())
WORDS = st.sampled_from(["gambling", "lake", "gene", "cancer", "history", "network", "learning"])


@dataclass(frozen=True)
class Syntax:
    """How a syntax writes a word of a title, what holds for all works, for none, and what it cannot
    be asked."""

    title: str
    all: str
    none: str
    ignored: str
    operators: tuple[str, str, str] = ("AND", "OR", "NOT")


SYNTAXES = {
    "pubmed": Syntax("{}[ti]", "1000:3000[dp]", "1000[dp]", "Finland[ad]"),
    "ovid": Syntax("{}.ti.", "1000:3000.yr.", "1000.yr.", "finland.in.", ("and", "or", "not")),
    "scopus": Syntax(
        "TITLE({})", "PUBYEAR > 1000", "PUBYEAR = 1000", "AFFIL(finland)", ("AND", "OR", "AND NOT")
    ),
    "wos": Syntax("TI=({})", "PY=(1000-3000)", "PY=(1000)", "AD=(finland)"),
    "ebsco": Syntax("TI {}", "PY 1000-3000", "PY 1000", "AF finland"),
    "embase": Syntax("{}:ti", "[1000-3000]/py", "[1000-1000]/py", "finland:ca"),
    "proquest": Syntax("ti({})", "yr(1000-3000)", "yr(1000)", "af(finland)"),
    "ccl": Syntax("ti={}", "date>=1000", "date=1000", "note=finland", ("and", "or", "not")),
    "cnki": Syntax("TI='{}'", "YE BETWEEN ('1000','3000')", "YE=1000", "AF='finland'"),
    "sinomed": Syntax("{}[标题]", "1000-3000[日期]", "1000[日期]", "finland[作者单位]"),
    "cochrane": Syntax("{}:ti", "1000-3000:py", "1000:py", "finland:og"),
}
#: A tree: a word, None for the clause in question, or an operator with its operands.
TREES = st.recursive(
    st.one_of(WORDS, st.none()),
    lambda inner: st.tuples(st.sampled_from(["and", "or", "not"]), inner, inner),
    max_leaves=9,
)


def text_of(tree: object, syntax: Syntax, clause: str) -> str:
    """The tree in a syntax, with brackets round each operator."""
    if tree is None:
        return clause
    if isinstance(tree, str):
        return syntax.title.format(tree)
    operator, left, right = tree  # type: ignore[misc]
    sign = syntax.operators[("and", "or", "not").index(operator)]
    return f"({text_of(left, syntax, clause)} {sign} {text_of(right, syntax, clause)})"


def found_by(query: Query) -> set[str]:
    """The works of the demo's catalogue that a tree finds."""
    return {work.id for work in CATALOGUE.find(query)}


@each("syntax", SYNTAXES)
def test_a_clause_that_is_ignored_never_narrows(syntax: str) -> None:
    """It may hold for every work or for none: what the search finds then, it finds without it."""
    narrowed: list[str] = []

    @examples(0.3)
    @given(TREES)
    def check(tree: object) -> None:
        table = SYNTAXES[syntax]
        meant = [text_of(tree, table, clause) for clause in (table.all, table.none)]
        try:
            query = read(text_of(tree, table, table.ignored), syntax).query
        except QuerySyntaxError:
            assume(False)
        for text in meant:
            try:
                lost = found_by(read(text, syntax).query) - found_by(query)
            except QuerySyntaxError:  # no word is left to look for
                continue
            assert not lost, (text, to_text(query))
        narrowed.append(to_text(query))

    check()
    assert narrowed


@each(
    ("text", "syntax", "reads"),
    [
        ("glacier[ti] AND (Finland[ad] OR lake[ti])", "pubmed", "title:glacier"),
        ("glacier[ti] NOT (Finland[ad] AND lake[ti])", "pubmed", "title:glacier"),
        (
            "glacier[ti] NOT (Finland[ad] OR lake[ti])",
            "pubmed",
            "title:glacier AND NOT title:lake",
        ),
        ("TI=glacier AND (OG=(Finland) OR TI=lake)", "wos", "title:glacier"),
        ("1 glacier.ti.\n2 limit 1 to finland\n3 1 not 2", "ovid", "title:glacier"),
        (
            "glacier.ti. not (case reports or letter).pt.",
            "ovid",
            "title:glacier AND NOT type:letter",
        ),
    ],
)
def test_what_becomes_of_the_clauses_beside_it(text: str, syntax: str, reads: str) -> None:
    """Alternatives are left out with it, and so is a NOT that would exclude too much; a note says
    that more is found."""
    found = read(text, syntax)

    assert to_text(found.query) == reads
    assert any("more is found" in note or "finds more" in note for note in found.notes)


def test_words_near_one_another_are_all_asked_for_and_not_excluded() -> None:
    """Since no source can be asked how near words stand."""
    wanted = query_of(SearchOptions(query="(lake adj3 carbon).ti.", syntax="ovid"))
    excluded = query_of(SearchOptions(query="lake.ti. not (air adj3 water).ti.", syntax="ovid"))

    assert to_text(wanted.query) == "title:lake AND title:carbon"
    assert to_text(excluded.query) == "title:lake"
    assert any("more is found" in note for note in excluded.notes)
