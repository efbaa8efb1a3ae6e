"""Specs by name or by path, and their problems; the specs that `new` writes, and the cases that
`record` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.bodies import kind_of
from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import JSON, Page, Request, public, redact
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import (
    base_table,
    build,
    is_path,
    shipped_table,
    spec_folder,
    table_of,
)
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.engine.engine import transport_of
from metasearch.errors import SettingsError, SourceError, SpecError, UnknownSource, UsageError
from metasearch.formats.own import record_object
from metasearch.formats.text import line
from metasearch.query import parse as read_query
from metasearch.settings import NO_ENRICHER, Settings


def is_family(name: str, registry: Registry) -> bool:
    """Whether the name is that of a shipped spec which is only there to be extended."""
    return name not in registry.names() and name in registry.families


def spec_of(name: str, registry: Registry) -> AdapterSpec:
    """The spec of a source, in a file, or of a family as it is before anything extends it.

    Raises:
        UnknownSource: With near misses.
        UsageError: There is no such file.
        SpecError: With every problem.
    """
    if is_path(name):
        named = registry.with_files((name,))
        return named.spec(named.name_of(name))
    if is_family(name, registry):
        return build(shipped_table(name), f"{name}.toml", base_table)
    return registry.spec(name)


def problems_of(names: Iterable[str], settings: Settings) -> tuple[int, list[str]]:
    """How many things were checked, and every problem as "file: table.key: what is wrong"."""
    registry = Registry(settings, late=False)
    chosen = list(names)
    whole = not chosen
    if whole:
        chosen = [
            *registry.shipped_names,
            *(name for name in registry.additions if name not in registry.shipped_names),
        ]
    problems: list[str] = []
    for name in chosen:
        problems += _of_file(Path(name)) if is_path(name) else _of_source(name, registry)
    if whole:
        problems += _unknown_defaults(settings, registry)
    return len(chosen), problems


def _of_source(name: str, registry: Registry) -> Iterator[str]:
    try:
        if name in registry.shipped_names and shipped_table(name).get("name", name) != name:
            yield f"{name}.toml: name: must be {name!r}, the name of the file"
        spec_of(name, registry)
        # A family is held by the cases of the sources that extend it.
        shipped = name in registry.shipped_names and registry.stands_for(name) is None
        if shipped and not is_family(name, registry) and not _has_cassette(name):
            yield f"{name}.toml: cassettes/{name}: has no case, so no test holds this spec"
    except SpecError as exc:
        yield from _problem_lines(exc.file, exc.problems)
    except UnknownSource as exc:
        yield line(f"{exc}; {exc.advice}")


def _of_file(path: Path) -> Iterator[str]:
    """A spec, or a configuration file, told apart by the table that only the latter has."""
    try:
        table = table_of(path)
        if "sources" in table:
            settings = Settings.load(path, {})
            registry = Registry(settings)
            for name in registry.additions:
                yield from _of_source(name, registry)
            yield from _unknown_defaults(settings, registry)
        else:
            build({"name": path.stem, **table}, str(path), base_table)
    except (SpecError, SettingsError) as exc:
        yield from _problem_lines(exc.file, exc.problems)
    except UsageError as exc:  # there is none
        yield line(f"{path}: cannot be read: {exc}")


def _problem_lines(file: str, problems: Iterable[str]) -> Iterator[str]:
    # A problem may quote the file, and the file may hold anything.
    return (line(f"{file}: {problem}") for problem in problems)


def _unknown_defaults(settings: Settings, registry: Registry) -> Iterator[str]:
    known = {*registry.shipped_names, *registry.additions, *registry.groups}
    for name in settings.default_sources or ():
        if name not in known:
            yield line(
                f"{settings.file or 'configuration'}: search.sources: there is no source called "
                f"{name!r}"
            )
    for name in settings.enrich:
        where = f"{settings.file or 'configuration'}: search.enrich"
        if name == NO_ENRICHER:
            continue
        if name not in known:
            yield line(f"{where}: there is no source called {name!r}")
        elif not _enriches(name, registry):
            yield line(
                f"{where}: {name} cannot be asked for single works; its spec has no [enrich]"
            )


def _enriches(name: str, registry: Registry) -> bool:
    try:
        return registry.spec(name).enrich is not None
    except SpecError:
        return True  # what is wrong with it is told elsewhere


def _has_cassette(name: str) -> bool:
    """Whether a case is recorded; true where there is no checkout to record it in."""
    top = spec_folder().parent
    if not (top / "pyproject.toml").is_file() or not (top / "cassettes").is_dir():
        return True
    folder = top / "cassettes" / name
    return folder.is_dir() and any(case.is_dir() for case in folder.iterdir())


# What authors of adapters are given: a spec to fill in, and a case from a live answer.

_HEAD = """\
#:schema spec.schema.json
# `metasearch sources schema > spec.schema.json` lets your editor complete and check it;
# docs/adapters.md explains every key. Then: metasearch sources check {name}.toml; metasearch parse
# {name}.toml answer.{body}
name      = "{name}"                        # as in -s {name}
label     = "{label}"
homepage  = "https://www.example.org"
docs      = "https://www.example.org/api"       # where request, fields and limits are documented
terms     = "https://www.example.org/terms"     # or a sentence, where they forbid something
coverage  = "What is in it, since when, how much"
languages = ["*"]                               # ISO 639-1 codes; ["*"] for many
syntax    = "What the database's own query language is"

