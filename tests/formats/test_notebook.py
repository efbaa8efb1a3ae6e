"""An answer where people look at it in Python: at a prompt, in a notebook, in pandas."""

from __future__ import annotations

from dataclasses import replace

from lxml import html as parser

from metasearch.errors import TimedOut
from metasearch.events import Answer, Counts, SourceReport, Totals
from metasearch.formats.csv import COLUMNS
from metasearch.formats.notebook import HITS
from metasearch.record import Author, Hit, Record


def hit(number: int = 1, **fields: object) -> Hit:
    """A hit with one record."""
    record = Record(source="alpha", source_id=str(number), **{"title": f"Work {number}", **fields})  # type: ignore[arg-type]
    return Hit(
        id=f"alpha:{number}",
        record=record,
        records=(record,),
        provenance={"title": "alpha"},
        rank=number,
    )


def answer(*hits: Hit, **more: object) -> Answer:
    """An answer of two sources, one of which failed."""
    reports = (
        SourceReport("alpha", "ok", count=len(hits)),
        SourceReport("beta", "timeout", error=TimedOut("beta", "no answer <in> time")),
    )
    made = Answer(
        "jazz", complete=False, counts=Counts(len(hits), len(hits)), hits=hits, sources=reports
    )
    return replace(made, **more)  # type: ignore[arg-type]


def test_repr_is_short() -> None:
    """A prompt shows what it is, and not thousands of lines."""
    assert repr(answer(hit(), hit(2))) == "<Answer to 'jazz': 2 hits, 2 sources, 1 failed>"
    assert len(repr(answer(*map(hit, range(1, 500)), query="x" * 5_000))) < 200


def test_a_notebook_shows_a_table() -> None:
    """The first hits with what tells a work, then how each source fared."""
    names = tuple(Author(f"Name {number}") for number in range(10))
    page = parser.fromstring(
        answer(hit(authors=names, year=2020, venue="A Journal", doi="10.5555/a"))._repr_html_()
    )

    cells = [cell.text_content() for cell in page.iterfind(".//td")]
    assert cells == [
        "1",
        "Work 1",
        "Name 0, Name 1, Name 2, and 7 more",
        "2020",
        "A Journal",
        "alpha",
    ]
    assert [link.get("href") for link in page.iterfind(".//a")] == ["https://doi.org/10.5555/a"]
    assert [it.text for it in page.iterfind(".//li")] == [
        "alpha: ok, 1 records",
        "beta: timeout, 0 records; no answer <in> time",
    ]


def test_a_notebook_shows_the_first_hits_only() -> None:
    """And says how many there are beyond them."""
    page = parser.fromstring(answer(*map(hit, range(1, HITS + 6)))._repr_html_())

    assert len(page.findall(".//tbody/tr")) == HITS == 20
    assert "and 5 more" in page.text_content()


def test_nothing_of_others_is_markup() -> None:
    """Text that looks like a script, an address that is one, and a field without end do nothing."""
    evil = '"><script>alert(1)</script>\x1b[31m\u202e'
    told = answer(
        hit(
            title=evil,
            url="javascript:alert(1)",
            venue=evil * 500,
            authors=(Author(evil),),
            year=2020,
        ),
        query=evil,
    )._repr_html_()

    page = parser.fromstring(told)
    assert not page.findall(".//script")
    assert not page.findall(".//a")
    assert not {"\x1b", "\u202e"} & set(told)
    assert len(told) < 3_000


def test_dicts_are_flat_rows() -> None:
    """The columns of the CSV in their order, numbers as numbers, None for nothing: a `DataFrame`
    takes them."""
    (row,) = answer(
        hit(
            authors=(Author("Ada Byron", "Byron", "Ada"), Author("WHO")),
            year=2020,
            isbn=("1", "2"),
            retracted=True,
        )
    ).to_dicts()

    assert tuple(row) == COLUMNS
    assert (row["rank"], row["year"], row["authors"], row["isbn"]) == (
        1,
        2020,
        "Byron, Ada; WHO",
        "1; 2",
    )
    assert (row["doi"], row["retracted"], row["venue"]) == (None, True, None)
    assert all(value is None or isinstance(value, str | int | float) for value in row.values())


def test_formulas_are_as_they_are() -> None:
    """What guards a spreadsheet would be a fault in a program: "-omics" stays so."""
    assert answer(hit(title="-omics")).to_dicts()[0]["title"] == "-omics"


def test_a_notebook_says_which_works_are_listed() -> None:
    """Filters and order are a line above the table; a list of all works by relevance has none."""
    totals = Totals(1, 1, None, None, False, "")
    listed = answer(hit(), filter='venue:"<b>, x"', sort="title", totals=totals)

    text = [line.text_content() for line in parser.fromstring(listed._repr_html_()).iterfind("p")]
    assert text[1] == '1 of 1 work passes venue:"<b>, x"; sorted by title'
    assert len(list(parser.fromstring(answer(hit())._repr_html_()).iterfind("p"))) == 1
