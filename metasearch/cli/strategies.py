"""`metasearch strategies`: lists the strategies for finding duplicates, with their parameters."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common, complete_strategy
from metasearch.cli.terminal.console import Console, Exit
from metasearch.cli.terminal.output import Sink
from metasearch.formats.text import line, wrapped

if TYPE_CHECKING:
    from metasearch.dedup import Matcher, Strategy

#: What is shown of each, in this order; the names are those of `Strategy`.
FACTS = ("needs", "cost", "order", "when", "source")
#: Columns of the label of a line, and the blanks before it.
LABEL, INDENT = 15, "  "
#: What `segmenter()` returns where neither rjieba nor jieba can be imported.
PAIRS = "pairs"


@click.command(
    cls=ExampleCommand,
    short_help="List the ways of finding duplicates.",
    examples=(
        ("metasearch strategies", "all of them, what each needs and costs, and when to use it"),
        ("metasearch strategies simhash", "one of them, with its parameters"),
        ('metasearch --demo --dedup simhash "machine learning"', "search with it"),
    ),
)
@click.argument("name", required=False, shell_complete=complete_strategy)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")
@common
@click.pass_obj
def strategies(console: Console, /, *, name: str | None, as_json: bool, **_: Any) -> int:
    """List the strategies that `--dedup` takes, or show the one called NAME with its parameters."""
    from metasearch import dedup
    from metasearch.bulk.published.words import segmenter

    chosen = [dedup.strategy(name)] if name else list(dedup.STRATEGIES.values())
    with Sink() as sink:
        if as_json:
            import orjson

            described = [_as_object(strategy) for strategy in chosen]
            document = described[0] if name else {"segmenter": segmenter(), "strategies": described}
            sink.write(
                orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
            )
            return Exit.OK
        width = max(console.size(sys.stdout)[0], 40)
        for strategy in chosen:
            sink.write(_text(strategy, width, whole=bool(name)).encode())
        sink.write(("\n".join(wrapped(_segmenting(segmenter()), width)) + "\n").encode())
    return Exit.OK


# --------------------------------------------------------------------------- text


def _text(strategy: Strategy, width: int, *, whole: bool) -> str:
    """The name, what the strategy does, a line for each fact, and a blank line."""
    lines = wrapped(f"{strategy.name}: {strategy.does}", width, INDENT)
    facts = [(fact, getattr(strategy, fact)) for fact in FACTS]
    for label, text in (*facts, *(_parts(strategy) if whole else ())):
        for number, part in enumerate(wrapped(line(text), width - LABEL)):
            lines.append(f"{INDENT + label if number == 0 else '':{LABEL}}{part}")
    return "\n".join(lines) + "\n\n"


def _parts(strategy: Strategy) -> Iterator[tuple[str, str]]:
    """The threshold, matchers and vetoes of a strategy, with their parameters."""
    if strategy.threshold is not None:
        tried = ", ".join(f"{value:g}" for value in strategy.sweep)
        yield "stricter by", f"{strategy.threshold}{f'; worth trying: {tried}' if tried else ''}"
    for kind, matchers in (("matcher", strategy.chain.matchers), ("veto", strategy.chain.vetoes)):
        for matcher in matchers:
            values = [f"{name} = {_shown(value)}" for name, value in _parameters(matcher).items()]
            yield kind, f"{matcher.name}{': ' if values else ''}{', '.join(values)}"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _segmenting(name: str) -> str:
    """The program that cuts Chinese text into words, or how to install one."""
    if name != PAIRS:
        return f"Chinese text is cut into words by {name}."
    return (
        "Chinese text is cut into pairs of characters, because jieba cannot be imported; "
        "metasearch needs it: run pip install jieba."
    )


# --------------------------------------------------------------------------- data


def _as_object(strategy: Strategy) -> dict[str, Any]:
    return {
        "name": strategy.name,
        "does": strategy.does,
        **{fact: getattr(strategy, fact) for fact in FACTS},
        "threshold": strategy.threshold,
        "sweep": list(strategy.sweep),
        "matchers": [_matcher(matcher) for matcher in strategy.chain.matchers],
        "vetoes": [_matcher(veto) for veto in strategy.chain.vetoes],
    }


def _matcher(matcher: Matcher) -> dict[str, Any]:
    return {"name": matcher.name, "exact": matcher.exact, "parameters": _parameters(matcher)}


def _parameters(matcher: Matcher) -> dict[str, Any]:
    """Name -> value of each parameter: the fields of the matcher's dataclass."""
    if not is_dataclass(matcher):
        return {}
    return {
        field.name: _plain(getattr(matcher, field.name))
        for field in fields(matcher)
        if not field.name.startswith("_")
    }


def _plain(value: Any) -> Any:
    """A value for JSON: numbers and text are unchanged, collections become lists, others text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Collection):
        plain = [_plain(item) for item in value]
        return sorted(plain, key=str) if isinstance(value, (set, frozenset)) else plain
    return getattr(value, "__name__", None) or str(value)
