"""`types`, `languages` and `either` of a spec's [query]: our words for a facet -> the
database's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metasearch.adapters.specs.tables import Table, TableReader
from metasearch.bib.languages import SCHEMES, language_table, languages
from metasearch.query.ast import FACETS
from metasearch.record import TYPES

Words = Mapping[str, tuple[str, ...]]


class DialectTables:
    """Reads these keys; `reader` gathers the problems."""

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader

    def types(self, query: Table) -> Words:
        """Type -> words: a string, an array of strings, or `true` where all works are of that
        type.
        """
        table = self.reader.table(query, "types", "query.types")
        for name in table:
            if name not in TYPES:
                self.reader.wrong(
                    f"query.types.{name}", f"unknown type; allowed are {', '.join(TYPES)}"
                )
        return {name: self.words(value, f"query.types.{name}") for name, value in table.items()}

    def languages(self, query: Table) -> Words:
        """Code -> words: a table, or the name of a scheme of codes, or an array of these."""
        value = query.get("languages", {})
        if isinstance(value, Mapping):
            for code in value:
                if code not in languages():
                    self.reader.wrong(
                        f"query.languages.{code}",
                        "unknown language; the codes are those of ISO 639-1",
                    )
            return {
                code: self.words(words, f"query.languages.{code}") for code, words in value.items()
            }
        schemes = value if isinstance(value, list) else [value]
        if not schemes or any(scheme not in SCHEMES for scheme in schemes):
            self.reader.wrong(
                "query.languages", f"must be a table, or one or more of {', '.join(SCHEMES)}"
            )
            return {}
        return language_table(tuple(schemes))

    def words(self, value: Any, where: str) -> tuple[str, ...]:
        if value is True:
            return ()
        words = value if isinstance(value, list) else [value]
        if not words or not all(isinstance(word, str) and word for word in words):
            self.reader.wrong(where, "must be a word of the database, an array of them, or true")
            return ()
        return tuple(words)

    def either(self, query: Table) -> Mapping[str, str]:
        table = self.reader.table(query, "either", "query.either")
        for field, between in table.items():
            if field not in FACETS or not isinstance(between, str) or not between:
                self.reader.wrong(
                    f"query.either.{field}", "must be a string; the fields are type and language"
                )
        return {str(field): str(between) for field, between in table.items()}

    def have_a_place(self, query: Table, request: Any) -> None:
        """Checks that a table of words has a place in the request or a template, and that such a
        place has a table of words: without the other, neither has an effect.
        """
        fields = query.get("fields", {})
        for field, key in (("type", "types"), ("language", "languages")):
            words = query.get(key, {})
            placed = f"{{{field}}}" in str(request) or (
                isinstance(fields, Mapping) and field in fields
            )
            if placed and not words:
                self.reader.wrong(
                    f"query.{key}", f"is missing: what does the database call each {field}?"
                )
            needs = not isinstance(words, Mapping) or any(
                value is not True for value in words.values()
            )
            if words and needs and not placed:
                self.reader.wrong(
                    f"query.{key}",
                    f"has no place: write query.fields.{field}, or {{{field}}} in a parameter",
                )
