"""What Zotero makes of our files is what the matrix says; the files are those it was made of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metasearch.record import TYPES
from tests.cases import each
from tests.formats.zotero.items import differences
from tests.formats.zotero.matrix import (
    ADDRESS_VARIABLE,
    ask,
    matrix,
    tables,
    versions,
    words_in_files,
)
from tests.formats.zotero.works import HITS

ADDRESS = os.environ.get(ADDRESS_VARIABLE, "")
FORMATS = sorted(matrix())


def test_each_type_is_a_row_of_the_matrix() -> None:
    assert set(TYPES) <= set(HITS)


def test_the_page_shows_the_matrix() -> None:
    page = (Path(__file__).parents[3] / "docs" / "zotero.md").read_text(encoding="utf-8")

    assert tables() in page, (
        "docs/zotero.md shows another matrix: tests.formats.zotero.matrix.tables()"
    )
    assert versions() in page


@each("name", FORMATS)
def test_files_call_types_as_they_did_when_zotero_was_asked(name: str) -> None:
    assert words_in_files(name) == matrix()[name].words, (
        f"{name} calls a type by another word than the file that Zotero was given: ask Zotero "
        "again, as tests/formats/zotero/matrix.py says"
    )


@pytest.mark.skipif(not ADDRESS, reason=f"{ADDRESS_VARIABLE} names no translation-server")
@pytest.mark.parametrize("name", FORMATS)
def test_zotero_makes_of_our_files_what_the_matrix_says(name: str) -> None:
    column, expected = ask(ADDRESS, name), matrix()[name]

    assert column.cells == expected.cells
    assert column == expected


def _item(**changed: object) -> dict[str, object]:
    """An item of Zotero's that holds all of the work "article"."""
    return {
        "itemType": "journalArticle",
        "title": "Dams: article",
        "creators": [
            {"firstName": "Jane", "lastName": "Doe", "creatorType": "author"},
            {"firstName": "K. J.", "lastName": "Müller", "creatorType": "author"},
        ],
        "date": "2020-03-05",
        "DOI": "10.1000/article",
        "url": "https://example.org/works/article",
        "language": "en",
        "abstractNote": "What article is about: dams & rivers, 100 % of them.",
        "tags": [{"tag": "dam removal"}, {"tag": "rivers"}],
        "publicationTitle": "Journal of Hydrology",
        "volume": "87",
        "issue": "7",
        "pages": "1208-1227",
        "ISSN": "0018-9219",
        "publisher": "Elsevier",
        "extra": "PMID: 123456\nPMCID: PMC7654",
        "notes": [],
    } | changed


@each(
    "changed, wrong",
    [
        ({}, []),
        ({"date": "2020 Mar 5"}, []),
        ({"date": "March 5, 2020"}, []),
        ({"date": "2020"}, ["date coarser"]),
        ({"date": "2020-05-03"}, ["date changed"]),
        ({"pages": "1208–1227"}, []),
        ({"DOI": ""}, ["doi lost"]),
        ({"DOI": "", "callNumber": "10.1000/article"}, ["doi in callNumber"]),
        ({"extra": "PMID: 123456"}, ["pmcid lost"]),
        ({"tags": []}, ["tags lost"]),
        ({"notes": ["sources: crossref"]}, ["child note"]),
        ({"archiveLocation": "shelf 9"}, ["archiveLocation wrong"]),
        ({"creators": []}, ["author lost"]),
        (
            {"creators": [{"name": "Jane Doe", "creatorType": "author"}]},
            ["author lost", "author split"],
        ),
    ],
)
def test_what_is_wrong_with_an_item_is_seen(changed: dict[str, object], wrong: list[str]) -> None:
    assert differences(HITS["article"].record, _item(**changed)) == wrong
