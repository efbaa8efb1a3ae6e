"""A MARC record as it is read: leader, control fields, and data fields with their subfields.

A record is walked once, and the subfields of a field are read when they are first asked for: most
fields of a catalogue record are never looked at.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Literal

from metasearch.late_pattern import late_pattern

#: What a person did for a work. "author": made it; "editor": saw to the work of others;
#: "translator"; "helper": added something to it; "none": made, owns or judged the copy.
Part = Literal["author", "editor", "translator", "helper", "none"]

# A field may stand in a record twice, in two scripts. MARC 21 puts the second one into 880, and in
# $6 the tag of the first one and a number ("245-02/$1"); the number 00 means that there is no
# first one. UNIMARC repeats the field, and gives both the same $6 ("a02") and a $7. Here the
# second one is filed under "880/245", so that whoever reads 245 meets one field; a field that is
# there in 880 alone is filed under its own tag.

#: Before the tag of a field that says in another script what a field of the tag says.
OTHER_SCRIPT = "880/"
_LINK = late_pattern(r"(?P<tag>[0-9]{3})-(?P<number>[0-9]{2,3})(?!\d)|(?P<pair>a[0-9]{2})")
#: Tags that stand in a record once.
_ONCE = frozenset(("100", "110", "111", "130", "240", "245"))


class Filing:
    """Tells under which tag each field of a record is filed, in the order of the record."""

    __slots__ = ("_links",)

    def __init__(self) -> None:
        self._links: dict[str, set[str]] = {}

    @staticmethod
    def asks(tag: str) -> bool:
        """Whether a field with this tag may be filed under another one."""
        return tag[:1] in ("1", "2", "7") or tag == "880"

    def under(self, tag: str, link: str, before: Container[str]) -> str:
        """The tag of a field that `asks`. `link`: its $6. `before`: the tags before it."""
        found = _LINK.match(link) if link else None
        if found is None:  # some catalogues have a second title without any link
            return OTHER_SCRIPT + tag if tag == "245" and tag in before else tag
        if found["pair"]:
            links = self._links.setdefault(tag, set())
            if found["pair"] in links:
                return OTHER_SCRIPT + tag
            links.add(found["pair"])
            return tag
        number = found["number"].lstrip("0")
        if tag != "880":
            self._links.setdefault(tag, set()).add(number)
            return OTHER_SCRIPT + tag if tag == "245" and tag in before else tag
        meant = found["tag"]
        if meant == "880" or meant < "010":
            return tag
        links = self._links.get(meant, set())
        if meant in before and (meant in _ONCE or (number and (not links or number in links))):
            return OTHER_SCRIPT + meant
        return meant


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

    def text(self, codes: str) -> str:
        """The subfields with these codes, in the record's order, joined by a blank; by a comma
        where one stands among the codes.
        """
        return separator(codes).join([text for code, text in self.subfields if code in codes])


def separator(codes: str) -> str:
    """What stands between the texts of subfields."""
    return ", " if "," in codes else " "


class Subfields:
    """Finds the texts of a field's subfields with these codes, as `MarcField.text`; in a list."""

    __slots__ = ("codes",)

    def __init__(self, codes: str) -> None:
        self.codes = codes

    def __call__(self, field: MarcField) -> list[str]:
        return [field.text(self.codes)]


class MarcRecord:
    """A MARC record as the selectors see it: leader, control fields and data fields by tag.

    Here it is made of an element. Other forms of a record give `_set` its parts, and read a field
    in their own way.

    Attributes:
        leader: "" where there is none.
        control: The texts of the control fields by tag.
        tags: What the data fields are made of, by the tag under which they are filed: their
            elements.
        found: What selectors found that are asked several times, by selector.
    """

    __slots__ = ("_fields", "_listed", "control", "found", "leader", "tags")

    def __init__(self, element: Any) -> None:
        leader = ""
        control: dict[str, list[str]] = {}
        listed: list[tuple[str, Any]] = []
        first = self.first_of(element)
        for child in element if first is None else first.getparent():
            kind = child.tag[-9:]
            if kind == "datafield":
                listed.append((child.get("tag", ""), child))
            elif kind == "trolfield":
                control.setdefault(child.get("tag", ""), []).append(child.text or "")
            elif kind.endswith("leader"):
                leader = child.text or ""
        self._set(leader, control, listed)

    def _set(
        self,
        leader: str,
        control: dict[str, list[str]],
        listed: list[tuple[str, Any]],
        link: str = "",
    ) -> None:
        """Set what the record has, and file its data fields.

        `listed`: tag and field of each, in the order of the record. `link`: what a field that has a
        $6 holds; "" where that is not seen before its subfields are read.
        """
        self.leader = leader
        self.control = control
        self.found: dict[Any, list[Any]] = {}
        self._fields: dict[str, list[MarcField]] = {}
        self._listed = listed
        tags: dict[str, list[Any]] = {}
        self.tags = tags
        filing, asks = Filing(), Filing.asks
        for tag, field in listed:
            if asks(tag):
                first = self._subfields(field)[:1] if not link or link in field else ()
                tag = filing.under(tag, first[0][1] if first and first[0][0] == "6" else "", tags)
            if tag in tags:
                tags[tag].append(field)
            else:
                tags[tag] = [field]

    @property
    def there(self) -> dict[str, list[Any]]:
        """What is there of both kinds of field, by tag."""
        return {**self.control, **self.tags}

    def fields(self, tag: str) -> list[MarcField]:
        """The data fields with this tag, in order."""
        found = self._fields.get(tag)
        if found is None:
            if tag not in self.tags:  # as nearly always
                return []
            found = [self._field(tag, field) for field in self.tags[tag]]
            self._fields[tag] = found
        return found

    def in_order(self, tags: Container[str]) -> Iterator[MarcField]:
        """The data fields with these tags, in the order of the record."""
        return (self._field(tag, field) for tag, field in self._listed if tag in tags)

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

    def _field(self, tag: str, field: Any) -> MarcField:
        """A data field. `tag`: its own, or that under which it is filed."""
        ind1, ind2 = field.get("ind1") or " ", field.get("ind2") or " "
        return MarcField(tag[-3:], ind1, ind2, self._subfields(field))

    def _subfields(self, field: Any) -> list[tuple[str, str]]:
        """Code and text of each subfield of a field that has a text."""
        return [
            (code, text)
            for sub in field
            if (code := sub.get("code")) and (text := (sub.text or "").strip())
        ]
