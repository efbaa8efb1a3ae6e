"""Standards by their numbers: "GB/T 7714-2015", "ISO 8601-1:2019", "IEEE Std 802.11-2016"."""

from __future__ import annotations

import re
from typing import NamedTuple

from metasearch.bib import normalise
from metasearch.bib import normalise as unicode_forms
from metasearch.dedup.fingerprints import LONGEST_TITLE, Fingerprint
from metasearch.dedup.people import is_body
from metasearch.late_pattern import late_pattern
from metasearch.record import Record

_BODIES = (
    "ANSI ASTM BS CSA DIN DL EN GBT GBZ GB GJB HJ IEC IEEE ISO ITU JB JIS KS NF NISO NY QB SAE SN "
    "TR TS UNE UNI WS YY"
).split()
_ANY = "|".join(_BODIES)
_NUMBER = late_pattern(
    rf"(?<![A-Za-z0-9])(?P<body>(?:{_ANY})(?:[/ "
    rf"](?:(?:{_ANY}|T|Std|STD)(?![A-Za-z])|Z(?![A-Za-z0-9]))){{0,4}})\.?[ -]?"
    r"(?P<number>[A-Z]?\d{1,6}(?:\.\d{1,4}){0,4}(?:-\d{1,3}(?!\d)){0,3})"
    r"(?:\s?[:\-\u2010-\u2015]\s?(?P<year>(?:19|20)\d\d)(?!\d)(?:-\d\d(?!\d))?)?"
    r"(?:/(?P<more>(?:Amd|AMD|Cor|COR|AC|A) ?\.?\d{1,2})(?::\d{4})?)?"
)
# Before 1993 Chinese numbers had two digits of the year: "GB 7714-87".
_CHINESE_YEAR = late_pattern(r"-([5-9]\d)$")
_FIRST_WORDS = frozenset(body.lower() for body in _BODIES)
_BEGINNINGS = tuple(sorted(_FIRST_WORDS))
# What joins the name of a body and changes no number: recommended (T), guiding (Z), approved by,
# together with.
_NO_BODIES = frozenset(("T", "Z", "STD", "ANSI", "IEC"))
#: Types under which catalogues keep standards, too.
_LOOSE = (None, "other", "report", "book", "webpage")
#: Letters of a title that, with the year, names a standard.
SHORTEST_NAME = 12


class Standard(NamedTuple):
    """What names a standard.

    Attributes:
        number: Body and number, with part and amendment, "" where the record gives none: "ISO
            8601-1".
        year: In four digits: that of the number, else the record's; "" where there is none.
        name: The title without the number, compact.
        dated: Whether the number has the year.
        said: Whether the record is of that type; otherwise its title begins like that of a
            standard.
    """

    number: str
    year: str
    name: str
    dated: bool
    said: bool


def standard(fingerprint: Fingerprint) -> Standard | None:
    """What names the standard of a record, or None: at one look for nearly all records."""
    if fingerprint.record.type != "standard":
        first = fingerprint.words[0] if fingerprint.words else ""
        if first not in _FIRST_WORDS and not (
            first[-1:].isdecimal() and first.startswith(_BEGINNINGS)
        ):
            return None
    return fingerprint.once("standard", _read)


def _read(record: Record) -> Standard | None:
    title = _plain(record.title)
    if record.type != "standard":
        found = _NUMBER.match(title)
        if found is None or record.type not in _LOOSE or not all(map(is_body, record.authors)):
            return None
        return _standard(found, title, record, said=False)
    found = _NUMBER.search(title)
    if found is not None:
        return _standard(found, title, record, said=True)
    for value in (*record.ids.values(), record.venue or ""):
        found = _NUMBER.match(_plain(value))
        if found is not None:
            return _standard(found, "", record, said=True)._replace(name=normalise.compact(title))
    return Standard("", str(record.year or ""), normalise.compact(title), dated=False, said=True)


def _plain(text: str) -> str:
    text = text[:LONGEST_TITLE]
    return text if text.isascii() else unicode_forms.normalize("NFKC", text)


def _standard(found: re.Match[str], title: str, record: Record, *, said: bool) -> Standard:
    number, year = found["number"], found["year"]
    bodies = [
        {"GBT": "GB", "GBZ": "GB"}.get(name, name)
        for name in re.split("[/ ]", found["body"].upper())
    ]
    if bodies[0] == "GB" and year is None and (short := _CHINESE_YEAR.search(number)):
        number, year = number[: short.start()], f"19{short[1]}"
    kept = [name for name in bodies if name not in _NO_BODIES] or bodies[:1]
    more = normalise.compact(found["more"] or "")
    named = " ".join(filter(None, (*kept, number, more)))
    name = normalise.compact(f"{title[: found.start()]} {title[found.end() :]}")
    return Standard(named, year or str(record.year or ""), name, dated=year is not None, said=said)


def relation(a: Standard | None, b: Standard | None) -> bool | None:
    """Whether two records are of one standard, by number or name and year; None: unsaid."""
    if a is None or b is None:
        return None
    if a.number and b.number:
        if a.number != b.number:
            return False
        if a.dated and b.dated and a.year != b.year:
            return False
        if not a.year:
            return None
        # The title may be in any language, unless one of them is a standard only by what its title
        # begins with.
        named = (a.said and b.said) or not a.name or not b.name or a.name == b.name
        return True if a.year == b.year and named else None
    return (
        True
        if a.year and a.year == b.year and a.name == b.name and len(a.name) >= SHORTEST_NAME
        else None
    )
