"""Sixty-odd hostile works: names, scripts, marks of formats, numbers and dates of all kinds, each
named by what is hostile in it. Every format that is written and read has to hold them.

    python -m tests.formats.hostile [FORMAT ...]

prints what does not come back, by format.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from metasearch.events import Added
from metasearch.formats import READABLE, WRITABLE, write
from metasearch.formats.events import ndjson
from metasearch.formats.reading import FileReading, read_bytes, values
from metasearch.formats.reference import family_first, issuing_body, page_range
from metasearch.formats.text import line, web_url
from metasearch.record import TYPES, Author, Record
from tests.formats.exported import hits_of, said, written
from tests.formats.losses import LOST
from tests.formats.samples import answer


def _person(family: str, given: str, suffix: str | None = None, **more: Any) -> Author:
    name = " ".join(filter(None, (given, family, suffix)))
    return Author(name, family, given, suffix=suffix, **more)


def _body(name: str) -> Author:
    return Author(name, collective=True)


_ORDINARY: dict[str, Any] = {
    "title": "Salt in old wells",
    "authors": (_person("Brook", "Ada"), _person("Stone", "Ben C.")),
    "year": 2014,
    "venue": "Journal of Wells",
    "volume": "12",
    "issue": "3",
    "pages": "101-119",
    "type": "article",
    "language": "en",
}
_BOOK: dict[str, Any] = {
    "title": "Wells and people",
    "authors": (_person("Brook", "Ada"),),
    "year": 2011,
    "publisher": "Harbour Press",
    "place": "Cambridge, Mass.",
    "isbn": ("9780306406157",),
    "type": "book",
    "language": "en",
}
_CHAPTER: dict[str, Any] = {
    "title": "Wells in winter",
    "authors": (_person("Green", "Ann"),),
    "editors": (_person("Rossi", "Paolo"), _person("de la Cruz", "María José")),
    "year": 2010,
    "venue": "Handbook of wells",
    "publisher": "Harbour Press",
    "place": "London",
    "pages": "45-67",
    "type": "chapter",
}

#: As many authors as a collaboration has.
MANY = 500

#: What is hostile -> what differs from an ordinary article.
_ARTICLES: Mapping[str, dict[str, Any]] = {
    # ------------------------------------------------------------------ scripts
    "Chinese": {"title": "湖泊沉积物中磷的形态研究", "authors": (Author("王小明"), Author("欧阳修"), Author("李雷")), "venue": "科学通报", "language": "zh"},
    "Japanese": {"title": "湖沼堆積物の化学", "authors": (_person("山田", "太郎"), _person("佐々木", "ひかり")), "language": "ja"},
    "Korean": {"title": "우물의 소금", "authors": (_person("김", "민수"), _person("남궁", "옥분")), "language": "ko"},
    "Cyrillic": {"title": "Соль в старых колодцах", "authors": (_person("Иванова", "Ольга П."), _person("Щедрин", "Ё.")), "language": "ru"},
    "Greek": {"title": "Το αλάτι στα παλιά πηγάδια", "authors": (_person("Παπαδόπουλος", "Γιώργος"),), "language": "el"},
    "right to left": {"title": "الملح في الآبار القديمة", "authors": (_person("حسن", "أحمد"), _person("כהן", "דוד")), "language": "ar"},
    "Thai and Devanagari": {"title": "เกลือในบ่อ และ कुएँ का नमक", "authors": (_person("ศรีสุข", "สมชาย"), _person("शर्मा", "अनिल"))},
    "Vietnamese": {"title": "Muối trong giếng cổ", "authors": (_person("Nguyễn", "Thị Ánh"), _person("Đặng", "Văn Ước"))},
    "combining marks": {"title": "Sel dans les puits e\u0301troits", "authors": (_person("Mu\u0308ller", "Jo\u0308rg"),)},
    "emoji and signs beyond the plane": {"title": "Wells 🚰 and 𠮷野 and 👩‍🔬", "keywords": ("🚰 wells", "𝛼-salt")},
    "several scripts": {"title": "Wells (колодцы, 井)", "titles": ("Соль в колодцах", "井中盐分"), "authors": (_person("Brook", "Ada"), Author("王小明"), _person("Иванова", "Ольга"))},
    # ------------------------------------------------------------------ names
    "particles and apostrophes": {"authors": (_person("van der Berg", "Jan Pieter"), _person("O’Neil", "Ann-Marie"), _person("d'Arcy", "Luc"), _person("al-Khwarizmi", "Abu"), _person("von und zu Stein", "Karl"))},
    "suffixes": {"authors": (_person("Cobb", "Fields W.", "Jr."), _person("Reed", "Tom", "III"), _person("Hill", "Sam", "Sr."))},
    "one-part and one-letter names": {"authors": (Author("Plato"), _person("E", "Weinan"), _person("Ng", "A."))},
    "initials": {"authors": (_person("Stone", "B. C."), _person("Smith-Jones", "J.-P."), _person("King", "M. L."))},
    "family names of two words": {"authors": (_person("García Márquez", "Gabriel"), _person("Ter Haar Romeny", "Bart"))},
    "and in names": {"authors": (_person("Anderson", "Andy"), _person("Band", "Sandra"), _body("Rivers and Lakes Board"), _body("Brook & Stone, Inc."))},
    "bodies": {"authors": (_body("World Well Organization"), _body("The LAKES Collaboration"), _body("Ministry of Water and Power, Lakes; Dams"), _body("国家图书馆"))},
    "a body alone": {"authors": (_body("International Board of Wells"),)},
    "ORCIDs and affiliations": {"authors": (_person("Brook", "Ada", orcid="0000-0002-1825-0097", affiliation="Dept. of Wells; Lake Univ., Town"), _person("Stone", "Ben"))},
    "braces and quotes in names": {"authors": (_person("{Brook}", 'Ada "Ad"'), _person("Stone", "B. (Ben)"))},
    "dates in a name": {"authors": (_person("Brook", "Ada"), _body("Board 1901-1950"))},
    "very many authors": {"authors": tuple(_person(f"Family{number}", "G. H.") for number in range(MANY))},
    "no author": {"authors": ()},
    # ------------------------------------------------------------------ text
    "markup": {"title": "Wells <i>in vivo</i> & H<sub>2</sub>O", "abstract": "<p>First.</p> Then a < b && c > d &amp; so."},
    "LaTeX": {"title": r"Wells of $\alpha_1^2$ and \emph{salt} 50% #1 ~x_y --- ``so''", "abstract": r"\input{y} \textbf{bold} {\it x} --- ``quoted''"},
    "braces": {"title": "{DNA} in {unbalanced wells", "venue": "Journal of {Wells}"},
    "quotes": {"title": "\"Wells\" and 'salt' and “more” and «plus» and `tick`"},
    "backslashes": {"title": "Wells \\ salt \\\\ end\\", "volume": "12\\3"},
    "line breaks and tabs": {"title": "Wells\nin two lines\tand a tab", "abstract": "First.\n\nSecond\r\nthird."},
    "tags inside text": {"title": "Wells", "abstract": "Before\nER  - \nTY  - BOOK\nTI  - forged\n%T forged\n{Title}: forged\nPMID- 1\nRT Book\nPT J\n@book{x, title={forged}}"},
    "separators": {"title": "Wells; salt, and | more: a / b = c", "keywords": ("salt, and wells", "a/b", "c|d"), "venue": "Wells; Salt, A & B"},
    "formulas of spreadsheets": {"title": "=1+1 wells", "volume": "-3", "issue": "+4", "abstract": "@salt"},
    "a very long title": {"title": "Wells and salt " * 200 + "end"},
    "a very long abstract": {"abstract": "Salt moves in wells. " * 2_000 + "End."},
    "a title that ends in marks": {"title": "Do wells matter?"},
    "a title in capitals": {"title": "SALT IN OLD WELLS"},
    "a title that is a word of a format": {"title": "NA", "abstract": "None"},
    "titles in three languages": {"title": "Salz in Brunnen", "original_title": "Salz in Brunnen", "translated_title": "Salt in wells", "titles": ("Sel dans les puits",)},
    "a subtitle": {"subtitle": "a survey: part 2"},
    "XML": {"title": "]]></title><title>forged", "abstract": "<?xml version='1.0'?><!DOCTYPE x> &#x41; &lt;b&gt; &unknown;"},
    # ------------------------------------------------------------------ dates
    "no year": {"year": None},
    "the year alone": {"date": "2014"},
    "year and month": {"date": "2014-03"},
    "a day": {"date": "2014-03-09"},
    "the first of January": {"date": "2014-01-01"},
    "an old year": {"year": 1543, "date": "1543"},
    # ------------------------------------------------------------------ numbers
    "one page": {"pages": "7"},
    "an article number": {"pages": "e1001", "issue": None},
    "a long article number": {"pages": "PH-101742"},
    "pages with letters": {"pages": "S12-S18"},
    "Roman pages": {"pages": "xii-xxvi"},
    "shortened pages": {"pages": "1123-8"},
    "several ranges of pages": {"pages": "12-15, 18, 21-23"},
    "odd volumes and issues": {"volume": "87A", "issue": "4-5 Suppl 1"},
    "a number of a year": {"volume": "2014", "issue": "Spring"},
    "a DOI with all signs": {"doi": "10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-#"},
    "a DOI with a percent sign": {"doi": "10.1000/50%_c{d}"},
    "several ISSNs": {"issn": ("0018-9219", "2049-3630", "1234-567X")},
    "all identifiers": {"doi": "10.1000/w.1", "ids": {"pmid": "31234567", "pmcid": "PMC7654321", "openalex": "W2147152072", "arxiv": "2001.01234", "scopus": "2-s2.0-85012345", "wos": "000123456700001", "embase": "2001234567", "patent": "US1234567B2"}},
    "registration numbers": {"ids": {"nct": "NCT03456789, NCT01112223", "isrctn": "ISRCTN24680135", "eudract": "2009-012345-31", "ctri": "CTRI/2011/091/000123", "chictr": "ChiCTR-TRC-09000543", "prospero": "CRD42017054321"}, "abstract": "It worked. Trial registration: ClinicalTrials.gov, NCT03456789."},
    "addresses": {"url": "https://example.org/w;x?a=1&b=%20(2)#p", "pdf_url": "https://example.org/w.pdf?x={1}&y=2"},
    # ------------------------------------------------------------------ what is said of the work
    "retracted": {"retracted": True},
    "open access": {"open_access": "gold", "licence": "https://creativecommons.org/licenses/by/4.0/", "pdf_url": "https://example.org/w.pdf", "citations": 0},
    "keywords and subjects": {"keywords": ("wells", "Wells", "salt"), "subjects": ("Water supply", "salt")},
    "empty fields": {"authors": (), "year": None, "venue": "", "volume": "", "issue": None, "pages": "", "abstract": "", "language": ""},
    "a title alone": {"authors": (), "year": None, "venue": None, "volume": None, "issue": None, "pages": None, "language": None, "type": None},
    "no title": {"title": "", "doi": "10.1000/untitled"},
}  # fmt: skip
_BOOKS: Mapping[str, dict[str, Any]] = {
    "a book": {},
    "editors only": {"authors": (), "editors": (_person("Rossi", "Paolo"), _person("Cobb", "Fields W.", "Jr."))},
    "authors and editors": {"editors": (_person("Rossi", "Paolo"),)},
    "translators": {"translators": (_person("Hofmann", "Eva"), _person("王", "小明"))},
    "places": {"place": "Berlin; New York"},
    "a Chinese place and publisher": {"title": "古井考", "authors": (Author("王小明"),), "publisher": "中华书局", "place": "北京", "language": "zh"},
    "a place alone": {"publisher": None},
    "several ISBNs": {"isbn": ("9780306406157", "9783161484100")},
    "editions": {"edition": "2nd, revised"},
    "a Chinese edition": {"edition": "第2版"},
    "a volume of a work": {"volume": "2", "pages": "xii-xxvi"},
}  # fmt: skip
_CHAPTERS: Mapping[str, dict[str, Any]] = {
    "a chapter": {},
    "a chapter without editors": {"editors": ()},
    "a chapter of a body": {"authors": (_body("World Well Organization"),), "editors": ()},
    "a translated chapter": {"translators": (_person("Hofmann", "Eva"),)},
}
#: What a work of each type has beside its type; articles, books and chapters stand above.
_OF_TYPES: Mapping[str, dict[str, Any]] = {
    "thesis": {"institution": "Lake University", "venue": None, "volume": None, "issue": None, "pages": None},
    "report": {"institution": "Board of Wells", "venue": None, "volume": None, "issue": None, "pages": None},
    "patent": {"ids": {"patent": "US1234567B2"}, "venue": None, "volume": None, "issue": None, "pages": None},
    "standard": {"title": "GB/T 7714-2015 Wells", "venue": None, "volume": None, "issue": None, "pages": None},
    "software": {"version": "1.0.3", "venue": None, "volume": None, "issue": None, "pages": None},
    "dataset": {"version": "v2", "publisher": "Well Archive", "venue": None, "volume": None, "issue": None, "pages": None},
    "preprint": {"venue": "arXiv", "ids": {"arxiv": "2001.01234"}, "volume": None, "issue": None, "pages": None},
    "conference-paper": {"venue": "Proceedings of the 3rd Conference on Wells", "editors": (_person("Rossi", "Paolo"),), "place": "Oslo", "publisher": "Harbour Press"},
    "proceedings": {"authors": (), "editors": (_person("Rossi", "Paolo"),), "venue": None, "volume": None, "issue": None, "pages": None, "publisher": "Harbour Press"},
    "webpage": {"url": "https://example.org/wells", "volume": None, "issue": None, "pages": None, "venue": None},
}  # fmt: skip


def _works() -> Iterable[tuple[str, dict[str, Any]]]:
    for name, fields in _ARTICLES.items():
        yield name, _ORDINARY | fields
    for name, fields in _BOOKS.items():
        yield name, _BOOK | fields
    for name, fields in _CHAPTERS.items():
        yield name, _CHAPTER | fields
    for kind in TYPES:
        if kind not in ("article", "book", "chapter"):
            yield f"type {kind}", _ORDINARY | _OF_TYPES.get(kind, {}) | {"type": kind}


#: What is hostile -> the work.
WORKS: Mapping[str, Record] = {
    name: Record(source="crossref", source_id=f"w{number}", position=number, **fields)
    for number, (name, fields) in enumerate(_works(), 1)
}
#: Formats that are written and read again.
FORMATS = tuple(
    name for name, one in WRITABLE.items() if (name in READABLE or name == "json") and one.usable
)


def file_of(name: str) -> bytes:
    """All works in one file of a format."""
    hits = hits_of([*WORKS.values()])
    if name == "ndjson":
        return b"".join(ndjson(Added(hit)) for hit in hits) + b'{"event": "done"}\n'
    return write("json", answer(*hits)) if name == "json" else written(name, hits)


@cache
def read_again(name: str) -> FileReading:
    """The file of all works, as our own reader reads it."""
    return read_bytes(file_of(name), f"a.{WRITABLE[name].extension}")


def _as_read(value: Any) -> Any:
    """Texts on one line, without control characters, what looks like HTML, and words for nothing:
    as every export writes them and every reader takes them.
    """
    if isinstance(value, str):
        return values.text(line(value)) or None
    if isinstance(value, (list, tuple)):
        return [one for item in value if (one := _as_read(item))]
    return value


def told(record: Record, name: str) -> dict[str, Any]:
    """What a record says that a format has to hold; docs/exports.md says what it need not."""
    lost = LOST[name]
    of_record = replace(record, pages=record.pages or None)
    out = {field: _as_read(value) for field, value in said(of_record).items()}
    first, last = page_range(record.pages)
    out |= {
        "titles": sorted({*out["titles"]} - {out["title"]}),
        "translators": [family_first(one) for one in record.translators],
        "place": _as_read(record.place),
        "retracted": record.retracted,
        "orcid": [author.orcid for author in record.authors],
        "suffixes": [author.suffix for author in record.authors],
        "pdf_url": web_url(record.pdf_url),
        "pages": (f"{first}-{last}" if last else first) or None,
        # rispy parts two addresses at a semicolon.
        "url": (out["url"] or "").replace("%3B", ";"),
        # Not to be known, and to be none of the others.
        "type": None if record.type == "other" else record.type,
    }
    if "institution" in lost:  # what issued the work stands where its publisher does
        out["publisher"] = issuing_body(record) or None
    elif out["publisher"] == record.institution:  # said once
        out["publisher"] = None
    if name == "ris" and record.type in ("dataset", "software"):
        out["edition"] = record.edition or record.version
    return {field: value for field, value in out.items() if field not in lost}


#: (format, what is hostile) that docs/exports.md says does not come back.
TOLD_ELSEWHERE = frozenset(
    {
        ("marc", "very many authors"),
        ("csv", "bodies"),
        ("xlsx", "bodies"),
        ("xlsx", "very many authors"),
        ("xlsx", "a very long abstract"),
    }
)


def differences(name: str) -> dict[str, list[str]]:
    """What is hostile -> each field that did not come back, with what was and what came."""
    reading = read_again(name)
    found: dict[str, list[str]] = {}
    if len(reading.entries) != len(WORKS):
        return {"the file": [f"{len(WORKS)} works, {len(reading.entries)} come back"]}
    for (what, record), read in zip(WORKS.items(), reading.records, strict=True):
        want, got = told(record, name), told(read, name)
        wrong = [
            f"{field}: {want[field]!r:.200} -> {got[field]!r:.200}"
            for field in want
            if want[field] != got[field]
        ]
        if wrong and (name, what) not in TOLD_ELSEWHERE:
            found[what] = wrong
    return found


if __name__ == "__main__":
    for form in sys.argv[1:] or FORMATS:
        lost = differences(form)
        print(f"{form}: {len(lost)} of {len(WORKS)} works differ")
        for hostile, wrong in lost.items():
            for each in wrong:
                print(f"    {hostile}: {each}")
