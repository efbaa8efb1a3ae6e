"""Selectors for MARC 21 in the words that librarians use, `245$a`, `008/35-37`, for records as
trees and as they stand in the text of a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple

from metasearch.adapters.spec import Attempt, Finder, Selector
from metasearch.bib.marc import MarcField, MarcRecord, Subfields, separator
from metasearch.late_pattern import late_pattern

# Selectors for MARC 21 in the words that librarians use: `245$a`, `008/35-37`, `024[$2=doi]$a`.
#
# 245$a            subfield a of every field 245
# 245$anp          subfields a, n, p in the order of the record, joined by a blank
# 600$a,b          the same, joined by a comma and a blank
# 880/245$a        of the field that says in another script what 245 says (bib/marc.py)
# 100|110|111$a    the same of several fields, tag by tag
# 001              a control field
# 008/35-37        characters 35 to 37, counted from 0 as in the MARC documentation; LDR/6-7 of the
#                  leader
# 024[$2=doi]$a    only fields whose subfield 2 is "doi"; [$t=] only those without a $t, [$t!=] only
#                  those with one
# 856[2=1]$u       only fields whose second indicator is "1"
# 773[LDR/7=ab]$t  only in records whose leader has one of these characters there
# 490[003=x]$a     only in records whose control field 003 is "x"
# 100|700          the fields themselves, for `each`; inside, `$a` selects from the field

_SELECTOR = re.compile(
    r"""(?P<tags>(?:LDR|(?:880/)?[0-9]{3})(?:\|(?:880/)?[0-9]{3})*)
        (?P<conditions>(?:\[(?:(?:\$[a-z0-9]|[12])!?=[^\]]*|(?:LDR/[0-9]{1,2}|00[1-9])=[^\]]+)\])*)
        (?: /(?P<from>[0-9]{1,2})(?:-(?P<to>[0-9]{1,2}))? | \$(?P<codes>[a-z0-9]+(?:,[a-z0-9]+)?) )?
        | \$(?P<inner>[a-z0-9]+)""",
    re.VERBOSE,
)
#: In the place of a tag.
LEADER = "LDR"
_CONDITION = re.compile(r"\[(\$[a-z0-9]|[12])(!?=)([^\]]*)\]")
_LEADER_CONDITION = re.compile(r"\[LDR/([0-9]{1,2})=([^\]]+)\]")
_CONTROL_CONDITION = re.compile(r"\[(00[1-9])=([^\]]+)\]")


def compile_marc(expression: str) -> Selector:
    """A selector over a `MarcRecord`, or over a `MarcField` where it begins with `$`; it returns a
    list. Raises ValueError: the expression is none of the forms in this module's docstring.
    """
    parsed = _SELECTOR.fullmatch(expression.strip())
    if parsed is None:
        raise ValueError(
            "not a MARC selector; allowed are 245$a, 245$abn, 001, 008/35-37, LDR/6, 024[$2=doi]$a"
        )
    if parsed["inner"]:
        return Selector(Subfields(parsed["inner"]))
    path = _path(parsed)
    return Selector(
        _finder_of(path), needs=None if path.tags[0] == LEADER else path.tags, tree=path
    )


class MarcPath(NamedTuple):
    """What a selector asks a record for.

    Attributes:
        tags: Three characters each; "LDR" for the leader.
        control: Whether it asks the leader or control fields, of which there is one tag.
        start, stop: Of the characters of these; `stop` of None is their end.
        codes: Of the subfields of data fields; None for the fields themselves.
        tests: What a data field must fulfil: what, "=" or "!=", and value.
        leader: Places of the leader, and the characters of which one must be there.
        control_is: Tags of control fields, and what they must hold.
    """

    tags: tuple[str, ...]
    control: bool
    start: int
    stop: int | None
    codes: str | None
    tests: list[tuple[str, str, str]]
    leader: list[tuple[int, str]]
    control_is: list[tuple[str, str]]


def _path(parsed: re.Match[str]) -> MarcPath:
    tags, conditions = tuple(parsed["tags"].split("|")), parsed["conditions"]
    first, last = parsed["from"], parsed["to"]
    start = int(first) if first is not None else 0
    stop = int(last) + 1 if last is not None else (start + 1 if first is not None else None)
    whole_field = tags[0] < "010" and not parsed["codes"]
    return MarcPath(
        tags=tags,
        control=first is not None or tags[0] == LEADER or whole_field,
        start=start,
        stop=stop,
        codes=parsed["codes"],
        tests=_CONDITION.findall(conditions),
        leader=[(int(at), wanted) for at, wanted in _LEADER_CONDITION.findall(conditions)],
        control_is=_CONTROL_CONDITION.findall(conditions),
    )


def _finder_of(path: MarcPath) -> Finder:
    if path.control:
        select = _control(path.tags[0], path.start, path.stop)
    else:
        select = _data(path.tags, path.tests, path.codes)
    for at, characters in path.leader:
        select = _where_leader(at, characters, select)
    for tag, value in path.control_is:
        select = _where_control(tag, value, select)
    return select


def _where_leader(at: int, characters: str, select: Finder) -> Finder:
    wanted = frozenset(characters)
    return lambda record: select(record) if record.leader[at : at + 1] in wanted else []


def _where_control(tag: str, value: str, select: Finder) -> Finder:
    return lambda record: select(record) if record.control.get(tag) == [value] else []


def _control(tag: str, start: int, stop: int | None) -> Finder:
    def select(record: MarcRecord) -> list[str]:
        values = record.control.get(tag)
        return [value[start:stop] for value in values] if values else []

    if tag == LEADER:
        return lambda record: [record.leader[start:stop]]
    return select


def _data(
    tags: tuple[str, ...], conditions: list[tuple[str, str, str]], codes: str | None
) -> Finder:
    holds = _all_hold(conditions)
    if codes is not None and holds is None:  # as most are
        return _texts(tags, codes)

    def select(record: MarcRecord) -> list[Any]:
        out: list[Any] = []
        for tag in tags:
            if (
                tag not in record.tags
            ):  # as nearly always: of the tags of a spec, a record has a few
                continue
            for field in record.fields(tag):
                if holds is None or holds(field):
                    found = field if codes is None else field.text(codes)
                    if found:
                        out.append(found)
        return out

    return select if codes is not None else _once(select)


def _texts(tags: tuple[str, ...], codes: str) -> Finder:
    if len(tags) == 1:
        tag = tags[0]
        return lambda record: record.texts(tag, codes)
    return lambda record: [
        text for tag in tags if tag in record.tags for text in record.texts(tag, codes)
    ]


def _once(select: Finder) -> Finder:
    """As `select`, asked once of each record: authors and editors are among the same fields."""

    def once(record: MarcRecord) -> Any:
        found = record.found.get(select)
        if found is None:
            found = record.found[select] = select(record)
        return found

    return once


def _all_hold(conditions: list[tuple[str, str, str]]) -> Callable[[MarcField], bool] | None:
    """Whether a field fulfils all conditions; None where there is none."""
    tests = [_condition(*condition) for condition in conditions]
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda field: all(test(field) for test in tests)


def _condition(what: str, operator: str, wanted: str) -> Callable[[MarcField], bool]:
    equal = operator == "="
    if what == "1":
        return lambda field: (field.ind1 == wanted) == equal
    if what == "2":
        return lambda field: (field.ind2 == wanted) == equal
    code = what[1:]
    if not wanted:  # whether the field has the subfield at all
        return lambda field: (code in dict(field.subfields)) != equal
    return lambda field: (field.text(code).casefold() == wanted) == equal


# MARC selectors -> Python: the conditions and expressions of what the closures find, as source
# text. Nothing that a spec says goes into source text as it is: tags are three digits, codes are
# letters and digits, and all else goes through `repr`.


class MarcExpressions:
    """Writes expressions that are evaluated in one function, of a `MarcRecord` named `record`."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], str] = {}
        self._there: dict[str, str] = {}

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """The lines that set what the expressions of these selectors ask for.

        What a control field must hold, and whether a tag is there that several ask for, is decided
        once for all selectors.
        """
        yield "tags, control = record.tags, record.control"
        asked: Counter[str] = Counter()
        for path in [_path_of(select) for select in selects if select.tree is not None]:
            for tag, value in path.control_is:
                if (tag, value) not in self._held:
                    name = self._held[tag, value] = f"held_{len(self._held)}"
                    yield f"{name} = control.get({tag!r}) == [{value!r}]"
            asked.update(_is_there(tag, path) for tag in path.tags if tag != LEADER)
        for condition in [condition for condition, times in asked.items() if times > 1]:
            name = self._there[condition] = f"there_{len(self._there)}"
            yield f"{name} = {condition}"

    def condition(self, select: Selector) -> str:
        """The condition without which the selector finds nothing; "" where there is none."""
        path = _path_of(select)
        parts = [self._held[each] for each in path.control_is]
        if path.tags[0] != LEADER:
            there = " or ".join(self._is_there(tag, path) for tag in path.tags)
            parts.append(f"({there})" if len(path.tags) > 1 else there)
        for at, characters in path.leader:
            parts.append(f"record.leader[{at}:{at + 1}] in {{{', '.join(map(repr, characters))}}}")
        return " and ".join(parts)

    def expression(self, select: Selector, call: str, *, of_one_text: bool) -> str:
        """What the selector finds where its condition holds: a list, or the text of one."""
        path = _path_of(select)
        if path.control:
            place = f"[{path.start}:{'' if path.stop is None else path.stop}]"
            if path.tags[0] == LEADER:
                return f"record.leader{place}" if of_one_text else f"[record.leader{place}]"
            values = f"control[{path.tags[0]!r}]"
            several = f"[value{place} for value in {values}]"
            one = f"{values}[0]{place} if len({values}) == 1 else "
            return one + several if of_one_text else several
        if path.codes is not None and not path.tests:
            texts = [f"record.texts({tag!r}, {path.codes!r})" for tag in path.tags]
            if len(texts) == 1:
                return texts[0]
            there = [self._is_there(tag, path) for tag in path.tags]
            each = (f"*({text} if {one} else ())" for text, one in zip(texts, there, strict=True))
            return f"[{', '.join(each)}]"
        return call

    def _is_there(self, tag: str, path: MarcPath) -> str:
        """The condition that there is a field with this tag, of the kind that a path asks for."""
        condition = _is_there(tag, path)
        return self._there.get(condition, condition)


