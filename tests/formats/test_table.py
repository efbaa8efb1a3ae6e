"""The list in a terminal: readable, within its width, and deaf to what upstream text would have the
terminal do."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from metasearch import formats
from metasearch.events import Facet, Facets, FacetValue, Totals
from metasearch.formats import table
from metasearch.record import Author, Hit, Reason, Record
from tests.formats.samples import MERGED, answer, hit, hostile_hits, properties

OUR_SEQUENCES = re.compile(r"\x1b\[(?:0|1|2|32|34|1;31)m|\x1b\]8;;[!-~]*\x1b\\")


def shown(*hits: Hit, **options: Any) -> list[str]:
    return table.write(hits, **options).decode().splitlines()


def test_a_merged_work() -> None:
    """Rank and title, authors, imprint, address, and who has it at which place."""
    assert shown(MERGED) == [
        "1. Toward unique identifiers",
        "   Norman Paskin, IEEE Standards Committee",
        "   Proceedings of the IEEE, 1999, article",
        "   https://doi.org/10.1109/5.771073",
        "   arxiv #1, crossref #3",
    ]


def test_explained() -> None:
    """The score's parts, why the records were merged, the versions, and which source gave what."""
    assert shown(MERGED, explain=True, width=100)[5:] == [
        "   score 0.0323:",
        "     +0.0159 crossref ranks it 3",
        "     +0.0164 arxiv ranks it 1",
        (
            "   joined as versions arxiv:9907.00001 and crossref:10.1109/5.771073: titles agree "
            "0.93 (title,"
        ),
        "       0.93)",
        "   version preprint: arxiv:9907.00001",
        "   version published: crossref:10.1109/5.771073",
        "   from arxiv: ids.arxiv",
        "   from crossref: title, year",
    ]


@given(st.lists(st.floats(0, 2), max_size=30))
def test_shown_points_add_up_to_the_shown_score(points: list[float]) -> None:
    """Rounded one by one they would often miss it; none is moved by more than one unit."""
    reasons = tuple(Reason(f"part {number}", each) for number, each in enumerate(points))
    score = math.fsum(points)

    rounded = table.points_that_add_up(replace(MERGED, score=score, reasons=reasons))

    assert f"{math.fsum(rounded):.4f}" == f"{score:.4f}"
    assert all(abs(shown - exact) <= 0.0001 for shown, exact in zip(rounded, points, strict=True))


def test_reasons_that_are_no_sum_are_shown_as_they_are() -> None:
    """Points are not changed to fit a score that is made of something else."""
    odd = replace(MERGED, score=5.0, reasons=(Reason("a", 0.25), Reason("b", 0.5)))

    assert table.points_that_add_up(odd) == [0.25, 0.5]


def test_filters_order_and_facets_stand_below_the_hits() -> None:
    """As they are in the answer; a search without them ends with its last hit."""
    facets = Facets(1, (Facet("type", (FacetValue("article", 1, "type:article"),)),))
    plain = answer(MERGED)
    totals = Totals(1, 1, 1, 1, True, "all")
    asked = replace(plain, filter="type:article", sort="date", facets=facets, totals=totals)

    assert shown(MERGED, answer=asked)[5:] == [
        "",
        "1 of 1 work passes type:article; sorted by date, newest first",
        "",
        "Facets of 1 work, each counted without its own filter:",
        "  type  article 1",
    ]
    assert shown(MERGED, answer=plain) == shown(MERGED)
    assert shown(answer=replace(asked, hits=()))[0].startswith("1 of 1 work passes")
    assert formats.write("table", asked).decode().splitlines() == shown(MERGED, answer=asked)
    rich = table.write([], answer=asked, color=True).decode()
    assert OUR_SEQUENCES.sub("", rich).splitlines() == shown(answer=asked)
    assert rich != OUR_SEQUENCES.sub("", rich)


def test_titles_line_up() -> None:
    """Ranks are right-aligned, a blank line stands between hits, and unranked hits are numbered."""
    lines = shown(hit("a", title="First", rank=9), hit("b", title="Second", rank=10))

    assert lines == [" 9. First", "    crossref #1", "", "10. Second", "    crossref #1"]
    assert shown(hit("a", title="First"))[0] == "1. First"


