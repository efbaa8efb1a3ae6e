"""Records that every export has a place for, and what comes back of them."""

from __future__ import annotations

import io
import re
from typing import Any

from hypothesis import strategies as st

from metasearch.formats import WRITABLE
from metasearch.formats.reading import FileReading, read_bytes
from metasearch.formats.reference import (
    family_first,
    full_title,
    further_titles,
    link,
    page_range,
)
from metasearch.record import TYPES, Author, Hit, Record

_WORDS = (
    "sorption rivers Überschwemmung léger estuary dams bogs spring iron lakes Ольга δέλτα "
    "harvest signals networks clay"
).split()
_HAN = ("湖泊", "沉积物", "模型", "研究", "河流", "生态")
_FAMILIES = ("Paskin", "Müller", "O’Neil", "van der Berg", "Åkesson", "García-López", "Иванова")
_GIVEN = ("Norman", "K.", "Ann-Marie", "Jan Pieter", "J. A.", "Ольга")
_BODIES = (
    "World Health Organization",
    "IEEE Standards Committee",
    "The ATLAS Collaboration",
    "国家图书馆",
)


def _text(least: int, most: int) -> st.SearchStrategy[str]:
    latin = st.lists(st.sampled_from(_WORDS), min_size=least, max_size=most, unique=True)
    han = st.lists(st.sampled_from(_HAN), min_size=least, max_size=most, unique=True)
    return latin.map(" ".join).map(lambda text: text[0].upper() + text[1:]) | han.map("".join)


_PERSON = st.builds(
    lambda family, given: Author(f"{given} {family}", family, given),
    st.sampled_from(_FAMILIES),
    st.sampled_from(_GIVEN),
)
_AUTHOR = (
    _PERSON
    | st.sampled_from(("王小明", "李雷", "欧阳修")).map(Author)
    | st.sampled_from(_BODIES).map(lambda name: Author(name, collective=True))
)
_OTHERS = st.lists(st.sampled_from(("Zweitens", "Drittens", "第三")), max_size=2, unique=True)
_DATES = st.sampled_from(("", "-01", "-03-15", "-12-31", "-10"))


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Records in the form in which every reader leaves them: text on one line, ISO dates."""
    year = draw(st.integers(1850, 2026))
    kind = draw(st.sampled_from([kind for kind in TYPES if kind != "other"]))
    first = draw(st.integers(1, 900))
    pages = draw(
        st.sampled_from((None, f"{first}", f"{first}-{first + 9}", f"e{first}", "S12-S18"))
    )
    suffix = draw(st.sampled_from(("abc", "s1361-8415(02)00044-7", "j.x.2012.01.001", "é")))
    authors = draw(st.lists(_AUTHOR, min_size=1, max_size=4, unique=True))
    fields: dict[str, Any] = {
        "title": draw(_text(2, 6)),
        "titles": tuple(f"{word} nebenbei" for word in draw(_OTHERS)),
        "authors": tuple(authors),
        "editors": tuple(draw(st.lists(_PERSON, max_size=2, unique=True))),
        "year": year,
        "date": draw(_DATES.map(lambda rest: f"{year}{rest}" if rest else None)),
        "venue": draw(st.none() | _text(1, 4)),
        "publisher": draw(st.none() | _text(1, 3)),
        "edition": draw(st.sampled_from((None, "2", "Third edition", "第2版"))),
        "volume": draw(st.sampled_from((None, "12", "87A", "2020"))),
        "issue": draw(st.sampled_from((None, "3", "4-5", "Suppl 1"))),
        "pages": pages,
        "doi": draw(st.none() | st.just(f"10.1000/{suffix}")),
        "ids": draw(
            st.dictionaries(
                st.sampled_from(
                    ("pmid", "pmcid", "openalex", "arxiv", "scopus", "nct", "ntr", "chictr")
                ),
                st.just(""),
                max_size=3,
            )
        ),
        "isbn": draw(st.sampled_from(((), ("9783161484100",), ("9783161484100", "9780306406157")))),
        "issn": draw(st.sampled_from(((), ("0018-9219",), ("0018-9219", "2049-3630")))),
        "type": kind,
        "language": draw(st.sampled_from((None, "en", "zh", "de"))),
        "abstract": draw(st.none() | _text(2, 6)),
        "keywords": tuple(draw(st.lists(_text(1, 2), max_size=3, unique_by=str.casefold))),
        "url": draw(st.sampled_from((None, "https://example.org/works/7?a=1&b=2"))),
        "pdf_url": draw(st.sampled_from((None, "https://example.org/works/7.pdf"))),
    }
    numbers = {
        "pmid": "123456",
        "pmcid": "PMC7654",
        "openalex": "W2147152072",
        "arxiv": "2001.01234",
        "scopus": "2-s2.0-85012345",
        "nct": "NCT03456789, NCT01112223",
        "ntr": "NTR4567",
        "chictr": "ChiCTR-TRC-09000543",
    }
    fields["ids"] = {scheme: numbers[scheme] for scheme in fields["ids"]}
    return Record(source="crossref", source_id="1", position=1, **fields)


def hits_of(found: list[Record]) -> list[Hit]:
    """A hit for each."""
    return [
        Hit(f"h{number:012x}", record, (record,), {"title": "crossref"})
        for number, record in enumerate(found)
    ]


def written(name: str, hits: list[Hit], **options: Any) -> bytes:
    """What a format's writer makes of them."""
    return WRITABLE[name].write(hits, **options)


def read_back(name: str, hits: list[Hit]) -> FileReading:
    """What our own reader makes of what the writer wrote, its format detected."""
    reading = read_bytes(written(name, hits), f"a.{WRITABLE[name].extension}")
    assert (reading.format, reading.lost) == (name, 0)
    assert len(reading.entries) == len(hits)
    return reading


def text_of_parquet(data: bytes) -> str:
    """The rows of a Parquet file, as they are printed."""
    from pyarrow import parquet

    return str(parquet.read_table(io.BytesIO(data)).to_pylist())


def said(record: Record) -> dict[str, Any]:
    """What a record says, as an export holds it: the title with the subtitle, names, addresses."""
    first, last = page_range(record.pages)
    return {
        "title": full_title(record),
        "titles": further_titles(record),
        "authors": [re.sub(r"\s+", " ", family_first(author)) for author in record.authors],
        "editors": [family_first(editor) for editor in record.editors],
        "year": record.year,
        "date": record.date if record.date and len(record.date) > 4 else None,
        "venue": record.venue,
        "publisher": record.publisher,
        "edition": record.edition,
        "volume": record.volume,
        "issue": record.issue,
        "pages": f"{first}-{last}" if last else first,
        "doi": record.doi,
        "ids": dict(record.ids),
        "isbn": sorted(record.isbn),
        "issn": sorted(record.issn),
        "type": record.type,
        "language": record.language,
        "abstract": record.abstract,
        "keywords": list(dict.fromkeys(record.keywords + record.subjects)),
        "url": link(record),
        "pdf_url": record.pdf_url,
    }
