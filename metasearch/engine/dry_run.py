"""A query in the syntaxes of databases that people search by hand, as text and as data: `metasearch
translate` and `/translate`. Nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from metasearch.adapters.request import public
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.engine.facets import Sort, parse_filters
from metasearch.engine.options import SearchKeywords, SearchOptions, search_options
from metasearch.engine.resolve import (
    depth_of,
    query_of,
    reach_of,
    sort_notes,
    sources_of,
    spec_for_sort,
    with_files,
)
from metasearch.errors import KeyMissing, SourceError, UsageError
from metasearch.formats.text import clean, clean_or_none, line
from metasearch.message import message
from metasearch.query import Query, ReadQuery, read, to_text
from metasearch.query.syntaxes import TARGETS
from metasearch.query.writer import Translation, write_query
from metasearch.settings import Settings

#: Stands for every syntax.
ALL = "all"


@dataclass(frozen=True, slots=True)
class Translations:
    """A query as it was understood, and in other syntaxes. `written`: one for each syntax that was
    asked for, in that order.
    """

    read: ReadQuery
    written: tuple[Translation, ...]


def targets(names: Iterable[str]) -> tuple[str, ...]:
    """The syntaxes that are named, each once: keys of `TARGETS`; all of them for "all" or no name.
    Raises UsageError: there is none of a name.
    """
    wanted = dict.fromkeys(names) or {ALL: None}
    for name in wanted:
        if name not in TARGETS and name != ALL:
            known = ", ".join((*TARGETS, ALL))
            raise UsageError(
                message("there is no syntax called {name} to write in", name=repr(line(name)[:40])),
                advice=message("Choose of {known}.", known=known),
            )
    return tuple(TARGETS) if ALL in wanted else tuple(wanted)


def translations(text: str, to: Iterable[str] = (), syntax: str = "auto") -> Translations:
    """Read a query, and write it in other syntaxes.

    `to`: keys of `TARGETS`, or "all"; none stands for all. `syntax`: that the text is in, one of
    `metasearch.query.CHOICES`. Raises QuerySyntaxError: the text cannot be read; UsageError: there
    is no such syntax.
    """
    names = targets(to)
    asked = read(text, syntax)
    return Translations(asked, tuple(write_query(asked.query, name) for name in names))


def translations_object(made: Translations) -> dict[str, Any]:
    """As JSON has it: every key is always there."""
    return {
        "query": clean(to_text(made.read.query)),
        "syntax": made.read.syntax,
        "notes": [clean(note) for note in made.read.losses],
        "translations": [
            {
                "syntax": translation.syntax,
                "text": clean(translation.text),
                "notes": [clean(note) for note in translation.notes],
            }
            for translation in made.written
        ],
    }


def translation_lines(made: Translations) -> Iterator[str]:
    """For people: a paragraph a syntax, with what is lost below it; without control characters."""
    for number, translation in enumerate(made.written):
        if number:
            yield ""
        yield f"{translation.syntax}: {TARGETS[translation.syntax].partition(':')[0]}"
        if translation.text:
            yield f"  {line(translation.text)}"
        for note in translation.notes:
            yield f"  note: {line(note)}"


# What a search would ask of each source, without sending anything: `--explain-plan` and `/plan`. No
# transport, cache or loop is needed here, so nothing can be sent by mistake.


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """What one source would be asked; nothing of it holds a secret.

    Attributes:
        source: Its name.
        label: Its name for people.
        asked: Whether it would be asked.
        query: The query as the source would receive it; also where only its key is missing.
        method: "GET" or "POST"; "" where no request could be made, as in `url` and `body`.
        url: Of the first request, with its parameters.
        body: Of a POST: its form fields as pairs, or its text under the name "".
        filtered: The query by which its records would be filtered afterwards, in metasearch's
            syntax; "" where none is needed.
        notes: One sentence for each part of the query that is lost, and one where the source cannot
            sort by date as the search wants.
        reason: Why it would not be asked; "" where it would.
        advice: What can be done about that.
    """

    source: str
    label: str
    asked: bool
    query: str = ""
    method: str = ""
    url: str = ""
    body: tuple[tuple[str, str], ...] = ()
    filtered: str = ""
    notes: tuple[str, ...] = ()
    reason: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query as it was understood, and what each source would be asked.

    Attributes:
        query: In metasearch's syntax.
        syntax: In which it was read, a key of `metasearch.query.SYNTAXES`.
        notes: One sentence for each part of the text that is lost in `query`.
        sources: Those that a search would ask, in their order; then those that are switched off.
    """

    query: str
    syntax: str
    notes: tuple[str, ...]
    sources: tuple[SourcePlan, ...]


class DryRun:
    """The plan of a search while it is made, one source a step.

    Args:
        read: What is searched for.
        registry: Knows the sources.
        names: Sources to ask.
        asked_for: What the user named, groups among them; None for the default set.
        env: Where secrets are looked up; none is shown.
        depth: Records that each source is asked for at a time.
        reach: Records that each may be asked for in the end.
        sort: The order of the list.

    Attributes:
        steps: Iterate them to the end; each computes for a millisecond or two, and raises
            UnknownSource where there is no source of a name, and SpecError where a spec is wrong.
    """

    def __init__(
        self,
        read: ReadQuery,
        registry: Registry,
        names: Sequence[str],
        asked_for: Sequence[str] | None,
        env: Mapping[str, str],
        depth: int,
        reach: int,
        sort: Sort,
    ) -> None:
        self._read = read
        self._sort = sort
        self._plans: list[SourcePlan] = []
        self.steps = self._steps(registry, names, asked_for, env, depth, reach)

    def _steps(
        self,
        registry: Registry,
        names: Sequence[str],
        asked_for: Sequence[str] | None,
        env: Mapping[str, str],
        depth: int,
        reach: int,
    ) -> Iterator[None]:
        for name in names:
            spec = registry.spec(name)
            self._plans.append(_plan_source(self._read, spec, env, depth, reach, self._sort))
            yield
        for name in registry.disabled_members(asked_for):
            if name in names:
                continue
            advice = message(
                "Set enabled = true under [sources.{name}], or name it in the search.", name=name
            )
            label = registry.spec(name).label
            self._plans.append(
                SourcePlan(
                    source=name,
                    label=label,
                    asked=False,
                    reason=message("it is switched off"),
                    advice=advice,
                )
            )
            yield

    @property
    def plan(self) -> QueryPlan:
        """The plan as far as the steps that were taken have made it."""
        read = self._read
        return QueryPlan(to_text(read.query), read.syntax, read.notes, tuple(self._plans))