[request]
url = "https://api.example.org/search"
# Placeholders: {{query}} or a field such as {{any}}, {{title}}; {{years}}; {{size}}, {{start}}
# (from 0), {{start1}}, {{page}}, {{page0}}, {{end}}, {{cursor}}. A parameter whose placeholders are
# all empty is left out.
params = {{ q = "{{query}}", rows = "{{size}}", start = "{{start}}" }}

[query]
style       = "expression"                      # or "params": words in one parameter for each field, no operators
conjunction = " AND "                           # between parts, with blanks; leave out what the database cannot say:
disjunction = " OR "                            # it is filtered afterwards, and told
negation    = " NOT {{x}}"
phrase      = '"{{x}}"'
strip       = '"()[]{{}}:*?^~\\'                   # what would be taken for syntax and cannot be quoted
fields      = {{ any = "{{x}}", title = "title:{{x}}", author = "author:{{x}}" }}
years.both  = "year:[{{first}} TO {{last}}]"
years.since = "year:[{{first}} TO *]"
years.until = "year:[* TO {{last}}]"

[paging]
kind   = "offset"                               # none, page, offset, cursor (with `next`), link (with `next`)
size   = 50                                     # most records of one page
window = 10000                                  # most that can be reached

# [auth.api_key]                                # the parameter's name; in = "headers" for a header
# env      = "METASEARCH_{upper}_KEY"
# required = true
# get      = "https://www.example.org/keys"     # where whoever has none gets one

[limits]
requests = 1                                    # that may start in `per` seconds
per      = 1.0
timeout  = 10.0
stated   = "https://www.example.org/api#limits" # leave it out where no limit is stated

"""
_PARSE = {
    "json": """\
[parse]                                         # JMESPath: https://jmespath.org
body    = "json"
records = "results"
total   = "total"
error   = "error.message"                       # used where there are no records

[fields]                                        # the first selector of a list that finds something counts
source_id = "id"
url       = "url"
title     = "title"
authors   = { each = "authors", family = "last", given = "first", name = "name", orcid = "orcid" }
date      = ["published", "year"]               # never more precise than it is known
venue     = "journal"
doi       = "doi"
abstract  = "abstract"
type      = { at = "kind", map = { "paper" = "article", "talk" = "conference-paper", "*" = "other" } }
""",
    "xml": """\
[parse]                                         # XPath 1.0; *[local-name()='x'] for unknown namespaces
body    = "xml"
records = "//item"
total   = "//total"
error   = "//error/message"

[fields]                                        # from the record's element
source_id = "id"
url       = "link"
title     = "title"
authors   = { each = "author", name = "name" }
date      = "published"
venue     = "journal"
doi       = "identifier[@type='doi']"
abstract  = "abstract"
type      = { at = "type", map = { "paper" = "article", "*" = "other" } }
""",
    "html": """\
[parse]                                         # CSS with ::text and ::attr(x), or XPath that begins with / or ./
body    = "html"
when    = "#results"                            # what every page of results has: all else is reported
records = "#results .hit"
total   = ".count::text"

