"""The styles that cite by author and year: APA and Harvard."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from metasearch.formats.citations.elements import (
    CitedWork,
    Initials,
    edition,
    month,
    name_of,
    with_stop,
)
from metasearch.formats.text import line
from metasearch.record import Author, Record

# APA style, seventh edition: the entry of a work in the list of references. Publication Manual of
# the American Psychological Association, 7th edition (2020), chapters 9 and 10. Titles keep the
# capitals that the database has.

_INITIALS = Initials(stop=".", blank=" ", hyphen="-")
_MOST_NAMES = 20
#: What stands in brackets behind the title of a work that is not a text of a usual kind.
_DESCRIBED = {
    "audio": "Audio recording",
    "dataset": "Data set",
    "editorial": "Editorial",
    "image": "Image",
    "letter": "Letter to the editor",
    "map": "Map",
    "score": "Musical score",
    "software": "Computer software",
    "video": "Video",
}
#: Kinds whose date is printed with month and day.
_DATED = frozenset({"audio", "video", "webpage"})


def apa(record: Record, accessed: dt.date) -> str:
    """The entry of a work, on one line. `accessed`: not printed: APA has it only for pages that are
    meant to change.
    """
    work = CitedWork(record)
    names = _names(work.people)
    if names and work.is_edited:
        names += " (Ed.)" if len(work.people) == 1 else " (Eds.)"
    title = " ".join(filter(None, (work.title, _in_parentheses(work), _in_brackets(work))))
    first = [names, f"({_date(work)})", title] if names else [title, f"({_date(work)})"]
    elements = [with_stop(element) for element in (*first, *_source(work)) if element]
    return " ".join(filter(None, (*elements, work.address)))


def _names(people: Sequence[Author]) -> str:
    """Up to twenty names; of more, the first nineteen and the last."""
    names = [name_of(author, _INITIALS).family_first for author in people]
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])}, … {names[-1]}"
    if len(names) < 2:
        return "".join(names)
    # Of two names, a comma parts them only behind initials.
    comma = "," if len(names) > 2 or names[0].endswith(".") else ""
    return f"{', '.join(names[:-1])}{comma} & {names[-1]}"


def _in_order(people: Sequence[Author]) -> str:
    """Editors of the book that contains a work, translators: "P. Rossi & M. Bianchi"."""
    names = [name_of(author, _INITIALS).in_order for author in people]
    if len(names) < 3:
        return " & ".join(names)
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])}, … {names[-1]}"
    return f"{', '.join(names[:-1])}, & {names[-1]}"


def _date(work: CitedWork) -> str:
    year, month_number, day = work.date
    name = month(month_number) if work.kind in _DATED else ""
    if not year or not name:
        return year or "n.d."
    return f"{year}, {name} {int(day)}" if day else f"{year}, {name}"


def _in_parentheses(work: CitedWork) -> str:
    translators = _in_order(work.record.translators)
    details = []
    if work.shape == "whole":
        details = [edition(work, "ed."), f"Vol. {work.volume}" if work.volume else ""]
    details.append(f"Version {work.version}" if work.version else "")
    details.append(f"arXiv:{work.arxiv}" if work.arxiv else "")
    details.append(f"Patent No. {work.number}" if work.kind == "patent" and work.number else "")
    details.append(work.number if work.kind == "standard" else "")
    by = f"{translators}, Trans." if translators else ""
    shown = "; ".join(filter(None, (by, ", ".join(filter(None, details)))))
    return f"({shown})" if shown else ""


def _in_brackets(work: CitedWork) -> str:
    if work.kind == "thesis":
        # A thesis that nobody has put online counts as unpublished: its university stands behind.
        university = work.publisher if work.address else ""
        return f"[{', '.join(filter(None, ('Thesis', university)))}]"
    description = _DESCRIBED.get(work.kind)
    return f"[{description}]" if description else ""


def _source(work: CitedWork) -> list[str]:
    if work.shape == "journal" or _is_serial(work):
        return [_in_journal(work)]
    publisher = _unless_author(work, work.publisher)
    if work.shape == "part":
        return [_in_book(work), publisher]
    if work.kind == "thesis":
        return [] if work.address else [work.publisher]
    if work.kind == "preprint":
        return [work.venue or publisher]
    venue = _unless_author(work, work.venue)
    if work.kind == "webpage":
        # A site that is its own author is named once; no publisher takes its place.
        return [venue if work.venue else publisher]
    return [publisher or venue]


def _is_serial(work: CitedWork) -> bool:
    """Whether proceedings are published as a journal is."""
    return work.kind == "conference-paper" and bool(work.volume) and not work.record.editors


def _unless_author(work: CitedWork, body: str) -> str:
    """A body that is the author, too, is printed once."""
    return "" if any(line(author.name) == body for author in work.record.authors) else body


def _in_journal(work: CitedWork) -> str:
    issue = f"({work.issue})" if work.issue else ""
    number = work.article_number
    pages = f"Article {number}" if number else work.pages()
    return ", ".join(filter(None, (work.venue, f"{work.volume}{issue}", pages)))


def _in_book(work: CitedWork) -> str:
    editors = _in_order(work.record.editors)
    if editors:
        editors += " (Ed.), " if len(work.record.editors) == 1 else " (Eds.), "
    volume = f"Vol. {work.volume}" if work.volume else ""
    details = (edition(work, "ed."), volume, work.pages_with_mark)
    shown = ", ".join(filter(None, details))
    return f"In {editors}{work.venue}{f' ({shown})' if shown else ''}"


# Harvard style, as "Cite Them Right" has it (Pears and Shields, 11th edition, 2019).

_HARVARD_INITIALS = Initials(stop=".", blank="", hyphen="-")
_HARVARD_MOST_NAMES = 3
#: What stands behind a title.
_HARVARD_DESCRIBED = {
    "audio": "[Audio]",
    "dataset": "[Dataset]",
    "map": "[Map]",
    "software": "[Computer program]",
    "video": "[Video]",
}


def harvard(record: Record, accessed: dt.date) -> str:
    """The entry of a work, on one line, a full stop at its end."""
    work = CitedWork(record)
    names = _harvard_names(work.people)
    if names and work.is_edited:
        names += " (ed.)" if len(work.people) == 1 else " (eds)"
    title = f"‘{work.title}’" if work.title and _is_quoted(work) else work.title
    year = f"({work.year or 'no date'})"
    # Without a name, the title comes before the year, and no comma follows.
    first = [names, year, title] if names else [title, year]
    begin = " ".join(filter(None, (*first, _HARVARD_DESCRIBED.get(work.kind))))
    source = [element for element in _harvard_source(work) if element]
    if source and title and _is_quoted(work):
        begin = f"{begin}{',' if names else ''} {source.pop(0)}"
    elements = filter(None, (begin, *source, _available(work, accessed)))
    return " ".join(map(with_stop, elements))


def _is_quoted(work: CitedWork) -> bool:
    """Whether the title is that of a part: italics, which text has not, mark the others."""
    return work.shape != "whole" or work.kind == "preprint"


def _harvard_names(people: Sequence[Author]) -> str:
    """Up to three names; of more, the first and "et al."."""
    names = [
        name_of(author, _HARVARD_INITIALS).family_first for author in people[:_HARVARD_MOST_NAMES]
    ]
    return _join_names(names, len(people))


def _harvard_in_order(people: Sequence[Author]) -> str:
    names = [name_of(author, _HARVARD_INITIALS).in_order for author in people[:_HARVARD_MOST_NAMES]]
    return _join_names(names, len(people))


def _join_names(names: list[str], count: int) -> str:
    if count > _HARVARD_MOST_NAMES:
        return f"{names[0]} et al."
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _harvard_source(work: CitedWork) -> list[str]:
    if work.shape == "journal":
        issue = f"({work.issue})" if work.issue else ""
        return [", ".join(filter(None, (work.venue, f"{work.volume}{issue}", _pages(work))))]
    if work.shape == "part":
        return _harvard_in_book(work)
    if work.kind == "preprint":
        return [f"{work.venue or work.publisher} [Preprint]".strip()]
    number = f"Patent no. {work.number}" if work.kind == "patent" and work.number else work.number
    return [
        "Thesis" if work.kind == "thesis" else "",
        f"Version {work.version}" if work.version else "",
        number,
        edition(work, "edn"),
        f"Volume {work.volume}" if work.volume else "",
        _translators(work),
        work.imprint or work.venue,
    ]


def _harvard_in_book(work: CitedWork) -> list[str]:
    editors = _harvard_in_order(work.record.editors)
    if editors:
        editors += " (ed.) " if len(work.record.editors) == 1 else " (eds) "
    last = ", ".join(filter(None, (work.imprint, _pages(work))))
    volume = f"Volume {work.volume}" if work.volume else ""
    host = f"in {editors}{work.venue}"
    return [host, edition(work, "edn"), volume, _translators(work), last]


def _translators(work: CitedWork) -> str:
    people = _harvard_in_order(work.record.translators)
    return f"Translated by {people}" if people else ""


def _pages(work: CitedWork) -> str:
    return work.article_number or work.pages_with_mark


def _available(work: CitedWork, accessed: dt.date) -> str:
    if not work.address:
        return ""
    day = f"{accessed.day} {month(f'{accessed.month}')} {accessed.year}"
    seen = "" if work.doi else f" (Accessed: {day})"
    return f"Available at: {work.address}{seen}"
