"""Real exports of databases: every record is accounted for, and nothing is left to the reader's
imagination.

How many records a file holds is counted here by other means: lines that begin one.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from metasearch.bulk.job import JobOutcome, deduplicate, read_all
from metasearch.bulk.report import JobNumbers, as_text
from metasearch.dedup import DEFAULT
from metasearch.formats.reading.files import gather
from tests.bulk.telling import count

pytestmark = pytest.mark.shared

#: How a record begins, by the ending of its file.
BEGINS = {
    ".ris": r"^[ \t\ufeff]*TY  ?- ",
    ".nbib": r"^PMID- ",
    ".net": r"^\{Reference Type\}",
    "cnki": r"^DataType: ",
    "wos": r"^PT ",
}


def begun(path: Path) -> int:
    """Lines of a file that begin a record."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace")
    name = path.name.lower().removesuffix(".gz")
    pattern = next(it for key, it in BEGINS.items() if name.endswith(key) or key in name)
    return len(re.findall(pattern, text, re.MULTILINE))


def job(folder: Path) -> tuple[JobOutcome, JobNumbers]:
    outcome = deduplicate(read_all(gather([folder]).files), DEFAULT)
    return outcome, count(outcome)


def accounted_for(outcome: JobOutcome, numbers: JobNumbers) -> None:
    """File by file and in all."""
    expected = {file.input.name: begun(file.input.path) for file in outcome.files}
    assert {it.name: it.total for it in numbers.files} == expected
    assert (
        numbers.found
        == sum(expected.values())
        == numbers.unique + numbers.duplicates + numbers.unread
    )
    assert sum(it.total for it in numbers.databases) + numbers.unread == numbers.found
    total = (
        f"{numbers.found:,} found = {numbers.unique:,} unique + {numbers.duplicates:,} "
        f"duplicates + "
    )
    assert total in as_text(numbers, "1")


@pytest.mark.slow
def test_raw_exports(shared: Path) -> None:
    """17 files of RIS from five databases and two hosts, of three searches that share nothing."""
    outcome, numbers = job(shared / "data" / "dedup" / "raw_exports")

    accounted_for(outcome, numbers)
    assert (len(numbers.files), numbers.found, numbers.unread) == (17, 9294, 0)
    assert numbers.duplicates > 2_000
    for work in outcome.works:
        searches = {outcome.files[it.file].input.name.partition("_")[0] for it in work.items}
        assert len(searches) == 1 or searches == {"gambling-harms", "mckeown2021"}


def test_chinese_exports(shared: Path) -> None:
    """CNKI, Wanfang, PubMed and Web of Science on one subject, which share no record."""
    outcome, numbers = job(shared / "data" / "dedup" / "zh_cnki_etc")

    accounted_for(outcome, numbers)
    assert (len(numbers.files), numbers.found, numbers.unread) == (4, 60, 0)
    assert {it.name for it in numbers.databases} == {
        "CNKI",
        "PubMed",
        "Web of Science",
        "北京万方数据股份有限公司",
    }