def _path_of(select: Selector) -> MarcPath:
    assert isinstance(select.tree, MarcPath)
    return select.tree


def _is_there(tag: str, path: MarcPath) -> str:
    """The same, whatever is decided beforehand."""
    return f"{tag!r} in {'control' if path.control else 'tags'}"


# Which attempts at the fields of a record may find something, by the tags that a MARC record has. A
# spec makes some eighty attempts, and a catalogue record has the tags of some twenty of them.


class ByTag:
    """The attempts of a shape of MARC: at `fields`, in their order, and at ids."""

    __slots__ = ("_bits", "_fields", "_ids")

    def __init__(self, fields: Sequence[Attempt], ids: Sequence[Attempt]) -> None:
        self._bits: dict[str, int] = {}  # each tag that an attempt needs is one bit
        self._fields = [
            (self._bits_of(attempt), attempt._replace(needs=None)) for attempt in fields
        ]
        self._ids = [(self._bits_of(attempt), attempt._replace(needs=None)) for attempt in ids]

    def _bits_of(self, attempt: Attempt) -> int:
        if attempt.needs is None:
            return 1  # a bit that every record has
        needed = 0
        for tag in attempt.needs:
            needed |= self._bits.setdefault(tag, 2 << len(self._bits))
        return needed

    def of(self, tags: Iterable[str]) -> tuple[list[Attempt], list[Attempt]]:
        """The attempts, at fields and at identifiers, that need none of the tags, or at least one
        that is there; in order.
        """
        there, bits = 1, self._bits
        for tag in tags:
            if tag in bits:
                there |= bits[tag]
        return (
            [attempt for needed, attempt in self._fields if needed & there],
            [attempt for needed, attempt in self._ids if needed & there],
        )


