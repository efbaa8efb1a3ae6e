"""The commands that read the list of a session as it is now."""

from __future__ import annotations

from functools import partial

from lxml import etree

from metasearch.formats.marc.fields import marc_data
from metasearch.formats.marc.write_iso2709 import encoded
from metasearch.formats.marc.write_xml import element
from metasearch.record import Hit
from metasearch.server.faces.pazpar2 import documents
from metasearch.server.faces.pazpar2.command import Command, Original
from metasearch.server.faces.pazpar2.errors import (
    BLOCKED,
    MALFORMED,
    NO_RECORD,
    RECORD_FAILED,
    SEARCH_FAILED,
    CommandRefused,
)
from metasearch.server.faces.pazpar2.parameters import FACET_OF, Given
from metasearch.server.faces.pazpar2.progress import Progress
from metasearch.server.faces.pazpar2.sessions import Session
from metasearch.server.faces.pazpar2.sorting import SortKey, in_order, sort_keys

#: Works of one answer, where a request does not say how many, and at most.
_SHOWN, _MOST_SHOWN = 20, 200
#: Terms of a list, likewise.
_TERMS, MOST_TERMS = 15, 100
_MOST_LISTS = 50
_LAST_START = 1_000_000
#: Works that are sorted on the loop.
_SORTED_AT_ONCE = 300
#: Records of a page that are written on the loop; more take so long that a thread writes them.
_WRITTEN_AT_ONCE = 200
_MARCXML = "http://www.loc.gov/MARC21/slim"
#: Record syntaxes that an original record is written in.
_SYNTAXES = ("", "marcxml", "marc21", "usmarc", "xml")


async def show(command: Command) -> etree._Element:
    """A page of the list. Raises CommandRefused: as by the other commands here: a parameter cannot
    be read, or the search failed.
    """
    given, session = command.given, command.session
    keys = sort_keys(given.text("sort"))
    start = given.number("start", 0, _LAST_START)
    number = given.number("num", _SHOWN, _MOST_SHOWN)
    version = given.number("version", 0, 100)
    if given.flag("block"):
        await _until_works(command, "show", report_error=given.text("report") == "1")
    progress = _not_failed(session)
    hits = await _ordered(command, progress, keys) if progress is not None else []
    page = hits[start : start + number]
    # Now: a thread may write what the loop must not change meanwhile.
    write = partial(
        documents.show,
        page,
        active=progress.active if progress is not None else 0,
        merged=len(hits),
        total=progress.total if progress is not None else 0,
        start=start,
        labels=command.labels,
        relevance=keys[0].sort == "relevance",
        version=version,
    )
    large = sum(len(hit.records) for hit in page) > _WRITTEN_AT_ONCE
    return await command.room.shared.admission.written(write, large=large)


async def record(command: Command) -> etree._Element | Original:
    """A work, or the record of it that one source has."""
    given, session = command.given, command.session
    name = given.required("id")
    progress = _not_failed(session)
    if progress is None:
        raise CommandRefused(NO_RECORD, name[:100])
    if not progress.lists(name) and "record" not in session.waiting:
        with session.hold("record"):  # it may come while the search runs
            await progress.until(lambda: progress.lists(name))
    hits = await _ordered(command, progress, progress.keys)
    place = progress.place(name, hits)
    if place is None:
        raise CommandRefused(NO_RECORD, name[:100])
    if given.text("offset") or given.text("checksum"):
        return _original(given, hits[place])
    return documents.record(progress, hits, place, name, command.labels)


def _original(given: Given, hit: Hit) -> Original:
    """One record of a work as its source has it, as MARCXML, or as the bytes of MARC 21."""
    syntax = given.text("syntax")
    if syntax.lower() not in _SYNTAXES:
        raise CommandRefused(RECORD_FAILED, f"syntax: {syntax[:40]!r} is none; there is marcxml")
    if number := given.text("checksum"):
        own = next((own for own in hit.records if str(documents.checksum(own)) == number), None)
        if own is None:
            raise CommandRefused(RECORD_FAILED, f"checksum: {number[:20]} is none of this work")
    else:
        offset = given.number("offset", 0, 10**6)
        if offset >= len(hit.records):
            last = len(hit.records) - 1
            raise CommandRefused(RECORD_FAILED, f"offset: {offset}; the last record has {last}")
        own = hit.records[offset]
    marc = marc_data(Hit(id=own.key, record=own, records=(own,), provenance={}), None)
    if given.flag("binary"):
        return Original(encoded(marc), "application/octet-stream")
    document = f'<?xml version="1.0" encoding="UTF-8"?>\n{element(marc, namespace=_MARCXML)}'
    return Original(document.encode(), "text/xml")


async def termlist(command: Command) -> etree._Element:
    """Facets, and the sources with the numbers of their hits."""
    given = command.given
    names = [name.strip() for name in given.text("name").split(",") if name.strip()]
    if not names or names == ["*"]:
        names = list(FACET_OF)
    if len(names) > _MOST_LISTS:
        raise CommandRefused(MALFORMED, f"name: more than {_MOST_LISTS} lists")
    most = given.number("num", _TERMS, MOST_TERMS)
    if given.text("block") == "1":
        await _until_works(command, "termlist", report_error=given.text("report") == "error")
    progress = _not_failed(command.session)
    return documents.termlist(progress, dict.fromkeys(names), most, command.labels)


async def bytarget(command: Command) -> etree._Element:
    """How each source fares."""
    given = command.given
    version, report = given.number("version", 0, 100), given.text("report")
    blocked = False
    if given.text("block") == "1":
        blocked = await _until_works(command, "bytarget", report_error=report == "error")
    message = "WARNING (Already blocked on bytarget)" if blocked and report == "status" else "OK"
    return documents.bytarget(
        command.session.progress, command.labels, message=message, version=version
    )


async def stat(command: Command) -> etree._Element:
    """How the sources fare together."""
    return documents.stat(command.session.progress)


async def _until_works(command: Command, name: str, *, report_error: bool) -> bool:
    """Hold the answer back until the first work is there, or the search is over.

    `report_error`: whether a second one is refused, and not answered at once. Returns whether
    another command of the name is held back, so that this one is not. Raises CommandRefused: a
    second one is refused.
    """
    session = command.session
    progress = session.progress
    if progress is None or progress.over or progress.shows_works:
        return False
    try:
        with session.hold(name):
            await progress.until(lambda: progress.shows_works)
    except CommandRefused as refused:
        if report_error or refused.code != BLOCKED:
            raise
        return True
    return False


def _not_failed(session: Session) -> Progress | None:
    """A session's search, None before the first. Raises CommandRefused: our error ended it."""
    if session.progress is not None and session.progress.failed:
        raise CommandRefused(SEARCH_FAILED, "the search failed; the log of the server says why")
    return session.progress


async def _ordered(command: Command, progress: Progress, keys: tuple[SortKey, ...]) -> list[Hit]:
    """The works so far in an order; a long list is sorted in a thread."""
    known = progress.known(keys)
    if known is not None:
        return known
    hits, arrival, version = progress.listed(), progress.arrival(), progress.version
    ordered = await command.room.shared.admission.written(
        lambda: in_order(hits, progress.sort, keys, arrival), large=len(hits) > _SORTED_AT_ONCE
    )
    progress.keep(version, keys, ordered)
    return ordered
