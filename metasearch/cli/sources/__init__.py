"""`metasearch sources`: lists, shows and checks the sources, and helps to write new ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.options import common, complete_source
from metasearch.cli.output import Console, Exit, Sink, columns, quantity
from metasearch.errors import SpecError, UsageError

if TYPE_CHECKING:
    from metasearch.adapters.spec import AdapterSpec, RequestTemplate
    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.probe import ProbeResult


#: Bodies for which there is a template; what is in none of them is a family.
BODIES = ("json", "xml", "html")
_CASE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@click.command("new", short_help="Write a spec to fill in.")
@click.argument("name")
@click.option(
    "--like",
    default="json",
    metavar="KIND",
    help="json, xml, html, a family that it belongs to (sru, solr ...), or the path of a spec "
    "that it extends.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Not NAME.toml.",
)
@click.pass_obj
def new(console: Console, /, *, name: str, like: str, output: Path | None) -> int:
    """Write NAME.toml, a spec with a comment at every line.

    `metasearch sources check NAME.toml` checks it. An existing file is not changed.
    """
    from metasearch.adapters.spec import SOURCE_NAME
    from metasearch.adapters.specs.specfile import is_path
    from metasearch.cli.sources.specs import of_body, of_family

    if not SOURCE_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a source", advice="Lower-case letters, digits, '-' and '_'."
        )
    families = _families()
    file = output or Path(f"{name}.toml")
    if is_path(like):
        text = of_family(name, _from(like, file))
    elif like in (*BODIES, *families):
        text = of_body(name, like) if like in BODIES else of_family(name, like)
    else:
        raise UsageError(
            f"there is no kind {like!r}", advice=f"There are {', '.join((*BODIES, *families))}."
        )
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as exc:
        raise UsageError(f"{file} is there already", advice="Name another file with -o.") from exc
    if not console.quiet:
        console.say(f"{file} is written; fill it in, then: metasearch sources check {file}")
    return Exit.OK


def _from(base: str, file: Path) -> str:
    """The path of a spec as one in that file names it. Raises UsageError: there is no such spec."""
    from metasearch.adapters.specs.specfile import table_of

    table_of(Path(base))
    relative = os.path.relpath(base, file.parent).replace(os.sep, "/")
    return relative if relative.startswith(".") else f"./{relative}"


def _families() -> tuple[str, ...]:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.settings import Settings

    return Registry(Settings()).families


@click.command("schema", short_help="Print the JSON Schema of specs, for editors.")
def schema() -> int:
    """Print the JSON Schema of a spec.

    Put it into a file and name that in the first line of a spec, `#:schema spec.schema.json`:
    editors with a TOML language server then complete keys and mark mistakes while you write.
    """
    from metasearch.adapters.specs.specfile import schema as made

    with Sink() as sink:
        sink.write_json(made())
    return Exit.OK


@click.command("record", short_help="Record an answer as a case.")
@click.argument("source", shell_complete=complete_source)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--case", "case", default="search", show_default=True, metavar="NAME", help="The folder's name."
)
@click.option(
    "--records", "wanted", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N"
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("cassettes"),
    show_default=True,
    metavar="DIR",
    help="The folder of the cases.",
)
@common
@click.pass_obj
def record(
    console: Console,
    /,
    *,
    source: str,
    query: tuple[str, ...],
    case: str,
    wanted: int,
    into: Path,
    config: Path | None,
) -> int:
    """Send QUERY to SOURCE, and write request, answer and records to DIR/SOURCE/NAME without
    secrets.

    If a search takes two requests, the second is in step2. Replace texts of other people by your
    own words before you publish the case. Exit code 3: the source did not answer.
    """
    import asyncio

    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.specs import ask, keep
    from metasearch.settings import Settings

    if not _CASE.fullmatch(case):
        raise UsageError(
            f"{case!r} is no name of a case", advice="Lower-case letters, digits and '-'."
        )
    settings = Settings.load(config, os.environ)
    registry = Registry(settings).with_files((source,))
    spec = registry.spec(registry.name_of(source))
    folder = into / spec.name / case
    if folder.exists():
        raise UsageError(
            f"{folder} is there already", advice="Choose another --case, or delete it."
        )
    text = " ".join(query)
    pages, error = asyncio.run(ask(text, spec, wanted, settings))
    if error is not None:
        console.say(f"{type(error).__name__}: {error}", "red")
    if not pages:
        return Exit.PARTIAL
    count = keep(folder, text, spec, wanted, settings, pages)
    if not console.quiet:
        console.say(f"{folder}: {quantity(len(pages), 'exchange')}, {quantity(count, 'record')}")
    return Exit.OK


#: Seconds for one source without `--timeout`: longer than most specs allow a search.
SECONDS = 30.0


@click.command("probe", short_help="Send each source one query, and report what has changed.")
@click.argument("names", nargs=-1, metavar="[NAME|GROUP]...", shell_complete=complete_source)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 600),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="For each source.",
)
@click.option("--json", "as_json", is_flag=True, help="One document: a list of objects.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report in Markdown, to paste into an issue; - is stdout, instead of the table.",
)
@common
@click.pass_obj
def probe(
    console: Console,
    /,
    *,
    names: tuple[str, ...],
    timeout: float,
    as_json: bool,
    report: Path | None,
    config: Path | None,
) -> int:
    """Send each source one real query, and compare its answer with its spec and its cases.

    Without names the default sources are asked. The query is that of the spec (`probe`), or a
    common word. Each source is asked once, within its limits, with its key. Neither the table nor
    the report contains a key or your address. Exit code 3: a source failed, found nothing or has
    drifted; 4: none answered. Sources without their key do not count.
    """
    import asyncio

    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.progress import ProgressLine
    from metasearch.cli.sources.probe import probe as ask
    from metasearch.cli.sources.probe import summary, table, to_markdown
    from metasearch.engine.engine import transport_of
    from metasearch.settings import Settings

    to_stdout = report is not None and str(report) == "-"
    if as_json and to_stdout:
        raise UsageError(
            "--json and --report - both write to stdout", advice="Give the report a file."
        )
    settings = Settings.load(config, os.environ)
    registry = Registry(settings)
    chosen = _sources_to_ask(names, registry)
    specs, broken = _specs(chosen, registry)
    line = ProgressLine(console)
    try:
        probed = asyncio.run(
            ask(
                specs,
                transport_of(settings),
                settings.env,
                seconds=timeout,
                progress=lambda done: line("asking sources", done, len(specs)),
            )
        )
    finally:
        line.clear()
    results = sorted([*probed, *broken], key=lambda result: chosen.index(result.source))
    if as_json:
        with Sink() as sink:
            sink.write_json([result.plain() for result in results])
    elif not to_stdout:
        for text in table(results):
            click.echo(text)
    if report is not None:
        with Sink(report) as sink:
            sink.write(to_markdown(results).encode())
    if not console.quiet:
        console.say(summary(results))
    return exit_for(results)


def _sources_to_ask(names: Sequence[str], registry: Registry) -> list[str]:
    """The sources to ask; collections of this machine only if they are named. Raises UsageError:
    there is none, or a name is unknown.
    """
    asked = [part for name in names for part in name.split(",") if part]
    chosen = registry.expand(asked) if asked else registry.default()
    collections = set(registry.collections) - set(asked)
    chosen = [name for name in chosen if name not in collections]
    if not chosen:
        raise UsageError("there is no source to ask", advice="Name some, or a group such as `all`.")
    return chosen


def _specs(names: Sequence[str], registry: Registry) -> tuple[list[AdapterSpec], list[ProbeResult]]:
    """(specs that can be used, results of the others). Raises UnknownSource: with near names."""
    from metasearch.cli.sources.probe import ProbeResult

    specs: list[AdapterSpec] = []
    broken: list[ProbeResult] = []
    for name in names:
        try:
            specs.append(registry.spec(name))
        except SpecError as exc:
            broken.append(
                ProbeResult(
                    name,
                    name,
                    "failed",
                    "",
                    problem=f"its spec is wrong: {'; '.join(exc.problems[:3])}",
                )
            )
    return specs, broken


def exit_for(results: Sequence[ProbeResult]) -> Exit:
    """The exit code: all sources are fine, some are not, or none answered."""
    if not any(result.status in ("ok", "empty", "drifted") for result in results):
        return Exit.NO_ANSWER
    return Exit.OK if all(result.fine for result in results) else Exit.PARTIAL


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
        else [*registry.group(group), *registry.disabled_members((group,))]
    )
    rows = [_row(name, registry, default, env) for name in names]
    if as_json:
        with Sink() as sink:
            sink.write_json(rows)
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
    yield "rate", limits.pace
    yield "stated at", limits.stated or "nobody states it; a considerate guess"
    yield "timeout", f"{limits.timeout:g} s a request; {limits.pause:g} s pause after a refusal"
    yield "cache", f"{limits.ttl:g} s" if limits.ttl else "never"
    yield "largest body", f"{limits.max_bytes:,} bytes"
    yield "paging", f"{paging.kind}, {paging.size} records a page, {paging.window} in all"
    yield "query language", spec.syntax
    yield "searches", ", ".join(_search_fields(spec))
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


def _search_fields(spec: AdapterSpec) -> list[str]:
    """The fields that can be searched: those of the dialect, or those that have a parameter."""
    from metasearch.adapters.translate.plan import all_names
    from metasearch.query.tree import FIELDS

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


@sources.command("check")
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...", shell_complete=complete_source)
@common
@click.pass_obj
def check(console: Console, /, *, names: tuple[str, ...], config: Path | None) -> int:
    """Print every problem of every spec at once.

    Without arguments all shipped sources and those of the configuration are checked. A FILE is a
    spec, or a configuration file with [sources.NAME] tables. Exit code 2: there are problems.
    """
    from metasearch.cli.sources.specs import problems_of
    from metasearch.settings import Settings

    checked, problems = problems_of(names, Settings.load(config, os.environ))
    for problem in problems:
        click.echo(problem)
    if not console.quiet:
        console.say(f"{checked} checked, {quantity(len(problems), 'problem')}")
    return Exit.USAGE if problems else Exit.OK


for command in (new, probe, record, schema):
    sources.add_command(command)


def _registry(config: Path | None) -> tuple[Registry, Mapping[str, str]]:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.settings import Settings

    settings = Settings.load(config, os.environ)
    return Registry(settings), settings.env
