"""One name, "Family, Given", or several in one field of a file: what tells them apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.bylines import natural_order
from metasearch.bib.names import person
from metasearch.bib.names_in_field import authors_in_field
from metasearch.dedup import people
from metasearch.formats.reading import values
from metasearch.record import Author
from tests.cases import each


def split(value: str, *, several: bool = False) -> list[str]:
    """ "family|given" of each author, or the whole name where it was left whole."""
    found = authors_in_field(value, several=several)
    return [f"{it.family}|{it.given}" if it.family else it.name for it in found]


@each(
    ("value", "expected"),
    [
        # kana, Hangul and Han: what stands before the comma is nothing but a family name
        ("高見沢, 花子", "高見沢|花子"),
        ("吉田, 明", "吉田|明"),
        ("石田, 和美", "石田|和美"),
        ("やまもと, はなこ", "やまもと|はなこ"),
        ("スズキ, 花子", "スズキ|花子"),
        ("박, 서연", "박|서연"),
        ("황보, 윤", "황보|윤"),
        ("강, 민", "강|민"),
        ("스미스, 존", "스미스|존"),
        ("スミス, ジョン・ポール", "スミス|ジョン・ポール"),
        ("司马, 光明", "司马|光明"),
        ("上官,飞", "上官|飞"),
        ("歐陽, 明", "歐陽|明"),
        ("王，伟", "王|伟"),
        ("夏目, 花子, 1867-1916", "夏目|花子"),
        ("山本 花子", "山本 花子"),
        ("이 서연", "이 서연"),
        # years of life
        ("Marin, Lia, 1828-1905.", "Marin|Lia"),
        ("Marin, Lia, 1950-", "Marin|Lia"),
        ("Marin, Lia, -1905", "Marin|Lia"),
        ("Marin, Lia, b. 1950", "Marin|Lia"),
        ("Marin, Lia, approximately 1342-1400", "Marin|Lia"),
        ("Marin, Lia, ca. 1700-ca. 1760", "Marin|Lia"),
        ("Marin, Lia, active 1850", "Marin|Lia"),
        ("Marin, Lia, active 16th century", "Marin|Lia"),
        ("Marin, Lia, 19..-....", "Marin|Lia"),
        ("Marin, Lia, 106 B.C.-43 B.C.", "Marin|Lia"),
        ("Marin, Lia, 1828 February 8-1905", "Marin|Lia"),
        ("Marin, Lia, geb. 1950", "Marin|Lia"),
        ("Marin, Lia (1828-1905)", "Marin|Lia"),
        ("Marin, Lia 1828–1905", "Marin|Lia"),
        ("Lia Marin (1828-1905)", "Lia Marin"),
        ("Marin, L., 1950-", "Marin|L."),
        # what a person did, in the languages of catalogues
        ("Marin, Lia, author.", "Marin|Lia"),
        ("Marin, Lia, joint author", "Marin|Lia"),
        ("Marin, Lia, ill.", "Marin|Lia"),
        ("Marin, Lia, 1950-, editor.", "Marin|Lia"),
        ("Marin, Lia, author, illustrator", "Marin|Lia"),
        ("Marin, Lia, editor and translator", "Marin|Lia"),
        ("Marin, Lia, Verfasserin", "Marin|Lia"),
        ("Marin, Lia [Hrsg.]", "Marin|Lia"),
        ("Marin, Lia (Herausgeberin)", "Marin|Lia"),
        ("Marin, Lia, auteur", "Marin|Lia"),
        ("Marin, Lia, coordinadora", "Marin|Lia"),
        ("Harbour Survey, issuing body", "Harbour Survey"),
        ("Marin, Lia, dir.", "Marin|Lia"),  # no name begins with a small letter or a digit
        ("Marin, Lia, 1950- author", "Marin|Lia"),
        ("Marin, Lia (1828-1905). Auteur du texte", "Marin|Lia"),
        ("Berg, Lia, van der", "Berg|Lia van der"),
        ("山田, 花子, 著", "山田|花子"),
        ("山田花子 著", "山田花子"),
        ("한강, 1970-", "한강"),
        ("Li, Wei (李伟)", "Li|Wei (李伟)"),
        # titles
        ("Marin, Lia, Sir", "Marin|Lia"),
        ("Marin, Lia, comtesse de, 1720-1787", "Marin|Lia"),
        ("Marin, Lia, Freiherr von", "Marin|Lia"),
        ("Marin, Lia, Prof. Dr.", "Marin|Lia"),
        ("Marin, Lia, PhD, FRCP", "Marin|Lia"),
        ("Leo IX, Pope, 1002-1054", "Leo IX"),
        ("Greta II, Queen of the Harbour, 1950-", "Greta II"),
        ("Greta, of the Harbour, Saint, 354-430", "Greta of the Harbour"),
        # words that are given names where these stand
        ("Marin, Earl", "Marin|Earl"),
        ("Marin, Ed", "Marin|Ed"),
        ("Duke, King", "Duke|King"),
        ("Marin, M.D.", "Marin|M.D."),
        ("Marin, Md", "Marin|Md"),
        # names of two words, and given names that look like initials
        ("O Brien, Kate", "O Brien|Kate"),
        ("Mar Ruiz, Ana Lia", "Mar Ruiz|Ana Lia"),
        ("Mar, Kate J", "Mar|Kate J"),
        ("Mar III, Ada B.", "Mar|Ada B."),
    ],
)
def test_one_name_is_one_author(value: str, expected: str) -> None:
    """Whatever stands behind it."""
    assert split(value) == [expected]


@each(
    "body",
    [
        "Centre for Tides and Kites",
        "Ministry of Boats, Harbours and Kites",
        "Food, Boats and Rural Tides",
        "Kites, Boats and Harbours",
        "Brine & Sons",
        "Falk and Marin",
        "Falk & Marin LLP",
        "Falk, Marin & Sons, Inc.",
        "R & D Kites",
        "NASA and ESA",
        "Harbours and Open Sea",
        "Tide Research & Kite Trust",
        "Society of Boats, Kites, and Sea",
        "Tides and Kites Collaborators",
        "KITES Investigators",
        "Harbour LLC",
    ],
)
def test_a_body_is_one_author(body: str) -> None:
    """With "and", "&" and commas: no part of the name has initials."""
    assert authors_in_field(body) == (Author(body),)


@each(
    ("value", "expected"),
    [
        ("G Falk, KA Osei", ["Falk|G", "Osei|KA"]),
        ("G Falk, KA Osei, L Marin…", ["Falk|G", "Osei|KA", "Marin|L"]),
        ("G. Falk, Kofi Osei", ["Falk|G.", "Kofi Osei"]),
        ("Falk G, Osei KA", ["Falk|G", "Osei|KA"]),
        ("Falk, G., Osei, K. A.", ["Falk|G.", "Osei|K. A."]),
        ("Falk, Greta; Osei, Kofi, 1950-", ["Falk|Greta", "Osei|Kofi"]),
        ("Falk, Greta and Osei, Kofi", ["Falk|Greta", "Osei|Kofi"]),
        ("Falk, Greta, and Kofi Osei", ["Falk|Greta", "Kofi Osei"]),
        ("Falk, Greta, Ada Marin, and K. Osei", ["Falk|Greta", "Ada Marin", "Osei|K."]),
        ("WANG Xiaoming, ZHANG San-feng", ["WANG|Xiaoming", "ZHANG|San-feng"]),
        ("LI Wei, JA Smith", ["Wei|LI", "Smith|JA"]),  # L. I. Wei, for all one can tell
        ("Greta Falk and Kofi Osei", ["Greta Falk", "Kofi Osei"]),
        ("G. Falk & K. Osei", ["Falk|G.", "Osei|K."]),
        ("Greta Falk, Lia Marin, Kofi Osei", ["Greta Falk", "Lia Marin", "Kofi Osei"]),
        ("Falk J; Osei K,", ["Falk|J", "Osei|K"]),
        ("Falk, J. y Osei, K.", ["Falk|J.", "Osei|K."]),
        ("Falk J, on behalf of the KITES team", ["Falk|J", "on behalf of the KITES team"]),
        ("Falk, J., for the Kites Group", ["Falk|J.", "for the Kites Group"]),
        ("Falk, Ada on behalf of Kites", ["Falk|Ada", "on behalf of Kites"]),
        ("Falk J, University of Tides", ["Falk|J", "University of Tides"]),
        ("Falk J, Osei K, +5 more", ["Falk|J", "Osei|K"]),
        ("Falk J. et Osei K.", ["Falk|J.", "Osei|K."]),
        ("Falk, J. e Osei, K.", ["Falk|J.", "Osei|K."]),
        ("ada falk; tom osei ,", ["ada falk", "tom osei"]),
        ("Falk, Roland A; & Osei, Sigmund B", ["Falk|Roland A", "Osei|Sigmund B"]),
        ("Озеров И.И., Петров П.П.", ["Озеров|И.И.", "Петров|П.П."]),
        ("王小明, 李伟", ["王小明", "李伟"]),
        ("王伟，李明", ["王伟", "李明"]),
        ("王伟、李明 等", ["王伟", "李明"]),
        ("王等", ["王等"]),  # a name
        ("张伟 李明", ["张伟", "李明"]),
        ("山田太郎, 鈴木花子", ["山田太郎", "鈴木花子"]),
        ("김민수, 이서연", ["김민수", "이서연"]),
        ("王伟; 李明", ["王伟", "李明"]),
        ("歐陽, 修; 王, 石", ["歐陽|修", "王|石"]),
        ("FALK G, OSEI KA", ["FALK|G", "OSEI KA"]),
        ("Falk, Ann, King, Lia", ["Falk", "Ann", "King", "Lia"]),
    ],
)
def test_a_field_with_several_names_is_divided(value: str, expected: list[str]) -> None:
    """Each part is a whole name, or a mark stands between that no name has."""
    assert split(value) == expected


def test_a_cell_for_all_names_holds_family_names_alone() -> None:
    """In a field for one name, the same words are the name of a firm."""
    assert split("Falk, Marin and Osei", several=True) == ["Falk", "Marin", "Osei"]
    assert split("Falk and Marin", several=True) == ["Falk", "Marin"]
    assert split("Falk; Marin,", several=True) == ["Falk", "Marin"]


@each(
    ("value", "body"),
    [
        ("Falk and Marin,", "Falk and Marin"),
        ("Deep Sea and Open Harbour,", "Deep Sea and Open Harbour"),
        ("Lakes; Rivers,", "Lakes; Rivers"),
        ("Deep Sea,, Harbour & Sons,", "Deep Sea, Harbour & Sons"),
        ("Open Sea,, Harbour", "Open Sea, Harbour"),
    ],
)
def test_the_mark_of_a_body(value: str, body: str) -> None:
    """EndNote's: a comma behind the name, and a second one behind the first in the name."""
    assert values.authors([value]) == (Author(body),)
    assert values.one_author(value) == Author(body)


