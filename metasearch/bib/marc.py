"""A MARC record as it is read: leader, control fields, and data fields with their subfields.

A record is walked once, and the subfields of a field are read when they are first asked for: most
fields of a catalogue record are never looked at.
"""

from __future__ import annotations

from typing import Any


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
            found = self._fields[tag] = [
                MarcField(tag, element) for element in self.tags.get(tag, ())
            ]
        return found


def _marc_element(node: Any) -> Any:
    """The element whose children are MARC fields: the node itself, or the first one inside its
    wrapping.
    """
    for element in node.iterdescendants():
        if element.tag.endswith(("leader", "controlfield", "datafield")):
            return element.getparent()
    return node
