"""What people exported and reported as misread, against its right values.

    python -m tests.formats.reported FOLDER [name ...]

The folder holds NAME.ris, NAME.bib and so on. Printed is a line for each case: right, or what is
wrong with it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.formats import WRITABLE
from metasearch.formats.reading import FileReading, read_file
from metasearch.formats.reference import family_first
from metasearch.record import PEOPLE, Hit, Record

#: Fields of the records of a file, in order; people as "Family, Given".
Values = Sequence[Mapping[str, Any]]
#: Says what is wrong with what was read; "" for nothing.
Check = Callable[[FileReading], str]


@dataclass(frozen=True)
class Outcome:
    """What is wrong with a case; "" where it is right."""

    name: str
    wrong: str


def shown(record: Record, field: str) -> Any:
    """The value of a field in a form that is easily written."""
    value = getattr(record, field)
    return [family_first(person) for person in value] if field in PEOPLE else value


def have(*expected: Mapping[str, Any]) -> Check:
    """The file has these records, each with these values."""

    def check(reading: FileReading) -> str:
        found = [
            {field: shown(record, field) for field in values}
            for record, values in zip(reading.records, expected, strict=False)
        ]
        if len(reading.records) != len(expected):
            return f"{len(reading.records)} records, not {len(expected)}"
        return "" if found == list(expected) else f"{found}"

    return check


def writes(form: str, *lines: str, options: Mapping[str, Any] | None = None) -> Check:
    """In a format, the records are written with these texts, in order."""

    def check(reading: FileReading) -> str:
        text = WRITABLE[form].write(hits(reading.records), **(options or {})).decode()
        return "" if re.search(".*?".join(map(re.escape, lines)), text, re.DOTALL) else text

    return check


def hits(records: Sequence[Record]) -> list[Hit]:
    """One of each record."""
    return [
        Hit(f"h{number:012x}", record, (record,), {"title": record.source})
        for number, record in enumerate(records)
    ]


def apart(count: int) -> Check:
    """`dedup` leaves so many works."""

    def check(reading: FileReading) -> str:
        dedup = OnlineDedup(DEFAULT)
        for record in reading.records:
            dedup.add(record)
        left = len(dedup.hits())
        return "" if left == count else f"{left} works are left"

    return check


def keeps(value: str) -> Check:
    """The value stands beside a record, or a problem quotes it."""

    def check(reading: FileReading) -> str:
        beside = [given for entry in reading.entries for given in entry.given]
        told = [problem.message for problem in reading.problems]
        is_there = any(value in text for _, text in beside) or any(value in text for text in told)
        return "" if is_there else f"beside {beside}, problems {told}"

    return check


def is_taken_by_nbib(reading: FileReading) -> str:
    """The library `nbib` reads what is written as NBIB."""
    try:
        import nbib
    except ImportError:
        return "the library nbib is not installed"
    text = WRITABLE["nbib"].write(hits(reading.records)).decode()
    try:
        found = nbib.read(text)
    except (ValueError, nbib.exceptions.UnknownTagFormat) as exc:
        return f"{type(exc).__name__}: {exc}"
    return "" if len(found) == len(reading.records) else text


def names(*people: str) -> dict[str, list[str]]:
    """These authors."""
    return {"authors": list(people)}


CASES: Mapping[str, Sequence[Check]] = {
    "bibtex-ads-journal-macros": [
        have({"venue": "Physical Review Letters"}, {"venue": "Astronomy and Astrophysics"})
    ],
    "bibtex-ads-macros-two": [
        have(
            {"venue": "Monthly Notices of the Royal Astronomical Society"},
            {"venue": "The Astrophysical Journal Supplement Series"},
        )
    ],
    "bibtex-brace-on-next-line": [
        have({"title": "pgf: create pictures"}, {"title": "Blank behind the at"})
    ],
    "bibtex-natural-order-to-ris": [
        writes("ris", "AU  - Falk, Greta\r", "AU  - Osei, Kofi A.\r", "AU  - van Hoven, Ludwig\r")
    ],
    "bibtex-year-in-press": [have({"year": None}), keeps("in press")],
    "cnki-refworks-a1-without-blank": [have(names("林小众") | {"type": "thesis", "year": 2015})],
    "editors-endnote": [
        have(names("Marin, Lia") | {"editors": ["Hallam, Peter", "Soss, David"]}),
        writes("endnote-xml", "<secondary-authors>", "Hallam, Peter"),
    ],
    "editors-of-books": [
        have(
            {"authors": [], "editors": ["Hancke, Bob", "Rhodes, Martin"]},
            {"authors": [], "editors": ["Falk, Greta"]},
            {"authors": [], "editors": ["Marin, Lia"]},
        ),
        *(
            writes("bibtex", f"editor = {{{editor}}}")
            for editor in ("Hancke, Bob and Rhodes, Martin", "Falk, Greta", "Marin, Lia")
        ),
    ],
    "editors-pubmed": [
        have(names("Marin, Lia") | {"editors": ["Adam, Margaret P", "Hallam, Peter"]})
    ],
    "marc-880": [
        have({"publisher": None, "title": "Feng zheng yu gang kou", "titles": ("风筝与港口",)})
    ],
    "marc-no-publisher": [have({"publisher": None}, {"publisher": None})],
    "names-japanese-korean": [
        have(
            names("佐々木, 小次郎", "山田, 太郎"),
            names("김, 민수", "남궁, 민"),
        )
    ],
    "names-suffix": [
        have(names("Cobb, Fields W., Jr.", "King, Martin Luther, III")),
        writes("ris", "AU  - Cobb, Fields W., Jr.\r", "AU  - King, Martin Luther, III\r"),
        writes("citations", "Cobb FW Jr, King ML 3rd", options={"style": "vancouver"}),
    ],
    "names-with-dates": [
        have(
            names("Verne, Jules", "Osei, Kofi", "Falk, Greta"),
            names("Levi, François Gaston"),
        )
    ],
    "names-with-dates-endnote": [
        have(names("Verne, Jules", "Falk, Greta") | {"editors": ["Marin, Lia"]})
    ],
    "nbib-for-other-readers": [is_taken_by_nbib],
    "noabstract-placeholder": [have(*3 * [{"abstract": None}]), apart(3)],
    "order-enw-digital-commons": [
        have(
            names("Falk, Greta")
            | {"title": "Tides and their tables", "year": 2019, "pages": "11-29"},
            names() | {"title": "Index of volume 7", "year": 2019, "pages": "90-91"},
            names("Osei, Kofi") | {"title": "Pilots of the estuary", "year": 2020, "pages": "1-10"},
        )
    ],
    "ovid-medlars-two-records": [
        have(
            names("Falk, G.", "Osei, K.")
            | {
                "year": 2019,
                "pages": "11-29",
                "issn": ("1234-5678",),
                "venue": "Journal of Harbours",
            },
            names("Marin, L.") | {"year": 2020, "volume": "8", "issue": "1", "pages": "1-10"},
        )
    ],
    "pages-pii": [have({"pages": "E1392", "doi": "10.3390/ijk12081392"})],
    "pages-with-words": [have({"pages": "37-64"}, {"pages": "12-15"}, {"pages": "E1392"})],
    "pubmed-efetch": [
        have(
            names("Falk, Greta", "Harbour Group")
            | {"title": "Kites over the estuary", "year": 2019, "ids": {"pmid": "31000001"}}
        )
    ],
    "ris-a1-and-au-order": [have(names("Gruber, Danko", "Bell, Leon", "Carm, Avi"))],
    "table-clinicaltrials": [
        have(
            {
                "title": "Kite Flying for Ankle Sprain",
                "url": "https://clinicaltrials.gov/study/NCT01234567",
                "abstract": "Summary text",
                "ids": {"nct": "NCT01234567"},
            }
        )
    ],
    "table-dimensions": [
        have(
            {
                "pages": "101-109",
                "keywords": ("Kites", "Wind"),
                "url": "https://app.dimensions.ai/details/publication/pub.1100000001",
            }
        )
    ],
    "table-embase-source": [
        have(
            {
                "venue": "Endoscopic Kites",
                "year": 2014,
                "volume": "3",
                "issue": "3",
                "pages": "152-160",
                "doi": "10.4103/2303-9027.138783",
            }
        )
    ],
    "table-google-scholar-library": [have({"venue": "Journal of Harbours"})],
    "table-publish-or-perish": [have(names("Falk, G", "Osei, KA"))],
    "table-springerlink": [
        have(
            {
                "title": "Kites over the estuary",
                "venue": "Journal of Harbours",
                "year": 2021,
                "doi": "10.1007/s00123-021-00055-1",
                "volume": "12",
                "issue": "3",
            },
            {"title": "Harbours in the wind", "venue": "Lecture Notes in Kites", "year": 2022},
        ),
        writes("table", "Greta Falk", "Kofi A. Osei"),
    ],
    "wos-unknown-tag": [have({"type": "article", "issue": "2", "publisher": "X Press"})],
    "year-literal": [have({"year": None}), keeps("in press")],
}


def outcomes(folder: Path) -> Iterator[Outcome]:
    """Of each case of the folder, in the order of their names."""
    for expected in sorted(folder.glob("*.expect")):
        if expected.stem.startswith("dedup-"):
            continue
        file = next(one for one in folder.glob(f"{expected.stem}.*") if one.suffix != ".expect")
        yield Outcome(expected.stem, _wrong(file))


def _wrong(file: Path) -> str:
    if file.stem not in CASES:
        return "this case has no right values here"
    reading = read_file(file)
    return "; ".join(filter(None, (check(reading) for check in CASES[file.stem])))


def main() -> int:
    """Print the outcome of each case; 1 where one is wrong."""
    folder, *wanted = sys.argv[1:]
    found = [one for one in outcomes(Path(folder)) if not wanted or one.name in wanted]
    for one in found:
        print(one.name, one.wrong[:400] or "right", sep="\t")
    print(f"{sum(not one.wrong for one in found)} of {len(found)} are right")
    return int(any(one.wrong for one in found))


if __name__ == "__main__":
    sys.exit(main())
