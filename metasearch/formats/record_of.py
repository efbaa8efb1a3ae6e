"""`Record.of`: a record of what a program has at hand, such as a row of a table."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from metasearch.bib import bylines, converters, identifiers, notices
from metasearch.bib import texts as markup
from metasearch.bib.field_limits import LIMITS, MOST_FOUND, MOST_GIVEN, Cuts, cut_fields
from metasearch.bib.names import person
from metasearch.errors import UsageError
from metasearch.formats.reading import values
from metasearch.formats.reading.worktypes import type_of
from metasearch.record import OPEN_ACCESS, PEOPLE, TEXTS, TYPES, Author, Record


def python_value(value: Any) -> Any:
    """A number of numpy's as one of Python's."""
    item: Callable[[], Any] | None = getattr(value, "item", None)
    return item() if item and type(value).__module__ == "numpy" and value.ndim == 0 else value


def is_nothing(value: Any) -> bool:
    """None, "", and tables' nothing: NaN, NaT, NA of pandas, unequal to themselves."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, Real):
        return math.isnan(value)
    return type(value).__name__ in ("NaTType", "NAType")


def text_of(field: str, value: Any) -> str:
    """The text of a cell: a text or a number, as spreadsheets make of volumes and ids."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value):
        number = float(value)
        return str(int(number)) if number.is_integer() else str(number)
    if not isinstance(value, str):
        raise wrong(field, value, "a text or a number")
    limit = LIMITS.get(field, LIMITS["ids"])
    # What is kept whole or not at all is not markup either, and its readers look at so many
    # characters.
    most = min(limit.text, values.SHORT) if limit.whole else limit.before_conversion
    if len(value) > most:
        raise UsageError(f"{field} has more than {most:,} characters")
    return values.text(value)


def items_of(field: str, value: Any) -> list[Any]:
    """The items of a list, without those that are nothing; of one text or number, itself."""
    if isinstance(value, str | Author | Mapping) or not isinstance(value, Iterable):
        return [] if is_nothing(value) else [value]
    items: list[Any] = []
    for item in value:
        if len(items) >= MOST_FOUND:
            raise UsageError(f"{field} has more than {MOST_FOUND:,} entries")
        if not is_nothing(item):
            items.append(python_value(item))
    return items


def wrong(field: str, value: Any, wanted: str) -> UsageError:
    """The error of a value that is no such thing; it names the field. `wanted`: what the field
    takes: "a text or a number".
    """
    shown = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    return UsageError(
        f"{field} must be {wanted}, is {shown if len(shown) <= 80 else shown[:79] + '…'}"
    )


# `record_of`: a record of what a program has at hand, such as a row of a table. A database or a
# file is read as well as it can be, with notes. Here the caller can mend what is wrong, so nothing
# is cut or left out: an error names the field.

_COUNTS = ("position", "citations")
_PARTS = tuple(part.name for part in fields(Author))
#: Identifiers that have one form.
_SCHEMES: Mapping[str, Callable[[Any], str | None]] = {
    "pmid": identifiers.pmid,
    "pmcid": identifiers.pmcid,
    "arxiv": identifiers.arxiv,
}


#: A cell of a table: None, "" and NaN are nothing, and a volume may have become a number.
Cell = str | int | float | None
#: Several, or one text that holds them with ";".
Cells = Iterable[Cell] | Cell


def record_of(
    *,
    source: str | None = "mine",
    source_id: Cell = None,
    position: float | None = None,
    url: Cell = None,
    title: Cell = None,
    subtitle: Cell = None,
    original_title: Cell = None,
    translated_title: Cell = None,
    titles: Cells = None,
    authors: Iterable[Author | Mapping[str, Any] | Cell] | Author | Cell = None,
    editors: Iterable[Author | Mapping[str, Any] | Cell] | Author | Cell = None,
    translators: Iterable[Author | Mapping[str, Any] | Cell] | Author | Cell = None,
    year: Cell = None,
    date: dt.date | Cell = None,
    venue: Cell = None,
    publisher: Cell = None,
    place: Cell = None,
    institution: Cell = None,
    edition: Cell = None,
    volume: Cell = None,
    issue: Cell = None,
    pages: Cell = None,
    doi: Cell = None,
    ids: Mapping[str, Cell] | None = None,
    version: Cell = None,
    isbn: Cells = None,
    issn: Cells = None,
    type: Cell = None,  # noqa: A002 - as the field is called
    language: Cell = None,
    abstract: Cell = None,
    keywords: Cells = None,
    subjects: Cells = None,
    citations: Cell = None,
    open_access: bool | Cell = None,
    licence: Cell = None,
    retracted: bool | Cell = None,
    pdf_url: Cell = None,
    funders: Cells = None,
    references: Cells = None,
    notices: Cells = None,
) -> Record:
    """A record of what a program has at hand, in whatever form: a row of a table, a line of a
    list.

        record_of(title="On the origin of species", authors="Darwin, Charles", year="1859",
                  doi="https://doi.org/10.5962/BHL.TITLE.68064")

    None, "" and NaN (also NaT and NA of pandas) mean that nothing is given; "NA" and "N/A" do,
    too. Numbers may be texts and texts numbers: 2019, 2019.0 and "2019" are one year. Markup
    and entities are taken out of texts.

    Args:
        source: What its records are called together; a name of your own.
        source_id: The identifier there; `dedup` tells records by it, or by `position`.
        position: Rank or row, from 1.
        url: With http or https.
        title: As printed.
        subtitle: Where it is apart from the title.
        original_title: In the language of the work, where `title` is a translation.
        translated_title: In another language than the work's.
        titles: A list of further titles.
        authors: In order: "Family, Given" or "Given Family", in a list or in one text with ";",
            or `Author`s, or tables with `family`, `given`, `name`, `suffix`, `orcid`,
            `affiliation`.
        editors: As `authors`.
        translators: As `authors`.
        year: Four digits; taken from `date` where it is not given.
        date: "2020", "2020-03", "2020-03-15", a `datetime.date` or a pandas `Timestamp`.
        venue: Journal, proceedings or book that contains the work.
        publisher: Its name.
        place: Of publication.
        institution: That granted the degree, or issued the report.
        edition: As printed.
        volume: "Vol." before the number is taken off.
        issue: As printed.
        pages: "123-8", "123–128", "e1001".
        doi: Bare, with "doi:", or the address of a resolver, in any case.
        ids: Scheme -> identifier: "pmid", "pmcid", "arxiv" in any of their forms, others as
            they are.
        version: "v2", "1.0.3".
        isbn: ISBN-10 or ISBN-13, with or without hyphens, in a list or in one text with ";".
        issn: As `isbn`.
        type: One of `TYPES`, or a word of BibTeX, RIS, CSL or Zotero for one
            ("journalArticle").
        language: ISO 639 code, or a word for it.
        abstract: Plain text, or with markup, which is taken out.
        keywords: A list, or one text with ";".
        subjects: As `keywords`.
        citations: A whole number.
        open_access: One of `OPEN_ACCESS`, or whether it is.
        licence: Its URL or name.
        pdf_url: With http or https.
        funders: As `keywords`.
        references: As `keywords`: identifiers or texts.
        notices: "retraction 2020-06-04 10.1000/x" each: a retraction, withdrawal, concern or
            correction, when, and its DOI, PMID or address as far as they are known.
        retracted: True or False; a record says only that a work was retracted.

    Raises:
        UsageError: A field holds what it cannot mean, or more than
            `metasearch.bib.field_limits` lets it; the message begins with the name of the
            field.
    """
    given = dict(locals())  # the parameters: nothing else is there yet
    of_record: dict[str, Any] = {"source": "mine"}
    for field, value in given.items():
        read = _read(field, value)
        if read is not None:
            of_record[field] = read
    if "year" not in of_record and "date" in of_record:
        of_record["year"] = int(of_record["date"][:4])
    for field, value in of_record.items():
        cuts = Cuts()
        cut_fields({field: value}, cuts)
        if cuts.notes():
            raise _too_much(field)
    return Record(**of_record)


def _read(field: str, value: Any) -> Any:
    """None where none is given."""
    value = python_value(value)
    if field in PEOPLE:
        return _people(field, value)
    if field in TEXTS:
        return _texts(field, value)
    if field == "ids":
        return _ids(value)
    if is_nothing(value):
        return None
    if field in _COUNTS:
        return _count(field, value)
    if field == "retracted":
        return _retraction(value)
    if field == "open_access" and isinstance(value, bool):
        return markup.open_access(value)
    if field == "date" and isinstance(value, dt.date):
        return (value.date() if isinstance(value, dt.datetime) else value).isoformat()
    text = text_of(field, value)
    if not text:
        return None
    reads = _ONE.get(field)
    return reads(text) if reads else text


def _too_much(field: str) -> UsageError:
    limit = LIMITS.get(field)
    if limit is None:
        return UsageError(f"{field} is too large a number")
    most = f"{limit.text:,} characters" + (
        f" each, in {limit.items:,} entries" if limit.items > 1 else ""
    )
    return UsageError(f"{field} is longer than a record keeps: {most}")


def _people(field: str, value: Any) -> tuple[Author, ...]:
    people: list[Author] = []
    several = not isinstance(value, str)
    for item in items_of(field, value):
        if isinstance(item, Author):
            people.append(item)
        elif isinstance(item, Mapping):
            people.append(_of_parts(field, item))
        else:
            if not isinstance(item, str):
                raise wrong(field, item, "names, `Author`s, or tables with `family` and `given`")
            if len(item) > MOST_GIVEN:
                raise UsageError(f"{field} has a text of more than {MOST_GIVEN:,} characters")
            for part in item.replace("；", ";").split(";"):
                if len(part) > bylines.LONGEST_BYLINE:
                    raise UsageError(
                        f"{field} has more than {bylines.LONGEST_BYLINE:,} characters without a "
                        f"';' between names"
                    )
                people += _names_in(part, one=several or ";" in item)
    return tuple(people)


def _names_in(part: str, *, one: bool) -> Iterable[Author]:
    """The authors of a text; where it is known to be one name, what follows a comma are the given
    names.
    """
    author = values.one_author(part) if one and "," in part else None
    return [author] if author is not None else values.authors([part], several=not one)


def _of_parts(field: str, item: Mapping[Any, Any]) -> Author:
    given = {
        key: "" if is_nothing(part) else part for key, part in item.items() if key != "collective"
    }
    for key, part in given.items():
        if (
            key not in _PARTS
            or not isinstance(part, str)
            or len(part) > LIMITS["affiliation"].before_conversion
        ):
            raise UsageError(
                f"{field}: an author has {', '.join(_PARTS)}, each a text, and not "
                f"{str(key)[:40]!r} as it is"
            )
    author = person(
        given.get("name", ""),
        given.get("family"),
        given.get("given"),
        identifiers.orcid(given.get("orcid")),
    )
    if author is None:
        raise UsageError(f"{field}: an author has neither `name` nor `family`")
    return Author(
        author.name,
        author.family,
        author.given,
        author.orcid,
        values.text(given.get("affiliation", "")) or None,
        item.get("collective") is True,
        values.text(given.get("suffix", "")) or author.suffix,
    )


def _texts(field: str, value: Any) -> tuple[str, ...]:
    """Each text once; one text may hold several with ";", as the cells of tables do."""
    texts = [text_of(field, item) for item in items_of(field, value)]
    if field == "notices":
        return _notices([part for text in texts for part in text.split("; ") if part])
    if not isinstance(value, str) or field == "titles":
        parts = texts
    else:
        parts = [part.strip() for text in texts for part in text.replace("；", ";").split(";")]
    if field == "isbn":
        return tuple(
            dict.fromkeys(identifiers.isbn(number) or number for number in filter(None, parts))
        )
    if field == "issn":
        return tuple(
            dict.fromkeys(identifiers.issn(number) or number for number in filter(None, parts))
        )
    return tuple(dict.fromkeys(filter(None, parts)))


def _ids(value: Any) -> dict[str, str]:
    if is_nothing(value):
        return {}
    if not isinstance(value, Mapping):
        raise wrong("ids", value, 'a table such as {"pmid": "31295471"}')
    ids: dict[str, str] = {}
    for scheme, item in value.items():
        if not isinstance(scheme, str) or not scheme.strip():
            raise wrong("ids", scheme, "a table whose keys are texts")
        if is_nothing(item) or not (text := text_of(f"ids.{scheme[:40]}", item)):
            continue
        name = scheme.strip().lower()
        reads = _SCHEMES.get(name)
        read = reads(text) if reads else text
        if read is None:
            raise wrong(f"ids.{name}", item, "such an identifier")
        ids[name] = read
    return ids


def _count(field: str, value: Any) -> int | None:
    text = text_of(field, value)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise wrong(field, value, "a whole number")
    return int(text)


def _notices(texts: Sequence[str]) -> tuple[str, ...]:
    if unknown := [text for text in texts if notices.read(text) is None]:
        raise wrong("notices", unknown[0], 'texts such as "retraction 2020-06-04 10.1000/x"')
    return notices.texts(list(texts))


def _retraction(value: Any) -> bool | None:
    """None where it is denied: a record says that a work was retracted, or says nothing."""
    if isinstance(value, bool) or (isinstance(value, Integral) and value in (0, 1)):
        return True if value else None
    if isinstance(value, str):
        if markup.true_or_none(value):
            return True
        if values.text(value).casefold() in ("false", "no", "n", "f", "0", ""):
            return None
    raise wrong("retracted", value, "True or False")


def _year(text: str) -> int | None:
    """Not of the digits of a longer number: 20190 means something else."""
    return None if text.isdecimal() and len(text) != 4 else converters.year([text])


def _required(field: str, wanted: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """What reads a text that must be such a thing."""

    def read_value(text: str) -> Any:
        value = read(text)
        if value is None:
            raise wrong(field, text, wanted)
        return value

    return read_value


#: Fields that are more than a text.
_ONE: Mapping[str, Callable[[str], Any]] = {
    "doi": _required("doi", "a DOI such as 10.1000/xyz", lambda text: values.doi([text])),
    "year": _required("year", "a year such as 2019", _year),
    "date": _required("date", "a date such as 2020, 2020-03 or 2020-03-15", converters.date),
    "pages": _required("pages", "pages such as 123-8", values.pages),
    "volume": values.volume,
    "type": _required(
        "type",
        f"one of {', '.join(TYPES)}",
        lambda text: text if text in TYPES else type_of([text]),
    ),
    "language": _required(
        "language", "a code or a name of a language", lambda text: values.language([text])
    ),
    "open_access": _required("open_access", f"one of {', '.join(OPEN_ACCESS)}", markup.open_access),
    "abstract": markup.abstract,
    "url": _required("url", "a web address", identifiers.web_url),
    "pdf_url": _required("pdf_url", "a web address", identifiers.web_url),
}
