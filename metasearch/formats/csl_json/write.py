"""CSL-JSON, as citation processors, Zotero, Pandoc and others read it: a list with an item a hit.

Zotero refuses a whole file for one type that it does not know, so no other type is written; what a
type of CSL does not tell stands in `genre`, as a word, because styles print it.
https://docs.citationstyles.org/en/stable/specification
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from metasearch.formats.origins import Beside, BesideHits, joined, with_beside
from metasearch.formats.reading import type_words
from metasearch.formats.reference import (
    date_parts,
    full_title,
    identifiers,
    issuing_body,
    link,
    page_range,
)
from metasearch.formats.tagged_lines import (
    databases,
    further_titles,
    general_type,
)
from metasearch.formats.text import clean, line
from metasearch.record import Author, Hit, Record

#: `Record.type` -> type of CSL.
CSL_TYPES = {
    "article": "article-journal",
    "preprint": "article",
    "conference-paper": "paper-conference",
    "proceedings": "book",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "document",
    "patent": "patent",
    "standard": "standard",
    "review": "article-journal",
    "editorial": "article-journal",
    "letter": "article-journal",
    "erratum": "article-journal",
    "retraction": "article-journal",
    "reference-entry": "entry-encyclopedia",
    "journal": "book",
    "map": "map",
    "score": "musical_score",
    "audio": "song",
    "video": "motion_picture",
    "image": "graphic",
    "webpage": "webpage",
    "other": "document",
}
#: Types whose container is a series.
_IN_SERIES = frozenset({"book", "proceedings", "thesis", "report", "map", "standard"})


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """A list with an object for each hit, in UTF-8, a line each, in the order given. `hits`: in the
    order of the items. `beside`: what files say beside the records, by `Hit.id`.
    """
    before = b"[\n"
    for hit, found in with_beside(hits, beside):
        yield before + orjson.dumps(item(hit, found))
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def item(hit: Hit, beside: Beside | None = None) -> dict[str, Any]:
    """The item of a hit, without members that say nothing."""
    record = hit.record
    kind = general_type(record)
    arxiv = line(record.ids.get("arxiv"))
    found: dict[str, Any] = {
        "id": line(hit.id),
        "type": CSL_TYPES[kind],
        "genre": _genre(record, kind),
        "title": full_title(record),
        "original-title": further_titles(record),
        "author": [_name(author) for author in record.authors],
        "editor": [_name(editor) for editor in record.editors],
        "issued": _issued(record),
        "collection-title" if kind in _IN_SERIES else "container-title": line(record.venue),
        "publisher": issuing_body(record) or (line(record.venue) if kind == "preprint" else ""),
        "edition": line(record.edition),
        "volume": line(record.volume),
        "issue": line(record.issue),
        "number": _number(record, kind),
        "page": "-".join(filter(None, page_range(record.pages))),
        "DOI": line(record.doi),
        "ISBN": " ".join(map(line, record.isbn)),
        "ISSN": ", ".join(map(line, record.issn)),
        "PMID": line(record.ids.get("pmid")),
        "PMCID": line(record.ids.get("pmcid")),
        "archive": "arXiv" if arxiv and kind != "preprint" else "",
        "archive_location": arxiv if kind != "preprint" else "",
        "URL": link(record),
        "language": line(record.language),
        "license": line(record.licence),
        # A book with a version is a program to Zotero.
        "version": line(record.version) if CSL_TYPES[kind] != "book" else "",
        "abstract": clean(record.abstract or ""),
        "keyword": "; ".join(map(line, dict.fromkeys(record.keywords + record.subjects))),
        "source": "; ".join(databases(hit, beside)),
        "note": _note(record, beside),
        "status": "retracted" if record.retracted else "",
    }
    others = found["original-title"]
    found["original-title"] = others[0] if others else ""
    found["translated-title"] = others[1:]
    made = {name: value for name, value in found.items() if value}
    if beside is not None:
        _add_beside(made, beside)
    return made


def _add_beside(made: dict[str, Any], beside: Beside) -> None:
    """Members of files; several values of one are apart by semicolons, and one whose name is ours
    goes into the note.
    """
    ours = dict(made)
    for name, value in ((clean(tag), clean(text)) for tag, text in beside.fields):
        if not name or not value or value == ours.get(name):
            continue
        target, shown = ("note", f"{name}: {value}") if name in ours else (name, value)
        if target == "note":
            made["note"] = "\n".join(filter(None, (made.get("note"), shown)))
        elif shown not in made.get(target, "").split("; "):
            made[target] = "; ".join(filter(None, (made.get(target), shown)))


def genre_word(kind: str) -> str:
    """What `genre` calls one of `TYPES`: "conference-paper" as "Conference paper"."""
    return kind.replace("-", " ").capitalize()


def _number(record: Record, kind: str) -> str:
    """The number of a patent; of a preprint in arXiv the number there, as styles print it."""
    if kind == "patent":
        return line(record.ids.get("patent"))
    arxiv = line(record.ids.get("arxiv")) if kind == "preprint" else ""
    return f"arXiv:{arxiv}" if arxiv else ""


def _genre(record: Record, kind: str) -> str:
    """Our type where that of CSL is read as another one."""
    if record.type is None or kind == "other":
        return ""
    read = "preprint" if CSL_TYPES[kind] == "article" else type_words.type_of([CSL_TYPES[kind]])
    return "" if read == kind and not (kind == "preprint" and record.venue) else genre_word(kind)


def _name(author: Author) -> dict[str, str]:
    family, given, orcid = line(author.family), line(author.given), line(author.orcid)
    named = {"family": family, "given": given} if family else {"literal": line(author.name)}
    whole = named | ({"ORCID": f"https://orcid.org/{orcid}"} if orcid else {})
    return {part: value for part, value in whole.items() if value}


def _issued(record: Record) -> dict[str, list[list[int]]] | None:
    year, month, day = date_parts(record.date)
    known = [int(part) for part in (year, month, day) if part]
    if not known and record.year is not None and 0 < record.year < 10_000:
        known = [record.year]
    return {"date-parts": [known]} if known else None


def _note(record: Record, beside: Beside | None) -> str:
    """Identifiers that CSL has no variable for, and where the records come from."""
    apart = ("arxiv", "pmid", "pmcid")
    own = [name for name in identifiers(record) if name.partition(":")[0] not in apart]
    made_of = joined(beside.origins) if beside is not None else ""
    return "\n".join(filter(None, ("; ".join(own), made_of)))
