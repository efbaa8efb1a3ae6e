"""Fills a spec's templates (parameters, headers, URLs, JSON, text) from query and paging."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from string import Formatter
from typing import Any, NamedTuple
from urllib.parse import quote

from metasearch.adapters.request import Pairs, Secret
from metasearch.adapters.spec import RequestTemplate, Template

#: Placeholders with whole numbers; a string of a JSON body that is only one of them is a number.
NUMBERS = frozenset({"size", "start", "start1", "end", "page", "page0"})
#: Placeholders that change from page to page.
PAGING = NUMBERS | {"cursor"}


def paging_values(start: int, size: int, cursor: str) -> dict[str, str]:
    """Returns the values of `PAGING`. `start`: position of the page's first record, from 0.
    `cursor`: the cursor of the page; "" if there is none.
    """
    return {
        "size": str(size),
        "start": str(start),
        "start1": str(start + 1),
        "end": str(start + size),
        "page": str(start // size + 1),
        "page0": str(start // size),
        "cursor": cursor,
    }


@lru_cache(maxsize=2_000)
def names(template: str) -> tuple[str, ...]:
    """The placeholders of a template, in order."""
    return tuple([name for _, name, _, _ in Formatter().parse(template) if name])


def all_names(template: RequestTemplate) -> frozenset[str]:
    """The placeholders of all parts with the query: address, parameters and body."""
    pairs = (*template.params.values(), *template.body.values())
    found = _names_of((template.url, template.text, *pairs))
    return found if template.json is None else found.union(_names_within(template.json))


@lru_cache(maxsize=500)
def _names_of(templates: tuple[Template, ...]) -> frozenset[str]:
    return frozenset(
        [name for template in templates for part in _parts(template) for name in part.names]
    )


def fill(templates: Mapping[str, Template], values: Mapping[str, str]) -> Pairs:
    """Returns the filled pairs, without those whose placeholders are all empty.

    An empty template removes a parameter of the spec that is extended.
    """
    if not templates:
        return ()
    blank = _Blank(values)
    pairs: list[tuple[str, str | Secret]] = []
    for name, template in templates.items():
        filled = [part.filled(blank) for part in _parts(template) if not part.is_empty(values)]
        if filled:
            pairs.append((name, ",".join(filled)))
    return tuple(pairs)


def refill(pairs: Pairs, templates: Mapping[str, Template], values: Mapping[str, str]) -> Pairs:
    """Returns the pairs, of which only those that depend on the page are filled again."""
    paged = {name: template for name, template in templates.items() if _is_paged(template)}
    if not paged:
        return pairs
    fresh = dict(fill(paged, values))
    kept = tuple(
        [
            (name, value if isinstance(value, Secret) else fresh.pop(name, value))
            for name, value in pairs
            if name not in paged or name in fresh
        ]
    )
    return kept + tuple(fresh.items())


@lru_cache(maxsize=2_000)
def _is_paged(template: Template) -> bool:
    return any(not PAGING.isdisjoint(part.names) for part in _parts(template))


def fill_url(template: str, values: Mapping[str, str]) -> str:
    """Returns the address, with percent-encoded values."""
    return _filled(
        template, {name: quote(values.get(name, ""), safe="") for name in names(template)}
    )


def fill_content(template: RequestTemplate, values: Mapping[str, str]) -> str:
    """Returns the JSON or plain text of a POST; "" if its body is a form, or if there is none.

    A member of JSON is left out if all of its placeholders are empty. A table is left out with its
    constants, which mean nothing without the value (`{ field = "year", value = "{years}" }`). An
    array loses only such members.
    """
    if template.json is None:
        return _filled(template.text, values)
    return json.dumps(
        _filled_json(template.json, values), ensure_ascii=False, separators=(",", ":")
    )


def _filled_json(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        alone = value[1:-1] if value[:1] + value[-1:] == "{}" else ""
        return int(values[alone]) if alone in NUMBERS else _filled(value, values)
    if isinstance(value, Mapping):
        return {
            name: _filled_json(member, values)
            for name, member in value.items()
            if not _is_void(member, values)
        }
    if isinstance(value, list):
        return [_filled_json(member, values) for member in value if not _is_void(member, values)]
    return value


def _is_void(value: Any, values: Mapping[str, str]) -> bool:
    """Whether a member of a JSON body is left out."""
    if isinstance(value, str):
        used = names(value)
        return bool(used) and not any(map(values.get, used))
    if isinstance(value, list):
        return bool(value) and all(_is_void(member, values) for member in value)
    if isinstance(value, Mapping):
        worded = [member for member in value.values() if any(_names_within(member))]
        return bool(worded) and all(_is_void(member, values) for member in worded)
    return False


def _names_within(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from names(value)
    elif isinstance(value, (Mapping, list)):
        for member in value.values() if isinstance(value, Mapping) else value:
            yield from _names_within(member)


class _Part(NamedTuple):
    """One template and its placeholders. `alone`: the placeholder that is the whole template; ""
    where there is more than that.
    """

    template: str
    names: tuple[str, ...]
    alone: str

    def is_empty(self, values: Mapping[str, str]) -> bool:
        """Whether there are placeholders, and none of them has a value."""
        return bool(self.names) and not any(map(values.get, self.names))

    def filled(self, values: _Blank) -> str:
        """The template with the values."""
        return values[self.alone] if self.alone else self.template.format_map(values)


@lru_cache(maxsize=2_000)
def _parts(template: Template) -> tuple[_Part, ...]:
    """The templates of which one consists, without empty ones."""
    found = []
    for part in (template,) if isinstance(template, str) else template:
        if part:
            used = names(part)
            alone = used[0] if len(used) == 1 and part == f"{{{used[0]}}}" else ""
            found.append(_Part(part, used, alone))
    return tuple(found)


def _filled(template: str, values: Mapping[str, str]) -> str:
    return template.format_map(_Blank(values))


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""
