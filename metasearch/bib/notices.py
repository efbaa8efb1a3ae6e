"""Notices about a work, such as its retraction, in one closed form: `KIND [DATE] [LINK]`.

KIND is one of `KINDS`, DATE is ISO 8601 with the precision that is known, and LINK a DOI,
"pmid:123" or an address: "retraction 2020-06-04 10.1000/x". The words of databases are read into
that form, and so is the form itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from metasearch.bib import identifiers
from metasearch.late_pattern import late_pattern

KINDS = ("retraction", "withdrawal", "concern", "correction")
#: Those by which a work is retracted.
OF_RETRACTION = frozenset({"retraction", "withdrawal"})
#: A partial retraction leaves the work in place, as a correction does.
_WORDS = {
    "retraction": "retraction", "retractedandrepublished": "retraction",
    "withdrawal": "withdrawal", "removal": "withdrawal",
    "concern": "concern", "expressionofconcern": "concern",
    "correction": "correction", "corrigendum": "correction", "erratum": "correction",
    "correctedandrepublished": "correction", "partialretraction": "correction",
}  # fmt: skip
#: "RetractionIn", "Expression of concern in", "partial_retraction"; of "Retraction of" the record
#: itself is the notice.
_KIND = late_pattern(
    r"\s*(retraction|withdrawal|removal|(?:expression[ _]?of[ _]?)?concern|correction|corrigendum"
    r"|erratum|partial[ _]?retraction|(?:corrected|retracted)[ _]?and[ _]?republished)"
    r"(?:[ _]?in)?(?![^\W\d_])(?! ?(?:of|for|from|to)\b)",
    re.IGNORECASE,
)
_DATE = late_pattern(
    r"(?<![\d.-])(1[89]\d\d|20\d\d)(?!\d)"
    r"(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?(?!\d)"
    r"| ([A-Z][a-z]{2})\b(?: (0?[1-9]|[12]\d|3[01])\b)?)?"
)
_MONTHS = {
    name: f"{number:02}"
    for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}
_LINK = late_pattern(r"https?://\S+|\bpmid:\d{1,9}\b")
_FIRST_LINK = late_pattern(r"\b10\.\d{4}|https?:|pmid:")
#: Characters that are read of a text.
_LONGEST = 5_000


class Notice(NamedTuple):
    """A notice about a work. `kind`: one of `KINDS`. `date`, `link`: "" where they are unknown."""

    kind: str
    date: str = ""
    link: str = ""

    def __str__(self) -> str:
        """In the closed form."""
        return " ".join(filter(None, self))


def read(text: str) -> Notice | None:
    """The notice of a text in the closed form, or in the words of a database; None of other kinds:
    new versions, comments.
    """
    text = text[:_LONGEST]
    begin = _KIND.match(text)
    if begin is None:
        return None
    rest = text[begin.end() :]
    link = identifiers.doi(rest)
    if link is None and (found := _LINK.search(rest)):
        link = found[0] if found[0].startswith("pmid:") else identifiers.web_url(found[0])
    kind = _WORDS["".join(filter(str.isalpha, begin[1].lower()))]
    return Notice(kind, _date(_FIRST_LINK.split(rest, 1)[0]), link or "")


def _date(text: str) -> str:
    """Of "2020-06-04", or of "Trials of 2019. 2020 Jun 4;29(3):1", where volumes follow."""
    *_, found = (None, *_DATE.finditer(text.partition(";")[0]))
    if found is None:
        return ""
    year, month, day, name, day_of_name = found.groups()
    month, day = month or _MONTHS.get(name), day or (day_of_name and day_of_name.zfill(2))
    return "-".join(filter(None, (year, month, month and day)))


def texts(found: Any) -> tuple[str, ...]:
    """A converter: the closed form of each notice that was found, each once. A notice is a text, a
    list of its parts, or an element of PubMed or Europe PMC.
    """
    listed = found if isinstance(found, list) else [found]
    known = (read(_words(each)) for each in listed)
    return tuple(dict.fromkeys(str(notice) for notice in known if notice))


def _words(found: Any) -> str:
    """One text of a notice; a part that is nothing but digits is a PMID, a list a date."""
    if isinstance(found, str):
        return found
    if not isinstance(found, list):
        if not hasattr(found, "findtext"):
            return ""
        parts = ("type", "RefSource", "reference", "id", "PMID")
        found = [found.get("RefType"), *map(found.findtext, parts)]
    return " ".join(_part(each) for each in found if each)


def _part(found: Any) -> str:
    if isinstance(found, list):
        return "-".join(f"{number:02}" for number in found[:3] if type(number) is int)
    text = found.strip() if isinstance(found, str) else ""
    return f"pmid:{text}" if text.isascii() and text.isdigit() else text


def each_once(said: Iterable[tuple[str, Any]]) -> Iterator[tuple[Notice, Any]]:
    """The notices of (text, who has it), gravest first, each with who has it first. Databases
    name one notice by DOI or PMID and date it in print or online: those of a kind are one where
    their links are equal, or one has no DOI and their years do not differ.
    """
    known = [(notice, who) for text, who in said if (notice := read(text))]
    # That with a DOI and a whole date tells most.
    known.sort(
        key=lambda pair: (
            KINDS.index(pair[0].kind),
            not pair[0].link.startswith("10."),
            -len(pair[0].date),
        )
    )
    told: list[Notice] = []
    for notice, who in known:
        if not any(_is_one(notice, other) for other in told):
            told.append(notice)
            yield notice, who


def _is_one(a: Notice, b: Notice) -> bool:
    if a.kind != b.kind:
        return False
    if a.link == b.link:
        return bool(a.link) or a.date[:4] == b.date[:4]
    if a.link.startswith("10.") and b.link.startswith("10."):
        return False
    return not (a.date and b.date) or a.date[:4] == b.date[:4]
