"""What the pages say of options, made from their declarations: the tables in docs/server.md and
docs/library.md from `SearchOptions`, the example in docs/configuration.md from `Settings`.

    python tools/option_tables.py

tests/test_option_tables.py compares the pages with what is made here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from metasearch.dedup import STRATEGIES
from metasearch.engine.facets import MOST_CHARACTERS, MOST_FILTERS
from metasearch.engine.options import LAST_PLACE, OPTIONS, Option
from metasearch.server.limits import Options
from metasearch.server.parameters import ASKED, OUTPUT
from metasearch.settings.settings import Settings, keys
from metasearch.toml_tables import TomlKey, keys_of

ROOT = Path(__file__).resolve().parent.parent
#: Page -> the first line of what is made, and what follows it.
HEADS = {
    ROOT / "docs" / "server.md": ("| parameter | meaning | values | default |", "\n\n"),
    ROOT / "docs" / "library.md": ("| option | meaning | values | default |", "\n\n"),
    ROOT / "docs" / "configuration.md": ("[search]", "\n\n[sources.mylibrary]"),
}
VARIABLES = ("| variable | in place of |", "\n\n")
#: Characters of a line of the example before its comment.
COMMENTS_AT = 52


def parameters() -> str:
    """The table of docs/server.md: what `/search` takes."""
    limits = Options()
    rows = [
        (
            _names(option.parameters),
            _meaning(option, request=True),
            _values(name, option, limits),
            option,
        )
        for name, option in ASKED.items()
    ]
    written = Option(
        help="How the answer is written; wins over `Accept`.", kind="choice", default="by `Accept`"
    )
    rows.insert(1, ("`format`", written.help, "[a format](#formats)", written))
    rows += [
        (
            f"`{name}`",
            option.help,
            ", ".join(f"`{one}`" for one in option.choices) or "0, 1",
            option,
        )
        for name, option in OUTPUT.items()
    ]
    return _table("parameter", rows)


def options() -> str:
    """The table of docs/library.md: what `metasearch.search` takes."""
    rows = [
        (f"`{name}`", _meaning(option), _values(name, option), option)
        for name, option in OPTIONS.items()
    ]
    settings = Option(
        help="Only of `metasearch.search` and `search_sync`: the configuration.",
        kind="text",
        default="the defaults, without a cache",
    )
    rows.append(("`settings`", settings.help, "`Settings`", settings))
    return _table("option", rows)


def _table(first: str, rows: list[tuple[str, str, str, Option]]) -> str:
    lines = [f"| {first} | meaning | values | default |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {name} | {meaning} | {values} | {option.default} |"
        for name, meaning, values, option in rows
    ]
    return "\n".join(lines)


def _names(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _meaning(option: Option, *, request: bool = False) -> str:
    parts = [option.help]
    if request and option.request:
        parts.append(option.request)
    if option.pages:
        links = (f"[{page.partition('#')[0]}]({page})" for page in option.pages)
        parts.append(f"See {', '.join(links)}.")
    return " ".join(parts)


#: Types that a program passes where no text of a query string would do.
TYPES = {
    "query": "text, or a [tree](#queries-as-trees)",
    "sources": "names and paths, in a list or as one text with commas",
    "years": (
        "`Years(2018, 2020)`, `(2018, 2020)`, `(2018, None)`, `2018`, "
        '`"2018-2020"`, `"2018-"`, `"-2020"`'
    ),
    "filter": 'filters in one text, or a list of such texts: `["type:article", "oa:yes"]`',
    "facets": "names, in a list or as one text with commas",
    "enrich": "names, as those of `sources`; `()` asks no source",
    "cache": "`False` does so; `True` does not",
    "repeat": "`True` does so",
    "user": "anything hashable",
}


def _values(name: str, option: Option, limits: Options | None = None) -> str:
    """What values an option takes; with `limits` those of a server."""
    if limits is None and name in TYPES:
        return TYPES[name]
    match option.kind:
        case "number":
            together = f"; with the limit at most {LAST_PLACE}" if name == "start" else ""
            return f"{option.least:.0f} to {option.most:.0f}{together}"
        case "records":
            most = option.most if limits is None else min(option.most, limits.max_records)
            return f"{option.least:.0f} to {most:.0f}"
        case "seconds":
            most = option.most if limits is None else min(option.most, limits.max_timeout)
            return f"seconds, to {most:g}"
        case "choice":
            return ", ".join(f"`{choice}`" for choice in option.choices)
        case "strategy":
            return f"one of {len(STRATEGIES)} names"
        case "names":
            most = option.most if limits is None else min(option.most, limits.max_sources)
            return f"names with commas between them, or repeated; at most {most:.0f}"
        case "flag":
            return "0, 1" if limits else "`True`, `False`"
        case "filters":
            most = f"at most {MOST_FILTERS}, {MOST_CHARACTERS:,} characters"
            return f"`NAME:VALUE` with commas between them, or repeated; {most}"
        case "facets":
            return "names with commas between them, or repeated"
        case "years":
            return "`2019`, `2019-2024`, `2019-`, `-2024`"
        case _:
            length = f", at most {limits.max_query:,} characters" if limits else ""
            return f"text{length} (`[server] max_query`)" if limits else "text"


def configuration() -> str:
    """The example of docs/configuration.md: every key of the file, with what it means."""
    whole = {each.place: each for each in keys_of(Settings).values() if "." not in each.place}
    lines = []
    for table, of_one in keys().items():
        about = whole.get(table)
        lines += ["", _line(f"[{table}]", about.help if about else "")]
        if about is not None and about.example:
            lines.append(about.example)
        width = max(map(len, of_one), default=0)
        lines += [
            _line(f"{name:<{width}} = {_example(declared, about)}", declared.help)
            for name, declared in of_one.items()
        ]
    return "\n".join(lines[1:])


def variables() -> str:
    """The table of docs/configuration.md: variables that come before the file."""
    rows = [
        f"| `{declared.variable}` | `{table}.{name}` |"
        for table, of_one in keys().items()
        for name, declared in of_one.items()
        if declared.variable
    ]
    return "\n".join([VARIABLES[0], "| --- | --- |", *rows])


def _example(declared: TomlKey, table: TomlKey | None) -> str:
    """The example of a key, or else its default, as TOML."""
    if declared.example:
        return declared.example
    owner = Settings if declared.place or table is None else table.inner
    default = getattr(owner(), declared.field) if owner is not None else None
    return json.dumps(default)


def _line(text: str, comment: str) -> str:
    return f"{text:<{COMMENTS_AT - 1}} # {comment}" if comment else text


def pages() -> dict[Path, str]:
    """Each page with what is made of it.

    Raises:
        ValueError: A page has no place for it.
    """
    made = {}
    texts = (parameters(), options(), configuration())
    for (page, (head, tail)), table in zip(HEADS.items(), texts, strict=True):
        made[page] = _with(page.read_text(encoding="utf-8"), head, tail, table)
    page = ROOT / "docs" / "configuration.md"
    made[page] = _with(made[page], *VARIABLES, variables())
    return made


def _with(text: str, head: str, tail: str, made: str) -> str:
    start = text.index(f"\n{head}\n") + 1
    return text[:start] + made + text[text.index(tail, start) :]


def main() -> None:
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{page.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()
