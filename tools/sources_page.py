"""docs/sources.md, made from the specs and from what the tests expect of real answers; and the
counts of these answers for the page `/sources` of the server.

    python3 tasks.py sources

Counts of files and records are those of tests/payloads/, which tests/adapters/test_payloads.py
holds against the answers themselves where they are at hand.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from metasearch.adapters.spec import CONTACT, DIRECTIONS, AdapterSpec, Auth
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import TESTED, shipped_groups, shipped_table
from metasearch.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sources.md"
COUNTS = ROOT / "metasearch" / "adapters" / "specs" / TESTED
EXPECTED = ROOT / "tests" / "payloads"
#: Keys of a file's table that count no field.
ABOUT = frozenset({"records", "total", "error", "because", "status", "unread", "step"})
#: Fields that every source has, or that say nothing about a work.
UNTOLD = frozenset({"title", "source_id", "url"})

HEAD = """# The sources

{count} databases, of which {keyless} need no key.
`metasearch sources show NAME` prints everything about one database.
`metasearch sources list` lists those of your configuration.
[adapters.md](adapters.md) explains how to add another.
Databases change: `metasearch sources probe` asks each of them one query.
It reports those that no longer fit their specs ([cli.md](cli.md#metasearch-sources-probe)).
This page is made by `python3 tasks.py sources`.

- **Asked by default**: {default}.
- **Family**: the spec that the source shares with others: a protocol, or the kind of answers.
- **Key**: *none*; *contact*: your mail address; *optional*: more with a key; *needed*: not asked
  without a key.
- **Off**: its terms forbid automatic queries, or it is of no use for most searches.
  It is asked only if it is named, and with your own access.
- **Sorts by date**: with `sort=date` the source is asked for its newest records.
  Other sources are asked for their most relevant ones, which are sorted afterwards.
- **Files, records**: real answers that the tests read, and the records in them.

## Groups

`-s NAME` takes a group as it takes a source. `all` is every source that is not off.

{groups}

## Citations

These sources say which works cite others: [citations.md](citations.md) searches them.
A source is asked for works by the identifiers that stand there, so many in a request.

| source | references | cited by |
| --- | --- | --- |
{citations}

## All sources

| source | what it is | family | key | asked | files | records | fields beside the title |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

## One by one

{parts}
"""


class Read(NamedTuple):
    """What the tests expect of real answers: how many files, records, and how many of these have
    each field.
    """

    files: int
    records: int
    fields: Mapping[str, int]


def expected(source: str) -> Read:
    """What tests/payloads says of a source."""
    path = EXPECTED / f"{source}.toml"
    if not path.exists():
        return Read(0, 0, {})
    files: Mapping[str, Mapping[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8")).get(
        "files", {}
    )
    fields: Counter[str] = Counter()
    for wanted in files.values():
        fields.update({name: n for name, n in wanted.items() if name not in ABOUT})
    return Read(len(files), sum(it.get("records", 0) for it in files.values()), fields)


def family(name: str) -> str:
    """What a spec extends, or the kind of its answers."""
    base = shipped_table(name).get("extends")
    body = str(shipped_table(name).get("parse", {}).get("body", "")).upper()
    return str(base) if base else "MARC" if body == "MARCXML" else body


def key(spec: AdapterSpec) -> str:
    """In a word, whether a key is needed."""
    keys = [auth for auth in spec.auth if auth.env != CONTACT]
    if any(auth.required for auth in keys):
        return "needed"
    contact = next((auth for auth in spec.auth if auth.env == CONTACT), None)
    if contact is not None and contact.required:
        return "contact"
    return "optional" if keys else "none"


def page(registry: Registry) -> str:
    """The whole page."""
    names = registry.names()
    specs = {name: registry.spec(name) for name in names}
    keyless = [
        name for name, spec in specs.items() if spec.enabled and key(spec) in ("none", "optional")
    ]
    return HEAD.format(
        count=len(names),
        keyless=len(keyless),
        default=", ".join(shipped_groups()["default"]),
        groups="\n".join(_groups()),
        citations="\n".join(_citations(spec) for spec in specs.values() if spec.citations),
        rows="\n".join(_row(spec, registry) for spec in specs.values()),
        parts="\n".join(_part(spec) for spec in specs.values()),
    )


def counts(registry: Registry) -> str:
    """The counts of the real answers, as the package holds them: source -> files and records."""
    read = {name: expected(name) for name in registry.names()}
    rows = (
        f"{json.dumps(name)}: [{one.files}, {one.records}]"
        for name, one in read.items()
        if one.files
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _groups() -> Iterator[str]:
    for name, members in sorted(shipped_groups().items()):
        if name != "default":
            yield f"- `{name}`: {', '.join(members)}"


def _citations(spec: AdapterSpec) -> str:
    cells = [
        f"{', '.join(relation.by)}: {relation.size}" if relation is not None else ""
        for relation in map(spec.citations.get, DIRECTIONS)
    ]
    return f"| [{spec.name}](#{spec.name}) | {' | '.join(cells)} |"


def _row(spec: AdapterSpec, registry: Registry) -> str:
    read = expected(spec.name)
    asked = "off" if not spec.enabled else "by default" if spec.name in registry.default() else ""
    known = dict.fromkeys(rule.field for shape in spec.shapes for rule in shape.shape().rules)
    fields = [name for name in (read.fields or known) if name not in UNTOLD]
    cells = (
        f"[{spec.name}](#{spec.name})",
        spec.label,
        family(spec.name),
        key(spec),
        asked,
        str(read.files or ""),
        f"{read.records:,}" if read.files else "",
        ", ".join(fields),
    )
    return f"| {' | '.join(cells)} |"


def _part(spec: AdapterSpec) -> str:
    limits = spec.limits
    stated = (
        f"stated at {_linked(limits.stated)}" if limits.stated else "a guess, for none is stated"
    )
    lines = [
        f"### {spec.name}",
        "",
        f"**{spec.label}** ({_linked(spec.homepage)}). {spec.coverage}.",
        "",
        f"- Documentation: {_linked(spec.docs)}",
        f"- Terms: {_linked(spec.terms)}",
        f"- Languages: {'many' if spec.languages == ('*',) else ', '.join(spec.languages)}",
        f"- Query language: {spec.syntax}",
        f"- Sorts by date: {'no' if spec.newest is None else 'yes'}",
        f"- Pace: {limits.pace}; {stated}",
        *(f"- {line}" for auth in spec.auth for line in [_auth(auth)]),
        "",
    ]
    return "\n".join(lines)


def _auth(auth: Auth) -> str:
    names = " and ".join(f"`{name}`" for name in auth.variables)
    where = f"; from {_linked(auth.get)}" if auth.get else ""
    return f"{names}: {'needed' if auth.required else 'optional'}{where}"


def _linked(text: str) -> str:
    return f"<{text}>" if text.startswith(("http://", "https://")) else text


def main() -> None:
    registry = Registry(Settings(), late=False)
    for path, text in ((PAGE, page(registry)), (COUNTS, counts(registry))):
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()
