"""`metasearch strategies`: the ways of finding duplicates, what each needs and costs, and its
parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import ExampleCommand, common, complete_strategy
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.formats.text import line, wrapped

if TYPE_CHECKING:
    from metasearch.dedup import Matcher, Strategy

#: What is told of each, in this order; the names are those of `Strategy`.
FACTS = ("needs", "cost", "order", "when", "source")
#: Columns of what a line is about, and of the blanks before it.
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
@click.option("--json", "as_json", is_flag=True, help="Write the same as one JSON document.")
@common
@click.pass_obj
def strategies(console: Console, /, *, name: str | None, as_json: bool, **_: Any) -> int:
    """List the strategies that `--dedup` takes, or show the one called NAME with its parameters."""
    from metasearch.dedup import STRATEGIES, strategy
    from metasearch.dedup.published.text.segment import segmenter

    chosen = [strategy(name)] if name else list(STRATEGIES.values())
    with Sink() as sink:
        if as_json:
            import orjson

            described = [_as_object(it) for it in chosen]
            document = described[0] if name else {"segmenter": segmenter(), "strategies": described}
            sink.write(
                orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
            )
            return Exit.OK
        width = max(console.size(sys.stdout)[0], 40)
        for it in chosen:
            sink.write(_text(it, width, whole=bool(name)).encode())
        sink.write(("\n".join(wrapped(_segmenting(segmenter()), width)) + "\n").encode())
    return Exit.OK


# --------------------------------------------------------------------------- text


def _text(it: Strategy, width: int, *, whole: bool) -> str:
    """Name and what it does, and below it a line a fact; of the `whole`, also what it is made of; a
    blank line.
    """
    lines = wrapped(f"{it.name}: {it.does}", width, INDENT)
    facts = [(fact, getattr(it, fact)) for fact in FACTS]
    for label, text in (*facts, *(_made_of(it) if whole else ())):
        for number, part in enumerate(wrapped(line(text), width - LABEL)):
            lines.append(f"{INDENT + label if number == 0 else '':{LABEL}}{part}")
    return "\n".join(lines) + "\n\n"


def _made_of(it: Strategy) -> Iterator[tuple[str, str]]:
    """Its threshold, matchers and vetoes, with their parameters."""
    if it.threshold is not None:
        tried = ", ".join(f"{value:g}" for value in it.sweep)
        yield "stricter by", f"{it.threshold}{f'; worth trying: {tried}' if tried else ''}"
    for kind, matchers in (("matcher", it.chain.matchers), ("veto", it.chain.vetoes)):
        for matcher in matchers:
            values = [f"{name} = {_shown(value)}" for name, value in _parameters(matcher).items()]
            yield kind, f"{matcher.name}{': ' if values else ''}{', '.join(values)}"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _segmenting(name: str) -> str:
    """What cuts Chinese text into words, and how to repair an installation that cannot."""
    if name != PAIRS:
        return f"Chinese text is cut into words by {name}."
    return (
        "Chinese text is cut into pairs of characters, because jieba cannot be imported; "
        "metasearch needs it: run pip install jieba."
    )


# --------------------------------------------------------------------------- data


def _as_object(it: Strategy) -> dict[str, Any]:
    return {
        "name": it.name,
        "does": it.does,
        **{fact: getattr(it, fact) for fact in FACTS},
        "threshold": it.threshold,
        "sweep": list(it.sweep),
        "matchers": [_matcher(matcher) for matcher in it.chain.matchers],
        "vetoes": [_matcher(veto) for veto in it.chain.vetoes],
    }


def _matcher(it: Matcher) -> dict[str, Any]:
    return {"name": it.name, "exact": it.exact, "parameters": _parameters(it)}


def _parameters(matcher: Matcher) -> dict[str, Any]:
    """Name -> value of each parameter: the fields of the matcher's dataclass."""
    if not is_dataclass(matcher):
        return {}
    return {
        it.name: _plain(getattr(matcher, it.name))
        for it in fields(matcher)
        if not it.name.startswith("_")
    }


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: numbers and text as they are, collections as lists, all else as
    text.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(it) for key, it in value.items()}
    if isinstance(value, Collection):
        plain = [_plain(it) for it in value]
        return sorted(plain, key=str) if isinstance(value, (set, frozenset)) else plain
    return getattr(value, "__name__", None) or str(value)
