"""Works and the states of sources as objects for assistants, and how an answer is kept small."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import orjson

from metasearch.events import Answer, SourceReport
from metasearch.formats.failures import alike
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import ascii_url, clean, clean_all, clean_map, line, web_url
from metasearch.record import Author, Hit, Record
from metasearch.server.site import Site
from metasearch.server.suggest import as_query

# How large an answer is for a language model, and how it is kept small: abstracts are cut first,
# then whole works are left out, and the answer says so.

#: Tokens of one answer by `tokens`. Hosts cut answers at 25,000; an answer is sent twice, as an
#: object and as text, and a host may show both.
MOST_TOKENS = 12_000
#: Tokens that everything beside the works may take.
_MOST_BESIDE = 5_000
#: Characters of each abstract, the most that fit are chosen.
_ABSTRACTS = (1_200, 500, 200, 0)
_letters = re.compile("[A-Za-z ]+")
_ascii = re.compile("[\x00-\x7f]+")
_narrow = re.compile("[\x80-\u07ff]+")
_basic = re.compile("[\u0800-\uffff]+")


def tokens(text: str) -> int:
    """An upper estimate of the tokens of a text, for any model.

    English takes a token for four to five letters, here one for two and a half; other characters
    never take more than one for each byte of UTF-8, which is what they are counted as.
    """
    others = _letters.sub("", text)
    not_ascii = _ascii.sub("", others)
    not_narrow = _narrow.sub("", not_ascii)
    astral = _basic.sub("", not_narrow)
    letters = len(text) - len(others)
    signs = len(others) - len(not_ascii)
    narrow = len(not_ascii) - len(not_narrow)
    basic = len(not_narrow) - len(astral)
    return round(letters * 0.4 + signs * 1.1 + narrow + basic * 3 + len(astral) * 4)


def json_text(value: object) -> str:
    return orjson.dumps(value).decode()


def size(value: object) -> int:
    """Tokens of the JSON text of a value."""
    return tokens(json_text(value))


def cut(text: str, characters: int) -> str:
    """The text, or its beginning with "…"; "" for none."""
    return text if len(text) <= characters else text[: max(0, characters - 1)].rstrip() + "…"


def cut_to_tokens(text: str, most: int) -> str:
    """The text, or as much of its beginning as has so many tokens, with "…"."""
    while tokens(text) > most:
        # What is left out is in proportion to what is too much: a few rounds are enough.
        text = cut(text, min(len(text) - 1, int(len(text) * most / tokens(text))))
    return text


def fit_works(
    works: Sequence[Any], write: Callable[[Any, int], dict[str, Any]], beside: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The works as objects that fit into an answer, and a note for each thing that was cut.

    `works`: in the order of the list. `write`: takes a work and the characters that its abstract
    may have.
    """
    room = MOST_TOKENS - size(beside) - 200
    for characters in _ABSTRACTS:
        objects = [write(work, characters) for work in works]
        if sum(map(size, objects)) <= room:
            return objects, _cut_notes(characters, len(objects), len(works))
    kept: list[dict[str, Any]] = []
    for each in objects:
        room -= size(each)
        if room < 0:
            break
        kept.append(each)
    return kept, _cut_notes(0, len(kept), len(works))


def _cut_notes(characters: int, kept: int, all_: int) -> list[str]:
    notes = []
    if characters == 0:
        notes.append("Abstracts are left out, because the answer would be too long; fetch has them")
    elif characters < _ABSTRACTS[0]:
        notes.append(f"Abstracts are cut to {characters} characters; fetch has the whole ones")
    if kept < all_:
        notes.append(f"Only the first {kept} of these {all_} works fit into one answer")
    return notes


