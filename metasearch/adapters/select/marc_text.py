"""MARC records as they stand in the text of a page, of which no tree is made.

A tree takes most of the time in which a record of a catalogue is read, and twenty times the memory
of its text. Nearly all servers write their records in one plain form, which is read here: the
elements of MARCXML one behind the other, one prefix, the attributes of all data fields in one
order, double quotes. Where a record is in this form, it is well-formed, and means the same to a
parser. What is in another form is left to the parser (parse/cut_pages.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from metasearch.bib.marc import MarcField, MarcRecord
from metasearch.late_pattern import late_pattern

#: White space between elements, and a character of an attribute that is what it seems to be.
_BLANK, _CHARACTER = r"[ \t\n]*+", r'[^"<&\t\n]'
#: The text of a subfield, without white space around it; one that has no other characters is none.
_TEXT = r"\s*+([^<]*[^<\s])"
#: The attributes of a data field, and how many characters each has.
_WIDTHS = {"tag": 3, "ind1": 1, "ind2": 1}
_ORDERS = {" ".join(order): order for order in permutations(_WIDTHS)}
#: The first data field of a page, in whose form all others must be.
_FIRST = late_pattern(
    r"<((?:[A-Za-z_][A-Za-z0-9_.-]{0,30}:)?)datafield"
    r' (tag|ind1|ind2)="[^"<]*+" (tag|ind1|ind2)="[^"<]*+" (tag|ind1|ind2)="[^"<]*+">'
)
_NAMED = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&"}
_REFERENCE = re.compile(r"&(?:(lt|gt|quot|apos|amp)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));")
_OTHER_REFERENCE = late_pattern(rf"&(?!{_REFERENCE.pattern[1:]})")
#: The characters of XML, by their numbers.
_LEGAL = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))


class Form(NamedTuple):
    """How a page writes its records.

    Attributes:
        prefix: With its colon; "" where there is none.
        record: A record: its start tag, and what is between this and its end tag.
        head: Tag and text of a control field, or "" and the text of the leader.
        field: How a data field begins, as far as its first attribute.
        subfields: Finds code and text of each subfield of a field that has a text.
        tag, ind1, ind2: Where the values begin behind `field`.
    """

    prefix: str
    record: re.Pattern[str]
    head: re.Pattern[str]
    field: str
    subfields: Callable[[str], list[tuple[str, str]]]
    tag: int
    ind1: int
    ind2: int


def form_of(text: str) -> Form | None:
    """The form of a page, by its first data field; None if that is in no form that is known."""
    first = _FIRST.search(text)
    order = " ".join(first.groups()[1:]) if first else ""
    return _form(first[1], order) if first and order in _ORDERS else None


@lru_cache(maxsize=32)
def _form(prefix: str, order: str) -> Form:
    begins = re.escape(f"<{prefix}")
    ends = re.escape(f"</{prefix}")
    places: dict[str, int] = {}
    at = 0
    for name in _ORDERS[order]:
        places[name] = at + len(name) + 2
        at = places[name] + _WIDTHS[name] + 2
    attributes = " ".join(f'{name}="{_CHARACTER}{{{_WIDTHS[name]}}}"' for name in _ORDERS[order])
    subfield = f'{begins}subfield code="{_CHARACTER}">[^<]*+{ends}subfield>{_BLANK}'
    record = re.compile(
        rf"({begins}record(?:\s[^<>]*+)?>){_BLANK}"
        rf"((?:{begins}leader>[^<]*+{ends}leader>{_BLANK})?"
        rf'(?:{begins}controlfield tag="{_CHARACTER}{{3}}">[^<]*+{ends}controlfield>{_BLANK})*+'
        rf"(?:{begins}datafield {attributes}>{_BLANK}(?:{subfield})*+{ends}datafield>{_BLANK})++)"
        rf"(?={ends}record>)"
    )
    head = re.compile(rf'{begins}(?:controlfield tag="([^"]*+)"|leader)>([^<]*+)')
    subfields = re.compile(f'{begins}subfield code="(.)">{_TEXT}').findall
    return Form(prefix, record, head, f"<{prefix}datafield ", subfields, **places)


@lru_cache(maxsize=256)
def _texts_with(prefix: str, codes: str) -> Callable[[str], list[str]]:
    """Finds the texts of the subfields of a field that have one of these codes."""
    begins = re.escape(f"<{prefix}")
    return re.compile(f'{begins}subfield code="[{codes}]">{_TEXT}').findall


class CutRecord(NamedTuple):
    """What stands between the tags of a record, and its form."""

    text: str
    form: Form


class MarcText(MarcRecord):
    """A `MarcRecord` that is made of a text, in a form that `form_of` knows. `tags`: by tag, what
    stands behind the beginning of each data field.
    """

    __slots__ = ("_form",)

    def __init__(self, text: str, form: Form) -> None:
        self.leader = ""
        control: dict[str, list[str]] = {}
        self.control = control
        tags: dict[str, list[str]] = {}
        self.tags = tags
        self.found = {}
        self._fields = {}
        self._form = form
        head, *fields = text.split(form.field)
        has_references = "&" in head
        for tag, value in form.head.findall(head):
            if has_references:
                value = unescaped(value)
            if not tag:
                self.leader = value
            elif tag in control:
                control[tag].append(value)
            else:
                control[tag] = [value]
        start, end = form.tag, form.tag + _WIDTHS["tag"]
        for field in fields:
            tag = field[start:end]
            if tag in tags:
                tags[tag].append(field)
            else:
                tags[tag] = [field]

    def texts(self, tag: str, codes: str) -> list[str]:
        """As of `MarcRecord`; nearly all fields are not taken apart for it."""
        find = _texts_with(self._form.prefix, codes)
        fields = self.tags.get(tag, ())
        if len(fields) == 1 and "&" not in fields[0]:  # as nearly always
            found = find(fields[0])
            return found if len(found) < 2 else [" ".join(found)]
        texts = []
        for field in fields:
            if "&" in field:
                if text := self._field(tag, field).text(codes):
                    texts.append(text)
            elif found := find(field):
                texts.append(found[0] if len(found) == 1 else " ".join(found))
        return texts

    def _made(self, tag: str) -> list[MarcField]:
        return [self._field(tag, field) for field in self.tags.get(tag, ())]

    def _field(self, tag: str, field: str) -> MarcField:
        form = self._form
        subfields = form.subfields(field)
        if "&" in field:
            subfields = [
                (code, text) for code, given in subfields if (text := unescaped(given).strip())
            ]
        return MarcField(tag, field[form.ind1], field[form.ind2], subfields)


def references_are_known(text: str) -> bool:
    """Whether each "&" of a text begins a reference that `unescaped` knows."""
    at = text.find("&")
    if at < 0:
        return True
    if _OTHER_REFERENCE.search(text, at):
        return False
    return "&#" not in text or all(_is_legal(*each) for each in set(_REFERENCE.findall(text)))


def _is_legal(name: str, decimal: str, hexadecimal: str) -> bool:
    number = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else 0x20
    return number in (9, 10, 13) or any(number in legal for legal in _LEGAL)


def unescaped(text: str) -> str:
    """A text with the characters that its references stand for."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    name, decimal, hexadecimal = reference.groups()
    return _NAMED[name] if name else chr(int(decimal) if decimal else int(hexadecimal, 16))
