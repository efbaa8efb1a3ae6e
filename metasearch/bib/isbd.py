"""ISBD's punctuation, as catalogues write it around titles, places and publishers: "Title /",
"Stockholm : Klockan, 1990"; and the converters of fields that have it (see converters.py).
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.bib.name_words import BODIES, BODIES_OR_NAMES, FIRMS
from metasearch.bib.names import means_others
from metasearch.bib.texts import first, plain_text, strings, without_placeholder
from metasearch.late_pattern import late_pattern

_RESPONSIBILITY = late_pattern(r"\s/\s+(?=\S*[^\W\d_]).*$", re.DOTALL)
_ISBD_MARKS = "/:;,="
_EACH_MARK = tuple(_ISBD_MARKS)
_NON_SORTING = late_pattern(r"<<\s*([^<>]*?)\s*>>|¬")
_ABBREVIATED = late_pattern(
    r"(?:\b\w{1,2}|\betc|\bvol|\bapprox|\baufl|\bausg|\.\.)\.$", re.IGNORECASE
)
#: Characters at a text's end in which an abbreviation would lie, and what stands before it.
_LONGEST_ABBREVIATED = 12
#: What the longer ones of them end with.
_ABBREVIATED_ENDS = frozenset({"etc", "vol", "rox", "ufl", "usg"})


def without_marks(found: Any) -> str | None:
    """Plain text without the ISBD punctuation that ends a MARC subfield ("Title /", "Place :").

    Marks around an article that does not sort ("<<Der>> Prozess", "¬Der¬ Prozess") are taken off
    too.
    """
    value = found if type(found) is str else first(found)
    if not value:
        return None
    if "<<" in value or "¬" in value:
        value = _NON_SORTING.sub(r"\1", value)
    value = plain_text(value)
    if value.endswith(_EACH_MARK):
        value = value.rstrip(_ISBD_MARKS).rstrip()
    if value.endswith(".") and not _is_abbreviated(value):
        value = value[:-1]
    if value.endswith(("]", ")")) or value.startswith("["):
        value = _without_half_a_bracket(value)
    return value.strip() or None


def _without_half_a_bracket(value: str) -> str:
    """Of "[London : Belfry Books]" and "(2nd : 2001 : Lund)" a subfield has one half."""
    if (value.endswith("]") and "[" not in value) or (value.endswith(")") and "(" not in value):
        return value[:-1]
    return value[1:] if value.startswith("[") and "]" not in value else value


def _is_abbreviated(value: str) -> bool:
    """Whether the stop at the end of a text belongs to an abbreviation, or to three stops."""
    last = value[-4:-1]
    of_a_word = len(last) == 3 and last.isascii() and last.isalnum()
    if of_a_word and last.lower() not in _ABBREVIATED_ENDS:  # as nearly always
        return False
    return _ABBREVIATED.search(value, max(len(value) - _LONGEST_ABBREVIATED, 0)) is not None


def title(found: Any) -> str | None:
    """Like `without_marks`, for a whole title statement: people responsible follow " / "."""
    value = without_marks(found)
    return without_marks(_RESPONSIBILITY.sub("", value)) if value and " / " in value else value


_PUBLICATION_DATE = late_pattern(r", ?(?:cop\. ?|[©cp])?\[?(?:1[4-9]|20)\d\d\??\]?$")


def publisher(found: Any) -> str | None:
    """The publisher of an ISBD imprint: "Stockholm ; Lund : Klockan, 1990" -> "Klockan".

    ISBD (4.2) puts " : " before the name of a publisher, and what stands before is where it is. A
    colon without a blank before it belongs to a name.
    """
    value = without_marks(found)
    if not value:
        return None
    if " : " in value:
        name = value.partition(" : ")[2].partition(" ; ")[0].partition(" : ")[0].strip()
        name = _PUBLICATION_DATE.sub("", name)
        return without_marks(without_placeholder("publisher", name))
    return value


#: What stands behind the first of several places.
_OTHER_PLACES = late_pattern(r"\s*\[([^\[\]]{1,20})\]")
#: A country or state behind a city: "Cambridge, Mass."
_REGION = late_pattern(r", [^\W\d_]{2,6}\.$")


def place(found: Any) -> str | None:
    """The place of an ISBD imprint, without the brackets around what cataloguers add: "[Lund?] :"
    -> "Lund".
    """
    value = plain_text(first(found) or "")
    if "[" in value:
        value = _OTHER_PLACES.sub(lambda hit: "" if means_others(hit[1]) else hit[0], value)
    value = value.replace("[", "").replace("]", "")
    if value.endswith((":.", ";.", ",.")):
        value = value[:-1]
    bare = value.rstrip(_ISBD_MARKS + " ?")
    if bare.endswith(".") and (bare != value or _REGION.search(bare, max(len(bare) - 9, 0))):
        return bare  # the stop is not the field's
    return without_marks(bare)


def texts(found: Any) -> tuple[str, ...]:
    """Like `without_marks`, for each string, each once."""
    return tuple(dict.fromkeys([v for s in strings(found) if (v := without_marks(s))]))


# The place of publication in the name of a publisher, as catalogues and people write both in one
# field: "北京: 中华书局", "New York : Wiley".

_PLACE = late_pattern(r"\[?([^:：]{1,60}?)\]?\s*[:：]\s*([^\s/:：].*)", re.DOTALL)
_WORD = late_pattern(r"\w+")
#: What the name of a publisher holds, and that of a place does not.
_FIRM_WORDS = (BODIES | BODIES_OR_NAMES | FIRMS) - {"center", "centre", "college", "union"} | {
    "books", "publisher", "publishers", "publishing", "verlag", "éditions", "editions", "editora",
    "editorial", "springer", "elsevier", "wiley", "doi", "isbn", "issn", "http", "https",
}  # fmt: skip
_FIRM_ENDINGS = ("出版社", "书局", "書局", "公司", "大学", "出版", "verlag")


def place_and_publisher(text: str) -> tuple[str, str]:
    """The place before a colon and the name behind the colon; ("", `text`) where no place stands
    there. `text`: on one line.

    >>> place_and_publisher("New York : Wiley"), place_and_publisher("CRC Press: Taylor & Francis")
    (('New York', 'Wiley'), ('', 'CRC Press: Taylor & Francis'))
    """
    hit = _PLACE.fullmatch(text)
    if hit is None:
        return "", text
    place, name = hit.groups()
    words = _WORD.findall(place.casefold())
    is_place = bool(words) and not any(word.isdecimal() for word in words)
    is_place = is_place and place.count("(") == place.count(")")  # "Mud S.A. (E-mail: a@b.org)"
    if not is_place or not _FIRM_WORDS.isdisjoint(words) or place.endswith(_FIRM_ENDINGS):
        return "", text
    return place.strip(), name.strip()
