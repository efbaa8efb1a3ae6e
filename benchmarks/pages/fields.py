"""One field of one record that takes more than its share: quadratic work on it, or megabytes of
it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from benchmarks.pages.made import (
    Page,
    answered,
    catalogue,
    entry,
    feed,
    listed,
    marc,
    work,
    works,
    works_raw,
)

QUADRATIC, LARGE = "quadratic work on a field", "a field of megabytes"
MEGA = 1_000_000


def pages() -> Iterator[Page]:
    """Each of this file."""
    yield Page(
        "marc-title", "sru", "a title of 60 KB of slashes", QUADRATIC, answered("sru", _slashes)
    )
    yield Page(
        "marc-names",
        "sru",
        "a name of 60 KB of commas and blanks",
        QUADRATIC,
        answered("sru", _names),
    )
    yield Page(
        "marc-host",
        "sru",
        "a host citation (773 $g) of 60 KB of digits",
        QUADRATIC,
        answered("sru", _host),
    )
    yield Page(
        "doi-brackets",
        "crossref",
        "a DOI with 80 KB of brackets",
        QUADRATIC,
        answered("crossref", _brackets),
    )
    yield Page(
        "long-titles",
        "crossref",
        "6 titles of 1 MB that differ a little",
        QUADRATIC,
        answered("crossref", _alike),
    )
    yield Page(
        "arxiv-version",
        "arxiv",
        "an identifier of 80 KB",
        QUADRATIC,
        answered("arxiv", _identifier),
    )
    yield Page(
        "combining",
        "crossref",
        "a title of 400,000 combining marks",
        QUADRATIC,
        answered("crossref", _marks),
    )
    yield Page(
        "pages-digits",
        "crossref",
        "pages of 80 KB of digits",
        QUADRATIC,
        answered("crossref", _page_range),
    )
    yield Page(
        "title-json", "crossref", "a title of 5 MB", LARGE, answered("crossref", _long_title)
    )
    yield Page(
        "title-marc", "sru", "a title of 5 MB in MARCXML", LARGE, answered("sru", _long_marc)
    )
    yield Page("title-html", "html", "a title of 5 MB in HTML", LARGE, answered("html", _long_html))
    yield Page(
        "title-markup",
        "crossref",
        "a title of 3 MB of <b>",
        LARGE,
        answered("crossref", _marked_up),
    )
    yield Page(
        "abstract", "crossref", "an abstract of 8 MB", LARGE, answered("crossref", _abstract)
    )
    yield Page(
        "authors", "crossref", "200,000 authors of one work", LARGE, answered("crossref", _authors)
    )
    yield Page(
        "subjects", "sru", "80,000 subject headings of one book", LARGE, answered("sru", _subjects)
    )


def _slashes() -> bytes:
    return catalogue(marc(0, b"/" * 60_000 + b"x/"))


def _names() -> bytes:
    name = b", " * 30_000 + b"x"
    field = (
        b'<datafield tag="100" ind1="1" ind2=" "><subfield code="a">%s</subfield></datafield>'
        % name
    )
    return catalogue(marc(0, more=field))


def _host() -> bytes:
    told = b"1" * 60_000 + b"x"
    field = (
        b'<datafield tag="773" ind1="0" ind2=" "><subfield code="g">%s</subfield></datafield>'
        % told
    )
    return catalogue(marc(0, more=field))


def _brackets() -> bytes:
    return works(work(0, DOI="10.5555/a" + "(" + ")" * 80_000))


def _alike() -> bytes:
    """Each is the same text again and again, with a word of its own at another place: alike but
    never equal."""
    draw = random.Random(1)
    text = " ".join("".join(draw.choices("bcdfghklmnrstaeiou", k=6)) for _ in range(9_000))
    again, items = MEGA // len(text), []
    for number in range(6):
        title = " ".join([text] * number + [f"this{number}"] + [text] * (again - number))
        items.append(
            work(number, DOI="", title=[title], author=[{"family": "Grower", "given": "Ada"}])
        )
    return works(*items)


def _identifier() -> bytes:
    return feed(entry(0, address=b"http://arxiv.org/abs/" + b"a" * 80_000))


def _marks() -> bytes:
    # Two classes by turns: putting them into their canonical order is what takes the time.
    return works(work(0, title=["a" + "\u0301\u0323" * 200_000]))


def _page_range() -> bytes:
    return works(work(0, page="1" * 40_000 + "-" * 40_000 + "x"))


def _long_title() -> bytes:
    return works(work(0, title=["soil and water " * (MEGA // 3)]))


def _long_marc() -> bytes:
    return catalogue(marc(0, b"soil and water " * (MEGA // 3)))


def _long_html() -> bytes:
    return listed(b"soil and water " * (MEGA // 3))


def _marked_up() -> bytes:
    return works(work(0, title=["<b>" * MEGA + "soil"]))


def _abstract() -> bytes:
    return works(work(0, abstract="soil and water " * (8 * MEGA // 15)))


def _authors() -> bytes:
    made = json.dumps(work(0, author="HERE")).encode()
    return works_raw(
        b"[%s]"
        % made.replace(b'"HERE"', b"[%s{}]" % (b'{"family":"Grower","given":"Ada B."},' * 200_000)),
        1,
    )


def _subjects() -> bytes:
    field = (
        b'<datafield tag="650" ind1=" " ind2="0"><subfield code="a">Soil %d</subfield></datafield>'
    )
    return catalogue(marc(0, more=b"".join(field % number for number in range(80_000))))
