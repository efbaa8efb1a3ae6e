"""Citations in APA, Vancouver, IEEE and Harvard, held against worked examples."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from metasearch.formats import WRITABLE
from metasearch.formats.citations import STYLES
from metasearch.formats.citations.elements import Initials, short_last_page
from metasearch.formats.text import clean
from metasearch.record import Author, Hit, Record
from tests.cases import each
from tests.formats.citations.western import EXPECTED, WORKS
from tests.formats.exported import hits_of
from tests.formats.samples import hostile_hits, properties
from tests.growth import MOST, growth

SEEN = dt.date(2026, 1, 2)
WESTERN = ("apa", "vancouver", "ieee", "harvard")
ARTICLE = WORKS["article"]


def cited(style: str, **fields: Any) -> str:
    """The entry of the article with other fields."""
    return STYLES[style].citation(replace(ARTICLE, **fields), SEEN)


@each("name", WORKS)
def test_worked_examples(name: str) -> None:
    shown = tuple(STYLES[style].citation(WORKS[name], SEEN) for style in WESTERN)

    assert shown == EXPECTED[name]


def people(count: int) -> tuple[Author, ...]:
    return tuple(Author(f"Ann N{n}", f"N{n}", "Ann") for n in range(1, count + 1))


@each(
    ("style", "count", "begin"),
    [
        ("apa", 8, "N1, A., N2, A., N3, A., N4, A., N5, A., N6, A., N7, A., & N8, A. (2021). "),
        ("apa", 20, ", N18, A., N19, A., & N20, A. (2021). "),
        ("apa", 21, ", N18, A., N19, A., … N21, A. (2021). "),
        ("vancouver", 6, "N1 A, N2 A, N3 A, N4 A, N5 A, N6 A. Effects"),
        ("vancouver", 7, "N1 A, N2 A, N3 A, N4 A, N5 A, N6 A, et al. Effects"),
        ("ieee", 6, "A. N1, A. N2, A. N3, A. N4, A. N5, and A. N6, “Effects"),
        ("ieee", 7, "A. N1 et al., “Effects"),
        ("harvard", 3, "N1, A., N2, A. and N3, A. (2021) "),
        ("harvard", 4, "N1, A. et al. (2021) "),
    ],
)
def test_how_many_names_are_printed(style: str, count: int, begin: str) -> None:
    assert begin in cited(style, authors=people(count))


def test_bodies_are_parted_from_one_another_without_a_comma() -> None:
    bodies = (Author("UNESCO", collective=True), Author("WHO", collective=True))

    assert cited("apa", authors=bodies).startswith("UNESCO & WHO. (2021). ")


def test_apa_names_a_body_once() -> None:
    """A site that is its own author is not named again, and no publisher stands for it."""
    body = "National Water Agency"
    page = replace(WORKS["web page"], venue=body, publisher="Ministry of Water")

    assert STYLES["apa"].citation(page, SEEN) == (
        "National Water Agency. (2021, May 6). Lakes of the country. "
        "https://water.example.org/lakes"
    )


@each(
    ("given_names", "family", "apa", "vancouver"),
    [
        ("Jane Ann", "Smith", "J. A.", "JA"),
        ("J.-P.", "Smith", "J.-P.", "JP"),
        ("Jean-Pierre", "Smith", "J.-P.", "JP"),
        ("JA", "Smith", "J. A.", "JA"),
        ("JANE", "SMITH", "J.", "J"),
        ("AN", "SMITH", "A.", "A"),
        ("Ludwig van", "Beethoven", "L. van", "L van"),
        ("éric", "Smith", "É.", "É"),
        ("Ольга Петровна", "Иванова", "О. П.", "ОП"),
        ("", "Plato", "", ""),
        (". - .", "Smith", "", ""),
    ],
)
def test_initials(given_names: str, family: str, apa: str, vancouver: str) -> None:
    assert Initials(stop=".", blank=" ", hyphen="-").of(given_names, family) == apa
    assert Initials(stop="", blank="", hyphen="").of(given_names, family) == vancouver


def test_a_suffix_stands_behind_the_initials() -> None:
    king = (Author("Martin Luther King, Jr.", "King", "Martin Luther, Jr."),)

    assert cited("apa", authors=king).startswith("King, M. L., Jr. (2021). ")
    assert cited("vancouver", authors=king).startswith("King ML Jr. Effects")
    assert cited("ieee", authors=king).startswith("M. L. King Jr., “Effects")


TWO = (
    Author("Ada Roe Jr.", "Roe", "Ada", suffix="Jr."),
    Author("Max Erik Lund IV", "Lund", "Max Erik", suffix="IV"),
)


@each(
    ("style", "begin"),
    [
        ("apa", "Roe, A., Jr., & Lund, M. E., IV. (2021). "),
        ("vancouver", "Roe A Jr, Lund ME 4th. Effects"),
        ("ieee", "A. Roe Jr. and M. E. Lund IV, “Effects"),
        ("harvard", "Roe, A., Jr. and Lund, M.E., IV (2021) "),
    ],
)
def test_how_each_style_prints_suffixes(style: str, begin: str) -> None:
    """NLM counts generations in English; the others print them as they are."""
    assert cited(style, authors=TWO).startswith(begin)


CLAYS = Record(
    source="db",
    title="Clays",
    authors=(Author("Ana Ruiz", "Ruiz", "Ana"),),
    translators=TWO,
    year=1990,
    publisher="Mud Press",
    place="Oxford",
    edition="3",
    type="book",
)


@each(
    ("style", "entry"),
    [
        ("apa", "Ruiz, A. (1990). Clays (A. Roe Jr. & M. E. Lund IV, Trans.; 3rd ed.). Mud Press."),
        (
            "vancouver",
            "Ruiz A. Clays. 3rd ed. Roe A Jr, Lund ME 4th, translators. Oxford: Mud Press; 1990.",
        ),
        (
            "ieee",
            (
                "A. Ruiz, Clays, 3rd ed., A. Roe Jr. and M. E. Lund IV, Trans. "
                "Oxford: Mud Press, 1990."
            ),
        ),
        (
            "harvard",
            (
                "Ruiz, A. (1990) Clays. 3rd edn. Translated by A. Roe Jr. and M.E. Lund IV. "
                "Oxford: Mud Press."
            ),
        ),
    ],
)
def test_translators_and_places(style: str, entry: str) -> None:
    """APA prints no place. A place in the publisher's name is one, too."""
    old = replace(CLAYS, place=None, publisher="Oxford : Mud Press")

    assert STYLES[style].citation(CLAYS, SEEN) == entry
    assert STYLES[style].citation(old, SEEN) == entry


