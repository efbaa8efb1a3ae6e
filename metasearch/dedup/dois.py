"""DOIs that name a version: Cochrane's ".pub3", Research Square's "/v2", figshare's ".v2"."""

from __future__ import annotations

import re

from metasearch.late_pattern import late_pattern

_VERSION = late_pattern(r"(?:\.pub|[./]v)(\d+)$")
_F1000_VERSION = late_pattern(r"(?<=\d)\.(\d+)$")
_F1000 = "10.12688/"


def without_version(doi: str) -> str:
    """The DOI without what names the version."""
    return _pattern(doi).sub("", doi)


def version_number(doi: str | None) -> str:
    """The number of the version that a DOI names, "" where it names none."""
    found = _pattern(doi).search(doi) if doi else None
    return found.group(1) if found else ""


# Registrants that have registered far more works than a name without a number could tell apart:
# each suffix has one.
_NUMBERED = frozenset(
    """
    10.1002 10.1007 10.1016 10.1017 10.1021 10.1038 10.1039 10.1046 10.1063 10.1080 10.1088 10.1093
    10.1097 10.1103 10.1109 10.1111 10.1136 10.1145 10.1155 10.1177 10.1186 10.1371 10.3389 10.3390
""".split()
)
# The first part of a suffix that goes on: an ISBN that has not all its digits, also behind a letter
# ("b978-0-12"); half of an ISSN, or a whole one and nothing more ("s0140", "j.1365-2133").
_HALF_ISBN = re.compile(r"[a-z]{0,4}97[89](?:-?\d){0,9}-?")
_ISSN_ONLY = re.compile(r"(?:s|j\.)\d{4}(?:-\d{3}[\dx])?")
#: Longer suffixes are not cut off at their first part.
LONGEST_FIRST_PART = 24


def names_nothing(doi: str) -> bool:
    """Whether a DOI was cut off at its first part: "10.1007/978", "10.1016/j"."""
    prefix, _, suffix = doi.partition("/")
    if len(suffix) > LONGEST_FIRST_PART:
        return False
    if _HALF_ISBN.fullmatch(suffix):
        return True
    if prefix not in _NUMBERED:
        return False
    return suffix.isascii() and (
        not any(map(str.isdecimal, suffix)) or _ISSN_ONLY.fullmatch(suffix) is not None
    )


def without_marks(doi: str) -> str:
    """A value equal for DOIs that differ in full stops and slashes, which databases confuse."""
    return doi.replace("/", ".")


def _pattern(doi: str) -> re.Pattern[str]:
    return _F1000_VERSION if doi.startswith(_F1000) else _VERSION
