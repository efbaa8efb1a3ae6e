"""One call of a tool: who calls, its arguments as their schema declares them and as they are read,
and the error that an assistant reads.
"""

from __future__ import annotations

import difflib
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from multidict import MultiDict

from metasearch.engine.options import OPTIONS, Option
from metasearch.formats.text import line
from metasearch.server.limits import Options
from metasearch.server.parameters import Parameters, read
from metasearch.server.problem import Problem
from metasearch.server.protocols.mcp.works import cut

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine
    from metasearch.engine.options import SearchOptions
    from metasearch.events import Answer
    from metasearch.server.site import Site


T = TypeVar("T")

#: Reports progress: (sources that have answered, all sources, a line of text).
Report = Callable[[float, float | None, str | None], Awaitable[None]]


class ToolError(Exception):
    """What an assistant did wrong, or what went wrong, in words that say what to do next."""


class Caller:
    """On whose behalf tools run: the person at this machine, over stdio.

    `user`: whose searches these are, where several share the engine. `site`: the address of the
    server; None over stdio.
    """

    user: Hashable = None
    site: Site | None = None

    def __init__(self, engine: Engine, options: Options) -> None:
        self.engine = engine
        self.options = options

    async def with_preferences(self, options: SearchOptions) -> SearchOptions:
        """The options of a search, with what the caller has chosen where they say nothing; a server
        may refuse it, with a Problem.
        """
        return options

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[None]:
        """The block is a search: a server may refuse it, with a Problem."""
        yield

    @asynccontextmanager
    async def compute_permit(self) -> AsyncIterator[None]:
        """The block computes for a moment: a server may refuse it, with a Problem."""
        yield

    async def read(self, compute: Callable[[], T]) -> T:
        """What `compute` makes of a long text: off a server's loop, or a Problem that refuses."""
        return compute()

    def finished(self, answer: Answer, options: SearchOptions) -> None:
        """Called with the answer of each search."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. `arguments`: as they were sent; nothing of them is checked. `report`:
    reports progress; does nothing where the client asked for none.
    """

    caller: Caller
    arguments: Mapping[str, Any]
    report: Report


# The arguments of a tool, as their schema declares them and as they are read. An argument of a
# search is a field of `SearchOptions`: its limits and its text are those that `engine.options`
# declares. They are read as the parameters of `/search` are. A wrong one is refused in plain words:
# an assistant reads the sentence and tries again.

#: Works of one answer: where a call does not say how many, and at most.
USUAL_WORKS, MOST_WORKS = 10, 50
#: Seconds of one search at most: hosts cancel a call after 60.
MOST_SECONDS = 50.0
#: Characters of a text that is no query, and texts of a list.
LONGEST_TEXT, _MOST_TEXTS = 500, 100
#: Characters of a list of references, and references that are checked in one call.
LONGEST_LIST, MOST_REFERENCES = 30_000, 50
#: Arguments of `search_papers`, in the order in which an assistant reads them.
SEARCH_ARGUMENTS = (
    "query",
    "sources",
    "years",
    "filter",
    "facets",
    "facet_limit",
    "sort",
    "limit",
    "start",
    "versions",
    "syntax",
    "timeout",
)
_MOST = {"limit": MOST_WORKS, "timeout": MOST_SECONDS}


def search_schema(names: Iterable[str]) -> dict[str, Any]:
    """The JSON schema of arguments that are fields of `SearchOptions`; `query` is required."""
    return object_schema({name: _schema(name, OPTIONS[name]) for name in names}, ("query",))


def text_schema(description: str, most: int = LONGEST_TEXT) -> dict[str, Any]:
    """The schema of an argument that is a text of at most so many characters."""
    return {"type": "string", "maxLength": most, "description": description}


