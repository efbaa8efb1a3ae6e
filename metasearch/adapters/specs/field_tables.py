"""[fields] and [ids] of a spec: the rules by which the fields of a record are read."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from metasearch.adapters.parse.records import Constant, LookedUp, filled_in, text_finder, whole
from metasearch.adapters.select.xml_record import XmlRecord
from metasearch.adapters.shapes import Always, FieldRule, People, Selector
from metasearch.adapters.specs.tables import Compiler, Table, TableReader
from metasearch.bib import converters
from metasearch.bib.names import converters as people
from metasearch.bib.names.marc_people import marc_people
from metasearch.bib.strings import Converter
from metasearch.record import OPEN_ACCESS, TYPES, Record

RECORD_FIELDS = frozenset(converters.DEFAULTS)
assert RECORD_FIELDS <= {field.name for field in dataclasses.fields(Record)}
_SCHEME = re.compile(r"[a-z][a-z0-9_]*")
#: Fields whose constants are words of a closed list.
_WORDS = {"type": TYPES, "open_access": OPEN_ACCESS}
#: The parts of a person, beside `each`.
_PARTS = ("name", "family", "given", "corporate", "orcid", "affiliation")


class FieldTables:
    """Reads the rules of one shape. `body`: the kind of the body, as `Shape.body`."""

    def __init__(self, reader: TableReader, body: str, compiler: Compiler) -> None:
        self.reader = reader
        self.body = body
        self.compiler = compiler

    def rules(self, field: str, value: Any, where: str) -> list[FieldRule]:
        """Returns one rule, or several if the value is an array of tables; they are tried in order.
        `field`: a field of a record, or "ids.SCHEME".
        """
        several = isinstance(value, list) and any(isinstance(item, Mapping) for item in value)
        rules = [self.rule(field, item, where) for item in (value if several else [value])]
        return [rule for rule in rules if rule is not None]

    def rule(self, field: str, value: Any, where: str) -> FieldRule | None:
        """Returns one rule; None if it cannot be used."""
        if not self.is_field(field, where):
            return None
        table = value if isinstance(value, Mapping) else {"at": value}
        self.reader.known(table, "field", where)
        if "each" in table:
            return self.people(field, table, where)
        if "value" in table:
            return self.constant(field, table, where)
        selectors = self.selectors(table, where)
        nodes = self.body == "xml" and table.get("as") in converters.NODE_CONVERTERS
        return FieldRule(field, selectors, self.converter(table, field, where), nodes)

    def is_field(self, field: str, where: str) -> bool:
        """Checks the name of a field or of a scheme of identifiers."""
        scheme = field.removeprefix("ids.")
        if field != scheme:
            if not _SCHEME.fullmatch(scheme):
                self.reader.wrong(
                    where, "an identifier scheme is lower-case letters, digits and '_'"
                )
                return False
            return True
        if field not in RECORD_FIELDS:
            allowed = ", ".join(sorted(RECORD_FIELDS))
            self.reader.wrong(where, f"no such field of a record; allowed are {allowed}")
            return False
        return True

    def constant(self, field: str, table: Table, where: str) -> FieldRule:
        """A rule with a constant: for all records, or for those in which `at` finds something."""
        value = table["value"]
        allowed = _WORDS.get(field)
        if allowed is not None and value not in allowed:
            kind = "type" if field == "type" else "status"
            self.reader.wrong(
                f"{where}.value", f"{value!r} is no {kind}; allowed are {', '.join(allowed)}"
            )
        if "at" not in table:
            return FieldRule(field, (Selector(Always(value)),), self.converter(table, field, where))
        selectors = self.selectors(table, where)
        return FieldRule(field, selectors, Constant(value))

    def selectors(self, table: Table, where: str) -> tuple[Selector, ...]:
        """Compiles the selectors of `at`; those that are wrong are left out."""
        at = table.get("at")
        texts = at if isinstance(at, list) else [at]
        compiled = [self.reader.selector(self.compiler, text, where) for text in texts]
        return tuple(selector for selector in compiled if selector is not None)

    def people(self, field: str, table: Table, where: str) -> FieldRule | None:
        """A rule for authors and editors that are objects; None if it cannot be used."""
        if field not in ("authors", "editors"):
            self.reader.wrong(where, "`each` is for authors and editors only")
            return None
        each = self.reader.selector(self.compiler, table["each"], f"{where}.each")
        parts, selectors = {}, {}
        for part in _PARTS:
            if part not in table:
                continue
            selector = self.reader.selector(self.compiler, table[part], f"{where}.{part}")
            if selector is not None:
                parts[part], selectors[part] = text_finder(selector, self.body), selector
        if each is None or not parts:
            self.reader.wrong(
                where, "needs `each` and at least one of name, family, given, corporate"
            )
            return None
        tidy = table.get("as")
        if tidy is not None and tidy not in converters.NAME_CONVERTERS:
            allowed = ", ".join(converters.NAME_CONVERTERS)
            self.reader.wrong(
                f"{where}.as", f"unknown converter {tidy!r}; beside `each`, allowed are {allowed}"
            )
            return None
        editors = field == "editors"
        tidying = converters.NAME_CONVERTERS[tidy] if tidy is not None else None
        if self.body == "marcxml":
            convert = marc_people(each.find, parts, editors=editors, tidy=tidying)
        else:
            node_of = XmlRecord if self.body == "xml" else None
            convert = people.people(
                each.find, parts, editors=editors, tidy=tidying, node_of=node_of
            )
        who = People(each, selectors, tidied=tidy is not None)
        return FieldRule(field, (Selector(whole, needs=each.needs),), convert, people=who)

    # ---------------------------------------------------------------- converters

    def converter(self, table: Table, field: str, where: str) -> Converter:
        """Returns the converter of a rule, with its `template` if it has one."""
        template = table.get("template")
        if template is None:
            return self.plain_converter(table, field, where)
        if not isinstance(template, str):
            self.reader.wrong(f"{where}.template", "must be a string")
            return converters.text
        self.reader.placeholders(template, frozenset({"x"}), f"{where}.template")
        inner = self.plain_converter({"as": "identifier", **table}, field, where)
        return filled_in(template, inner)

    def plain_converter(self, table: Table, field: str, where: str) -> Converter:
        """Returns the converter that `map` or `as` names, or that of the field."""
        mapping = table.get("map")
        if mapping is not None:
            return self.mapped(mapping, field, where)
        name = table.get("as")
        if name is None:
            if field.startswith("ids."):
                return converters.identifier
            return converters.DEFAULTS.get(field, converters.text)
        if name not in converters.CONVERTERS:
            allowed = ", ".join(sorted(converters.CONVERTERS))
            self.reader.wrong(f"{where}.as", f"unknown converter {name!r}; allowed are {allowed}")
            return converters.text
        several = name in converters.PLURAL or name.startswith("names")
        if several and field not in converters.PLURAL_FIELDS:
            self.reader.wrong(
                f"{where}.as", f"{name!r} returns several values, and the field has one"
            )
        elif not several and field in converters.PLURAL_FIELDS:
            self.reader.wrong(
                f"{where}.as", f"{name!r} returns one value, and the field has several"
            )
        return converters.CONVERTERS[name]

    def mapped(self, mapping: Any, field: str, where: str) -> Converter:
        """Returns the converter of a `map`: words of the database -> words of the record."""
        if not _is_strings(mapping):
            self.reader.wrong(f"{where}.map", "must be a table of strings")
            return converters.text
        if field == "type":
            for value in mapping.values():
                if value not in TYPES:
                    self.reader.wrong(
                        f"{where}.map", f"{value!r} is no type; allowed are {', '.join(TYPES)}"
                    )
        return LookedUp(mapping)


def _is_strings(table: Any) -> bool:
    return isinstance(table, Mapping) and all(isinstance(text, str) for text in table.values())
