"""Selectors for MARC 21 in the words that librarians use: `245$a`, `008/35-37`, `024[$2=doi]$a`.

245$a            subfield a of every field 245
245$anp          subfields a, n, p in the order of the record, joined by a blank
100|110|111$a    the same of several fields, tag by tag
001              a control field
008/35-37        characters 35 to 37, counted from 0 as in the MARC documentation; LDR/6-7 of the
                 leader
024[$2=doi]$a    only fields whose subfield 2 is "doi"; [$t=] only those without a $t, [$t!=] only
                 those with one
856[2=1]$u       only fields whose second indicator is "1"
773[LDR/7=ab]$t  only in records whose leader has one of these characters there
490[003=x]$a     only in records whose control field 003 is "x"
100|700          the fields themselves, for `each`; inside, `$a` selects from the field
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from metasearch.adapters.shapes import Finder, Selector
from metasearch.bib.marc import MarcField, MarcRecord, Subfields

_SELECTOR = re.compile(
    r"""(?P<tags>(?:LDR|[0-9]{3})(?:\|[0-9]{3})*)
        (?P<conditions>(?:\[(?:(?:\$[a-z0-9]|[12])!?=[^\]]*|(?:LDR/[0-9]{1,2}|00[1-9])=[^\]]+)\])*)
        (?: /(?P<from>[0-9]{1,2})(?:-(?P<to>[0-9]{1,2}))? | \$(?P<codes>[a-z0-9]+) )?
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
    return Selector(_found_by(path), needs=None if path.tags[0] == LEADER else path.tags, tree=path)


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


def _found_by(path: MarcPath) -> Finder:
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
