"""What each format that we write and read does not keep: the table that the tests of round trips
use, and that stands in docs/exports.md.

    python -m tests.formats.losses

writes the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exports.md"
#: The line before the table; a blank line ends it.
HEAD = "| what a record says | does not come back from |"

#: What a record says -> in words for the page.
WORDS: Mapping[str, str] = {
    "subtitle": "that a part of the title is the subtitle",
    "title_languages": "which title is the original and which a translation",
    "titles": "titles beside the original and the translated one",
    "orcid": "ORCIDs",
    "collective": "that an author is a body",
    "affiliation": "affiliations",
    "institution": "the university of a thesis, apart from its publisher",
    "subjects": "which keywords are subject headings",
    "version": "the version",
    "licence": "the licence",
    "retracted": "that the work was retracted",
    "citations": "the number of citations",
    "open_access": "the colour of open access",
    "pdf_url": "the address of the PDF",
    "funders": "the funders",
    "notices": "the notices about the work",
}
_SHARED = frozenset(
    "subtitle title_languages affiliation collective institution subjects version citations "
    "open_access licence notices".split()
)
_MARC = frozenset({"version", "citations", "funders", "notices"})
#: Format -> what is lost of a record in it.
LOST: Mapping[str, frozenset[str]] = {
    "json": frozenset(),
    "ndjson": frozenset(),
    "parquet": frozenset(),
    "csv": frozenset({"titles", "orcid", "affiliation", "collective"}),
    "xlsx": frozenset({"titles", "orcid", "affiliation", "collective"}),
    "marc": _MARC,
    "marcxml": _MARC,
    "mods": _MARC | {"open_access"},
    "csl-json": _SHARED - {"version", "licence"} | {"pdf_url"},
    "nbib": _SHARED - {"affiliation", "collective", "subjects"} | {"funders"},
    "ris": _SHARED | {"orcid", "titles"},
    "bibtex": _SHARED - {"institution", "version"} | {"orcid", "pdf_url", "titles"},
    "endnote-xml": _SHARED | {"orcid", "funders"},
    "endnote-tagged": _SHARED | {"orcid", "funders"},
    "refworks": _SHARED | {"orcid", "pdf_url", "funders"},
    "noteexpress": _SHARED | {"orcid", "pdf_url", "funders"},
}


def table() -> str:
    """The table of the page; what is lost in the same formats shares a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for field, word in WORDS.items():
        formats = tuple(f"`{name}`" for name, lost in LOST.items() if field in lost)
        if formats:
            rows.setdefault(formats, []).append(word)
    lines = [HEAD, "| --- | --- |"]
    lines += [f"| {'; '.join(words)} | {', '.join(names)} |" for names, words in rows.items()]
    return "\n".join(lines)


def page() -> str:
    """docs/exports.md with the table as it should be."""
    before, head, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    _, _, after = (head + rest).partition("\n\n")
    return f"{before}{table()}\n\n{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
