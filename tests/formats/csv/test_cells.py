"""Cells that hold a list or an object, and cells of which a record holds nothing."""

from __future__ import annotations

from typing import Any

from metasearch.formats.csv_cells import text_of, value_in
from metasearch.record import PEOPLE
from tests.cases import each
from tests.formats.reading.samples import read


@each(
    ("cell", "value"),
    [
        ("['Byron, A.', 'Doe, J.']", ["Byron, A.", "Doe, J."]),
        ('["O\'Neil", "D\\u00fcrr"]', ["O'Neil", "Dürr"]),
        ("['O\\'Neil']", ["O'Neil"]),
        ("('Byron', 'Doe')", ["Byron", "Doe"]),
        ("['Byron' 'Doe']", ["Byron", "Doe"]),
        ('c("Byron A", "Doe J")', ["Byron A", "Doe J"]),
        ('c("Byron A", NA)', ["Byron A", None]),
        ('list(name = "Byron", n = c(1, 2))', {"name": "Byron", "n": ["1", "2"]}),
        ('[{"name": "Byron", "id": null}]', [{"name": "Byron", "id": None}]),
        ("{'url': 'https://example.org', 'ok': True}", {"url": "https://example.org", "ok": True}),
        ("character(0)", []),
        ("[]", []),
    ],
)
def test_a_list_is_read_as_python_r_and_json_write_it(cell: str, value: Any) -> None:
    assert value_in(cell) == value


@each(
    "cell",
    [
        "[Iron in lakes]", "[Iron]", "(Iron) lakes (2019)", "['a'", "['a']]", "['a'] and ['b']",
        "['a', b]", "[" * 50 + "]" * 50, "['" + "a" * 300_000 + "']", "c(x)", "", "}",
    ],
)  # fmt: skip
def test_other_text_is_none(cell: str) -> None:
    assert value_in(cell) is None


def test_objects_are_what_they_name() -> None:
    authors = [{"authorId": "1", "name": "Ada Byron"}, {"family": "Doe", "given": "Jane"}]

    assert text_of(authors) == "Ada Byron; Doe, Jane"


def test_authors_and_keywords_in_lists() -> None:
    """An object has more to say than its name, and stays beside the record."""
    reading = read(
        "Title,Authors,Keywords,Journal\n"
        "Iron,\"['Byron, A.', 'Doe, J.']\",\"['iron', 'lakes']\","
        "\"{'name': 'Mud', 'pages': '1'}\"\n",
        "csv",
    )

    record = reading.records[0]
    assert [author.family for author in record.authors] == ["Byron", "Doe"]
    assert (record.keywords, record.venue) == (("iron", "lakes"), "Mud")
    assert reading.entries[0].given == (("Journal", "{'name': 'Mud', 'pages': '1'}"),)


def test_what_is_no_number_stays_beside_the_record_and_is_told() -> None:
    reading = read(
        "Title,Year,DOI,PMID,ISSN,Date,Type\n"
        "Iron,in press,to come,see note,12,Spring 2019,Placard\n"
        "Mud,2019,10.1234/a,123,1234-5679,2019,Article\n",
        "csv",
    )

    assert [tag for tag, _ in reading.entries[0].given] == ["Date", "DOI", "PMID", "ISSN", "Type"]
    assert reading.records[0].year == 2019
    assert [problem.message.partition(" ")[0] for problem in reading.problems] == [
        "DOI", "PMID", "ISSN",
    ]  # fmt: skip
    assert reading.entries[1].given == ()


def test_of_several_links_those_that_no_field_holds_stay_beside() -> None:
    reading = read(
        "Title,URL,Source URLs\nIron,https://a.example https://b.example,https://c.example\n", "csv"
    )

    assert reading.records[0].url == "https://a.example"
    links = [link for _, link in reading.entries[0].given]
    assert links == ["https://b.example", "https://c.example"]