def object_schema(properties: dict[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _schema(name: str, option: Option) -> dict[str, Any]:
    described = {"description": _description(name, option)}
    match option.kind:
        case "number" | "records":
            most = min(option.most, _MOST.get(name, option.most))
            limits = {"minimum": int(option.least), "maximum": int(most)}
            return {"type": "integer"} | limits | described
        case "seconds":
            most = min(option.most, _MOST.get(name, option.most))
            return {"type": "number", "exclusiveMinimum": 0, "maximum": most} | described
        case "names" | "filters" | "facets":
            return {"type": "array", "items": {"type": "string"}} | described
        case "choice":
            return {"type": "string", "enum": list(option.choices)} | described
        case _:
            return {"type": "string"} | described


def _description(name: str, option: Option) -> str:
    match name:
        case "query":
            return (
                'Words, or a query: AND, OR, NOT, brackets, "phrases", title:, author:, abstract:, '
                "doi:. Few content words find more than a whole sentence."
            )
        case "limit":
            return f"Works in the answer, {USUAL_WORKS} if it is not given."
        case "sources":
            return (
                "Names of sources or groups, as list_sources names them; not given: the usual ones."
            )
        case _:
            return option.help


def check_names(given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Whether all arguments are known. Raises ToolError: one is not."""
    known = tuple(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name[:40], known, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ToolError(
                f"There is no argument {_quote(name)}.{meant} Known are: {', '.join(known)}."
            )


def text(
    given: Mapping[str, Any], name: str, *, example: str = "", most: int = LONGEST_TEXT
) -> str:
    """A text; "" where it is not given. `example`: what the text may be; without it the argument
    may be left out. `most`: characters. Raises ToolError: it is no text, too long, or missing.
    """
    value = given.get(name)
    if value is None or value == "":
        if example:
            raise ToolError(f"The argument {name!r} is missing. Give for example {example}.")
        return ""
    if not isinstance(value, str):
        raise ToolError(f"The argument {name!r} must be text, and is {_kind(value)}.")
    if len(value) > most:
        raise ToolError(
            f"The argument {name!r} has {len(value):,} characters; at most {most:,} are allowed."
        )
    return value.strip()


def search_parameters(
    given: Mapping[str, Any], names: Iterable[str], options: Options
) -> Parameters:
    """The search that a call asks for. Raises ToolError: an argument is unknown or wrong, or the
    query is missing.
    """
    names = tuple(names)
    check_names(given, names)
    pairs: MultiDict[str] = MultiDict()
    for name, value in given.items():
        for each in _texts(name, value, OPTIONS[name]):
            pairs.add(OPTIONS[name].parameters[0], each)
    limits = replace(
        options,
        max_records=min(options.max_records, MOST_WORKS),
        max_timeout=min(options.max_timeout, MOST_SECONDS),
    )
    try:
        parameters = read(pairs, limits)
    except Problem as problem:
        raise ToolError(_reasons(problem)) from problem
    if not parameters.query:
        raise ToolError("The argument 'query' is missing. Give for example 'gene drive mosquito'.")
    if parameters.limit is None:
        parameters = replace(parameters, limit=USUAL_WORKS)
    return parameters


def _texts(name: str, value: Any, option: Option) -> list[str]:
    """The value as it would stand in a query string; none for null."""
    listed = option.kind in ("names", "filters", "facets")
    if value is None:
        return []
    if listed and isinstance(value, list):
        if len(value) > _MOST_TEXTS or not all(isinstance(each, str) for each in value):
            raise ToolError(f"The argument {name!r} must be a list of at most {_MOST_TEXTS} texts.")
        return value
    if isinstance(value, str):
        return [value]
    numeric = option.kind in ("number", "records", "seconds", "years")
    if numeric and isinstance(value, int | float) and not isinstance(value, bool):
        return [_decimal(value) if isinstance(value, float) else str(value)]
    wanted = "a list of texts" if listed else "a number" if numeric else "text"
    raise ToolError(f"The argument {name!r} must be {wanted}, and is {_kind(value)}.")


def _decimal(number: float) -> str:
    """Without an exponent, which parameters do not have."""
    return f"{number:.9f}".rstrip("0").rstrip(".")


def _reasons(problem: Problem) -> str:
    """What is wrong, by the names that the arguments have here."""
    ours = {other: name for name in SEARCH_ARGUMENTS for other in OPTIONS[name].parameters}
    errors = problem.members.get("errors", ())
    text = "; ".join(
        f"The argument {ours.get(each['parameter'], each['parameter'])!r}: {each['reason']}"
        for each in errors
    )
    return text if text.endswith("?") else f"{text}."


def _kind(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "text"


def _quote(text: str) -> str:
    return repr(cut(line(text), 40))
