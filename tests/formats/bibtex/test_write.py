"""BibTeX: entries that BibTeX, biblatex and reference managers read as they are meant."""

from __future__ import annotations

import re

import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import bibtex
from metasearch.formats.bibtex import BIBTEX_TYPES
from metasearch.formats.bibtex_names import names_of, people
from metasearch.formats.citation_keys import citation_keys
from metasearch.formats.reading import read_bytes
from metasearch.formats.text import line
from metasearch.record import TYPES, Author, Hit
from tests.cases import each
from tests.formats.samples import MERGED, hit, hostile, hostile_hits, properties


def read(body: bytes) -> list[dict[str, str]]:
    """The fields of every entry, with its type and key, and no block that could not be read."""
    library = bibtexparser.parse_string(body.decode())
    assert library.failed_blocks == []
    assert len(library.blocks) == len(library.entries)
    return [
        {"ENTRYTYPE": e.entry_type, "ID": e.key} | {f.key: f.value for f in e.fields}
        for e in library.entries
    ]


def unescaped(value: str) -> str:
    """The text of a value: commands as characters, protecting braces gone."""
    commands = {
        "textbraceleft": "{",
        "textbraceright": "}",
        "textasciitilde": "~",
        "textasciicircum": "^",
    }
    commands["textbackslash"] = "\\"
    pattern = re.compile(r"\\([a-z]+)\{\}|\\([&%$#_{}])|[{}]")
    return pattern.sub(lambda m: commands[m[1]] if m[1] else m[2] or "", value)


def test_a_merged_work() -> None:
    """A whole entry, line by line."""
    assert bibtex.write([MERGED]).decode().splitlines() == [
        "@article{paskin1999toward,",
        "  title = {Toward unique identifiers},",
        "  author = {Paskin, Norman and {IEEE Standards Committee}},",
        "  journal = {Proceedings of the IEEE},",
        "  publisher = {IEEE},",
        "  year = {1999},",
        "  month = jul,",
        "  volume = {87},",
        "  number = {7},",
        "  pages = {1208--1227},",
        "  doi = {10.1109/5.771073},",
        "  url = {https://example.org/works/5.771073},",
        "  eprint = {9907.00001},",
        "  archiveprefix = {arXiv},",
        "  issn = {0018-9219},",
        "  identifiers = {arxiv:9907.00001; openalex:W2147152072},",
        "  language = {en},",
        r"  keywords = {identifiers, DOI \& handles},",
        "  abstract = {Names for things, and things that last.},",
        "  sources = {arxiv, crossref},",
        "  provenance = {arxiv: ids.arxiv; crossref: title, year}",
        "}",
    ]


def test_every_type_has_an_entry_type() -> None:
    """The table covers the closed vocabulary, no more and no less."""
    assert set(BIBTEX_TYPES) == set(TYPES)


@each(
    ("fields", "expected"),
    [
        (
            {"type": "conference-paper", "venue": "V"},
            {"ENTRYTYPE": "inproceedings", "booktitle": "V"},
        ),
        ({"type": "chapter", "venue": "V"}, {"ENTRYTYPE": "incollection", "booktitle": "V"}),
        (
            {"type": "thesis", "publisher": "U"},
            {"ENTRYTYPE": "phdthesis", "school": "U", "type": "Thesis"},
        ),
        ({"type": "report", "publisher": "U"}, {"ENTRYTYPE": "techreport", "institution": "U"}),
        ({"type": "book", "publisher": "U"}, {"ENTRYTYPE": "book", "publisher": "U"}),
        ({"type": "preprint", "venue": "arXiv"}, {"ENTRYTYPE": "misc", "howpublished": "arXiv"}),
        (
            {"type": None, "venue": "V", "issue": "5"},
            {"ENTRYTYPE": "article", "journal": "V", "number": "5"},
        ),
        ({"type": None}, {"ENTRYTYPE": "misc"}),
    ],
)
def test_types_and_their_fields(fields: dict[str, str | None], expected: dict[str, str]) -> None:
    """Container and publisher stand where the entry type expects them."""
    assert expected.items() <= read(bibtex.write([hit(**fields)]))[0].items()


