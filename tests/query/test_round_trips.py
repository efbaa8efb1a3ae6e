"""From any platform to any other and back into a tree: the same works are found, or a note says
what is lost; and the page of docs says what each platform can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from metasearch.query import Query, Term, Years, matches, parse, read, to_text
from metasearch.query.grammar import SyntaxStyle
from metasearch.query.syntaxes import TARGETS
from metasearch.query.tree import terms
from metasearch.query.writer import style_of, translate
from metasearch.record import Record

PAGE = (Path(__file__).parents[2] / "docs" / "syntaxes.md").read_text(encoding="utf-8")
#: What is written -> the syntax that it is read in.
READERS: Mapping[str, str] = {to: "cnki" if to == "wanfang" else to for to in TARGETS}
#: How a query is typed -> the syntax.
QUERIES: Mapping[str, str] = {
    "title:salt NEAR/3 title:marsh": "simple",
    "title:salt NEAR/0 title:marsh": "simple",
    "title:salt PRE/2 title:marsh": "simple",
    "title:salt PRE/0 title:marsh*": "simple",
    "(title:salt OR title:tidal) PRE/0 title:marsh": "simple",
    "title:salt NEAR/2 title:marsh NEAR/2 title:soil": "simple",
    "(title:salt NEAR/1 title:marsh) NEAR/3 title:soil": "simple",
    'title:"salt marsh" NEAR/2 title:soil': "simple",
    '"salt* marsh*".ti. or (tidal adj2 (soil or "salt marsh*")).ti,ab.': "ovid",
    "title:soil NOT (title:salt NEAR/2 title:marsh)": "simple",
    'title:soil NOT title:"salt marsh*"': "simple",
    'title:"salt marsh*" OR abstract:"salt marsh*"': "simple",
    "(salt* or tidal) adj4 (marsh* or soil).ti,ab.": "ovid",
    "TS=(salt NEAR/3 marsh*)": "wos",
    "exp Soil/ or (salt adj marsh).ti,ab.": "ovid",
    "salt.ti. not Soil/": "ovid",
    "(exp Salt Marsh/ or (soil adj3 tidal).ti.) and 2010:2017.yr.": "ovid",
    "title:salt (type:review OR type:thesis) year:2015-": "simple",
}
WORDS = ("salt", "marsh", "marshes", "soil", "tidal")


def records() -> Iterator[Record]:
    """Works with two or three of the words, so many others between them, in each place."""
    for count in (1, 2, 3):
        for chosen in permutations(WORDS, count):
            for gap in range(5 if count > 1 else 1):
                text = f" {'x ' * gap}".join(chosen)
                yield Record(
                    source="x", title=text, abstract="x", keywords=("x",), year=2016, type="review"
                )
                yield Record(
                    source="x", title="x", abstract=text, keywords=("x",), year=2021, type="thesis"
                )
                yield Record(source="x", title="x soil", abstract=text, keywords=(text,), year=2014)


WORKS = tuple(records())


@cache
def _found(text: str) -> frozenset[int]:
    query = parse(text)
    return frozenset(at for at, work in enumerate(WORKS) if matches(query, work))


def found_by(query: Query) -> frozenset[int]:
    """The works that a tree finds."""
    return _found(to_text(query))


def headings(query: Query) -> set[tuple[str, str]]:
    """The headings of a tree, and how they are named."""
    named: Iterator[Term] = terms(query, negated=True)
    return {(term.text.casefold(), term.heading) for term in named if term.heading}


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        (next(iter(TARGETS)), [*TARGETS][::3]),
        *(pytest.param(source, [*TARGETS], marks=pytest.mark.slow) for source in TARGETS),
    ],
)
def test_the_same_is_found_or_a_note_says_what_is_lost(source: str, targets: list[str]) -> None:
    """From one platform to the others."""
    exact = 0
    for typed, syntax in QUERIES.items():
        text = translate(typed, to=source, syntax=syntax).text
        meant = read(text, READERS[source]).query
        for target in targets:
            written = translate(text, to=target, syntax=READERS[source])
            back = read(written.text, READERS[target]).query
            case = f"{text}  ->  {target}: {written.text}  {written.notes}"

            if not written.notes:
                assert found_by(back) == found_by(meant), case
                assert headings(back) >= headings(meant), case
            elif all("finds more" in note for note in written.notes):
                assert found_by(back) >= found_by(meant), case
            exact += not written.notes

    assert exact > len(QUERIES) * len(targets) / 4


def test_the_queries_find_some_works_and_not_others() -> None:
    """So that the other test can fail."""
    for typed, syntax in QUERIES.items():
        assert 0 < len(found_by(read(typed, syntax).query)) < len(WORKS), typed


# -------------------------------------------------------------------------------- the table


def row(name: str, style: SyntaxStyle) -> str:
    """What a platform can hold, as the page of docs has it."""
    near = style.near or style.near_words.get("title", "").partition('"{x}"')[2].rstrip(")")
    cells = [
        _sign(near),
        _sign(style.ordered),
        _sign(style.adjacent or ("" if style.nearest else style.ordered), 0) or "a phrase",
        style.headings.get("exploded", "").format(x="X"),
        style.headings.get("exact", "").format(x="X"),
        style.truncation and f"x{style.truncation}",
        style.truncation
        and style.stems_in_phrases
        and style.phrase.format(x=f"x y{style.truncation}"),
        style.years
        and " AND ".join(style.years.templates(Years(2015, 2020))).format(
            first=2015, last=2020, before=2014, after=2021
        ),
        style.types and str(len(style.types)),
        style.languages and "yes",
    ]
    return f"| `{name}` | {' | '.join(_cell(cell) for cell in cells)} |"


def _sign(template: str, within: int = 3) -> str:
    return template.format(n=within, next=within + 1).strip()


def _cell(value: object) -> str:
    if not value:
        return "no"
    return str(value) if value in ("yes", "a phrase") or str(value).isdigit() else f"`{value}`"


def test_the_page_says_what_each_platform_can_hold() -> None:
    """The third table, computed from the tables that are written by."""
    for name in TARGETS:
        if name not in ("simple", "cql"):
            assert row(name, style_of(name)) in PAGE, row(name, style_of(name))
