"""The lines that read authors or editors who are objects, in the function that `written.py` writes.

Nearly all have a family and a given name that need no cleaning, or a name alone, where that is a
body's: of these, authors are made one by one. Of a list in which anybody is not so, the converter
reads all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metasearch.adapters.select.json_source import PERSON, RECORD, Expressions
from metasearch.adapters.shapes import FieldRule, People
from metasearch.bib import converters
from metasearch.bib.fast_records import made_author
from metasearch.bib.field_limits import LIMITS
from metasearch.bib.identifier_forms import orcid
from metasearch.bib.names.converters import are_clean, is_clean
from metasearch.bib.names.person import displayed
from metasearch.record import Author

#: What these lines call, beside what those of the record do.
CALLED: Mapping[str, Any] = {
    "Author": Author,
    "AuthorDraft": made_author,
    "are_clean": are_clean,
    "displayed": displayed,
    "is_clean": is_clean,
    "orcid_of": orcid,
    "text_of": converters.text,
}
_AFFILIATION = LIMITS["affiliation"].text


def people_of(
    rule: FieldRule, people: People, field: str, variable: str, expressions: Expressions
) -> Iterator[str]:
    """The lines that set the variable of a field ("authors", "editors") and `fitting_FIELD`."""
    convert = expressions.constant(rule.convert, "convert")
    parts = {
        part: expressions.of_selector(select.tree, select.find, PERSON)
        for part, select in people.parts.items()
    }
    limit = LIMITS[field]
    yield f"found = {expressions.of_selector(people.each.tree, people.each.find)}"
    yield "if found is not None:"
    if people.tidied or not {"family", "given"} <= parts.keys():
        yield f"    {variable} = {convert}({RECORD}, cuts) or None"
        return
    yield f"    if type(found) is list and len(found) <= {limit.items}:"
    yield "        people, names = [], []"
    yield f"        for {PERSON} in found:"
    yield from indented(_person(parts, limit.text), 3)
    yield "            people.append(draft)"
    yield "        else:"
    yield "            if are_clean(names):"
    yield "                if len(people) > 1 and len({*names}) < len(people):"
    yield "                    people = dict.fromkeys(people)"
    yield f"                {variable} = tuple(people) or None"
    yield f"                fitting_{field} = True"
    yield "                found = None"
    yield "    if found is not None:"
    yield f"        {variable} = {convert}({RECORD}, cuts) or None"


def _person(parts: Mapping[str, str], longest: int) -> Iterator[str]:
    """Makes `draft` of a `person`, or leaves the loop over all."""
    yield f"if type({PERSON}) is not dict: break"
    yield f"family = {parts['family']}"
    yield f"given = {parts['given']}"
    yield "if type(family) is str and type(given) is str and family and given:"
    if "name" in parts:
        yield f"    if {parts['name']}: break"
    yield "    name = f'{given} {family}'"
    yield f"    if len(name) > {longest}: break"
    yield "    if not name.isascii():"
    yield "        if not is_clean(name): break"
    yield "        name = displayed(given, family)"
    orcid = parts.get("orcid", "None")
    yield f"    orcid = {orcid}"
    yield "    orcid, is_body = orcid_of(orcid) if type(orcid) is str else None, False"
    yield "else:"
    if "corporate" in parts and "name" not in parts:
        yield f"    name = {parts['corporate']}"
        yield "    if family is not None or given is not None or type(name) is not str: break"
        yield f"    if not name or len(name) > {longest}: break"
        yield "    orcid, is_body = None, True"
    else:
        yield "    break"
    yield "names.append(name)"
    if "affiliation" in parts:
        yield f"affiliation = {parts['affiliation']}"
        yield "if affiliation is not None:"
        yield f"    if type(affiliation) is not str or len(affiliation) > {_AFFILIATION}: break"
        yield "    affiliation = text_of(affiliation)"
    yield "draft = new(AuthorDraft)"
    yield "draft.name = name"
    yield "draft.family = family"
    yield "draft.given = given"
    yield "draft.orcid = orcid"
    yield f"draft.affiliation = {'affiliation' if 'affiliation' in parts else 'None'}"
    yield "draft.collective = is_body"
    yield "draft.__class__ = Author"


def indented(lines: Iterable[str], levels: int = 1) -> Iterator[str]:
    """The lines, so many levels to the right."""
    for line in lines:
        yield f"{'    ' * levels}{line}"
