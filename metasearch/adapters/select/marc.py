"""Selectors for MARC 21 in the words that librarians use: `245$a`, `008/35-37`, `024[$2=doi]$a`.

    245$a            subfield a of every field 245
    245$anp          subfields a, n, p in the order of the record, joined by a blank
    100|110|111$a    the same of several fields, tag by tag
    001              a control field
    008/35-37        characters 35 to 37, counted from 0 as in the MARC documentation; LDR/6-7 of the leader
    024[$2=doi]$a    only fields whose subfield 2 is "doi"; [$t=] only those without a $t, [$t!=] only those with one
    856[2=1]$u       only fields whose second indicator is "1"
    773[LDR/7=ab]$t  only in records whose leader has one of these characters there
    100|700          the fields themselves, for `each`; inside, `$a` selects from the field

A record is walked once, and the subfields of a field are read when they are first asked for: most fields of a
catalogue record are never looked at.
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.adapters.spec import Selector


class MarcField:
    """A data field: tag, both indicators, and the subfields in order."""

    __slots__ = ("_element", "_subfields", "tag")

    def __init__(self, tag: str, element: Any) -> None:
        self.tag = tag
        self._element = element
        self._subfields: list[tuple[str, str]] | None = None

    @property
    def ind1(self) -> str:
        """The first indicator; a blank where there is none."""
        return self._element.get("ind1") or " "

    @property
    def ind2(self) -> str:
        """The second indicator."""
        return self._element.get("ind2") or " "

    @property
    def subfields(self) -> list[tuple[str, str]]:
        """Code and text of each subfield that has a text."""
        if self._subfields is None:
            self._subfields = [
                (code, text)
                for sub in self._element
                if (code := sub.get("code")) and (text := (sub.text or "").strip())
            ]
        return self._subfields

    def text(self, codes: str) -> str:
        """The subfields with these codes, in the record's order, joined by a blank."""
        subfields = self._subfields
        if subfields is None:
            subfields = self.subfields
        return " ".join([text for code, text in subfields if code in codes])


class MarcRecord:
    """A MARC record as the selectors see it: leader, control fields and data fields by tag."""

    __slots__ = ("_fields", "control", "leader", "tags", "there")

    def __init__(self, element: Any) -> None:
        self.leader = ""
        self.control: dict[str, list[str]] = {}
        #: The elements of the data fields.
        self.tags: dict[str, list[Any]] = {}
        self._fields: dict[str, list[MarcField]] = {}
        tags = self.tags
        for child in _marc_element(element):
            kind = child.tag[-9:]
            if kind == "datafield":
                tag = child.get("tag", "")
                if tag in tags:
                    tags[tag].append(child)
                else:
                    tags[tag] = [child]
            elif kind == "trolfield":
                self.control.setdefault(child.get("tag", ""), []).append(child.text or "")
            elif kind.endswith("leader"):
                self.leader = child.text or ""
        #: What is there of both kinds of field, by tag.
        self.there: dict[str, list[Any]] = {**self.control, **tags}

    def fields(self, tag: str) -> list[MarcField]:
        """The data fields with this tag, in order."""
        found = self._fields.get(tag)
        if found is None:
            found = self._fields[tag] = [MarcField(tag, element) for element in self.tags.get(tag, ())]
        return found


def _marc_element(node: Any) -> Any:
    """The element whose children are MARC fields: the node itself, or the first one inside its wrapping."""
    for element in node.iterdescendants():
        if element.tag.endswith(("leader", "controlfield", "datafield")):
            return element.getparent()
    return node


_SELECTOR = re.compile(
    r"""(?P<tags>(?:LDR|[0-9]{3})(?:\|[0-9]{3})*)
        (?P<conditions>(?:\[(?:(?:\$[a-z0-9]|[12])!?=[^\]]*|LDR/[0-9]{1,2}=[^\]]+)\])*)
        (?: /(?P<from>[0-9]{1,2})(?:-(?P<to>[0-9]{1,2}))? | \$(?P<codes>[a-z0-9]+) )?
        | \$(?P<inner>[a-z0-9]+)""",
    re.VERBOSE,
)
_CONDITION = re.compile(r"\[(\$[a-z0-9]|[12])(!?=)([^\]]*)\]")
_LEADER_CONDITION = re.compile(r"\[LDR/([0-9]{1,2})=([^\]]+)\]")


def compile_marc(expression: str) -> Selector:
    """A selector over a `MarcRecord`, or over a `MarcField` where it begins with `$`; gives a list.

    Raises:
        ValueError: The expression is none of the forms in this module's docstring.
    """
    parsed = _SELECTOR.fullmatch(expression.strip())
    if parsed is None:
        raise ValueError("not a MARC selector; allowed are 245$a, 245$abn, 001, 008/35-37, LDR/6, 024[$2=doi]$a")
    if parsed["inner"]:
        codes = parsed["inner"]
        return lambda field: [field.text(codes)]
    tags = tuple(parsed["tags"].split("|"))
    if parsed["from"] is not None or tags[0] == "LDR" or (tags[0] < "010" and not parsed["codes"]):
        select = _control(tags[0], parsed["from"], parsed["to"])
    else:
        select = _data(tags, _CONDITION.findall(parsed["conditions"]), parsed["codes"])
    for at, characters in _LEADER_CONDITION.findall(parsed["conditions"]):
        select = _where_leader(int(at), characters, select)
    if tags[0] != "LDR":
        select.needs = tags  # type: ignore[attr-defined]  # reader.py asks for it
    return select


def _where_leader(at: int, characters: str, select: Selector) -> Selector:
    wanted = frozenset(characters)
    return lambda record: select(record) if record.leader[at : at + 1] in wanted else []


def _control(tag: str, first: str | None, last: str | None) -> Selector:
    start = int(first) if first is not None else 0
    stop = int(last) + 1 if last is not None else (start + 1 if first is not None else None)

    def select(record: MarcRecord) -> list[str]:
        values = [record.leader] if tag == "LDR" else record.control.get(tag, [])
        return [value[start:stop] for value in values]

    return select


def _data(tags: tuple[str, ...], conditions: list[tuple[str, str, str]], codes: str | None) -> Selector:
    def holds(field: MarcField) -> bool:
        for what, operator, wanted in conditions:
            if what == "1":
                found = field.ind1
            elif what == "2":
                found = field.ind2
            else:
                found = field.text(what[1:]).casefold()
            if (found == wanted) != (operator == "="):
                return False
        return True

    def select(record: MarcRecord) -> list[Any]:
        out: list[Any] = []
        for tag in tags:
            if tag not in record.tags:  # as nearly always: of the tags that a spec knows, a record has a few
                continue
            for field in record.fields(tag):
                if not conditions or holds(field):
                    found = field if codes is None else field.text(codes)
                    if found:
                        out.append(found)
        return out

    return select
