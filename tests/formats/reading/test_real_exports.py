"""Real exports of databases and reference managers: every record is there, and the first one is as
a person reads it.

How many records a file holds was counted with grep for the line that begins one.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from metasearch.formats.reading import FileReading, read_file

pytestmark = pytest.mark.shared


class Export(NamedTuple):
    """What is known of a file.

    Attributes:
        records: Counted by hand.
        format: As it should be detected.
        problems: Lines on which something is wrong indeed.
        database: Of its first record.
        first: Fields of the first record, read by a person; names of authors as they are shown.
    """

    records: int
    format: str
    problems: tuple[int, ...]
    database: str | None
    first: dict[str, Any]


ENGLISH = (
    "Influence of ultrasound-guided serratus plane block on metastasis and recurrence of breast "
    "cancer after modified "
    "radical mastectomy"
)
EXPORTS = {
    "raw_exports/fishpassage_AGRIS.ris.gz": Export(
        12,
        "ris",
        (),
        None,
        {
            "title": "Ethno medicinal survey of plants from salt range (Kallar Kahar) of Pakistan",
            "year": 2008,
            "volume": "40",
            "authors": ["S. S. Ahmad", "S. Z. Husain"],
            "abstract": None,
            "venue": None,
            "source_id": "4202",
            "ids": {},
        },
    ),
    "raw_exports/fishpassage_CAB.ris.gz": Export(
        687,
        "ris",
        (),
        None,
        {
            "title": "First report to the Governments of the United Nations",
            "year": 1944,
            "pages": "55",
            "authors": [],
        },
    ),
    "raw_exports/fishpassage_EconLit.ris.gz": Export(
        50,
        "ris",
        (),
        "ProQuest",
        {
            "title": "Motivational Crowding in Sustainable Development Interventions",
            "venue": "American Political Science Review",
            "issn": ("0003-0554",),
            "pages": "470-487",
            "volume": "109",
            "issue": "3",
            "url": "http://search.proquest.com/docview/1751982281?accountid=14522",
        },
    ),
    "raw_exports/fishpassage_Final.ris.gz": Export(
        242,
        "ris",
        (),
        "Web of Science",
        {
            "doi": "10.1016/j.ecolecon.2011.07.016",
            "ids": {"wos": "000296953200017"},
            "pages": "2361-2368",
            "keywords": (
                "Payments for Environmental Services",
                "Equity",
                "Additionality",
                "Ejido",
                "Mexico",
            ),
        },
    ),
    "raw_exports/fishpassage_GreenFile.ris.gz": Export(
        139,
        "ris",
        (),
        "8gh (EBSCOhost)",
        {"doi": "10.1108/meq-05-2013-0038", "issn": ("1477-7835",), "year": 2014, "type": None},
    ),
    "raw_exports/fishpassage_RM.ris.gz": Export(
        530, "ris", (4623,), None, {"title": "No Title", "year": None}
    ),
    "raw_exports/fishpassage_TiAb.ris.gz": Export(
        1573,
        "ris",
        (),
        None,
        {
            "title": "Cost-benefit analysis",
            "type": "chapter",
            "year": 1994,
            "isbn": ("9780521466745", "9780521461283"),
        },
    ),
    "raw_exports/fishpassage_WoS_early.ris.gz": Export(
        2550,
        "ris",
        (),
        "Web of Science",
        {
            "authors": ["Josefina T. Dizon", "Margaret M. Calderon", "Asa Jose U. Sajise"],
            "abstract": None,
            "venue": "Journal of Environmental Science and Management",
            "pages": "52-58",
            "ids": {"wos": "000305846100006"},
        },
    ),
    "raw_exports/fishpassage_WoS_later.ris.gz": Export(
        736,
        "ris",
        (8058, 23921),
        "Web of Science",
        {
            "title": "Community wildfire protection planning in the American West: homogeneity "
            "within diversity?",
            "language": "en",
            "authors": ["J. Abrams", "M. Nielsen-Pincus", "T. Paveglio", "C. Moseley"],
            "year": 2016,
            "type": "article",
        },
    ),
    "raw_exports/gambling-harms_crimjust_41.ris.gz": Export(
        41,
        "ris",
        (),
        "i3h (EBSCOhost)",
        {
            "doi": "10.1080/16066359.2020.1867111",
            "date": "2021-06",
            "venue": "Addiction Research & Theory",
            "pages": "212-222",
        },
    ),
    "raw_exports/gambling-harms_lens_49.ris.gz": Export(
        49,
        "ris",
        (),
        "Lens",
        {
            "doi": "10.31234/osf.io/fu4mj",
            "date": "2021-09-23",
            "ids": {"lens": "001-257-578-706-377"},
            "authors": [
                "Matthew Browne",
                "Alex M T Russell",
                "Stephen Begg",
                "Matthew Rockloff",
                "En Li",
                "Vijay Rawat",
                "Nerilee Hing",
            ],
        },
    ),
    "raw_exports/gambling-harms_psycinfo_124.ris.gz": Export(
        124,
        "ris",
        (),
        "psyh (EBSCOhost)",
        {
            "ids": {"psycinfo": "2022-96522-001"},
            "date": "2022-08-26",
            "authors": ["Virve Marionneau", "Michael Egerer", "Susanna Raisamo"],
        },
    ),
    "raw_exports/gambling-harms_pubmed_176.ris.gz": Export(
        176,
        "ris",
        (),
        None,
        {
            "doi": "10.3390/ijerph18094395",
            "issn": ("1660-4601", "1661-7827"),
            "language": "en",
            "date": "2021-04-21",
            "venue": "International journal of environmental research and public health",
            "volume": "18",
            "issue": "9",
        },
    ),
    "raw_exports/gambling-harms_scopus_255.ris.gz": Export(
        255,
        "ris",
        (),
        "Scopus",
        {
            "authors": ["C. Tulloch", "N. Hing", "M. Browne", "M. Rockloff"],
            "pages": "107538",
            "volume": "137",
            "year": 2023,
            "ids": {"scopus": "2-s2.0-85141483180"},
        },
    ),
    "raw_exports/mckeown2021_0_Ovid_search_results_1001_to_2000.ris.gz": Export(
        1000,
        "ris",
        (),
        "Cochrane CENTRAL",
        {
            "authors": ["A Breckenridge", "DE Grobbee"],
            "ids": {"central": "CN-01291099"},
            "pages": "1218",
            "year": 2016,
            "type": None,
        },
    ),
    "raw_exports/mckeown2021_0_Ovid_search_results_1_to_1000.ris.gz": Export(
        1000,
        "ris",
        (),
        "MEDLINE",
        {
            "doi": "10.1016/j.toxicon.2018.11.007",
            "ids": {"pmid": "30439442"},
            "pages": "53-65",
            "venue": "Toxicon : official journal of the International Society on Toxinology",
        },
    ),
    "raw_exports/mckeown2021_0_Ovid_search_results_3001_to_3130.ris.gz": Export(
        130,
        "ris",
        (),
        "APA PsycInfo",
        {
            "authors": ["Purcell Taylor Jr."],
            "isbn": ("9780398054847",),
            "ids": {"psycinfo": "1988-98335-000"},
            "year": 1988,
        },
    ),
    "zh_cnki_etc/demo_cnki_202101.txt": Export(
        20,
        "cnki",
        (),
        "CNKI",
        {
            "title": "1例卡培他滨与苯妥英钠相互作用致乳腺癌合并癫痫患者小脑功能障碍的病例分析",
            "authors": ["柯洪琴", "陈璿英", "王启斌"],
            "venue": "中南药学",
            "date": "2021-01-18",
            "volume": "19",
            "issue": "01",
            "pages": "168-170",
            "type": "article",
        },
    ),
    "zh_cnki_etc/demo_pubmed_202101.nbib": Export(
        10,
        "nbib",
        (),
        "PubMed",
        {
            "title": "Switching of Hormone Therapies in Breast Cancer Women",
            "doi": "10.1055/s-0040-1719149",
            "date": "2021-01-19",
            "titles": (
                "Avaliação da mudança do esquema hormonioterápico em mulheres com câncer de mama",
            ),
            "issn": ("1806-9339", "0100-7203"),
            "ids": {"pmid": "33465792"},
        },
    ),
    "zh_cnki_etc/demo_wanfang_202101.NET": Export(
        20,
        "noteexpress",
        (),
        "北京万方数据股份有限公司",
        {
            "title": "超声引导下前锯肌平面阻滞对乳腺癌改良根治术术后肿瘤转移、复发的影响",
            "authors": ["江文杰", "韩超", "顾达民"],
            "titles": (ENGLISH,),
            "venue": "临床检验杂志（电子版）",
            "pages": "117-118",
            "language": "zh",
        },
    ),
    "zh_cnki_etc/demo_wos_202101.txt": Export(
        10,
        "wos",
        (),
        "Web of Science",
        {
            "authors": ["Lakyn Husinka", "Pamela H. Koerner", "Rick T. Miller", "William Trombatt"],
            "type": "review",
            "doi": "10.1080/21556660.2020.1857103",
            "ids": {"wos": "000602649200001", "pmid": "33414982"},
            "date": "2021-12-15",
            "pages": "27-34",
            "issn": ("1369-9474", "2155-6660"),
        },
    ),
}
BEGIN = {
    "ris": rb"(?m)^(?:\xef\xbb\xbf)?TY  - ",
    "cnki": rb"(?m)^DataType: ",
    "nbib": rb"(?m)^PMID- ",
    "noteexpress": rb"(?m)^\{Reference Type\}: ",
    "wos": rb"(?m)^PT ",
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "dedup"


@cache
def reading_of(path: Path) -> FileReading:
    return read_file(path)


def small(rows: Iterable[tuple[str, ...]]) -> list[Any]:
    """Rows that begin with a file; those of files of many records are for the slow tests."""
    return [
        pytest.param(*row, marks=pytest.mark.slow if EXPORTS[row[0]].records > 300 else ())
        for row in rows
    ]


def test_no_file_is_forgotten(folder: Path) -> None:
    """The table has a line for every file."""
    there = {
        f"{path.parent.name}/{path.name}"
        for name in ("raw_exports", "zh_cnki_etc")
        for path in (folder / name).iterdir()
    }

    assert there == set(EXPORTS)


@pytest.mark.parametrize("name", small((name,) for name in EXPORTS))
def test_every_record_is_there(name: str, folder: Path) -> None:
    """As many as a search for the beginnings finds; none is lost, and each has a title."""
    raw = (folder / name).read_bytes()
    raw = gzip.decompress(raw) if name.endswith(".gz") else raw
    reading, export = reading_of(folder / name), EXPORTS[name]

    assert (reading.format, reading.encoding) == (export.format, "utf-8")
    assert len(reading.entries) == export.records == len(re.findall(BEGIN[export.format], raw))
    assert reading.lost == 0
    assert [problem.line for problem in reading.problems] == list(export.problems)
    assert all(record.title for record in reading.records)
    assert len({record.key for record in reading.records}) == export.records
    lines = raw.split(b"\n")
    assert all(re.match(BEGIN[export.format], lines[entry.line - 1]) for entry in reading.entries)


@pytest.mark.parametrize("name", small((name,) for name in EXPORTS))
def test_the_first_record_reads_as_a_person_reads_it(name: str, folder: Path) -> None:
    entry, export = reading_of(folder / name).entries[0], EXPORTS[name]
    found = {field: getattr(entry.record, field) for field in export.first}
    if "authors" in found:
        found["authors"] = [author.name for author in entry.record.authors]

    assert found == export.first
    assert entry.database == export.database


#: File -> how many of its records have a field, counted with grep for the tags that hold it.
SHARES = {
    ("raw_exports/fishpassage_EconLit.ris.gz", "doi"): 16,
    ("raw_exports/gambling-harms_crimjust_41.ris.gz", "doi"): 41,
    ("raw_exports/gambling-harms_psycinfo_124.ris.gz", "doi"): 118,
    ("raw_exports/gambling-harms_pubmed_176.ris.gz", "doi"): 176,
    ("raw_exports/gambling-harms_scopus_255.ris.gz", "doi"): 253,
    ("raw_exports/mckeown2021_0_Ovid_search_results_1_to_1000.ris.gz", "doi"): 275,
    ("raw_exports/mckeown2021_0_Ovid_search_results_1001_to_2000.ris.gz", "doi"): 726,
    ("raw_exports/fishpassage_WoS_early.ris.gz", "doi"): 1892,
    ("raw_exports/fishpassage_WoS_early.ris.gz", "volume"): 2333,
    ("raw_exports/fishpassage_CAB.ris.gz", "venue"): 569,
    ("raw_exports/fishpassage_RM.ris.gz", "abstract"): 0,
    ("zh_cnki_etc/demo_cnki_202101.txt", "authors"): 19,
    ("zh_cnki_etc/demo_cnki_202101.txt", "issue"): 13,
    ("zh_cnki_etc/demo_wanfang_202101.NET", "doi"): 12,
    ("zh_cnki_etc/demo_wanfang_202101.NET", "titles"): 7,
    ("zh_cnki_etc/demo_pubmed_202101.nbib", "pages"): 7,
    ("zh_cnki_etc/demo_wos_202101.txt", "pages"): 10,
}


@pytest.mark.parametrize(("name", "field"), small(SHARES))
def test_fields_are_read_as_often_as_they_are_there(name: str, field: str, folder: Path) -> None:
    """No form in which these databases write them is passed over."""
    records = reading_of(folder / name).records

    assert sum(bool(getattr(record, field)) for record in records) == SHARES[name, field]