def test_a_part_of_a_publishers_name_is_no_place() -> None:
    """The firm that stands before a colon."""
    shown = replace(CLAYS, place=None, publisher="Mud Press: Clay Books")

    assert "Mud Press: Clay Books; 1990" in STYLES["vancouver"].citation(shown, SEEN)
    assert "Mud Press: Clay Books." in STYLES["apa"].citation(shown, SEEN)


@each(
    ("style", "begin"),
    [
        ("apa", "Roe, A., Jr., & Lund, M. E., IV (Eds.). (1990). Clays"),
        ("vancouver", "Roe A Jr, Lund ME 4th, editors. Clays"),
        ("ieee", "A. Roe Jr. and M. E. Lund IV, Eds., Clays"),
        ("harvard", "Roe, A., Jr. and Lund, M.E., IV (eds) (1990) Clays"),
    ],
)
def test_editors_stand_in_the_place_of_authors(style: str, begin: str) -> None:
    """Of a whole work without authors; what they did is printed."""
    edited = replace(CLAYS, authors=(), translators=(), editors=TWO)

    assert STYLES[style].citation(edited, SEEN).startswith(begin)


def test_names_in_east_asian_characters_are_closed_up() -> None:
    names = (Author("小明 王", "王", "小明"), Author("김 민수"), Author("やまだ たろう"))

    for style, between in (("apa", ", "), ("vancouver", ", "), ("ieee", ", ")):
        assert cited(style, authors=names).startswith(f"王小明{between}김민수{between}")


