"""Reading the tables of a spec: types, choices, unknown keys, placeholders; problems are gathered
and not raised.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from string import Formatter
from typing import Any

from metasearch.adapters.spec import Limits, Template
from metasearch.adapters.translate.templates import PAGING
from metasearch.errors import UsageError
from metasearch.query.ast import FIELDS
from metasearch.toml_kinds import is_of, mismatch

Table = Mapping[str, Any]

PLACEHOLDERS = frozenset(FIELDS) | PAGING | {"query", "years", "since", "until"}

#: The keys of each table; docs/adapters.md explains every one.
KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset(
        "name label homepage docs terms coverage languages syntax probe default enabled weight "
        "extends hook url "
        "request query paging auth limits enrich parse fields ids also".split()
    ),
    "request": frozenset(
        "url method params headers body json text content_type redirects longest".split()
    ),
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
#: What a key may be, where the values are a closed list.
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
    """Gathers problems as "table.key: what is wrong; what is allowed".

    Args:
        file: For messages.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[str] = []

    def wrong(self, where: str, what: str) -> None:
        """Note a problem."""
        self.problems.append(f"{where}: {what}")

    def table(self, parent: Table, key: str, where: str | None = None) -> Table:
        value = parent.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(where or key, "must be a table")
            return {}
        return value

    def known(self, table: Table, keys: str, where: str) -> None:
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
        value = table.get(key, default)
        full = f"{where}.{key}" if where else key
        if value is not default and not is_of(value, kind):
            self.wrong(full, mismatch(value, kind))
            return default
        choices = CHOICES.get(full)
        if choices and value not in choices:
            self.wrong(full, f"{value!r} is not allowed; one of {', '.join(choices)}")
            return default
        return value

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
        out: dict[str, Template] = {}
        for name, value in self.table(table, key, f"{where}.{key}").items():
            parts = value if isinstance(value, list) else [value]
            if not all(
                isinstance(part, (str, int)) and not isinstance(part, bool) for part in parts
            ):
                self.wrong(
                    f"{where}.{key}.{name}",
                    "must be a string, or an array of strings that are joined by commas",
                )
                continue
            for part in parts:
                self.placeholders(str(part), allowed, f"{where}.{key}.{name}")
            out[name] = (
                tuple(str(part) for part in parts) if isinstance(value, list) else str(value)
            )
        return out

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
            self.wrong(where, f"JSON has no {type(value).__name__} like this; write it as a string")
        return value

    def placeholders(self, template: str, allowed: frozenset[str], where: str) -> None:
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
