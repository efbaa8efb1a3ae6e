"""[parse], [fields], [ids] and [[also]] of a spec: the shapes that a database's bodies take,
selectors compiled.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from metasearch.adapters.parse.records import (
    attempts,
    constant,
    filled_in,
    looked_up,
    text_finder,
    whole,
)
from metasearch.adapters.select.html import compile_html
from metasearch.adapters.select.json import compile_json
from metasearch.adapters.select.marc import compile_marc
from metasearch.adapters.select.xml import compile_xml
from metasearch.adapters.select.xml_record import XmlRecord, compile_xml_record
from metasearch.adapters.spec import FieldRule, LateShape, Selector, Shape
from metasearch.adapters.specs.tables import CHOICES, Table, TableReader
from metasearch.bib import converters
from metasearch.bib.names import converters as people
from metasearch.bib.strings import Converter, strings
from metasearch.errors import SpecError
from metasearch.record import OPEN_ACCESS, TYPES, Record

RECORD_FIELDS = frozenset(converters.DEFAULTS)
assert RECORD_FIELDS <= {f.name for f in dataclasses.fields(Record)}
#: What `same_envelope = true` takes over from [parse].
_ENVELOPE = ("records", "total", "error", "warning", "next", "unescape")


class ShapeReader(TableReader):
    """Reads shapes and the rules of their fields.

    Args:
        file: For messages.
        late: Whether shapes are compiled, and checked, only when they are needed.
    """

    def __init__(self, file: str, *, late: bool = False) -> None:
        super().__init__(file)
        self.late = late

    def shapes(self, table: Table) -> tuple[LateShape, ...]:
        parse = dict(self.table(table, "parse"))
        paging_next = self.table(table, "paging").get("next", "")
        if paging_next:
            parse.setdefault("next", paging_next)
        shapes = [
            self.one(
                parse,
                self.table(table, "fields"),
                self.table(table, "ids"),
                "parse",
                "fields",
                "ids",
            )
        ]
        also = table.get("also", [])
        if not isinstance(also, list):
            self.wrong("also", "must be an array of tables: [[also]]")
            also = []
        for number, other in enumerate(also, 1):
            where = f"also[{number}]"
            if not isinstance(other, Mapping):
                self.wrong(where, "must be a table")
                continue
            fields, ids = (
                self.table(other, "fields", f"{where}.fields"),
                self.table(other, "ids", f"{where}.ids"),
            )
            own = {k: v for k, v in other.items() if k not in ("fields", "ids", "same_envelope")}
            if self.get(other, "same_envelope", bool, False, where):
                own = {k: v for k, v in parse.items() if k in _ENVELOPE} | own
            shapes.append(self.one(own, fields, ids, where, f"{where}.fields", f"{where}.ids"))
        return tuple(shape for shape in shapes if shape is not None)

    def one(self, parse: Table, *tables: Any) -> LateShape | None:
        """Returns one shape: compiled now, so that its problems are reported with all others, or
        compiled when it is needed.
        """
        if self.late:

            def compiled() -> Shape:
                reader = ShapeReader(self.file)
                shape = reader.shape(parse, *tables)
                if shape is None or reader.problems:
                    raise SpecError(self.file, reader.problems)
                return shape

            return LateShape(parse["body"], compiled)
        shape = self.shape(parse, *tables)
        return None if shape is None else LateShape.of(shape)

    def shape(
        self, parse: Table, fields: Table, ids: Table, where: str, in_fields: str, in_ids: str
    ) -> Shape | None:
        self.known(parse, "parse", where)
        body = parse.get("body")
        if body not in CHOICES["parse.body"]:
            self.wrong(f"{where}.body", f"must be one of {', '.join(CHOICES['parse.body'])}")
            return None
        envelope = {
            "json": compile_json,
            "xml": compile_xml,
            "marcxml": compile_xml,
            "html": compile_html,
        }[body]
        inner = {"marcxml": compile_marc, "xml": compile_xml_record}.get(body, envelope)

        def optional(key: str) -> Selector | None:
            return self.selector(envelope, parse[key], f"{where}.{key}") if parse.get(key) else None

        records = optional("records")
        if not parse.get("records"):
            self.wrong(f"{where}.records", "is missing: the selector that finds the records")
        rules = [
            r
            for name, value in fields.items()
            for r in self.rules(inner, body, name, value, f"{in_fields}.{name}")
        ]
        for name, value in ids.items():
            rules += self.rules(inner, body, f"ids.{name}", value, f"{in_ids}.{name}")
        if "title" not in fields:
            self.wrong(in_fields, "title is missing")
        promises = parse.get("promises", ["title"])
        if not isinstance(promises, list) or any(p not in RECORD_FIELDS for p in promises):
            self.wrong(
                f"{where}.promises",
                f"must be a list of record fields: {', '.join(sorted(RECORD_FIELDS))}",
            )
            promises = []
        if records is None:
            return None
        by_field: dict[str, list[FieldRule]] = {}
        for rule in rules:
            by_field.setdefault(rule.field, []).append(rule)
        read = [
            attempt for name, of_field in by_field.items() for attempt in attempts(of_field, body)
        ]
        return Shape(
            body=body,
            records=records,
            total=optional("total"),
            when=optional("when"),
            error=optional("error"),
            warning=optional("warning"),
            next=optional("next"),
            unescape=optional("unescape"),
            bare=self.get(parse, "bare", bool, False, where),
            rules=tuple(rules),
            attempts=tuple(attempt for attempt in read if not attempt.field.startswith("ids.")),
            id_attempts=tuple(
                attempt._replace(field=attempt.field[4:])
                for attempt in read
                if attempt.field.startswith("ids.")
            ),
            promises=tuple(promises),
        )

    def selector(
        self, compiler: Callable[[str], Selector], value: Any, where: str
    ) -> Selector | None:
        if not isinstance(value, str) or not value.strip():
            self.wrong(where, "must be a selector (a string)")
            return None
        try:
            return compiler(value)
        except ValueError as exc:
            self.wrong(where, f"{value!r}: {exc}")
            return None

    def rules(
        self, compiler: Callable[[str], Selector], body: str, field: str, value: Any, where: str
    ) -> list[FieldRule]:
        """Returns one rule, or several, tried in order, where the value is an array of tables."""
        several = isinstance(value, list) and any(isinstance(v, Mapping) for v in value)
        rules = [
            self.rule(compiler, body, field, v, where) for v in (value if several else [value])
        ]
        return [rule for rule in rules if rule is not None]

    def rule(
        self, compiler: Callable[[str], Selector], body: str, field: str, value: Any, where: str
    ) -> FieldRule | None:
        name = field.removeprefix("ids.")
        if field == name and field not in RECORD_FIELDS:
            self.wrong(
                where, f"no such field of a record; allowed are {', '.join(sorted(RECORD_FIELDS))}"
            )
            return None
        if field != name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            self.wrong(where, "an identifier scheme is lower-case letters, digits and '_'")
            return None
        table = value if isinstance(value, Mapping) else {"at": value}
        self.known(table, "field", where)
        if "each" in table:
            return self.people(compiler, body, field, table, where)
        if field == "type" and "value" in table and table["value"] not in TYPES:
            self.wrong(
                f"{where}.value", f"{table['value']!r} is no type; allowed are {', '.join(TYPES)}"
            )
        if field == "open_access" and "value" in table and table["value"] not in OPEN_ACCESS:
            self.wrong(
                f"{where}.value",
                f"{table['value']!r} is no status; allowed are {', '.join(OPEN_ACCESS)}",
            )
        if "value" in table and "at" not in table:
            always = constant(table["value"])
            return FieldRule(field, (Selector(always),), self.converter(table, field, where))
        at = table.get("at")
        compiled = [
            self.selector(compiler, s, where) for s in (at if isinstance(at, list) else [at])
        ]
        selectors = tuple(s for s in compiled if s)
        if "value" in table:  # a constant for the records in which something is there
            return FieldRule(field, selectors, constant(table["value"], where=strings))
        nodes = body == "xml" and table.get("as") in converters.NODE_CONVERTERS
        return FieldRule(field, selectors, self.converter(table, field, where), nodes)

    def people(
        self, compiler: Callable[[str], Selector], body: str, field: str, table: Table, where: str
    ) -> FieldRule | None:
        if field not in ("authors", "editors"):
            self.wrong(where, "`each` is for authors and editors only")
            return None
        each = self.selector(compiler, table["each"], f"{where}.each")
        parts = {}
        for part in ("name", "family", "given", "corporate", "orcid", "affiliation"):
            if part in table:
                select = self.selector(compiler, table[part], f"{where}.{part}")
                if select:
                    parts[part] = text_finder(select, body)
        if each is None or not parts:
            self.wrong(where, "needs `each` and at least one of name, family, given, corporate")
            return None
        tidy = table.get("as")
        if tidy is not None and tidy not in converters.NAME_CONVERTERS:
            self.wrong(
                f"{where}.as",
                f"unknown {tidy!r}; beside `each` only {', '.join(converters.NAME_CONVERTERS)}",
            )
            return None
        named = converters.NAME_CONVERTERS[tidy] if tidy is not None else None
        author = people.people(
            each.find,
            parts,
            marc=body == "marcxml",
            editors=field == "editors",
            tidy=named,
            node_of=XmlRecord if body == "xml" else None,
        )
        return FieldRule(field, (Selector(whole, needs=each.needs),), author)

    def converter(self, table: Table, field: str, where: str) -> Converter:
        template = table.get("template")
        if template is None:
            return self.plain_converter(table, field, where)
        if not isinstance(template, str):
            self.wrong(f"{where}.template", "must be a string")
            return converters.text
        self.placeholders(template, frozenset({"x"}), f"{where}.template")
        inner = self.plain_converter({"as": "identifier", **table}, field, where)
        return filled_in(template, inner)

    def plain_converter(self, table: Table, field: str, where: str) -> Converter:
        mapping = table.get("map")
        if mapping is not None:
            return self.mapped(mapping, field, where)
        name = table.get("as")
        if name is None:
            return (
                converters.identifier
                if field.startswith("ids.")
                else converters.DEFAULTS.get(field, converters.text)
            )
        if name not in converters.CONVERTERS:
            allowed = ", ".join(sorted(converters.CONVERTERS))
            self.wrong(f"{where}.as", f"unknown converter {name!r}; allowed are {allowed}")
            return converters.text
        several = name in converters.PLURAL or name.startswith("names")
        if several != (field in converters.PLURAL_FIELDS):
            how = (
                "several values, and the field holds one"
                if several
                else "one value, and the field holds several"
            )
            self.wrong(f"{where}.as", f"{name!r} returns {how}")
        return converters.CONVERTERS[name]

    def mapped(self, mapping: Any, field: str, where: str) -> Converter:
        if not isinstance(mapping, Mapping) or not all(
            isinstance(v, str) for v in mapping.values()
        ):
            self.wrong(f"{where}.map", "must be a table of strings")
            return converters.text
        if field == "type":
            for value in mapping.values():
                if value not in TYPES:
                    self.wrong(
                        f"{where}.map", f"{value!r} is no type; allowed are {', '.join(TYPES)}"
                    )
        return looked_up(mapping)
