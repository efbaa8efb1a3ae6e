"""The list of clusters: an NDJSON line for every work that more than one record describes.

    {"cluster": ["a.ris:1", "b.bib:@7"], "kept": "a.ris:1", "records": [...], "because": [...]}

`cluster` alone is a line of the truth of a labelled set (docs/evaluation.md). Wherever a line names
a record, it is by the id that stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from metasearch.bulk.job import FileRead, InputRecord, MergedWork, Outcome
from metasearch.formats.text import clean, clean_or_none, exact_number
from metasearch.record import Match


def write(outcome: Outcome) -> bytes:
    """The lines in UTF-8, in the order of the works; b"" for none."""
    return b"".join(parts(outcome))


def parts(outcome: Outcome) -> Iterator[bytes]:
    """The same, a line after another."""
    for work in outcome.works:
        if len(work.items) > 1:
            line = cluster_object(work, outcome.files)
            yield orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def cluster_object(work: MergedWork, files: Sequence[FileRead]) -> dict[str, Any]:
    """One line."""
    ids = [clean(item.id) for item in work.items]
    return {
        "cluster": ids,
        "kept": ids[0],
        "records": [_record(item, files[item.file]) for item in work.items],
        "because": list(_because(work.matches, work.items)),
    }


def _record(item: InputRecord, file: FileRead) -> dict[str, Any]:
    return {
        "id": clean(item.id),
        "key": clean(item.key),
        "file": file.input.name,
        "line": item.line,
        "position": exact_number(item.position),
        "database": clean_or_none(item.database),
    }


def _because(matches: Iterable[Match], items: Iterable[InputRecord]) -> Iterable[dict[str, Any]]:
    names = {item.key: clean(item.id) for item in items}
    for match in matches:
        yield {
            "left": names[match.left],
            "right": names[match.right],
            "matcher": match.matcher,
            "verdict": match.verdict,
            "score": match.score,
            "because": clean(match.because),
        }
