"""Reads a catalogue that somebody gives to the demo: a work a line, as in catalogue.jsonl.

Whatever the file holds, it becomes works that every simulated database can tell, or one error.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from metasearch import regular_files
from metasearch.bib import identifiers, notices
from metasearch.bib.languages import language_code
from metasearch.demo.catalogue import CatalogueWork
from metasearch.errors import FileFormatError

MAX_BYTES = 64_000_000
MAX_WORKS = 200_000
#: Bytes of a work.
MAX_LINE = 1_000_000

_ADVICE = (
    'Write one JSON object a line, for example {"title": "Deep learning", '
    '"authors": [["LeCun", "Yann"]], "year": 2015}; docs/cli.md names the keys.'
)
#: What the databases need and a work may lack.
_UNKNOWN = CatalogueWork("", "", "other", "", (), 0, "")
_LISTS = frozenset({"authors", "issn", "isbn", "keywords", "funders", "notices"})
#: Characters that no answer in XML may hold.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_DOI_PREFIX = re.compile(r"^(https?://(dx\.)?doi\.org/|doi:\s*)")
#: How identifiers are compared; a text that is none stays as it is.
_FORMS: Mapping[str, Callable[[str], str]] = {
    "doi": lambda text: _DOI_PREFIX.sub("", text.lower()),
    "arxiv": lambda text: identifiers.arxiv_id(text) or text,
    "isbn": lambda text: identifiers.isbn(text) or text.replace("-", ""),
    "issn": lambda text: identifiers.issn(text) or text,
    "language": lambda text: language_code(text) or text.lower(),
}


def read_catalogue(path: Path) -> tuple[CatalogueWork, ...]:
    """Its works, in their order. Raises FileFormatError: with the first line that is wrong."""
    try:
        lines = regular_files.read(path, MAX_BYTES).removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as exc:
        advice = "Name a catalogue that can be read."
        raise FileFormatError(str(path), regular_files.why(exc), advice=advice) from exc
    works: dict[str, CatalogueWork] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            work = _work(line, number)
            if work.id in works:
                raise ValueError(f"its id is that of line {works[work.id].number}")
            if len(works) == MAX_WORKS:
                raise ValueError(f"there are more than {MAX_WORKS:,} works")
        except ValueError as exc:
            raise FileFormatError(str(path), f"line {number}: {exc}", advice=_ADVICE) from None
        works[work.id] = work
    if not works:
        raise FileFormatError(str(path), "there is no work in it", advice=_ADVICE)
    return tuple(works.values())


def _work(line: bytes, number: int) -> CatalogueWork:
    """The work of a line. Raises ValueError: with what is wrong."""
    if len(line) > MAX_LINE:
        raise ValueError(f"it is longer than {MAX_LINE:,} bytes")
    try:
        facts = orjson.loads(line)
    except orjson.JSONDecodeError as exc:
        raise ValueError(f"it is no JSON at character {exc.colno}: {exc.msg}") from None
    if not isinstance(facts, dict):
        raise ValueError("it is no JSON object")
    known: dict[str, Any] = {
        name: _value(name, facts[name])
        for name in CatalogueWork._fields
        if facts.get(name) is not None and name != "number"
    }
    work = _UNKNOWN._replace(**known, number=number)
    if not work.title:
        raise ValueError("the work has no title")
    year = work.year or int((work.date or work.posted)[:4] or 0)
    return work._replace(id=work.id or f"line-{number}", year=year)


def _value(name: str, value: object) -> object:
    """A fact as the databases need it. Raises ValueError: it is of another kind."""
    if name == "year":
        if type(value) is int and 0 <= value <= 9999:  # True is none
            return value
        raise ValueError('"year" is no whole number from 0 to 9999')
    if name in _LISTS:
        if not isinstance(value, list):
            raise ValueError(f'"{name}" is no list')
        return tuple(map(_author, value) if name == "authors" else (_text(name, x) for x in value))
    text = _text(name, value)
    if name in ("date", "posted") and text and _DATE.fullmatch(text) is None:
        raise ValueError(f'"{name}" is no date such as 2020, 2020-03 or 2020-03-31')
    return text


def _author(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or not 1 <= len(value) <= 2:
        raise ValueError('"authors" is no list of [family, given]')
    family, given = [*(_text("authors", name) for name in value), ""][:2]
    return family, given


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f'"{name}" is no text')
    text = " ".join(html.unescape(value).split())
    if name == "notices" and notices.read(text) is None:
        raise ValueError('"notices" holds none such as "retraction 2020-06-04 10.1000/x"')
    if _CONTROL.search(text):
        raise ValueError(f'"{name}" holds control characters')
    return _FORMS[name](text) if name in _FORMS else text