@each(
    ("title", "expected"),
    [
        ("Deep Learning for Vision", "Deep Learning for Vision"),
        ("DNA repair in yeast", "{DNA} repair in yeast"),
        ("The role of mRNA (and DNA)", "The role of {mRNA} (and {DNA})"),
        ("Vaccination against Hepatitis B", "Vaccination against Hepatitis {B}"),
        ("A history of the plague in Paris", "A history of the plague in {Paris}"),
        ("Self-Attention Is All You Need", "Self-Attention Is All You Need"),
        ("COVID-19 and the city", "{COVID-19} and the city"),
        ("The plague: Causes and effects in cities", "The plague: Causes and effects in cities"),
        ("ALL IN CAPITALS", "ALL IN CAPITALS"),
        ("深度学习综述", "深度学习综述"),
    ],
)
def test_capitals_are_protected_where_needed(title: str, expected: str) -> None:
    """Acronyms, single letters and, in sentence case, names are braced; ordinary title case is left
    to the style."""
    assert read(bibtex.write([hit(title=title)]))[0]["title"] == expected


def test_german_nouns_keep_their_capitals() -> None:
    """In German every capital is meant."""
    assert (
        "in {Wien}"
        in read(bibtex.write([hit(title="Neue Medien in Wien", language="de")]))[0]["title"]
    )


def test_special_characters_are_escaped() -> None:
    """A LaTeX decoder gives back the title as it was."""
    title = r"100% of $5 & #1_a {x} ~ back\slash"
    written = bibtex.write([hit(title=title)]).decode()
    decoded = bibtexparser.parse_string(written, append_middleware=[LatexDecodingMiddleware()])

    assert decoded.entries[0]["title"] == title


def test_lone_braces_stand_as_commands() -> None:
    """Paired braces are escaped as usual; a lone one would unbalance the file for BibTeX."""
    assert b"title = {sets \\{a\\} of x}" in bibtex.write([hit(title="sets {a} of x")])
    assert b"title = {a \\textbraceright{} b \\textbraceleft{} c}" in bibtex.write(
        [hit(title="a } b { c")]
    )


def test_doi_and_url_stay_as_they_are() -> None:
    """They are printed verbatim; only braces and backslashes are percent-encoded."""
    entry = read(
        bibtex.write([hit(doi="10.1000/a_b%c#d", url="https://example.org/a_b?c=%20&d={e}#~f")])
    )[0]

    assert entry["doi"] == "10.1000/a_b%c#d"
    assert entry["url"] == "https://example.org/a_b?c=%20&d=%7Be%7D#~f"


@each(
    ("author", "expected"),
    [
        (Author("Ludwig van Beethoven", "van Beethoven", "Ludwig"), "van Beethoven, Ludwig"),
        (Author("Jane Doe"), "Jane Doe"),
        (Author("World Health Organization"), "{World Health Organization}"),
        (Author("Smith and Sons"), "{Smith and Sons}"),
        (Author("others"), "{others}"),
        (Author("X", "Smith, Jr.", "John"), "{Smith, Jr.}, John"),
        (Author("X", "Smith", "John and Mary"), "Smith, {John and Mary}"),
        (Author("X", "de la Cruz"), "{de la Cruz}"),
        (Author("王小明"), "王小明"),
        (Author("UNESCO"), "{UNESCO}"),
        (Author("Plato", "Plato"), "Plato"),
        (Author("Ann Roe Jr.", "Roe", "Ann", suffix="Jr."), "Roe, Jr., Ann"),
        (Author("Max van Os III", "van Os", "Max", suffix="III"), "van Os, III, Max"),
    ],
)
def test_names(author: Author, expected: str) -> None:
    """BibTeX splits names at "and" and at commas; braces keep together what belongs together."""
    assert read(bibtex.write([hit(authors=(author,))]))[0]["author"] == expected


_FAMILIES = st.sampled_from(
    "Falk|van Hoven|de la Vallée Poussin|O'Brien|García Márquez|Smith-Jones|Иванова|ten Brink|LI|"
    "D'Angelo|Noble and Sons|Kim & Co|100% Os|Roe {x}|Ng|and".split("|")
)
_GIVEN = st.sampled_from(
    "Greta|K. A.|Ann-Marie|Ольга|Ana María de la|Jean-Paul|J. A. van|and|Max, Erik".split("|")
)


@given(family=_FAMILIES, given_names=_GIVEN, suffix=st.sampled_from((None, "Jr.", "III")))
def test_names_come_back(family: str, given_names: str, suffix: str | None) -> None:
    """In all their parts, also beside others."""
    name = " ".join(filter(None, (given_names, family, suffix)))
    author = Author(name, family, given_names, suffix=suffix)

    assert people(names_of([author, Author("UNESCO"), author])) == (
        author,
        Author("UNESCO"),
        author,
    )


