"""The converters of `authors` and `editors` that are MARC fields: 1XX and 7XX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metasearch.bib.cuts import Cuts, bounded, most
from metasearch.bib.field_limits import LIMITS
from metasearch.bib.marc import MarcField, Part, Subfields
from metasearch.bib.names import headings
from metasearch.bib.names.converters import each_once
from metasearch.bib.names.person import of_name, person
from metasearch.bib.strings import Converter, first
from metasearch.record import Author

#: Those who stand as the authors: of the first part that anybody has.
_AUTHORS: tuple[Part, ...] = ("author", "editor", "helper")


def _taking_part(fields: Sequence[MarcField], *, editors: bool) -> Sequence[MarcField]:
    """Return the fields of the authors; without any, those of the editors; else of the helpers.

    With `editors` it returns the fields of the editors, but none where the work has no author,
    because the editors then stand as its authors.
    """
    parts = {field.part or headings.part_in(field) for field in fields}
    if len(parts) == 1:  # as nearly always
        return () if editors or "none" in parts else fields
    if editors and not ("editor" in parts and "author" in parts):
        return ()
    wanted = "editor" if editors else next(part for part in _AUTHORS if part in parts)
    return [field for field in fields if field.part == wanted]


def _reader(select: Callable[[Any], Any]) -> Callable[[MarcField], str | None]:
    """Finds the first text of what a selector finds in a field; "" or None where there is none."""
    if isinstance(select, Subfields):
        codes = select.codes
        return lambda field: field.text(codes)
    return lambda field: first(select(field))


def marc_people(
    each: Callable[[Any], list[Any]],
    parts: Mapping[str, Callable[[Any], Any]],
    *,
    editors: bool = False,
    tidy: Callable[[str], str] | None = None,
) -> Converter:
    """A converter for authors that are MARC fields, whose relators tell authors from editors."""
    field = "editors" if editors else "authors"
    longest = LIMITS[field].given
    readers = [(part, _reader(select)) for part, select in parts.items()]

    def convert(record: Any, cuts: Cuts | None = None) -> tuple[Author, ...]:
        found = each(record)
        if not found or (editors and len(found) == 1):  # editors alone stand as authors
            return ()
        authors: list[Author] = []
        for item in _taking_part(most(field, found), editors=editors):
            got = {}
            for part, read in readers:
                value = read(item)
                if value:
                    if len(value) > longest:
                        value = bounded(field, value, Cuts() if cuts is None else cuts)
                    got[part] = value
            if tidy is not None and "name" in got:
                got["name"] = tidy(got["name"])
            author = marc_author(item, got)
            if author:
                authors.append(author)
        return each_once(authors)

    return convert


def marc_author(field: MarcField, got: Mapping[str, str]) -> Author | None:
    """Return the author that a MARC 1XX or 7XX field names; `got` holds its parts."""
    name = got.get("name", "")
    if headings.is_corporate(field):
        unit = (
            field.text("b") if field.tag.endswith("10") and name else ""
        )  # "France. $b Ministère ..."
        body = headings.corporate(f"{name or got.get('family', '')} {unit}")
        return Author(body, collective=True) if body else None
    if not name:  # UNIMARC has family and given names apart
        return person(
            "",
            headings.personal(got.get("family", "")),
            headings.personal(got.get("given", "")),
        )
    name = headings.personal(name)
    if field.ind1 == "0" and "," not in name:  # "John Paul $b II": entered under the forename
        return (
            Author(" ".join(filter(None, (name, headings.personal(field.text("b"))))))
            if name
            else None
        )
    return of_name(name)
