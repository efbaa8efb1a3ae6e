"""One person's (or body's) written name -> an `Author`."""

from __future__ import annotations

import re

from metasearch.bib import identifier_forms
from metasearch.bib.fast_records import made_author
from metasearch.bib.names import words
from metasearch.bib.names.bodies import employed, is_body
from metasearch.bib.remembered import remembered
from metasearch.bib.texts import plain
from metasearch.late_pattern import late_pattern
from metasearch.record import Author

# A part of a body, behind the body: "Australia. Dept. of Communications, Information Technology and
# the Arts".
_UNIT = late_pattern(rf"\. (?:{'|'.join(sorted(words.UNITS)).title()})\b")
#: What stands behind the comma of a firm's name, and is no given name: "Apple Computer, Inc."
_FIRM = late_pattern(
    rf"(?:co\.?,? ?)?(?:{'|'.join(sorted(words.FIRMS_BEHIND_COMMA))})\.?", re.IGNORECASE
)
#: More words before a comma are no family name.
_MOST_FAMILY_WORDS = 4
_HAN_OR_HANGUL = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HOMONYM = late_pattern(r"\s\d{4}$")
#: An ORCID behind a name: OpenCitations' index writes "Byron, Ada, 0000-0002-1825-0097".
_NAME_ORCID = re.compile(
    r"(.+?),? \(?(?:orcid: ?)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\)?", re.IGNORECASE
)
# What DataCite's schema (appendix 3) has repositories write where no author is known: (:unav),
# (:unkn), (:tba) ...
_NOBODY = late_pattern(r"\(:(?:una[aclpsv]|unkn|none|null|tba|etal)\)", re.IGNORECASE)
#: Letters of the initials in "Smith JA".
_MOST_INITIALS = 5
_HONORIFICS = frozenset(word.capitalize() for word in words.HONORIFICS)


def person(
    name: str, family: str | None = None, given: str | None = None, orcid: str | None = None
) -> Author | None:
    """Return the author of what a source writes, or None where that names no author.

    "Family, Given" is turned round for display, also where the parts are given beside it, but not
    the name of a body (bodies.py). A plain "Given Family" is left as it is and not split, because
    the split is a guess (it is made when names are compared).
    """
    affiliation: str | None = None
    family = plain(family) if family else None
    given = plain(given) if given else None
    name = plain(name) if name else ""
    if "-" in name[-6:] and (both := _NAME_ORCID.fullmatch(name)):
        name, orcid = both[1], orcid or both[2]
    if "," in name and not family and not given:
        left, right = _around_comma(name)
        if _may_be_inverted(left, right):
            if not is_body(left, right):
                family, given, name = left, right, ""
            elif (parts := employed(left, right)) is not None:
                family, name = left, ""
                given, affiliation = parts
    elif family and given and name.startswith(f"{family},"):
        name = ""
    if name and _names_nobody(name):
        return None
    if not name:
        name = displayed(given or "", family or "")
    known = identifier_forms.orcid(orcid) if orcid else None
    return (
        made_author(name, family or None, given or None, known, affiliation)
        if name.strip()
        else None
    )


#: `person` of a name alone.
of_name = remembered(person)


def _around_comma(name: str) -> tuple[str, str]:
    """What stands before the first comma and behind it, without "Jr." and the like."""
    left, _, right = name.partition(",")
    if "," not in right:
        right = right.strip()
        return left.strip(), "" if words.is_suffix(right) else right
    parts = [part.strip() for part in right.split(",")]
    return left.strip(), ", ".join([part for part in parts if part and not words.is_suffix(part)])


def _may_be_inverted(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" may be "Family, Given" by its form; bodies.py judges its words."""
    if not left or not right or left.count(" ") >= _MOST_FAMILY_WORDS:
        return False
    return not _FIRM.fullmatch(right) and not (". " in left and _UNIT.search(left))


def _names_nobody(name: str) -> bool:
    """Whether a source wrote "et al.", a code for "unknown" or bare marks instead of a name."""
    if name.startswith("(:") and _NOBODY.match(name):
        return True
    if words.means_others(name):
        return True
    # arXiv puts a ":" behind a collaboration's name, as an author.
    return len(name) < 3 and not any(map(str.isalnum, name))


def displayed(given: str, family: str) -> str:
    """Return the whole name: "Ada Byron", but "王征", family first and without a blank, where both
    parts are Han or Hangul.
    """
    if (
        not family.isascii()
        and _HAN_OR_HANGUL.fullmatch(family)
        and _HAN_OR_HANGUL.fullmatch(given)
    ):
        return family + given
    return f"{given} {family}".strip()


def initials_last(name: str) -> Author | None:
    """Read "Smith JA" or "Smith J.A." as family name Smith with initials as given names.

    Any other form, "Smith, Jo A" too, is read as `person` reads it.
    """
    head, _, tail = name.rpartition(" ")
    if not head or "," in head or ("." in tail and "." in head):  # "Smith J. A." has two blanks
        return person(name)
    letters = tail.replace("-", "").replace(".", "")
    if tail.isupper() and letters.isalpha() and len(letters) <= _MOST_INITIALS:
        return person("", head, tail)
    return person(name)


def without_degrees(name: str) -> str:
    """Return a name without the degrees behind it: "Ada Byron, MD, PhD" -> "Ada Byron"."""
    head, *rest = [part.strip() for part in name.split(",")]
    if not rest or " " not in head:
        return name
    return head if all(_is_degree(part) for part in rest if part) else name


def _is_degree(part: str) -> bool:
    """Whether a part is "MD", "Ph.D." or "Prof. Dr. med.": a given name has one capital."""
    parts = part.split()
    if len(parts) > 3 or len(part) > 30:
        return False
    return sum(map(str.isupper, parts[0])) >= 2 or parts[0].rstrip(".") in _HONORIFICS


def without_homonym(name: str) -> str:
    """A name of DBLP without its number for homonyms: "Wei Wang 0001" -> "Wei Wang"."""
    return _HOMONYM.sub("", name)
