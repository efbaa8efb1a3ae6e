"""`metasearch sources`: lists the sources, shows one, and checks the specs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.common_options import common, complete_source
from metasearch.cli.sources.authoring import new, record, schema
from metasearch.cli.sources.probe import probe
from metasearch.cli.terminal.columns import columns
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import SpecError, UsageError

if TYPE_CHECKING:
    from metasearch.adapters.spec import AdapterSpec, RequestTemplate
    from metasearch.adapters.specs.registry import Registry


@click.group(
    cls=CommandGroup,
    examples=(
        ("metasearch sources list", "all sources, the default ones, and missing keys"),
        ("metasearch sources show crossref", "limits, keys and fields of one source"),
        (
            "metasearch sources new my-source --like json",
            "a spec to fill in, with a comment at every line",
        ),
        ("metasearch sources check my-source.toml", "every mistake of a spec at once"),
        (
            "metasearch sources probe medicine",
            "the sources of a group that have changed or do not answer",
        ),
    ),
)
def sources() -> None:
    """List, show and check the sources, and write new ones. Only `probe` and `record` send
    requests.
    """


# --------------------------------------------------------------------------- list


@sources.command("list", short_help="List the sources, and which keys are missing.")
@click.option(
    "--group",
    "group",
    metavar="NAME",
    help="Only the sources of a group: medicine, physics, books ...",
)
@click.option("--json", "as_json", is_flag=True, help="One document: a list of objects.")
@common
@click.pass_obj
def list_(console: Console, /, *, group: str | None, as_json: bool, config: Path | None) -> int:
    """List name, label, whether a search asks the source by default, and the state of its key."""
    registry, env = _registry(config)
    default = registry.default()
    if group is not None and group not in registry.groups:
        raise UsageError(
            f"there is no group {group!r}", advice=f"There are {', '.join(registry.groups)}."
        )
    names = (
        registry.names()
        if group is None
        else [*registry.group(group), *registry.disabled((group,))]
    )
    rows = [_row(name, registry, default, env) for name in names]
    if as_json:
        import orjson

        with Sink() as sink:
            sink.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return Exit.OK
    table: list[tuple[str, ...]] = [("NAME", "LABEL", "DEFAULT", "KEY")]
    for row in rows:
        key = (
            "broken: see `metasearch sources check`"
            if row["problems"]
            else _keys_in_words(row["keys"])
        )
        asked = "yes" if row["default"] else "off" if row["enabled"] is False else "-"
        table.append((row["name"], row["label"], asked, key))
    for text in columns(table):
        click.echo(text)
    return Exit.OK


def _row(
    name: str, registry: Registry, default: list[str], env: Mapping[str, str]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": name,
        "label": name,
        "homepage": None,
        "terms": None,
        "coverage": None,
        "languages": [],
        "syntax": None,
        "groups": registry.groups_of(name),
        "default": name in default,
        "enabled": None,
        "keys": [],
        "problems": [],
    }
    try:
        spec = registry.spec(name)
    except SpecError as exc:
        return row | {"problems": list(exc.problems)}
    return row | {
        "label": spec.label,
        "homepage": spec.homepage or None,
        "terms": spec.terms or None,
        "coverage": spec.coverage or None,
        "languages": list(spec.languages),
        "syntax": spec.syntax or None,
        "enabled": spec.enabled,
        "keys": _keys(spec, env),
    }


def _keys(spec: AdapterSpec, env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The name of each key and whether it is set, without its value."""
    return [
        {"env": name, "required": auth.required, "set": bool(env.get(name))}
        for auth in spec.auth
        for name in auth.variables
    ]


def _keys_in_words(keys: list[dict[str, Any]]) -> str:
    words = []
    for key in keys:
        state = (
            "set" if key["set"] else "MISSING, required" if key["required"] else "not set, optional"
        )
        words.append(f"{key['env']} ({state})")
    return ", ".join(words) or "none needed"


# --------------------------------------------------------------------------- show


@sources.command("show")
@click.argument("name", shell_complete=complete_source)
@common
@click.pass_obj
def show(console: Console, /, *, name: str, config: Path | None) -> int:
    """Show everything about one source, except secrets."""
    registry, env = _registry(config)
    from metasearch.cli.sources.specs import is_family, spec_of

    spec = spec_of(name, registry)
    asked = "by default" if name in registry.default() else "when it is named"
    if is_family(name, registry):
        asked = f'never: sources extend it with `extends = "{name}"`'
    facts = [
        (key, value) for key, value in _facts(spec, asked, registry.groups_of(name), env) if value
    ]
    if note := registry.stands_for(name):
        facts.append(("note", note))
    width = max(len(key) for key, _ in facts)
    from metasearch.formats.text import line

    for key, value in facts:
        click.echo(f"{key.ljust(width)}  {line(value)}")
    return Exit.OK


