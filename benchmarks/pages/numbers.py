"""More of everything than was asked for: records, members, comments, attributes, depths."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.pages.made import (
    FEW,
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

MANY = "more than was asked for"
DEEP = "nested without end"


def pages() -> Iterator[Page]:
    """Each of this file."""
    yield Page(
        "records-json",
        "crossref",
        "200,000 works where 20 were asked for",
        MANY,
        answered("crossref", _works),
    )
    yield Page(
        "records-same", "crossref", "20,000 works of one title", MANY, answered("crossref", _same)
    )
    yield Page("records-marc", "sru", "20,000 MARCXML records", MANY, answered("sru", _books))
    yield Page("records-atom", "arxiv", "40,000 entries", MANY, answered("arxiv", _entries))
    yield Page("records-html", "html", "180,000 items", MANY, answered("html", _items))
    yield Page(
        "json-members",
        "crossref",
        "an object of 600,000 members",
        MANY,
        answered("crossref", _members),
    )
    yield Page("json-numbers", "crossref", "a number of 4 MB", MANY, answered("crossref", _digits))
    yield Page("xml-comments", "sru", "1,000,000 comments", MANY, answered("sru", _comments))
    yield Page(
        "xml-in-title", "sru", "1,000,000 elements in a title", MANY, answered("sru", _elements)
    )
    yield Page(
        "xml-attributes",
        "arxiv",
        "an element of 300,000 attributes",
        MANY,
        answered("arxiv", _attributes),
    )
    yield Page(
        "xml-namespaces",
        "arxiv",
        "an element of 100,000 namespaces",
        MANY,
        answered("arxiv", _namespaces),
    )
    yield Page("html-open", "html", "990 KB of open tags", DEEP, answered("html", _open))
    yield Page("html-tables", "html", "990 KB of tables in tables", DEEP, answered("html", _tables))
    yield Page("html-flat", "html", "990 KB of paragraphs", MANY, answered("html", _paragraphs))
    yield Page(
        "json-deep",
        "crossref",
        "a list in a list, 1,000,000 times",
        DEEP,
        answered("crossref", _lists),
    )
    yield Page(
        "xml-deep",
        "arxiv",
        "an element in an element, 500,000 times",
        DEEP,
        answered("arxiv", _inside),
    )
    yield Page(
        "xml-entities", "sru", "entities of entities of entities", DEEP, answered("sru", _bomb)
    )


def _works() -> bytes:
    return works_raw(b"[%s{}]" % (b'{"DOI":"10.5555/a","title":["Soil"]},' * 200_000), 200_000)


def _same() -> bytes:
    return works(*(work(number, title=["Editorial"], author=[]) for number in range(20_000)))


def _books() -> bytes:
    return catalogue(*map(marc, range(20_000)))


def _entries() -> bytes:
    return feed(*map(entry, range(40_000)))


def _items() -> bytes:
    return listed(*(b"Soil %d" % number for number in range(180_000)))


def _members() -> bytes:
    return works_raw(
        b'[{%s,"title":["Soil"]}]' % b",".join(b'"m%d":1' % number for number in range(600_000)), 1
    )


def _digits() -> bytes:
    return works_raw(
        b'[{"DOI":"10.5555/a","title":["Soil"],"is-referenced-by-count":%s}]' % (b"9" * 4_000_000),
        1,
    )


def _comments() -> bytes:
    return catalogue(marc(0, more=b"<!--a-->" * 1_000_000))


def _elements() -> bytes:
    return catalogue(marc(0, b"<i>a</i>" * 1_000_000))


def _attributes() -> bytes:
    return feed(
        entry(0, more=b"<x %s/>" % b" ".join(b'a%d="1"' % number for number in range(300_000)))
    )


def _namespaces() -> bytes:
    return feed(
        entry(0, more=b"<x %s/>" % b" ".join(b'xmlns:n%d="u:%d"' % (n, n) for n in range(100_000)))
    )


def _web_page(inside: bytes) -> bytes:
    # Without its end a page would be taken for one that was cut off, and not be read.
    return b"<!doctype html><html><body>%s</body></html>" % inside


def _open() -> bytes:
    return _web_page(b"<ul><li><b>a" * (990_000 // 12))


def _tables() -> bytes:
    return _web_page(b"<table><tr><td><li><b>a" * (990_000 // 22))


def _paragraphs() -> bytes:
    return _web_page(b"<li><b>Soil</b></li>" + b"<p>a" * (990_000 // 4))


def _lists() -> bytes:
    return works_raw(b"[" * 1_000_000 + b"]" * 1_000_000, FEW)


def _inside() -> bytes:
    return feed(entry(0, more=b"<a>" * 500_000 + b"</a>" * 500_000))


def _bomb() -> bytes:
    entities = b'<!ENTITY e0 "soil">' + b"".join(
        b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 12)
    )
    body = catalogue(marc(0, b"&e11;"))
    return body.replace(b"?>", b"?><!DOCTYPE x [%s]>" % entities, 1)
