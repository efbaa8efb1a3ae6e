"""An explanation as text for a terminal, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from wcwidth import wcswidth

from metasearch.cli.terminal.console import counted
from metasearch.dedup.explain import Explanation
from metasearch.dedup.matcher import Key
from metasearch.formats.answer import hit_object, match_object
from metasearch.formats.records import record_object
from metasearch.formats.reference import full_title, identifiers
from metasearch.formats.text import clean, line, wrapped
from metasearch.record import Hit, Match, Record

#: Below this two records do not fit beside one another.
MIN_WIDTH = 40
#: Columns of what a line is about.
LABEL = 13
AUTHORS_SHOWN = 6
#: Of verdicts across two hits, and of places where records meet for each rule; longer ones are cut.
MATCHES_SHOWN, KEYS_SHOWN, KEY_LENGTH = 5, 3, 40


def pair_text(it: Explanation, width: int) -> str:
    """The two records side by side, what each rule says of them, and what came of it."""
    width = max(width, MIN_WIDTH)
    return "\n".join(
        [
            *_side_by_side(it, width),
            "",
            *_lines(_judged(it), width),
            "",
            *_lines(_outcome(it), width),
            "",
        ]
    )


def hits_text(hits: Sequence[Hit], width: int) -> str:
    """All that holds each hit together."""
    width = max(width, MIN_WIDTH)
    blocks = []
    for hit in hits:
        rows = [
            ("hit", f"{hit.id}: {counted(len(hit.records), 'record')}"),
            ("title", full_title(hit.record) or "[no title]"),
            *(("record", f"{line(record.key)}: {_brief(record)}") for record in hit.records),
            *(("match", _said(match)) for match in hit.matches),
            *(
                ("version", f"{line(v.kind)}: {', '.join(map(line, v.records))}")
                for v in hit.versions
            ),
        ]
        if not hit.matches:
            rows.append(("match", "none: nothing else was found to be this work"))
        blocks.append("\n".join(_lines(rows, width)) + "\n")
    return "\n".join(blocks)


# --------------------------------------------------------------------------- the records


def _side_by_side(it: Explanation, width: int) -> Iterator[str]:
    column = (width - LABEL - 2) // 2
    names = [line(name) for name in it.names]
    for label, left, right in (("", *names), *_rows(it.left, it.right)):
        cells = (wrapped(left or "-", column), wrapped(right or "-", column))
        for number, (one, other) in enumerate(zip_longest(*cells, fillvalue="")):
            shown = label if number == 0 else ""
            yield f"{shown:{LABEL}}{_padded(one, column)}  {other}".rstrip()


def _rows(left: Record, right: Record) -> Iterator[tuple[str, str, str]]:
    """(field, as the one has it, as the other has it), fields that neither has left out."""
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


def _judged(it: Explanation) -> Iterator[tuple[str, str]]:
    yield "meet at", _meeting(it.keys)
    for rule, match in it.rules:
        yield f"  {line(rule)}", "says nothing" if match is None else _answer(match)
    if it.verdict is None:
        yield "verdict", "none: no rule says that they are one work"
    else:
        yield "verdict", f"{_word(it.verdict)}, by {line(it.verdict.matcher)}"


def _meeting(keys: Sequence[Key]) -> str:
    if not keys:
        return (
            "nothing: the two have no key in common, so only other records can bring them together"
        )
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


def _answer(match: Match) -> str:
    return f"{_word(match)}: {line(match.because)}"


def _said(match: Match) -> str:
    return f"{line(match.left)} and {line(match.right)}: {line(match.matcher)}: {_answer(match)}"


# --------------------------------------------------------------------------- the outcome

_NEVER_MET = "no key brings their hits together, so they were never compared"
_CROWDED = "too many records stand where they meet for each to be compared with each"


def _outcome(it: Explanation) -> Iterator[tuple[str, str]]:
    if it.together:
        hit = it.hits[0]
        yield "together", f"in one hit of {counted(len(hit.records), 'record')} ({hit.id})"
        yield from (("by", _said(match)) for match in it.path)
        return
    sizes = [f"{hit.id} ({counted(len(hit.records), 'record')})" for hit in it.hits]
    yield "apart", f"in two hits, {' and '.join(sizes)}"
    if it.versions_apart:
        yield "because", "they are versions of one work, and each version is a hit of its own here"
    elif it.against:
        yield from _some("because", it.against)
        yield from _some("although", it.across)
    elif it.across:
        yield "because", _CROWDED if it.met else _NEVER_MET
        yield from _some("although", it.across)
    else:
        yield "because", "no rule says that they, or any two records of their hits, are one work"


def _some(label: str, matches: Sequence[Match]) -> Iterator[tuple[str, str]]:
    yield from ((label, _said(match)) for match in matches[:MATCHES_SHOWN])
    if len(matches) > MATCHES_SHOWN:
        yield "", f"and {len(matches) - MATCHES_SHOWN} more pairs"


def _lines(rows: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    before = ""
    for label, text in rows:
        shown = "" if label == before else label
        before = label
        # What is too long for the label's column begins behind it.
        indent = " " * LABEL
        head = f"{shown:{LABEL}}" if len(shown) < LABEL else f"{shown} "
        for number, part in enumerate(wrapped(text, width - LABEL) or [""]):
            yield f"{head if number == 0 else indent}{part}".rstrip()


# --------------------------------------------------------------------------- data


def pair_object(it: Explanation) -> dict[str, Any]:
    """The same as `pair_text` as one JSON object; every key is always there."""
    return {
        "left": {"key": clean(it.names[0]), **record_object(it.left)},
        "right": {"key": clean(it.names[1]), **record_object(it.right)},
        "keys": [{"matcher": key.matcher, "value": clean(str(key.value))} for key in it.keys],
        "rules": [
            {"rule": rule, "said": match_object(match) if match else None}
            for rule, match in it.rules
        ],
        "verdict": match_object(it.verdict) if it.verdict else None,
        "together": it.together,
        "hits": [hit.id for hit in it.hits],
        "path": [match_object(match) for match in it.path],
        "across": [match_object(match) for match in it.across],
        "against": [match_object(match) for match in it.against],
        "met": it.met,
        "versions_apart": it.versions_apart,
    }


def hit_as_object(hit: Hit) -> dict[str, Any]:
    """A hit as in the JSON answer, with its records whole."""
    return hit_object(hit) | {"records": [record_object(record) for record in hit.records]}
