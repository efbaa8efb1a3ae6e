"""Registration numbers of trials in files: where each format has them."""

from __future__ import annotations

from metasearch.formats import WRITABLE
from metasearch.formats.reading import read_bytes
from metasearch.record import Record
from tests.cases import each
from tests.formats.exported import hits_of, written

RIS = "TY  - JOUR\nTI  - Warm baths\n{}\nER  - \n"
NBIB = "PMID- 31234567\nTI  - Warm baths\n{}\n"
TRIAL = {"nct": "NCT03456789"}


@each(
    ("name", "text"),
    [
        ("a.ris", RIS.format("N1  - ClinicalTrials.gov NCT03456789")),
        ("a.ris", RIS.format("C3  - CTgov NCT03456789")),
        ("a.ris", RIS.format("AN  - NCT03456789")),
        ("a.ris", RIS.format("UR  - https://clinicaltrials.gov/study/NCT03456789")),
        ("a.ris", RIS.format("AB  - It works. Trial registration: NCT03456789.")),
        ("a.ris", "TY  - JOUR\nTI  - Warm baths (NCT03456789)\nER  - \n"),
        ("a.nbib", NBIB.format("SI  - ClinicalTrials.gov/NCT03456789")),
        ("a.enw", "%0 Journal Article\n%T Warm baths\n%Z NCT03456789\n"),
        ("a.enw", "%0 Journal Article\n%T Warm baths\n%M NCT03456789\n"),
        ("a.bib", "@article{a, title = {Warm baths}, note = {Registered as NCT03456789}}"),
        ("a.json", '[{"type": "article", "title": "Warm baths", "note": "NCT03456789"}]'),
        (
            "a.csv",
            "Title,Year,Clinical Trial Numbers\nWarm baths,2019,CTgov (NCT03456789)\n",
        ),
        ("a.csv", "Title,Year,Trial registration\nWarm baths,2019,NCT03456789\n"),
    ],
)
def test_a_number_is_read(name: str, text: str) -> None:
    (entry,) = read_bytes(text.encode(), name).entries

    assert {k: v for k, v in entry.record.ids.items() if k != "pmid"} == TRIAL


@each(
    "line",
    [
        "AB  - Unlike NCT03456789, it works.",
        "KW  - NCT03456789",
        "A2  - NCT03456789",
    ],
)
def test_numbers_elsewhere_are_not_those_of_the_work(line: str) -> None:
    (entry,) = read_bytes(RIS.format(line).encode(), "a.ris").entries

    assert entry.record.ids == {}


def test_several_numbers_of_nbib_with_and_without_the_name_of_a_registry() -> None:
    numbers = (
        "EudraCT/2009-012345-31",
        "NTR/NTR4567",
        "GENBANK/AB123456",
        "ClinicalTrials.gov/NCT03456789",
        "ClinicalTrials.gov/NCT01112223",
    )
    text = NBIB.format("\n".join(f"SI  - {number}" for number in numbers))
    (entry,) = read_bytes(text.encode(), "a.nbib").entries

    assert entry.record.ids == {
        "pmid": "31234567",
        "eudract": "2009-012345-31",
        "ntr": "NTR4567",
        "nct": "NCT03456789, NCT01112223",
    }


ALL = {
    "nct": "NCT03456789, NCT01112223",
    "eudract": "2009-012345-31",
    "ntr": "NTR4567",
    "ctri": "CTRI/2011/091/000123",
    "repec": "PER-045-11",
    "pmid": "31234567",
}


@each("name", [name for name, one in WRITABLE.items() if one.reader and one.unit == "hits"])
def test_what_we_write_comes_back(name: str) -> None:
    record = Record(source="pubmed", title="Warm baths", type="article", ids=ALL, year=2019)

    (entry,) = read_bytes(written(name, hits_of([record])), f"a.{WRITABLE[name].extension}").entries
    assert entry.record.ids == ALL


def test_nbib_writes_them_as_pubmed_does() -> None:
    record = Record(source="pubmed", title="Warm baths", type="article", ids=ALL, year=2019)
    text = written("nbib", hits_of([record])).decode()

    assert "SI  - ClinicalTrials.gov/NCT03456789\r\nSI  - ClinicalTrials.gov/NCT01112223" in text
    assert "SI  - EudraCT/2009-012345-31" in text