def explain_plan(
    query: str | Query | SearchOptions,
    *,
    settings: Settings | None = None,
    registry: Registry | None = None,
    **options: Unpack[SearchKeywords],
) -> QueryPlan:
    """What a search with these options would ask of each source. Nothing is sent, and no engine is
    needed.

    Args:
        query: Text, a tree, or options that hold one.
        settings: None takes the defaults.
        registry: Of an existing engine; None makes one.
        **options: Fields of `SearchOptions`; they replace those of `query`.

    Raises:
        UsageError: The query or an option cannot be used.
        SpecError: A spec in use is wrong.
    """
    dry_run = plan_search(query, settings=settings, registry=registry, **options)
    for _ in dry_run.steps:
        pass
    return dry_run.plan


def plan_search(
    query: str | Query | SearchOptions,
    *,
    settings: Settings | None = None,
    registry: Registry | None = None,
    **options: Unpack[SearchKeywords],
) -> DryRun:
    """`explain_plan` in steps, for a caller with other work between them; arguments and errors are
    the same.
    """
    settings = settings or Settings()
    registry = registry or Registry(settings)
    asked = search_options(query, options)
    read = query_of(asked)
    filters = parse_filters(asked.filter)
    if filters:
        note = message(
            "filter {filters}: it is applied to the merged works; no source is asked for it",
            filters=str(filters),
        )
        read = replace(read, notes=(*read.notes, note))
    registry, named, _ = with_files(registry, asked.sources, ())
    names = sources_of(registry, named)
    depth = depth_of(asked, settings)
    env, reach = settings.env, reach_of(depth)
    return DryRun(read, registry, names, named, env, depth, reach, asked.sort)


def _plan_source(
    read: ReadQuery, spec: AdapterSpec, env: Mapping[str, str], depth: int, reach: int, sort: Sort
) -> SourcePlan:
    spec = spec_for_sort(spec, sort, read.query)
    lacking: KeyMissing | None = None
    try:
        try:
            translated = plan(read.query, spec, reach, env, depth)
        # Without a key the request is shown all the same: it shows what a key is good for.
        except KeyMissing as missing:
            lacking = missing
            keys = dict.fromkeys(_variables(spec), "none")
            translated = plan(read.query, spec, reach, keys | dict(env), depth)
    except SourceError as error:
        return SourcePlan(
            source=spec.name,
            label=spec.label,
            asked=False,
            reason=str(error),
            advice=error.advice or "",
        )
    request = translated.request
    content = request.content
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return SourcePlan(
        source=spec.name,
        label=spec.label,
        asked=lacking is None,
        reason=str(lacking or ""),
        advice=lacking.advice or "" if lacking is not None else "",
        query=translated.sent,
        method=request.method,
        url=request.log_url,
        body=(*public(request.body), *((("", text),) if text else ())),
        filtered=to_text(translated.residual) if translated.residual is not None else "",
        notes=(*translated.notes, *sort_notes(spec, sort, read.query)),
    )


def _variables(spec: AdapterSpec) -> list[str]:
    return [name for auth in spec.auth for name in auth.variables]


# --------------------------------------------------------------------------- as data, as text


def plan_object(whole: QueryPlan) -> dict[str, Any]:
    """The plan as JSON has it: every key is always there."""
    return {
        "query": clean(whole.query),
        "syntax": whole.syntax,
        "notes": [clean(note) for note in whole.notes],
        "sources": [_source_object(source) for source in whole.sources],
    }


def _source_object(source: SourcePlan) -> dict[str, Any]:
    return {
        "source": source.source,
        "label": clean(source.label),
        "asked": source.asked,
        "query": clean_or_none(source.query),
        "method": source.method or None,
        "url": clean_or_none(source.url),
        "body": [[clean(name), clean(value)] for name, value in source.body],
        "filtered": clean_or_none(source.filtered),
        "notes": [clean(note) for note in source.notes],
        "reason": clean_or_none(source.reason),
        "advice": clean_or_none(source.advice),
    }


def plan_lines(whole: QueryPlan) -> Iterator[str]:
    """The plan for people: a paragraph a source, without control characters."""
    yield f"query:  {line(whole.query)}"
    yield f"syntax: {whole.syntax}"
    for note in whole.notes:
        yield f"note:   {line(note)}"
    for source in whole.sources:
        yield ""
        if not source.asked:
            yield f"{source.source}: not asked: {line(source.reason)}"
            if source.advice:
                yield f"  {line(source.advice)}"
            if not source.method:
                continue
        else:
            yield f"{source.source} ({line(source.label)})"
        yield f"  query:    {line(source.query)}"
        yield f"  request:  {source.method} {line(source.url)}"
        for name, value in source.body:
            yield f"  body:     {line(f'{name}={value}' if name else value)}"
        if source.filtered:
            yield f"  filtered: {line(source.filtered)}"
        for note in source.notes:
            yield f"  note:     {line(note)}"
