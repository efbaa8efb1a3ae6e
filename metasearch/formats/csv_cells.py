"""What one cell of a table holds beside plain text: a list or an object as Python, R or JSON write
it, and what some databases write in one cell that others have several columns for.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from metasearch.bib import converters
from metasearch.formats import ovid
from metasearch.formats.reading import values
from metasearch.late_pattern import late_pattern

# The text of a list or an object: "['Falk, G.', 'Osei, K.']" of Python, 'c("Falk, G.")' of R,
# '[{"name": "Gunnar Falk"}]' of JSON. Texts in it stand in quotes, so that a title in brackets is
# none: "[Iron in lakes]".

#: Characters of a cell that are read so, and levels of brackets in it.
_LONGEST, _DEEPEST = 200_000, 12
_BEGINNINGS = ("[", "{", "('", '("', "c(", "list(")
#: A list of no texts, as R writes it.
_EMPTY = "character(0)"
_TOKEN = late_pattern(
    r"""\s*(?:(?P<open>(?:c|list)?\(|[\[{])|(?P<close>[\])}])|(?P<mark>[,:=])"""
    r"""|[urb]?(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<number>-?\d[\d.eE+-]{0,40}(?![^\s,\])}])|None|null|NULL|NA(?:_character_)?|nan|NaN"""
    r"""|[Tt]rue|TRUE|[Ff]alse|FALSE)|(?P<name>[A-Za-z_][\w.]{0,60}(?=\s{0,9}=)))\s*""",
    re.DOTALL,
)
_ESCAPE = late_pattern(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": " ", "r": "\n"}
_TRUTH = {"true": True, "false": False}


def value_in(cell: str) -> list[Any] | dict[str, Any] | None:
    """The list or object that a cell holds as text; None where it holds another text."""
    if cell == _EMPTY:
        return []
    if cell[-1:] not in ("]", "}", ")") or not cell.startswith(_BEGINNINGS):
        return None
    if len(cell) > _LONGEST:
        return None
    # What is open, from without to within: the items so far, and the name of the next one.
    within: list[tuple[list[tuple[str, Any]], str]] = []
    found: Any = None
    at, name, behind = 0, "", False
    items: list[tuple[str, Any]] = []
    while at < len(cell):
        if (hit := _TOKEN.match(cell, at)) is None or (at and not within):
            return None
        at = hit.end()
        if hit["open"]:
            within.append((items, name))
            items, name, behind = [], "", False
            if len(within) > _DEEPEST:
                return None
        elif hit["close"]:
            found = dict(items) if any(key for key, _ in items) else [one for _, one in items]
            items, name = within.pop()
            items.append((name, found))
            name, behind = "", True
        elif mark := hit["mark"]:
            if mark != "," and behind:
                name = str(items.pop()[1])
            behind = False
        elif hit["name"]:
            items.append(("", hit["name"]))
            behind = True
        else:
            items.append((name, _scalar(hit["text"], hit["number"] or "")))
            name, behind = "", True
    return found if not within else None


def _scalar(text: str | None, word: str) -> Any:
    if text is not None:
        bare = text[1:-1]
        return _ESCAPE.sub(_unescape, bare) if "\\" in bare else bare
    if word[:1] in "-0123456789":
        return word
    return _TRUTH.get(word.lower())


def _unescape(hit: re.Match[str]) -> str:
    code = hit[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)


def holds_object(value: Any) -> bool:
    """Whether a value is an object, or a list of some."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
    )


# A value of a table of strangers as the text that the reader of CSV takes.

#: Names that a table may have for the whole name of a person or a journal, or for an address.
_WHOLE = ("name", "full_name", "fullname", "display_name", "literal", "author", "url")
_FAMILY = ("family", "last", "last_name", "lastname", "surname", "family_name")
_GIVEN = ("given", "first", "first_name", "firstname", "given_name", "forename")