@each(
    ("fields", "expected"),
    [
        ({"authors": (Author("X", "Müller-Thurgau"),), "year": 1882, "title": "The vine"},
        "mullerthurgau1882vine"),
        ({"authors": (Author("X", "Łukasiewicz"),), "year": 1929, "title": "Elementy"},
        "lukasiewicz1929elementy"),
        ({"authors": (Author("Jane Q. Doe"),), "title": "On the DNA"}, "doedna"),
        ({"authors": (Author("Doe, Jane"),), "title": ""}, "doe"),
        ({"authors": (Author("王小明"),), "year": 2020, "title": "深度学习"}, "wang2020"),
        ({"editors": (Author("Ann Roe", "Roe", "Ann"),), "year": 2007, "title": "Clays"},
        "roe2007clays"),
        ({}, "anon"),
    ],
)  # fmt: skip
def test_keys(fields: dict[str, object], expected: str) -> None:
    """A key is family name, year and the first telling word of the title, in ASCII."""
    assert citation_keys([hit(**fields)]) == [expected]


@each(
    ("author", "expected"),
    [
        (Author("张三"), "zhang2020"),
        (Author("欧阳修"), "ouyang2020"),
        (Author("单田芳"), "shan2020"),
        (Author("陳大文"), "chen2020"),
        (Author("小明 王", "王", "小明"), "wang2020"),
        (Author("中国科学院", collective=True), "zhongguokexueyuan2020"),
        (Author("Пётр Иванов", "Иванов", "Пётр"), "ivanov2020"),
        (Author("やまだ"), "yamada2020"),
        (Author("김", "김"), "gim2020"),
        (Author("😀"), "anon2020"),
    ],
)
def test_keys_of_names_in_other_scripts(author: Author, expected: str) -> None:
    """Chinese names are read as Pinyin, others by their sounds; only who has no letters is
    nobody."""
    assert citation_keys([hit(authors=(author,), year=2020, title="深度学习")]) == [expected]


def test_keywords_have_one_separator() -> None:
    """A comma, as biblatex and Zotero part them; a keyword that holds one stands in braces, and is
    read as one."""
    keywords = ("lakes", "Carcinoma, Hepatocellular", "a; b", "{x}")
    written = bibtex.write([hit(title="Iron", keywords=keywords)])

    assert b"keywords = {lakes, {Carcinoma, Hepatocellular}, {a; b}, \\{x\\}}" in written
    assert read_bytes(written, "a.bib").records[0].keywords == keywords


def test_pages_in_several_parts() -> None:
    """Ranges apart by commas are what BibTeX means by pages."""
    assert read(bibtex.write([hit(pages="12-3; discussion 13-14")]))[0]["pages"] == "12--13, 13--14"


@each("kind", ["dataset", "preprint", "software"])
def test_what_bibtex_has_no_type_for_is_misc(kind: str) -> None:
    """An entry of an unknown type, such as @dataset, vanishes in Zotero."""
    assert bibtex.write([hit(type=kind)]).startswith(b"@misc{")


def test_equal_keys_are_told_apart_by_id_not_by_order() -> None:
    """Ranking them otherwise changes no key."""
    twins = [hit(f"crossref:{n}", title="Editorial", year=2020) for n in range(4)]
    keys = citation_keys(twins)

    assert len(set(keys)) == 4
    assert all(re.fullmatch(r"anon2020editorial-[0-9a-f]{6}", key) for key in keys)
    assert citation_keys(twins[::-1]) == keys[::-1]


@properties
@given(st.lists(hostile_hits(), max_size=5))
def test_keys_are_unique_and_plain(hits: list[Hit]) -> None:
    """Also of hits with one id; no tool stumbles over a character in them."""
    keys = citation_keys(hits)

    assert len(set(keys)) == len(hits)
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(?:-[0-9a-f]{6}(?:-[0-9]+)?)?", key) for key in keys)


@properties
@given(st.lists(hostile_hits(), max_size=3))
def test_any_text_stays_within_its_value(hits: list[Hit]) -> None:
    """A parser finds one sound entry a hit, and braces balance even for BibTeX, which ignores
    backslashes."""
    written = bibtex.write(hits)
    entries = read(written)

    assert len(entries) == len(hits)
    for text in re.split(r"\n(?=@)", written.decode()):
        depth = 0
        for char in text:
            depth += (char == "{") - (char == "}")
            assert depth >= 0
        assert depth == 0


@properties
@given(hostile)
def test_titles_round_trip(title: str) -> None:
    """Escaping and protecting lose nothing of a title."""
    entry = read(bibtex.write([hit(title=title)]))[0]

    assert unescaped(entry.get("title", "")) == line(title)
