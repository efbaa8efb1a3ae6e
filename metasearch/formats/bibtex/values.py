"""Values of BibTeX: delimiters, `#` between operands, and macros."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

#: Characters that macros may give to one value, and that an entry may take from another: a file
#: must not be able to say in a few letters what takes hours to read.
MOST_REPEATED = 2_000

_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_NEXT_FIELD = re.compile(r"(?<=[}\"\w])\s{1,50}([A-Za-z][\w-]{1,30})\s{0,9}=\s{0,9}(?=[{\"\d])")
_MARK = re.compile(r"\\.|[{}\"#]", re.DOTALL)


class Values:
    """Takes delimiters off values, and puts in what macros stand for; each set once."""

    def __init__(self, strings: Mapping[str, str]) -> None:
        self._strings = strings
        self._done: dict[int, dict[str, str]] = {}
        self._told: set[str] = set()

    def of(self, raw: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        """The fields of an entry, which the caller may change, and remarks on macros not remarked
        on before.

        `raw`: names -> values as they are delimited in the file; must live as long as this does.
        """
        remarks: list[str] = []
        done = self._done.get(id(raw))
        if done is None:
            done = self._done[id(raw)] = {}
            for key, value in raw.items():
                done[key], unknown = evaluated(value, self._strings)
                for name in unknown:
                    if name not in self._told:
                        self._told.add(name)
                        remarks.append(
                            f"the macro {name[:60]!r} is defined nowhere; its name stands for it"
                        )
        return dict(done), remarks


def evaluated(raw: str, strings: Mapping[str, str]) -> tuple[str, list[str]]:
    """The text of `{...}`, `"..."`, `1999` or `jan # "~1"`, and macros that are not defined."""
    if raw[:1] == "{" and raw[-1:] == "}" and "#" not in raw:
        return raw[1:-1], []
    out: list[str] = []
    unknown: list[str] = []
    room = MOST_REPEATED
    for operand in _operands(raw):
        part = operand.strip()
        if len(part) > 1 and part[0] + part[-1] in ("{}", '""'):
            out.append(part[1:-1])
        elif (macro := strings.get(part.lower())) is not None:
            out.append(macro[:room])
            room -= len(out[-1])
        else:
            out.append(part)
            if not (part.isdecimal() or part.lower() in _MONTHS) and re.fullmatch(
                r"[^\s{}\"#,=]{1,60}", part
            ):
                unknown.append(part)
    return "".join(out), unknown


def _operands(raw: str) -> list[str]:
    """The parts of a value that "#" joins, outside of braces and quotes."""
    if "#" not in raw:
        return [raw]
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    for hit in _MARK.finditer(raw):
        mark = hit.group()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
        elif mark == '"' and depth <= 0:
            quoted = not quoted
        elif mark == "#" and depth <= 0 and not quoted:
            parts.append(raw[start : hit.start()])
            start = hit.end()
    return [*parts, raw[start:]]


def separated(key: str, value: str) -> Iterator[tuple[str, str]]:
    """The field, and those behind it that a missing comma made part of its value."""
    depth = quotes = start = at = 0
    for hit in _NEXT_FIELD.finditer(value) if "=" in value else ():
        depth += value.count("{", at, hit.start(1)) - value.count("}", at, hit.start(1))
        quotes += value.count('"', at, hit.start(1))
        at = hit.start(1)
        if depth == 0 and quotes % 2 == 0:
            yield key, value[start:at].strip()
            key, start = hit[1].lower(), hit.end()
    yield key, value[start:].strip()