# MARC records as they stand in the text of a page, of which no tree is made. A tree takes most of
# the time in which a record of a catalogue is read, and twenty times the memory of its text. Nearly
# all servers write their records in one plain form, which is read here: the elements of MARCXML one
# behind the other, one prefix, the attributes of all data fields in one order, double quotes. Where
# a record is in this form, it is well-formed, and means the same to a parser. What is in another
# form is left to the parser (parse/cut_pages.py).

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
        leader = ""
        control: dict[str, list[str]] = {}
        self._form = form
        head, *fields = text.split(form.field)
        has_references = "&" in head
        for tag, value in form.head.findall(head):
            if has_references:
                value = unescape(value)
            if not tag:
                leader = value
            elif tag in control:
                control[tag].append(value)
            else:
                control[tag] = [value]
        start, end = form.tag, form.tag + _WIDTHS["tag"]
        listed = [(field[start:end], field) for field in fields]
        self._set(leader, control, listed, link='code="6"')

    def texts(self, tag: str, codes: str) -> list[str]:
        """As of `MarcRecord`; nearly all fields are not taken apart for it."""
        find = _texts_with(self._form.prefix, codes)
        fields = self.tags.get(tag, ())
        if len(fields) == 1 and "&" not in fields[0]:  # as nearly always
            found = find(fields[0])
            return found if len(found) < 2 else [separator(codes).join(found)]
        texts = []
        for field in fields:
            if "&" in field:
                if text := self._field(tag, field).text(codes):
                    texts.append(text)
            elif found := find(field):
                texts.append(found[0] if len(found) == 1 else separator(codes).join(found))
        return texts

    def _field(self, tag: str, field: str) -> MarcField:
        form = self._form
        return MarcField(tag[-3:], field[form.ind1], field[form.ind2], self._subfields(field))

    def _subfields(self, field: str) -> list[tuple[str, str]]:
        subfields = self._form.subfields(field)
        if "&" not in field:
            return subfields
        return [(code, text) for code, given in subfields if (text := unescape(given).strip())]


def references_are_known(text: str) -> bool:
    """Whether each "&" of a text begins a reference that `unescape` knows."""
    at = text.find("&")
    if at < 0:
        return True
    if _OTHER_REFERENCE.search(text, at):
        return False
    return "&#" not in text or all(_is_legal(*each) for each in set(_REFERENCE.findall(text)))


def _is_legal(name: str, decimal: str, hexadecimal: str) -> bool:
    number = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else 0x20
    return number in (9, 10, 13) or any(number in legal for legal in _LEGAL)


def unescape(text: str) -> str:
    """A text with the characters that its references stand for."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    name, decimal, hexadecimal = reference.groups()
    return _NAMED[name] if name else chr(int(decimal) if decimal else int(hexadecimal, 16))
