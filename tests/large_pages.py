"""Pages that a hostile or broken database could send: small to write down, and up to eight
megabytes large."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from metasearch.adapters.spec import MAX_BYTES

#: Names of pages, and what makes them.
Pages = Iterator[tuple[str, Callable[[], bytes]]]
#: As large as a page may be.
FULL = MAX_BYTES - 10_000


def json_pages() -> Pages:
    """Crossref's envelope round something that nobody asked for."""

    def items(inner: bytes, title: bytes = b"") -> bytes:
        return b'{"message":{"total-results":1,"title":"' + title + b'","items":[' + inner + b"]}}"

    def work(title: bytes, more: bytes = b"") -> bytes:
        return b'{"title":["' + title + b'"],"DOI":"10.1000/x"' + more + b"}"

    yield "one title", lambda: items(work(b"x" * FULL))
    yield "one wide title", lambda: items(work("\U0001f600".encode() + b"x" * FULL))
    yield "one title of escapes", lambda: items(work(b"\\n" * (FULL // 2)))
    yield "records that are not asked for", lambda: items(b",".join([work(b"Soil")] * 150_000))
    yield "empty records", lambda: items(b",".join([b"{}"] * (FULL // 3)))
    yield "few empty records", lambda: items(b",".join([b"{}"] * 30_000))
    yield "numbers", lambda: items(b",".join([b"1"] * (FULL // 2)))
    yield "members", lambda: b"{" + b",".join([b'"%x":1' % n for n in range(600_000)]) + b"}"
    yield (
        "members as many as may be",
        lambda: items(b"{" + b",".join([b'"%x":"a"' % n for n in range(250_000)]) + b"}"),
    )
    yield (
        "authors",
        lambda: items(work(b"Soil", b',"author":[' + b",".join([b"{}"] * 150_000) + b"]")),
    )
    yield (
        "few authors",
        lambda: items(work(b"Soil", b',"author":[' + b",".join([b"{}"] * 9_000) + b"]")),
    )
    yield "depth", lambda: b'{"message":' * 100_000 + b"1" + b"}" * 100_000
    yield "brackets", lambda: b"[" * FULL
    yield "one number", lambda: items(b"1" * FULL)
    yield "not a number", lambda: items(b"NaN," * 50_000 + work(b"Soil"))
    yield "lone surrogates", lambda: items(b",".join([work(b"\\ud800")] * 60_000))
    yield "lines", lambda: b"{}\n" * (FULL // 3)
    yield "byte order marks", lambda: b"\xef\xbb\xbf" * (FULL // 3)
    yield "UTF-16", lambda: b"\xff\xfe" + ("[" + "{}," * (FULL // 6)).encode("utf-16-le")


def xml_pages(record: bytes = b"<entry>%s</entry>") -> Pages:
    """An Atom feed, or MARCXML, round the same."""
    atom = record.startswith(b"<entry")
    head = (
        b'<feed xmlns="http://www.w3.org/2005/Atom">'
        if atom
        else b'<collection xmlns="http://www.loc.gov/MARC21/slim">'
    )
    tail = b"</feed>" if atom else b"</collection>"
    title = (
        b"<title>%s</title>"
        if atom
        else b'<datafield tag="245"><subfield code="a">%s</subfield></datafield>'
    )

    def feed(inner: bytes) -> bytes:
        return head + inner + tail

    yield "one title", lambda: feed(record % (title % (b"x" * FULL)))
    yield "one title of characters", lambda: feed(record % (title % (b"&amp;" * (FULL // 5))))
    yield "one title of parts", lambda: feed(record % (title % (b"<i>x</i>" * 50_000)))
    yield "records that are not asked for", lambda: feed((record % (title % b"Soil")) * 30_000)
    yield "more such records", lambda: feed((record % b"") * (FULL // len(record)))
    yield "elements", lambda: feed(b"<b/>" * (FULL // 4))
    yield "elements in a record", lambda: feed(record % (b"<b/>" * 100_000))
    yield "parts of one kind", lambda: feed(record % ((title % b"x") * 30_000))
    yield "comments", lambda: feed(b"<!---->" * (FULL // 7))
    yield "instructions", lambda: feed(b"<?a?>" * (FULL // 5))
    yield (
        "attributes",
        lambda: feed(b"<b " + b" ".join([b'a%x=""' % n for n in range(200_000)]) + b"/>"),
    )
    yield (
        "namespaces",
        lambda: feed(b"<b " + b" ".join([b'xmlns:a%x="u"' % n for n in range(100_000)]) + b"/>"),
    )
    yield (
        "namespaces in use",
        lambda: feed(b"".join([b'<a%x:b xmlns:a%x="u%x"/>' % (n, n, n) for n in range(40_000)])),
    )
    yield "depth", lambda: b"<b>" * 200_000 + b"</b>" * 200_000
    yield "entities", lambda: b'<!DOCTYPE feed [<!ENTITY e "x">]>' + feed(b"&e;" * (FULL // 3))
    declared = b'<!ENTITY e%x "x">'
    yield (
        "declared entities",
        lambda: b"<!DOCTYPE feed [%s]><feed/>" % b"".join([declared % n for n in range(200_000)]),
    )
    yield "unknown entities", lambda: b"<!DOCTYPE feed SYSTEM 'x'>" + feed(b"&e;" * 60_000)
    yield "text beside", lambda: feed(b"x" * FULL)


def html_pages() -> Pages:
    """A page of results round the same."""

    def page(inner: bytes) -> bytes:
        return (
            b"<!doctype html><html><body><div id=gs_res_ccl_mid>" + inner + b"</div></body></html>"
        )

    def hit(title: bytes) -> bytes:
        return b'<div class="gs_r"><h3 class="gs_rt"><a href="/x">' + title + b"</a></h3></div>"

    yield "one title", lambda: page(hit(b"x" * FULL))
    yield "one wide title", lambda: page(hit("\U0001f600".encode() + b"x" * FULL))
    yield "records that are not asked for", lambda: page(hit(b"Soil") * 20_000)
    yield "unclosed elements", lambda: page(b"<p>" * (FULL // 3))
    yield "fewer unclosed elements", lambda: page(b"<p>" * 100_000)
    yield "open hits", lambda: page(b'<div class="gs_r"><h3 class="gs_rt">' * 20_000)
    yield "cells", lambda: page(b"<table><tr><td>" * 30_000)
    yield (
        "attributes",
        lambda: page(b"<a " + b" ".join([b"a%x" % n for n in range(500_000)]) + b">"),
    )
    yield (
        "hidden attributes",
        lambda: page(b'<a x=">" ' + b"/".join([b"a%x" % n for n in range(30_000)]) + b">"),
    )
    yield "comments", lambda: page(b"<!---->" * (FULL // 7))
    yield "characters", lambda: page(hit(b"&amp;" * (FULL // 5)))
    yield "text", lambda: page(b"x " * (FULL // 2))


def texts() -> Pages:
    """What is no answer at all."""
    yield "one line", lambda: b"x" * FULL
    yield "lines", lambda: b"\n".join([b"error"] * (FULL // 6))
    yield "blanks", lambda: b" " * FULL
    yield "zeros", lambda: b"\0" * FULL


#: Kind -> the source whose spec reads it, and its pages.
KINDS: dict[str, tuple[str, Callable[[], Pages]]] = {
    "json": ("crossref", json_pages),
    "xml": ("arxiv", xml_pages),
    "marcxml": ("loc", lambda: xml_pages(b"<record>%s</record>")),
    "html": ("google-scholar", html_pages),
    "text": ("crossref", texts),
}
CASES = [(kind, name) for kind, (_, pages) in KINDS.items() for name, _ in pages()]


def hostile_page(kind: str, name: str) -> bytes:
    """One of them, made anew."""
    return dict(KINDS[kind][1]())[name]()