def fit_facets(facets: dict[str, Any] | None) -> tuple[dict[str, Any] | None, list[str]]:
    """The facets with as many values as fit, and a note where values were left out."""
    if facets is None or size(facets) <= _MOST_BESIDE:
        return facets, []
    most = max(len(facet["values"]) for facet in facets["facets"].values())
    while size(facets) > _MOST_BESIDE and most > 1:
        most = most * 2 // 3
        facets = facets | {
            "facets": {
                name: facet | {"values": facet["values"][:most]}
                for name, facet in facets["facets"].items()
            }
        }
    return facets, [f"Only the first {most} values of each facet fit into one answer"]


# Works and the states of sources as objects for assistants. What databases wrote is cleaned of
# control characters, and bounded: a title may be long, and a report may have thousands of authors.

_LONGEST_TITLE, _LONGEST_NAME = 400, 120
#: Characters of an address or identifier; longer ones are left out, because a part leads nowhere.
_LONGEST_ADDRESS = 600
#: Names and words of one list, in a list of works and of a single work.
_FEW_NAMES, MANY_NAMES = 6, 60
#: Tokens of a sentence about a source or a query.
_LONGEST_NOTE = 100
#: Tokens of what is known of a single work beside its title and abstract.
_MOST_METADATA = 6_000
_MOST_NOTES, _MOST_GROUPS, _MOST_SOURCES = 12, 20, 100


def title_of(hit: Hit) -> str:
    """The title of a work on one line; never empty."""
    return cut(full_title(hit.record), _LONGEST_TITLE) or "[without title]"


def address_of(hit: Hit, site: Site | None) -> str:
    """Where a reader of the work is sent; never empty, because hosts cite nothing without one.

    The address of the work or of one of its records, else a search for its title at this server,
    else its name as a URN.
    """
    for record in (hit.record, *hit.records):
        url = ascii_url(link(record) or "")
        if 0 < len(url) <= _LONGEST_ADDRESS:
            return url
    if site is None:
        return f"urn:metasearch:hit:{hit.id}"
    return site.url("/search", q=as_query(full_title(hit.record)) or hit.id, format="html")


def names(record: Record, most: int = _FEW_NAMES) -> list[str]:
    """The authors, the first `most` of them, and how many more there are."""
    return _few_people(record.byline, most)


def _few_people(people: tuple[Author, ...], most: int = _FEW_NAMES) -> list[str]:
    return _few([line(person.name) for person in people[:most]], len(people))


def _few(listed: list[str], all_: int) -> list[str]:
    shown = [cut(text, _LONGEST_NAME) for text in listed if text]
    return [*shown, f"and {all_ - len(listed):,} more"] if all_ > len(listed) else shown


def _words(texts: tuple[str, ...], most: int) -> list[str]:
    return _few(clean_all(texts[:most]), len(texts))


def result(hit: Hit, characters: int, site: Site | None) -> dict[str, Any]:
    """A work as an entry of `search`."""
    record = hit.record
    return _without_empty(
        {
            "id": hit.id,
            "title": title_of(hit),
            "url": address_of(hit, site),
            "text": cut(clean(record.abstract or ""), characters),
            "authors": names(record),
            "year": record.year,
            "venue": cut(line(record.venue), _LONGEST_NAME),
            "doi": _whole(line(record.doi)),
        },
    )


def work(hit: Hit, characters: int, site: Site | None) -> dict[str, Any]:
    """A work as an entry of `search_papers`; arguments as for `result`."""
    record = hit.record
    return _without_empty(
        {
            "id": hit.id,
            "rank": hit.rank,
            "title": title_of(hit),
            "authors": names(record),
            "year": record.year,
            "venue": cut(line(record.venue), _LONGEST_NAME),
            "type": line(record.type),
            "doi": _whole(line(record.doi)),
            "url": address_of(hit, site),
            "pdf_url": _whole(ascii_url(web_url(record.pdf_url) or "")),
            "abstract": cut(clean(record.abstract or ""), characters),
            "language": line(record.language),
            "citations": record.citations,
            "open_access": line(record.open_access),
            "retracted": record.retracted or None,
            "sources": clean_all(hit.sources[:_MOST_SOURCES]),
        },
    )