def text_of(value: Any) -> str:
    """The text of a cell; "" for nothing. Lists are joined by semicolons, people are written
    "Family, Given", other tables as "key:value".
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, list):
        items = (text_of(item).replace(";", ",") for item in value)
        return "; ".join(item for item in items if item)
    if isinstance(value, Mapping):
        return _of_table(value)
    return ""


def _of_table(value: Mapping[str, Any]) -> str:
    family, given, whole = (_first(value, names) for names in (_FAMILY, _GIVEN, _WHOLE))
    if family or whole:
        return ", ".join(filter(None, (family, given))) if family else whole
    pairs = ((key, text_of(item).replace(";", ",")) for key, item in value.items())
    return "; ".join(f"{key}:{item}" for key, item in pairs if item)


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = (value.get(name) for name in names)
    return next((text for text in found if isinstance(text, str) and text), "")


# Citations in one cell: Embase's "J Mud (2014) 3:2 (152-160). Date of Publication: 1 Mar 2014" and
# Ovid's "Journal of Mud. 12(3):101-9, 2019 Mar 12.".

#: Characters of a citation that are looked at.
_LONGEST_CITATION = 1_000


class Citation(NamedTuple):
    """Where a work stands, as one cell has it; "" for what it does not say."""

    venue: str
    year: str
    volume: str = ""
    issue: str = ""
    pages: str = ""
    date: str = ""


_EMBASE = re.compile(
    r"(?P<venue>\S.{0,300}?),?\s{0,3}\((?P<year>(?:1[89]|20)\d\d)\)"
    r"(?:\s(?P<volume>[^\s:().;,]{1,20})(?: (?P<supplement>Suppl[a-z.]{0,8}(?: \w{1,5})?))?)?"
    r"(?:(?:\s?:\s?(?P<issue>[^:()]{1,40}?))?\s?\((?P<pages>[^()]{1,60})\)"
    r"|(?:\s?:\s?(?P<number>[^\s:();,]{1,40}))?)(?=[\s.;,]|\Z)"
)
_ARTICLE = re.compile(r"\bArticle Number: ([\w.-]{1,40}?)\.?(?=\s|\Z)")
_DATE = re.compile(r"\bDate of Publication: (?:(\d{1,2}) )?(?:([A-Z][a-z]{2,8})\.? )?(\d{4})\b")


def citation(cell: str) -> Citation | None:
    """None where the cell is none."""
    cell = " ".join(cell[:_LONGEST_CITATION].split())
    if hit := _EMBASE.match(cell):
        rest = cell[hit.end() :]
        dated, article = _DATE.search(rest), _ARTICLE.search(rest)
        date = converters.date([part for part in dated.group(3, 2, 1) if part]) if dated else None
        said = {name: found or "" for name, found in hit.groupdict().items()}
        # A name with a year in it, and nothing behind: "Works of the meeting (2014)".
        if not rest.strip(" .") and not any(hit.group("volume", "pages", "number")):
            return None
        return Citation(
            _without_stop(said["venue"]),
            said["year"],
            said["volume"],
            said["issue"] or said["number"].rstrip(".") or said["supplement"],
            said["pages"] or (article[1] if article else ""),
            date or "",
        )
    of_ovid = ovid.source(cell)
    if not (of_ovid.volume and of_ovid.pages and of_ovid.year):
        return None  # the name of a journal may look like one that has less
    date = values.date([of_ovid.date], int(of_ovid.year)) or ""
    return Citation(of_ovid.venue, of_ovid.year, of_ovid.volume, of_ovid.issue, of_ovid.pages, date)


def _without_stop(venue: str) -> str:
    """Without the stop that ends it, unless it is of an abbreviation, as others before it are."""
    bare = venue.removesuffix(".")
    return venue if "." in bare else bare


#: Fields of a query that are looked at.
_FIELDS = 40


def of_open_url(link: str) -> dict[str, str]:
    """What the query of a link resolver says of the work: "doi" and "issn"."""
    try:
        query = parse_qs(urlsplit(link[: 10 * _LONGEST_CITATION]).query, max_num_fields=_FIELDS)
    except ValueError:  # more fields, or no address at all
        return {}
    found = {}
    for name in ("id", "rft_id", "rft.id"):
        for value in query.get(name, ()):
            scheme, _, number = value.removeprefix("info:").replace("/", ":", 1).partition(":")
            if value.startswith("doi:"):
                found["doi"] = value[4:]
            elif value.startswith("info:") and scheme == "doi":
                found["doi"] = number
    for name in ("doi", "issn", "rft.issn"):
        if value := next(iter(query.get(name, ())), ""):
            found.setdefault(name.removeprefix("rft."), value)
    return found


# SpringerLink writes the names of authors without anything between them: "Eva MüllerJan van
# DiekenX. Li". They are parted where a capital follows a small letter or a stop, if what stands on
# both sides is a whole name: not within McDonald, and not between initials.

_JOINT = re.compile(r"(?:(?<=[^\W\d_])|(?<=[^\W\d_]{2}[.)]))(?=[^\W\d_])")
#: Characters of a name that another one follows.
_LONGEST_CITATION_NAME = 300
#: Beginnings of family names behind which a capital follows.
_NAME_BEGINNINGS = frozenset(
    "Mc Mac De Del Della Des Di Da Dal Du La Las Le Les Lo Los Van Von Ver Vander Fitz St El Al "
    "Ben Ab Abu Ap Ter Ten Te Jo".split()
)
_GENERATIONS = frozenset(("Jr.", "Sr.", "Ph.D.", "PhD."))


def names_apart(cell: str) -> list[str]:
    """The names of a cell of SpringerLink, one by one."""
    joints = [
        at
        for hit in _JOINT.finditer(cell)
        if cell[(at := hit.start())].isupper() and cell[at - 2 : at].rstrip(".)")[-1:].islower()
    ]
    names, start = [], 0
    for joint, end in pairwise([*joints, len(cell)]):
        if joint - start > _LONGEST_CITATION_NAME:
            continue
        before, behind = cell[start:joint], cell[joint : min(end, joint + _LONGEST_CITATION_NAME)]
        if _is_name(before, is_first=True) and _is_name(behind, is_first=False):
            names.append(before.strip())
            start = joint
    return [*names, cell[start:].strip()]


def _is_name(text: str, *, is_first: bool) -> bool:
    """Whether a text is a name of several words. `is_first`: it must end as one, too."""
    words = text.split(maxsplit=12)
    if len(words) < 2 or not is_first:
        return len(words) > 1
    last = words[-1]
    return last in _GENERATIONS or (
        last not in _NAME_BEGINNINGS and len(last) > 1 and last[-1].islower() and last[0] != "("
    )


# Embase's terms in one cell: "article, harbour (diagnosis, surgery), human".


def terms(cell: str) -> list[str]:
    """The terms, each with its subheadings."""
    found, depth, start = [], 0, 0
    for hit in _MARKS.finditer(cell):
        mark, at = hit[0], hit.start()
        if mark in "()":
            depth = depth + 1 if mark == "(" else max(0, depth - 1)
        elif mark == ";" or not depth:
            found.append(cell[start:at].strip())
            start = at + 1
    return [*found, cell[start:].strip()]


_MARKS = re.compile(r"[();]|,(?=\s)")
