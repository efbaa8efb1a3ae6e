"""`Record.of`: a record of what a program has at hand, such as a row of a table.

A database or a file is read as well as it can be, with notes. Here the caller can mend what is
wrong, so nothing is cut or left out: an error names the field.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from metasearch.bib import converters, identifier_forms, web_addresses
from metasearch.bib.cuts import Cuts, kept
from metasearch.bib.field_limits import LIMITS, MOST_FOUND, MOST_GIVEN
from metasearch.bib.names import byline
from metasearch.bib.names.person import person
from metasearch.errors import UsageError
from metasearch.formats.reading import values
from metasearch.formats.reading.type_words import type_of
from metasearch.record import OPEN_ACCESS, TYPES, Author, Record

_PEOPLE = ("authors", "editors")
_LISTS = ("titles", "isbn", "issn", "keywords", "subjects")
_COUNTS = ("position", "citations")
_PARTS = tuple(part.name for part in fields(Author))
#: Identifiers that have one form.
_SCHEMES: Mapping[str, Callable[[Any], str | None]] = {
    "pmid": converters.pmid,
    "pmcid": converters.pmcid,
    "arxiv": converters.arxiv,
}


def record_of(**given: Any) -> Record:
    """See `Record.of`."""
    found: dict[str, Any] = {"source": "mine"}
    for field, value in given.items():
        read = _read(field, value)
        if read is not None:
            found[field] = read
    if "year" not in found and "date" in found:
        found["year"] = int(found["date"][:4])
    for field, value in found.items():
        cuts = Cuts()
        kept({field: value}, cuts)
        if cuts.notes():
            raise _too_much(field)
    return Record(**found)


def _read(field: str, value: Any) -> Any:
    """The value as `Record` has it; None where none is given."""
    value = _python(value)
    if field in _PEOPLE:
        return _people(field, value)
    if field in _LISTS:
        return _texts(field, value)
    if field == "ids":
        return _ids(value)
    if _is_nothing(value):
        return None
    if field in _COUNTS:
        return _count(field, value)
    if field == "retracted":
        return _retracted(value)
    if field == "open_access" and isinstance(value, bool):
        return converters.open_access(value)
    if field == "date" and isinstance(value, dt.date):
        return (value.date() if isinstance(value, dt.datetime) else value).isoformat()
    said = _text(field, value)
    if not said:
        return None
    reads = _ONE.get(field)
    return reads(said) if reads else said


def _too_much(field: str) -> UsageError:
    limit = LIMITS.get(field)
    if limit is None:
        return UsageError(f"{field} is too large a number")
    most = f"{limit.text:,} characters" + (
        f" each, in {limit.items:,} entries" if limit.items > 1 else ""
    )
    return UsageError(f"{field} is longer than a record keeps: {most}")


# --------------------------------------------------------------------------- what a cell may hold


def _python(value: Any) -> Any:
    """A number of numpy's as one of Python's."""
    item: Callable[[], Any] | None = getattr(value, "item", None)
    return item() if item and type(value).__module__ == "numpy" and value.ndim == 0 else value


def _is_nothing(value: Any) -> bool:
    """None, "", and what tables have for nothing: NaN, and NaT and NA of pandas, which are not
    equal to themselves.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, Real):
        return math.isnan(value)
    return type(value).__name__ in ("NaTType", "NAType")


