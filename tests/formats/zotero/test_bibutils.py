"""Our files as bibutils reads them (Debian's package): every work arrives, as what it is called.

Its programs turn a format into MODS and MODS into RIS, which our own reader reads here.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from metasearch.formats import WRITABLE
from metasearch.formats.reading import read_bytes
from metasearch.formats.reference import family_first, full_title
from metasearch.record import Record
from tests.cases import each
from tests.formats.zotero.works import HITS

#: Format -> the program that reads it; our MODS is what they all write.
PROGRAMS = {
    "ris": "ris2xml",
    "bibtex": "bib2xml",
    "endnote-tagged": "end2xml",
    "endnote-xml": "endx2xml",
    "mods": None,
}
#: What bibutils 7.2 drops or changes: %R and %8, pub-dates, and names of bodies, which it takes
#: apart also behind a comma.
NO_DOI = {"endnote-tagged"}
NO_DATE = {"endnote-tagged", "endnote-xml"}
NO_BODIES = {"ris", "endnote-tagged", "endnote-xml"}

pytestmark = pytest.mark.skipif(
    shutil.which("xml2ris") is None, reason="bibutils is not installed (apt install bibutils)"
)


def through(program: str, content: bytes, *options: str) -> bytes:
    done = subprocess.run(
        [program, "-i", "utf8", *options],
        input=content,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def arrived(name: str) -> list[Record]:
    """All works, written by us, read by bibutils, and read again from its RIS."""
    content = WRITABLE[name].write(list(HITS.values()))
    program = PROGRAMS[name]
    mods = through(program, content) if program else content
    ris = through("xml2ris", mods, "-o", "utf8")
    return list(read_bytes(ris, "a.ris", format="ris").records)


@pytest.mark.slow
@each("name", sorted(PROGRAMS))
def test_bibutils_reads_every_work(name: str) -> None:
    read = arrived(name)
    sent = [hit.record for hit in HITS.values()]

    assert [full_title(record) for record in read] == [full_title(record) for record in sent]
    assert [record.year for record in read] == [record.year for record in sent]
    if name not in NO_DOI:
        assert [record.doi for record in read] == [record.doi for record in sent]
    if name not in NO_DATE:
        assert [record.date for record in read] == [record.date for record in sent]
    assert [record.abstract for record in read] == [record.abstract for record in sent]


@pytest.mark.slow
@each("name", sorted(PROGRAMS))
def test_bibutils_reads_who_wrote_an_article_and_where_it_stands(name: str) -> None:
    for record, read in zip((hit.record for hit in HITS.values()), arrived(name), strict=True):
        if record.type != "article":
            continue
        if name not in NO_BODIES or not any(author.collective for author in record.authors):
            names = sorted(family_first(author) for author in record.authors)
            assert sorted(family_first(author) for author in read.authors) == names
        told = (read.type, read.venue, read.volume, read.issue, read.pages, read.issn)
        assert told == (
            "article",
            record.venue,
            record.volume,
            record.issue,
            record.pages,
            record.issn,
        )
