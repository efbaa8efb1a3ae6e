"""A MARC record as it is read: leader, control fields, and data fields with their subfields.

A record is walked once, and the subfields of a field are read when they are first asked for: most
fields of a catalogue record are never looked at.
"""

from __future__ import annotations

from typing import Any, Literal

#: What a person did for a work. "author": made it; "editor": saw to the work of others; "helper":
#: added something to it; "none": made, owns or judged the copy.
Part = Literal["author", "editor", "helper", "none"]


class MarcField:
    """A data field.

    Attributes:
        tag: Three characters.
        ind1, ind2: The indicators; a blank where there is none.
        subfields: Code and text of each subfield that has a text, in order.
        part: What the person of the field did for the work (authors.py); None until that
            is asked.
    """

    __slots__ = ("ind1", "ind2", "part", "subfields", "tag")

    def __init__(self, tag: str, ind1: str, ind2: str, subfields: list[tuple[str, str]]) -> None:
        self.tag = tag
        self.ind1 = ind1
        self.ind2 = ind2
        self.subfields = subfields
        self.part: Part | None = None

    def __repr__(self) -> str:
        return f"MarcField({self.tag!r}, {self.ind1!r}, {self.ind2!r}, {self.subfields!r})"

    @classmethod
    def of(cls, element: Any) -> MarcField:
        """The field of an element."""
        subfields = [
            (code, text)
            for sub in element
            if (code := sub.get("code")) and (text := (sub.text or "").strip())
        ]
        ind1, ind2 = element.get("ind1") or " ", element.get("ind2") or " "
        return cls(element.get("tag", ""), ind1, ind2, subfields)

    def text(self, codes: str) -> str:
        """The subfields with these codes, in the record's order, joined by a blank."""
        return " ".join([text for code, text in self.subfields if code in codes])


class Subfields:
    """Finds the texts of a field's subfields with these codes, as `MarcField.text`; in a list."""

    __slots__ = ("codes",)

    def __init__(self, codes: str) -> None:
        self.codes = codes

    def __call__(self, field: MarcField) -> list[str]:
        """The list of the one text."""
        return [field.text(self.codes)]


class MarcRecord:
    """A MARC record as the selectors see it: leader, control fields and data fields by tag.

    Attributes:
        leader: "" where there is none.
        control: The texts of the control fields by tag.
        tags: What the data fields are made of, by tag: their elements.
        found: What selectors found that are asked several times, by selector.
    """

    __slots__ = ("_fields", "control", "found", "leader", "tags")

    def __init__(self, element: Any) -> None:
        self.leader = ""
        self.control: dict[str, list[str]] = {}
        self.tags: dict[str, list[Any]] = {}
        self.found: dict[Any, list[Any]] = {}
        self._fields: dict[str, list[MarcField]] = {}
        tags = self.tags
        first = self.first_of(element)
        for child in element if first is None else first.getparent():
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

    @property
    def there(self) -> dict[str, list[Any]]:
        """What is there of both kinds of field, by tag."""
        return {**self.control, **self.tags}

    def fields(self, tag: str) -> list[MarcField]:
        """The data fields with this tag, in order."""
        found = self._fields.get(tag)
        if found is None:
            found = self._fields[tag] = self._made(tag)
        return found

    def texts(self, tag: str, codes: str) -> list[str]:
        """`MarcField.text` of each field with this tag, three characters, that has a text."""
        return [text for field in self.fields(tag) if (text := field.text(codes))]

    @staticmethod
    def first_of(node: Any) -> Any:
        """The first leader or field inside of a node, in whatever it is wrapped; None where there
        is none. Its parent is the element whose children are MARC fields.
        """
        for element in node.iterdescendants():
            if element.tag.endswith(("leader", "controlfield", "datafield")):
                return element
        return None

    def _made(self, tag: str) -> list[MarcField]:
        return [MarcField.of(element) for element in self.tags.get(tag, ())]
