"""An explanation as text for a terminal, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from wcwidth import wcswidth

from metasearch.cli.explain_list import ListOptions, list_object, list_rows
from metasearch.cli.terminal.console import counted
from metasearch.dedup.explain import Explanation
from metasearch.dedup.matcher import Key
from metasearch.formats.answer import hit_object, match_object
from metasearch.formats.records import record_object
from metasearch.formats.reference import full_title, identifiers
from metasearch.formats.text import clean, line, wrapped
from metasearch.record import Hit, Match, Record

#: Columns of the narrowest layout with two records side by side.
MIN_WIDTH = 40
#: Columns of the label of a line.
LABEL = 13
AUTHORS_SHOWN = 6
#: Matches between two hits, and keys of a rule, that are shown; characters of a key.
MATCHES_SHOWN, KEYS_SHOWN, KEY_LENGTH = 5, 3, 40


def pair_text(explanation: Explanation, width: int, options: ListOptions) -> str:
    """The two records side by side, the result of each rule, whether they are in one hit, and
    whether their hits pass the filters.
    """
    width = max(width, MIN_WIDTH)
    return "\n".join(
        [
            *_side_by_side(explanation, width),
            "",
            *_lines(_judged(explanation), width),
            "",
            *_lines(_outcome(explanation), width),
            "",
            *_in_list(explanation, width, options),
        ]
    )


def _in_list(explanation: Explanation, width: int, options: ListOptions) -> Iterator[str]:
    """How each hit of a pair stands in the list; the explanation of a pair knows no ranks."""
    for hit in {hit.id: hit for hit in explanation.hits}.values():
        rows = list(list_rows(hit, options))
        if rows:
            yield from _lines([("hit", hit.id), *rows], width)
            yield ""


def hits_text(hits: Sequence[Hit], width: int, options: ListOptions) -> str:
    """The records, matches and versions of each hit, and how it stands in the list."""
    width = max(width, MIN_WIDTH)
    blocks = []
    for hit in hits:
        rows = [
            ("hit", f"{hit.id}: {counted(len(hit.records), 'record')}"),
            ("title", full_title(hit.record) or "[no title]"),
            *(("record", f"{line(record.key)}: {_brief(record)}") for record in hit.records),
            *(("match", _match_in_words(match)) for match in hit.matches),
            *(
                ("version", f"{line(v.kind)}: {', '.join(map(line, v.records))}")
                for v in hit.versions
            ),
        ]
        if not hit.matches:
            rows.append(("match", "none: no other record is this work"))
        rows += list_rows(hit, options)
        blocks.append("\n".join(_lines(rows, width)) + "\n")
    return "\n".join(blocks)


# --------------------------------------------------------------------------- the records


def _side_by_side(explanation: Explanation, width: int) -> Iterator[str]:
    column = (width - LABEL - 2) // 2
    names = [line(name) for name in explanation.names]
    for label, left, right in (("", *names), *_rows(explanation.left, explanation.right)):
        cells = (wrapped(left or "-", column), wrapped(right or "-", column))
        for number, (one, other) in enumerate(zip_longest(*cells, fillvalue="")):
            shown = label if number == 0 else ""
            yield f"{shown:{LABEL}}{_padded(one, column)}  {other}".rstrip()


def _rows(left: Record, right: Record) -> Iterator[tuple[str, str, str]]:
    """(field, its text in the left record, its text in the right record), without empty fields."""
    for (label, one), (_, other) in zip(_fields(left), _fields(right), strict=True):
        if one or other:
            yield label, one, other


def _fields(record: Record) -> Iterator[tuple[str, str]]:
    yield "title", full_title(record)
    yield "authors", _authors(record)
    yield "year", line(record.date) or str(record.year or "")
    yield "venue", line(record.venue)
    yield "volume", _place(record)
    yield "publisher", line(record.publisher)
    yield "edition", line(record.edition)
    yield "type", line(record.type)
    yield "doi", line(record.doi)
    yield "ids", ", ".join(identifiers(record))
    yield "isbn", ", ".join(map(line, record.isbn))
    yield "url", line(record.url)


def _authors(record: Record) -> str:
    names = [line(author.name) for author in record.authors]
    more = len(names) - AUTHORS_SHOWN
    return "; ".join(names) if more <= 1 else f"{'; '.join(names[:AUTHORS_SHOWN])} and {more} more"


def _place(record: Record) -> str:
    issue = f"({line(record.issue)})" if record.issue else ""
    pages = f"pages {line(record.pages)}" if record.pages else ""
    return ", ".join(filter(None, (f"{line(record.volume)}{issue}", pages)))


def _brief(record: Record) -> str:
    parts = (full_title(record) or "[no title]", str(record.year or ""), line(record.doi))
    return ", ".join(filter(None, parts))


def _padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - wcswidth(text))


# --------------------------------------------------------------------------- the rules


def _judged(explanation: Explanation) -> Iterator[tuple[str, str]]:
    yield "keys", _common_keys(explanation.keys)
    for rule, match in explanation.rules:
        yield f"  {line(rule)}", "no result" if match is None else _result(match)
    if explanation.verdict is None:
        yield "verdict", "none: no rule matches the two records"
    else:
        yield "verdict", f"{_word(explanation.verdict)}, by {line(explanation.verdict.matcher)}"


def _common_keys(keys: Sequence[Key]) -> str:
    if not keys:
        return "none: the two records have no key in common, so only other records can connect them"
    places: dict[str, list[str]] = {}
    for key in keys:
        places.setdefault(line(key.matcher), []).append(_cut(line(str(key.value))))
    return ", ".join(f"{rule} ({_listed(values)})" for rule, values in places.items())


def _listed(values: list[str]) -> str:
    more = len(values) - KEYS_SHOWN
    return "; ".join(values) if more <= 1 else f"{'; '.join(values[:KEYS_SHOWN])}; {more} more"


def _cut(text: str) -> str:
    return text if len(text) <= KEY_LENGTH else f"{text[: KEY_LENGTH - 1]}…"


def _word(match: Match) -> str:
    word = {"same": "same", "different": "different", "version": "versions of one work"}[
        match.verdict
    ]
    return word if match.verdict == "different" else f"{word} ({match.score:.2f})"


def _result(match: Match) -> str:
    return f"{_word(match)}: {line(match.because)}"


def _match_in_words(match: Match) -> str:
    return f"{line(match.left)} and {line(match.right)}: {line(match.matcher)}: {_result(match)}"


# --------------------------------------------------------------------------- the outcome

_NEVER_MET = "their hits have no key in common, so they were never compared"
_CROWDED = "too many records share their key, so not every pair was compared"


def _outcome(explanation: Explanation) -> Iterator[tuple[str, str]]:
    if explanation.together:
        hit = explanation.hits[0]
        yield "together", f"in one hit of {counted(len(hit.records), 'record')} ({hit.id})"
        yield from (("by", _match_in_words(match)) for match in explanation.path)
        return
    sizes = [f"{hit.id} ({counted(len(hit.records), 'record')})" for hit in explanation.hits]
    yield "apart", f"in two hits, {' and '.join(sizes)}"
    if explanation.versions_apart:
        yield "because", "they are versions of one work, and each version is a separate hit here"
    elif explanation.against:
        yield from _some("because", explanation.against)
        yield from _some("although", explanation.across)
    elif explanation.across:
        yield "because", _CROWDED if explanation.met else _NEVER_MET
        yield from _some("although", explanation.across)
    else:
        yield "because", "no rule matches them, or any two records of their hits"


def _some(label: str, matches: Sequence[Match]) -> Iterator[tuple[str, str]]:
    yield from ((label, _match_in_words(match)) for match in matches[:MATCHES_SHOWN])
    if len(matches) > MATCHES_SHOWN:
        yield "", f"and {len(matches) - MATCHES_SHOWN} more pairs"


def _lines(rows: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    before = ""
    for label, text in rows:
        shown = "" if label == before else label
        before = label
        # The text begins after a label that is longer than its column.
        indent = " " * LABEL
        head = f"{shown:{LABEL}}" if len(shown) < LABEL else f"{shown} "
        for number, part in enumerate(wrapped(text, width - LABEL) or [""]):
            yield f"{head if number == 0 else indent}{part}".rstrip()


# --------------------------------------------------------------------------- data


def pair_object(explanation: Explanation) -> dict[str, Any]:
    """The content of `pair_text` as one JSON object, which always has all keys."""
    return {
        "left": {"key": clean(explanation.names[0]), **record_object(explanation.left)},
        "right": {"key": clean(explanation.names[1]), **record_object(explanation.right)},
        "keys": [
            {"matcher": key.matcher, "value": clean(str(key.value))} for key in explanation.keys
        ],
        "rules": [
            {"rule": rule, "said": match_object(match) if match else None}
            for rule, match in explanation.rules
        ],
        "verdict": match_object(explanation.verdict) if explanation.verdict else None,
        "together": explanation.together,
        "hits": [hit.id for hit in explanation.hits],
        "path": [match_object(match) for match in explanation.path],
        "across": [match_object(match) for match in explanation.across],
        "against": [match_object(match) for match in explanation.against],
        "met": explanation.met,
        "versions_apart": explanation.versions_apart,
    }


def hit_as_object(hit: Hit, options: ListOptions) -> dict[str, Any]:
    """A hit as in the JSON answer, with all fields of its records and its place."""
    records = {"records": [record_object(record) for record in hit.records]}
    return hit_object(hit) | records | list_object(hit, options)