def _facts(
    spec: AdapterSpec, asked: str, groups: list[str], env: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    limits, query, paging = spec.limits, spec.query, spec.paging
    yield "name", spec.name
    yield "label", spec.label
    yield "coverage", spec.coverage
    yield "homepage", spec.homepage
    yield "docs", spec.docs
    yield "terms", spec.terms
    yield "languages", "many" if spec.languages == ("*",) else ", ".join(spec.languages)
    yield "spec", spec.file
    yield "asked", asked if spec.enabled else "only when it is named: it is off"
    yield "groups", ", ".join(groups)
    yield "key", _keys_in_words(_keys(spec, env))
    yield (
        "login",
        ", ".join(_without_secrets(auth.token_url) for auth in spec.auth if auth.token_url),
    )
    yield "get one at", ", ".join(dict.fromkeys(auth.get for auth in spec.auth if auth.get))
    yield "weight", f"{spec.weight:g} in the ranking"
    yield "url", f"{spec.request.method} {_without_secrets(spec.request.url)}"
    # Without the values: a user's own spec may contain secrets.
    yield "parameters", ", ".join((*spec.request.params, *spec.request.body))
    yield "body", _body_in_words(spec.request)
    yield "sorts by date", "no" if spec.newest is None else "yes"
    if spec.enrich is not None:
        yield "enriches", f"by {spec.enrich.by}: GET {_without_secrets(spec.enrich.request.url)}"
    yield "rate", f"{limits.requests:g} requests in {limits.per:g} s, {limits.concurrency} at once"
    yield "stated at", limits.stated or "nobody states it; a considerate guess"
    yield "timeout", f"{limits.timeout:g} s a request; {limits.pause:g} s pause after a refusal"
    yield "cache", f"{limits.ttl:g} s" if limits.ttl else "never"
    yield "largest body", f"{limits.max_bytes:,} bytes"
    yield "paging", f"{paging.kind}, {paging.size} records a page, {paging.window} in all"
    yield "query language", spec.syntax
    yield "searches", ", ".join(_searched(spec))
    yield (
        "operators",
        ", ".join(
            word
            for word, way in (
                ("AND", query.conjunction),
                ("OR", query.disjunction),
                ("NOT", query.negation),
            )
            if way
        ),
    )
    yield (
        "what else",
        {"filter": "is filtered here", "drop": "is left out, and said so", "refuse": "is refused"}[
            query.unsupported
        ],
    )
    for number, shape in enumerate(spec.shapes, 1):
        fields = ", ".join(dict.fromkeys(rule.field for rule in shape.shape().rules))
        yield f"reads {number}" if len(spec.shapes) > 1 else "reads", f"{shape.body}: {fields}"
    yield "hook", f"adapters/hooks/{spec.hook}.py" if spec.hook else ""


def _searched(spec: AdapterSpec) -> list[str]:
    """The fields that can be searched: those of the dialect, or those that have a parameter."""
    from metasearch.adapters.translate.templates import all_names
    from metasearch.query.ast import FIELDS

    if spec.query.fields:
        return list(spec.query.fields)
    used = all_names(spec.request)
    return [name for name in FIELDS if name in used]


def _body_in_words(request: RequestTemplate) -> str:
    """The body of a POST that is not a form; of JSON the top-level names."""
    if request.json is not None:
        members = f": {', '.join(request.json)}" if isinstance(request.json, dict) else ""
        return f"JSON{members} ({request.content_type})"
    return f"text ({request.content_type})" if request.text else ""


def _without_secrets(url: str) -> str:
    """The address without user information and query string, which may contain a key."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


# --------------------------------------------------------------------------- check


@sources.command("check")
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...", shell_complete=complete_source)
@common
@click.pass_obj
def check(console: Console, /, *, names: tuple[str, ...], config: Path | None) -> int:
    """Print every problem of every spec at once.

    Without arguments all shipped sources and those of the configuration are checked. A FILE is a
    spec, or a configuration file with [sources.NAME] tables. Exit code 2: there are problems.
    """
    from metasearch.cli.sources.check import check as problems_of
    from metasearch.settings import Settings

    checked, problems = problems_of(names, Settings.load(config, os.environ))
    for problem in problems:
        click.echo(problem)
    if not console.quiet:
        console.say(f"{checked} checked, {counted(len(problems), 'problem')}")
    return Exit.USAGE if problems else Exit.OK


for command in (new, probe, record, schema):
    sources.add_command(command)


def _registry(config: Path | None) -> tuple[Registry, Mapping[str, str]]:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.settings import Settings

    settings = Settings.load(config, os.environ)
    return Registry(settings), settings.env