def test_lines_of_one_field_are_read_in_one_way() -> None:
    """Where one line surely holds a family name and a given one, so do the others."""
    assert [it.family for it in values.authors(["佐々木, 花子", "和山, 文明"])] == [
        "佐々木",
        "和山",
    ]
    assert [it.name for it in values.authors(["和山, 文明"])] == ["和山", "文明"]


def test_a_suffix_in_a_line_of_its_own_belongs_to_the_author_before() -> None:
    """Programs that divide names at each comma write it so."""
    first, second = values.authors(["Falk, G.", "Jr", "Osei, K."])

    assert (first.name, first.suffix, second.name) == ("G. Falk Jr.", "Jr.", "K. Osei")


@each(
    ("name", "family", "given", "suffix"),
    [
        ("Greta Falk", "Falk", "Greta", None),
        ("Kofi A. Osei", "Osei", "Kofi A.", None),
        ("Ludwig van Hoven", "van Hoven", "Ludwig", None),
        ("Ludwig van der Hoven Jr.", "van der Hoven", "Ludwig", "Jr."),
        ("Ana de la Mar Ruiz", "de la Mar Ruiz", "Ana", None),
        ("van der Hoven", "van der Hoven", None, None),
        ("Greta Falk III", "Falk", "Greta", "III"),
        ("greta falk", "falk", "greta", None),
        ("greta van falk", "van falk", "greta", None),
        ("Анна Озерова", "Озерова", "Анна", None),
        ("ليلى البحري", "البحري", "ليلى", None),
        ("Falk G.", "Falk", "G.", None),
        ("Falk, Greta", "Falk", "Greta", None),
    ],
)
def test_natural_order(name: str, family: str, given: str | None, suffix: str | None) -> None:
    """The family name is the last word, with what stands before it from the first small letter."""
    author = natural_order(name)

    assert author is not None
    assert (author.family, author.given, author.suffix) == (family, given, suffix)


