"""Whether the selectors of an envelope of MARC records look into these records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metasearch.adapters.select.xpath import alternatives

_NAME = r"[A-Za-z_][\w.-]*"
_NAMES = rf"\[local-name\(\)='{_NAME}'(?: or local-name\(\)='{_NAME}')*\]"
_STEP = re.compile(
    rf"(?P<axis>//?)(?P<deep>descendant-or-self::)?(?:\*(?P<names>{_NAMES})?|(?:{_NAME}:)?(?P<name>{_NAME}))"
    r"(?:\[1\]|\[position\(\) <= [0-9]+\]|(?P<empty>\[not\(\*\)\]))*"
)
_NAMED = re.compile(rf"'({_NAME})'")
#: The elements of a MARC record, which a page without the inside of its records does not have.
_INSIDE = frozenset({"leader", "controlfield", "datafield", "subfield"})
_RECORD = "record"
#: What tells MARC 21 and UNIMARC apart, at the end of `when`: a data field with this tag.
_FIELD = re.compile(r"//\*\[local-name\(\)='datafield'\]\[@tag='([0-9]{3}[^'<&]?)'\]")


def told_by(parse: Mapping[str, Any]) -> str | None:
    """The tag of the data field by which a shape's `when` tells that a body is of this shape, where
    no selector of the envelope looks at anything else that is in a record; "" where `when` does not
    look there either, and None where one of them may.
    """
    if any(parse.get(key) for key in ("next", "warning", "bare")):
        return None
    when = str(parse.get("when") or "")
    field = _FIELD.search(when)
    region = when[: field.start()] if field else when
    if field and field.end() < len(when):
        return None
    if region.startswith("(") and region.endswith(")"):
        region = region[1:-1]
    paths = [region, *(str(parse.get(key) or "") for key in ("records", "total", "unescape"))]
    if not all(_stays_outside(path) for path in paths if path):
        return None
    return field[1] if field else ""


def _stays_outside(expression: str) -> bool:
    """Whether an expression finds the same elements whatever is in the MARC records of a page."""
    return all(_path_stays_outside(path.strip()) for path in alternatives(expression))


def _path_stays_outside(path: str) -> bool:
    at, above = 0, {_RECORD}  # what is above the first step is not known
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return False
        names = set(_NAMED.findall(step["names"])) if step["names"] else {step["name"]} - {None}
        if names & _INSIDE:
            return False
        if not names and (_RECORD in above or step["deep"] or step["axis"] == "//"):
            return False
        if step["empty"] and (not names or _RECORD in names):
            return False
        at, above = step.end(), names or {_RECORD}
    return at > 0
