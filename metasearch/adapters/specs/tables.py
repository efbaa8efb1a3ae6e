"""What the readers of a spec's tables share: kinds of values, closed lists, templates, selectors.

Problems are gathered, not raised.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from metasearch.adapters.shapes import Selector
from metasearch.adapters.spec import Limits, Template
from metasearch.adapters.translate.templates import PAGING
from metasearch.errors import UsageError
from metasearch.query.ast import FIELDS
from metasearch.toml_kinds import is_of, mismatch

Table = Mapping[str, Any]
#: Compiles a selector; raises ValueError if it cannot.
Compiler = Callable[[str], Selector]

#: The placeholders of a request.
PLACEHOLDERS = frozenset(FIELDS) | PAGING | {"query", "years", "since", "until"}

#: The keys of each table; docs/adapters.md explains every one.
KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset(
        "name label homepage docs terms coverage languages syntax probe default enabled weight "
        "extends hook url "
        "request query paging auth limits enrich parse fields ids also".split()
    ),
    "request": frozenset(
        "url method params headers body json text content_type redirects longest newest".split()
    ),
    "request.newest": frozenset("params body json text".split()),
    "enrich": frozenset("by request".split()),
    "enrich.request": frozenset("url params headers".split()),
    "query": frozenset(
        "style unsupported fields conjunction disjunction negation group phrase phrases word "
        "words plain joined "
        "truncated truncated_least types languages either wider scored "
        "escape strip years years_in".split()
    ),
    "query.years": frozenset("only both since until".split()),
    "paging": frozenset("kind size window next first".split()),
    "auth": frozenset("env in required prefix get kind token_url secret_env scope login".split()),
    "limits": frozenset(f.name for f in dataclasses.fields(Limits)),
    "parse": frozenset(
        "name body records total total_header when error warning next unescape bare not_found "
        "promises".split()
    ),
    "field": frozenset(
        "at as map value template each name family given corporate orcid affiliation".split()
    ),
}
#: The values of a key, where they are a closed list.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "request.method": ("GET", "POST"),
    "enrich.by": ("doi",),
    "query.style": ("params", "expression"),
    "query.unsupported": ("filter", "drop", "refuse"),
    "query.words": ("each", "joined"),
    "query.years_in": ("expression", "params"),
    "paging.kind": ("none", "page", "offset", "cursor", "link"),
    "parse.body": ("json", "xml", "html", "marcxml"),
    "parse.not_found": ("error", "empty"),
    "auth.in": ("params", "headers"),
    "auth.kind": ("key", "oauth2", "login"),
}


class TableReader:
    """Reads values from tables.

    A value that is wrong adds a problem, "table.key: what is wrong; what is allowed", and a usual
    value is returned instead. `problems`: everything that is wrong, in the order in which it was
    noticed.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[str] = []

    def wrong(self, where: str, what: str) -> None:
        """Adds a problem. `where`: the place, as "table.key"."""
        self.problems.append(f"{where}: {what}")

    def table(self, parent: Table, key: str, where: str | None = None) -> Table:
        """Returns a table inside another one; an empty one if there is none."""
        value = parent.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(where or key, "must be a table")
            return {}
        return value

    def known(self, table: Table, keys: str, where: str) -> None:
        """Checks that a table has no key but those of `KEYS[keys]`."""
        allowed = KEYS[keys]
        for key in table:
            if key not in allowed:
                self.wrong(
                    f"{where}.{key}" if where else key,
                    f"unknown key; allowed are {', '.join(sorted(allowed))}",
                )

    def get(
        self, table: Table, key: str, kind: type | tuple[type, ...], default: Any, where: str
    ) -> Any:
        """Returns the value of a key; the default if there is none, or if it is not allowed."""
        value = table.get(key, default)
        full = f"{where}.{key}" if where else key
        if value is not default and not is_of(value, kind):
            self.wrong(full, mismatch(value, kind))
            return default
        choices = CHOICES.get(full)
        if choices and value not in choices:
            self.wrong(full, f"{value!r} is not allowed; write one of {', '.join(choices)}")
            return default
        return value

    def strings(self, table: Table, key: str, where: str) -> tuple[str, ...]:
        """Returns the strings of an array; () and a problem if the value is something else."""
        strings = table.get(key, [])
        if not isinstance(strings, list) or not all(isinstance(text, str) for text in strings):
            self.wrong(where, "must be an array of strings")
            return ()
        return tuple(strings)

    def places(self, table: Table, key: str, where: str) -> tuple[str, ...]:
        """Returns the "host:port" entries of an array."""
        places = [str(place) for place in self.get(table, key, list, [], where)]
        if not places:
            return ()
        from metasearch.adapters.fetch.guard import AllowList

        try:
            AllowList.parse(places)
        except UsageError as exc:
            self.wrong(f"{where}.{key}", str(exc))
        return tuple(places)

    def templates(
        self, table: Table, key: str, where: str, allowed: frozenset[str] = PLACEHOLDERS
    ) -> dict[str, Template]:
        """Returns the templates of a table, by name."""
        templates: dict[str, Template] = {}
        for name, value in self.table(table, key, f"{where}.{key}").items():
            parts = value if isinstance(value, list) else [value]
            if not all(map(_is_template, parts)):
                self.wrong(
                    f"{where}.{key}.{name}",
                    "must be a string, or an array of strings that are joined by commas",
                )
                continue
            for part in parts:
                self.placeholders(str(part), allowed, f"{where}.{key}.{name}")
            texts = tuple(str(part) for part in parts)
            templates[name] = texts if isinstance(value, list) else str(value)
        return templates

    def selector(self, compiler: Compiler, value: Any, where: str) -> Selector | None:
        """Compiles a selector; None and a problem if it cannot be used."""
        if not isinstance(value, str) or not value.strip():
            self.wrong(where, "must be a selector (a string)")
            return None
        try:
            return compiler(value)
        except ValueError as exc:
            self.wrong(where, f"{value!r}: {exc}")
            return None

    def json_template(self, value: Any, where: str) -> Any:
        """Checks that the value of `json` is JSON and that its strings are templates."""
        if isinstance(value, str):
            self.placeholders(value, PLACEHOLDERS, where)
        elif isinstance(value, Mapping):
            for name, member in value.items():
                self.json_template(member, f"{where}.{name}")
        elif isinstance(value, list):
            for number, member in enumerate(value, 1):
                self.json_template(member, f"{where}[{number}]")
        elif not isinstance(value, (int, float)) or not math.isfinite(value):
            self.wrong(where, f"JSON has no {type(value).__name__} like this; write a string")
        return value

    def placeholders(self, template: str, allowed: frozenset[str], where: str) -> None:
        """Checks that a template has only these placeholders, as `{name}`."""
        try:
            used = [
                (name, spec, conversion)
                for _, name, spec, conversion in Formatter().parse(template)
                if name is not None
            ]
        except ValueError as exc:
            self.wrong(where, f"not a template ({exc}); write {{{{ and }}}} for braces")
            return
        for name, spec, conversion in used:
            if name not in allowed or spec or conversion:
                self.wrong(
                    where,
                    f"unknown placeholder {{{name}}}; allowed are {', '.join(sorted(allowed))}",
                )


def _is_template(value: Any) -> bool:
    """Whether a value can be a template: a string, or a whole number that is sent as it is."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)