@each(
    "name",
    [
        "Greta",
        "王小明",
        "山田 太郎",
        "김 민수",
        "World Health Organization",
        "Society of Kites",
        "Falk & Marin",
        "Kites Working Group III",
        "Harbour Press",
        "ATLAS",
        "Kites 2000",
    ],
)
def test_what_has_no_natural_order_stays_whole(name: str) -> None:
    """Bodies, and names in characters."""
    author = natural_order(name)

    assert author is not None
    assert (author.name, author.family) == (name, None)


@each("name", ["Kofi A. Osei", "Ludwig van Hoven", "Ludwig van der Hoven Jr.", "Ana de la Mar"])
def test_a_name_that_is_divided_and_one_that_is_whole_are_one_person(name: str) -> None:
    """De-duplication finds them to be the same."""
    whole, divided = person(name), natural_order(name)
    assert whole is not None
    assert divided is not None
    assert (whole.family, divided.given) == (None, name.split(f" {divided.family}")[0])

    a, b = (whole, Author("Lia Marin", "Marin", "Lia")), (divided, Author("Lia Marin"))

    assert people.relation(people.families(a), people.families(b), a, b) == "all"


@given(st.text(alphabet="aB.,;& \x00\ud800andJr()1950-李，김た、'", max_size=60))
def test_any_text(value: str) -> None:
    """Nothing is raised, and each author has a name that can be shown."""
    found = [*authors_in_field(value), natural_order(value), *values.authors([value, value])]
    assert all(author.name.strip() for author in found if author)