def test_long_author_lists_are_cut() -> None:
    """Six names are shown; a seventh takes no more room than saying that there is one more."""
    people = tuple(Author(f"P{n}") for n in range(1, 10))

    assert shown(hit(authors=people[:7]))[1].strip() == "P1, P2, P3, P4, P5, P6, P7"
    assert shown(hit(authors=people))[1].strip() == "P1, P2, P3, P4, P5, P6 and 3 more"


def test_a_hit_of_nothing_still_has_its_lines() -> None:
    """A hit without a title says so, and a source without positions stands by its name."""
    assert shown(hit(position=0)) == ["1. [no title]", "   crossref"]


def test_wide_characters_take_two_columns() -> None:
    """Chinese titles wrap at the terminal's columns, not at so many characters."""
    lines = shown(hit(title="深度学习的文本分类方法研究综述与展望"), width=24)

    assert lines[:2] == ["1. 深度学习的文本分类方", "   法研究综述与展望"]


def test_addresses_are_never_broken() -> None:
    """An address that is wider than the terminal can still be copied."""
    url = "https://example.org/" + "a-b/" * 30

    assert f"   {url}" in shown(hit(url=url), width=40)


def test_colour_and_links_are_off_unless_asked_for() -> None:
    """A pipe gets plain text; a terminal gets SGR colours and OSC 8 links."""
    plain = table.write([MERGED], explain=True)
    rich = table.write([MERGED], explain=True, color=True, hyperlinks=True).decode()

    assert b"\x1b" not in plain
    assert "\x1b[1mToward unique identifiers\x1b[0m" in rich
    assert "\x1b]8;;https://doi.org/10.1109/5.771073\x1b\\" in rich
    assert OUR_SEQUENCES.sub("", rich).encode() == plain


def test_unsafe_addresses_are_not_shown() -> None:
    """Neither as text nor as a link."""
    assert "javascript" not in "\n".join(shown(hit(url="javascript:alert(1)"), hyperlinks=True))


def test_no_hits_are_no_lines() -> None:
    """Nothing found, nothing printed: the progress lines say why."""
    assert table.write([]) == b""


def test_the_best_place_comes_first() -> None:
    """Sources are listed by place, those that give none at the end."""
    records = tuple(Record(source=s, position=p) for s, p in (("a", 0), ("b", 7), ("c", 2)))

    assert shown(Hit("a", records[0], records, {}))[-1].strip() == "c #2, b #7, a"


@properties
@given(st.lists(hostile_hits(), max_size=2), st.booleans(), st.booleans(), st.booleans())
def test_no_control_character_from_upstream_reaches_the_terminal(
    hits: list[Hit], color: bool, hyperlinks: bool, explain: bool
) -> None:
    """Apart from the sequences that this module writes there is no control character but the
    newline."""
    written = table.write(hits, color=color, hyperlinks=hyperlinks, explain=explain).decode()
    rest = OUR_SEQUENCES.sub("", written)

    assert {c for c in rest if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n"}
    assert not set(rest) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize("width", [24, 40, 80])
@properties
@given(
    words=st.lists(
        st.sampled_from(["word", "深度学习", "a" * 70, "학습", "e\u0301te\u0301", "x-y"]),
        min_size=1,
    )
)
def test_lines_keep_to_the_width(width: int, words: list[str]) -> None:
    """Whatever the script and however long the words, no line is wider than the terminal."""
    lines = shown(hit(title=" ".join(words), venue="".join(words)), width=width, explain=True)

    assert max(map(wcswidth, lines)) <= width


def test_a_retracted_work_says_so_before_all_else() -> None:
    """In a line of its own, above the title; and what may be read freely is told beside its
    type."""
    lines = shown(hit(title="Tides", retracted=True, open_access="gold", type="article", year=2020))

    assert lines[:3] == ["1. RETRACTED", "   Tides", "   2020, article, open access"]
    assert shown(hit(title="Tides", open_access="closed", year=2020))[:2] == ["1. Tides", "   2020"]