@each(
    ("pages", "apa", "vancouver"),
    [
        ("1123-8", "1123–1128", "1123-8"),
        ("S12-S18", "S12–S18", "S12-S18"),
        ("12-3; discussion 13-14", "12–13, 13–14", "12-3, 13-4"),
        ("99-101", "99–101", "99-101"),
        ("104829", "Article 104829", "104829"),
        ("7", "7", "7"),
    ],
)
def test_pages(pages: str, apa: str, vancouver: str) -> None:
    assert f", 58(3), {apa}. " in cited("apa", pages=pages)
    assert f";58(3):{vancouver}. " in cited("vancouver", pages=pages)


def test_equal_pages_are_not_shortened_to_nothing() -> None:
    assert short_last_page("12", "12") == "12"


@each(
    ("date", "shown"),
    [
        ("2021-05-06", "2021, May 6"),
        ("2021-05", "2021, May"),
        ("2021-13-01", "2021"),
        ("2020-01", "2021"),
    ],
)
def test_dates(date: str, shown: str) -> None:
    """What is no date, or that of another year than the work's, is not printed."""
    page = replace(WORKS["web page"], date=date)

    assert f"({shown}). " in STYLES["apa"].citation(page, SEEN)


def test_a_number_of_a_database_is_no_volume() -> None:
    """DBLP has "abs/2301.00012" for the volume of what is in arXiv."""
    preprint = replace(WORKS["preprint"], volume="abs/2301.00012")

    for style, entry in zip(WESTERN, EXPECTED["preprint"], strict=True):
        assert STYLES[style].citation(preprint, SEEN) == entry


def test_a_name_that_no_source_has_divided_stands_as_it_is() -> None:
    """Which part is the family name is not guessed."""
    names = (Author("Yiqiao Li"), Author("Lisa Harris", "Harris", "Lisa"))

    assert cited("apa", authors=names).startswith("Yiqiao Li & Harris, L. (2021). ")
    assert cited("vancouver", authors=names).startswith("Yiqiao Li, Harris L. Effects")


def test_markup_in_a_title_is_text() -> None:
    title = "Growth of x < y & <i>Salmo</i> {{number}} <script>"

    for style in WESTERN:
        assert title in cited(style, title=title)


def test_numbers_stand_where_the_style_has_them() -> None:
    hits = hits_of([ARTICLE, WORKS["book"]])
    begins = {
        "apa": ("Smith, J. A.", "Knuth, D. E."),
        "vancouver": ("1. Smith JA.", "2. Knuth DE."),
        "ieee": ("[1] J. A. Smith", "[2] D. E. Knuth"),
        "harvard": ("Smith, J.A.", "Knuth, D.E."),
    }

    for style, begin in begins.items():
        lines = WRITABLE["citations"].write(hits, style=style).decode().splitlines()
        assert tuple(line[: len(start)] for line, start in zip(lines, begin, strict=True)) == begin


@properties
@given(found=hostile_hits())
def test_a_hostile_work_is_one_line(found: Hit) -> None:
    """No text of a database opens a line or carries a control character into one."""
    for style in STYLES:
        written = WRITABLE["citations"].write([found, found], style=style).decode()

        assert written.endswith("\n")
        assert [clean(line) for line in written.splitlines()] == written[:-1].split("\n")
        assert written.count("\n") == 2


@pytest.mark.slow
@pytest.mark.parametrize("filler", ["a", " ", ".", "- ", "A-", "1-2, ", "王", "：", "Jr. "])
def test_four_times_the_text_takes_four_times_as_long(filler: str) -> None:
    names = ("title", "venue", "publisher", "edition", "pages", "volume", "version")

    def work(size: int) -> Callable[[], None]:
        text = filler * (size // len(filler))
        author = Author(f"x{text}", f"x{text}", f"x{text}")
        record = Record(
            source="db", authors=(author,) * 3, year=2020, **dict.fromkeys(names, f"1{text}")
        )
        hits = hits_of([replace(record, type=kind) for kind in ("article", "chapter", "dataset")])

        def run() -> None:
            for style in STYLES:
                WRITABLE["citations"].write(hits, style=style)

        return run

    assert growth(work, 2_000) < MOST