def metadata(hit: Hit) -> dict[str, Any]:
    """What is known of a work beside its title and abstract; nothing that is not known.

    Where that would be too long, "left_out" names what has no room.
    """
    members, room, left_out = _metadata(hit), _MOST_METADATA, []
    for name in list(members):
        needed = size({name: members[name]})
        if needed > room:
            del members[name]
            left_out.append(name)
        else:
            room -= needed
    return members | {"left_out": left_out} if left_out else members


def _metadata(hit: Hit) -> dict[str, Any]:
    record = hit.record
    ids = {
        cut(scheme, _LONGEST_NAME): value
        for scheme, value in clean_map(record.ids).items()
        if _whole(value)
    }
    return _without_empty(
        {
            "authors": names(record, MANY_NAMES),
            "editors": _few_people(record.editors),
            "translators": _few_people(record.translators),
            "year": record.year,
            "date": line(record.date),
            "type": line(record.type),
            "venue": cut(line(record.venue), _LONGEST_TITLE),
            "volume": cut(line(record.volume), _LONGEST_NAME),
            "issue": cut(line(record.issue), _LONGEST_NAME),
            "pages": cut(line(record.pages), _LONGEST_NAME),
            "publisher": cut(line(record.publisher), _LONGEST_NAME),
            "place": cut(line(record.place), _LONGEST_NAME),
            "institution": cut(line(record.institution), _LONGEST_NAME),
            "doi": _whole(line(record.doi)),
            "ids": dict(list(ids.items())[:MANY_NAMES]),
            "isbn": _words(record.isbn, _FEW_NAMES),
            "issn": _words(record.issn, _FEW_NAMES),
            "language": line(record.language),
            "keywords": _words(record.keywords, MANY_NAMES),
            "subjects": _words(record.subjects, MANY_NAMES),
            "citations": record.citations,
            "open_access": line(record.open_access),
            "licence": cut(line(record.licence), _LONGEST_TITLE),
            "pdf_url": _whole(ascii_url(web_url(record.pdf_url) or "")),
            "retracted": record.retracted or None,
            "sources": clean_all(hit.sources[:_MOST_SOURCES]),
            "versions": [version.kind for version in hit.versions],
        },
    )


def _whole(text: str) -> str:
    return text if len(text) <= _LONGEST_ADDRESS else ""


def _without_empty(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, "", [], {})}


def source_states(answer: Answer) -> dict[str, Any]:
    """Which sources answered, and which failed and why: an empty list means that there are no works
    only where sources answered.
    """
    failed = (each for each in answer.sources if each.failed)
    not_asked = (each for each in answer.sources if each.status == "skipped")
    states = {
        "answered": [each.source for each in answer.sources if each.answered],
        "failed": _alike(failed),
        "not_asked": _alike(not_asked),
        "running": list(answer.running),
    }
    return {name: value for name, value in states.items() if value or name == "answered"}


def _alike(reports: Iterable[SourceReport]) -> list[dict[str, Any]]:
    """Those with the same reason together."""
    return [
        {
            "sources": [line(report.source) for report in group],
            "status": group[0].status,
            "reason": cut_to_tokens(line(str(group[0].error or group[0].status)), _LONGEST_NOTE),
        }
        for group in alike(reports)
    ][:_MOST_GROUPS]


def has_answer(answer: Answer) -> bool:
    """Whether at least one source answered, with records or without."""
    return any(report.answered for report in answer.sources)


def source_note(answer: Answer) -> list[str]:
    """A sentence where no source has answered: an empty list means nothing then."""
    if has_answer(answer):
        return []
    return ["No source answered, so it is not known whether there are such works; see sources"]


def notes_of(notes: Iterable[str]) -> list[str]:
    """Sentences, each on one line, the first few of them."""
    return [cut_to_tokens(line(note), _LONGEST_NOTE) for note in islice(notes, _MOST_NOTES)]