[fields]
source_id = "a.title::attr(data-id)"
url       = "a.title::attr(href)"
title     = "a.title"
authors   = { at = ".authors::text", as = "names-semicolon" }
year      = ".year::text"
venue     = ".journal::text"
""",
}
_MEMBER = """\
#:schema spec.schema.json
# Only what this one does otherwise than what it extends needs to stand here; docs/adapters.md
# explains every key. Then: metasearch sources check {name}.toml; metasearch parse {name}.toml
# answer
extends   = "{family}"
name      = "{name}"
label     = "{label}"
homepage  = "https://www.example.org"
docs      = "https://www.example.org/api"
terms     = "https://www.example.org/terms"
coverage  = "What is in it, since when, how much"
languages = ["*"]

[request]
url = "https://api.example.org/search"

[limits]
requests = 1
per      = 1.0
"""


def of_body(name: str, body: str) -> str:
    """A spec for answers of a kind: "json", "xml" or "html"."""
    return _HEAD.format(name=name, label=_label(name), upper=_upper(name), body=body) + _PARSE[body]


def of_family(name: str, family: str) -> str:
    """The spec of a member of a family."""
    return _MEMBER.format(name=name, family=family, label=_label(name))


def _label(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").title()


def _upper(name: str) -> str:
    return name.replace("-", "_").upper()


# A case of cassettes/ from a live answer: what was asked, what came, and what was read of it;
# without secrets. The layout is that of docs/adapters.md, which tests/test_cassettes.py reads.

#: What stands in a case for each secret that was used.
DUMMY = "dummy-value"


class _PageRecorder:
    """Sends through another transport, and remembers what came back, whatever becomes of it."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.pages: list[Page] = []

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        page = await self._inner.send(request, timeout=timeout, max_bytes=max_bytes)
        if not request.private:
            self.pages.append(redact(page))
        return page

    async def close(self) -> None:
        await self._inner.close()


async def ask(
    query: str, spec: AdapterSpec, wanted: int, settings: Settings
) -> tuple[list[Page], SourceError | None]:
    """The pages that a search for so many records brings first, and what went wrong.

    A second page is there where a search takes two requests: ids first, their records then. An
    answer that is an error is a page, too.
    """
    watched = _PageRecorder(transport_of(settings))
    fetcher = Fetcher(watched)
    try:
        request: Request | None = plan(read_query(query), spec, wanted, settings.env).request
        step = None
        while request is not None and request.step != step:
            step = request.step
            page = await fetcher.fetch(request, spec.limits, use_cache=False, env_name=spec.key_env)
            request = parse(page, spec).next
    except SourceError as error:
        return _last_of_each(watched.pages), error
    finally:
        await fetcher.close()
    return _last_of_each(watched.pages), None


def _last_of_each(pages: list[Page]) -> list[Page]:
    """One page a step: of several tries the last."""
    return list({page.request.step: page for page in pages}.values())


def keep(
    folder: Path, query: str, spec: AdapterSpec, wanted: int, settings: Settings, pages: list[Page]
) -> int:
    """Writes the case, each page after the first into step2; how many records are in it. `folder`:
    is made. `query`: as it was given to `ask`, and so the following ones.
    """
    env = {name: DUMMY for auth in spec.auth for name in auth.variables if settings.env.get(name)}
    planned = plan(read_query(query), spec, wanted, env)
    about: dict[str, Any] = {"query": query, "wanted": wanted, "env": env}
    count = 0
    for number, page in enumerate(pages):
        place = folder.joinpath(*["step2"] * number)
        place.mkdir(parents=True)
        count = _keep(
            place, about if number == 0 else {}, planned if number == 0 else None, page, spec
        )
    return count


def _keep(
    place: Path, about: dict[str, Any], planned: Plan | None, page: Page, spec: AdapterSpec
) -> int:
    request = page.request
    table: dict[str, Any] = about | {
        "method": request.method,
        "url": request.url,
        "params": list(public(request.params)),
    }
    if request.body:
        table["body"] = list(public(request.body))
    if request.content:
        as_json = request.content_type == JSON
        table["json" if as_json else "text"] = (
            json.loads(request.content) if as_json else request.content
        )
    if planned is not None:
        table |= {"sent": planned.sent, "notes": list(planned.notes)}
    if page.status != 200:
        table["status"] = page.status
    _write(place / "request.json", table)
    (place / f"body.{kind_of(page.body.strip()) or 'txt'}").write_bytes(page.body)
    try:
        records = parse(page, spec).records
    except SourceError as error:
        _write(place / "error.json", {"type": type(error).__name__, "message": str(error)})
        return 0
    _write(place / "records.json", [record_object(record) for record in records])
    return len(records)


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