def _text(field: str, value: Any) -> str:
    """The text of a cell: a text, or a number, which spreadsheets make of volumes and
    identifiers.
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value):
        number = float(value)
        return str(int(number)) if number.is_integer() else str(number)
    if not isinstance(value, str):
        raise _wrong(field, value, "a text or a number")
    limit = LIMITS.get(field, LIMITS["ids"])
    # What is kept whole or not at all is not markup either, and its readers look at so many
    # characters.
    most = min(limit.text, values.SHORT) if limit.whole else limit.given
    if len(value) > most:
        raise UsageError(f"{field} has more than {most:,} characters")
    return values.text(value)


def _many(field: str, value: Any) -> list[Any]:
    """The items of a list, without those that are nothing; of one text or number, itself."""
    if isinstance(value, str | Author | Mapping) or not isinstance(value, Iterable):
        return [] if _is_nothing(value) else [value]
    found: list[Any] = []
    for item in value:
        if len(found) >= MOST_FOUND:
            raise UsageError(f"{field} has more than {MOST_FOUND:,} entries")
        if not _is_nothing(item):
            found.append(_python(item))
    return found


def _wrong(field: str, value: Any, wanted: str) -> UsageError:
    shown = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    return UsageError(
        f"{field} must be {wanted}, is {shown if len(shown) <= 80 else shown[:79] + '…'}"
    )


# --------------------------------------------------------------------------- the fields


def _people(field: str, value: Any) -> tuple[Author, ...]:
    found: list[Author] = []
    several = not isinstance(value, str)
    for item in _many(field, value):
        if isinstance(item, Author):
            found.append(item)
        elif isinstance(item, Mapping):
            found.append(_of_parts(field, item))
        else:
            if not isinstance(item, str):
                raise _wrong(field, item, "names, `Author`s, or tables with `family` and `given`")
            if len(item) > MOST_GIVEN:
                raise UsageError(f"{field} has a text of more than {MOST_GIVEN:,} characters")
            for part in item.replace("；", ";").split(";"):
                if len(part) > byline.LONGEST:
                    raise UsageError(
                        f"{field} has more than {byline.LONGEST:,} characters without a ';' "
                        f"between names"
                    )
                found += _named(part, one=several or ";" in item)
    return tuple(found)


def _named(part: str, *, one: bool) -> Iterable[Author]:
    """The authors of a text; where it is known to be one name, what follows a comma are the given
    names.
    """
    author = values.one_author(part) if one and "," in part else None
    return [author] if author is not None else values.authors([part])


def _of_parts(field: str, item: Mapping[Any, Any]) -> Author:
    said = {
        key: "" if _is_nothing(part) else part for key, part in item.items() if key != "collective"
    }
    for key, part in said.items():
        if (
            key not in _PARTS
            or not isinstance(part, str)
            or len(part) > LIMITS["affiliation"].given
        ):
            raise UsageError(
                f"{field}: an author has {', '.join(_PARTS)}, each a text, and not "
                f"{str(key)[:40]!r} as it is"
            )
    author = person(
        said.get("name", ""),
        said.get("family"),
        said.get("given"),
        identifier_forms.orcid(said.get("orcid")),
    )
    if author is None:
        raise UsageError(f"{field}: an author has neither `name` nor `family`")
    return Author(
        author.name,
        author.family,
        author.given,
        author.orcid,
        values.text(said.get("affiliation", "")) or None,
        item.get("collective") is True,
    )


def _texts(field: str, value: Any) -> tuple[str, ...]:
    """Each text once; one text may hold several with ";", as the cells of tables do."""
    said = [_text(field, item) for item in _many(field, value)]
    if not isinstance(value, str) or field == "titles":
        parts = said
    else:
        parts = [part.strip() for text in said for part in text.replace("；", ";").split(";")]
    if field == "isbn":
        return tuple(
            dict.fromkeys(identifier_forms.isbn(number) or number for number in filter(None, parts))
        )
    if field == "issn":
        return tuple(
            dict.fromkeys(identifier_forms.issn(number) or number for number in filter(None, parts))
        )
    return tuple(dict.fromkeys(filter(None, parts)))


def _ids(value: Any) -> dict[str, str]:
    if _is_nothing(value):
        return {}
    if not isinstance(value, Mapping):
        raise _wrong("ids", value, 'a table such as {"pmid": "31295471"}')
    found: dict[str, str] = {}
    for scheme, item in value.items():
        if not isinstance(scheme, str) or not scheme.strip():
            raise _wrong("ids", scheme, "a table whose keys are texts")
        if _is_nothing(item) or not (said := _text(f"ids.{scheme[:40]}", item)):
            continue
        name = scheme.strip().lower()
        reads = _SCHEMES.get(name)
        read = reads(said) if reads else said
        if read is None:
            raise _wrong(f"ids.{name}", item, "such an identifier")
        found[name] = read
    return found


def _count(field: str, value: Any) -> int | None:
    said = _text(field, value)
    if not said:
        return None
    if not (said.isascii() and said.isdecimal() and len(said) < 16):
        raise _wrong(field, value, "a whole number")
    return int(said)


def _retracted(value: Any) -> bool | None:
    """None where it is denied: a record says that a work was retracted, or says nothing."""
    if isinstance(value, bool) or (isinstance(value, Integral) and value in (0, 1)):
        return True if value else None
    if isinstance(value, str):
        if converters.said_true(value):
            return True
        if values.text(value).casefold() in ("false", "no", "n", "f", "0", ""):
            return None
    raise _wrong("retracted", value, "True or False")


def _year(said: str) -> int | None:
    """Not of the digits of a longer number: 20190 means something else."""
    return None if said.isdecimal() and len(said) != 4 else converters.year([said])


def _needed(field: str, wanted: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """What reads a text that must be such a thing."""

    def reading(said: str) -> Any:
        found = read(said)
        if found is None:
            raise _wrong(field, said, wanted)
        return found

    return reading


#: Fields that are more than a text.
_ONE: Mapping[str, Callable[[str], Any]] = {
    "doi": _needed("doi", "a DOI such as 10.1000/xyz", lambda said: values.doi([said])),
    "year": _needed("year", "a year such as 2019", _year),
    "date": _needed("date", "a date such as 2020, 2020-03 or 2020-03-15", converters.date),
    "pages": _needed("pages", "pages such as 123-8", values.pages),
    "volume": values.volume,
    "type": _needed(
        "type",
        f"one of {', '.join(TYPES)}",
        lambda said: said if said in TYPES else type_of([said]),
    ),
    "language": _needed(
        "language", "a code or a name of a language", lambda said: values.language([said])
    ),
    "open_access": _needed(
        "open_access", f"one of {', '.join(OPEN_ACCESS)}", converters.open_access
    ),
    "abstract": converters.abstract,
    "url": _needed("url", "a web address", web_addresses.web_url),
    "pdf_url": _needed("pdf_url", "a web address", web_addresses.web_url),
}
