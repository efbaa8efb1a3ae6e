"""The matrix: works by formats, what Zotero makes of each, and how it is asked.

    METASEARCH_TEST_ZOTERO=http://127.0.0.1:1969 python -m tests.formats.zotero.matrix > \
        tests/formats/zotero/matrix.toml

prints the matrix anew, as a translation-server at this address answers. Look at what has changed.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metasearch.formats import WRITABLE
from metasearch.record import TYPES
from tests.formats.zotero.items import differences, expected_type
from tests.formats.zotero.works import BESIDE, HITS

ADDRESS_VARIABLE = "METASEARCH_TEST_ZOTERO"
_PATH = Path(__file__).with_name("matrix.toml")
#: Format -> what names the type of a record in it; the last word stands for all that are there.
_WORDS: Mapping[str, str] = {
    "ris": r"^TY  - (.*?)\r?$",
    "bibtex": r"^@(\w+)\{",
    "csl-json": r'"type":"([^"]+)"',
    "mods": r'<genre authority="local">([^<]+)',
    "nbib": r"^PT  - ((?!type: ).*?)\r?$",
    "endnote-xml": r'<ref-type name="([^"]+)"',
    "endnote-tagged": r"^%0 (.*?)\r?$",
    "refworks": r"^RT (.*?)\r?$",
    "marcxml": r"<leader>.{6}(..)",
}
#: A file that Zotero does not read at all.
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Column:
    """What Zotero makes of one format.

    Attributes:
        words: What names the type in the file -> names of works, apart by blanks.
        usual: What is wrong with most works, so that no cell repeats it.
        cells: Name of a work -> "type of item" or "type of item: what else is wrong", where that is
            not what a user expects; "lost" where the work did not arrive, `REFUSED` where no file
            with it is read.
    """

    words: Mapping[str, str]
    usual: Sequence[str]
    cells: Mapping[str, str]


def matrix() -> dict[str, Column]:
    """Format -> its column, as it was found last."""
    return {
        name: Column(column["words"], column["usual"], column["cells"])
        for name, column in tomllib.loads(_PATH.read_text())["formats"].items()
    }


def versions() -> str:
    """Of what the matrix was found with."""
    return str(tomllib.loads(_PATH.read_text())["tried-with"])


def words_in_files(name: str) -> dict[str, str]:
    """What names the type in our files, as `Column.words`."""
    by_word: dict[str, list[str]] = {}
    for work, hit in HITS.items():
        words = re.findall(_WORDS[name], WRITABLE[name].write([hit]).decode(), re.MULTILINE)
        by_word.setdefault(", ".join(dict.fromkeys(words)), []).append(work)
    return {word: " ".join(works) for word, works in by_word.items()}


def ask(address: str, name: str) -> Column:
    """What the translation-server at an address makes of a format."""
    others = [hit for work, hit in HITS.items() if work != "of-files"]
    items = _import(address, WRITABLE[name].write(others))
    items += _import(address, WRITABLE[name].write([HITS["of-files"]], beside=BESIDE))
    made = {work: _cell(work, items) for work in HITS}
    wrong = Counter(text for _, texts in made.values() for text in texts)
    usual = sorted(text for text, count in wrong.items() if count > len(HITS) / 2)
    cells = {}
    for work, (kind, texts) in made.items():
        special = [text for text in texts if text not in usual]
        if special or kind != expected_type(HITS[work].record):
            cells[work] = f"{kind}: {'; '.join(special)}" if special else kind
    return Column(words_in_files(name), usual, cells)


def _import(address: str, content: bytes) -> list[dict[str, Any]]:
    """The items that arrive; [] where no translator takes the file."""
    request = urllib.request.Request(f"{address}/import", content, {"Content-Type": "text/plain"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            items: list[dict[str, Any]] = json.load(answer)
            return items
    except urllib.error.HTTPError as error:
        if b"No suitable translators" in error.read():
            return []
        raise


def _cell(work: str, items: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """The type of item of a work, and what is wrong with it."""
    if not items:
        return REFUSED, []
    titled = [item for item in items if re.fullmatch(rf".*?\b{work}", item.get("title", ""))]
    if not titled:
        return "lost", []
    item = dict(titled[0])
    item["notes"] = [
        note["note"]
        for note in items
        if note["itemType"] == "note" and note.get("parentItem") == item["key"]
    ]
    return item["itemType"], differences(HITS[work].record, item)


def _printed(columns: Mapping[str, Column]) -> str:
    lines = [
        "# What Zotero makes of our files: made by `python -m tests.formats.zotero.matrix`.",
        "# `usual` is wrong with most works; a cell is there where its type of item, or what else",
        "# is wrong, is not what a user expects. `words` name the types in our files.",
        f"tried-with = {json.dumps(versions())}",
    ]
    for name, column in columns.items():
        lines += ["", f'[formats."{name}"]', f"usual = {json.dumps(list(column.usual))}"]
        for part in ("words", "cells"):
            lines += ["", f'[formats."{name}".{part}]']
            lines += [
                f"{json.dumps(key)} = {json.dumps(value)}"
                for key, value in getattr(column, part).items()
            ]
    return "\n".join(lines)


def tables() -> str:
    """The two tables of docs/zotero.md: how many types arrive right in each format, and as what the
    others arrive; works of types that share all cells share a row.
    """
    columns = matrix()
    lines = [
        "| format | types that arrive as expected | wrong with most works |",
        "| --- | --- | --- |",
    ]
    for name, column in columns.items():
        right = sum(_kind_in(column, kind) == _expected(kind) for kind in TYPES)
        usual = ", ".join(column.usual) or "nothing"
        lines.append(f"| `{name}` | {right} of {len(TYPES)} | {usual} |")
    lines += ["", f"| type | expected | {' | '.join(f'`{name}`' for name in columns)} |"]
    lines.append("| --- | --- |" + " --- |" * len(columns))
    rows: dict[tuple[str, ...], list[str]] = {}
    for kind in TYPES:
        kinds = (_expected(kind), *(_kind_in(column, kind) for column in columns.values()))
        rows.setdefault(kinds, []).append(kind)
    for (expected, *kinds), names in rows.items():
        shown = ["yes" if kind == expected else kind for kind in kinds]
        lines.append(f"| {', '.join(names)} | {expected} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _expected(work: str) -> str:
    return expected_type(HITS[work].record)


def _kind_in(column: Column, work: str) -> str:
    """The type of item that a work becomes."""
    return column.cells.get(work, _expected(work)).partition(":")[0]


if __name__ == "__main__":
    print(_printed({name: ask(os.environ[ADDRESS_VARIABLE], name) for name in _WORDS}))