@each(
    ("cell", "keywords"),
    [
        ("iron; lakes, cold", ("iron", "lakes, cold")),
        ("iron, lakes", ("iron", "lakes")),
        ("iron\nlakes, cold", ("iron", "lakes, cold")),
    ],
)
def test_keywords_are_apart_by_semicolons_else_lines_else_commas(
    cell: str, keywords: tuple[str, ...]
) -> None:
    reading = read(f'Title,Keywords,MeSH Terms\nIron,"{cell}","Carcinoma, Hepatocellular"\n', "csv")

    assert reading.records[0].keywords == (*keywords, "Carcinoma, Hepatocellular")


def test_names_in_capitals_are_in_one_order() -> None:
    """bibliometrix: two letters alone could be a name, beside others they are initials."""
    reading = read("Title,Authors\nIRON,FALK G;OSEI KA\n", "csv")

    assert [author.family for author in reading.records[0].authors] == ["FALK", "OSEI"]


def test_each_line_of_a_cell_holds_a_name() -> None:
    """Unless a line ends with a comma, which goes on in the next."""
    reading = read(
        'Title,Authors\nIron,"Byron, A.\nDoe, J."\nMud,"Byron A, Doe J,\nReed T"\n', "csv"
    )

    assert [[author.family for author in record.authors] for record in reading.records] == [
        ["Byron", "Doe"],
        ["Byron", "Doe", "Reed"],
    ]


def test_words_behind_names_tell_editors_and_translators() -> None:
    """Each one's own, or that of all behind the last."""
    reading = read(
        "Title,Authors,Editors\n"
        "Iron,王小明（主编）;李伟（译）,\n"
        'Mud,"Byron, A.; Doe, J. (eds)","Reed, T."\n'
        'Clay,"Byron, A. (Tide Lab); Doe, J.",\n',
        "csv",
    )

    assert [
        [[author.family or author.name for author in getattr(record, part)] for part in PEOPLE]
        for record in reading.records
    ] == [
        [[], ["王小明"], ["李伟"]],
        [[], ["Byron", "Doe", "Reed"], []],
        [["Byron", "Doe"], [], []],
    ]


def test_a_source_is_the_database_unless_it_is_the_journal_in_short() -> None:
    heading = "Title,Authors,Source,Journal\n"

    named = read(f"{heading}Iron,Byron A,J. Mud,Journal of Mud\n", "csv").entries[0]
    other = read(f"{heading}Iron,Byron A,Scopus,Journal of Mud\n", "csv").entries[0]

    assert (named.database, other.database) == (None, "Scopus")


def test_numbers_of_databases_with_their_names() -> None:
    """The Cochrane Library's, and links of OpenAlex."""
    reading = read(
        "Title,Accession Number,PubMed Id,CT.gov Id\n"
        'Iron,"PUBMED 123456,EMBASE 2001234",,NCT01234567\n'
        "Mud,,https://pubmed.ncbi.nlm.nih.gov/123457,\nTar,,PUBMED 123458,\n",
        "csv",
    )

    assert [record.ids for record in reading.records] == [
        {"pmid": "123456", "embase": "2001234", "nct": "NCT01234567"},
        {"pmid": "123457"},
        {"pmid": "123458"},
    ]
    assert not reading.problems


@each(
    "heading",
    [
        "논문명,저자명,저널명,발행연도,권,호,시작페이지,종료페이지",
        "論文タイトル,著者,資料名,発行年,巻,号,開始ページ,終了ページ",
        "Titel,Autor,Zeitschrift,Jahr,Jahrgang,Nr.,Start page,End page",
        "Título,Autores,Revista,Año,Volumen,Número,Start page,End page",
    ],
)
def test_columns_in_other_languages(heading: str) -> None:
    reading = read(f'{heading}\nIron,"Byron, A.",Mud,2019,3,2,12,19\n', "csv")

    record = reading.records[0]
    assert (record.title, record.venue, record.year) == ("Iron", "Mud", 2019)
    assert (record.volume, record.issue, record.pages) == ("3", "2", "12-19")
    assert record.authors[0].family == "Byron"


def test_columns_of_one_name_are_titles_in_several_languages() -> None:
    reading = read("Title,Title,Authors\nFerro,Iron,Byron A\n", "csv")

    assert (reading.records[0].title, reading.records[0].titles) == ("Ferro", ("Iron",))
